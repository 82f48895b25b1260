//! Numbers that are known, and numbers that nobody has stated.

use std::collections::BTreeSet;

/// A whole number, as far as it is known. What is not stated is named, and never counts as zero.
///
/// ```
/// use keyloom_size::Quantity;
///
/// let sum = Quantity::known(40_u64).plus(&Quantity::open("entities.Case.volume.rows"));
/// assert_eq!(sum.value(), Some(40));
/// assert_eq!(sum.whole(), None, "40 without cases is not all there is");
/// assert_eq!(Quantity::open("a").times(&Quantity::known(0_u64)).value(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    value: Option<u128>,
    without: BTreeSet<String>,
}

impl Quantity {
    /// It is known.
    pub fn known(value: impl Into<u128>) -> Self {
        Self { value: Some(value.into()), without: BTreeSet::new() }
    }

    /// Nobody has stated it; `name` says where that could be done.
    pub fn open(name: impl Into<String>) -> Self {
        Self { value: None, without: BTreeSet::from([name.into()]) }
    }

    /// Known where it is stated, else open under that name.
    pub fn stated(value: Option<impl Into<u128>>, name: impl FnOnce() -> String) -> Self {
        value.map_or_else(|| Self::open(name()), Self::known)
    }

    /// As much as is known of it.
    pub fn value(&self) -> Option<u128> {
        self.value
    }

    /// The value, if nothing is left out.
    pub fn whole(&self) -> Option<u128> {
        self.value.filter(|_| self.without.is_empty())
    }

    /// The names of what is left out, in their order.
    pub fn without(&self) -> impl Iterator<Item = &str> {
        self.without.iter().map(String::as_str)
    }

    /// Both together: known as far as one of them is, without what either lacks. Nothing and something open is open.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if self.whole() == Some(0) {
            return other.clone();
        }
        if other.whole() == Some(0) {
            return self.clone();
        }
        let value = match (self.value, other.value) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        Self { value, ..self.lacking(other) }
    }

    /// One so many times as the other says: not known where one of them is not.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let value = self.value.zip(other.value).map(|(a, b)| a.saturating_mul(b));
        Self { value, ..self.lacking(other) }
    }

    /// So many parts of it, rounded down.
    #[must_use]
    pub fn part(&self, parts: u128, of: u128) -> Self {
        let value = self.value.map(|value| share(value, parts, of));
        Self { value, without: self.without.clone() }
    }

    /// The same number, said to lack something more.
    #[must_use]
    pub fn but_for(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.without.extend(names);
        self
    }

    fn lacking(&self, other: &Self) -> Self {
        Self { value: None, without: self.without.union(&other.without).cloned().collect() }
    }
}

/// Of `value`, `parts` in `of`, rounded down; the highest number there is where it would be higher.
pub(crate) fn share(value: u128, parts: u128, of: u128) -> u128 {
    let of = of.max(1);
    match value.checked_mul(parts) {
        Some(product) => product / of,
        None => (value / of).saturating_mul(parts),
    }
}

/// What most have, what one in a hundred exceeds, what none exceeds: three numbers that are never mixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Three {
    /// What most have.
    pub typical: Quantity,
    /// What one in a hundred exceeds.
    pub p99: Quantity,
    /// What none exceeds.
    pub worst: Quantity,
}

impl Three {
    /// Each of them changed alike.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Quantity) -> Quantity) -> Self {
        Self { typical: change(&self.typical), p99: change(&self.p99), worst: change(&self.worst) }
    }
}

/// Two bounds, where the catalog leaves open which of several ways a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Between<T> {
    /// No less.
    pub low: T,
    /// No more.
    pub high: T,
}

impl<T> Between<T> {
    /// Both bounds changed alike.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Between<U> {
        Between { low: change(self.low), high: change(self.high) }
    }
}

impl<T: Clone> Between<T> {
    /// Nothing is left open.
    pub fn exactly(value: T) -> Self {
        Self { low: value.clone(), high: value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_known_without_what_is_open() {
        let sum = Quantity::known(1_u64).plus(&Quantity::open("b")).plus(&Quantity::open("a"));
        assert_eq!(sum.value(), Some(1));
        assert_eq!(sum.without().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(Quantity::open("a").plus(&Quantity::open("a")).value(), None);
        assert_eq!(Quantity::known(0_u64).plus(&Quantity::open("a")), Quantity::open("a"));
        assert_eq!(Quantity::open("a").plus(&Quantity::known(0_u64)), Quantity::open("a"));
    }

    #[test]
    fn a_product_with_something_open_is_open() {
        let product = Quantity::known(7_u64).times(&Quantity::open("a"));
        assert_eq!(product.value(), None);
        assert_eq!(product.without().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn large_numbers_end_at_the_highest() {
        let high = Quantity::known(u128::MAX);
        assert_eq!(high.plus(&high).value(), Some(u128::MAX));
        assert_eq!(high.part(3, 2).value(), Some(u128::MAX));
        assert_eq!(high.part(1, 2).value(), Some(u128::MAX / 2));
        assert_eq!(Quantity::known(10_u64).part(1, 0).value(), Some(10));
    }
}
