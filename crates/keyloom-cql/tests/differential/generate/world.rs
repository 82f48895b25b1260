//! A keyspace by seed: types, functions, tables of all shapes, indexes, views.

use super::{
    random::Random,
    types::{Column, Kind, NATIVES, Table, Type, UserType, holds_duration},
};

/// A schema: the statements that make it, and what they make.
#[derive(Debug, Clone)]
pub struct World {
    /// In the order in which they are executed. An index or view among them may be one the server refuses.
    pub ddl: Vec<String>,
    pub tables: Vec<Table>,
    pub types: Vec<UserType>,
}

/// Columns outside of the key are named so, and sometimes as words that CQL leaves free, or in quotes.
const ODD_NAMES: [&str; 8] = ["key", "value", "type", "timestamp", "ttl", "\"Mixed Case\"", "\"select\"", "static"];

const FUNCTIONS: [&str; 8] = [
    "CREATE FUNCTION same(x int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return x;'",
    "CREATE FUNCTION overloaded(x int) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS 'return \"i\";'",
    "CREATE FUNCTION overloaded(x text) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS 'return \"t\";'",
    "CREATE FUNCTION overloaded(x bigint) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS 'return \"b\";'",
    "CREATE FUNCTION joined(a text, b int) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS 'return a + b;'",
    "CREATE FUNCTION longest(x list<int>) CALLED ON NULL INPUT RETURNS list<int> LANGUAGE java AS 'return x;'",
    "CREATE FUNCTION plus(state bigint, x int) CALLED ON NULL INPUT RETURNS bigint LANGUAGE java AS 'return state + x;'",
    "CREATE AGGREGATE total(int) SFUNC plus STYPE bigint INITCOND 0",
];

impl World {
    pub fn new(random: &mut Random) -> Self {
        let mut maker = Maker { random, ddl: Vec::new(), types: Vec::new() };
        maker.user_types();
        maker.ddl.extend(FUNCTIONS.iter().map(|&function| function.to_owned()));
        let mut tables = Vec::new();
        for number in 0..6 {
            let counter = number == 5;
            let mut table = maker.table(number, counter);
            maker.ddl.push(table_ddl(&table, maker.random));
            maker.alter(&mut table);
            if !counter {
                maker.indexes(&mut table);
            }
            tables.push(table);
        }
        for number in 0..2 {
            let view = maker.view(number, &tables[number]);
            tables.extend(view);
        }
        Self { ddl: maker.ddl, tables, types: maker.types }
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    ddl: Vec<String>,
    types: Vec<UserType>,
}

impl Maker<'_> {
    fn user_types(&mut self) {
        for number in 0..3 {
            let fields = (0..self.random.between(1, 4))
                .map(|field| (format!("f{field}"), self.value_type(2)))
                .collect::<Vec<_>>();
            let mut user = UserType { name: format!("u{number}"), fields };
            let fields: Vec<String> = user.fields.iter().map(|(name, of)| format!("{name} {of}")).collect();
            self.ddl.push(format!("CREATE TYPE {} ({})", user.name, fields.join(", ")));
            if self.random.chance(20) {
                self.ddl.push(format!("ALTER TYPE {} RENAME f0 TO renamed", user.name));
                user.fields[0].0 = "renamed".to_owned();
            }
            if self.random.chance(20) {
                let of = self.value_type(1);
                self.ddl.push(format!("ALTER TYPE {} ADD added {of}", user.name));
                user.fields.push(("added".to_owned(), of));
            }
            self.types.push(user);
        }
    }

    fn native(&mut self) -> Type {
        // Durations are refused in many places, each with its own words.
        if self.random.chance(4) {
            return Type::Native("duration");
        }
        // The common ones are common, so that tables have columns that go together.
        if self.random.chance(50) {
            Type::Native(self.random.one_of(&["int", "text", "bigint", "uuid", "timestamp"]))
        } else {
            Type::Native(self.random.one_of(&NATIVES))
        }
    }

    /// A type without durations, which neither keys of maps nor elements of sets may be.
    fn ordered_type(&mut self) -> Type {
        loop {
            let of = self.native();
            if !of.is_native(&["duration"]) {
                return of;
            }
        }
    }

    /// A frozen type, or a native one.
    fn value_type(&mut self, depth: usize) -> Type {
        if depth == 0 || self.random.chance(60) {
            return self.native();
        }
        let of = self.composite(depth - 1);
        if matches!(of, Type::Tuple(_) | Type::Vector(..)) { of } else { Type::Frozen(Box::new(of)) }
    }

    /// A collection, tuple, vector or user-defined type.
    fn composite(&mut self, depth: usize) -> Type {
        match self.random.below(if self.types.is_empty() { 10 } else { 13 }) {
            0..3 => Type::List(Box::new(self.value_type(depth))),
            3..5 => Type::Set(Box::new(self.ordered_type())),
            5..8 => Type::Map(Box::new(self.ordered_type()), Box::new(self.value_type(depth))),
            8 => Type::Tuple((0..self.random.between(1, 3)).map(|_| self.value_type(depth)).collect()),
            9 => {
                let of = *self.random.weighted(&[(7, "float"), (1, "int"), (1, "text"), (1, "double")]);
                Type::Vector(Box::new(Type::Native(of)), self.random.between(1, 4))
            }
            _ => Type::User(self.random.pick(&self.types).clone()),
        }
    }

    fn key_type(&mut self) -> Type {
        if self.random.chance(85) {
            return self.ordered_type();
        }
        loop {
            let of = self.composite(1);
            if !holds_duration(&of) {
                return if matches!(of, Type::Tuple(_) | Type::Vector(..)) { of } else { Type::Frozen(Box::new(of)) };
            }
        }
    }

    /// The type of a column outside of the key.
    fn column_type(&mut self) -> Type {
        if self.random.chance(50) {
            return self.native();
        }
        let of = self.composite(1);
        let can_freeze = !matches!(of, Type::Tuple(_) | Type::Vector(..));
        if can_freeze && self.random.chance(35) { Type::Frozen(Box::new(of)) } else { of }
    }

    fn table(&mut self, number: usize, counter: bool) -> Table {
        let mut columns = Vec::new();
        let mut odd = ODD_NAMES.to_vec();
        self.random.shuffle(&mut odd);
        let mut column = |name: String, of: Type, kind: Kind, odd_name: bool| {
            let name = if odd_name { odd.pop().map_or(name, str::to_owned) } else { name };
            columns.push(Column { name, of, kind, indexed: false, searchable: false });
        };
        for place in 0..*self.random.weighted(&[(5, 1), (3, 2), (2, 3)]) {
            column(format!("p{place}"), self.key_type(), Kind::Partition, self.random.chance(4));
        }
        let clustering = *self.random.weighted(&[(2, 0), (3, 1), (3, 2), (2, 3), (1, 4)]);
        for place in 0..clustering {
            column(format!("c{place}"), self.key_type(), Kind::Clustering, self.random.chance(4));
        }
        let of = |maker: &mut Self| if counter { Type::Native("counter") } else { maker.column_type() };
        if clustering > 0 && self.random.chance(60) {
            for place in 0..self.random.between(1, 2) {
                column(format!("s{place}"), of(self), Kind::Static, self.random.chance(8));
            }
        }
        let regular = if counter { self.random.between(1, 2) } else { self.random.between(1, 8) };
        for place in 0..regular {
            column(format!("v{place}"), of(self), Kind::Regular, self.random.chance(8));
        }
        Table { name: format!("t{number}"), columns, indexes: Vec::new(), view: false }
    }

    /// Changes a table after it was made.
    fn alter(&mut self, table: &mut Table) {
        let name = &table.name;
        if self.random.chance(15)
            && let Some(key) = table.columns.iter_mut().find(|column| column.kind == Kind::Clustering)
        {
            self.ddl.push(format!("ALTER TABLE {name} RENAME {} TO renamed", key.name));
            key.name = "renamed".to_owned();
        }
        let regular: Vec<usize> =
            (0..table.columns.len()).filter(|&at| table.columns[at].kind == Kind::Regular).collect();
        if regular.len() > 1 && self.random.chance(15) {
            let dropped = table.columns.remove(self.random.one_of(&regular));
            self.ddl.push(format!("ALTER TABLE {name} DROP {}", dropped.name));
        }
        if !table.is_counter() && self.random.chance(20) {
            let of = self.column_type();
            self.ddl.push(format!("ALTER TABLE {name} ADD added {of}"));
            let name = "added".to_owned();
            table.columns.push(Column { name, of, kind: Kind::Regular, indexed: false, searchable: false });
        }
    }

    /// Some indexes of all kinds; one that the server refuses is not there afterwards.
    fn indexes(&mut self, table: &mut Table) {
        if self.random.chance(25) {
            return;
        }
        let single_partition = table.partition().len() == 1;
        for (place, column) in table.columns.iter_mut().enumerate() {
            let chance = match column.kind {
                Kind::Partition if single_partition => 0,
                Kind::Partition => 15,
                Kind::Clustering => 20,
                _ => 40,
            };
            if !self.random.chance(chance) {
                continue;
            }
            let name = format!("{}_{place}", table.name);
            let (target, storage_attached) = (self.index_target(column), self.random.chance(40));
            let on = format!("ON {} ({target})", table.name);
            column.indexed = true;
            table.indexes.push(name.clone());
            let ddl = if column.of.is_text() && self.random.chance(55) {
                column.searchable = true;
                let options = self.random.one_of(&[
                    "",
                    " WITH OPTIONS = {'mode': 'PREFIX'}",
                    " WITH OPTIONS = {'mode': 'CONTAINS'}",
                    " WITH OPTIONS = {'mode': 'CONTAINS', 'analyzed': 'true', 'analyzer_class': \
                     'org.apache.cassandra.index.sasi.analyzer.StandardAnalyzer'}",
                ]);
                format!("CREATE CUSTOM INDEX {name} {on} USING 'org.apache.cassandra.index.sasi.SASIIndex'{options}")
            } else if !column.of.is_collection() && self.random.chance(10) {
                let options = self.random.one_of(&["", " WITH OPTIONS = {'mode': 'SPARSE'}"]);
                format!("CREATE CUSTOM INDEX {name} {on} USING 'org.apache.cassandra.index.sasi.SASIIndex'{options}")
            } else if storage_attached || matches!(column.of, Type::Vector(..)) {
                let analysed = column.of.is_text() && self.random.chance(25);
                let options = if analysed { " WITH OPTIONS = {'case_sensitive': 'false'}" } else { "" };
                match self.random.below(3) {
                    0 => format!("CREATE INDEX {name} {on} USING 'sai'{options}"),
                    1 => format!("CREATE CUSTOM INDEX {name} {on} USING 'StorageAttachedIndex'{options}"),
                    _ => format!("CREATE CUSTOM INDEX {name} {on} USING 'sai'{options}"),
                }
            } else {
                format!("CREATE INDEX {name} {on}")
            };
            self.ddl.push(ddl);
        }
    }

    fn index_target(&mut self, column: &Column) -> String {
        let name = &column.name;
        match (&column.of, self.random.below(4)) {
            (Type::Frozen(inner), _) if inner.is_collection() => format!("full({name})"),
            (Type::Map(..), 0) => format!("keys({name})"),
            (Type::Map(..), 1) => format!("values({name})"),
            (Type::Map(..), 2) => format!("entries({name})"),
            (Type::List(_) | Type::Set(_), 0) => format!("values({name})"),
            _ => name.clone(),
        }
    }

    /// A view with the keys of its table in another order, and perhaps one more column in front.
    fn view(&mut self, number: usize, base: &Table) -> Option<Table> {
        let mut partition: Vec<&Column> = base.partition();
        let mut clustering = base.clustering();
        let extra: Vec<&Column> = base
            .columns
            .iter()
            .filter(|column| {
                column.kind == Kind::Regular && matches!(column.of, Type::Native(name) if name != "duration")
            })
            .collect();
        if !extra.is_empty() && self.random.chance(60) {
            clustering.splice(0..0, std::mem::replace(&mut partition, vec![self.random.one_of(&extra)]));
        } else if !clustering.is_empty() {
            let first = clustering.remove(0);
            clustering.splice(0..0, std::mem::replace(&mut partition, vec![first]));
        } else {
            return None;
        }
        let name = format!("mv{number}");
        let names = |columns: &[&Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let keys: Vec<String> = names(&partition).into_iter().chain(names(&clustering)).collect();
        let others: Vec<&Column> = base
            .of_kind(Kind::Regular)
            .into_iter()
            .filter(|column| !keys.contains(&column.name) && self.random.chance(70))
            .collect();
        let columns: Vec<String> = keys.iter().cloned().chain(names(&others)).collect();
        let not_null: Vec<String> = keys.iter().map(|key| format!("{key} IS NOT NULL")).collect();
        let rest: String = names(&clustering).iter().map(|key| format!(", {key}")).collect();
        self.ddl.push(format!(
            "CREATE MATERIALIZED VIEW {name} AS SELECT {} FROM {} WHERE {} PRIMARY KEY (({}){rest})",
            columns.join(", "),
            base.name,
            not_null.join(" AND "),
            names(&partition).join(", "),
        ));
        let mut view = Table { name, columns: Vec::new(), indexes: Vec::new(), view: true };
        for (kind, columns) in [(Kind::Partition, partition), (Kind::Clustering, clustering), (Kind::Regular, others)] {
            let plain = |column: &Column| Column { kind, indexed: false, searchable: false, ..column.clone() };
            view.columns.extend(columns.into_iter().map(plain));
        }
        Some(view)
    }
}

fn table_ddl(table: &Table, random: &mut Random) -> String {
    let mut parts: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            let fixed = if column.kind == Kind::Static { " static" } else { "" };
            format!("{} {}{fixed}", column.name, column.of)
        })
        .collect();
    let names = |columns: &[&Column]| columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let (partition, clustering) = (table.partition(), table.clustering());
    let mut key = names(&partition);
    if partition.len() > 1 || random.chance(20) {
        key = format!("({key})");
    }
    for column in &clustering {
        key = format!("{key}, {}", column.name);
    }
    parts.push(format!("PRIMARY KEY ({key})"));
    let mut order = String::new();
    if !clustering.is_empty() && random.chance(50) {
        let count = random.between(1, clustering.len());
        let orders: Vec<String> = clustering[..count]
            .iter()
            .map(|column| format!("{} {}", column.name, random.one_of(&["ASC", "DESC"])))
            .collect();
        order = format!(" WITH CLUSTERING ORDER BY ({})", orders.join(", "));
    }
    format!("CREATE TABLE {} ({}){order}", table.name, parts.join(", "))
}
