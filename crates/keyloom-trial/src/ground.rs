//! What a trial stands on: time, chance, and processes that serve. Simulated, or real.

use std::{
    cell::RefCell,
    pin::Pin,
    sync::PoisonError,
    task::{Context, Poll},
    time::Duration,
};

use keyloom_run::{Answer, Problem};
use keyloom_store::BoxFuture;

use crate::{
    day::{Day, Time},
    history::Moments,
};

/// What one call answered: one answer for each item.
pub(crate) type Served = Result<Vec<Result<Answer, Problem>>, Problem>;

/// How a call ended for the client.
pub(crate) enum Ended {
    Answered(Served),
    Crashed,
    GivenUp,
}

pub(crate) trait Ground {
    type Time: Time;

    fn day(&self) -> &Day<Self::Time>;

    /// The observer's clock.
    fn now_us(&self) -> i64 {
        i64::try_from(self.day().time.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, span_ms: u64) -> BoxFuture<'static, ()> {
        self.day().time.sleep(Duration::from_millis(span_ms))
    }

    /// Lets things happen until the future is ready.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, String>;

    /// From here on things go wrong.
    fn rough(&self);

    /// From here on nothing goes wrong, and what is under way arrives.
    fn quiet(&self) -> Result<(), String>;

    /// So much time passes for everybody.
    fn pass(&self, span_ms: u64) -> Result<(), String>;
}

thread_local! {
    /// Who looks at a clock now.
    static LOOKING: RefCell<Option<Moments>> = const { RefCell::new(None) };
}

/// Says that a process has looked at its clock.
pub(crate) fn has_looked(now_us: i64) {
    LOOKING.with_borrow(|looking| {
        if let Some(moments) = looking {
            moments.lock().unwrap_or_else(PoisonError::into_inner).push(now_us);
        }
    });
}

/// A call whose looks at the clock are written down.
pub(crate) struct Watched {
    pub(crate) call: BoxFuture<'static, Served>,
    pub(crate) moments: Vec<Moments>,
}

impl Future for Watched {
    type Output = Served;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Served> {
        let here = Moments::default();
        let before = LOOKING.replace(Some(here.clone()));
        let polled = self.call.as_mut().poll(context);
        LOOKING.set(before);
        let seen = here.lock().unwrap_or_else(PoisonError::into_inner);
        for moments in &self.moments {
            moments.lock().unwrap_or_else(PoisonError::into_inner).extend(seen.iter().copied());
        }
        drop(seen);
        polled
    }
}

/// What all of them return, side by side.
pub(crate) async fn together<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done).filter(|(_, done)| done.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
