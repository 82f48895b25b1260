/// What one partition has left: filled at a rate, and never with more than a second brings. Counted in millionths, so that a
/// microsecond brings a whole number of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bucket {
    level: i64,
    at_us: u64,
}

const MILLIONTHS: i64 = 1_000_000;

impl Bucket {
    /// Nothing was taken in the last second.
    pub(crate) fn full(rate: u64, now_us: u64) -> Self {
        Self { level: room(rate), at_us: now_us }
    }

    /// Whether so much can be taken. What is more than a second brings can be taken of a full one.
    pub(crate) fn holds(&mut self, rate: u64, wanted: u64, now_us: u64) -> bool {
        self.fill(rate, now_us);
        self.level >= room(wanted.min(rate))
    }

    /// Takes it, also what is not there.
    pub(crate) fn take(&mut self, wanted: u64) {
        self.level = self.level.saturating_sub(room(wanted));
    }

    /// Whether nothing is missing, so that it need not be remembered.
    pub(crate) fn is_full(&mut self, rate: u64, now_us: u64) -> bool {
        self.fill(rate, now_us);
        self.level == room(rate)
    }

    /// What is left, in whole units.
    pub(crate) fn left(&self) -> u64 {
        u64::try_from(self.level / MILLIONTHS).unwrap_or(0)
    }

    fn fill(&mut self, rate: u64, now_us: u64) {
        let brought = now_us.saturating_sub(self.at_us).saturating_mul(rate);
        let brought = i64::try_from(brought).unwrap_or(i64::MAX);
        self.level = self.level.saturating_add(brought).min(room(rate));
        self.at_us = self.at_us.max(now_us);
    }
}

fn room(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(MILLIONTHS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever calls ask and whenever they come: over any time no more is let through than flowed in, one second and
        /// the last call; and who is always refused at the limit was refused rightly.
        #[test]
        fn never_more_than_flows_in(
            rate in 1u64..5_000,
            calls in prop::collection::vec((1u64..2_000, 0u64..400_000), 1..300),
        ) {
            let mut bucket = Bucket::full(rate, 0);
            let (mut now, mut taken, mut largest) = (0u64, 0u128, 0u64);
            for (wanted, pause) in calls {
                now += pause;
                if bucket.holds(rate, wanted, now) {
                    bucket.take(wanted);
                    taken += u128::from(wanted);
                    largest = largest.max(wanted);
                }
                let flowed = u128::from(rate) * (1_000_000 + u128::from(now));
                prop_assert!(taken * 1_000_000 <= flowed + u128::from(largest.saturating_sub(rate)) * 1_000_000);
            }
        }

        /// Who asks all the time for what fits gets all that flows in.
        #[test]
        fn never_less_to_who_always_asks(rate in 10u64..3_000, wanted in 1u64..10) {
            let mut bucket = Bucket::full(rate, 0);
            let mut taken = 0;
            let step = 1_000_000 / rate / 2 + 1;
            let end = 20_000_000;
            for now in (0..=end).step_by(step as usize) {
                if bucket.holds(rate, wanted, now) {
                    bucket.take(wanted);
                    taken += wanted;
                }
            }
            let flowed = rate * (1 + end / 1_000_000);
            prop_assert!(taken <= flowed && taken + wanted + 2 >= flowed, "{taken} of {flowed}");
        }
    }

    #[test]
    fn a_call_above_a_second_waits_for_a_full_bucket_and_leaves_a_debt() {
        let mut bucket = Bucket::full(1_000, 0);
        assert!(bucket.holds(1_000, 2_500, 0));
        bucket.take(2_500);
        assert_eq!(bucket.left(), 0);
        assert!(!bucket.holds(1_000, 1, 1_500_000), "the debt is two seconds and a half less one");
        assert!(bucket.holds(1_000, 1, 1_501_000));
        assert!(!bucket.holds(1_000, 2_500, 2_000_000));
        assert!(bucket.holds(1_000, 2_500, 2_500_000));
    }
}
