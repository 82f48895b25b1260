use keyloom_facts::Facts;
use keyloom_finding::{Finding, Level, Rule};
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
    for table in &all {
        if let Some(filter) = &table.filter {
            let message =
                format!("`{}` holds only rows where `{filter}`, and an index of {title} holds them all", table.name);
            findings.push(
                Finding::new(&RULE, context.word_place(&table.name, "where"), message)
                    .help("`keeper: placed` or `carried`; or leave `where` out and test it on what was read"),
            );
        }
    }
    for entity in &context.catalog.entities {
        let of = |table: &&&Table| matches!(&table.holds, Holds::Projection { entity: of, .. } if *of == entity.name);
        let own: Vec<&&Table> = all.iter().filter(of).collect();
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
