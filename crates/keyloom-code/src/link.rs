//! Puts units together: looks up names, folds values into texts, and keeps what is a statement.

mod names;
mod variants;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::Language;
use crate::draft::Draft;
use crate::snippet::{Argument, Bound, Origin, Site, Snippet};
use crate::template::{Open, open_places};
use crate::unit::{Seed, Sent, Unit};
use crate::value::{Kind, Shared, Text};
use crate::words::{foreign, is_statement};
use names::Names;

/// Units put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The statements, in the order of the units and of their text.
    pub snippets: Vec<Snippet>,
    /// Names for whose sake further files are worth reading; see [`may_hold_wanted`].
    pub wanted: Vec<Wanted>,
    /// What each unit takes out of rows.
    pub taken: Vec<Taken>,
}

/// The names by which a unit takes values out of rows, or out of anything that is asked in the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The names that are known, each once and in their order.
    pub names: Vec<String>,
    /// There are more, which only the running program knows.
    pub more: bool,
}

/// A name for whose sake further files are worth reading.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wanted {
    /// The language it is asked in.
    pub language: Language,
    /// The class, module or package that it is asked of, where it is written.
    pub container: Option<String>,
    /// The name.
    pub name: String,
    /// What such a file would tell.
    pub purpose: Purpose,
}

/// What a further file would tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// The name's value: it is a hole in a statement.
    Declaration,
    /// Where a statement of that name is sent: nobody was seen to.
    Use,
}

/// Whether a text could declare or use one of the names: it has the name as a word, with an equals sign behind it where the
/// declaration is wanted.
pub fn may_hold_wanted(language: Language, text: &[u8], wanted: &[Wanted]) -> bool {
    let fits = wanted.iter().filter(|wanted| family(wanted.language) == family(language));
    let names: HashMap<&[u8], Purpose> = fits.map(|wanted| (wanted.name.as_bytes(), wanted.purpose)).collect();
    if names.is_empty() {
        return false;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|byte| is_part(**byte)).count();
        let purpose = if length > 0 { names.get(&text[at..at + length]) } else { None };
        if purpose.is_some_and(|purpose| *purpose == Purpose::Use || is_declared(&text[at + length..])) {
            return true;
        }
        at += length.max(1);
    }
    false
}

/// Whether what follows a name gives it a value.
fn is_declared(rest: &[u8]) -> bool {
    let stops = |byte: &u8| matches!(byte, b'=' | b';' | b'(' | b')' | b'"' | b'\'' | b'\n' | b'{' | b',');
    rest.iter().take(80).copied().find(stops) == Some(b'=')
}

/// Languages whose programs see each other's constants.
fn family(language: Language) -> u8 {
    match language {
        Language::Java | Language::Kotlin | Language::Scala => 1,
        Language::TypeScript | Language::Tsx | Language::JavaScript => 2,
        Language::Go => 3,
        Language::Python => 4,
        Language::Rust => 5,
        Language::CSharp => 6,
        Language::Haskell => 7,
        Language::Ruby => 8,
        Language::Php => 9,
    }
}

/// Puts units together.
pub fn link(units: &[Unit]) -> Linked {
    let mut linker = Linker {
        units,
        names: Names::of(units),
        wanted: BTreeSet::new(),
        missing: Vec::new(),
        following: Vec::new(),
        budget: 0,
        snippets: BTreeMap::new(),
        covered: BTreeSet::new(),
        widest: widest(units),
        declared: declared(units),
    };
    for (unit, found) in units.iter().enumerate() {
        for sent in &found.sent {
            linker.sent(unit, sent);
        }
    }
    for (unit, found) in units.iter().enumerate() {
        for declaration in found.declarations.iter().filter(|declaration| begins_elsewhere(&declaration.value)) {
            for draft in linker.drafts(unit, &declaration.value) {
                linker.keep(draft, None, None);
            }
        }
    }
    for (unit, found) in units.iter().enumerate() {
        let mut seeds: Vec<&Seed> = found.seeds.iter().collect();
        // A text that holds another comes first: the other is a part of it.
        seeds.sort_by_key(|seed| std::cmp::Reverse(seed.at.end - seed.at.start));
        for seed in seeds {
            linker.seed(unit, seed);
        }
    }
    let taken = (0..units.len()).map(|unit| linker.taken(unit)).collect();
    let mut snippets: Vec<Snippet> = linker.snippets.into_values().collect();
    snippets.sort_by(|a, b| (a.unit, a.at.start, a.at.end, &a.text).cmp(&(b.unit, b.at.start, b.at.end, &b.text)));
    let mut wanted = linker.wanted;
    let unused = snippets.iter().filter(|snippet| snippet.sites.is_empty());
    for (snippet, name) in unused.flat_map(|snippet| snippet.names.iter().map(move |name| (snippet, name))) {
        // Short names are everywhere.
        if name.len() >= 8 {
            let language = units[snippet.unit].language;
            let container = snippet.container.clone();
            wanted.insert(Wanted { language, container, name: name.clone(), purpose: Purpose::Use });
        }
    }
    Linked { snippets, wanted: wanted.into_iter().collect(), taken }
}

/// Where a text begins: the unit and the byte.
type Start = (usize, u32);

struct Linker<'u> {
    units: &'u [Unit],
    names: Names<'u>,
    wanted: BTreeSet<Wanted>,
    /// Names that were not found in the text at hand.
    missing: Vec<Wanted>,
    /// The declarations that are being looked into.
    following: Vec<(usize, usize)>,
    /// How many more nodes may be looked at for the statement at hand.
    budget: u32,
    snippets: BTreeMap<(Start, String), Snippet>,
    covered: BTreeSet<Start>,
    widest: HashMap<Start, &'u Seed>,
    declared: HashMap<Start, Vec<&'u str>>,
}

/// The largest expression that begins with the text at a place.
fn widest(units: &[Unit]) -> HashMap<Start, &Seed> {
    let mut widest: HashMap<Start, &Seed> = HashMap::new();
    for (unit, found) in units.iter().enumerate() {
        for seed in &found.seeds {
            if let Some(start) = start_of(&seed.value) {
                let best = widest.entry((unit, start)).or_insert(seed);
                if seed.at.end - seed.at.start > best.at.end - best.at.start {
                    *best = seed;
                }
            }
        }
    }
    widest
}

fn declared(units: &[Unit]) -> HashMap<Start, Vec<&str>> {
    let mut declared: HashMap<Start, Vec<&str>> = HashMap::new();
    for (unit, found) in units.iter().enumerate() {
        for declaration in &found.declarations {
            if let Some(start) = start_of(&declaration.value) {
                let names = declared.entry((unit, start)).or_default();
                if !names.contains(&declaration.name.as_str()) {
                    names.push(&declaration.name);
                }
            }
        }
    }
    declared
}

fn start_of(value: &Shared) -> Option<u32> {
    first_part(value).map(|part| part.start)
}

/// The bytes that make the first part of a text.
fn first_part(value: &Shared) -> Option<Range<u32>> {
    match &value.kind {
        Kind::Built(built) => built.start().map(|start| start..start + 1),
        Kind::Either(choice) if matches!(choice.values().next()?.kind, Kind::Built(_)) => {
            first_part(choice.values().next()?)
        }
        Kind::Repeated(inner) if matches!(inner.kind, Kind::Built(_)) => first_part(inner),
        Kind::Derived { at, .. } => Some(at.start..at.start + 1),
        _ => value.first_text()?.parts.first().map(|part| part.at.clone()),
    }
}

/// The same text with its open places as holes and markers.
fn with_open_places(draft: Draft, unit: usize, python: bool) -> Draft {
    let mut parts = Vec::new();
    for (range, open) in open_places(&draft.text, python) {
        let place = draft.slice(range.clone()).pieces.first().map(|piece| (piece.unit, piece.at.clone()));
        let (unit, at) = place.unwrap_or((unit, 0..0));
        let part = match open {
            Open::Hole(name) => Draft::hole(&name, unit, at, Vec::new()),
            Open::Marker(marker) => {
                let mut text = Text::default();
                text.push(&marker, at, false);
                Draft::of(&text, unit)
            }
        };
        parts.push((range, part));
    }
    if parts.is_empty() { draft } else { draft.replaced(&parts) }
}

/// Whether a text is put together from a constant that stands elsewhere and more: with it, it may be a statement.
fn begins_elsewhere(value: &Shared) -> bool {
    match &value.kind {
        Kind::Join(parts) => parts.len() > 1 && matches!(parts[0].kind, Kind::Name(_)),
        Kind::Format { template, .. } => matches!(template.kind, Kind::Name(_)) || begins_elsewhere(template),
        Kind::Either(choice) => choice.values().any(begins_elsewhere),
        Kind::Rewritten(value) | Kind::Repeated(value) => begins_elsewhere(value),
        _ => false,
    }
}

impl Linker<'_> {
    fn sent(&mut self, unit: usize, sent: &Sent) {
        for draft in self.drafts(unit, &sent.value) {
            let site = self.site(unit, sent);
            self.keep(draft, Some(site), None);
        }
    }

    fn seed(&mut self, unit: usize, seed: &Seed) {
        // A text is taken already when a statement begins in its first part, indentation aside.
        let first = first_part(&seed.value);
        if first.is_some_and(|part| self.covered.range((unit, part.start)..(unit, part.end)).next().is_some()) {
            return;
        }
        for draft in self.drafts(unit, &seed.value) {
            self.keep(draft, None, Some(seed));
        }
    }

    /// The texts that a value may be, those that are statements, with open places named.
    fn drafts(&mut self, unit: usize, value: &Shared) -> Vec<Draft> {
        self.budget = 5_000;
        self.missing.clear();
        let python = self.units[unit].language == Language::Python;
        let mut drafts: Vec<Draft> =
            self.variants(unit, value).into_iter().map(|draft| with_open_places(draft, unit, python)).collect();
        drafts.retain(|draft| is_statement(&draft.text));
        // Names are wanted for the sake of statements, not of other texts.
        if drafts.iter().any(|draft| !draft.holes.is_empty()) {
            self.wanted.extend(self.missing.drain(..));
        }
        drafts
    }

    fn keep(&mut self, draft: Draft, site: Option<Site>, seed: Option<&Seed>) {
        let Some(first) = draft.pieces.first() else { return };
        let start = (first.unit, first.at.start);
        self.covered.extend(draft.pieces.iter().map(|piece| (piece.unit, piece.at.start)));
        let origin = draft.origin.unwrap_or(Origin::Literal);
        let combined = draft.is_mixed();
        let seed = self.widest.get(&start).copied().or(seed);
        let unit = first.unit;
        let at = seed.map_or(first.at.clone(), |seed| seed.at.clone());
        let names = self.declared.get(&start).map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let units = self.units;
        let snippet = self.snippets.entry((start, draft.text.clone())).or_insert_with(|| Snippet {
            unit,
            at,
            foreign: foreign(&draft.text),
            text: draft.text,
            pieces: draft.pieces,
            holes: draft.holes,
            from: origin,
            rewritten: draft.rewritten,
            dynamic: draft.dynamic,
            combined,
            names: names.unwrap_or_default(),
            function: seed.and_then(|seed| seed.function.clone()),
            container: seed.and_then(|seed| seed.container.clone()),
            test_code: is_test(&units[unit], seed.and_then(|seed| seed.container.as_deref())),
            sites: Vec::new(),
        });
        snippet.dynamic &= draft.dynamic;
        snippet.combined &= combined;
        snippet.rewritten |= draft.rewritten;
        if let Some(site) = site
            && !snippet.sites.contains(&site)
        {
            snippet.sites.push(site);
        }
    }

    fn site(&mut self, unit: usize, sent: &Sent) -> Site {
        let arguments = sent
            .arguments
            .iter()
            .map(|(marker, text, value)| Argument {
                marker: marker.clone(),
                text: text.clone(),
                value: self.bound(unit, value),
            })
            .collect();
        Site {
            unit,
            at: sent.at.clone(),
            calls: sent.calls.clone(),
            function: sent.function.clone(),
            container: sent.container.clone(),
            test_code: is_test(&self.units[unit], sent.container.as_deref()),
            in_loop: sent.in_loop,
            batch: sent.batch.clone(),
            arguments,
            page_size: sent.page_size.clone(),
            consistency: sent.consistency.clone(),
            idempotent: sent.idempotent,
            timestamp: sent.timestamp.clone(),
            consumed: sent.consumed,
        }
    }

    fn taken(&mut self, unit: usize) -> Taken {
        let (mut names, mut more) = (BTreeSet::new(), false);
        let units = self.units;
        for key in &units[unit].taken {
            match self.bound(unit, key) {
                Bound::Constant(name) => drop(names.insert(name)),
                Bound::Unknown | Bound::Null | Bound::Unset => more = true,
            }
        }
        Taken { names: names.into_iter().collect(), more }
    }

    fn bound(&mut self, unit: usize, value: &Shared) -> Bound {
        match &value.kind {
            Kind::Null => Bound::Null,
            Kind::Unset => Bound::Unset,
            Kind::Plain(text) => Bound::Constant(text.clone()),
            Kind::Unknown(_) => Bound::Unknown,
            Kind::Name(name)
                if matches!(name.path.last().map(String::as_str), Some("UNSET_VALUE" | "UnsetValue" | "unset")) =>
            {
                Bound::Unset
            }
            _ => {
                self.budget = 200;
                let mut drafts = self.variants(unit, value);
                match drafts.pop() {
                    Some(draft) if drafts.is_empty() && draft.holes.is_empty() && !draft.dynamic => {
                        Bound::Constant(draft.text)
                    }
                    _ => Bound::Unknown,
                }
            }
        }
    }
}

/// Whether a unit or a container of it is a test, by their names.
fn is_test(unit: &Unit, container: Option<&str>) -> bool {
    let name = unit.name.to_lowercase();
    let mut parts = name.rsplit('/');
    let file = parts.next().unwrap_or("");
    let stem = file.split('.').next().unwrap_or(file);
    let folders =
        ["test", "tests", "testing", "__tests__", "spec", "it", "e2e", "testdata", "integrationtest", "testutils"];
    parts.any(|part| {
        folders.contains(&part) || part.ends_with("-test") || part.ends_with("-tests") || part.ends_with("_test")
    }) || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "conftest"
        || file.contains(".spec.")
        || file.contains(".test.")
        || [Some(unit.name.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or("")), container]
            .into_iter()
            .flatten()
            .any(|name| {
                ["Test", "Tests", "Spec", "IT", "TestCase", "TestBase", "tests"].iter().any(|end| name.ends_with(end))
            })
}
