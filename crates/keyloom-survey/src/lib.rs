//! What a repository holds: its CQL schema in its final state with the history that made it, the statements of its files
//! and programs, and what could not be read or known.
//!
//! Pure: names and texts of files come in through a trait. Nothing here judges; rules do, in `keyloom-check`.

mod allowance;
mod chain;
mod choose;
mod code;
mod dialect;
mod differ;
mod gather;
mod ground;
mod mention;
mod names;
mod parallel;
mod part;
mod path;
mod replay;
mod script;
mod settle;
mod sites;
mod survey;
mod symbol;
mod template;
mod tree;
mod users;
mod version;
mod written;

pub use keyloom_code::{Argument, BatchKind, BatchSite, Bound, Consumed, Marker, Site, Taken};
pub use path::may_be_cql;
pub use survey::survey;
pub use tree::{Request, Tree, recall};
pub use written::{Piece, Written};

use keyloom_cql::ast::Name;
use keyloom_cql::resolve::Resolution;
use keyloom_cql::schema::{Made, Schema};
use keyloom_finding::{FileId, Place};

/// What a repository holds.
#[derive(Debug, Default)]
pub struct Survey {
    /// The schema after all statements.
    pub schema: Schema,
    /// The statements that made it, in the order in which they were applied; [`Made::by`] counts them.
    pub steps: Vec<Written>,
    /// All other statements: those that read and write rows.
    pub uses: Vec<Use>,
    /// What was wrong on the way: text that is no CQL, steps that the server would refuse.
    pub faults: Vec<SurveyFault>,
    /// Why the schema may be otherwise than it seems.
    pub open: Vec<Open>,
    /// Allowances written in comments.
    pub allows: Vec<Allowance>,
    /// What was read, and what was not.
    pub coverage: Coverage,
    /// All files that were looked at, in the order of their names.
    pub files: Vec<FileId>,
}

/// A statement that reads or writes rows.
#[derive(Debug)]
pub struct Use {
    /// The statement and where it is written.
    pub written: Written,
    /// What the server would say, and what it reads.
    pub resolution: Resolution,
    /// What kind of place it is used in.
    pub role: Role,
    /// What the program around it tells, as far as all places that use it agree; `None` for a statement of a `.cql` file.
    pub site: Option<Site>,
    /// Each place of a program that uses it, by itself.
    pub sites: Vec<(Place, Site)>,
    /// The text is changed afterwards, only known in part, or a combination of optional parts that perhaps nobody asks for:
    /// what is said about it is a maybe.
    pub dynamic: bool,
    /// What the programs that send it take out of rows by name; nothing for a statement of a `.cql` file.
    pub taken: Taken,
}

/// In what kind of place a statement is used; it decides how loudly a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// As far as anybody can see, part of the service.
    Service,
    /// A test or benchmark.
    Test,
    /// A migration.
    Migration,
    /// A tool, job, scanner or clean-up, as its file or function is named.
    Job,
}

/// What was wrong on the way.
#[derive(Debug)]
pub struct SurveyFault {
    /// Which kind.
    pub kind: SurveyFaultKind,
    /// Where.
    pub place: Place,
    /// What, in one sentence.
    pub message: String,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurveyFaultKind {
    /// The text of a schema or query file is no CQL.
    Syntax,
    /// The text that a program sends to Cassandra is no CQL, and known to its end.
    SyntaxInProgram,
    /// A step that the server would refuse after the ones before it.
    IllegalStep,
    /// A dump and a chain of migrations of the same schema differ.
    Differs,
}

/// Why the schema may be otherwise than it seems.
#[derive(Debug, Clone)]
pub struct Open {
    /// Where that was seen.
    pub place: Place,
    /// What was seen, in one sentence.
    pub reason: String,
    /// Only names are in doubt: one is missing here, so that it is made elsewhere, and others may be too. What the tables that
    /// are known look like is not in question.
    pub names_only: bool,
}

/// An allowance written in a comment: `-- keyloom: allow full-scan because 'nightly, 200 rows' until 2027-03-01`.
#[derive(Debug)]
pub struct Allowance {
    /// The comment's text, from `keyloom:` on.
    pub text: String,
    /// Where the comment stands.
    pub place: Place,
    /// What it is about: the next statement, table or column behind it; the whole file when it stands before everything.
    pub about: Place,
}

/// What was read, and what was not; where there are several schemas, the counts are those of all of them.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Files taken as schema, in the order in which they were applied, and why in that order.
    pub schema_files: Vec<String>,
    /// One sentence on how the order was found.
    pub schema_order: String,
    /// How many files of programs were looked at, and how many of them held statements.
    pub code_files: usize,
    /// How many of them held statements.
    pub code_files_with_statements: usize,
    /// Statements read in full.
    pub read: usize,
    /// Statements of which a part is known only at run time, each with its holes.
    pub dynamic: Vec<(Place, Vec<String>)>,
    /// What could not be read, each with its reason.
    pub unread: Vec<(Place, String)>,
    /// Tables that statements ask which may belong to several schemas of the repository.
    pub contested: std::collections::BTreeSet<String>,
    /// Strings that are statements of another language than CQL, and were left out.
    pub other_dialects: usize,
}

/// Whether a file is a program of a language that is read, by its name.
pub fn is_program(name: &str) -> bool {
    keyloom_code::Language::of(name).is_some()
}

impl Survey {
    /// Where something of the schema was made so.
    pub fn made(&self, made: Made) -> Option<Place> {
        self.steps.get(made.by as usize).map(|step| step.place(made.at))
    }

    /// Whether tables that are known may look otherwise than they seem.
    pub fn may_be_otherwise(&self) -> bool {
        self.open.iter().any(|open| !open.names_only)
    }

    /// Whether anything may be concluded from what is *not* there: everything was read, and nothing is known to happen
    /// elsewhere.
    pub fn is_whole(&self) -> bool {
        self.open.is_empty()
            && self.coverage.unread.is_empty()
            && self.coverage.dynamic.is_empty()
            && self.faults.iter().all(|fault| fault.kind == SurveyFaultKind::Differs)
    }
}

impl Use {
    /// Where a part of the statement is written.
    pub fn place(&self, at: keyloom_cql::Span) -> Place {
        self.written.place(at)
    }

    /// Where the whole statement is written.
    pub fn whole(&self) -> Place {
        self.written.place(self.written.statement.span)
    }

    /// The holes that stand for whole clauses.
    pub fn unknown(&self) -> &[Name] {
        &self.written.statement.unknown
    }
}
