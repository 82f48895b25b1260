use std::collections::BTreeSet;

use keyloom_cql::resolve::Verdict;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::SurveyContext;
use crate::reads::names;

pub(crate) static RULE: Rule = Rule {
    name: "undecided-statement",
    level: Level::Note,
    summary: "statements that can't be judged before somebody says what fills their holes",
    page: include_str!("undecided_statement.md"),
};

/// How many holes are named, and how many places are shown.
const NAMED: usize = 6;
const SHOWN: usize = 3;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut places = BTreeSet::new();
    let mut holes = BTreeSet::new();
    let at_home = context.files_at_home();
    for of in context.survey.uses.iter().filter(|of| of.role == Role::Service && at_home.contains(&of.whole().file)) {
        if let Verdict::Maybe { holes: deciding } = &of.resolution.verdict
            && places.insert(of.whole())
        {
            holes.extend(deciding.iter().map(String::as_str));
        }
    }
    let Some(first) = places.first() else { return };
    let mut what = names(holes.iter().copied().take(NAMED));
    if holes.len() > NAMED {
        what.push_str(&format!(" and {} more", holes.len() - NAMED));
    }
    let message = match (places.len(), holes.is_empty()) {
        (1, false) => format!("whether the server accepts this statement is not known: it depends on {what}"),
        (several, false) => {
            format!("whether the server accepts {several} statements is not known: it depends on {what}")
        }
        (several, true) => format!("{several} statements are known in part only"),
    };
    let mut finding = Finding::new(&RULE, *first, message);
    for place in places.iter().skip(1).take(SHOWN) {
        finding = finding.related(*place, "another one");
    }
    findings
        .push(finding.help(
            "write the forms that they can take into a `.cql` file and name it with `--queries`: each is judged",
        ));
}
