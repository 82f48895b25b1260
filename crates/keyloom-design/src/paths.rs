//! What the program found, written down: one path for each question that another does not say.

use keyloom_model::Path as Returned;
use keyloom_model::layout::{Form, Path, Question, ReadsAtMost};
use keyloom_plan::{Program, Reach, ReadPlan, Wants, stated_path};

/// The paths of a program. One without optional inputs stands for those with some, as long as the same table answers.
pub fn paths(program: &Program) -> Vec<Path> {
    let mut all: Vec<Path> = Vec::new();
    // A write finds its row by its key, which goes without saying.
    let said = |plan: &&ReadPlan| {
        let write = plan.asked.wants == Wants::Row && plan.asked.returns.is_empty();
        !write || matches!(plan.access.reach, Reach::Via { .. })
    };
    for plan in program.reads.iter().filter(said) {
        let form = form(plan);
        let base = without_inputs(&plan.asked.question);
        let remains = remains(program, plan);
        // Whoever reads the paths takes the one that says most, which may be none of the base.
        let stated = stated_path(&all, &plan.asked.question).map(|path| path.question.clone());
        match all.iter_mut().find(|path| Some(&path.question) == stated.as_ref() && path.form == form) {
            Some(path) => {
                let more = plan.access.looks_up.iter().filter(|found| !path.looks_up.contains(found));
                path.looks_up.extend(more.cloned().collect::<Vec<_>>());
                path.remains
                    .extend(remains.into_iter().filter(|field| !path.remains.contains(field)).collect::<Vec<_>>());
                path.reads_at_most = most(path.reads_at_most, plan.at_most);
            }
            None => all.push(Path {
                question: if stated.is_some() { plan.asked.question.clone() } else { base },
                form,
                looks_up: plan.access.looks_up.clone(),
                remains,
                reads_at_most: plan.at_most.filter(|_| matches!(plan.access.reach, Reach::Slice(_))),
            }),
        }
    }
    all
}

fn form(plan: &ReadPlan) -> Form {
    let table = plan.access.table.clone();
    match &plan.access.reach {
        Reach::Get { .. } => Form::Get { table, via: None },
        Reach::Via { reservations, .. } => Form::Get { table, via: Some(reservations.clone()) },
        Reach::Slice(_) => Form::Slice { table },
    }
}

fn without_inputs(question: &Question) -> Question {
    match question {
        Question::Pattern { pattern, with, order, .. } => {
            Question::Pattern { pattern: pattern.clone(), with: with.clone(), order: order.clone(), sent: Vec::new() }
        }
        Question::Support { .. } => question.clone(),
    }
}

/// The fields that are tested on rows; that a reservation still holds goes without saying.
fn remains(program: &Program, plan: &ReadPlan) -> Vec<Returned> {
    let Some(entity) = program.catalog.entity(&plan.asked.entity) else { return Vec::new() };
    if matches!(plan.access.reach, Reach::Via { .. }) {
        return Vec::new();
    }
    plan.access.tested(entity).into_iter().map(Returned::own).collect()
}

fn most(a: Option<ReadsAtMost>, b: Option<ReadsAtMost>) -> Option<ReadsAtMost> {
    match (a, b) {
        (Some(a), Some(b)) => {
            Some(ReadsAtMost { partitions: a.partitions.max(b.partitions), rows: a.rows.max(b.rows) })
        }
        (some, None) | (None, some) => some,
    }
}
