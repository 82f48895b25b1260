//! Answers and problems as responses. Problems are RFC 9457.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use keyloom_run::{Answer, Problem};
use serde_json::{Map, Value as Json, json};

/// A JSON response.
pub(crate) fn json(status: StatusCode, body: &Json) -> Response {
    typed(status, "application/json", body)
}

fn typed(status: StatusCode, kind: &'static str, body: &Json) -> Response {
    // A line break at the end: people look at these in terminals.
    let mut response = Response::new(Body::from(format!("{body}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A problem: a short name for programs, a title, and words that say what to do.
pub(crate) fn problem(status: StatusCode, name: &str, title: &str, detail: &str, more: Map<String, Json>) -> Response {
    let mut body = Map::new();
    body.insert("type".into(), json!(format!("urn:keyloom:problem:{name}")));
    body.insert("title".into(), json!(title));
    body.insert("status".into(), json!(status.as_u16()));
    if !detail.is_empty() {
        body.insert("detail".into(), json!(detail));
    }
    body.extend(more);
    typed(status, "application/problem+json", &Json::Object(body))
}

/// An answer of the executor.
pub(crate) fn answer(answer: Answer) -> Response {
    match answer {
        Answer::Row { row, version } => {
            let mut response = json(StatusCode::OK, &json!({ "row": row, "version": version.to_string() }));
            if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
                response.headers_mut().insert(header::ETAG, tag);
            }
            response
        }
        Answer::NoRow => problem(StatusCode::NOT_FOUND, "no_row", "There is no such row", "", Map::new()),
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
            let more =
                Map::from_iter([("outcome".to_owned(), json!("not_applied")), ("reason".to_owned(), json!(reason))]);
            problem(StatusCode::CONFLICT, "not_applied", "The write was not applied", "", more)
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
    let none = Map::new();
    match failed {
        Problem::Input(detail) => {
            problem(StatusCode::BAD_REQUEST, "bad_input", "The inputs are not what the pattern takes", detail, none)
        }
        Problem::Key(detail) => {
            problem(StatusCode::BAD_REQUEST, "bad_key", "The idempotency key is missing or malformed", detail, none)
        }
        Problem::KeyTime(detail) => problem(
            StatusCode::UNPROCESSABLE_ENTITY,
            "key_time",
            "The idempotency key is out of its time",
            detail,
            none,
        ),
        Problem::KeyReused => problem(
            StatusCode::UNPROCESSABLE_ENTITY,
            "key_reused",
            "The idempotency key was used with other inputs",
            "a repeated request sends the same key with the same inputs; another request needs another key",
            Map::from_iter([("reason".to_owned(), json!("key_reused"))]),
        ),
        Problem::Cursor(detail) => {
            problem(StatusCode::BAD_REQUEST, "bad_cursor", "The cursor can't be used", detail, none)
        }
        Problem::Token(detail) => {
            problem(StatusCode::BAD_REQUEST, "bad_token", "The token can't be used", detail, none)
        }
        Problem::Caller(detail) => problem(StatusCode::UNAUTHORIZED, "no_caller", "A key is needed", detail, none),
        Problem::Busy { after, cause } => {
            let mut response =
                problem(StatusCode::SERVICE_UNAVAILABLE, "busy", "Not now; nothing was done", short(cause), none);
            let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Problem::Broken(cause) => {
            let detail = format!("{}; the server's log says more", short(cause));
            problem(StatusCode::INTERNAL_SERVER_ERROR, "broken", "Stored data can't be read", &detail, none)
        }
    }
}

/// A cause without what the engine or the machine said of it, which stands behind a colon and is for the log.
fn short(cause: &str) -> &str {
    cause.split_once(": ").map_or(cause, |(cause, _)| cause)
}
