//! Counts, bytes, spans of time, rates, shares and distributions.

mod distribution;
mod number;

use std::ops::Range;

use keyloom_model::{Distribution, Rate, Share, TimeSpan, TimeUnit};

use super::lexer::{Cursor, Kind, shown};
use crate::fault::Fault;

pub(super) use distribution::count_distribution_at;
use distribution::{distribution_at, per_at};
pub(super) use number::{Number, Unfit};

/// Reads a whole count: `50M`, `1.5k`, `300`.
pub fn count(text: &str) -> Result<u64, Fault> {
    whole(text, "count", Wanted::Count, count_at)
}

/// Reads a span of time: `80ms`, `7 years`, `1 day`.
pub fn time_span(text: &str) -> Result<TimeSpan, Fault> {
    whole(text, "time", Wanted::Time, span_at)
}

/// Reads a rate: `2000/s`, `120k/day`, `0.2/s`.
pub fn rate(text: &str) -> Result<Rate, Fault> {
    whole(text, "rate", Wanted::Count, rate_at)
}

/// Reads a share: `30%`, `0.5%`.
pub fn share(text: &str) -> Result<Share, Fault> {
    whole(text, "share", Wanted::Share, share_at)
}

/// Reads a decimal number with up to three digits behind the point.
pub fn thousandths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || fraction.len() > 3 || (text.contains('.') && !digits(fraction)) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<3}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(fraction)
}

/// Reads a distribution of counts: `40 / 5k / 200k`, `200 / 5k / 100k per month`, `500`.
pub fn count_distribution(text: &str) -> Result<Distribution<u64>, Fault> {
    whole(text, "distribution", Wanted::Count, |cursor| {
        let mut distribution = count_distribution_at(cursor, "40 / 5k / 200k")?;
        distribution.per = per_at(cursor)?;
        Ok(distribution)
    })
}

/// Reads a distribution of spans: `1 day / 7 days / 31 days`, `7 days`.
pub fn span_distribution(text: &str) -> Result<Distribution<TimeSpan>, Fault> {
    whole(text, "distribution", Wanted::Time, |cursor| {
        distribution_at(cursor, span_at, |span| span.milliseconds(), "1 day / 7 days / 31 days")
    })
}

/// Reads one thing that takes up the whole text. Where other spellings of its units make it right, a fault says how the
/// whole is written, so that two of them are not two rounds.
fn whole<T>(
    text: &str,
    what: &str,
    wanted: Wanted,
    read: impl Fn(&mut Cursor) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let read = |text: &str| {
        let mut cursor = Cursor::new(text);
        let value = read(&mut cursor)?;
        cursor.finish(what)?;
        Ok(value)
    };
    read(text).map_err(|fault: Fault| {
        let respelt = respelt(text, wanted);
        let is_said = fault.help.as_ref().is_some_and(|help| help.contains(&shown(&respelt)));
        if is_said || read(&respelt).is_err() { fault } else { fault.help(format!("write {}", shown(&respelt))) }
    })
}

/// The text with all units as the language writes them.
fn respelt(text: &str, wanted: Wanted) -> String {
    let mut cursor = Cursor::new(text);
    let mut respelt = String::with_capacity(text.len());
    while !cursor.at_end() {
        respelt.push_str(cursor.slice(cursor.taken_to()..cursor.peek().range.start));
        let token = cursor.next();
        let word = cursor.slice(token.range);
        // A unit that exists says what it says; in other places it stands for what it means there.
        let unit = Some(cursor.ahead()).filter(|unit| token.kind == Kind::Number && Unit::named(unit).is_none());
        let unit = unit.and_then(|unit| wanted.meant(unit));
        match unit {
            Some(unit) => {
                cursor.next();
                respelt.push_str(meant(word, unit).trim_matches('`'));
            }
            None if token.kind == Kind::Word && respelt.ends_with('/') => {
                respelt.push_str(Wanted::Time.meant(word).unwrap_or(word));
            }
            None => respelt.push_str(word),
        }
    }
    respelt
}

/// What a number is followed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// `k M G`, or nothing
    Count(u64),
    /// `B KB MB GB`
    Bytes(u64),
    /// `ms s min h day week month year`
    Time(TimeUnit),
    /// `%`
    Percent,
}

impl Unit {
    /// Looks a unit up by its exact spelling.
    fn named(word: &str) -> Option<Self> {
        let unit = match word {
            "k" => Self::Count(1_000),
            "M" => Self::Count(1_000_000),
            "G" => Self::Count(1_000_000_000),
            "B" => Self::Bytes(1),
            "KB" => Self::Bytes(1 << 10),
            "MB" => Self::Bytes(1 << 20),
            "GB" => Self::Bytes(1 << 30),
            "%" => Self::Percent,
            _ => return time_unit(word).map(Self::Time),
        };
        Some(unit)
    }
}

/// The unit of time with this exact name, or with the English word for it, which has a plural.
fn time_unit(word: &str) -> Option<TimeUnit> {
    let in_full = |unit: TimeUnit| match unit {
        TimeUnit::Millisecond => "millisecond",
        TimeUnit::Second => "second",
        TimeUnit::Minute => "minute",
        TimeUnit::Hour => "hour",
        longer => longer.name(),
    };
    let one = word.strip_suffix('s').unwrap_or(word);
    TimeUnit::ALL.into_iter().find(|unit| word == unit.name() || one == in_full(*unit))
}

/// Which units may stand at a place: it decides what a misspelt one was meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Count,
    Bytes,
    Time,
    Share,
    Any,
}

impl Wanted {
    /// What stands there, for messages.
    fn noun(self) -> &'static str {
        match self {
            Self::Count => "a count",
            Self::Bytes => "a number of bytes",
            Self::Time => "a time",
            Self::Share => "a share",
            Self::Any => "a number",
        }
    }

    /// How it is written.
    fn help(self) -> &'static str {
        match self {
            Self::Count => "write a number such as `300`, `5k` or `1.5M`",
            Self::Bytes => "write a number such as `400` or `60KB`",
            Self::Time => "write a time such as `80ms`, `5s`, `1 day` or `7 years`",
            Self::Share => "write a share such as `30%`",
            Self::Any => "write a number such as `300`, `5 KB` or `7 days`",
        }
    }

    fn takes(self, unit: Unit) -> bool {
        match (self, unit) {
            (Self::Any, _)
            | (Self::Count, Unit::Count(_))
            | (Self::Bytes, Unit::Bytes(_))
            | (Self::Time, Unit::Time(_))
            | (Self::Share, Unit::Percent) => true,
            // A bare number is a count, and a number of bytes.
            (Self::Bytes, Unit::Count(factor)) => factor == 1,
            _ => false,
        }
    }

    /// The unit that a misspelt one was meant to be.
    fn meant(self, word: &str) -> Option<&'static str> {
        let lower = word.to_lowercase();
        let count = || match lower.as_str() {
            "k" | "thousand" | "tsd" => Some("k"),
            "m" | "mm" | "mn" | "mio" | "million" | "millions" => Some("M"),
            "g" | "b" | "bn" | "billion" | "billions" => Some("G"),
            _ => None,
        };
        let bytes = || match lower.as_str() {
            "b" | "byte" | "bytes" => Some("B"),
            "k" | "kb" | "kib" | "ki" => Some("KB"),
            "m" | "mb" | "mib" | "mi" => Some("MB"),
            "g" | "gb" | "gib" | "gi" => Some("GB"),
            _ => None,
        };
        let time = || match lower.as_str() {
            "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => Some("ms"),
            "s" | "sec" | "secs" | "second" | "seconds" => Some("s"),
            "min" | "mins" | "minute" | "minutes" => Some("min"),
            "h" | "hr" | "hrs" | "hs" | "hour" | "hours" => Some("h"),
            "d" | "dy" | "day" | "days" => Some("day"),
            "w" | "wk" | "wks" | "week" | "weeks" => Some("week"),
            "mo" | "mos" | "mon" | "mth" | "mths" | "month" | "months" => Some("month"),
            "y" | "yr" | "yrs" | "year" | "years" => Some("year"),
            _ => None,
        };
        match self {
            Self::Count => count(),
            Self::Bytes => bytes(),
            Self::Time => time(),
            Self::Share => matches!(lower.as_str(), "percent" | "pct").then_some("%"),
            // `K` is a count before it is bytes; `kb` can only be bytes.
            Self::Any => count().or_else(bytes).or_else(time),
        }
    }
}

/// A number with its unit, and the bytes of both and of the number alone.
#[derive(Debug)]
pub(super) struct Quantity<'a> {
    pub number: Number<'a>,
    pub digits: &'a str,
    pub unit: Unit,
    pub range: Range<usize>,
}

impl Quantity<'_> {
    /// The number times a factor.
    pub fn times(&self, factor: u64, what: &str) -> Result<u64, Fault> {
        self.number.times(factor).map_err(|unfit| self.unfit(&unfit, what, u64::MAX))
    }

    /// The number times a factor, as the whole numbers of expressions are: 64 bits with a sign.
    pub fn times_signed(&self, factor: u64) -> Result<i64, Fault> {
        let number = self.number.times(factor);
        number
            .and_then(|number| i64::try_from(number).map_err(|_| Unfit::TooLarge))
            .map_err(|unfit| self.unfit(&unfit, "number", i64::MAX.unsigned_abs()))
    }

    fn unfit(&self, unfit: &Unfit, what: &str, largest: u64) -> Fault {
        match unfit {
            Unfit::Fraction => Fault::new(self.range.clone(), format!("this is not a whole {what}"))
                .help("decimals may stand only where the result is whole: `1.5k`, `1.5KB`"),
            Unfit::TooLarge => {
                Fault::new(self.range.clone(), "this number is too large").help(format!("the largest is {largest}"))
            }
        }
    }
}

/// Reads a number and its unit.
fn quantity<'a>(cursor: &mut Cursor<'a>, wanted: Wanted) -> Result<Quantity<'a>, Fault> {
    if cursor.is("-") {
        let range = cursor.next().range.start..cursor.next().range.end;
        return Err(Fault::new(range, format!("{} is never negative", wanted.noun())).help(wanted.help()));
    }
    if cursor.is(".") && cursor.peek_at(1).kind == Kind::Number {
        let range = cursor.peek().range.start..cursor.peek_at(1).range.end;
        let help = format!("write `0.{}`", cursor.ahead_at(1));
        return Err(Fault::new(range, "a number begins with a digit").help(help));
    }
    let Some(number) = cursor.take_kind(Kind::Number) else {
        return Err(cursor.wanted(wanted.noun(), wanted.help()));
    };
    no_separator(cursor, &number.range, wanted)?;
    let digits = cursor.slice(number.range.clone());
    let unit = unit_at(cursor, number.range.clone(), wanted)?;
    let range = number.range.start..cursor.taken_to();
    Ok(Quantity { number: Number::new(digits), digits, unit, range })
}

/// Reads a number of an expression, which may have any unit.
pub(super) fn any_quantity<'a>(cursor: &mut Cursor<'a>) -> Result<Quantity<'a>, Fault> {
    quantity(cursor, Wanted::Any)
}

/// `1,000` and `1_000` read as one number to people and as several to everybody else.
fn no_separator(cursor: &Cursor, number: &Range<usize>, wanted: Wanted) -> Result<(), Fault> {
    let mut end = number.end;
    let mut ahead = 0;
    loop {
        let (first, second) = (cursor.peek_at(ahead), cursor.peek_at(ahead + 1));
        let text = cursor.ahead_at(ahead);
        let underscore = first.kind == Kind::Word
            && first.range.start == end
            && text.starts_with('_')
            && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
        // Where lists have commas, in sizes and expressions, a comma is taken for one.
        let comma = !matches!(wanted, Wanted::Any | Wanted::Bytes)
            && text == ","
            && first.range.start == end
            && second.kind == Kind::Number
            && second.range.start == first.range.end
            && cursor.ahead_at(ahead + 1).split('.').next().is_some_and(|whole| whole.len() == 3);
        end = match (underscore, comma) {
            (true, _) => first.range.end,
            (_, true) => second.range.end,
            _ => break,
        };
        ahead += if underscore { 1 } else { 2 };
    }
    if ahead == 0 {
        return Ok(());
    }
    let range = number.start..end;
    let digits: String = cursor.slice(range.clone()).chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let short = [("000000", "M"), ("000", "k")].into_iter().find_map(|(zeros, suffix)| {
        digits.strip_suffix(zeros).filter(|rest| !rest.is_empty()).map(|rest| format!("{rest}{suffix}"))
    });
    let help = match short {
        Some(short) if wanted == Wanted::Count => format!("write {} or {}", shown(&digits), shown(&short)),
        _ => format!("write {}", shown(&digits)),
    };
    Err(Fault::new(range, "a number has no separators between its thousands").help(help))
}

/// Reads the unit behind a number, if there is one.
fn unit_at(cursor: &mut Cursor, number: Range<usize>, wanted: Wanted) -> Result<Unit, Fault> {
    let glued = cursor.glued();
    let word = cursor.ahead();
    let is_unit = match cursor.peek().kind {
        Kind::Word if glued || wanted == Wanted::Time || Unit::named(word).is_some() => true,
        // In an expression a single letter behind a blank is more likely a name.
        Kind::Word if wanted == Wanted::Any && word.len() == 1 => matches!(word, "m" | "K"),
        Kind::Word => wanted.meant(word).is_some(),
        Kind::Symbol => word == "%",
        _ => false,
    };
    if !is_unit {
        return match wanted {
            Wanted::Time | Wanted::Share => Err(without_unit(cursor, number, wanted)),
            _ => Ok(Unit::Count(1)),
        };
    }
    let range = cursor.peek().range.clone();
    let digits = cursor.slice(number);
    let Some(unit) = Unit::named(word).filter(|unit| wanted.takes(*unit)) else {
        return Err(wrong_unit(digits, word, range, wanted));
    };
    cursor.next();
    Ok(unit)
}

fn without_unit(cursor: &Cursor, number: Range<usize>, wanted: Wanted) -> Fault {
    let digits = cursor.slice(number.clone());
    match wanted {
        Wanted::Share if digits.starts_with("0.") || digits == "1" => {
            Fault::new(number, format!("{} has no `%`", shown(digits)))
                .help("shares are written in percent: a half is `50%`")
        }
        Wanted::Share => Fault::new(number, format!("{} has no `%`", shown(digits)))
            .help(format!("write {}", shown(&format!("{digits}%")))),
        _ => Fault::new(number, format!("{} has no unit of time", shown(digits))).help(format!(
            "write {} or {}; other units are min, h, day, week, month, year",
            shown(&format!("{digits}ms")),
            shown(&format!("{digits}s"))
        )),
    }
}

fn wrong_unit(digits: &str, word: &str, range: Range<usize>, wanted: Wanted) -> Fault {
    let said = shown(word);
    if word == "m" && matches!(wanted, Wanted::Time | Wanted::Any) {
        return Fault::new(range, "`m` could be minutes or months").help("write `min` or `month`");
    }
    if wanted == Wanted::Count && word == "m" {
        return Fault::new(range, "`m` is not a count")
            .help(format!("did you mean {}? `M` is a million", meant(digits, "M")));
    }
    // A unit that exists but measures something else.
    if let Some(unit) = Unit::named(word) {
        let measures = match unit {
            Unit::Count(_) => "counts",
            Unit::Bytes(_) => "measures bytes",
            Unit::Time(_) => "measures time",
            Unit::Percent => "is a share",
        };
        let help = match (wanted, wanted.meant(word)) {
            (Wanted::Bytes, Some(unit)) => format!("did you mean {}?", meant(digits, unit)),
            _ => wanted.help().to_owned(),
        };
        return Fault::new(range, format!("{said} {measures}, but {} is expected", wanted.noun())).help(help);
    }
    let message = match word {
        "K" => "`K` is not `k`".to_owned(),
        "us" | "µs" | "μs" | "ns" if wanted == Wanted::Time => format!("{said} is finer than any time here"),
        _ => format!("{said} is not a unit"),
    };
    let help = match (wanted.meant(word), word) {
        (_, "us" | "µs" | "μs" | "ns") if wanted == Wanted::Time => "the smallest unit is `ms`".to_owned(),
        (Some(unit), _) => format!("did you mean {}?", meant(digits, unit)),
        (None, "T" | "t" | "trillion") if wanted == Wanted::Count => {
            format!("write {}", shown(&format!("{digits}000G")))
        }
        (None, "TB" | "tb" | "TiB") if wanted != Wanted::Count => "write it in GB: 1 TB is `1024GB`".to_owned(),
        (None, _) if word.starts_with(['e', 'E']) && word[1..].bytes().all(|b| b.is_ascii_digit()) => {
            "write the number out, or with `k`, `M`, `G`".to_owned()
        }
        (None, _) => match wanted {
            Wanted::Count => "counts take `k`, `M` or `G`".to_owned(),
            Wanted::Bytes => "bytes take `B`, `KB`, `MB` or `GB`".to_owned(),
            Wanted::Time => "times take ms, s, min, h, day, week, month or year".to_owned(),
            Wanted::Share => wanted.help().to_owned(),
            Wanted::Any => "units are k M G, B KB MB GB, ms s min h day week month year, %".to_owned(),
        },
    };
    Fault::new(range, message).help(help)
}

/// A number with the unit that was meant, in backticks.
fn meant(digits: &str, unit: &str) -> String {
    match time_unit(unit) {
        Some(unit) if unit >= TimeUnit::Day => {
            shown(&format!("{digits} {}{}", unit.name(), if digits == "1" { "" } else { "s" }))
        }
        _ => shown(&format!("{digits}{unit}")),
    }
}

/// Reads a count.
pub(super) fn count_at(cursor: &mut Cursor) -> Result<u64, Fault> {
    let quantity = quantity(cursor, Wanted::Count)?;
    match quantity.unit {
        Unit::Count(factor) => quantity.times(factor, "count"),
        _ => quantity.times(1, "count"),
    }
}

/// Reads a number of bytes.
pub(super) fn bytes_at(cursor: &mut Cursor) -> Result<u64, Fault> {
    let quantity = quantity(cursor, Wanted::Bytes)?;
    match quantity.unit {
        Unit::Bytes(factor) => quantity.times(factor, "number of bytes"),
        _ => quantity.times(1, "number of bytes"),
    }
}

/// Reads a span of time.
pub(super) fn span_at(cursor: &mut Cursor) -> Result<TimeSpan, Fault> {
    let quantity = quantity(cursor, Wanted::Time)?;
    match quantity.unit {
        Unit::Time(unit) => span(&quantity, unit),
        _ => Err(Fault::new(quantity.range, "this is not a time").help(Wanted::Time.help())),
    }
}

/// A quantity as a span. A decimal moves to the next smaller unit of which it is a whole number: `1.5h` is 90 minutes,
/// `1.5 years` are 18 months.
pub(super) fn span(quantity: &Quantity, unit: TimeUnit) -> Result<TimeSpan, Fault> {
    let mut factor = 1;
    let mut smaller = Some(unit);
    while let Some(unit) = smaller {
        match quantity.number.times(factor) {
            Ok(amount) => return Ok(TimeSpan::new(amount, unit)),
            Err(Unfit::TooLarge) => return Err(quantity.unfit(&Unfit::TooLarge, "", u64::MAX)),
            Err(Unfit::Fraction) => {}
        }
        let (next, of_it) = match unit {
            TimeUnit::Year => (TimeUnit::Month, 12),
            TimeUnit::Week => (TimeUnit::Day, 7),
            TimeUnit::Day => (TimeUnit::Hour, 24),
            TimeUnit::Hour => (TimeUnit::Minute, 60),
            TimeUnit::Minute => (TimeUnit::Second, 60),
            TimeUnit::Second => (TimeUnit::Millisecond, 1000),
            TimeUnit::Month | TimeUnit::Millisecond => break,
        };
        factor *= of_it;
        smaller = Some(next);
    }
    let (what, help) = match unit {
        TimeUnit::Month | TimeUnit::Year => ("number of months", "write it in days"),
        _ => ("number of milliseconds", "write fewer digits behind the point"),
    };
    Err(Fault::new(quantity.range.clone(), format!("this is not a whole {what}")).help(help))
}

/// Reads a rate.
fn rate_at(cursor: &mut Cursor) -> Result<Rate, Fault> {
    let example = "write a rate such as `2000/s`, `120k/day` or `0.2/s`";
    if cursor.peek().kind != Kind::Number && !cursor.are(&["-"]) && !cursor.are(&["."]) {
        return Err(cursor.wanted("a rate", example));
    }
    let quantity = quantity(cursor, Wanted::Count)?;
    let said = cursor.slice(quantity.range.clone());
    if let Some(slash) = cursor.take("/") {
        let unit = rate_unit(cursor, slash, said)?;
        let Unit::Count(factor) = quantity.unit else {
            return Err(Fault::new(quantity.range, "this is not a count").help(example));
        };
        let (events, widened) = quantity.number.over_power_of_ten(factor).map_err(|unfit| match unfit {
            Unfit::Fraction => Fault::new(quantity.range.clone(), "this rate has too many digits behind the point")
                .help("write it over a longer time, such as `/day`"),
            Unfit::TooLarge => quantity.unfit(&unfit, "rate", u64::MAX),
        })?;
        return Ok(Rate { events, per: TimeSpan::new(widened, unit) });
    }
    if cursor.is("per") && cursor.peek_at(1).kind == Kind::Word {
        let unit = time_unit(cursor.ahead_at(1))
            .map_or_else(|| Wanted::Time.meant(cursor.ahead_at(1)), |unit| Some(unit.name()));
        return Err(Fault::new(cursor.peek().range.clone(), "a rate is written with `/`, not with `per`")
            .help(format!("write {}", shown(&format!("{said}/{}", unit.unwrap_or("day"))))));
    }
    if cursor.at_end() {
        return Err(Fault::new(quantity.range.clone(), format!("{} does not say in which time", shown(said)))
            .help(format!("write {}, or `/min`, `/h`, `/day`", shown(&format!("{said}/s")))));
    }
    let rest = cursor.rest();
    let rest_said = cursor.slice(rest.clone());
    let help = match rest_said.to_lowercase().as_str() {
        "rps" | "qps" | "tps" | "ops" | "req/s" | "x/s" => format!("write {}", shown(&format!("{said}/s"))),
        "rpm" | "qpm" => format!("write {}", shown(&format!("{said}/min"))),
        _ => example.to_owned(),
    };
    Err(Fault::new(rest, format!("{} stands where `/s`, `/min`, `/h` or `/day` is expected", shown(rest_said)))
        .help(help))
}

/// Reads the time behind the `/` of a rate.
fn rate_unit(cursor: &mut Cursor, slash: Range<usize>, said: &str) -> Result<TimeUnit, Fault> {
    let token = cursor.peek().clone();
    let word = cursor.ahead();
    let allowed = "rates are per s, min, h or day";
    match token.kind {
        Kind::Word => {}
        Kind::Number => {
            return Err(Fault::new(cursor.rest(), "a rate is over one second, minute, hour or day")
                .help("write decimals for less than one: `0.2/s`"));
        }
        Kind::End => {
            return Err(Fault::new(slash, "nothing stands behind this `/`")
                .help(format!("write {}, or `/min`, `/h`, `/day`", shown(&format!("{said}/s")))));
        }
        _ => return Err(cursor.wanted("`s`, `min`, `h` or `day`", allowed)),
    }
    cursor.next();
    match time_unit(word) {
        Some(unit @ (TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour | TimeUnit::Day)) => Ok(unit),
        Some(_) => Err(Fault::new(token.range, format!("{} is not the time of a rate", shown(word))).help(allowed)),
        None if word == "m" => Err(Fault::new(token.range, "`m` could be minutes or months").help("write `/min`")),
        None => {
            let help = match Wanted::Time.meant(word) {
                Some(unit @ ("s" | "min" | "h" | "day")) => {
                    format!("did you mean {}?", shown(&format!("{said}/{unit}")))
                }
                _ => allowed.to_owned(),
            };
            Err(Fault::new(token.range, format!("{} is not a unit of time", shown(word))).help(help))
        }
    }
}

/// Reads a share.
pub(super) fn share_at(cursor: &mut Cursor) -> Result<Share, Fault> {
    share_of(&quantity(cursor, Wanted::Share)?)
}

/// A quantity with `%` as a share.
pub(super) fn share_of(quantity: &Quantity) -> Result<Share, Fault> {
    let too_large =
        || Fault::new(quantity.range.clone(), "a share is at most `100%`").help("write a share from `0%` to `100%`");
    match quantity.number.times(10_000) {
        Ok(millionths) => u32::try_from(millionths)
            .ok()
            .filter(|millionths| *millionths <= Share::ALL.millionths)
            .map(|millionths| Share { millionths })
            .ok_or_else(too_large),
        Err(Unfit::TooLarge) => Err(too_large()),
        Err(Unfit::Fraction) => {
            Err(Fault::new(quantity.range.clone(), "a share has at most four digits behind the point")
                .help("write fewer digits: `0.0001%` is the smallest step"))
        }
    }
}
