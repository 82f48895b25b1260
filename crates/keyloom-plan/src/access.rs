//! Which table answers a question, and how: the only finder. It checks a path that is stated, finds one that is not, says
//! why a table does not serve, and is the designer's test.
//!
//! It looks at shapes, never at volumes: a changed number must not change which table a cursor belongs to.

mod order;
mod partition;

use std::fmt;

use keyloom_model::layout::{Bucket, Holds, Keeper, Layout, Part, SortItem, Table};
use keyloom_model::{Catalog, Entity, Expr, Fill, Freshness, Path, Root};

use crate::question::{Asked, Wants, is_kept};
use crate::stored::is_index;
use crate::test::{Fixed, Test, Within};
use crate::truth::Known;

/// How a question is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// The table.
    pub table: String,
    /// How its rows are reached.
    pub reach: Reach,
    /// What is tested on rows that were read.
    pub remains: Vec<Expr>,
    /// What is looked up for each row: fields of rows that it points to, and kept values.
    pub looks_up: Vec<Path>,
}

/// How rows are reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// One row by its whole key.
    Get {
        /// Each component of the key, in the table's order.
        key: Vec<(String, Fixed)>,
    },
    /// The reservation of a value says whose row it is; that row must still hold the value.
    Via {
        /// The table of reservations.
        reservations: String,
        /// The value, in the order of that table's key.
        value: Vec<(String, Fixed)>,
    },
    /// Rows that stand together.
    Slice(Slice),
}

/// Rows that stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// What fixes each component of the partition; empty where all rows are one.
    pub partition: Vec<Component>,
    /// The first sort components, as far as they are fixed.
    pub equal: Vec<(String, Fixed)>,
    /// The range of the next one; all of these hold.
    pub range: Option<(String, Vec<Within>)>,
    /// Against the order in which rows stand.
    pub backward: bool,
}

/// What fixes a component of a partition.
#[derive(Debug, Clone, PartialEq)]
pub enum Component {
    /// A field is known.
    Field(String, Fixed),
    /// The bucket in which one moment lies.
    Bucket {
        /// The step.
        step: Bucket,
        /// The field that is cut.
        field: String,
        /// Its value.
        to: Fixed,
    },
    /// Every bucket that a range touches.
    Buckets {
        /// The step.
        step: Bucket,
        /// The field that is cut.
        field: String,
        /// The range; without one, all that there are.
        within: Vec<Within>,
    },
}

/// Why a table does not serve a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// It holds nothing of the entity that could answer.
    Other,
    /// It holds only some rows, and nothing says that the question is for them.
    Where(Expr),
    /// Rows without this field have no place in it, and the question is for them too.
    Absent(String),
    /// A component of its partition is not known.
    Partition(String),
    /// Its rows stand in another order.
    Order,
    /// It has no such column.
    Lacks(String),
    /// It follows its source too late.
    Stale(Keeper),
    /// A path in `by` or `order` leads to another row, and no table is keyed by it.
    Elsewhere(Path),
    /// The question wants one row, and its key is not known.
    Key,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => f.write_str("it holds other rows"),
            Self::Where(test) => write!(f, "it holds only rows where `{test}`, which the question does not say"),
            Self::Absent(field) => write!(f, "rows without `{field}` have no place in it, and they are asked for too"),
            Self::Partition(field) => write!(f, "the question does not say `{field}`, which its partition needs"),
            Self::Order => f.write_str("its rows stand in another order"),
            Self::Lacks(field) => write!(f, "it has no `{field}`"),
            Self::Stale(keeper) => write!(f, "its rows are kept by {}, too late for this freshness", keeper.name()),
            Self::Elsewhere(path) => write!(f, "`{path}` is a field of another row"),
            Self::Key => f.write_str("its key is not known to the question"),
        }
    }
}

/// The best table for a question, or why each does not serve.
///
/// # Errors
/// With the reason of each table of the entity.
pub fn best(catalog: &Catalog, layout: &Layout, asked: &Asked) -> Result<Access, Vec<(String, Why)>> {
    let mut why = Vec::new();
    let mut best: Option<((bool, usize, bool), Access)> = None;
    for table in &layout.tables {
        match serve(catalog, layout, asked, table) {
            Ok(access) => {
                // What a caller has seen must be presented to an index, so one that needs no such help comes first.
                let helped = is_index(table) && asked.freshness == Some(Freshness::ReadYourWrites);
                let rank = (!access.remains.is_empty(), access.reach.spread(), helped);
                // The first of equals stays: the order of the layout decides.
                if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                    best = Some((rank, access));
                }
            }
            Err(Why::Other) => {}
            Err(reason) => why.push((table.name.clone(), reason)),
        }
    }
    best.map(|(_, access)| access).ok_or(why)
}

/// How a table answers a question.
///
/// # Errors
/// When it does not, and why.
pub fn serve(catalog: &Catalog, layout: &Layout, asked: &Asked, table: &Table) -> Result<Access, Why> {
    let entity = catalog.entity(&asked.entity).filter(|entity| holds(table, entity)).ok_or(Why::Other)?;
    let newest = matches!(table.holds, Holds::Newest { .. });
    if newest == asked.one_per.is_empty() {
        return Err(Why::Other);
    }
    let known = Known::of(entity, &asked.tests);
    shows_all(catalog, entity, table, &known)?;
    if let Holds::Projection { keeper: keeper @ Keeper::Index, .. } = table.holds
        // What the run time itself asks for decides what is touched, deleted or counted: a row that is missed is missed for good.
        && (asked.freshness == Some(Freshness::Latest) || asked.wants == Wants::All)
    {
        return Err(Why::Stale(keeper));
    }
    // All rows of a group are looked for where they stand together.
    if let Some((_, field)) = table.partition.bucket().filter(|_| asked.wants == Wants::All) {
        return Err(Why::Partition(field.to_owned()));
    }
    let reach = match asked.wants {
        Wants::Row => row(layout, entity, table, asked, &known)?,
        Wants::Rows { .. } | Wants::Count { .. } | Wants::All => {
            Reach::Slice(slice(catalog, entity, table, asked, &known)?)
        }
    };
    let remains = remains(entity, table, asked, &reach);
    let mut access = Access { table: table.name.clone(), reach, remains, looks_up: Vec::new() };
    let tested: Vec<Path> = access.tested(entity).into_iter().map(Path::own).collect();
    for path in tested.iter().chain(&asked.returns) {
        if looks_up(catalog, entity, table, path)? && !access.looks_up.contains(path) {
            access.looks_up.push(path.clone());
        }
    }
    Ok(access)
}

impl Access {
    /// The own fields that are tested on rows that were read.
    pub fn tested(&self, entity: &Entity) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for path in self.remains.iter().flat_map(Expr::paths) {
            let field = path.own_field().filter(|field| entity.field(field).is_some());
            if let Some(field) = field.filter(|field| fields.iter().all(|known| known != field)) {
                fields.push(field.to_owned());
            }
        }
        fields
    }
}

impl Reach {
    /// How many components take several values: what is known of the number of partitions without any number.
    pub fn spread(&self) -> usize {
        let Self::Slice(slice) = self else { return 0 };
        let several = |to: &Fixed| !matches!(to, Fixed::To(_) | Fixed::Tenant);
        let partition = slice.partition.iter().filter(|component| match component {
            Component::Field(_, to) | Component::Bucket { to, .. } => several(to),
            Component::Buckets { .. } => true,
        });
        partition.count() + slice.equal.iter().filter(|(_, to)| several(to)).count()
    }
}

/// Whether rows of this entity stand in a table as they are.
fn holds(table: &Table, entity: &Entity) -> bool {
    match &table.holds {
        Holds::Source { entity: of, .. } | Holds::Projection { entity: of, .. } | Holds::Newest { entity: of } => {
            *of == entity.name
        }
        Holds::Reservations { .. } | Holds::Kept { .. } | Holds::Contributions(_) | Holds::Numbers { .. } => false,
    }
}

/// Looks whether every row that is asked for has a place in the table.
fn shows_all(catalog: &Catalog, entity: &Entity, table: &Table, known: &Known) -> Result<(), Why> {
    for test in table.filter.as_ref().map_or(&[][..], Expr::conjuncts) {
        if !known.implies(entity, test) {
            return Err(Why::Where(test.clone()));
        }
    }
    let parts = table.partition.parts().iter().map(|part| (part.field(), false));
    let sort = table.sort.iter().map(|item| (item.field.as_str(), item.nulls_last));
    for (field, nulls) in parts.chain(sort) {
        let optional = entity.field(field).is_some_and(|field| field.optional);
        if optional && !nulls && !known.is_there(field) {
            return Err(Why::Absent(field.to_owned()));
        }
    }
    // Rows of all tenants stand together; a caller must see its own alone.
    let tenant = catalog.tenant.as_ref().filter(|_| entity.per_tenant);
    match tenant {
        Some(tenant) if table.all_tenants && known.fixed(&tenant.field).is_some() => {
            let field = &tenant.field;
            let first = table.partition.parts().iter().any(|part| part.field() == field);
            if first || table.sort.first().is_some_and(|item| item.field == *field) {
                return Ok(());
            }
            Err(Why::Partition(field.clone()))
        }
        _ => Ok(()),
    }
}

/// The one row whose identity is known.
fn row(layout: &Layout, entity: &Entity, table: &Table, asked: &Asked, known: &Known) -> Result<Reach, Why> {
    if !matches!(table.holds, Holds::Source { .. }) {
        return Err(Why::Other);
    }
    let fixed = |field: &str| Some((field.to_owned(), known.single(field)?.clone()));
    let parts = table.partition.parts().iter().map(Part::field);
    let key: Option<Vec<_>> = parts.chain(table.sort.iter().map(|item| item.field.as_str())).map(fixed).collect();
    if let Some(key) = key {
        return Ok(Reach::Get { key });
    }
    // Of several uniques the one that says most: by a part of the values another row may be found.
    let mut via: Option<(String, Vec<(String, Fixed)>)> = None;
    for other in &layout.tables {
        let Holds::Reservations { entity: of, unique } = &other.holds else { continue };
        let unique = entity.unique.iter().find(|known| *of == entity.name && known.name == *unique);
        let Some(unique) = unique else { continue };
        let filter = unique.filter.iter().flat_map(Expr::conjuncts).all(|test| known.implies(entity, test));
        let value: Option<Vec<_>> = other.partition.parts().iter().map(|part| fixed(part.field())).collect();
        if let Some(value) = value.filter(|_| filter && by_identity(entity, table))
            && via.as_ref().is_none_or(|(_, known)| known.len() < value.len())
        {
            via = Some((other.name.clone(), value));
        }
    }
    if let Some((reservations, value)) = via {
        return Ok(Reach::Via { reservations, value });
    }
    let missing = asked.tests.iter().find_map(|test| match test {
        Test::Remains(Expr::Compare(_, left, _)) => match &**left {
            Expr::Path(path) if path.root != Root::Own => Some(Why::Elsewhere(path.clone())),
            _ => None,
        },
        _ => None,
    });
    Err(missing.unwrap_or(Why::Key))
}

/// Whether a source can be read by the identity of a row alone.
fn by_identity(entity: &Entity, table: &Table) -> bool {
    let mut fields = table.partition.parts().iter().map(Part::field);
    let mut sort = table.sort.iter().map(|item| item.field.as_str());
    let identity = |field: &str| entity.key.iter().any(|key| key == field) || entity.field(field).is_none();
    fields.all(identity) && sort.all(identity)
}

fn slice(catalog: &Catalog, entity: &Entity, table: &Table, asked: &Asked, known: &Known) -> Result<Slice, Why> {
    let partition = partition::components(&table.partition, known)?;
    let ordered = if asked.one_per.is_empty() {
        order::stands(catalog, entity, table, asked, known)?
    } else {
        order::each_value(table, asked, known)?
    };
    // Buckets are read one after the other, so rows come in the order of what is cut.
    let next = table.sort.get(ordered.equal.len()).map(|item| &item.field);
    if partition.iter().any(|part| matches!(part, Component::Buckets { field, .. } if Some(field) != next)) {
        return Err(Why::Order);
    }
    let range = table.sort.get(ordered.equal.len()).and_then(|item| {
        let within = known.within(&item.field);
        (!within.is_empty()).then(|| (item.field.clone(), within))
    });
    Ok(Slice { partition, equal: ordered.equal, range, backward: ordered.backward })
}

/// What the reach does not decide and the table does not imply.
fn remains(entity: &Entity, table: &Table, asked: &Asked, reach: &Reach) -> Vec<Expr> {
    let in_table = Known::of_filter(entity, table.filter.as_ref());
    let fixed = |field: &str, to: &Fixed| match reach {
        Reach::Get { key } | Reach::Via { value: key, .. } => {
            key.iter().any(|(name, known)| name == field && known == to)
        }
        Reach::Slice(slice) => {
            let by = |component: &Component| matches!(component, Component::Field(name, known) if name == field && known == to);
            slice.partition.iter().any(by) || slice.equal.iter().any(|(name, known)| name == field && known == to)
        }
    };
    let bounded = |field: &str| match reach {
        Reach::Slice(slice) => slice.range.as_ref().is_some_and(|(name, _)| name == field),
        Reach::Get { .. } | Reach::Via { .. } => false,
    };
    let mut all = Vec::new();
    for test in &asked.tests {
        let (decided, expr) = match test {
            Test::Fixes { field, to } => (fixed(field, to), to.expr(field)),
            Test::Bounds { field, within } => (bounded(field), Some(within.expr(field))),
            Test::Remains(expr) => (false, Some(expr.clone())),
        };
        let Some(expr) = expr.filter(|expr| !decided && !in_table.implies(entity, expr)) else { continue };
        // A row that has its place in the table has what its key is made of.
        let there = matches!(&expr, Expr::IsNull { of, negated: true }
            if matches!(&**of, Expr::Path(path) if in_key(table, &path.field)));
        if !there {
            all.push(expr);
        }
    }
    // A reservation may be of a row that has moved on; whoever holds the value is looked at.
    if let Reach::Via { value, .. } = reach {
        all.extend(value.iter().filter_map(|(field, to)| to.expr(field)));
    }
    all
}

fn in_key(table: &Table, field: &str) -> bool {
    let nulls = |item: &&SortItem| item.field == field && !item.nulls_last;
    table.partition.parts().iter().any(|part| part.field() == field) || table.sort.iter().any(|item| nulls(&item))
}

/// Whether a path of the answer is looked up rather than in the row.
fn looks_up(catalog: &Catalog, entity: &Entity, table: &Table, path: &Path) -> Result<bool, Why> {
    match &path.root {
        Root::Own if is_kept(entity, &path.field) => Ok(true),
        Root::Own => has(entity, table, &path.field).map(|()| false),
        Root::Reference { field, entity: other } => {
            if table.copies.iter().any(|copied| copied.path == *path) {
                return Ok(false);
            }
            let (Some(reference), Some(other)) = (entity.field(field), catalog.entity(other)) else {
                return Err(Why::Elsewhere(path.clone()));
            };
            for (own, _) in entity.join(reference, other) {
                has(entity, table, own)?;
            }
            Ok(true)
        }
        Root::Edge { .. } | Root::Item(_) => Err(Why::Elsewhere(path.clone())),
    }
}

/// Whether a row of the table holds a field. One whose columns are not stated holds what it is asked for.
fn has(entity: &Entity, table: &Table, field: &str) -> Result<(), Why> {
    let in_key = table.partition.parts().iter().any(|part| matches!(part, Part::Field(name) if name == field))
        || table.sort.iter().any(|item| item.field == field);
    let columns = table.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| column == field));
    let source = matches!(table.holds, Holds::Source { .. });
    // Every row has a version; a source knows the rest of what is built in.
    let built_in = entity.field(field).is_none() && (field == "version" || source);
    if in_key || columns || built_in {
        return Ok(());
    }
    Err(Why::Lacks(field.to_owned()))
}

/// What a table must hold beside its key for these accesses to work.
pub fn needed(catalog: &Catalog, entity: &Entity, table: &Table, asked: &[(&Asked, &Access)]) -> Vec<String> {
    let mut needed: Vec<String> = Vec::new();
    for (asked, access) in asked {
        needed.extend(access.tested(entity));
        for path in &asked.returns {
            match &path.root {
                Root::Own if !is_kept(entity, &path.field) => needed.push(path.field.clone()),
                Root::Reference { field, entity: other } if access.looks_up.contains(path) => {
                    let (Some(reference), Some(other)) = (entity.field(field), catalog.entity(other)) else { continue };
                    needed.extend(entity.join(reference, other).into_iter().map(|(own, _)| own.to_owned()));
                }
                _ => {}
            }
        }
    }
    let in_key = |name: &str| {
        table.partition.parts().iter().any(|part| matches!(part, Part::Field(field) if field == name))
            || table.sort.iter().any(|item| item.field == name)
    };
    // In the order of the catalog, then what is built in.
    let own =
        entity.fields.iter().filter(|field| !matches!(field.fill, Fill::Kept(_))).map(|field| field.name.as_str());
    let built_in = ["created", "updated", "lease"];
    own.chain(built_in)
        .filter(|name| needed.iter().any(|field| field == name) && !in_key(name))
        .map(str::to_owned)
        .collect()
}
