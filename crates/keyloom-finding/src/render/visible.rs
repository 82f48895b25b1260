//! Text that is safe on a terminal: characters that would act on it are replaced by ones that can be seen.

/// Replaces control and direction characters, one for one, so that columns stay what they are. Line breaks and tabs stay.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

/// The same on one line.
pub(super) fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

fn visible_char(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // Unicode has a picture of each ASCII control character, in the same order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        // The second set of control characters, and what changes the direction or the line of the text around it.
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}
