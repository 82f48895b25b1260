//! IF: conditions of all kinds.

use super::{
    Clause, Writer,
    types::{Column, Table, Type},
};

impl Writer<'_> {
    /// IF conditions over the columns of a table.
    pub fn conditions(&mut self, table: &Table) -> String {
        self.uses(Clause::IfCondition);
        let others = table.others();
        let count = self.random.between(1, 2);
        let mut columns = self.several(&others, count);
        if self.astray() {
            columns.push(self.random.pick(&table.columns));
        }
        if columns.is_empty() {
            columns.push(&table.columns[0]);
        }
        let conditions: Vec<String> = columns.into_iter().map(|column| self.condition(column)).collect();
        conditions.join(" AND ")
    }

    fn condition(&mut self, column: &Column) -> String {
        let name = self.name(column);
        let operator = self.random.one_of(&["=", "=", "!=", "<", ">", ">=", "<="]);
        match (column.of.bare(), self.random.below(10)) {
            (Type::Map(key, value), 0..5) => format!("{name}[{}] {operator} {}", self.term(key), self.term(value)),
            (Type::List(of), 0..5) => {
                format!("{name}[{}] {operator} {}", self.term(&Type::Native("int")), self.term(of))
            }
            (Type::User(user), 0..5) => {
                let (field, of) = self.random.pick(&user.fields).clone();
                let field = if self.astray() { "nothing".to_owned() } else { field };
                if self.random.chance(25) {
                    return format!("{name}.{field} IN ({}, {})", self.term(&of), self.term(&of));
                }
                format!("{name}.{field} {operator} {}", self.term(&of))
            }
            (of, 5..6) if of.is_collection() => self.contains(column),
            (of, 6) => format!("{name} IN ({}, {})", self.term(of), self.term(of)),
            (_, 7) => format!("{name} IN ?"),
            (_, 8) => format!("{name} = null"),
            (of, 9) if self.astray() => match self.random.below(4) {
                0 => format!("{name}[1] {operator} {}", self.term(of)),
                1 => format!("{name}.nothing {operator} {}", self.term(of)),
                2 => format!("{name} CONTAINS {}", self.term(of)),
                _ => format!("{name} CONTAINS KEY {}", self.term(of)),
            },
            (of, _) => format!("{name} {operator} {}", self.term(of)),
        }
    }
}
