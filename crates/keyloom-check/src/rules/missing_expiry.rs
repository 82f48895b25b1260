use keyloom_cql::ast::StatementKind;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Entity, Expr, Field, Fill, Literal, Origin, RowSize, Type, bytes_text, count_text};

use crate::growth::deleting_pattern;
use crate::guess::words;
use crate::writing::foremost;
use crate::{Context, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "missing-expiry",
    level: Level::Warning,
    summary: "an entity grows, and nothing says when its rows end",
    page: include_str!("missing_expiry.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in context.catalog.entities.iter().filter(|entity| matches!(entity.origin, Origin::Declared)) {
        let path = format!("entities.{}", entity.name);
        if entity.expires.is_some() || context.is_stated(&format!("{path}.expires")) {
            continue;
        }
        let deletes = deleting_pattern(context, entity);
        let why = match entity.volume.and_then(|volume| volume.growth) {
            Some(growth) => {
                let row = RowSize::of_entity(context.catalog, entity).typical;
                let daily = growth.per_day().round() as u64;
                let derivation = format!(
                    "{}/day x 365 days x {row} B = {} a year, before copies and replicas",
                    count_text(daily),
                    bytes_text(daily.saturating_mul(365).saturating_mul(row))
                );
                let ends =
                    deletes.map_or("nothing says when a row ends".to_owned(), |by| format!("only `{by}` ends a row"));
                Some((format!("{} grows by {growth}, and {ends}", entity.name), Some(derivation)))
            }
            None if deletes.is_some() => None,
            None if is_short_lived(&entity.name) => {
                Some((format!("{} is short-lived by its name, and nothing says when a row ends", entity.name), None))
            }
            None if entity.append_only => {
                Some((format!("{} only ever grows, and nothing says when a row ends", entity.name), None))
            }
            None => None,
        };
        if let Some((message, derivation)) = why {
            let span = if is_short_lived(&entity.name) { "30 days" } else { "2 years" };
            let help = match birth(entity) {
                Some(birth) => format!("state `expires: {birth} + {span}`, or `expires: forever` if rows stay"),
                None => format!(
                    "give rows a field `at: timestamp = now`, and state `expires: at + {span}`; or `expires: forever` if rows stay"
                ),
            };
            let level = if deletes.is_some() { Level::Note } else { RULE.level };
            let mut finding = Finding::new(&RULE, context.key(&path), message).level(level).help(help);
            finding.derivation = derivation;
            findings.push(finding);
        }
    }
}

/// A row that a live member renews stays when the member is gone, unless something ends it.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown && !context.may_be_named(table)) {
        let uses = context.uses(table);
        let removes = |one: &TableUse<'_>| !one.sets() && !matches!(one.kind, StatementKind::Select(_));
        let ends = |one: &TableUse<'_>| one.is_open() || one.using("ttl").is_some() || removes(one);
        let expires = table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0));
        let Some(beat) = table.columns.iter().find(|column| is_heartbeat(&column.name)) else { continue };
        let renews = |one: &TableUse<'_>| {
            one.sets() && one.columns_set().is_some_and(|set| set.iter().any(|name| name.text == beat.name))
        };
        let Some(renewed) = foremost(uses, renews).filter(|one| one.is_service()) else { continue };
        if expires || uses.iter().any(|one| !one.is_test() && ends(one)) {
            continue;
        }
        let (of, name) = (&table.name, &beat.name);
        let message = format!("rows of `{of}` are renewed by `{name}`, and nothing ends those of whoever is gone");
        let help =
            "write them `USING TTL` of a few beats: who stops is then gone by itself; or delete what is long silent";
        let finding = Finding::new(&RULE, context.survey.made(beat.made), message).level(Level::Note).help(help);
        findings.push(finding.related(renewed.place(), "renewed here"));
    }
}

fn is_heartbeat(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| ["heartbeat", "keepalive"].contains(&word.as_str()))
        || words.windows(2).any(|pair| pair[0] == "heart" && pair[1] == "beat")
}

/// What tells when a row was made: a timestamp that is `now` then, else the time in its key.
fn birth(entity: &Entity) -> Option<String> {
    let made_now = |field: &&Field| {
        matches!(field.ty, Type::Timestamp { .. }) && matches!(field.fill, Fill::Default(Expr::Literal(Literal::Now)))
    };
    let timed_key = |field: &&Field| field.ty == Type::Uuid7 && entity.key.contains(&field.name);
    let now = entity.fields.iter().find(made_now).map(|field| field.name.clone());
    now.or_else(|| entity.fields.iter().find(timed_key).map(|field| format!("time({})", field.name)))
}

fn is_short_lived(name: &str) -> bool {
    ["Session", "Token", "Otp", "Notification", "Cache", "Nonce", "Lock", "Invite", "Invitation"]
        .iter()
        .any(|word| name.ends_with(word))
}
