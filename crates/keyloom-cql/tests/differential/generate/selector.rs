//! What a SELECT asks for.

use super::{
    Clause, Writer,
    types::{Column, NATIVES, Table, Type},
};

impl Writer<'_> {
    /// One selector, perhaps with an alias.
    pub fn selector(&mut self, table: &Table) -> String {
        let column = self.random.pick(&table.columns).clone();
        let selector = match self.random.below(100) {
            0..58 => self.name(&column),
            58..64 => self.aggregate(&column),
            64..73 => self.function(&column, table),
            73..77 => self.cast(&column),
            77..82 => self.times(&column),
            82..90 => self.part(&column),
            90..94 => self.arithmetic(&column),
            _ => self.constant(&column),
        };
        if self.random.chance(6) {
            self.uses(Clause::Alias);
            return format!("{selector} AS {}", self.random.one_of(&["alias", "value", "\"Other\""]));
        }
        selector
    }

    pub fn aggregate(&mut self, column: &Column) -> String {
        self.uses(Clause::Aggregate);
        let name = self.name(column);
        match self.random.below(10) {
            0..3 => "count(*)".to_owned(),
            3 => "count(1)".to_owned(),
            4 => format!("count({name})"),
            5..7 => format!("{}({name})", self.random.one_of(&["min", "max"])),
            7..9 if column.of.is_number() || self.astray() => {
                format!("{}({name})", self.random.one_of(&["sum", "avg"]))
            }
            9 if column.of.is_native(&["int"]) || self.astray() => format!("total({name})"),
            _ => format!("max({name})"),
        }
    }

    fn function(&mut self, column: &Column, table: &Table) -> String {
        self.uses(Clause::Function);
        let name = self.name(column);
        if self.astray() {
            let call = self.call(&column.of);
            return match self.random.below(7) {
                0 => call,
                1 => format!("nothing({name})"),
                2 => format!("same({name})"),
                3 => format!("to_date({name})"),
                4 => format!("map_keys({name})"),
                5 => format!("collection_sum({name})"),
                _ => format!("min(max({name}))"),
            };
        }
        let choices: Vec<String> = match column.of.bare() {
            Type::Native("int") => {
                vec![format!("same({name})"), format!("overloaded({name})"), format!("int_as_blob({name})")]
            }
            Type::Native("text") => {
                vec![format!("overloaded({name})"), format!("joined({name}, 1)"), format!("text_as_blob({name})")]
            }
            Type::Native("bigint") => {
                vec![format!("overloaded({name})"), format!("abs({name})"), format!("bigintAsBlob({name})")]
            }
            Type::Native("timestamp") => {
                vec![format!("to_date({name})"), format!("to_unix_timestamp({name})"), format!("floor({name}, 1h)")]
            }
            Type::Native("timeuuid") => {
                vec![format!("to_timestamp({name})"), format!("toDate({name})"), format!("dateOf({name})")]
            }
            Type::Native("date") => vec![format!("to_timestamp({name})"), format!("floor({name}, 2d)")],
            Type::Map(..) => {
                vec![format!("map_keys({name})"), format!("map_values({name})"), format!("collection_count({name})")]
            }
            Type::List(of) | Type::Set(of) if of.is_number() => {
                vec![
                    format!("collection_sum({name})"),
                    format!("collection_avg({name})"),
                    format!("collection_max({name})"),
                ]
            }
            Type::List(_) | Type::Set(_) => {
                vec![format!("collection_min({name})"), format!("collection_count({name})")]
            }
            Type::Vector(of, size) if of.is_native(&["float"]) => {
                let other = vec!["1.0"; *size].join(", ");
                vec![format!("similarity_cosine({name}, [{other}])"), format!("similarity_euclidean({name}, {name})")]
            }
            _ => vec![format!("to_json({name})"), format!("mask_default({name})"), format!("mask_null({name})")],
        };
        match self.random.below(10) {
            0 => {
                let names: Vec<&str> = table.partition().iter().map(|column| column.name.as_str()).collect();
                format!("token({})", names.join(", "))
            }
            1 => format!("{}({name})", self.random.one_of(&["toJson", "to_json", "mask_hash", "mask_default"])),
            _ => self.random.pick(&choices).clone(),
        }
    }

    fn cast(&mut self, column: &Column) -> String {
        self.uses(Clause::Cast);
        let name = self.name(column);
        let to: &str = if self.astray() {
            self.random.one_of(&NATIVES)
        } else if column.of.is_number() {
            self.random.one_of(&["bigint", "double", "text", "varint", "decimal", "tinyint"])
        } else if column.of.is_native(&["timestamp", "timeuuid", "date"]) {
            self.random.one_of(&["text", "date", "timestamp"])
        } else {
            "text"
        };
        format!("CAST({name} AS {to})")
    }

    fn times(&mut self, column: &Column) -> String {
        self.uses(Clause::WritetimeOrTtl);
        let function = self.random.one_of(&["writetime", "WRITETIME", "ttl", "TTL", "maxwritetime"]);
        let name = self.name(column);
        if self.random.chance(10) {
            let part = self.part(column);
            return format!("{function}({part})");
        }
        format!("{function}({name})")
    }

    /// An element, a slice or a field.
    fn part(&mut self, column: &Column) -> String {
        self.uses(Clause::ElementOrField);
        let name = self.name(column);
        match column.of.bare() {
            Type::Map(key, _) | Type::Set(key) => match self.random.below(4) {
                0 => format!("{name}[{}..{}]", self.term(key), self.term(key)),
                1 => format!("{name}[{}..]", self.term(key)),
                _ => format!("{name}[{}]", self.term(key)),
            },
            Type::User(user) => {
                let field = self.random.pick(&user.fields).0.clone();
                let field = if self.astray() { "nothing".to_owned() } else { field };
                format!("{name}.{field}")
            }
            Type::List(_) if self.astray() => format!("{name}[1]"),
            _ if self.astray() => match self.random.below(3) {
                0 => format!("{name}[1]"),
                1 => format!("{name}[1..2]"),
                _ => format!("{name}.nothing"),
            },
            _ => name,
        }
    }

    fn arithmetic(&mut self, column: &Column) -> String {
        self.uses(Clause::Arithmetic);
        let name = self.name(column);
        if column.of.is_number() || self.astray() {
            match self.random.below(5) {
                0 => format!("{name} + 1"),
                1 => format!("{name} * {name}"),
                2 => format!("-{name}"),
                3 => format!("({name} - 1.5) / 2"),
                _ => format!("{name} % (int) ?"),
            }
        } else if column.of.is_native(&["timestamp", "date"]) {
            format!("{name} - 1d")
        } else if column.of.is_text() {
            format!("{name} + 'x'")
        } else {
            name
        }
    }

    /// Constants, typed or not, and values made of columns.
    fn constant(&mut self, column: &Column) -> String {
        let name = self.name(column);
        match self.random.below(12) {
            0 if self.astray() => "?".to_owned(),
            1 => format!("(int) {}", self.random.one_of(&["?", "1"])),
            2 => "'text'".to_owned(),
            3 => "1".to_owned(),
            4 => format!("[{name}]"),
            5 => format!("({name}, 1)"),
            6 => format!("(text) {}", self.random.one_of(&["'a'", "?"])),
            7 if self.astray() => self.term(&column.of),
            8 if self.astray() => format!("{{{name}: {name}}}"),
            9 => format!("({}) {name}", column.of.bare()),
            10 if self.astray() => self.random.one_of(&["null", "{}", "[]", "{'a': 1}", "(1, ?)"]).to_string(),
            _ => name,
        }
    }
}
