//! Numbers as people read them: three digits, a unit, and a sign where something is left out.

use crate::quantity::{Between, Quantity, Three};

/// A number in three digits: `1.23M`, `40M`, `8`.
pub(crate) fn count(number: u128) -> String {
    scaled(number, 1_000, &["", "k", "M", "G", "T"], "")
}

/// Bytes in three digits: `44.1 MB`.
pub(crate) fn bytes(number: u128) -> String {
    scaled(number, 1_024, &["B", "KB", "MB", "GB", "TB", "PB"], " ")
}

/// Billionths of a dollar: cents below a hundred dollars, whole dollars above.
pub(crate) fn dollars(nanos: u128) -> String {
    const DOLLAR: u128 = 1_000_000_000;
    match nanos {
        0 => "$0".to_owned(),
        _ if nanos < DOLLAR / 100 => "below $0.01".to_owned(),
        _ if nanos < 100 * DOLLAR => {
            let cents = (nanos + DOLLAR / 200) / (DOLLAR / 100);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
        _ => {
            let whole = u64::try_from(nanos.saturating_add(DOLLAR / 2) / DOLLAR).unwrap_or(u64::MAX);
            format!("${}", grouped(whole))
        }
    }
}

/// Thousandths, to one digit behind the point below ten.
pub(crate) fn thousandths(number: u128) -> String {
    match number {
        0 => "0".to_owned(),
        1..50 => "below 0.1".to_owned(),
        _ if number < 10_000 => {
            let tenths = (number + 50) / 100;
            if tenths.is_multiple_of(10) {
                (tenths / 10).to_string()
            } else {
                format!("{}.{}", tenths / 10, tenths % 10)
            }
        }
        _ => count(number.saturating_add(500) / 1_000),
    }
}

/// Nanoseconds: `7.1 us`, `1.2 ms`.
pub(crate) fn nanos(number: u128) -> String {
    scaled(number, 1_000, &["ns", "us", "ms", "s"], " ")
}

fn scaled(number: u128, step: u128, units: &[&str], blank: &str) -> String {
    let (mut unit, mut at) = (1_u128, 0);
    while at + 1 < units.len() && number / unit >= step {
        unit *= step;
        at += 1;
    }
    let whole = number / unit;
    let (digits, places) = match whole {
        0..10 => (100, 2),
        10..100 => (10, 1),
        _ => (1, 0),
    };
    // Rounded to three digits; what is exact loses its zeros.
    let rounded = (number % unit).saturating_mul(digits).saturating_add(unit / 2) / unit;
    let (whole, rounded) = if rounded >= digits { (whole + 1, 0) } else { (whole, rounded) };
    let behind = format!("{rounded:0places$}");
    let behind = behind.trim_end_matches('0');
    let dot = if places > 0 && !behind.is_empty() { "." } else { "" };
    let behind = if places > 0 { behind } else { "" };
    let whole = u64::try_from(whole).map_or_else(|_| whole.to_string(), grouped);
    format!("{whole}{dot}{behind}{blank}{}", units[at])
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A quantity: `?` where it is open, a `+` where something is left out.
pub(crate) fn quantity(of: &Quantity, say: impl Fn(u128) -> String) -> String {
    match (of.value(), of.whole()) {
        (None, _) => "?".to_owned(),
        (Some(value), None) => format!("{}+", say(value)),
        (Some(value), Some(_)) => say(value),
    }
}

/// Typical, p99 and worst.
pub(crate) fn three(of: &Three, say: impl Fn(u128) -> String) -> String {
    [&of.typical, &of.p99, &of.worst].map(|one| quantity(one, &say)).join(" / ")
}

/// A range, or one number where both bounds read the same.
pub(crate) fn between<T>(of: &Between<T>, say: impl Fn(&T) -> String) -> String {
    let (low, high) = (say(&of.low), say(&of.high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Lines of columns, as wide as they must be; the first is a heading. Columns named here stand right.
pub(crate) fn columns(lines: &[Vec<String>], right: &[usize]) -> String {
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (at, cell) in line.iter().enumerate() {
            let pad = " ".repeat(width(at).unwrap_or(0).saturating_sub(cell.chars().count()));
            row.push_str(if at == 0 { "" } else { "  " });
            if right.contains(&at) {
                row.push_str(&pad);
                row.push_str(cell);
            } else {
                row.push_str(cell);
                row.push_str(&pad);
            }
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_three_digits() {
        let said = [0, 8, 999, 1_000, 1_234, 20_000, 999_499, 45_660_000, 5_113_500_000].map(count);
        assert_eq!(said, ["0", "8", "999", "1k", "1.23k", "20k", "999k", "45.7M", "5.11G"]);
        assert_eq!(count(u128::MAX).chars().filter(char::is_ascii_digit).count(), 27);
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!([0, 230, 1_024, 1_536, 46_000_000].map(bytes), ["0 B", "230 B", "1 KB", "1.5 KB", "43.9 MB"]);
    }

    #[test]
    fn money_is_rounded_as_people_do() {
        let said = [0, 1, 9_999_999, 10_000_000, 1_234_567_890, 123_456_000_000, 12_345_600_000_000].map(dollars);
        assert_eq!(said, ["$0", "below $0.01", "below $0.01", "$0.01", "$1.23", "$123", "$12,346"]);
    }

    #[test]
    fn what_is_left_out_shows() {
        let half = Quantity::known(5_u64).plus(&Quantity::open("a"));
        assert_eq!(quantity(&half, count), "5+");
        assert_eq!(quantity(&Quantity::open("a"), count), "?");
        assert_eq!([0, 20, 1_000, 1_249, 9_960, 12_400].map(thousandths), ["0", "below 0.1", "1", "1.2", "10", "12"]);
    }
}
