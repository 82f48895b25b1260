//! Slips of INSERT, UPDATE, DELETE and BATCH.

use super::{
    super::{
        Clause, Writer,
        types::{Kind, Table, Type, holds_duration},
    },
    Slip, names,
};

/// Some stand here twice, because what they try has several ends.
pub const SLIPS: &[Slip] = &[
    |writer, table| writer.json_slip(table),
    |writer, table| writer.set_part_of_frozen(table),
    |writer, table| writer.set_part_of_frozen(table),
    |writer, table| writer.add_to_plain(table),
    |writer, table| writer.delete_part_of_frozen(table),
    |writer, table| writer.delete_open_with_condition(table),
    |writer, table| writer.condition_on_part(table),
    |writer, table| writer.condition_on_duration(table),
    |writer, table| writer.condition_on_duration(table),
    |writer, table| writer.add_to_plain(table),
    |writer, table| writer.key_column(table),
    |writer, table| writer.condition_on_set(table),
    |writer, table| writer.prepend_to_frozen(table),
    |writer, table| writer.prepend_to_frozen(table),
    |writer, table| writer.batch_slip(table),
    |writer, table| writer.counter_with_ttl(table),
    |writer, table| writer.field_slip(table),
    |writer, table| writer.statics_with_clustering(table),
    |writer, table| writer.update_range(table),
    |writer, table| writer.counter_with_ttl(table),
    |writer, table| writer.batch_slip(table),
];

impl Writer<'_> {
    fn json_slip(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::InsertJson);
        let text = self.random.one_of(&["{\"nothing\": 1}", "null", "[]", "{", "{}", "\"a\"", "{\"p0\": null}"]);
        Some(format!("INSERT INTO {} JSON '{text}'", table.name))
    }

    fn set_part_of_frozen(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, |of| of.is_frozen() || matches!(of, Type::Set(_) | Type::User(_)))?;
        let name = &column.name;
        let change = match column.of.bare() {
            Type::User(user) => {
                self.uses(Clause::SetField);
                let field = if self.random.chance(40) { "nothing" } else { &user.fields[0].0 };
                format!("{name}.{field} = ?")
            }
            Type::Set(_) => {
                self.uses(Clause::SetElement);
                format!("{name}[?] = ?")
            }
            _ => self.random.one_of(&["C = ? + C", "C = C + ?", "C = C - ?", "C[?] = ?", "C += ?"]).replace('C', name),
        };
        Some(format!("UPDATE {} SET {change} WHERE {}", table.name, self.whole_key(table)))
    }

    fn add_to_plain(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, |of| !of.is_collection())?;
        let change = self.random.one_of(&[
            "C = C + ?",
            "C = C - ?",
            "C += ?",
            "C -= ?",
            "C = C + 1",
            "C = C + 'a'",
            "C = [] + C",
        ]);
        let condition = self.random.one_of(&["", " IF EXISTS"]);
        let change = change.replace('C', &column.name);
        Some(format!("UPDATE {} SET {change} WHERE {}{condition}", table.name, self.whole_key(table)))
    }

    fn delete_part_of_frozen(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::DeleteElement);
        let column = self.one_other(table, |of| of.is_frozen() || matches!(of, Type::User(_)))?;
        let part = match column.of.bare() {
            Type::User(user) => {
                let field = if self.random.chance(40) { "nothing" } else { &user.fields[0].0 };
                format!(".{field}")
            }
            _ => "[?]".to_owned(),
        };
        Some(format!("DELETE {}{part} FROM {} WHERE {}", column.name, table.name, self.whole_key(table)))
    }

    fn delete_open_with_condition(&mut self, table: &Table) -> Option<String> {
        if table.clustering().is_empty() {
            return None;
        }
        let column = self.one_other(table, |_| true)?;
        let (partition, name) = (self.whole_partition(table), &column.name);
        Some(match self.random.below(4) {
            0 => format!("DELETE {name} FROM {} WHERE {partition} IF EXISTS", table.name),
            1 => format!("DELETE FROM {} WHERE {partition} IF {name} = ?", table.name),
            2 => format!("DELETE {name} FROM {} WHERE {partition}", table.name),
            _ => format!("DELETE FROM {} WHERE {partition} IF EXISTS", table.name),
        })
    }

    fn condition_on_part(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::IfCondition);
        let column = self.one_other(table, |of| !of.is_counter())?;
        let part =
            self.random.one_of(&["[1] = ?", "[?] = ?", ".nothing = ?", " CONTAINS ?", " CONTAINS KEY ?", " IN ?"]);
        Some(format!("DELETE FROM {} WHERE {} IF {}{part}", table.name, self.whole_key(table), column.name))
    }

    fn condition_on_duration(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::IfCondition);
        let column = self.one_other(table, holds_duration)?;
        let operator = self.random.one_of(&["<", ">=", "!=", "="]);
        let (key, value) = (self.whole_key(table), self.term(&column.of));
        Some(format!("DELETE FROM {} WHERE {key} IF {} {operator} {value}", table.name, column.name))
    }

    /// A column of the key where none may stand.
    fn key_column(&mut self, table: &Table) -> Option<String> {
        let column = self.random.pick(&table.columns);
        let (name, key) = (&column.name, self.whole_key(table));
        Some(match self.random.below(3) {
            0 => format!("DELETE {name} FROM {} WHERE {key}", table.name),
            1 => format!("UPDATE {} SET {name} = ? WHERE {key}", table.name),
            _ => format!("DELETE FROM {} WHERE {key} IF {name} = ?", table.name),
        })
    }

    fn condition_on_set(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::IfCondition);
        let column = self.one_other(table, |of| matches!(of.bare(), Type::Set(_)))?;
        Some(format!("DELETE FROM {} WHERE {} IF {}[?] = ?", table.name, self.whole_key(table), column.name))
    }

    fn prepend_to_frozen(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Prepend);
        let column = self.one_other(table, |of| matches!(of.bare(), Type::List(_)))?;
        let name = &column.name;
        Some(format!("UPDATE {} SET {name} = ? + {name} WHERE {}", table.name, self.whole_key(table)))
    }

    /// A field that the user-defined type does not have.
    fn field_slip(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, |of| matches!(of.bare(), Type::User(_)))?;
        let (name, key) = (&column.name, self.whole_key(table));
        Some(match self.random.below(3) {
            0 => format!("SELECT {name}.nothing FROM {}", table.name),
            1 => format!("UPDATE {} SET {name}.nothing = ? WHERE {key}", table.name),
            _ => format!("DELETE FROM {} WHERE {key} IF {name}.nothing = ?", table.name),
        })
    }

    fn statics_with_clustering(&mut self, table: &Table) -> Option<String> {
        let column = self.one_such(&table.of_kind(Kind::Static), |_| true)?;
        let (key, name) = (self.whole_key(table), &column.name);
        let counter = column.of.is_counter();
        Some(match self.random.below(2) {
            0 if counter => format!("UPDATE {} SET {name} = {name} + 1 WHERE {key}", table.name),
            0 => format!("UPDATE {} SET {name} = ? WHERE {key}", table.name),
            _ => format!("DELETE {name} FROM {} WHERE {key}", table.name),
        })
    }

    fn update_range(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, |of| !of.is_counter())?;
        let name = &column.name;
        let (first, key) = (&table.partition()[0].name, self.whole_key(table));
        Some(match self.random.below(5) {
            0 => format!("UPDATE {} SET {name} = ? WHERE {first} > ?", table.name),
            1 => format!("DELETE FROM {} WHERE {first} < ?", table.name),
            2 => {
                let partition = self.whole_partition(table);
                let clustering = table.clustering();
                let last = clustering.last()?;
                format!("UPDATE {} SET {name} = ? WHERE {partition} AND {} > ?", table.name, last.name)
            }
            3 => {
                self.uses(Clause::Token);
                format!("DELETE FROM {} WHERE token({}) > ?", table.name, names(&table.partition()))
            }
            _ => format!("UPDATE {} SET {name} = ? WHERE {key} AND {name} = ?", table.name),
        })
    }

    fn counter_with_ttl(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, Type::is_counter)?;
        let name = &column.name;
        let using = self.random.one_of(&[" USING TTL 5", " USING TIMESTAMP 5", ""]);
        let change =
            self.random.one_of(&["C = ?", "C = C + ?", "C = C - ?", "C = C + null", "C += 5"]).replace('C', name);
        let key = if column.kind == Kind::Static { self.whole_partition(table) } else { self.whole_key(table) };
        Some(format!("UPDATE {}{using} SET {change} WHERE {key}", table.name))
    }

    fn batch_slip(&mut self, table: &Table) -> Option<String> {
        let world = self.world;
        let counter = world.tables.iter().find(|table| table.is_counter())?;
        if table.is_counter() || table.view {
            return None;
        }
        let column = self.one_such(&counter.of_kind(Kind::Regular), |_| true)?;
        let key = self.whole_key(counter);
        let count = format!("UPDATE {} SET {name} = {name} + 1 WHERE {key}; ", counter.name, name = column.name);
        let other = format!("DELETE FROM {} WHERE {}; ", table.name, self.whole_partition(table));
        let stamped = format!("DELETE FROM {} USING TIMESTAMP 3 WHERE {}; ", table.name, self.whole_partition(table));
        let (clause, kind, statements) = match self.random.below(8) {
            0 => (Clause::CounterBatch, "COUNTER BATCH", other),
            1 => (Clause::UnloggedBatch, "UNLOGGED BATCH", count + &other),
            2 => (Clause::LoggedBatch, "BATCH", count),
            3 => (Clause::UnloggedBatch, "UNLOGGED BATCH USING TIMESTAMP 5", count),
            4 => (Clause::LoggedBatch, "BATCH USING TTL 5", other),
            5 => (Clause::LoggedBatch, "BATCH USING TIMESTAMP 5", stamped),
            6 => (Clause::CounterBatch, "COUNTER BATCH USING TIMESTAMP ?", count),
            _ => (Clause::CounterBatch, "COUNTER BATCH", count),
        };
        self.uses(clause);
        Some(format!("BEGIN {kind} {statements}APPLY BATCH"))
    }
}
