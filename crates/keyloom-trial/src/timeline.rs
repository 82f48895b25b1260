//! A history as people read it: who asked what, when it was answered, and what can't be.

use std::fmt::Write as _;

use keyloom_run::{Answer, Caller, Problem};
use serde_json::Value as Json;

use crate::{
    history::{Asked, Attempt, End, History, Looked, Seen},
    judge::Contradiction,
    weather::Weather,
};

/// Everything that was asked, in the order of time.
pub(crate) fn timeline(history: &History, weather: &Weather, contradiction: &Contradiction) -> String {
    let mut lines: Vec<(i64, String)> = Vec::new();
    for asked in &history.asked {
        for (at, attempt) in asked.attempts.iter().enumerate() {
            lines.push((attempt.from_us, sent(asked, attempt, at)));
            lines.push((attempt.to_us, ended(asked, attempt)));
        }
    }
    for looked in &history.looked {
        lines.push((looked.from_us, format!("{} #{} reads {}", who(looked.client), looked.step, question(looked))));
        lines.push((looked.to_us, format!("{} #{} sees {}", who(looked.client), looked.step, seen(&looked.seen))));
    }
    for quiet in &history.quiet {
        let rows =
            quiet.rows.iter().map(|row| format!("\n{:>28}{} {} {}", "", row["version"], row["entity"], row["row"]));
        lines.push((quiet.at_us, format!("it is quiet; there are{}", rows.collect::<String>())));
    }
    lines.sort_by_key(|(at, _)| *at);
    let mut text = String::new();
    let faults = weather.words();
    let faults = if faults.is_empty() { "no faults".to_owned() } else { faults.join(", ") };
    let _ = writeln!(text, "Faults: {faults}.");
    for (at, line) in lines {
        let about = contradiction.steps.iter().any(|step| line.contains(&format!(" #{step} ")));
        let mark = if about { '>' } else { ' ' };
        let at = if at == i64::MAX { "      never".to_owned() } else { format!("{:>8}.{:03}", at / 1_000, at % 1_000) };
        let _ = writeln!(text, "{mark} {at} ms  {line}");
    }
    let _ = writeln!(text, "Can't be: {}", contradiction.words);
    text
}

fn who(client: usize) -> String {
    if client == 0 { "observer".to_owned() } else { format!("client {client}") }
}

fn of(caller: &Caller) -> String {
    let parts = [caller.subject.as_deref(), caller.tenant.as_deref()];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" as {}", parts.join(" of ")) }
}

fn sent(asked: &Asked, attempt: &Attempt, at: usize) -> String {
    let Asked { step, client, pattern, body, caller, .. } = asked;
    let (who, of, server) = (who(*client), of(caller), attempt.server);
    match (attempt.is_question, at) {
        (true, _) => format!("{who} #{step} asks server {server} what became of {pattern}"),
        (false, 0) => format!("{who} #{step} sends server {server} {pattern} {body}{of}"),
        (false, _) => format!("{who} #{step} sends server {server} {pattern} {body}{of} again"),
    }
}

fn ended(asked: &Asked, attempt: &Attempt) -> String {
    let (who, step) = (who(asked.client), asked.step);
    let end = match &attempt.end {
        End::Crashed => "server dies".to_owned(),
        End::GivenUp => "is not waited for any more".to_owned(),
        End::Answered(Ok(Answer::Applied { version, visible, key, .. })) => {
            let hidden = if *visible { "" } else { ", not yet visible" };
            format!("applied to {key} with version {version}{hidden}")
        }
        End::Answered(Ok(Answer::NotApplied { reason })) => format!("not applied: {reason}"),
        End::Answered(Ok(Answer::Unknown { .. })) => "unknown".to_owned(),
        End::Answered(Ok(other)) => format!("{other:?}"),
        End::Answered(Err(Problem::Busy { cause, .. })) => format!("busy: {cause}"),
        End::Answered(Err(problem)) => format!("refused: {problem}"),
    };
    let known = match asked.remembered.first() {
        Some(remembered) => format!(" (in the end rows remember version {})", remembered.version),
        None => String::new(),
    };
    format!("{who} #{step} {}: {end}{known}", asked.pattern)
}

fn question(looked: &Looked) -> String {
    let order = looked.order.as_deref().map(|order| format!(" in the order {order}")).unwrap_or_default();
    format!("{} {}{}{order}", looked.pattern, looked.body, of(&looked.caller))
}

fn seen(seen: &Seen) -> String {
    match seen {
        Seen::Row(None) => "no row".to_owned(),
        Seen::Row(Some(row)) => row.to_string(),
        Seen::Rows { rows, whole } => format!("{}{}", Json::Array(rows.clone()), if *whole { "" } else { ", cut off" }),
        Seen::Count { count, at_least } => format!("{}{count}", if *at_least { "at least " } else { "" }),
        Seen::Nothing => "no answer".to_owned(),
        Seen::Wrong(words) => words.clone(),
    }
}
