//! `get` and `get_many`.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use aws_sdk_dynamodb::types::{ConsumedCapacity, KeysAndAttributes, ReturnConsumedCapacity};
use keyloom_store::{Cost, Fault, Freshness, Get, Got, Millis, Scope, TableId, refuse};

use crate::{
    fault::Call,
    item::{self, Item},
    layout::Layout,
    store::DynamoDb,
};

/// As many keys as a batch takes.
const BATCH_MAX: usize = 100;

/// How often keys that a batch did not come to are asked for again when none was answered, and how long the first pause
/// is; each is twice the one before.
const TRIES_MAX: u32 = 6;
const PAUSE: Duration = Duration::from_millis(20);

/// What a read of one row answers.
fn got(layout: &Layout, found: Option<&Item>, now: Millis, milliunits: u64) -> Result<Got, Fault> {
    let Some(found) = found else {
        return Ok(Got { row: None, cost: Cost { rows: 1, milliunits, ..Cost::default() } });
    };
    let found = item::row(layout, found, now)?;
    let cost = Cost { rows: 1, bytes: found.bytes, leftovers: found.leftover.into(), milliunits };
    Ok(Got { row: found.there.then_some(found.row), cost })
}

/// The engine's units in thousandths.
pub(crate) fn milliunits(capacity: Option<&ConsumedCapacity>) -> u64 {
    let units = capacity.and_then(ConsumedCapacity::capacity_units).unwrap_or_default();
    // A read never has so many that a float could not count them.
    (units * 1_000.0).round() as u64
}

/// Whether a read must have seen every acknowledged write.
pub(crate) fn consistent(freshness: Freshness) -> bool {
    freshness != Freshness::Any
}

/// One key of a batch: which of those that were asked for it answers.
struct Asked {
    key: Item,
    /// The attributes in an order, to find the item among those that come back.
    name: Vec<u8>,
    positions: Vec<usize>,
}

impl DynamoDb {
    pub(crate) async fn get_one(&self, at: &Get<'_>) -> Result<Got, Fault> {
        let layout = self.layout(at.table)?;
        refuse::get(&layout.shape, at)?;
        let key = item::key(&layout, at.key, &self.abilities)?;
        let call = self
            .client
            .get_item()
            .table_name(&layout.table)
            .set_key(Some(key))
            .consistent_read(consistent(at.freshness))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = call.send().await.map_err(|error| self.fault(&layout, Call::Read, &error))?;
        got(&layout, answer.item(), at.now, milliunits(answer.consumed_capacity()))
    }

    pub(crate) async fn get_all(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        if let [one] = at {
            return vec![self.get_one(one).await];
        }
        let mut answers: Vec<Option<Result<Got, Fault>>> = vec![None; at.len()];
        // A key is asked for once, however often it was named: DynamoDB refuses a batch that names one twice.
        let mut groups: BTreeMap<(TableId, bool), BTreeMap<Vec<u8>, Asked>> = BTreeMap::new();
        for (position, one) in at.iter().enumerate() {
            match self.asked(one) {
                Ok((key, name)) => {
                    let group = groups.entry((one.table, consistent(one.freshness))).or_default();
                    let asked = group.entry(name.clone()).or_insert(Asked { key, name, positions: Vec::new() });
                    asked.positions.push(position);
                }
                Err(fault) => answers[position] = Some(Err(fault)),
            }
        }
        for ((table, consistent), keys) in groups {
            let keys: Vec<Asked> = keys.into_values().collect();
            for keys in keys.chunks(BATCH_MAX) {
                self.batch(table, consistent, keys, at, &mut answers).await;
            }
        }
        let unanswered = || Err(Fault::NotDone("DynamoDB did not answer for this key".into()));
        answers.into_iter().map(|answer| answer.unwrap_or_else(unanswered)).collect()
    }

    fn asked(&self, at: &Get<'_>) -> Result<(Item, Vec<u8>), Fault> {
        let layout = self.layout(at.table)?;
        refuse::get(&layout.shape, at)?;
        let name = keyloom_value::key::encode(at.key, layout.shape.key_parts())?;
        Ok((item::key(&layout, at.key, &self.abilities)?, name))
    }

    /// Asks for keys of one table until all are answered, or patience ends.
    async fn batch(
        &self,
        table: TableId,
        consistent: bool,
        keys: &[Asked],
        at: &[Get<'_>],
        answers: &mut [Option<Result<Got, Fault>>],
    ) {
        let fail = |answers: &mut [Option<Result<Got, Fault>>], fault: &Fault| {
            for position in keys.iter().flat_map(|asked| &asked.positions) {
                answers[*position].get_or_insert_with(|| Err(fault.clone()));
            }
        };
        let layout = match self.layout(table) {
            Ok(layout) => layout,
            Err(fault) => return fail(answers, &fault),
        };
        let mut left: Vec<Item> = keys.iter().map(|asked| asked.key.clone()).collect();
        let (mut found, mut units, mut tries) = (HashMap::new(), 0, 0);
        while !left.is_empty() && tries < TRIES_MAX {
            if tries > 0 {
                tokio::time::sleep(PAUSE * 2u32.pow(tries - 1)).await;
            }
            let asked = left.len();
            let wanted = KeysAndAttributes::builder().set_keys(Some(left)).consistent_read(consistent).build();
            let wanted = match wanted {
                Ok(wanted) => wanted,
                Err(error) => return fail(answers, &Fault::refused(error.to_string())),
            };
            let call = self
                .client
                .batch_get_item()
                .request_items(&layout.table, wanted)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let mut answer = match call.send().await {
                Ok(answer) => answer,
                Err(error) => return fail(answers, &self.fault(&layout, Call::Read, &error)),
            };
            units += answer.consumed_capacity().iter().map(|one| milliunits(Some(one))).sum::<u64>();
            for item in answer.responses.iter_mut().flat_map(HashMap::drain).flat_map(|(_, items)| items) {
                match item::form(&layout, &item) {
                    Ok(name) => found.insert(name, item),
                    Err(fault) => return fail(answers, &fault),
                };
            }
            let unprocessed = answer.unprocessed_keys.into_iter().flatten();
            left = unprocessed.flat_map(|(_, unprocessed)| unprocessed.keys).collect();
            // A batch ends early by its size too: that is no reason to wait.
            tries = if left.len() < asked { 0 } else { tries + 1 };
        }
        let after = Duration::from_millis(100);
        let busy =
            Fault::Busy { scope: Scope::Table, after, cause: "DynamoDB left keys of a batch unprocessed".into() };
        if !left.is_empty() {
            self.count(&layout, &busy);
        }
        // What the batch took is divided among its keys; the first has what can't be.
        let (each, rest) = (units / keys.len().max(1) as u64, units % keys.len().max(1) as u64);
        for (number, asked) in keys.iter().enumerate() {
            let unanswered = left.contains(&asked.key);
            for (nth, position) in asked.positions.iter().enumerate() {
                let units = if nth == 0 { each + if number == 0 { rest } else { 0 } } else { 0 };
                answers[*position] = Some(if unanswered {
                    Err(busy.clone())
                } else {
                    got(&layout, found.get(&asked.name), at[*position].now, units)
                });
            }
        }
    }
}
