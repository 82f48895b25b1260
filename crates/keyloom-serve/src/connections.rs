//! Connections: taken, given their time, and ended when the process is told to stop.

use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{body::Body, extract::Request, response::Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
};

use crate::{
    handle::Served,
    limits::{CONNECTIONS_MAX, HEAD_TIME, STOP_TIME},
    metrics::Metrics,
    patience::{Patient, Unhurried},
    reply,
    watch::watched,
};

/// How many connections are told that there are too many, at once; those beyond are closed without a word.
const REFUSALS_MAX: usize = 64;
/// How long a client that is not served may take to ask, and to hear so.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// Serves until it is told to stop; says how many requests were cut off, because they did not end in time.
pub(crate) async fn serve(listener: TcpListener, served: &Arc<Served>, stop: impl Future<Output = ()>) -> usize {
    let metrics = &served.metrics;
    let (told, heard) = watch::channel(());
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let mut refusals = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            Some(_) = refusals.join_next() => {}
            accepted = listener.accept() => match (accepted, Arc::clone(&places).try_acquire_owned()) {
                (Ok((stream, _)), Ok(place)) => {
                    let place = Place { _held: place, metrics: Arc::clone(metrics) };
                    metrics.connections.fetch_add(1, Ordering::Relaxed);
                    drop(connections.spawn(connection(stream, Arc::clone(served), heard.clone(), place)));
                }
                (Ok((stream, _)), Err(_)) => {
                    metrics.connections_refused.fetch_add(1, Ordering::Relaxed);
                    if refusals.len() < REFUSALS_MAX {
                        drop(refusals.spawn(refuse(stream)));
                    }
                }
                // Most likely there are too many open files, and a connection that ends gives one back.
                (Err(_), _) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
        }
    }
    drop((listener, told));
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(STOP_TIME, all_ended).await;
    let left = connections.len();
    connections.shutdown().await;
    left
}

/// The place of a connection, given back when it ends.
struct Place {
    _held: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn connection(stream: TcpStream, served: Arc<Served>, mut told: watch::Receiver<()>, _place: Place) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let unhurried = Unhurried::default();
    let stream = TokioIo::new(Patient::new(stream, unhurried.clone()));
    // One path leads to everything, so there is no router: it would only copy the call about.
    let service = service_fn(move |request: Request<Incoming>| {
        let request = request.map(Body::new);
        let (served, unhurried) = (Arc::clone(&served), unhurried.clone());
        // It is moved several times before it begins.
        Box::pin(async move { Ok::<Response, Infallible>(watched(&served, request, &unhurried).await) })
    });
    let mut serving = pin!(builder.serve_connection(stream, service));
    // What ends a connection early is the client's affair.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = told.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

/// Answers one request with the word that there are too many connections.
async fn refuse(stream: TcpStream) {
    let answer = |_: Request<Incoming>| async {
        let busy = reply::busy("there are too many connections", Duration::from_secs(1));
        Ok::<Response<Body>, Infallible>(busy)
    };
    let mut builder = http1::Builder::new();
    builder.keep_alive(false);
    let serving = builder.serve_connection(TokioIo::new(stream), service_fn(answer));
    // Whoever does not hear it in time hears that the connection is closed.
    let _ = tokio::time::timeout(REFUSAL_TIME, serving).await;
}
