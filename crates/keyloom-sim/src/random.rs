use std::time::Duration;

/// A small generator (xoshiro256++): one seed, one sequence, on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring sequences, so each word is mixed from its own step (splitmix64).
        let mut step = seed;
        let state = std::array::from_fn(|_| {
            step = step.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mix(step)
        });
        Self { state }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // The high half of a product is as even as anybody needs here, and needs no loop.
        let product = u128::from(self.next()) * u128::from(end);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        // Nothing is drawn for what never happens, so that a fault that is off leaves the others' sequence alone.
        share > 0.0 && (self.next() >> 11) as f64 / ((1u64 << 53) as f64) < share
    }

    /// A span between the two, both included.
    pub(crate) fn span(&mut self, shortest: Duration, longest: Duration) -> Duration {
        let micros = |span: Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        let width = micros(longest.saturating_sub(shortest)).saturating_add(1);
        shortest + Duration::from_micros(self.below(width))
    }
}

pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}
