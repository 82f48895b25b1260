//! Expressions over one row, what was sent, and a moment.

use std::{cell::Cell, cmp::Ordering};

use keyloom_model::{
    Arithmetic, Catalog, Compare, Entity, Expr, Function, Has, Literal, Member, Path, Root, Set, TimeSpan,
};
use keyloom_value::{Kind, Value, compare, from_text, to_text};

use super::{Fields, Owned, Sent, calendar, field_kind};

/// What an expression sees.
pub(crate) struct Scope<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) entity: &'a Entity,
    pub(crate) row: &'a Fields,
    pub(crate) sent: &'a Sent,
    /// The row that this one comes with.
    pub(crate) item: Option<&'a Fields>,
    pub(crate) now_us: i64,
    /// Whether anybody asked for the time.
    pub(crate) looked: &'a Cell<bool>,
}

/// A value, or a span of time, which is none before somebody wants it.
enum Term {
    Value(Owned),
    Span(TimeSpan),
}

/// Whether the evaluator knows all words of an expression.
pub(crate) fn is_known(expr: &Expr) -> bool {
    let mut known = true;
    expr.walk(&mut |part| {
        known &= match part {
            Expr::Path(Path { root, field, members }) => {
                let plain = matches!(root, Root::Own | Root::Item(_)) && members.is_empty();
                plain && !matches!(field.as_str(), "version" | "created" | "updated" | "lease")
            }
            Expr::Call(function, _) => !matches!(function, Function::Geohash),
            Expr::Literal(literal) => !matches!(literal, Literal::New | Literal::Bytes(_) | Literal::Share(_)),
            _ => true,
        };
    });
    known
}

/// Why there is no value: the words do not matter, since nobody is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Odd;

impl Scope<'_> {
    /// The value of an expression where a value of this kind is wanted.
    pub(crate) fn value(&self, expr: &Expr, wanted: &Kind) -> Result<Owned, Odd> {
        match self.term(expr, wanted)? {
            Term::Value(value) => Ok(value),
            Term::Span(span) if *wanted == Kind::Duration => calendar::duration(span).map(Value::Duration).ok_or(Odd),
            Term::Span(_) => Err(Odd),
        }
    }

    /// Whether a test holds. What is absent is equal to nothing, and unequal to everything.
    pub(crate) fn holds(&self, test: &Expr) -> Result<bool, Odd> {
        if self.is_left_out(test) {
            return Ok(true);
        }
        match test {
            Expr::And(parts) => parts.iter().try_fold(true, |all, part| Ok(self.holds(part)? && all)),
            Expr::Or(parts) => parts.iter().try_fold(false, |any, part| Ok(self.holds(part)? || any)),
            Expr::Not(of) => Ok(!self.holds(of)?),
            Expr::IsNull { of, negated } => {
                let kind = self.kind(of).unwrap_or(Kind::Text);
                Ok(self.value(of, &kind)?.is_null() != *negated)
            }
            Expr::Compare(how, a, b) => {
                let kind = self.common(&[a, b]);
                let order = compare(&self.value(a, &kind)?, &self.value(b, &kind)?);
                Ok(match how {
                    Compare::Equal => order == Some(Ordering::Equal),
                    Compare::NotEqual => order != Some(Ordering::Equal),
                    Compare::Less => order == Some(Ordering::Less),
                    Compare::Greater => order == Some(Ordering::Greater),
                    Compare::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
                    Compare::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
                })
            }
            Expr::In(of, set) => {
                let kind = match set {
                    Set::Values(values) => self.common(&std::iter::once(&**of).chain(values).collect::<Vec<_>>()),
                    Set::Range(from, to) => {
                        let ends = [from, to].into_iter().filter_map(Option::as_deref);
                        self.common(&std::iter::once(&**of).chain(ends).collect::<Vec<_>>())
                    }
                    Set::Input { .. } => self.common(&[of]),
                };
                let value = self.value(of, &kind)?;
                match set {
                    Set::Values(values) => values.iter().try_fold(false, |any, other| {
                        Ok(compare(&value, &self.value(other, &kind)?) == Some(Ordering::Equal) || any)
                    }),
                    Set::Input { name, .. } => Ok(match self.sent.values.get(name) {
                        Some(Value::List(all)) => all.iter().any(|one| compare(&value, one) == Some(Ordering::Equal)),
                        _ => false,
                    }),
                    Set::Range(from, to) => {
                        let end = |end: &Option<Box<Expr>>| match end.as_deref() {
                            Some(end) if !self.is_left_out(end) => self.value(end, &kind).map(Some),
                            _ => Ok(None),
                        };
                        let above = end(from)?.is_none_or(|from| compare(&value, &from).is_some_and(Ordering::is_ge));
                        let below = end(to)?.is_none_or(|to| compare(&value, &to).is_some_and(Ordering::is_lt));
                        let unbounded = end(from)?.is_none() && end(to)?.is_none();
                        Ok(unbounded || (!value.is_null() && above && below))
                    }
                }
            }
            Expr::StartsWith(of, begin) => Ok(match (self.value(of, &Kind::Text)?, self.value(begin, &Kind::Text)?) {
                (Value::Text(of), Value::Text(begin)) => of.starts_with(begin.as_ref()),
                _ => false,
            }),
            Expr::Has(how, of, what) => {
                let kind = self.kind(of).ok_or(Odd)?;
                let (Kind::Set(one) | Kind::List(one)) = &kind else { return Err(Odd) };
                let (Value::Set(items) | Value::List(items)) = self.value(of, &kind)? else { return Ok(false) };
                Ok(match (how, self.value(what, one)?) {
                    (Has::One, what) => items.contains(&what),
                    (Has::All, Value::List(all) | Value::Set(all)) => all.iter().all(|one| items.contains(one)),
                    (Has::Any, Value::List(all) | Value::Set(all)) => all.iter().any(|one| items.contains(one)),
                    _ => false,
                })
            }
            other => Ok(self.value(other, &Kind::Bool)? == Value::Bool(true)),
        }
    }

    /// A test on what may be left out, and was. A range leaves out each end alone.
    fn is_left_out(&self, test: &Expr) -> bool {
        if matches!(test, Expr::And(_) | Expr::Or(_) | Expr::Not(_) | Expr::In(_, Set::Range(..))) {
            return false;
        }
        let mut left_out = false;
        test.walk(&mut |part| {
            if let Expr::Input { name, optional: true } | Expr::In(_, Set::Input { name, optional: true, .. }) = part {
                left_out |= !self.sent.values.contains_key(name);
            }
        });
        left_out
    }

    /// The kind in which several values are compared: none of them loses anything.
    fn common(&self, parts: &[&Expr]) -> Kind {
        let kinds: Vec<Kind> = parts.iter().filter_map(|part| self.kind(part)).collect();
        // Of several that are alike the first.
        let most = kinds.iter().rev().max_by_key(|kind| match kind {
            Kind::Timestamp { micros } => u8::from(*micros),
            Kind::Decimal { scale } => 1 + scale,
            Kind::Float => u8::MAX,
            _ => 0,
        });
        most.cloned().unwrap_or(Kind::Text)
    }

    /// The kind that an expression has whatever it stands beside.
    fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Path(path) => {
                let mut kind = field_kind(self.catalog, self.entity, &path.field)?;
                for member in &path.members {
                    kind = match (kind, member) {
                        (Kind::Map(_, inner), Member::Input(_)) => *inner,
                        (Kind::Struct(members), Member::Field(name)) => {
                            members.into_iter().find(|member| member.name == *name)?.kind
                        }
                        _ => return None,
                    };
                }
                Some(kind)
            }
            Expr::Input { .. } | Expr::Literal(_) => match expr {
                Expr::Literal(Literal::Now) => Some(Kind::Timestamp { micros: false }),
                Expr::Literal(Literal::Bool(_)) => Some(Kind::Bool),
                _ => None,
            },
            Expr::Call(function, arguments) => Some(match function {
                Function::Lower | Function::Upper | Function::Left | Function::Text | Function::Geohash => Kind::Text,
                Function::Size | Function::Year => Kind::Int,
                Function::Time | Function::Hour => Kind::Timestamp { micros: false },
                Function::Day | Function::Month => Kind::Date,
                Function::Min | Function::Max => return arguments.iter().find_map(|argument| self.kind(argument)),
            }),
            Expr::Negate(of) => self.kind(of),
            Expr::Arithmetic(_, a, b) => self.kind(a).or_else(|| self.kind(b)).map(|_| self.common(&[a, b])),
            _ => Some(Kind::Bool),
        }
    }

    fn term(&self, expr: &Expr, wanted: &Kind) -> Result<Term, Odd> {
        Ok(Term::Value(match expr {
            Expr::Literal(Literal::Span(span)) => return Ok(Term::Span(*span)),
            Expr::Literal(literal) => self.literal(literal, wanted)?,
            Expr::Input { name, .. } if name == "caller" => {
                from_text(self.sent.subject.as_deref().ok_or(Odd)?, wanted).map_err(|_| Odd)?
            }
            Expr::Input { name, .. } => self.sent.values.get(name).cloned().unwrap_or(Value::Null),
            Expr::Path(path) => {
                let row = match path.root {
                    Root::Own => self.row,
                    Root::Item(_) => self.item.ok_or(Odd)?,
                    _ => return Err(Odd),
                };
                if !path.members.is_empty() {
                    return Err(Odd);
                }
                let value = row.get(&path.field).cloned().unwrap_or(Value::Null);
                // The item that a row comes with is of another entity.
                let own = matches!(path.root, Root::Own).then(|| self.kind(expr)).flatten();
                in_kind(value, own.as_ref(), wanted)?
            }
            Expr::Negate(of) => match self.value(of, wanted)? {
                Value::Int(number) => Value::Int(number.checked_neg().ok_or(Odd)?),
                Value::Decimal(number) => Value::Decimal(-number),
                Value::Float(number) => Value::Float(-number),
                other => other,
            },
            Expr::Call(function @ (Function::Time | Function::Hour), arguments) => {
                in_kind(self.call(*function, arguments, wanted)?, self.kind(expr).as_ref(), wanted)?
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, wanted)?,
            Expr::Arithmetic(Arithmetic::Multiply, a, b) if matches!(wanted, Kind::Decimal { .. }) => {
                let times =
                    |of: &Expr| matches!(of, Expr::Literal(Literal::Int(_))) || self.kind(of) == Some(Kind::Int);
                let (times, of) = if times(a) { (a, b) } else { (b, a) };
                match (self.value(times, &Kind::Int)?, self.value(of, wanted)?) {
                    (Value::Null, _) | (_, Value::Null) => Value::Null,
                    (Value::Int(times), Value::Decimal(of)) => Value::Decimal(of * i128::from(times)),
                    _ => return Err(Odd),
                }
            }
            Expr::Arithmetic(how, a, b) => {
                let micros = *wanted == Kind::Timestamp { micros: true };
                match (self.term(a, wanted)?, self.term(b, wanted)?) {
                    (Term::Value(Value::Null), _) | (_, Term::Value(Value::Null)) => Value::Null,
                    (Term::Value(of), Term::Span(span)) | (Term::Span(span), Term::Value(of)) => {
                        shifted(&of, span, *how, micros)?
                    }
                    (Term::Value(a), Term::Value(b)) => number(*how, &a, &b)?,
                    (Term::Span(_), Term::Span(_)) => return Err(Odd),
                }
            }
            test => Value::Bool(self.holds(test)?),
        }))
    }

    fn literal(&self, literal: &Literal, wanted: &Kind) -> Result<Owned, Odd> {
        Ok(match literal {
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Now => {
                self.looked.set(true);
                match wanted {
                    Kind::Timestamp { micros: true } => Value::Timestamp(self.now_us),
                    Kind::Timestamp { micros: false } => Value::Timestamp(self.now_us.div_euclid(1_000)),
                    _ => return Err(Odd),
                }
            }
            Literal::Int(number) => from_text(&number.to_string(), wanted).map_err(|_| Odd)?,
            Literal::Decimal(text) | Literal::Text(text) | Literal::Variant(text) => {
                from_text(text, wanted).map_err(|_| Odd)?
            }
            Literal::Span(_) | Literal::Bytes(_) | Literal::Share(_) | Literal::New => return Err(Odd),
        })
    }

    fn call(&self, function: Function, arguments: &[Expr], wanted: &Kind) -> Result<Owned, Odd> {
        let first = arguments.first().ok_or(Odd)?;
        if let Function::Min | Function::Max = function {
            let mut best = Value::Null;
            for argument in arguments {
                let value = self.value(argument, wanted)?;
                let better = match compare(&value, &best) {
                    Some(order) => order == if function == Function::Min { Ordering::Less } else { Ordering::Greater },
                    None => best.is_null(),
                };
                if better {
                    best = value;
                }
            }
            return Ok(best);
        }
        let kind = self.kind(first).unwrap_or(Kind::Text);
        let value = self.value(first, &kind)?;
        let millis = || match (&value, &kind) {
            (Value::Timestamp(moment), Kind::Timestamp { micros: true }) => Ok(moment.div_euclid(1_000)),
            (Value::Timestamp(moment), _) => Ok(*moment),
            (Value::Date(day), _) => Ok(i64::from(*day) * calendar::DAY_MS),
            (Value::Uuid(uuid), _) => Ok(uuid[..6].iter().fold(0, |moment, byte| moment * 256 + i64::from(*byte))),
            _ => Err(Odd),
        };
        let days = |day: i64| i32::try_from(day).map(Value::Date).map_err(|_| Odd);
        Ok(match (function, &value) {
            (_, Value::Null) => Value::Null,
            (Function::Lower, Value::Text(text)) => Value::from(text.to_lowercase()),
            (Function::Upper, Value::Text(text)) => Value::from(text.to_uppercase()),
            (Function::Left, Value::Text(text)) => match arguments.get(1).map(|of| self.value(of, &Kind::Int)) {
                Some(Ok(Value::Int(letters))) => {
                    Value::from(text.chars().take(usize::try_from(letters).unwrap_or(0)).collect::<String>())
                }
                _ => return Err(Odd),
            },
            (Function::Text, value) => Value::from(to_text(value, &kind).map_err(|_| Odd)?),
            (Function::Size, Value::Text(text)) => Value::Int(text.len() as i64),
            (Function::Size, Value::Bytes(bytes)) => Value::Int(bytes.len() as i64),
            (Function::Size, Value::List(items) | Value::Set(items)) => Value::Int(items.len() as i64),
            (Function::Size, Value::Map(entries)) => Value::Int(entries.len() as i64),
            (Function::Time, _) => Value::Timestamp(millis()?),
            (Function::Hour, _) => Value::Timestamp(millis()?.div_euclid(3_600_000) * 3_600_000),
            (Function::Day, _) => days(millis()?.div_euclid(calendar::DAY_MS))?,
            (Function::Month, _) => {
                let (year, month, _) = calendar::date(millis()?.div_euclid(calendar::DAY_MS));
                days(calendar::day(year, month, 1))?
            }
            (Function::Year, _) => Value::Int(calendar::date(millis()?.div_euclid(calendar::DAY_MS)).0),
            _ => return Err(Odd),
        })
    }
}

/// A value of one kind as one of another: milliseconds are microseconds, and whole numbers are all others.
fn in_kind(value: Owned, own: Option<&Kind>, wanted: &Kind) -> Result<Owned, Odd> {
    let digits = |value: i128, digits: u8| Value::Decimal(value * 10_i128.pow(u32::from(digits)));
    Ok(match (value, own, wanted) {
        (Value::Timestamp(moment), Some(Kind::Timestamp { micros: own }), Kind::Timestamp { micros }) => {
            Value::Timestamp(match (own, micros) {
                (true, false) => moment.div_euclid(1_000),
                (false, true) => moment.checked_mul(1_000).ok_or(Odd)?,
                _ => moment,
            })
        }
        (Value::Decimal(value), Some(Kind::Decimal { scale: own }), Kind::Decimal { scale }) => {
            digits(value, scale.saturating_sub(*own))
        }
        (Value::Int(value), _, Kind::Decimal { scale }) => digits(value.into(), *scale),
        (Value::Int(value), _, Kind::Float) => Value::Float(value as f64),
        (value, ..) => value,
    })
}

fn shifted(of: &Owned, span: TimeSpan, how: Arithmetic, micros: bool) -> Result<Owned, Odd> {
    let sign = match how {
        Arithmetic::Add => 1,
        Arithmetic::Subtract => -1,
        Arithmetic::Multiply => return Err(Odd),
    };
    match of {
        Value::Timestamp(moment) if micros => {
            let (millis, rest) = (moment.div_euclid(1_000), moment.rem_euclid(1_000));
            Ok(Value::Timestamp(calendar::later(millis, span, sign) * 1_000 + rest))
        }
        Value::Timestamp(moment) => Ok(Value::Timestamp(calendar::later(*moment, span, sign))),
        Value::Date(day) => {
            let moved = calendar::later(i64::from(*day) * calendar::DAY_MS, span, sign);
            i32::try_from(moved.div_euclid(calendar::DAY_MS)).map(Value::Date).map_err(|_| Odd)
        }
        _ => Err(Odd),
    }
}

fn number(how: Arithmetic, a: &Owned, b: &Owned) -> Result<Owned, Odd> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => match how {
            Arithmetic::Add => a.checked_add(*b),
            Arithmetic::Subtract => a.checked_sub(*b),
            Arithmetic::Multiply => a.checked_mul(*b),
        }
        .map(Value::Int)
        .ok_or(Odd),
        (Value::Decimal(a), Value::Decimal(b)) => match how {
            Arithmetic::Add => Ok(Value::Decimal(a + b)),
            Arithmetic::Subtract => Ok(Value::Decimal(a - b)),
            Arithmetic::Multiply => Err(Odd),
        },
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(match how {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
        })),
        _ => Err(Odd),
    }
}
