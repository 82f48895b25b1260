//! The structure of a question: partition, sort key, which rows.

use keyloom_model::layout::{Holds, Keeper, Layout, Part, Partition, Ranks, SortItem, Table};
use keyloom_model::{Catalog, Direction, Entity, Expr, Fill, Literal, Path, Root, Type};
use keyloom_plan::{Asked, Fixed, Test};

use crate::name::Names;

/// Where the rows of a question stand.
pub(crate) struct Structure {
    /// What the question fixes, without the tenant.
    by: Vec<String>,
    partition: Partition,
    sort: Vec<SortItem>,
    filter: Option<Expr>,
    /// What the filter says, in short words.
    rows: Vec<String>,
}

/// The structure of a question; `None` where no key could hold it.
pub(crate) fn of(catalog: &Catalog, entity: &Entity, asked: &Asked) -> Option<Structure> {
    let own = |path: &Path| path.root == Root::Own && path.members.is_empty();
    if asked.order.iter().any(|item| !own(&item.path) || is_kept(entity, &item.path.field)) {
        return None;
    }
    let is_there = |field: &str| {
        entity.field(field).is_some() || catalog.tenant.as_ref().is_some_and(|tenant| tenant.field == field)
    };
    if asked.tests.iter().any(|test| matches!(test, Test::Fixes { field, .. } if !is_there(field))) {
        return None;
    }
    let (mut by, mut filter, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let (mut present, mut ranges) = (Vec::new(), Vec::new());
    for test in &asked.tests {
        match test {
            Test::Fixes { to: Fixed::Tenant, .. } => {}
            Test::Fixes { field, to } if to.is_constant() && !asked.one_per.contains(field) => {
                filter.extend(to.expr(field));
                rows.extend(words(field, to));
                present.push(field.as_str());
            }
            Test::Fixes { field, .. } if is_kept(entity, field) => {}
            Test::Fixes { field, .. } => {
                if !by.contains(field) {
                    by.push(field.clone());
                }
                present.push(field.as_str());
            }
            Test::Bounds { field, within } => {
                let test = within.expr(field);
                if !test.varies() && !is_kept(entity, field) {
                    filter.extend_from_slice(test.conjuncts());
                }
                present.push(field.as_str());
                ranges.push(field.as_str());
            }
            Test::Remains(test) => {
                let paths = test.paths();
                if !test.varies() && paths.iter().all(|path| own(path) && !is_kept(entity, &path.field)) {
                    if let Expr::IsNull { of, negated: true } = test
                        && let Expr::Path(path) = &**of
                    {
                        present.push(path.field.as_str());
                    }
                    filter.push(test.clone());
                }
            }
        }
    }
    let absent = |field: &str| entity.field(field).is_some_and(|field| field.optional) && !present.contains(&field);
    let single = |field: &str| {
        asked.tests.iter().any(
            |test| matches!(test, Test::Fixes { field: known, to: Fixed::To(_) | Fixed::Tenant } if known == field),
        )
    };
    let mut sort: Vec<SortItem> = Vec::new();
    let put = |sort: &mut Vec<SortItem>, field: &str, direction: Direction| {
        if !by.iter().any(|known| known == field) && !sort.iter().any(|item| item.field == field) {
            sort.push(SortItem { field: field.to_owned(), direction, nulls_last: absent(field) });
        }
    };
    if asked.one_per.is_empty() {
        for item in asked.order.iter().filter(|item| !single(&item.path.field)) {
            put(&mut sort, &item.path.field, item.direction);
        }
        if asked.order.is_empty()
            && let Some(field) = ranges.iter().find(|field| !is_kept(entity, field))
        {
            put(&mut sort, field, Direction::Ascending);
        }
        // The tie-break goes the way of what it breaks.
        let way = asked.order.last().map_or(Direction::Ascending, |item| item.direction);
        if asked.all_tenants
            && let Some(tenant) = catalog.tenant.as_ref().filter(|_| entity.per_tenant)
        {
            put(&mut sort, &tenant.field, way);
        }
        entity.key.iter().for_each(|field| put(&mut sort, field, way));
    } else {
        asked.one_per.iter().for_each(|field| put(&mut sort, field, Direction::Ascending));
    }
    let fields: Vec<&str> = by.iter().map(String::as_str).collect();
    let partition = if asked.all_tenants { parts(None, &fields) } else { partition(catalog, entity, &fields) };
    let filter = match filter.len() {
        0 => None,
        1 => filter.pop(),
        _ => Some(Expr::And(filter)),
    };
    Some(Structure { by, partition, sort, filter, rows })
}

impl Structure {
    /// The table that has it.
    pub(crate) fn table(&self, name: String, entity: &Entity, keeper: Keeper, asked: &Asked) -> Table {
        let holds = if asked.one_per.is_empty() {
            Holds::Projection { entity: entity.name.clone(), keeper }
        } else {
            Holds::Newest { entity: entity.name.clone() }
        };
        Table {
            name,
            holds,
            all_tenants: asked.all_tenants && entity.per_tenant,
            filter: self.filter.clone(),
            partition: self.partition.clone(),
            sort: self.sort.clone(),
            columns: None,
            copies: Vec::new(),
            spread: None,
            expires: None,
        }
    }

    /// The words for its name: which rows, by what, in which order.
    pub(crate) fn words(&self, asked: &Asked) -> (Vec<String>, Vec<String>, Option<String>) {
        let order = match &asked.question {
            keyloom_model::layout::Question::Pattern { order, .. } => order.clone(),
            keyloom_model::layout::Question::Support { .. } => None,
        };
        (self.rows.clone(), self.by.clone(), order)
    }

    pub(crate) fn name(&self, names: &mut Names, entity: &Entity, asked: &Asked) -> String {
        let (rows, by, order) = self.words(asked);
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        names.table(&entity.name, &rows, Some(&by), order.as_deref())
    }

    /// Whether a source may stand like this: it holds all rows, each once, and no part of its key may be absent.
    pub(crate) fn holds_all(&self, entity: &Entity) -> bool {
        let fields = || self.by.iter().map(String::as_str).chain(self.sort.iter().map(|item| item.field.as_str()));
        self.filter.is_none()
            && self.partition != Partition::All
            && entity.key.iter().all(|key| fields().any(|field| field == key))
            && fields().all(|field| entity.field(field).is_none_or(|field| !field.optional))
    }

    /// Whether its key is made of the identity alone.
    pub(crate) fn is_identity(&self, entity: &Entity) -> bool {
        let mut fields = self.by.iter().map(String::as_str).chain(self.sort.iter().map(|item| item.field.as_str()));
        fields.all(|field| entity.key.iter().any(|key| key == field))
    }

    pub(crate) fn key(self) -> (Partition, Vec<SortItem>) {
        (self.partition, self.sort)
    }
}

/// A partition by these fields, the tenant's first.
pub(crate) fn partition(catalog: &Catalog, entity: &Entity, fields: &[&str]) -> Partition {
    let tenant = catalog.tenant.as_ref().filter(|_| entity.per_tenant).map(|tenant| tenant.field.as_str());
    parts(tenant, fields)
}

fn parts(tenant: Option<&str>, fields: &[&str]) -> Partition {
    let parts: Vec<Part> =
        tenant.into_iter().chain(fields.iter().copied()).map(|field| Part::Field(field.to_owned())).collect();
    if parts.is_empty() { Partition::All } else { Partition::By(parts) }
}

pub(crate) fn is_kept(entity: &Entity, field: &str) -> bool {
    entity.field(field).is_some_and(|field| matches!(field.fill, Fill::Kept(_)))
}

/// Short words for what a constant test says: `OPEN`, `not_breached`.
fn words(field: &str, to: &Fixed) -> Vec<String> {
    let word = |value: &Expr| match value {
        Expr::Literal(Literal::Variant(name)) => Some(name.clone()),
        Expr::Literal(Literal::Bool(true)) => Some(field.to_owned()),
        Expr::Literal(Literal::Bool(false)) => Some(format!("not_{field}")),
        _ => None,
    };
    match to {
        Fixed::To(value) => word(value).into_iter().collect(),
        Fixed::OneOf(values) => values.iter().filter_map(word).collect(),
        Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => Vec::new(),
    }
}

/// How many steps apart ranks are.
const RANK_STEP: u16 = 10;

/// The ranks of every enumeration that stands in a key, written down so that a value can be put between two later.
pub(crate) fn ranks(catalog: &Catalog, layout: &Layout) -> Vec<Ranks> {
    let mut all: Vec<Ranks> = layout.ranks.iter().map(|known| grown(catalog, known)).collect();
    for table in &layout.tables {
        let Some(entity) = keyloom_plan::rows_of(catalog, table).and_then(|entity| catalog.entity(entity)) else {
            continue;
        };
        let fields = table.partition.parts().iter().map(Part::field);
        for field in fields.chain(table.sort.iter().map(|item| item.field.as_str())) {
            let Some(Type::Enum(variants)) = entity.field(field).map(|field| &field.ty) else { continue };
            if all.iter().any(|known| known.entity == entity.name && known.field == field) {
                continue;
            }
            let rank = |at: usize| u16::try_from(at + 1).unwrap_or(u16::MAX).saturating_mul(RANK_STEP);
            let ranks = variants.iter().enumerate().map(|(at, variant)| (variant.name.clone(), rank(at))).collect();
            all.push(Ranks { entity: entity.name.clone(), field: field.to_owned(), ranks });
        }
    }
    all
}

/// Ranks in use, with those of values that came since: between their neighbours, or behind the last. Where there is no room,
/// whoever compiles the layout says so.
fn grown(catalog: &Catalog, known: &Ranks) -> Ranks {
    let field = catalog.entity(&known.entity).and_then(|entity| entity.field(&known.field));
    let Some(Type::Enum(variants)) = field.map(|field| &field.ty) else { return known.clone() };
    let rank_of = |name: &str| known.ranks.iter().find(|(known, _)| known == name).map(|(_, rank)| *rank);
    let mut ranks = Vec::new();
    let mut last: u16 = 0;
    for (at, variant) in variants.iter().enumerate() {
        let rank = rank_of(&variant.name).or_else(|| {
            let next = variants[at..].iter().find_map(|variant| rank_of(&variant.name));
            match next {
                Some(next) => Some(last + next.saturating_sub(last) / 2).filter(|rank| *rank > last && *rank < next),
                None => last.checked_add(RANK_STEP),
            }
        });
        if let Some(rank) = rank {
            last = rank;
            ranks.push((variant.name.clone(), rank));
        }
    }
    Ranks { ranks, ..known.clone() }
}
