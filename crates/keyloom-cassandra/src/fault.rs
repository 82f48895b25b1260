//! What an answer of Cassandra, or the lack of one, means for the caller.

use std::time::Duration;

use keyloom_store::{Cause, Fault, Scope};
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};

/// What was asked when it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Rows: nothing can have changed.
    Read,
    /// One plain write of one partition.
    Write,
    /// A logged batch: once its log is written it will be carried out, whatever the answer is.
    Batch,
    /// A conditional write: others may finish what this client was told nothing about.
    Decision,
    /// A change of the schema.
    Change,
}

/// How long somebody waits who was told that Cassandra is overloaded.
const BREATH: Duration = Duration::from_millis(200);

impl Asked {
    /// What a failed request comes to.
    pub(crate) fn failed(self, error: &ExecutionError) -> Fault {
        let cause = error.to_string().into();
        match error {
            ExecutionError::BadQuery(_) => Fault::Refused(cause),
            // Nothing was sent.
            ExecutionError::EmptyPlan | ExecutionError::ConnectionPoolError(_) => Fault::NotDone(cause),
            ExecutionError::PrepareError(error) => unprepared(error),
            ExecutionError::LastAttemptError(error) => self.attempted(error),
            _ => self.in_doubt(cause),
        }
    }

    fn attempted(self, error: &RequestAttemptError) -> Fault {
        let cause = error.to_string().into();
        match error {
            RequestAttemptError::SerializationError(_) | RequestAttemptError::CqlRequestSerialization(_) => {
                Fault::Refused(cause)
            }
            RequestAttemptError::UnableToAllocStreamId => busy(Scope::Store, cause),
            RequestAttemptError::RepreparedIdChanged { .. } | RequestAttemptError::RepreparedIdMissingInBatch => {
                Fault::NotDone(cause)
            }
            RequestAttemptError::DbError(error, words) => self.answered(error, words, cause),
            // The connection broke, or what came back can't be read.
            _ => self.in_doubt(cause),
        }
    }

    /// What an error of the server comes to.
    fn answered(self, error: &DbError, words: &str, cause: Cause) -> Fault {
        match error {
            DbError::SyntaxError
            | DbError::Invalid
            | DbError::AlreadyExists { .. }
            | DbError::FunctionFailure { .. }
            | DbError::AuthenticationError
            | DbError::Unauthorized
            | DbError::ConfigError
            | DbError::ProtocolError => Fault::Refused(cause),
            // A read that meets too many tombstones, or rows above a limit of the operator, will do so again.
            DbError::ReadFailure { .. } if words.contains("TOO_MANY_TOMBSTONES") || words.contains("READ_SIZE") => {
                Fault::Refused(cause)
            }
            // A decision looks twice whether enough nodes are up: before it proposes, at the serial level, and when it
            // writes what was accepted, at the level of the write. After the second others may finish it.
            DbError::Unavailable { consistency, .. } if self == Self::Decision && !consistency.is_serial() => {
                Fault::Unknown(cause)
            }
            DbError::Unavailable { .. } | DbError::Unprepared { .. } => Fault::NotDone(cause),
            DbError::Overloaded | DbError::IsBootstrapping if matches!(self, Self::Read | Self::Write) => {
                busy(Scope::Store, cause)
            }
            DbError::RateLimitReached { rejected_by_coordinator, .. }
                if self == Self::Read || *rejected_by_coordinator && self == Self::Write =>
            {
                busy(Scope::Key, cause)
            }
            _ => self.in_doubt(cause),
        }
    }

    fn in_doubt(self, cause: Cause) -> Fault {
        match self {
            Self::Read => Fault::NotDone(cause),
            Self::Write | Self::Batch | Self::Decision | Self::Change => Fault::Unknown(cause),
        }
    }
}

/// What it comes to that a statement could not be prepared: nothing was carried out.
pub(crate) fn unprepared(error: &PrepareError) -> Fault {
    match error {
        PrepareError::AllAttemptsFailed { first_attempt } => Asked::Read.attempted(first_attempt),
        error => Fault::NotDone(error.to_string().into()),
    }
}

fn busy(scope: Scope, cause: Cause) -> Fault {
    Fault::Busy { scope, after: BREATH, cause }
}

/// What a call answers that placed several rows one by one. It is certain that nothing happened only when that is certain
/// of each.
pub(crate) fn together(answers: Vec<Result<(), Fault>>) -> Result<(), Fault> {
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
