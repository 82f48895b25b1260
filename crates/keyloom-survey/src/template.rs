//! Texts that are filled in before they reach the server: `${x}`, `{{.X}}`, `<x>`, `%s`, `@x@`, `0xKEYSPACE`. What is left open becomes a
//! hole, so that one parser reads files, templates and programs.

use keyloom_cql::{HOLE, Span};

/// A text with its open places turned into holes.
#[derive(Debug)]
pub(crate) struct Template {
    /// The text to parse.
    pub text: String,
    /// Runs of its bytes and the bytes of the file that they come from, in order.
    pub runs: Vec<Run>,
    /// The first tag that decides what is there at all, such as `{{ if }}`.
    pub conditional: Option<usize>,
}

/// A run of bytes of the text, and where it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// The bytes of the text.
    pub text: Span,
    /// The first byte in the file.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// Turns the open places of a file's text into holes.
pub(crate) fn template(file: &str) -> Template {
    let mut made = Template { text: String::with_capacity(file.len()), runs: Vec::new(), conditional: None };
    let mut copied = 0;
    let mut at = 0;
    while let Some(next) = file[at..].find(['$', '{', '%', '<', '@', '#', '0']).map(|offset| at + offset) {
        let Some(found) = open_place(file, next) else {
            at = next + skipped(file, next);
            continue;
        };
        made.copy(file, copied, next);
        match found.name {
            Some(name) => made.hole(name, next, found.end),
            None => {
                made.conditional.get_or_insert(next);
            }
        }
        copied = found.end;
        at = found.end;
    }
    made.copy(file, copied, file.len());
    made
}

impl Template {
    fn copy(&mut self, file: &str, start: usize, end: usize) {
        if start < end {
            self.run(&file[start..end], start, end);
        }
    }

    fn hole(&mut self, name: &str, start: usize, end: usize) {
        self.run(&format!("{HOLE}{name}{HOLE}"), start, end);
    }

    fn run(&mut self, text: &str, start: usize, end: usize) {
        let before = self.text.len();
        self.text.push_str(text);
        let file = Span::new(start..end);
        self.runs.push(Run { text: Span::new(before..self.text.len()), start: file.start, end: file.end });
    }
}

/// A stretch of the file that is filled in later.
struct OpenPlace<'a> {
    /// Its name; `None` for a tag that only decides or comments.
    name: Option<&'a str>,
    end: usize,
}

/// How far to go on when a mark opens nothing. A dollar string and the mark of a comment are left behind as a whole.
fn skipped(file: &str, at: usize) -> usize {
    match file[at..].strip_prefix("$$") {
        Some(rest) => rest.find("$$").map_or(file.len() - at, |end| end + 4),
        None => 1,
    }
}

/// Names of holes are words for a reader; longer ones are no names.
const NAME_BYTES_MAX: usize = 80;

fn open_place(file: &str, at: usize) -> Option<OpenPlace<'_>> {
    let rest = &file[at..];
    let between = |open: &str, close: &str| {
        let inner = rest.strip_prefix(open)?;
        let length = inner.as_bytes().iter().take(NAME_BYTES_MAX * 2).position(|byte| *byte == b'\n');
        let inner = &inner[..inner.floor_char_boundary(length.unwrap_or(NAME_BYTES_MAX * 2).min(inner.len()))];
        let inner = &inner[..inner.find(close)?];
        Some((inner, at + open.len() + inner.len() + close.len()))
    };
    if let Some((tag, end)) = between("{{", "}}") {
        // `{{{x}}}` is a value that is not escaped.
        let end = if rest.starts_with("{{{") && file[end..].starts_with('}') { end + 1 } else { end };
        return match tag.contains(['\'', ',', ':']) && !tag.contains('|') {
            // A set of sets, not a tag.
            true => None,
            false => Some(OpenPlace { name: value_of_tag(tag), end }),
        };
    }
    if let Some((_, end)) = between("{%", "%}") {
        return Some(OpenPlace { name: None, end });
    }
    match rest.as_bytes()[0] {
        b'$' | b'#' if rest[1..].starts_with('{') => {
            let (inner, end) = between(&rest[..2], "}")?;
            Some(OpenPlace { name: Some(plain(inner)?), end })
        }
        b'$' => word(&rest[1..]).map(|name| OpenPlace { name: Some(name), end: at + 1 + name.len() }),
        b'@' => {
            let (inner, end) = between("@", "@")?;
            Some(OpenPlace { name: Some(plain(inner).filter(|name| *name == inner)?), end })
        }
        b'<' if stands_for_a_name(&file[..at]) => {
            let (inner, end) = between("<", ">")?;
            Some(OpenPlace { name: Some(plain(inner)?), end })
        }
        b'%' => format_verb(file, at),
        b'0' => number_for_a_name(file, at),
        _ => None,
    }
}

/// The name in a tag of two braces, unless the tag is a condition, a loop or a comment.
fn value_of_tag(tag: &str) -> Option<&str> {
    let tag = tag.trim_matches(|char: char| char.is_whitespace() || "-{}&".contains(char));
    let first = tag.split_whitespace().next().unwrap_or("");
    let decides = ["if", "else", "end", "range", "with", "define", "template", "block"].contains(&first);
    if decides || tag.starts_with(['/', '#', '!', '^', '>']) {
        return None;
    }
    // `.Values.keyspace | quote`: what stands before the filters.
    plain(tag.split('|').next().unwrap_or(tag)).or(Some("template"))
}

/// A name without what surrounds it, if it is one that can be shown.
fn plain(inner: &str) -> Option<&str> {
    let name = inner.trim().trim_start_matches('.');
    let readable = |char: char| char.is_alphanumeric() || "_-.: ".contains(char);
    (!name.is_empty() && name.len() <= NAME_BYTES_MAX && name.chars().all(readable)).then_some(name)
}

/// The word that a text begins with.
fn word(text: &str) -> Option<&str> {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let length = text.find(|char| !is_word(char)).unwrap_or(text.len());
    let begins = text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    (begins && length <= NAME_BYTES_MAX).then(|| &text[..length])
}

/// `%s`, `%d`, `%(name)s` with no letter behind it. Elsewhere a percent sign is one.
fn format_verb(file: &str, at: usize) -> Option<OpenPlace<'_>> {
    let rest = &file[at + 1..];
    let (name, verb) = match rest.strip_prefix('(') {
        Some(named) => {
            let name = word(named)?;
            (Some(name), named[name.len()..].strip_prefix(')')?)
        }
        None => (None, rest),
    };
    let letter = verb.chars().next().filter(|char| "sdqv".contains(*char))?;
    let behind = &verb[1..];
    if behind.starts_with(|char: char| char.is_alphanumeric()) {
        return None;
    }
    let end = file.len() - behind.len();
    Some(OpenPlace { name: Some(name.unwrap_or(&verb[..letter.len_utf8()])), end })
}

/// `0xCAFE` where a name must stand, or with letters in it that no number has: nobody can mean a number there.
fn number_for_a_name(file: &str, at: usize) -> Option<OpenPlace<'_>> {
    let (before, rest) = (&file[..at], &file[at..]);
    let digits = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    if before.ends_with(|char: char| char.is_alphanumeric() || "_'\"".contains(char)) {
        return None;
    }
    let length = digits.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(digits.len());
    let is_number = digits[..length].chars().all(|char| char.is_ascii_hexdigit());
    let before_a_name = digits[length..].strip_prefix('.').is_some_and(|rest| word(rest).is_some());
    let is_value = !is_number && before.trim_end().ends_with('=');
    let is_open = is_value || before_a_name || follows_a_word_for_names(before);
    let end = at + 2 + length;
    (is_open && (1..=NAME_BYTES_MAX).contains(&length)).then(|| OpenPlace { name: Some(&file[at..end]), end })
}

/// Whether `<` stands where a name or a value is to come, so that it opens neither a type nor a comparison.
fn stands_for_a_name(before: &str) -> bool {
    let trimmed = before.trim_end();
    let is_value = if trimmed.len() < before.len() {
        trimmed.ends_with([':', '='])
    } else {
        before.ends_with(['\'', '"', ':', '='])
    };
    is_value || follows_a_word_for_names(before)
}

/// Whether a text ends with a word behind which a name must stand, and a blank.
fn follows_a_word_for_names(before: &str) -> bool {
    const BEFORE_A_NAME: [&str; 11] =
        ["KEYSPACE", "TABLE", "EXISTS", "USE", "TYPE", "ON", "INTO", "FROM", "UPDATE", "INDEX", "VIEW"];
    let trimmed = before.trim_end();
    let word = &trimmed[trimmed.trim_end_matches(|char: char| char.is_ascii_alphabetic()).len()..];
    trimmed.len() < before.len() && BEFORE_A_NAME.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `[x]` for a hole `x`.
    fn shown(file: &str) -> String {
        let made = template(file);
        for run in &made.runs {
            let (text, of_file) = (&made.text[run.text.bytes()], &file[run.start as usize..run.end as usize]);
            assert!(text == of_file || text.starts_with(HOLE), "{text:?} is not {of_file:?}");
        }
        let mut open = false;
        let bracket = |char| match char {
            HOLE => {
                open = !open;
                if open { '[' } else { ']' }
            }
            other => other,
        };
        made.text.chars().map(bracket).collect()
    }

    #[test]
    fn open_places_of_all_dialects_become_holes() {
        let cases = [
            ("USE ${keyspace};", "USE [keyspace];"),
            ("USE {{.Keyspace}};", "USE [Keyspace];"),
            ("USE {{ keyspace }};", "USE [keyspace];"),
            ("USE {{ .Values.keyspace | quote }};", "USE [Values.keyspace];"),
            ("USE $KEYSPACE; a", "USE [KEYSPACE]; a"),
            ("USE #{keyspace}", "USE [keyspace]"),
            ("USE <keyspace>;", "USE [keyspace];"),
            ("USE %s;", "USE [s];"),
            ("USE %(keyspace)s;", "USE [keyspace];"),
            ("USE @keyspace@;", "USE [keyspace];"),
            ("gc_grace_seconds = ${grace}", "gc_grace_seconds = [grace]"),
            ("{'class': 'x', 'dc1': '${n}', 'dc2': <n>}", "{'class': 'x', 'dc1': '[n]', 'dc2': [n]}"),
            ("FROM ${ks}_data.users", "FROM [ks]_data.users"),
        ];
        for (file, expected) in cases {
            assert_eq!(shown(file), expected);
        }
    }

    #[test]
    fn a_number_in_the_place_of_a_name_is_open() {
        let cases = [
            (
                "CREATE KEYSPACE IF NOT EXISTS 0xCAFE WITH replication = 0xCAFE_R;",
                "EXISTS [0xCAFE] WITH replication = [0xCAFE_R];",
            ),
            ("USE 0xCAFE;", "USE [0xCAFE];"),
            ("SELECT a FROM 0xCAFE.t", "FROM [0xCAFE].t"),
        ];
        for (file, expected) in cases {
            assert!(shown(file).ends_with(expected), "{}", shown(file));
        }
        for text in ["WHERE a = 0xCAFE", "VALUES (0xCAFE, 0x00)", "= '0xCAFEX'", "a10xCAFE.b", "0x.a"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn what_only_looks_like_an_open_place_stays() {
        for text in [
            "a list<text>, b frozen <x>, c map<int, frozen<y>>",
            "WHERE a <b AND c> 1",
            "LIKE '%smith'",
            "100% sure",
            "AS $$ return ${x}; $$",
            "{{1, 2}, {3}}",
            "{{'a': 1}}",
            "me@example.org",
            "a @ b @ c, d",
            "$1",
            "${",
            "{{",
            "@",
            "%",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn a_condition_is_left_out_and_remembered() {
        let made = template("{{ if .Ttl }}USE a;{{ end }}");
        assert_eq!((made.text.as_str(), made.conditional), ("USE a;", Some(0)));
        assert_eq!(template("{% if x %}USE a;").conditional, Some(0));
        assert_eq!(template("USE {{a}};").conditional, None);
    }
}
