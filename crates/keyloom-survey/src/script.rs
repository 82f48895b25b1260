//! One file of CQL: its statements, what is wrong with it, and what its comments say.

use std::collections::BTreeSet;
use std::sync::Arc;

use keyloom_cql::Span;
use keyloom_cql::ast::{Statement, StatementKind};
use keyloom_cql::parse::parse;
use keyloom_finding::{FileId, Place};

use crate::allowance::{self, Thing};
use crate::template::template;
use crate::written::{self, Piece, Written};
use crate::{Allowance, Open, SurveyFault, SurveyFaultKind, names};

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Its statements, in order.
    pub statements: Vec<Line>,
    /// Text that is no CQL.
    pub faults: Vec<SurveyFault>,
    /// The stretches between statements in which such text stands.
    pub gaps: Vec<Gap>,
    /// What may change the schema besides its statements.
    pub open: Vec<Open>,
    /// What its comments allow.
    pub allows: Vec<Allowance>,
    /// The commands `SOURCE 'file'` of the shell, which name other files in their order.
    pub manifest: Option<String>,
}

/// A stretch of a file that could not be read.
#[derive(Debug)]
pub(crate) struct Gap {
    at: u32,
    /// Its words, in small letters.
    words: BTreeSet<String>,
}

impl Gap {
    fn new(at: usize, text: &str) -> Self {
        let words =
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
        Self { at: Span::new(at..at).start, words: words.map(str::to_lowercase).collect() }
    }

    /// Whether what stands there may be why a later statement of the file does not fit: it names the same thing, or chooses
    /// where all of them go.
    pub(crate) fn may_explain(&self, written: &Written) -> bool {
        let kind = &written.statement.kind;
        let about = names::about(kind).into_iter().any(|name| self.words.contains(&name.to_lowercase()));
        self.at < written.statement.span.start
            && (about || self.words.contains("keyspace") || self.words.contains("use"))
    }
}

/// A statement of a file.
#[derive(Debug)]
pub(crate) struct Line {
    /// The statement.
    pub written: Written,
    /// A comment `-- dynamic` above it says that the program changes it.
    pub dynamic: bool,
}

/// Reads a file of CQL.
pub(crate) fn script(file: FileId, text: &str) -> Script {
    let template = template(text);
    let parsed = parse(&template.text);
    let pieces: Arc<[Piece]> =
        template.runs.iter().map(|run| Piece { text: run.text, file, start: run.start, end: run.end }).collect();
    let place = |at: Span| written::place(&pieces, at).unwrap_or(Place { file, start: 0, end: 0 });
    let mut script = Script::default();
    if let Some(at) = template.conditional {
        let reason = "parts of this file are there on conditions that only its template knows".to_owned();
        script.open.push(Open { place: Place::new(file, at..at + 2), reason, names_only: false });
    }
    for fault in parsed.faults {
        let at = fault.span.start;
        let before = parsed.statements.partition_point(|statement| statement.span.end <= at);
        let start = before.checked_sub(1).map_or(0, |last| parsed.statements[last].span.end as usize);
        let behind = parsed.statements[before..].iter().find(|statement| statement.span.start > at);
        let end = behind.map_or(template.text.len(), |statement| statement.span.start as usize);
        // Several faults may stand in one stretch.
        if script.gaps.last().is_none_or(|gap| gap.at as usize != start) {
            script.gaps.push(Gap::new(start, template.text.get(start..end).unwrap_or("")));
        }
        let message = fault.help.map_or(fault.message.clone(), |help| format!("{}; {help}", fault.message));
        script.faults.push(SurveyFault { kind: SurveyFaultKind::Syntax, place: place(fault.span), message });
    }
    let shared: Arc<str> = template.text.into();
    let mut keyspace = None;
    let mut before = 0;
    let mut marks = Marks::default();
    let hooks_of = |gap: std::ops::Range<usize>| {
        let text = shared.get(gap.clone()).unwrap_or("");
        let open = |(at, name): (usize, &str)| Open {
            place: place(Span::new(gap.start + at..gap.start + at + name.len())),
            reason: format!("`{name}` runs code between the statements"),
            names_only: false,
        };
        hooks(text).map(open).collect::<Vec<_>>()
    };
    for mut statement in parsed.statements {
        let gap = before..(statement.span.start as usize).max(before);
        marks.read(shared.get(gap.clone()).unwrap_or(""));
        script.open.extend(hooks_of(gap));
        before = statement.span.end as usize;
        marks.name_table(&mut statement);
        if let StatementKind::Use(name) = &statement.kind {
            keyspace = (!name.unknown).then(|| name.text.clone());
        }
        if matches!(&statement.kind, StatementKind::Skipped(words) if words.eq_ignore_ascii_case("source")) {
            let command = shared.get(statement.span.bytes()).unwrap_or("");
            *script.manifest.get_or_insert_default() += &format!("{command}\n");
        }
        let whole = place(statement.span);
        let (text, pieces, keyspace) = (Arc::clone(&shared), Arc::clone(&pieces), keyspace.clone());
        let written = Written { statement, text, keyspace, pieces, whole };
        script.statements.push(Line { written, dynamic: std::mem::take(&mut marks.dynamic) });
    }
    script.open.extend(hooks_of(before..shared.len()));
    if allowance::may_allow(text) {
        let things: Vec<Thing> = script.statements.iter().map(|line| thing(&line.written)).collect();
        script.allows = allowances(file, text, &things);
    }
    script
}

/// A statement as something that an allowance may be about.
fn thing(written: &Written) -> Thing {
    let by_line = matches!(written.statement.kind, StatementKind::CreateTable(_) | StatementKind::CreateType(_));
    Thing { bytes: written.whole.bytes(), by_line }
}

/// The allowances of a file, in the form of a survey.
pub(crate) fn allowances(file: FileId, text: &str, things: &[Thing]) -> Vec<Allowance> {
    let survey = |found: allowance::Found| Allowance {
        text: text[found.comment.clone()].to_owned(),
        place: Place::new(file, found.comment),
        about: Place::new(file, found.about),
    };
    allowance::allowances(text, things).into_iter().map(survey).collect()
}

/// Marks of a plain list of statements: `-- table: users` names the table of those below it whose own table is a hole,
/// `-- dynamic` says that the program changes the next one.
#[derive(Debug, Default)]
struct Marks {
    table: Option<String>,
    dynamic: bool,
}

impl Marks {
    fn read(&mut self, gap: &str) {
        for comment in gap.lines().filter_map(|line| line.trim().strip_prefix("--")).map(str::trim) {
            if let Some(table) = comment.strip_prefix("table:") {
                self.table = Some(table.trim().to_ascii_lowercase()).filter(|table| !table.is_empty());
            }
            self.dynamic |= comment == "dynamic" || comment.starts_with("dynamic:");
        }
    }

    fn name_table(&self, statement: &mut Statement) {
        if let (Some(name), Some(table)) = (&self.table, names::table_mut(&mut statement.kind))
            && table.name.unknown
        {
            table.name.text.clone_from(name);
            table.name.unknown = false;
        }
    }
}

/// Comments that run code: `-- CALL backfill_names;`, `-- hook: x`.
fn hooks(gap: &str) -> impl Iterator<Item = (usize, &str)> {
    let comments = gap.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    comments.filter_map(|(start, line)| {
        let words = line.trim_start();
        let at = start + line.len() - words.len();
        let comment = words.strip_prefix("--")?.trim_start();
        let runs = ["CALL ", "call ", "hook:", "callback:", "HOOK:"].iter().any(|word| comment.starts_with(word));
        runs.then(|| (at, words.trim_end()))
    })
}
