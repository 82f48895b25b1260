//! Chance from a seed: the same numbers on every machine.

/// A small generator (splitmix64).
#[derive(Debug)]
pub(crate) struct Chance {
    step: u64,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { step: seed }
    }

    fn next(&mut self) -> u64 {
        self.step = self.step.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let word = (self.step ^ (self.step >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let product = u128::from(self.next()) * end as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// A number between the two, both included.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// One of these.
    pub(crate) fn one<T: Copy, const N: usize>(&mut self, of: [T; N]) -> T {
        of[self.below(N)]
    }

    /// One of these; nothing where there is none.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// Some of these, in the order in which they stand.
    pub(crate) fn some<T: Clone>(&mut self, of: &[T], least: usize, most: usize) -> Vec<T> {
        let mut wanted = self.between(least, most).min(of.len());
        let mut taken = Vec::new();
        for (at, item) in of.iter().enumerate() {
            if self.below(of.len() - at) < wanted {
                taken.push(item.clone());
                wanted -= 1;
            }
        }
        taken
    }

    /// All of these in another order.
    pub(crate) fn shuffle<T>(&mut self, of: &mut [T]) {
        for at in (1..of.len()).rev() {
            of.swap(at, self.below(at + 1));
        }
    }
}
