use std::{collections::VecDeque, time::Duration};

use crate::{random::Random, standing::Standing};

/// How old an eventually consistent read may be.
const OLD_MAX: Duration = Duration::from_secs(1);

/// For how long an item stays after its end.
const LAZY_MAX: Duration = Duration::from_secs(48 * 3_600);

/// One item, and what it was a moment ago.
#[derive(Debug, Default)]
pub(super) struct Item {
    standings: Option<Vec<Standing>>,
    /// What it was, each until a moment.
    past: VecDeque<(Duration, Option<Vec<Standing>>)>,
    forget_at: Option<Duration>,
}

impl Item {
    pub(super) fn standings(&self) -> Option<&[Standing]> {
        self.standings.as_deref()
    }

    /// What a read finds that need not have seen everything.
    pub(super) fn perhaps_old(&self, now: Duration, random: &mut Random) -> Option<&[Standing]> {
        let age = if random.chance(0.5) { random.span(Duration::ZERO, OLD_MAX) } else { Duration::ZERO };
        let then = now.saturating_sub(age);
        match self.past.iter().find(|(until, _)| *until > then) {
            Some((_, standings)) => standings.as_deref(),
            None => self.standings(),
        }
    }

    pub(super) fn becomes(
        &mut self,
        standings: Option<Vec<Standing>>,
        end: Option<Duration>,
        now: Duration,
        random: &mut Random,
    ) {
        self.past.push_back((now, std::mem::replace(&mut self.standings, standings)));
        while self.past.front().is_some_and(|(until, _)| *until + OLD_MAX < now) {
            self.past.pop_front();
        }
        self.forget_at = end.map(|end| end.saturating_add(random.span(Duration::ZERO, LAZY_MAX)));
    }

    /// Whether the engine has come round to removing it after its end.
    pub(super) fn is_forgotten(&self, now: Duration) -> bool {
        self.standings.is_some() && self.forget_at.is_some_and(|at| at <= now)
    }
}
