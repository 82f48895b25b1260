//! Which keys and ranges a question leads to, by what was sent.

use std::{cmp::Ordering, ops::Bound};

use keyloom_value::{Value, compare, key};

use super::{Asking, starts::start};
use crate::{
    bucket::{Cut, bucket_of, component},
    evaluate::BuiltIn,
    problem::Problem,
    program::{Bounds, Choice, EntityPlan, Slices, Turn},
    run::Run,
};

type Owned = Value<'static>;

/// A part of a table: a partition, and the first components of its sort key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range {
    pub(crate) partition: Vec<Owned>,
    pub(crate) equal: Vec<Owned>,
    /// How many bytes of a row's key these are.
    pub(crate) bytes: usize,
}

impl Range {
    /// Its partition, in the bucket that begins there.
    pub(super) fn bucket(&self, cut: Cut, begins_ms: i64) -> Vec<Owned> {
        let mut partition = self.partition.clone();
        partition[cut.at] = component(cut.step, begins_ms);
        partition
    }

    /// One of the values that it fixes.
    fn fixed(&self, at: usize) -> Option<&Owned> {
        self.partition.iter().chain(&self.equal).nth(at)
    }

    /// Which of two ranges comes first by one of these values.
    pub(super) fn order(&self, other: &Self, at: usize, descending: bool) -> Ordering {
        let order = self.fixed(at).zip(other.fixed(at)).and_then(|(one, other)| compare(one, other));
        let order = order.unwrap_or(Ordering::Equal);
        if descending { order.reverse() } else { order }
    }
}

/// The smallest and the largest value of the next component.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Between {
    pub(crate) low: Bound<Owned>,
    pub(crate) high: Bound<Owned>,
}

impl Run {
    /// A key whose components are each one value; nothing where one of them is absent.
    pub(crate) fn key(
        &self,
        entity: &EntityPlan,
        choices: &[Choice],
        asking: &Asking<'_>,
    ) -> Result<Option<Vec<Owned>>, Problem> {
        Ok(product(entity, choices, asking)?.into_iter().next())
    }

    /// The ranges of a list, in the order in which they come. What is absent leads nowhere.
    pub(super) fn ranges(
        &self,
        entity: &EntityPlan,
        slices: &Slices,
        asking: &Asking<'_>,
    ) -> Result<Vec<Range>, Problem> {
        let (_, shape) = self.table(slices.table);
        let broken = |mismatch: keyloom_value::Mismatch| Problem::Broken(mismatch.to_string());
        let equal = product(entity, &slices.equal, asking)?;
        let mut ranges = Vec::new();
        for partition in product(entity, &slices.partition, asking)? {
            for equal in &equal {
                let mut bytes = key::encode(&partition, shape.partition_parts()).map_err(broken)?;
                key::encode_into(equal, shape.sort_parts(), &mut bytes).map_err(broken)?;
                let (partition, equal, length) = (partition.clone(), equal.clone(), bytes.len());
                ranges.push((bytes, Range { partition, equal, bytes: length }));
            }
        }
        // A value that was sent twice is one.
        ranges.sort_by(|(one, _), (other, _)| one.cmp(other));
        ranges.dedup_by(|(one, _), (other, _)| one == other);
        let mut ranges: Vec<Range> = ranges.into_iter().map(|(_, range)| range).collect();
        ranges.sort_by(|one, other| {
            let mut each = slices.turns.iter().map(|turn| match turn {
                Turn::Ranges { at, descending } => one.order(other, *at, *descending),
                Turn::Columns(_) => Ordering::Equal,
            });
            each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        Ok(ranges)
    }

    /// The narrowest range that all bounds of a list leave.
    pub(super) fn between(
        &self,
        entity: &EntityPlan,
        slices: &Slices,
        asking: &Asking<'_>,
    ) -> Result<Between, Problem> {
        let mut between = Between { low: Bound::Unbounded, high: Bound::Unbounded };
        let scope = asking.scope(entity, &[], BuiltIn::default());
        for bounds in &slices.bounds {
            match bounds {
                Bounds::Ends { low, high } => {
                    for (end, is_low) in [(low, true), (high, false)] {
                        let Some((typed, included)) = end else { continue };
                        let value = scope.value(&typed.expr, &typed.kind)?;
                        // An optional input that was not sent bounds nothing.
                        if !value.is_null() {
                            between.narrow(value, *included, is_low);
                        }
                    }
                }
                Bounds::Of { function, kind, low, high } => {
                    for (end, is_low) in [(low, true), (high, false)] {
                        let Some((typed, included)) = end else { continue };
                        let value = scope.value(&typed.expr, &typed.kind)?;
                        if !value.is_null() {
                            // It begins where the function reaches the value, and ends where it reaches the next one.
                            let from = start(*function, &value, is_low != *included, kind)?;
                            between.narrow(from, is_low, is_low);
                        }
                    }
                }
                Bounds::Prefix(typed) => {
                    if let Value::Text(prefix) = scope.value(&typed.expr, &typed.kind)? {
                        let end = behind_all(&prefix);
                        between.narrow(Value::Text(prefix), true, true);
                        if let Some(end) = end {
                            between.narrow(Value::from(end), false, false);
                        }
                    }
                }
            }
        }
        Ok(between)
    }
}

/// Every combination of what the components may be.
fn product(entity: &EntityPlan, choices: &[Choice], asking: &Asking<'_>) -> Result<Vec<Vec<Owned>>, Problem> {
    let scope = asking.scope(entity, &[], BuiltIn::default());
    let mut all = vec![Vec::new()];
    for choice in choices {
        let values: Vec<Owned> = match choice {
            Choice::One(typed) => vec![scope.value(&typed.expr, &typed.kind)?],
            Choice::OneOf(values) => {
                let values = values.iter().map(|typed| Ok(scope.value(&typed.expr, &typed.kind)?));
                values.collect::<Result<_, Problem>>()?
            }
            Choice::Sent(input) => match asking.inputs.value(input) {
                Value::List(values) => values,
                _ => Vec::new(),
            },
            Choice::Bucket(step, typed) => {
                let value = scope.value(&typed.expr, &typed.kind)?;
                vec![bucket_of(*step, &value, &typed.kind).unwrap_or(Value::Null)]
            }
            Choice::Tenant => vec![asking.inputs.tenant()],
            Choice::Constant(value) => vec![value.clone()],
        };
        let there = || values.iter().filter(|value| !value.is_null());
        let longer = |known: &Vec<Owned>| {
            let known = known.clone();
            there()
                .map(move |value| known.iter().cloned().chain([value.clone()]).collect())
                .collect::<Vec<Vec<Owned>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

impl Between {
    /// Leaves values on one side of this one.
    pub(super) fn narrow(&mut self, value: Owned, included: bool, is_low: bool) {
        let bound = if is_low { &mut self.low } else { &mut self.high };
        let narrower = match &*bound {
            Bound::Unbounded => true,
            Bound::Included(held) | Bound::Excluded(held) => match compare(&value, held) {
                Some(Ordering::Equal) => !included,
                Some(order) => order.is_gt() == is_low,
                None => false,
            },
        };
        if narrower {
            *bound = if included { Bound::Included(value) } else { Bound::Excluded(value) };
        }
    }
}

/// The smallest text behind all that begin so; nothing where there is none.
fn behind_all(prefix: &str) -> Option<String> {
    let mut letters: Vec<char> = prefix.chars().collect();
    while let Some(last) = letters.pop() {
        // Between the last letter of the first plane and the first behind the surrogates there is nothing.
        let next = match u32::from(last) + 1 {
            0xD800 => 0xE000,
            next => next,
        };
        if let Some(next) = char::from_u32(next) {
            letters.push(next);
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::behind_all;

    #[test]
    fn a_prefix_ends_before_the_next_letter() {
        assert_eq!(behind_all("ab").as_deref(), Some("ac"));
        assert_eq!(behind_all("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(behind_all("\u{D7FF}").as_deref(), Some("\u{E000}"));
        assert_eq!(behind_all("\u{10FFFF}"), None);
        assert_eq!(behind_all(""), None);
    }
}
