use std::fmt;

use keyloom_model::{Date, Engine};

/// One number about one engine, with its source and its date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Whom it is about.
    pub engine: Engine,
    /// `item_bytes`; the same name for the same thing on every engine that has it.
    pub name: String,
    /// The number, in the base unit: bytes, never kilobytes.
    pub value: u64,
    /// What the number counts: `bytes per item`.
    pub unit: String,
    /// What exactly is limited, in one sentence.
    pub what: String,
    /// What happens above the number.
    pub kind: Kind,
    /// The title and address of the document that states it.
    pub source: String,
    /// The day on which somebody last read it there.
    pub date: Date,
}

impl Fact {
    /// For how many whole months nobody has checked the fact.
    pub fn age_months(&self, today: Date) -> u32 {
        self.date.months_until(today)
    }
}

/// Shows the number as people say it: `400 KB per item`, `3,000 read units per second and partition`.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit.strip_prefix("bytes") {
            Some(per) => write!(f, "{}{per}", size(self.value)),
            None => write!(f, "{} {}", grouped(self.value), self.unit),
        }
    }
}

/// What happens above the number. Only what an engine refuses or throttles can prove an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The engine answers with an error, or cuts off the rest.
    Refused,
    /// The engine slows the caller down.
    Throttled,
    /// Experience says that it goes wrong; the engine goes on.
    RuleOfThumb,
    /// We saw it once, on one machine.
    MeasuredByUs,
}

impl Kind {
    /// All kinds, from the hardest to the softest.
    pub const ALL: [Self; 4] = [Self::Refused, Self::Throttled, Self::RuleOfThumb, Self::MeasuredByUs];

    /// The kind's one name, as it is written in the data files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Throttled => "throttled",
            Self::RuleOfThumb => "rule of thumb",
            Self::MeasuredByUs => "measured by us",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether breaking the number is a proof, and so may be an error.
    pub fn is_documented_limit(self) -> bool {
        matches!(self, Self::Refused | Self::Throttled)
    }
}

/// The largest unit in which the size is a whole number. 1 KB is 1,024 bytes, in the catalog and out.
fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    let whole = |&&(unit, _): &&(u64, &str)| bytes >= unit && bytes.is_multiple_of(unit);
    match UNITS.iter().find(whole) {
        Some((unit, name)) => format!("{} {name}", grouped(bytes / unit)),
        None => format!("{} B", grouped(bytes)),
    }
}

/// A number with a comma before each group of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_of_their_unit() {
        let shown = [0, 999, 1_024, 2_048, 65_535, 104_857_600, 10_737_418_240].map(size);
        assert_eq!(shown, ["0 B", "999 B", "1 KB", "2 KB", "65,535 B", "100 MB", "10 GB"]);
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!([0, 25, 999, 1_000, 2_000_000_000].map(grouped), ["0", "25", "999", "1,000", "2,000,000,000"]);
    }

    #[test]
    fn only_what_the_engine_does_proves_an_error() {
        assert_eq!(Kind::ALL.map(Kind::is_documented_limit), [true, true, false, false]);
        assert_eq!(Kind::from_name("hearsay"), None);
    }
}
