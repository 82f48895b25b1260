use keyloom_model::{
    Catalog, Class, Entity, Expiry, Fill, Origin,
    layout::{Counted, Holds, Part, Table as Laid},
};
use keyloom_plan::{ALL_COLUMN, Program as Planned, absent_column as flag, bucket_column, is_index, shown_column};
use keyloom_store::{Discipline, Shape};
use keyloom_value::Kind;

use super::{EntityPlan, Hidden, Index, KeyPart, NotYet, Program, Projection, Reservation, Source};
use crate::evaluate;

/// The words of an entity that are not run yet.
fn not_yet(entity: &Entity, catalog: &Catalog) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut say = |words: &str| found.push(words.to_owned());
    match entity.class(catalog).0 {
        _ if entity.origin != Origin::Declared => {}
        Class::Decided | Class::Append | Class::Blind => {}
        Class::Fed => say("rows of which another system says which is newer"),
    }
    match entity.origin {
        Origin::Declared => {}
        Origin::Elsewhere => say("`source: elsewhere`"),
        Origin::Rollup(_) => say("rollups"),
        Origin::History { .. } => say("`history`"),
        Origin::Event { .. } => say("`emits`"),
    }
    for filter in entity.unique.iter().filter_map(|unique| unique.filter.as_ref()) {
        found.extend(evaluate::not_yet(filter, entity));
    }
    for field in &entity.fields {
        let name = &field.name;
        match &field.fill {
            Fill::Taken | Fill::New | Fill::NowOnWrite | Fill::Snapshot(_) | Fill::Kept(_) => {}
            Fill::Default(expr) | Fill::Derived(expr) => found.extend(evaluate::not_yet(expr, entity)),
            Fill::Next { .. } => found.push(format!("`{name}`: sequences")),
        }
    }
    found
}

/// The words of a layout's table that are not run yet.
fn table_not_yet(laid: &Laid) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut say = |is: bool, words: &str| {
        if is {
            found.push(words.to_owned());
        }
    };
    let cut: Vec<&str> =
        laid.partition.parts().iter().filter(|part| matches!(part, Part::Bucket(..))).map(Part::field).collect();
    say(cut.len() > 1, "a partition that is cut by time twice");
    // What is cut says where in a bucket a row stands, so that a page can go on from there.
    say(
        cut.iter().any(|field| !laid.sort.iter().any(|item| item.field == *field && !item.nulls_last)),
        "time buckets of a field that is not in `sort`",
    );
    say(laid.spread.is_some(), "`spread`");
    let index = is_index(laid);
    say(index && laid.sort.iter().any(|item| item.nulls_last), "`nulls last` in an index: write `keeper: carried`");
    say(index && !cut.is_empty(), "time buckets in an index: write `keeper: carried`");
    say(
        index && !laid.copies.is_empty(),
        "`copies` in an index: write `keeper: carried`, or leave them out to look them up",
    );
    found
}

impl Program {
    pub(super) fn entity(&mut self, entity: &Entity, planned: &Planned, found: &mut Vec<NotYet>) {
        let at = format!("entities.{}", entity.name);
        let words = not_yet(entity, &self.catalog);
        if !words.is_empty() {
            found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
            return;
        }
        let kind = |name: &str| keyloom_plan::kind_of(&self.catalog, &planned.layout, entity, name);
        let tenant = self.catalog.tenant.as_ref().filter(|_| entity.per_tenant).map(|tenant| &tenant.field);
        let names = entity.fields.iter().map(|field| &field.name).chain(tenant);
        let mut fields: Vec<(String, Kind)> = names.filter_map(|name| Some((name.clone(), kind(name)?))).collect();
        let only = (entity.key.is_empty() && tenant.is_none()).then_some(fields.len());
        fields.extend(only.map(|_| (ALL_COLUMN.to_owned(), Kind::Int)));
        let key = tenant.into_iter().chain(&entity.key);
        let key = key.filter_map(|key| fields.iter().position(|(name, _)| name == key)).chain(only).collect();
        let mut plan = EntityPlan {
            name: entity.name.clone(),
            key,
            tenant: tenant.map(|_| entity.fields.len()),
            only,
            fields,
            source: Source {
                table: usize::MAX,
                key: Vec::new(),
                own: Vec::new(),
                columns: Vec::new(),
                created: 0,
                known: 0,
                hidden: None,
            },
            projections: Vec::new(),
            indexes: Vec::new(),
            reservations: Vec::new(),
            expires: match &entity.expires {
                Some(Expiry::At(expr)) => Some(expr.clone()),
                Some(Expiry::Forever) | None => None,
            },
            end_is_followed: keyloom_plan::end_is_followed(&self.catalog, &planned.layout, planned.companions, entity),
            parts: Vec::new(),
            whole: None,
            copied_by: Vec::new(),
        };
        let first = planned.system.len();
        // What an index shows is said in the source, so that is looked at before.
        let mut tables: Vec<(usize, &Laid)> = planned.layout.tables.iter().enumerate().collect();
        tables.sort_by_key(|(_, laid)| is_index(laid));
        for (at, laid) in tables {
            // Kept values are looked at when all entities are known.
            if keyloom_plan::rows_of(&self.catalog, laid) != Some(&entity.name)
                || matches!(laid.holds, Holds::Kept { .. })
            {
                continue;
            }
            let on = format!("tables.{}", laid.name);
            let mut words = table_not_yet(laid);
            words.extend(laid.filter.iter().flat_map(|filter| evaluate::not_yet(filter, entity)));
            let lacks = if words.is_empty() { self.table(&mut plan, laid, first + at).err() } else { None };
            found.extend(words.into_iter().chain(lacks).map(|what| NotYet { at: on.clone(), what }));
        }
        if entity.class(&self.catalog).0 == Class::Blind {
            // A removal knows no more of a row than who it is. The catalog's own lists hold that; a layout may have others.
            for projection in plan.lists().filter(|projection| !projection.is_fixed_by(&plan.key)) {
                let at = format!("tables.{}", self.tables[projection.table].name);
                let what = "a list that nobody asks for, of rows that are put without a look at them and may move in it: \
                            take it out of the layout";
                found.push(NotYet { at, what: what.to_owned() });
            }
        }
        self.entities.push(plan);
    }

    /// Where a column is in the root group of an entity's source.
    fn cell_of_source(&self, plan: &EntityPlan, name: &str) -> Result<usize, String> {
        let source = self.tables.get(plan.source.table).ok_or("its source was not compiled")?;
        let mut columns = source.groups.iter().flat_map(|group| &group.columns);
        columns.position(|column| column.name == name).ok_or_else(|| format!("its source has no column `{name}`"))
    }

    /// Says in the plan what is where in a table.
    fn table(&self, plan: &mut EntityPlan, laid: &Laid, table: usize) -> Result<(), String> {
        let made = self.tables.get(table).ok_or("it was not compiled")?;
        let shape = Shape::of(made.clone()).map_err(|fault| fault.cause().to_owned())?;
        let at = |name: &str| plan.field(name).ok_or_else(|| format!("there is no field `{name}`"));
        let key = || made.key_names().map(at).collect::<Result<Vec<usize>, String>>();
        let bucket = laid.partition.bucket().map(|(step, field)| (bucket_column(step, field), step, field));
        let columns = made.groups.iter().flat_map(|group| &group.columns).enumerate();
        let own: Vec<(usize, usize)> =
            columns.filter_map(|(at, column)| Some((plan.field(&column.name)?, at))).collect();
        let places = plan.fields.iter().map(|(name, _)| shape.column(name)).collect::<Vec<_>>();
        match &laid.holds {
            Holds::Source { .. } => {
                let names = || made.groups.iter().flat_map(|group| &group.columns).map(|column| column.name.as_str());
                let cell = |name: &str| names().position(|known| known == name);
                let hidden = |name: &str| cell(name).ok_or_else(|| format!("it has no column `{name}`"));
                let memory = match made.discipline {
                    Discipline::Decided => Some(Hidden {
                        updated: hidden("kl_updated")?,
                        floor: hidden("kl_floor")?,
                        tokens: hidden("kl_tokens")?,
                        gone: hidden("kl_gone")?,
                        stale: cell("kl_stale"),
                    }),
                    _ => None,
                };
                let (created, known) = (hidden("kl_created")?, names().count());
                let part = |name: &str| match &bucket {
                    Some((column, step, field)) if column == name => Ok(KeyPart::Bucket(*step, at(field)?)),
                    _ => at(name).map(KeyPart::Field),
                };
                let key = made.key_names().map(part).collect::<Result<Vec<KeyPart>, String>>()?;
                plan.source = Source { table, key, own, columns: places, created, known, hidden: memory };
            }
            Holds::Projection { .. } => {
                let part = |name: &str| match laid.sort.iter().find(|item| item.nulls_last && flag(&item.field) == name)
                {
                    _ if name == ALL_COLUMN || name == shown_column(&laid.name) => Ok(KeyPart::All),
                    _ if let Some((_, step, field)) = bucket.as_ref().filter(|(column, ..)| column == name) => {
                        Ok(KeyPart::Bucket(*step, at(field)?))
                    }
                    Some(item) => at(&item.field).map(KeyPart::IsAbsent),
                    None if laid.sort.iter().any(|item| item.nulls_last && item.field == name) => {
                        at(name).map(KeyPart::Flagged)
                    }
                    None => at(name).map(KeyPart::Field),
                };
                let key = made.key_names().map(part).collect::<Result<Vec<KeyPart>, String>>()?;
                let flagged = laid.sort.iter().filter(|item| item.nulls_last);
                let flags =
                    flagged.filter_map(|item| Some((plan.field(&item.field)?, shape.column(&flag(&item.field))?)));
                let flags = flags.collect();
                let filter = laid.filter.clone();
                let (copies, columns) = (Vec::new(), places);
                let list = Projection { table, key, own, copies, columns, flags, filter, shows_version: false };
                if is_index(laid) {
                    let shown = self.cell_of_source(plan, &shown_column(&laid.name))?;
                    plan.indexes.push(Index { list, shown });
                } else {
                    plan.projections.push(list);
                }
            }
            Holds::Reservations { unique, .. } => {
                let declared = self.catalog.entity(&plan.name).and_then(|entity| {
                    let named = |known: &&keyloom_model::Unique| known.name == *unique;
                    entity.unique.iter().find(named)
                });
                let filter = declared.and_then(|unique| unique.filter.clone());
                plan.reservations.push(Reservation { table, unique: unique.clone(), fields: key()?, filter });
            }
            Holds::Contributions(Counted::Field { entity, field }) => {
                // What counts stands there, and its filter is not said twice.
                let filter =
                    match self.catalog.entity(entity).and_then(|owner| owner.field(field)).map(|field| &field.fill) {
                        Some(Fill::Kept(kept)) => kept.filter.clone(),
                        _ => None,
                    };
                let key = key()?.into_iter().map(KeyPart::Field).collect();
                plan.projections.push(Projection {
                    table,
                    key,
                    own,
                    copies: Vec::new(),
                    columns: places,
                    flags: Vec::new(),
                    filter,
                    shows_version: false,
                });
            }
            Holds::Contributions(Counted::Rollup(_)) => return Err("rollups".to_owned()),
            Holds::Newest { .. } => return Err("`one_per`".to_owned()),
            Holds::Numbers { .. } => return Err("sequences".to_owned()),
            // Looked at when all entities are known.
            Holds::Kept { .. } => {}
        }
        Ok(())
    }
}
