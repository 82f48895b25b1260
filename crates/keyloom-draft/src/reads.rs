//! What a SELECT needs: one row, rows in an order, or their number.

use std::collections::BTreeSet;

use keyloom_cql::ast::{
    LiteralKind, Operator, OrderingKind, RelationKind, Select, Selection, Selector, SelectorKind, Term, TermKind,
};
use keyloom_cql::schema::{ColumnKind, IndexKind};

use crate::entity::Entity;
use crate::pattern::{Comparison, Read, ReadVerb, Test, Value};
use crate::relations::asked;
use crate::source::Source;

/// What is known of a read beside the pattern itself.
pub(crate) struct Reading {
    pub(crate) read: Read,
    pub(crate) notes: Vec<String>,
}

/// Reads a SELECT over a table of an entity; the error says why it is left out.
pub(crate) fn read(entity: &Entity, source: &Source<'_>, select: &Select) -> Result<Reading, String> {
    let chosen = chosen(select)?;
    let mut asked = asked(entity, source, &select.relations)?;
    let mut notes = Vec::new();
    if !is_narrowed(source, select) {
        let filters = select.allow_filtering.is_some() || !select.relations.is_empty();
        return Err(if filters { "it filters the whole table" } else { "it reads the whole table" }.to_owned());
    }
    if !select.group_by.is_empty() {
        return Err("GROUP BY: totals are kept in a rollup, or made elsewhere".to_owned());
    }
    if matches!(select.order_by.first().map(|order| &order.kind), Some(OrderingKind::Nearest(..))) {
        return Err("it searches by nearness".to_owned());
    }
    let is_count = matches!(chosen, Chosen::Count);
    let key_given = entity.key.iter().all(|field| asked.has(*field));
    let unique = entity.unique_among(&|field| asked.has(field)).map(<[usize]>::to_vec);
    let verb = match (is_count, key_given || unique.is_some()) {
        (true, _) => ReadVerb::Count,
        (false, true) => ReadVerb::Get,
        (false, false) => ReadVerb::List,
    };
    if select.per_partition_limit.is_some() && verb != ReadVerb::Get {
        return Err("PER PARTITION LIMIT over several partitions: `one_per` may say it".to_owned());
    }
    let by = match (verb, key_given, unique) {
        (ReadVerb::Get, true, _) => asked.by(&entity.key),
        (ReadVerb::Get, false, Some(unique)) => asked.by(&unique),
        _ => split_constants(&mut asked),
    };
    if by.is_empty() {
        return Err("nothing says which rows it reads".to_owned());
    }
    let is_tested = |moment: &usize| asked.tests.iter().any(|test| test.field == *moment);
    let is_given = |moment: &usize| by.iter().any(|(field, _)| field == moment);
    if let Some(moment) = asked.bucket_of.filter(|at| verb != ReadVerb::Get && !is_tested(at) && !is_given(at)) {
        for comparison in [Comparison::GreaterOrEqual, Comparison::Less] {
            asked.tests.push(Test { field: moment, comparison, value: Value::Input });
        }
        let buckets: Vec<&str> = source.buckets.iter().map(|(name, _)| *name).collect();
        notes.push(format!(
            "asked for by {}: a bucket, read as a range of {}",
            buckets.join(", "),
            entity.fields[moment].name
        ));
    }
    if asked.pages {
        notes.push("the statement pages by its key; a list has a cursor for that".to_owned());
    }
    let order = if verb == ReadVerb::List { order(entity, source, select, &by) } else { Vec::new() };
    for (field, _) in &order {
        let is_value = source.view_of.is_some() && entity.fields[*field].optional;
        if is_value && !asked.tests.iter().any(|test| test.field == *field) {
            asked.tests.push(Test { field: *field, comparison: Comparison::IsNotNull, value: Value::Null });
        }
    }
    let first = select.limit.as_ref().and_then(number).filter(|_| verb == ReadVerb::List);
    let returns = match chosen {
        Chosen::All => all_of(entity, source),
        Chosen::Columns(columns) => {
            let missing: Vec<&str> =
                columns.iter().map(String::as_str).filter(|name| source.table.column(name).is_none()).collect();
            if !missing.is_empty() {
                notes.push(format!("it asks for {}, which {} has not", missing.join(", "), source.name()));
            }
            let fields: BTreeSet<usize> = columns.iter().filter_map(|column| entity.field(column)).collect();
            let known: Vec<usize> = fields.into_iter().collect();
            (!known.is_empty() && known.len() < entity.fields.len()).then_some(known)
        }
        Chosen::Count => None,
    };
    let several = asked.several;
    Ok(Reading { read: Read { verb, by, tests: asked.tests, order, first, page: None, returns, several }, notes })
}

/// Constants that are compared make a subset, as long as something else says which group.
fn split_constants(asked: &mut crate::relations::Asked) -> Vec<(usize, Value)> {
    let (inputs, constants): (Vec<_>, Vec<_>) =
        std::mem::take(&mut asked.equal).into_iter().partition(|(_, value)| *value == Value::Input);
    if inputs.is_empty() {
        return constants;
    }
    let tests = constants.into_iter().map(|(field, value)| Test { field, comparison: Comparison::Equal, value });
    asked.tests.splice(0..0, tests);
    inputs
}

/// Whether the statement names partitions, or an index does.
fn is_narrowed(source: &Source<'_>, select: &Select) -> bool {
    let equals = |name: &str| {
        select.relations.iter().any(|relation| match &relation.kind {
            RelationKind::Column { column, operator, .. } => {
                let names_values =
                    matches!(operator, Operator::Equal | Operator::In | Operator::Contains | Operator::ContainsKey);
                column.text == name && names_values
            }
            RelationKind::Tuple { columns, operator: Operator::Equal, .. } => {
                columns.iter().any(|column| column.text == name)
            }
            _ => false,
        })
    };
    let by_index = || {
        let finds = |kind: &IndexKind| !matches!(kind, IndexKind::Local | IndexKind::Custom(_));
        source.table.indexes.iter().any(|index| finds(&index.kind) && equals(&index.column))
    };
    source.table.partition_key().all(|column| equals(&column.name)) || by_index()
}

enum Chosen {
    All,
    Count,
    Columns(Vec<String>),
}

fn chosen(select: &Select) -> Result<Chosen, String> {
    let Selection::Of(selectors) = &select.selection else { return Ok(Chosen::All) };
    if let [Selector { kind: SelectorKind::CountRows, .. }] = selectors.as_slice() {
        return Ok(Chosen::Count);
    }
    let mut columns = Vec::new();
    for selector in selectors {
        gather(selector, &mut columns)?;
    }
    Ok(Chosen::Columns(columns))
}

/// The columns of a selector; functions over one are left to the caller.
fn gather(selector: &Selector, columns: &mut Vec<String>) -> Result<(), String> {
    match &selector.kind {
        SelectorKind::Column(name) => columns.push(name.text.clone()),
        SelectorKind::CountRows => return Err("it counts beside other answers: a rollup may keep that".to_owned()),
        SelectorKind::Call(name, arguments) => {
            let name = name.name.text.as_str();
            if matches!(name, "count" | "sum" | "avg" | "min" | "max") {
                return Err(format!("{name}() over rows: totals are kept in a rollup, or made elsewhere"));
            }
            for argument in arguments {
                gather(argument, columns)?;
            }
        }
        SelectorKind::Cast(of, _)
        | SelectorKind::Field(of, _)
        | SelectorKind::Element(of, _)
        | SelectorKind::Slice(of, ..)
        | SelectorKind::Negative(of)
        | SelectorKind::Hint(_, of) => gather(of, columns)?,
        SelectorKind::Arithmetic(_, left, right) => {
            gather(left, columns)?;
            gather(right, columns)?;
        }
        _ => {}
    }
    Ok(())
}

/// The fields of `*`: all of the entity's, unless the table has fewer.
fn all_of(entity: &Entity, source: &Source<'_>) -> Option<Vec<usize>> {
    let own = source.key.iter().chain(&source.values).filter_map(|column| entity.field(&column.name));
    let own: BTreeSet<usize> = own.collect();
    (own.len() < entity.fields.len()).then(|| own.into_iter().collect())
}

/// The order that is asked for, else the one in which the table keeps its rows; without the fields that are given, and
/// without what only breaks ties.
fn order(entity: &Entity, source: &Source<'_>, select: &Select, by: &[(usize, Value)]) -> Vec<(usize, bool)> {
    let fixed = |field: &usize| by.iter().any(|(at, _)| at == field);
    let asked: Vec<(usize, bool)> = select
        .order_by
        .iter()
        .filter_map(|order| match &order.kind {
            OrderingKind::Column(name) => Some((entity.field(&name.text)?, order.descending)),
            _ => None,
        })
        .collect();
    let by_partition = source.table.partition_key().all(|column| {
        source.buckets.iter().any(|(name, _)| *name == column.name)
            || entity.field(&column.name).is_some_and(|field| fixed(&field))
    });
    let kept = source.table.clustering().filter_map(|column| {
        let ColumnKind::Clustering { descending } = column.kind else { return None };
        Some((entity.field(&column.name)?, descending))
    });
    let mut order: Vec<(usize, bool)> = match asked.is_empty() {
        false => asked,
        true if by_partition => kept.collect(),
        true => Vec::new(),
    };
    order.retain(|(field, _)| !fixed(field) && entity.fields[*field].kind.is_ordered());
    // The key is always the tie-break.
    while order.len() > 1 && order.last().is_some_and(|(field, _)| entity.key.contains(field)) {
        order.pop();
    }
    order
}

/// A number that is written down.
fn number(term: &Term) -> Option<u64> {
    match &term.kind {
        TermKind::Literal(literal) if literal.kind == LiteralKind::Integer => {
            literal.text.parse().ok().filter(|number| *number > 0)
        }
        _ => None,
    }
}
