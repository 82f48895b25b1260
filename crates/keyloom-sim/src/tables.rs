use std::sync::Arc;

use keyloom_store::{Abilities, Discipline, Fault, Shape, Step, TableId, Taking, taking};

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

    /// Takes a step, and says what that came to and for which table; nothing when it was taken already.
    pub(crate) fn apply(&mut self, step: &Step, abilities: &Abilities) -> Result<Option<(TableId, Taking)>, Fault> {
        let there: Vec<Arc<Shape>> = self.0.iter().flatten().cloned().collect();
        let taking = taking(&there, step, abilities)?;
        let name = step.table();
        let named = self.0.iter().position(|shape| shape.as_ref().is_some_and(|shape| shape.table().name == name));
        let at = named.unwrap_or(self.0.len());
        match &taking {
            Taking::Nothing => return Ok(None),
            Taking::Create(shape) => self.0.push(Some(Arc::new(shape.clone()))),
            Taking::Reshape(shape) => self.0[at] = Some(Arc::new(shape.clone())),
            Taking::Drop => self.0[at] = None,
        }
        let id = u32::try_from(at).map_err(|_| Fault::refused("too many tables"))?;
        Ok(Some((TableId(id), taking)))
    }
}
