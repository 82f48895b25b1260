use keyloom_cql::resolve::{Bounds, Part};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Entity, Field, Group, GroupSize, KnownBy, ReadVerb, Selection, Through, WriteVerb};
use keyloom_survey::{Consumed, Role};

use super::{gathered, group_example, unbounded_partition};
use crate::growth::rows_leave;
use crate::guess::gathers_over_time;
use crate::{Context, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "unlimited-read",
    level: Level::Warning,
    summary: "a group that is read has no worst case, and nothing ends its growth",
    page: include_str!("unlimited_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    reads(context, findings);
    deletes(context, findings);
}

/// A delete takes the row's parts with it, so their number must be known.
fn deletes(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let parts: Vec<&Entity> = context.catalog.entities.iter().filter(|entity| entity.part_of.is_some()).collect();
    for pattern in &context.catalog.patterns {
        for (path, write) in pattern.writes().into_iter().filter(|(_, write)| write.verb == WriteVerb::Delete) {
            for part in parts.iter().filter(|part| part.part_of.as_ref() == Some(&write.entity)) {
                let points_to = |field: &&Field| field.reference.as_ref().is_some_and(|to| to.entity == write.entity);
                let Some(reference) = part.fields.iter().find(points_to) else { continue };
                let Some(whole) = context.entity(&write.entity) else { continue };
                let joined: Vec<&str> = part.join(reference, whole).into_iter().map(|(own, _)| own).collect();
                let is_bounded = |group: &Group| {
                    group.filter.is_none()
                        && group.rows.worst.is_some()
                        && group.by.iter().all(|field| joined.contains(&field.as_str()))
                };
                if part.groups.iter().any(is_bounded) || part.identified_by(&joined) {
                    continue;
                }
                let message = format!(
                    "`{}` deletes the {} rows of one {} with it, and nothing says how many rows that is",
                    pattern.name, part.name, write.entity
                );
                let help = state_once(&part.name, &joined);
                findings.push(Finding::new(&RULE, context.value(&format!("{path}.delete")), message).help(help));
            }
        }
    }
}

/// A list or a claim reads a group, so its size must be known.
fn reads(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut missing: Vec<Missing<'_>> = Vec::new();
    let mut reported: Vec<(&str, KnownBy)> = Vec::new();
    for pattern in &context.catalog.patterns {
        // A count over a group that grows for ever is said by aggregate-at-read.
        if pattern.read().is_some_and(|read| read.verb == ReadVerb::Count) {
            continue;
        }
        let own = pattern
            .selection()
            .map(|selection| (pattern.name.clone(), format!("patterns.{}.by", pattern.name), selection));
        let with = pattern.read().into_iter().flat_map(|read| &read.with).map(|with| {
            let name = format!("{}.{}", pattern.name, with.name);
            (name, format!("patterns.{}.with.{}", pattern.name, with.name), &with.read.selection)
        });
        for (name, path, selection) in own.into_iter().chain(with) {
            let Some(entity) = context.entity(&selection.entity).filter(|entity| entity.is_declared()) else {
                continue;
            };
            if context.is_misread(&format!("entities.{}.groups", entity.name)) {
                continue;
            }
            if let Some(through) = pattern.read().and_then(|read| read.through.as_ref()) {
                findings.extend(missing_hop(context, entity, selection, through, &name, &path));
                continue;
            }
            match context.group_size(selection) {
                None => match missing.iter_mut().find(|missing| missing.is_same(selection)) {
                    Some(same) => same.names.push(name),
                    None => missing.push(Missing { selection, names: vec![name], path }),
                },
                Some(size) if reported.contains(&(entity.name.as_str(), size.known_by)) => {}
                Some(size) => {
                    let finding = endless(context, entity, selection, &size, &name, &path);
                    // A pattern's own group is its own cause; one that is stated on the entity is told once.
                    if finding.is_some() && size.known_by != KnownBy::Pattern {
                        reported.push((&entity.name, size.known_by));
                    }
                    findings.extend(finding);
                }
            }
        }
    }
    for missing in missing {
        let fields = missing.selection.by.own_fields();
        let names = missing.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (verb, entity) = (if missing.names.len() == 1 { "reads" } else { "read" }, &missing.selection.entity);
        let message = format!("{names} {verb} {}, and nothing says how many rows that is", by_words(missing.selection));
        let stated_on_pattern = missing.selection.by.items().len() != fields.len();
        let help = if stated_on_pattern {
            "state it on the pattern: `group: 40 / 5k / 200k` (typical / p99 / worst)".to_owned()
        } else {
            state_once(entity, &fields)
        };
        findings.push(Finding::new(&RULE, context.value(&missing.path), message).help(help));
    }
}

/// A list over an edge reads two groups: the edges of one row, and for each of them the rows at its other end.
fn missing_hop(
    context: &Context<'_>,
    entity: &Entity,
    selection: &Selection,
    through: &Through,
    name: &str,
    path: &str,
) -> Option<Finding> {
    let edge = context.entity(&through.entity)?;
    let edge_fields: Vec<&str> = selection.by.items().iter().map(|item| item.path.field.as_str()).collect();
    let row_fields = vec![through.field.as_str()];
    let is_known = |of: &Entity, fields: &[&str]| {
        let stated = of.groups.iter().any(|group| group.by.iter().all(|field| fields.contains(&field.as_str())));
        stated || of.identified_by(fields)
    };
    let hops = [(edge, edge_fields), (entity, row_fields)];
    let (of, fields) = hops.into_iter().find(|(of, fields)| selection.group.is_none() && !is_known(of, fields))?;
    let one = fields.join(", ");
    let message = format!("`{name}` reads the {} rows of one {one}, and nothing says how many rows that is", of.name);
    Some(Finding::new(&RULE, context.value(path), message).help(state_once(&of.name, &fields)))
}

fn state_once(entity: &str, fields: &[&str]) -> String {
    format!("state it once on {entity}: `{}` (typical / p99 / worst)", group_example(fields))
}

/// A group of which nothing is known, and who reads it.
struct Missing<'a> {
    selection: &'a Selection,
    names: Vec<String>,
    path: String,
}

impl Missing<'_> {
    /// Whether one statement would answer for both.
    fn is_same(&self, other: &Selection) -> bool {
        let paths = |selection: &Selection| -> Vec<String> {
            let mut paths: Vec<_> = selection.by.items().iter().map(|item| item.path.to_string()).collect();
            paths.sort();
            paths
        };
        self.selection.entity == other.entity && paths(self.selection) == paths(other)
    }
}

/// A group whose size is stated and has no end.
fn endless(
    context: &Context<'_>,
    entity: &Entity,
    selection: &Selection,
    size: &GroupSize,
    name: &str,
    path: &str,
) -> Option<Finding> {
    let place = context.value(path);
    // A typical value alone is said by average-only-estimate, where it is stated.
    let stated = match size.known_by {
        KnownBy::WiderGroup(at) => entity.groups.get(at).map_or(size.rows, |group| group.rows),
        _ => size.rows,
    };
    if stated.worst.is_none() && stated.typical.is_none() {
        let message = format!("`{name}` reads {}, which has no worst case", by_words(selection));
        return Some(
            Finding::new(&RULE, place, message).help("name the bound: `40 / 5k / 200k` (typical / p99 / worst)"),
        );
    }
    // That a growing entity does not say when its rows end is said by missing-expiry, once.
    let said = entity.append_only || entity.volume.is_some_and(|volume| volume.growth.is_some());
    if size.rows.per.is_none() || entity.expires.is_some() || said || rows_leave(context, entity, selection) {
        return None;
    }
    let message = format!("`{name}` reads {}, which grows ({}) and never ends", by_words(selection), size.rows);
    let help = format!(
        "say when a row of {} ends, such as `expires: at + 2 years`; `expires: forever` if rows stay; or bound the group",
        entity.name
    );
    Some(Finding::new(&RULE, place, message).help(help))
}

fn by_words(selection: &Selection) -> String {
    let filter = selection.filter.as_ref().map(|_| ", filtered").unwrap_or_default();
    let fields: Vec<String> = selection.by.items().iter().map(|item| item.path.to_string()).collect();
    match fields.as_slice() {
        [] => format!("every {}{filter}", selection.entity),
        fields => format!("the {} rows of one {}{filter}", selection.entity, fields.join(", ")),
    }
}

/// Over a survey: drivers page, so a read without LIMIT is only worth a word where rows gather over time, and a warning
/// where the program collects them all.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut endless = Vec::new();
    for read in context.reads().filter(|read| read.of.role == Role::Service && read.select.limit.is_none()) {
        let whole = match read.access.part {
            Part::Whole => true,
            Part::Slice { range, .. } => range != Some(Bounds::Between),
            Part::Rows(_) | Part::Statics => false,
        };
        let elsewhere =
            read.is_open() || read.access.filters || read.aggregate().is_some() || read.select.distinct.is_some();
        if elsewhere || !whole || read.select.per_partition_limit.is_some() || !gathers_over_time(read.table) {
            continue;
        }
        // A partition that the key keeps small, or whose rows end, is read whole on purpose.
        if unbounded_partition::is_bounded(context, read.table) {
            continue;
        }
        match read.of.site.as_ref().and_then(|site| site.consumed) {
            Some(Consumed::All) => {
                let message =
                    format!("all rows of a partition of `{}` are collected, and it grows with time", read.table.name);
                findings.push(
                    Finding::new(&RULE, read.place(), message)
                        .level(read.level())
                        .related(context.survey.made(read.table.key_made), "rows gather here")
                        .help("ask for a page (`LIMIT ?`, behind the last row that was shown) or for a span of time: memory is then bounded"),
                );
            }
            None => endless.push((read.table.name.clone(), Some(read.place()))),
            Some(Consumed::One | Consumed::Iterated | Consumed::FirstPage) => {}
        }
    }
    endless.dedup_by(|a, b| a.0 == b.0);
    let message = |tables: &str| format!("reads of {tables} have no LIMIT, and partitions grow with time");
    findings.extend(gathered(&RULE, endless, message).map(|finding| {
        finding.level(Level::Note).help("drivers page, so it is fine where rows are gone through one after the other; where all are collected, ask for a page")
    }));
}
