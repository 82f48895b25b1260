use keyloom_value::{Kind, key::Part};
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// A moment, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Millis(pub i64);

impl Millis {
    /// This moment, so many milliseconds later.
    #[must_use]
    pub fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// A table, by the handle that its store gave it; valid as long as the store is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

/// What the rows of a table obey. A store refuses the other verbs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discipline {
    /// Changed only by `decide`, as the row it is about or as another that it decides along.
    Decided,
    /// Changed only as a rider of a decision.
    Carried,
    /// Changed only by `place`, alone or as a rider.
    Placed,
    /// Kept by the engine from a decided table; never written.
    Indexed {
        /// The decided table.
        of: String,
    },
}

/// A table as it is defined: native columns, nothing about entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Unique among the tables of a store.
    pub name: String,
    /// What its rows obey.
    pub discipline: Discipline,
    /// Which rows lie together; at least one.
    pub partition: Vec<Column>,
    /// In which order they lie there; none when a partition is one row.
    pub sort: Vec<SortColumn>,
    /// The other columns. The first group is the root: a row is there when its root is. Only a placed table may have
    /// more, each with versions of its own.
    pub groups: Vec<Group>,
    /// For how long after it was placed or removed a row fences older placements, though it is not there any more.
    pub grace_ms: i64,
    /// Rows are written once and end so long after: a hint for the engine, never a promise. It may be given, changed and
    /// taken back while a table is there; what a store made of it stays as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_ms: Option<i64>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Unique in its table.
    pub name: String,
    /// What stands in it.
    pub kind: Kind,
}

/// A column of the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortColumn {
    /// Unique in its table.
    pub name: String,
    /// What stands in it.
    pub kind: Kind,
    /// Largest first.
    pub descending: bool,
}

/// Columns that change together and have one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// In the order of their positions. Columns are only ever added at the end.
    pub columns: Vec<Column>,
}

/// Where a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnAt {
    /// In the key, counted over partition and sort columns.
    Key(usize),
    /// In a group.
    Cell {
        /// Which group.
        group: usize,
        /// Which of its columns.
        column: usize,
    },
}

/// A table that was looked through and is sound, with what every call needs at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    table: Table,
    parts: Vec<Part>,
}

impl Shape {
    /// Looks a table through.
    ///
    /// # Errors
    /// `Refused` when it is not sound by itself: without a key, with a key that has no order, with a name used twice.
    pub fn of(table: Table) -> Result<Self, Fault> {
        let refuse = |what: String| Err(Fault::refused(format!("table `{}`: {what}", table.name)));
        let parts: Vec<Part> = table
            .partition
            .iter()
            .map(|column| Part::ascending(column.kind.clone()))
            .chain(table.sort.iter().map(|column| Part { kind: column.kind.clone(), descending: column.descending }))
            .collect();
        if table.name.is_empty() || table.name.len() > 200 {
            return refuse("a name has 1 to 200 bytes".into());
        }
        if table.partition.is_empty() {
            return refuse("it has no partition key".into());
        }
        if let Some(part) = parts.iter().find(|part| !part.kind.is_ordered()) {
            return refuse(format!("{} can't stand in a key: it has no order", part.kind.word()));
        }
        let kinds = parts.iter().map(|part| &part.kind);
        let kinds = kinds.chain(table.groups.iter().flat_map(|group| group.columns.iter().map(|column| &column.kind)));
        if let Some(what) = kinds.map(Kind::unsound).find_map(|unsound| unsound) {
            return refuse(what);
        }
        if table.groups.is_empty() {
            return refuse("it has no group of columns".into());
        }
        if table.groups.len() > 1 && table.discipline != Discipline::Placed {
            return refuse("only a placed table has several column groups".into());
        }
        if table.groups.len() > 16 || table.groups.iter().any(|group| group.columns.len() > 2_000) {
            return refuse("at most 16 groups of 2,000 columns".into());
        }
        if table.grace_ms < 0 {
            return refuse("grace is negative".into());
        }
        if table.lifetime_ms.is_some_and(|lifetime| lifetime <= 0) {
            return refuse("rows that end before they are written".into());
        }
        let mut names: Vec<&str> = table.column_names().collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return refuse(format!("two columns are called `{}`", twice[0]));
        }
        Ok(Self { table, parts })
    }

    /// The table, without what was made ready.
    pub fn into_table(self) -> Table {
        self.table
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The components of a whole key: partition, then sort.
    pub fn key_parts(&self) -> &[Part] {
        &self.parts
    }

    /// The components of the partition key.
    pub fn partition_parts(&self) -> &[Part] {
        &self.parts[..self.table.partition.len()]
    }

    /// The components of the sort key.
    pub fn sort_parts(&self) -> &[Part] {
        &self.parts[self.table.partition.len()..]
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<ColumnAt> {
        if let Some(at) = self.table.key_names().position(|key| key == name) {
            return Some(ColumnAt::Key(at));
        }
        self.table.groups.iter().enumerate().find_map(|(group, columns)| {
            let column = columns.columns.iter().position(|column| column.name == name)?;
            Some(ColumnAt::Cell { group, column })
        })
    }

    /// What stands in a column.
    pub fn kind(&self, at: ColumnAt) -> Option<&Kind> {
        match at {
            ColumnAt::Key(at) => self.parts.get(at).map(|part| &part.kind),
            ColumnAt::Cell { group, column } => {
                self.table.groups.get(group)?.columns.get(column).map(|column| &column.kind)
            }
        }
    }
}

impl Table {
    /// The names of the key's columns: partition, then sort.
    pub fn key_names(&self) -> impl Iterator<Item = &str> {
        self.partition
            .iter()
            .map(|column| column.name.as_str())
            .chain(self.sort.iter().map(|column| column.name.as_str()))
    }

    /// The names of all columns: key, then groups.
    pub fn column_names(&self) -> impl Iterator<Item = &str> {
        self.key_names()
            .chain(self.groups.iter().flat_map(|group| group.columns.iter().map(|column| column.name.as_str())))
    }
}
