//! The tables that this store knows, by their handles.

use std::sync::Arc;

use keyloom_store::{Fault, Shape, TableId};

use crate::{ready::Ready, records::Record};

/// A table as it was when it was last described.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) made: [u8; 16],
    pub(crate) version: i64,
    pub(crate) table: Arc<Ready>,
}

/// A handle is a position, and stays empty when its table is gone.
#[derive(Default)]
pub(crate) struct Tables(Vec<Option<Known>>);

impl Tables {
    pub(crate) fn get(&self, id: TableId) -> Result<&Arc<Ready>, Fault> {
        let known = self.0.get(id.0 as usize).and_then(Option::as_ref);
        known.map(|known| &known.table).ok_or(Fault::Refused("there is no such table".into()))
    }

    /// A table that has not changed since it was made ready.
    pub(crate) fn current(&self, record: &Record) -> Option<Known> {
        let same = |known: &&Known| known.is(record.made, &record.table.name) && known.version == record.version;
        self.0.iter().flatten().find(same).cloned()
    }

    /// From now on these are the tables that are there.
    pub(crate) fn replace(&mut self, there: Vec<Known>) -> Vec<(TableId, Arc<Shape>)> {
        let mut described = Vec::with_capacity(there.len());
        let mut slots: Vec<Option<Known>> = self.0.iter().map(|_| None).collect();
        for known in there {
            let name = &known.table.shape.table().name;
            let slot = self.0.iter().position(|slot| slot.as_ref().is_some_and(|slot| slot.is(known.made, name)));
            let shape = known.table.shape.clone();
            let at = slot.unwrap_or(slots.len());
            slots.resize_with(slots.len().max(at + 1), || None);
            slots[at] = Some(known);
            described.push((TableId(u32::try_from(at).unwrap_or(u32::MAX)), shape));
        }
        self.0 = slots;
        described
    }

    pub(crate) fn forget(&mut self, name: &str) {
        let named = self.0.iter_mut().find(|slot| slot.as_ref().is_some_and(|it| it.table.shape.table().name == name));
        if let Some(slot) = named {
            *slot = None;
        }
    }
}

impl Known {
    fn is(&self, made: [u8; 16], name: &str) -> bool {
        self.made == made && self.table.shape.table().name == name
    }
}
