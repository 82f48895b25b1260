//! Chance from a seed.

/// A small generator (splitmix64): the same seed gives the same numbers.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another one, which belongs to a name.
    pub(crate) fn of(&self, name: &str) -> Self {
        // FNV-1a: names are few and short.
        let hash = name
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        Self(Self(self.0 ^ hash).number())
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and less than this; 0 if that is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.number().checked_rem(bound).unwrap_or(0)
    }

    /// From the one to the other, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// At least 0 and less than 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The time to the next of events that come independently of each other, so many in a second.
    pub(crate) fn gap_seconds(&mut self, per_second: f64) -> f64 {
        -(1.0 - self.unit()).ln() / per_second
    }

    /// A rank below a bound by Zipf's law.
    pub(crate) fn zipf(&mut self, bound: usize, exponent: f64) -> usize {
        // The inverse of the integral that the sum is near to; exact enough for a load, and needs no table.
        let (count, unit) = (bound.max(1) as f64, self.unit());
        let rank = if (exponent - 1.0).abs() < 1e-6 {
            (count + 1.0).powf(unit)
        } else {
            let end = (count + 1.0).powf(1.0 - exponent);
            (unit * (end - 1.0) + 1.0).powf(1.0 / (1.0 - exponent))
        };
        (rank as usize).clamp(1, bound.max(1)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Chance;

    #[test]
    fn the_first_rank_is_the_most_frequent() {
        for exponent in [0.8, 1.0, 1.3] {
            let mut chance = Chance::new(7);
            let mut ranks = [0_u32; 50];
            (0..20_000).for_each(|_| ranks[chance.zipf(50, exponent)] += 1);
            assert!(ranks[0] > ranks[4] && ranks[4] > ranks[40], "{exponent}: {ranks:?}");
            assert!(ranks.iter().all(|count| *count > 0), "{exponent}: {ranks:?}");
        }
    }

    #[test]
    fn gaps_have_the_wanted_mean() {
        let mut chance = Chance::new(7);
        let all: f64 = (0..100_000).map(|_| chance.gap_seconds(200.0)).sum();
        assert!((450.0..550.0).contains(&all), "{all}");
    }
}
