//! The tables that this store value has seen, and the handles it gave them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyloom_store::{Discipline, Fault, Shape, TableId};

use crate::layout::Layout;

/// A table that is there: what it is called, which of its name it is, what it looks like.
#[derive(Debug, Clone)]
pub(crate) struct There {
    /// A table that is dropped and made again is another one.
    pub born: u64,
    /// As it was defined.
    pub shape: Arc<Shape>,
}

/// All tables, by their handles. A handle is given when a table is first seen, and never to another one.
#[derive(Debug, Default)]
pub(crate) struct Tables(Mutex<Vec<Slot>>);

#[derive(Debug)]
struct Slot {
    name: String,
    born: u64,
    layout: Option<Arc<Layout>>,
}

impl Tables {
    /// The table of a handle.
    pub(crate) fn layout(&self, table: TableId) -> Result<Arc<Layout>, Fault> {
        let slots = self.slots();
        let layout = slots.get(table.0 as usize).and_then(|slot| slot.layout.clone());
        layout.ok_or(Fault::Refused("there is no such table".into()))
    }

    /// Takes note of what is there now, and says under which handles.
    pub(crate) fn refresh(&self, prefix: &str, there: &[There]) -> Vec<(TableId, Arc<Shape>)> {
        let mut slots = self.slots();
        for slot in slots.iter_mut() {
            slot.layout = None;
        }
        for (table, layout) in there.iter().zip(layouts(prefix, there)) {
            let name = &table.shape.table().name;
            match slots.iter_mut().find(|slot| slot.name == *name && slot.born == table.born) {
                Some(slot) => slot.layout = Some(layout),
                None => slots.push(Slot { name: name.clone(), born: table.born, layout: Some(layout) }),
            }
        }
        let described = (0..).zip(slots.iter());
        described.filter_map(|(id, slot)| Some((TableId(id), slot.layout.as_ref()?.shape.clone()))).collect()
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        // Nothing panics while it holds the lock; if something did, the list is still whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the tables lie in DynamoDB, in the order given; an index whose table is not there lies nowhere, and is left to the
/// engine to refuse.
fn layouts(prefix: &str, there: &[There]) -> Vec<Arc<Layout>> {
    let bare = |shape: &Arc<Shape>| Layout::of(prefix, shape.clone(), Vec::new());
    let index_of = |shape: &Arc<Shape>, base: &Layout| Arc::new(Layout::of_index(shape.clone(), base));
    let layout = |table: &There| {
        if let Discipline::Indexed { of } = &table.shape.table().discipline {
            let base = there.iter().find(|base| base.shape.table().name == *of);
            return base
                .map_or_else(|| Arc::new(bare(&table.shape)), |base| index_of(&table.shape, &bare(&base.shape)));
        }
        let base = bare(&table.shape);
        let stands = |index: &&There| matches!(&index.shape.table().discipline, Discipline::Indexed { of } if *of == table.shape.table().name);
        let indexes = there.iter().filter(stands).map(|index| index_of(&index.shape, &base)).collect();
        Arc::new(Layout { indexes, ..base })
    };
    there.iter().map(layout).collect()
}
