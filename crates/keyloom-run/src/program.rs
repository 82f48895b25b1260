//! A compiled program, made ready to run: for each pattern which table is read or decided, by position instead of by name.
//!
//! Nothing is decided here: which table answers, in which order and within which bounds is the plan's. What can't be run
//! yet is found here, all of it at once, before anything is served.

mod copies;
mod entity;
mod kept;
mod outputs;
mod promise;
mod reads;
mod support;
mod writes;

use std::{fmt, sync::Arc};

use keyloom_model::{
    Action, Catalog, Entity, Expr, Pattern,
    layout::{Bucket, Part},
};
use keyloom_plan::{BUCKETS, Companions, DIRTY_LOG, REGISTER};
use keyloom_store::{ColumnAt, Shape, Table};
use keyloom_value::{Kind, Value};

use crate::{
    bucket::{Cut, bucket_of},
    inputs::{InputKinds, input_kinds},
    record::Record,
};

pub(crate) use copies::{Copied, Copiers};
pub(crate) use kept::{Counts, Kept};
pub(crate) use outputs::{From, Outputs};
pub(crate) use reads::{Access, Bounds, Choice, Question, Reach, Read, Slices, Turn, Walks};
pub(crate) use support::{Support, Whole};
pub(crate) use writes::{Answers, MustExist, Target, Write};

/// Something that a catalog asks for and that is not run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotYet {
    /// Where it stands: `patterns.take_overdue`.
    pub at: String,
    /// What it is.
    pub what: String,
}

impl fmt::Display for NotYet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

/// What is run. What it was made from is shared by all who run it.
#[derive(Debug, Clone)]
pub struct Program {
    planned: Arc<keyloom_plan::Program>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) companions: Companions,
    pub(crate) tables: Vec<Table>,
    /// How each of them is cut by time, if it is.
    pub(crate) cuts: Vec<Option<Cut>>,
    /// The one of them that says which buckets groups have; there where tables are cut by time.
    pub(crate) buckets: Option<usize>,
    pub(crate) entities: Vec<EntityPlan>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) plans: Vec<Plan>,
    /// What each pattern takes.
    pub(crate) input_kinds: Vec<InputKinds>,
}

/// The tables of one entity. Fields are counted in the order of the catalog.
#[derive(Debug, Clone)]
pub(crate) struct EntityPlan {
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Kind)>,
    /// The identity: the tenant, if there is one, and the key in the catalog's order.
    pub(crate) key: Vec<usize>,
    /// The tenant, which is one field more than the catalog has.
    pub(crate) tenant: Option<usize>,
    /// The identity of a row that is the only one: a field more, too, and always [`ALL`]. The only row of a tenant has the
    /// tenant for that.
    pub(crate) only: Option<usize>,
    pub(crate) source: Source,
    pub(crate) projections: Vec<Projection>,
    /// Lists that the engine keeps.
    pub(crate) indexes: Vec<Index>,
    pub(crate) reservations: Vec<Reservation>,
    /// When its rows end.
    pub(crate) expires: Option<Expr>,
    /// Whether something follows when its rows end.
    pub(crate) end_is_followed: bool,
    /// What is deleted with its rows.
    pub(crate) parts: Vec<Support>,
    /// With what its rows are deleted.
    pub(crate) whole: Option<Whole>,
    /// Who holds fields of its rows.
    pub(crate) copied_by: Vec<Copiers>,
}

/// The table that holds the truth.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) table: usize,
    pub(crate) key: Vec<KeyPart>,
    /// The fields of its other columns, each with its position in the root group.
    pub(crate) own: Vec<(usize, usize)>,
    /// Where each field is; nowhere where it is kept from other rows.
    pub(crate) columns: Vec<Option<ColumnAt>>,
    /// Where the moment is at which a row was made.
    pub(crate) created: usize,
    /// How many columns of the root group the program knows.
    pub(crate) known: usize,
    /// What decided rows remember besides; nothing where rows are placed.
    pub(crate) hidden: Option<Hidden>,
}

/// Where in the root group of a source is what every decided row remembers.
#[derive(Debug, Clone)]
pub(crate) struct Hidden {
    pub(crate) updated: usize,
    pub(crate) floor: usize,
    pub(crate) tokens: usize,
    pub(crate) gone: usize,
    /// Only where companions follow.
    pub(crate) stale: Option<usize>,
}

/// A table whose rows are derived from the source.
#[derive(Debug, Clone)]
pub(crate) struct Projection {
    pub(crate) table: usize,
    pub(crate) key: Vec<KeyPart>,
    /// The fields of its other columns, each with its position in the root group.
    pub(crate) own: Vec<(usize, usize)>,
    /// The fields of other rows that it holds.
    pub(crate) copies: Vec<Copied>,
    /// Where each field is, if it is there.
    pub(crate) columns: Vec<Option<ColumnAt>>,
    /// Fields that are absent where this column says so.
    pub(crate) flags: Vec<(usize, ColumnAt)>,
    /// Only rows stand there that pass this test.
    pub(crate) filter: Option<Expr>,
    /// Somebody sees the version of its rows, so they follow every change of the source.
    pub(crate) shows_version: bool,
}

/// A list that the engine keeps from the source, some time behind it.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) list: Projection,
    /// The column of the source's root group that has a value in rows that stand there.
    pub(crate) shown: usize,
}

/// A component of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPart {
    /// A field: rows without it have no place.
    Field(usize),
    /// Whether the field is absent, which the next component says the value of.
    IsAbsent(usize),
    /// A field behind such a flag.
    Flagged(usize),
    /// The same for all rows that stand there: the one partition of all, or that an index shows them.
    All,
    /// The step of time in which a field lies.
    Bucket(Bucket, usize),
}

impl KeyPart {
    /// The field that it is, as it is.
    pub(crate) fn field(self) -> Option<usize> {
        match self {
            Self::Field(field) => Some(field),
            Self::IsAbsent(_) | Self::Flagged(_) | Self::All | Self::Bucket(..) => None,
        }
    }
}

/// What stands where all rows have the same.
pub(crate) const ALL: Value<'static> = Value::Int(0);

/// What can be bound, or the words that are not run yet.
type Bound<T> = Result<T, Vec<String>>;

fn one<T>(what: impl Into<String>) -> Bound<T> {
    Err(vec![what.into()])
}

/// Who holds which value of a `unique`.
#[derive(Debug, Clone)]
pub(crate) struct Reservation {
    pub(crate) table: usize,
    pub(crate) unique: String,
    pub(crate) fields: Vec<usize>,
    /// Only rows hold it that pass this test.
    pub(crate) filter: Option<Expr>,
}

/// How a pattern is run.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Read(Box<Read>),
    Write(Box<Write>),
    /// It is served elsewhere.
    Outside,
}

/// Rows that remember what the process needs across restarts.
pub(crate) const SYSTEM: usize = 0;
/// What rows no longer remember themselves of the requests they absorbed.
pub(crate) const RECEIPTS: usize = 1;
/// What callers show to say who they are.
pub(crate) const KEYS: usize = 2;
/// What is to be looked at again; there where something comes after a decision.
pub(crate) const DIRTY: usize = 3;

impl Program {
    /// Makes a program ready to run.
    ///
    /// # Errors
    /// With everything that it asks for and that is not run yet.
    pub fn of(planned: &keyloom_plan::Program) -> Result<Self, Vec<NotYet>> {
        Self::bind(planned, planned.all_tables().cloned().collect())
    }

    fn bind(planned: &keyloom_plan::Program, tables: Vec<Table>) -> Result<Self, Vec<NotYet>> {
        let catalog = &planned.catalog;
        let mut program = Self {
            planned: Arc::new(planned.clone()),
            catalog: Arc::new(catalog.clone()),
            companions: planned.companions,
            cuts: cuts(planned),
            buckets: planned.system.iter().position(|table| table.name == BUCKETS),
            tables,
            entities: Vec::new(),
            kept: Vec::new(),
            plans: Vec::new(),
            input_kinds: catalog.patterns.iter().map(|pattern| input_kinds(catalog, pattern)).collect(),
        };
        // What can't be held can't be run either; whoever serves says it in full.
        let refused =
            planned.refusals.iter().map(|refusal| NotYet { at: refusal.at.clone(), what: refusal.what.to_string() });
        let mut found: Vec<NotYet> = refused.collect();
        for entity in &catalog.entities {
            program.entity(entity, planned, &mut found);
        }
        program.kept(planned, &mut found);
        program.parts(planned, &mut found);
        program.copies(planned, &mut found);
        for pattern in &catalog.patterns {
            program.pattern(pattern, planned, &mut found);
        }
        program.versions_shown();
        if found.is_empty() { Ok(program) } else { Err(found) }
    }

    fn pattern(&mut self, pattern: &Pattern, planned: &keyloom_plan::Program, found: &mut Vec<NotYet>) {
        let planned = match &pattern.action {
            _ if pattern.all_tenants => one("`tenant: all`"),
            Action::Read(read) => self.read(pattern, read, planned),
            Action::Write(write) => self.write(pattern, write, planned),
            Action::Claim(_) => one("`claim`"),
            Action::Atomic(_) => one("`atomic`"),
            Action::Outside(_) => Ok(Plan::Outside),
        };
        match planned {
            Ok(plan) => self.plans.push(plan),
            Err(words) => {
                let at = format!("patterns.{}", pattern.name);
                found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
            }
        }
    }

    fn target(&self, name: &str) -> Bound<(usize, &EntityPlan, &Entity)> {
        let at = self.entities.iter().position(|plan| plan.name == name);
        match (at, self.catalog.entity(name)) {
            (Some(at), Some(entity)) => Ok((at, &self.entities[at], entity)),
            // What is not run of the entity was said there.
            _ => Err(Vec::new()),
        }
    }

    /// The same program for tables that are there: what a catalog added since stands behind the columns that were there
    /// before, wherever the catalog has it.
    pub(crate) fn arranged(self, there: &[Arc<Shape>]) -> Self {
        let mut tables = self.tables.clone();
        let mut moved = false;
        for table in &mut tables {
            let Some(found) = there.iter().map(|shape| shape.table()).find(|found| found.name == table.name) else {
                continue;
            };
            for (group, old) in table.groups.iter_mut().zip(&found.groups) {
                let before = group.columns.clone();
                let at = |name: &str| old.columns.iter().position(|column| column.name == name).unwrap_or(usize::MAX);
                group.columns.sort_by_key(|column| at(&column.name));
                moved |= group.columns != before;
            }
        }
        if !moved {
            return self;
        }
        // Columns in another order are no reason to refuse what was accepted.
        Self::bind(&self.planned, tables).unwrap_or(self)
    }

    /// Whether anything comes after a decision, so that there is a dirty log.
    pub(crate) fn has_log(&self) -> bool {
        self.planned.system.iter().any(|table| table.name == DIRTY_LOG)
    }

    /// Where it is written down which row a request is about; there where rows are changed by a unique value.
    pub(crate) fn register(&self) -> Option<usize> {
        self.planned.system.iter().position(|table| table.name == REGISTER)
    }

    /// Whether a table is cut by time.
    pub fn is_cut(&self) -> bool {
        self.cuts.iter().any(Option::is_some)
    }

    /// Whether rows of some entity are placed without a decision, with marks where something follows.
    pub(crate) fn places(&self) -> bool {
        self.entities.iter().any(|entity| entity.source.hidden.is_none())
    }

    /// For how long a repeated request has one effect.
    pub(crate) fn retries_ms(&self) -> i64 {
        self.planned.horizons.retries_ms
    }

    /// How late a placement may arrive, where that is stated.
    pub(crate) fn late_ms(&self) -> Option<i64> {
        self.planned.horizons.late_ms
    }

    /// How long removed and expired rows are remembered.
    pub(crate) fn grace_ms(&self) -> i64 {
        self.planned.horizons.grace_ms
    }
}

impl Projection {
    /// Whether a row's identity alone says whether and where it stands.
    fn is_fixed_by(&self, identity: &[usize]) -> bool {
        let known = |part: &KeyPart| match part {
            KeyPart::Field(field) | KeyPart::IsAbsent(field) | KeyPart::Flagged(field) | KeyPart::Bucket(_, field) => {
                identity.contains(field)
            }
            KeyPart::All => true,
        };
        self.filter.is_none() && self.key.iter().all(known)
    }
}

impl Source {
    /// The table as a list of its own rows, where they are placed.
    fn as_list(&self) -> Projection {
        Projection {
            table: self.table,
            key: self.key.clone(),
            own: Vec::new(),
            copies: Vec::new(),
            columns: self.columns.clone(),
            flags: Vec::new(),
            filter: None,
            shows_version: true,
        }
    }

    /// Gives a row the fields that its key says.
    pub(crate) fn fill(&self, key: &[Value<'static>], values: &mut [Value<'static>]) {
        for (part, value) in self.key.iter().zip(key) {
            if let Some(field) = part.field() {
                values[field] = value.clone();
            }
        }
    }

    /// The fields of its key.
    pub(crate) fn fields(&self) -> impl Iterator<Item = usize> {
        self.key.iter().filter_map(|part| part.field())
    }
}

impl EntityPlan {
    pub(crate) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|(known, _)| known == name)
    }

    /// All lists of its rows.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &Projection> {
        self.projections.iter().chain(self.indexes.iter().map(|index| &index.list))
    }

    /// The list that the engine keeps in a table.
    pub(crate) fn index(&self, table: usize) -> Option<&Index> {
        self.indexes.iter().find(|index| index.list.table == table)
    }

    /// The identity within its tenant.
    pub(crate) fn own_key(&self) -> &[usize] {
        &self.key[usize::from(self.tenant.or(self.only).is_some())..]
    }

    /// The key of its row in the source table.
    pub(crate) fn source_key(&self, record: &Record) -> Vec<Value<'static>> {
        self.source_key_in(&record.values)
    }

    /// The same of a row with these values.
    pub(crate) fn source_key_in(&self, values: &[Value<'static>]) -> Vec<Value<'static>> {
        let component = |part: &KeyPart| match *part {
            KeyPart::Bucket(step, field) => {
                bucket_of(step, &values[field], &self.fields[field].1).unwrap_or(Value::Null)
            }
            part => part.field().map_or(ALL, |field| values[field].clone()),
        };
        self.source.key.iter().map(component).collect()
    }

    /// The same of one whose identity is known.
    pub(crate) fn source_key_of(&self, identity: &[Value<'static>]) -> Vec<Value<'static>> {
        let mut values = vec![Value::Null; self.fields.len()];
        for (field, value) in self.key.iter().zip(identity) {
            values[*field] = value.clone();
        }
        self.source_key_in(&values)
    }

    /// Who it is, by the key of its row in the source table.
    pub(crate) fn identity_of(&self, source_key: &[Value<'static>]) -> Vec<Value<'static>> {
        let mut values = vec![Value::Null; self.fields.len()];
        self.source.fill(source_key, &mut values);
        self.key.iter().map(|field| values[*field].clone()).collect()
    }

    /// By how many columns reservations name their owner. The only row of a tenant has no key, but either holds a value or not.
    pub(crate) fn owner_columns(&self) -> usize {
        self.own_key().len().max(1)
    }

    /// Who it is, as reservations name their owner.
    pub(crate) fn identity(&self, record: &Record) -> Vec<Value<'static>> {
        self.key.iter().map(|field| record.values[*field].clone()).collect()
    }
}

/// How each table is cut, Keyloom's own first.
fn cuts(planned: &keyloom_plan::Program) -> Vec<Option<Cut>> {
    let cut = |laid: &keyloom_model::layout::Table| {
        let (step, _) = laid.partition.bucket()?;
        let is_bucket = |part: &Part| matches!(part, Part::Bucket(..));
        laid.partition.parts().iter().position(is_bucket).map(|at| Cut { at, step })
    };
    std::iter::repeat_n(None, planned.system.len()).chain(planned.layout.tables.iter().map(cut)).collect()
}

/// An expression that a plan evaluates, with the kind it is to have.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
}
