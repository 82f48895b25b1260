//! What rows add to a kept value.

use std::cmp::Ordering;

use keyloom_model::Aggregate;
use keyloom_value::{Kind, Value, compare};

use crate::{
    problem::Problem,
    program::{EntityPlan, Kept},
};

type Owned = Value<'static>;

/// How many rows add to a value, and how much.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Share {
    pub(crate) count: i64,
    pub(crate) sum: Owned,
}

/// What a group comes to, row by row.
pub(crate) struct Tally<'a> {
    kept: &'a Kept,
    feeder: &'a EntityPlan,
    /// Nothing when it is too large to be held.
    share: Option<Share>,
    furthest: Option<Furthest>,
}

/// The row that comes first or last so far.
struct Furthest {
    order: Owned,
    /// Tells rows apart that come equally early or late.
    key: Vec<u8>,
    value: Owned,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(kept: &'a Kept, feeder: &'a EntityPlan) -> Self {
        Self { kept, feeder, share: Some(Share::none(kept)), furthest: None }
    }

    /// Adds a row with this key, of which the fields are known that count.
    pub(crate) fn add(&mut self, values: &[Owned], key: Vec<u8>) {
        let one = Share::of(self.kept, self.feeder, values);
        self.share = self.share.as_ref().and_then(|share| share.plus(&one).ok());
        let value = self.kept.of.map_or(Value::Null, |field| values[field].clone());
        let order = self.kept.by.map_or_else(|| value.clone(), |field| values[field].clone());
        if value.is_null() || order.is_null() {
            return;
        }
        let new = Furthest { order, key, value };
        let wanted = match self.kept.aggregate {
            Aggregate::Max | Aggregate::Last => Ordering::Greater,
            _ => Ordering::Less,
        };
        let further = |old: &Furthest| {
            compare(&new.order, &old.order).unwrap_or(Ordering::Equal).then_with(|| new.key.cmp(&old.key)) == wanted
        };
        if self.furthest.as_ref().is_none_or(further) {
            self.furthest = Some(new);
        }
    }

    /// The columns of the value. One that is too large to be held is absent.
    pub(crate) fn values(self) -> Vec<Owned> {
        match (self.kept.aggregate, self.share) {
            (Aggregate::Min | Aggregate::Max | Aggregate::First | Aggregate::Last, _) => {
                vec![self.furthest.map_or(Value::Null, |furthest| furthest.value)]
            }
            (_, Some(share)) => share.columns(self.kept),
            (Aggregate::Average, None) => vec![Value::Null, Value::Int(0)],
            (Aggregate::Count | Aggregate::Sum, None) => vec![Value::Null],
        }
    }
}

impl Share {
    pub(crate) fn none(kept: &Kept) -> Self {
        Self { count: 0, sum: nothing(&kept.kind) }
    }

    /// What one row adds.
    pub(crate) fn of(kept: &Kept, feeder: &EntityPlan, values: &[Owned]) -> Self {
        let of = kept.of.map_or(Value::Null, |field| values[field].clone());
        let counts = kept.of.is_none() || !of.is_null();
        let sum = match (of, &kept.kind) {
            (Value::Null, kind) => nothing(kind),
            // A mean is a number with a fraction, whatever it is of.
            (Value::Int(of), Kind::Float) => Value::Float(of as f64),
            (Value::Decimal(of), Kind::Float) => {
                let scale = kept.of.map_or(0, |field| match feeder.fields[field].1 {
                    Kind::Decimal { scale } => scale,
                    _ => 0,
                });
                Value::Float(of as f64 / 10_f64.powi(scale.into()))
            }
            (of, _) => of,
        };
        Self { count: i64::from(counts), sum }
    }

    /// The columns of a row that says this.
    pub(crate) fn columns(self, kept: &Kept) -> Vec<Owned> {
        match kept.aggregate {
            Aggregate::Count => vec![Value::Int(self.count)],
            Aggregate::Average => vec![self.sum, Value::Int(self.count)],
            _ => vec![self.sum],
        }
    }

    /// Whether it says the same. Sums of numbers with a fraction depend on the order in which they were added.
    pub(crate) fn is_as(&self, other: &Self, kept: &Kept) -> bool {
        let counted = matches!(kept.aggregate, Aggregate::Count | Aggregate::Average);
        let same = match (&self.sum, &other.sum) {
            (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0),
            (a, b) => a == b,
        };
        (!counted || self.count == other.count) && (kept.aggregate == Aggregate::Count || same)
    }

    pub(crate) fn signed(self, sign: i64) -> Result<Self, Problem> {
        let negative = |value| match value {
            Value::Int(value) => value.checked_neg().map(Value::Int),
            Value::Decimal(value) => value.checked_neg().map(Value::Decimal),
            Value::Float(value) => Some(Value::Float(-value)),
            other => Some(other),
        };
        let sum = if sign < 0 { negative(self.sum).ok_or_else(too_large)? } else { self.sum };
        Ok(Self { count: self.count * sign, sum })
    }

    pub(crate) fn plus(&self, other: &Self) -> Result<Self, Problem> {
        let sum = match (&self.sum, &other.sum) {
            (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int),
            (Value::Decimal(a), Value::Decimal(b)) => a.checked_add(*b).map(Value::Decimal),
            (Value::Float(a), Value::Float(b)) => Some(Value::Float(a + b)),
            (a, _) => Some(a.clone()),
        };
        let count = self.count.checked_add(other.count);
        Ok(Self { count: count.ok_or_else(too_large)?, sum: sum.ok_or_else(too_large)? })
    }

    pub(crate) fn is_nothing(&self) -> bool {
        let zero = match &self.sum {
            Value::Int(sum) => *sum == 0,
            Value::Decimal(sum) => *sum == 0,
            Value::Float(sum) => *sum == 0.0,
            _ => true,
        };
        self.count == 0 && zero
    }

    pub(crate) fn mean(&self) -> Owned {
        match &self.sum {
            _ if self.count == 0 => Value::Null,
            Value::Int(sum) => Value::Int(sum / self.count),
            Value::Decimal(sum) => Value::Decimal(sum / i128::from(self.count)),
            Value::Float(sum) => Value::Float(sum / self.count as f64),
            _ => Value::Null,
        }
    }
}

fn nothing(kind: &Kind) -> Owned {
    match kind {
        Kind::Decimal { .. } => Value::Decimal(0),
        Kind::Float => Value::Float(0.0),
        _ => Value::Int(0),
    }
}

fn too_large() -> Problem {
    Problem::Input("a kept sum would be too large".into())
}
