use std::fmt::Write as _;

use keyloom_model::Direction;
use keyloom_model::layout::{Holds, Part, Question, Table};
use keyloom_plan::{Does, Program, Reach};

/// A diagram for Mermaid: tables with their keys, and patterns as arrows to and from them.
pub fn diagram(program: &Program) -> String {
    let mut out = String::from("flowchart LR\n");
    for table in &program.layout.tables {
        let _ = writeln!(out, "  {}[\"{}\"]", node(&table.name), table_text(table));
    }
    let mut arrows: Vec<String> = Vec::new();
    let mut add = |arrow: String| {
        if !arrows.contains(&arrow) {
            arrows.push(arrow);
        }
    };
    for pattern in &program.catalog.patterns {
        let name = &pattern.name;
        let writes: Vec<_> = program.writes_of(name).collect();
        for plan in program.reads_of(name).filter(|_| writes.is_empty()) {
            let label = match &plan.asked.question {
                Question::Pattern { with: Some(with), .. } => format!("{name}/{with}"),
                Question::Pattern { order: Some(order), .. } => format!("{name}:{order}"),
                _ => name.clone(),
            };
            let table = node(&plan.access.table);
            let label = quoted(&label);
            match &plan.access.reach {
                Reach::Via { reservations, .. } => {
                    add(format!("  {}(\"{label}\") --> {}", reader(&label), node(reservations)));
                    add(format!("  {} --> {table}", node(reservations)));
                }
                Reach::Get { .. } | Reach::Slice(_) => {
                    let limit = plan.at_most.filter(|_| matches!(plan.access.reach, Reach::Slice(_)));
                    let limit = limit.map_or_else(String::new, |most| format!("|\"at most {} rows\"|", most.rows));
                    add(format!("  {}(\"{label}\") -->{limit} {table}", reader(&label)));
                }
            }
        }
        for write in writes {
            for effect in &write.effects {
                if matches!(effect.does, Does::Marks | Does::MarksEnd | Does::Registers | Does::Names) {
                    continue;
                }
                let verb = crate::show::verb(&effect.does);
                add(format!("  {}([\"{}\"]) -. {verb} .-> {}", reader(name), quoted(name), node(&effect.table)));
            }
        }
    }
    arrows.iter().for_each(|arrow| {
        let _ = writeln!(out, "{arrow}");
    });
    out
}

fn table_text(table: &Table) -> String {
    let mut lines = vec![format!("<b>{}</b>", quoted(&table.name)), what(table)];
    let part = |part: &Part| match part {
        Part::Field(field) => field.clone(),
        Part::Bucket(step, field) => format!("{}({field})", step.name()),
    };
    let parts: Vec<String> = table.partition.parts().iter().map(part).collect();
    let parts = if parts.is_empty() { "all".to_owned() } else { parts.join(", ") };
    lines.push(format!("partition {}", quoted(&parts)));
    for item in &table.sort {
        let arrow = if item.direction == Direction::Ascending { "&uarr;" } else { "&darr;" };
        lines.push(format!("{arrow} {}", quoted(&item.field)));
    }
    if let Some(filter) = &table.filter {
        lines.push(format!("where {}", quoted(&filter.to_string())));
    }
    lines.join("<br/>")
}

fn what(table: &Table) -> String {
    match &table.holds {
        Holds::Source { entity, .. } => format!("source of {}", quoted(entity)),
        Holds::Projection { entity, keeper } => format!("of {}, {}", quoted(entity), keeper.name()),
        Holds::Reservations { entity, unique } => format!("reserves {}", quoted(&format!("{entity}.{unique}"))),
        Holds::Kept { entity, field, .. } => format!("keeps {}", quoted(&format!("{entity}.{field}"))),
        Holds::Contributions(_) => "contributions".to_owned(),
        Holds::Newest { entity } => format!("newest {}", quoted(entity)),
        Holds::Numbers { entity, field } => format!("numbers {}", quoted(&format!("{entity}.{field}"))),
    }
}

/// A name that Mermaid takes for a node: words of its own, such as `end`, are none of ours.
fn node(table: &str) -> String {
    format!("t_{table}")
}

fn reader(label: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("p_{}", label.chars().map(plain).collect::<String>())
}

/// What stands between quotes: Mermaid knows entities of HTML there.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('#', "&#35;")
}
