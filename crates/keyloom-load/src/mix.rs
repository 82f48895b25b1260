//! How often each pattern is called.

use keyloom_model::{Catalog, Frequency, Pattern, Rate, TimeSpan, TimeUnit};

use crate::traffic::not_driven;

/// What a pattern gets whose rate the catalog does not state. It is said.
const NOT_STATED: f64 = 0.1;
/// `rare` is less than once a minute.
const RARE: f64 = 1.0 / 60.0;

/// The catalog with the rates at which it is driven, all calls together so many a second if that is said: for who says before
/// what a drive will come to.
pub fn as_driven(catalog: &Catalog, total: Option<f64>) -> Catalog {
    let mix = Mix::new(catalog, |pattern| not_driven(catalog, pattern).is_none(), total);
    let mut driven = catalog.clone();
    for (pattern, rate) in driven.patterns.iter_mut().zip(&mix.rates) {
        // As fine as a call in eleven days.
        let rate = Rate { events: (rate * 1e6).round() as u64, per: TimeSpan::new(1_000_000, TimeUnit::Second) };
        pattern.rate = Frequency::Stated { mean: Some(rate), peak: Some(rate) };
    }
    driven
}

/// The rates of all patterns.
#[derive(Debug, Clone)]
pub(crate) struct Mix {
    /// For each pattern of the catalog, calls a second.
    pub(crate) rates: Vec<f64>,
    /// What was assumed.
    pub(crate) assumed: Vec<String>,
}

impl Mix {
    /// The catalog's own rates, of the patterns that can be driven; all of them together so many calls a second, if that is
    /// said.
    pub(crate) fn new(catalog: &Catalog, driven: impl Fn(&Pattern) -> bool, total: Option<f64>) -> Self {
        let mut assumed = Vec::new();
        let mut rates: Vec<f64> = Vec::with_capacity(catalog.patterns.len());
        for pattern in &catalog.patterns {
            if !driven(pattern) {
                rates.push(0.0);
                continue;
            }
            rates.push(match pattern.rate {
                Frequency::Unknown => {
                    assumed.push(format!(
                        "{}: its rate is not stated, so it is called {NOT_STATED} times a second",
                        pattern.name
                    ));
                    NOT_STATED
                }
                Frequency::Rare => RARE,
                Frequency::Stated { mean, peak } => mean.or(peak).map_or(NOT_STATED, keyloom_model::Rate::per_second),
            });
        }
        let sum: f64 = rates.iter().sum();
        if let Some(total) = total.filter(|_| sum > 0.0) {
            rates.iter_mut().for_each(|rate| *rate *= total / sum);
        }
        Self { rates, assumed }
    }

    pub(crate) fn total(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// The pattern on which a number below 1 falls.
    pub(crate) fn pick(&self, unit: f64) -> usize {
        let mut left = unit * self.total();
        let at = self.rates.iter().position(|rate| {
            left -= rate;
            left < 0.0
        });
        at.or_else(|| self.rates.iter().rposition(|rate| *rate > 0.0)).unwrap_or(0)
    }
}
