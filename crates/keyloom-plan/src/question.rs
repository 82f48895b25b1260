//! What a catalog asks of its tables, one question at a time.
//!
//! A pattern is several questions: one for each of its orders, for each set of optional inputs that may be sent, and for each
//! list of its `with`. The run time asks some of its own: all rows that point to one.

use keyloom_model::layout::{Holds, Layout, Question};
use keyloom_model::{
    Action, By, ByItem, Catalog, Claim, Compare, Endpoint, Entity, Expr, Field, Fill, Freshness, Limit, Order,
    OrderItem, Path, Pattern, Read, ReadVerb, Returns, Root, Selection, Set, Through, Write, WriteVerb,
};

use crate::test::{Fixed, Test, optional_inputs, tests};

/// How many optional inputs are sent in every combination; with more, each alone and all together.
const COMBINED_INPUTS_MAX: usize = 3;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its address.
    pub question: Question,
    /// What is asked for.
    pub wants: Wants,
    /// Whose rows are read.
    pub entity: String,
    /// What is known of the rows.
    pub tests: Vec<Test>,
    /// The order that is promised; any will do where it is empty.
    pub order: Vec<OrderItem>,
    /// What the answer holds of each row.
    pub returns: Vec<Path>,
    /// The first row of each value of these.
    pub one_per: Vec<String>,
    /// How fresh it must be; `None` where the catalog does not say.
    pub freshness: Option<Freshness>,
    /// It crosses tenants.
    pub all_tenants: bool,
    /// How many of these questions one call asks at most.
    pub batch: u64,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// The one row that is identified.
    Row,
    /// Rows in their order.
    Rows {
        /// So many at once.
        page: u64,
        /// A cursor goes on behind them.
        goes_on: bool,
    },
    /// How many there are, counted up to here.
    Count {
        /// No further.
        up_to: u64,
    },
    /// All rows, page by page: for the run time alone.
    All,
}

/// Every question of a catalog, in the order of its patterns; those of the run time come last.
pub fn questions(catalog: &Catalog) -> Vec<Asked> {
    let mut all = Vec::new();
    for pattern in &catalog.patterns {
        match &pattern.action {
            Action::Read(read) => {
                asked_by_read(catalog, pattern, read, None, &mut all);
                for with in &read.with {
                    asked_by_read(catalog, pattern, &with.read, Some((&with.name, read.freshness)), &mut all);
                }
            }
            Action::Claim(claim) => asked_by_claim(catalog, pattern, claim, &mut all),
            Action::Write(_) | Action::Atomic(_) | Action::Outside(_) => {}
        }
    }
    support(catalog, &mut all);
    all
}

/// What must be known of the row that a write changes, as the question for it: it is found by its key or a unique.
pub fn target(catalog: &Catalog, pattern: &Pattern, write: &Write) -> Option<Asked> {
    let entity = catalog.entity(&write.entity)?;
    if matches!(write.verb, WriteVerb::Create | WriteVerb::Put) {
        return None;
    }
    Some(Asked {
        question: address(pattern, None, None, &[]),
        wants: Wants::Row,
        entity: entity.name.clone(),
        tests: all_tests(catalog, entity, pattern.all_tenants, &write.by, None, &[]),
        order: Vec::new(),
        returns: Vec::new(),
        one_per: Vec::new(),
        freshness: Some(Freshness::Latest),
        all_tenants: pattern.all_tenants,
        batch: write.batch.unwrap_or(1),
    })
}

fn asked_by_read(
    catalog: &Catalog,
    pattern: &Pattern,
    read: &Read,
    with: Option<(&String, Option<Freshness>)>,
    all: &mut Vec<Asked>,
) {
    let wants = match read.verb {
        ReadVerb::Get => Wants::Row,
        ReadVerb::List => {
            let (page, goes_on) = match read.limit {
                Some(Limit::Page(rows)) => (rows, true),
                Some(Limit::First(rows)) => (rows, false),
                None => (Limit::ASSUMED_ROWS, true),
            };
            Wants::Rows { page, goes_on }
        }
        ReadVerb::Count => Wants::Count { up_to: read.up_to.unwrap_or(u64::MAX) },
    };
    let Some(entity) = catalog.entity(&read.selection.entity) else { return };
    let returns = match read.verb {
        ReadVerb::Count => Vec::new(),
        ReadVerb::Get | ReadVerb::List => returned(catalog, entity, &read.returns),
    };
    let base = Asked {
        question: address(pattern, None, None, &[]),
        wants,
        entity: entity.name.clone(),
        tests: Vec::new(),
        order: Vec::new(),
        returns,
        one_per: read.one_per.clone(),
        freshness: read.freshness.or(with.and_then(|(_, outer)| outer)),
        all_tenants: pattern.all_tenants,
        batch: read.batch.unwrap_or(1),
    };
    let with = with.map(|(name, _)| name.as_str());
    let is_edge = |item: &&ByItem| matches!(item.path.root, Root::Edge { .. });
    let by: Vec<ByItem> = read.selection.by.items().iter().filter(|item| !is_edge(item)).cloned().collect();
    let first = all.len();
    each(catalog, pattern, entity, &base, (with, &by, read.selection.filter.as_ref(), &read.selection.orders), all);
    if let Some(through) = &read.through {
        let edge: Vec<&ByItem> = read.selection.by.items().iter().filter(is_edge).collect();
        let hop = hop(catalog, through, &edge, all.get(first).is_some_and(|asked| asked.all_tenants));
        let to = Fixed::Through { entity: through.entity.clone(), field: through.edge_field.clone(), max: hop.1 };
        for asked in &mut all[first..] {
            asked.tests.push(Test::Fixes { field: through.field.clone(), to: to.clone() });
        }
        if let Some(hop) = hop.0.filter(|hop| all.iter().all(|known| known.question != hop.question)) {
            all.push(hop);
        }
    }
}

/// The question for the rows of an edge that lead to others, and how many there are at most.
fn hop(catalog: &Catalog, through: &Through, edge: &[&ByItem], all_tenants: bool) -> (Option<Asked>, Option<u64>) {
    let (Some(entity), Some(first)) = (catalog.entity(&through.entity), edge.first()) else { return (None, None) };
    let own = |item: &&ByItem| ByItem { path: Path::own(&item.path.field), value: item.value.clone() };
    let by: Vec<ByItem> = edge.iter().map(own).collect();
    let selection = Selection {
        entity: entity.name.clone(),
        by: By::Fields(by.clone()),
        filter: None,
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    };
    let max = catalog.group_size(&selection).and_then(|size| size.rows.worst);
    let asked = Asked {
        question: Question::Support { entity: entity.name.clone(), field: first.path.field.clone() },
        wants: Wants::All,
        entity: entity.name.clone(),
        tests: all_tests(catalog, entity, all_tenants, &by, None, &[]),
        order: Vec::new(),
        returns: vec![Path::own(&through.edge_field)],
        one_per: Vec::new(),
        freshness: None,
        all_tenants,
        batch: 1,
    };
    (Some(asked), max)
}

fn asked_by_claim(catalog: &Catalog, pattern: &Pattern, claim: &Claim, all: &mut Vec<Asked>) {
    let Selection { entity, by, filter, orders, .. } = &claim.selection;
    let Some(entity) = catalog.entity(entity) else { return };
    let base = Asked {
        question: address(pattern, None, None, &[]),
        wants: Wants::Rows { page: claim.up_to, goes_on: false },
        entity: entity.name.clone(),
        tests: Vec::new(),
        order: Vec::new(),
        // Whoever finishes the work must show that the row is still theirs.
        returns: returned(catalog, entity, &claim.returns).into_iter().chain([Path::own("lease")]).collect(),
        one_per: Vec::new(),
        freshness: Some(Freshness::Within(keyloom_model::layout::Horizons::SETTLE)),
        all_tenants: pattern.all_tenants,
        batch: 1,
    };
    each(catalog, pattern, entity, &base, (None, by.items(), filter.as_ref(), orders), all);
}

/// One question for each order and each set of optional inputs.
fn each(
    catalog: &Catalog,
    pattern: &Pattern,
    entity: &Entity,
    base: &Asked,
    (with, by, filter, orders): (Option<&str>, &[ByItem], Option<&Expr>, &[Order]),
    all: &mut Vec<Asked>,
) {
    let optional = filter.map(optional_inputs).unwrap_or_default();
    let named: Vec<Option<&Order>> = if orders.is_empty() { vec![None] } else { orders.iter().map(Some).collect() };
    for order in &named {
        for sent in combinations(&optional) {
            let name = order.filter(|_| named.len() > 1).map(|order| order.name.as_str());
            // With more of them it is asked also when only some are sent, so that no key may be found by one.
            let surely = if sent.len() > COMBINED_INPUTS_MAX { &[][..] } else { &sent };
            let mut tests = all_tests(catalog, entity, base.all_tenants, by, filter, surely);
            if surely.len() < sent.len() {
                let optional = filter.map_or(&[][..], Expr::conjuncts).iter();
                tests.extend(optional.filter(|test| !optional_inputs(test).is_empty()).cloned().map(Test::Remains));
            }
            all.push(Asked {
                question: address(pattern, with, name, &sent),
                tests,
                order: order.map(|order| order.items.clone()).unwrap_or_default(),
                ..base.clone()
            });
        }
    }
}

/// The sets of optional inputs that are looked at: none, then each that is sent, then more of them.
fn combinations<'a>(inputs: &'a [String]) -> Vec<Vec<&'a str>> {
    let picked = |mask: u64| -> Vec<&'a str> {
        let names = inputs.iter().enumerate();
        names.filter(|(at, _)| mask >> at & 1 == 1).map(|(_, name)| name.as_str()).collect()
    };
    if inputs.len() <= COMBINED_INPUTS_MAX {
        return (0..1 << inputs.len()).map(picked).collect();
    }
    let each = inputs.iter().map(|name| vec![name.as_str()]);
    let all = inputs.iter().map(String::as_str).collect();
    std::iter::once(Vec::new()).chain(each).chain([all]).collect()
}

/// What the run time asks: the parts of a row that is deleted, and the rows that a kept value is counted from again.
fn support(catalog: &Catalog, all: &mut Vec<Asked>) {
    for entity in &catalog.entities {
        if let Some((reference, whole)) = entity.felled_by(catalog) {
            all.push(pointing(catalog, entity, reference, whole));
        }
    }
}

/// What the run time asks for copies: all rows that point to a row whose fields a table of the layout copies.
pub fn questions_of_copies(catalog: &Catalog, layout: &Layout) -> Vec<Asked> {
    let mut all: Vec<Asked> = Vec::new();
    for table in &layout.tables {
        let (Holds::Projection { entity, .. } | Holds::Newest { entity }) = &table.holds else { continue };
        for copied in &table.copies {
            let Root::Reference { field, entity: other } = &copied.path.root else { continue };
            let (Some(entity), Some(other)) = (catalog.entity(entity), catalog.entity(other)) else { continue };
            let Some(reference) = entity.field(field) else { continue };
            let asked = pointing(catalog, entity, reference, other);
            if all.iter().all(|known| known.question != asked.question) {
                all.push(asked);
            }
        }
    }
    all
}

/// The question for all rows that point to one.
fn pointing(catalog: &Catalog, entity: &Entity, reference: &Field, to: &Entity) -> Asked {
    let item = |(own, key): (&str, &str)| ByItem {
        path: Path::own(own),
        value: Expr::Path(Path { root: Root::Item(to.name.clone()), field: key.to_owned(), members: Vec::new() }),
    };
    let by: Vec<ByItem> = entity.join(reference, to).into_iter().map(item).collect();
    Asked {
        question: Question::Support { entity: entity.name.clone(), field: reference.name.clone() },
        wants: Wants::All,
        entity: entity.name.clone(),
        tests: all_tests(catalog, entity, false, &by, None, &[]),
        order: Vec::new(),
        returns: entity.key.iter().map(Path::own).collect(),
        one_per: Vec::new(),
        freshness: None,
        all_tenants: false,
        batch: 1,
    }
}

fn address(pattern: &Pattern, with: Option<&str>, order: Option<&str>, sent: &[&str]) -> Question {
    Question::Pattern {
        pattern: pattern.name.clone(),
        with: with.map(str::to_owned),
        order: order.map(str::to_owned),
        sent: sent.iter().map(|&input| input.to_owned()).collect(),
    }
}

/// The tests of a question, the tenant's first.
fn all_tests(
    catalog: &Catalog,
    entity: &Entity,
    all_tenants: bool,
    by: &[ByItem],
    filter: Option<&Expr>,
    sent: &[&str],
) -> Vec<Test> {
    let tenant = catalog.tenant.as_ref().filter(|_| entity.per_tenant && !all_tenants);
    let tenant = tenant.map(|tenant| Test::Fixes { field: tenant.field.clone(), to: Fixed::Tenant });
    tenant.into_iter().chain(tests(entity, by, filter, sent)).collect()
}

/// What the answer holds of each row, as paths from it.
fn returned(catalog: &Catalog, entity: &Entity, returns: &Returns) -> Vec<Path> {
    match returns {
        Returns::Paths(paths) => paths.clone(),
        Returns::Default => entity
            .fields
            .iter()
            .filter(|field| Endpoint::holds(catalog, field))
            .map(|field| Path::own(&field.name))
            .collect(),
        Returns::All | Returns::Before | Returns::After => {
            entity.fields.iter().map(|field| Path::own(&field.name)).collect()
        }
    }
}

/// Whether a field is kept from other rows, so that no row of its own entity holds it.
pub(crate) fn is_kept(entity: &Entity, field: &str) -> bool {
    entity.field(field).is_some_and(|field| matches!(field.fill, Fill::Kept(_)))
}

/// A constant test in its normal form, to be compared with another: the field stands left, sets are sorted.
pub(crate) fn normal(entity: &Entity, test: &Expr) -> Expr {
    let path = |field: &String| Box::new(Expr::Path(Path::own(field)));
    match tests(entity, &[], Some(test), &[]).pop() {
        Some(Test::Fixes { field, to: Fixed::To(value) }) => {
            Expr::Compare(Compare::Equal, path(&field), Box::new(value))
        }
        Some(Test::Fixes { field, to: Fixed::OneOf(values) }) => Expr::In(path(&field), Set::Values(values)),
        Some(Test::Bounds { field, within }) => within.expr(&field),
        _ => test.clone(),
    }
}

impl Asked {
    /// A path of `by` or the order that leads out of the row, or to a kept value: no key can hold it.
    pub(crate) fn elsewhere(&self, entity: &Entity) -> Option<Path> {
        let ordered = self.order.iter().map(|item| &item.path);
        let out = |path: &&Path| path.root != Root::Own || !path.members.is_empty() || is_kept(entity, &path.field);
        let tested = self.tests.iter().filter_map(|test| match test {
            Test::Remains(test) => test.paths().into_iter().find(|path| matches!(path.root, Root::Reference { .. })),
            _ => None,
        });
        ordered.filter(out).chain(tested).next().cloned()
    }

    /// A path of the answer that can't be followed, and the part of the other row's key that this one lacks.
    pub(crate) fn dangling(&self, catalog: &Catalog, entity: &Entity) -> Option<(Path, String)> {
        let joined = self.tests.iter().find_map(|test| match test {
            Test::Fixes { field, to: Fixed::To(Expr::Path(path)) } if entity.field(field).is_none() => {
                Some((path.clone(), field.clone()))
            }
            _ => None,
        });
        joined.or_else(|| self.unjoined(catalog, entity))
    }

    fn unjoined(&self, catalog: &Catalog, entity: &Entity) -> Option<(Path, String)> {
        self.returns.iter().find_map(|path| {
            let Root::Reference { field, entity: other } = &path.root else { return None };
            let joined = entity.join(entity.field(field)?, catalog.entity(other)?);
            let (missing, _) = joined.into_iter().find(|(own, _)| entity.field(own).is_none())?;
            Some((path.clone(), missing.to_owned()))
        })
    }

    /// The edge of which nobody says how many rows lead to others.
    pub(crate) fn unbounded_edge(&self) -> Option<String> {
        self.tests.iter().find_map(|test| match test {
            Test::Fixes { to: Fixed::Through { entity, max: None, .. }, .. } => Some(entity.clone()),
            _ => None,
        })
    }
}
