//! From statements to patterns: those that say the same are one, and writes to projections follow from those to the fact.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::StatementKind;
use keyloom_finding::Place;
use keyloom_survey::Role;

use crate::entity::Entity;
use crate::pattern::{Action, Caller, Change, Pattern, ReadVerb, Value};
use crate::source::Sources;
use crate::statements::{Asking, Batch};
use crate::types::Kind;
use crate::{reads, writes};

/// What became of the statements.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) patterns: Vec<Pattern>,
    /// Statements that are no patterns: where each is, and why.
    pub(crate) left_out: Vec<(Place, String)>,
    /// How many statements of tests and migrations were passed over.
    pub(crate) passed_over: usize,
    /// Tables whose rows are written only where there are none: `IF NOT EXISTS`.
    pub(crate) guarded: BTreeSet<usize>,
}

/// Makes patterns of statements. `entity_of` leads from a table to its entity.
pub(crate) fn gather(
    sources: &Sources<'_>,
    entities: &[Entity],
    entity_of: &BTreeMap<usize, usize>,
    statements: &[Asking<'_>],
) -> Gathered {
    let mut gathered = Gathered::default();
    let mut found: Vec<(Pattern, Option<Batch>)> = Vec::new();
    let mut unsaid: Vec<(&Asking<'_>, String)> = Vec::new();
    for asking in statements {
        if matches!(asking.role, Role::Test | Role::Migration) {
            gathered.passed_over += 1;
            continue;
        }
        match pattern(sources, entities, entity_of, asking) {
            Ok(pattern) => {
                if matches!(&pattern.action, Action::Insert(insert) if insert.if_absent) {
                    gathered.guarded.insert(pattern.source);
                }
                found.push((pattern, asking.batch));
            }
            Err(why) => unsaid.push((asking, why)),
        }
    }
    let leading = leading(entities, &found);
    for (asking, why) in unsaid {
        // What a projection is told follows from what the fact is told, however it is said.
        let entity = asking.source.and_then(|source| entity_of.get(&source));
        let is_projection = entity.is_some_and(|entity| Some(entities[*entity].base) != asking.source);
        let is_told = |class: u8| entity.is_some_and(|entity| leading.contains_key(&(*entity, class)));
        let follows = is_projection
            && match &asking.statement.kind {
                StatementKind::Insert(_) => is_told(0),
                StatementKind::Update(_) => is_told(1),
                StatementKind::Delete(_) => is_told(2),
                _ => false,
            };
        if !follows {
            gathered.left_out.push((asking.place, why));
        }
    }
    found.retain(|(pattern, _)| !follows(pattern, &leading));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for pattern in join_batches(entities, found) {
        let same = format!("{} {:?}", pattern.entity, pattern.action);
        match seen.get(&same) {
            Some(at) => {
                let known: &mut Pattern = &mut gathered.patterns[*at];
                known.callers.extend(pattern.callers);
            }
            None => {
                seen.insert(same, gathered.patterns.len());
                gathered.patterns.push(pattern);
            }
        }
    }
    gathered.patterns.sort_by_key(|pattern| (pattern.entity, rank(&pattern.action)));
    gathered
}

/// Within an entity, rows come before they are read, and are read before they change and go.
fn rank(action: &Action) -> u8 {
    match action {
        Action::Insert(_) | Action::Atomic(_) => 0,
        Action::Read(read) => match read.verb {
            ReadVerb::Get => 1,
            ReadVerb::List => 2,
            ReadVerb::Count => 3,
        },
        Action::Update(_) => 4,
        Action::Delete(_) => 5,
    }
}

fn pattern(
    sources: &Sources<'_>,
    entities: &[Entity],
    entity_of: &BTreeMap<usize, usize>,
    asking: &Asking<'_>,
) -> Result<Pattern, String> {
    if asking.table_unknown {
        return Err("its table is known only at run time".to_owned());
    }
    if asking.dynamic {
        return Err("a part of it is known only at run time".to_owned());
    }
    let rows = asking.source.ok_or("its table is not in the schema")?;
    let at = if touches_shared_part_alone(sources, rows, asking) { rows + 1 } else { rows };
    let source = &sources.all[at];
    let entity_at = *entity_of.get(&at).ok_or("its table was not understood")?;
    let entity = &entities[entity_at];
    let mut notes = Vec::new();
    if asking.role == Role::Job {
        notes.push("its file or function is named like a job's: is it a part of the service?".to_owned());
    }
    let action = match &asking.statement.kind {
        StatementKind::Select(select) => {
            let mut reading = reads::read(entity, source, select)?;
            reading.read.page = asking.page_size.filter(|size| *size > 0 && reading.read.first.is_none());
            notes.extend(reading.notes);
            Action::Read(reading.read)
        }
        StatementKind::Insert(insert) => Action::Insert(writes::insert(entity, source, insert)?),
        StatementKind::Update(update) => Action::Update(writes::update(entity, source, update)?),
        StatementKind::Delete(delete) => match writes::delete(entity, source, delete)? {
            Ok(delete) => Action::Delete(delete),
            Err(update) => Action::Update(update),
        },
        StatementKind::Truncate(_) => return Err("TRUNCATE empties the table".to_owned()),
        _ => return Err("it neither reads nor writes rows".to_owned()),
    };
    let caller = Caller { place: asking.place, function: asking.function.map(str::to_owned) };
    Ok(Pattern { entity: entity_at, action, notes, source: at, callers: vec![caller] })
}

/// Whether a statement is about what all rows of a partition share, and about no row.
fn touches_shared_part_alone(sources: &Sources<'_>, rows: usize, asking: &Asking<'_>) -> bool {
    use keyloom_cql::ast::{InsertSource, Selection, SelectorKind};
    let Some(shared) = sources.shared_part(rows) else { return false };
    let shared = &sources.all[shared];
    let is_shared = |name: &str| shared.has_column(name) || shared.buckets.iter().any(|(bucket, _)| *bucket == name);
    let is_value = |name: &str| shared.values.iter().any(|column| column.name == name);
    match &asking.statement.kind {
        StatementKind::Select(select) => {
            let Selection::Of(selectors) = &select.selection else { return false };
            let names = selectors.iter().map(|selector| match &selector.kind {
                SelectorKind::Column(name) => Some(name.text.as_str()),
                _ => None,
            });
            let names: Option<Vec<&str>> = names.collect();
            names.is_some_and(|names| {
                names.iter().all(|name| is_shared(name)) && names.iter().any(|name| is_value(name))
            })
        }
        StatementKind::Insert(insert) => match &insert.source {
            InsertSource::Values { columns, .. } => columns.iter().all(|column| is_shared(&column.text)),
            _ => false,
        },
        StatementKind::Update(update) => update.assignments.iter().all(|assignment| is_value(&assignment.column.text)),
        _ => false,
    }
}

/// For each entity and each kind of write, the table whose statements stand for all: its own, else the one that says most.
fn leading(entities: &[Entity], found: &[(Pattern, Option<Batch>)]) -> BTreeMap<(usize, u8), (usize, BTreeSet<usize>)> {
    let mut best: BTreeMap<(usize, u8), (bool, usize, usize)> = BTreeMap::new();
    let mut written: BTreeMap<(usize, u8, usize), BTreeSet<usize>> = BTreeMap::new();
    for (pattern, _) in found {
        let Some((class, fields)) = class(&pattern.action) else { continue };
        let is_base = entities[pattern.entity].base == pattern.source;
        let rank = (is_base, fields.len(), pattern.source);
        written.entry((pattern.entity, class, pattern.source)).or_default().extend(fields);
        let known = best.entry((pattern.entity, class)).or_insert(rank);
        if (rank.0, rank.1) > (known.0, known.1) {
            *known = rank;
        }
    }
    best.into_iter()
        .map(|((entity, class), (_, _, source))| {
            let fields = written.remove(&(entity, class, source)).unwrap_or_default();
            ((entity, class), (source, fields))
        })
        .collect()
}

/// The kind of a write, and the fields that it writes.
fn class(action: &Action) -> Option<(u8, Vec<usize>)> {
    match action {
        Action::Insert(insert) => Some((0, insert.body.iter().map(|(field, _)| *field).collect())),
        Action::Update(update) => Some((1, update.changes.iter().map(|(field, _)| *field).collect())),
        Action::Delete(_) => Some((2, Vec::new())),
        Action::Read(_) | Action::Atomic(_) => None,
    }
}

/// Whether a write goes to a projection, and follows by itself from one to the fact.
fn follows(pattern: &Pattern, leading: &BTreeMap<(usize, u8), (usize, BTreeSet<usize>)>) -> bool {
    let Some((class, fields)) = class(&pattern.action) else { return false };
    let Some((source, written)) = leading.get(&(pattern.entity, class)) else { return false };
    let updates_else = class == 1 && fields.iter().any(|field| !written.contains(field));
    *source != pattern.source && !updates_else
}

/// Writes of several entities in one batch become one pattern, where the language can say it.
fn join_batches(entities: &[Entity], found: Vec<(Pattern, Option<Batch>)>) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut batches: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut steps: Vec<Vec<Pattern>> = Vec::new();
    for (pattern, batch) in found {
        match batch.filter(|batch| batch.whole && !batch.in_loop && pattern.action.is_write()) {
            Some(batch) => {
                let at = *batches.entry(batch.number).or_insert_with(|| {
                    steps.push(Vec::new());
                    steps.len() - 1
                });
                let is_new =
                    steps[at].iter().all(|step| step.entity != pattern.entity || step.action != pattern.action);
                if is_new {
                    steps[at].push(pattern);
                }
            }
            None => patterns.push(pattern),
        }
    }
    for steps in steps {
        let kinds: BTreeSet<usize> = steps.iter().map(|step| step.entity).collect();
        if kinds.len() == steps.len() && steps.len() > 1 && inputs_agree(entities, &steps) {
            patterns.push(joined(steps));
        } else {
            patterns.extend(steps);
        }
    }
    patterns
}

fn joined(steps: Vec<Pattern>) -> Pattern {
    let (entity, source) = steps.first().map_or((0, 0), |step| (step.entity, step.source));
    let callers = steps.iter().take(1).flat_map(|step| step.callers.clone()).collect();
    let notes = steps.iter().flat_map(|step| step.notes.clone()).collect();
    let actions = steps.into_iter().map(|step| (step.entity, step.action)).collect();
    Pattern { entity, source, action: Action::Atomic(actions), notes, callers }
}

/// In one pattern, one name has one type.
fn inputs_agree(entities: &[Entity], steps: &[Pattern]) -> bool {
    let mut known: BTreeMap<&str, &Kind> = BTreeMap::new();
    let mut agree = true;
    for step in steps {
        let fields = &entities[step.entity].fields;
        let sent: Vec<usize> = match &step.action {
            Action::Insert(insert) => insert.body.iter().map(|(field, _)| *field).collect(),
            Action::Update(update) => {
                // Parts of collections take inputs whose names might be those of other fields.
                let is_part =
                    |change: &Change| !matches!(change, Change::Set(_) | Change::Count { by: Value::Constant(..), .. });
                agree &= !update.changes.iter().any(|(_, change)| is_part(change)) && update.conditions.is_empty();
                let by = update.by.iter().map(|(field, _)| *field);
                by.chain(update.changes.iter().map(|(field, _)| *field)).collect()
            }
            Action::Delete(delete) => {
                agree &= delete.conditions.is_empty();
                delete.by.iter().map(|(field, _)| *field).collect()
            }
            Action::Read(_) | Action::Atomic(_) => Vec::new(),
        };
        for field in sent {
            let field = &fields[field];
            agree &= *known.entry(&field.name).or_insert(&field.kind) == &field.kind;
        }
    }
    agree
}
