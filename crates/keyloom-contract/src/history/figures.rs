use std::{fmt, ops::AddAssign};

use super::Answer;

/// How the writes of a run ended, so that it can be seen that something happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Decisions.
    pub decisions: Count,
    /// Placements: calls, each of one row or of several.
    pub placements: Count,
    /// Reads while clients wrote.
    pub reads: u64,
}

/// How writes of one kind ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Acknowledged at once.
    pub done: u64,
    /// Lost to others at once.
    pub lost: u64,
    /// Certainly not done, or busy.
    pub not_done: u64,
    /// In doubt, and then known to be done.
    pub doubted_done: u64,
    /// In doubt, and then known not to be done, for ever.
    pub doubted_not: u64,
    /// In doubt to the end: the client died, or left it.
    pub open: u64,
}

impl Count {
    pub(super) fn add(&mut self, answer: Answer, doubted: bool) {
        *match (answer, doubted) {
            (Answer::Unknown, _) => &mut self.open,
            (Answer::Done, true) => &mut self.doubted_done,
            (_, true) => &mut self.doubted_not,
            (Answer::Done, false) => &mut self.done,
            (Answer::Lost, false) => &mut self.lost,
            (Answer::NotDone | Answer::Busy, false) => &mut self.not_done,
        } += 1;
    }

    /// How many were in doubt.
    #[must_use]
    pub fn doubted(&self) -> u64 {
        self.doubted_done + self.doubted_not + self.open
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.lost += other.lost;
        self.not_done += other.not_done;
        self.doubted_done += other.doubted_done;
        self.doubted_not += other.doubted_not;
        self.open += other.open;
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.decisions += other.decisions;
        self.placements += other.placements;
        self.reads += other.reads;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { decisions, placements, reads } = self;
        write!(formatter, "decisions {decisions}; placements {placements}; {reads} reads")
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { done, lost, not_done, doubted_done, doubted_not, open } = self;
        let unknown = self.doubted();
        write!(
            formatter,
            "{done} done, {lost} lost, {not_done} not done, {unknown} unknown \
             ({doubted_done} applied, {doubted_not} not applied, {open} open)"
        )
    }
}
