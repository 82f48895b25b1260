//! One row of the closing table, and what makes it pass.

/// The tests of one crate, one suite against an engine, or one check such as the lints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    pub name: String,
    /// The engine that the suite ran against; most need none.
    pub engine: Option<String>,
    /// Tests that ran, whether they passed or not.
    pub run: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Suite {
    /// A suite that has not run anything yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), engine: None, run: 0, failed: 0, skipped: 0 }
    }

    /// A check that is no test suite, such as the formatting. It counts as one test, so that the last line of the
    /// table adds up and a failed check can't hide behind passed tests.
    pub fn check(name: impl Into<String>, passed: bool) -> Self {
        Self { run: 1, failed: u64::from(!passed), ..Self::new(name) }
    }

    /// What became of the suite. In CI nothing may be left out in silence: a suite without a single test fails.
    pub fn verdict(&self, ci: bool) -> Verdict {
        match (self.failed, self.run) {
            (0, 0) if ci && self.engine.is_some() => Verdict::Failed("skipped, and CI runs every engine"),
            (0, 0) if ci => Verdict::Failed("no tests ran"),
            (0, 0) if self.engine.is_some() => Verdict::Skipped,
            (0, 0) => Verdict::Empty,
            (0, _) => Verdict::Passed,
            _ => Verdict::Failed("failed"),
        }
    }
}

/// What became of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// The engine was not there.
    Skipped,
    /// There is nothing to run yet.
    Empty,
    /// With the reason, as the table prints it.
    Failed(&'static str),
}

/// Passed, failed and skipped tests over all suites. A suite that fails without a failed test of its own counts as one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Totals {
    pub fn of(suites: &[Suite], ci: bool) -> Self {
        suites.iter().fold(Self::default(), |sum, suite| {
            let failed = match suite.verdict(ci) {
                Verdict::Failed(_) => suite.failed.max(1),
                Verdict::Passed | Verdict::Skipped | Verdict::Empty => 0,
            };
            Self {
                passed: sum.passed + suite.run.saturating_sub(suite.failed),
                failed: sum.failed + failed,
                skipped: sum.skipped + suite.skipped,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine_suite(run: u64, skipped: u64) -> Suite {
        Suite { engine: Some("redis".to_owned()), run, skipped, ..Suite::new("store") }
    }

    #[test]
    fn an_empty_suite_is_fine_at_a_desk_and_fails_in_ci() {
        assert_eq!(Suite::new("a").verdict(false), Verdict::Empty);
        assert_eq!(Suite::new("a").verdict(true), Verdict::Failed("no tests ran"));
    }

    #[test]
    fn a_skipped_engine_fails_in_ci() {
        assert_eq!(engine_suite(0, 12).verdict(false), Verdict::Skipped);
        assert_eq!(engine_suite(0, 12).verdict(true), Verdict::Failed("skipped, and CI runs every engine"));
        assert_eq!(engine_suite(9, 3).verdict(true), Verdict::Passed);
    }

    #[test]
    fn totals_count_a_failed_check_and_an_empty_suite_in_ci() {
        let suites = [
            Suite::check("clippy", false),
            Suite { run: 10, failed: 2, skipped: 1, ..Suite::new("a") },
            engine_suite(0, 4),
        ];
        assert_eq!(Totals::of(&suites, false), Totals { passed: 8, failed: 3, skipped: 5 });
        assert_eq!(Totals::of(&suites, true), Totals { passed: 8, failed: 4, skipped: 5 });
    }
}
