//! What is known of the catalog while it is made: enough to know what may be said about it.

use keyloom_model::Type;

use crate::page::Map;
use crate::types;

/// What fills a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fill {
    /// The caller.
    Taken,
    /// `= new`
    New,
    /// A constant, `= now`, or `= next per f`: the caller may send another.
    Default(String),
    /// `= now on write`
    NowOnWrite,
    /// Computed from the row, as it is written.
    Derived(String),
    /// Copied once from another row.
    Snapshot(String),
    /// Follows other rows.
    Kept(String),
}

/// `-> Case must exist`
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) entity: String,
    pub(crate) must_exist: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) optional: bool,
    pub(crate) reference: Option<Reference>,
    pub(crate) fill: Fill,
}

impl Field {
    /// A field that the caller fills.
    pub(crate) fn new(name: impl Into<String>, ty: Type) -> Self {
        Self { name: name.into(), ty, optional: false, reference: None, fill: Fill::Taken }
    }

    pub(crate) fn filled(self, fill: Fill) -> Self {
        Self { fill, ..self }
    }

    /// As it stands behind the field's name.
    pub(crate) fn text(&self) -> String {
        let mut text = types::written(&self.ty);
        if self.optional {
            text.push('?');
        }
        if let Some(reference) = &self.reference {
            text.push_str(&format!(" -> {}", reference.entity));
            if reference.must_exist {
                text.push_str(" must exist");
            }
        }
        match &self.fill {
            Fill::Taken => {}
            Fill::New => text.push_str(" = new"),
            Fill::NowOnWrite => text.push_str(" = now on write"),
            Fill::Snapshot(of) => text.push_str(&format!(" = {of} at create")),
            Fill::Default(of) | Fill::Derived(of) | Fill::Kept(of) => text.push_str(&format!(" = {of}")),
        }
        text
    }

    /// Whether it may stand in keys and orders.
    pub(crate) fn is_ordered(&self) -> bool {
        self.ty.unordered().is_none()
    }

    /// Whether it is sent, set, or made once: nothing else decides it.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.fill, Fill::Taken | Fill::New | Fill::Default(_))
    }

    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.fill, Fill::Kept(_))
    }

    pub(crate) fn is_moment(&self) -> bool {
        matches!(self.ty, Type::Timestamp { .. })
    }

    /// How a path through it begins, if it points anywhere.
    pub(crate) fn path(&self) -> &str {
        self.name.strip_suffix("_id").unwrap_or(&self.name)
    }

    /// Whether a create without a word about it leaves it unfilled.
    pub(crate) fn is_required(&self) -> bool {
        let collects = matches!(self.ty, Type::List(..) | Type::Set(..) | Type::Map(..));
        self.fill == Fill::Taken && !self.optional && !collects
    }
}

/// Where the rows of an entity come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Patterns write them.
    Declared,
    /// `source: elsewhere`
    Elsewhere,
    /// Nobody writes them: rollups, histories, events.
    Followed,
}

#[derive(Debug, Clone)]
pub(crate) struct Unique {
    pub(crate) fields: Vec<String>,
    pub(crate) filter: Option<String>,
}

/// The allowed changes of a field.
#[derive(Debug, Clone)]
pub(crate) struct States {
    pub(crate) field: String,
    pub(crate) changes: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Entity {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    /// All tenants share it.
    pub(crate) shared: bool,
    pub(crate) append_only: bool,
    /// Rows are deleted by some pattern, and their parts with them.
    pub(crate) deleted: bool,
    pub(crate) part_of: Option<String>,
    pub(crate) key: Vec<String>,
    pub(crate) fields: Vec<Field>,
    pub(crate) unique: Vec<Unique>,
    pub(crate) states: Vec<States>,
    /// What it says beyond key and fields, as it is written.
    pub(crate) facets: Map,
}

impl Entity {
    pub(crate) fn new(name: impl Into<String>, origin: Origin, shared: bool) -> Self {
        Self {
            name: name.into(),
            origin,
            shared,
            append_only: origin == Origin::Followed,
            deleted: false,
            part_of: None,
            key: Vec::new(),
            fields: Vec::new(),
            unique: Vec::new(),
            states: Vec::new(),
            facets: Map::default(),
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn is_key(&self, field: &Field) -> bool {
        self.key.contains(&field.name)
    }

    pub(crate) fn key_fields(&self) -> impl Iterator<Item = &Field> {
        self.key.iter().filter_map(|name| self.field(name))
    }

    /// Whether a new field may have this name: paths must stay clear too.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        let base = name.strip_suffix("_id").unwrap_or(name);
        let clashes = |field: &Field| field.name == name || field.path() == base;
        !self.fields.iter().any(clashes)
    }

    /// The fields that point to an entity.
    pub(crate) fn references_to<'a>(&'a self, entity: &'a str) -> impl Iterator<Item = &'a Field> {
        let points = move |field: &&Field| field.reference.as_ref().is_some_and(|to| to.entity == entity);
        self.fields.iter().filter(points)
    }

    /// The allowed changes of a field, if there are rules.
    pub(crate) fn changes(&self, field: &str) -> Option<&[(String, String)]> {
        self.states.iter().find(|states| states.field == field).map(|states| states.changes.as_slice())
    }
}
