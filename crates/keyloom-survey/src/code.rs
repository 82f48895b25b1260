//! Statements of programs: which files are read, and what becomes of the texts that are found in them.

use keyloom_code::{
    Drivers, Language, Site, Snippet, Taken, Unit, Unread, link, may_hold_statements, may_hold_wanted, read,
};
use keyloom_cql::Span;
use keyloom_cql::parse::parse;
use keyloom_finding::{FileId, Place};

use crate::allowance;
use crate::dialect::{self, Dialect};
use crate::parallel;
use crate::tree::Tree;
use crate::users::Users;
use crate::written::{self, Piece, Written};
use crate::{Allowance, Role, SurveyFault, SurveyFaultKind, path, sites};

/// A program, while its statements are looked for.
#[derive(Debug)]
pub(crate) struct Program {
    pub name: String,
    pub file: FileId,
    pub language: Language,
}

/// What all programs of a repository say.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The texts that were found, in the order of files and of their text.
    pub found: Vec<Found>,
    /// What comments allow.
    pub allows: Vec<Allowance>,
    /// Files that could not be read, and why.
    pub unread: Vec<(Place, String)>,
    /// Statements that a driver of Cassandra is sent and that are no CQL.
    pub faults: Vec<SurveyFault>,
    /// Texts that are no statements of CQL, though they look like statements.
    pub other_dialects: usize,
    /// How many files held statements.
    pub files_with_statements: usize,
}

/// The statements of one text.
#[derive(Debug)]
pub(crate) struct Found {
    pub name: String,
    pub file: FileId,
    pub statements: Vec<Written>,
    pub role: Role,
    pub site: Site,
    pub sites: Vec<(Place, Site)>,
    pub dynamic: bool,
    /// It is one of several combinations of optional parts.
    pub combined: bool,
    pub taken: Taken,
    /// How sure it is that this is CQL.
    pub dialect: Dialect,
}

/// Rounds in which files are read because another file names something in them.
const ROUNDS_MAX: usize = 3;

/// Larger files are read one at a time, by one thread. A syntax tree has many times the bytes of its file, and the memory
/// that is needed, or kept for a thread that needed it once, is to be bounded by the largest file and not by the cores.
const ALONE_BYTES: usize = 256 << 10;

/// Reads the statements of all programs: first the files that may hold statements, then those that declare what these use.
pub(crate) fn code(tree: &dyn Tree, programs: &[Program]) -> Code {
    let mut code = Code::default();
    let mut units = Units::default();
    let mut waiting: Vec<usize> = (0..programs.len()).collect();
    let first = |language: Language, text: &str| may_hold_statements(language, text.as_bytes());
    code.read(tree, programs, &mut waiting, &mut units, true, &first);
    let mut linked = link(&units.units);
    for _ in 0..ROUNDS_MAX {
        let (before, wanted) = (units.units.len(), linked.wanted);
        if wanted.is_empty() || waiting.is_empty() {
            break;
        }
        let more = |language: Language, text: &str| may_hold_wanted(language, text.as_bytes(), &wanted);
        code.read(tree, programs, &mut waiting, &mut units, false, &more);
        if units.units.len() == before {
            break;
        }
        linked = link(&units.units);
    }
    let users = Users::of(tree, programs, &linked.snippets);
    code.take(programs, &units, linked.snippets, &linked.taken, &users);
    code
}

/// Units in the order of their files, so that the answer does not depend on when they were read.
#[derive(Debug, Default)]
struct Units {
    units: Vec<Unit>,
    /// The program of each.
    programs: Vec<usize>,
}

impl Units {
    fn add(&mut self, more: Vec<(usize, Unit)>) {
        let known = std::mem::take(&mut self.programs).into_iter().zip(std::mem::take(&mut self.units));
        let mut all: Vec<(usize, Unit)> = known.chain(more).collect();
        all.sort_by_key(|(program, _)| *program);
        (self.programs, self.units) = all.into_iter().unzip();
    }
}

/// What one file gives.
struct FileRead {
    /// Boxed, since most files give none.
    unit: Option<Box<Unit>>,
    allows: Vec<Allowance>,
    fault: Option<String>,
}

impl Code {
    /// Reads those of the waiting files that pass a test; the others go on waiting.
    fn read(
        &mut self,
        tree: &dyn Tree,
        programs: &[Program],
        waiting: &mut Vec<usize>,
        units: &mut Units,
        first_time: bool,
        test: &(dyn Fn(Language, &str) -> bool + Sync),
    ) {
        let answers = parallel::map(waiting, |at| one_file(tree, &programs[*at], test, ALONE_BYTES));
        let (mut still, mut new) = (Vec::new(), Vec::new());
        for (at, answer) in std::mem::take(waiting).into_iter().zip(answers) {
            let alone = || one_file(tree, &programs[at], test, usize::MAX);
            let Some(answer) = answer.or_else(alone) else { continue };
            let place = Place::new(programs[at].file, 0..0);
            let is_read = answer.unit.is_some();
            if let Some(unit) = answer.unit {
                // What a test asks is no statement that anybody misses.
                let why = unit.unread().filter(|_| !path::is_test(&programs[at].name));
                self.unread.extend(why.map(|why| (place, words(why).to_owned())));
                new.push((at, *unit));
            }
            match answer.fault {
                Some(fault) if first_time => self.unread.push((place, fault)),
                Some(_) => {}
                None if !is_read => still.push(at),
                None => {}
            }
            // A comment in a file that is read later was seen the first time already.
            if is_read && !first_time {
                self.allows.retain(|allow| allow.place.file != place.file);
            }
            if is_read || first_time {
                self.allows.extend(answer.allows);
            }
        }
        units.add(new);
        *waiting = still;
    }

    /// Parses the texts that were found.
    fn take(&mut self, programs: &[Program], units: &Units, snippets: Vec<Snippet>, taken: &[Taken], users: &Users) {
        let program = |unit: usize| &programs[units.programs[unit]];
        let parsed = parallel::map(&snippets, |snippet| parse(&snippet.text));
        let drivers: Vec<Drivers> = units.units.iter().map(Unit::drivers).collect();
        let mut by_unit: Vec<Vec<&Snippet>> = vec![Vec::new(); units.units.len()];
        snippets.iter().for_each(|snippet| by_unit[snippet.unit].push(snippet));
        let dialects: Vec<Option<Dialect>> = by_unit
            .iter()
            .enumerate()
            .map(|(unit, snippets)| dialect::of_file(&program(unit).name, &drivers[unit], snippets))
            .collect();
        let has_other = dialects.contains(&Some(Dialect::Other));
        let mut files = std::collections::BTreeSet::new();
        for (snippet, script) in snippets.into_iter().zip(parsed) {
            let Program { name, file, .. } = program(snippet.unit);
            let unit = snippet.unit;
            let dialect = dialect::of_snippet(&snippet, dialects[unit], &drivers[unit], has_other);
            let place = whole(&snippet, |unit| program(unit).file);
            if dialect == Dialect::Other || (!script.faults.is_empty() && dialect != Dialect::Cql) {
                self.other_dialects += 1;
                continue;
            }
            let by_users = users.role(&snippet, units.programs[unit], programs);
            let role = match role(&snippet, name, |unit| &program(unit).name) {
                Role::Service => by_users.unwrap_or(Role::Service),
                role => role,
            };
            // What a test compares with, or garbles on purpose, is no statement that anybody misses.
            let fault = script.faults.first().filter(|_| role != Role::Test);
            if fault.is_none() && script.statements.is_empty() {
                continue;
            }
            let piece = |piece: &keyloom_code::Piece| Piece {
                text: Span { start: piece.text.start, end: piece.text.end },
                file: program(piece.unit).file,
                start: piece.at.start,
                end: piece.at.end,
            };
            let place_of =
                |site: &Site| Place { file: program(site.unit).file, start: site.at.start, end: site.at.end };
            let pieces: std::sync::Arc<[Piece]> = snippet.pieces.iter().map(piece).collect();
            if let Some(fault) = fault {
                self.unread.push((place, fault.message.clone()));
                // A text that only ends too early is the beginning of another one.
                let is_whole = (fault.span.start as usize) < snippet.text.trim_end().len();
                if is_whole && is_sent_as_it_is(&snippet, &drivers) {
                    let place = written::place(&pieces, fault.span).unwrap_or(place);
                    let kind = SurveyFaultKind::SyntaxInProgram;
                    self.faults.push(SurveyFault { kind, place, message: fault.message.clone() });
                }
            }
            if script.statements.is_empty() {
                continue;
            }
            files.insert(*file);
            let text: std::sync::Arc<str> = snippet.text.as_str().into();
            let written = |statement| Written {
                statement,
                text: text.clone(),
                keyspace: None,
                pieces: pieces.clone(),
                whole: place,
            };
            self.found.push(Found {
                name: name.clone(),
                file: *file,
                statements: script.statements.into_iter().map(written).collect(),
                role,
                dynamic: snippet.dynamic || snippet.rewritten,
                combined: snippet.combined,
                taken: sites::taken(&snippet, taken),
                sites: snippet.sites.iter().map(|site| (place_of(site), site.clone())).collect(),
                site: sites::agreed(snippet),
                dialect,
            });
        }
        self.files_with_statements = files.len();
    }
}

/// Reads a file if it passes the test; `None` if it passes and has too many bytes.
fn one_file(
    tree: &dyn Tree,
    program: &Program,
    test: &(dyn Fn(Language, &str) -> bool + Sync),
    bytes_max: usize,
) -> Option<FileRead> {
    let text = match tree.open(&program.name) {
        Ok(text) => text,
        Err(fault) => return Some(FileRead { unit: None, allows: Vec::new(), fault: Some(fault) }),
    };
    let passes = test(program.language, &text);
    if passes && text.len() > bytes_max {
        return None;
    }
    let unit = passes.then(|| Box::new(read(program.language, &program.name, &text)));
    let allows = if allowance::may_allow(&text) { allows(program.file, &text, unit.as_deref()) } else { Vec::new() };
    Some(FileRead { unit, allows, fault: None })
}

/// What the comments of a file allow: the statement, declaration or call behind each, or the whole file.
fn allows(file: FileId, text: &str, unit: Option<&Unit>) -> Vec<Allowance> {
    let found = crate::script::allowances(file, text, &[]);
    let remarks = unit.map_or(&[][..], Unit::remarks);
    let about = |allow: Allowance| {
        let remark =
            remarks.iter().find(|remark| remark.at.start <= allow.place.start && allow.place.end <= remark.at.end);
        let is_whole_file = allow.about.start == 0 && allow.about.end as usize == text.len();
        match remark.and_then(|remark| remark.covers.clone()).filter(|_| !is_whole_file) {
            Some(covers) => Allowance { about: Place { file, start: covers.start, end: covers.end }, ..allow },
            None => allow,
        }
    };
    found.into_iter().map(about).collect()
}

fn words(unread: Unread) -> &'static str {
    match unread {
        Unread::TooLarge => "the file is too large",
        Unread::TooDeep => "the program nests too deeply",
        Unread::TooHard => "the program could not be parsed to its end",
    }
}

/// Whether a driver of Cassandra gets the text word for word.
fn is_sent_as_it_is(snippet: &Snippet, drivers: &[Drivers]) -> bool {
    let is_known = snippet.holes.is_empty()
        && !snippet.dynamic
        && !snippet.combined
        && !snippet.rewritten
        && snippet.foreign.is_empty();
    is_known && snippet.sites.iter().any(|site| !drivers[site.unit].cassandra.is_empty())
}

/// The role of a statement: the loudest of the places that use it.
fn role<'a>(snippet: &Snippet, name: &'a str, name_of: impl Fn(usize) -> &'a str) -> Role {
    let of = |name: &str, function: Option<&str>, container: Option<&str>, test: bool| {
        if test { Role::Test } else { path::role(name, function, container) }
    };
    let sites = snippet
        .sites
        .iter()
        .map(|site| of(name_of(site.unit), site.function.as_deref(), site.container.as_deref(), site.test_code));
    let loudness = |role: &Role| match role {
        Role::Service => 3,
        Role::Job => 2,
        Role::Migration => 1,
        Role::Test => 0,
    };
    sites
        .max_by_key(loudness)
        .unwrap_or_else(|| of(name, snippet.function.as_deref(), snippet.container.as_deref(), snippet.test_code))
}

/// Where a statement stands: the expression that builds it. Where only its first words stand there, in a constant that other
/// statements begin with too, it is the call that sends it.
fn whole(snippet: &Snippet, file: impl Fn(usize) -> FileId) -> Place {
    let stands_there = |piece: &&keyloom_code::Piece| {
        piece.unit == snippet.unit && piece.at.start >= snippet.at.start && piece.at.end <= snippet.at.end
    };
    let bytes: u32 = snippet.pieces.iter().filter(stands_there).map(|piece| piece.text.end - piece.text.start).sum();
    let is_elsewhere = (bytes as usize) * 2 < snippet.text.len();
    let (unit, at) = match snippet.sites.first() {
        Some(site) if is_elsewhere => (site.unit, &site.at),
        _ => (snippet.unit, &snippet.at),
    };
    Place { file: file(unit), start: at.start, end: at.end }
}
