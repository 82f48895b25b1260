use std::fmt;

/// A day of the calendar.
///
/// ```
/// use keyloom_model::Date;
///
/// let day = Date::parse("2026-11-15").unwrap();
/// assert_eq!(day.to_string(), "2026-11-15");
/// assert!(Date::parse("2026-02-29").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    /// Reads `2026-11-15`, and nothing looser.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return None;
        }
        let date =
            Self { year: text[0..4].parse().ok()?, month: text[5..7].parse().ok()?, day: text[8..].parse().ok()? };
        (date.year > 0 && (1..=12).contains(&date.month) && (1..=date.days_of_month()).contains(&date.day))
            .then_some(date)
    }

    /// The whole months from this day to a later one; none when that comes first.
    pub fn months_until(self, later: Self) -> u32 {
        let months = |day: Self| u32::from(day.year) * 12 + u32::from(day.month);
        let begun = months(later).saturating_sub(months(self));
        begun.saturating_sub(u32::from(later.day < self.day))
    }

    /// The day that lies this many days after 1970-01-01 (or before it).
    pub fn from_days_since_1970(days: i64) -> Option<Self> {
        // Counted in 400-year cycles that begin on 1 March, so that the leap day is the last day of a cycle's year.
        let shifted = days.checked_add(719_468)?;
        let (cycle, day_of_cycle) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_cycle =
            (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
        let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
        let date =
            Self { year: u16::try_from(year).ok()?, month: u8::try_from(month).ok()?, day: u8::try_from(day).ok()? };
        (1..=9999).contains(&date.year).then_some(date)
    }

    /// How many days it lies after 1970-01-01; negative before it.
    pub fn days_since_1970(self) -> i64 {
        // The same cycles as above: a year begins on 1 March.
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let (cycle, year_of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
        let month_from_march = (month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        cycle * 146_097 + year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year - 719_468
    }

    fn days_of_month(self) -> u8 {
        let leap = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 31,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn days_since_1970_and_back() {
        for (days, text) in
            [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_772, "2026-11-15"), (-1, "1969-12-31")]
        {
            assert_eq!(Date::from_days_since_1970(days).unwrap().to_string(), text);
        }
        for days in -719_162..=2_932_896 {
            assert_eq!(Date::from_days_since_1970(days).unwrap().days_since_1970(), days);
        }
        assert_eq!(Date::from_days_since_1970(i64::MAX), None);
    }

    #[test]
    fn only_the_one_form_is_read() {
        for text in
            ["", "2026-1-1", "2026-13-01", "2026-00-10", "2026-04-31", "0000-01-01", "２０２６-01-01", "2026-11-15T"]
        {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_whole_months_count() {
        let months = |from, to| Date::parse(from).unwrap().months_until(Date::parse(to).unwrap());
        assert_eq!(months("2026-11-15", "2026-11-15"), 0);
        assert_eq!(months("2026-11-15", "2026-12-14"), 0);
        assert_eq!(months("2026-11-15", "2026-12-15"), 1);
        assert_eq!(months("2026-11-15", "2027-11-14"), 11);
        assert_eq!(months("2026-11-15", "2027-11-15"), 12);
        // What comes from the future is new.
        assert_eq!(months("2026-11-15", "2026-11-14"), 0);
        assert_eq!(months("2026-11-15", "1999-01-01"), 0);
    }
}
