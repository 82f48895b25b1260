//! WHERE: relations of all kinds, with and without sense.

use super::{
    Clause, Writer,
    types::{Column, Kind, Table, Type},
};

const SLICES: [&str; 4] = ["<", "<=", ">", ">="];

impl Writer<'_> {
    /// The relations of a SELECT, and the whole clause with its WHERE; empty when there is none.
    pub fn select_where(&mut self, table: &Table) -> String {
        let relations = match self.random.below(100) {
            0..3 => Vec::new(),
            3..14 => self.keyed(table),
            14..44 => {
                let mut relations = self.keyed(table);
                relations.extend(self.some_columns(&table.others(), 1));
                relations
            }
            44..67 => self.gapped(table),
            67..73 => self.tokens(table),
            73..82 => self.indexed(table),
            82..95 => self.some_columns(&table.others(), 2),
            _ => {
                let all: Vec<&Column> = table.columns.iter().collect();
                let count = self.random.between(1, 4);
                self.some_columns(&all, count)
            }
        };
        let mut relations = relations;
        if !relations.is_empty() {
            if self.random.chance(2) {
                self.uses(Clause::IsNotNull);
                let column = self.random.pick(&table.columns).name.clone();
                relations.push(format!("{column} IS NOT NULL"));
            }
            if self.random.chance(1) {
                let column = self.random.pick(&table.columns).clone();
                relations.push(self.like(&column));
            }
            if self.astray() {
                let column = self.random.pick(&table.columns).clone();
                relations.push(self.any_relation(&column));
            }
            if self.astray() && self.random.chance(20) {
                relations.push(self.custom(table));
            }
        }
        self.random.shuffle(&mut relations);
        if relations.is_empty() { String::new() } else { format!(" WHERE {}", relations.join(" AND ")) }
    }

    /// The key of an UPDATE or DELETE: the whole of it, or (`ranges`) the beginning of it.
    pub fn modify_where(&mut self, table: &Table, clustering: bool, ranges: bool) -> String {
        let mut relations = self.partition(table);
        if clustering {
            let columns = table.clustering();
            let count =
                if ranges && self.random.chance(50) { self.random.between(0, columns.len()) } else { columns.len() };
            if count < columns.len() {
                self.uses(Clause::DeleteRange);
            } else if ranges {
                self.uses(Clause::DeleteRow);
            }
            if count > 1 && self.random.chance(10) {
                relations.push(self.tuple(&columns[..count], false));
            } else {
                relations.extend(columns[..count].iter().map(|column| self.equal(column)));
            }
            if count < columns.len() && self.random.chance(60) {
                relations.extend(self.slice(columns[count]));
            }
        }
        if self.astray() {
            match self.random.below(6) {
                5 => relations.push(self.custom(table)),
                0 => drop(relations.pop()),
                1 => relations.extend(self.tokens(table)),
                2 => {
                    let column = self.random.one_of(&table.partition()).clone();
                    relations.extend(self.slice(&column));
                }
                _ => {
                    let column = self.random.pick(&table.columns).clone();
                    relations.push(self.any_relation(&column));
                }
            }
        }
        if relations.is_empty() {
            relations.push(self.equal(&table.columns[0]));
        }
        self.random.shuffle(&mut relations);
        relations.join(" AND ")
    }

    /// `expr(index, value)`
    pub fn custom(&mut self, table: &Table) -> String {
        if table.indexes.is_empty() || self.random.chance(15) {
            return "expr(nothing, 'a')".to_owned();
        }
        let index = self.random.pick(&table.indexes);
        if self.random.chance(20) {
            format!("expr({index}, 'a') AND expr({index}, 'b')")
        } else {
            format!("expr({index}, 'a')")
        }
    }

    /// The whole partition key.
    fn partition(&mut self, table: &Table) -> Vec<String> {
        let mut relations = Vec::new();
        for column in table.partition() {
            if self.astray() {
                continue;
            }
            let with_in = self.random.chance(12);
            relations.push(if with_in { self.within(column) } else { self.equal(column) });
        }
        relations
    }

    /// A path the table is made for: the partition key, then clustering columns from the left, then perhaps a range.
    fn keyed(&mut self, table: &Table) -> Vec<String> {
        let mut relations = self.partition(table);
        let columns = table.clustering();
        let count = self.random.between(0, columns.len());
        let (given, rest) = columns.split_at(count);
        if given.len() > 1 && self.random.chance(25) {
            relations.push(self.tuple(given, true));
        } else {
            for column in given {
                let with_in = self.random.chance(15);
                relations.push(if with_in { self.within(column) } else { self.equal(column) });
            }
        }
        match rest {
            [] => {}
            [next, ..] if self.random.chance(35) => relations.extend(self.slice(next)),
            rest if rest.len() > 1 && self.random.chance(25) => {
                let count = self.random.between(1, rest.len());
                relations.extend(self.tuple_slice(&rest[..count]));
            }
            _ => {}
        }
        relations
    }

    /// Parts of the key are left out.
    fn gapped(&mut self, table: &Table) -> Vec<String> {
        let keys: Vec<&Column> = table.partition().into_iter().chain(table.clustering()).collect();
        let count = self.random.between(1, keys.len());
        let some = self.several(&keys, count);
        some.into_iter().map(|column| self.likely_relation(column)).collect()
    }

    /// `token(..)`, from one side or from two.
    fn tokens(&mut self, table: &Table) -> Vec<String> {
        self.uses(Clause::Token);
        let mut columns: Vec<&Column> = table.partition();
        if self.astray() {
            match self.random.below(4) {
                0 => drop(columns.pop()),
                1 => columns.push(columns[0]),
                2 => columns.reverse(),
                _ => columns.push(self.random.pick(&table.columns)),
            }
        }
        let names: Vec<String> = columns.iter().map(|column| self.name(column)).collect();
        let names = if names.is_empty() { "p0".to_owned() } else { names.join(", ") };
        let bigint = Type::Native("bigint");
        let mut relations = Vec::new();
        let operators: Vec<&str> = match self.random.below(10) {
            0..4 => vec![">"],
            4..8 => vec![">", "<="],
            8 => vec!["="],
            _ if self.astray() => vec![self.random.one_of(&["!=", "=", ">"]), "="],
            _ => vec!["<"],
        };
        for operator in operators {
            let value = match self.random.below(4) {
                0 => {
                    let values: Vec<String> = table.partition().iter().map(|column| self.term(&column.of)).collect();
                    format!("token({})", values.join(", "))
                }
                _ => self.term(&bigint),
            };
            relations.push(format!("token({names}) {operator} {value}"));
        }
        if self.random.chance(15) {
            relations.extend(self.some_columns(&table.clustering(), 1));
        }
        if self.random.chance(15) {
            relations.extend(self.some_columns(&table.partition(), 1));
        }
        relations
    }

    /// A column with an index, perhaps with others.
    fn indexed(&mut self, table: &Table) -> Vec<String> {
        let indexed: Vec<&Column> = table.columns.iter().filter(|column| column.indexed).collect();
        if indexed.is_empty() {
            return self.keyed(table);
        }
        let count = self.random.between(1, 2);
        let mut relations = self.some_columns(&indexed, count);
        if self.random.chance(25) {
            relations.extend(self.partition(table));
        }
        if self.random.chance(15) {
            relations.extend(self.some_columns(&table.clustering(), 1));
        }
        relations
    }

    fn some_columns(&mut self, columns: &[&Column], count: usize) -> Vec<String> {
        let can: Vec<&Column> = columns.iter().copied().filter(|column| !matches!(column.of, Type::User(_))).collect();
        let some =
            if can.is_empty() || self.astray() { self.several(columns, count) } else { self.several(&can, count) };
        some.into_iter().map(|column| self.likely_relation(column)).collect()
    }

    /// A relation that goes with the column's type.
    fn likely_relation(&mut self, column: &Column) -> String {
        if self.astray() {
            return self.any_relation(column);
        }
        if column.searchable && self.random.chance(60) {
            return self.like(column);
        }
        match (&column.of, self.random.below(10)) {
            (of, _) if of.is_collection() && !of.is_frozen() => self.contains(column),
            (of, 0..4) if of.is_collection() => self.contains(column),
            (_, 0..6) => self.equal(column),
            (_, 6..8) => self.slice(column).join(" AND "),
            (_, 8) => self.within(column),
            _ => self.equal(column),
        }
    }

    /// A relation, whether it goes with the column or not.
    fn any_relation(&mut self, column: &Column) -> String {
        match self.random.below(11) {
            0 => self.equal(column),
            1 => self.within(column),
            2 => self.slice(column).join(" AND "),
            3 => self.contains(column),
            4 => self.like(column),
            5 => {
                let name = self.name(column);
                format!("{name} != {}", self.term(&column.of))
            }
            6 => {
                self.uses(Clause::IsNotNull);
                format!("{} IS NOT NULL", self.name(column))
            }
            7 => self.element(column),
            8 => self.tuple(&[column], true),
            9 => self.tuple_slice(&[column]).join(" AND "),
            _ => {
                self.uses(Clause::ContainsKey);
                let name = self.name(column);
                let key =
                    if let Type::Map(key, _) = column.of.bare() { key.as_ref().clone() } else { column.of.clone() };
                format!("{name} CONTAINS KEY {}", self.term(&key))
            }
        }
    }

    pub fn equal(&mut self, column: &Column) -> String {
        self.uses(Clause::Equal);
        let name = self.name(column);
        let relation = format!("{name} = {}", self.term(&column.of));
        if self.random.chance(2) { format!("({relation})") } else { relation }
    }

    fn within(&mut self, column: &Column) -> String {
        self.uses(Clause::In);
        let name = self.name(column);
        match self.random.below(10) {
            0..2 => format!("{name} IN ?"),
            2 if self.random.chance(30) => format!("{name} IN ()"),
            _ => {
                let values: Vec<String> = (0..self.random.between(1, 3)).map(|_| self.term(&column.of)).collect();
                format!("{name} IN ({})", values.join(", "))
            }
        }
    }

    fn slice(&mut self, column: &Column) -> Vec<String> {
        self.uses(Clause::Slice);
        let name = self.name(column);
        let operators: Vec<&str> = match self.random.below(10) {
            0..5 => vec![self.random.one_of(&SLICES)],
            5..9 => vec![self.random.one_of(&SLICES[..2]), self.random.one_of(&SLICES[2..])],
            _ if self.astray() => vec![self.random.one_of(&SLICES), self.random.one_of(&SLICES)],
            _ => vec![">="],
        };
        operators.into_iter().map(|operator| format!("{name} {operator} {}", self.term(&column.of))).collect()
    }

    fn contains(&mut self, column: &Column) -> String {
        let name = self.name(column);
        match column.of.bare() {
            Type::List(of) | Type::Set(of) => {
                self.uses(Clause::Contains);
                format!("{name} CONTAINS {}", self.term(of))
            }
            Type::Map(key, value) => match self.random.below(3) {
                0 => {
                    self.uses(Clause::Contains);
                    format!("{name} CONTAINS {}", self.term(value))
                }
                1 => {
                    self.uses(Clause::ContainsKey);
                    format!("{name} CONTAINS KEY {}", self.term(key))
                }
                _ => self.element(column),
            },
            of => {
                self.uses(Clause::Contains);
                format!("{name} CONTAINS {}", self.term(of))
            }
        }
    }

    /// `column[key] = value`
    fn element(&mut self, column: &Column) -> String {
        self.uses(Clause::MapElement);
        let name = self.name(column);
        let int = Type::Native("int");
        let (key, value) = match column.of.bare() {
            Type::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
            Type::List(of) | Type::Set(of) => (int, of.as_ref().clone()),
            of => (int, of.clone()),
        };
        let operator = if self.astray() { self.random.one_of(&["<", ">=", "!="]) } else { "=" };
        format!("{name}[{}] {operator} {}", self.term(&key), self.term(&value))
    }

    fn like(&mut self, column: &Column) -> String {
        self.uses(Clause::Like);
        let name = self.name(column);
        let value = match self.random.below(8) {
            0 => "'%'",
            1 => "'a%'",
            2 => "'%a'",
            3 => "'%a%'",
            4 => "'a'",
            5 => "?",
            6 if self.astray() => "1",
            _ => "'b%'",
        };
        format!("{name} LIKE {value}")
    }

    fn tuple_names(&mut self, columns: &[&Column]) -> String {
        let mut names: Vec<String> = columns.iter().map(|column| self.name(column)).collect();
        if self.astray() {
            self.random.shuffle(&mut names);
        }
        format!("({})", names.join(", "))
    }

    fn tuple_value(&mut self, columns: &[&Column]) -> String {
        if self.random.chance(10) {
            self.uses(Clause::Marker);
            return "?".to_owned();
        }
        self.tuple_literal(columns)
    }

    fn tuple_literal(&mut self, columns: &[&Column]) -> String {
        let mut values: Vec<String> = columns.iter().map(|column| self.term(&column.of)).collect();
        if self.astray() {
            values.push("1".to_owned());
        }
        format!("({})", values.join(", "))
    }

    /// `(a, b) = (1, 2)` or `(a, b) IN (..)`
    fn tuple(&mut self, columns: &[&Column], with_in: bool) -> String {
        self.uses(Clause::TupleRelation);
        let names = self.tuple_names(columns);
        if with_in && self.random.chance(50) {
            self.uses(Clause::TupleIn);
            return match self.random.below(10) {
                0 => format!("{names} IN ?"),
                1 => format!("{names} IN (?, ?)"),
                2 if self.random.chance(30) => format!("{names} IN ()"),
                _ => {
                    let values: Vec<String> =
                        (0..self.random.between(1, 2)).map(|_| self.tuple_literal(columns)).collect();
                    format!("{names} IN ({})", values.join(", "))
                }
            };
        }
        let operator = if self.astray() { self.random.one_of(&["!=", ">"]) } else { "=" };
        format!("{names} {operator} {}", self.tuple_value(columns))
    }

    /// `(a, b) > (1, 2) AND (a) < (3)`
    fn tuple_slice(&mut self, columns: &[&Column]) -> Vec<String> {
        self.uses(Clause::TupleSlice);
        let operator = self.random.one_of(&SLICES);
        let names = self.tuple_names(columns);
        let mut relations = vec![format!("{names} {operator} {}", self.tuple_value(columns))];
        if self.random.chance(30) {
            let opposite = if operator.starts_with('<') { ">" } else { "<" };
            let columns = &columns[..self.random.between(1, columns.len())];
            let names = self.tuple_names(columns);
            let operator = if self.astray() { operator } else { opposite };
            relations.push(format!("{names} {operator} {}", self.tuple_value(columns)));
        }
        relations
    }

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

    /// Whether a modification may go to static columns alone.
    pub fn has_statics(table: &Table) -> bool {
        table.columns.iter().any(|column| column.kind == Kind::Static)
    }
}
