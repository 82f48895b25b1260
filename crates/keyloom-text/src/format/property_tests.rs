//! Whatever is written, and however: printing keeps the tree and the comments, and printing again changes nothing.

use keyloom_finding::Sources;
use proptest::prelude::*;

use super::format;
use crate::yaml::{self, Kind, Node};

/// What a file says, without how.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Nothing,
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

impl Tree {
    fn of(node: &Node) -> Self {
        match &node.kind {
            Kind::Scalar(_) if node.is_empty() => Self::Nothing,
            Kind::Scalar(scalar) => Self::Text(scalar.text.clone()),
            Kind::List { items, .. } => Self::List(items.iter().map(Self::of).collect()),
            Kind::Map { entries, .. } => {
                Self::Map(entries.iter().map(|entry| (Self::of(&entry.key), Self::of(&entry.value))).collect())
            }
        }
    }

    /// The same without the order of keys; equal keys keep theirs.
    fn without_order(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::without_order).collect()),
            Self::Map(entries) => {
                let mut entries: Vec<_> =
                    entries.into_iter().map(|(key, value)| (key, value.without_order())).collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Self::Map(entries)
            }
            other => other,
        }
    }
}

/// The tree and the comments of a text, both without their order; nothing if it is refused.
fn read(text: &str) -> Option<(Option<Tree>, Vec<String>)> {
    let mut sources = Sources::default();
    let file = sources.add("catalog.yaml", text);
    let mut findings = Vec::new();
    let document = yaml::parse(file, text, &mut findings);
    let mut comments: Vec<_> = document.comments.into_iter().map(|comment| comment.text).collect();
    comments.sort();
    findings.is_empty().then(|| (document.root.as_ref().map(Tree::of).map(Tree::without_order), comments))
}

fn formatted(text: &str) -> Option<String> {
    let mut sources = Sources::default();
    let file = sources.add("catalog.yaml", text);
    format(&sources, file).ok()
}

/// The whole promise, for a text that may be refused.
fn keeps_its_promise(text: &str) -> Result<(), TestCaseError> {
    let before = read(text);
    let once = formatted(text);
    prop_assert_eq!(before.is_some(), once.is_some(), "refused by one, not by the other");
    if let Some(once) = once {
        prop_assert_eq!(before, read(&once), "\n--- from\n{}\n--- came\n{}", text, once);
        let twice = formatted(&once);
        prop_assert_eq!(Some(&once), twice.as_ref(), "\n--- from\n{}", text);
        let clean = !once.contains(['\r', '\u{feff}']) && !once.ends_with("\n\n");
        prop_assert!(clean && (once.is_empty() || once.ends_with('\n')), "untidy: {:?}", once);
    }
    Ok(())
}

/// Writes a tree in one of the many ways that YAML has for it; `choices` picks the way.
struct Writer<'a> {
    out: String,
    comments: Vec<String>,
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    /// A block scalar was written last: a comment right of its block would be text of it.
    after_block_scalar: bool,
}

impl Writer<'_> {
    fn choose(&mut self, among: usize) -> usize {
        usize::from(*self.choices.next().unwrap_or(&0)) % among
    }

    fn comment(&mut self) {
        let words = ["", " x", " a: [", " - 'b", " é\u{a0}#", "!"][self.choose(6)];
        let comment = format!("#{}{words}", self.comments.len());
        self.out.push_str(&comment);
        self.comments.push(comment);
    }

    fn blanks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// Ends a line, perhaps with a comment.
    fn end_line(&mut self) {
        match self.choose(5) {
            0 => {
                let gap = 1 + self.choose(6);
                self.blanks(gap);
                self.comment();
            }
            1 => self.out.push_str(" \t"),
            _ => {}
        }
        self.new_line();
    }

    fn new_line(&mut self) {
        let windows = self.choose(7) == 0;
        self.out.push_str(if windows { "\r\n" } else { "\n" });
    }

    /// Perhaps some blank lines and comments, in a block of this indentation.
    fn between(&mut self, indent: usize) {
        for _ in 0..self.choose(6).saturating_sub(3) {
            if self.choose(2) == 0 {
                let right = if self.after_block_scalar { indent } else { indent + 3 };
                let column = self.choose(right + 1);
                self.blanks(column);
                self.comment();
                // Block scalars end at a comment, so the next one may stand anywhere.
                self.after_block_scalar = false;
            }
            self.new_line();
        }
    }

    fn text(&mut self, text: &str) {
        let simple = |c: char| c.is_ascii_alphanumeric() || " _./()$=<+|".contains(c);
        let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if starts && text.chars().all(simple) && !text.ends_with(' ') && self.choose(3) > 0 {
            self.out.push_str(text);
        } else if text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) && self.choose(2) == 0 {
            self.out.push('\'');
            self.out.push_str(&text.replace('\'', "''"));
            self.out.push('\'');
        } else {
            self.out.push('"');
            for c in text.chars() {
                if c == '"' || c == '\\' {
                    self.out.extend(['\\', c]);
                } else if c == ' ' || c.is_ascii_graphic() || c.is_alphabetic() {
                    self.out.push(c);
                } else {
                    self.out.push_str(&format!("\\U{:08x}", u32::from(c)));
                }
            }
            self.out.push('"');
        }
    }

    /// A block scalar, if the text allows it; its lines stand right of `indent`.
    fn block_scalar(&mut self, text: &str, indent: usize) -> bool {
        let body = text.strip_suffix('\n').unwrap_or(text);
        let good = |line: &str| {
            !line.is_empty() && !line.starts_with(' ') && line.chars().all(|c| c == ' ' || c.is_ascii_graphic())
        };
        if body.is_empty() || !body.split('\n').all(good) || self.choose(2) == 0 {
            return false;
        }
        let fold = !body.contains('\n') && body.contains(' ') && !body.contains("  ") && !body.ends_with(' ');
        self.out.push(if fold { '>' } else { '|' });
        self.out.push_str(if text.ends_with('\n') { "" } else { "-" });
        self.end_line();
        let deeper = indent + 1 + self.choose(4);
        let body = if fold { body.replacen(' ', "\n", 1) } else { body.to_owned() };
        for line in body.split('\n') {
            self.blanks(deeper);
            self.out.push_str(line);
            self.new_line();
        }
        self.after_block_scalar = true;
        true
    }

    /// A value after `key:` or `-` of a block with this indentation, to the end of its last line.
    fn value(&mut self, tree: &Tree, indent: usize, in_map: bool) {
        match tree {
            Tree::Nothing => self.end_line(),
            Tree::Text(text) => {
                self.out.push(' ');
                if self.block_scalar(text, indent) {
                    return;
                }
                if self.choose(6) == 0 {
                    self.end_line();
                    self.blanks(indent + 1);
                }
                self.text(text);
                self.end_line();
            }
            Tree::List(items) if !items.is_empty() && self.choose(2) == 0 => {
                self.end_line();
                let least = usize::from(!in_map);
                let deeper = indent + least + self.choose(4);
                self.block(tree, deeper);
            }
            Tree::Map(entries) if !entries.is_empty() && self.choose(2) == 0 => {
                if !in_map && self.choose(2) == 0 {
                    let gap = 1 + self.choose(3);
                    self.blanks(gap);
                    self.entries(entries, indent + 1 + gap, true);
                } else {
                    self.end_line();
                    let deeper = indent + 1 + self.choose(4);
                    self.block(tree, deeper);
                }
            }
            _ => {
                self.out.push(' ');
                self.flow(tree, indent);
                self.end_line();
            }
        }
        if !matches!(tree, Tree::List(_) | Tree::Map(_)) {
            self.after_block_scalar = false;
        }
    }

    fn block(&mut self, tree: &Tree, indent: usize) {
        match tree {
            Tree::List(items) => {
                for item in items {
                    self.between(indent);
                    self.blanks(indent);
                    self.out.push('-');
                    self.value(item, indent, false);
                }
                self.between(indent);
            }
            Tree::Map(entries) => self.entries(entries, indent, false),
            _ => {}
        }
    }

    fn entries(&mut self, entries: &[(Tree, Tree)], indent: usize, on_line: bool) {
        for (at, (key, value)) in entries.iter().enumerate() {
            if at > 0 || !on_line {
                self.between(indent);
                self.blanks(indent);
            }
            if let Tree::Text(key) = key {
                self.text(key);
            }
            self.out.push(':');
            self.value(value, indent, true);
        }
        self.between(indent);
    }

    /// Perhaps a line break and comments within braces.
    fn flow_gap(&mut self, indent: usize) {
        match self.choose(12) {
            0 => {
                self.out.push(' ');
                self.comment();
                self.new_line();
                self.blanks(indent + 1);
            }
            1 => {
                self.new_line();
                self.blanks(indent + 2);
            }
            2 => {}
            _ => self.out.push(' '),
        }
    }

    fn flow(&mut self, tree: &Tree, indent: usize) {
        match tree {
            Tree::Nothing => {}
            Tree::Text(text) => self.text(text),
            Tree::List(items) => {
                self.out.push('[');
                for item in items {
                    self.flow_gap(indent);
                    self.flow(item, indent);
                    self.flow_gap(indent);
                    self.out.push(',');
                }
                self.flow_gap(indent);
                self.out.push(']');
            }
            Tree::Map(entries) => {
                self.out.push('{');
                for (key, value) in entries {
                    self.flow_gap(indent);
                    self.flow(key, indent);
                    self.out.push_str(": ");
                    self.flow(value, indent);
                    self.flow_gap(indent);
                    self.out.push(',');
                }
                self.flow_gap(indent);
                self.out.push('}');
            }
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z][a-z_ ]{0,8}[a-z]",
        2 => "[-#:?,&*!|>%@`'\"\\[\\]{}~ a]{1,5}",
        2 => proptest::sample::select(vec!["null", "true", "12", "1e3", "<<", "---", "", "timestamp?", "a: b", "a #b", "x, y"])
            .prop_map(str::to_owned),
        1 => "[a-z #]{1,6}\n[ a-z\t#-]{0,6}\n?[a-z]{0,4}\n?",
        1 => any::<String>(),
        1 => "[a-z]{60,130}",
    ]
}

fn key() -> impl Strategy<Value = Tree> {
    let words = vec!["entities", "patterns", "list", "by", "with", "rate", "fields", "key", "allow", "language"];
    prop_oneof![proptest::sample::select(words).prop_map(str::to_owned), text()].prop_map(Tree::Text)
}

/// A list without items that are nothing: within brackets there is no way to write them.
fn tree() -> impl Strategy<Value = Tree> {
    let leaf = text().prop_map(Tree::Text);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let value = prop_oneof![8 => inner.clone(), 1 => Just(Tree::Nothing)];
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Tree::List),
            proptest::collection::vec((key(), value), 0..5).prop_map(Tree::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn any_tree_in_any_style(tree in tree(), choices in proptest::collection::vec(any::<u8>(), 1..150)) {
        let mut writer = Writer { out: String::new(), comments: Vec::new(), choices: choices.iter().cycle(), after_block_scalar: false };
        match &tree {
            Tree::List(items) if !items.is_empty() => writer.block(&tree, 0),
            Tree::Map(entries) if !entries.is_empty() => writer.block(&tree, 0),
            _ => writer.flow(&tree, 0),
        }
        let Writer { out, mut comments, .. } = writer;
        comments.sort();
        prop_assert_eq!(read(&out), Some((Some(tree.without_order()), comments)), "the test wrote something else:\n{}", out);
        keeps_its_promise(&out)?;
    }

    #[test]
    fn any_soup_of_marks(text in "([a-c]|[-:?] |[-:?,#'\"|>]|[\\[\\]{}]| #[a-c]|, |: |\n|\n {1,4}|\n- |\r\n|\t| ){0,40}") {
        keeps_its_promise(&text)?;
    }

    #[test]
    fn any_soup_of_lines(
        lines in proptest::collection::vec(
            "( {0,4})(- |- - |\\? |: |)((a|b c|'d'|\"e\"|list|key):( |  #x|))?(\\||>-|>|\\|\\+|f|g h|\\{ a: b|\\}|\\[|\\]|c, d|#y|)( #z|   #w| |\t|,|)",
            0..9,
        ),
    ) {
        keeps_its_promise(&lines.join("\n"))?;
    }

    #[test]
    fn any_string(text in any::<String>()) {
        keeps_its_promise(&text)?;
    }
}
