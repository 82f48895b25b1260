//! Seeded tables: all that is legal on an engine, likely or not, to see whether the engine takes what is made of it.

use keyloom_store::{Abilities, Atomic, Column, Discipline, Group, SortColumn, Table};
use keyloom_value::{Kind, Member};

use crate::{
    Dice,
    samples::{all, ordered},
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// How many indexes one table is given: with more, DynamoDB's limit of attributes that all of them show would be in reach.
const INDEXES_MAX: usize = 4;

/// What a name may end with. Some are words of an engine, some would end a literal or a name, some would begin a template.
const ENDINGS: [&str; 14] =
    ["", "", "", "", "", "", "_at", "_select", "Upper", "it's", "\"q\"", "a b.c-d", "${x} %{y}", "\\é;"];

/// So many of them are plain words.
const PLAIN: usize = 8;

/// Tables that are legal on an engine of these abilities, with names of up to `name_max` letters.
pub fn tables(seed: u64, count: usize, name_max: usize, abilities: &Abilities) -> Vec<Table> {
    let mut maker = Maker { dice: Dice::new(seed), name_max, abilities };
    let mut tables: Vec<Table> = Vec::with_capacity(count);
    for number in 0..count {
        let index = if maker.dice.once_in(3) { maker.index(number, &tables) } else { None };
        tables.push(index.unwrap_or_else(|| maker.table(number)));
    }
    tables
}

struct Maker<'a> {
    dice: Dice,
    name_max: usize,
    abilities: &'a Abilities,
}

impl Maker<'_> {
    fn table(&mut self, number: usize) -> Table {
        let mut disciplines = vec![Discipline::Decided, Discipline::Placed, Discipline::Placed];
        if self.abilities.atomic != Atomic::Row {
            disciplines.push(Discipline::Carried);
        }
        let discipline = disciplines.swap_remove(self.upto(disciplines.len() - 1));
        let (partition, sort) = (1 + self.upto(2), self.upto(3));
        let groups = match discipline {
            Discipline::Placed if self.dice.once_in(3) => {
                1 + self.upto(self.abilities.column_groups_max.min(3) as usize - 1)
            }
            _ => 1,
        };
        let name = self.name(number);
        let mut names = 0;
        let mut column = |maker: &mut Self, kind| {
            names += 1;
            let endings = if has_members(&kind) { &ENDINGS[..PLAIN] } else { &ENDINGS };
            let ending = maker.dice.pick(endings);
            Column { name: format!("c{names}{ending}"), kind }
        };
        let partition = (0..partition)
            .map(|_| {
                let kind = self.key_kind();
                column(self, kind)
            })
            .collect();
        let sort = (0..sort).map(|_| {
            let kind = self.key_kind();
            let Column { name, kind } = column(self, kind);
            SortColumn { name, kind, descending: self.dice.once_in(2) }
        });
        let sort = sort.collect();
        let groups = (0..groups).map(|_| {
            let columns = if self.dice.once_in(6) { 25 } else { self.upto(6) };
            let columns = (0..columns).map(|_| {
                let kind = self.kind(3);
                let kind = if has_members(&kind) && !is_plain(&name) { self.key_kind() } else { kind };
                column(self, kind)
            });
            Group { columns: columns.collect() }
        });
        let groups = groups.collect();
        let grace_ms = self.dice.pick(&[0, 1, HOUR, 7 * DAY, 30 * DAY, i64::MAX]);
        let lives =
            [None, None, Some(1), Some(HOUR), Some(3 * DAY), Some(90 * DAY), Some(30 * 365 * DAY), Some(i64::MAX)];
        let lifetime_ms = self.dice.pick(&lives);
        Table { name, discipline, partition, sort, groups, grace_ms, lifetime_ms }
    }

    /// An index of one of these tables, if one of them can have one.
    fn index(&mut self, number: usize, tables: &[Table]) -> Option<Table> {
        let per_table_max = self.abilities.indexes?.per_table_max as usize;
        let standing = |base: &Table| {
            tables
                .iter()
                .filter(|table| matches!(&table.discipline, Discipline::Indexed { of } if *of == base.name))
                .count()
        };
        let can = |base: &&Table| {
            matches!(base.discipline, Discipline::Decided | Discipline::Placed)
                && base.groups.len() == 1
                && standing(base) < per_table_max.min(INDEXES_MAX)
        };
        let bases: Vec<&Table> = tables.iter().filter(can).collect();
        let base = *bases.get(self.upto(bases.len().checked_sub(1)?))?;
        let keys = base.partition.iter().cloned();
        let keys = keys.chain(base.sort.iter().map(|it| Column { name: it.name.clone(), kind: it.kind.clone() }));
        let mut keys: Vec<Column> = keys.collect();
        let mut columns = base.groups[0].columns.clone();
        // Up to two columns of the row enter the key, in front.
        for _ in 0..self.upto(2) {
            if let Some(at) = columns.iter().position(|column| column.kind.is_ordered()) {
                keys.insert(0, columns.remove(at));
            }
        }
        let sorted = keys.split_off(1 + self.upto(keys.len() - 1));
        let sort = sorted.into_iter().map(|Column { name, kind }| {
            let descending = self.dice.once_in(2);
            SortColumn { name, kind, descending }
        });
        let sort = sort.collect();
        columns.truncate(self.upto(columns.len()));
        Some(Table {
            name: self.name(number),
            discipline: Discipline::Indexed { of: base.name.clone() },
            partition: keys,
            sort,
            groups: vec![Group { columns }],
            grace_ms: base.grace_ms,
            lifetime_ms: None,
        })
    }

    /// The number makes a name unique; one in a few is as long as names may be.
    fn name(&mut self, number: usize) -> String {
        let ending = self.dice.pick(&["able", "_by_user", "Table", "_1", "ABLE"]);
        let name = format!("t{number}{ending}");
        if self.dice.once_in(5) { format!("{name:x<width$}", width = self.name_max) } else { name }
    }

    fn key_kind(&mut self) -> Kind {
        let mut samples = ordered();
        samples.swap_remove(self.upto(samples.len() - 1)).kind
    }

    /// A kind with at most so many others in it.
    fn kind(&mut self, depth: u32) -> Kind {
        let mut samples = all();
        let sample = samples.swap_remove(self.upto(samples.len() - 1)).kind;
        if depth == 0 {
            return sample;
        }
        match sample {
            Kind::List(_) => Kind::List(Box::new(self.kind(depth - 1))),
            Kind::Map(..) => Kind::Map(Box::new(self.key_kind()), Box::new(self.kind(depth - 1))),
            Kind::Struct(_) => {
                let kinds =
                    [("street", self.kind(depth - 1)), ("select", self.kind(depth - 1)), ("No", self.key_kind())];
                let member = |(name, kind): (&str, Kind)| Member { name: name.to_owned(), kind, optional: true };
                Kind::Struct(kinds.map(member).into())
            }
            Kind::OneOf(_) => Kind::OneOf(vec![self.kind(depth - 1), self.kind(depth - 1)]),
            other => other,
        }
    }

    fn upto(&mut self, most: usize) -> usize {
        self.dice.below(most as u64 + 1) as usize
    }
}

/// Whether a kind may need a type of its own, whose name is made of those of table, column and members. Drivers do not read
/// such a name unless it is a plain word.
fn has_members(kind: &Kind) -> bool {
    match kind {
        Kind::Struct(_) | Kind::OneOf(_) => true,
        Kind::List(of) | Kind::Set(of) => has_members(of),
        Kind::Map(key, value) => has_members(key) || has_members(value),
        _ => false,
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use keyloom_store::{Model, Store, steps};

    use super::*;

    #[test]
    fn every_table_is_legal_and_all_there_is_comes_up() {
        let model = Model::new();
        let mut seen = BTreeSet::new();
        for seed in 0..20 {
            let tables = tables(seed, 40, 48, model.abilities());
            assert_eq!(tables.len(), 40);
            steps(&[], &tables, model.abilities()).unwrap();
            for table in &tables {
                seen.insert(match &table.discipline {
                    Discipline::Indexed { .. } => "an index".to_owned(),
                    other => format!("{other:?}"),
                });
                seen.insert(format!("{} groups", table.groups.len()));
                seen.insert(format!("{} partition, {} sort", table.partition.len().min(3), table.sort.len().min(3)));
                seen.extend(table.partition.iter().map(|it| format!("partition {}", it.kind.word())));
                seen.extend(table.sort.iter().map(|it| format!("sort {} {}", it.kind.word(), it.descending)));
                let columns = table.groups.iter().flat_map(|group| &group.columns);
                seen.extend(columns.map(|it| format!("column {}", it.kind.word())));
                seen.insert(format!("long {}", table.name.len() == 48));
                seen.insert(format!("lives {}", table.lifetime_ms.is_some()));
            }
        }
        // Disciplines with the index; 1 to 3 groups; lengths of keys; kinds in keys and columns; names; lifetimes.
        let (keys, kinds) = (ordered().len(), all().len());
        assert_eq!(seen.len(), 4 + 3 + 3 * 4 + keys + 2 * keys + kinds + 2 + 2, "{seen:#?}");
    }
}
