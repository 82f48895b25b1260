//! Writes scripts: few keys, so that calls meet; versions around a moving middle, so that some come late; and content that
//! depends on nothing but its table, key, group and version, so that two puts of one version are equal.

use std::{collections::BTreeMap, ops::Bound};

use keyloom_store::{Abilities, Atomic, Discipline, Expect, Freshness, Millis, Table};
use keyloom_value::{Kind, Value};

use super::{
    call::{Asked, Call, Placed, Rider, TableAt, Tables, Written},
    dice::{Dice, mixed},
};
use crate::{
    NOW,
    desk::{Ask, Columns, MINUTE, Owned, int, table, text},
};

/// How many calls pass until versions have moved on by one.
const CALLS_A_VERSION: u64 = 100;

/// How far a version may lie from the middle.
const SPREAD: u64 = 6;

/// How much time passes with a call at most. Far more than any engine needs for it: what an engine forgets by its own clock
/// has ended for the script long before.
const STEP_MS: u64 = 2_000;

const TEXTS: [&str; 3] = ["", "a", "a\0"];
const NUMBERS: [i64; 3] = [-1, 0, 300];

pub(crate) struct Writer {
    dice: Dice,
    tables: Tables,
    decided: Vec<TableAt>,
    carried: Vec<TableAt>,
    placed: Vec<TableAt>,
    riders: bool,
    now: Millis,
    middle: u64,
    /// Decided rows as they should be: only for most expectations to be right.
    believed: BTreeMap<(TableAt, String), (u64, Option<Millis>)>,
}

impl Writer {
    pub fn new(seed: u64, abilities: [&Abilities; 2]) -> Self {
        let riders = abilities.iter().all(|abilities| matches!(abilities.atomic, Atomic::Rows { .. }));
        let groups = abilities.iter().all(|abilities| abilities.column_groups_max >= 2);
        let mut names = vec!["orders", "single", "listed"];
        names.extend(groups.then_some("joined"));
        names.extend(riders.then_some("carried"));
        let tables: Vec<Table> = names.iter().map(|name| defined(name)).collect();
        let of = |discipline: Discipline| {
            let at = (0..tables.len()).filter(|at| tables[*at].discipline == discipline);
            at.map(|at| TableAt { at, name: names[at] }).collect::<Vec<_>>()
        };
        Self {
            dice: Dice::new(seed),
            decided: of(Discipline::Decided),
            carried: of(Discipline::Carried),
            placed: of(Discipline::Placed),
            tables: Tables(tables),
            riders,
            now: NOW,
            middle: SPREAD + 1,
            believed: BTreeMap::new(),
        }
    }

    pub fn write(mut self, calls: usize) -> (Tables, Vec<Call>, Millis) {
        let mut written = Vec::with_capacity(calls);
        for at in 0..calls as u64 {
            self.now = self.now.plus(self.dice.below(STEP_MS) as i64);
            self.middle = SPREAD + 1 + at / CALLS_A_VERSION;
            written.push(self.call());
        }
        (self.tables, written, self.now)
    }

    fn call(&mut self) -> Call {
        match self.dice.below(20) {
            0..3 => Call::Get(self.asked()),
            3 => Call::GetMany((0..self.dice.below(8)).map(|_| self.asked()).collect()),
            4..9 => self.slice(),
            9..13 => self.decision(),
            _ => {
                let rows = 1 + if self.dice.once_in(3) { self.dice.below(5) } else { 0 };
                let rows = (0..rows).map(|_| self.placement()).collect();
                Call::Place { rows, together: self.dice.once_in(2), now: self.now }
            }
        }
    }

    /// Now; sometimes earlier, sometimes later.
    fn moment(&mut self) -> Millis {
        match self.dice.below(6) {
            0 => self.now.plus(-(self.dice.below(200_000) as i64)),
            1 => self.now.plus(self.dice.below(100_000) as i64),
            _ => self.now,
        }
    }

    fn freshness(&mut self) -> Freshness {
        self.dice.pick(&[Freshness::Settled, Freshness::Fresh])
    }

    fn value(&mut self, kind: &Kind) -> Owned {
        if *kind == Kind::Text { text(self.dice.pick(&TEXTS)) } else { int(self.dice.pick(&NUMBERS)) }
    }

    /// A value of the key, or one between.
    fn near(&mut self, kind: &Kind) -> Owned {
        match (self.dice.once_in(3), kind) {
            (true, Kind::Text) => text(self.dice.pick(&["\0", "a\0\0", "b"])),
            (true, _) => int(self.dice.pick(&[i64::MIN, 3, i64::MAX])),
            (false, kind) => self.value(kind),
        }
    }

    fn key(&mut self, table: TableAt) -> Vec<Owned> {
        let defined = self.tables.0[table.at].clone();
        // Few partitions with several rows each.
        let mut key: Vec<Owned> = Vec::new();
        for column in &defined.partition {
            let few = self.dice.below(2) as usize;
            key.push(if column.kind == Kind::Text { text(TEXTS[1 + few]) } else { int(NUMBERS[few]) });
        }
        for column in &defined.sort {
            key.push(self.value(&column.kind));
        }
        key
    }

    fn any_table(&mut self) -> TableAt {
        let all = [&self.decided[..], &self.carried, &self.placed].concat();
        self.dice.pick(&all)
    }

    fn asked(&mut self) -> Asked {
        let table = self.any_table();
        Asked { table, key: self.key(table), freshness: self.freshness(), now: self.moment() }
    }

    fn slice(&mut self) -> Call {
        let table = self.any_table();
        let defined = self.tables.0[table.at].clone();
        let key = self.key(table);
        let mut ask = Ask::of(&key[..defined.partition.len()]);
        let equal = self.dice.below(defined.sort.len() as u64 + 1) as usize;
        if self.dice.once_in(3) {
            ask.equal = key[defined.partition.len()..][..equal].to_vec();
        }
        if let Some(next) = defined.sort.get(ask.equal.len()) {
            ask.low = self.bound(&next.kind);
            ask.high = self.bound(&next.kind);
        }
        if self.dice.once_in(3) {
            ask.after = Some(defined.sort.iter().map(|column| self.near(&column.kind)).collect());
        }
        ask.reverse = self.dice.once_in(2);
        ask.rows_max = self.dice.pick(&[1, 2, 3, 100]);
        ask.bytes_max = self.dice.pick(&[1, 200, 1 << 20]);
        ask.freshness = self.freshness();
        ask.now = self.moment();
        Call::Slice { table, ask }
    }

    fn bound(&mut self, kind: &Kind) -> Bound<Owned> {
        match self.dice.below(5) {
            0 => Bound::Included(self.near(kind)),
            1 => Bound::Excluded(self.near(kind)),
            _ => Bound::Unbounded,
        }
    }

    /// A version near the middle, with as many below as above.
    fn version(&mut self) -> u64 {
        self.middle - SPREAD + self.dice.below(2 * SPREAD)
    }

    fn content(&self, table: TableAt, key: &[Owned], group: usize, version: u64) -> (Vec<Owned>, Option<Millis>) {
        // The end must not depend on the group: a placement has one for all.
        let bits = fingerprint(&format!("{table:?} {key:?} {version}"));
        // Soon enough for older versions to come behind it.
        let lasts_ms = CALLS_A_VERSION * STEP_MS / 2 * (version.saturating_sub(2 * SPREAD) + bits % 14);
        let expires_at = (bits >> 32).is_multiple_of(3).then(|| NOW.plus(lasts_ms as i64));
        let columns = &self.tables.0[table.at].groups[group].columns;
        let values = columns.iter().zip(1..).map(|(column, at)| match (mixed(bits + at) % 5, &column.kind) {
            (0, _) => Value::Null,
            (_, Kind::Text) => text(&format!("{version}.{group}").repeat(1 + (bits % 9) as usize)),
            (_, _) => int(version as i64),
        });
        (values.collect(), expires_at)
    }

    fn placement(&mut self) -> Placed {
        let placed = self.placed.clone();
        let table = self.dice.pick(&placed);
        let key = self.key(table);
        let (removal, groups) = (self.dice.once_in(3), self.tables.0[table.at].groups.len());
        let first = self.dice.below(groups as u64) as usize;
        let version = self.version();
        let (values, expires_at) = self.content(table, &key, first, version);
        // An engine may forget what has ended by its own clock, which a look backwards would see: that clock must have no
        // time to get there while the script still looks.
        let removal = removal || expires_at.is_some_and(|end| end < self.now.plus(MINUTE));
        let mut placed = Placed { table, key, groups: vec![(first, version, values)], removal, expires_at };
        for group in (0..groups).filter(|group| *group != first) {
            let version = self.version();
            let (values, end) = self.content(table, &placed.key, group, version);
            if self.dice.once_in(2) && (removal || end == expires_at) {
                placed.groups.push((group, version, values));
            }
        }
        placed
    }

    fn believed(&self, table: TableAt, key: &[Owned]) -> Option<u64> {
        let (version, end) = self.believed.get(&(table, format!("{key:?}")))?;
        end.is_none_or(|end| end > self.now).then_some(*version)
    }

    /// What a decided row is believed to be, or now and then something else.
    fn expect(&mut self, table: TableAt, key: &[Owned], wrong_once_in: u64) -> (Expect, bool) {
        let believed = self.believed(table, key);
        let right = believed.map_or(Expect::Absent, Expect::Version);
        if !self.dice.once_in(wrong_once_in) {
            return (right, true);
        }
        let wrong = match (believed, self.dice.below(3)) {
            (Some(_), 0) => Expect::Absent,
            (Some(version), 1) => Expect::Version(version.saturating_sub(1)),
            (version, _) => Expect::Version(version.unwrap_or(0) + 1),
        };
        (wrong, false)
    }

    /// A decided or carried row, at a version that is above the expected one.
    fn written(&mut self, table: TableAt, key: Vec<Owned>, expect: Expect) -> Written {
        let above = if let Expect::Version(version) = expect { version + 1 } else { 1 };
        let version = above + self.dice.below(3);
        let (values, _) = self.content(table, &key, 0, version);
        let lasts = MINUTE * (1 + self.dice.below(10) as i64);
        let expires_at = self.dice.once_in(3).then(|| self.now.plus(lasts));
        Written { table, key, version, expires_at, values }
    }

    fn decided(&mut self, wrong_once_in: u64) -> (Written, Expect, bool) {
        let decided = self.decided.clone();
        let table = self.dice.pick(&decided);
        let key = self.key(table);
        let (expect, right) = self.expect(table, &key, wrong_once_in);
        (self.written(table, key, expect), expect, right)
    }

    fn decision(&mut self) -> Call {
        let (change, expect, mut right) = self.decided(4);
        let mut becoming = vec![change.clone()];
        let riders = if self.riders { self.dice.below(6) } else { 0 };
        let mut along = Vec::new();
        for _ in 0..riders {
            along.push(match self.dice.below(6) {
                0 => {
                    let (change, expect, as_believed) = self.decided(10);
                    right &= as_believed;
                    becoming.push(change.clone());
                    Rider::Decide { change, expect }
                }
                1 => {
                    let (change, expect, as_believed) = self.decided(10);
                    right &= as_believed;
                    Rider::Check { table: change.table, key: change.key, expect }
                }
                2 | 3 => {
                    let table = self.carried[0];
                    let key = self.key(table);
                    Rider::Put(self.written(table, key, Expect::Absent))
                }
                4 => Rider::Remove { table: self.carried[0], key: self.key(self.carried[0]) },
                _ => Rider::Place(self.placement()),
            });
        }
        // A row that is named twice makes the call a refusal.
        let mut named: Vec<(TableAt, String)> =
            along.iter().map(name).chain([row(change.table, &change.key)]).collect();
        named.sort_unstable();
        if right && named.windows(2).all(|pair| pair[0] != pair[1]) {
            for written in becoming {
                self.believed.insert(row(written.table, &written.key), (written.version, written.expires_at));
            }
        }
        Call::Decide { change, expect, along, now: self.now }
    }
}

/// One table of each sort that stores must tell apart.
fn defined(name: &str) -> Table {
    let of = |discipline| table(name, discipline);
    match name {
        "orders" => of(Discipline::Decided).by("p", Kind::Text).ascending("s", Kind::Int).column("v", Kind::Text),
        "single" => of(Discipline::Decided).by("p", Kind::Int).column("v", Kind::Int).column("w", Kind::Text),
        "listed" => {
            let keyed = of(Discipline::Placed).by("p", Kind::Text).descending("a", Kind::Text);
            keyed.ascending("b", Kind::Int).column("v", Kind::Text)
        }
        "joined" => {
            let keyed = of(Discipline::Placed).by("p", Kind::Int).ascending("a", Kind::Text).descending("b", Kind::Int);
            keyed.column("v", Kind::Int).group().column("w", Kind::Text)
        }
        _ => of(Discipline::Carried).by("p", Kind::Text).descending("s", Kind::Int).column("v", Kind::Text),
    }
}

fn row(table: TableAt, key: &[Owned]) -> (TableAt, String) {
    (table, format!("{key:?}"))
}

fn name(rider: &Rider) -> (TableAt, String) {
    match rider {
        Rider::Decide { change: Written { table, key, .. }, .. }
        | Rider::Put(Written { table, key, .. })
        | Rider::Check { table, key, .. }
        | Rider::Remove { table, key }
        | Rider::Place(Placed { table, key, .. }) => row(*table, key),
    }
}

fn fingerprint(words: &str) -> u64 {
    words.bytes().fold(0x1234_5678_9ABC_DEF0, |bits, byte| mixed(bits ^ u64::from(byte)))
}
