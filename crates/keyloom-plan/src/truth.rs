//! What is known of the rows of a question: which fields are fixed, which are bounded, which tests hold.

use keyloom_model::{Entity, Expr, Set};

use crate::question::normal;
use crate::test::{Fixed, Test, Within, tests};

/// What is known of rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    fixed: Vec<(String, Fixed)>,
    bounded: Vec<(String, Within)>,
    /// Tests that hold, in their normal form.
    holds: Vec<Expr>,
}

impl Known {
    /// What these tests say.
    pub(crate) fn of(entity: &Entity, tests: &[Test]) -> Self {
        let mut known = Self::default();
        for test in tests {
            match test {
                Test::Fixes { field, to } => {
                    known.holds.extend(to.expr(field).map(|expr| normal(entity, &expr)));
                    // Of two that fix a field, the one with fewer values counts; the other is a test.
                    match known.fixed.iter_mut().find(|(name, _)| name == field) {
                        Some((_, old)) if fewer(to, old) => *old = to.clone(),
                        Some(_) => {}
                        None => known.fixed.push((field.clone(), to.clone())),
                    }
                }
                Test::Bounds { field, within } => {
                    known.holds.extend_from_slice(within.expr(field).conjuncts());
                    known.bounded.push((field.clone(), within.clone()));
                }
                Test::Remains(expr) => known.holds.push(normal(entity, expr)),
            }
        }
        known
    }

    /// What a table's `where` says of its rows.
    pub(crate) fn of_filter(entity: &Entity, filter: Option<&Expr>) -> Self {
        Self::of(entity, &tests(entity, &[], filter, &[]))
    }

    /// The values of a field, if it is fixed.
    pub(crate) fn fixed(&self, field: &str) -> Option<&Fixed> {
        self.fixed.iter().find(|(name, _)| name == field).map(|(_, to)| to)
    }

    /// The one value of a field, if it has one.
    pub(crate) fn single(&self, field: &str) -> Option<&Fixed> {
        self.fixed(field).filter(|to| matches!(to, Fixed::To(_) | Fixed::Tenant))
    }

    /// The ranges of a field.
    pub(crate) fn within(&self, field: &str) -> Vec<Within> {
        self.bounded.iter().filter(|(name, _)| name == field).map(|(_, within)| within.clone()).collect()
    }

    /// Whether rows without this field are none of them.
    pub(crate) fn is_there(&self, field: &str) -> bool {
        let tested = |test: &Expr| match test {
            Expr::IsNull { of, negated: true } => matches!(&**of, Expr::Path(path) if path.field == field),
            _ => false,
        };
        self.fixed(field).is_some()
            || self.bounded.iter().any(|(name, _)| name == field)
            || self.holds.iter().any(tested)
    }

    /// Whether a constant test holds for every one of them.
    pub(crate) fn implies(&self, entity: &Entity, test: &Expr) -> bool {
        let test = normal(entity, test);
        if self.holds.contains(&test) {
            return true;
        }
        match &test {
            Expr::And(all) => all.iter().all(|test| self.implies(entity, test)),
            Expr::IsNull { of, negated: true } => matches!(&**of, Expr::Path(path) if self.is_there(&path.field)),
            // One of fewer values is one of more.
            Expr::In(of, Set::Values(values)) => {
                let Expr::Path(path) = &**of else { return false };
                match self.fixed(&path.field) {
                    Some(Fixed::To(value)) => values.contains(value),
                    Some(Fixed::OneOf(some)) => some.iter().all(|value| values.contains(value)),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

fn fewer(new: &Fixed, old: &Fixed) -> bool {
    let count = |fixed: &Fixed| fixed.values_max().unwrap_or(u64::MAX);
    count(new) < count(old)
}
