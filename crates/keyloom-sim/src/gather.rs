use std::{future::poll_fn, pin::Pin, task::Poll};

use keyloom_store::Fault;

/// What all of the futures return, in their order; they run beside each other.
pub(crate) async fn all<T>(futures: impl IntoIterator<Item = impl Future<Output = T> + Send>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut ready = true;
        for (future, value) in &mut waiting {
            if value.is_none() {
                match Pin::new(future).poll(context) {
                    Poll::Ready(returned) => *value = Some(returned),
                    Poll::Pending => ready = false,
                }
            }
        }
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, value)| value).collect()
}

/// What a call answers that placed several rows one by one. It is certain that nothing happened only when that is certain
/// of each.
pub(crate) fn placed(answers: Vec<Result<(), Fault>>) -> Result<(), Fault> {
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
