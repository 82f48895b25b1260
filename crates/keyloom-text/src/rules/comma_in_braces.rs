use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "comma-in-braces",
    level: Level::Error,
    summary: "a comma inside `{ }` or `[ ]` cut a value in two",
    page: include_str!("comma_in_braces.md"),
};

/// One value that has a comma: `{ size: text(80, max 400) }`.
pub(crate) fn finding(place: Place, whole: &str) -> Finding {
    let help = match size(whole) {
        Some(size) => format!("a size has no comma: write `{size}`"),
        None => format!("put the value in quotes: \"{whole}\""),
    };
    Finding::new(&RULE, place, "a comma inside braces cut this value in two").help(help)
}

/// Several values without the brackets of a list: `{ returns: a, b }`.
pub(crate) fn list(place: Place, items: &str) -> Finding {
    Finding::new(&RULE, place, "a comma inside braces ends the value; what follows it was read as another key")
        .help(format!("a list stands in brackets: `[{items}]`; one value that has a comma stands in quotes"))
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
