use keyloom_model::{Catalog, Endpoint, Entity, Origin, Pattern};
use keyloom_plan::Program;
use serde_json::{Value, json};

use super::Shown;
use super::plan_json::pattern_plan;
use super::text::fill_word;

/// The whole catalog, or one thing of it, for programs. The form has a version, `schema`.
pub fn json(catalog: &Catalog, only: Option<Shown<'_>>, planned: Option<&Program>) -> String {
    let mut value = match only {
        Some(Shown::Pattern(pattern)) => {
            json!({ "schema": 1, "catalog": catalog.name, "pattern": pattern_value(catalog, pattern) })
        }
        Some(Shown::Entity(entity)) => {
            json!({ "schema": 1, "catalog": catalog.name, "entity": entity_value(catalog, entity) })
        }
        None => json!({
            "schema": 1,
            "catalog": catalog.name,
            "tenant": catalog.tenant.as_ref().map(|tenant| json!({ "field": tenant.field, "type": tenant.ty.to_string() })),
            "entities": catalog.entities.iter().map(|entity| entity_value(catalog, entity)).collect::<Vec<_>>(),
            "patterns": catalog.patterns.iter().map(|pattern| pattern_value(catalog, pattern)).collect::<Vec<_>>(),
        }),
    };
    if let Some(program) = planned {
        let all = catalog.patterns.iter();
        value["plans"] = match only {
            Some(Shown::Pattern(pattern)) => json!({ pattern.name.clone(): pattern_plan(program, pattern) }),
            Some(Shown::Entity(_)) => json!({}),
            None => all.map(|pattern| (pattern.name.clone(), pattern_plan(program, pattern))).collect(),
        };
    }
    format!("{value:#}\n")
}

fn entity_value(catalog: &Catalog, entity: &Entity) -> Value {
    let (origin, of) = match &entity.origin {
        Origin::Declared => ("declared", None),
        Origin::Elsewhere => ("elsewhere", None),
        Origin::Rollup(rollup) => ("rollup", Some(&rollup.of)),
        Origin::History { of } => ("history", Some(of)),
        Origin::Event { of } => ("event", Some(of)),
    };
    let fields = entity.fields.iter().map(|field| {
        json!({
            "name": field.name,
            "type": field.ty.to_string(),
            "optional": field.optional,
            "references": field.reference.as_ref().map(|reference| &reference.entity),
            "filled_by": fill_word(&field.fill),
        })
    });
    let (class, reason) = entity.class(catalog);
    json!({
        "name": entity.name,
        "written_as": class.name(),
        "because": reason.to_string(),
        "origin": origin,
        "of": of,
        "key": entity.key,
        "append_only": entity.append_only,
        "fields": fields.collect::<Vec<_>>(),
    })
}

fn pattern_value(catalog: &Catalog, pattern: &Pattern) -> Value {
    let Some(endpoint) = Endpoint::of(catalog, pattern) else {
        return json!({ "name": pattern.name, "outside": true });
    };
    let inputs = endpoint.inputs.iter().map(|input| {
        json!({ "name": input.name, "type": input.ty.to_string(), "optional": input.optional, "list_max": input.list_max })
    });
    let outputs = endpoint
        .outputs
        .iter()
        .map(|output| json!({ "name": output.name, "type": output.ty.to_string(), "optional": output.optional }));
    let orders = pattern.selection().map(|selection| {
        selection
            .orders
            .iter()
            .filter(|order| !order.name.is_empty())
            .map(|order| order.name.clone())
            .collect::<Vec<_>>()
    });
    let moves = pattern
        .writes()
        .into_iter()
        .flat_map(|(_, write)| write.moves(catalog))
        .map(|found| json!({ "within": found.within, "field": found.field, "because_of": found.reason.name() }));
    json!({
        "name": pattern.name,
        "method": endpoint.method,
        "path": endpoint.path,
        "inputs": inputs.collect::<Vec<_>>(),
        "orders": orders.unwrap_or_default(),
        "idempotency_key": endpoint.needs_idempotency_key,
        "outputs": outputs.collect::<Vec<_>>(),
        "reasons": endpoint.reasons,
        "moves": moves.collect::<Vec<_>>(),
    })
}
