use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Entity, Write, WriteVerb};

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "mixed-write-discipline",
    level: Level::Note,
    summary: "some writes of an entity look at the row first and some do not",
    page: include_str!("mixed_write_discipline.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in &context.catalog.entities {
        let (mut conditional, mut plain) = (Vec::new(), Vec::new());
        for pattern in context.writers(&entity.name) {
            for (_, write) in pattern.writes().into_iter().filter(|(_, write)| write.entity == entity.name) {
                // What a change that was not understood would have decided is not known.
                if context.is_misread(&format!("patterns.{}.set", pattern.name)) {
                    continue;
                }
                match write.verb {
                    WriteVerb::Update | WriteVerb::Put | WriteVerb::Delete if decides(write, entity) => {
                        conditional.push(pattern.name.as_str());
                    }
                    WriteVerb::Update | WriteVerb::Put if plain.iter().any(|(name, _)| *name == pattern.name) => {}
                    // An atomic is decided as a whole.
                    WriteVerb::Update | WriteVerb::Put if !matches!(pattern.action, Action::Atomic(_)) => {
                        plain.push((pattern.name.clone(), context.key(&format!("patterns.{}", pattern.name))));
                    }
                    _ => {}
                }
            }
        }
        conditional.dedup();
        let Some(first) = conditional.first().filter(|_| !plain.is_empty()) else { continue };
        let name = entity.name.clone();
        let finding = gathered(&RULE, plain, |names| {
            format!("{names} will be conditional too, because `{first}` of {name} is: one row has one write discipline")
        });
        findings.extend(finding.map(|finding| {
            finding.help("nothing to mend; each such write costs a read and a compare-and-set instead of a plain write, so a field that is written often is cheaper in an entity of its own")
        }));
    }
}

/// Whether a write looks at the row before it changes it.
fn decides(write: &Write, entity: &Entity) -> bool {
    let changes_state =
        write.changed_fields(entity).iter().any(|field| entity.states.iter().any(|states| states.field == *field));
    !write.conditions.is_empty() || changes_state || write.newest.is_some()
}
