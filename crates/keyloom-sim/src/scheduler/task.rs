use std::{
    pin::Pin,
    task::{Context, Poll},
};

use super::oneshot::Receiver;

/// A task that was spawned: what it returned, or `None` when its process crashed. Dropping this does not end the task.
pub struct Task<T>(Receiver<T>);

impl<T> Task<T> {
    pub(super) fn new(receiver: Receiver<T>) -> Self {
        Self(receiver)
    }
}

impl<T> Future for Task<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}
