use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Entity, Expr, Field, Fill, Literal, Origin, RowSize, Type, bytes_text};

use crate::Context;

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
        let growth = entity.volume.and_then(|volume| volume.growth);
        let short_lived = is_short_lived(&entity.name);
        let why = match growth {
            Some(growth) => {
                let yearly = growth.per_day() * 365.25;
                let bytes = yearly * RowSize::of_entity(context.catalog, entity).typical as f64;
                let derivation = format!(
                    "{growth} x 365 days x {} B = {} a year, before copies and replicas",
                    RowSize::of_entity(context.catalog, entity).typical,
                    bytes_text(bytes as u64)
                );
                Some((format!("{} grows by {growth}, and nothing says when a row ends", entity.name), Some(derivation)))
            }
            None if short_lived => {
                Some((format!("a {} is short-lived by its name, and nothing says when it ends", entity.name), None))
            }
            None if entity.append_only => {
                Some((format!("{} only ever grows, and nothing says when a row ends", entity.name), None))
            }
            None => None,
        };
        if let Some((message, derivation)) = why {
            let help = match birth(entity) {
                Some(field) => format!("state `expires: {field} + 2 years`, or `expires: forever` if that was decided"),
                None => "state `expires: forever` if rows stay; else give them a timestamp to count from, and `expires: at + 2 years`".to_owned(),
            };
            let mut finding = Finding::new(&RULE, context.key(&path), message).help(help);
            finding.derivation = derivation;
            findings.push(finding);
        }
    }
}

/// The field that tells when a row was made.
fn birth(entity: &Entity) -> Option<&str> {
    let made_now = |field: &&Field| {
        matches!(field.ty, Type::Timestamp { .. }) && matches!(field.fill, Fill::Default(Expr::Literal(Literal::Now)))
    };
    entity.fields.iter().find(made_now).map(|field| field.name.as_str())
}

fn is_short_lived(name: &str) -> bool {
    ["Session", "Token", "Otp", "Notification", "Cache", "Nonce", "Lock", "Invite", "Invitation"]
        .iter()
        .any(|word| name.ends_with(word))
}
