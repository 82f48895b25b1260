//! What the operator must hear of: requests that failed by no fault of their callers.

use std::sync::{Mutex, PoisonError};

use keyloom_run::Environment;
use keyloom_value::{Kind, Value, to_text};

use crate::system::System;

/// A cause is said once in this time, however many requests meet it.
const QUIET_US: i64 = 1_000_000;
/// How many causes are told apart within that time; more are not said.
const CAUSES_MAX: usize = 64;

/// Writes lines for the operator.
pub(crate) struct Log {
    write: fn(&str),
    /// The causes that were said of late, and when.
    said: Mutex<Vec<(String, i64)>>,
}

impl Log {
    pub(crate) fn new(write: fn(&str)) -> Self {
        Self { write, said: Mutex::default() }
    }

    /// Says why a call of a pattern failed.
    pub(crate) fn say(&self, pattern: &str, cause: &str) {
        self.say_at(System.now_us(), pattern, cause);
    }

    fn say_at(&self, now_us: i64, pattern: &str, cause: &str) {
        if !self.is_new(now_us, cause) {
            return;
        }
        let moment = to_text(&Value::Timestamp(now_us), &Kind::Timestamp { micros: true }).unwrap_or_default();
        let cause: String = cause.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
        (self.write)(&format!("{moment} {pattern}: {cause}"));
    }

    fn is_new(&self, now_us: i64, cause: &str) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back silences nothing.
        said.retain(|(_, when)| (0..QUIET_US).contains(&now_us.saturating_sub(*when)));
        let is_new = said.len() < CAUSES_MAX && said.iter().all(|(known, _)| known != cause);
        if is_new {
            said.push((cause.to_owned(), now_us));
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::Log;

    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn a_cause_is_said_once_a_second_and_on_one_line() {
        let log = Log::new(|line| WRITTEN.lock().unwrap().push(line.to_owned()));
        for (now_us, cause) in [(0, "a\nb"), (999_999, "a\nb"), (999_999, "c"), (1_000_000, "a\nb"), (-5, "c")] {
            log.say_at(now_us, "get_order", cause);
        }
        let expected = [
            "1970-01-01T00:00:00.000000Z get_order: a b",
            "1970-01-01T00:00:00.999999Z get_order: c",
            "1970-01-01T00:00:01.000000Z get_order: a b",
            "1969-12-31T23:59:59.999995Z get_order: c",
        ];
        assert_eq!(*WRITTEN.lock().unwrap(), expected);
        for number in 0..1_000 {
            log.say_at(0, "get_order", &number.to_string());
        }
        assert!(WRITTEN.lock().unwrap().len() < 70, "what is remembered has a bound");
    }
}
