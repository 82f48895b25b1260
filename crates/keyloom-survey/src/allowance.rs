//! Allowances in comments: where they stand, and what they are about.

use std::ops::Range;

/// A comment that allows something, and the bytes that it is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// From `keyloom:` to the end of the comment.
    pub comment: Range<usize>,
    /// The statement behind it or beside it, the line, or the whole file.
    pub about: Range<usize>,
}

/// Something that an allowance may be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Thing {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// Its lines say things of their own, as the columns of a table do.
    pub by_line: bool,
}

/// The word that begins an allowance.
const MARK: &str = "keyloom:";

/// What opens a comment in one of the languages that are read.
const OPENERS: [&str; 7] = ["--", "//", "#", "/*", "*", "{-", ";;"];

/// What closes a comment on the same line.
const CLOSERS: [&str; 3] = ["*/", "-}", "-->"];

/// The same word as people may write it.
const NAMES: [&str; 3] = ["keyloom", "Keyloom", "KEYLOOM"];

/// Whether a text may hold allowances.
pub(crate) fn may_allow(text: &str) -> bool {
    NAMES.iter().any(|name| text.contains(name))
}

/// Whether an allowance begins with these words, or something that is meant as one: without the colon, or in capitals.
fn begins_allowance(words: &str) -> bool {
    let is_meant = || {
        let behind = words[NAMES[0].len()..].trim_start_matches([':', ' ']);
        let (verb, rest) = behind.split_at_checked("allow".len()).unwrap_or((behind, ""));
        verb.eq_ignore_ascii_case("allow") && rest.starts_with(' ')
    };
    words.starts_with(MARK) || is_meant()
}

/// All allowances of a file, from top to bottom; `things` stand in order and do not overlap.
pub(crate) fn allowances(text: &str, things: &[Thing]) -> Vec<Found> {
    let lines = Lines::new(text);
    let mut marks: Vec<usize> = NAMES.iter().flat_map(|name| text.match_indices(name)).map(|(at, _)| at).collect();
    marks.sort_unstable();
    let marks = marks.into_iter().filter(|at| begins_allowance(&text[*at..]));
    marks.filter_map(|at| comment(text, &lines, at)).map(|comment| found(text, &lines, things, comment)).collect()
}

/// A comment: its line, where its opener stands, and its words.
struct Comment {
    line: usize,
    opener: usize,
    words: Range<usize>,
}

fn comment(text: &str, lines: &Lines, at: usize) -> Option<Comment> {
    let line = lines.of(at);
    let bytes = &lines.bytes[line];
    let before = text[bytes.start..at].trim_end();
    let opener = OPENERS.iter().find(|opener| before.ends_with(**opener))?;
    let opener = bytes.start + before.len() - opener.len();
    let words = text[at..bytes.end].trim_end();
    let words = CLOSERS.iter().fold(words, |words, closer| words.strip_suffix(closer).unwrap_or(words)).trim_end();
    Some(Comment { words: at..at + words.len(), opener, line })
}

fn found(text: &str, lines: &Lines, things: &[Thing], comment: Comment) -> Found {
    let Comment { line, opener, words } = comment;
    let bytes = &lines.bytes[line];
    let stands_alone =
        text[bytes.start..opener].trim_matches(|char: char| char.is_whitespace() || char == '/').is_empty();
    let around = things.partition_point(|thing| thing.bytes.end <= opener);
    let inside = things.get(around).filter(|thing| thing.bytes.start < opener);
    let about = if !stands_alone {
        beside(things, bytes, opener)
    } else if let Some(thing) = inside {
        if thing.by_line { lines.next_words(line) } else { thing.bytes.clone() }
    } else if lines.opens_the_file(line) {
        0..text.len()
    } else {
        things.get(around).map_or(words.clone(), |thing| thing.bytes.clone())
    };
    Found { comment: words, about }
}

/// What a comment at the end of a line is about: the statement that begins or ends there, else that line.
fn beside(things: &[Thing], line: &Range<usize>, opener: usize) -> Range<usize> {
    let before = things.partition_point(|thing| thing.bytes.start < opener);
    let last = before.checked_sub(1).and_then(|last| things.get(last));
    let touches = |thing: &&Thing| line.contains(&thing.bytes.start) || line.contains(&(thing.bytes.end.max(1) - 1));
    last.filter(touches).map_or(line.start..opener, |thing| thing.bytes.clone())
}

/// The lines of a file, and what follows each, so that a file of comments is read in one go.
struct Lines {
    bytes: Vec<Range<usize>>,
    /// For each line, the next one from it on that is no comment.
    no_comment: Vec<usize>,
    /// For each line, the next one from it on that is neither empty nor a comment.
    words: Vec<usize>,
}

impl Lines {
    fn new(text: &str) -> Self {
        let mut bytes = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            bytes.push(start..start + line.len());
            start += line.len() + 1;
        }
        let (mut no_comment, mut words) = (vec![bytes.len(); bytes.len()], vec![bytes.len(); bytes.len()]);
        for at in (0..bytes.len()).rev() {
            let line = text[bytes[at].clone()].trim();
            let is_comment = OPENERS.iter().any(|opener| line.starts_with(opener)) || line.starts_with("<?");
            let after = |next: &[usize]| next.get(at + 1).copied().unwrap_or(bytes.len());
            no_comment[at] = if is_comment { after(&no_comment) } else { at };
            words[at] = if is_comment || line.is_empty() { after(&words) } else { at };
        }
        Self { bytes, no_comment, words }
    }

    /// The line in which a byte stands.
    fn of(&self, byte: usize) -> usize {
        self.bytes.partition_point(|line| line.end < byte)
    }

    /// The next line with something on it that is no comment.
    fn next_words(&self, line: usize) -> Range<usize> {
        let end = self.bytes[line].end;
        self.words.get(line + 1).and_then(|next| self.bytes.get(*next)).cloned().unwrap_or(end..end)
    }

    /// Whether nothing but comments stands above a comment, and an empty line below it.
    fn opens_the_file(&self, line: usize) -> bool {
        let below = self.no_comment[line];
        self.words[0] >= line && self.bytes.get(below).is_some_and(|_| self.words[below] != below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the only allowance of a text is about; things stand between `[` and `]`, those by line between `<` and `>`.
    fn about(marked: &str) -> String {
        let mut things = Vec::new();
        let mut text = String::new();
        for char in marked.chars() {
            match char {
                '[' | '<' => things.push(Thing { bytes: text.len()..0, by_line: char == '<' }),
                ']' | '>' => things.last_mut().unwrap().bytes.end = text.len(),
                other => text.push(other),
            }
        }
        let found = allowances(&text, &things);
        assert_eq!(found.len(), 1, "{marked}");
        assert_eq!(&text[found[0].comment.clone()], "keyloom: allow x", "{marked}");
        text[found[0].about.clone()].to_owned()
    }

    #[test]
    fn an_allowance_is_about_the_next_statement() {
        for opener in ["-- keyloom: allow x", "// keyloom: allow x", "# keyloom: allow x", "/* keyloom: allow x */"] {
            assert_eq!(about(&format!("[one];\n\n{opener}\n[two];\n[three]")), "two");
        }
        assert_eq!(about("-- keyloom: allow x\n[one];"), "one");
        assert_eq!(about("[one];\n--keyloom: allow x\n-- other\n[two];"), "two");
    }

    #[test]
    fn at_the_end_of_a_line_it_is_about_what_stands_there() {
        assert_eq!(about("[one\n more]; -- keyloom: allow x\n[two];"), "one\n more");
        assert_eq!(about("<one ( -- keyloom: allow x\n more>;\n[two];"), "one ( -- keyloom: allow x\n more");
        assert_eq!(about("<one (\n  a int, -- keyloom: allow x\n more>;\n[two];"), "  a int, ");
    }

    #[test]
    fn within_a_table_it_is_about_the_next_line() {
        assert_eq!(about("<one (\n  a int,\n  -- keyloom: allow x\n\n  b int,\n  c int)>"), "  b int,");
        assert_eq!(about("[one +\n // keyloom: allow x\n more]"), "one +\n // keyloom: allow x\n more");
    }

    #[test]
    fn before_everything_and_an_empty_line_it_is_about_the_file() {
        assert_eq!(about("// a\n// keyloom: allow x\n\n[one]\n[two]"), "// a\n// keyloom: allow x\n\none\ntwo");
        assert_eq!(about("[one]\n// keyloom: allow x\n\n[two]"), "two");
    }

    #[test]
    fn what_is_meant_as_an_allowance_is_found() {
        let found = |text: &str| allowances(text, &[]).len();
        for text in
            ["-- keyloom allow x", "# Keyloom: Allow x", "// KEYLOOM allow x", "-- keyloom: ignore", "-- keyloom:"]
        {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in
            ["-- keyloom allows x", "# the Keyloom: Allow x", "// keyloom", "-- keyloom allow", "# Keyloom: see x"]
        {
            assert_eq!(found(text), 0, "{text}");
        }
    }

    #[test]
    fn what_is_no_comment_allows_nothing() {
        assert_eq!(allowances("say('keyloom: allow x')\nkeyloom: allow y", &[]), []);
    }
}
