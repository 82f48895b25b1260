//! Slips of a SELECT.

use super::{
    super::{
        Clause, Writer,
        types::{Column, Table, Type, holds_duration},
    },
    Slip, names,
};

/// Some stand here twice, because what they try has several ends.
pub const SLIPS: &[Slip] = &[
    |writer, table| writer.token_twice(table),
    |writer, table| writer.bounds_twice(table),
    |writer, table| writer.bounds_apart(table),
    |writer, table| writer.contains_and_equal(table),
    |writer, table| writer.tuple_twice(table),
    |writer, table| writer.order_skips(table),
    |writer, table| writer.near_and_more(table),
    |writer, table| writer.distinct_part(table),
    |writer, table| writer.distinct_group(table),
    |writer, table| writer.group_wrongly(table),
    |writer, table| writer.group_by_function(table),
    |writer, table| writer.group_by_function(table),
    |writer, table| writer.operation_of_other_type(table),
    |writer, table| writer.part_of_list(table),
    |writer, table| writer.part_of_other(table),
    |writer, table| writer.nested_aggregate(table),
    |writer, table| writer.wrong_arity(table),
    |writer, table| writer.json_read_of_text(table),
    |writer, table| writer.operation_of_other_type(table),
    |writer, table| writer.like_twice(table),
    |writer, table| writer.slice_of_durations(table),
    |writer, table| writer.map_entry_range(table),
    |writer, table| writer.token_slip(table),
    |writer, table| writer.custom_slip(table),
    |writer, table| writer.group_after_function(table),
    |writer, table| writer.group_wrongly(table),
    |writer, table| writer.near_and_more(table),
    |writer, table| writer.constant_slip(table),
    |writer, table| writer.constant_slip(table),
];

impl Writer<'_> {
    fn token_twice(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Token);
        let names = names(&table.partition());
        let (first, second) = self.random.one_of(&[("=", ">"), (">", "="), (">", ">="), ("<", "<="), ("=", "=")]);
        Some(format!("SELECT * FROM {} WHERE token({names}) {first} ? AND token({names}) {second} 5", table.name))
    }

    fn bounds_twice(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Slice);
        let column = self.one_such(&table.clustering(), |_| true)?;
        let (first, second) = self.random.one_of(&[(">", ">="), ("<", "<="), ("=", ">"), (">", "=")]);
        let (name, partition) = (&column.name, self.whole_partition(table));
        let (left, right) = (self.term(&column.of), self.term(&column.of));
        Some(format!(
            "SELECT * FROM {} WHERE {partition} AND {name} {first} {left} AND {name} {second} {right}",
            table.name
        ))
    }

    fn bounds_apart(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::TupleSlice);
        let clustering = table.clustering();
        let [first, second, ..] = clustering[..] else { return None };
        let partition = self.whole_partition(table);
        let (both, one) = (names(&[first, second]), &second.name);
        let less = self.random.one_of(&["<", ">="]);
        Some(format!("SELECT * FROM {} WHERE {partition} AND ({both}) > ? AND ({one}) {less} ?", table.name))
    }

    fn contains_and_equal(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Contains);
        let all: Vec<&Column> = table.columns.iter().collect();
        let column = self.one_such(&all, |column| column.of.is_frozen() && column.of.is_collection())?;
        let name = &column.name;
        let value = self.term(&column.of);
        Some(match self.random.below(3) {
            0 => format!("SELECT * FROM {} WHERE {name} CONTAINS ? AND {name} > {value}", table.name),
            1 => format!("SELECT * FROM {} WHERE {name} = {value} AND {name} CONTAINS ?", table.name),
            _ => format!("SELECT * FROM {} WHERE {name} CONTAINS ? AND {name} = {value} ALLOW FILTERING", table.name),
        })
    }

    fn tuple_twice(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::TupleRelation);
        let clustering = table.clustering();
        let first = clustering.first()?;
        let (partition, name) = (self.whole_partition(table), &first.name);
        Some(format!("SELECT * FROM {} WHERE {partition} AND ({name}, {name}) = (?, ?)", table.name))
    }

    fn order_skips(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::OrderBy);
        let clustering = table.clustering();
        let second = clustering.get(1)?;
        let partition = self.whole_partition(table);
        let restricted =
            if self.random.chance(40) { format!(" AND {} = ?", clustering[0].name) } else { String::new() };
        Some(format!("SELECT * FROM {} WHERE {partition}{restricted} ORDER BY {}", table.name, second.name))
    }

    fn near_and_more(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::AnnOf);
        let vector = self.one_other(table, |of| matches!(of, Type::Vector(..)))?;
        let name = &vector.name;
        let other = &self.random.pick(&table.columns).name;
        let more = self.random.one_of(&[" DESC", ", OTHER ASC", ", OTHER ANN OF ?", ""]).replace("OTHER", other);
        let restricted = if self.random.chance(30) { format!(" WHERE {other} = ?") } else { String::new() };
        Some(format!("SELECT * FROM {}{restricted} ORDER BY {name} ANN OF ?{more} LIMIT 3", table.name))
    }

    fn distinct_part(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Distinct);
        let partition = table.partition();
        if self.random.chance(40) {
            return Some(format!("SELECT DISTINCT {} FROM {}", self.random.pick(&table.columns).name, table.name));
        }
        if partition.len() < 2 {
            return None;
        }
        let column = self.random.one_of(&partition);
        let limit = self.random.one_of(&["", " LIMIT 5", " PER PARTITION LIMIT 1"]);
        Some(format!("SELECT DISTINCT {} FROM {}{limit}", column.name, table.name))
    }

    fn distinct_group(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Distinct);
        self.uses(Clause::GroupBy);
        let partition = names(&table.partition());
        let clustering = table.clustering();
        let more = clustering.first().map(|column| format!(", {}", column.name)).unwrap_or_default();
        Some(format!("SELECT DISTINCT {partition} FROM {} GROUP BY {partition}{more}", table.name))
    }

    fn group_wrongly(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::GroupBy);
        let partition = table.partition();
        let groups = match self.random.below(3) {
            0 if partition.len() > 1 => partition[0].name.clone(),
            1 => format!("{}, {}", names(&partition), self.one_such(&table.others(), |_| true)?.name),
            _ => format!("{}, {}", names(&partition), table.clustering().get(1)?.name),
        };
        Some(format!("SELECT * FROM {} GROUP BY {groups}", table.name))
    }

    fn group_by_function(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::GroupBy);
        let partition = names(&table.partition());
        let clustering = table.clustering();
        let first = clustering.first()?;
        let name = &first.name;
        let group = match &first.of {
            Type::Native("int") => {
                self.random.one_of(&["same(COLUMN)", "floor(COLUMN, 10)", "max(COLUMN)", "COLUMN + 1", "(COLUMN)"])
            }
            Type::Native("timestamp" | "date") => self.random.one_of(&[
                "floor(COLUMN, 1d)",
                "floor(COLUMN, 1d), SECOND",
                "min(COLUMN)",
                "floor(COLUMN, ?)",
            ]),
            Type::Native("timeuuid") => {
                self.random.one_of(&["to_timestamp(COLUMN)", "to_date(COLUMN)", "count(COLUMN)"])
            }
            _ => self.random.one_of(&["same(1)", "max(COLUMN)", "same(?)", "overloaded(COLUMN)", "(COLUMN)", "1"]),
        };
        let second = clustering.get(1).map_or(name, |column| &column.name);
        let group = group.replace("COLUMN", name).replace("SECOND", second);
        if self.random.chance(35) {
            let function = self.random.one_of(&["same", "overloaded", "to_json", "to_json"]);
            return Some(format!("SELECT * FROM {} GROUP BY {function}({})", table.name, table.columns[0].name));
        }
        Some(format!("SELECT * FROM {} GROUP BY {partition}, {group}", table.name))
    }

    fn part_of_list(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::ElementOrField);
        let column = self.one_other(table, |of| matches!(of.bare(), Type::List(_)))?;
        let part = self.random.one_of(&["[1]", "[1..2]", "[?]", "[..3]"]);
        Some(format!("SELECT {}{part} FROM {}", column.name, table.name))
    }

    fn part_of_other(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::ElementOrField);
        let column = self.random.pick(&table.columns);
        let part = self.random.one_of(&["[1]", "[1..2]", ".nothing", ".f0"]);
        Some(format!("SELECT {}{part} FROM {}", column.name, table.name))
    }

    fn nested_aggregate(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Aggregate);
        let column = self.random.pick(&table.columns);
        let outer = self.random.one_of(&["min", "max", "count"]);
        let limit = self.random.one_of(&["", " PER PARTITION LIMIT 2"]);
        if self.random.chance(50) {
            return Some(format!("SELECT {outer}({}) FROM {}{limit}", column.name, table.name));
        }
        Some(format!("SELECT {outer}(max({})) FROM {}{limit}", column.name, table.name))
    }

    fn wrong_arity(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Function);
        let column = self.random.pick(&table.columns);
        let call = self.random.one_of(&[
            "map_keys(COLUMN, COLUMN)",
            "collection_count()",
            "map_values()",
            "same()",
            "joined(COLUMN)",
            "similarity_cosine(COLUMN)",
            "token()",
            "to_json()",
            "to_json(COLUMN, 1)",
            "from_json(COLUMN)",
            "mask_default()",
            "count()",
            "nothing(COLUMN)",
            "CAST(COLUMN AS duration)",
            "-COLUMN",
            "-?",
        ]);
        Some(format!("SELECT {} FROM {}", call.replace("COLUMN", &column.name), table.name))
    }

    fn json_read_of_text(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Function);
        let all: Vec<&Column> = table.columns.iter().collect();
        let column = self.one_such(&all, |column| column.of.is_text())?;
        Some(format!("SELECT from_json({}) FROM {}", column.name, table.name))
    }

    fn operation_of_other_type(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Arithmetic);
        let column = self.random.pick(&table.columns);
        let value = self.random.one_of(&[
            "(int) 1 + (int) 2",
            "-?",
            "(text) 'a' + (text) 'b'",
            "(int) 1 * (double) 2",
            "-(int) 3",
            "(set<duration>) ?",
            "(map<duration, int>) ?",
        ]);
        Some(format!("SELECT * FROM {} WHERE {} = {value}", table.name, column.name))
    }

    fn like_twice(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Like);
        let all: Vec<&Column> = table.columns.iter().collect();
        let column = self.one_such(&all, |column| column.searchable)?;
        let name = &column.name;
        let other = self.random.one_of(&["LIKE 'b%'", "= 'b'", "> 'b'", "IN ('b')"]);
        Some(format!("SELECT * FROM {} WHERE {name} LIKE 'a%' AND {name} {other}", table.name))
    }

    fn slice_of_durations(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Slice);
        let column = self.one_other(table, holds_duration)?;
        let value = self.term(&column.of);
        Some(format!("SELECT * FROM {} WHERE {} > {value}", table.name, column.name))
    }

    fn map_entry_range(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::MapElement);
        let column = self.one_other(table, |of| matches!(of, Type::Map(..)))?;
        let operator = self.random.one_of(&["<", ">", "!=", "="]);
        Some(format!("SELECT * FROM {} WHERE {}[?] {operator} ?", table.name, column.name))
    }

    fn token_slip(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::Token);
        let partition = table.partition();
        let mut columns = partition.clone();
        match self.random.below(4) {
            0 if partition.len() > 1 => columns.reverse(),
            1 if partition.len() > 1 => drop(columns.pop()),
            2 => columns.push(columns[0]),
            _ => columns[0] = table.clustering().first()?,
        }
        Some(format!("SELECT * FROM {} WHERE token({}) > ?", table.name, names(&columns)))
    }

    fn custom_slip(&mut self, table: &Table) -> Option<String> {
        if table.indexes.is_empty() {
            return None;
        }
        let (custom, column) = (self.custom(table), self.random.pick(&table.columns));
        Some(match self.random.below(4) {
            0 => format!("DELETE FROM {} WHERE {} AND {custom}", table.name, self.whole_key(table)),
            1 => format!("SELECT * FROM {} WHERE {} = ? AND {custom}", table.name, column.name),
            _ => format!("SELECT * FROM {} WHERE {custom}", table.name),
        })
    }

    fn group_after_function(&mut self, table: &Table) -> Option<String> {
        self.uses(Clause::GroupBy);
        let clustering = table.clustering();
        let [first, second, ..] = clustering[..] else { return None };
        let function = match &first.of {
            Type::Native("int") => "same",
            of if of.is_number() => "abs",
            Type::Native("text") => "overloaded",
            Type::Native("timestamp" | "timeuuid") => "to_date",
            _ => return None,
        };
        let partition = names(&table.partition());
        Some(format!("SELECT * FROM {} GROUP BY {partition}, {function}({}), {}", table.name, first.name, second.name))
    }

    /// A constant that looks like the column's type and is none of its values.
    fn constant_slip(&mut self, table: &Table) -> Option<String> {
        let column = self.one_other(table, |of| {
            of.is_native(&["ascii", "timeuuid", "time", "date", "inet", "decimal", "duration"])
        })?;
        let Type::Native(of) = column.of else { return None };
        let value = self.broken_native(of);
        Some(format!("SELECT * FROM {} WHERE {} = {value}", table.name, column.name))
    }
}
