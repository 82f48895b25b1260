use keyloom_model::{Direction, Entity, Expiry, Fill, Origin};
use keyloom_store::{Column, Discipline, Shape, SortColumn};
use keyloom_value::Kind;

use super::{EntityPlan, NotYet, Program, Projection, Reservation, Source, column, grace_ms, table};
use crate::{
    carry::Companions,
    evaluate,
    layout::{Holds, Layout, TableLayout},
    record,
};

/// The words of an entity that are not run yet.
fn not_yet(entity: &Entity) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut say = |words: &str| found.push(words.to_owned());
    match entity.origin {
        Origin::Declared => {}
        Origin::Elsewhere => say("`source: elsewhere`"),
        Origin::Rollup(_) => say("rollups"),
        Origin::History { .. } => say("`history`"),
        Origin::Event { .. } => say("`emits`"),
    }
    if entity.key.is_empty() {
        say("`key: none`");
    }
    if entity.append_only {
        say("`append_only`");
    }
    if entity.part_of.is_some() {
        say("`part_of`");
    }
    if matches!(entity.expires, Some(Expiry::At(_))) {
        say("`expires`");
    }
    if entity.unique.iter().any(|unique| unique.filter.is_some()) {
        say("`unique .. where`");
    }
    for field in &entity.fields {
        let name = &field.name;
        match &field.fill {
            Fill::Taken | Fill::New | Fill::NowOnWrite => {}
            Fill::Default(expr) | Fill::Derived(expr) => found.extend(evaluate::not_yet(expr, entity)),
            Fill::Next { .. } => found.push(format!("`{name}`: sequences")),
            Fill::Snapshot(_) => found.push(format!("`{name}`: `at create`")),
            Fill::Kept(_) => found.push(format!("`{name}`: kept fields")),
        }
        if field.reference.as_ref().is_some_and(|reference| reference.must_exist) {
            found.push(format!("`{name}`: `must exist`"));
        }
    }
    found
}

impl Program {
    pub(super) fn entity(&mut self, entity: &Entity, layout: &Layout, found: &mut Vec<NotYet>) {
        let at = format!("entities.{}", entity.name);
        let mut say = |what: String| found.push(NotYet { at: at.clone(), what });
        let words = not_yet(entity);
        if !words.is_empty() {
            words.into_iter().for_each(say);
            return;
        }
        let fields: Vec<(String, Kind)> =
            entity.fields.iter().map(|field| (field.name.clone(), Kind::of(&field.ty, &self.catalog))).collect();
        let of = |holds: &Holds| match holds {
            Holds::Source { entity } | Holds::Projection { entity } | Holds::Reservations { entity, .. } => {
                entity.clone()
            }
        };
        let mut plan = EntityPlan {
            name: entity.name.clone(),
            key: entity.key.iter().filter_map(|key| fields.iter().position(|(name, _)| name == key)).collect(),
            fields,
            source: Source {
                table: usize::MAX,
                key: Vec::new(),
                own: Vec::new(),
                columns: Vec::new(),
                companions: self.companions,
            },
            projections: Vec::new(),
            reservations: Vec::new(),
        };
        for laid in layout.tables.iter().filter(|laid| of(&laid.holds) == entity.name) {
            if let Err(what) = self.table(&mut plan, laid, entity) {
                say(format!("the layout's table `{}`: {what}", laid.name));
            }
        }
        if plan.source.table == usize::MAX {
            say("the layout has no table for it".to_owned());
        }
        for unique in &entity.unique {
            if !plan.reservations.iter().any(|known| known.unique == unique.name) {
                say(format!("the layout has no table for its unique `{}`", unique.name));
            }
        }
        self.entities.push(plan);
    }

    /// Makes one table of the layout, and says in the plan what is where.
    fn table(&mut self, plan: &mut EntityPlan, laid: &TableLayout, entity: &Entity) -> Result<(), String> {
        let grace_ms = grace_ms(self.retries_ms());
        let at = |name: &String| plan.field(name).ok_or_else(|| format!("there is no field `{name}`"));
        let fields = |names: &[String]| names.iter().map(at).collect::<Result<Vec<usize>, String>>();
        let columns = |of: &[usize]| -> Vec<Column> {
            of.iter().map(|field| column(&plan.fields[*field].0, plan.fields[*field].1.clone())).collect()
        };
        let partition = fields(&laid.partition)?;
        let sorted: Vec<String> = laid.sort.iter().map(|(name, _)| name.clone()).collect();
        let sort = fields(&sorted)?;
        let own = fields(&laid.fields)?;
        let key: Vec<usize> = partition.iter().chain(&sort).copied().collect();
        let sort_columns = columns(&sort)
            .into_iter()
            .zip(&laid.sort)
            .map(|(column, (_, direction))| SortColumn {
                name: column.name,
                kind: column.kind,
                descending: *direction == Direction::Descending,
            })
            .collect();
        let (discipline, columns_of_it) = match &laid.holds {
            Holds::Source { .. } => (Discipline::Decided, [record::columns(self.companions), columns(&own)].concat()),
            Holds::Projection { .. } => match self.companions {
                Companions::Ride => (Discipline::Carried, columns(&own)),
                Companions::Follow => (Discipline::Placed, columns(&own)),
            },
            Holds::Reservations { .. } => {
                let owner = |column: Column| Column { name: format!("kl_owner_{}", column.name), ..column };
                (Discipline::Decided, columns(&plan.key).into_iter().map(owner).collect())
            }
        };
        let made = table(&laid.name, discipline, columns(&partition), sort_columns, columns_of_it);
        let made = keyloom_store::Table { grace_ms, ..made };
        let shape = Shape::of(made.clone()).map_err(|fault| fault.cause().to_owned())?;
        let places = plan.fields.iter().map(|(name, _)| shape.column(name)).collect::<Vec<_>>();
        let table = self.tables.len();
        match &laid.holds {
            Holds::Source { .. } => {
                let identity = |field: &usize| plan.key.contains(field);
                if key.len() != plan.key.len() || !key.iter().all(identity) {
                    return Err("its key is not the key of the entity".to_owned());
                }
                let missing = plan.fields.iter().zip(&places).find(|(_, place)| place.is_none());
                if let Some(((name, _), _)) = missing {
                    return Err(format!("it lacks the field `{name}`"));
                }
                let columns = places.into_iter().flatten().collect();
                plan.source = Source { table, key, own, columns, companions: self.companions };
            }
            Holds::Projection { .. } => {
                if plan.key.iter().any(|field| !key.contains(field)) {
                    return Err("its key lacks a part of the entity's key, so two rows would be one".to_owned());
                }
                plan.projections.push(Projection { table, key, own, columns: places });
            }
            Holds::Reservations { unique, .. } => {
                let known = entity.unique.iter().find(|known| known.name == *unique);
                if known.is_none_or(|known| known.fields != laid.partition || !laid.sort.is_empty()) {
                    return Err(format!("it is not keyed by the fields of the unique `{unique}`"));
                }
                plan.reservations.push(Reservation { table, unique: unique.clone(), fields: key });
            }
        }
        self.tables.push(made);
        Ok(())
    }
}
