//! The terms and relations of a statement, in the fields of an entity.

use keyloom_cql::ast::{LiteralKind, Operator, Relation, RelationKind, Term, TermKind};

use crate::entity::Entity;
use crate::pattern::{Comparison, Test, Value};
use crate::source::Source;
use crate::types::Kind;

/// What a `WHERE` asks.
#[derive(Default)]
pub(crate) struct Asked {
    /// Fields that equal something.
    pub(crate) equal: Vec<(usize, Value)>,
    /// All other tests.
    pub(crate) tests: Vec<Test>,
    /// Several values are asked for at once: `IN ?`.
    pub(crate) several: bool,
    /// A bucket is named, and the field that it is computed from.
    pub(crate) bucket_of: Option<usize>,
    /// Rows behind a row are asked for: a page.
    pub(crate) pages: bool,
}

impl Asked {
    pub(crate) fn has(&self, field: usize) -> bool {
        self.equal.iter().any(|(at, _)| *at == field)
    }

    /// What these fields equal.
    pub(crate) fn by(&self, fields: &[usize]) -> Vec<(usize, Value)> {
        let value = |field: &usize| self.equal.iter().find(|(at, _)| at == field).cloned();
        fields.iter().filter_map(value).collect()
    }
}

/// Reads the relations of a statement over a table; the error says why they can't be said in the language.
pub(crate) fn asked(entity: &Entity, source: &Source<'_>, relations: &[Relation]) -> Result<Asked, String> {
    let mut asked = Asked::default();
    for relation in relations {
        match &relation.kind {
            RelationKind::Column { column, operator, values, list } => {
                if column.unknown {
                    return Err("which column is asked for is known only at run time".to_owned());
                }
                if let Some((_, of)) = source.buckets.iter().find(|(name, _)| *name == column.text) {
                    asked.bucket_of = asked.bucket_of.or(of.and_then(|of| entity.field(of)));
                    continue;
                }
                let Some(field) = entity.field(&column.text).filter(|_| source.has_column(&column.text)) else {
                    return Err(format!("{} has no column {}", source.name(), column.text));
                };
                one(&mut asked, entity, field, *operator, values, *list)?;
            }
            RelationKind::Tuple { operator: Operator::Equal, columns, values, .. } if matches!(values.as_slice(), [Term { kind: TermKind::Tuple(parts), .. }] if parts.len() == columns.len()) =>
            {
                let [Term { kind: TermKind::Tuple(parts), .. }] = values.as_slice() else { continue };
                for (column, part) in columns.iter().zip(parts) {
                    let field = entity.field(&column.text).ok_or("it compares unknown columns")?;
                    one(&mut asked, entity, field, Operator::Equal, std::slice::from_ref(part), false)?;
                }
            }
            RelationKind::Tuple { operator, .. } if bound(*operator) => asked.pages = true,
            RelationKind::Tuple { .. } => return Err("it asks for several rows by tuples".to_owned()),
            RelationKind::Token { .. } => return Err("it reads ranges of tokens: a scan of the whole table".to_owned()),
            RelationKind::Element { .. } => return Err("it filters by an element of a collection".to_owned()),
            RelationKind::Custom { .. } => return Err("it asks a custom index".to_owned()),
        }
    }
    Ok(asked)
}

fn bound(operator: Operator) -> bool {
    use Operator::{Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(operator, Greater | GreaterOrEqual | Less | LessOrEqual)
}

fn one(
    asked: &mut Asked,
    entity: &Entity,
    field: usize,
    operator: Operator,
    values: &[Term],
    list: bool,
) -> Result<(), String> {
    let kind = &entity.fields[field].kind;
    let first = values.first().map_or(Value::Input, |term| value(term, kind));
    let mut test = |comparison, value| asked.tests.push(Test { field, comparison, value });
    match operator {
        Operator::Equal | Operator::In if !kind.is_ordered() => return Err("it asks for whole collections".to_owned()),
        Operator::Equal if first == Value::Null => return Err("it compares with null".to_owned()),
        Operator::Equal => asked.equal.push((field, first)),
        Operator::In => {
            let constants: Option<Vec<_>> = values
                .iter()
                .map(|term| match value(term, kind) {
                    Value::Constant(of, text) => Some((of, text)),
                    _ => None,
                })
                .collect();
            match constants {
                Some(constants) if list && constants.len() > 1 => test(Comparison::Equal, Value::OneOf(constants)),
                Some(constants) if list && constants.len() == 1 => asked.equal.push((field, first)),
                _ => {
                    asked.several |= !list || values.len() > 1;
                    asked.equal.push((field, Value::Input));
                }
            }
        }
        Operator::NotEqual => test(Comparison::NotEqual, first),
        Operator::Less => test(Comparison::Less, first),
        Operator::LessOrEqual => test(Comparison::LessOrEqual, first),
        Operator::Greater => test(Comparison::Greater, first),
        Operator::GreaterOrEqual => test(Comparison::GreaterOrEqual, first),
        Operator::IsNotNull => test(Comparison::IsNotNull, Value::Null),
        Operator::Contains if matches!(kind, Kind::List(_) | Kind::Set(_)) => test(Comparison::Has, Value::Input),
        Operator::ContainsKey if matches!(kind, Kind::Map(..)) => test(Comparison::Has, Value::Input),
        Operator::Like => return Err("it searches in text: LIKE".to_owned()),
        _ => return Err("the language has no such comparison".to_owned()),
    }
    Ok(())
}

/// A term as a value of a kind; what is not constant is sent by the caller.
pub(crate) fn value(term: &Term, kind: &Kind) -> Value {
    match &term.kind {
        TermKind::Literal(literal) if literal.kind == LiteralKind::Null => Value::Null,
        TermKind::Literal(literal) if !literal.unknown && fits(literal.kind, &literal.text, kind) => {
            Value::Constant(literal.kind, literal.text.clone())
        }
        TermKind::Call(name, arguments) => call(&name.name.text, arguments, kind).unwrap_or(Value::Input),
        _ => Value::Input,
    }
}

fn call(name: &str, arguments: &[Term], kind: &Kind) -> Option<Value> {
    let of_now = || {
        arguments.first().is_some_and(
            |term| matches!(&term.kind, TermKind::Call(name, of) if of.is_empty() && name.name.text == "now"),
        )
    };
    match (name, kind) {
        ("now" | "uuid" | "currenttimeuuid" | "current_timeuuid", Kind::Uuid) => Some(Value::New),
        ("currenttimestamp" | "current_timestamp", Kind::Timestamp) => Some(Value::Now),
        ("totimestamp" | "to_timestamp" | "dateof", Kind::Timestamp) if of_now() => Some(Value::Now),
        ("currentdate" | "current_date", Kind::Date) => Some(Value::Today),
        ("todate" | "to_date", Kind::Date) if of_now() => Some(Value::Today),
        _ => None,
    }
}

/// Whether the language can write a constant down as a value of a kind.
fn fits(literal: LiteralKind, text: &str, kind: &Kind) -> bool {
    match (kind, literal) {
        (Kind::Text, LiteralKind::String) => {
            text.len() <= 60
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/'))
        }
        (Kind::Int, LiteralKind::Integer) => text.parse::<i64>().is_ok_and(|number| number > i64::MIN),
        (Kind::Bool, LiteralKind::Boolean) => true,
        _ => false,
    }
}
