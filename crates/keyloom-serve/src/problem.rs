//! Every problem that a caller may be answered with, as RFC 9457 has them: the handlers answer with these, and the document
//! of the endpoints lists them.

/// A kind of problem.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// For programs: the end of its `type`.
    pub(crate) name: &'static str,
    /// The status it is answered with.
    pub(crate) status: u16,
    /// For people.
    pub(crate) title: &'static str,
}

impl Kind {
    const fn new(status: u16, name: &'static str, title: &'static str) -> Self {
        Self { name, status, title }
    }

    /// Its `type`.
    pub(crate) fn urn(&self) -> String {
        format!("urn:keyloom:problem:{}", self.name)
    }
}

pub(crate) const BAD_INPUT: Kind = Kind::new(400, "bad_input", "The inputs are not what the pattern takes");
pub(crate) const BAD_KEY: Kind = Kind::new(400, "bad_key", "The idempotency key is missing or malformed");
pub(crate) const BAD_CURSOR: Kind = Kind::new(400, "bad_cursor", "The cursor can't be used");
pub(crate) const BAD_SEEN: Kind = Kind::new(400, "bad_seen", "What was seen can't be used");
pub(crate) const BAD_BODY: Kind = Kind::new(400, "bad_body", "The body is malformed");
pub(crate) const NO_HOST: Kind = Kind::new(400, "no_host", "The host is missing");
pub(crate) const NO_CALLER: Kind = Kind::new(401, "no_caller", "A key is needed");
pub(crate) const NOT_YOURS: Kind = Kind::new(403, "not_yours", "Not for everybody");
pub(crate) const NO_ROW: Kind = Kind::new(404, "no_row", "There is no such row");
pub(crate) const BAD_TOKEN: Kind = Kind::new(404, "bad_token", "There is no such token");
pub(crate) const NO_PATTERN: Kind = Kind::new(404, "no_pattern", "There is no such pattern");
pub(crate) const NO_PAGE: Kind = Kind::new(404, "no_page", "There is nothing here");
pub(crate) const NO_DATA: Kind = Kind::new(404, "no_data", "There is no data here");
pub(crate) const WRONG_METHOD: Kind = Kind::new(405, "wrong_method", "Another method is needed");
pub(crate) const TOO_SLOW: Kind = Kind::new(408, "too_slow", "The body did not come in time");
pub(crate) const NOT_APPLIED: Kind = Kind::new(409, "not_applied", "The write was not applied");
pub(crate) const TOO_LARGE: Kind = Kind::new(413, "too_large", "The body is too large");
pub(crate) const NOT_JSON: Kind = Kind::new(415, "not_json", "The body is not said to be JSON");
pub(crate) const OTHER_HOST: Kind = Kind::new(421, "other_host", "Not this host");
pub(crate) const KEY_TIME: Kind = Kind::new(422, "key_time", "The idempotency key is out of its time");
pub(crate) const KEY_REUSED: Kind = Kind::new(422, "key_reused", "The idempotency key was used with other inputs");
pub(crate) const BROKEN: Kind = Kind::new(500, "broken", "Stored data can't be read");
pub(crate) const BUSY: Kind = Kind::new(503, "busy", "Not now; nothing was done");

/// All of them.
pub(crate) const ALL: &[Kind] = &[
    BAD_INPUT,
    BAD_KEY,
    BAD_CURSOR,
    BAD_SEEN,
    BAD_BODY,
    NO_HOST,
    NO_CALLER,
    NOT_YOURS,
    NO_ROW,
    BAD_TOKEN,
    NO_PATTERN,
    NO_PAGE,
    NO_DATA,
    WRONG_METHOD,
    TOO_SLOW,
    NOT_APPLIED,
    TOO_LARGE,
    NOT_JSON,
    OTHER_HOST,
    KEY_TIME,
    KEY_REUSED,
    BROKEN,
    BUSY,
];
