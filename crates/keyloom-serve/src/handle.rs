//! From a request to a call and back.

use std::{error::Error, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header, request::Parts},
    response::{Html, IntoResponse, Response},
};
use keyloom_embedded::Embedded;
use keyloom_model::{Action, Endpoint, Pattern, Type};
use keyloom_run::{Call, Caller, Problem, Run};
use serde_json::{Map, Value as Json, json};

use crate::{control::Control, index, log::Log, query::parameters, reply, stream};

/// How large a request's body may be.
const BODY_MAX: usize = 1 << 20;
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What every request needs.
pub(crate) struct Served {
    pub(crate) run: Arc<Run>,
    pub(crate) log: Log,
    /// The data, where it lies in a folder of this machine.
    pub(crate) local: Option<Local>,
    /// Only requests that name this machine itself are answered, so that no page from elsewhere reaches it through a
    /// name of its own.
    pub(crate) loopback_only: bool,
    pub(crate) address: String,
}

/// Data that no other process can open: who wants all of it asks this one.
pub(crate) struct Local {
    pub(crate) store: Arc<Embedded>,
    /// What `backup` and `export` show to be let in.
    pub(crate) control: Control,
}

pub(crate) async fn handle(State(served): State<Arc<Served>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if parts.version == Version::HTTP_11 && parts.headers.get_all(header::HOST).iter().count() != 1 {
        let detail = "a request of HTTP/1.1 names its host once, in the header `Host`";
        return reply::problem(StatusCode::BAD_REQUEST, "no_host", "The host is missing", detail, Map::new());
    }
    if served.loopback_only && !names_loopback(&parts.headers) {
        let detail = "this server answers requests to localhost, 127.0.0.1 and [::1]";
        return reply::problem(StatusCode::MISDIRECTED_REQUEST, "other_host", "Not this host", detail, Map::new());
    }
    let path = parts.uri.path();
    let looks = [Method::GET, Method::HEAD].contains(&parts.method);
    match path {
        "/" if looks => Html(index::page(&served.run, &served.address)).into_response(),
        "/v1/-/health" if looks => reply::json(StatusCode::OK, &json!({ "status": "up" })),
        "/v1/-/backup" | "/v1/-/export" if parts.method == Method::GET => stream(&served, &parts),
        "/v1/-/backup" | "/v1/-/export" => wrong_method("GET"),
        "/" | "/v1/-/health" => wrong_method("GET, HEAD"),
        _ => match (path.strip_prefix("/v1/-/outcome/"), path.strip_prefix("/v1/")) {
            (Some(token), _) if looks => outcome(&served, token).await,
            (Some(_), _) => wrong_method("GET, HEAD"),
            (None, Some(name)) => match served.run.pattern(name) {
                Some(pattern) => call(&served, pattern, &parts, body).await,
                None => unknown(&served.run, name),
            },
            (None, None) => {
                let detail = "endpoints are at /v1/<pattern>; / lists them";
                reply::problem(StatusCode::NOT_FOUND, "no_page", "There is nothing here", detail, Map::new())
            }
        },
    }
}

/// All the data, for whoever can read the secret in its folder.
fn stream(served: &Served, parts: &Parts) -> Response {
    let Some(local) = &served.local else {
        let detail = "the data is not this process's own: the engine has backups of its own, and \
                      `keyloom export --store` reads it";
        return reply::problem(StatusCode::NOT_FOUND, "no_data", "There is no data here", detail, Map::new());
    };
    let shown = parts.headers.get(header::AUTHORIZATION).and_then(|shown| shown.to_str().ok());
    if !shown.and_then(|shown| shown.strip_prefix("Bearer ")).is_some_and(|shown| local.control.is(shown)) {
        let detail = "this is for `keyloom backup` and `keyloom export`, which read the secret in the data folder";
        return reply::problem(StatusCode::FORBIDDEN, "not_yours", "Not for everybody", detail, Map::new());
    }
    let (run, store) = (Arc::clone(&served.run), Arc::clone(&local.store));
    if parts.uri.path() == "/v1/-/backup" {
        return stream::written(move |pipe| stream::backup(&store, pipe));
    }
    let runtime = tokio::runtime::Handle::current();
    stream::written(move |pipe| stream::export(&run, &*store, pipe, &runtime))
}

/// What became of a write whose outcome was not known.
async fn outcome(served: &Served, token: &str) -> Response {
    answered(served, "outcome", served.run.outcome(Caller::NOBODY, token).await)
}

async fn call(served: &Served, pattern: &Pattern, parts: &Parts, body: Body) -> Response {
    let run = &served.run;
    let Some(endpoint) = Endpoint::of(run.catalog(), pattern) else { return unknown(run, &pattern.name) };
    if endpoint.method == "GET" && ![Method::GET, Method::HEAD].contains(&parts.method) {
        return wrong_method("GET, HEAD");
    }
    if endpoint.method == "POST" && parts.method != Method::POST {
        return wrong_method("POST");
    }
    let called = match &pattern.action {
        Action::Read(of) if of.batch.is_some() => read_batch(served, pattern, parts, body).await,
        Action::Read(_) => read(served, pattern, parts).await,
        _ => write(served, pattern, parts, body).await,
    };
    called.unwrap_or_else(|response| response)
}

async fn read(served: &Served, pattern: &Pattern, parts: &Parts) -> Result<Response, Response> {
    let run = &served.run;
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let mut query = parameters(parts.uri.query().unwrap_or_default()).map_err(bad)?;
    let limit = take(&mut query, "limit").map_err(bad)?;
    let limit =
        limit.map(|text| text.parse::<u64>().map_err(|_| bad(format!("`limit`: `{text}` is no number of rows"))));
    let limit = limit.transpose()?;
    let cursor = take(&mut query, "cursor").map_err(bad)?;
    let order = take(&mut query, "order").map_err(bad)?;
    let inputs = run.inputs_from_query(pattern, Caller::NOBODY, &query).map_err(|fault| match fault {
        Problem::Input(detail) if lost_plus(pattern, &query) => {
            bad(format!("{detail}; in a query `+` stands for a blank: write the `+` of an offset as `%2B`"))
        }
        fault => reply::failed(&fault),
    })?;
    let call =
        Call { pattern: &pattern.name, inputs, key: None, order: order.as_deref(), limit, cursor: cursor.as_deref() };
    Ok(answered(served, &pattern.name, run.call(&call).await))
}

/// Several rows by their keys: `{"items": [..]}` in both directions, in the same order.
async fn read_batch(served: &Served, pattern: &Pattern, parts: &Parts, body: Body) -> Result<Response, Response> {
    let run = &served.run;
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let body = json_body(parts, body).await?;
    let items = match body.as_object() {
        Some(object) if object.len() == 1 => object.get("items").and_then(Json::as_array),
        _ => None,
    };
    let items = items.ok_or_else(|| bad("the body is an object with one member, `items`: a list of inputs".into()))?;
    let inputs = |(at, item): (usize, &Json)| {
        run.inputs_from_object(pattern, Caller::NOBODY, item).map_err(|fault| match fault {
            Problem::Input(detail) => bad(format!("`items[{at}]`: {detail}")),
            fault => reply::failed(&fault),
        })
    };
    let items = items.iter().enumerate().map(inputs).collect::<Result<Vec<_>, Response>>()?;
    match run.get_batch(&pattern.name, &items).await {
        Ok(answers) => Ok(reply::rows(answers)),
        Err(fault) => Ok(answered(served, &pattern.name, Err(fault))),
    }
}

/// The body of a request that has no query, as JSON.
async fn json_body(parts: &Parts, body: Body) -> Result<Json, Response> {
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        return Err(bad("it takes its inputs as a JSON object in the body, and no query".into()));
    }
    let body = whole(body).await?;
    keyloom_value::json::parse(&body).map_err(|fault| bad(format!("the body is no JSON: {fault}")))
}

async fn write(served: &Served, pattern: &Pattern, parts: &Parts, body: Body) -> Result<Response, Response> {
    let run = &served.run;
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let mut body = json_body(parts, body).await?;
    if let Some(tag) = header(&parts.headers, "if-match")? {
        expect_version(pattern, tag, &mut body).map_err(bad)?;
    }
    let inputs = run.inputs_from_object(pattern, Caller::NOBODY, &body).map_err(|fault| reply::failed(&fault))?;
    let key = header(&parts.headers, "idempotency-key")?;
    let call = Call { pattern: &pattern.name, inputs, key, order: None, limit: None, cursor: None };
    Ok(answered(served, &pattern.name, run.call(&call).await))
}

/// Whether a timestamp has a blank where the `+` of its offset would be: `2026-11-15T09:30:00 01:00`.
fn lost_plus(pattern: &Pattern, query: &[(String, String)]) -> bool {
    let is_timestamp = |name: &str| {
        let input = pattern.inputs.iter().find(|input| input.name == name);
        input.is_some_and(|input| matches!(input.ty, Type::Timestamp { .. }))
    };
    query.iter().any(|(name, value)| {
        let offset = value.rsplit_once(' ').map(|(moment, offset)| (moment.contains(['T', 't']), offset));
        let digits = |offset: &str| offset.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
        is_timestamp(name) && offset.is_some_and(|(follows, offset)| follows && digits(offset))
    })
}

/// The body, if it is not too large and comes in time.
async fn whole(body: Body) -> Result<Bytes, Response> {
    match tokio::time::timeout(BODY_TIME, to_bytes(body, BODY_MAX)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if is_malformed(&error) => {
            let detail = "its end or its chunks are not as HTTP has them; nothing was done";
            Err(reply::problem(StatusCode::BAD_REQUEST, "bad_body", "The body is malformed", detail, Map::new()))
        }
        Ok(Err(_)) => {
            let detail = format!("at most {BODY_MAX} bytes are taken");
            let title = "The body is too large";
            Err(reply::problem(StatusCode::PAYLOAD_TOO_LARGE, "too_large", title, &detail, Map::new()))
        }
        Err(_) => {
            let detail = format!("it did not end within {} s; nothing was done", BODY_TIME.as_secs());
            let title = "The body did not come in time";
            Err(reply::problem(StatusCode::REQUEST_TIMEOUT, "too_slow", title, &detail, Map::new()))
        }
    }
}

/// Whether a body could not be read; else there was too much of it.
fn is_malformed(error: &(dyn Error + 'static)) -> bool {
    error.is::<hyper::Error>() || error.source().is_some_and(is_malformed)
}

/// Puts the version that a caller has seen, as an ETag in `If-Match`, where the pattern compares it: `$version`.
fn expect_version(pattern: &Pattern, tag: &str, body: &mut Json) -> Result<(), String> {
    if !pattern.inputs.iter().any(|input| input.name == "version") {
        return Err(format!("`{}` compares no version, so it has no `If-Match`", pattern.name));
    }
    let version = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    let version = version.ok_or("`If-Match` is an ETag as it was given out, in quotes")?;
    match body.as_object_mut() {
        Some(body) if body.contains_key("version") => Err("the version stands in `If-Match` and in the body".into()),
        Some(body) => {
            body.insert("version".into(), json!(version));
            Ok(())
        }
        None => Ok(()),
    }
}

fn answered(served: &Served, pattern: &str, answer: Result<keyloom_run::Answer, Problem>) -> Response {
    if let Err(Problem::Busy { cause, .. } | Problem::Broken(cause)) = &answer {
        served.log.say(pattern, cause);
    }
    match answer {
        Ok(answer) => reply::answer(answer),
        Err(fault) => reply::failed(&fault),
    }
}

/// A header that may stand once.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Response> {
    let mut found = headers.get_all(name).iter();
    let (Some(value), more) = (found.next(), found.next()) else { return Ok(None) };
    match (value.to_str(), more) {
        (Ok(text), None) => Ok(Some(text.trim())),
        _ => Err(reply::failed(&Problem::Input(format!("the header `{name}` stands twice, or is not plain text")))),
    }
}

/// Takes a reserved parameter out of a query.
fn take(query: &mut Vec<(String, String)>, name: &str) -> Result<Option<String>, String> {
    let at = query.iter().position(|(known, _)| known == name);
    let value = at.map(|at| query.remove(at).1);
    if query.iter().any(|(known, _)| known == name) {
        return Err(format!("`{name}` stands twice"));
    }
    Ok(value)
}

fn wrong_method(allow: &'static str) -> Response {
    let detail = format!("it is asked with {allow}");
    let mut response =
        reply::problem(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", "Another method is needed", &detail, Map::new());
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    response
}

fn unknown(run: &Run, name: &str) -> Response {
    let patterns = || run.catalog().patterns.iter().map(|pattern| pattern.name.as_str());
    let detail = match keyloom_text::nearest(name, patterns()) {
        Some(nearest) => format!("did you mean `/v1/{nearest}`?"),
        None => format!("there are: {}", patterns().collect::<Vec<_>>().join(", ")),
    };
    reply::problem(StatusCode::NOT_FOUND, "no_pattern", "There is no such pattern", &detail, Map::new())
}

fn names_loopback(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::StatusCode};

    use super::whole;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_given_up() {
        let never = tokio_stream::pending::<Result<&'static str, std::io::Error>>();
        assert_eq!(whole(Body::from_stream(never)).await.unwrap_err().status(), StatusCode::REQUEST_TIMEOUT);
        assert_eq!(whole(Body::from("all")).await.unwrap(), "all");
    }
}
