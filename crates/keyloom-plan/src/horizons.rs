//! The times of the protocol, resolved: as the catalog and the layout state them, else as they are assumed. Nobody has
//! another number.

use keyloom_model::layout::Layout;
use keyloom_model::{Catalog, TimeSpan, TimeUnit};

use crate::refusal::{Because, Refusal, What};

/// By how much clocks may differ, in milliseconds; births of requests may lie that far ahead.
const SKEW_MS: i64 = 60_000;

/// The times of the protocol, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Horizons {
    /// For how long a repeated request has one effect.
    pub retries_ms: i64,
    /// How long a projection may lag.
    pub settle_ms: i64,
    /// How long an answer may stay unknown.
    pub doubt_ms: i64,
    /// How late a placement may arrive, where that is stated.
    pub late_ms: Option<i64>,
    /// How long reading a page may take, where that is stated.
    pub page_ms: Option<i64>,
    /// How long removed and expired rows are remembered: as stated, else twice as long as requests may be repeated.
    pub grace_ms: i64,
}

impl Horizons {
    /// Those of a catalog and its layout.
    pub fn of(catalog: &Catalog, layout: &Layout) -> Self {
        /// How long a request may be repeated, unless the catalog states it.
        const RETRIES: TimeSpan = TimeSpan::new(24, TimeUnit::Hour);
        let millis = |span: TimeSpan| i64::try_from(span.milliseconds()).unwrap_or(i64::MAX / 4);
        let stated = &layout.horizons;
        let retries = catalog.retries.unwrap_or(RETRIES);
        let (retries_ms, grace_ms) = (millis(retries), millis(stated.grace(retries)));
        Self {
            retries_ms,
            // Who states nothing chose nothing wrong.
            settle_ms: stated.settle.map_or_else(|| millis(stated.settle()).min(grace_ms / 2), millis),
            doubt_ms: stated.doubt.map_or_else(|| millis(stated.doubt()).min(retries_ms / 2), millis),
            late_ms: stated.late.map(millis),
            page_ms: stated.page.map(millis),
            grace_ms,
        }
    }

    /// What does not go together: each promise holds only while one of them ends before another does.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let late_ms = self.late_ms.map_or(0, |late_ms| late_ms.saturating_mul(2).saturating_add(SKEW_MS));
        let pairs = [
            ("`doubt`", self.doubt_ms, "`retries`", self.retries_ms),
            ("`retries`", self.retries_ms, "`grace`", self.grace_ms),
            ("`settle`", self.settle_ms, "`grace`", self.grace_ms),
            ("twice `late` and a minute for clocks that differ", late_ms, "`grace`", self.grace_ms),
        ];
        let clashes = pairs.into_iter().filter(|(_, one_ms, _, other_ms)| one_ms >= other_ms);
        let refusal = |(one, one_ms, other, other_ms)| {
            let what = What::Horizons { one, one_ms, other, other_ms };
            Refusal { at: "horizons".to_owned(), question: None, because: Because::Layout, what }
        };
        clashes.map(refusal).collect()
    }
}

#[cfg(test)]
mod tests {
    use keyloom_model::layout::Layout;
    use keyloom_model::{Catalog, Engine, TimeSpan, TimeUnit};

    use super::Horizons;

    fn refused(change: impl FnOnce(&mut Catalog, &mut Layout)) -> Vec<String> {
        let (mut catalog, mut layout) = (Catalog::default(), Layout::new("house", Engine::Embedded));
        change(&mut catalog, &mut layout);
        Horizons::of(&catalog, &layout).refusals().iter().map(ToString::to_string).collect()
    }

    const fn hours(hours: u64) -> Option<TimeSpan> {
        Some(TimeSpan::new(hours, TimeUnit::Hour))
    }

    #[test]
    fn what_is_assumed_goes_together() {
        assert_eq!(refused(|_, _| {}), [] as [&str; 0]);
        assert_eq!(refused(|catalog, _| catalog.retries = hours(2000)), [] as [&str; 0]);
        let second = |catalog: &mut Catalog, _: &mut Layout| catalog.retries = Some(TimeSpan::new(1, TimeUnit::Second));
        assert_eq!(refused(second), [] as [&str; 0]);
    }

    #[test]
    fn times_that_end_too_late_are_refused_with_their_numbers() {
        let doubt = |_: &mut Catalog, layout: &mut Layout| layout.horizons.doubt = hours(24);
        assert_eq!(refused(doubt), ["horizons: `doubt` is 86400000 ms, and must be below `retries`, 86400000 ms"]);
        assert_eq!(
            refused(|_, layout| layout.horizons.grace = hours(24)),
            ["horizons: `retries` is 86400000 ms, and must be below `grace`, 86400000 ms"]
        );
        let late = |_: &mut Catalog, layout: &mut Layout| layout.horizons.late = hours(24);
        assert_eq!(
            refused(late),
            [
                "horizons: twice `late` and a minute for clocks that differ is 172860000 ms, and must be below `grace`, 172800000 ms"
            ]
        );
        let settle = |_: &mut Catalog, layout: &mut Layout| layout.horizons.settle = hours(48);
        assert_eq!(refused(settle), ["horizons: `settle` is 172800000 ms, and must be below `grace`, 172800000 ms"]);
    }
}
