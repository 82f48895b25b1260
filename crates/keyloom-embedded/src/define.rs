use std::sync::{Arc, PoisonError, atomic::Ordering};

use keyloom_store::{Fault, Millis, Shape, Step, TableId, Taking, taking};

use crate::{
    schema::{Schema, Stored, keyspace_name, keyspace_options},
    shared::Shared,
    tables::OpenTable,
};

impl Shared {
    pub(crate) fn described(&self) -> Vec<(TableId, Arc<Shape>)> {
        self.tables.all().map(|table| (table.id, table.shape().clone())).collect()
    }

    /// Takes a step. One at a time: the schema's lock is held.
    pub(crate) fn take(&self, step: &Step) -> Result<(), Fault> {
        let mut schema = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        let there: Vec<Arc<Shape>> = self.tables.all().map(|table| table.shape().clone()).collect();
        match (taking(&there, step, &self.abilities)?, self.named(step.table())) {
            (Taking::Create(shape), _) => self.create(shape, &mut schema),
            (Taking::Reshape(shape), Some(open)) => self.reshape(open, shape, &mut schema),
            (Taking::Drop, Some(open)) => self.drop_table(open, &mut schema),
            _ => Ok(()),
        }
    }

    fn reshape(&self, open: &OpenTable, shape: Shape, schema: &mut Schema) -> Result<(), Fault> {
        self.store(schema, |schema| {
            if let Some(stored) = schema.tables.iter_mut().find(|stored| stored.number == open.number) {
                stored.table = shape.table().clone();
            }
        })?;
        open.reshape(Arc::new(shape));
        Ok(())
    }

    fn create(&self, shape: Shape, schema: &mut Schema) -> Result<(), Fault> {
        let number = schema.next;
        let keyspace = self.engine.keyspace(&keyspace_name(number), keyspace_options);
        let keyspace = keyspace.map_err(|error| Fault::Unknown(format!("no tree could be made: {error}").into()))?;
        let tree = keyspace.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.store(schema, |schema| {
            schema.next = number + 1;
            schema.tables.push(Stored { number, tree, table: shape.table().clone() });
        })?;
        self.tables.add(number, keyspace, Arc::new(shape), Millis(i64::MAX))
    }

    fn drop_table(&self, open: &OpenTable, schema: &mut Schema) -> Result<(), Fault> {
        // First the schema: a tree without a table is swept away at the next start, a table without a tree is damage.
        self.store(schema, |schema| schema.tables.retain(|stored| stored.number != open.number))?;
        open.drop_table();
        // Whoever writes to it now has looked before; afterwards nobody does.
        self.stripes.wait_for_all();
        self.memory.take(open.in_memory.swap(0, Ordering::Relaxed));
        let deleted = open.keyspace.clear().and_then(|()| self.engine.delete_keyspace(open.keyspace.clone()));
        deleted.map_err(|error| Fault::Unknown(format!("the table's files stay until the next start: {error}").into()))
    }

    fn named(&self, name: &str) -> Option<&OpenTable> {
        self.tables.all().find(|table| table.shape().table().name == name)
    }

    /// Changes the schema in the folder, then here.
    fn store(&self, schema: &mut Schema, change: impl FnOnce(&mut Schema)) -> Result<(), Fault> {
        let mut changed = schema.clone();
        change(&mut changed);
        let written = changed.write(self.folder.path());
        written.map_err(|error| Fault::Unknown(format!("the schema could not be written: {error}").into()))?;
        *schema = changed;
        Ok(())
    }
}
