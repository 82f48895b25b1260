//! What everything on a ground shares: time, chance, and what goes wrong while it is rough.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use keyloom_sim::Dice;
use keyloom_store::BoxFuture;

use crate::{
    ground::{Ended, Served},
    process::Fragile,
    weather::Weather,
};

/// Time, and what goes on in it.
pub(crate) trait Time: Clone + Send + Sync + Unpin + 'static {
    /// Since 1970.
    fn elapsed(&self) -> Duration;

    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()>;

    /// Starts what goes on whether or not anybody waits for its end; `None` when its process died.
    fn spawn<T: Send + 'static>(
        &self,
        process: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> BoxFuture<'static, Option<T>>;
}

#[derive(Clone)]
pub(crate) struct Day<T> {
    pub(crate) time: T,
    pub(crate) dice: Dice,
    pub(crate) weather: Weather,
    is_rough: Arc<AtomicBool>,
}

impl<T: Time> Day<T> {
    pub(crate) fn new(time: T, dice: Dice, weather: Weather) -> Self {
        Self { time, dice, weather, is_rough: Arc::default() }
    }

    pub(crate) fn is_rough(&self) -> bool {
        self.is_rough.load(Ordering::Relaxed)
    }

    pub(crate) fn set_rough(&self, is_rough: bool) {
        self.is_rough.store(is_rough, Ordering::Relaxed);
    }

    /// Whether something goes wrong that goes wrong this often.
    pub(crate) fn happens(&self, share: f64) -> bool {
        self.is_rough() && self.dice.chance(share)
    }

    /// Serves a call on one of the processes, for as long as the client has patience.
    pub(crate) fn serve(
        &self,
        server: usize,
        patience_ms: u64,
        call: BoxFuture<'static, Served>,
    ) -> BoxFuture<'static, Ended> {
        let call: BoxFuture<'static, Option<Served>> = if self.is_rough() {
            Box::pin(Fragile::new(self.clone(), call))
        } else {
            Box::pin(async move { Some(call.await) })
        };
        let mut task = self.time.spawn(&format!("server {server}"), call);
        let sleep = self.time.sleep(Duration::from_millis(patience_ms));
        Box::pin(async move {
            let mut sleep = pin!(sleep);
            poll_fn(|context| match task.as_mut().poll(context) {
                Poll::Ready(served) => Poll::Ready(served.flatten().map_or(Ended::Crashed, Ended::Answered)),
                Poll::Pending => sleep.as_mut().poll(context).map(|()| Ended::GivenUp),
            })
            .await
        })
    }
}
