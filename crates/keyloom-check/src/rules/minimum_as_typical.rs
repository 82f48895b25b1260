use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Expr, Fill, Literal, Size, Type};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "minimum-as-typical",
    level: Level::Warning,
    summary: "a size that reads like minimum..maximum, where typical..maximum is meant",
    page: include_str!("minimum_as_typical.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in context.catalog.entities.iter().filter(|entity| entity.is_declared()) {
        for field in &entity.fields {
            let (Type::Text(size) | Type::Bytes(size) | Type::Json(size)) = &field.ty else { continue };
            // Where rows begin empty, empty is what is typical.
            let begins_empty =
                matches!(&field.fill, Fill::Default(Expr::Literal(Literal::Text(text))) if text.is_empty());
            if begins_empty || !looks_like_minimum(*size) {
                continue;
            }
            let message = format!(
                "a typical {}.{} has {} by this type: the first number is what is typical, not the minimum",
                entity.name,
                field.name,
                if size.typical == 1 { "1 byte".to_owned() } else { format!("{} bytes", size.typical) }
            );
            let word = field.ty.word();
            findings.push(
                Finding::new(&RULE, context.value(&format!("entities.{}.fields.{}", entity.name, field.name)), message)
                    .help(format!(
                        "put what most rows have first: `{word}(TYPICAL..{})`; every size is reckoned from it",
                        size.max
                    )),
            );
        }
    }
}

/// Hardly anybody has values of at most four bytes that may also be a hundred times as long.
fn looks_like_minimum(size: Size) -> bool {
    size.typical <= 4 && size.max >= 100
}
