use std::collections::BTreeSet;

use keyloom_cql::resolve::{Part, Partitions};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{ByItem, Compare, Entity, Expr, Limit, Read, ReadVerb, Selection, Set, Type, count_text};
use keyloom_survey::{Role, Site};

use crate::growth::worst_rows;
use crate::reads::names;
use crate::{Context, LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "filter-after-read",
    level: Level::Warning,
    summary: "a filter that no order serves: rows are read and thrown away, and nothing says how many",
    page: include_str!("filter_after_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        let Some(selection) = pattern.selection() else { continue };
        let Some(entity) = context.entity(&selection.entity) else { continue };
        if selection.matches.is_some() || context.is_stated(&format!("patterns.{}.matches", pattern.name)) {
            continue;
        }
        let Some(test) = remaining(selection, entity) else { continue };
        let place = context.value(&format!("patterns.{}.where", pattern.name));
        if let Some(item) = selection.by.items().iter().find(|item| repeats(test, item)) {
            let message = format!("`{test}` says again what `by` has fixed");
            findings.push(Finding::new(&RULE, place, message).help(format!("remove it; `by` has `{}`", item.path)));
            continue;
        }
        let size = context.group_size(selection);
        let worst = size.and_then(|size| worst_rows(entity, selection, &size)).map(|worst| worst.rows);
        let (call, rows) = match pattern.read() {
            Some(Read { verb: ReadVerb::Count, .. }) | None => ("one call", 0),
            Some(Read { limit: Some(Limit::Page(rows) | Limit::First(rows)), .. }) => ("a page", *rows),
            Some(_) => ("a page", Limit::ASSUMED_ROWS),
        };
        // A group that one page holds is read whole anyway.
        if worst.is_some_and(|worst| worst <= rows) {
            continue;
        }
        let message = match worst {
            Some(worst) => format!(
                "`{test}` is tested after reading: {call} may read all {} rows of a group to find what passes",
                count_text(worst)
            ),
            None => format!("`{test}` is tested after reading, and nothing says how many rows pass"),
        };
        let help = match test {
            Expr::Compare(Compare::Equal, _, value) if matches!(**value, Expr::Input { optional: true, .. }) => {
                "state `matches: 20%` (the share that passes), or ask for it in a pattern of its own with the field in `by`"
            }
            Expr::Compare(Compare::Equal, ..) => {
                "state `matches: 20%` (the share that passes), or move the field into `by`"
            }
            Expr::In(..) | Expr::Compare(..) => {
                "state `matches: 20%` (the share that passes), or add an order that begins with this field: only one range can be read in order"
            }
            _ => "state `matches: 20%`, the share of read rows that passes",
        };
        findings.push(Finding::new(&RULE, place, message).help(help));
    }
}

/// Whether a test asks for the value that `by` has fixed.
fn repeats(test: &Expr, item: &ByItem) -> bool {
    matches!(test, Expr::Compare(Compare::Equal, a, b) if **a == Expr::Path(item.path.clone()) && **b == item.value)
}

/// The first test that varies from call to call and that neither the order nor known shares account for.
fn remaining<'a>(selection: &'a Selection, entity: &Entity) -> Option<&'a Expr> {
    let tests: Vec<&Expr> = selection.filter.iter().flat_map(Expr::conjuncts).filter(|test| test.varies()).collect();
    if selection.orders.is_empty() {
        // Without an order the design may choose one: for the first range there is.
        let chosen = tests.iter().find(|test| is_range(test)).and_then(|test| tested_field(test));
        return tests.into_iter().find(|test| !accounted(test, chosen.as_slice(), entity));
    }
    selection.orders.iter().find_map(|order| {
        let mut served = Vec::new();
        for field in order.items.iter().map_while(|item| item.path.own_field()) {
            served.push(field);
            // Behind a field that is not fixed to one value, rows are no longer in one run.
            let fixed = tests.iter().any(|test| is_fixed(test) && tested_field(test) == Some(field));
            if !fixed {
                break;
            }
        }
        tests.iter().copied().find(|test| !accounted(test, &served, entity))
    })
}

/// Whether a test reads no row in vain: it follows the order, or names its values, or what passes is known.
fn accounted(test: &Expr, served: &[&str], entity: &Entity) -> bool {
    let in_order = tested_field(test).is_some_and(|field| served.contains(&field));
    match test {
        Expr::Compare(Compare::Equal, a, _) => in_order || known_share(a, entity),
        // A list of values that must be sent is so many groups, each read by itself.
        Expr::In(_, Set::Input { optional: false, .. }) => true,
        test => is_range(test) && in_order,
    }
}

fn is_range(test: &Expr) -> bool {
    match test {
        Expr::Compare(compare, ..) => !matches!(compare, Compare::Equal | Compare::NotEqual),
        test => matches!(test, Expr::In(_, Set::Range(..)) | Expr::StartsWith(..)),
    }
}

/// Whether every call sends one value for the field.
fn is_fixed(test: &Expr) -> bool {
    matches!(test, Expr::Compare(Compare::Equal, _, value) if matches!(**value, Expr::Input { optional: false, .. }))
}

fn tested_field(test: &Expr) -> Option<&str> {
    test.paths().first().and_then(|path| path.own_field())
}

/// Equality with a value of an enum whose shares are stated: what passes is known.
fn known_share(side: &Expr, entity: &Entity) -> bool {
    let Expr::Path(path) = side else { return false };
    matches!(entity.field(&path.field).map(|field| &field.ty), Some(Type::Enum(variants)) if variants.iter().all(|variant| variant.share.is_some()))
}

/// Over a survey: an index finds rows, and what it finds is tested afterwards; or the program tests all rows of a partition.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(chosen_by_the_program(context));
    for read in context.reads().filter(|read| read.access.filters) {
        let Some(name) = read.access.index.as_deref() else { continue };
        let index = read.table.indexes.iter().find(|index| index.name == name);
        let indexed = index.map_or(name, |index| index.column.as_str());
        let open = read.is_open();
        let level = if open { read.level() } else { Level::Note };
        let place = read.select.allow_filtering.map_or(read.place(), |written| read.of.place(written));
        let message = format!(
            "what the index on `{indexed}` finds in `{}`{} is read, and then tested for {}",
            read.table.name,
            if open { " on all nodes" } else { "" },
            names(read.filtered(indexed))
        );
        findings.push(
            Finding::new(&RULE, place, message)
                .level(level)
                .related(index.and_then(|index| context.survey.made(index.made)), "the index that finds the rows")
                .help("keep a table whose key begins with all that is asked by equality: rows read are then rows returned"),
        );
    }
}

/// Reads of whole partitions among whose rows the program then chooses, in one note for each table.
fn chosen_by_the_program(context: &SurveyContext<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for read in context.reads().filter(|read| read.of.role == Role::Service && read.select.limit.is_none()) {
        let whole = read.access.partitions == Partitions::One && read.access.part == Part::Whole;
        let many =
            read.table.clustering().next().is_some() && read.access.index.is_none() && read.aggregate().is_none();
        let chooses = |site: &Site| site.calls.iter().any(|call| ["filter", "Where"].contains(&call.as_str()));
        let place = read.of.sites.iter().find(|(_, site)| !site.test_code && chooses(site));
        let Some((place, _)) = place.filter(|_| whole && many && !read.access.filters) else { continue };
        if seen.insert((&read.table.keyspace, &read.table.name)) {
            let message = format!(
                "all rows of a partition of `{}` are read, and the program then chooses among them",
                read.table.name
            );
            let help = "fine while a partition is small; else put what is tested into the key, before what orders the rows, so that rows read are rows used";
            let finding = Finding::new(&RULE, *place, message).level(Level::Note).help(help);
            findings.push(finding.related(read.place(), "read here"));
        }
    }
    findings
}

/// Over a layout: the share that passes is stated, and small.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const READ_FOR_ONE: f64 = 10.0;
    let mut seen: Vec<&str> = Vec::new();
    for plan in context.program.reads.iter().filter(|plan| !plan.access.remains.is_empty()) {
        let (Some(selection), Some(pattern)) =
            (keyloom_plan::selection(context.catalog, &plan.asked), context.pattern_of(&plan.asked.question))
        else {
            continue;
        };
        let Some(matches) = selection.matches.filter(|_| !seen.contains(&pattern.name.as_str())) else { continue };
        if matches.factor() * READ_FOR_ONE >= 1.0 {
            continue;
        }
        seen.push(&pattern.name);
        let tests = plan.access.remains.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(" and ");
        let times = (1.0 / matches.factor().max(1e-6)).round() as u64;
        let message = format!(
            "`{}` reads {} rows of `{}` for each that passes {tests}",
            pattern.name,
            count_text(times),
            plan.access.table
        );
        findings.push(
            Finding::new(&RULE, context.question_place(&plan.asked.question), message)
                .derivation(format!("1 / {matches} = {}", count_text(times)))
                .help("give it a table of its own, with what is tested in `where` or before the order in its key"),
        );
    }
}
