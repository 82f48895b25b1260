//! Chance by seed: the same seed gives the same cases, on every machine.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below((last - first + 1) as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// One of several that are cheap to copy.
    pub fn one_of<T: Copy>(&mut self, from: &[T]) -> T {
        *self.pick(from)
    }

    /// One of several, each with its weight.
    pub fn weighted<'a, T>(&mut self, from: &'a [(u64, T)]) -> &'a T {
        let mut at = self.below(from.iter().map(|(weight, _)| weight).sum());
        for (weight, one) in from {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return one,
            }
        }
        unreachable!("the weights add up")
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.between(0, last));
        }
    }
}
