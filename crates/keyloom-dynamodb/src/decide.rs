//! `decide`: one guarded change of one row, and what rides along.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::{
    error::SdkError,
    operation::transact_write_items::TransactWriteItemsError,
    types::{AttributeValue, CancellationReason, ReturnConsumedCapacity},
};
use keyloom_store::{Along, Change, Current, Decision, Expect, Fault, Millis, Placement, Verdict, refuse};
use keyloom_value::Value;

use crate::{
    fault::{Call, coded},
    item::{self, Draft, Item},
    layout::{END, Layout, VERSION},
    place::{Arrival, TRIES_MAX, overtaken},
    request::{Action, Condition, Outcome, Write},
    store::DynamoDb,
};

/// One item of a transaction.
#[derive(Debug)]
pub(crate) enum Entry {
    /// As it is, or all of it is lost.
    Stands { write: Write, expect: Option<Expect> },
    /// A placement, which may come too late.
    Arrives(Arrival),
}

/// What a decided row must be. One that has ended is absent.
fn condition(expect: Expect, Millis(now): Millis) -> Condition {
    let number = |name: &str, value: String| (name.to_owned(), AttributeValue::N(value));
    let now = number(":now", now.to_string());
    match expect {
        Expect::Absent => {
            Condition { text: format!("attribute_not_exists({VERSION}) OR {END} <= :now"), values: [now].into() }
        }
        Expect::Version(version) => Condition {
            text: format!("{VERSION} = :v AND (attribute_not_exists({END}) OR {END} > :now)"),
            values: [now, number(":v", version.to_string())].into(),
        },
    }
}

/// What a row is instead of what was expected.
fn current(layout: &Layout, found: Option<&Item>, expect: Expect, now: Millis) -> Result<Current, Fault> {
    match (found, expect) {
        (Some(found), _) => {
            let found = item::row(layout, found, now)?;
            Ok(if found.there { Current::Is(found.row) } else { Current::Absent })
        }
        (None, Expect::Version(_)) => Ok(Current::Absent),
        (None, Expect::Absent) => Ok(Current::NotSaid),
    }
}

impl DynamoDb {
    pub(crate) async fn decide_all(&self, what: &Decision<'_>) -> Result<Verdict, Fault> {
        let own = Along::Decide(what.change);
        let (mut entries, mut named, mut bytes) = (Vec::new(), BTreeSet::new(), 0);
        for along in std::iter::once(&own).chain(what.along) {
            let (Along::Decide(Change { table, key, .. })
            | Along::Check { table, key, .. }
            | Along::Put { table, key, .. }
            | Along::Remove { table, key }
            | Along::Place(Placement { table, key, .. })) = along;
            let entry = self.entry(along, what.now)?;
            let layout = self.layout(*table)?;
            let form = keyloom_value::key::encode(key, layout.shape.key_parts())?;
            if !named.insert((*table, form)) {
                return refuse::twice();
            }
            bytes += match &entry {
                Entry::Stands { write, .. } => write.size(),
                Entry::Arrives(arrival) => arrival.size(),
            };
            entries.push(entry);
        }
        refuse::along(entries.len(), bytes, &self.abilities)?;
        if entries.len() == 1
            && let Some(Entry::Stands { write, expect: Some(expect) }) = entries.pop_if(|_| true)
        {
            let layout = write.layout.clone();
            return match self.send(write).await? {
                Outcome::Done => Ok(Verdict::Done),
                Outcome::Otherwise(found) => {
                    Ok(Verdict::Lost { at: 0, current: current(&layout, found.as_ref(), expect, what.now)? })
                }
            };
        }
        self.transact(entries, what.now).await
    }

    /// Looks through what a decision does with one row.
    fn entry(&self, along: &Along<'_>, now: Millis) -> Result<Entry, Fault> {
        let key = |layout: &Layout, values: &[Value<'_>]| item::key(layout, values, &self.abilities);
        let stands = |layout, action, expect: Option<Expect>| {
            let condition = expect.map(|expect| condition(expect, now));
            Entry::Stands { write: Write { layout, action, condition }, expect }
        };
        Ok(match along {
            Along::Decide(change) => {
                let layout = self.layout(change.table)?;
                refuse::change(&layout.shape, change)?;
                let draft = Draft::new(&layout, &self.abilities, change.key)?.image(&change.becomes)?;
                stands(layout.clone(), Action::Put(draft.item), Some(change.expect))
            }
            Along::Check { table, key: values, expect } => {
                let layout = self.layout(*table)?;
                refuse::decided(&layout.shape, values)?;
                let key = key(&layout, values)?;
                stands(layout, Action::Check(key), Some(*expect))
            }
            Along::Put { table, key, becomes } => {
                let layout = self.layout(*table)?;
                refuse::carried(&layout.shape, key)?;
                refuse::image(&layout.shape, becomes)?;
                let draft = Draft::new(&layout, &self.abilities, key)?.image(becomes)?;
                stands(layout.clone(), Action::Put(draft.item), None)
            }
            Along::Remove { table, key: values } => {
                let layout = self.layout(*table)?;
                refuse::carried(&layout.shape, values)?;
                let key = key(&layout, values)?;
                stands(layout, Action::Delete(key), None)
            }
            Along::Place(placement) => {
                Entry::Arrives(Arrival::of(self.layout(placement.table)?, placement, now, &self.abilities)?)
            }
        })
    }

    /// Sends all of it as one transaction. A placement that comes too late is left out, and the rest is sent again.
    pub(crate) async fn transact(&self, mut entries: Vec<Entry>, now: Millis) -> Result<Verdict, Fault> {
        for _ in 0..TRIES_MAX {
            let mut sent = Vec::new();
            let mut parts = Vec::new();
            for (at, entry) in entries.iter().enumerate() {
                let write = match entry {
                    Entry::Stands { write, .. } => Some(write.clone()),
                    Entry::Arrives(arrival) => arrival.write()?,
                };
                if let Some(write) = write {
                    sent.push((at, write.layout.clone()));
                    parts.push(write.part()?);
                }
            }
            let Some((_, first)) = sent.first() else { return Ok(Verdict::Done) };
            let call = self.client.transact_write_items().set_transact_items(Some(parts));
            let error = match call.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await {
                Ok(answer) => {
                    self.written(answer.consumed_capacity());
                    return Ok(Verdict::Done);
                }
                Err(error) => error,
            };
            let reasons = match &error {
                SdkError::ServiceError(answer) => match answer.err() {
                    TransactWriteItemsError::TransactionCanceledException(cancelled) => {
                        cancelled.cancellation_reasons()
                    }
                    _ => &[],
                },
                _ => &[],
            };
            if reasons.len() != sent.len() {
                return Err(self.fault(first, Call::Write, &error));
            }
            let obstacles =
                sent.iter().zip(reasons).filter_map(|((_, layout), reason)| Some((layout, obstacle(reason)?)));
            // What can never work is said first: to come again would be in vain.
            if let Some((layout, fault)) = obstacles.max_by_key(|(_, fault)| matches!(fault, Fault::Refused(_))) {
                self.count(layout, &fault);
                return Err(fault);
            }
            let failed = sent.iter().zip(reasons).filter(|(_, reason)| is_condition(reason));
            for ((at, layout), reason) in failed {
                match &mut entries[*at] {
                    Entry::Stands { expect: Some(expect), .. } => {
                        let current = current(layout, reason.item(), *expect, now)?;
                        return Ok(Verdict::Lost { at: *at, current });
                    }
                    Entry::Stands { expect: None, .. } => return Err(self.fault(layout, Call::Write, &error)),
                    Entry::Arrives(arrival) => arrival.seen = Some(reason.item().cloned().unwrap_or_default()),
                }
            }
        }
        Err(overtaken())
    }
}

fn is_condition(reason: &CancellationReason) -> bool {
    reason.code() == Some("ConditionalCheckFailed")
}

/// What stood in the way of a transaction besides its conditions.
fn obstacle(reason: &CancellationReason) -> Option<Fault> {
    let code = reason.code().filter(|code| *code != "None")?;
    if is_condition(reason) {
        return None;
    }
    let words = format!("DynamoDB: a transaction was cancelled: {code}: {}", reason.message().unwrap_or_default());
    Some(coded(code, &[], &words).unwrap_or(Fault::Refused(words.into())))
}
