use std::{sync::Arc, time::Duration};

use keyloom_store::{Define, Discipline, Fault, Row, Shape, Store, Table, TableId, steps};
use keyloom_value::{Kind, Value};

use super::{
    World,
    note::{Spot, Which},
};
use crate::desk::{Columns, Owned, done, table};

const NAMES: [&str; 4] = ["history_decided", "history_plain", "history_grouped", "history_batched"];

/// The tables of a history, as one store knows them.
#[derive(Debug, Clone)]
pub struct Tables {
    pub(super) decided: TableId,
    chain: Arc<Shape>,
    placed: [(TableId, Arc<Shape>); 3],
}

impl Tables {
    /// Makes the tables where they are not there yet. An engine in trouble is asked again: a step that was taken does
    /// nothing.
    ///
    /// # Panics
    /// When the store refuses, or is in trouble for too long.
    pub async fn open<S: Store + Define, W: World>(store: &S, world: &W) -> Self {
        let by_id = |name, discipline| table(name, discipline).by("id", Kind::Int);
        let placed = |name| by_id(name, Discipline::Placed).column("a", Kind::Int).column("b", Kind::Text);
        let [decided, plain, grouped, batched] = NAMES;
        let wanted = [
            by_id(decided, Discipline::Decided).column("chain", Kind::Bytes),
            placed(plain),
            placed(grouped).group().column("c", Kind::Int),
            placed(batched),
        ];
        let mut tries = 0;
        let there = loop {
            match defined(store, &wanted).await {
                Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) if tries < super::TRIES => tries += 1,
                answer => break done(answer),
            }
            world.pause(Duration::from_millis(super::PATIENCE_MILLIS)).await;
        };
        let [decided, plain, grouped, batched] = NAMES.map(|name| {
            let found = there.iter().find(|(_, shape)| shape.table().name == name);
            found.unwrap_or_else(|| panic!("a table that was created is described: `{name}`")).clone()
        });
        Self { decided: decided.0, chain: decided.1, placed: [plain, grouped, batched] }
    }

    fn of(&self, which: Which) -> &(TableId, Arc<Shape>) {
        &self.placed[which as usize]
    }

    pub(super) fn id(&self, which: Which) -> TableId {
        self.of(which).0
    }

    /// How many column groups a table has.
    pub(super) fn groups(&self, which: Which) -> usize {
        self.of(which).1.table().groups.len()
    }

    /// The tokens in a decided row, the first one first.
    pub(super) fn tokens(&self, row: &Row) -> Result<Vec<u64>, String> {
        let at = self.chain.column("chain").ok_or("no column")?;
        match row.value(&self.chain, at).map_err(|malformed| malformed.to_string())? {
            Value::Bytes(bytes) if bytes.len() % 8 == 0 => {
                Ok(bytes.as_chunks().0.iter().map(|token| u64::from_be_bytes(*token)).collect())
            }
            other => Err(format!("a chain is not made of tokens: {other:?}")),
        }
    }

    /// The version of a column group that is there, or why it is not what was ever placed.
    pub(super) fn version(&self, spot: Spot, row: Option<&Row>) -> Result<Option<u64>, String> {
        let Some(row) = row else { return Ok(None) };
        let (_, shape) = self.of(spot.table);
        // Nothing in a history ends by itself, so any moment will do.
        let seen = crate::Seen::read(row, shape, crate::NOW)?;
        let Some(group) = &seen.groups[spot.group] else { return Ok(None) };
        if group.values == values(spot.group, group.version) {
            return Ok(Some(group.version));
        }
        Err(format!("{spot:?} is mixed from several versions: {group:?}"))
    }
}

/// Takes all steps to these tables; what is there then.
async fn defined<S: Store + Define>(store: &S, wanted: &[Table]) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
    let there: Vec<Arc<Shape>> = store.describe().await?.into_iter().map(|(_, shape)| shape).collect();
    for step in steps(&there, wanted, store.abilities())? {
        store.apply(&step).await?;
    }
    store.describe().await
}

pub(super) fn key(row: u64) -> [Owned; 1] {
    [Value::Int(row.cast_signed())]
}

/// The bytes of a chain.
pub(super) fn chain(tokens: &[u64]) -> [Owned; 1] {
    [Value::from(tokens.iter().flat_map(|token| token.to_be_bytes()).collect::<Vec<u8>>())]
}

/// What a version of a column group holds: two puts of one version are equal. Absent values are among them.
pub(super) fn values(group: usize, version: u64) -> Vec<Owned> {
    let number = Value::Int(version.cast_signed());
    let text = if version.is_multiple_of(2) { Value::Null } else { Value::from(format!("version {version}")) };
    if group == 0 { vec![number, text] } else { vec![number] }
}
