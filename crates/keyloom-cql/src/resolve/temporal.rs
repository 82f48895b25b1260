//! Which strings the server takes for a timestamp, a date, a time or a duration.

/// Whether the string is a timestamp: milliseconds, `now`, or a date with an optional time and offset.
pub(super) fn is_timestamp(text: &str) -> bool {
    if text.is_empty() || text.eq_ignore_ascii_case("now") {
        return true;
    }
    if is_whole_number(text) {
        return text.parse::<i64>().is_ok();
    }
    date_and_time(text).is_some() || date_alone(text).is_some()
}

/// Whether the string is a date: days counted from the smallest one, or `yyyy-mm-dd`.
pub(super) fn is_date(text: &str) -> bool {
    if is_whole_number(text) {
        return text.parse::<u32>().is_ok();
    }
    let Some((year, month, day, rest)) = padded_date(text) else { return false };
    // 2^31 days before and after 1970, which is what four bytes hold.
    let held = (-5_877_641, 6, 23)..=(5_881_580, 7, 11);
    rest.is_empty() && day <= days_in(year, month) && held.contains(&(year, month, day))
}

/// Whether the string is a time of day: nanoseconds, or `hh:mm:ss[.fffffffff]`.
pub(super) fn is_time(text: &str) -> bool {
    if is_whole_number(text) {
        return text.parse::<u64>().is_ok_and(|nanoseconds| nanoseconds < 86_400_000_000_000);
    }
    let mut parts = text.trim().splitn(3, ':');
    let (Some(hour), Some(minute), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let (second, fraction) = match rest.split_once('.') {
        Some((second, fraction)) => (second, Some(fraction)),
        None => (rest, None),
    };
    let below = |part: &str, limit: i32| part.parse::<i32>().is_ok_and(|value| (0..limit).contains(&value));
    let fraction_holds = fraction
        .is_none_or(|digits| (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()));
    below(hour, 24) && below(minute, 60) && below(second, 60) && fraction_holds
}

/// Whether the string is a duration: `1h30m`, or one of ISO 8601.
pub(super) fn is_duration(text: &str) -> bool {
    let source = text.strip_prefix('-').unwrap_or(text);
    let mut duration = Duration::default();
    if let Some(iso) = source.strip_prefix('P') {
        if let Some(weeks) = iso.strip_suffix('W') {
            return number(weeks).is_some_and(|weeks| duration.add(weeks, Unit::Week));
        }
        if iso.contains('-') {
            return iso_alternative(iso, &mut duration);
        }
        return iso_parts(iso, &mut duration);
    }
    !source.is_empty() && standard_parts(source, &mut duration)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

/// A duration while it is added up: three sums, each with a limit, and the last unit, for they must come in order.
#[derive(Default)]
struct Duration {
    months: i64,
    days: i64,
    nanoseconds: i64,
    last: Option<Unit>,
}

impl Duration {
    fn add(&mut self, count: i64, unit: Unit) -> bool {
        if self.last.is_some_and(|last| last >= unit) {
            return false;
        }
        self.last = Some(unit);
        let (sum, limit, factor) = match unit {
            Unit::Year => (&mut self.months, i64::from(i32::MAX), 12),
            Unit::Month => (&mut self.months, i64::from(i32::MAX), 1),
            Unit::Week => (&mut self.days, i64::from(i32::MAX), 7),
            Unit::Day => (&mut self.days, i64::from(i32::MAX), 1),
            Unit::Hour => (&mut self.nanoseconds, i64::MAX, 3_600_000_000_000),
            Unit::Minute => (&mut self.nanoseconds, i64::MAX, 60_000_000_000),
            Unit::Second => (&mut self.nanoseconds, i64::MAX, 1_000_000_000),
            Unit::Millisecond => (&mut self.nanoseconds, i64::MAX, 1_000_000),
            Unit::Microsecond => (&mut self.nanoseconds, i64::MAX, 1_000),
            Unit::Nanosecond => (&mut self.nanoseconds, i64::MAX, 1),
        };
        if count > (limit - *sum) / factor {
            return false;
        }
        *sum += count * factor;
        true
    }
}

fn standard_parts(mut source: &str, duration: &mut Duration) -> bool {
    while !source.is_empty() {
        let Some((count, rest)) = leading_number(source) else { return false };
        let lower = rest.chars().take(2).collect::<String>().to_lowercase();
        let (unit, length) = match lower.as_str() {
            "mo" => (Unit::Month, 2),
            "ms" => (Unit::Millisecond, 2),
            "us" => (Unit::Microsecond, 2),
            "\u{b5}s" => (Unit::Microsecond, 3),
            "ns" => (Unit::Nanosecond, 2),
            other => match other.chars().next() {
                Some('y') => (Unit::Year, 1),
                Some('w') => (Unit::Week, 1),
                Some('d') => (Unit::Day, 1),
                Some('h') => (Unit::Hour, 1),
                Some('m') => (Unit::Minute, 1),
                Some('s') => (Unit::Second, 1),
                _ => return false,
            },
        };
        if !duration.add(count, unit) {
            return false;
        }
        source = rest.get(length..).unwrap_or_default();
    }
    true
}

fn iso_parts(source: &str, duration: &mut Duration) -> bool {
    let (date, time) = match source.split_once('T') {
        Some((date, time)) => (date, time),
        None => (source, ""),
    };
    let run = |mut part: &str, units: &[(char, Unit)], duration: &mut Duration| {
        while !part.is_empty() {
            let Some((count, rest)) = leading_number(part) else { return false };
            let Some((_, unit)) = units.iter().find(|(letter, _)| rest.starts_with(*letter)) else { return false };
            if !duration.add(count, *unit) {
                return false;
            }
            part = rest.get(1..).unwrap_or_default();
        }
        true
    };
    run(date, &[('Y', Unit::Year), ('M', Unit::Month), ('D', Unit::Day)], duration)
        && run(time, &[('H', Unit::Hour), ('M', Unit::Minute), ('S', Unit::Second)], duration)
}

fn iso_alternative(source: &str, duration: &mut Duration) -> bool {
    let units = [
        (0..4, Unit::Year),
        (5..7, Unit::Month),
        (8..10, Unit::Day),
        (11..13, Unit::Hour),
        (14..16, Unit::Minute),
        (17..19, Unit::Second),
    ];
    let separated = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    source.len() == 19
        && separated.iter().all(|(at, byte)| source.as_bytes().get(*at) == Some(byte))
        && units
            .into_iter()
            .all(|(range, unit)| source.get(range).and_then(number).is_some_and(|count| duration.add(count, unit)))
}

fn number(digits: &str) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn leading_number(text: &str) -> Option<(i64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((number(digits)?, rest))
}

/// Whether the string is nothing but digits, perhaps behind a minus.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `y-M-d'T'H:m[:s][.f]` and the same with a blank, and an offset or zone.
fn date_and_time(text: &str) -> Option<()> {
    let (year, rest) = leading_number(text)?;
    let (month, rest) = leading_number(rest.strip_prefix('-')?)?;
    let (day, rest) = leading_number(rest.strip_prefix('-')?)?;
    let (hour, rest) = leading_number(rest.strip_prefix(['T', ' '])?)?;
    let (minute, mut rest) = leading_number(rest.strip_prefix(':')?)?;
    let mut second = None;
    if let Some((value, after)) = rest.strip_prefix(':').and_then(leading_number) {
        second = Some(value);
        rest = after;
    }
    let mut midnight_at_end = hour == 24 && minute == 0 && second.unwrap_or(0) == 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        // A fraction of no second can't be understood, not even an empty one.
        second?;
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).take(9).count();
        midnight_at_end &= fraction.bytes().take(digits).all(|byte| byte == b'0');
        rest = fraction.get(digits..)?;
    }
    // Milliseconds in eight bytes end in the year 292278994.
    let holds = (1..=292_278_993).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && ((0..24).contains(&hour) || midnight_at_end)
        && (0..60).contains(&minute)
        && (0..60).contains(&second.unwrap_or(0));
    (holds && (rest.is_empty() || is_offset(rest))).then_some(())
}

/// `yyyy-MM-dd`, with an offset or without.
fn date_alone(text: &str) -> Option<()> {
    let (_, _, day, rest) = padded_date(text)?;
    ((1..=31).contains(&day) && (rest.is_empty() || is_offset(rest))).then_some(())
}

/// The parts of `yyyy-MM-dd` and what follows; the month is one of twelve.
fn padded_date(text: &str) -> Option<(i64, i64, i64, &str)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (signed, rest) = match rest.strip_prefix('+') {
        Some(rest) if !negative => (true, rest),
        _ => (false, rest),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    // Four digits, or more of them behind a sign.
    let well_padded =
        if signed { (5..=9).contains(&digits) } else { digits == 4 || (negative && (4..=9).contains(&digits)) };
    if !well_padded {
        return None;
    }
    let (year, rest) = leading_number(rest)?;
    let two = |text: &str| text.get(..2).and_then(number);
    let rest = rest.strip_prefix('-')?;
    let month = two(rest)?;
    let rest = rest.get(2..)?.strip_prefix('-')?;
    let day = two(rest)?;
    let holds = (1..=12).contains(&month) && day >= 1;
    holds.then_some((if negative { -year } else { year }, month, day, rest.get(2..)?))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// `Z`, `+01`, `+0130`, `+01:30`, behind a blank or not; behind a blank also the name of a zone.
fn is_offset(text: &str) -> bool {
    let (blank, zone) = match text.strip_prefix(' ') {
        Some(zone) => (true, zone),
        None => (false, text),
    };
    if zone == "Z" {
        return true;
    }
    if let Some(digits) = zone.strip_prefix(['+', '-']) {
        let (hours, minutes) = match digits.len() {
            2 => (digits, "00"),
            4 => (digits.get(..2).unwrap_or_default(), digits.get(2..).unwrap_or_default()),
            5 if digits.as_bytes().get(2) == Some(&b':') => {
                (digits.get(..2).unwrap_or_default(), digits.get(3..).unwrap_or_default())
            }
            _ => return false,
        };
        let (Some(hours), Some(minutes)) = (number(hours), number(minutes)) else { return false };
        return minutes < 60 && hours * 60 + minutes <= 18 * 60;
    }
    blank && is_zone(zone)
}

/// `CET`, `Europe/Paris`, `UTC+01:00`. Which zones a server knows depends on its Java, so what looks like one is taken for
/// one.
fn is_zone(text: &str) -> bool {
    if let Some(offset) = ["UTC", "GMT", "UT"].into_iter().find_map(|prefix| text.strip_prefix(prefix))
        && !offset.is_empty()
    {
        return offset.len() == 6 && is_offset(offset);
    }
    let word = |part: &str| part.starts_with(|letter: char| letter.is_ascii_uppercase());
    match text.split_once('/') {
        Some((region, city)) => {
            word(region)
                && word(city)
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte))
        }
        None if text.ends_with(" Time") => text.split(' ').all(word),
        None => (3..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase()),
    }
}
