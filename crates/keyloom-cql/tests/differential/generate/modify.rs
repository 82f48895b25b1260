//! INSERT, UPDATE, DELETE, BATCH.

use super::{
    Clause, Writer,
    types::{Column, Kind, Table, Type},
};

impl Writer<'_> {
    pub fn insert(&mut self, table: &Table) -> String {
        let name = self.table_name(table);
        let mut text = if self.random.chance(22) {
            self.uses(Clause::InsertJson);
            let default = self.random.one_of(&["", " DEFAULT UNSET", " DEFAULT NULL"]);
            format!("INSERT INTO {name} JSON {}{default}", self.json(table))
        } else {
            self.uses(Clause::InsertValues);
            self.insert_values(table, &name)
        };
        let conditional = self.random.chance(25);
        if conditional {
            self.uses(Clause::IfNotExists);
            text += " IF NOT EXISTS";
        }
        text + &self.using(conditional)
    }

    fn insert_values(&mut self, table: &Table, name: &str) -> String {
        let mut columns: Vec<&Column> = table.partition();
        let statics_only = table.has_statics() && self.random.chance(15);
        if !statics_only {
            columns.extend(table.clustering());
        }
        let kind = if statics_only { Kind::Static } else { Kind::Regular };
        let others = if self.random.chance(80) { table.of_kind(kind) } else { table.others() };
        let count = self.random.between(0, others.len().min(4));
        columns.extend(self.several(&others, count));
        if self.astray() {
            match self.random.below(3) {
                0 => drop(columns.remove(self.random.below(columns.len() as u64) as usize)),
                1 => columns.push(self.random.pick(&table.columns)),
                _ => {}
            }
        }
        if columns.is_empty() {
            columns.push(&table.columns[0]);
        }
        self.random.shuffle(&mut columns);
        let names: Vec<String> = columns.iter().map(|column| self.name(column)).collect();
        let mut values: Vec<String> = columns.iter().map(|column| self.term(&column.of)).collect();
        if self.astray() && self.random.chance(30) {
            values.push("1".to_owned());
        }
        format!("INSERT INTO {name} ({}) VALUES ({})", names.join(", "), values.join(", "))
    }

    /// A JSON text, or a marker for one.
    fn json(&mut self, table: &Table) -> String {
        if self.random.chance(30) {
            return self.marker();
        }
        if self.astray() {
            return self.random.one_of(&["'{}'", "'[]'", "'{\"nothing\": 1}'", "'no json'", "'null'"]).to_owned();
        }
        let mut fields = Vec::new();
        for column in &table.columns {
            let key = matches!(column.kind, Kind::Partition | Kind::Clustering);
            if !key && self.random.chance(60) {
                continue;
            }
            let Some(value) = self.json_value(&column.of) else { continue };
            let name = column.name.trim_matches('"');
            let case = if name == column.name { name.to_owned() } else { format!("\\\"{name}\\\"") };
            fields.push(format!("\"{case}\": {value}"));
        }
        format!("'{{{}}}'", fields.join(", "))
    }

    /// A value as JSON, of the types whose form in JSON is plain.
    fn json_value(&mut self, of: &Type) -> Option<String> {
        let of = if self.astray() { &Type::Native("boolean") } else { of };
        let value = match of.bare() {
            Type::Native("ascii" | "text" | "varchar") => "\"a\"".to_owned(),
            Type::Native("boolean") => "true".to_owned(),
            Type::Native("uuid" | "timeuuid") => "\"d2177dd0-eaa2-11de-a572-001b779c76e3\"".to_owned(),
            Type::Native("date") => "\"2020-01-01\"".to_owned(),
            Type::Native("timestamp") => "\"2020-01-01\"".to_owned(),
            of if of.is_number() => "1".to_owned(),
            Type::List(of) | Type::Set(of) => format!("[{}]", self.json_value(of)?),
            _ => return None,
        };
        Some(value)
    }

    /// `USING TTL .. AND TIMESTAMP ..`
    fn using(&mut self, conditional: bool) -> String {
        if !self.random.chance(25) {
            return String::new();
        }
        let mut parts = Vec::new();
        if self.random.chance(60) {
            self.uses(Clause::UsingTtl);
            parts.push(format!("TTL {}", self.random.one_of(&["60", "?", ":ttl", "0"])));
        }
        if parts.is_empty() || self.random.chance(30) {
            if conditional && !self.random.chance(10) {
                return if parts.is_empty() { String::new() } else { format!(" USING {}", parts.join(" AND ")) };
            }
            parts.push(self.timestamp());
        }
        format!(" USING {}", parts.join(" AND "))
    }

    fn timestamp(&mut self) -> String {
        self.uses(Clause::UsingTimestamp);
        format!("TIMESTAMP {}", self.random.one_of(&["1000000", "?", ":ts"]))
    }

    pub fn update(&mut self, table: &Table) -> String {
        let statics_only = table.has_statics() && self.random.chance(20);
        let columns = if statics_only { table.of_kind(Kind::Static) } else { table.of_kind(Kind::Regular) };
        let columns = if columns.is_empty() { table.others() } else { columns };
        let mut columns = self.parts_first(&columns);
        if self.astray() && self.random.chance(40) {
            columns.push(self.random.pick(&table.columns));
        }
        if columns.is_empty() {
            columns.push(self.random.pick(&table.columns));
        }
        let assignments: Vec<String> = columns.into_iter().map(|column| self.assignment(column)).collect();
        let condition = self.random.chance(25);
        let using = if table.is_counter() && !self.astray() { String::new() } else { self.using(condition) };
        let name = self.table_name(table);
        let clustering = !statics_only || self.astray();
        let mut text = format!("UPDATE {name}{using} SET {}", assignments.join(", "));
        text += &format!(" WHERE {}", self.modify_where(table, clustering, false));
        if condition {
            text += &self.if_clause(table);
        }
        text
    }

    /// One or two columns, mostly those of which a part can be changed alone.
    fn parts_first<'c>(&mut self, columns: &[&'c Column]) -> Vec<&'c Column> {
        let parted: Vec<&Column> = columns
            .iter()
            .copied()
            .filter(|column| matches!(column.of, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::User(_)))
            .collect();
        let count = self.random.between(1, 2);
        if !parted.is_empty() && self.random.chance(75) {
            self.several(&parted, count)
        } else {
            self.several(columns, count)
        }
    }

    fn if_clause(&mut self, table: &Table) -> String {
        if self.random.chance(40) {
            self.uses(Clause::IfExists);
            return " IF EXISTS".to_owned();
        }
        format!(" IF {}", self.conditions(table))
    }

    fn assignment(&mut self, column: &Column) -> String {
        if self.astray() {
            return self.any_assignment(column);
        }
        let name = self.name(column);
        let frozen = column.of.is_frozen();
        match &column.of {
            Type::Native("counter") => {
                let delta = self.random.one_of(&["1", "?", "5", ":delta"]);
                let sign = self.random.one_of(&["+", "-"]);
                self.uses(if sign == "+" { Clause::Append } else { Clause::Remove });
                if self.random.chance(25) {
                    format!("{name} {sign}= {delta}")
                } else {
                    format!("{name} = {name} {sign} {delta}")
                }
            }
            Type::List(_) | Type::Set(_) | Type::Map(..) if !frozen && self.random.chance(75) => {
                self.collection(column)
            }
            Type::User(user) if !frozen && self.random.chance(60) => {
                self.uses(Clause::SetField);
                let (field, of) = self.random.pick(&user.fields).clone();
                format!("{name}.{field} = {}", self.term(&of))
            }
            of => {
                self.uses(Clause::SetValue);
                format!("{name} = {}", self.term(of))
            }
        }
    }

    /// A part of a collection is added, taken away or set.
    fn collection(&mut self, column: &Column) -> String {
        let name = self.name(column);
        let own = &column.name;
        match (&column.of, self.random.below(10)) {
            (Type::List(of), 0..2) => {
                self.uses(Clause::SetElement);
                format!("{name}[{}] = {}", self.term(&Type::Native("int")), self.term(of))
            }
            (Type::List(_), 2..8) => {
                self.uses(Clause::Prepend);
                format!("{own} = {} + {own}", self.term(&column.of))
            }
            (Type::Map(key, value), 0..5) => {
                self.uses(Clause::SetElement);
                format!("{name}[{}] = {}", self.term(key), self.term(value))
            }
            (Type::Map(key, _), 5..7) => {
                self.uses(Clause::Remove);
                format!("{own} = {own} - {}", self.term(&Type::Set(key.clone())))
            }
            (Type::Set(_), 3..6) | (Type::List(_), 8..9) => {
                self.uses(Clause::Remove);
                let sign = if self.random.chance(30) { format!("{own} -=") } else { format!("{own} = {own} -") };
                format!("{sign} {}", self.term(&column.of))
            }
            _ => {
                self.uses(Clause::Append);
                let sign = if self.random.chance(30) { format!("{own} +=") } else { format!("{own} = {own} +") };
                format!("{sign} {}", self.term(&column.of))
            }
        }
    }

    /// An assignment of any form, whether the column can do it or not.
    fn any_assignment(&mut self, column: &Column) -> String {
        let name = &column.name;
        let of = &column.of;
        match self.random.below(8) {
            0 => format!("{name}[{}] = {}", self.term(&Type::Native("int")), self.literal(of)),
            1 => format!("{name}.{} = {}", self.random.one_of(&["nothing", "f0"]), self.literal(of)),
            2 => {
                self.uses(Clause::Append);
                format!("{name} = {name} + {}", self.term(of))
            }
            3 => {
                self.uses(Clause::Remove);
                format!("{name} = {name} - {}", self.term(of))
            }
            4 => {
                self.uses(Clause::Prepend);
                format!("{name} = {} + {name}", self.literal(of))
            }
            5 => format!("{name} += {}", self.term(of)),
            6 => format!("{name} -= {}", self.term(of)),
            _ => format!("{name} = {}", self.term(of)),
        }
    }

    pub fn delete(&mut self, table: &Table) -> String {
        let mut statics_only = false;
        let mut targets = Vec::new();
        if self.random.chance(50) {
            statics_only = table.has_statics() && self.random.chance(30);
            let columns = if statics_only { table.of_kind(Kind::Static) } else { table.of_kind(Kind::Regular) };
            let mut columns = self.parts_first(&columns);
            if self.astray() && self.random.chance(40) {
                columns.push(self.random.pick(&table.columns));
            }
            targets = columns.into_iter().map(|column| self.target(column)).collect();
        }
        let what = if targets.is_empty() { String::new() } else { format!(" {}", targets.join(", ")) };
        let condition = self.random.chance(20);
        let stamped = self.random.chance(if condition || table.is_counter() { 3 } else { 20 });
        let using = if stamped { format!(" USING {}", self.timestamp()) } else { String::new() };
        let name = self.table_name(table);
        let mut text = format!("DELETE{what} FROM {name}{using}");
        let clustering = !statics_only || self.astray();
        let ranges = targets.is_empty() && !condition || self.astray();
        text += &format!(" WHERE {}", self.modify_where(table, clustering, ranges));
        if condition {
            text += &self.if_clause(table);
        }
        text
    }

    /// What is deleted of a column.
    fn target(&mut self, column: &Column) -> String {
        self.uses(Clause::DeleteColumn);
        let name = self.name(column);
        match &column.of {
            Type::Map(key, _) | Type::Set(key) if self.random.chance(50) => {
                self.uses(Clause::DeleteElement);
                format!("{name}[{}]", self.term(key))
            }
            Type::List(_) if self.random.chance(50) => {
                self.uses(Clause::DeleteElement);
                format!("{name}[{}]", self.term(&Type::Native("int")))
            }
            Type::User(user) if self.random.chance(50) => format!("{name}.{}", self.random.pick(&user.fields).0),
            _ if self.astray() => {
                self.uses(Clause::DeleteElement);
                match self.random.below(2) {
                    0 => format!("{name}[{}]", self.term(&Type::Native("int"))),
                    _ => format!("{name}.{}", self.random.one_of(&["nothing", "f0"])),
                }
            }
            _ => name,
        }
    }

    pub fn batch(&mut self) -> String {
        let world = self.world;
        let counter: Vec<&Table> = world.tables.iter().filter(|table| table.is_counter()).collect();
        let plain: Vec<&Table> = world.tables.iter().filter(|table| !table.is_counter() && !table.view).collect();
        let (kind, clause, tables) = match self.random.below(10) {
            0..4 => ("", Clause::LoggedBatch, &plain),
            4..7 => ("UNLOGGED ", Clause::UnloggedBatch, if self.random.chance(80) { &plain } else { &counter }),
            _ => ("COUNTER ", Clause::CounterBatch, &counter),
        };
        self.uses(clause);
        let using = match self.random.below(20) {
            0..2 => format!(" USING {}", self.timestamp()),
            2 if self.astray() => {
                self.uses(Clause::UsingTtl);
                " USING TTL 60".to_owned()
            }
            _ => String::new(),
        };
        let one: &Table = self.random.one_of(tables);
        let mut statements = String::new();
        for _ in 0..self.random.between(0, 3) {
            let table: &Table = if self.random.chance(60) { one } else { self.random.one_of(tables) };
            let table = if self.astray() { self.random.pick(&world.tables) } else { table };
            let statement = match self.random.below(3) {
                0 if !table.is_counter() || self.astray() => self.insert(table),
                1 => self.delete(table),
                _ => self.update(table),
            };
            statements += &format!("{statement}; ");
        }
        format!("BEGIN {kind}BATCH{using} {statements}APPLY BATCH")
    }
}
