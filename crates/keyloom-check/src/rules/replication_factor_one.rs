use keyloom_cql::HOLE;
use keyloom_cql::ast::{OptionValue, StatementKind, TableOption};
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::{Written, is_program};

use crate::SurveyContext;
use crate::meaning::{has_word, is_for_trial};

pub(crate) static RULE: Rule = Rule {
    name: "replication-factor-one",
    level: Level::Warning,
    summary: "a keyspace with one replica: one node down takes a part of the data with it",
    page: include_str!("replication_factor_one.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for keyspace in context.survey.schema.keyspaces.values() {
        let Some(replication) = &keyspace.replication else { continue };
        let name = &keyspace.name;
        let for_trial = is_for_trial(name) || context.file_of(replication.made).is_some_and(is_for_trial);
        // A template is filled in by somebody who knows the cluster.
        if for_trial || name.contains(HOLE) || name.starts_with("system") {
            continue;
        }
        if replication.class == "NetworkTopologyStrategy" && replication.factors.is_empty() {
            findings.push(nowhere(name, context.survey.made(replication.made)));
        }
        let Some((centre, _)) = replication.factors.iter().find(|(_, factor)| *factor == Some(1)) else { continue };
        let within = if centre == "replication_factor" { String::new() } else { format!(" in `{centre}`") };
        let message = format!(
            "keyspace `{name}` has one replica{within}: a node that is down takes its part of the rows with it"
        );
        findings.push(Finding::new(&RULE, context.survey.made(replication.made), message).help(HELP));
    }
    let mut simple: Option<Finding> = None;
    for step in &context.survey.steps {
        findings.extend(of_template(context, step));
        let Some((place, factor)) = simple_strategy(context, step) else { continue };
        match (factor, &mut simple) {
            (Factor::One, _) => findings.push(one_replica(context, step, place)),
            (Factor::OneByName, _) => {}
            (Factor::More, Some(finding)) => finding.related.push((place, "and here".to_owned())),
            (Factor::More, none) => *none = Some(blind(place)),
        }
    }
    findings.extend(simple);
}

/// A template is filled in by somebody who knows the cluster, but for a factor that is written out.
fn of_template(context: &SurveyContext<'_>, step: &Written) -> Option<Finding> {
    let StatementKind::CreateKeyspace(create) = &step.statement.kind else { return None };
    let file = context.name_of(step.whole.file);
    if !create.name.unknown || is_program(file) || is_for_trial(file) || is_for_trial(&create.name.text) {
        return None;
    }
    let (option, entries) = create.options.iter().find_map(replication)?;
    let is_one = entries.iter().any(|(key, value)| key != "class" && value == "1");
    let message = "each keyspace of this template has one replica: its name is filled in, the factor is not";
    let finding = Finding::new(&RULE, step.place(option.span), message).level(Level::Note);
    is_one.then(|| {
        finding.help("let the factor be filled in as well, and ask for 3 in each data centre where the data matters")
    })
}

fn nowhere(name: &str, place: Option<Place>) -> Finding {
    let message = format!(
        "keyspace `{name}` names no data centre and no number of replicas: it has as many as the server's own default says, one unless somebody raised it"
    );
    Finding::new(&RULE, place, message).level(Level::Note).help(
        "name each data centre with its factor, 3 as a rule; the default (`default_keyspace_rf`) is there from Cassandra 4.1 on, and differs from cluster to cluster",
    )
}

const HELP: &str = "use NetworkTopologyStrategy with 3 in each data centre: one node may then be away at QUORUM, for three times the disk";

/// With how many replicas a program makes a keyspace.
enum Factor {
    /// One, under a name that it is given.
    One,
    /// One, under a name that is known, of which the schema tells.
    OneByName,
    /// More, or as many as it is told.
    More,
}

/// A keyspace that a program makes with SimpleStrategy, often under a name that it is given.
fn simple_strategy(context: &SurveyContext<'_>, step: &Written) -> Option<(Place, Factor)> {
    let StatementKind::CreateKeyspace(create) = &step.statement.kind else { return None };
    let file = context.name_of(step.whole.file);
    if !is_program(file) || is_for_trial(file) || is_for_trial(&create.name.text) {
        return None;
    }
    let (option, entries) = create.options.iter().find_map(replication)?;
    let value = |wanted: &str| entries.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
    let factor = match value("replication_factor") {
        Some("1") if create.name.unknown => Factor::One,
        Some("1") => Factor::OneByName,
        _ => Factor::More,
    };
    value("class")?.ends_with("SimpleStrategy").then(|| (step.place(option.span), factor))
}

fn one_replica(context: &SurveyContext<'_>, step: &Written, place: Place) -> Finding {
    // What a tool makes for itself is worth less than what the service keeps.
    let of_tool = has_word(context.name_of(step.whole.file), &["job", "migrate", "migration", "script", "tool"]);
    let message =
        "the program makes its keyspace with one replica: a node that is down takes its part of the rows with it";
    Finding::new(&RULE, place, message).level(if of_tool { Level::Note } else { Level::Warning }).help(HELP)
}

fn blind(place: Place) -> Finding {
    let message = "this keyspace is made with SimpleStrategy, which knows neither racks nor data centres: all replicas of a row may stand in one rack";
    Finding::new(&RULE, place, message).level(Level::Note).help(
        "use NetworkTopologyStrategy with the factor of each data centre, also where there is one: a second one can then be added",
    )
}

fn replication(option: &TableOption) -> Option<(&TableOption, &[(String, String)])> {
    match &option.value {
        OptionValue::Map(entries) if option.name.text == "replication" => Some((option, entries)),
        _ => None,
    }
}
