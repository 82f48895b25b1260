//! `place`: rows made at least as new as said.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, stream};
use keyloom_store::{Abilities, Fault, Millis, Placement, Placing, Scope, one_by_one, refuse};

use crate::{
    decide::Entry,
    item::{self, Draft, Item, forget_at, rank},
    layout::{FORGET, Layout, end_name, rank_name},
    request::{Action, Condition, Expression, Outcome, Write},
    store::DynamoDb,
};

/// How many rows are on their way at once.
const AT_ONCE: usize = 32;

/// How often a placement that others overtake is looked at again. Each time fences have risen.
pub(crate) const TRIES_MAX: u32 = 16;

/// A placement on its way: what each of its groups becomes.
#[derive(Debug)]
pub(crate) struct Arrival {
    layout: Arc<Layout>,
    key: Item,
    /// The item with nothing but what arrives.
    item: Item,
    groups: Vec<Arriving>,
    now: Millis,
    /// The item as it was when it was seen to be newer in some group.
    pub seen: Option<Item>,
}

#[derive(Debug)]
struct Arriving {
    group: usize,
    rank: u64,
    expires_at: Option<Millis>,
}

impl Arrival {
    /// Looks a placement through.
    pub(crate) fn of(
        layout: Arc<Layout>,
        placement: &Placement<'_>,
        now: Millis,
        abilities: &Abilities,
    ) -> Result<Self, Fault> {
        refuse::placement(&layout.shape, placement)?;
        let draft = Draft::new(&layout, abilities, placement.key)?;
        let (draft, groups): (_, Vec<Arriving>) = match placement.placing {
            Placing::Put { groups, expires_at } => {
                let arriving = |version, group| Arriving { group, rank: rank(version, true), expires_at };
                let arriving = groups.iter().map(|image| arriving(image.version, image.group)).collect();
                (draft.groups(groups, expires_at)?, arriving)
            }
            Placing::Remove { groups } => {
                let arriving = |(group, version): &(usize, u64)| Arriving {
                    group: *group,
                    rank: rank(*version, false),
                    expires_at: None,
                };
                (draft.removed(groups), groups.iter().map(arriving).collect())
            }
        };
        let item = draft.item;
        let key = item::key(&layout, placement.key, abilities)?;
        Ok(Self { layout, key, item, groups, now, seen: None })
    }

    /// How many bytes it brings, as DynamoDB counts them in a transaction.
    pub(crate) fn size(&self) -> u64 {
        item::size(&self.item) as u64
    }

    /// The write that makes it so; `None` when all of it has come too late.
    pub(crate) fn write(&self) -> Result<Option<Write>, Fault> {
        let mut newer = Vec::with_capacity(self.groups.len());
        for arriving in &self.groups {
            let seen = match &self.seen {
                Some(seen) => item::ranked(seen, arriving.group)?,
                None => None,
            };
            if seen.is_none_or(|seen| seen < arriving.rank) {
                newer.push(arriving);
            }
        }
        if newer.is_empty() {
            return Ok(None);
        }
        let forget = self.forget(&newer)?.map(|at| AttributeValue::N(at.to_string()));
        let groups = self.layout.shape.table().groups.len();
        let action = if groups == 1 {
            let mut item = self.item.clone();
            item.extend(forget.map(|at| (FORGET.to_owned(), at)));
            Action::Put(item)
        } else {
            Action::Update { key: self.key.clone(), change: self.change(&newer, forget) }
        };
        let condition = Some(self.condition(&newer)?);
        Ok(Some(Write { layout: self.layout.clone(), action, condition }))
    }

    /// What an update of some groups says. Every column is named: one that is absent is taken away.
    fn change(&self, newer: &[&Arriving], forget: Option<AttributeValue>) -> Expression {
        let mut change = Expression::default();
        let table = self.layout.shape.table();
        for (_, name, _) in self.layout.hidden() {
            change.becomes(name, self.item.get(name).cloned());
        }
        for arriving in newer {
            let columns = table.groups[arriving.group].columns.iter().map(|column| Cow::from(&column.name));
            for name in [rank_name(arriving.group), end_name(arriving.group)].into_iter().chain(columns) {
                let value = self.item.get(&*name).cloned();
                change.becomes(&name, value);
            }
        }
        change.becomes(FORGET, forget);
        change
    }

    /// At first only what arrives must be newer. Later all fences must be as they were seen: what was left out and from
    /// when on the item may be forgotten depends on them.
    fn condition(&self, newer: &[&Arriving]) -> Result<Condition, Fault> {
        let mut condition = Condition { text: String::new(), values: Default::default() };
        let mut and = |term: String, value: Option<(String, AttributeValue)>| {
            let text = &mut condition.text;
            *text = if text.is_empty() { term } else { format!("{text} AND {term}") };
            condition.values.extend(value);
        };
        let number = |name, rank: u64| Some((name, AttributeValue::N(rank.to_string())));
        match &self.seen {
            None => {
                for Arriving { group, rank, .. } in newer {
                    let (name, value) = (rank_name(*group), format!(":r{group}"));
                    and(format!("(attribute_not_exists({name}) OR {name} < {value})"), number(value, *rank));
                }
            }
            Some(seen) => {
                for group in 0..self.layout.shape.table().groups.len() {
                    let (name, value) = (rank_name(group), format!(":r{group}"));
                    match item::ranked(seen, group)? {
                        Some(rank) => and(format!("{name} = {value}"), number(value, rank)),
                        None => and(format!("attribute_not_exists({name})"), None),
                    }
                }
            }
        }
        Ok(condition)
    }

    /// From when on DynamoDB may forget the item, when some of its groups are these: when nothing depends on any of its
    /// groups. `None` where one of them stays, or is not known.
    fn forget(&self, newer: &[&Arriving]) -> Result<Option<i64>, Fault> {
        let grace = self.layout.shape.table().grace_ms;
        let mut latest = None;
        for group in 0..self.layout.shape.table().groups.len() {
            let arriving = newer.iter().find(|arriving| arriving.group == group);
            let (rank, end) = match (arriving, &self.seen) {
                (Some(arriving), _) => (Some(arriving.rank), arriving.expires_at),
                (None, Some(seen)) => (item::ranked(seen, group)?, item::end(seen, group)?),
                (None, None) => return Ok(None),
            };
            // A removal was before now.
            let moment = match (rank, end) {
                (None, _) => continue,
                (Some(rank), _) if rank % 2 == 0 => self.now,
                (Some(_), Some(end)) => end.max(self.now),
                (Some(_), None) => return Ok(None),
            };
            latest = latest.max(Some(forget_at(moment, grace)));
        }
        Ok(latest)
    }
}

impl DynamoDb {
    pub(crate) async fn place_all(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let (mut arrivals, mut named, mut bytes) = (Vec::with_capacity(rows.len()), BTreeSet::new(), 0);
        for placement in rows {
            let layout = self.layout(placement.table)?;
            let arrival = Arrival::of(layout.clone(), placement, now, &self.abilities)?;
            if !named.insert((placement.table, item::form(&layout, &arrival.key)?)) {
                return refuse::twice();
            }
            bytes += arrival.size();
            arrivals.push(arrival);
        }
        if together {
            refuse::together(rows.len(), bytes, &self.abilities)?;
            if arrivals.len() > 1 {
                let entries = arrivals.into_iter().map(Entry::Arrives).collect();
                return self.transact(entries, now).await.map(drop);
            }
        }
        let answers = stream::iter(arrivals).map(|arrival| self.arrive(arrival)).buffer_unordered(AT_ONCE);
        one_by_one(answers.collect().await)
    }

    /// Places one row.
    async fn arrive(&self, mut arrival: Arrival) -> Result<(), Fault> {
        for _ in 0..TRIES_MAX {
            let Some(write) = arrival.write()? else { return Ok(()) };
            match self.send(write).await? {
                Outcome::Done => return Ok(()),
                Outcome::Otherwise(seen) => arrival.seen = Some(seen.unwrap_or_default()),
            }
        }
        Err(overtaken())
    }
}

/// A placement that others overtake again and again.
pub(crate) fn overtaken() -> Fault {
    let cause = "a placed row changes faster than it can be looked at".into();
    Fault::Busy { scope: Scope::Key, after: Duration::from_millis(50), cause }
}
