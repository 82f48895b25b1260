//! What the operator hears: requests that failed by no fault of their callers, or all of them. For people at a terminal
//! as sentences, for programs as one JSON object in a line.

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use keyloom_run::Environment;
use keyloom_value::{Kind, Value, to_text};
use serde_json::{Value as Json, json};

use crate::system::System;

/// A cause is said once in this time, however many requests meet it.
const QUIET_US: i64 = 1_000_000;
/// How many causes are told apart within that time; more are not said.
const CAUSES_MAX: usize = 64;

/// What is written down, and how.
#[derive(Debug, Clone, Copy)]
pub struct Logging {
    /// Takes a line.
    pub write: fn(&str),
    /// Lines are for people; else each is one JSON object.
    pub for_people: bool,
    /// Every call has its line; else only those that failed by no fault of their callers.
    pub calls: bool,
}

/// Writes lines for the operator.
pub(crate) struct Log {
    logging: Logging,
    /// The causes that were said of late, and when.
    said: Mutex<Vec<(String, i64)>>,
}

/// What is written down of a call. It has no inputs and no answer, so nothing that is secret can be in it.
pub(crate) struct Line<'a> {
    pub(crate) request: &'a str,
    pub(crate) pattern: Option<&'a str>,
    pub(crate) status: u16,
    pub(crate) outcomes: &'a [Cow<'static, str>],
    pub(crate) took: Duration,
    /// Why it failed.
    pub(crate) cause: Option<&'a str>,
    /// It read more than its path promised.
    pub(crate) above_bound: bool,
}

impl Log {
    pub(crate) fn new(logging: Logging) -> Self {
        Self { logging, said: Mutex::default() }
    }

    /// Nobody listens.
    pub(crate) fn silent() -> Self {
        Self::new(Logging { write: |_| {}, for_people: true, calls: false })
    }

    /// Says why something failed that nobody called.
    pub(crate) fn say(&self, what: &str, cause: &str) {
        self.say_at(System.now_us(), what, cause);
    }

    fn say_at(&self, now_us: i64, what: &str, cause: &str) {
        if self.is_new(now_us, cause) {
            self.write(now_us, &format!("{what}: {cause}"), json!({ "what": what, "cause": cause }));
        }
    }

    /// Says something once: a start, a stop.
    pub(crate) fn note(&self, words: &str) {
        if self.logging.for_people {
            (self.logging.write)(words);
        } else {
            self.write(System.now_us(), words, json!({ "what": words }));
        }
    }

    /// A call came to its end.
    pub(crate) fn call(&self, line: &Line<'_>) {
        let cause = match line.cause {
            None if line.above_bound => Some("it read more than its path promised, which is a fault of Keyloom"),
            cause => cause,
        };
        if !self.logging.calls && cause.is_none() {
            return;
        }
        let now_us = System.now_us();
        if let Some(cause) = cause.filter(|_| !self.logging.calls)
            && !self.is_new(now_us, cause)
        {
            return;
        }
        let (pattern, outcome) = (line.pattern.unwrap_or("-"), line.outcomes.join(","));
        let millis = line.took.as_micros() as f64 / 1_000.0;
        let mut words = match (self.logging.calls, cause) {
            (false, Some(cause)) => format!("{pattern}: {cause}"),
            (_, cause) => {
                let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
                format!("{pattern} {} {outcome} {millis} ms{cause}", line.status)
            }
        };
        if self.logging.for_people && cause.is_some() {
            words.push_str(&format!(" (request {})", line.request));
        }
        let mut object = json!({
            "request": line.request, "pattern": line.pattern, "status": line.status, "outcome": outcome, "ms": millis,
        });
        if let Some(cause) = cause {
            object["cause"] = json!(cause);
        }
        self.write(now_us, &words, object);
    }

    fn write(&self, now_us: i64, words: &str, object: Json) {
        let moment = to_text(&Value::Timestamp(now_us), &Kind::Timestamp { micros: true }).unwrap_or_default();
        if !self.logging.for_people {
            let mut line = json!({ "at": moment });
            if let (Json::Object(line), Json::Object(members)) = (&mut line, object) {
                line.extend(members);
            }
            (self.logging.write)(&line.to_string());
            return;
        }
        let words: String = words.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
        (self.logging.write)(&format!("{moment} {words}"));
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
    use super::*;

    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn a_cause_is_said_once_a_second_and_on_one_line() {
        let write = |line: &str| WRITTEN.lock().unwrap().push(line.to_owned());
        let log = Log::new(Logging { write, for_people: true, calls: false });
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
    #[test]
    fn a_line_for_programs_is_one_object() {
        static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let write = |line: &str| LINES.lock().unwrap().push(line.to_owned());
        let log = Log::new(Logging { write, for_people: false, calls: true });
        log.call(&Line {
            request: "r-1",
            pattern: Some("get_order"),
            status: 503,
            outcomes: &["busy".into()],
            took: Duration::from_micros(1_250),
            cause: Some("the disk is \"full\"\nof it"),
            above_bound: false,
        });
        log.note("stopped");
        let lines = LINES.lock().unwrap();
        let read = |line: &str| serde_json::from_str::<Json>(line).unwrap();
        let mut call = read(&lines[0]);
        assert!(call.as_object_mut().unwrap().remove("at").is_some());
        let words = "the disk is \"full\"\nof it";
        let expected = json!({
            "request": "r-1", "pattern": "get_order", "status": 503, "outcome": "busy", "ms": 1.25, "cause": words,
        });
        assert_eq!(call, expected);
        assert_eq!(read(&lines[1])["what"], "stopped");
        assert!(lines.iter().all(|line| !line.contains('\n')));
    }
}
