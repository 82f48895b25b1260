//! Copies: which columns of a list are fields of other rows, and who must follow when those change.

use keyloom_model::{
    Class, Path, Root,
    layout::{Holds, Table as Laid},
};
use keyloom_plan::{Program as Planned, copied_column};
use keyloom_store::{ColumnAt, Shape};
use keyloom_value::Kind;

use super::{Bound, EntityPlan, NotYet, Program, Support, one};

/// A field of another row that a row of a list holds.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    pub(crate) path: Path,
    /// Whose row it is of.
    pub(crate) entity: usize,
    /// The own fields that the key of its source equals.
    pub(crate) fields: Vec<usize>,
    /// The field there, and its kind.
    pub(crate) from: usize,
    pub(crate) kind: Kind,
    /// Which column of the root group it is here.
    pub(crate) column: usize,
}

impl Copied {
    /// Where it stands in its table.
    pub(crate) fn at(&self) -> ColumnAt {
        ColumnAt::Cell { group: 0, column: self.column }
    }
}

/// Rows that hold fields of those of an entity.
#[derive(Debug, Clone)]
pub(crate) struct Copiers {
    pub(crate) rows: Support,
    /// The fields that they hold.
    pub(crate) fields: Vec<usize>,
}

impl Program {
    /// Says of each list what it copies, and of the others who copies from them.
    pub(super) fn copies(&mut self, planned: &Planned, found: &mut Vec<NotYet>) {
        let first = planned.system.len();
        for (at, laid) in planned.layout.tables.iter().enumerate().filter(|(_, laid)| !laid.copies.is_empty()) {
            if let Err(words) = self.copies_in(first + at, laid, planned) {
                let at = format!("tables.{}", laid.name);
                found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
            }
        }
    }

    fn copies_in(&mut self, table: usize, laid: &Laid, planned: &Planned) -> Bound<()> {
        let Holds::Projection { entity, .. } = &laid.holds else { return one("`copies`") };
        let (at, plan, entity) = self.target(entity)?;
        if plan.source.hidden.is_none() {
            return one("`copies` in rows that are only added: write `looks_up` in the path");
        }
        let made = self.tables.get(table).ok_or_else(Vec::new)?;
        let shape = Shape::of(made.clone()).map_err(|fault| vec![fault.cause().to_owned()])?;
        let mut copies = Vec::new();
        for copied in &laid.copies {
            let path = &copied.path;
            let Root::Reference { field, entity: other } = &path.root else { return one(format!("`copies: {path}`")) };
            if *other == entity.name {
                return one(format!("`{path}`: a copy of another {other}: write `looks_up` in the path"));
            }
            let (to, source, declared) = self.target(other)?;
            if declared.class(&self.catalog).0 != Class::Decided {
                return one(format!("`{path}`: a copy of rows that nobody decides"));
            }
            let reference = entity.field(field).ok_or_else(Vec::new)?;
            let (_, fields) = self.joined(plan, entity, reference, declared).ok_or_else(Vec::new)?;
            let from = source.field(&path.field).ok_or_else(Vec::new)?;
            let Some(ColumnAt::Cell { column, .. }) = shape.column(&copied_column(path)) else {
                return one(format!("`{path}` in two columns of one name"));
            };
            let kind = source.fields[from].1.clone();
            let rows = self.support(to, entity, reference, planned)?;
            copies.push((Copied { path: path.clone(), entity: to, fields, from, kind, column }, rows));
        }
        for (copied, rows) in copies {
            self.copied_by(&copied, rows);
            let lists = &mut self.entities[at].projections;
            if let Some(list) = lists.iter_mut().find(|list| list.table == table) {
                list.copies.push(copied);
            }
        }
        Ok(())
    }

    fn copied_by(&mut self, copied: &Copied, rows: Support) {
        let copiers = &mut self.entities[copied.entity].copied_by;
        let same = |known: &&mut Copiers| known.rows.entity == rows.entity && known.rows.through == rows.through;
        match copiers.iter_mut().find(same) {
            Some(known) if known.fields.contains(&copied.from) => {}
            Some(known) => known.fields.push(copied.from),
            None => copiers.push(Copiers { rows, fields: vec![copied.from] }),
        }
    }
}

impl EntityPlan {
    /// Whether its rows hold fields of others anywhere.
    pub(crate) fn copies(&self) -> bool {
        self.projections.iter().any(|list| !list.copies.is_empty())
    }
}
