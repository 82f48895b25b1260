use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// One value from one task to another; `None` when the sender is gone without one.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let slot = Arc::new(Mutex::new(Slot { value: None, closed: false, waker: None }));
    (Sender(slot.clone()), Receiver(slot))
}

struct Slot<T> {
    value: Option<T>,
    closed: bool,
    waker: Option<Waker>,
}

pub(crate) struct Sender<T>(Arc<Mutex<Slot<T>>>);

pub(crate) struct Receiver<T>(Arc<Mutex<Slot<T>>>);

fn lock<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Sender<T> {
    pub(crate) fn send(self, value: T) {
        lock(&self.0).value = Some(value);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let waker = {
            let mut slot = lock(&self.0);
            slot.closed = true;
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = lock(&self.0);
        if slot.closed {
            return Poll::Ready(slot.value.take());
        }
        slot.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
