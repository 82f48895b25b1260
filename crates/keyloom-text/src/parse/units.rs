//! Counts, bytes, spans of time, rates, shares and distributions.

use keyloom_model::{Distribution, Rate, Share, TimeSpan};

use crate::fault::Fault;

/// Reads a whole count: `50M`, `1.5k`, `300`.
pub fn count(text: &str) -> Result<u64, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a span of time: `80ms`, `7 years`, `1 day`.
pub fn time_span(text: &str) -> Result<TimeSpan, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a rate: `2000/s`, `120k/day`, `0.2/s`.
pub fn rate(text: &str) -> Result<Rate, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a share: `30%`, `0.5%`.
pub fn share(text: &str) -> Result<Share, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a distribution of counts: `40 / 5k / 200k`, `200 / 5k / 100k per month`, `500`.
pub fn count_distribution(text: &str) -> Result<Distribution<u64>, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a distribution of spans: `1 day / 7 days / 31 days`, `7 days`.
pub fn span_distribution(text: &str) -> Result<Distribution<TimeSpan>, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}
