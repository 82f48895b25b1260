//! Writes: create, put, update, delete, and the steps of an atomic.

use keyloom_model::{
    Assignment, By, ByItem, Change, Compare, Condition, Each, Entity, Expr, Fill, Literal, Origin, Path, Root, Step,
    Type, Write, WriteVerb,
};

use super::groups::split_where;
use super::naming::Case;
use super::patterns::{EVENT_FIELDS, check_words, target};
use super::scope::{Row, field_path, find_path};
use super::selection::Pattern;
use super::syntax::{Grammar, Keys, Name, Reader, join};
use super::typing::Typing;
use crate::fault::Fault;
use crate::parse::expr::{self as written, ExprKind, PathStep};
use crate::parse::units;
use crate::rules::{bad_value, bad_write, missing_key, type_mismatch, wrong_shape};
use crate::text::Text;
use crate::vocabulary;
use crate::yaml::{Entry, Kind, Node};

/// Reads a single write.
pub(super) fn write<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    keys: &Keys<'_>,
    verb: &str,
) -> Option<Write> {
    let verb = match verb {
        "create" => WriteVerb::Create,
        "put" => WriteVerb::Put,
        "update" => WriteVerb::Update,
        _ => WriteVerb::Delete,
    };
    let entity = target(reader, pattern.names, keys, verb.name())?;
    let place = keys.entry(verb.name()).map_or(pattern.place, |entry| entry.value.place);
    refuse(reader, entity, verb, place);
    let by = match verb {
        WriteVerb::Create | WriteVerb::Put => Vec::new(),
        WriteVerb::Update | WriteVerb::Delete => row(reader, pattern, entity, keys, verb)?,
    };
    let assignments = assignments(reader, pattern, entity, keys, verb);
    let any_of =
        keys.get("any_of").map(|node| pattern.own_fields(reader, entity, node, "`any_of`")).unwrap_or_default();
    let conditions = keys.get("if").map(|node| pattern.conditions(reader, entity, node)).unwrap_or_default();
    let takes = takes(reader, pattern, entity, keys, verb, &assignments);
    for name in &any_of {
        check_settable(reader, entity, &Path::own(&name.text), name.place);
        take(reader, pattern, entity, name, true);
    }
    check_states(reader, entity, verb, &assignments, &conditions, keys);
    if verb == WriteVerb::Update && assignments.is_empty() && any_of.is_empty() {
        let changes = ["set", "add", "remove", "append", "any_of"];
        let nothing_understood = changes.iter().any(|key| keys.has(key) || keys.is_misspelt(key));
        if !nothing_understood {
            let field = entity.fields.iter().find(|field| !entity.key.contains(&field.name));
            let example = field.map_or_else(
                || "set: { status: CLOSED }".to_owned(),
                |field| format!("set: {{ {0}: ${0} }}", field.name),
            );
            reader.required(keys, "set", "`update`", place, &example);
        }
    }
    let newest = keys.get("newest").and_then(|node| {
        let text = reader.text(node, "`newest`", "newest: seq")?;
        reader.found(pattern.names.find_field(entity, &text.text, text.whole())).map(|field| field.name.clone())
    });
    let emits = keys.get("emits").and_then(|node| {
        let text = reader.text(node, "`emits`", "emits: TaskClosed")?;
        let name = Name { place: text.whole(), text: text.text };
        if !reader.check_name(&name, "an event", Case::Entity) {
            return None;
        }
        let taken = pattern
            .names
            .entity(&name.text)
            .filter(|known| !matches!(&known.origin, Origin::Event { of } if *of == entity.name));
        if taken.is_some() {
            let message =
                format!("`{}` is another entity already, and an event of {} would be one too", name.text, entity.name);
            reader.push(bad_write::finding(name.place, message, "give the event a name of its own"));
            return None;
        }
        if let Some(key) = entity.key.iter().find(|key| EVENT_FIELDS.contains(&key.as_str())) {
            let message =
                format!("every event has a field `{key}` of its own, and the key of {} has one too", entity.name);
            reader.push(bad_write::finding(name.place, message, "rename the field of the key, or emit nothing here"));
            return None;
        }
        Some(name.text)
    });
    Some(Write {
        verb,
        entity: entity.name.clone(),
        by,
        takes,
        assignments,
        any_of: any_of.into_iter().map(|name| name.text).collect(),
        conditions,
        batch: keys.get("batch").and_then(|node| reader.parse(node, "`batch`", "100", Grammar::Value, units::count)),
        emits,
        returns: pattern.returns(reader, entity, keys.get("returns"), true),
        newest,
        or_create: keys.get("or_create").and_then(|node| reader.flag(node, "`or_create`")).unwrap_or(false),
    })
}

/// What can't be written at all.
fn refuse(reader: &mut Reader<'_>, entity: &Entity, verb: WriteVerb, place: keyloom_finding::Place) {
    let why = match &entity.origin {
        Origin::Rollup(rollup) => Some((
            format!("{} is a rollup of {}: nobody writes it", entity.name, rollup.of),
            format!("write {}; the rollup follows", rollup.of),
        )),
        Origin::History { of } => {
            let message = format!("{} is the history of {of}: nobody writes it", entity.name);
            Some((message, format!("write {of}; its history follows")))
        }
        Origin::Event { of } => Some((
            format!("{} is an event of {of}: nobody writes it", entity.name),
            format!("write {of} in a pattern that says `emits: {}`", entity.name),
        )),
        _ if entity.append_only && verb != WriteVerb::Create => Some((
            format!("{} is append-only, and `{}` would change or remove rows", entity.name, verb.name()),
            "drop `append_only`, or `create` a correcting row".to_owned(),
        )),
        Origin::Elsewhere if verb != WriteVerb::Put && verb != WriteVerb::Delete => Some((
            format!(
                "{} has its truth in another system (`source: elsewhere`), and `{}` would make a second one",
                entity.name,
                verb.name()
            ),
            format!("copy what comes from there: `put: {}, newest: seq`", entity.name),
        )),
        _ => None,
    };
    if let Some((message, help)) = why {
        reader.push(bad_write::finding(place, message, help));
    }
}

/// The one row that an update or a delete is about.
fn row<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    entity: &'c Entity,
    keys: &Keys<'_>,
    verb: WriteVerb,
) -> Option<Vec<ByItem>> {
    let Some(node) = keys.get("by") else {
        if entity.key.is_empty() {
            return Some(Vec::new());
        }
        // A `where` in its place does not go with the verb, which is said there.
        if keys.is_misspelt("by") || keys.has("where") {
            return None;
        }
        let what = format!("`{} {}`", verb.name(), entity.name);
        reader.push(missing_key::finding(
            Some(pattern.place),
            &what,
            "by",
            &format!("by: [{}]", entity.key.join(", ")),
        ));
        return None;
    };
    let by = pattern.by(reader, entity, node)?;
    pattern.one_row(reader, entity, verb.name(), &by, None, node.place);
    match by {
        By::Fields(items) => Some(items),
        By::All => Some(Vec::new()),
    }
}

/// Reads `set`, `add`, `remove`, `append`.
fn assignments<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    entity: &'c Entity,
    keys: &Keys<'_>,
    verb: WriteVerb,
) -> Vec<Assignment> {
    let mut all = Vec::new();
    for (key, change) in
        [("set", Change::Set), ("add", Change::Add), ("remove", Change::Remove), ("append", Change::Append)]
    {
        let Some(node) = keys.get(key) else { continue };
        if let Some(changes) = other_changes(node) {
            let changes: Vec<String> = changes
                .iter()
                .map(|(field, value)| match value.contains(['\'', ',']) {
                    // YAML takes the quotes of a text away, and ends a value at a comma.
                    true => format!("{field}: \"{value}\""),
                    false => format!("{field}: {value}"),
                })
                .collect();
            let finding = wrong_shape::finding(
                node.place,
                &format!("`{key}`"),
                "fields and their values",
                "another notation",
                "",
            );
            reader.push(finding.help(format!("write `{key}: {{ {} }}`", changes.join(", "))));
            continue;
        }
        let path = join(&pattern.path, key);
        for (name, value) in reader.entries(node, &path, &format!("`{key}`"), "set: { status: CLOSED }") {
            match assignment(reader, pattern, entity, &name, value, change, verb) {
                Some(assignment) => all.push(assignment),
                None => reader.misread(&path),
            }
        }
    }
    all
}

/// The fields and values in `status = CLOSED, closed_at = now`, `{ status = CLOSED }` and `[name]`; nothing where they are
/// written as they should be, or not in sight.
fn other_changes(node: &Node) -> Option<Vec<(String, String)>> {
    let texts: Vec<String> = match &node.kind {
        Kind::Scalar(scalar) => scalar.text.split(',').map(str::to_owned).collect(),
        Kind::List { items, .. } => {
            items.iter().map(|item| Some(item.scalar()?.text.clone())).collect::<Option<_>>()?
        }
        Kind::Map { entries, .. } => {
            let is_equation =
                |entry: &Entry| entry.value.is_empty() && entry.key.scalar().is_some_and(|key| key.text.contains('='));
            entries.iter().find(|entry| is_equation(entry))?;
            let text = |entry: &Entry| {
                let key = &entry.key.scalar()?.text;
                Some(if is_equation(entry) { key.clone() } else { format!("{key} = {}", entry.value.scalar()?.text) })
            };
            entries.iter().map(text).collect::<Option<_>>()?
        }
    };
    let changes = texts.iter().map(|text| {
        let (field, value) = text.split_once('=').unwrap_or((text, ""));
        let (field, value) = (field.trim(), value.trim());
        let value = if text.contains('=') { value.to_owned() } else { format!("${field}") };
        let is_field = matches!(written::expr(field).ok()?.kind, ExprKind::Path(..));
        (is_field && written::expr(&value).is_ok()).then(|| (field.to_owned(), value))
    });
    changes.collect::<Option<Vec<_>>>().filter(|changes| !changes.is_empty())
}

fn assignment<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    entity: &'c Entity,
    name: &Name,
    node: &Node,
    change: Change,
    verb: WriteVerb,
) -> Option<Assignment> {
    let key = Text::verbatim(&name.text, name.place);
    let written = reader.parse_text(&key, Grammar::Expression, written::expr)?;
    let ExprKind::Path(first, steps) = &written.kind else {
        let help = "name the field that is changed: `set: { status: CLOSED }`";
        reader.push(bad_write::finding(name.place, format!("`{}` is not a field", name.text), help));
        return None;
    };
    let found = match find_path(pattern.names, Row { entity, built_in: false }, first, steps, &key) {
        Ok(found) => found,
        Err(finding) => {
            reader.push(finding);
            return None;
        }
    };
    if !check_settable(reader, entity, &found.path, name.place) {
        return None;
    }
    if verb == WriteVerb::Update && entity.key.contains(&found.path.field) {
        let help = "create a new row and delete the old one, in one `atomic`";
        let message = format!("`{}` is part of the key, and the identity of a row never changes", found.path.field);
        reader.push(bad_write::finding(name.place, message, help));
        return None;
    }
    for step in steps {
        if let (PathStep::Input(word), Some(Type::Map(of, ..))) =
            (step, entity.field(&found.path.field).map(|field| &field.ty))
            && let Err(finding) =
                pattern.inputs.use_as(&word.text, key.place(word.range.clone()), Some(of), false, None)
        {
            reader.push(finding);
        }
    }
    let wanted = match (change, &found.ty) {
        (Change::Set, ty) => ty.clone(),
        (Change::Add | Change::Remove, Type::Set(of, _))
        | (Change::Append, Type::List(of, _))
        | (Change::Remove, Type::Map(of, ..)) => (**of).clone(),
        (Change::Add, ty) => {
            let help = "`add` adds to sets; a number is increased with `set: { n: n + $x }`".to_owned();
            reader.push(type_mismatch::finding(
                name.place,
                format!("`{}` is {}, not a set", found.path, ty.word()),
                help,
            ));
            return None;
        }
        (Change::Remove, ty) => {
            reader.push(type_mismatch::finding(
                name.place,
                format!("`{}` is {}; `remove` takes from sets and maps", found.path, ty.word()),
                format!("write the whole value: `set: {{ {}: .. }}`", found.path),
            ));
            return None;
        }
        (Change::Append, ty) => {
            reader.push(type_mismatch::finding(
                name.place,
                format!("`{}` is {}; `append` adds to lists", found.path, ty.word()),
                "`add` adds to a set; anything else is written with `set`".to_owned(),
            ));
            return None;
        }
    };
    let text = reader.text(node, "a value", "CLOSED")?;
    let written = reader.parse_text(&text, Grammar::Expression, |text| {
        written::expr(text).map_err(|fault| other_value(text, &found.path, &wanted).unwrap_or(fault))
    })?;
    if let ExprKind::Path(word, steps) = &written.kind
        && steps.is_empty()
        && entity.field(&word.text).is_none()
        && matches!(wanted, Type::Text(_))
        && pattern.item.is_none()
    {
        let help = Some(format!("text needs both quotes: \"'{}'\"; an input needs a `$`: `${}`", word.text, word.text));
        reader.push(bad_value::finding(
            text.whole(),
            format!("`{}` is neither a field of {} nor text", word.text, entity.name),
            help,
        ));
        return None;
    }
    let mut scope = pattern.scope(Some(entity), true);
    let value = Typing { reader, scope: &mut scope, text: &text }.value(&written, &wanted)?;
    if value == Expr::Path(found.path.clone()) {
        let help = format!("an input is written `${}`", found.path.field);
        reader.push(bad_write::finding(text.whole(), format!("`{}` is set to itself", found.path), help));
        return None;
    }
    if matches!(value, Expr::Literal(Literal::Null)) && !found.optional {
        let help = format!("make it optional, `{}: {}?`, or set another value", found.path.field, found.ty);
        let message = format!("`{}` is not optional, so it can't be set to null", found.path);
        reader.push(bad_write::finding(text.whole(), message, help));
        return None;
    }
    if let Some(path) = value.paths().into_iter().find(|path| matches!(path.root, Root::Reference { .. })) {
        let help = format!("let the caller send the value, or make the field a snapshot: `= {path} at create`");
        reader.push(bad_write::finding(
            text.whole(),
            format!("`{path}` belongs to another row; a write reads its own row only"),
            help,
        ));
        return None;
    }
    Some(Assignment { path: found.path, change, value })
}

/// A change of state that no allowed step leads to is refused in every call.
fn check_states(
    reader: &mut Reader<'_>,
    entity: &Entity,
    verb: WriteVerb,
    assignments: &[Assignment],
    conditions: &[Condition],
    keys: &Keys<'_>,
) {
    if verb != WriteVerb::Update {
        return;
    }
    for states in &entity.states {
        let own = Path::own(&states.field);
        let assigned = assignments.iter().find(|assignment| assignment.path == own).map(|assignment| &assignment.value);
        let Some(Expr::Literal(Literal::Variant(target))) = assigned else { continue };
        let before: Vec<&str> =
            states.changes.iter().filter(|(_, to)| to == target).map(|(from, _)| from.as_str()).collect();
        let Some(place) = keys.get("set").map(|node| node.place) else { continue };
        if before.is_empty() {
            let message = format!("no state of {} leads to {target}, so this write is never applied", entity.name);
            let help =
                format!("add the step to `states: {{ {}: [.. -> {target}] }}`, or set another value", states.field);
            reader.push(bad_write::finding(place, message, help));
            continue;
        }
        let demanded = conditions.iter().flat_map(|condition| condition.test.conjuncts()).find_map(|test| match test {
            Expr::Compare(Compare::Equal, a, b) => match (&**a, &**b) {
                (Expr::Path(path), Expr::Literal(Literal::Variant(name))) if *path == own => Some(name),
                _ => None,
            },
            _ => None,
        });
        if let Some(name) = demanded.filter(|name| !before.contains(&name.as_str())) {
            let message =
                format!("`if` demands {name}, from which no step leads to {target}: this write is never applied");
            let help = format!("{target} is reached from {}; `states` asks for that by itself", before.join(", "));
            reader.push(bad_write::finding(place, message, help));
        }
    }
}

/// A value that is no expression, and what it says in plain sight: a change of the field itself, or words.
fn other_value(text: &str, field: &Path, wanted: &Type) -> Option<Fault> {
    let own = field.to_string();
    let change = text.strip_prefix(&own).unwrap_or(text).trim();
    for (sign, operator) in [("+=", '+'), ("-=", '-'), ("++", '+'), ("--", '-'), ("+", '+')] {
        let Some(by) = change.strip_prefix(sign).map(str::trim) else { continue };
        let value = format!("{own} {operator} {}", if by.is_empty() { "1" } else { by });
        if written::expr(&value).is_ok() {
            let fault = Fault::new(0..text.len(), "a change is written as the new value");
            return Some(fault.help(format!("write `{value}`")));
        }
    }
    let is_prose = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | '!');
    (matches!(wanted, Type::Text(_)) && text.chars().all(is_prose)).then(|| {
        Fault::new(0..text.len(), "this is neither an expression nor text")
            .help(format!("text needs both quotes: \"'{text}'\""))
    })
}

/// Whether anybody may write this field.
fn check_settable(reader: &mut Reader<'_>, entity: &Entity, path: &Path, place: keyloom_finding::Place) -> bool {
    if let Root::Reference { entity: other, .. } = &path.root {
        let help = format!("update {other} in a pattern of its own, or in an `atomic`");
        reader.push(bad_write::finding(place, format!("`{path}` belongs to {other}"), help));
        return false;
    }
    let why = match entity.field(&path.field).map(|field| &field.fill) {
        Some(Fill::Derived(expr)) => format!("it is derived: `= {expr}`"),
        Some(Fill::Kept(_)) => "it is kept from other rows".to_owned(),
        Some(Fill::NowOnWrite) => "it is set to the moment of every write".to_owned(),
        Some(Fill::Snapshot(_)) => "it is copied once, at create".to_owned(),
        _ => return true,
    };
    reader.push(bad_write::finding(
        place,
        format!("`{}` can't be written: {why}", path.field),
        "leave it out; it follows by itself",
    ));
    false
}

/// The fields of the body, and their inputs.
fn takes<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    entity: &'c Entity,
    keys: &Keys<'_>,
    verb: WriteVerb,
    assignments: &[Assignment],
) -> Vec<String> {
    if !matches!(verb, WriteVerb::Create | WriteVerb::Put) {
        return Vec::new();
    }
    // A field that `set` names is meant to be set, even where its value was not understood.
    let set = keys.get("set");
    let named = set.map_or_else(Vec::new, Node::keys);
    let meant = set.and_then(other_changes).unwrap_or_default();
    let assigned = |name: &str| {
        named.contains(&name)
            || meant.iter().any(|(field, _)| field == name)
            || assignments.iter().any(|assignment| assignment.path.field == name)
    };
    let before = reader.faults();
    let names: Vec<Name> = match keys.entry("takes") {
        Some(entry) => pattern.own_fields(reader, entity, &entry.value, "`takes`"),
        None => {
            let taken = |fill: &Fill| match verb {
                WriteVerb::Create => matches!(fill, Fill::Taken),
                _ => matches!(fill, Fill::Taken | Fill::Default(_) | Fill::New),
            };
            let place = keys.entry(verb.name()).map_or(pattern.place, |entry| entry.value.place);
            entity
                .fields
                .iter()
                .filter(|field| taken(&field.fill) && !assigned(&field.name))
                .map(|field| Name { text: field.name.clone(), place })
                .collect()
        }
    };
    // A name that was not found may be the one that is missing.
    let understood = reader.faults() == before;
    for name in &names {
        let field = entity.field(&name.text);
        if check_settable(reader, entity, &Path::own(&name.text), name.place) {
            let has_default =
                field.is_some_and(|field| matches!(field.fill, Fill::Default(_) | Fill::New | Fill::Next { .. }));
            let is_put_key = verb == WriteVerb::Put && entity.key.contains(&name.text);
            let optional = field.is_some_and(|field| field.optional) || (has_default && !is_put_key);
            take(reader, pattern, entity, name, optional);
        }
    }
    if verb == WriteVerb::Create && pattern.item.is_none() {
        // A fresh identity may be sent by the client, and later steps of an atomic know it by its name. A second row of
        // the same entity has an identity of its own, which nobody can send.
        for field in entity.fields.iter().filter(|field| matches!(field.fill, Fill::New) && !assigned(&field.name)) {
            let name = Name { text: field.name.clone(), place: pattern.place };
            take(reader, pattern, entity, &name, true);
            pattern.inputs.made(&name.text);
        }
    }
    let taken: Vec<String> = names.into_iter().map(|name| name.text).collect();
    for field in &entity.fields {
        // What collects starts empty.
        let filled = field.optional
            || matches!(field.ty, Type::List(..) | Type::Set(..) | Type::Map(..))
            || !matches!(field.fill, Fill::Taken)
            || taken.contains(&field.name)
            || assigned(&field.name);
        let once = keys.get("once_per").is_some_and(|node| {
            reader.names(node, "`once_per`", "[event_id]").iter().any(|name| name.text == field.name)
        });
        if understood && !filled && !once && !reader.is_misread(&field_path(&entity.name, &field.name)) {
            let place = keys.entry("takes").map_or(pattern.place, |entry| entry.value.place);
            let message = format!(
                "nothing fills {}.{}: it is neither taken nor set, and it has no default",
                entity.name, field.name
            );
            let help = format!("add `{}` to `takes`, `set` it, give it a default, or make it optional", field.name);
            reader.push(bad_write::finding(place, message, help));
        }
    }
    taken
}

/// A field of the body as an input.
fn take(reader: &mut Reader<'_>, pattern: &mut Pattern<'_, '_>, entity: &Entity, name: &Name, optional: bool) {
    let Some(field) = entity.field(&name.text) else { return };
    if let Err(finding) = pattern.inputs.use_as(&field.name, name.place, Some(&field.ty), optional, None) {
        reader.push(finding);
    }
}

/// Reads the steps of an atomic.
pub(super) fn atomic(reader: &mut Reader<'_>, pattern: &mut Pattern<'_, '_>, keys: &Keys<'_>) -> Option<Vec<Step>> {
    const EXAMPLE: &str = "{ update: Account, by: [account_id], set: { balance: balance - $amount } }";
    let node = &keys.entry("atomic")?.value;
    let outer = pattern.path.clone();
    let mut steps = Vec::new();
    let mut whole = true;
    let words: Vec<_> = vocabulary::PATTERN.iter().collect();
    if matches!(&node.kind, Kind::List { items, .. } if items.is_empty()) {
        reader.push(wrong_shape::finding(node.place, "`atomic`", "a list of steps", "an empty list", EXAMPLE));
    }
    for (at, item) in reader.items(node, "`atomic`", EXAMPLE).iter().enumerate() {
        pattern.path = join(&join(&outer, "atomic"), &at.to_string());
        let path = pattern.path.clone();
        reader.places.insert(&path, item.place, item.place);
        let Some(step_keys) = reader.keys(item, &path, "a step", &words, EXAMPLE) else {
            whole = false;
            continue;
        };
        let verbs = vocabulary::step_verbs();
        let Some(verb) = verbs.iter().find(|word| step_keys.has(word.name)).map(|word| word.name) else {
            let all = verbs.iter().map(|word| word.name).collect::<Vec<_>>().join(", ");
            reader.push(missing_key::verb(item.place, "this step", &all));
            whole = false;
            continue;
        };
        check_words(
            reader,
            &step_keys,
            verb,
            &vocabulary::step_words(verb),
            vocabulary::step_verbs(),
            vocabulary::step_words,
        );
        let each = step_keys.get("each").and_then(|node| each(reader, node));
        pattern.item = each.as_ref().map(|each| (each.item.clone(), each.input.clone(), each.max));
        let step = if verb == "check" {
            check(reader, pattern, &step_keys, each)
        } else {
            write(reader, pattern, &step_keys, verb).map(|write| Step::Write { each, write })
        };
        pattern.item = None;
        match step {
            Some(step) => steps.push(step),
            None => whole = false,
        }
    }
    pattern.path = outer;
    (whole && !steps.is_empty()).then_some(steps)
}

fn check(reader: &mut Reader<'_>, pattern: &mut Pattern<'_, '_>, keys: &Keys<'_>, each: Option<Each>) -> Option<Step> {
    let entity = target(reader, pattern.names, keys, "check")?;
    let place = keys.entry("check").map_or(pattern.place, |entry| entry.value.place);
    let by = reader.required(keys, "by", "`check`", place, &format!("by: [{}]", entity.key.join(", ")));
    let test = reader.required(keys, "if", "`check`", place, "if: status = OPEN else not_open");
    let by = pattern.by(reader, entity, by?)?;
    pattern.one_row(reader, entity, "check", &by, None, place);
    let conditions = pattern.conditions(reader, entity, test?);
    let By::Fields(by) = by else { return None };
    Some(Step::Check { each, entity: entity.name.clone(), by, conditions })
}

/// Reads `l in $lines max 50`.
fn each(reader: &mut Reader<'_>, node: &Node) -> Option<Each> {
    let text = reader.text(node, "`each`", "each: l in $lines max 50")?;
    let words: Vec<&str> = text.text.split_whitespace().collect();
    let parsed = match words.as_slice() {
        [item, "in", list, "max", max] => list.strip_prefix('$').zip(units::count(max).ok()).map(|(input, max)| Each {
            item: (*item).to_owned(),
            input: input.to_owned(),
            max,
        }),
        _ => None,
    };
    if parsed.is_none() {
        let help = Some("name one item, the list and its bound: `each: l in $lines max 50`".to_owned());
        let (end, _) = split_where(&text.text);
        reader.push(bad_value::finding(text.place(0..end), format!("`{}` does not say over what", text.text), help));
    }
    parsed
}
