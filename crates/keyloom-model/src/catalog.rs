use crate::date::Date;
use crate::expr::{Expr, Path};
use crate::pattern::Pattern;
use crate::quantity::{Distribution, Rate, Share, TimeSpan};
use crate::types::Type;

/// What an application asks for: entities and access patterns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    /// Its name.
    pub name: String,
    /// The security domain, implied first in every key.
    pub tenant: Option<Tenant>,
    /// The day for which volumes are stated.
    pub as_of: Option<Date>,
    /// The horizon in which a repeated idempotency key has one effect; 24 hours unless stated.
    pub retries: Option<TimeSpan>,
    /// False: there are readers or writers outside this catalog.
    pub complete: bool,
    /// Named structs.
    pub types: Vec<Struct>,
    /// Entities as declared, then rollups, histories and events, which are read like any other.
    pub entities: Vec<Entity>,
    /// Named operations.
    pub patterns: Vec<Pattern>,
    /// The same catalog under another mix.
    pub scenarios: Vec<Scenario>,
    /// Findings that the authors know and accept.
    pub allows: Vec<Allow>,
}

impl Catalog {
    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern of that name.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }

    /// The struct of that name.
    pub fn struct_type(&self, name: &str) -> Option<&Struct> {
        self.types.iter().find(|ty| ty.name == name)
    }
}

/// The tenant: its value comes from the caller's identity, never from the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenant {
    /// The field that every tenant's row has.
    pub field: String,
    /// Its type; uuid unless stated.
    pub ty: Type,
    /// How many tenants there are.
    pub count: Option<u64>,
    /// The part of all data and calls that the busiest one has.
    pub busiest: Option<Share>,
}

/// A named struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Struct {
    /// `Singular`.
    pub name: String,
    /// Name, type, and whether it may be absent.
    pub members: Vec<(String, Type, bool)>,
}

/// Where an entity comes from.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a catalog has few entities, and a box would be in every reader's way")]
pub enum Origin {
    /// Written down under `entities`.
    Declared,
    /// Written down, but fed by another system: `source: elsewhere`.
    Elsewhere,
    /// Kept from another entity: `rollups`.
    Rollup(Rollup),
    /// The `history` of an entity.
    History {
        /// Whose history.
        of: String,
    },
    /// What a write `emits`.
    Event {
        /// The entity that the write changes.
        of: String,
    },
}

/// A thing with identity, fields, sizes, volume, retention.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// `Singular`.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Belongs to one tenant each; false for `tenant: none` and in catalogs without tenants.
    pub per_tenant: bool,
    /// Identity, without the tenant; empty for a singleton.
    pub key: Vec<String>,
    /// In the order written.
    pub fields: Vec<Field>,
    /// How many rows there are and how many come.
    pub volume: Option<Volume>,
    /// How many rows are read together.
    pub groups: Vec<Group>,
    /// The entity it is a part of; deleted with it.
    pub part_of: Option<String>,
    /// Never updated, never deleted.
    pub append_only: bool,
    /// Values that only one row may have.
    pub unique: Vec<Unique>,
    /// Allowed changes of enumerated fields.
    pub states: Vec<States>,
    /// When rows end; `None` when nothing is said.
    pub expires: Option<Expiry>,
    /// Which fields' changes are kept.
    pub history: Option<History>,
    /// How long copies of a field may differ.
    pub drift: Vec<Drift>,
    /// Fields that never appear in logs, metrics, diagrams or findings.
    pub secret: Vec<String>,
    /// Words for people.
    pub doc: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
}

impl Entity {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// What every row has without its being written down, and whether it may be absent.
    pub fn built_in(name: &str) -> Option<(Type, bool)> {
        match name {
            "version" => Some((Type::Int, false)),
            "created" | "updated" => Some((Type::Timestamp { micros: false }, false)),
            "lease" => Some((Type::Timestamp { micros: false }, true)),
            _ => None,
        }
    }

    /// Whether these fields identify one row at most: they hold the key or, without condition, a unique.
    pub fn identified_by(&self, fields: &[&str]) -> bool {
        let holds = |wanted: &[String]| wanted.iter().all(|name| fields.contains(&name.as_str()));
        holds(&self.key) || self.unique.iter().any(|unique| unique.filter.is_none() && holds(&unique.fields))
    }

    /// Whether these fields, among the rows that pass a filter, identify one row at most: a unique may hold for a part of
    /// the rows only.
    pub fn identified_among(&self, fields: &[&str], filter: Option<&Expr>) -> bool {
        let tests = filter.map_or(&[][..], Expr::conjuncts);
        self.identified_by(fields)
            || self.unique.iter().any(|unique| {
                unique.fields.iter().all(|name| fields.contains(&name.as_str()))
                    && unique.filter.iter().flat_map(Expr::conjuncts).all(|test| tests.contains(test))
            })
    }

    /// The fields of this entity that together point to one row of another, each with the key field it equals. The other
    /// fields of a composite key stand here under the same names.
    pub fn join<'a>(&'a self, reference: &'a Field, to: &'a Entity) -> Vec<(&'a str, &'a str)> {
        let pointed = to.key.iter().find(|key| **key == reference.name).or(to.key.last());
        to.key
            .iter()
            .map(|key| (if Some(key) == pointed { reference.name.as_str() } else { key.as_str() }, key.as_str()))
            .collect()
    }

    /// Whether the catalog's authors write it down themselves.
    pub fn is_declared(&self) -> bool {
        matches!(self.origin, Origin::Declared | Origin::Elsewhere)
    }
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// `snake_case`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// May be absent.
    pub optional: bool,
    /// What it points to.
    pub reference: Option<Reference>,
    /// What fills it, where nobody sends it.
    pub fill: Fill,
}

/// What a field points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The other entity.
    pub entity: String,
    /// Checked when written.
    pub must_exist: bool,
}

/// What fills a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// Nothing: it is sent.
    Taken,
    /// `= OPEN`: when it is not sent.
    Default(Expr),
    /// `= new`: a fresh identity, unless sent.
    New,
    /// `= now on write`: with every write.
    NowOnWrite,
    /// `= next per queue`: a sequence.
    Next {
        /// One sequence for each value of these.
        per: Vec<String>,
    },
    /// `= lower(email)`: from its own row, always.
    Derived(Expr),
    /// `= product.price at create`: copied once.
    Snapshot(Path),
    /// `= count of Bid`: follows other rows.
    Kept(Kept),
}

/// `count sum avg min max last first`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Aggregate {
    Count,
    Sum,
    Average,
    Min,
    Max,
    Last,
    First,
}

impl Aggregate {
    /// All aggregates.
    pub const ALL: [Self; 7] = [Self::Count, Self::Sum, Self::Average, Self::Min, Self::Max, Self::Last, Self::First];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Average => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::Last => "last",
            Self::First => "first",
        }
    }
}

/// A value kept from rows of another entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// What is kept.
    pub aggregate: Aggregate,
    /// Of which entity.
    pub entity: String,
    /// The other entity's reference to this one.
    pub through: String,
    /// Of which field; none for a count.
    pub field: Option<String>,
    /// In which order, for `last` and `first`.
    pub by: Option<String>,
    /// Of which rows; its names belong to the other entity.
    pub filter: Option<Expr>,
}

/// How many rows there are and how many come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// On the day `as_of`.
    pub rows: Option<u64>,
    /// New rows.
    pub growth: Option<Rate>,
}

/// Rows that are read together, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// One group for each value of these; empty for `all`.
    pub by: Vec<String>,
    /// Only these rows.
    pub filter: Option<Expr>,
    /// How many.
    pub rows: Distribution<u64>,
}

/// Values that only one row may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Unique {
    /// The reason a write gives when the value is taken.
    pub name: String,
    /// The fields.
    pub fields: Vec<String>,
    /// Only among these rows.
    pub filter: Option<Expr>,
}

/// The allowed changes of an enumerated field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// The field.
    pub field: String,
    /// From, to.
    pub changes: Vec<(String, String)>,
}

/// When rows end.
#[derive(Debug, Clone, PartialEq)]
pub enum Expiry {
    /// `forever`: somebody decided that they stay.
    Forever,
    /// At the moment this expression gives.
    At(Expr),
}

/// Which fields' changes are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The fields.
    pub of: Vec<String>,
    /// For how long; `None` for ever.
    pub keep: Option<TimeSpan>,
}

/// How long a copy of a field in rows of another entity may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The field.
    pub field: String,
    /// The longest; `None` for `never`.
    pub at_most: Option<TimeSpan>,
}

/// An entity kept from another.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollup {
    /// The entity it is kept from.
    pub of: String,
    /// One row for each value of these, and each step of time.
    pub by: Vec<String>,
    /// The step, the timestamp it is cut from, and the name of the field that holds its start.
    pub every: Option<(TimeSpan, String, String)>,
    /// What is kept.
    pub values: Vec<RollupValue>,
    /// Only these rows.
    pub filter: Option<Expr>,
    /// How late a row may come and still be counted.
    pub late: Option<TimeSpan>,
    /// How old it may be.
    pub freshness: Option<TimeSpan>,
}

/// One value of a rollup.
#[derive(Debug, Clone, PartialEq)]
pub struct RollupValue {
    /// The field that holds it.
    pub name: String,
    /// What is kept.
    pub aggregate: Aggregate,
    /// Of which field; none for a count.
    pub field: Option<String>,
    /// In which order, for `last` and `first`.
    pub by: Option<String>,
    /// Of which rows.
    pub filter: Option<Expr>,
}

/// The same catalog under another mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Pattern, and its factor in thousandths.
    pub factors: Vec<(String, u64)>,
}

/// A finding that the authors know and accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allow {
    /// The thing it stands on: `patterns.show_timeline`; empty for the file.
    pub on: String,
    /// Its own path, for findings about it.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// Why.
    pub because: String,
    /// The last day on which it holds.
    pub until: Option<Date>,
}
