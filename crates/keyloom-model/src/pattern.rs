use crate::expr::{Expr, Path, Root};
use crate::quantity::{Distribution, Frequency, Share, TimeSpan};
use crate::types::Type;

/// One named operation, read or write; also one endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// `snake_case`.
    pub name: String,
    /// A worker's pattern that crosses tenants: `tenant: all`.
    pub all_tenants: bool,
    /// What it does.
    pub action: Action,
    /// What a caller sends, in the order of first use.
    pub inputs: Vec<Input>,
    /// Natural idempotency: one effect for each value of these inputs.
    pub once_per: Vec<String>,
    /// How often.
    pub rate: Frequency,
    /// The p99 target.
    pub latency: Option<TimeSpan>,
    /// How unevenly calls fall on groups.
    pub skew: Option<Skew>,
    /// Words for people.
    pub doc: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
}

/// What a pattern does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `get`, `list`, `count`
    Read(Read),
    /// `create`, `put`, `update`, `delete`
    Write(Write),
    /// `claim`
    Claim(Claim),
    /// `atomic`
    Atomic(Vec<Step>),
    /// `outside`: knowingly served elsewhere, with the reason.
    Outside(String),
}

impl Pattern {
    /// The rows it reads or takes, if it does.
    pub fn selection(&self) -> Option<&Selection> {
        match &self.action {
            Action::Read(read) => Some(&read.selection),
            Action::Claim(claim) => Some(&claim.selection),
            _ => None,
        }
    }

    /// The read, if it is one.
    pub fn read(&self) -> Option<&Read> {
        match &self.action {
            Action::Read(read) => Some(read),
            _ => None,
        }
    }

    /// All single writes in it: itself, or the writing steps of an atomic, each with its path below the pattern.
    pub fn writes(&self) -> Vec<(String, &Write)> {
        match &self.action {
            Action::Write(write) => vec![(format!("patterns.{}", self.name), write)],
            Action::Atomic(steps) => steps
                .iter()
                .enumerate()
                .filter_map(|(at, step)| match step {
                    Step::Write { write, .. } => Some((format!("patterns.{}.atomic.{at}", self.name), write)),
                    Step::Check { .. } => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it looks at who calls it: `$caller`.
    pub fn looks_at_caller(&self) -> bool {
        let is_caller = |expr: &Expr| {
            let mut found = false;
            expr.walk(&mut |part| found |= matches!(part, Expr::Input { name, .. } if name == "caller"));
            found
        };
        let selects = |selection: &Selection| {
            selection.filter.iter().chain(selection.by.items().iter().map(|item| &item.value)).any(is_caller)
        };
        let writes = |write: &Write| {
            let values = write.by.iter().map(|item| &item.value);
            let values = values.chain(write.assignments.iter().map(|assignment| &assignment.value));
            values.chain(write.conditions.iter().map(|condition| &condition.test)).any(is_caller)
        };
        self.selection().is_some_and(selects)
            || self.read().is_some_and(|read| read.with.iter().any(|with| selects(&with.read.selection)))
            || self.writes().iter().any(|(_, write)| writes(write))
    }
}

/// What a caller sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Without the `$`.
    pub name: String,
    /// Of one value.
    pub ty: Type,
    /// May be left out.
    pub optional: bool,
    /// A list of at most so many values.
    pub list_max: Option<u64>,
}

/// `get`, `list`, `count`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum ReadVerb {
    Get,
    List,
    Count,
}

impl ReadVerb {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Count => "count",
        }
    }
}

/// Which rows: entity, group, filter, order.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The entity.
    pub entity: String,
    /// The group that is read.
    pub by: By,
    /// Which rows of it.
    pub filter: Option<Expr>,
    /// In which orders; several are an input `order`.
    pub orders: Vec<Order>,
    /// How wide a range or how far back.
    pub span: Option<Distribution<TimeSpan>>,
    /// The share of read rows that pass the remaining filters.
    pub matches: Option<Share>,
    /// Rows of the group, stated for this pattern alone.
    pub group: Option<Distribution<u64>>,
}

/// The group that is read.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// Everything.
    All,
    /// The rows with these values.
    Fields(Vec<ByItem>),
}

impl By {
    /// The own fields that it fixes. A path over a reference fixes a field of the other row, and none of this one.
    pub fn own_fields(&self) -> Vec<&str> {
        self.items().iter().filter(|item| item.path.root == Root::Own).map(|item| item.path.field.as_str()).collect()
    }

    /// Its `field = value` items; none for `all`.
    pub fn items(&self) -> &[ByItem] {
        match self {
            Self::All => &[],
            Self::Fields(items) => items,
        }
    }
}

/// One `field = value` of `by`.
#[derive(Debug, Clone, PartialEq)]
pub struct ByItem {
    /// The field, or a path over one reference.
    pub path: Path,
    /// Its value.
    pub value: Expr,
}

/// A named order; the name is empty when there is only one.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// Its name, or nothing.
    pub name: String,
    /// Most significant first; the key follows as the tie-break.
    pub items: Vec<OrderItem>,
}

/// One item of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderItem {
    /// What is ordered by.
    pub path: Path,
    /// In which direction.
    pub direction: Direction,
    /// Rows without it come last.
    pub nulls_last: bool,
}

/// `asc`, `desc`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Direction {
    Ascending,
    Descending,
}

/// How many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// So many per page, any number of pages.
    Page(u64),
    /// The first so many and no more.
    First(u64),
}

impl Limit {
    /// The rows of a page where nothing is stated.
    pub const ASSUMED_ROWS: u64 = 100;
}

/// A read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Which kind.
    pub verb: ReadVerb,
    /// Which rows.
    pub selection: Selection,
    /// How many rows; pages of 100 unless stated.
    pub limit: Option<Limit>,
    /// Which fields.
    pub returns: Returns,
    /// Other lists in the same answer.
    pub with: Vec<With>,
    /// One hop over an edge.
    pub through: Option<Through>,
    /// The first row of each value.
    pub one_per: Vec<String>,
    /// How old the answer may be; 5 s unless stated.
    pub freshness: Option<Freshness>,
    /// What a reader may see of a row that moves.
    pub while_moving: WhileMoving,
    /// Many keys in one call.
    pub batch: Option<u64>,
    /// A count stops here.
    pub up_to: Option<u64>,
    /// False: an estimate will do.
    pub exact: bool,
}

/// Which fields a pattern returns.
#[derive(Debug, Clone, PartialEq)]
pub enum Returns {
    /// Not stated: all own fields but large ones (reads), key and version (writes).
    Default,
    /// All own fields.
    All,
    /// The row as it was before the write.
    Before,
    /// The row as it is after the write.
    After,
    /// These.
    Paths(Vec<Path>),
}

/// Another list in the same answer.
#[derive(Debug, Clone, PartialEq)]
pub struct With {
    /// Its name in the answer.
    pub name: String,
    /// The list; its `by` is the reference that joins it.
    pub read: Read,
}

/// `through: Follow.followee_id = author_id`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Through {
    /// The edge entity.
    pub entity: String,
    /// Its field that points to what is listed.
    pub edge_field: String,
    /// The listed entity's field it is equal to.
    pub field: String,
}

/// How old an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing acknowledged is missed.
    Latest,
    /// Nothing that this caller wrote is missed.
    ReadYourWrites,
    /// At most so old.
    Within(TimeSpan),
}

/// What a reader may see of a row that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhileMoving {
    /// The row twice.
    #[default]
    Duplicate,
    /// The row not at all.
    Hole,
}

/// How unevenly calls fall on groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Skew {
    /// The share of calls that the busiest group takes.
    Busiest(Share),
    /// The exponent of a Zipf distribution, in thousandths.
    Zipf(u32),
}

/// `create put update delete`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum WriteVerb {
    Create,
    Put,
    Update,
    Delete,
}

impl WriteVerb {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Put => "put",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// A write of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Which kind.
    pub verb: WriteVerb,
    /// Of which entity.
    pub entity: String,
    /// Which row: the key or a unique; nothing for `create` and `put`.
    pub by: Vec<ByItem>,
    /// Fields that the body holds.
    pub takes: Vec<String>,
    /// `set`, `add`, `remove`, `append`
    pub assignments: Vec<Assignment>,
    /// A patch: any of these may be sent.
    pub any_of: Vec<String>,
    /// What must hold, and the answer when it does not.
    pub conditions: Vec<Condition>,
    /// Many in one call.
    pub batch: Option<u64>,
    /// The event it emits.
    pub emits: Option<String>,
    /// Which fields it answers with.
    pub returns: Returns,
    /// `put`: keeps the row whose field is larger.
    pub newest: Option<String>,
    /// `update`: makes the row if it is not there.
    pub or_create: bool,
}

/// One change of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// What is changed.
    pub path: Path,
    /// How.
    pub change: Change,
    /// The value.
    pub value: Expr,
}

impl Assignment {
    /// Whether a second, equal write changes the row again: `stock - $n` and an append do, `max(best, $score)` does not.
    pub fn adds_up(&self) -> bool {
        let mut counts = false;
        self.value.walk(&mut |part| {
            counts |= matches!(part, Expr::Arithmetic(..)) && part.paths().contains(&&self.path);
        });
        counts || self.change == Change::Append
    }
}

/// How a field is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Change {
    Set,
    Add,
    Remove,
    Append,
}

/// What must hold, and the answer when it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The test, over the target row alone.
    pub test: Expr,
    /// The reason given; `condition` unless named.
    pub reason: String,
}

/// Takes the first rows of a list and hides them for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Which rows.
    pub selection: Selection,
    /// How many at most.
    pub up_to: u64,
    /// For how long.
    pub lease: TimeSpan,
    /// Which fields.
    pub returns: Returns,
}

/// One step of an atomic.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A write.
    Write {
        /// Done for each item of a list.
        each: Option<Each>,
        /// The write.
        write: Write,
    },
    /// A look at another row.
    Check {
        /// Done for each item of a list.
        each: Option<Each>,
        /// The entity.
        entity: String,
        /// Which row.
        by: Vec<ByItem>,
        /// What must hold.
        conditions: Vec<Condition>,
    },
}

/// `each: l in $lines max 50`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each {
    /// The name of one item.
    pub item: String,
    /// The list input.
    pub input: String,
    /// How many at most.
    pub max: u64,
}
