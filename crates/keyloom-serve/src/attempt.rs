//! Which attempt of a write this is, as its caller says.

use axum::http::{HeaderMap, HeaderName};
use keyloom_run::Inputs;

/// Says so.
pub(crate) const HEADER: &str = "Keyloom-Attempt";

/// The same, as headers are compared.
const NAME: HeaderName = HeaderName::from_static("keyloom-attempt");

/// The inputs of a request, as those of one that may have been sent before, unless the caller says that it is the first
/// attempt: then a refusal need not be remembered.
pub(crate) fn of(headers: &HeaderMap, inputs: Inputs) -> Result<Inputs, String> {
    let mut said = headers.get_all(&NAME).iter();
    let (Some(number), more) = (said.next(), said.next()) else { return Ok(inputs.sent_before()) };
    let number = number.to_str().ok().and_then(|text| text.trim().parse::<u32>().ok()).filter(|_| more.is_none());
    match number {
        Some(1) => Ok(inputs),
        Some(2..) => Ok(inputs.sent_before()),
        _ => Err(format!(
            "the header `{HEADER}` is 1 for the first attempt of a request, 2 for its first repeat, and so on"
        )),
    }
}
