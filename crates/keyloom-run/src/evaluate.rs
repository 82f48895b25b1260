//! Expressions over one row, the inputs of a request and its moment.
//!
//! What is absent equals nothing and is neither smaller nor larger than anything. A test on an optional input that was not
//! sent is dropped.

mod geohash;
#[cfg(test)]
mod tests;
mod time;

use std::{borrow::Cow, cmp::Ordering};

use keyloom_model::{Arithmetic, Compare, Entity, Expr, Function, Has, Literal, Member, Path, Root, Set};
use keyloom_value::{Duration, Kind, Value, compare, from_text, json::Unfit, to_text};

use crate::inputs::Inputs;

type Owned = Value<'static>;

/// The input that the credential gives.
const CALLER: &str = "caller";

/// What an expression can see.
pub(crate) struct Scope<'a> {
    /// The fields of the row's entity, with their kinds.
    pub(crate) fields: &'a [(String, Kind)],
    /// The row, field by field; absent where it is not made yet.
    pub(crate) row: &'a [Value<'a>],
    /// `version`, `created`, `updated` of the row.
    pub(crate) built_in: BuiltIn,
    /// The row that this one comes with.
    pub(crate) item: Option<Item<'a>>,
    pub(crate) inputs: &'a Inputs,
    pub(crate) now_us: i64,
}

/// Another row that an expression may look at.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    /// The fields of its entity, with their kinds.
    pub(crate) fields: &'a [(String, Kind)],
    pub(crate) row: &'a [Value<'a>],
}

/// What every row has without its being written down.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BuiltIn {
    pub(crate) version: u64,
    pub(crate) created_ms: i64,
    pub(crate) updated_ms: i64,
}

impl BuiltIn {
    /// That of a row of this version, with its moments in microseconds.
    pub(crate) fn of(version: u64, created_us: i64, updated_us: i64) -> Self {
        Self { version, created_ms: created_us.div_euclid(1_000), updated_ms: updated_us.div_euclid(1_000) }
    }

    pub(crate) fn value(self, name: &str) -> Option<Owned> {
        match name {
            "version" => Some(Value::Int(i64::try_from(self.version).unwrap_or(i64::MAX))),
            "created" => Some(Value::Timestamp(self.created_ms)),
            "updated" => Some(Value::Timestamp(self.updated_ms)),
            // Nobody has claimed it.
            "lease" => Some(Value::Null),
            _ => None,
        }
    }

    pub(crate) fn kind(name: &str) -> Option<Kind> {
        match name {
            "version" => Some(Kind::Int),
            "created" | "updated" | "lease" => Some(Kind::Timestamp { micros: false }),
            _ => None,
        }
    }
}

/// The words of an expression that are not run yet.
pub(crate) fn not_yet(expr: &Expr, entity: &Entity) -> Vec<String> {
    let mut found = Vec::new();
    expr.walk(&mut |part| {
        if let Expr::Path(path) = part {
            found.extend(path_not_yet(path, entity));
        }
    });
    found
}

fn path_not_yet(path: &Path, entity: &Entity) -> Option<String> {
    let known = entity.field(&path.field).is_some() || BuiltIn::kind(&path.field).is_some();
    (path.root != Root::Own || !known).then(|| format!("the path `{path}` in an expression"))
}

impl Scope<'_> {
    /// The value of an expression that is to be of this kind.
    pub(crate) fn value(&self, expr: &Expr, wanted: &Kind) -> Result<Owned, Unfit> {
        Ok(match expr {
            Expr::Literal(literal) => self.literal(literal, wanted)?,
            Expr::Input { name, .. } if name == CALLER => match &self.inputs.caller().subject {
                Some(subject) => from_text(subject, wanted).map_err(|fault| Unfit::from(fault).within(CALLER))?,
                None => return Err(Unfit::new("it says who calls, which needs a key").within(CALLER)),
            },
            Expr::Input { name, .. } => self.fitted(self.inputs.value(name), expr, wanted)?,
            Expr::Path(path) => self.fitted(self.path(path)?, expr, wanted)?,
            Expr::Call(function @ (Function::Min | Function::Max), arguments) => {
                self.call(*function, arguments, wanted)?
            }
            Expr::Call(function, arguments) => self.fitted(self.call(*function, arguments, wanted)?, expr, wanted)?,
            Expr::Negate(of) => match self.value(of, wanted)? {
                Value::Int(value) => Value::Int(value.checked_neg().ok_or_else(overflow)?),
                Value::Decimal(value) => Value::Decimal(-value),
                Value::Float(value) => Value::Float(-value),
                other => other,
            },
            Expr::Arithmetic(operation, a, b) => self.arithmetic(*operation, a, b, wanted)?,
            test => Value::Bool(self.holds(test)?),
        })
    }

    /// The value of an expression as one of the kind that is wanted: moments have two units and decimals a scale each, and whole
    /// numbers are used where either kind of fraction is.
    fn fitted(&self, value: Owned, of: &Expr, wanted: &Kind) -> Result<Owned, Unfit> {
        let scaled = |value: i128, digits: u8| {
            decimal(10i128.checked_pow(digits.into()).and_then(|factor| value.checked_mul(factor)))
        };
        Ok(match (value, wanted) {
            (Value::Timestamp(moment), Kind::Timestamp { micros }) => match (self.kind(of), micros) {
                (Some(Kind::Timestamp { micros: true }), false) => Value::Timestamp(moment.div_euclid(1_000)),
                (Some(Kind::Timestamp { micros: false }), true) => {
                    Value::Timestamp(moment.checked_mul(1_000).ok_or_else(overflow)?)
                }
                _ => Value::Timestamp(moment),
            },
            (Value::Decimal(value), Kind::Decimal { scale }) => match self.kind(of) {
                Some(Kind::Decimal { scale: own }) if own < *scale => scaled(value, scale - own)?,
                _ => Value::Decimal(value),
            },
            (Value::Int(value), Kind::Decimal { scale }) => scaled(value.into(), *scale)?,
            (Value::Int(value), Kind::Float) => Value::Float(value as f64),
            (value, _) => value,
        })
    }

    /// Whether a test holds.
    pub(crate) fn holds(&self, test: &Expr) -> Result<bool, Unfit> {
        Ok(match test {
            Expr::And(parts) => {
                for part in parts {
                    if !self.is_dropped(part) && !self.holds(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Expr::Or(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            Expr::Not(of) => !self.holds(of)?,
            test if self.is_dropped(test) => true,
            Expr::Compare(operation, a, b) => {
                let kind = self.common_kind(&[a, b]);
                let order = match (self.value(a, &kind)?, self.value(b, &kind)?) {
                    (Value::Duration(a), Value::Duration(b)) => Some(time::length(a).cmp(&time::length(b))),
                    (a, b) => compare(&a, &b),
                };
                match operation {
                    Compare::Equal => order == Some(Ordering::Equal),
                    Compare::NotEqual => order != Some(Ordering::Equal),
                    Compare::Less => order == Some(Ordering::Less),
                    Compare::LessOrEqual => order.is_some_and(Ordering::is_le),
                    Compare::Greater => order == Some(Ordering::Greater),
                    Compare::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
                }
            }
            Expr::In(of, set) => self.is_in(of, set)?,
            Expr::IsNull { of, negated } => self.value(of, &self.common_kind(&[of]))?.is_null() != *negated,
            Expr::StartsWith(of, prefix) => match (self.value(of, &Kind::Text)?, self.value(prefix, &Kind::Text)?) {
                (Value::Text(of), Value::Text(prefix)) => of.starts_with(&*prefix),
                _ => false,
            },
            Expr::Has(has, of, what) => self.has(*has, of, what)?,
            other => self.value(other, &Kind::Bool)? == Value::Bool(true),
        })
    }

    /// A test on an optional input that was not sent.
    fn is_dropped(&self, test: &Expr) -> bool {
        // A range drops each end alone.
        if let Expr::In(_, Set::Range(..)) = test {
            return false;
        }
        let mut dropped = false;
        test.walk(&mut |part| {
            dropped |= match part {
                Expr::Input { name, optional: true } | Expr::In(_, Set::Input { name, optional: true, .. }) => {
                    !self.inputs.has(name)
                }
                _ => false,
            };
        });
        dropped
    }

    /// The kind of the parts that have one of their own; literals take it from what they stand beside.
    fn common_kind(&self, parts: &[&Expr]) -> Kind {
        parts.iter().filter_map(|part| self.kind(part)).reduce(finer).unwrap_or(Kind::Text)
    }

    fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Path(path) => match self.fields.iter().find(|(name, _)| *name == path.field) {
                Some((_, kind)) => member_kind(kind, &path.members),
                None => BuiltIn::kind(&path.field),
            },
            Expr::Input { name, .. } => self.inputs.kind(name),
            Expr::Call(Function::Lower | Function::Upper | Function::Text, _) => Some(Kind::Text),
            Expr::Call(Function::Left | Function::Geohash, _) => Some(Kind::Text),
            Expr::Call(Function::Size | Function::Year, _) => Some(Kind::Int),
            Expr::Call(Function::Time | Function::Hour, _) => Some(Kind::Timestamp { micros: false }),
            Expr::Call(Function::Day | Function::Month, _) => Some(Kind::Date),
            Expr::Literal(Literal::Now) => Some(Kind::Timestamp { micros: false }),
            Expr::Call(_, parts) => parts.iter().filter_map(|part| self.kind(part)).reduce(finer),
            Expr::Negate(of) => self.kind(of),
            Expr::Arithmetic(_, a, b) => self.kind(a).into_iter().chain(self.kind(b)).reduce(finer),
            Expr::Literal(Literal::Int(_)) => None,
            Expr::Literal(Literal::Bool(_)) => Some(Kind::Bool),
            _ => None,
        }
    }

    fn arithmetic(&self, operation: Arithmetic, a: &Expr, b: &Expr, wanted: &Kind) -> Result<Owned, Unfit> {
        // Of a span between two times the times have their own kind.
        let kind = if *wanted == Kind::Duration { self.common_kind(&[a, b]) } else { wanted.clone() };
        let micros = kind == Kind::Timestamp { micros: true };
        // A decimal is taken so many times; as a decimal, the count would have a scale of its own.
        let is_count = |of: &Expr| matches!(of, Expr::Literal(Literal::Int(_))) || self.kind(of) == Some(Kind::Int);
        let operand = |of: &Expr| match kind {
            Kind::Decimal { .. } if operation == Arithmetic::Multiply && is_count(of) => self.value(of, &Kind::Int),
            _ => self.value(of, &kind),
        };
        Ok(match (operand(a)?, operand(b)?) {
            (Value::Null, _) | (_, Value::Null) => Value::Null,
            (Value::Timestamp(moment), Value::Duration(span)) | (Value::Duration(span), Value::Timestamp(moment)) => {
                time::moment_after(moment, span, operation, micros)?
            }
            (Value::Date(date), Value::Duration(span)) | (Value::Duration(span), Value::Date(date)) => {
                time::date_after(date, span, operation)?
            }
            (Value::Timestamp(later), Value::Timestamp(earlier)) => time::between(later, earlier, micros)?,
            (Value::Date(later), Value::Date(earlier)) => Value::Duration(Duration {
                months: 0,
                days: later.checked_sub(earlier).ok_or_else(overflow)?,
                micros: 0,
            }),
            (Value::Duration(a), Value::Duration(b)) => time::sum(a, b, operation)?,
            (Value::Duration(span), Value::Int(times)) | (Value::Int(times), Value::Duration(span)) => {
                time::product(span, times)?
            }
            (a, b) => numbers(operation, a, b)?,
        })
    }

    fn path(&self, path: &Path) -> Result<Owned, Unfit> {
        if let (Root::Item(_), Some(item)) = (&path.root, self.item) {
            let at = item.fields.iter().position(|(name, _)| *name == path.field);
            return Ok(at.and_then(|at| item.row.get(at)).cloned().map_or(Value::Null, Value::into_owned));
        }
        match self.fields.iter().position(|(name, _)| *name == path.field) {
            Some(at) => {
                let value = self.row.get(at).cloned().map_or(Value::Null, Value::into_owned);
                Ok(self.member(value, &self.fields[at].1, &path.members))
            }
            None => self.built_in.value(&path.field).ok_or_else(|| Unfit::new(format!("there is no field `{path}`"))),
        }
    }

    /// What stands at a path inside a value; absent where the path leads to nothing.
    fn member(&self, value: Owned, kind: &Kind, members: &[Member]) -> Owned {
        let Some((first, rest)) = members.split_first() else { return value };
        match (value, kind, first) {
            (Value::Struct(values), Kind::Struct(known), Member::Field(name)) => {
                let at = known.iter().position(|member| member.name == *name);
                let found = at.and_then(|at| Some((values.into_iter().nth(at)?, &known[at].kind)));
                found.map_or(Value::Null, |(value, kind)| self.member(value, kind, rest))
            }
            (Value::Map(entries), Kind::Map(_, inner), Member::Input(name)) => {
                let wanted = self.inputs.value(name);
                let found = entries.into_iter().find(|(key, _)| *key == wanted);
                found.map_or(Value::Null, |(_, value)| self.member(value, inner, rest))
            }
            _ => Value::Null,
        }
    }

    fn literal(&self, literal: &Literal, wanted: &Kind) -> Result<Owned, Unfit> {
        let odd = || Unfit::new(format!("`{literal}` is no {}", wanted.word()));
        Ok(match (literal, wanted) {
            (Literal::Null, _) => Value::Null,
            (Literal::Span(span), _) => time::duration(*span)?,
            (Literal::Now, Kind::Timestamp { micros: true }) => Value::Timestamp(self.now_us),
            (Literal::Now, Kind::Timestamp { micros: false }) => Value::Timestamp(self.now_us.div_euclid(1_000)),
            (Literal::Int(value), Kind::Int) => Value::Int(*value),
            (Literal::Int(value), kind) => from_text(&value.to_string(), kind).map_err(|_| odd())?,
            (Literal::Bytes(value), Kind::Int) => Value::Int(i64::try_from(*value).map_err(|_| odd())?),
            (Literal::Decimal(text) | Literal::Text(text) | Literal::Variant(text), kind) => from_text(text, kind)?,
            (Literal::Bool(value), Kind::Bool) => Value::Bool(*value),
            _ => return Err(odd()),
        })
    }

    fn call(&self, function: Function, arguments: &[Expr], wanted: &Kind) -> Result<Owned, Unfit> {
        let first = arguments.first().ok_or_else(|| Unfit::new("a function without arguments"))?;
        let kind = match function {
            Function::Lower | Function::Upper | Function::Left => Kind::Text,
            Function::Geohash => self.kind(first).unwrap_or(Kind::Float),
            Function::Min | Function::Max => wanted.clone(),
            _ => self.common_kind(&[first]),
        };
        let value = self.value(first, &kind)?;
        if value.is_null() && !matches!(function, Function::Min | Function::Max) {
            return Ok(Value::Null);
        }
        Ok(match (function, value) {
            (Function::Lower, Value::Text(text)) => Value::from(text.to_lowercase()),
            (Function::Upper, Value::Text(text)) => Value::from(text.to_uppercase()),
            (Function::Left, Value::Text(text)) => {
                let letters = arguments.get(1).map(|count| self.value(count, &Kind::Int)).transpose()?;
                let Some(Value::Int(letters)) = letters else { return Err(Unfit::new("`left` takes a number")) };
                Value::from(text.chars().take(usize::try_from(letters).unwrap_or(0)).collect::<String>())
            }
            (Function::Time | Function::Day | Function::Hour | Function::Month | Function::Year, value) => {
                time::part(function, &value, kind == Kind::Timestamp { micros: true })?
            }
            (Function::Geohash, latitude) => {
                let other =
                    |at: usize, kind: &Kind| arguments.get(at).map_or(Ok(Value::Null), |of| self.value(of, kind));
                let along = other(1, &arguments.get(1).and_then(|of| self.kind(of)).unwrap_or(Kind::Float))?;
                let letters = match other(2, &Kind::Int)? {
                    Value::Int(letters) => usize::try_from(letters).unwrap_or(0),
                    _ => 0,
                };
                let scale = |of: Option<&Expr>| match of.and_then(|of| self.kind(of)) {
                    Some(Kind::Decimal { scale }) => scale,
                    _ => 0,
                };
                let place = coordinate(&latitude, scale(Some(first))).zip(coordinate(&along, scale(arguments.get(1))));
                let cell = place.and_then(|(latitude, along)| geohash::geohash(latitude, along, letters));
                cell.map(Value::from).ok_or_else(|| Unfit::new("`geohash` of what is no place on the earth"))?
            }
            (Function::Text, value) => Value::Text(Cow::Owned(to_text(&value, &kind)?)),
            (Function::Size, value) => Value::Int(i64::try_from(size(&value)).unwrap_or(i64::MAX)),
            (Function::Min | Function::Max, first) => {
                let better = if function == Function::Min { Ordering::Less } else { Ordering::Greater };
                let mut best = first;
                for argument in &arguments[1..] {
                    let value = self.value(argument, &kind)?;
                    // The one that is there wins over the one that is not.
                    if best.is_null() || compare(&value, &best) == Some(better) {
                        best = value;
                    }
                }
                best
            }
            (function, _) => return Err(Unfit::new(format!("`{}` can't be applied here", function.name()))),
        })
    }

    fn is_in(&self, of: &Expr, set: &Set) -> Result<bool, Unfit> {
        let mut parts = vec![of];
        match set {
            Set::Values(values) => parts.extend(values),
            Set::Range(from, to) => parts.extend([from, to].into_iter().filter_map(Option::as_deref)),
            Set::Input { .. } => {}
        }
        let kind = self.common_kind(&parts);
        let value = self.value(of, &kind)?;
        let equals = |other: &Owned| compare(&value, other) == Some(Ordering::Equal);
        Ok(match set {
            Set::Values(values) => {
                for other in values {
                    if equals(&self.value(other, &kind)?) {
                        return Ok(true);
                    }
                }
                false
            }
            Set::Range(from, to) => {
                let within = |end: &Option<Box<Expr>>, holds: fn(Ordering) -> bool| -> Result<bool, Unfit> {
                    let Some(end) = end.as_deref().filter(|end| !self.is_dropped(end)) else { return Ok(true) };
                    Ok(compare(&value, &self.value(end, &kind)?).is_some_and(holds))
                };
                !value.is_null() && within(from, Ordering::is_ge)? && within(to, Ordering::is_lt)?
            }
            Set::Input { name, .. } => match self.inputs.value(name) {
                Value::List(values) => values.iter().any(equals),
                _ => false,
            },
        })
    }

    fn has(&self, has: Has, of: &Expr, what: &Expr) -> Result<bool, Unfit> {
        let (Value::Set(items) | Value::List(items)) = self.value(of, &self.common_kind(&[of]))? else {
            return Ok(false);
        };
        let kind = match self.common_kind(&[of]) {
            Kind::Set(kind) | Kind::List(kind) => *kind,
            other => other,
        };
        Ok(match (has, self.value(what, &kind)?) {
            (Has::One, what) => items.contains(&what),
            (Has::All, Value::List(all) | Value::Set(all)) => all.iter().all(|one| items.contains(one)),
            (Has::Any, Value::List(all) | Value::Set(all)) => all.iter().any(|one| items.contains(one)),
            _ => false,
        })
    }
}

/// Of two kinds that fit each other the one in which values of both are exact.
fn finer(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Timestamp { micros: a }, Kind::Timestamp { micros: b }) => Kind::Timestamp { micros: a || b },
        (Kind::Decimal { scale: a }, Kind::Decimal { scale: b }) => Kind::Decimal { scale: a.max(b) },
        (Kind::Int, b @ (Kind::Decimal { .. } | Kind::Float)) => b,
        // What a span is added to is a moment.
        (Kind::Duration, b @ (Kind::Timestamp { .. } | Kind::Date)) => b,
        (a, _) => a,
    }
}

/// The kind of what a path leads to inside a field.
pub(crate) fn member_kind(kind: &Kind, members: &[Member]) -> Option<Kind> {
    let Some((first, rest)) = members.split_first() else { return Some(kind.clone()) };
    match (kind, first) {
        (Kind::Map(_, value), Member::Input(_)) => member_kind(value, rest),
        (Kind::Struct(known), Member::Field(name)) => {
            member_kind(&known.iter().find(|member| member.name == *name)?.kind, rest)
        }
        _ => None,
    }
}

fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) | Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) | Value::Set(items) => items.len(),
        Value::Map(entries) => entries.len(),
        _ => 0,
    }
}

/// A coordinate as a number.
fn coordinate(value: &Value<'_>, scale: u8) -> Option<f64> {
    match value {
        Value::Float(value) => Some(*value),
        Value::Int(value) => Some(*value as f64),
        Value::Decimal(value) => Some(*value as f64 / 10_f64.powi(scale.into())),
        _ => None,
    }
}

fn overflow() -> Unfit {
    Unfit::new("the result is too large")
}

fn decimal(value: Option<i128>) -> Result<Owned, Unfit> {
    value.filter(|value| value.unsigned_abs() < 10u128.pow(38)).map(Value::Decimal).ok_or_else(overflow)
}

fn numbers(operation: Arithmetic, a: Owned, b: Owned) -> Result<Owned, Unfit> {
    Ok(match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(
            match operation {
                Arithmetic::Add => a.checked_add(b),
                Arithmetic::Subtract => a.checked_sub(b),
                Arithmetic::Multiply => a.checked_mul(b),
            }
            .ok_or_else(overflow)?,
        ),
        (Value::Decimal(a), Value::Decimal(b)) if operation != Arithmetic::Multiply => {
            decimal(if operation == Arithmetic::Add { a.checked_add(b) } else { a.checked_sub(b) })?
        }
        (Value::Decimal(of), Value::Int(times)) | (Value::Int(times), Value::Decimal(of))
            if operation == Arithmetic::Multiply =>
        {
            decimal(of.checked_mul(times.into()))?
        }
        (Value::Float(a), Value::Float(b)) => Value::Float(match operation {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
        }),
        (a, b) => return Err(Unfit::new(format!("{} {} {}", a.word(), operation.symbol(), b.word()))),
    })
}
