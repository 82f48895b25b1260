//! Messages: each takes its time, some are late, some are lost.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use crate::{
    Faults,
    random::Random,
    scheduler::{Happening, Receiver, Sender, World, channel},
};

/// What a message may meet on its way.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// Never arrives.
    pub(crate) lost: f64,
    /// So many times as slow as others.
    pub(crate) slowness: u32,
}

/// The way back to whoever asked.
pub(crate) struct Reply<A> {
    world: World,
    way: Way,
    sender: Sender<A>,
}

/// What was asked for, if it ever comes.
pub(crate) struct Answer<A>(Receiver<A>);

impl<A> Future for Answer<A> {
    type Output = A;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<A> {
        match Pin::new(&mut self.0).poll(context) {
            Poll::Ready(Some(answer)) => Poll::Ready(answer),
            // Nothing will come any more, but nobody here can know.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

impl<A: Send + 'static> Reply<A> {
    pub(crate) fn send(self, answer: A) {
        let Self { world, way, sender } = self;
        send(&world, way, move || sender.send(answer));
    }
}

/// Sends a request. At its arrival `work` is done, and replies when it likes, over a lossy way back. Without an answer the
/// future waits for ever: only the asker's clock tells him.
pub(crate) fn ask<A: Send + 'static>(
    world: &World,
    there: Way,
    back: Way,
    work: impl FnOnce(Reply<A>) + Send + 'static,
) -> Answer<A> {
    let (sender, receiver) = channel();
    let reply = Reply { world: world.clone(), way: back, sender };
    send(world, there, move || work(reply));
    Answer(receiver)
}

/// Sends a message that nobody answers; false when it is lost.
pub(crate) fn send(world: &World, way: Way, arrive: impl FnOnce() + Send + 'static) -> bool {
    let mut state = world.lock();
    let message = state.number();
    if state.random.chance(way.lost) {
        state.note(Happening::Lose { message });
        return false;
    }
    let faults = state.faults.clone();
    let delay = delay(&mut state.random, &faults) * way.slowness;
    state.note(Happening::Send { message });
    drop(state);
    let arrived = world.clone();
    world.after(delay, move || {
        arrived.lock().note(Happening::Arrive { message });
        arrive();
    });
    true
}

fn delay(random: &mut Random, faults: &Faults) -> Duration {
    let longest = if random.chance(faults.late) { faults.late_max } else { faults.delay_max };
    random.span(faults.delay_min, longest)
}
