//! What calls of the embedded store cost, fitted from calls of many sizes: `cargo bench -p keyloom-embedded --bench costs`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops where something is wrong")]

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use keyloom_bench::{costs, processor_time};
use keyloom_embedded::{Embedded, Options, System};

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Embedded::open(&folder.path().join("costs"), Options::default(), Arc::new(System)).unwrap();
    match pin!(costs(&store, processor_time)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(costs) => println!("embedded\n{costs}"),
        Poll::Pending => unreachable!("only a store that syncs always waits"),
    }
    store.close().unwrap();
}
