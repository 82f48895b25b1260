use std::fmt;

use keyloom_model::layout::Question;
use keyloom_model::{Class, Path, bytes_text, count_text};

use crate::access::Why;

/// Something that can't be held: a proof, never a suspicion.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// Where it stands in the catalog or the layout: `patterns.open_case`, `tables.order_by_user`.
    pub at: String,
    /// The question it is about, if it is about one.
    pub question: Option<Question>,
    /// Whose it is.
    pub because: Because,
    /// What can't be held.
    pub what: What,
}

/// Whose refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// No layout could hold it on this engine.
    Engine,
    /// Another layout could.
    Layout,
}

/// What can't be held.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// No table answers; why each does not.
    NoPath(Vec<(String, Why)>),
    /// The table that the layout names does not answer.
    Stated {
        /// The table.
        table: String,
        /// Why not.
        why: Why,
    },
    /// The engine's own language refuses the read.
    Illegal {
        /// What it has against it.
        objection: String,
        /// For messages.
        engine: &'static str,
    },
    /// The layout names a table that is not there.
    NoTable(String),
    /// The table answers another way than the layout states.
    OtherForm(String),
    /// How much one call reads has no bound.
    Unbounded,
    /// A path leads to another row, and a key is made of the row's own fields.
    Elsewhere(Path),
    /// A reference can't be followed: the row lacks a part of the other's key.
    Dangling {
        /// What is asked for.
        path: Path,
        /// The part that is missing.
        field: String,
    },
    /// Nothing says how many rows of this edge there are.
    Edge(String),
    /// Parts go with a row that need not be there.
    LooseParts {
        /// What they are parts of.
        whole: String,
        /// The field that points to it.
        field: String,
    },
    /// Several decided rows in one atomic.
    Together {
        /// So many.
        rows: u64,
        /// For messages.
        engine: &'static str,
    },
    /// More rows than one transaction takes.
    Transaction {
        /// So many.
        rows: u64,
        /// And no more.
        max: u64,
        /// For messages.
        engine: &'static str,
    },
    /// A key or row may be larger than the engine takes.
    TooLarge {
        /// Which part.
        part: &'static str,
        /// Its bytes, by what the types allow.
        bytes: u64,
        /// And no more.
        max: u64,
        /// For messages.
        engine: &'static str,
    },
    /// An entity has no table.
    NoSource,
    /// A unique has no table.
    NoReservations(String),
    /// The layout states another class than the catalog gives.
    Class {
        /// The one that is stated.
        stated: Class,
        /// The one that follows from the catalog.
        computed: Class,
    },
    /// A table's rows are of nothing that the catalog knows.
    NotMade,
    /// A field that does not stand in the other row as it is can't be copied.
    NoCopy(Path),
    /// A time of the protocol does not end before another does.
    Horizons {
        /// Which.
        one: &'static str,
        /// Its milliseconds.
        one_ms: i64,
        /// The one that must be longer.
        other: &'static str,
        /// Its milliseconds.
        other_ms: i64,
    },
}

impl Refusal {
    /// Of a question.
    pub fn of_question(question: &Question, because: Because, what: What) -> Self {
        let at = match question {
            Question::Pattern { pattern, with: None, .. } => format!("patterns.{pattern}"),
            Question::Pattern { pattern, with: Some(with), .. } => format!("patterns.{pattern}.with.{with}"),
            Question::Support { entity, field } => format!("entities.{entity}.fields.{field}"),
        };
        Self { at, question: Some(question.clone()), because, what }
    }

    /// Of a pattern as a whole.
    pub fn of_pattern(pattern: &str, because: Because, what: What) -> Self {
        Self { at: format!("patterns.{pattern}"), question: None, because, what }
    }

    /// Of an entity.
    pub fn of_entity(entity: &str, because: Because, what: What) -> Self {
        Self { at: format!("entities.{entity}"), question: None, because, what }
    }

    /// Of a table of the layout.
    pub fn of_table(table: &str, because: Because, what: What) -> Self {
        Self { at: format!("tables.{table}"), question: None, because, what }
    }

    /// Whether it is about this question.
    pub fn of(&self, question: &Question) -> bool {
        self.question.as_ref() == Some(question)
    }

    /// What to do about it.
    pub fn way_out(&self) -> String {
        if let (What::NoPath(_), Some(Question::Support { entity, field })) = (&self.what, &self.question) {
            return format!(
                "rows of {entity} must be found when the row changes that they point to: add a table of {entity} with `{field}` as \
                 its partition; where rows are placed one by one, it is another than the one that holds copies"
            );
        }
        match &self.what {
            What::NoPath(_) | What::Stated { .. } | What::Illegal { .. } | What::NoTable(_) | What::OtherForm(_) => {
                "add a table with the fields of `by` as its partition and the order as its sort key, or let `keyloom design` \
                 write the layout"
                    .to_owned()
            }
            What::Unbounded => "state a `span`, a retention (`expires`) or `up_to`".to_owned(),
            What::Elsewhere(path) => {
                format!("copy `{path}` into the row when it is created: a field `= {path} at create`")
            }
            What::Dangling { field, .. } => format!("give the rows a field `{field}`, or leave the path out"),
            What::Edge(edge) => format!("state how many rows of {edge} there are at most: `groups`"),
            What::LooseParts { whole, field } => {
                format!("write `{field}: .. -> {whole} must exist`, or leave `part_of` out and delete these rows by patterns")
            }
            What::Together { .. } => {
                "decide one row, and let the others follow from it; or use an engine with transactions".to_owned()
            }
            What::Transaction { .. } => "make fewer lists of the entity, or fewer rows at once".to_owned(),
            What::TooLarge { part, .. } => format!("state a smaller maximum for the fields of the {part}"),
            What::NoSource => "add a table `source:`".to_owned(),
            What::NoReservations(_) => "add a table `reserves:`".to_owned(),
            What::Class { computed, .. } => format!("leave `class` out, or write `{}`", computed.name()),
            What::NotMade => "take it out of the layout".to_owned(),
            What::NoCopy(_) => "take it out of `copies`: it is looked up then".to_owned(),
            What::Horizons { one, other, .. } => format!("state a shorter {one} or a longer {other}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.question {
            Some(question) => write!(f, "{question}: {}", self.what),
            None => write!(f, "{}: {}", self.at, self.what),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPath(why) if why.is_empty() => f.write_str("no table holds these rows"),
            Self::NoPath(why) => {
                f.write_str("no table answers it")?;
                why.iter().try_for_each(|(table, why)| write!(f, "; `{table}`: {why}"))
            }
            Self::Stated { table, why } => write!(f, "`{table}` does not answer it: {why}"),
            Self::Illegal { objection, engine } => write!(f, "{engine} refuses it: {objection}"),
            Self::NoTable(table) => write!(f, "there is no table `{table}`"),
            Self::OtherForm(table) => write!(f, "`{table}` answers it another way than the layout says"),
            Self::Unbounded => f.write_str("nothing bounds how much one call reads"),
            Self::Elsewhere(path) => {
                write!(f, "`{path}` is a field of another row, and rows are found and tested by their own")
            }
            Self::Dangling { path, field } => {
                write!(f, "`{path}` can't be followed: the row has no `{field}`, which is part of the other's key")
            }
            Self::Edge(edge) => {
                write!(f, "nothing says how many rows of {edge} lead there, so nothing bounds the read")
            }
            Self::LooseParts { whole, field } => write!(
                f,
                "its rows are deleted with their {whole}, but may also come without one: of a row that comes while its \
                 `{field}` is deleted nothing says whether it goes, too"
            ),
            Self::Together { rows, engine } => {
                write!(f, "{} rows are decided together, but {engine} decides one at a time", count_text(*rows))
            }
            Self::Transaction { rows, max, engine } => {
                write!(f, "{} rows in one transaction, but {engine} takes {}", count_text(*rows), count_text(*max))
            }
            Self::TooLarge { part, bytes, max, engine } => {
                write!(f, "a {part} may have {}, but {engine} takes {}", bytes_text(*bytes), bytes_text(*max))
            }
            Self::NoSource => f.write_str("the layout has no table for it"),
            Self::NoReservations(unique) => write!(f, "the layout has no table for its unique `{unique}`"),
            Self::Class { stated, computed } => {
                write!(f, "its class is {}, and the layout says {}", computed.name(), stated.name())
            }
            Self::NotMade => f.write_str("its rows are nothing that the catalog knows"),
            Self::NoCopy(path) => {
                write!(f, "`{path}` can't be copied: it does not stand in that row as a field of its own")
            }
            Self::Horizons { one, one_ms, other, other_ms } => {
                write!(f, "{one} is {one_ms} ms, and must be below {other}, {other_ms} ms")
            }
        }
    }
}
