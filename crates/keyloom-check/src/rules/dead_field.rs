use keyloom_finding::{Finding, Level, Rule};
use std::collections::{HashMap, HashSet};

use keyloom_model::{
    Action, By, Endpoint, Entity, Expiry, Expr, Fill, Origin, Path, Pattern, ReadVerb, Returns, Root, RowSize,
    Selection, Step, WriteVerb,
};

use super::gathered;
use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "dead-field",
    level: Level::Warning,
    summary: "a field that nothing fills, or that nothing reads",
    page: include_str!("dead_field.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    if !context.whole {
        return;
    }
    let catalog = context.catalog;
    let mut used: HashMap<&str, Used<'_>> = HashMap::new();
    for pattern in &catalog.patterns {
        uses_of_pattern(context, pattern, &mut used);
    }
    for entity in &catalog.entities {
        uses_of_entity(entity, &mut used);
    }
    for entity in catalog.entities.iter().filter(|entity| matches!(entity.origin, Origin::Declared)) {
        // An entity that nobody reads or makes is one finding of orphan-entity, not one for each field.
        let Some(used) = used.get(entity.name.as_str()).filter(|used| used.is_read && used.is_made) else { continue };
        let (mut unfilled, mut unread) = (Vec::new(), Vec::new());
        for field in &entity.fields {
            let place = context.key(&format!("entities.{}.fields.{}", entity.name, field.name));
            let name = format!("{}.{}", entity.name, field.name);
            let filled = !matches!(field.fill, Fill::Taken) || used.filled.contains(field.name.as_str());
            let read = entity.key.contains(&field.name) || used.read.contains(field.name.as_str()) || used.all_read;
            if !filled {
                unfilled.push((name, place));
            } else if !read && !context.read_elsewhere {
                unread.push((name, place));
            }
        }
        findings.extend(
            gathered(&RULE, unfilled, |names| format!("nothing fills {names}"))
                .map(|finding| finding.help("let a write take or set it, give it a default, or remove it")),
        );
        findings.extend(gathered(&RULE, unread, |names| format!("nothing reads {names}")).map(|finding| {
            finding.help(
                "return it, filter by it, or remove it; a field of more than 4 KB is returned only when it is named",
            )
        }));
    }
}

/// What is known of one entity's fields.
#[derive(Default)]
struct Used<'a> {
    is_read: bool,
    is_made: bool,
    all_read: bool,
    read: HashSet<&'a str>,
    filled: HashSet<&'a str>,
}

type Uses<'a> = HashMap<&'a str, Used<'a>>;

fn read_expr<'a>(entity: &'a str, expr: &'a Expr, used: &mut Uses<'a>) {
    for path in expr.paths() {
        read_path(entity, path, used);
    }
}

fn read_path<'a>(entity: &'a str, path: &'a Path, used: &mut Uses<'a>) {
    if let Root::Reference { entity: other, .. } = &path.root {
        used.entry(other).or_default().read.insert(&path.field);
    }
    if let Some(field) = path.own_field() {
        used.entry(entity).or_default().read.insert(field);
    }
}

fn uses_of_selection<'a>(selection: &'a Selection, used: &mut Uses<'a>) {
    let entity = selection.entity.as_str();
    used.entry(entity).or_default().is_read = true;
    if let By::Fields(items) = &selection.by {
        items.iter().for_each(|item| read_path(entity, &item.path, used));
    }
    selection.filter.iter().for_each(|filter| read_expr(entity, filter, used));
    selection.orders.iter().flat_map(|order| &order.items).for_each(|item| read_path(entity, &item.path, used));
}

fn uses_of_returns<'a>(
    context: &Context<'a>,
    entity: &'a str,
    returns: &'a Returns,
    is_write: bool,
    used: &mut Uses<'a>,
) {
    match returns {
        Returns::Default if is_write => {}
        Returns::Default => {
            let fields = context.entity(entity).map_or(&[][..], |entity| &entity.fields);
            let small = fields
                .iter()
                .filter(|field| RowSize::of_type(context.catalog, &field.ty).worst <= Endpoint::LARGE_FIELD_BYTES);
            used.entry(entity).or_default().read.extend(small.map(|field| field.name.as_str()));
        }
        Returns::All | Returns::Before | Returns::After => used.entry(entity).or_default().all_read = true,
        Returns::Paths(paths) => paths.iter().for_each(|path| read_path(entity, path, used)),
    }
}

fn uses_of_pattern<'a>(context: &Context<'a>, pattern: &'a Pattern, used: &mut Uses<'a>) {
    match &pattern.action {
        Action::Read(read) => {
            for read in std::iter::once(read).chain(read.with.iter().map(|with| &with.read)) {
                uses_of_selection(&read.selection, used);
                if read.verb != ReadVerb::Count {
                    uses_of_returns(context, &read.selection.entity, &read.returns, false, used);
                }
                let own = used.entry(&read.selection.entity).or_default();
                own.read.extend(read.one_per.iter().map(String::as_str));
                if let Some(through) = &read.through {
                    own.read.insert(&through.field);
                    let edge = used.entry(&through.entity).or_default();
                    edge.is_read = true;
                    edge.read.insert(&through.edge_field);
                }
            }
        }
        Action::Claim(claim) => {
            uses_of_selection(&claim.selection, used);
            uses_of_returns(context, &claim.selection.entity, &claim.returns, false, used);
        }
        Action::Atomic(steps) => {
            for step in steps {
                if let Step::Check { entity, by, conditions, .. } = step {
                    used.entry(entity).or_default().is_read = true;
                    by.iter().for_each(|item| read_path(entity, &item.path, used));
                    conditions.iter().for_each(|condition| read_expr(entity, &condition.test, used));
                }
            }
        }
        Action::Write(_) | Action::Outside(_) => {}
    }
    for (_, write) in pattern.writes() {
        let entity = write.entity.as_str();
        let own = used.entry(entity).or_default();
        own.is_made |= matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create;
        own.all_read |= write.emits.is_some();
        let filled = [&write.takes, &write.any_of, &pattern.once_per];
        own.filled.extend(filled.into_iter().flatten().map(String::as_str));
        if write.or_create {
            // The row that it makes has the values it was looked for by.
            own.filled.extend(write.by.iter().filter_map(|item| item.path.own_field()));
        }
        own.filled.extend(write.assignments.iter().map(|assignment| assignment.path.field.as_str()));
        own.read.extend(write.newest.iter().map(String::as_str));
        write.by.iter().for_each(|item| read_path(entity, &item.path, used));
        write.conditions.iter().for_each(|condition| read_expr(entity, &condition.test, used));
        write.assignments.iter().for_each(|assignment| read_expr(entity, &assignment.value, used));
        uses_of_returns(context, entity, &write.returns, true, used);
    }
}

fn uses_of_entity<'a>(entity: &'a Entity, used: &mut Uses<'a>) {
    let name = entity.name.as_str();
    for field in &entity.fields {
        match &field.fill {
            Fill::Derived(expr) | Fill::Default(expr) => read_expr(name, expr, used),
            Fill::Snapshot(path) => read_path(name, path, used),
            Fill::Kept(kept) => {
                let other = used.entry(&kept.entity).or_default();
                other.is_read = true;
                other.read.insert(&kept.through);
                other.read.extend(kept.field.iter().chain(&kept.by).map(String::as_str));
                kept.filter.iter().for_each(|filter| read_expr(&kept.entity, filter, used));
            }
            Fill::Next { per } => used.entry(name).or_default().read.extend(per.iter().map(String::as_str)),
            Fill::Taken | Fill::New | Fill::NowOnWrite => {}
        }
    }
    let own = used.entry(name).or_default();
    // A history keeps what it is of; a checked or joined reference is read by the check or the join.
    own.read.extend(entity.history.iter().flat_map(|history| &history.of).map(String::as_str));
    own.read.extend(entity.states.iter().map(|states| states.field.as_str()));
    own.read.extend(entity.unique.iter().flat_map(|unique| &unique.fields).map(String::as_str));
    own.read.extend(entity.fields.iter().filter(|field| field.reference.is_some()).map(|field| field.name.as_str()));
    entity.unique.iter().filter_map(|unique| unique.filter.as_ref()).for_each(|filter| read_expr(name, filter, used));
    if let Some(Expiry::At(expr)) = &entity.expires {
        read_expr(name, expr, used);
    }
    if let Origin::Rollup(rollup) = &entity.origin {
        let source = used.entry(&rollup.of).or_default();
        source.is_read = true;
        source.read.extend(rollup.by.iter().map(String::as_str));
        source.read.extend(rollup.every.iter().map(|(_, of, _)| of.as_str()));
        source
            .read
            .extend(rollup.values.iter().flat_map(|value| value.field.iter().chain(&value.by)).map(String::as_str));
        for filter in rollup.filter.iter().chain(rollup.values.iter().filter_map(|value| value.filter.as_ref())) {
            read_expr(&rollup.of, filter, used);
        }
    }
}
