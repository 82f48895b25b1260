use keyloom_cql::ast::{Native, StatementKind};
use keyloom_cql::schema::Column;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Change, Entity, Expr, Literal, Path, Type, Write, WriteVerb};

use crate::guess::{few_values, native, words};
use crate::writing::is_fixed_by;
use crate::{Context, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unconditional-claim",
    level: Level::Warning,
    summary: "a state changes or a row is claimed without a look at what it was",
    page: include_str!("unconditional_claim.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        for (path, write) in pattern.writes().into_iter().filter(|(_, write)| write.verb == WriteVerb::Update) {
            let Some(entity) = context.entity(&write.entity) else { continue };
            // One write is one decision: what guards one of its fields guards them all, and one finding says it.
            if is_guarded(write, entity) || context.is_misread(&format!("entities.{}.states", entity.name)) {
                continue;
            }
            let sets = || write.assignments.iter().filter(|assignment| assignment.change == Change::Set);
            let state = sets().find_map(|assignment| {
                let field = entity.field(&assignment.path.field).filter(|field| is_state_name(&field.name))?;
                match (&field.ty, &assignment.value) {
                    (Type::Enum(variants), Expr::Literal(Literal::Variant(to))) => Some((field, variants, to)),
                    _ => None,
                }
            });
            if let Some((field, variants, to)) = state {
                let message = format!(
                    "`{}` sets {}.{} whatever it was before: two callers both win, and an ended row can come back",
                    pattern.name, entity.name, field.name
                );
                let from = variants.iter().map(|variant| &variant.name).find(|name| *name != to).unwrap_or(to);
                let help = format!(
                    "state the allowed changes on {}, such as `states: {{ {}: [{from} -> {to}] }}`, or add an `if`; the write then compares before it sets",
                    entity.name, field.name
                );
                findings
                    .push(Finding::new(&RULE, context.key(&format!("{path}.set.{}", field.name)), message).help(help));
                continue;
            }
            let taken = sets().filter(|_| is_claim_name(&pattern.name)).find_map(|assignment| {
                let field = entity.field(&assignment.path.field)?;
                match (&field.ty, &assignment.value) {
                    (Type::Bool, Expr::Literal(Literal::Bool(true))) => Some((field, "= false")),
                    (ty, Expr::Input { .. }) if field.optional && is_identity(ty) => Some((field, "is null")),
                    _ => None,
                }
            });
            if let Some((field, free)) = taken {
                let message =
                    format!("`{}` takes the row whoever holds it: the second caller silently wins", pattern.name);
                let help = format!(
                    "add `if: {} {free} else already_claimed`; the write then compares before it sets",
                    field.name
                );
                findings
                    .push(Finding::new(&RULE, context.key(&format!("{path}.set.{}", field.name)), message).help(help));
            }
        }
    }
}

/// Over a survey: a name is looked up, and then written without a condition.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown) {
        let uses = context.uses(table);
        let is_insert = |one: &&TableUse<'_>| one.insert().is_some() && one.is_service();
        if uses.iter().any(|one| one.insert().is_some() && one.is_conditional()) {
            continue;
        }
        let of_views: Vec<&TableUse<'_>> = context.views_of(table).flat_map(|view| context.uses(&view.table)).collect();
        let looks: Vec<&TableUse<'_>> = uses.iter().chain(of_views.iter().copied()).collect();
        let pair = |name: &Column, looks: &[&TableUse<'_>]| {
            let mut inserts = uses.iter().filter(is_insert).filter(|one| !one.is_in_batch());
            inserts.find_map(|insert| {
                let look = looks.iter().copied().find(|look| looks_first(look, insert, &name.name))?;
                Some((insert.place(), look.place()))
            })
        };
        let key = || table.partition_key().chain(table.clustering());
        let by_name = key().find(|column| is_given_name(column)).and_then(|name| Some((name, pair(name, &looks)?)));
        // Whoever asks a view whether something is there means that it be there once, whatever the column is called.
        let by_view = || {
            let is_of_id =
                |look: &TableUse<'_>| table.columns.iter().any(|column| is_id(column) && fixes(look, &column.name));
            let asked: Vec<&TableUse<'_>> = of_views.iter().copied().filter(|look| !is_of_id(look)).collect();
            let mut contents = table.columns.iter().filter(|column| is_content(column));
            contents.find_map(|column| Some((column, pair(column, &asked)?)))
        };
        let (said, help, (insert, look)) = match by_name {
            Some((name, places)) => (
                format!(
                    "`{}` of `{}` is looked up first and then written without a condition: of two callers that both find it free, the later one wins, and neither is told",
                    name.name, table.name
                ),
                "where the name must be unique, write `INSERT .. IF NOT EXISTS` and look at `[applied]`; the look before it is then not needed",
                places,
            ),
            None => {
                let Some((column, places)) = by_view() else { continue };
                (
                    format!(
                        "a view is asked for `{}` before a row of `{}` is written: two callers that both find nothing both write it, and a view may be late",
                        column.name, table.name
                    ),
                    "where it must be there once, make it the key of a table of its own, and write that first with IF NOT EXISTS",
                    places,
                )
            }
        };
        let finding = Finding::new(&RULE, insert, said).level(Level::Note).help(help);
        findings.push(finding.related(look, "looked up here"));
    }
}

/// Whether a statement asks whether a name is there: its function says so and stands in the file of the insert, or it stands
/// in the function that makes the row.
fn looks_first(look: &TableUse<'_>, insert: &TableUse<'_>, name: &str) -> bool {
    let by_name = fixes(look, name);
    let (Some(asks), Some(makes)) = (look.function(), insert.function()) else { return false };
    let here = look.place().file == insert.place().file;
    let is_question =
        words(asks).iter().any(|word| matches!(word.as_str(), "exists" | "exist" | "taken" | "available"));
    let is_maker = words(makes).iter().any(|word| matches!(word.as_str(), "create" | "register" | "claim" | "reserve"));
    by_name && look.is_service() && here && (is_question || (asks == makes && is_maker))
}

/// Whether a statement asks for rows with one value of a column.
fn fixes(look: &TableUse<'_>, column: &str) -> bool {
    let StatementKind::Select(select) = look.kind else { return false };
    select.relations.iter().any(|relation| is_fixed_by(relation, column))
}

/// Whether a column holds the id of one thing: who gives it asks about that thing.
fn is_id(column: &Column) -> bool {
    matches!(native(column), Some(Native::Uuid | Native::Timeuuid))
}

/// Whether two things may have the same value by chance or by what they hold; ids are made for one thing each.
fn is_content(column: &Column) -> bool {
    matches!(native(column), Some(Native::Text | Native::Ascii | Native::Blob)) && few_values(column).is_none()
}

/// Whether people give this column its values, and no two things may share one.
fn is_given_name(column: &Column) -> bool {
    let words = words(&column.name);
    let last = words.last().map_or("", String::as_str);
    let is_text = matches!(native(column), Some(Native::Text | Native::Ascii));
    is_text && matches!(last, "alias" | "email" | "handle" | "login" | "name" | "slug" | "username")
}

/// Whether the write looks at something it changes, at the row's version or at its lease, or states rule the change.
fn is_guarded(write: &Write, entity: &Entity) -> bool {
    let changed = write.changed_fields(entity);
    let ruled = entity.states.iter().any(|states| changed.contains(&states.field.as_str()));
    let looks_at = |path: &Path| {
        path.own_field().is_some_and(|own| {
            changed.contains(&own) || is_state_name(own) || matches!(own, "version" | "lease" | "updated")
        })
    };
    ruled || write.conditions.iter().any(|condition| condition.test.paths().into_iter().any(looks_at))
}

fn is_state_name(name: &str) -> bool {
    ["status", "state", "phase", "stage"].iter().any(|word| name == *word || name.ends_with(&format!("_{word}")))
}

fn is_claim_name(name: &str) -> bool {
    name.split('_')
        .any(|word| matches!(word, "claim" | "take" | "accept" | "lock" | "reserve" | "acquire" | "book" | "grab"))
}

fn is_identity(ty: &Type) -> bool {
    matches!(ty, Type::Uuid | Type::Uuid7 | Type::Text(_) | Type::Int)
}
