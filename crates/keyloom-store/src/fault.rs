use std::{borrow::Cow, fmt, time::Duration};

use keyloom_value::{Malformed, Mismatch};

/// What happened, in words for people.
pub type Cause = Cow<'static, str>;

/// Why a call did not do what it was asked. It says what the caller must do, nothing about the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Certainly not applied: may be sent again.
    NotDone(Cause),
    /// May have been applied, or may still be: resolve it, assume nothing.
    Unknown(Cause),
    /// Certainly not applied, and not now: again after a while.
    Busy {
        /// What is busy.
        scope: Scope,
        /// When to come again.
        after: Duration,
        /// Why.
        cause: Cause,
    },
    /// This request can never work: a fault of the plan, or too large.
    Refused(Cause),
    /// Stored data can't be read.
    Broken(Cause),
}

/// What is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One key or its partition.
    Key,
    /// One table.
    Table,
    /// All of it.
    Store,
}

impl Fault {
    /// A refusal with its reason.
    pub fn refused(cause: impl Into<Cause>) -> Self {
        Self::Refused(cause.into())
    }

    /// The reason.
    pub fn cause(&self) -> &str {
        match self {
            Self::NotDone(cause)
            | Self::Unknown(cause)
            | Self::Busy { cause, .. }
            | Self::Refused(cause)
            | Self::Broken(cause) => cause,
        }
    }
}

/// What a call answers that did several things one by one. It is certain that nothing happened only when that is certain of
/// each.
///
/// # Errors
/// The first fault; `Unknown` where others may have happened.
pub fn one_by_one(answers: Vec<Result<(), Fault>>) -> Result<(), Fault> {
    let certain = |answer: &Result<(), Fault>| matches!(answer, Err(Fault::NotDone(_) | Fault::Busy { .. }));
    let nothing = answers.iter().all(certain);
    match answers.into_iter().find_map(Result::err) {
        Some(fault @ (Fault::NotDone(_) | Fault::Busy { .. })) if !nothing => {
            Err(Fault::Unknown(format!("of one of several rows: {fault}").into()))
        }
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

impl From<Mismatch> for Fault {
    fn from(mismatch: Mismatch) -> Self {
        Self::Refused(mismatch.to_string().into())
    }
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::Broken(malformed.to_string().into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::NotDone(_) => "not done",
            Self::Unknown(_) => "unknown",
            Self::Busy { .. } => "busy",
            Self::Refused(_) => "refused",
            Self::Broken(_) => "broken",
        };
        write!(f, "{word}: {}", self.cause())
    }
}

impl std::error::Error for Fault {}
