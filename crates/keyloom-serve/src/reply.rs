//! Answers and problems as responses. Problems are RFC 9457.

use std::{borrow::Cow, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use keyloom_run::{Answer, Problem, Shown, Work};
use keyloom_value::write_number;
use serde_json::{Value as Json, json};

use crate::{
    problem::{
        BAD_CURSOR, BAD_INPUT, BAD_KEY, BAD_SEEN, BAD_TOKEN, BROKEN, BUSY, KEY_REUSED, KEY_TIME, Kind, NO_CALLER,
        NO_ROW, NOT_APPLIED,
    },
    seen,
};

/// A JSON response.
pub(crate) fn json(status: StatusCode, body: &Json) -> Response {
    with_type(status, "application/json", body.to_string())
}

/// A JSON response that is text already.
pub(crate) fn json_text(text: String) -> Response {
    with_type(StatusCode::OK, "application/json", text)
}

fn with_type(status: StatusCode, kind: &'static str, mut text: String) -> Response {
    // People look at these in terminals.
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A problem, with words that say what to do.
pub(crate) fn problem(kind: &Kind, detail: &str) -> Response {
    Said::problem(kind, detail).response()
}

/// Nothing was done, and after that long it may be tried again.
pub(crate) fn busy(cause: &str, after: Duration) -> Response {
    Said::busy(cause, after).response()
}

/// An answer of the executor; a reason becomes words that say what to do.
pub(crate) fn answer(answer: Answer, way_out: impl FnOnce(&str) -> String) -> Response {
    Said::answer(answer, way_out).response()
}

/// Why the executor has no answer.
pub(crate) fn failed(failed: &Problem) -> Response {
    Said::failed(failed).response()
}

/// Several rows, each as it would be answered alone; a gap is `null`.
pub(crate) fn rows(answers: Vec<Option<Answer>>) -> Response {
    items(answers.into_iter().map(|answer| match answer {
        Some(answer) => Said::answer(answer, |_| String::new()),
        None => Said::fine(200, NO_ROW.name, "null".into()),
    }))
}

/// Several writes, each as it would be answered alone.
pub(crate) fn writes(answers: Vec<Result<Answer, Problem>>, way_out: impl Fn(&str) -> String) -> Response {
    items(answers.into_iter().map(|answered| match answered {
        Ok(answer) => Said::answer(answer, &way_out),
        Err(fault) => Said::failed(&fault),
    }))
}

fn items(said: impl Iterator<Item = Said>) -> Response {
    let mut ended = Ended { outcomes: Vec::new(), cause: None, worked: None };
    let mut items = Vec::new();
    for said in said {
        ended.outcomes.push(said.outcome);
        ended.cause = ended.cause.or(said.cause);
        // A header would not say of which item it is.
        items.push(match (said.seen, said.body.strip_suffix('}')) {
            (Some(seen), Some(body)) => format!("{body},\"seen\":\"{seen}\"}}"),
            _ => said.body,
        });
    }
    let mut response = json_text(format!("{{\"items\":[{}]}}", items.join(",")));
    response.extensions_mut().insert(ended);
    response
}

/// What is said to a caller, alone or among others.
struct Said {
    status: u16,
    /// The text of JSON.
    body: String,
    /// A header that belongs to it.
    header: Option<(HeaderName, String)>,
    /// What the caller presents to lists that may show it later.
    seen: Option<String>,
    /// What it is called among the outcomes.
    outcome: Cow<'static, str>,
    /// What only the operator hears.
    cause: Option<String>,
}

/// How a call ended, which travels with its response to those who count it and write it down.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    /// One for each item.
    pub(crate) outcomes: Vec<Cow<'static, str>>,
    /// Why it failed, if that is no fault of its caller.
    pub(crate) cause: Option<String>,
    /// What it did, if it was a call of a pattern.
    pub(crate) worked: Option<Worked>,
}

/// What a call of a pattern did.
#[derive(Debug, Clone)]
pub(crate) struct Worked {
    pub(crate) pattern: String,
    pub(crate) work: Work,
}

impl Said {
    fn response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = if self.status < 400 { "application/json" } else { "application/problem+json" };
        let mut response = with_type(status, kind, self.body);
        for (name, value) in self.header.into_iter().chain(self.seen.map(|seen| (seen::NAME, seen))) {
            if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(value)) {
                response.headers_mut().insert(name, value);
            }
        }
        response.extensions_mut().insert(Ended { outcomes: vec![self.outcome], cause: self.cause, worked: None });
        response
    }

    fn fine(status: u16, outcome: &'static str, body: String) -> Self {
        Self { status, body, header: None, seen: None, outcome: outcome.into(), cause: None }
    }

    fn problem(kind: &Kind, detail: &str) -> Self {
        Self::problem_with(kind, detail, json!({}))
    }

    /// A problem, with more members than every one has.
    fn problem_with(kind: &Kind, detail: &str, more: Json) -> Self {
        let mut body = json!({ "type": kind.urn(), "title": kind.title, "status": kind.status, "detail": detail });
        if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        let body = body.to_string();
        // Whoever is not known hears what to show.
        let header = (*kind == NO_CALLER).then(|| (header::WWW_AUTHENTICATE, "Bearer".to_owned()));
        Self { status: kind.status, body, header, seen: None, outcome: kind.name.into(), cause: None }
    }

    fn because(self, cause: &str) -> Self {
        Self { cause: Some(cause.to_owned()), ..self }
    }

    fn busy(cause: &str, after: Duration) -> Self {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        let said = Self::problem(&BUSY, &format!("{cause}; send the request again after {seconds} s"));
        Self { header: Some((header::RETRY_AFTER, seconds.to_string())), ..said }
    }

    fn answer(answer: Answer, way_out: impl FnOnce(&str) -> String) -> Self {
        match answer {
            Answer::Row { row, version } => {
                // The longest version has twenty digits.
                let mut tag = String::with_capacity(22);
                tag.push('"');
                write_number(version, &mut tag);
                tag.push('"');
                let mut body = String::with_capacity(row.text().len() + 48);
                body.extend(["{\"row\":", row.text(), ",\"version\":", &tag, "}\n"]);
                Self { header: Some((header::ETAG, tag)), ..Self::fine(200, "row", body) }
            }
            Answer::NoRow => Self::problem(
                &NO_ROW,
                "no row has this key, or it has expired or was deleted: look whether the key is right",
            ),
            Answer::Rows { rows, next, previous, partial } => {
                Self::fine(200, "rows", page(&rows, next.as_deref(), previous.as_deref(), partial))
            }
            Answer::Count { count, at_least } => {
                let mut body = json!({ "count": count });
                if at_least {
                    body["at_least"] = json!(true);
                }
                Self::fine(200, "count", body.to_string())
            }
            Answer::Applied { key, version, row, visible, seen } => {
                let mut body = String::with_capacity(192 + row.as_ref().map_or(0, |row| row.text().len()));
                // Its own writer is several times as fast as the one that it has for formats.
                let key = serde_json::to_string(&key).unwrap_or_else(|_| key.to_string());
                body.extend(["{\"outcome\":\"applied\",\"key\":", &key, ",\"version\":\""]);
                write_number(version, &mut body);
                body.push('"');
                if let Some(row) = row {
                    body.extend([",\"row\":", row.text()]);
                }
                body.push_str(if visible { "}" } else { ",\"visible\":false}" });
                let said = Self::fine(200, if visible { "applied" } else { "applied_not_visible" }, body);
                Self { seen, ..said }
            }
            Answer::NotApplied { reason } => {
                let more = json!({ "outcome": "not_applied", "reason": reason });
                let said = Self::problem_with(&NOT_APPLIED, &way_out(&reason), more);
                Self { outcome: reason.into(), ..said }
            }
            Answer::Unknown { token } => {
                Self::fine(202, "unknown", json!({ "outcome": "unknown", "token": token }).to_string())
            }
        }
    }

    fn failed(failed: &Problem) -> Self {
        match failed {
            Problem::Input(detail) => Self::problem(&BAD_INPUT, detail),
            Problem::Key(detail) => Self::problem(&BAD_KEY, detail),
            Problem::KeyTime(detail) => Self::problem(&KEY_TIME, detail),
            Problem::KeyReused => {
                let detail =
                    "a repeated request sends the same key with the same inputs; another request needs another key";
                Self::problem_with(&KEY_REUSED, detail, json!({ "reason": "key_reused" }))
            }
            Problem::Cursor(detail) => Self::problem(&BAD_CURSOR, detail),
            Problem::Token(detail) => Self::problem(&BAD_TOKEN, detail),
            Problem::Seen(detail) => Self::problem(&BAD_SEEN, detail),
            Problem::Caller(detail) => Self::problem(&NO_CALLER, detail),
            Problem::Busy { after, cause } => Self::busy(short(cause), *after).because(cause),
            Problem::Broken(cause) => {
                let detail = format!("{}; the server's log says more, and its operator must look", short(cause));
                Self::problem(&BROKEN, &detail).because(cause)
            }
        }
    }
}

/// A page of a list. Its rows are text already, and cursors have nothing that would have to be escaped.
fn page(rows: &[Shown], next: Option<&str>, previous: Option<&str>, partial: bool) -> String {
    let mut text = String::with_capacity(256 + rows.iter().map(|row| row.text().len() + 1).sum::<usize>());
    text.push_str("{\"rows\":[");
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(row.text());
    }
    text.push(']');
    for (name, cursor) in [("next", next), ("previous", previous)] {
        if let Some(cursor) = cursor {
            text.extend([",\"", name, "\":\"", cursor, "\""]);
        }
    }
    text.push_str(if partial { ",\"partial\":true}\n" } else { "}\n" });
    text
}

/// A cause without what the engine or the machine said of it, which stands behind a colon and is for the log.
fn short(cause: &str) -> &str {
    cause.split_once(": ").map_or(cause, |(cause, _)| cause)
}
