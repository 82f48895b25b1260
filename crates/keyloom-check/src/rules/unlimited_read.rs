use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{By, Entity, Expiry, ReadVerb, Selection};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "unlimited-read",
    level: Level::Warning,
    summary: "a group that is read has no worst case, and nothing ends its growth",
    page: include_str!("unlimited_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        let Some(selection) = pattern.selection() else { continue };
        let Some(entity) = context.catalog.entity(&selection.entity) else { continue };
        // A count over a group that grows for ever is said by aggregate-at-read, and a typical value alone by
        // average-only-estimate.
        if matches!(pattern.read(), Some(read) if read.verb == ReadVerb::Count)
            || !entity.is_declared()
            || read_by_identity(selection, entity)
        {
            continue;
        }
        let size = context.catalog.group_size(selection);
        let ends = matches!(entity.expires, Some(Expiry::At(_)));
        let place = context.value(&format!("patterns.{}.by", pattern.name));
        match size {
            None => {
                let by = by_words(selection);
                let message = format!("`{}` reads {by}, and nothing says how many rows that is", pattern.name);
                let example = match selection.by.own_fields().as_slice() {
                    [] => "all".to_owned(),
                    fields => fields.join(", "),
                };
                let help = format!(
                    "state it once on {}: `groups: {{ {example}: 40 / 5k / 200k }}` (typical / p99 / worst)",
                    entity.name
                );
                findings.push(Finding::new(&RULE, place, message).help(help));
            }
            Some(size) if size.rows.per.is_some() && !ends => {
                let message = format!(
                    "`{}` reads {}, which grows ({}) and never ends",
                    pattern.name,
                    by_words(selection),
                    size.rows
                );
                let help =
                    format!("say when a row of {} ends: `expires: at + 2 years`; or bound the group", entity.name);
                findings.push(Finding::new(&RULE, place, message).help(help));
            }
            Some(size) if size.rows.worst.is_none() && size.rows.typical.is_none() => {
                let message = format!("`{}` reads {}, which has no worst case", pattern.name, by_words(selection));
                findings.push(Finding::new(&RULE, place, message).help("name the bound: `40 / 5k / 200k`"));
            }
            Some(_) => {}
        }
    }
}

fn read_by_identity(selection: &Selection, entity: &Entity) -> bool {
    selection.by != By::All && entity.identified_by(&selection.by.own_fields())
}

fn by_words(selection: &Selection) -> String {
    let filter = selection.filter.as_ref().map(|_| ", filtered").unwrap_or_default();
    match selection.by.own_fields().as_slice() {
        [] => format!("every {}{filter}", selection.entity),
        fields => format!("the {} rows of one {}{filter}", selection.entity, fields.join(", ")),
    }
}
