//! What a verification found, table by table.

use keyloom_value::json::to_json;
use serde_json::{Map, Value as Json, json};

use super::{
    due::{Differs, Place},
    says_whose,
};
use crate::{
    problem::Problem,
    program::{Index, Projection},
    run::Run,
};

/// How many differences are named; all are counted.
const NAMED_MAX: usize = 20;

/// What was compared, and what differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Each table of the layout.
    pub tables: Vec<TableReport>,
    /// The first differences.
    pub named: Vec<Named>,
    /// What a repair could not bring right, and why; the first of it.
    pub unmended: Vec<String>,
    /// Rows that changed each time they were looked at: nothing is said about them.
    pub moving: u64,
}

/// One table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableReport {
    /// Its name.
    pub table: String,
    /// What it holds: `rows of Order`.
    pub holds: String,
    /// Rows that were compared: those that follow from the sources, and those that are there besides.
    pub rows: u64,
    /// Rows that follow and are not there.
    pub missing: u64,
    /// Rows that are there and do not follow.
    pub extra: u64,
    /// Rows that are there with other values than follow.
    pub stale: u64,
    /// How many of these a repair brought right.
    pub mended: u64,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// `missing`, `extra` or `stale`.
    pub differs: String,
    /// In which table.
    pub table: String,
    /// The key of the row.
    pub key: Json,
}

impl Report {
    pub(super) fn new(run: &Run) -> Self {
        let program = &run.program;
        let of = |table: usize, holds: String| {
            let table = program.tables[table].name.clone();
            TableReport { table, holds, ..TableReport::default() }
        };
        let mut tables = Vec::new();
        for entity in &program.entities {
            let name = &entity.name;
            tables.push(of(entity.source.table, format!("the rows of {name}")));
            let list = |list: &Projection| {
                let unsaid = if says_whose(entity, list) { "" } else { " (extra rows are not looked for)" };
                of(list.table, format!("lists of {name}{unsaid}"))
            };
            tables.extend(entity.projections.iter().map(list));
            let kept =
                |index: &Index| of(index.list.table, format!("lists of {name} (kept by the engine, not compared)"));
            tables.extend(entity.indexes.iter().map(kept));
            let uniques = entity.reservations.iter();
            tables.extend(uniques.map(|unique| of(unique.table, format!("who holds {} of {name}", unique.unique))));
        }
        for kept in &program.kept {
            let owner = &program.entities[kept.owner];
            let unsaid = if kept.adds_up() { "" } else { " (not compared)" };
            tables.push(of(kept.table, format!("{} of {}, kept{unsaid}", owner.fields[kept.field].0, owner.name)));
        }
        tables.extend(program.buckets.map(|table| of(table, "which buckets have rows".to_owned())));
        Self { tables, ..Self::default() }
    }

    /// Rows that were compared, of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Rows that follow and are not there.
    pub fn missing(&self) -> u64 {
        self.tables.iter().map(|table| table.missing).sum()
    }

    /// Rows that are there and do not follow.
    pub fn extra(&self) -> u64 {
        self.tables.iter().map(|table| table.extra).sum()
    }

    /// Rows that are there with other values than follow.
    pub fn stale(&self) -> u64 {
        self.tables.iter().map(|table| table.stale).sum()
    }

    /// How many of these a repair brought right.
    pub fn mended(&self) -> u64 {
        self.tables.iter().map(|table| table.mended).sum()
    }

    /// Everything that differs.
    pub fn differences(&self) -> u64 {
        self.missing() + self.extra() + self.stale()
    }

    fn table(&mut self, run: &Run, table: usize) -> Option<&mut TableReport> {
        let name = &run.program.tables[table].name;
        self.tables.iter_mut().find(|report| report.table == *name)
    }

    pub(super) fn compared(&mut self, run: &Run, table: usize, rows: u64) {
        if let Some(report) = self.table(run, table) {
            report.rows += rows;
        }
    }

    pub(super) fn found(&mut self, run: &Run, differs: Differs, place: &Place) -> Result<(), Problem> {
        if let Some(report) = self.table(run, place.table) {
            match differs {
                Differs::Missing => report.missing += 1,
                // Nobody counted it among those that follow.
                Differs::Extra => (report.extra, report.rows) = (report.extra + 1, report.rows + 1),
                Differs::Stale => report.stale += 1,
            }
        }
        if self.named.len() < NAMED_MAX {
            let (_, shape) = run.table(place.table);
            let mut key = Map::new();
            for (at, (name, value)) in
                shape.table().key_names().zip(run.key_values(place.table, &place.key)?).enumerate()
            {
                let kind = shape.kind(keyloom_store::ColumnAt::Key(at));
                let value = kind.and_then(|kind| to_json(&value, kind).ok()).unwrap_or(Json::Null);
                key.insert(name.to_owned(), value);
            }
            self.named.push(Named {
                differs: differs.word().to_owned(),
                table: shape.table().name.clone(),
                key: Json::Object(key),
            });
        }
        Ok(())
    }

    pub(super) fn mended_at(&mut self, run: &Run, place: &Place) {
        if let Some(report) = self.table(run, place.table) {
            report.mended += 1;
        }
    }

    pub(super) fn left(&mut self, why: String) {
        if self.unmended.len() < NAMED_MAX && !self.unmended.contains(&why) {
            self.unmended.push(why);
        }
    }

    /// For programs, and for a process that goes on.
    pub fn to_json(&self) -> Json {
        let table = |table: &TableReport| {
            json!({
                "table": table.table, "holds": table.holds, "rows": table.rows, "missing": table.missing,
                "extra": table.extra, "stale": table.stale, "mended": table.mended,
            })
        };
        let named = |named: &Named| json!({"differs": named.differs, "table": named.table, "key": named.key});
        json!({
            "rows": self.rows(),
            "missing": self.missing(),
            "extra": self.extra(),
            "stale": self.stale(),
            "mended": self.mended(),
            "moving": self.moving,
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "named": self.named.iter().map(named).collect::<Vec<_>>(),
            "unmended": self.unmended,
        })
    }

    /// Reads what [`Report::to_json`] wrote.
    pub fn from_json(json: &Json) -> Option<Self> {
        let text = |json: &Json, name: &str| Some(json.get(name)?.as_str()?.to_owned());
        let table = |json: &Json| {
            let number = |name: &str| json.get(name)?.as_u64();
            Some(TableReport {
                table: text(json, "table")?,
                holds: text(json, "holds")?,
                rows: number("rows")?,
                missing: number("missing")?,
                extra: number("extra")?,
                stale: number("stale")?,
                mended: number("mended")?,
            })
        };
        let named = |json: &Json| {
            Some(Named { differs: text(json, "differs")?, table: text(json, "table")?, key: json.get("key")?.clone() })
        };
        let all = |name: &str| json.get(name)?.as_array();
        Some(Self {
            tables: all("tables")?.iter().map(table).collect::<Option<_>>()?,
            named: all("named")?.iter().map(named).collect::<Option<_>>()?,
            unmended: all("unmended")?.iter().map(|why| Some(why.as_str()?.to_owned())).collect::<Option<_>>()?,
            moving: json.get("moving")?.as_u64()?,
        })
    }
}

impl Differs {
    fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Stale => "stale",
        }
    }
}
