use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Entity, Write, WriteVerb};

use super::gathered;

use crate::meaning::{has_word, is_counter_table, is_random_id};
use crate::reads::{constant, given};
use crate::writing::Reach;
use crate::{Context, SurveyContext, TableUse};

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

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !is_counter_table(table)) {
        let writes = || context.uses(table).iter().filter(|one| one.is_write() && !one.is_test());
        let plain = || writes().filter(|one| !one.is_conditional() && !one.is_in_batch()).take(COMPARED);
        let conditional = || writes().filter(|one| one.is_conditional()).take(COMPARED);
        let pairs = plain().flat_map(|one| conditional().map(move |other| (one, other)));
        let mut clashes: Vec<_> = pairs
            .filter(|(one, other)| overlap(table, one, other))
            .map(|(one, other)| (clash(table, one, other), one, other))
            .collect();
        // The worst is told; a sort that keeps equals in their order keeps the report the same.
        clashes.sort_by_key(|(level, ..)| std::cmp::Reverse(*level));
        if let Some((level, one, other)) = clashes.first() {
            let mut finding = told(table, *level, one).related(other.place(), "decided here, with IF");
            let mut places = vec![one.place()];
            for (_, more, _) in &clashes {
                if !places.contains(&more.place()) && places.len() < 4 {
                    places.push(more.place());
                    finding = finding.related(more.place(), "plain too");
                }
            }
            findings.push(finding);
        }
    }
}

/// So many writes of each kind stand for all of a table.
const COMPARED: usize = 100;

/// Whether two writes may meet in one cell, or in the row itself, as far as they are known.
fn overlap(table: &Table, one: &TableUse<'_>, other: &TableUse<'_>) -> bool {
    // An insert makes the row, also one without any values, and a delete takes it away.
    let meet = |insert: &TableUse<'_>, delete: &TableUse<'_>| {
        makes_row(table, insert) && delete.deletes_rows() && delete.reach(table) != Reach::Unknown
    };
    if meet(one, other) || meet(other, one) {
        return true;
    }
    let (Some(cells), Some(others)) = (cells(table, one), cells(table, other)) else { return false };
    cells.iter().any(|column| others.contains(column))
}

/// Whether it is an insert of a row, and not only of what a partition shares.
fn makes_row(table: &Table, one: &TableUse<'_>) -> bool {
    one.insert().is_some() && table.clustering().all(|column| given(one.kind, &column.name).is_some())
}

/// The cells that a write sets or removes.
fn cells<'a>(table: &'a Table, one: &TableUse<'a>) -> Option<Vec<&'a str>> {
    let in_key = |name: &str| table.partition_key().chain(table.clustering()).any(|column| column.name == name);
    if !one.deletes_rows() {
        let set = one.columns_set()?;
        return Some(set.into_iter().map(|name| name.text.as_str()).filter(|name| !in_key(name)).collect());
    }
    let statics = match one.reach(table) {
        Reach::Unknown => return None,
        Reach::Partition => true,
        Reach::Rows | Reach::Run { .. } => false,
    };
    let removed = |kind: ColumnKind| kind == ColumnKind::Regular || (statics && kind == ColumnKind::Static);
    Some(table.columns.iter().filter(|column| removed(column.kind)).map(|column| column.name.as_str()).collect())
}

/// How bad it is that these two meet: a key that is made again after it was removed may be lost; a random key is never
/// made again; two ways to do the same thing are chosen by a setting, most often.
fn clash(table: &Table, plain: &TableUse<'_>, conditional: &TableUse<'_>) -> Level {
    let mut key = table.partition_key().chain(table.clustering());
    let creates = conditional.insert().is_some();
    let same_columns = || {
        let names = |one: &TableUse<'_>| {
            let mut names: Vec<String> =
                one.columns_set().into_iter().flatten().map(|name| name.text.clone()).collect();
            names.sort();
            names
        };
        names(plain) == names(conditional)
    };
    let variants = plain.insert().is_some() == creates && same_columns() && !plain.deletes_rows();
    if key.any(is_random_id) || variants || !conditional.is_service() || is_about_another(conditional, plain, table) {
        return Level::Note;
    }
    let removes = plain.deletes_rows() && plain.reach(table) == Reach::Rows;
    let known = !plain.is_open() && !conditional.is_open();
    let proof = creates && removes && known && (is_made_again(table) || is_taken_and_freed(conditional, plain));
    plain.level(if proof { Level::Error } else { Level::Warning })
}

/// Whether a statement is about one row for ever, its key is written out, and the other need not be about that one.
fn is_about_another(one: &TableUse<'_>, other: &TableUse<'_>, table: &Table) -> bool {
    let key = |of: &TableUse<'_>| -> Option<Vec<String>> {
        let columns = table.partition_key().chain(table.clustering());
        columns.map(|column| Some(constant(of.of, given(of.kind, &column.name)?)?.to_owned())).collect()
    };
    key(one).is_some_and(|fixed| key(other).as_ref() != Some(&fixed))
}

/// Whether the same key is taken, let go and taken again by its nature: a lock, or a name that only one may have.
fn is_made_again(table: &Table) -> bool {
    const HELD: &[&str] =
        &["election", "leader", "lease", "lock", "mutex", "reservation", "semaphore", "unique", "uniqueness"];
    const NAMES: &[&str] = &["alias", "email", "handle", "login", "name", "nickname", "phone", "slug", "username"];
    let last = table.partition_key().chain(table.clustering()).last();
    has_word(&table.name, HELD) || last.is_some_and(|column| has_word(&column.name, NAMES))
}

/// Whether the program says so itself: one function takes what the key stands for, and another lets it go.
fn is_taken_and_freed(take: &TableUse<'_>, free: &TableUse<'_>) -> bool {
    const TAKES: &[&str] = &["acquire", "claim", "grab", "hold", "lock", "occupy", "reserve", "take"];
    const FREES: &[&str] = &["free", "release", "relinquish", "unclaim", "unlock", "unreserve"];
    let says = |one: &TableUse<'_>, words: &[&str]| one.function().is_some_and(|name| has_word(name, words));
    says(take, TAKES) && says(free, FREES)
}

fn told(table: &Table, level: Level, plain: &TableUse<'_>) -> Finding {
    let name = &table.name;
    let (message, help) = match level {
        Level::Error => (
            format!(
                "a row of `{name}` that is deleted here and made again with IF NOT EXISTS can vanish: the plain delete carries another clock than the decision, and may hide the new row"
            ),
            "delete with a condition too, `IF EXISTS` or `IF owner = ?`: both are then decided in one order, at four trips instead of one",
        ),
        Level::Warning => (
            format!(
                "`{name}` is written with IF and without: a plain write and a decision keep different clocks, and the older one can win"
            ),
            "give this write a condition too (`IF EXISTS`), or keep what is written plainly in columns or a table of its own",
        ),
        Level::Note => (
            format!("`{name}` is written with IF and without; that matters if both ever write one row"),
            "if they do, give this write a condition too (`IF EXISTS`): both are then decided in one order",
        ),
    };
    Finding::new(&RULE, plain.place(), message).level(level).help(help)
}
