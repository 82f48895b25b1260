//! What one request may take, and what all of them together; the document of the endpoints says the same numbers.

use std::time::Duration;

/// How large a request's body may be, in bytes.
pub(crate) const BODY_MAX: usize = 1 << 20;
/// How long a client may take to send it.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(30);
/// How long a client may take to send the head of a request, and how long a connection may say nothing.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a client may leave an answer unread.
pub(crate) const READ_TIME: Duration = Duration::from_secs(30);
/// How many connections there may be: below the 1024 files that a process has where nobody says otherwise, so that the
/// store always has some.
pub(crate) const CONNECTIONS_MAX: usize = 512;
/// How many calls are run at once. Who is slow to send or to read holds a connection and none of these.
pub(crate) const CALLS_MAX: usize = 256;
/// How long a call waits for its turn.
pub(crate) const TURN_TIME: Duration = Duration::from_secs(1);
/// How long requests that are under way may take when it is told to stop.
pub(crate) const STOP_TIME: Duration = Duration::from_secs(3);
/// How long the store may take to answer whoever asks whether it is ready.
pub(crate) const READY_TIME: Duration = Duration::from_secs(1);
