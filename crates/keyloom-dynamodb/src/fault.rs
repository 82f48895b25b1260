//! What DynamoDB's errors mean to a caller.
//!
//! | the client says | a read | a write |
//! |---|---|---|
//! | it could not connect, or not make the request | not done | not done |
//! | no answer, or one that can't be read, or a server's error (5xx), or "in progress" | not done | unknown |
//! | throttled, by whatever limit; a conflict with a transaction | busy | busy |
//! | anything else (4xx) | refused | refused |

use std::{error::Error, time::Duration};

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
    operation::{
        batch_get_item::BatchGetItemError, get_item::GetItemError, put_item::PutItemError, query::QueryError,
        scan::ScanError, transact_write_items::TransactWriteItemsError, update_item::UpdateItemError,
    },
    types::ThrottlingReason,
};
use keyloom_store::{Fault, Scope};

/// A call's error.
pub(crate) type CallError<E> = SdkError<E, HttpResponse>;

/// Whether a call may have changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Write,
}

/// When to come again: a key cools down fast, an account does not.
const KEY_AFTER: Duration = Duration::from_millis(50);
const TABLE_AFTER: Duration = Duration::from_millis(100);
const STORE_AFTER: Duration = Duration::from_millis(500);

/// Errors that may carry why a call was throttled.
pub(crate) trait Throttled: ProvideErrorMetadata + Error + 'static {
    /// The reasons, where the engine gives any.
    fn reasons(&self) -> &[ThrottlingReason] {
        &[]
    }
}

macro_rules! throttled {
    ($($error:ident),+) => {$(
        impl Throttled for $error {
            fn reasons(&self) -> &[ThrottlingReason] {
                match self {
                    Self::ProvisionedThroughputExceededException(error) => error.throttling_reasons(),
                    Self::RequestLimitExceeded(error) => error.throttling_reasons(),
                    Self::ThrottlingException(error) => error.throttling_reasons(),
                    _ => &[],
                }
            }
        }
    )+};
}

throttled!(
    BatchGetItemError,
    GetItemError,
    PutItemError,
    QueryError,
    ScanError,
    TransactWriteItemsError,
    UpdateItemError
);

/// What an error of a call means.
pub(crate) fn fault<E: Throttled>(error: &CallError<E>, call: Call) -> Fault {
    let words = words(error);
    let in_doubt = |words: String| match call {
        Call::Read => Fault::NotDone(words.into()),
        Call::Write => Fault::Unknown(words.into()),
    };
    match error {
        SdkError::ConstructionFailure(_) => Fault::NotDone(words.into()),
        SdkError::DispatchFailure(_) if never_sent(error) => Fault::NotDone(words.into()),
        SdkError::ServiceError(answer) => {
            let (code, status) = (answer.err().code().unwrap_or_default(), answer.raw().status().as_u16());
            coded(code, answer.err().reasons(), &words).unwrap_or_else(|| match code {
                "TransactionInProgressException" => in_doubt(words),
                _ if status >= 500 => in_doubt(words),
                _ => Fault::Refused(words.into()),
            })
        }
        _ => in_doubt(words),
    }
}

/// What an error code means, where it means the same for reads and writes.
pub(crate) fn coded(code: &str, reasons: &[ThrottlingReason], words: &str) -> Option<Fault> {
    let busy = |scope, after| Some(Fault::Busy { scope, after, cause: words.to_owned().into() });
    match code {
        "ProvisionedThroughputExceededException"
        | "ProvisionedThroughputExceeded"
        | "ThrottlingException"
        | "ThrottlingError"
        | "RequestLimitExceeded" => match scope(code, reasons) {
            Scope::Key => busy(Scope::Key, KEY_AFTER),
            Scope::Table => busy(Scope::Table, TABLE_AFTER),
            Scope::Store => busy(Scope::Store, STORE_AFTER),
        },
        "TransactionConflictException" | "TransactionConflict" | "ReplicatedWriteConflictException" => {
            busy(Scope::Key, KEY_AFTER)
        }
        // Of a control request: too many tables are being changed at once.
        "LimitExceededException" => busy(Scope::Store, STORE_AFTER),
        _ => None,
    }
}

/// What is busy. The reasons name a limit after a resource and an operation, as in `TableWriteKeyRangeThroughputExceeded`.
fn scope(code: &str, reasons: &[ThrottlingReason]) -> Scope {
    let named = |limit: &str| reasons.iter().filter_map(ThrottlingReason::reason).any(|reason| reason.ends_with(limit));
    if named("AccountLimitExceeded") || code == "RequestLimitExceeded" {
        Scope::Store
    } else if named("KeyRangeThroughputExceeded") {
        Scope::Key
    } else {
        Scope::Table
    }
}

/// Whether the request has certainly not left: there was nobody to sign it, or no connection to send it on.
fn never_sent(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|error| {
        let unconnected = error.downcast_ref::<hyper_util::client::legacy::Error>();
        error.is::<CredentialsError>() || unconnected.is_some_and(hyper_util::client::legacy::Error::is_connect)
    })
}

/// What happened, in words: the engine's own where it has answered.
fn words<E: ProvideErrorMetadata + Error + 'static>(error: &CallError<E>) -> String {
    if let Some(code) = error.code() {
        return format!("DynamoDB: {code}: {}", error.message().unwrap_or("without a message"));
    }
    let mut words: Vec<String> = causes(error).map(ToString::to_string).collect();
    words.dedup();
    format!("DynamoDB: {}", words.join(": "))
}

/// An error, what caused it, and so on.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::{
        error::ErrorMetadata,
        types::error::{InternalServerError, ThrottlingException},
    };

    use super::*;

    fn answered(error: PutItemError, status: u16) -> CallError<PutItemError> {
        SdkError::service_error(error, HttpResponse::new(status.try_into().unwrap(), "".into()))
    }

    fn unhandled(code: &str) -> PutItemError {
        PutItemError::generic(ErrorMetadata::builder().code(code).message("why").build())
    }

    #[test]
    fn a_throttled_call_says_what_is_busy_by_its_reason() {
        for (reason, expected) in [
            ("TableWriteKeyRangeThroughputExceeded", Scope::Key),
            ("IndexWriteKeyRangeThroughputExceeded", Scope::Key),
            ("TableWriteProvisionedThroughputExceeded", Scope::Table),
            ("TableReadMaxOnDemandThroughputExceeded", Scope::Table),
            ("TableWriteAccountLimitExceeded", Scope::Store),
            ("SomethingNew", Scope::Table),
        ] {
            let reason = ThrottlingReason::builder().reason(reason).build();
            let code = ErrorMetadata::builder().code("ThrottlingException").build();
            let error = ThrottlingException::builder().throttling_reasons(reason.clone()).meta(code).build();
            let fault = fault(&answered(PutItemError::ThrottlingException(error), 400), Call::Write);
            let Fault::Busy { scope, after, .. } = fault else { panic!("{reason:?} is busy: {fault}") };
            assert_eq!(scope, expected, "{reason:?}");
            assert!(after > Duration::ZERO);
        }
        for code in ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "TransactionConflictException"] {
            assert!(matches!(fault(&answered(unhandled(code), 400), Call::Read), Fault::Busy { .. }), "{code}");
        }
        for code in ["ThrottlingError", "ProvisionedThroughputExceeded", "TransactionConflict"] {
            assert!(matches!(coded(code, &[], "why"), Some(Fault::Busy { .. })), "{code} cancels a transaction");
        }
    }

    #[test]
    fn what_the_server_could_not_do_is_in_doubt_only_for_writes() {
        let error = || answered(PutItemError::InternalServerError(InternalServerError::builder().build()), 500);
        assert!(matches!(fault(&error(), Call::Write), Fault::Unknown(_)));
        assert!(matches!(fault(&error(), Call::Read), Fault::NotDone(_)));
        let going_on = answered(unhandled("TransactionInProgressException"), 400);
        assert!(matches!(fault(&going_on, Call::Write), Fault::Unknown(_)));
        let timed_out = || SdkError::<PutItemError, HttpResponse>::timeout_error("no answer");
        assert!(matches!(fault(&timed_out(), Call::Write), Fault::Unknown(_)));
        assert!(matches!(fault(&timed_out(), Call::Read), Fault::NotDone(_)));
        let unsent = SdkError::<PutItemError, HttpResponse>::construction_failure("no credentials");
        assert!(matches!(fault(&unsent, Call::Write), Fault::NotDone(_)), "it never left");
        let garbled = HttpResponse::new(200.try_into().unwrap(), "<html>".into());
        let garbled = SdkError::<PutItemError, _>::response_error("no JSON", garbled);
        assert!(matches!(fault(&garbled, Call::Write), Fault::Unknown(_)), "somebody has answered, and not said what");
    }

    #[tokio::test]
    async fn what_nobody_can_sign_is_not_done() {
        use aws_credential_types::provider::{ProvideCredentials, future};
        use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};

        #[derive(Debug)]
        struct Nobody;

        impl ProvideCredentials for Nobody {
            fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
            where
                Self: 'a,
            {
                future::ProvideCredentials::ready(Err(CredentialsError::not_loaded("nobody is here")))
            }
        }

        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .region(Region::new("nowhere"))
            .endpoint_url("http://127.0.0.1:9")
            .credentials_provider(Nobody)
            .build();
        let call = aws_sdk_dynamodb::Client::from_conf(config).put_item().table_name("t");
        let error = call.set_item(Some(Default::default())).send().await.expect_err("nobody signs it");
        let fault = fault(&error, Call::Write);
        assert!(matches!(&fault, Fault::NotDone(cause) if cause.contains("nobody is here")), "{fault:?}");
    }

    #[test]
    fn what_can_never_work_is_refused_in_the_engine_s_words() {
        for code in ["ValidationException", "ResourceNotFoundException", "AccessDeniedException", "SomethingNew"] {
            let fault = fault(&answered(unhandled(code), 400), Call::Write);
            let Fault::Refused(cause) = fault else { panic!("{code} is refused: {fault}") };
            assert!(cause.contains(code) && cause.contains("why"), "{cause}");
        }
    }
}
