use std::time::Duration;

/// What goes wrong, how often and for how long. Shares are between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    /// The shortest ordinary delay of a message.
    pub delay_min: Duration,
    /// The longest ordinary delay of a message. Messages overtake each other whenever delays differ.
    pub delay_max: Duration,
    /// Messages that are late: a request is then carried out, and an answer comes, after its sender has given up.
    pub late: f64,
    /// How late at most.
    pub late_max: Duration,
    /// Requests that never arrive.
    pub lose_request: f64,
    /// Answers that never arrive.
    pub lose_answer: f64,
    /// Steps of a process before which it crashes: all its tasks are dropped where they wait.
    pub crash: f64,
    /// Steps of a process before which it sleeps, and all its tasks with it.
    pub pause: f64,
    /// For how long at most.
    pub pause_max: Duration,
    /// Requests that an item store answers with "busy".
    pub busy: f64,
    /// Messages to a replica at which it goes down: it keeps what it has, and receives nothing.
    pub replica_down: f64,
    /// Messages to a replica at which it becomes slow.
    pub replica_slow: f64,
    /// For how long a replica is down or slow at most.
    pub replica_ill_max: Duration,
    /// Messages between coordinator and replica that are lost, in either direction.
    pub lose_replica_message: f64,
    /// Lost writes to a replica that reach it later as a hint; the others never do.
    pub hint: f64,
}

impl Faults {
    /// Messages take their time and overtake each other; nothing is lost, late or down.
    pub fn none() -> Self {
        Self {
            delay_min: Duration::from_micros(200),
            delay_max: Duration::from_micros(2_000),
            late: 0.0,
            late_max: Duration::from_secs(5),
            lose_request: 0.0,
            lose_answer: 0.0,
            crash: 0.0,
            pause: 0.0,
            pause_max: Duration::from_secs(2),
            busy: 0.0,
            replica_down: 0.0,
            replica_slow: 0.0,
            replica_ill_max: Duration::from_secs(2),
            lose_replica_message: 0.0,
            hint: 0.0,
        }
    }

    /// A bad day: each fault at a rate at which work still gets done between them.
    pub fn rough() -> Self {
        Self {
            late: 0.05,
            lose_request: 0.03,
            lose_answer: 0.05,
            crash: 0.002,
            pause: 0.01,
            busy: 0.03,
            replica_down: 0.003,
            replica_slow: 0.003,
            lose_replica_message: 0.06,
            hint: 0.5,
            ..Self::none()
        }
    }
}
