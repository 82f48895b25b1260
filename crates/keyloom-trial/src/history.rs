//! What was asked in a trial, when, and what was answered.

use std::sync::{Arc, Mutex, PoisonError};

use keyloom_run::{Answer, Caller, Problem};
use serde_json::Value as Json;

/// The moments that a process saw on its clock while it served a call.
pub(crate) type Moments = Arc<Mutex<Vec<i64>>>;

/// A trial, as its observer has seen it. Times are the observer's, in microseconds.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) asked: Vec<Asked>,
    pub(crate) looked: Vec<Looked>,
    pub(crate) quiet: Vec<Quiet>,
    /// Changes of the layout that came to their end while clients asked.
    pub(crate) grown: u64,
}

/// A write of one row, with all its attempts.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) step: usize,
    pub(crate) client: usize,
    pub(crate) pattern: String,
    pub(crate) caller: Caller,
    pub(crate) body: Json,
    pub(crate) key: String,
    /// The key of the row, where the server makes it.
    pub(crate) made: Option<Json>,
    /// Of several equal items of a batch, which one.
    pub(crate) number: u32,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) moments: Moments,
    /// What the rows remember of it when it is quiet; asked only where nobody was told.
    pub(crate) remembered: Vec<keyloom_run::trial::Remembered>,
}

/// One attempt, or one question what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) server: usize,
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(crate) is_question: bool,
    pub(crate) end: End,
}

#[derive(Debug, Clone)]
pub(crate) enum End {
    Answered(Result<Answer, Problem>),
    /// The process died. What it had sent may still arrive.
    Crashed,
    /// Nobody waits any more, but it goes on.
    GivenUp,
}

/// A read, all pages of it.
#[derive(Debug, Clone)]
pub(crate) struct Looked {
    pub(crate) step: usize,
    pub(crate) client: usize,
    pub(crate) pattern: String,
    pub(crate) caller: Caller,
    pub(crate) body: Json,
    pub(crate) order: Option<String>,
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(crate) seen: Seen,
    /// What the client presented of its own writes, where lists may show them later: only these must be shown.
    pub(crate) presented: Option<Vec<Presented>>,
}

/// A row that a client has written, and what it was told to present.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Presented {
    /// By which step.
    pub(crate) step: usize,
    pub(crate) caller: Caller,
    pub(crate) entity: String,
    /// The row's own key.
    pub(crate) key: Json,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    Row(Option<Json>),
    Rows {
        rows: Vec<Json>,
        /// Read to its end.
        whole: bool,
    },
    Count {
        count: u64,
        at_least: bool,
    },
    /// No answer.
    Nothing,
    /// An answer that nobody may give.
    Wrong(String),
}

/// A moment at which nothing was under way: all rows, and what reads showed then.
#[derive(Debug)]
pub(crate) struct Quiet {
    /// What ended before this moment has been followed: the marks of its end are settled.
    pub(crate) followed_us: i64,
    pub(crate) at_us: i64,
    /// How many of the writes were asked before.
    pub(crate) asked: usize,
    /// Each as `{"entity": .., "version": .., "row": {..}}`.
    pub(crate) rows: Vec<Json>,
    pub(crate) looked: Vec<Looked>,
}

impl Asked {
    /// When the first attempt was sent.
    pub(crate) fn sent_us(&self) -> i64 {
        self.attempts.first().map_or(i64::MAX, |attempt| attempt.from_us)
    }

    /// All that was answered.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Attempt, &Result<Answer, Problem>)> {
        self.attempts.iter().filter_map(|attempt| match &attempt.end {
            End::Answered(answer) => Some((attempt, answer)),
            End::Crashed | End::GivenUp => None,
        })
    }

    /// Whether something of it may still happen after this attempt was answered, whatever that answer says.
    pub(crate) fn is_under_way_at(&self, attempt: &Attempt) -> bool {
        // Who says that it was sent before is given the last word.
        let is_first = self.attempts.first().is_some_and(|first| first.from_us == attempt.from_us);
        let refused = matches!(&attempt.end, End::Answered(Ok(Answer::NotApplied { .. })));
        if refused && !is_first && !attempt.is_question {
            return false;
        }
        // Sent again, it may well be applied.
        if self.attempts.iter().any(|other| other.from_us >= attempt.to_us && !other.is_question) {
            return true;
        }
        let earlier = self.attempts.iter().filter(|other| other.from_us < attempt.from_us);
        let mut under_way = false;
        for other in earlier {
            match &other.end {
                End::GivenUp => return true,
                End::Crashed | End::Answered(Ok(Answer::Unknown { .. })) => under_way = true,
                End::Answered(_) if other.is_question => under_way = false,
                End::Answered(_) => {}
            }
        }
        // What was asked about is over: a decision that was under way can't be taken any more.
        under_way && !attempt.is_question
    }

    pub(crate) fn moments(&self) -> Vec<i64> {
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner).clone();
        moments.sort_unstable();
        moments.dedup();
        moments
    }
}
