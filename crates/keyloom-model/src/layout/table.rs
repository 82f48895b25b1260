use crate::class::Class;
use crate::expr::{self, Expr};
use crate::pattern::Direction;
use crate::quantity::{Rate, TimeSpan, TimeUnit};

/// A table: what its rows are and where they stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// `snake_case`; the engine may add to it.
    pub name: String,
    /// What its rows are.
    pub holds: Holds,
    /// It crosses tenants, so that the tenant is no part of its partition: `tenants: all`.
    pub all_tenants: bool,
    /// Only these rows; the same for every caller at every moment.
    pub filter: Option<Expr>,
    /// Which rows stand together.
    pub partition: Partition,
    /// In which order they stand there; empty where a partition is one row.
    pub sort: Vec<SortItem>,
    /// What a row holds beside its key; `None` where it is not stated.
    pub columns: Option<Vec<String>>,
    /// What a row holds of rows that it points to.
    pub copies: Vec<Copied>,
    /// When a group grows out of one partition; `None` for never.
    pub spread: Option<Spread>,
    /// What goes when rows end; `None` where it is not stated.
    pub expires: Option<WhenExpired>,
}

impl Table {
    /// The longest name: every engine takes it, with an epoch behind it.
    pub const NAME_MAX: usize = 44;
}

/// What the rows of a table are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holds {
    /// `source: Task`: the truth about an entity, a history, an event, a rollup.
    Source {
        /// The entity.
        entity: String,
        /// By which discipline it is written, where that is stated.
        class: Option<Class>,
        /// How its values follow their rows; nothing is stated but for a rollup.
        upkeep: Upkeep,
    },
    /// `of: Task`: rows of an entity in another order, or some of them.
    Projection {
        /// The entity.
        entity: String,
        /// Who keeps it.
        keeper: Keeper,
    },
    /// `reserves: User.email_taken`: who holds a value.
    Reservations {
        /// The entity.
        entity: String,
        /// The name of its unique.
        unique: String,
    },
    /// `keeps: Case.open_tasks`: a kept value of each row.
    Kept {
        /// The entity.
        entity: String,
        /// Its kept field.
        field: String,
        /// How it follows the rows it is kept from.
        upkeep: Upkeep,
    },
    /// `counts: Case.open_tasks`: what each row contributes to a kept value.
    Contributions(Counted),
    /// `newest: Reading`: the first row of each value.
    Newest {
        /// The entity.
        entity: String,
    },
    /// `numbers: Ticket.no`: the last number of a sequence.
    Numbers {
        /// The entity.
        entity: String,
        /// Its numbered field.
        field: String,
    },
}

/// What contributions are counted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counted {
    /// A kept field.
    Field {
        /// The entity.
        entity: String,
        /// Its kept field.
        field: String,
    },
    /// All values of a rollup.
    Rollup(String),
}

/// How a kept value follows the rows it is kept from, as far as that is stated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upkeep {
    /// The way.
    pub way: Option<Way>,
    /// The table that is counted again.
    pub from: Option<String>,
    /// How often it is counted again.
    pub every: Option<TimeSpan>,
}

/// A word of the layout that stands for one of a few things.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// How it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

words! {
    /// Who keeps a projection.
    Keeper {
        /// The decision that changes the source carries it.
        Carried => "carried",
        /// It is placed after the decision, from the row that was decided.
        Placed => "placed",
        /// The engine, as an index.
        Index => "index",
    }
}

words! {
    /// How a kept value follows the rows it is kept from.
    Way {
        /// Changed by the decision that feeds it.
        Rider => "rider",
        /// Placed; the value itself is the version.
        Newest => "newest",
        /// The group is read and counted again.
        Recount => "recount",
    }
}

words! {
    /// How a copy of another row's field follows that row.
    CopyRule {
        /// The copy has a version of its own; for a reference that never changes.
        Copy => "copy",
        /// A change of the other row decides this one anew.
        Touch => "touch",
    }
}

words! {
    /// A step of time that cuts a field into buckets.
    Bucket {
        /// Of a timestamp or uuid7.
        Hour => "hour",
        /// Of a timestamp, date or uuid7.
        Day => "day",
        /// Of a timestamp, date or uuid7.
        Month => "month",
        /// Of a timestamp, date or uuid7.
        Year => "year",
    }
}

impl Bucket {
    /// How long a step is.
    pub fn unit(self) -> TimeUnit {
        match self {
            Self::Hour => TimeUnit::Hour,
            Self::Day => TimeUnit::Day,
            Self::Month => TimeUnit::Month,
            Self::Year => TimeUnit::Year,
        }
    }
}

words! {
    /// What goes when rows end.
    WhenExpired {
        /// Each row by itself.
        Row => "row",
        /// A bucket, when all its rows have ended.
        WholeBuckets => "whole buckets",
    }
}

/// Which rows stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partition {
    /// `[all]`: all of them.
    All,
    /// Those with the same values of these.
    By(Vec<Part>),
}

impl Partition {
    /// Its parts; none for `all`.
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::All => &[],
            Self::By(parts) => parts,
        }
    }

    /// The step by which it is cut, and the field, where it is.
    pub fn bucket(&self) -> Option<(Bucket, &str)> {
        self.parts().iter().find_map(|part| match part {
            Part::Bucket(step, field) => Some((*step, field.as_str())),
            Part::Field(_) => None,
        })
    }
}

/// One component of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A field.
    Field(String),
    /// `month(at)`: the step of time in which a field lies.
    Bucket(Bucket, String),
}

impl Part {
    /// The field it is made from.
    pub fn field(&self) -> &str {
        match self {
            Self::Field(field) | Self::Bucket(_, field) => field,
        }
    }
}

/// One component of the order within a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortItem {
    /// The field.
    pub field: String,
    /// In which direction.
    pub direction: Direction,
    /// Rows without it are there too, and come last.
    pub nulls_last: bool,
}

/// A copy of a field of a row that this one points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// `case.title`
    pub path: expr::Path,
    /// How it follows the other row.
    pub rule: CopyRule,
}

/// When a group grows out of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// At so many rows.
    pub rows: Option<u64>,
    /// At so many reads.
    pub reads: Option<Rate>,
    /// Over so many partitions and no more.
    pub at_most: u64,
}
