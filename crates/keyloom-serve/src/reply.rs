//! Answers and problems as responses. Problems are RFC 9457.

use std::{borrow::Cow, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use keyloom_run::{Answer, Problem};
use serde_json::{Map, Value as Json, json};

use crate::problem::{
    BAD_CURSOR, BAD_INPUT, BAD_KEY, BAD_TOKEN, BROKEN, BUSY, KEY_REUSED, KEY_TIME, Kind, NO_CALLER, NO_ROW, NOT_APPLIED,
};

/// A JSON response.
pub(crate) fn json(status: StatusCode, body: &Json) -> Response {
    typed(status, "application/json", body)
}

/// A JSON response that is text already.
pub(crate) fn json_text(text: String) -> Response {
    with_type(StatusCode::OK, "application/json", text)
}

fn typed(status: StatusCode, kind: &'static str, body: &Json) -> Response {
    // A line break at the end: people look at these in terminals.
    with_type(status, kind, format!("{body}\n"))
}

fn with_type(status: StatusCode, kind: &'static str, text: String) -> Response {
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
        None => Said::fine(200, NO_ROW.name, Json::Null),
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
    let mut ended = Ended { outcomes: Vec::new(), cause: None };
    let mut items = Vec::new();
    for said in said {
        ended.outcomes.push(said.outcome);
        ended.cause = ended.cause.or(said.cause);
        items.push(said.body);
    }
    let mut response = json(StatusCode::OK, &json!({ "items": items }));
    response.extensions_mut().insert(ended);
    response
}

/// What is said to a caller, alone or among others.
struct Said {
    status: u16,
    body: Json,
    /// A header that belongs to it.
    header: Option<(HeaderName, String)>,
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
}

impl Said {
    fn response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = if self.status < 400 { "application/json" } else { "application/problem+json" };
        let mut response = typed(status, kind, &self.body);
        if let Some((name, value)) = self.header
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            response.headers_mut().insert(name, value);
        }
        response.extensions_mut().insert(Ended { outcomes: vec![self.outcome], cause: self.cause });
        response
    }

    fn fine(status: u16, outcome: &'static str, body: Json) -> Self {
        Self { status, body, header: None, outcome: outcome.into(), cause: None }
    }

    fn problem(kind: &Kind, detail: &str) -> Self {
        let body = json!({ "type": kind.urn(), "title": kind.title, "status": kind.status, "detail": detail });
        // Whoever is not known hears what to show.
        let header = (*kind == NO_CALLER).then(|| (header::WWW_AUTHENTICATE, "Bearer".to_owned()));
        Self { status: kind.status, body, header, outcome: kind.name.into(), cause: None }
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
                let said = Self::fine(200, "row", json!({ "row": row, "version": version.to_string() }));
                Self { header: Some((header::ETAG, format!("\"{version}\""))), ..said }
            }
            Answer::NoRow => Self::problem(
                &NO_ROW,
                "no row has this key, or it has expired or was deleted: look whether the key is right",
            ),
            Answer::Rows { rows, next, previous, partial } => {
                let mut body = Map::new();
                body.insert("rows".into(), Json::Array(rows));
                body.extend(next.map(|next| ("next".into(), json!(next))));
                body.extend(previous.map(|previous| ("previous".into(), json!(previous))));
                if partial {
                    body.insert("partial".into(), json!(true));
                }
                Self::fine(200, "rows", Json::Object(body))
            }
            Answer::Count { count, at_least } => {
                let mut body = json!({ "count": count });
                if at_least {
                    body["at_least"] = json!(true);
                }
                Self::fine(200, "count", body)
            }
            Answer::Applied { key, version, row, visible } => {
                let mut body = json!({ "outcome": "applied", "key": key, "version": version.to_string() });
                if let Some(row) = row {
                    body["row"] = row;
                }
                if !visible {
                    body["visible"] = json!(false);
                }
                Self::fine(200, if visible { "applied" } else { "applied_not_visible" }, body)
            }
            Answer::NotApplied { reason } => {
                let mut said = Self::problem(&NOT_APPLIED, &way_out(&reason));
                said.body["outcome"] = json!("not_applied");
                said.body["reason"] = json!(reason);
                said.outcome = reason.into();
                said
            }
            Answer::Unknown { token } => Self::fine(202, "unknown", json!({ "outcome": "unknown", "token": token })),
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
                let mut said = Self::problem(&KEY_REUSED, detail);
                said.body["reason"] = json!("key_reused");
                said
            }
            Problem::Cursor(detail) => Self::problem(&BAD_CURSOR, detail),
            Problem::Token(detail) => Self::problem(&BAD_TOKEN, detail),
            Problem::Caller(detail) => Self::problem(&NO_CALLER, detail),
            Problem::Busy { after, cause } => Self::busy(short(cause), *after).because(cause),
            Problem::Broken(cause) => {
                let detail = format!("{}; the server's log says more, and its operator must look", short(cause));
                Self::problem(&BROKEN, &detail).because(cause)
            }
        }
    }
}

/// A cause without what the engine or the machine said of it, which stands behind a colon and is for the log.
fn short(cause: &str) -> &str {
    cause.split_once(": ").map_or(cause, |(cause, _)| cause)
}
