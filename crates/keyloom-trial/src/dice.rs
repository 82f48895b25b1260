/// Numbers that look random; the same for the same seed.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(0x2545_F491_4F6C_DD1D))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let product = u128::from(mixed ^ (mixed >> 31)) * end as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// True in so many of a hundred calls.
    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub(crate) fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}
