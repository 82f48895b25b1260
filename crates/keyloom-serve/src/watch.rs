//! Every request from outside: it gets a name, its time is taken, and what became of it is counted and written down.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::{
    body::Bytes,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue},
    response::Response,
};
use keyloom_model::Pattern;
use keyloom_run::{Environment, Work};
use keyloom_value::write_number;
use tokio::time::Instant;

use crate::{
    handle::{Served, handle},
    log::Line,
    patience::Unhurried,
    reply::{Ended, Worked},
    system::System,
};

/// What a call did, in its answer.
const WORK: HeaderName = HeaderName::from_static("keyloom-work");
/// The name of a request: the caller's own, or one that is made here.
const REQUEST: HeaderName = HeaderName::from_static("x-request-id");
/// How long a caller's own may be.
const REQUEST_MAX: usize = 64;

/// Notes what a call did in its response.
pub(crate) fn worked(mut response: Response, pattern: &Pattern, work: Work) -> Response {
    if let Ok(said) = HeaderValue::from_maybe_shared(Bytes::from(words(&work))) {
        response.headers_mut().insert(WORK, said);
    }
    if let Some(ended) = response.extensions_mut().get_mut::<Ended>() {
        ended.worked = Some(Worked { pattern: pattern.name.clone(), work });
    }
    response
}

/// `trips=1, partitions=1, rows=51, bytes=4096, partitions-max=1, rows-max=51`
fn words(work: &Work) -> String {
    let mut words = String::with_capacity(96);
    let mut say = |name: &str, count: u64| {
        if !words.is_empty() {
            words.push_str(", ");
        }
        words.push_str(name);
        words.push('=');
        write_number(count, &mut words);
    };
    say("trips", work.trips);
    say("partitions", work.partitions);
    say("rows", work.rows);
    say("bytes", work.bytes);
    for (name, count) in [("gone", work.gone), ("decisions", work.decisions), ("placements", work.placements)] {
        if count > 0 {
            say(name, count);
        }
    }
    if let Some(most) = work.promised {
        say("partitions-max", most.partitions);
        say("rows-max", work.rows_allowed(most));
    }
    words
}

pub(crate) async fn watched(served: &Served, request: Request, unhurried: &Unhurried) -> Response {
    let began = Instant::now();
    let name = named(request.headers(), &served.requests);
    let mut response = handle(served, request, unhurried).await;
    let took = began.elapsed();
    if let Some(Ended { outcomes, cause, worked }) = response.extensions_mut().remove() {
        let pattern = worked.as_ref().map(|worked| worked.pattern.as_str());
        if let Some(worked) = &worked {
            served.metrics.called(&worked.pattern, &outcomes, &worked.work, took);
        }
        served.log.call(&Line {
            request: name.to_str().unwrap_or_default(),
            pattern,
            status: response.status().as_u16(),
            outcomes: &outcomes,
            took,
            cause: cause.as_deref(),
            above_bound: worked.as_ref().is_some_and(|worked| worked.work.is_above_bound()),
        });
    }
    response.headers_mut().insert(REQUEST, name);
    response
}

/// The name that the caller gave to a request, if it is a plain one; else a new one.
fn named(headers: &HeaderMap, requests: &AtomicU64) -> HeaderValue {
    let plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        !bytes.is_empty() && bytes.len() <= REQUEST_MAX && bytes.iter().all(plain)
    };
    let made = || {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let digits: [u8; 16] = std::array::from_fn(|at| b"0123456789abcdef"[(number >> (60 - 4 * at) & 15) as usize]);
        HeaderValue::from_bytes(&digits).unwrap_or(HeaderValue::from_static("unnamed"))
    };
    headers.get(REQUEST).filter(plain).cloned().unwrap_or_else(made)
}

/// Processes begin to count somewhere else each, so that their names differ.
pub(crate) fn first_request() -> AtomicU64 {
    let mut random = [0; 8];
    System.random(&mut random);
    AtomicU64::new(u64::from_le_bytes(random) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_kept_and_another_is_not() {
        let requests = AtomicU64::new(10);
        let of = |own: &'static str| {
            let headers = HeaderMap::from_iter([(REQUEST, HeaderValue::from_static(own))]);
            named(&headers, &requests).to_str().unwrap().to_owned()
        };
        assert_eq!(of("order-17:retry.2"), "order-17:retry.2");
        assert_eq!(of("a\"b"), "000000000000000a");
        assert_eq!(of(""), "000000000000000b");
    }
}
