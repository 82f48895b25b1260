use keyloom_finding::{Finding, Level, Place, Rule};

use crate::parse::types;

pub(crate) static RULE: Rule = Rule {
    name: "comma-in-braces",
    level: Level::Error,
    summary: "a comma inside `{ }` or `[ ]` cut a value in two",
    page: include_str!("comma_in_braces.md"),
};

/// One value that has a comma: `{ size: text(80, max 400) }`.
pub(crate) fn finding(place: Place, whole: &str) -> Finding {
    let help = match (types::enumeration(whole).or_else(|| size(whole)), without_separators(whole)) {
        (Some(values), _) if values.starts_with("enum") => format!("values are separated by `|`: write `{values}`"),
        (Some(size), _) => format!("a size has no comma: write `{size}`"),
        (None, Some(number)) => format!("a number has no separators between its thousands: write `{number}`"),
        (None, None) if whole.contains("->") => format!("a list stands in brackets: `[{whole}]`"),
        (None, None) => format!("put the value in quotes: \"{whole}\""),
    };
    Finding::new(&RULE, place, "a comma inside braces cut this value in two").help(help)
}

/// Several values without the brackets of a list: `{ returns: a, b }`.
pub(crate) fn list(place: Place, items: &str) -> Finding {
    Finding::new(&RULE, place, "a comma inside braces ends the value; what follows it was read as another key")
        .help(format!("a list stands in brackets: `[{items}]`; one value that has a comma stands in quotes"))
}

/// Whether a piece behind a comma goes on with a number: `10`, `000`, `000/day`.
pub(crate) fn goes_on(piece: &str) -> bool {
    let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && !piece[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// `10,000,000` as the language writes it: `10M`.
fn without_separators(whole: &str) -> Option<String> {
    let mut pieces = whole.split(',').map(str::trim);
    let begins = pieces.next()?.ends_with(|c: char| c.is_ascii_digit());
    if !begins || !pieces.all(goes_on) {
        return None;
    }
    let short = whole.replace(", ", ",").replace(",000,000", "M").replace(",000", "k");
    Some(if short.contains(',') { whole.replace([',', ' '], "") } else { short })
}

/// `text(80, max 400)` as the language writes it: `text(80..400)`.
fn size(whole: &str) -> Option<String> {
    let (word, rest) = whole.split_once('(')?;
    let (typical, max) = rest.split_once(')')?.0.split_once(',')?;
    let number = |text: &str| text.trim().trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let (typical, max) = (number(typical), number(max));
    let fits = ["text", "bytes", "json"].contains(&word) && !typical.is_empty() && !max.is_empty();
    fits.then(|| format!("{word}({typical}..{max})"))
}
