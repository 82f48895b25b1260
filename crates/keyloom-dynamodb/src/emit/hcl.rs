//! As much of Terraform's language as a table needs, written as its formatter writes it: two spaces for each level, the
//! equal signs of one block below each other, an empty line before each block within.

use std::fmt::Write;

/// A block: its attributes, then the blocks within.
#[derive(Debug, Default)]
pub(super) struct Block {
    header: String,
    attributes: Vec<(&'static str, String)>,
    blocks: Vec<Block>,
}

impl Block {
    /// An empty block that begins with these words.
    pub(super) fn new(header: impl Into<String>) -> Self {
        Self { header: header.into(), ..Self::default() }
    }

    /// With an attribute that is a text.
    pub(super) fn text(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push((name, quoted(value)));
        self
    }

    /// With an attribute that is a list of texts.
    pub(super) fn texts(mut self, name: &'static str, values: &[String]) -> Self {
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        self.attributes.push((name, format!("[{}]", values.join(", "))));
        self
    }

    /// With an attribute that is true or false.
    pub(super) fn flag(mut self, name: &'static str, value: bool) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With a block within.
    pub(super) fn block(mut self, block: Self) -> Self {
        self.blocks.push(block);
        self
    }

    /// The text of the block, with the end of its last line.
    pub(super) fn written(&self) -> String {
        let mut text = String::new();
        self.write(0, &mut text);
        text
    }

    fn write(&self, level: usize, text: &mut String) {
        let (outside, inside) = ("  ".repeat(level), "  ".repeat(level + 1));
        let widest = self.attributes.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        // Writing to a text can't fail.
        let _ = writeln!(text, "{outside}{} {{", self.header);
        for (name, value) in &self.attributes {
            let _ = writeln!(text, "{inside}{name:widest$} = {value}");
        }
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 || !self.attributes.is_empty() {
                text.push('\n');
            }
            block.write(level + 1, text);
        }
        let _ = writeln!(text, "{outside}}}");
    }
}

/// A text as a literal in which nothing is put in: `${` and `%{` would begin a template.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            '$' | '%' if letters.peek() == Some(&'{') => literal.extend([letter, letter]),
            letter if letter.is_control() => {
                let _ = write!(literal, "\\u{:04x}", u32::from(letter));
            }
            letter => literal.push(letter),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_written_as_the_formatter_writes_it() {
        let inner = Block::new("ttl").text("attribute_name", "kl_ttl").flag("enabled", true);
        let names = ["a".to_owned(), "b".to_owned()];
        let block = Block::new("resource \"kind\" \"name\"").text("name", "x").texts("names", &names).block(inner);
        let block = block.block(Block::new("empty"));
        assert_eq!(
            block.written(),
            "resource \"kind\" \"name\" {\n  name  = \"x\"\n  names = [\"a\", \"b\"]\n\n  ttl {\n    attribute_name = \
             \"kl_ttl\"\n    enabled        = true\n  }\n\n  empty {\n  }\n}\n"
        );
    }

    #[test]
    fn no_text_is_a_template() {
        for (text, literal) in [
            ("", r#""""#),
            ("a b", r#""a b""#),
            (r#"say "so""#, r#""say \"so\"""#),
            ("back\\slash", r#""back\\slash""#),
            ("${x} %{y} $x %% $", r#""$${x} %%{y} $x %% $""#),
            ("$${x}", r#""$$${x}""#),
            ("\n\r\t\0\u{7f}é", r#""\n\r\t\u0000\u007fé""#),
        ] {
            assert_eq!(quoted(text), literal);
        }
    }
}
