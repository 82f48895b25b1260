//! The reader and its way of looking at the tree: every look answers with a value or leaves a finding.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use keyloom_finding::{FileId, Finding, Place, Places, Sources};
use keyloom_model::{Catalog, Date};

use super::files;
use super::naming::{Case, nearest, singular};
use super::scope::entity_path;
use crate::fault::Fault;
use crate::parse::expr::is_reserved;
use crate::rules::{
    bad_expression, bad_name, bad_type, bad_value, comma_in_braces, duplicate_name, missing_key, unknown_key,
    wrong_shape, yaml_ate_it, yaml_feature,
};
use crate::text::Text;
use crate::vocabulary::{self, Stage, Word};
use crate::yaml::{Document, Entry, Kind, Node, Scalar};

/// The state of one reading.
pub(super) struct Reader<'a> {
    pub(super) sources: &'a Sources,
    pub(super) catalog: Catalog,
    pub(super) places: Places,
    pub(super) findings: Vec<Finding>,
    /// Whether words of storage belong to what is read: they do in a layout.
    pub(super) stores: bool,
    /// Scalars that are known to be cut or refused; whoever meets one says nothing more about it.
    cut: HashSet<Place>,
    /// How often something was not understood, said aloud or not.
    faults: usize,
    /// What is written down but was not understood, by path. A finding says so; its uses are not further mistakes.
    misread: HashSet<String>,
    /// The structs that types name, to be looked up when all are known.
    pub(super) named_types: Vec<Name>,
    /// Names in the wrong case; a finding says so where they are defined.
    misnamed: HashSet<String>,
    /// What the catalog calls an entity, before anything of it is read, with the type of its key where that is one field.
    pub(super) key_types: HashMap<String, Option<String>>,
}

/// What is known at one moment, to look names up in while the reader goes on.
pub(super) struct Snapshot {
    pub(super) catalog: Catalog,
    pub(super) misread: HashSet<String>,
}

/// A name with the place where it is written.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) place: Place,
}

/// The entries of a mapping whose keys the language knows.
pub(super) struct Keys<'n> {
    path: String,
    entries: Vec<(&'n str, &'n Entry)>,
    /// Keys that were probably meant by unknown ones: they are not missing, they are misspelt.
    misspelt: Vec<&'static str>,
}

impl<'n> Keys<'n> {
    /// Where the mapping stands.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The value of a key; nothing when it is not stated or has nothing behind it.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value).filter(|value| !value.is_empty())
    }

    /// The whole entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, entry)| *entry)
    }

    /// Whether the key is there, with or without a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Whether an unknown key probably stands for this one.
    pub(super) fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.contains(&key)
    }

    /// All keys, in the order written.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'n str, &'n Entry)> {
        self.entries.iter().copied()
    }
}

/// What a text is, for the rule that its faults belong to.
#[derive(Clone, Copy)]
pub(super) enum Grammar {
    Value,
    Type,
    Expression,
}

impl<'a> Reader<'a> {
    pub(super) fn new(sources: &'a Sources, findings: Vec<Finding>) -> Self {
        let catalog = Catalog { complete: true, ..Catalog::default() };
        Self {
            sources,
            catalog,
            places: Places::default(),
            findings,
            stores: false,
            cut: HashSet::new(),
            faults: 0,
            misread: HashSet::new(),
            named_types: Vec::new(),
            misnamed: HashSet::new(),
            key_types: HashMap::new(),
        }
    }

    /// What was understood, where it is written, what was not, and the paths that are there but were not understood.
    pub(super) fn finish(self) -> (Catalog, Places, Vec<Finding>, HashSet<String>) {
        (self.catalog, self.places, self.findings, self.misread)
    }

    /// Finds values that a comment cut, before anybody wonders about their rest.
    pub(super) fn comments(&mut self, documents: &[(FileId, Document)]) {
        let eaten = files::eaten_by_comments(self.sources, documents, &mut self.findings);
        self.cut.extend(eaten);
        self.cut.extend(documents.iter().flat_map(|(_, document)| &document.refused));
    }

    /// Takes a finding; `None` is a fault about which everything is said elsewhere.
    pub(super) fn push(&mut self, finding: impl Into<Option<Finding>>) {
        self.faults += 1;
        self.findings.extend(finding.into());
    }

    /// What was looked up; or its finding is taken.
    pub(super) fn found<T>(&mut self, result: Result<T, impl Into<Option<Finding>>>) -> Option<T> {
        result.map_err(|finding| self.push(finding)).ok()
    }

    /// How many faults there were so far.
    pub(super) fn faults(&self) -> usize {
        self.faults
    }

    /// Notes that the thing at this path is there, but was not understood.
    pub(super) fn misread(&mut self, path: impl Into<String>) {
        self.misread.insert(path.into());
    }

    /// Whether the thing at this path is there, but was not understood.
    pub(super) fn is_misread(&self, path: &str) -> bool {
        self.misread.contains(path)
    }

    /// The paths of all things that are there, but were not understood.
    pub(super) fn misread_paths(&self) -> &HashSet<String> {
        &self.misread
    }

    /// What is known now.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { catalog: self.catalog.clone(), misread: self.misread.clone() }
    }

    /// Whether something was already said about this scalar.
    pub(super) fn is_cut(&self, node: &Node) -> bool {
        self.cut.contains(&node.place)
    }

    /// The text of a scalar; a finding when it is something else.
    pub(super) fn text(&mut self, node: &Node, what: &str, example: &str) -> Option<Text> {
        if node.scalar().is_none() || node.is_empty() {
            self.push(wrong_shape::finding(node.place, what, "a single value", node.word(), example));
            return None;
        }
        if self.is_cut(node) {
            self.push(None);
            return None;
        }
        Some(Text::of(node, self.sources))
    }

    /// Runs a small parser over a scalar.
    pub(super) fn parse<T>(
        &mut self,
        node: &Node,
        what: &str,
        example: &str,
        grammar: Grammar,
        parser: impl Fn(&str) -> Result<T, Fault>,
    ) -> Option<T> {
        let text = self.text(node, what, example)?;
        self.parse_text(&text, grammar, parser)
    }

    /// Runs a small parser over a text.
    pub(super) fn parse_text<T>(
        &mut self,
        text: &Text,
        grammar: Grammar,
        parser: impl Fn(&str) -> Result<T, Fault>,
    ) -> Option<T> {
        match parser(&text.text) {
            Ok(value) => Some(value),
            Err(fault) => {
                if text.text.get(fault.range.clone()).is_some_and(|word| self.misnamed.contains(word)) {
                    self.push(None);
                    return None;
                }
                let place = text.place(fault.range);
                let finding = match grammar {
                    Grammar::Value => bad_value::finding(place, fault.message, fault.help),
                    Grammar::Type => bad_type::finding(place, fault.message, fault.help),
                    Grammar::Expression => bad_expression::finding(place, fault.message, fault.help),
                };
                self.push(finding);
                None
            }
        }
    }

    /// Reads a day.
    pub(super) fn date(&mut self, node: &Node, what: &str) -> Option<Date> {
        let text = self.text(node, what, "2026-11-15")?;
        let date = Date::parse(&text.text);
        if date.is_none() {
            let message = format!("`{}` is not a day of the calendar", text.text);
            self.push(bad_value::finding(text.whole(), message, Some("write it as `2026-11-15`".into())));
        }
        date
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match self.text(node, what, "true")?.text.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            other => {
                let message = format!("{what} is `true` or `false`, not `{other}`");
                self.push(bad_value::finding(node.place, message, None));
                None
            }
        }
    }

    /// Reads one of a few words.
    pub(super) fn one_of<T: Copy>(&mut self, node: &Node, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(node, what, words.first().map_or("", |word| word.0))?;
        let found = words.iter().find(|(word, _)| *word == text.text).map(|(_, value)| *value);
        if found.is_none() {
            let all = words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
            self.push(bad_value::finding(text.whole(), format!("{what} is {all}, not `{}`", text.text), None));
        }
        found
    }

    /// Words for people: any scalar.
    pub(super) fn prose(&mut self, keys: &Keys<'_>, key: &str) -> Option<String> {
        let node = keys.get(key)?;
        self.text(node, &format!("`{key}`"), "").map(|text| text.text)
    }

    /// The items of a list; a single value stands for a list of one.
    pub(super) fn items<'n>(&mut self, node: &'n Node, what: &str, example: &str) -> &'n [Node] {
        match &node.kind {
            Kind::List { items, flow } => {
                if *flow {
                    self.join_cut_items(items);
                }
                items
            }
            Kind::Scalar(_) if !node.is_empty() => std::slice::from_ref(node),
            _ => {
                self.push(wrong_shape::finding(node.place, what, "a list", node.word(), example));
                &[]
            }
        }
    }

    /// The items of a list that people also write without its brackets: `by: member_id, status`.
    pub(super) fn bracketed<'n>(&mut self, node: &'n Node, what: &str, example: &str) -> Cow<'n, [Node]> {
        let Some(items) = without_brackets(node, self.sources) else {
            return Cow::Borrowed(self.items(node, what, example));
        };
        if self.cut.insert(node.place) {
            self.push(wrong_shape::without_brackets(node.place, what, self.sources.text(node.place)));
        }
        Cow::Owned(items)
    }

    /// A list of names.
    pub(super) fn names(&mut self, node: &Node, what: &str, example: &str) -> Vec<Name> {
        let mut names = Vec::new();
        for item in self.bracketed(node, what, example).iter() {
            if let Some(text) = self.text(item, what, example) {
                names.push(Name { place: text.whole(), text: text.text });
            }
        }
        names
    }

    /// The entries of a mapping whose keys are the author's own names.
    pub(super) fn entries<'n>(
        &mut self,
        node: &'n Node,
        path: &str,
        what: &str,
        example: &str,
    ) -> Vec<(Name, &'n Node)> {
        let Kind::Map { entries, flow } = &node.kind else {
            if !node.is_empty() {
                self.push(wrong_shape::finding(node.place, what, "a mapping", node.word(), example));
            }
            return Vec::new();
        };
        let found = self.named_entries(entries, *flow, path);
        found.into_iter().map(|(name, at)| (name, &entries[at].value)).collect()
    }

    /// The same, each with its name as a text that a small parser can read.
    pub(super) fn parsed_entries<'n>(
        &mut self,
        node: &'n Node,
        path: &str,
        what: &str,
        example: &str,
    ) -> Vec<(Text, &'n Node)> {
        let Kind::Map { entries, flow } = &node.kind else {
            self.entries(node, path, what, example);
            return Vec::new();
        };
        let found = self.named_entries(entries, *flow, path);
        found.into_iter().map(|(_, at)| (Text::of(&entries[at].key, self.sources), &entries[at].value)).collect()
    }

    /// The same, each with its number among the entries.
    fn named_entries(&mut self, entries: &[Entry], flow: bool, path: &str) -> Vec<(Name, usize)> {
        let mut found: Vec<(Name, usize)> = Vec::new();
        let mut seen = HashMap::new();
        let mut next = 0;
        while let Some(entry) = entries.get(next) {
            let at = next;
            let pieces = if flow { self.cut_entries(&entries[next..]) } else { 0 };
            next += 1 + pieces;
            let Some(key) = entry.key.scalar() else {
                // The tree's builder has refused it already.
                self.push(None);
                continue;
            };
            if key.text == "<<" {
                self.push(yaml_feature::merge_key(entry.key.place));
                continue;
            }
            if let Some((key, value)) = key.text.split_once(':').filter(|_| flow && key.plain && entry.value.is_empty())
            {
                self.push(yaml_ate_it::glued(entry.key.place, key, value));
                self.misread(join(path, key));
                continue;
            }
            if let Some(first) = seen.get(key.text.as_str()) {
                self.push(duplicate_name::finding(entry.key.place, *first, "key", &key.text));
                continue;
            }
            seen.insert(key.text.as_str(), entry.key.place);
            if pieces > 0 {
                self.misread(join(path, &key.text));
                continue;
            }
            self.places.insert(join(path, &key.text), entry.key.place, entry.value.place);
            found.push((Name { text: key.text.clone(), place: entry.key.place }, at));
        }
        found
    }

    /// The entries of a mapping whose keys the language knows.
    pub(super) fn keys<'n>(
        &mut self,
        node: &'n Node,
        path: &str,
        what: &str,
        words: &[&'static Word],
        example: &str,
    ) -> Option<Keys<'n>> {
        let Kind::Map { entries, flow } = &node.kind else {
            self.push(wrong_shape::finding(node.place, what, "a mapping", node.word(), example));
            return None;
        };
        let (mut known, mut misspelt) = (Vec::new(), Vec::new());
        let mut free = None;
        let before = self.faults;
        for (name, at) in self.named_entries(entries, *flow, path) {
            let entry = &entries[at];
            let Some(text) = entry.key.scalar().map(|scalar| scalar.text.as_str()) else { continue };
            if words.iter().any(|word| word.name == name.text) {
                // A section of the file may be empty while it is being written; any other key states something.
                if entry.value.is_empty() && !path.is_empty() && !self.is_cut(&entry.value) {
                    self.push(missing_key::value(name.place, &name.text));
                    self.misread(join(path, &name.text));
                }
                known.push((text, entry));
            } else if let Some(list) = stray_item(&entries[..=at]).filter(|_| *flow) {
                self.push(comma_in_braces::list(list, self.sources.text(list)));
            } else if unknown_key::is_increment(&name.text) && words.iter().any(|word| word.name == "set") {
                self.push(unknown_key::increment(name.place, &name.text, what, &increments(&entry.value)));
                misspelt.push("set");
            } else {
                let free = free.get_or_insert_with(|| beside_verb(entries, words));
                let elsewhere = unknown_key::elsewhere_called(&name.text).iter().copied();
                let meant = elsewhere
                    .chain(self.suggest(&name.text, free.iter().map(|word| word.name)))
                    .find_map(|meant| free.iter().find(|word| word.name == meant).copied());
                let all = free.iter().map(|word| word.name).collect::<Vec<_>>().join(", ");
                let finding = if unknown_key::is_storage(&name.text) && !self.stores {
                    unknown_key::storage(name.place, &name.text, what)
                } else {
                    unknown_key::finding(name.place, &name.text, what, meant, &all)
                };
                self.push(finding);
                misspelt.extend(meant.map(|word| word.name));
            }
        }
        for meant in &misspelt {
            self.misread(join(path, meant));
        }
        if self.faults > before {
            let unread = words.iter().map(|word| word.name).filter(|word| self.is_misread(&join(path, word)));
            misspelt.extend(unread);
        }
        Some(Keys { path: path.to_owned(), entries: known, misspelt })
    }

    /// The name that was probably meant, as long as anybody still reads the findings.
    pub(super) fn suggest<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        if self.findings.len() < SUGGESTIONS_MAX { nearest(name, known) } else { None }
    }

    /// The value of a key that must be there.
    pub(super) fn required<'n>(
        &mut self,
        keys: &Keys<'n>,
        key: &str,
        what: &str,
        place: Place,
        example: &str,
    ) -> Option<&'n Node> {
        let found = keys.get(key);
        let said = self.is_misread(&join(&keys.path, key)) || keys.is_misspelt(key);
        if found.is_none() && said {
            self.push(None);
        } else if found.is_none() {
            let place = keys.entry(key).map_or(place, |entry| entry.key.place);
            self.push(missing_key::finding(Some(place), what, key, example));
        }
        found
    }

    /// `{ a: text(80, max 400) }`: YAML sees a value `text(80` and a key `max 400)` with nothing behind it. Answers with
    /// how many entries behind the first one are pieces of its value.
    fn cut_entries(&mut self, entries: &[Entry]) -> usize {
        let Some((first, behind)) = entries.split_first() else { return 0 };
        let pieces =
            pieces(&first.value, behind.iter().map_while(|entry| entry.value.is_empty().then_some(&entry.key)));
        if let Some(last) = pieces.checked_sub(1).and_then(|last| behind.get(last)) {
            let whole = first.value.place.to(last.key.place);
            self.push(comma_in_braces::finding(whole, self.sources.text(whole)));
        }
        pieces
    }

    /// `[f(a, b)]`: YAML sees two items.
    fn join_cut_items(&mut self, items: &[Node]) {
        let mut next = 0;
        while let Some(first) = items.get(next) {
            let behind = &items[next + 1..];
            let pieces = if is_open(first) { pieces(first, behind.iter()) } else { 0 };
            next += 1 + pieces;
            if let Some(last) = pieces.checked_sub(1).and_then(|last| behind.get(last))
                && self.cut.insert(first.place)
            {
                self.cut.extend(behind[..pieces].iter().map(|item| item.place));
                let whole = first.place.to(last.place);
                self.push(comma_in_braces::finding(whole, self.sources.text(whole)));
            }
        }
    }

    /// A field's name stands in expressions, so it can't be one of their words.
    pub(super) fn check_field_name(&mut self, name: &Name, what: &str) -> bool {
        if is_reserved(&name.text) {
            self.push(bad_name::word_of_the_language(name.place, &name.text));
            return false;
        }
        self.check_name(name, what, Case::Snake)
    }

    /// A name must be written in the right case.
    pub(super) fn check_name(&mut self, name: &Name, what: &str, case: Case) -> bool {
        if name.text.starts_with("kl_") {
            self.push(bad_name::reserved(name.place, &name.text));
            return false;
        }
        if case.fits(&name.text) {
            return true;
        }
        // Dropping the letters that ASCII lacks would make another word.
        let better = case.convert(&name.text).filter(|better| name.text.is_ascii() && case.fits(better));
        let better = better.map(|better| if case == Case::Entity { singular(&better).to_owned() } else { better });
        self.push(bad_name::finding(name.place, what, &name.text, case.words(), better.as_deref()));
        self.misnamed.insert(name.text.clone());
        // Elsewhere it may be named rightly already; that is no second mistake.
        if let (Case::Entity, Some(better)) = (case, better) {
            self.misread(entity_path(&format!("{better}s")));
            self.misread(entity_path(&better));
        }
        false
    }
}

/// After so many findings no more names are compared: comparing all with all would take longer than mending them.
pub(super) const SUGGESTIONS_MAX: usize = 200;

/// A path one step longer.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The words that may stand in a mapping, as a list; where it has a verb, those that go with it.
fn beside_verb(entries: &[Entry], words: &[&'static Word]) -> Vec<&'static Word> {
    let present: Vec<&str> =
        entries.iter().filter_map(|entry| entry.key.scalar()).map(|key| key.text.as_str()).collect();
    // In a layout, `get` is another word.
    let fitting = present
        .iter()
        .map(|key| vocabulary::pattern_words(key))
        .find(|fitting| fitting.iter().any(|word| words.contains(word)));
    let fits = |word: &&Word| fitting.as_ref().is_none_or(|fitting| fitting.contains(word));
    let built = words.iter().copied().filter(|word| word.stage == Stage::Now);
    built.filter(|word| fits(word) && !present.contains(&word.name)).collect()
}

/// The fields of an `increment` and what is added to each; a name alone is increased by one.
fn increments(node: &Node) -> Vec<(&str, &str)> {
    match &node.kind {
        Kind::Map { entries, .. } => entries
            .iter()
            .filter_map(|entry| Some((entry.key.scalar()?.text.as_str(), entry.value.scalar()?.text.as_str())))
            .collect(),
        Kind::List { items, .. } => items.iter().flat_map(increments).collect(),
        Kind::Scalar(scalar) => vec![(&scalar.text, "1")],
    }
}

fn is_open(node: &Node) -> bool {
    node.scalar().is_some_and(|scalar| scalar.plain && files::unclosed(&scalar.text).is_some())
}

/// How many of the scalars behind a value belong to it, because a comma cut it. A value with an open parenthesis or
/// quote goes on until that is closed; else what has blanks can't be a key or a name, so it belongs to what stands before.
fn pieces<'n>(value: &Node, behind: impl Iterator<Item = &'n Node>) -> usize {
    let plain = |node: &'n Node| node.scalar().filter(|scalar| scalar.plain).map(|scalar| scalar.text.as_str());
    let Some(text) = value.scalar().filter(|scalar| scalar.plain && !scalar.text.is_empty()) else { return 0 };
    let behind = behind.map_while(plain);
    let mut open = files::Open::default();
    open.read(&text.text);
    if open.missing().is_none() {
        let number = text.text.ends_with(|c: char| c.is_ascii_digit());
        return behind.take_while(|piece| piece.contains(' ') || (number && comma_in_braces::goes_on(piece))).count();
    }
    for (at, piece) in behind.enumerate() {
        open.read(piece);
        if open.missing().is_none() {
            return at + 1;
        }
    }
    0
}

/// The items of a list that is written as one value: `a, b`. A comma between parentheses separates no items.
fn without_brackets(node: &Node, sources: &Sources) -> Option<Vec<Node>> {
    let text = node.scalar().filter(|scalar| scalar.plain && scalar.text.contains(','))?.text.as_str();
    if sources.text(node.place) != text {
        return None;
    }
    let (mut items, mut open) = (Vec::new(), files::Open::default());
    let (mut start, mut end) = (0, 0);
    for piece in text.split_inclusive(',') {
        open.read(piece);
        end += piece.len();
        if open.missing().is_some() && end < text.len() {
            continue;
        }
        let item = text[start..end].trim_end_matches(',').trim();
        let from = start + text[start..end].find(item).unwrap_or(0);
        start = end;
        let narrow = |at: usize| node.place.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        let place = Place { start: narrow(from), end: narrow(from + item.len()), ..node.place };
        let scalar = Scalar { text: item.to_owned(), plain: true, block: false, folded: false };
        items.push(Node { place, kind: Kind::Scalar(scalar) });
    }
    let is_list = items.len() > 1 && items.iter().all(|item| !item.is_empty());
    is_list.then_some(items)
}

/// `{ returns: a, b }`: the last entry is a name alone, and before it stands a value that a list was meant to be.
fn stray_item(entries: &[Entry]) -> Option<Place> {
    let [.., before, stray] = entries else { return None };
    let stands_alone = stray.value.is_empty() && stray.key.scalar().is_some_and(|key| key.plain);
    let follows_value = !before.value.is_empty() && before.value.scalar().is_some_and(|value| value.plain);
    (stands_alone && follows_value).then(|| before.value.place.to(stray.key.place))
}
