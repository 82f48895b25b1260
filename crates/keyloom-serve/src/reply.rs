//! Answers and problems as responses. Problems are RFC 9457.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
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
    problem_with(kind, detail, Map::new())
}

/// A problem with members of its own.
fn problem_with(kind: &Kind, detail: &str, more: Map<String, Json>) -> Response {
    let mut body = Map::new();
    body.insert("type".into(), json!(kind.urn()));
    body.insert("title".into(), json!(kind.title));
    body.insert("status".into(), json!(kind.status));
    body.insert("detail".into(), json!(detail));
    body.extend(more);
    let status = StatusCode::from_u16(kind.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    typed(status, "application/problem+json", &Json::Object(body))
}

/// Nothing was done, and after that long it may be tried again.
pub(crate) fn busy(cause: &str, after: Duration) -> Response {
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    let mut response = problem(&BUSY, &format!("{cause}; send the request again after {seconds} s"));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// An answer of the executor; a reason becomes words that say what to do.
pub(crate) fn answer(answer: Answer, way_out: impl FnOnce(&str) -> String) -> Response {
    match answer {
        Answer::Row { row, version } => {
            let mut response = json(StatusCode::OK, &json!({ "row": row, "version": version.to_string() }));
            if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
                response.headers_mut().insert(header::ETAG, tag);
            }
            response
        }
        Answer::NoRow => {
            problem(&NO_ROW, "no row has this key, or it has expired or was deleted: look whether the key is right")
        }
        Answer::Rows { rows, next, previous, partial } => {
            let mut body = Map::new();
            body.insert("rows".into(), Json::Array(rows));
            body.extend(next.map(|next| ("next".into(), json!(next))));
            body.extend(previous.map(|previous| ("previous".into(), json!(previous))));
            if partial {
                body.insert("partial".into(), json!(true));
            }
            json(StatusCode::OK, &Json::Object(body))
        }
        Answer::Count { count, at_least } => {
            let mut body = json!({ "count": count });
            if at_least {
                body["at_least"] = json!(true);
            }
            json(StatusCode::OK, &body)
        }
        Answer::Applied { key, version, row, visible } => {
            let mut body = json!({ "outcome": "applied", "key": key, "version": version.to_string() });
            if let Some(row) = row {
                body["row"] = row;
            }
            if !visible {
                body["visible"] = json!(false);
            }
            json(StatusCode::OK, &body)
        }
        Answer::NotApplied { reason } => {
            let detail = way_out(&reason);
            let more =
                Map::from_iter([("outcome".to_owned(), json!("not_applied")), ("reason".to_owned(), json!(reason))]);
            problem_with(&NOT_APPLIED, &detail, more)
        }
        Answer::Unknown { token } => json(StatusCode::ACCEPTED, &json!({ "outcome": "unknown", "token": token })),
    }
}

/// Several rows, each as it would be answered alone; a gap is `null`.
pub(crate) fn rows(answers: Vec<Option<Answer>>) -> Response {
    let item = |answer: Option<Answer>| match answer {
        Some(Answer::Row { row, version }) => json!({ "row": row, "version": version.to_string() }),
        _ => Json::Null,
    };
    json(StatusCode::OK, &json!({ "items": answers.into_iter().map(item).collect::<Vec<_>>() }))
}

/// Why the executor has no answer.
pub(crate) fn failed(failed: &Problem) -> Response {
    match failed {
        Problem::Input(detail) => problem(&BAD_INPUT, detail),
        Problem::Key(detail) => problem(&BAD_KEY, detail),
        Problem::KeyTime(detail) => problem(&KEY_TIME, detail),
        Problem::KeyReused => problem_with(
            &KEY_REUSED,
            "a repeated request sends the same key with the same inputs; another request needs another key",
            Map::from_iter([("reason".to_owned(), json!("key_reused"))]),
        ),
        Problem::Cursor(detail) => problem(&BAD_CURSOR, detail),
        Problem::Token(detail) => problem(&BAD_TOKEN, detail),
        Problem::Caller(detail) => problem(&NO_CALLER, detail),
        Problem::Busy { after, cause } => busy(short(cause), *after),
        Problem::Broken(cause) => {
            problem(&BROKEN, &format!("{}; the server's log says more, and its operator must look", short(cause)))
        }
    }
}

/// A cause without what the engine or the machine said of it, which stands behind a colon and is for the log.
fn short(cause: &str) -> &str {
    cause.split_once(": ").map_or(cause, |(cause, _)| cause)
}
