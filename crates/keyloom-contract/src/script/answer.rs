//! What two stores answer, reduced to what it means to a caller.

use keyloom_store::{
    Along, Change, Current, Decision, End, Fault, Get, GroupImage, Image, Millis, Placement, Placing, Row, Verdict,
};

use super::call::{Asked, Call, Placed, Rider, TableAt, Tables, Written};
use crate::{
    Seen, Subject,
    desk::{Ask, Desk, define},
};

/// The meaning of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Row(Option<Seen>),
    Rows(Vec<Seen>),
    Many(Vec<Answer>),
    Placed,
    Decided,
    Lost {
        at: usize,
        current: Option<Option<Seen>>,
    },
    Refused,
    /// No script gives a reason for any other fault, so it agrees with nothing.
    Failed(String),
}

impl Answer {
    /// Whether two answers mean the same.
    pub fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Failed(_), _) | (_, Self::Failed(_)) => false,
            // An engine need not say what it found.
            (Self::Lost { at, current }, Self::Lost { at: other_at, current: other_current }) => {
                at == other_at && (current.is_none() || other_current.is_none() || current == other_current)
            }
            (Self::Many(answers), Self::Many(others)) => {
                answers.len() == others.len() && answers.iter().zip(others).all(|(one, other)| one.agrees(other))
            }
            (one, other) => one == other,
        }
    }

    fn of<T>(result: Result<T, Fault>, meaning: impl FnOnce(T) -> Result<Self, String>) -> Self {
        match result {
            Ok(answer) => meaning(answer).unwrap_or_else(Self::Failed),
            Err(Fault::Refused(_)) => Self::Refused,
            Err(fault) => Self::Failed(fault.to_string()),
        }
    }
}

/// One of the two stores, and its tables.
pub(crate) struct Side<'a, S> {
    store: &'a S,
    desks: Vec<Desk<'a, S>>,
}

impl<'a, S: Subject> Side<'a, S> {
    pub async fn open(store: &'a S, tables: &Tables) -> Self {
        define(store, &tables.0).await;
        let mut desks = Vec::new();
        for at in 0..tables.len() {
            desks.push(Desk::at(store, tables.name(at)).await);
        }
        Self { store, desks }
    }

    pub async fn answer(&self, call: &Call) -> Answer {
        match call {
            Call::Get(asked) => Answer::of(self.store.get(self.get(asked)).await, |got| self.row(asked, got.row)),
            Call::GetMany(asked) => {
                let gets: Vec<Get<'_>> = asked.iter().map(|asked| self.get(asked)).collect();
                let answers = self.store.get_many(&gets).await.into_iter().zip(asked);
                Answer::Many(answers.map(|(got, asked)| Answer::of(got, |got| self.row(asked, got.row))).collect())
            }
            Call::Slice { table, ask } => self.slice(&self.desks[table.at], ask).await,
            Call::Decide { change, expect, along, now } => self.decide(change, *expect, along, *now).await,
            Call::Place { rows, together, now } => {
                let groups: Vec<_> = rows.iter().map(Groups::of).collect();
                let rows: Vec<_> = rows.iter().zip(&groups).map(|(row, groups)| self.placement(row, groups)).collect();
                Answer::of(self.store.place(&rows, *together, *now).await, |()| Ok(Answer::Placed))
            }
        }
    }

    /// All rows of a table.
    pub async fn sweep(&self, table: usize, now: Millis) -> Answer {
        Answer::Rows(self.desks[table].swept(3, 7, now).await)
    }

    fn get<'b>(&self, asked: &'b Asked) -> Get<'b> {
        Get { table: self.desks[asked.table.at].id, key: &asked.key, freshness: asked.freshness, now: asked.now }
    }

    fn row(&self, asked: &Asked, row: Option<Row>) -> Result<Answer, String> {
        Ok(Answer::Row(row.map(|row| self.seen(asked.table, &row, asked.now)).transpose()?))
    }

    fn seen(&self, table: TableAt, row: &Row, now: Millis) -> Result<Seen, String> {
        Seen::read(row, &self.desks[table.at].shape, now)
    }

    /// All pages of a slice: where they end is the engine's matter, what they hold together is not.
    async fn slice(&self, desk: &Desk<'a, S>, ask: &Ask) -> Answer {
        let (mut ask, mut all) = (ask.clone(), Vec::new());
        // No partition of a script has as many rows.
        for _ in 0..500 {
            let page = match self.store.slice(ask.slice(desk.id)).await {
                Ok(page) => page,
                Err(Fault::Refused(_)) => return Answer::Refused,
                Err(fault) => return Answer::Failed(fault.to_string()),
            };
            if page.rows.len() > ask.rows_max as usize {
                return Answer::Failed(format!("{} rows in a page of {}", page.rows.len(), ask.rows_max));
            }
            for row in &page.rows {
                match Seen::read(row, &desk.shape, ask.now) {
                    Ok(seen) => all.push(seen),
                    Err(words) => return Answer::Failed(words),
                }
            }
            let End::Limit { reached } = page.end else { return Answer::Rows(all) };
            ask.after = Some(reached);
        }
        Answer::Failed("a slice that does not end".to_owned())
    }

    async fn decide(&self, change: &Written, expect: keyloom_store::Expect, along: &[Rider], now: Millis) -> Answer {
        let groups: Vec<Groups<'_>> = along
            .iter()
            .map(|rider| if let Rider::Place(placed) = rider { Groups::of(placed) } else { Groups::default() })
            .collect();
        let riders: Vec<Along<'_>> = along
            .iter()
            .zip(&groups)
            .map(|(rider, groups)| match rider {
                Rider::Decide { change, expect } => Along::Decide(self.change(change, *expect)),
                Rider::Check { table, key, expect } => {
                    Along::Check { table: self.desks[table.at].id, key, expect: *expect }
                }
                Rider::Put(written) => {
                    Along::Put { table: self.desks[written.table.at].id, key: &written.key, becomes: image(written) }
                }
                Rider::Remove { table, key } => Along::Remove { table: self.desks[table.at].id, key },
                Rider::Place(placed) => Along::Place(self.placement(placed, groups)),
            })
            .collect();
        let decision = Decision { change: self.change(change, expect), along: &riders, now };
        Answer::of(self.store.decide(decision).await, |verdict| match verdict {
            Verdict::Done => Ok(Answer::Decided),
            Verdict::Lost { at, current } => {
                let table = match at.checked_sub(1).map(|at| along.get(at)) {
                    None => change.table,
                    Some(Some(Rider::Decide { change, .. })) => change.table,
                    Some(Some(Rider::Check { table, .. })) => *table,
                    Some(_) => return Err(format!("lost at {at}, where nothing was expected")),
                };
                let current = match current {
                    Current::NotSaid => None,
                    Current::Absent => Some(None),
                    Current::Is(row) => Some(Some(self.seen(table, &row, now)?)),
                };
                Ok(Answer::Lost { at, current })
            }
        })
    }

    fn change<'b>(&self, written: &'b Written, expect: keyloom_store::Expect) -> Change<'b> {
        Change { table: self.desks[written.table.at].id, key: &written.key, expect, becomes: image(written) }
    }

    fn placement<'b>(&self, placed: &'b Placed, groups: &'b Groups<'b>) -> Placement<'b> {
        let placing = if placed.removal {
            Placing::Remove { groups: &groups.removed }
        } else {
            Placing::Put { groups: &groups.put, expires_at: placed.expires_at }
        };
        Placement { table: self.desks[placed.table.at].id, key: &placed.key, placing }
    }
}

/// The groups of a placement in both forms of the trait.
#[derive(Default)]
struct Groups<'a> {
    put: Vec<GroupImage<'a>>,
    removed: Vec<(usize, u64)>,
}

impl<'a> Groups<'a> {
    fn of(placed: &'a Placed) -> Self {
        let image = |(group, version, values): &'a (usize, u64, Vec<_>)| GroupImage {
            group: *group,
            version: *version,
            values,
        };
        Self {
            put: placed.groups.iter().map(image).collect(),
            removed: placed.groups.iter().map(|(group, version, _)| (*group, *version)).collect(),
        }
    }
}

fn image(written: &Written) -> Image<'_> {
    Image { version: written.version, expires_at: written.expires_at, values: &written.values }
}
