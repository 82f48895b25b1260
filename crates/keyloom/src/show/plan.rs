use std::fmt::Write as _;

use keyloom_model::layout::{Holds, Keeper, Question, Table, Way};
use keyloom_model::{Class, Direction, Entity, Pattern, count_text};
use keyloom_plan::{
    Companions, Component, Does, Effect, Expects, Fixed, Program, Reach, ReadPlan, Slice, Wants, When, WritePlan,
};

use super::Shown;

/// How a pattern is answered by its tables, or which tables an entity has, for people.
pub fn plan(program: &Program, only: Option<Shown<'_>>) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = match only {
        Some(Shown::Pattern(pattern)) => write_pattern(&mut out, program, pattern),
        Some(Shown::Entity(entity)) => write_entity(&mut out, program, entity),
        None => program.catalog.patterns.iter().try_for_each(|pattern| {
            let said = sentences(program, pattern);
            said.iter().try_for_each(|sentence| writeln!(out, "{sentence}"))
        }),
    };
    out
}

/// What a pattern comes to, in one sentence for each of its questions and writes.
pub fn sentences(program: &Program, pattern: &Pattern) -> Vec<String> {
    let refused = program.refusals.iter().filter(|refusal| {
        let path = format!("patterns.{}", pattern.name);
        refusal.at == path || refusal.at.starts_with(&format!("{path}."))
    });
    let mut said: Vec<String> = refused.map(|refusal| format!("{refusal}; {}", refusal.way_out())).collect();
    let is_write = program.writes_of(&pattern.name).next().is_some();
    if !is_write {
        said.extend(blocks(program, pattern).iter().map(|plan| read_sentence(program, plan)));
    }
    for write in program.writes_of(&pattern.name) {
        let effects: Vec<String> = write.effects.iter().map(short).collect();
        let step = write.step.map_or_else(String::new, |step| format!(" step {}", step + 1));
        said.push(format!("{}{step}: {}", pattern.name, effects.join(", ")));
    }
    said
}

fn read_sentence(program: &Program, plan: &ReadPlan) -> String {
    let question = &plan.asked.question;
    let table = &plan.access.table;
    let mut said = match &plan.access.reach {
        Reach::Get { .. } => format!("{question}: one row of {table}"),
        Reach::Via { reservations, .. } => format!("{question}: {reservations} says which row of {table}"),
        Reach::Slice(slice) => {
            let partition = partition_text(slice);
            let order = program.layout.table(table).map(|laid| order_text(laid, slice)).unwrap_or_default();
            let order = if order.is_empty() { String::new() } else { format!(" in the order {order}") };
            format!("{question}: rows of {table} by {partition}{order}")
        }
    };
    if !plan.access.looks_up.is_empty() {
        let paths: Vec<String> = plan.access.looks_up.iter().map(ToString::to_string).collect();
        let _ = write!(said, ", looking up {}", paths.join(", "));
    }
    if let Some(at_most) = plan.at_most.filter(|_| matches!(plan.access.reach, Reach::Slice(_))) {
        let _ = write!(said, "; at most {} rows", count_text(at_most.rows));
    }
    said
}

/// The questions of a pattern that are answered differently. One with optional inputs that only narrow the read is none.
pub(super) fn blocks<'a>(program: &'a Program, pattern: &'a Pattern) -> Vec<&'a ReadPlan> {
    let mut shown: Vec<&ReadPlan> = Vec::new();
    for plan in program.reads_of(&pattern.name) {
        let same = |known: &&ReadPlan| {
            without_inputs(&known.asked.question) == without_inputs(&plan.asked.question)
                && known.access.table == plan.access.table
                && known.access.remains == plan.access.remains
                && known.at_most == plan.at_most
        };
        if !shown.iter().any(same) {
            shown.push(plan);
        }
    }
    shown
}

fn without_inputs(question: &Question) -> Question {
    match question {
        Question::Pattern { pattern, with, order, .. } => {
            Question::Pattern { pattern: pattern.clone(), with: with.clone(), order: order.clone(), sent: Vec::new() }
        }
        Question::Support { .. } => question.clone(),
    }
}

fn write_pattern(out: &mut String, program: &Program, pattern: &Pattern) -> std::fmt::Result {
    writeln!(out, "\non {}", program.layout.engine.title())?;
    let writes: Vec<&WritePlan> = program.writes_of(&pattern.name).collect();
    for plan in blocks(program, pattern) {
        write_read(out, program, plan, !writes.is_empty())?;
    }
    for write in writes {
        write_effects(out, program, write)?;
    }
    let path = format!("patterns.{}", pattern.name);
    let of = |at: &str| at == path || at.starts_with(&format!("{path}."));
    for refusal in program.refusals.iter().filter(|refusal| of(&refusal.at)) {
        writeln!(out, "  refused: {}\n    {}", refusal.what, refusal.way_out())?;
    }
    Ok(())
}

fn write_read(out: &mut String, program: &Program, plan: &ReadPlan, finds: bool) -> std::fmt::Result {
    let (verb, table) = (if finds { "finds" } else { "reads" }, &plan.access.table);
    let question = plan.asked.question.to_string();
    match &plan.access.reach {
        Reach::Get { key } => {
            writeln!(out, "  {question} {verb} one row of {table}")?;
            line(out, "key", &fixed_text(key))?;
        }
        Reach::Via { reservations, value } => {
            writeln!(out, "  {question} {verb} one row of {table}")?;
            line(out, "via", &format!("{reservations}: {}", fixed_text(value)))?;
            line(out, "tests", "that the row still holds the value")?;
        }
        Reach::Slice(slice) => {
            writeln!(out, "  {question} {verb} rows of {table}")?;
            line(out, "partition", &partition_text(slice))?;
            if !slice.equal.is_empty() {
                line(out, "within", &fixed_text(&slice.equal))?;
            }
            let order = program.layout.table(table).map(|laid| order_text(laid, slice)).unwrap_or_default();
            if !order.is_empty() {
                line(out, "order", &order)?;
            }
            let all = all_inputs(program, plan);
            if let Some(Reach::Slice(Slice { range: Some((field, within)), .. })) = all.map(|plan| &plan.access.reach) {
                let ranges: Vec<String> = within.iter().map(|within| within.expr(field).to_string()).collect();
                line(out, "range", &ranges.join(" and "))?;
            }
        }
    }
    if !matches!(plan.access.reach, Reach::Via { .. }) {
        for test in &plan.access.remains {
            line(out, "tests", &format!("{test}, on rows that were read"))?;
        }
    }
    if !plan.access.looks_up.is_empty() {
        let paths: Vec<String> = plan.access.looks_up.iter().map(ToString::to_string).collect();
        line(out, "looks up", &paths.join(", "))?;
    }
    if let Some(at_most) = plan.at_most {
        let partitions = if at_most.partitions == 1 { "partition" } else { "partitions" };
        let rows = if at_most.rows == 1 { "row" } else { "rows" };
        let (count, of) = (count_text(at_most.rows), count_text(at_most.partitions));
        line(out, "at most", &format!("{count} {rows} of {of} {partitions}"))?;
    }
    if let Wants::Rows { page, goes_on: true } = plan.asked.wants {
        line(out, "page", &format!("{} rows, then a cursor", count_text(page)))?;
    }
    Ok(())
}

/// The same question with every optional input sent.
fn all_inputs<'a>(program: &'a Program, plan: &ReadPlan) -> Option<&'a ReadPlan> {
    let same = |known: &&ReadPlan| {
        without_inputs(&known.asked.question) == without_inputs(&plan.asked.question)
            && known.access.table == plan.access.table
    };
    program.reads.iter().rev().find(same)
}

fn write_effects(out: &mut String, program: &Program, write: &WritePlan) -> std::fmt::Result {
    let step = write.step.map_or_else(String::new, |step| format!(" step {}", step + 1));
    let times =
        if write.times_max > 1 { format!(", up to {} times", count_text(write.times_max)) } else { String::new() };
    writeln!(out, "  {}{step} writes {}, {}{times}", write.pattern, write.entity, class_text(write.class))?;
    let names: Vec<String> = write.effects.iter().map(|effect| verb(&effect.does).to_owned()).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for (effect, name) in write.effects.iter().zip(&names) {
        let more = more(program, effect);
        writeln!(out, "    {name:width$}  {}{more}", effect.table)?;
    }
    if program.companions == Companions::Follow && write.class == Class::Decided && write.effects.len() > 1 {
        writeln!(out, "    one row is decided; what is placed or removed follows, and is finished if it is cut off")?;
    }
    Ok(())
}

fn write_entity(out: &mut String, program: &Program, entity: &Entity) -> std::fmt::Result {
    writeln!(out, "\ntables on {}", program.layout.engine.title())?;
    for table in &program.layout.tables {
        if keyloom_plan::rows_of(&program.catalog, table) != Some(&entity.name) {
            continue;
        }
        let holds = match &table.holds {
            Holds::Source { .. } => "the truth".to_owned(),
            Holds::Projection { keeper, .. } => format!("a projection, {}", keeper_text(*keeper)),
            Holds::Reservations { unique, .. } => format!("who holds a value of `{unique}`"),
            Holds::Kept { field, .. } => format!("the kept value `{field}`"),
            Holds::Contributions(_) => "what each row contributes to a kept value".to_owned(),
            Holds::Newest { .. } => "the first row of each value".to_owned(),
            Holds::Numbers { field, .. } => format!("the last number of `{field}`"),
        };
        writeln!(out, "  {}: {holds}", table.name)?;
        let parts: Vec<String> = table.partition.parts().iter().map(part_text).collect();
        let parts = if parts.is_empty() { "all rows together".to_owned() } else { parts.join(", ") };
        line(out, "partition", &parts)?;
        if !table.sort.is_empty() {
            let sort: Vec<String> =
                table.sort.iter().map(|item| format!("{} {}", item.field, direction(item.direction))).collect();
            line(out, "order", &sort.join(", "))?;
        }
        if let Some(filter) = &table.filter {
            line(out, "only", &filter.to_string())?;
        }
        if let Some(columns) = table.columns.as_ref().filter(|columns| !columns.is_empty()) {
            line(out, "columns", &columns.join(", "))?;
        }
    }
    let writes: Vec<&WritePlan> = program.writes.iter().filter(|write| write.entity == entity.name).collect();
    if writes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\na write of it takes at most")?;
    let width = writes.iter().map(|write| write.pattern.len()).max().unwrap_or(0);
    writes.iter().try_for_each(|write| writeln!(out, "  {:width$}  {}", write.pattern, cost(program, write)))
}

/// What a write comes to, in rows.
fn cost(program: &Program, write: &WritePlan) -> String {
    let count = |is: &dyn Fn(&Does) -> u64| write.effects.iter().map(|effect| is(&effect.does)).sum::<u64>();
    if program.companions == Companions::Ride && write.class == Class::Decided {
        let (rows, after) = (count(&Does::rows_along), count(&rows_after));
        let what =
            if rows == 1 { "one decision of one row".to_owned() } else { format!("one transaction of {rows} rows") };
        let before = count(&|does| u64::from(*does == Does::Registers));
        let mut words = vec![what];
        words.extend((before > 0).then(|| "one of one row before it".to_owned()));
        words.extend((after > 0).then(|| format!("{after} after it")));
        return words.join(", ");
    }
    let parts = [
        (
            count(&|does| match does {
                Does::Decides(_) | Does::Numbers | Does::Keeps(Way::Recount) | Does::Registers => 1,
                _ => 0,
            }),
            "decided",
        ),
        (
            count(&|does| match does {
                Does::Reserves | Does::Frees => 1,
                Does::Exchanges => 2,
                _ => 0,
            }),
            "reserved or freed",
        ),
        (count(&rows_after), "placed or removed"),
        (count(&|does| u64::from(matches!(does, Does::Checks { .. } | Does::Copies { .. }))), "looked at"),
        (count(&|does| u64::from(matches!(does, Does::Keeps(Way::Recount)))), "groups counted again"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(rows, _)| *rows > 0).map(|(rows, what)| format!("{rows} {what}")).collect();
    parts.join(", ")
}

/// How many rows follow a decision, or are all there is of a write.
fn rows_after(does: &Does) -> u64 {
    match does {
        Does::Places | Does::Clears | Does::Contributes | Does::Adds { rides: true } | Does::Keeps(Way::Newest) => 1,
        Does::Puts(Keeper::Placed) | Does::Removes(Keeper::Placed) => 1,
        Does::Moves(Keeper::Placed) | Does::Marks | Does::MarksEnd => 2,
        _ => 0,
    }
}

fn line(out: &mut String, name: &str, text: &str) -> std::fmt::Result {
    writeln!(out, "    {name:<9}  {text}")
}

pub(crate) fn part_text(part: &keyloom_model::layout::Part) -> String {
    match part {
        keyloom_model::layout::Part::Field(field) => field.clone(),
        keyloom_model::layout::Part::Bucket(step, field) => format!("{}({field})", step.name()),
    }
}

fn fixed_text(fixed: &[(String, Fixed)]) -> String {
    let texts: Vec<String> = fixed.iter().map(|(field, to)| one_fixed(field, to)).collect();
    if texts.is_empty() { "the one row there is".to_owned() } else { texts.join(", ") }
}

fn one_fixed(field: &str, to: &Fixed) -> String {
    match to {
        Fixed::Tenant => format!("{field} of the caller"),
        Fixed::Through { entity, field: edge, .. } => format!("{field} of each {entity}.{edge}"),
        Fixed::To(_) | Fixed::OneOf(_) | Fixed::List { .. } => {
            to.expr(field).map_or_else(|| field.to_owned(), |expr| expr.to_string())
        }
    }
}

fn partition_text(slice: &Slice) -> String {
    let text = |component: &Component| match component {
        Component::Field(field, to) => one_fixed(field, to),
        Component::Bucket { step, field, to } => format!("the {} of {}", step.name(), one_fixed(field, to)),
        Component::Buckets { step, field, within } if within.is_empty() => {
            format!("each {} of {field} that has rows", step.name())
        }
        Component::Buckets { step, field, .. } => format!("each {} of {field} in the range", step.name()),
    };
    let texts: Vec<String> = slice.partition.iter().map(text).collect();
    if texts.is_empty() { "all rows together".to_owned() } else { texts.join(", ") }
}

/// The order in which rows come, without what is fixed.
fn order_text(table: &Table, slice: &Slice) -> String {
    let rest = table.sort.iter().skip(slice.equal.len());
    let items: Vec<String> = rest
        .map(|item| {
            let turned = match (item.direction, slice.backward) {
                (Direction::Ascending, false) | (Direction::Descending, true) => Direction::Ascending,
                (Direction::Descending, false) | (Direction::Ascending, true) => Direction::Descending,
            };
            let nulls = if item.nulls_last { " nulls last" } else { "" };
            format!("{} {}{nulls}", item.field, direction(turned))
        })
        .collect();
    items.join(", ")
}

pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "asc",
        Direction::Descending => "desc",
    }
}

fn keeper_text(keeper: Keeper) -> &'static str {
    match keeper {
        Keeper::Carried => "carried by each decision",
        Keeper::Placed => "placed after each write",
        Keeper::Index => "an index that the engine keeps",
    }
}

fn class_text(class: Class) -> &'static str {
    match class {
        Class::Append => "append: rows come and never change",
        Class::Fed => "fed: the newest version wins",
        Class::Blind => "blind: the last write wins",
        Class::Decided => "decided: it counts only if the row is as it was read",
    }
}

/// What is done, as a verb.
pub(crate) fn verb(does: &Does) -> &'static str {
    match does {
        Does::Decides(_) => "decides",
        Does::Places => "places",
        Does::Clears | Does::Removes(_) => "removes",
        Does::Puts(Keeper::Carried) => "carries",
        Does::Puts(Keeper::Placed) => "places",
        Does::Puts(Keeper::Index) => "indexes",
        Does::Moves(_) => "moves",
        Does::Reserves => "reserves",
        Does::Exchanges => "exchanges",
        Does::Frees => "frees",
        Does::Checks { .. } => "checks",
        Does::Copies { .. } => "copies",
        Does::Adds { .. } => "adds",
        Does::Keeps(Way::Rider) => "counts",
        Does::Keeps(Way::Newest) => "pushes",
        Does::Keeps(Way::Recount) => "recounts",
        Does::Contributes => "contributes",
        Does::Touches => "touches",
        Does::Numbers => "numbers",
        Does::Marks => "marks",
        Does::MarksEnd => "marks the end",
        Does::Registers => "registers",
        Does::Names => "names",
    }
}

fn short(effect: &Effect) -> String {
    format!("{} {}{}", verb(&effect.does), effect.table, often(effect.when))
}

pub(super) fn often(when: When) -> String {
    match when {
        When::Always => String::new(),
        When::Share(millionths) => {
            format!(" ({} of the time)", keyloom_model::Share { millionths })
        }
        When::Sometimes => " (at times)".to_owned(),
    }
}

/// What is to be said of an effect beside its table.
fn more(program: &Program, effect: &Effect) -> String {
    let mut said = match &effect.does {
        Does::Decides(Expects::Absent) => ", absent before".to_owned(),
        Does::Decides(Expects::Version) => ", as it was read".to_owned(),
        Does::Decides(Expects::Any) => ", there or not".to_owned(),
        Does::Moves(Keeper::Carried) => ", old place and new, with the decision".to_owned(),
        Does::Moves(_) => ", the new place first, then the old is removed".to_owned(),
        Does::Removes(Keeper::Carried) | Does::Puts(Keeper::Carried) => ", with the decision".to_owned(),
        Does::Removes(Keeper::Placed) | Does::Puts(Keeper::Placed) if program.companions == Companions::Follow => {
            ", after it".to_owned()
        }
        Does::Checks { held: true } => ": the row must be there, and stays".to_owned(),
        Does::Checks { held: false } => ": the row must be there; looked at before, not held".to_owned(),
        Does::Copies { held: true } => ": its fields as they are, and stay until then".to_owned(),
        Does::Copies { held: false } => ": its fields, looked at once the row can be found by it".to_owned(),
        Does::Adds { rides: true } => ", its image rides in the decided row until it is placed".to_owned(),
        Does::Keeps(Way::Rider) => ", with the decision".to_owned(),
        Does::Keeps(Way::Newest) => ": the furthest value wins".to_owned(),
        Does::Keeps(Way::Recount) => {
            let from = program.layout.table(&effect.table).and_then(|table| match &table.holds {
                Holds::Kept { upkeep, .. } | Holds::Source { upkeep, .. } => upkeep.from.clone(),
                _ => None,
            });
            from.map_or_else(String::new, |from| format!(" from {from}"))
        }
        Does::Marks => " before, and that it is done after".to_owned(),
        Does::MarksEnd => " before; what follows from it is done when the row has ended".to_owned(),
        Does::Registers => " before: which row it is about".to_owned(),
        Does::Names => " the bucket before, unless this process has done so".to_owned(),
        Does::Touches => ", row by row".to_owned(),
        _ => String::new(),
    };
    said.push_str(&often(effect.when));
    said
}
