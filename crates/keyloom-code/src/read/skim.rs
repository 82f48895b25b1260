//! The text that the parser is given: as long as the file, and blank where a function does nothing that is of interest.
//!
//! Parsing is what reading a program costs, and most functions of a file that holds statements neither hold one nor send
//! one. They are told by the form in which people and formatters write: a function ends at the first line that is indented
//! like its head. Where that, or a count of brackets and quotes, leaves a doubt, the function is parsed like the others.

use std::borrow::Cow;
use std::ops::Range;

use crate::Language;
use crate::sight::Signs;

/// Bytes up to which a function is parsed in any case: a short one may answer a part of a statement.
pub(super) const SHORT: usize = 400;

/// How often a byte may be looked at on average. Functions within functions are looked at once for each level.
const LOOKS_MAX: usize = 8;

/// Lines that the head of a function has at most.
const HEAD_LINES_MAX: usize = 20;

/// The text with the bodies of idle functions blanked out; all other bytes stand where they stood.
pub(super) fn skim<'t>(language: Language, text: &'t str, signs: &Signs) -> Cow<'t, str> {
    let bodies = idle_bodies(language, text, signs);
    if bodies.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for body in bodies {
        let first = bytes[body.clone()].iter().position(|byte| !byte.is_ascii_whitespace());
        for byte in &mut bytes[body.clone()] {
            // Some languages end statements with lines.
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        if let (Language::Python, Some(first)) = (language, first) {
            let start = body.start + first;
            bytes[start..start + 4].copy_from_slice(b"pass");
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The bodies of functions that are long and show no sign of a statement, in the order of the text.
fn idle_bodies(language: Language, text: &str, signs: &Signs) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    let Some(form) = Form::of(language) else { return bodies };
    let lines: Vec<Line<'_>> = lines(text).collect();
    let mut looks = LOOKS_MAX * text.len();
    let mut at = 0;
    while at < lines.len() {
        let body = form.body(&lines, at);
        at += 1;
        let Some(body) = body.filter(|body| body.end > at) else { continue };
        let range = lines[body.start].start..lines[body.end - 1].end();
        let Some(rest) = looks.checked_sub(range.len()) else { break };
        looks = rest;
        if range.len() > SHORT && !signs.any_in(&range) && is_balanced(&text[range.clone()]) {
            at = body.end;
            bodies.push(range);
        }
    }
    bodies
}

/// A line without the blanks around it.
struct Line<'t> {
    /// Where the line starts.
    start: usize,
    /// How many blanks it starts with.
    indent: usize,
    words: &'t str,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.indent + self.words.len()
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let words = line.trim_ascii_start();
        let this = Line { start, indent: line.len() - words.len(), words: words.trim_ascii_end() };
        start += line.len();
        this
    })
}

/// How a language writes functions.
struct Form {
    opens: fn(&str) -> bool,
    /// What the last line of the head ends with.
    head_end: char,
    /// What the line behind the body starts with; nothing where the body ends with its indentation.
    tail: &'static str,
}

impl Form {
    fn of(language: Language) -> Option<Self> {
        let braces = |opens| Some(Self { opens, head_end: '{', tail: "}" });
        match language {
            Language::Go => braces(|words| words.starts_with("func ")),
            Language::Rust => braces(|words| has_word(words, "fn")),
            Language::Kotlin => braces(|words| has_word(words, "fun")),
            Language::Scala => braces(|words| has_word(words, "def")),
            Language::Php => braces(|words| has_word(words, "function")),
            Language::Java | Language::CSharp => braces(is_method),
            Language::TypeScript | Language::Tsx | Language::JavaScript => braces(is_script_function),
            Language::Python => Some(Self { opens: is_definition, head_end: ':', tail: "" }),
            // Ruby's here-documents and Haskell's layout leave too much doubt.
            Language::Ruby | Language::Haskell => None,
        }
    }

    /// The lines of the body of the function whose head starts in a line.
    fn body(&self, lines: &[Line<'_>], at: usize) -> Option<Range<usize>> {
        let head = &lines[at];
        (self.opens)(head.words).then_some(())?;
        // A head may go on for some lines: they are parameters, and none of them ends anything.
        let goes_on =
            |line: &&Line<'_>| line.indent >= head.indent && !line.words.ends_with([';', '{', '}', self.head_end]);
        let last = at + lines[at..].iter().take(HEAD_LINES_MAX).take_while(goes_on).count();
        let is_whole = lines.get(last).is_some_and(|line| line.words.ends_with(self.head_end));
        is_whole.then_some(())?;
        let is_behind = |line: &Line<'_>| !line.words.is_empty() && line.indent <= head.indent;
        let behind = lines[last + 1..].iter().position(is_behind).map(|behind| last + 1 + behind);
        let behind = if self.tail.is_empty() { behind.unwrap_or(lines.len()) } else { behind? };
        let is_tail = |line: &Line<'_>| line.indent == head.indent && line.words.starts_with(self.tail);
        (self.tail.is_empty() || is_tail(&lines[behind])).then_some(last + 1..behind)
    }
}

/// Whether a line declares with a word: `pub async fn name(`.
fn has_word(words: &str, wanted: &str) -> bool {
    words.split_ascii_whitespace().take_while(|word| !word.contains(['=', '{', '"'])).any(|word| word == wanted)
}

fn is_definition(words: &str) -> bool {
    words.starts_with("def ") || words.starts_with("async def ")
}

/// `public <T> T name(`: only words of a declaration before the bracket.
fn is_method(words: &str) -> bool {
    const OTHERS: [&str; 22] = [
        "if",
        "for",
        "foreach",
        "while",
        "switch",
        "synchronized",
        "try",
        "catch",
        "using",
        "lock",
        "fixed",
        "with",
        "new",
        "return",
        "throw",
        "else",
        "class",
        "interface",
        "enum",
        "record",
        "await",
        "case",
    ];
    let Some((before, _)) = words.split_once('(') else { return false };
    let is_sign = |letter: char| letter.is_alphanumeric() || " _$<>[],.?&*#".contains(letter);
    !before.is_empty()
        && before.chars().all(is_sign)
        && !before.split(|letter: char| !letter.is_alphanumeric()).any(|word| OTHERS.contains(&word))
}

/// `async name(`, `export function name(`, `const name = async (`. A function that is handed to another one is none.
fn is_script_function(words: &str) -> bool {
    let words = words.strip_prefix("export ").unwrap_or(words);
    let Some((before, behind)) = words.split_once('(') else { return false };
    let is_handed = before.contains('.') || behind.contains("function") || behind.contains("=>");
    words.starts_with("const ") && words.ends_with("=> {") || is_method(words) && !is_handed
}

/// Whether as many brackets and comments are opened as closed, and quotes of several lines are whole.
fn is_balanced(body: &str) -> bool {
    let count = |sign: u8| memchr::memchr_iter(sign, body.as_bytes()).count();
    let count_of = |sign: &str| memchr::memmem::find_iter(body.as_bytes(), sign).count();
    count(b'{') == count(b'}')
        && count(b'`').is_multiple_of(2)
        && count_of("\"\"\"").is_multiple_of(2)
        && count_of("'''").is_multiple_of(2)
        && count_of("/*") == count_of("*/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skimmed(language: Language, text: &str) -> String {
        skim(language, text, &Signs::of(language, text.as_bytes())).into_owned()
    }

    /// Lines of a body, indented, long enough to be left out.
    fn long(line: &str) -> String {
        format!("    {line}\n").repeat(SHORT / line.len())
    }

    #[test]
    fn leaves_idle_bodies_out_and_all_else_in_its_place() {
        let cases = [
            (Language::Go, "func sum(a []int) int {\n", "total := total + 1", "}\n"),
            (Language::Rust, "pub(crate) async fn sum(a: &[i32]) -> i32 {\n", "total += 1;", "}\n"),
            (Language::Kotlin, "private fun sum(a: Int): Int {\n", "total += 1", "}\n"),
            (
                Language::Java,
                "public static <T> int sum(\n        int a, int b)\n        throws Ouch {\n",
                "total++;",
                "}\n",
            ),
            (Language::CSharp, "public int Sum(int a)\n{\n", "total++;", "}\n"),
            (Language::TypeScript, "export const sum = async (a: number) => {\n", "total++;", "}\n"),
            (Language::Scala, "def sum(a: Int) = {\n", "total += 1", "}\n"),
            (Language::Php, "function sum($a) {\n", "$total++;", "}\n"),
            (Language::Python, "def sum(\n    a,\n) -> int:\n", "total += 1", "\nother = 1\n"),
        ];
        for (language, head, line, tail) in cases {
            let (head, body) = (head.to_owned(), long(line));
            let text = format!("{head}{body}{tail}");
            let left = skimmed(language, &text);
            let blank = if language == Language::Python { "pass" } else { "" };
            assert_eq!(left.len(), text.len(), "{language:?}");
            assert_eq!(left[head.len()..head.len() + body.len()].trim(), blank, "{language:?}");
            assert!(left.starts_with(&head) && left.ends_with(tail), "{language:?}: {left}");
        }
    }

    #[test]
    fn keeps_a_function_that_may_have_to_do_with_statements() {
        for line in ["session.Query(all)", "x := \"SELECT a FROM b\"", "return \"orders\"", "// keyloom: allow all"] {
            let text = format!("func all() {{\n{}    {line}\n}}\n", long("total := total + 1"));
            assert_eq!(skimmed(Language::Go, &text), text);
        }
        let short = "func one() string {\n    return name()\n}\n";
        assert_eq!(skimmed(Language::Go, short), short);
    }

    #[test]
    fn keeps_what_leaves_a_doubt_about_its_end() {
        let ends_early = format!("func raw() {{\n{}    x := `{{\n}}\n`\n}}\n", long("total := total + 1"));
        assert_eq!(skimmed(Language::Go, &ends_early), ends_early);
        let dedented = format!("def f():\n{}    x = '''\nnot code\n'''\n", long("total += 1"));
        assert_eq!(skimmed(Language::Python, &dedented), dedented);
        let call = format!("describe('a', () => {{\n{}}});\n", long("total++;"));
        assert_eq!(skimmed(Language::TypeScript, &call), call, "what a function is given is no function of its own");
    }
}
