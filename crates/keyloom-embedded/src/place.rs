use bytes::Bytes;
use keyloom_store::{Fault, Millis, Placement, Placing, Row, RowBuilder, Section, Shape, State, refuse};

use crate::{
    shared::Shared,
    tables::OpenTable,
    write::{Named, Outcome},
};

/// A placement as the row it would be if nothing stood there.
pub(crate) struct Placed(Bytes);

impl Placed {
    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }
}

impl Shared {
    pub(crate) fn place_now(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        if let [row] = rows {
            return self.place_one(row, now);
        }
        let mut placements = Vec::with_capacity(rows.len());
        let mut bytes = 0;
        for row in rows {
            let (named, placed) = self.placement(row, now)?;
            bytes += (named.key.len() + placed.0.len()) as u64;
            placements.push((named, placed));
        }
        if together {
            refuse::together(rows.len(), bytes, &self.abilities)?;
        }
        self.admit(placements.iter().map(|(named, _)| named.table), bytes)?;
        let locks = self.lock_rows(placements.iter().map(|(named, _)| named))?;
        let mut outcomes = Vec::with_capacity(rows.len());
        let read = self.stored_in_one_partition(placements.iter().map(|(named, _)| named))?;
        for (Named { table, key, .. }, placed) in placements {
            let old = match &read {
                Some(read) => read.find(&key),
                None => self.stored(table, &key)?,
            };
            if let Some(body) = self.merged(table, &key, old, placed)? {
                outcomes.push(Outcome { table, key, body: Some(body) });
            }
        }
        self.commit(outcomes)?;
        drop(locks);
        Ok(())
    }

    fn place_one(&self, row: &Placement<'_>, now: Millis) -> Result<(), Fault> {
        let (named, placed) = self.placement(row, now)?;
        self.admit(std::iter::once(named.table), (named.key.len() + placed.0.len()) as u64)?;
        let lock = self.lock_row(&named);
        let Named { table, key, .. } = named;
        let old = self.stored(table, &key)?;
        if let Some(body) = self.merged(table, &key, old, placed)? {
            self.commit_one(Outcome { table, key, body: Some(body) })?;
        }
        drop(lock);
        Ok(())
    }

    fn placement(&self, row: &Placement<'_>, now: Millis) -> Result<(Named<'_>, Placed), Fault> {
        let table = self.tables.get(row.table)?;
        let shape = table.shape();
        refuse::placement(shape, row)?;
        let key = self.key(shape, row.key)?;
        let placed = self.placed(shape, &key.bytes, &row.placing, now)?;
        Ok((Named::new(table, key), placed))
    }

    /// Encodes a placement.
    pub(crate) fn placed(
        &self,
        shape: &Shape,
        key: &[u8],
        placing: &Placing<'_>,
        now: Millis,
    ) -> Result<Placed, Fault> {
        let mut body = RowBuilder::new();
        for (group, columns) in shape.table().groups.iter().enumerate() {
            match placing {
                Placing::Put { groups, expires_at } => match groups.iter().find(|image| image.group == group) {
                    Some(image) => body.put(image.version, *expires_at, &columns.columns, image.values)?,
                    None => body.keep(&Section::NEVER),
                },
                Placing::Remove { groups } => match groups.iter().find(|(removed, _)| *removed == group) {
                    Some((_, version)) => body.removed(*version, now),
                    None => body.keep(&Section::NEVER),
                },
            }
        }
        let body = body.finish();
        refuse::row_size(shape, key.len() + body.len(), &self.abilities)?;
        Ok(Placed(body))
    }

    /// The body after a placement on what is stored; `None` when it changes nothing. The caller holds the lock.
    pub(crate) fn merged(
        &self,
        table: &OpenTable,
        key: &Bytes,
        old: Option<Row>,
        placed: Placed,
    ) -> Result<Option<Bytes>, Fault> {
        let Some(old) = old else { return Ok(Some(placed.0)) };
        let new = Row::new(Bytes::new(), placed.0);
        let shape = table.shape();
        let groups = shape.table().groups.len();
        let (mut body, mut won) = (RowBuilder::new(), 0);
        for group in 0..groups {
            let (standing, arriving) = (old.section(group)?, new.section(group)?);
            if wins(&arriving, &standing) {
                won += 1;
                body.keep(&arriving);
            } else {
                body.keep(&standing);
            }
        }
        match won {
            0 => Ok(None),
            _ if won == groups => Ok(Some(new.body_bytes().clone())),
            _ => {
                let body = body.finish();
                refuse::row_size(shape, key.len() + body.len(), &self.abilities)?;
                Ok(Some(body))
            }
        }
    }
}

fn wins(arriving: &Section<'_>, standing: &Section<'_>) -> bool {
    match arriving.state {
        State::Never => false,
        State::Put { .. } => standing.yields_to(arriving.version, false),
        State::Removed { .. } => standing.yields_to(arriving.version, true),
    }
}
