use std::time::Duration;

use super::World;

/// The seeded source of chance; all of a simulation draw from one sequence.
#[derive(Clone)]
pub struct Dice(World);

impl Dice {
    pub(super) fn new(world: World) -> Self {
        Self(world)
    }

    /// A number below `end`; 0 when that is 0.
    pub fn below(&self, end: u64) -> u64 {
        self.0.lock().random.below(end)
    }

    /// Whether something happens that happens this often.
    pub fn chance(&self, share: f64) -> bool {
        self.0.lock().random.chance(share)
    }

    /// A span between the two, both included.
    pub fn span(&self, shortest: Duration, longest: Duration) -> Duration {
        self.0.lock().random.span(shortest, longest)
    }
}
