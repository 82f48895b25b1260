//! From a request to a call and back.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header, request::Parts},
    response::{Html, IntoResponse, Response},
};
use keyloom_embedded::Embedded;
use keyloom_model::{Action, Endpoint, Pattern, Type};
use keyloom_run::{Answer, Call, Caller, Inputs, Problem, Run, Work, measured};
use serde_json::{Value as Json, json};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    attempt,
    control::Control,
    door::Door,
    following::Current,
    health, index,
    keys::{self, Asked},
    limits::{BODY_MAX, BODY_TIME, TURN_TIME},
    log::Log,
    metrics::Metrics,
    openapi,
    patience::Unhurried,
    problem,
    query::parameters,
    reply, seen, stream,
    verify::{self, Verifying},
    watch,
    way_out::way_out,
};

/// The key under which a write may be repeated.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What every request needs.
pub(crate) struct Served {
    /// The run that is served now.
    pub(crate) current: Current,
    /// Who is let in.
    pub(crate) door: Door,
    /// A turn for each call that may be run at once.
    pub(crate) turns: Semaphore,
    pub(crate) log: Log,
    pub(crate) metrics: Arc<Metrics>,
    /// The name of the next request that has none.
    pub(crate) requests: AtomicU64,
    /// It was told to stop: nobody should be sent here any more.
    pub(crate) stopping: AtomicBool,
    /// The data, where it lies in a folder of this machine.
    pub(crate) local: Option<Local>,
    /// Only requests that name this machine itself are answered, so that no page from elsewhere reaches it through a
    /// name of its own.
    pub(crate) loopback_only: bool,
    pub(crate) address: String,
}

impl Served {
    /// The run that is served now; a call goes on with the one that it began with.
    pub(crate) fn run(&self) -> Arc<Run> {
        self.current.run()
    }
}

/// Data that no other process can open: who wants all of it asks this one.
pub(crate) struct Local {
    pub(crate) store: Arc<Embedded>,
    /// What `backup` and `export` show to be let in.
    pub(crate) control: Control,
}

pub(crate) async fn handle(served: &Served, request: Request, unhurried: &Unhurried) -> Response {
    let (parts, body) = request.into_parts();
    if parts.version == Version::HTTP_11 && parts.headers.get_all(header::HOST).iter().count() != 1 {
        let detail = "a request of HTTP/1.1 names its host once, in the header `Host`";
        return reply::problem(&problem::NO_HOST, detail);
    }
    if served.loopback_only && !names_loopback(&parts.headers) {
        let detail = "this server answers requests to localhost, 127.0.0.1 and [::1]";
        return reply::problem(&problem::OTHER_HOST, detail);
    }
    let path = parts.uri.path();
    let looks = [Method::GET, Method::HEAD].contains(&parts.method);
    match path {
        "/" if looks => {
            let keyed = Box::pin(served.door.asks_for_keys()).await;
            Html(index::page(&served.run(), &served.address, keyed)).into_response()
        }
        "/openapi.json" if looks => reply::json_text(openapi::text(served.run().catalog())),
        "/healthz" if looks => health::alive(),
        "/readyz" if looks => Box::pin(health::ready(served)).await,
        "/metrics" if looks => Box::pin(health::metrics(served, &parts.headers)).await,
        "/v1/-/backup" | "/v1/-/export" if parts.method == Method::GET => stream(served, &parts, unhurried),
        "/v1/-/backup" | "/v1/-/export" => wrong_method("GET"),
        "/v1/-/verify" | "/v1/-/repair" if parts.method == Method::POST => {
            Box::pin(verifying(served, &parts, unhurried, body)).await
        }
        "/v1/-/verify" | "/v1/-/repair" => wrong_method("POST"),
        "/v1/-/keys" if parts.method == Method::POST => Box::pin(change_keys(served, &parts, body)).await,
        "/v1/-/keys" => wrong_method("POST"),
        "/" | "/openapi.json" | "/healthz" | "/readyz" | "/metrics" => wrong_method("GET, HEAD"),
        _ => match (path.strip_prefix("/v1/-/outcome/"), path.strip_prefix("/v1/")) {
            (Some(token), _) if looks => Box::pin(outcome(served, &parts, token)).await,
            (Some(_), _) => wrong_method("GET, HEAD"),
            (None, Some(name)) => {
                let run = served.run();
                match run.pattern(name) {
                    // It is large, and would be copied about with every page and problem.
                    Some(pattern) => Box::pin(call(served, &run, pattern, &parts, body)).await,
                    None => unknown(&run, name),
                }
            }
            (None, None) => {
                let detail = "endpoints are at /v1/<pattern>; / lists them, and /openapi.json describes them";
                reply::problem(&problem::NO_PAGE, detail)
            }
        },
    }
}

/// All the data, for whoever can read the secret in its folder.
fn stream(served: &Served, parts: &Parts, unhurried: &Unhurried) -> Response {
    let local = match owner(served, parts) {
        Ok(local) => local,
        Err(refused) => return refused,
    };
    unhurried.allow();
    let (run, store) = (served.run(), Arc::clone(&local.store));
    if parts.uri.path() == "/v1/-/backup" {
        return stream::written(move |pipe| stream::backup(&store, pipe));
    }
    let runtime = tokio::runtime::Handle::current();
    stream::written(move |pipe| stream::export(&run, pipe, &runtime))
}

/// The data, for whoever can read the secret in its folder.
fn owner<'a>(served: &'a Served, parts: &Parts) -> Result<&'a Local, Response> {
    let Some(local) = &served.local else {
        let detail = "the data is not this process's own: the engine has backups of its own, and `keyloom export`, \
                      `verify` and `key` reach it with --store";
        return Err(reply::problem(&problem::NO_DATA, detail));
    };
    let shown = parts.headers.get(header::AUTHORIZATION).and_then(|shown| shown.to_str().ok());
    if !shown.and_then(|shown| shown.strip_prefix("Bearer ")).is_some_and(|shown| local.control.is(shown)) {
        let detail = "this is for `keyloom backup`, `export`, `verify`, `repair` and `key`, which read the secret in the data \
                      folder";
        return Err(reply::problem(&problem::NOT_YOURS, detail));
    }
    Ok(local)
}

/// Compares all tables with their sources, for whoever can read the secret in the folder or is an operator, and says how far
/// it is.
async fn verifying(served: &Served, parts: &Parts, unhurried: &Unhurried, body: Body) -> Response {
    let asked = async {
        if owner(served, parts).is_err() {
            served.door.operator(&parts.headers).await?;
        }
        // A page of another site can't say that it sends JSON, so it can't set off long work in its reader's name.
        let body = json_body(parts, body, false).await?;
        let asked = Verifying::read(parts.uri.path() == "/v1/-/repair", &body);
        asked.map_err(|what| reply::failed(&Problem::Input(what)))
    };
    let asked = match asked.await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    unhurried.allow();
    let (run, runtime) = (served.run(), tokio::runtime::Handle::current());
    stream::written(move |pipe| verify::stream(&asked, &run, &runtime, pipe))
}

/// Adds, lists or revokes keys, for whoever can read the secret in the folder.
async fn change_keys(served: &Served, parts: &Parts, body: Body) -> Response {
    let asked = async {
        owner(served, parts)?;
        let body = json_body(parts, body, true).await?;
        let odd = || reply::failed(&Problem::Input("that can't be asked of keys".into()));
        let asked = Asked::from_json(&body).ok_or_else(odd)?;
        let answered = keys::answer(&served.run(), &asked).await;
        served.door.forget();
        let keys = answered.map_err(|fault| reply::failed(&fault))?;
        let keys: Vec<Json> = keys.iter().map(keys::key_json).collect();
        Ok(reply::json(StatusCode::OK, &json!({ "keys": keys })))
    };
    asked.await.unwrap_or_else(|response| response)
}

/// What became of a write whose outcome was not known.
async fn outcome(served: &Served, parts: &Parts, token: &str) -> Response {
    let asked = async {
        let caller = served.door.caller(&parts.headers).await?;
        let _turn = turn(served).await?;
        let run = served.run();
        Ok(answered(&run, "outcome", run.outcome(&caller, token).await))
    };
    asked.await.unwrap_or_else(|response| response)
}

async fn call(served: &Served, run: &Run, pattern: &Pattern, parts: &Parts, body: Body) -> Response {
    let Some(method) = Endpoint::method_of(pattern) else { return unknown(run, &pattern.name) };
    if method == "GET" && ![Method::GET, Method::HEAD].contains(&parts.method) {
        return wrong_method("GET, HEAD");
    }
    if method == "POST" && parts.method != Method::POST {
        return wrong_method("POST");
    }
    // Before anything of the request is read: who is not let in is not listened to.
    let caller = match served.door.caller(&parts.headers).await {
        Ok(caller) => caller,
        Err(refused) => return watch::worked(refused, pattern, Work::default()),
    };
    let called = async {
        match &pattern.action {
            Action::Read(of) if of.batch.is_some() => {
                Box::pin(read_batch(served, run, pattern, &caller, parts, body)).await
            }
            Action::Read(_) => read(served, run, pattern, &caller, parts).await,
            Action::Write(of) if of.batch.is_some() => {
                Box::pin(write_batch(served, run, pattern, &caller, parts, body)).await
            }
            _ => Box::pin(write(served, run, pattern, &caller, parts, body)).await,
        }
    };
    let (called, work) = measured(called).await;
    watch::worked(called.unwrap_or_else(|response| response), pattern, work)
}

async fn read(
    served: &Served,
    run: &Run,
    pattern: &Pattern,
    caller: &Caller,
    parts: &Parts,
) -> Result<Response, Response> {
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let mut query = parameters(parts.uri.query().unwrap_or_default()).map_err(bad)?;
    let limit = take(&mut query, "limit").map_err(bad)?;
    let limit =
        limit.map(|text| text.parse::<u64>().map_err(|_| bad(format!("`limit`: `{text}` is no number of rows"))));
    let limit = limit.transpose()?;
    let cursor = take(&mut query, "cursor").map_err(bad)?;
    let order = take(&mut query, "order").map_err(bad)?;
    let inputs = run.inputs_from_query(pattern, caller, &query).map_err(|fault| match fault {
        Problem::Input(detail) if lost_plus(pattern, &query) => {
            bad(format!("{detail}; in a query `+` stands for a blank: write the `+` of an offset as `%2B`"))
        }
        fault => reply::failed(&fault),
    })?;
    let inputs = seen::of(run, &parts.headers, inputs).map_err(|fault| reply::failed(&fault))?;
    let call =
        Call { pattern: &pattern.name, inputs, key: None, order: order.as_deref(), limit, cursor: cursor.as_deref() };
    let _turn = turn(served).await?;
    Ok(answered(run, &pattern.name, run.call(&call).await))
}

/// Several rows by their keys: `{"items": [..]}` in both directions, in the same order.
async fn read_batch(
    served: &Served,
    run: &Run,
    pattern: &Pattern,
    caller: &Caller,
    parts: &Parts,
    body: Body,
) -> Result<Response, Response> {
    let items = items(run, pattern, caller, &json_body(parts, body, true).await?)?.into_iter();
    let items = items.map(|inputs| seen::of(run, &parts.headers, inputs)).collect::<Result<Vec<_>, _>>();
    let items = items.map_err(|fault| reply::failed(&fault))?;
    let _turn = turn(served).await?;
    match run.get_batch(&pattern.name, &items).await {
        Ok(answers) => Ok(reply::rows(answers)),
        Err(fault) => Ok(answered(run, &pattern.name, Err(fault))),
    }
}

/// Several writes, each with an answer of its own.
async fn write_batch(
    served: &Served,
    run: &Run,
    pattern: &Pattern,
    caller: &Caller,
    parts: &Parts,
    body: Body,
) -> Result<Response, Response> {
    let key = header(&parts.headers, &IDEMPOTENCY_KEY)?;
    let body = json_body(parts, body, key.is_some() || pattern.once_per.is_empty()).await?;
    let items = items(run, pattern, caller, &body)?.into_iter().map(|inputs| attempt::of(&parts.headers, inputs));
    let items = items.collect::<Result<Vec<Inputs>, String>>();
    let items = items.map_err(|detail| reply::failed(&Problem::Input(detail)))?;
    let _turn = turn(served).await?;
    match run.write_batch(&pattern.name, items, key).await {
        Ok(answers) => Ok(reply::writes(answers, |reason| way_out(run.catalog(), Some(pattern), reason))),
        Err(fault) => Ok(answered(run, &pattern.name, Err(fault))),
    }
}

/// The inputs of each item of a batch.
fn items(run: &Run, pattern: &Pattern, caller: &Caller, body: &Json) -> Result<Vec<Inputs>, Response> {
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let items = match body.as_object() {
        Some(object) if object.len() == 1 => object.get("items").and_then(Json::as_array),
        _ => None,
    };
    let items = items.ok_or_else(|| bad("the body is an object with one member, `items`: a list of inputs".into()))?;
    let inputs = |(at, item): (usize, &Json)| {
        run.inputs_from_object(pattern, caller, item).map_err(|fault| match fault {
            Problem::Input(detail) => bad(format!("`items[{at}]`: {detail}")),
            fault => reply::failed(&fault),
        })
    };
    items.iter().enumerate().map(inputs).collect()
}

/// The body of a request that has no query, as JSON. One that changes nothing, or carries a key, need not say that it is.
async fn json_body(parts: &Parts, body: Body, harmless: bool) -> Result<Json, Response> {
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        return Err(bad("it takes its inputs as a JSON object in the body, and no query".into()));
    }
    if !says_json(&parts.headers, harmless) {
        return Err(reply::problem(&problem::NOT_JSON, "send `Content-Type: application/json` with a JSON object"));
    }
    let body = whole(body).await?;
    keyloom_value::json::parse(&body).map_err(|fault| bad(format!("the body is no JSON: {fault}")))
}

async fn write(
    served: &Served,
    run: &Run,
    pattern: &Pattern,
    caller: &Caller,
    parts: &Parts,
    body: Body,
) -> Result<Response, Response> {
    let bad = |detail: String| reply::failed(&Problem::Input(detail));
    let key = header(&parts.headers, &IDEMPOTENCY_KEY)?;
    let mut body = json_body(parts, body, key.is_some() || pattern.once_per.is_empty()).await?;
    if let Some(tag) = header(&parts.headers, &header::IF_MATCH)? {
        expect_version(pattern, tag, &mut body).map_err(bad)?;
    }
    let inputs = run.inputs_from_object(pattern, caller, &body).map_err(|fault| reply::failed(&fault))?;
    let inputs = attempt::of(&parts.headers, inputs).map_err(bad)?;
    let call = Call { pattern: &pattern.name, inputs, key, order: None, limit: None, cursor: None };
    let _turn = turn(served).await?;
    Ok(answered(run, &pattern.name, run.call(&call).await))
}

/// Whether a body is JSON by its type. A tool that sends none, or the one it sends for everything (`curl -d`), is believed where
/// it carries a key, or is refused without one: a page of another site can't set that header, so it can't write in its
/// reader's name.
fn says_json(headers: &HeaderMap, harmless: bool) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (said, more) = (types.next(), types.next());
    let Some(said) = said else { return harmless };
    let kind = said.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    more.is_none() && (is_json || (harmless && kind == "application/x-www-form-urlencoded"))
}

/// The turn of a call, which has all that it needs from its client: who is slow to send keeps nobody waiting.
async fn turn(served: &Served) -> Result<SemaphorePermit<'_>, Response> {
    // Mostly there is one, and nobody needs to look at the clock for it.
    if let Ok(turn) = served.turns.try_acquire() {
        return Ok(turn);
    }
    match Box::pin(tokio::time::timeout(TURN_TIME, served.turns.acquire())).await {
        Ok(Ok(turn)) => Ok(turn),
        _ => Err(reply::busy("too many calls are run at once", TURN_TIME)),
    }
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
            Err(reply::problem(&problem::BAD_BODY, detail))
        }
        Ok(Err(_)) => {
            let detail = format!("at most {BODY_MAX} bytes are taken; nothing was done");
            Err(reply::problem(&problem::TOO_LARGE, &detail))
        }
        Err(_) => {
            let detail = format!("it did not end within {} s; nothing was done", BODY_TIME.as_secs());
            Err(reply::problem(&problem::TOO_SLOW, &detail))
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

fn answered(run: &Run, pattern: &str, answer: Result<Answer, Problem>) -> Response {
    match answer {
        Ok(answer) => reply::answer(answer, |reason| way_out(run.catalog(), run.pattern(pattern), reason)),
        Err(fault) => reply::failed(&fault),
    }
}

/// A header that may stand once.
fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Response> {
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
    let mut response = reply::problem(&problem::WRONG_METHOD, &detail);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    response
}

fn unknown(run: &Run, name: &str) -> Response {
    let patterns = || run.catalog().patterns.iter().map(|pattern| pattern.name.as_str());
    let detail = match keyloom_text::nearest(name, patterns()) {
        Some(nearest) => format!("did you mean `/v1/{nearest}`?"),
        None => format!("there are: {}", patterns().collect::<Vec<_>>().join(", ")),
    };
    reply::problem(&problem::NO_PATTERN, &detail)
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
