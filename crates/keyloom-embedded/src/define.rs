use std::sync::{Arc, PoisonError};

use fjall::KeyspaceCreateOptions;
use keyloom_store::{Fault, Millis, Shape, Step, Table, TableId, steps};

use crate::{
    embedded::Shared,
    schema::{Schema, Stored, keyspace_name},
    tables::OpenTable,
};

impl Shared {
    pub(crate) fn described(&self) -> Vec<(TableId, Arc<Shape>)> {
        self.tables.all().map(|table| (table.id, table.shape().clone())).collect()
    }

    /// Takes a step. One at a time: the schema's lock is held.
    pub(crate) fn take(&self, step: &Step) -> Result<(), Fault> {
        let mut schema = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        match step {
            Step::Create(table) => self.create(table, &mut schema),
            Step::AddColumn { table, .. } | Step::Extend { table, .. } => {
                let open = self.named(table).ok_or_else(|| Fault::refused(format!("there is no table `{table}`")))?;
                let changed = step.changed(open.shape().table())?;
                if changed == *open.shape().table() {
                    return Ok(());
                }
                let shape = Arc::new(Shape::of(changed)?);
                self.store(&mut schema, |schema| {
                    if let Some(stored) = schema.tables.iter_mut().find(|stored| stored.number == open.number) {
                        stored.table = shape.table().clone();
                    }
                })?;
                open.reshape(shape);
                Ok(())
            }
            Step::Drop { table } => {
                let Some(open) = self.named(table) else { return Ok(()) };
                // First the schema: a tree without a table is swept away at the next start, a table without a tree is
                // damage.
                self.store(&mut schema, |schema| schema.tables.retain(|stored| stored.number != open.number))?;
                open.drop_table();
                let deleted = open.keyspace.clear().and_then(|()| self.engine.delete_keyspace(open.keyspace.clone()));
                deleted.map_err(|error| {
                    Fault::Unknown(format!("the table's files stay until the next start: {error}").into())
                })
            }
        }
    }

    fn create(&self, table: &Table, schema: &mut Schema) -> Result<(), Fault> {
        let there: Vec<Arc<Shape>> = self.tables.all().map(|table| table.shape().clone()).collect();
        steps(&there, std::slice::from_ref(table), &self.abilities)?;
        if self.named(&table.name).is_some() {
            return Ok(());
        }
        let shape = Arc::new(Shape::of(table.clone())?);
        let number = schema.next;
        let keyspace = self.engine.keyspace(&keyspace_name(number), KeyspaceCreateOptions::default);
        let keyspace = keyspace.map_err(|error| Fault::Unknown(format!("no tree could be made: {error}").into()))?;
        let tree = keyspace.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.store(schema, |schema| {
            schema.next = number + 1;
            schema.tables.push(Stored { number, tree, table: table.clone() });
        })?;
        self.tables.add(number, keyspace, shape, Millis(i64::MAX))
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
