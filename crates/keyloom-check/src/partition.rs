//! How large a partition of a layout's table may grow, by the catalog's own numbers.

use keyloom_model::layout::{Bucket, Part, Partition, Table};
use keyloom_model::{By, ByItem, Entity, Expr, KnownBy, Path, Selection, TimeSpan, TimeUnit, count_text};

use crate::LayoutContext;
use crate::growth::rows_leave;

/// What nobody ends is looked at over so many years.
pub(crate) const HORIZON: TimeSpan = TimeSpan::new(10, TimeUnit::Year);

/// The rows of a partition.
pub(crate) struct Rows {
    /// Of the largest.
    pub worst: u64,
    /// `4M rows per day x 10 years = 14.6G rows`.
    pub words: String,
    /// Whether the author stated this number of this partition. Else it is a bound: no partition has more.
    pub stated: bool,
    /// Whether nothing ends its growth: then these are the rows after [`HORIZON`].
    pub endless: bool,
}

impl LayoutContext<'_> {
    /// How many rows a partition of a table holds, where the catalog says so.
    pub(crate) fn rows(&self, table: &Table) -> Option<Rows> {
        let rows = self.rows_by(table, bucket(table).map(|(step, _)| step))?;
        let Some(spread) = table.spread else { return Some(rows) };
        // A group that outgrows a partition is divided, as far as the layout allows.
        let parts = spread.at_most.max(1);
        let worst = rows.worst.div_ceil(parts).max(spread.rows.unwrap_or(0).min(rows.worst));
        let words = format!("{}, in up to {parts} parts", rows.words);
        Some(Rows { worst, words, ..rows })
    }

    /// The same, as if time were cut by this step, or not at all.
    pub(crate) fn rows_by(&self, table: &Table, step: Option<Bucket>) -> Option<Rows> {
        let entity = self.entity_of(table)?;
        if table.sort.is_empty() {
            return Some(Rows { worst: 1, words: "1 row".to_owned(), stated: true, endless: false });
        }
        let selection = selection(self, table, entity);
        let size = entity.group_size(&selection)?;
        let worst = size.rows.worst?;
        let exact = match size.known_by {
            KnownBy::SameGroup(_) => true,
            KnownBy::Volume => table.partition == Partition::All && table.filter.is_none(),
            KnownBy::Identity | KnownBy::Pattern | KnownBy::WiderGroup(_) => false,
        };
        let Some(per) = size.rows.per else {
            let words = format!("{} rows", count_text(worst));
            return Some(Rows { worst, words, stated: exact && step.is_none(), endless: false });
        };
        let leaves = rows_leave(self.base, entity, &selection);
        let kept = entity.kept_for();
        let (over, endless) = match (step.map(span_of), kept) {
            (Some(step), _) => (step, false),
            (None, Some(kept)) => (kept, false),
            // Rows that leave in another way keep a group from growing, by how much nobody says.
            (None, None) if leaves => return None,
            (None, None) => (HORIZON, true),
        };
        let times = |rows: u64| {
            let rows = u128::from(rows) * u128::from(over.milliseconds()) / u128::from(per.milliseconds().max(1));
            u64::try_from(rows).unwrap_or(u64::MAX)
        };
        let one = |span: TimeSpan| match span {
            TimeSpan { amount: 1, unit } => unit.name().to_owned(),
            span => span.to_string(),
        };
        let words = format!("{} rows per {} x {over} = {} rows", count_text(worst), one(per), count_text(times(worst)));
        Some(Rows { worst: times(worst), words, stated: exact, endless })
    }
}

/// The time bucket of a table's partition.
pub(crate) fn bucket(table: &Table) -> Option<(Bucket, &str)> {
    table.partition.parts().iter().find_map(|part| match part {
        Part::Bucket(step, field) => Some((*step, field.as_str())),
        Part::Field(_) => None,
    })
}

/// How long a bucket lasts.
pub(crate) fn span_of(step: Bucket) -> TimeSpan {
    let unit = match step {
        Bucket::Hour => TimeUnit::Hour,
        Bucket::Day => TimeUnit::Day,
        Bucket::Month => TimeUnit::Month,
        Bucket::Year => TimeUnit::Year,
    };
    TimeSpan::new(1, unit)
}

/// The rows of one partition, as a catalog would ask for them.
fn selection(context: &LayoutContext<'_>, table: &Table, entity: &Entity) -> Selection {
    let fields = context.parts_beside_tenant(table, entity).into_iter().filter_map(|part| match part {
        Part::Field(field) => Some(field.as_str()),
        Part::Bucket(..) => None,
    });
    let item =
        |field: &str| ByItem { path: Path::own(field), value: Expr::Input { name: field.to_owned(), optional: false } };
    let items: Vec<ByItem> = fields.map(item).collect();
    let by = if items.is_empty() { By::All } else { By::Fields(items) };
    Selection {
        entity: entity.name.clone(),
        by,
        filter: table.filter.clone(),
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    }
}
