//! `slice`: rows of one partition, by `Query`.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use keyloom_store::{Cost, End, Fault, Rows, Slice, refuse};
use keyloom_value::Value;

use crate::{
    fault::Call,
    item::{self, Item},
    key,
    layout::Layout,
    read::{consistent, milliunits},
    span::{Span, Stands},
    store::DynamoDb,
};

impl DynamoDb {
    pub(crate) async fn query(&self, of: &Slice<'_>) -> Result<Rows, Fault> {
        let layout = self.layout(of.table)?;
        refuse::slice(&layout.shape, of, &self.abilities)?;
        let partition = layout.partition.attribute(of.partition)?;
        refuse::key_sizes(&layout.shape, key::size(&partition), 0, &self.abilities)?;
        let span = match &layout.sort {
            Some(sort) => match Span::of(sort, &of.within, of.after, of.reverse)? {
                Some(span) => Some(span),
                None => return Ok(nothing()),
            },
            // Nothing is behind the only row of a partition.
            None if of.after.is_some() => return Ok(nothing()),
            None => None,
        };
        let one_more = u32::from(span.as_ref().is_some_and(|span| span.one_more));
        let limit = i32::try_from(of.rows_max.saturating_add(one_more)).unwrap_or(i32::MAX);
        let mut call = self
            .client
            .query()
            .table_name(&layout.table)
            .set_index_name(layout.index.clone())
            .expression_attribute_names("#p", &layout.partition.name)
            .expression_attribute_values(":p", partition)
            .scan_index_forward(!of.reverse)
            .consistent_read(consistent(of.freshness))
            .limit(limit)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let mut condition = "#p = :p".to_owned();
        if let (Some(sort), Some(span)) = (&layout.sort, &span) {
            condition += match (&span.low, &span.high) {
                (Some(_), Some(_)) => " AND #s BETWEEN :a AND :z",
                (Some(_), None) => " AND #s >= :a",
                (None, Some(_)) if span.below => " AND #s < :z",
                (None, Some(_)) => " AND #s <= :z",
                (None, None) => "",
            };
            if span.low.is_some() || span.high.is_some() {
                call = call.expression_attribute_names("#s", &sort.name);
            }
            for (name, bound) in [(":a", &span.low), (":z", &span.high)] {
                if let Some(bound) = bound {
                    call = call.expression_attribute_values(name, bound.clone());
                }
            }
        }
        let answer = call.key_condition_expression(condition).send().await;
        let answer = answer.map_err(|error| self.fault(&layout, Call::Read, &error))?;
        let units = milliunits(answer.consumed_capacity());
        page(&layout, of, span.as_ref(), answer.items(), answer.last_evaluated_key(), units)
    }
}

fn nothing() -> Rows {
    Rows { rows: Vec::new(), end: End::Range, cost: Cost::default() }
}

/// What a slice answers, from the items of its span in the direction of reading.
fn page(
    layout: &Layout,
    of: &Slice<'_>,
    span: Option<&Span<'_>>,
    items: &[Item],
    left: Option<&Item>,
    milliunits: u64,
) -> Result<Rows, Fault> {
    let (start, stop) = if of.reverse { (Stands::Behind, Stands::Before) } else { (Stands::Before, Stands::Behind) };
    let (mut rows, mut returned, mut reached) = (Vec::new(), 0, None);
    let mut cost = Cost { milliunits, ..Cost::default() };
    for item in items {
        let stands = match span {
            Some(span) => span.stands(&sort_values(layout, item)?),
            None => Stands::Within,
        };
        if stands == start {
            continue;
        }
        if stands == stop {
            return Ok(Rows { rows, end: End::Range, cost });
        }
        let found = item::row(layout, item, of.now)?;
        let fits = !found.there || rows.is_empty() || returned + found.row.size() <= of.bytes_max as usize;
        if cost.rows == u64::from(of.rows_max) || !fits {
            return Ok(Rows { rows, end: limit(layout, reached)?, cost });
        }
        cost.rows += 1;
        cost.bytes += found.bytes;
        cost.leftovers += u64::from(found.leftover);
        if found.there {
            returned += found.row.size();
            rows.push(found.row);
        }
        reached = Some(item);
    }
    Ok(Rows { rows, end: limit(layout, left)?, cost })
}

/// The end of a page behind an item; that of the range where there is none.
fn limit(layout: &Layout, reached: Option<&Item>) -> Result<End, Fault> {
    let Some(reached) = reached else { return Ok(End::Range) };
    Ok(End::Limit { reached: sort_values(layout, reached)?.into_iter().map(Value::into_owned).collect() })
}

fn sort_values<'a>(layout: &Layout, item: &'a Item) -> Result<Vec<Value<'a>>, Fault> {
    let Some(sort) = &layout.sort else { return Ok(Vec::new()) };
    let stored = item.get(&sort.name).ok_or_else(key::missing)?;
    Ok(sort.values(stored)?)
}
