use keyloom_facts::Facts;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Entity;
use keyloom_model::layout::{Holds, Keeper, Table};

use crate::context::limit;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "index-limit",
    level: Level::Error,
    summary: "an index that the engine does not have",
    page: include_str!("index_limit.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let indexes = |table: &&Table| matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. });
    let all: Vec<&Table> = context.tables().filter(indexes).collect();
    let title = context.engine.title();
    let Some(able) = context.program.abilities.indexes else {
        for table in all {
            let message = format!("`{}` is kept by an index, and Keyloom uses none of {title}", table.name);
            findings.push(Finding::new(&RULE, context.word_place(&table.name, "keeper"), message).help(
                "`keeper: placed` follows the source; where there are transactions, `carried` is written with it",
            ));
        }
        return;
    };
    for entity in &context.catalog.entities {
        let of = |table: &&&Table| matches!(&table.holds, Holds::Projection { entity: of, .. } if *of == entity.name);
        let own: Vec<&Table> = all.iter().filter(of).copied().collect();
        findings.extend(named_by(context, entity, &own));
        let Some(first) = own.get(able.per_table_max as usize) else { continue };
        let message = format!(
            "{} has {} indexes, and a table of {title} may have {}",
            entity.name,
            own.len(),
            able.per_table_max
        );
        let mut finding = Finding::new(&RULE, context.word_place(&first.name, "keeper"), message)
            .help("keep the others as tables of their own: `keeper: placed` or `carried`");
        finding.limit =
            Facts::of(context.engine).get("global_indexes").map(|_| limit(context.engine, "global_indexes").1);
        findings.push(finding);
    }
}

/// More attributes than all indexes of one table may name together.
fn named_by(context: &LayoutContext<'_>, entity: &Entity, indexes: &[&Table]) -> Option<Finding> {
    /// Of each row, an index shows its version, its rank and its end as well.
    const OWN: u64 = 3;
    let facts = Facts::of(context.engine);
    let each_max = facts.get("index_named_attributes")?.value;
    let (fact, limit) = facts.get("table_named_attributes").map(|fact| (fact, limit(context.engine, &fact.name).1))?;
    let shown = |table: &Table| table.columns.iter().flatten().count() as u64 + OWN;
    // One that shows more than it may name shows all without naming them.
    let naming = || indexes.iter().filter(|table| shown(table) <= each_max);
    let total: u64 = naming().map(|table| shown(table)).sum();
    let mut so_far = 0;
    let first = naming().find(|table| {
        so_far += shown(table);
        so_far > fact.value
    })?;
    let message = format!(
        "the indexes of {} show {total} attributes beside their keys, and those of one table of {} may show {}",
        entity.name,
        context.engine.title(),
        fact.value
    );
    let words: Vec<String> = naming().map(|table| format!("`{}` {}", table.name, shown(table))).collect();
    let finding = Finding::new(&RULE, context.word_place(&first.name, "columns"), message).limit(limit);
    let derivation = format!("{} = {total}, with {OWN} of Keyloom in each", words.join(" + "));
    Some(finding.derivation(derivation).help(
        "show less in each: leave out what its list does not return; or keep one as a table of its own: `keeper: carried`",
    ))
}
