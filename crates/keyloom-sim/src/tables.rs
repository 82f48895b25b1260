use std::sync::Arc;

use keyloom_store::{Abilities, Discipline, Fault, Shape, Step, TableId, steps};

/// The tables of a simulated store. A handle is never given twice.
#[derive(Debug, Default)]
pub(crate) struct Tables(Vec<Option<Arc<Shape>>>);

impl Tables {
    pub(crate) fn shape(&self, id: TableId) -> Result<Arc<Shape>, Fault> {
        let shape = self.0.get(id.0 as usize).and_then(Option::as_ref);
        shape.cloned().ok_or(Fault::Refused("there is no such table".into()))
    }

    pub(crate) fn all(&self) -> Vec<(TableId, Arc<Shape>)> {
        (0..).zip(&self.0).filter_map(|(id, shape)| Some((TableId(id), shape.clone()?))).collect()
    }

    /// The indexes of a table.
    pub(crate) fn indexes(&self, base: &Shape) -> Vec<(TableId, Arc<Shape>)> {
        let name = &base.table().name;
        let is_index = |shape: &Shape| matches!(&shape.table().discipline, Discipline::Indexed { of } if of == name);
        self.all().into_iter().filter(|(_, shape)| is_index(shape)).collect()
    }

    /// Takes a step, and says which table is gone with it.
    pub(crate) fn apply(&mut self, step: &Step, abilities: &Abilities) -> Result<Option<TableId>, Fault> {
        let position =
            |name: &str| self.0.iter().position(|shape| shape.as_ref().is_some_and(|shape| shape.table().name == name));
        match step {
            Step::Create(table) => {
                let there: Vec<Arc<Shape>> = self.0.iter().flatten().cloned().collect();
                steps(&there, std::slice::from_ref(table), abilities)?;
                if position(&table.name).is_none() {
                    self.0.push(Some(Arc::new(Shape::of(table.clone())?)));
                }
            }
            Step::AddColumn { table, .. } | Step::Extend { table, .. } => {
                let at = position(table).ok_or_else(|| Fault::refused(format!("there is no table `{table}`")))?;
                let Some(shape) = &self.0[at] else { return Ok(None) };
                self.0[at] = Some(Arc::new(Shape::of(step.changed(shape.table())?)?));
            }
            Step::Drop { table } => {
                let Some(at) = position(table) else { return Ok(None) };
                self.0[at] = None;
                return Ok(u32::try_from(at).ok().map(TableId));
            }
        }
        Ok(None)
    }
}
