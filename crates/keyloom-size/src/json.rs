//! Sizes for programs. `docs/size.md` documents the form; fields are added, never changed.

use serde_json::{Map, Value, json};

use crate::effort::Effort;
use crate::limits::{Break, Unknown};
use crate::quantity::{Between, Quantity, Three};
use crate::table::TableSize;
use crate::total::{MOMENTS, Total};
use crate::{PatternSize, Sizes};

/// The sizes of a program as JSON; `before` are those without the changes, where there are some.
pub fn json(sizes: &Sizes, before: Option<&Sizes>) -> String {
    let mut all = of(sizes);
    if let (Value::Object(all), Some(before)) = (&mut all, before) {
        all.insert("before".to_owned(), of(before));
    }
    let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
    text.push('\n');
    text
}

fn of(sizes: &Sizes) -> Value {
    json!({
        "size": 1,
        "catalog": sizes.catalog,
        "engine": sizes.engine.name(),
        "as_of": sizes.as_of.map(|day| day.to_string()),
        "tables": sizes.tables.iter().map(table).collect::<Vec<_>>(),
        "patterns": sizes.patterns.iter().map(pattern).collect::<Vec<_>>(),
        "total": total(&sizes.total),
        "breaks": sizes.breaks.iter().map(broken).collect::<Vec<_>>(),
        "unknown": sizes.unknown.iter().map(unknown).collect::<Vec<_>>(),
        "refused": sizes.refused,
        "assumed": sizes.assumed,
    })
}

/// A number, or `null`; what it leaves out only where that is something.
fn quantity(of: &Quantity) -> Value {
    let mut object = Map::new();
    object.insert("value".to_owned(), of.value().map_or(Value::Null, number));
    let without: Vec<&str> = of.without().collect();
    if !without.is_empty() {
        object.insert("without".to_owned(), json!(without));
    }
    Value::Object(object)
}

/// Numbers of JSON end at 64 bits for most who read them.
fn number(value: u128) -> Value {
    json!(u64::try_from(value).unwrap_or(u64::MAX))
}

fn three(of: &Three) -> Value {
    json!({ "typical": quantity(&of.typical), "p99": quantity(&of.p99), "worst": quantity(&of.worst) })
}

fn between<T>(of: &Between<T>, each: impl Fn(&T) -> Value) -> Value {
    json!({ "low": each(&of.low), "high": each(&of.high) })
}

fn effort(of: &Effort) -> Value {
    json!({
        "read_half_units": number(of.read_half_units),
        "write_units": number(of.write_units),
        "nanos": number(of.nanos),
        "decisions": number(of.decisions),
        "rows_written": number(of.rows),
        "rows_removed": number(of.removed),
    })
}

fn load(of: &crate::Load) -> Value {
    json!({
        "read_half_units": quantity(&of.read_half_units),
        "write_units": quantity(&of.write_units),
        "nanos": quantity(&of.nanos),
        "decisions": quantity(&of.decisions),
    })
}

fn table(table: &TableSize) -> Value {
    let partition = table.partition.as_ref().map(|partition| {
        let span_ms = partition.kept_ms.unwrap_or(crate::time::YEAR_MS);
        json!({
            "by": partition.by,
            "rows": three(&partition.rows),
            "rows_come_in_ms": partition.per_ms,
            "after_ms": partition.per_ms.map(|_| span_ms),
            "rows_then": three(&partition.after(span_ms)),
            "bytes_then": table.partition_bytes_after(span_ms).as_ref().map(three),
        })
    });
    let removed = table.removed.as_ref().map(|removed| {
        json!({ "busiest": quantity(&removed.busiest), "all": quantity(&removed.all), "within_ms": removed.grace_ms })
    });
    json!({
        "name": table.name,
        "holds": table.holds,
        "rows": {
            "now": quantity(&table.rows.now),
            "month": quantity(&table.rows.month),
            "kept_ms": table.rows.kept_ms,
            "steady": table.rows.steady().as_ref().map(quantity),
        },
        "row_bytes": {
            "typical": table.bytes.typical, "worst": table.bytes.worst,
            "beside": table.bytes.beside, "partition": table.bytes.partition,
        },
        "stored": stored(&MOMENTS.map(|moment| table.stored_after(moment))),
        "partition": partition,
        "peak": { "busiest": load(&table.load.busiest), "all": load(&table.load.all) },
        "removed": removed,
    })
}

fn stored([now, year, five_years]: &[Quantity; 3]) -> Value {
    json!({ "now": quantity(now), "in_1_year": quantity(year), "in_5_years": quantity(five_years) })
}

fn pattern(pattern: &PatternSize) -> Value {
    json!({
        "name": pattern.name,
        "calls_month": quantity(&pattern.calls.month),
        "peak_kilosecond": quantity(&pattern.calls.peak_kilosecond),
        "mean_assumed": pattern.calls.mean_assumed,
        "peak_assumed": pattern.calls.peak_assumed,
        "thousandths_per_call": between(&pattern.effort, effort),
        "nanodollars_month": pattern.month.as_ref().map(|month| between(month, quantity)),
        "without": pattern.without,
    })
}

fn total(total: &Total) -> Value {
    let dynamodb = total.dynamodb.as_ref().map(|month| {
        json!({
            "region": month.region,
            "prices_of": month.prices_of.to_string(),
            "on_demand": between(&month.on_demand, quantity),
            "read_units": quantity(&month.capacity[0]),
            "write_units": quantity(&month.capacity[1]),
            "provisioned": month.provisioned.as_ref().map(quantity),
            "storage": quantity(&month.storage),
        })
    });
    let cluster = total.cluster.as_ref().map(|cluster| {
        json!({
            "replicas": cluster.replicas,
            "stored": stored(&cluster.stored),
            "nodes": cluster.nodes.as_ref().map(|(node, nodes)| {
                json!({ "cores": node.cores, "bytes": node.bytes, "count": stored(nodes) })
            }),
            "nanodollars_month": cluster.month.as_ref().map(quantity),
        })
    });
    json!({
        "stored": stored(&total.stored),
        "peak": load(&total.peak),
        "mean_nanos": between(&total.mean_nanos, quantity),
        "nanodollars_month": dynamodb,
        "cluster": cluster,
    })
}

fn broken(broken: &Break) -> Value {
    json!({
        "table": broken.table,
        "what": broken.what,
        "value": number(broken.value),
        "limit": broken.limit.value,
        "fact": broken.limit.name,
        "kind": broken.limit.kind.name(),
        "source": broken.limit.source,
        "after_ms": broken.after_ms,
        "day": broken.day.map(|day| day.to_string()),
        "then": broken.then(),
    })
}

fn unknown(unknown: &Unknown) -> Value {
    json!({
        "table": unknown.table,
        "what": unknown.what,
        "limit": unknown.limit.value,
        "fact": unknown.limit.name,
        "without": unknown.without,
    })
}
