//! Relations of all kinds.

use super::{
    Clause, Writer,
    types::{Column, Type},
};

const SLICES: [&str; 4] = ["<", "<=", ">", ">="];

impl Writer<'_> {
    /// A relation that goes with the column's type.
    pub fn likely_relation(&mut self, column: &Column) -> String {
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
    pub fn any_relation(&mut self, column: &Column) -> String {
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

    pub fn within(&mut self, column: &Column) -> String {
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

    pub fn slice(&mut self, column: &Column) -> Vec<String> {
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

    pub fn contains(&mut self, column: &Column) -> String {
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
    pub fn element(&mut self, column: &Column) -> String {
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

    pub fn like(&mut self, column: &Column) -> String {
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

    pub fn tuple_names(&mut self, columns: &[&Column]) -> String {
        let mut names: Vec<String> = columns.iter().map(|column| self.name(column)).collect();
        if self.astray() {
            self.random.shuffle(&mut names);
        }
        format!("({})", names.join(", "))
    }

    pub fn tuple_value(&mut self, columns: &[&Column]) -> String {
        if self.random.chance(10) {
            self.uses(Clause::Marker);
            return "?".to_owned();
        }
        self.tuple_literal(columns)
    }

    pub fn tuple_literal(&mut self, columns: &[&Column]) -> String {
        let mut values: Vec<String> = columns.iter().map(|column| self.term(&column.of)).collect();
        if self.astray() {
            values.push("1".to_owned());
        }
        format!("({})", values.join(", "))
    }

    /// `(a, b) = (1, 2)` or `(a, b) IN (..)`
    pub fn tuple(&mut self, columns: &[&Column], with_in: bool) -> String {
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
    pub fn tuple_slice(&mut self, columns: &[&Column]) -> Vec<String> {
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
}
