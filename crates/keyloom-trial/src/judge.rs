//! The judge: from what was asked and answered it finds what must have happened, row by row, and says what contradicts it.
//!
//! The versions of a row are totally ordered, so the requests that were applied to it have an order; replayed in it by the
//! catalog's meaning they must give what is there, and each answer must have been true at some moment between its call and
//! itself. What the judge can't know (which of several moments a process took for `now`) it keeps open: a row has all states
//! that it may have.

mod answers;
mod blind;
mod fate;
mod lives;
mod quiet;
mod reads;
mod uniques;

use keyloom_model::Catalog;

use crate::history::History;

pub(crate) use fate::{Fate, Request};
pub(crate) use lives::{Life, Lives, Turn};

/// How far the clocks of processes may lie behind and ahead of the observer's, in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Skew {
    pub(crate) behind_us: i64,
    pub(crate) ahead_us: i64,
}

/// Something that can't be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// What.
    pub words: String,
    /// The steps of the script that it is about.
    pub(crate) steps: Vec<usize>,
}

pub(crate) fn wrong<T>(words: impl Into<String>, steps: &[usize]) -> Result<T, Contradiction> {
    Err(Contradiction { words: words.into(), steps: steps.to_vec() })
}

/// What happened in a trial, so that a test can see that something did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Writes that had an effect.
    pub applied: u64,
    /// Writes that had none, and were told so.
    pub refused: u64,
    /// Writes of which no client knew what became of them.
    pub uncertain: u64,
    /// Writes that were sent more than once.
    pub repeated: u64,
    /// Reads beside writes.
    pub looked: u64,
    /// Reads when it was quiet.
    pub compared: u64,
    /// Rows that reads showed when it was quiet.
    pub rows: u64,
    /// Layouts that were changed to the end beside writes.
    pub grown: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.applied += other.applied;
        self.refused += other.refused;
        self.uncertain += other.uncertain;
        self.repeated += other.repeated;
        self.looked += other.looked;
        self.compared += other.compared;
        self.rows += other.rows;
        self.grown += other.grown;
    }
}

/// Looks for a contradiction in a history.
pub(crate) fn judge(catalog: &Catalog, history: &History, skew: Skew) -> Result<Tally, Contradiction> {
    let requests = fate::requests(catalog, history)?;
    let lives = Lives::of(catalog, &requests, skew)?;
    let judge = Judge { catalog, history, requests: &requests, lives: &lives, skew };
    let mut tally = Tally { grown: history.grown, ..judge.answers()? };
    blind::blind(catalog, history, &mut tally)?;
    judge.uniques()?;
    judge.reads(&mut tally)?;
    judge.quiet(&mut tally)?;
    Ok(tally)
}

struct Judge<'a> {
    catalog: &'a Catalog,
    history: &'a History,
    requests: &'a [Request<'a>],
    lives: &'a Lives<'a>,
    skew: Skew,
}
