use std::fmt;

/// A day on which a fact was checked, or on which somebody asks how old it is.
///
/// Today is always an input; whoever has it as another type of date hands over its three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    /// As in 2026.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Day {
    /// The whole months from this day to `today`; none when today comes first.
    pub fn months_until(self, today: Self) -> u32 {
        let months = |day: Self| u32::from(day.year) * 12 + u32::from(day.month);
        let begun = months(today).saturating_sub(months(self));
        begun.saturating_sub(u32::from(today.day < self.day))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn months(from: (u16, u8, u8), today: (u16, u8, u8)) -> u32 {
        let day = |(year, month, day)| Day { year, month, day };
        day(from).months_until(day(today))
    }

    #[test]
    fn only_whole_months_count() {
        assert_eq!(months((2026, 11, 15), (2026, 11, 15)), 0);
        assert_eq!(months((2026, 11, 15), (2026, 12, 14)), 0);
        assert_eq!(months((2026, 11, 15), (2026, 12, 15)), 1);
        assert_eq!(months((2026, 11, 15), (2027, 11, 14)), 11);
        assert_eq!(months((2026, 11, 15), (2027, 11, 15)), 12);
    }

    #[test]
    fn a_fact_from_the_future_is_new() {
        assert_eq!(months((2026, 11, 15), (2026, 11, 14)), 0);
        assert_eq!(months((2026, 11, 15), (1999, 1, 1)), 0);
    }

    #[test]
    fn a_day_is_written_as_everywhere_else() {
        assert_eq!(Day { year: 2026, month: 1, day: 5 }.to_string(), "2026-01-05");
    }
}
