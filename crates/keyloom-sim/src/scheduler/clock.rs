use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use keyloom_store::Millis;

use super::{
    World,
    state::{Event, Moment},
};

/// The virtual clock. It moves when nobody can run, to the next thing that happens.
#[derive(Clone)]
pub struct Clock(World);

impl Clock {
    pub(super) fn new(world: World) -> Self {
        Self(world)
    }

    /// The date, as stores are given it.
    pub fn now(&self) -> Millis {
        Millis(i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// Since the simulation began.
    pub fn elapsed(&self) -> Duration {
        self.0.lock().now
    }

    /// Waits so long.
    pub fn sleep(&self, span: Duration) -> impl Future<Output = ()> + Send + use<> {
        Sleep { world: self.0.clone(), until: self.elapsed() + span, alarm: None }
    }

    /// What the future returns if that is before so much time has passed.
    pub async fn within<T>(&self, span: Duration, future: impl Future<Output = T>) -> Option<T> {
        let (mut future, mut sleep) = (pin!(future), pin!(self.sleep(span)));
        poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => sleep.as_mut().poll(context).map(|()| None),
        })
        .await
    }
}

struct Sleep {
    world: World,
    until: Duration,
    alarm: Option<Moment>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.world.lock();
        if state.now >= self.until {
            return Poll::Ready(());
        }
        let alarm = match self.alarm {
            Some(alarm) => alarm,
            None => state.at(self.until, Event::Wake(context.waker().clone())),
        };
        drop(state);
        self.alarm = Some(alarm);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        // An alarm that nobody waits for would only move the clock of a run that is over.
        let forgotten = self.alarm.and_then(|alarm| self.world.lock().forget(alarm));
        drop(forgotten);
    }
}
