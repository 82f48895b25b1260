//! Whether the process lives, whether it should be sent requests, and what it has counted.

use std::sync::atomic::Ordering;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use keyloom_run::Problem;
use serde_json::json;

use crate::{handle::Served, limits::READY_TIME, reply};

/// The format that Prometheus reads.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// It answers, so it lives.
pub(crate) fn alive() -> Response {
    reply::json(StatusCode::OK, &json!({ "status": "up" }))
}

/// Ready is who is not told to stop and whose store answers a read in time.
pub(crate) async fn ready(served: &Served) -> Response {
    if served.stopping.load(Ordering::Relaxed) {
        return reply::busy("it is told to stop", READY_TIME);
    }
    match tokio::time::timeout(READY_TIME, served.run().ping()).await {
        Ok(Ok(())) => reply::json(StatusCode::OK, &json!({ "status": "ready" })),
        Ok(Err(problem)) => reply::failed(&Problem::Busy { after: READY_TIME, cause: problem.to_string() }),
        Err(_) => reply::busy("the store did not answer in time", READY_TIME),
    }
}

/// What was counted, for an operator.
pub(crate) async fn metrics(served: &Served, headers: &HeaderMap) -> Response {
    if let Err(refused) = served.door.operator(headers).await {
        return refused;
    }
    let text = served.metrics.text(&served.run(), served.turns.available_permits());
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PROMETHEUS));
    response
}
