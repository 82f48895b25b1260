use keyloom_model::Pattern;
use keyloom_model::layout::{Holds, Table};
use keyloom_plan::{Effect, Program, Reach, ReadPlan, Refusal, When, WritePlan};
use serde_json::{Value, json};

use super::plan::{direction, part_text, sentences, verb};

/// A layout as `design` made it, for programs. The form has a version, `schema`.
pub fn design_json(program: &Program) -> String {
    let patterns = program.catalog.patterns.iter().map(|pattern| {
        let mut value = pattern_plan(program, pattern);
        value["name"] = json!(pattern.name);
        value["says"] = json!(sentences(program, pattern));
        value
    });
    let value = json!({
        "schema": 1,
        "catalog": program.catalog.name,
        "engine": program.layout.engine.name(),
        "epoch": program.layout.epoch,
        "tables": program.layout.tables.iter().map(table_value).collect::<Vec<_>>(),
        "patterns": patterns.collect::<Vec<_>>(),
        "refusals": program.refusals.iter().map(refusal_value).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

/// How a pattern is answered, and what it does to the tables.
pub(super) fn pattern_plan(program: &Program, pattern: &Pattern) -> Value {
    json!({
        "engine": program.layout.engine.name(),
        "reads": program.reads_of(&pattern.name).map(read_value).collect::<Vec<_>>(),
        "writes": program.writes_of(&pattern.name).map(write_value).collect::<Vec<_>>(),
    })
}

fn table_value(table: &Table) -> Value {
    let (holds, of, keeper) = match &table.holds {
        Holds::Source { entity, .. } => ("source", entity.clone(), None),
        Holds::Projection { entity, keeper } => ("projection", entity.clone(), Some(keeper.name())),
        Holds::Reservations { entity, unique } => ("reservations", format!("{entity}.{unique}"), None),
        Holds::Kept { entity, field, .. } => ("kept", format!("{entity}.{field}"), None),
        Holds::Contributions(keyloom_model::layout::Counted::Field { entity, field }) => {
            ("contributions", format!("{entity}.{field}"), None)
        }
        Holds::Contributions(keyloom_model::layout::Counted::Rollup(rollup)) => ("contributions", rollup.clone(), None),
        Holds::Newest { entity } => ("newest", entity.clone(), None),
        Holds::Numbers { entity, field } => ("numbers", format!("{entity}.{field}"), None),
    };
    let sort = table.sort.iter().map(
        |item| json!({ "field": item.field, "direction": direction(item.direction), "nulls_last": item.nulls_last }),
    );
    json!({
        "name": table.name,
        "holds": holds,
        "of": of,
        "keeper": keeper,
        "where": table.filter.as_ref().map(ToString::to_string),
        "all_tenants": table.all_tenants,
        "partition": table.partition.parts().iter().map(part_text).collect::<Vec<_>>(),
        "sort": sort.collect::<Vec<_>>(),
        "columns": table.columns,
    })
}

fn read_value(plan: &ReadPlan) -> Value {
    let (form, via, backward) = match &plan.access.reach {
        Reach::Get { .. } => ("get", None, false),
        Reach::Via { reservations, .. } => ("get", Some(reservations), false),
        Reach::Slice(slice) => ("slice", None, slice.backward),
    };
    json!({
        "question": plan.asked.question.to_string(),
        "table": plan.access.table,
        "form": form,
        "via": via,
        "backward": backward,
        "remains": plan.access.remains.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "looks_up": plan.access.looks_up.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "reads_at_most": plan.at_most.map(|most| json!({ "partitions": most.partitions, "rows": most.rows })),
    })
}

fn write_value(plan: &WritePlan) -> Value {
    json!({
        "step": plan.step,
        "entity": plan.entity,
        "class": plan.class.name(),
        "times_max": plan.times_max,
        "effects": plan.effects.iter().map(effect_value).collect::<Vec<_>>(),
    })
}

fn effect_value(effect: &Effect) -> Value {
    let (when, millionths) = match effect.when {
        When::Always => ("always", None),
        When::Share(millionths) => ("share", Some(millionths)),
        When::Sometimes => ("sometimes", None),
    };
    json!({ "does": verb(&effect.does), "table": effect.table, "when": when, "millionths": millionths })
}

fn refusal_value(refusal: &Refusal) -> Value {
    json!({ "at": refusal.at, "what": refusal.what.to_string(), "way_out": refusal.way_out() })
}
