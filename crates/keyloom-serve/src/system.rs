use std::{
    sync::LazyLock,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use keyloom_model::Date;
use keyloom_run::Environment;

/// The machine's clock and its source of chance.
pub(crate) struct System;

impl Environment for System {
    fn now_us(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    }

    fn steady_us(&self) -> i64 {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        i64::try_from(BEGAN.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn random(&self, bytes: &mut [u8]) {
        // Without chance cursors could be forged and keys would repeat: there is nothing sensible to go on with.
        #[expect(clippy::expect_used, reason = "a machine without a source of chance can't run this")]
        getrandom::fill(bytes).expect("the system's source of chance answers");
    }
}

/// Today by the machine's clock, in UTC; the first day of 1970 where the clock stands before it.
pub fn today() -> Date {
    let days = System.now_us().div_euclid(86_400_000_000);
    Date::from_days_since_1970(days).unwrap_or(Date { year: 1970, month: 1, day: 1 })
}
