use std::fmt::Write as _;

use keyloom_model::{
    Action, By, Catalog, Change, Condition, Direction, Endpoint, Entity, Expiry, Fill, Frequency, Freshness, Input,
    KnownBy, Limit, Order, Origin, Output, Pattern, Read, ReadVerb, RowSize, Selection, Skew, Step, Write, WriteVerb,
    bytes_text, count_text,
};

use super::Shown;

/// The whole catalog, or one thing of it, for people.
pub fn text(catalog: &Catalog, only: Option<Shown<'_>>) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = match only {
        Some(Shown::Pattern(pattern)) => write_pattern(&mut out, catalog, pattern),
        Some(Shown::Entity(entity)) => write_entity_in_full(&mut out, catalog, entity),
        None => write_catalog(&mut out, catalog),
    };
    out
}

fn write_catalog(out: &mut String, catalog: &Catalog) -> std::fmt::Result {
    let declared = catalog.entities.iter().filter(|entity| entity.is_declared()).count();
    writeln!(out, "{}: {declared} entities, {} patterns", catalog.name, catalog.patterns.len())?;
    if let Some(tenant) = &catalog.tenant {
        writeln!(out, "tenant: {} ({}), first in every key, from the caller's identity", tenant.field, tenant.ty)?;
    }
    writeln!(out, "\nENTITIES")?;
    for entity in &catalog.entities {
        write_entity(out, entity)?;
    }
    writeln!(out, "\nENDPOINTS")?;
    for pattern in &catalog.patterns {
        match Endpoint::of(catalog, pattern) {
            Some(endpoint) => {
                writeln!(out, "{:<4} {}({})", endpoint.method, endpoint.path, inputs(&endpoint.inputs))?;
                if !endpoint.reasons.is_empty() {
                    writeln!(out, "       not applied: {}", endpoint.reasons.join(", "))?;
                }
            }
            None => writeln!(out, "--   {}: served elsewhere", pattern.name)?,
        }
    }
    writeln!(out, "\nOne pattern or entity in full: keyloom show CATALOG NAME")
}

fn write_entity(out: &mut String, entity: &Entity) -> std::fmt::Result {
    let key = if entity.key.is_empty() { "singleton".to_owned() } else { format!("key [{}]", entity.key.join(", ")) };
    let kind = match &entity.origin {
        Origin::Declared if entity.append_only => ", append-only".to_owned(),
        Origin::Declared => String::new(),
        Origin::Elsewhere => ", fed from elsewhere".to_owned(),
        Origin::Rollup(rollup) => format!(", rolled up from {}", rollup.of),
        Origin::History { of } => format!(", history of {of}"),
        Origin::Event { of } => format!(", event of {of}"),
    };
    writeln!(out, "{}: {key}, {} fields{kind}", entity.name, entity.fields.len())
}

fn write_entity_in_full(out: &mut String, catalog: &Catalog, entity: &Entity) -> std::fmt::Result {
    write_entity(out, entity)?;
    out.extend(entity.doc.iter().map(|doc| format!("  {doc}\n")));
    let fields: Vec<(String, String)> = entity
        .fields
        .iter()
        .map(|field| {
            let optional = if field.optional { "?" } else { "" };
            let reference = field.reference.as_ref().map_or_else(String::new, |to| format!(" -> {}", to.entity));
            let fill = fill_word(&field.fill).map_or_else(String::new, |fill| format!(", {fill}"));
            (field.name.clone(), format!("{}{optional}{reference}{fill}", field.ty))
        })
        .collect();
    write_columns(out, "fields", &fields)?;
    write_columns(out, "stated", &entity_rules(entity))?;
    let size = RowSize::of_entity(catalog, entity);
    writeln!(
        out,
        "\none row\n  {} typical, {} at most, by its types",
        bytes_text(size.typical),
        bytes_text(size.worst)
    )?;
    let (class, reason) = entity.class(catalog);
    writeln!(out, "\nwritten as\n  {}: {reason}", class.name())?;
    let patterns: Vec<(String, String)> =
        catalog.patterns.iter().filter_map(|pattern| use_of(pattern, entity)).collect();
    write_columns(out, "used by", &patterns)
}

/// What is stated of an entity beyond its fields.
fn entity_rules(entity: &Entity) -> Vec<(String, String)> {
    let mut rules = Vec::new();
    let mut add = |name: &str, what: String| rules.push((name.to_owned(), what));
    if let Some(volume) = entity.volume {
        let rows = volume.rows.map(|rows| format!("{} rows", count_text(rows)));
        let growth = volume.growth.map(|growth| format!("{growth} more"));
        add("volume", [rows, growth].into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    for group in &entity.groups {
        let by = if group.by.is_empty() { "all".to_owned() } else { group.by.join(", ") };
        let filter = group.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
        add("group", format!("{by}{filter}: {}", group.rows));
    }
    for unique in &entity.unique {
        let filter = unique.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
        add("unique", format!("{}{filter}, else `{}`", unique.fields.join(", "), unique.name));
    }
    for states in &entity.states {
        let changes = states.changes.iter().map(|(from, to)| format!("{from} -> {to}")).collect::<Vec<_>>().join(", ");
        add("states", format!("{}: {changes}", states.field));
    }
    match &entity.expires {
        Some(Expiry::Forever) => add("expires", "never".to_owned()),
        Some(Expiry::At(moment)) => add("expires", moment.to_string()),
        None => {}
    }
    if let Some(parent) = &entity.part_of {
        add("part of", parent.clone());
    }
    rules
}

/// What a pattern does with an entity.
fn use_of(pattern: &Pattern, entity: &Entity) -> Option<(String, String)> {
    let verb = match &pattern.action {
        Action::Read(read) if read.selection.entity == entity.name => read.verb.name(),
        Action::Read(read) if read.with.iter().any(|with| with.read.selection.entity == entity.name) => "list",
        Action::Claim(claim) if claim.selection.entity == entity.name => "claim",
        _ => pattern.writes().into_iter().find(|(_, write)| write.entity == entity.name)?.1.verb.name(),
    };
    Some((pattern.name.clone(), verb.to_owned()))
}

fn write_pattern(out: &mut String, catalog: &Catalog, pattern: &Pattern) -> std::fmt::Result {
    let Some(endpoint) = Endpoint::of(catalog, pattern) else {
        if let Action::Outside(why) = &pattern.action {
            writeln!(out, "{}: served elsewhere: {why}", pattern.name)?;
        }
        return Ok(());
    };
    writeln!(out, "{} {}", endpoint.method, endpoint.path)?;
    if let Some(doc) = &pattern.doc {
        writeln!(out, "  {doc}")?;
    }
    writeln!(out, "\ndoes")?;
    for line in sentences(catalog, pattern) {
        writeln!(out, "  {line}")?;
    }
    write_columns(out, "inputs", &input_rows(pattern, &endpoint))?;
    write_columns(out, "answers with", &output_rows(pattern, &endpoint))?;
    if !endpoint.reasons.is_empty() {
        writeln!(out, "\nnot applied, with one of")?;
        writeln!(out, "  {}", endpoint.reasons.join(", "))?;
    }
    let moves: Vec<_> = pattern.writes().into_iter().flat_map(|(_, write)| write.moves(catalog)).collect();
    if !moves.is_empty() {
        writeln!(out, "\nmoves its row in")?;
        for found in &moves {
            writeln!(out, "  {} (`{}` is in its {})", found.within, found.field, found.reason.name())?;
        }
    }
    let assumed = assumptions(pattern);
    if !assumed.is_empty() {
        writeln!(out, "\nassumed, because it is not stated")?;
        for line in assumed {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Names and what they are, in two columns under a heading; nothing when there are none.
fn write_columns(out: &mut String, heading: &str, rows: &[(String, String)]) -> std::fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{heading}")?;
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().try_for_each(|(name, what)| writeln!(out, "  {name:width$}  {what}"))
}

/// What a caller sends: the pattern's own inputs, and what its kind of endpoint takes besides.
fn input_rows(pattern: &Pattern, endpoint: &Endpoint) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> =
        endpoint.inputs.iter().map(|input| (input.name.clone(), input_type(input))).collect();
    let mut add = |name: &str, what: String| rows.push((name.to_owned(), what));
    if let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::List) {
        if read.selection.orders.len() > 1 {
            let names = read.selection.orders.iter().map(|order| order.name.as_str()).collect::<Vec<_>>().join(" | ");
            add("order", names);
        }
        if !matches!(read.limit, Some(Limit::First(_))) {
            add("limit", "fewer rows than a page, if wanted".to_owned());
            add("cursor", "`next` or `previous` of the page before, if there was one".to_owned());
        }
    }
    if endpoint.needs_idempotency_key {
        add("Idempotency-Key", "header, required: a repeat with the same key has one effect".to_owned());
    }
    rows
}

/// What an answer holds for each row, and beside the rows.
fn output_rows(pattern: &Pattern, endpoint: &Endpoint) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = endpoint
        .outputs
        .iter()
        .map(|Output { name, ty, optional }| (name.clone(), format!("{ty}{}", if *optional { "?" } else { "" })))
        .collect();
    let mut add = |name: &str, what: &str| rows.push((name.to_owned(), what.to_owned()));
    match &pattern.action {
        Action::Read(read) if read.verb == ReadVerb::Get => add("version", "for `if: version = $version`, and as ETag"),
        Action::Write(write) if write.verb != WriteVerb::Delete => add("version", "of the row as it is now"),
        Action::Read(read) if read.verb == ReadVerb::List && !matches!(read.limit, Some(Limit::First(_))) => {
            add("next, previous", "cursors, where there are more rows");
        }
        _ => {}
    }
    rows
}

/// What a pattern does, in a few plain lines.
fn sentences(catalog: &Catalog, pattern: &Pattern) -> Vec<String> {
    let mut lines = Vec::new();
    match &pattern.action {
        Action::Read(read) => {
            read_lines(catalog, read, &mut lines);
            for with in &read.with {
                lines.push(format!("with `{}`: {}", with.name, read_words(&with.read)));
                let mut inner = Vec::new();
                selection_lines(catalog, &with.read.selection, &mut inner);
                lines.extend(inner.into_iter().map(|line| format!("  {line}")));
            }
        }
        Action::Claim(claim) => {
            let selection = &claim.selection;
            let rows = format!("up to {} {} by {}", claim.up_to, selection.entity, by(selection));
            lines.push(format!("claim {rows}, and hide them from other claims for {}", claim.lease));
            selection_lines(catalog, selection, &mut lines);
        }
        Action::Write(write) => write_lines(write, "", &mut lines),
        Action::Atomic(steps) => {
            lines.push("all of this, or nothing:".to_owned());
            for (at, step) in steps.iter().enumerate() {
                let (Step::Write { each, .. } | Step::Check { each, .. }) = step;
                let each = each.as_ref().map_or_else(String::new, |each| {
                    format!("for each {} of ${}, at most {}: ", each.item, each.input, each.max)
                });
                let number = format!("{}. {each}", at + 1);
                match step {
                    Step::Write { write, .. } => write_lines(write, &number, &mut lines),
                    Step::Check { entity, conditions, .. } => {
                        lines.push(format!("{number}check {entity}"));
                        condition_lines(conditions, &mut lines);
                    }
                }
            }
        }
        Action::Outside(_) => {}
    }
    lines.push(format!("rate: {}{}", pattern.rate, skew(pattern.skew)));
    lines.extend(pattern.latency.map(|latency| format!("latency: p99 {latency}")));
    lines
}

fn write_lines(write: &Write, number: &str, lines: &mut Vec<String>) {
    let batch = write.batch.map_or_else(String::new, |most| format!(", up to {most} in one call"));
    lines.push(format!("{number}{} {}{batch}", write.verb.name(), write.entity));
    lines.extend(write.assignments.iter().map(|assignment| {
        let arrow = match assignment.change {
            Change::Set => "<-",
            Change::Add => "add",
            Change::Remove => "remove",
            Change::Append => "append",
        };
        format!("  {} {arrow} {}", assignment.path, assignment.value)
    }));
    condition_lines(&write.conditions, lines);
    lines.extend(write.emits.iter().map(|event| format!("  emits {event}")));
}

fn condition_lines(conditions: &[Condition], lines: &mut Vec<String>) {
    lines.extend(
        conditions.iter().map(|condition| format!("  only if {}, else `{}`", condition.test, condition.reason)),
    );
}

fn read_words(read: &Read) -> String {
    let limit = match read.limit {
        Some(Limit::Page(rows)) => format!(", {rows} a page"),
        Some(Limit::First(rows)) => format!(", the first {rows}"),
        None => read.up_to.map_or_else(String::new, |most| format!(", up to {most}")),
    };
    let batch = read.batch.map_or_else(String::new, |most| format!(", up to {most} in one call"));
    let through = read.through.as_ref().map_or_else(String::new, |through| {
        format!(" through {}, where its {} is `{}`", through.entity, through.edge_field, through.field)
    });
    format!("{} {}{through} by {}{limit}{batch}", read.verb.name(), read.selection.entity, by(&read.selection))
}

fn read_lines(catalog: &Catalog, read: &Read, lines: &mut Vec<String>) {
    lines.push(read_words(read));
    selection_lines(catalog, &read.selection, lines);
    lines.extend(read.freshness.map(|freshness| format!("freshness: {}", freshness_text(freshness))));
}

/// How old an answer may be.
pub(super) fn freshness_text(freshness: Freshness) -> String {
    match freshness {
        Freshness::Latest => "latest".to_owned(),
        Freshness::ReadYourWrites => "read your writes".to_owned(),
        Freshness::Within(span) => format!("at most {span} old"),
    }
}

fn selection_lines(catalog: &Catalog, selection: &Selection, lines: &mut Vec<String>) {
    lines.extend(selection.filter.iter().map(|filter| format!("where {filter}")));
    lines.extend(selection.orders.iter().map(|order| format!("in order of {}", order_words(order))));
    if let Some(worst) = selection.span.and_then(|span| span.worst) {
        lines.push(format!("over at most {worst}; what lies further away is not answered"));
    }
    if let Some(size) = catalog.group_size(selection) {
        let known = match size.known_by {
            KnownBy::Identity => return,
            KnownBy::Pattern | KnownBy::SameGroup(_) => "",
            KnownBy::WiderGroup(_) => " (from a wider group: an upper bound)",
            KnownBy::Volume => " (from the volume: everything there is)",
        };
        lines.push(format!("rows in one group: {}{known}", size.rows));
    }
}

fn order_words(order: &Order) -> String {
    let items = order.items.iter().map(|item| {
        let direction = if item.direction == Direction::Descending { "desc" } else { "asc" };
        format!("{} {direction}{}", item.path, if item.nulls_last { " nulls last" } else { "" })
    });
    let items = items.collect::<Vec<_>>().join(", ");
    if order.name.is_empty() { items } else { format!("{items} (`order={}`)", order.name) }
}

fn by(selection: &Selection) -> String {
    match &selection.by {
        By::All => "all".to_owned(),
        By::Fields(items) => items.iter().map(|item| item.path.to_string()).collect::<Vec<_>>().join(", "),
    }
}

fn skew(skew: Option<Skew>) -> String {
    match skew {
        Some(Skew::Busiest(share)) => format!(", {share} of it on the busiest group"),
        Some(Skew::Zipf(thousandths)) => format!(", spread by Zipf {}.{:03}", thousandths / 1000, thousandths % 1000),
        None => String::new(),
    }
}

/// What Keyloom takes in place of a number that is not stated.
fn assumptions(pattern: &Pattern) -> Vec<String> {
    let mut assumed = Vec::new();
    match pattern.rate {
        Frequency::Stated { mean: Some(mean), peak: None } => {
            assumed.push(format!("peak: ten times the mean of {mean}"));
        }
        Frequency::Stated { mean: None, peak: Some(peak) } => {
            assumed.push(format!("mean: equal to the peak of {peak}"));
        }
        _ => {}
    }
    if let Some(read) = pattern.read() {
        if read.freshness.is_none() {
            assumed.push("freshness: 5s".to_owned());
        }
        if read.limit.is_none() && read.verb == ReadVerb::List {
            assumed.push("page: 100".to_owned());
        }
    }
    assumed
}

fn inputs(inputs: &[Input]) -> String {
    inputs.iter().map(|input| format!("{}: {}", input.name, short_type(input))).collect::<Vec<_>>().join(", ")
}

fn short_type(input: &Input) -> String {
    let list = input.list_max.map_or_else(String::new, |max| format!("[{max}]"));
    let word = match &input.ty {
        keyloom_model::Type::Enum(_) => "enum".to_owned(),
        other => other.word(),
    };
    format!("{word}{list}{}", if input.optional { "?" } else { "" })
}

fn input_type(input: &Input) -> String {
    let list = input.list_max.map_or_else(String::new, |max| format!(", a list of at most {max}"));
    format!("{}{}{list}", input.ty, if input.optional { "?" } else { "" })
}

/// Whether a fill is one that nobody sends.
pub(super) fn fill_word(fill: &Fill) -> Option<&'static str> {
    match fill {
        Fill::Taken => None,
        Fill::Default(_) => Some("default"),
        Fill::New => Some("new"),
        Fill::NowOnWrite => Some("now on write"),
        Fill::Next { .. } => Some("sequence"),
        Fill::Derived(_) => Some("derived"),
        Fill::Snapshot(_) => Some("snapshot"),
        Fill::Kept(_) => Some("kept"),
    }
}
