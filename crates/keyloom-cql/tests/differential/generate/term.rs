//! Values of all types, and calls that return them.

use super::{
    Clause, Writer,
    types::{NATIVES, Type, UserType},
};

impl Writer<'_> {
    /// A term for a place of that type; seldom of another type.
    pub fn term(&mut self, of: &Type) -> String {
        if self.random.chance(25) {
            return self.marker();
        }
        if self.astray() && self.random.chance(40) {
            let other = self.any_type();
            return self.literal(&other);
        }
        match self.random.below(100) {
            0..84 => self.literal(of),
            84..89 => self.typed(of),
            89..94 => self.call(of),
            94..96 => self.computed(of),
            96 => "null".to_owned(),
            97 => {
                self.uses(Clause::Function);
                format!(
                    "{}({})",
                    self.random.one_of(&["from_json", "fromJson"]),
                    self.term_of(&["'1'", "'\"a\"'", "'[1]'", "?"])
                )
            }
            _ => self.literal(of),
        }
    }

    pub fn marker(&mut self) -> String {
        self.uses(Clause::Marker);
        if self.random.chance(80) { "?".to_owned() } else { format!(":{}", self.random.one_of(&["x", "y", "value"])) }
    }

    fn term_of(&mut self, texts: &[&str]) -> String {
        self.random.one_of(texts).to_owned()
    }

    /// Any type, to be wrong with.
    pub fn any_type(&mut self) -> Type {
        match self.random.below(10) {
            0..6 => Type::Native(self.random.one_of(&NATIVES)),
            6 => Type::List(Box::new(Type::Native(self.random.one_of(&NATIVES)))),
            7 => Type::Set(Box::new(Type::Native(self.random.one_of(&NATIVES)))),
            8 => Type::Map(Box::new(Type::Native("int")), Box::new(Type::Native(self.random.one_of(&NATIVES)))),
            _ => match self.random.below(3) {
                0 => Type::Tuple(vec![Type::Native("int"), Type::Native(self.random.one_of(&NATIVES))]),
                1 => Type::Vector(Box::new(Type::Native("float")), 2),
                _ => Type::User(self.random.pick(&self.world.types).clone()),
            },
        }
    }

    /// A constant of that type.
    pub fn literal(&mut self, of: &Type) -> String {
        match of {
            Type::Native(name) => self.native(name),
            Type::Frozen(of) => self.literal(of),
            Type::List(of) => {
                let items = self.items(0, 3, of);
                format!("[{}]", items.join(", "))
            }
            Type::Set(of) => {
                let items = self.items(0, 3, of);
                format!("{{{}}}", items.join(", "))
            }
            Type::Map(key, value) => {
                let count = self.random.between(0, 2);
                let entry = |writer: &mut Self| format!("{}: {}", writer.item(key), writer.item(value));
                let entries: Vec<String> = (0..count).map(|_| entry(self)).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Type::Tuple(of) => {
                let mut items: Vec<String> = of.iter().map(|of| self.item(of)).collect();
                if self.astray() {
                    if self.random.chance(50) { items.push("1".to_owned()) } else { items.truncate(1) }
                }
                format!("({})", items.join(", "))
            }
            Type::Vector(of, size) => {
                let size = if self.astray() { size + 1 } else { *size };
                let items = self.items(size, size, of);
                format!("[{}]", items.join(", "))
            }
            Type::User(user) => self.user(user),
        }
    }

    fn user(&mut self, user: &UserType) -> String {
        let mut fields: Vec<String> = Vec::new();
        for (place, (name, of)) in user.fields.iter().enumerate() {
            if place == 0 || self.random.chance(80) {
                fields.push(format!("{name}: {}", self.item(of)));
            }
        }
        if self.astray() && self.random.chance(40) {
            fields.push("nothing: 1".to_owned());
        }
        format!("{{{}}}", fields.join(", "))
    }

    fn items(&mut self, least: usize, most: usize, of: &Type) -> Vec<String> {
        (0..self.random.between(least, most)).map(|_| self.item(of)).collect()
    }

    /// A value within a collection, where markers may not stand.
    fn item(&mut self, of: &Type) -> String {
        if self.astray() {
            return match self.random.below(4) {
                0 => self.marker(),
                1 => "null".to_owned(),
                _ => {
                    let other = self.any_type();
                    self.literal(&other)
                }
            };
        }
        if self.random.chance(2) { self.call(of) } else { self.literal(of) }
    }

    fn native(&mut self, name: &str) -> String {
        if self.astray() && self.random.chance(25) {
            return self.broken_native(name);
        }
        let texts: &[&str] = match name {
            "ascii" | "text" | "varchar" => &["'a'", "'b c'", "''", "'it''s'", "$$d$$"],
            "int" => &["0", "1", "-7", "2147483647"],
            "bigint" | "counter" => &["0", "1", "-7", "9000000000"],
            "smallint" => &["0", "1", "-300"],
            "tinyint" => &["0", "1", "-7", "127"],
            "varint" => &["0", "1", "123456789012345678901234567890"],
            "decimal" => &["1", "1.5", "-2.25e3"],
            "double" | "float" => &["1", "1.5", "-2.5e-3", "NaN", "Infinity", "-Infinity"],
            "boolean" => &["true", "false", "TRUE"],
            "blob" => &["0x", "0xcafe", "0x00000001"],
            "inet" => &["'127.0.0.1'", "'::1'"],
            "timestamp" => {
                &["'2020-01-01'", "'2020-01-01 10:00:00+0000'", "'2020-01-01T10:00:00.123Z'", "1577836800000"]
            }
            "date" => &["'2020-02-29'", "2147483648"],
            "time" => &["'08:12:54'", "'08:12:54.123456789'", "1000000"],
            "uuid" => &["5b6962dd-3f90-4c93-8f61-eabfa4a803e2", "d2177dd0-eaa2-11de-a572-001b779c76e3"],
            "timeuuid" => &["d2177dd0-eaa2-11de-a572-001b779c76e3"],
            "duration" => &["1h30m", "2d", "P1Y2M", "-3mo", "PT5S"],
            _ => &["1"],
        };
        self.term_of(texts)
    }

    /// A constant of the right kind that is no value of the type.
    pub fn broken_native(&mut self, name: &str) -> String {
        let texts: &[&str] = match name {
            "int" => &["2147483648", "-2147483649"],
            "bigint" | "counter" => &["9223372036854775808"],
            "smallint" => &["32768"],
            "tinyint" => &["128", "-129"],
            "ascii" => &["'é'"],
            "inet" => &["'::x'", "'1::2::3'"],
            "timestamp" => &["'yesterday'", "'2020-13-01'", "''"],
            "date" => &["'2020-13-01'", "'never'"],
            "time" => &["'25:00:00'", "'noon'", "86400000000000"],
            "timeuuid" => &["5b6962dd-3f90-4c93-8f61-eabfa4a803e2"],
            "blob" => &["0xabc"],
            "decimal" => &["NaN", "Infinity"],
            "duration" => &["1", "'1d'"],
            "boolean" => &["'true'", "1"],
            _ => &["'x'", "1", "true", "0xab", "1.5"],
        };
        self.term_of(texts)
    }

    /// `(type) term`
    fn typed(&mut self, of: &Type) -> String {
        self.uses(Clause::Cast);
        let inner = if self.random.chance(40) { self.marker() } else { self.literal(of) };
        let hint = if self.astray() { self.any_type() } else { of.clone() };
        let hint = if self.random.chance(90) { hint.bare().clone() } else { hint };
        if hint.is_counter() { format!("(bigint) {inner}") } else { format!("({hint}) {inner}") }
    }

    /// A function that returns that type, or one that does not.
    pub fn call(&mut self, of: &Type) -> String {
        self.uses(Clause::Function);
        if self.astray() {
            return self.term_of(&[
                "nothing(1)",
                "ks.nothing()",
                "same('a')",
                "same(1, 2)",
                "overloaded(?)",
                "overloaded(1.5)",
                "joined('a')",
                "token(1)",
                "count(1)",
                "max(1)",
                "total(1)",
                "uuid(1)",
                "now()",
                "to_json(1)",
                "blob_as_int(1)",
                "min_timeuuid('never')",
                "system.now()",
                "abs('a')",
                "abs(?)",
                "map_keys({1: 2})",
                "similarity_cosine([1.0, 2.0], [1.0, 2.0])",
            ]);
        }
        let Type::Native(name) = of.bare() else { return self.literal(of) };
        let texts: &[&str] = match *name {
            "int" => &["same(1)", "same(?)", "blob_as_int(0x00000001)", "blobAsInt(?)", "ks.same(2)"],
            "text" | "varchar" => &["overloaded('a')", "overloaded(1)", "joined('a', 1)", "joined(?, ?)", "to_json(1)"],
            "bigint" => {
                &["to_unix_timestamp(now())", "blob_as_bigint(0x0000000000000001)", "bigintAsBlob(1)", "token(1)"]
            }
            "blob" => &["int_as_blob(1)", "text_as_blob('a')", "textAsBlob(?)", "bigint_as_blob(?)"],
            "uuid" => &["uuid()", "now()", "current_timeuuid()"],
            "timeuuid" => &["now()", "min_timeuuid('2020-01-01')", "maxTimeuuid('2020-01-01')", "current_timeuuid()"],
            "timestamp" => &["to_timestamp(now())", "toTimestamp(now())", "current_timestamp()", "currentTimestamp()"],
            "date" => &["to_date(now())", "toDate(now())", "current_date()"],
            "time" => &["current_time()"],
            "double" => &["blob_as_double(0x0000000000000001)", "exp((double) 1)", "round(?)"],
            "varint" | "decimal" | "float" | "smallint" | "tinyint" => &["abs(1)", "blob_as_varint(0x01)", "abs(?)"],
            _ => return self.native(name),
        };
        self.term_of(texts)
    }

    /// Arithmetic.
    fn computed(&mut self, of: &Type) -> String {
        self.uses(Clause::Arithmetic);
        match of {
            Type::Native("timestamp") => self.term_of(&["'2020-01-01' + 1d", "(timestamp) '2020-01-01' - 1h", "1 + 2"]),
            Type::Native("date") => self.term_of(&["'2020-01-01' + 1d", "(date) '2020-01-01' - 2d"]),
            of if of.is_number() => self.term_of(&[
                "1 + 2",
                "3 * ?",
                "? + ?",
                "7 % 2",
                "-?",
                "- (int) 4",
                "1.5 / 2",
                "(int) ? - 1",
                "CAST(1 AS int)",
            ]),
            of if of.is_text() => self.term_of(&["'a' + 'b'", "'a' + ?", "CAST(1 AS text)"]),
            of => self.literal(of),
        }
    }
}
