use crate::catalog::{Catalog, Entity};
use crate::expr::{Expr, Path, Root, Set};
use crate::pattern::{By, Selection};
use crate::quantity::{Distribution, TimeSpan};

/// How many rows a selection's group has, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSize {
    /// How many.
    pub rows: Distribution<u64>,
    /// How that is known.
    pub known_by: KnownBy,
}

/// How a group's size is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownBy {
    /// The key or a unique: one row at most, or one for each value of a list that is sent.
    Identity,
    /// The pattern's own `group`.
    Pattern,
    /// The entity's group with the same fields and constant tests, by its position.
    SameGroup(usize),
    /// A wider group of the entity, which bounds the worst; by its position.
    WiderGroup(usize),
    /// The entity's `volume`: everything there is on the day for which it is stated.
    Volume,
}

impl Catalog {
    /// How many rows a selection's group has; `None` when nothing says so.
    pub fn group_size(&self, selection: &Selection) -> Option<GroupSize> {
        self.entity(&selection.entity)?.group_size(selection)
    }
}

impl Entity {
    /// How many rows a selection's group has, where the selection is one of this entity's rows.
    pub fn group_size(&self, selection: &Selection) -> Option<GroupSize> {
        if let Some(rows) = selection.group {
            return Some(GroupSize { rows, known_by: KnownBy::Pattern });
        }
        // A list of values that must be sent is so many groups, each fixed by one of them.
        let lists = sent_lists(selection.filter.as_ref());
        let by: Vec<&str> =
            selection.by.own_fields().into_iter().chain(lists.iter().map(|(field, _)| *field)).collect();
        if (selection.by != By::All || !lists.is_empty()) && self.identified_among(&by, selection.filter.as_ref()) {
            let rows = lists.iter().map(|(_, max)| *max).fold(1, u64::saturating_mul);
            return Some(GroupSize { rows: Distribution::at_most(rows), known_by: KnownBy::Identity });
        }
        let tests = constant_tests(selection.filter.as_ref());
        let bounds = |group: &crate::catalog::Group| {
            group.by.iter().all(|field| by.contains(&field.as_str()))
                && constant_tests(group.filter.as_ref()).iter().all(|test| tests.contains(test))
        };
        // The nearest group shares the most fields and tests; of two equally near ones the first written counts.
        let nearness = |group: &crate::catalog::Group| group.by.len() + constant_tests(group.filter.as_ref()).len();
        let nearest = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| bounds(group))
            .max_by_key(|(at, group)| (nearness(group), std::cmp::Reverse(*at)));
        let Some((at, group)) = nearest else {
            let rows = self.volume.and_then(|volume| volume.rows).filter(|_| selection.by == By::All)?;
            return Some(GroupSize { rows: Distribution::at_most(rows), known_by: KnownBy::Volume });
        };
        // A path over an edge or a reference makes a group of its own, which no group of this entity's fields is.
        let own = selection.by.items().iter().all(|item| item.path.own_field().is_some());
        let same = own && group.by.len() == by.len() && constant_tests(group.filter.as_ref()).len() == tests.len();
        if same {
            return Some(GroupSize { rows: group.rows, known_by: KnownBy::SameGroup(at) });
        }
        // A wider group says nothing about what is typical of a part of it.
        let rows = Distribution { typical: None, p99: None, ..group.rows };
        Some(GroupSize { rows, known_by: KnownBy::WiderGroup(at) })
    }
}

impl Entity {
    /// How long a row is kept at least, where `expires` adds a span to a moment; `None` when nothing ends it.
    pub fn kept_for(&self) -> Option<TimeSpan> {
        let crate::catalog::Expiry::At(expr) = self.expires.as_ref()? else { return None };
        let mut longest: Option<TimeSpan> = None;
        expr.walk(&mut |part| {
            if let Expr::Literal(crate::expr::Literal::Span(span)) = part {
                longest = longest.filter(|longest| longest.milliseconds() >= span.milliseconds()).or(Some(*span));
            }
        });
        longest
    }
}

/// The own fields for which every call sends a list of values, and how many it may send.
fn sent_lists(filter: Option<&Expr>) -> Vec<(&str, u64)> {
    let tests = filter.map_or(&[][..], Expr::conjuncts).iter();
    tests
        .filter_map(|test| match test {
            Expr::In(of, Set::Input { optional: false, max, .. }) => match &**of {
                Expr::Path(Path { root: Root::Own, field, .. }) => Some((field.as_str(), *max)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// The tests of a filter that are the same in every call.
fn constant_tests(filter: Option<&Expr>) -> Vec<&Expr> {
    filter.map_or(&[][..], Expr::conjuncts).iter().filter(|test| !test.varies()).collect()
}
