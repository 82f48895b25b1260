//! What a caller has seen, as it presents it: rows that its own writes were answered with.

use axum::http::{HeaderMap, HeaderName};
use keyloom_run::{Inputs, Problem, Run};

/// Says so, in answers to writes and in reads.
pub(crate) const HEADER: &str = "Keyloom-Seen";

/// The same, as headers are compared.
pub(crate) const NAME: HeaderName = HeaderName::from_static("keyloom-seen");

/// The inputs of a read by a caller who presents what it has seen: one or several to a header, which may stand several times.
pub(crate) fn of(run: &Run, headers: &HeaderMap, inputs: Inputs) -> Result<Inputs, Problem> {
    let mut shown = Vec::new();
    for value in headers.get_all(&NAME) {
        let odd = |_| Problem::Seen(format!("the header `{HEADER}` is not plain text: present it as it was given out"));
        let texts = value.to_str().map_err(odd)?.split(',').map(str::trim);
        shown.extend(texts.filter(|text| !text.is_empty()));
    }
    if shown.is_empty() { Ok(inputs) } else { run.having_seen(inputs, &shown) }
}
