//! WHERE: which columns are restricted, with and without sense.

use super::{
    Clause, Writer,
    types::{Column, Table, Type},
};

impl Writer<'_> {
    /// The relations of a SELECT, and the whole clause with its WHERE; empty when there is none.
    pub fn select_where(&mut self, table: &Table) -> String {
        let relations = match self.random.below(100) {
            0..3 => Vec::new(),
            3..11 => self.keyed(table),
            11..44 => {
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
    pub fn partition(&mut self, table: &Table) -> Vec<String> {
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
    pub fn keyed(&mut self, table: &Table) -> Vec<String> {
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
    pub fn gapped(&mut self, table: &Table) -> Vec<String> {
        let keys: Vec<&Column> = table.partition().into_iter().chain(table.clustering()).collect();
        let count = self.random.between(1, keys.len());
        let some = self.several(&keys, count);
        some.into_iter().map(|column| self.likely_relation(column)).collect()
    }

    /// `token(..)`, from one side or from two.
    pub fn tokens(&mut self, table: &Table) -> Vec<String> {
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
    pub fn indexed(&mut self, table: &Table) -> Vec<String> {
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

    pub fn some_columns(&mut self, columns: &[&Column], count: usize) -> Vec<String> {
        let can: Vec<&Column> = columns.iter().copied().filter(|column| !matches!(column.of, Type::User(_))).collect();
        let some =
            if can.is_empty() || self.astray() { self.several(columns, count) } else { self.several(&can, count) };
        some.into_iter().map(|column| self.likely_relation(column)).collect()
    }
}
