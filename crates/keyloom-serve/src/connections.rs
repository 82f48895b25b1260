//! Connections: taken, given their time, and ended when the process is told to stop.

use std::{pin::pin, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// How long a client may take to send the head of a request, and how long a connection may say nothing.
const HEAD_MAX: Duration = Duration::from_secs(30);

/// How long requests that are under way may take when it is told to stop.
const STOP_MAX: Duration = Duration::from_secs(3);

/// Serves until it is told to stop; says how many requests were cut off, because they did not end in time.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) -> usize {
    let (told, heard) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection(stream, router.clone(), heard.clone()))),
                // Most likely there are too many open files, and a connection that ends gives one back.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
        }
    }
    drop((listener, told));
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(STOP_MAX, all_ended).await;
    let left = connections.len();
    connections.shutdown().await;
    left
}

async fn connection(stream: TcpStream, router: Router, mut told: watch::Receiver<()>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    // What ends a connection early is the client's affair.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = told.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}
