use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::ReadsAtMost;
use keyloom_model::{Path, count_text};
use keyloom_plan::{Reach, ReadPlan, stated_path};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "stated-otherwise",
    level: Level::Error,
    summary: "the layout states something otherwise than it follows from the catalog",
    page: include_str!("stated_otherwise.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
    for path in &context.stated.paths {
        let plans: Vec<&ReadPlan> = context
            .program
            .reads
            .iter()
            .filter(|plan| stated_path(&context.stated.paths, &plan.asked.question).is_some_and(|found| found == path))
            .collect();
        let place = |word: &str| context.path_place(&path.question, word);
        let said = |word: &str, stated: &[Path], found: Vec<Path>| {
            let both = |a: &[Path], b: &[Path]| a.iter().all(|path| b.contains(path));
            let same = both(stated, &found) && both(&found, stated);
            (!stated.is_empty() && !same).then(|| {
                let message = format!(
                    "`{}`: the layout says `{word}: [{}]`, and it is [{}]",
                    path.question,
                    list(stated),
                    list(&found)
                );
                Finding::new(&RULE, place(word), message).help(format!("leave `{word}` out, or write what is found"))
            })
        };
        // What is not answered at all is said, and the rest of the path with it.
        let refused = context.program.refusals.iter().filter_map(|refusal| refusal.question.as_ref());
        let mut refused = refused.filter_map(|question| stated_path(&context.stated.paths, question));
        if plans.is_empty() || refused.any(|found| found == path) {
            continue;
        }
        let looked_up = plans.iter().flat_map(|plan| plan.access.looks_up.clone()).collect();
        findings.extend(said("looks_up", &path.looks_up, looked_up));
        findings.extend(said("remains", &path.remains, plans.iter().flat_map(|plan| tested(context, plan)).collect()));
        let most = plans
            .iter()
            .filter_map(|plan| plan.at_most)
            .reduce(|a, b| ReadsAtMost { partitions: a.partitions.max(b.partitions), rows: a.rows.max(b.rows) });
        if let (Some(stated), Some(most)) = (path.reads_at_most, most)
            && stated != most
        {
            let message = format!(
                "`{}`: the layout says that one call reads {} rows at most, from {} at most, and it is {} from {}",
                path.question,
                count_text(stated.rows),
                partitions(stated.partitions),
                count_text(most.rows),
                partitions(most.partitions)
            );
            // Numbers of the catalog change in files that nobody looks at together.
            findings.push(
                Finding::new(&RULE, place("reads_at_most"), message)
                    .level(Level::Warning)
                    .help("let `keyloom design` write it anew, or leave `reads_at_most` out"),
            );
        }
    }
}

/// The fields that are tested on rows; that a reservation still holds goes without saying.
fn tested(context: &LayoutContext<'_>, plan: &ReadPlan) -> Vec<Path> {
    let entity = context.base.entity(&plan.asked.entity).filter(|_| !matches!(plan.access.reach, Reach::Via { .. }));
    entity.map_or_else(Vec::new, |entity| plan.access.tested(entity).into_iter().map(Path::own).collect())
}

fn list(paths: &[Path]) -> String {
    let mut shown: Vec<String> = paths.iter().map(ToString::to_string).collect();
    shown.sort();
    shown.dedup();
    shown.join(", ")
}

fn partitions(number: u64) -> String {
    if number == 1 { "1 partition".to_owned() } else { format!("{} partitions", count_text(number)) }
}
