use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{
    Action, Change, Entity, Fill, Origin, Pattern, Read, ReadVerb, RowSize, Type, With, Write, WriteVerb, bytes_text,
    count_text,
};

use super::peak_words;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "misplaced-embedding",
    level: Level::Warning,
    summary: "what changes alone lies within a large row, or what is always read with a row lies apart from it",
    page: include_str!("misplaced_embedding.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let mut seen = Vec::new();
    for pattern in &context.catalog.patterns {
        for (_, write) in pattern.writes() {
            findings.extend(changed_alone(context, pattern, write, &mut seen));
        }
        if let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::Get) {
            findings.extend(read.with.iter().filter_map(|with| read_together(context, pattern, read, with)));
        }
    }
}

/// An update of a part of a row that writes the whole of it, often.
fn changed_alone<'a>(
    context: &LayoutContext<'a>,
    pattern: &'a Pattern,
    write: &'a Write,
    seen: &mut Vec<(&'a str, &'a str)>,
) -> Option<Finding> {
    const BYTES_A_SECOND: f64 = 1_048_576.0;
    const TIMES: u64 = 10;
    let entity = context.base.entity(&write.entity).filter(|_| write.verb == WriteVerb::Update)?;
    let [assignment] = write.assignments.as_slice() else { return None };
    let field = entity.field(assignment.path.own_field()?).filter(|_| write.any_of.is_empty())?;
    let element = match &field.ty {
        Type::List(of, _) | Type::Set(of, _) | Type::Map(_, of, _) => &**of,
        Type::Struct(_) => &field.ty,
        _ => return None,
    };
    let part = if assignment.change == Change::Set { &field.ty } else { element };
    let changed = RowSize::of_type(context.catalog, part).typical.max(1);
    let source = context.source_of(&entity.name)?;
    let row = context.row_size(source).typical;
    let peak = pattern.rate.peak_per_second()?;
    let known = (entity.name.as_str(), field.name.as_str());
    if row < changed.saturating_mul(TIMES) || peak * (row as f64) < BYTES_A_SECOND || seen.contains(&known) {
        return None;
    }
    seen.push(known);
    let message = format!(
        "each `{}` writes a whole row of `{}`, {}, to change {} of `{}`",
        pattern.name,
        source.name,
        bytes_text(row),
        bytes_text(changed),
        field.name
    );
    let written = bytes_text((peak * row as f64).round() as u64);
    let help = format!(
        "make `{}` an entity of its own, `part_of: {}`: a change then writes one small row, and a `with` reads them together",
        field.name, entity.name
    );
    let place = context.base.key(&format!("entities.{}.fields.{}", entity.name, field.name));
    let changes = context.base.key(&format!("patterns.{}", pattern.name));
    let finding = Finding::new(&RULE, place, message).related(changes, "changes it alone");
    Some(finding.derivation(format!("{} x {} = {written}/s", peak_words(pattern.rate), bytes_text(row))).help(help))
}

/// A few rows that are read with another one and by nobody else, often.
fn read_together(context: &LayoutContext<'_>, pattern: &Pattern, read: &Read, with: &With) -> Option<Finding> {
    const READS: f64 = 100.0;
    const ROWS: u64 = 50;
    const BYTES: u64 = 4_096;
    const TIMES: f64 = 10.0;
    let (whole, part) =
        (context.base.entity(&read.selection.entity)?, context.base.entity(&with.read.selection.entity)?);
    if !context.base.whole || !is_plain_part(context, whole, part) {
        return None;
    }
    let readers: Vec<&Pattern> = context.catalog.patterns.iter().filter(|other| reads_part(other, part)).collect();
    if !readers.iter().all(|other| reads_only_with(other, whole, part)) {
        return None;
    }
    let size = context.base.group_size(&with.read.selection)?.rows;
    let rows = size.worst.filter(|worst| *worst <= ROWS && size.per.is_none())?;
    let bytes = rows.saturating_mul(RowSize::of_entity(context.catalog, part).worst);
    let reads = pattern.rate.peak_per_second().filter(|peak| *peak >= READS)?;
    let writers = context.base.writers(&part.name).iter();
    let writes = writers.map(|writer| writer.rate.peak_per_second()).sum::<Option<f64>>()?;
    if bytes > BYTES || writes * TIMES > reads {
        return None;
    }
    let table = &context.program.reads_of(&pattern.name).find(|plan| plan.asked.entity == part.name)?.access.table;
    let message = format!(
        "`{}` always reads the {} of {} with it, up to {rows} from `{table}`, and nobody reads them otherwise",
        pattern.name, with.name, whole.name
    );
    let place = context.base.key(&format!("patterns.{}.with.{}", pattern.name, with.name));
    let saved = count_text(reads.round() as u64);
    let help =
        format!("hold them in the row of {}: `{}: list of ..` with a struct under `types`", whole.name, with.name);
    let derivation = format!(
        "{} = {saved} further reads/s; {rows} rows x {} = {}",
        peak_words(pattern.rate),
        bytes_text(RowSize::of_entity(context.catalog, part).worst),
        bytes_text(bytes)
    );
    Some(Finding::new(&RULE, place, message).derivation(derivation).help(help))
}

/// Whether rows of an entity could as well be values in the rows of another: nothing else points to them, follows from them
/// or is promised of them, and they end with it.
fn is_plain_part(context: &LayoutContext<'_>, whole: &Entity, part: &Entity) -> bool {
    let follows = |other: &Entity| match &other.origin {
        Origin::Event { of } | Origin::History { of } => *of == part.name,
        Origin::Rollup(rollup) => rollup.of == part.name,
        _ => false,
    };
    let points = |other: &Entity| {
        other.part_of.as_ref() == Some(&part.name)
            || other.fields.iter().any(|field| {
                let kept = matches!(&field.fill, Fill::Kept(kept) if kept.entity == part.name);
                kept || field.reference.as_ref().is_some_and(|reference| reference.entity == part.name)
            })
    };
    let entities = || context.catalog.entities.iter();
    part.name != whole.name
        && part.is_declared()
        && !part.append_only
        && part.unique.is_empty()
        && part.expires == whole.expires
        && !entities().any(|other| follows(other) || points(other))
}

fn reads_part(pattern: &Pattern, part: &Entity) -> bool {
    match &pattern.action {
        Action::Read(read) => {
            let through = read.through.as_ref().is_some_and(|through| through.entity == part.name);
            let with = |with: &With| with.read.selection.entity == part.name;
            through || read.selection.entity == part.name || read.with.iter().any(with)
        }
        Action::Claim(claim) => claim.selection.entity == part.name,
        // What is served outside may read anything.
        Action::Outside(_) => true,
        Action::Write(_) | Action::Atomic(_) => false,
    }
}

/// Whether a pattern reads them with the one row that they belong to, and all of them.
fn reads_only_with(pattern: &Pattern, whole: &Entity, part: &Entity) -> bool {
    let Some(read) = pattern.read() else { return false };
    let mut lists = read.with.iter().filter(|with| with.read.selection.entity == part.name);
    read.verb == ReadVerb::Get
        && read.selection.entity == whole.name
        && read.through.is_none()
        && lists.all(|with| with.read.verb == ReadVerb::List && with.read.selection.filter.is_none())
}
