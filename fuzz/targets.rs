//! What is fuzzed: plain functions over bytes that return when all is well and panic when a promise is broken.
//!
//! Two harnesses share them: the tests of crate `keyloom`, which mutate a corpus on stable Rust with a seed, and the
//! libFuzzer project in this folder. The promises are the same for all: bad input is normal input, a place lies inside
//! its file and between characters, findings are sorted, and the same bytes give the same answer.

mod layout;

pub use layout::layout;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::LazyLock;

use keyloom::check::{Config, all_rules, review, review_all};
use keyloom::code::{Language, link, may_hold_statements, may_hold_wanted, read as read_program};
use keyloom::cql::Span;
use keyloom::cql::parse::parse;
use keyloom::cql::resolve::{Verdict, resolve};
use keyloom::cql::schema::Schema;
use keyloom::finding::render::{Format, Report, Style, render};
use keyloom::finding::{Finding, Level, Place, Sources, fingerprints};
use keyloom::model::{Date, Engine};
use keyloom::run::{Caller, IdempotencyKey};
use keyloom::store::{Millis, Row};
use keyloom::survey::{Request, Tree, survey};
use keyloom::text::parse::{expr, types, units};
use keyloom::text::{Fault, Files, Reading, Unreadable, format, read};
use keyloom::value::{Kind, Member, Value, Variant, canonical, from_text, json, key, to_text};

/// A target: its name, and the function over bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const ALL: &[Target] = &[
    ("yaml", yaml),
    ("expressions", expressions),
    ("units", units),
    ("types", types),
    ("suppression", suppression),
    ("values", values),
    ("cql", cql),
    ("migrations", migrations),
    ("code", code),
    ("layout", layout),
];

/// Separates the two texts that the target `suppression` takes: `keyloom.toml`, and the catalog.
pub const SEPARATOR: &str = "\n%%%\n";

/// Begins a file in the text that the target `migrations` takes: `%%% name`.
pub const FILE: &str = "%%% ";

/// A file as a catalog: read, reviewed, shown in every form, and printed canonically.
pub fn yaml(bytes: &[u8]) {
    let Ok(text) = Unreadable::text(bytes.to_vec()) else { return };
    let once = examine(&text);
    assert_eq!(once, examine(&text), "the same bytes give the same answer");
    canonical(&text);
}

/// Everything that parses an expression.
pub fn expressions(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    holds(text, expr::expr);
    holds(text, expr::fill);
    holds(text, expr::condition);
    holds(text, expr::order);
    holds(text, expr::by_item);
}

/// Counts, spans, rates, shares and distributions.
pub fn units(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    holds(text, units::count);
    holds(text, units::time_span);
    holds(text, units::rate);
    holds(text, units::share);
    holds(text, units::count_distribution);
    holds(text, units::span_distribution);
}

/// Types and whole fields.
pub fn types(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    holds(text, types::type_alone);
    holds(text, types::field);
}

/// The named cases of the resolver: its schema, and a statement on each line behind what the server says to it.
pub const CASES: &str = include_str!("../crates/keyloom-cql/tests/verdicts/cases.txt");

/// The schema of the named cases, so that a statement alone finds tables to be about.
static KNOWN: LazyLock<Schema> = LazyLock::new(|| {
    let (mut schema, mut keyspace) = (Schema::default(), Some("ks".to_owned()));
    for statement in CASES.lines().filter_map(|line| line.strip_prefix("schema ")).flat_map(|ddl| parse(ddl).statements)
    {
        let applied = schema.apply(&statement, 0, &mut keyspace);
        assert!(applied.is_ok(), "the schema of the cases holds: {applied:?}");
    }
    schema
});

/// Statements: read, applied to a schema, and resolved against what they made of it and against a schema that is there.
pub fn cql(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let script = parse(text);
    assert_eq!(script, parse(text), "the same text gives the same answer");
    let within = |span: Span| assert!(text.get(span.bytes()).is_some(), "{span:?} is not a part of {text:?}");
    for fault in &script.faults {
        assert!(!fault.message.is_empty(), "a fault says what is wrong");
        within(fault.span);
        within(fault.statement);
    }
    let spans = script.statements.iter().map(|statement| statement.span);
    assert!(spans.is_sorted_by(|one, next| one.end <= next.start), "statements come in their order");
    let mut schema = Schema::default();
    let mut keyspace = None;
    for (number, statement) in (0..).zip(&script.statements) {
        within(statement.span);
        if let Err(fault) = schema.apply(statement, number, &mut keyspace) {
            within(fault.at);
        }
    }
    for statement in &script.statements {
        for (schema, keyspace) in [(&schema, keyspace.as_deref()), (&*KNOWN, Some("ks"))] {
            if let Verdict::Illegal(fault) | Verdict::NeedsFiltering(fault) =
                resolve(schema, statement, keyspace).verdict
            {
                within(fault.at);
            }
        }
    }
}

/// A program: its first line is its name, by whose ending its language is known.
pub fn code(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (name, text) = text.split_once('\n').unwrap_or(("program.go", text));
    let language = Language::of(name).unwrap_or(Language::ALL[name.len() % Language::ALL.len()]);
    may_hold_statements(language, text.as_bytes());
    let units = [read_program(language, name, text)];
    assert_eq!(units[0], read_program(language, name, text), "the same text gives the same unit");
    let linked = link(&units);
    assert_eq!(linked, link(&units), "the same units give the same answer");
    may_hold_wanted(language, text.as_bytes(), &linked.wanted);
    let part = |text: &str, at: &std::ops::Range<u32>| text.get(at.start as usize..at.end as usize).map(str::to_owned);
    for snippet in &linked.snippets {
        assert!(part(text, &snippet.at).is_some(), "{:?} is no part of the text", snippet.at);
        for piece in &snippet.pieces {
            let (shown, written) = (part(&snippet.text, &piece.text), part(text, &piece.at));
            assert!(shown.is_some() && written.is_some(), "{piece:?} can't be shown");
            assert!(!piece.verbatim || shown == written, "{shown:?} is not {written:?}");
        }
        assert!(snippet.holes.iter().all(|hole| part(&snippet.text, &hole.text).is_some()), "a hole can't be shown");
        assert!(snippet.sites.iter().all(|site| part(text, &site.at).is_some()), "a site can't be shown");
    }
    for remark in units[0].remarks() {
        assert!(part(text, &remark.at).is_some(), "a remark can't be shown");
    }
    units[0].drivers();
}

/// Values from everywhere they come from: the first byte chooses a kind, the rest is a key, a row, JSON or a text.
pub fn values(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let kinds = kinds();
    let kind = &kinds[usize::from(*first) % kinds.len()];
    if let Ok(value) = canonical::decode(rest, kind) {
        one_form(&value, kind);
    }
    for descending in [false, true] {
        let (part, mut left) = (key::Part { kind: kind.clone(), descending }, rest);
        if let Ok(value) = key::decode_part(&mut left, &part) {
            let mut again = Vec::new();
            // A rank that this kind does not know is read, for it may be newer, but never written.
            if key::encode_part(&value, &part, &mut again).is_ok() {
                assert_eq!(again, rest[..rest.len() - left.len()], "a key has one form");
            }
        }
    }
    let row = Row::new(rest.to_vec().into(), rest.to_vec().into());
    for group in 0..4 {
        let _ = row.section(group).and_then(|section| section.cell(usize::from(*first)).map(drop));
    }
    let _ = row.as_of(Millis(0));
    if let Ok(json) = json::parse(rest)
        && let Ok(value) = json::from_json(&json, kind)
    {
        one_form(&value, kind);
        let printed = json::to_json(&value, kind).expect("what was read can be printed");
        assert_eq!(json::from_json(&printed, kind).as_ref(), Ok(&value), "JSON gives the same value back");
    }
    if let Ok(text) = str::from_utf8(rest) {
        if let Ok(value) = from_text(text, kind) {
            let printed = to_text(&value, kind).expect("what was read can be printed");
            assert_eq!(from_text(&printed, kind).as_ref(), Ok(&value), "a text gives the same value back");
        }
        let _ = IdempotencyKey::read(text, Caller::NOBODY, 1_794_735_000_000, 86_400_000);
    }
}

/// Whatever form a value had, its canonical bytes are one, and give it back.
fn one_form(value: &Value<'_>, kind: &Kind) {
    let mut bytes = Vec::new();
    if canonical::encode(value, kind, &mut bytes).is_err() {
        return;
    }
    let back = canonical::decode(&bytes, kind).expect("canonical bytes can be read");
    let mut again = Vec::new();
    canonical::encode(&back, kind, &mut again).expect("what was read can be written");
    assert_eq!(bytes, again, "there is one canonical form");
}

fn kinds() -> Vec<Kind> {
    let variants = [("LOW", 10), ("HIGH", 20)].map(|(name, rank)| Variant { name: name.into(), rank });
    let member = |name: &str, kind, optional| Member { name: name.into(), kind, optional };
    let line = Kind::Struct(vec![member("sku", Kind::Text, false), member("qty", Kind::Int, true)]);
    vec![
        Kind::Bool,
        Kind::Int,
        Kind::Float,
        Kind::Decimal { scale: 2 },
        Kind::Text,
        Kind::Bytes,
        Kind::Json,
        Kind::Uuid,
        Kind::Uuid7,
        Kind::Date,
        Kind::Timestamp { micros: false },
        Kind::Timestamp { micros: true },
        Kind::Duration,
        Kind::Ip,
        Kind::Enum(variants.into()),
        Kind::List(Box::new(line.clone())),
        Kind::Set(Box::new(Kind::Text)),
        Kind::Map(Box::new(Kind::Text), Box::new(Kind::Int)),
        line,
        Kind::OneOf(vec![Kind::Int, Kind::Text]),
    ]
}

/// The settings of a repository, and a catalog with allowances of its own.
pub fn suppression(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (settings, catalog) = text.split_once(SEPARATOR).unwrap_or((text, ALLOWING));
    let mut sources = Sources::default();
    let file = sources.add("keyloom.toml", settings);
    let (config, faults) = Config::read(&sources, file);
    for fault in &faults {
        inside(fault, &sources);
    }
    let reading = read("catalog.yaml", &Memory(catalog), &mut sources);
    let readings = [reading];
    let kept = review(&readings, &sources, &config, TODAY);
    in_order(&kept, &sources);
    // An allowance takes findings away; all it can add is a word about itself, and what can't be read stays said.
    let all = review(&readings, &sources, &Config::default(), TODAY);
    let words = |findings: &[Finding]| -> BTreeSet<(Option<Place>, &'static str, String)> {
        findings.iter().map(|finding| (finding.place, finding.rule.name, finding.message.clone())).collect()
    };
    let (kept, all) = (words(&kept), words(&all));
    let made = kept.difference(&all).find(|(_, rule, _)| *rule != "unused-allow");
    assert!(made.is_none(), "an allowance made a finding: {made:?}");
    let hidden = all.difference(&kept).find(|(_, rule, _)| *rule == "not-yaml");
    assert!(hidden.is_none(), "an allowance hid what can't be read: {hidden:?}");
}

/// A repository: names and texts of files, surveyed, reviewed and shown.
pub fn migrations(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let repository = Repository::new(text);
    let answer = || {
        let mut sources = Sources::default();
        let surveys = survey(&repository, &Request::default(), &mut sources);
        for (file, name) in sources.files().map(|(file, source)| (file, source.name().to_owned())).collect::<Vec<_>>() {
            sources.fill(file, repository.0.get(&name).cloned().unwrap_or_default());
        }
        for survey in &surveys {
            let written = survey.steps.iter().chain(survey.uses.iter().map(|of| &of.written));
            let places = written.map(|written| written.place(written.statement.span));
            let places = places.chain(survey.faults.iter().map(|fault| fault.place));
            let places = places.chain(survey.open.iter().map(|open| open.place));
            let places = places.chain(survey.allows.iter().flat_map(|allow| [allow.place, allow.about]));
            for place in places.chain(survey.coverage.unread.iter().map(|(place, _)| *place)) {
                let text = sources.file(place.file).text();
                assert!(
                    text.get(place.bytes()).is_some(),
                    "{place:?} is not a part of {}",
                    sources.file(place.file).name()
                );
            }
        }
        let findings = review_all(&[], &[], &surveys, &sources, &Config::default(), TODAY);
        in_order(&findings, &sources);
        let report =
            Report { findings: &findings, sources: &sources, rules: &[], version: "0", today: None, survey: None };
        let shown = render(&report, Format::Text, Style { color: false, width: 80 });
        let tables = surveys.iter().map(|survey| format!("{:?}{:?}", survey.schema, survey.coverage));
        shown + &tables.collect::<String>() + &fingerprints(&findings, &sources).join(" ")
    };
    assert_eq!(answer(), answer(), "the same files give the same answer");
}

/// Files that are written one after the other in one text.
struct Repository(BTreeMap<String, String>);

impl Repository {
    fn new(text: &str) -> Self {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut name = "schema.cql".to_owned();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix(FILE) {
                Some(next) => name = next.trim().to_owned(),
                None => files.entry(name.clone()).or_default().push_str(line),
            }
        }
        Self(files)
    }
}

impl Tree for Repository {
    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn open(&self, name: &str) -> Result<String, String> {
        self.0.get(name).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

const TODAY: Date = Date { year: 2026, month: 11, day: 15 };

/// A catalog with allowances in all places: one used, one unused, one expired, one for a rule that there is not.
const ALLOWING: &str = "\
language: 1
catalog: notes
allow: [{ rule: missing-growth, because: a pilot }, { rule: no-such-rule, because: a slip }]
entities:
  Note:
    key: [note_id]
    fields: { note_id: uuid = new, body: text(20..4KB) }
    allow: [{ rule: oversized-item, because: a slip, until: 2020-01-01 }]
patterns:
  get_note: { get: Note, by: [note_id], allow: [{ rule: missing-rate, because: a pilot, until: 2027-01-01 }] }
  write_note: { put: Note, by: [note_id], takes: [body], rate: rare }
";

/// One file, one file that it may include, and nothing else. Including itself is a circle.
struct Memory<'a>(&'a str);

impl Files for Memory<'_> {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        match name {
            "catalog.yaml" => Ok(self.0.to_owned()),
            "part.yaml" => Ok("include: catalog.yaml\nentities:\n  Part: { key: none, fields: { a: int } }\n".into()),
            _ => Err(Unreadable::Missing),
        }
    }
}

fn read_one(text: &str) -> (Reading, Sources) {
    let mut sources = Sources::default();
    let reading = read("catalog.yaml", &Memory(text), &mut sources);
    (reading, sources)
}

/// Reads, reviews and shows a catalog; the answer in all forms.
fn examine(text: &str) -> String {
    let (reading, sources) = read_one(text);
    let catalog = &reading.catalog;
    let mut shown = keyloom::show::text(catalog, None);
    for engine in [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb] {
        let Some(abilities) = keyloom::serve::abilities(engine) else { continue };
        let layout = keyloom::design::design(catalog, engine, &abilities);
        let program = keyloom::plan::Program::compile(catalog, &layout, &abilities);
        shown.push_str(&keyloom::show::plan(&program, None));
        shown.push_str(&keyloom::show::json(catalog, None, Some(&program)));
    }
    let findings = review(&[reading], &sources, &Config::default(), TODAY);
    in_order(&findings, &sources);
    // The form for code scanning lists every rule with its page; one is enough to see that it can.
    let rules = &all_rules()[..1];
    let today = TODAY.to_string();
    let report =
        Report { findings: &findings, sources: &sources, rules, version: "0", today: Some(&today), survey: None };
    for format in Format::ALL {
        let color = format == Format::Text && text.len() % 2 == 1;
        shown.push_str(&render(&report, format, Style { color, width: 40 + text.len() % 80 }));
    }
    shown
}

/// Prints a file canonically: it says the same as before, and printing it again changes nothing.
fn canonical(text: &str) {
    let print = |text: &str| {
        let mut sources = Sources::default();
        let file = sources.add("catalog.yaml", text);
        format(&sources, file)
    };
    let Ok(once) = print(text) else { return };
    match print(&once) {
        Ok(twice) => assert_eq!(once, twice, "printing again changes nothing"),
        Err(findings) => panic!("what was printed can't be read: {findings:?}\n{once}"),
    }
    let (before, sources) = read_one(text);
    // A tree that is no catalog may say two things at once, and which of them is taken depends on the order.
    if before.findings.iter().all(|finding| finding.level < Level::Error) {
        let (after, new_sources) = read_one(&once);
        assert_eq!(before.catalog, after.catalog, "printing keeps the meaning");
        assert_eq!(said(&before, &sources), said(&after, &new_sources), "printing keeps the findings");
    }
}

/// The findings without their places, which printing moves.
fn said(reading: &Reading, sources: &Sources) -> Vec<(&'static str, String)> {
    in_bounds(&reading.findings, sources);
    let mut said: Vec<_> =
        reading.findings.iter().map(|finding| (finding.rule.name, finding.message.clone())).collect();
    said.sort();
    said
}

/// A small parser answers with a value or with a fault whose range can be shown, the same each time.
fn holds<T: Debug>(text: &str, parser: impl Fn(&str) -> Result<T, Fault>) {
    let answer = parser(text);
    if let Err(fault) = &answer {
        assert!(!fault.message.is_empty(), "a fault says what is wrong");
        assert!(text.get(fault.range.clone()).is_some(), "{:?} is not a part of {text:?}: {fault:?}", fault.range);
    }
    assert_eq!(format!("{answer:?}"), format!("{:?}", parser(text)), "the same text gives the same answer");
}

fn in_order(findings: &[Finding], sources: &Sources) {
    in_bounds(findings, sources);
    let position = |finding: &Finding| {
        let place = finding.place.map(|place| (sources.file(place.file).name().to_owned(), place.start, place.end));
        (place, finding.rule.name, finding.message.clone())
    };
    assert!(findings.is_sorted_by_key(position), "findings come in their one order");
}

fn in_bounds(findings: &[Finding], sources: &Sources) {
    for finding in findings {
        inside(finding, sources);
    }
}

fn inside(finding: &Finding, sources: &Sources) {
    let places = finding.place.into_iter().chain(finding.related.iter().map(|(place, _)| *place));
    for Place { file, start, end } in places {
        let text = sources.file(file).text();
        assert!(
            text.get(start as usize..end as usize).is_some(),
            "{start}..{end} is not a part of the file: {finding:?}"
        );
    }
}
