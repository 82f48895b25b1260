//! What designs come to, in words.

use keyloom_size::Tariff;

/// A month, in seconds.
const MONTH_SECONDS: f64 = 86_400.0 * 30.44;

/// What a month costs: dollars, or processors that are busy.
pub(crate) fn cost(weight: u128, tariff: &Tariff) -> String {
    let nanos = Tariff::nanos(weight) as f64;
    let small = |value: f64| value > 0.0 && value < 0.001;
    if tariff.is_money() {
        let dollars = nanos / 1e9;
        return match small(dollars) {
            true => "less than $0.001 a month".to_owned(),
            false => format!("${} a month", three(dollars)),
        };
    }
    let busy = nanos / 1e9 / MONTH_SECONDS;
    match busy * 1_000.0 {
        little if small(little) => "less than 0.001 ms of processor a second".to_owned(),
        milliseconds if busy < 0.1 => format!("{} ms of processor a second", three(milliseconds)),
        _ => format!("{} processors busy", three(busy)),
    }
}

/// What is paid once: dollars, or hours of one processor.
pub(crate) fn once(weight: u128, tariff: &Tariff) -> String {
    let whole = Tariff::nanos(weight) as f64 / 1e9;
    if tariff.is_money() {
        return format!("${}", three(whole));
    }
    match whole < 3_600.0 {
        true => format!("{} seconds of processor", three(whole)),
        false => format!("{} hours of processor", three(whole / 3_600.0)),
    }
}

/// After how long something is paid back that saves so much in a month.
pub(crate) fn days(paid: u128, saved_in_month: u128) -> String {
    let days = paid as f64 * 30.44 / saved_in_month.max(1) as f64;
    match days < 1.0 {
        true => "less than a day".to_owned(),
        false => format!("{} days", three(days)),
    }
}

/// A number in three digits.
pub(crate) fn three(value: f64) -> String {
    let whole = |value: f64| {
        let digits = format!("{value:.0}");
        let places = digits.len();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (places - at).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    };
    let decimals = match value {
        value if value >= 100.0 => return whole(value),
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        value if value > 0.0 => 3,
        _ => return "0".to_owned(),
    };
    format!("{value:.decimals$}")
}

/// A number of designs: as it is, or as a power of ten.
pub(crate) fn count(designs: u128) -> String {
    match designs {
        0..1_000_000_000 => keyloom_model::count_text(u64::try_from(designs).unwrap_or(u64::MAX)),
        more => format!("10^{}", more.ilog10()),
    }
}
