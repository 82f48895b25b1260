use std::{fmt, time::Duration};

use keyloom_store::Fault;
use keyloom_value::{Malformed, json::Unfit};

/// Why a call got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The inputs are not what the pattern takes.
    Input(String),
    /// The idempotency key is missing or is none.
    Key(String),
    /// The idempotency key is older than the horizon of retries, or from the future.
    KeyTime(String),
    /// The idempotency key was used with other inputs.
    KeyReused,
    /// The cursor is none of this call.
    Cursor(String),
    /// The token of an outcome is none that was given out.
    Token(String),
    /// What the caller says that it has seen was not given out to it.
    Seen(String),
    /// The caller shows no credential, or one that is not enough.
    Caller(String),
    /// Not now; nothing was done.
    Busy {
        /// When to come again.
        after: Duration,
        /// Why.
        cause: String,
    },
    /// Stored data can't be read, or the plan is wrong: no fault of the caller.
    Broken(String),
}

impl From<Unfit> for Problem {
    fn from(fault: Unfit) -> Self {
        Self::Input(fault.to_string())
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        Self::Broken(malformed.to_string())
    }
}

/// A fault of a read, or of a write that was certainly not done. Writes look at `Unknown` themselves.
impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Busy { after, cause, .. } => Self::Busy { after, cause: cause.into_owned() },
            Fault::NotDone(cause) | Fault::Unknown(cause) => {
                Self::Busy { after: Duration::from_millis(100), cause: cause.into_owned() }
            }
            Fault::Refused(cause) | Fault::Broken(cause) => Self::Broken(cause.into_owned()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input(words)
            | Self::Key(words)
            | Self::KeyTime(words)
            | Self::Cursor(words)
            | Self::Token(words)
            | Self::Seen(words)
            | Self::Caller(words)
            | Self::Broken(words) => words,
            Self::KeyReused => "the idempotency key was used with other inputs",
            Self::Busy { cause, .. } => cause,
        })
    }
}

impl std::error::Error for Problem {}
