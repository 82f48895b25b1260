//! What an INSERT, UPDATE or DELETE needs.

use keyloom_cql::ast::{self, AssignmentKind, Condition, DeleteTarget, InsertSource, Operator};

use crate::entity::Entity;
use crate::pattern::{Change, Comparison, Delete, Insert, Test, Update, Value};
use crate::relations::{Asked, asked, value};
use crate::source::Source;
use crate::types::Kind;

/// Reads an INSERT; the error says why it is left out.
pub(crate) fn insert(entity: &Entity, source: &Source<'_>, insert: &ast::Insert) -> Result<Insert, String> {
    let if_absent = insert.if_not_exists.is_some();
    let (columns, values) = match &insert.source {
        InsertSource::Values { columns, values } => (columns, values),
        InsertSource::Json { .. } => {
            let all = source.key.iter().chain(&source.values).filter_map(|column| entity.field(&column.name));
            return Ok(Insert { body: all.map(|field| (field, Value::Input)).collect(), if_absent });
        }
        InsertSource::Hole(_) => return Err("what it writes is known only at run time".to_owned()),
    };
    let mut body: Vec<(usize, Value)> = Vec::new();
    for (column, term) in columns.iter().zip(values) {
        if column.unknown {
            return Err("what it writes is known only at run time".to_owned());
        }
        if source.table.column(&column.text).is_none() {
            return Err(format!("{} has no column {}", source.name(), column.text));
        }
        // A bucket is no fact, and what all rows of a partition share is written by itself.
        if source.buckets.iter().any(|(name, _)| *name == column.text) || !source.has_column(&column.text) {
            continue;
        }
        if let Some(field) = entity.field(&column.text).filter(|field| !body.iter().any(|(at, _)| at == field)) {
            body.push((field, value(term, &entity.fields[field].kind)));
        }
    }
    if !entity.key.iter().all(|key| body.iter().any(|(field, value)| field == key && *value != Value::Null)) {
        return Err("it does not name the whole key".to_owned());
    }
    Ok(Insert { body, if_absent })
}

/// Reads an UPDATE; the error says why it is left out.
pub(crate) fn update(entity: &Entity, source: &Source<'_>, update: &ast::Update) -> Result<Update, String> {
    let by = row(entity, &asked(entity, source, &update.relations)?)?;
    let mut changes: Vec<(usize, Change)> = Vec::new();
    for assignment in &update.assignments {
        if assignment.column.unknown {
            return Err("what it changes is known only at run time".to_owned());
        }
        let Some(field) = entity.field(&assignment.column.text).filter(|_| source.has_column(&assignment.column.text))
        else {
            continue;
        };
        if entity.key.contains(&field) || changes.iter().any(|(at, _)| *at == field) {
            continue;
        }
        changes.push((field, change(&assignment.kind, &entity.fields[field].kind)?));
    }
    if changes.is_empty() {
        return Err("nothing that it changes is a field of its own".to_owned());
    }
    if source.has_counters() && changes.iter().any(|(_, change)| !matches!(change, Change::Count { .. })) {
        return Err("it sets a counter, which can only be counted".to_owned());
    }
    let conditions = conditions(entity, &update.conditions.all)?;
    Ok(Update { by, changes, conditions, if_present: update.conditions.if_exists.is_some() })
}

fn change(kind: &AssignmentKind, of: &Kind) -> Result<Change, String> {
    Ok(match (kind, of) {
        (AssignmentKind::Set(term), _) => Change::Set(value(term, of)),
        (AssignmentKind::Add(term), Kind::Int) => Change::Count { up: true, by: value(term, of) },
        (AssignmentKind::Subtract(term), Kind::Int) => Change::Count { up: false, by: value(term, of) },
        (AssignmentKind::Add(_), Kind::Set(_)) => Change::Add,
        (AssignmentKind::Add(_), Kind::List(_)) => Change::Append,
        (AssignmentKind::Add(_), Kind::Map(..)) => Change::Entry,
        (AssignmentKind::Element(..), Kind::Map(..)) => Change::Entry,
        (AssignmentKind::Subtract(_), Kind::Set(_) | Kind::Map(..)) => Change::Remove,
        (AssignmentKind::Prepend(_), _) => return Err("it puts items before a list".to_owned()),
        (AssignmentKind::Field(..), _) => return Err("it changes one field of a type".to_owned()),
        _ => return Err("it changes a part of a collection in a way that the language has not".to_owned()),
    })
}

/// Reads a DELETE, which may be an update that takes values away; the error says why it is left out.
pub(crate) fn delete(
    entity: &Entity,
    source: &Source<'_>,
    delete: &ast::Delete,
) -> Result<Result<Delete, Update>, String> {
    let asked = asked(entity, source, &delete.relations)?;
    let by = row(entity, &asked).map_err(|why| match asked.equal.is_empty() {
        true => why,
        false => "it deletes a group of rows: a job, `list` and then `delete` each".to_owned(),
    })?;
    let conditions = conditions(entity, &delete.conditions.all)?;
    if delete.targets.is_empty() {
        return Ok(Ok(Delete { by, conditions }));
    }
    if source.has_counters() {
        return Err("it deletes a counter".to_owned());
    }
    let mut changes: Vec<(usize, Change)> = Vec::new();
    for target in &delete.targets {
        let (name, change) = match target {
            DeleteTarget::Column(name) => (name, Change::Set(Value::Null)),
            DeleteTarget::Element(name, _) => (name, Change::Remove),
            DeleteTarget::Field(..) => return Err("it deletes one field of a type".to_owned()),
        };
        let Some(field) = entity.field(&name.text).filter(|field| !entity.key.contains(field)) else { continue };
        let kind = &entity.fields[field].kind;
        if change == Change::Remove && !matches!(kind, Kind::Set(_) | Kind::Map(..)) {
            return Err("it deletes an item of a list".to_owned());
        }
        if !changes.iter().any(|(at, _)| *at == field) {
            changes.push((field, change));
        }
    }
    if changes.is_empty() {
        return Err("nothing that it deletes is a field".to_owned());
    }
    Ok(Err(Update { by, changes, conditions, if_present: delete.conditions.if_exists.is_some() }))
}

/// The one row that is written.
fn row(entity: &Entity, asked: &Asked) -> Result<Vec<(usize, Value)>, String> {
    if !entity.key.iter().all(|field| asked.has(*field)) {
        return Err("it does not name one row".to_owned());
    }
    Ok(asked.by(&entity.key))
}

fn conditions(entity: &Entity, conditions: &[Condition]) -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    for condition in conditions {
        let field = entity.field(&condition.column.text).ok_or("its condition is over an unknown column")?;
        let kind = &entity.fields[field].kind;
        if condition.element.is_some() || condition.field.is_some() || !kind.is_ordered() {
            return Err("its condition looks into a collection".to_owned());
        }
        let comparison = match condition.operator {
            Operator::Equal | Operator::In => Comparison::Equal,
            Operator::NotEqual => Comparison::NotEqual,
            Operator::Less => Comparison::Less,
            Operator::LessOrEqual => Comparison::LessOrEqual,
            Operator::Greater => Comparison::Greater,
            Operator::GreaterOrEqual => Comparison::GreaterOrEqual,
            _ => return Err("the language has no such condition".to_owned()),
        };
        let constants: Vec<Value> = condition.values.iter().map(|term| value(term, kind)).collect();
        let value = match constants.as_slice() {
            [one] => one.clone(),
            several => {
                let all: Option<Vec<_>> = several
                    .iter()
                    .map(|value| match value {
                        Value::Constant(of, text) => Some((*of, text.clone())),
                        _ => None,
                    })
                    .collect();
                Value::OneOf(all.filter(|all| all.len() > 1).ok_or("its condition has several values")?)
            }
        };
        tests.push(Test { field, comparison, value });
    }
    Ok(tests)
}
