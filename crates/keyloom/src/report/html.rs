//! HTML in which nothing that comes from a catalog can be taken for a mark-up.

/// A text that grows by elements. What is said in them is escaped here, and nowhere else.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// An element with what is written inside.
    pub(super) fn element(&mut self, tag: &str, attributes: &[(&str, &str)], inside: impl FnOnce(&mut Self)) {
        self.begin(tag, attributes);
        inside(self);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// An element that holds a text.
    pub(super) fn line(&mut self, tag: &str, attributes: &[(&str, &str)], text: &str) {
        self.element(tag, attributes, |html| html.text(text));
    }

    /// An element without an end, or the beginning of one.
    pub(super) fn begin(&mut self, tag: &str, attributes: &[(&str, &str)]) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// A text, as it is.
    pub(super) fn text(&mut self, text: &str) {
        text.chars().for_each(|letter| match escaped(letter) {
            Some(instead) => self.0.push_str(instead),
            None => self.0.push(letter),
        });
    }

    /// What is no text but made of elements already.
    pub(super) fn made(&mut self, made: &str) {
        self.0.push_str(made);
    }

    /// A new line between elements, so that the page can be read as text.
    pub(super) fn end_line(&mut self) {
        self.0.push('\n');
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

/// What stands for a letter in HTML and SVG, if not itself. Letters that turn the direction of a line, or that nobody can see, would
/// show another text than is there.
fn escaped(letter: char) -> Option<&'static str> {
    match letter {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\n' | '\t' => None,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => Some("\u{fffd}"),
        letter if letter.is_control() => Some("\u{fffd}"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_never_taken_for_mark_up() {
        let mut html = Html::default();
        html.line("p", &[("title", "\"><script>")], "a < b & c\u{202e}\0");
        assert_eq!(html.into_text(), "<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; c\u{fffd}\u{fffd}</p>");
    }
}
