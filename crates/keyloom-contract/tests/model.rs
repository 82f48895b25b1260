//! The contract on the model.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use keyloom_store::Model;

/// The model never waits.
fn block_on(mut future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
    let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(()), "the model answers at once");
}

#[test]
fn the_model_keeps_the_contract() {
    keyloom_contract::run("model", Model::new, |_, case| block_on(case));
}
