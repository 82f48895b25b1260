//! Patterns: one named operation each.

use std::collections::HashSet;

use keyloom_model::{
    Action, By, ByItem, Claim, Entity, Expr, Field, Fill, Frequency, Freshness, Limit, Origin, Path, Pattern as Model,
    Read, ReadVerb, Returns, Root, Selection, Skew, Through, Type, Unique, WhileMoving, With,
};

use super::entities::blank;
use super::inputs::Inputs;
use super::naming::{Case, typo_of};
use super::scope::{Names, entity_path};
use super::selection::Pattern;
use super::syntax::{Grammar, Keys, Name, Reader, join};
use super::{allow, writes};
use crate::parse::units;
use crate::rules::{
    ambiguous_name, bad_read, bad_reference, bad_value, bad_write, missing_key, not_yet, unknown_key, unknown_name,
};
use crate::vocabulary::{self, PATTERN, RATE, SKEW, Word};
use crate::yaml::{Kind, Node};

/// Makes the events known that writes emit: they can be listed like any entity.
pub(super) fn declare_events(reader: &mut Reader<'_>, patterns: &[(Name, &Node)]) {
    for (_, node) in patterns {
        let steps = child(node, "atomic").map_or(&[][..], |steps| match &steps.kind {
            Kind::List { items, .. } => items,
            _ => &[],
        });
        for write in std::iter::once(*node).chain(steps) {
            let Some(event) = child(write, "emits").and_then(Node::scalar) else { continue };
            let verbs = ["create", "put", "update", "delete"];
            let Some(target) = verbs.iter().find_map(|verb| child(write, verb)).and_then(Node::scalar) else {
                continue;
            };
            let Some(entity) = reader.catalog.entity(&target.text).cloned() else {
                reader.misread(entity_path(&event.text));
                continue;
            };
            if reader.catalog.entity(&event.text).is_none() {
                reader.catalog.entities.push(event_entity(&event.text, &entity));
            }
        }
    }
}

fn child<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    let Kind::Map { entries, .. } = &node.kind else { return None };
    entries.iter().find(|entry| entry.key.scalar().is_some_and(|scalar| scalar.text == key)).map(|entry| &entry.value)
}

/// The fields that every event has of its own.
pub(super) const EVENT_FIELDS: [&str; 2] = ["event_id", "at"];

/// An event: when it happened, which row, and the row's fields before and after.
fn event_entity(name: &str, of: &Entity) -> Entity {
    let field =
        |name: String, ty: Type, optional: bool| Field { name, ty, optional, reference: None, fill: Fill::Taken };
    let mut event = blank(name, of.per_tenant);
    let [id, at] = EVENT_FIELDS;
    event.fields =
        vec![field(id.into(), Type::Uuid7, false), field(at.into(), Type::Timestamp { micros: false }, false)];
    for own in &of.fields {
        if of.key.contains(&own.name) {
            event.fields.push(field(own.name.clone(), own.ty.clone(), false));
        } else {
            event.fields.push(field(format!("before_{}", own.name), own.ty.clone(), true));
            event.fields.push(field(format!("after_{}", own.name), own.ty.clone(), true));
        }
    }
    event.key = vec![id.into()];
    event.append_only = true;
    event.origin = Origin::Event { of: of.name.clone() };
    event
}

/// Reads all patterns.
pub(super) fn read<'c>(reader: &mut Reader<'_>, names: &'c Names<'c>, patterns: &[(Name, &Node)]) {
    let mut seen: Vec<(Name, &str)> = Vec::new();
    let mut known = HashSet::new();
    for (name, node) in patterns {
        seen.push((name.clone(), "pattern"));
        reader.check_name(name, "a pattern", Case::Snake);
        if !known.insert(&name.text) {
            continue;
        }
        match read_pattern(reader, names, name, node) {
            Some(pattern) => reader.catalog.patterns.push(pattern),
            None => reader.misread(format!("patterns.{}", name.text)),
        }
    }
    super::fields::unique_names(reader, &seen);
}

/// `by` of a read of several rows, as the end of "add `..`".
const BY_EXAMPLE: &str = "by: [field]`, or `by: all";

const EXAMPLE: &str = "get_task: { get: Task, by: [task_id], rate: 100/s }";

fn read_pattern<'c>(reader: &mut Reader<'_>, names: &'c Names<'c>, name: &Name, node: &Node) -> Option<Model> {
    let path = format!("patterns.{}", name.text);
    let words: Vec<&Word> = PATTERN.iter().filter(|word| word.name != "each" && word.name != "check").collect();
    let before = reader.faults();
    let keys = reader.keys(node, &path, "a pattern", &words, EXAMPLE)?;
    // What an unknown or a cut key was to say is not known, so nothing is concluded from its absence.
    let mut whole = reader.faults() == before;
    if let Some(node) = keys.get("allow") {
        allow::read(reader, node, &path);
    }
    if refuse_second_stage(reader, &keys) {
        return None;
    }
    let verb = the_verb(reader, &keys, name)?;
    check_words(
        reader,
        &keys,
        verb,
        &vocabulary::pattern_words(verb),
        vocabulary::pattern_verbs(),
        vocabulary::pattern_words,
    );
    let before = reader.faults();
    let mut inputs = Inputs::default();
    let mut pattern = Pattern { names, path: path.clone(), place: name.place, inputs: &mut inputs, item: None };
    let action = read_action(reader, &mut pattern, &keys, verb);
    let once_per = once_per(reader, &mut pattern, &keys, verb);
    let rate = keys.get("rate").and_then(|node| rate(reader, node, &path)).unwrap_or_default();
    let latency =
        keys.get("latency").and_then(|node| reader.parse(node, "`latency`", "80ms", Grammar::Value, units::time_span));
    let skew = keys.get("skew").and_then(|node| skew(reader, node, &path));
    let doc = reader.prose(&keys, "doc");
    let owner = reader.prose(&keys, "owner");
    let all_tenants = match keys.get("tenant") {
        Some(node) => {
            let all = reader.one_of(node, "a pattern's `tenant`", &[("all", ())]).is_some();
            if all && names.catalog.tenant.is_none() {
                let help = "state `tenant: tenant_id` for the catalog, or drop `tenant: all`";
                reader.push(bad_read::finding(node.place, "this catalog has no tenants", help));
            }
            all
        }
        None => false,
    };
    // After a fault the types of inputs are not all known, and saying so once more would help nobody.
    let mut input_findings = Vec::new();
    let inputs = inputs.finish(names.catalog, name.place, &mut input_findings);
    if reader.faults() == before {
        input_findings.into_iter().for_each(|finding| reader.push(finding));
        whole &= reader.faults() == before;
    }
    whole.then_some(())?;
    Some(Model {
        name: name.text.clone(),
        all_tenants,
        action: action?,
        inputs,
        once_per,
        rate,
        latency,
        skew,
        doc,
        owner,
    })
}

/// A second-stage word, refused with a way to do without it.
fn refuse_second_stage(reader: &mut Reader<'_>, keys: &Keys<'_>) -> bool {
    let mut refused = false;
    for (name, entry) in keys.names() {
        if PATTERN.iter().any(|word| word.name == name && word.stage == vocabulary::Stage::Second) {
            let instead = match name {
                "summarize" => "keep the totals in a rollup, or say `outside: why`",
                "rank" => "keep the position elsewhere and say `outside: why`, or list the top with `first: N`",
                "watch" => "let the writes `emits:` an event and `list` it by cursor",
                "scan" => "say `outside: why`; a list with `by: all` and pages reads everything that is bounded",
                _ => "do it row by row: `list` the group, then `update` or `delete` each row",
            };
            reader.push(not_yet::finding(entry.key.place, name, instead));
            refused = true;
        }
    }
    refused
}
/// The one verb of a pattern. With `outside`, the verb says what would be read, and `outside` decides.
fn the_verb(reader: &mut Reader<'_>, keys: &Keys<'_>, name: &Name) -> Option<&'static str> {
    if keys.has("outside") {
        return Some("outside");
    }
    let verbs = vocabulary::pattern_verbs();
    let found: Vec<_> = verbs.iter().filter_map(|word| keys.entry(word.name).map(|entry| (word.name, entry))).collect();
    match found.as_slice() {
        [] if verbs.iter().any(|word| keys.is_misspelt(word.name)) => None,
        [] => {
            let all = verbs.iter().filter(|word| word.stage == vocabulary::Stage::Now).map(|word| word.name);
            let what = format!("pattern `{}`", name.text);
            reader.push(missing_key::verb(name.place, &what, &all.collect::<Vec<_>>().join(", ")));
            None
        }
        [(verb, _)] => Some(verb),
        [(first, _), (second, entry), ..] => {
            let message = format!("`{second}` beside `{first}`: a pattern does one thing");
            let is_step = |verb: &&str| vocabulary::step_verbs().iter().any(|step| step.name == *verb);
            reader.push(if is_step(first) && is_step(second) {
                bad_write::finding(entry.key.place, message, "make two patterns, or one `atomic` with both as steps")
            } else {
                bad_read::finding(entry.key.place, message, "make two patterns")
            });
            None
        }
    }
}

/// Words that do not go with the verb.
pub(super) fn check_words(
    reader: &mut Reader<'_>,
    keys: &Keys<'_>,
    verb: &str,
    fitting: &[&Word],
    verbs: Vec<&'static Word>,
    words_of: impl Fn(&str) -> Vec<&'static Word>,
) {
    for (name, entry) in keys.names() {
        if fitting.iter().any(|word| word.name == name) {
            continue;
        }
        let fits: Vec<String> = verbs
            .iter()
            .filter(|verb| {
                verb.stage == vocabulary::Stage::Now && words_of(verb.name).iter().any(|word| word.name == name)
            })
            .map(|verb| format!("`{}`", verb.name))
            .collect();
        reader.push(unknown_key::wrong_verb(entry.key.place, name, verb, &fits.join(", ")));
    }
}

fn read_action<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    keys: &Keys<'_>,
    verb: &str,
) -> Option<Action> {
    match verb {
        "outside" => {
            let why = reader.text(
                &keys.entry("outside")?.value,
                "`outside`",
                "outside: full-text search lives in the search service",
            )?;
            Some(Action::Outside(why.text))
        }
        "get" => read_rows(reader, pattern, keys, ReadVerb::Get).map(Action::Read),
        "list" => read_rows(reader, pattern, keys, ReadVerb::List).map(Action::Read),
        "count" => read_rows(reader, pattern, keys, ReadVerb::Count).map(Action::Read),
        "claim" => claim(reader, pattern, keys).map(Action::Claim),
        "atomic" => writes::atomic(reader, pattern, keys).map(Action::Atomic),
        _ => writes::write(reader, pattern, keys, verb).map(Action::Write),
    }
}

/// Natural idempotency: these fields are always taken and required.
fn once_per(reader: &mut Reader<'_>, pattern: &mut Pattern<'_, '_>, keys: &Keys<'_>, verb: &str) -> Vec<String> {
    let Some(node) = keys.get("once_per") else { return Vec::new() };
    let entity = keys.get(verb).and_then(Node::scalar).and_then(|scalar| pattern.names.entity(&scalar.text));
    let mut once_per = Vec::new();
    for name in reader.names(node, "`once_per`", "once_per: [event_id]") {
        // It need not be a field of the row: the request may name an event that caused it.
        let own = entity.and_then(|entity| entity.field(&name.text)).map(|field| field.ty.clone());
        let known = own.or_else(|| pattern.inputs.type_of(&name.text));
        let fields = entity.map_or(&[][..], |entity| &entity.fields).iter().map(|field| field.name.as_str());
        if known.is_none()
            && let Some(nearest) = typo_of(&name.text, fields)
        {
            let within = entity.map_or_else(String::new, |entity| format!(" in {}", entity.name));
            reader.push(unknown_name::finding(name.place, "field", &name.text, &within, Some(nearest), &[]));
            continue;
        }
        let ty = known.unwrap_or(Type::Uuid7);
        if let Err(finding) = pattern.inputs.use_as(&name.text, name.place, Some(&ty), false, None) {
            reader.push(finding);
        }
        pattern.inputs.require(&name.text);
        once_per.push(name.text);
    }
    once_per
}

/// The entity a verb names.
pub(super) fn target<'c>(
    reader: &mut Reader<'_>,
    names: &'c Names<'c>,
    keys: &Keys<'_>,
    verb: &str,
) -> Option<&'c Entity> {
    let entry = keys.entry(verb)?;
    let text = reader.text(&entry.value, &format!("`{verb}`"), &format!("{verb}: Task"))?;
    reader.found(names.find_entity(&text.text, text.whole()))
}

fn read_rows<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    keys: &Keys<'_>,
    verb: ReadVerb,
) -> Option<Read> {
    let entity = target(reader, pattern.names, keys, verb.name())?;
    let what = format!("`{} {}`", verb.name(), entity.name);
    let through = match keys.get("through") {
        Some(node) => Some(through(reader, pattern, entity, node)?),
        None => None,
    };
    let by = match keys.get("by") {
        Some(node) => pattern.by(reader, entity, node)?,
        None if verb == ReadVerb::Get && entity.key.is_empty() => By::Fields(Vec::new()),
        None if keys.is_misspelt("by") => return None,
        None => {
            let example = match verb {
                ReadVerb::Get => {
                    by_instead_of_where(entity, keys).unwrap_or_else(|| format!("by: [{}]", entity.key.join(", ")))
                }
                _ => BY_EXAMPLE.to_owned(),
            };
            reader.required(keys, "by", &what, pattern.place, &example);
            return None;
        }
    };
    let selection = pattern.selection(reader, entity, keys, by);
    let mut read = read_details(reader, pattern, entity, keys, verb, selection)?;
    read.through = through;
    let mut whole = true;
    if verb == ReadVerb::Get {
        let place = keys.get("by").map_or(pattern.place, |node| node.place);
        whole =
            pattern.one_row(reader, entity, "get", &read.selection.by.clone(), read.selection.filter.as_ref(), place);
    }
    if let Some(node) = keys.get("with") {
        read.with = with(reader, pattern, entity, node);
    }
    whole.then_some(read)
}

/// `by` of a get whose `where` names one row by equality, as the end of "add `..`".
fn by_instead_of_where(entity: &Entity, keys: &Keys<'_>) -> Option<String> {
    let text = &keys.get("where")?.scalar()?.text;
    let mut fields = Vec::new();
    let mut items = Vec::new();
    for test in text.split(" and ") {
        let (field, value) = test.split_once('=').map(|(field, value)| (field.trim(), value.trim()))?;
        fields.push(field);
        items.push(if value.strip_prefix('$') == Some(field) {
            field.to_owned()
        } else {
            format!("{field} = {value}")
        });
    }
    let is_unique = |unique: &Unique| unique.fields.iter().all(|name| fields.contains(&name.as_str()));
    (entity.identified_by(&fields) || entity.unique.iter().any(is_unique))
        .then(|| format!("by: [{}]` instead of `where: {text}", items.join(", ")))
}

/// What a read says beyond the rows it reads.
fn read_details<'c>(
    reader: &mut Reader<'_>,
    pattern: &mut Pattern<'c, '_>,
    entity: &'c Entity,
    keys: &Keys<'_>,
    verb: ReadVerb,
    selection: Option<Selection>,
) -> Option<Read> {
    let number = |reader: &mut Reader<'_>, key: &str| {
        let node = keys.get(key)?;
        let count = reader.parse(node, &format!("`{key}`"), "100", Grammar::Value, units::count)?;
        if count == 0 {
            reader.push(bad_value::finding(node.place, format!("`{key}` is at least 1"), None));
            return None;
        }
        Some(count)
    };
    let page = number(reader, "page").map(Limit::Page);
    let first = number(reader, "first").map(Limit::First);
    if page.is_some() && first.is_some() {
        let place = keys.entry("first").map_or(pattern.place, |entry| entry.key.place);
        let help = "keep one: `page: N` for pages of N rows, as many as there are, or `first: N` for N rows in all";
        reader.push(bad_read::finding(place, "`first` and `page` contradict each other", help));
    }
    let returns = pattern.returns(reader, entity, keys.get("returns"), false);
    let one_per =
        keys.get("one_per").map(|node| pattern.own_fields(reader, entity, node, "`one_per`")).unwrap_or_default();
    let freshness = keys.get("freshness").and_then(|node| freshness(reader, node));
    let moving = [("duplicate", WhileMoving::Duplicate), ("hole", WhileMoving::Hole)];
    let while_moving =
        keys.get("while_moving").and_then(|node| reader.one_of(node, "`while_moving`", &moving)).unwrap_or_default();
    let exact = keys.get("exact").and_then(|node| reader.flag(node, "`exact`")).unwrap_or(true);
    Some(Read {
        verb,
        selection: selection?,
        limit: first.or(page),
        returns,
        with: Vec::new(),
        through: None,
        one_per: one_per.into_iter().map(|name| name.text).collect(),
        freshness,
        while_moving,
        batch: number(reader, "batch"),
        up_to: number(reader, "up_to"),
        exact,
    })
}

fn freshness(reader: &mut Reader<'_>, node: &Node) -> Option<Freshness> {
    let text = reader.text(node, "`freshness`", "5s")?;
    match text.text.as_str() {
        "latest" => Some(Freshness::Latest),
        "read_your_writes" => Some(Freshness::ReadYourWrites),
        "eventual" | "eventually" | "weak" => {
            let help = Some("say how old an answer may be: `freshness: 5s`".to_owned());
            reader.push(bad_value::finding(
                text.whole(),
                format!("`{}` is no promise: it has no bound", text.text),
                help,
            ));
            None
        }
        "strong" => {
            let help = Some("write `latest`, or `read_your_writes`".to_owned());
            reader.push(bad_value::finding(text.whole(), "`strong` is not a word of the language", help));
            None
        }
        _ => reader.parse_text(&text, Grammar::Value, units::time_span).map(Freshness::Within),
    }
}

/// Reads `Follow.followee_id = author_id`.
fn through<'c>(reader: &mut Reader<'_>, pattern: &Pattern<'c, '_>, entity: &'c Entity, node: &Node) -> Option<Through> {
    let text = reader.text(node, "`through`", "through: Follow.followee_id = author_id")?;
    let parts = text.text.split_once('=').and_then(|(edge, field)| {
        let (edge, edge_field) = edge.trim().split_once('.')?;
        Some((edge, edge_field, field.trim()))
    });
    let Some((edge, edge_field, field)) = parts else {
        let help = format!(
            "name a field of the entity in between, and the field of {} it equals: `Follow.followee_id = author_id`",
            entity.name
        );
        let message = format!("`{}` does not say how it leads to {}", text.text, entity.name);
        reader.push(bad_read::finding(text.whole(), message, help));
        return None;
    };
    let found = pattern.names.find_entity(edge, text.whole()).and_then(|edge| {
        pattern.names.find_field(edge, edge_field, text.whole())?;
        pattern.names.find_field(entity, field, text.whole())?;
        Ok(Through { entity: edge.name.clone(), edge_field: edge_field.to_owned(), field: field.to_owned() })
    });
    reader.found(found)
}

/// Other lists in the same answer, joined by their reference to this entity.
fn with<'c>(reader: &mut Reader<'_>, pattern: &mut Pattern<'c, '_>, parent: &'c Entity, node: &Node) -> Vec<With> {
    const EXAMPLE: &str = "with: { latest: { list: CaseEvent, order: at desc, first: 20 } }";
    let path = join(&pattern.path, "with");
    let mut all = Vec::new();
    for (name, value) in reader.entries(node, &path, "`with`", EXAMPLE) {
        reader.check_name(&name, "a part of the answer", Case::Snake);
        let path = join(&path, &name.text);
        let Some(keys) = reader.keys(value, &path, "a list of `with`", &vocabulary::with_words(), EXAMPLE) else {
            continue;
        };
        if !keys.has("list") {
            reader.push(missing_key::finding(Some(name.place), "this part of `with`", "list", "list: CaseEvent"));
            continue;
        }
        let Some(entity) = target(reader, pattern.names, &keys, "list") else { continue };
        let references: Vec<&Field> = entity
            .fields
            .iter()
            .filter(|field| field.reference.as_ref().is_some_and(|r| r.entity == parent.name))
            .collect();
        let reference = match references.as_slice() {
            [one] => one,
            [] => {
                let message = format!("{} has no reference to {}, so nothing joins them", entity.name, parent.name);
                let place = keys.get("list").map_or(value.place, |node| node.place);
                reader.push(bad_reference::missing(place, message, entity, parent));
                continue;
            }
            several => {
                let all = several.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ");
                reader.push(ambiguous_name::reference(
                    name.place,
                    &entity.name,
                    &parent.name,
                    &all,
                    &format!("make it a pattern of its own: `list: {}, by: [{}]`", entity.name, several[0].name),
                ));
                continue;
            }
        };
        let joined = entity.join(reference, parent).into_iter().map(|(own, key)| ByItem {
            path: Path::own(own),
            value: Expr::Path(Path {
                root: Root::Item(parent.name.clone()),
                field: key.to_owned(),
                members: Vec::new(),
            }),
        });
        let by = By::Fields(joined.collect());
        let outer = std::mem::replace(&mut pattern.path, path);
        let selection = pattern.selection(reader, entity, &keys, by);
        let read = read_details(reader, pattern, entity, &keys, ReadVerb::List, selection);
        pattern.path = outer;
        all.extend(read.map(|read| With { name: name.text, read }));
    }
    all
}

fn claim<'c>(reader: &mut Reader<'_>, pattern: &mut Pattern<'c, '_>, keys: &Keys<'_>) -> Option<Claim> {
    let entity = target(reader, pattern.names, keys, "claim")?;
    let what = format!("`claim {}`", entity.name);
    let by = reader.required(keys, "by", &what, pattern.place, BY_EXAMPLE);
    let order = reader.required(keys, "order", &what, pattern.place, "order: due_at asc");
    let up_to = reader.required(keys, "up_to", &what, pattern.place, "up_to: 50");
    let lease = reader.required(keys, "lease", &what, pattern.place, "lease: 60s");
    if entity.append_only {
        let place = keys.entry("claim").map_or(pattern.place, |entry| entry.value.place);
        let message = format!("{} is append-only, and a claim marks the rows it takes", entity.name);
        reader.push(bad_write::finding(place, message, "drop `append_only`, or list the rows instead"));
        return None;
    }
    order?;
    let by = pattern.by(reader, entity, by?)?;
    let selection = pattern.selection(reader, entity, keys, by)?;
    let up_to = reader.parse(up_to?, "`up_to`", "50", Grammar::Value, units::count)?;
    let lease = reader.parse(lease?, "`lease`", "60s", Grammar::Value, units::time_span)?;
    let returns = match keys.get("returns") {
        Some(node) => pattern.returns(reader, entity, Some(node), false),
        None => Returns::Default,
    };
    Some(Claim { selection, up_to, lease, returns })
}

fn rate(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Frequency> {
    if let Kind::Map { .. } = &node.kind {
        let words: Vec<_> = RATE.iter().collect();
        let keys = reader.keys(node, &join(path, "rate"), "`rate`", &words, "rate: { mean: 100k/day, peak: 20/s }")?;
        let mut part =
            |key: &str| keys.get(key).and_then(|node| reader.parse(node, key, "20/s", Grammar::Value, units::rate));
        let (mean, peak) = (part("mean"), part("peak"));
        if let (Some(m), Some(p)) = (mean, peak)
            && p.per_second() < m.per_second()
        {
            let message = format!("the peak ({p}) is below the mean ({m})");
            reader.push(bad_value::finding(node.place, message, Some("swap them, or check the units".into())));
        }
        return Some(Frequency::Stated { mean, peak });
    }
    let text = reader.text(node, "`rate`", "20/s")?;
    match text.text.as_str() {
        "rare" => Some(Frequency::Rare),
        "unknown" => Some(Frequency::Unknown),
        _ => {
            let peak = reader.parse_text(&text, Grammar::Value, units::rate)?;
            Some(Frequency::Stated { mean: None, peak: Some(peak) })
        }
    }
}

fn skew(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Skew> {
    const EXAMPLE: &str = "skew: { busiest: 30% }";
    let words: Vec<_> = SKEW.iter().collect();
    let keys = reader.keys(node, &join(path, "skew"), "`skew`", &words, EXAMPLE)?;
    if let Some(node) = keys.get("busiest") {
        return reader.parse(node, "`busiest`", "30%", Grammar::Value, units::share).map(Skew::Busiest);
    }
    let Some(node) = keys.get("zipf") else {
        reader.push(missing_key::finding(Some(node.place), "`skew`", "busiest", EXAMPLE));
        return None;
    };
    let text = reader.text(node, "`zipf`", "1.1")?;
    let exponent = units::thousandths(&text.text).and_then(|exponent| u32::try_from(exponent).ok());
    if exponent.is_none() {
        let message = format!("`{}` is not an exponent", text.text);
        reader.push(bad_value::finding(text.whole(), message, Some("write a number such as `1.1`".into())));
    }
    exponent.map(Skew::Zipf)
}
