//! What nobody stated and would change the design: asked for, with both answers.

use std::fmt::Write as _;

use keyloom_design::search::{Answer, Number, Query};
use keyloom_model::count_text;
use keyloom_plan::is_index;

use super::amounts::cost;
use super::explain::Explained;
use super::table_text::where_rows_stand;

/// How many questions are asked before the rest is counted.
const QUESTIONS_MAX: usize = 3;

/// The questions, those first that matter most.
pub(crate) fn questions(of: &Explained<'_>) -> String {
    let mut out = String::new();
    if of.queries.is_empty() {
        return out;
    }
    out.push_str("\nnot stated, and it would change the tables:\n");
    for query in of.queries.iter().take(QUESTIONS_MAX) {
        let _ = writeln!(out, "{}", asked(&query.number));
        for answer in answers(of, query) {
            let _ = writeln!(out, "  {answer}");
        }
    }
    if of.queries.len() > QUESTIONS_MAX {
        let rest: Vec<String> = of.queries[QUESTIONS_MAX..].iter().map(|query| name(&query.number)).collect();
        let _ = writeln!(out, "and {}", rest.join(", "));
    }
    out
}

/// What each answer to a question would make of the tables.
pub(crate) fn answers(of: &Explained<'_>, query: &Query) -> Vec<String> {
    query.answers.iter().map(|answer| format!("{}: {}", value(query, answer), answered(of, answer))).collect()
}

pub(crate) fn asked(number: &Number) -> String {
    match number {
        Number::Rate { pattern } => format!("how often is {pattern} called? (patterns.{pattern}.rate)"),
        Number::Group { entity, by } => {
            format!("how many rows of {entity} have the same {} at worst? ({})", by.join(", "), name(number))
        }
    }
}

fn name(number: &Number) -> String {
    match number {
        Number::Rate { pattern } => format!("patterns.{pattern}.rate"),
        Number::Group { entity, by } => match by.as_slice() {
            [one] => format!("entities.{entity}.groups.{one}"),
            several => format!("entities.{entity}.groups.[{}]", several.join(", ")),
        },
    }
}

fn value(query: &Query, answer: &Answer) -> String {
    match &query.number {
        Number::Rate { .. } if answer.value < 100 => format!("at {:.2}/s", answer.value as f64 / 100.0),
        Number::Rate { .. } => format!("at {}/s", count_text(answer.value / 100)),
        Number::Group { .. } if answer.value == 1 => "1 row".to_owned(),
        Number::Group { .. } => format!("{} rows", count_text(answer.value)),
    }
}

fn answered(of: &Explained<'_>, answer: &Answer) -> String {
    if answer.instead.is_empty() {
        return "as it is".to_owned();
    }
    let each = answer.instead.iter().map(|(list, table)| {
        let what = if is_index(table) { "an index" } else { "a table" };
        format!("{list} from {what} {}", where_rows_stand(table))
    });
    let mut said = each.collect::<Vec<_>>().join("; ");
    if let Some((kept, best)) = answer.scores {
        let _ = match kept.broken > best.broken {
            true => write!(said, "; else limits would be broken"),
            false => write!(said, "; else {} more", cost(kept.weight.saturating_sub(best.weight), of.tariff)),
        };
    }
    said
}
