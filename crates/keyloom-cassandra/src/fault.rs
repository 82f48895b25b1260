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

#[cfg(test)]
mod tests {
    use scylla::{
        errors::{BrokenConnectionErrorKind, ConnectionPoolError, OperationType, WriteType},
        statement::Consistency,
    };

    use super::*;

    const ALL: [Asked; 5] = [Asked::Read, Asked::Write, Asked::Batch, Asked::Decision, Asked::Change];

    /// A fault in a word.
    fn word(fault: &Fault) -> &'static str {
        match fault {
            Fault::NotDone(_) => "not done",
            Fault::Unknown(_) => "unknown",
            Fault::Busy { .. } => "busy",
            Fault::Refused(_) => "refused",
            Fault::Broken(_) => "broken",
        }
    }

    fn said(asked: Asked, error: DbError, words: &str) -> &'static str {
        let error = ExecutionError::LastAttemptError(RequestAttemptError::DbError(error, words.to_owned()));
        word(&asked.failed(&error))
    }

    /// What the same answer of the server means for a read, a write, a logged batch, a decision.
    #[track_caller]
    fn assert_means(error: &DbError, expected: [&str; 4]) {
        let found =
            [Asked::Read, Asked::Write, Asked::Batch, Asked::Decision].map(|asked| said(asked, error.clone(), ""));
        assert_eq!(found, expected, "{error:?}");
    }

    fn write_timeout(write_type: WriteType) -> DbError {
        DbError::WriteTimeout { consistency: Consistency::LocalQuorum, received: 1, required: 2, write_type }
    }

    #[test]
    fn what_can_never_work_is_refused() {
        let exists = DbError::AlreadyExists { keyspace: String::new(), table: String::new() };
        for error in [
            DbError::SyntaxError,
            DbError::Invalid,
            DbError::Unauthorized,
            DbError::ConfigError,
            DbError::ProtocolError,
            exists,
        ] {
            assert_means(&error, ["refused"; 4]);
        }
    }

    #[test]
    fn a_write_that_timed_out_is_unknown_whatever_its_type() {
        for write_type in [
            WriteType::Simple,
            WriteType::Batch,
            WriteType::UnloggedBatch,
            WriteType::BatchLog,
            WriteType::Cas,
            WriteType::Counter,
            WriteType::View,
            WriteType::Other("CAS_READ".to_owned()),
        ] {
            assert_means(&write_timeout(write_type.clone()), ["not done", "unknown", "unknown", "unknown"]);
            let (consistency, received, required, numfailures) = (Consistency::LocalQuorum, 0, 2, 2);
            let failure = DbError::WriteFailure { consistency, received, required, numfailures, write_type };
            assert_means(&failure, ["not done", "unknown", "unknown", "unknown"]);
        }
    }

    #[test]
    fn unavailable_is_certain_unless_a_decision_was_about_to_be_written() {
        let unavailable = |consistency| DbError::Unavailable { consistency, required: 2, alive: 1 };
        assert_means(&unavailable(Consistency::LocalQuorum), ["not done", "not done", "not done", "unknown"]);
        assert_means(&unavailable(Consistency::LocalSerial), ["not done"; 4]);
    }

    #[test]
    fn an_overloaded_server_is_busy_only_where_nothing_can_have_begun() {
        for error in [DbError::Overloaded, DbError::IsBootstrapping] {
            assert_means(&error, ["busy", "busy", "unknown", "unknown"]);
        }
        let limited = |rejected_by_coordinator| DbError::RateLimitReached {
            op_type: OperationType::Write,
            rejected_by_coordinator,
        };
        assert_means(&limited(true), ["busy", "busy", "unknown", "unknown"]);
        assert_means(&limited(false), ["busy", "unknown", "unknown", "unknown"]);
    }

    #[test]
    fn a_read_that_meets_too_many_tombstones_is_not_sent_again() {
        let consistency = Consistency::LocalQuorum;
        let failure =
            || DbError::ReadFailure { consistency, received: 0, required: 1, numfailures: 1, data_present: false };
        let words = "Operation failed - received 0 responses and 1 failures: READ_TOO_MANY_TOMBSTONES from /10.0.0.1";
        assert_eq!(said(Asked::Read, failure(), words), "refused");
        assert_eq!(said(Asked::Read, failure(), "Operation failed: UNKNOWN from /10.0.0.1"), "not done");
    }

    #[test]
    fn errors_of_the_server_that_say_nothing_leave_a_write_open() {
        let timeout = DbError::ReadTimeout {
            consistency: Consistency::LocalSerial,
            received: 1,
            required: 2,
            data_present: false,
        };
        for error in [DbError::ServerError, DbError::TruncateError, DbError::Other(0x1700), timeout] {
            assert_means(&error, ["not done", "unknown", "unknown", "unknown"]);
        }
    }

    #[test]
    fn what_was_never_sent_is_not_done_and_what_was_is_unknown() {
        let broken = BrokenConnectionErrorKind::ChannelError.into();
        let broken = ExecutionError::LastAttemptError(RequestAttemptError::BrokenConnectionError(broken));
        let late = ExecutionError::RequestTimeout(Duration::from_secs(1));
        let pool = ExecutionError::ConnectionPoolError(ConnectionPoolError::Initializing);
        for asked in ALL {
            let sent = if asked == Asked::Read { "not done" } else { "unknown" };
            assert_eq!((word(&asked.failed(&broken)), word(&asked.failed(&late))), (sent, sent), "{asked:?}");
            assert_eq!(word(&asked.failed(&pool)), "not done", "{asked:?}");
            assert_eq!(word(&asked.failed(&ExecutionError::EmptyPlan)), "not done", "{asked:?}");
            let crowded = ExecutionError::LastAttemptError(RequestAttemptError::UnableToAllocStreamId);
            assert_eq!(word(&asked.failed(&crowded)), "busy", "{asked:?}");
        }
    }

    #[test]
    fn several_rows_are_not_done_only_when_each_is() {
        let not_done = || Err(Fault::NotDone("a".into()));
        let unknown = || Err(Fault::Unknown("b".into()));
        let word = |answers| together(answers).map_err(|fault| word(&fault));
        assert_eq!(word(vec![Ok(()), Ok(())]), Ok(()));
        assert_eq!(word(vec![not_done(), not_done()]), Err("not done"));
        assert_eq!(word(vec![Ok(()), not_done()]), Err("unknown"));
        assert_eq!(word(vec![not_done(), unknown()]), Err("unknown"));
    }
}
