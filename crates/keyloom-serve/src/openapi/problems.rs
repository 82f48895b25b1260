//! Problems in the document: one schema, and one response for each status that several patterns have.

use keyloom_model::{Catalog, Endpoint};
use serde_json::{Value as Json, json};

use super::{
    Object,
    schema::{Side, object, reference},
};
use crate::problem::{
    BAD_BODY, BAD_CURSOR, BAD_INPUT, BAD_KEY, BAD_SEEN, BAD_TOKEN, BROKEN, BUSY, KEY_REUSED, KEY_TIME, Kind, NO_CALLER,
    NO_HOST, NO_ROW, NOT_JSON, NOT_YOURS, OTHER_HOST, TOO_LARGE, TOO_SLOW,
};

/// A problem that more than one pattern may answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    BadRequest,
    NoCaller,
    NotYours,
    NoRow,
    BadToken,
    TooSlow,
    TooLarge,
    NotJson,
    OtherHost,
    Key,
    Broken,
    Busy,
}

impl Shared {
    const ALL: [Self; 12] = [
        Self::BadRequest,
        Self::NoCaller,
        Self::NotYours,
        Self::NoRow,
        Self::BadToken,
        Self::TooSlow,
        Self::TooLarge,
        Self::NotJson,
        Self::OtherHost,
        Self::Key,
        Self::Broken,
        Self::Busy,
    ];

    /// Those of every call. A key may be asked for by every server that has some; a key may be one of another tenant where
    /// there are tenants.
    pub(super) fn always(catalog: &Catalog) -> Vec<Self> {
        let others: &[Self] = if catalog.tenant.is_some() { &[Self::NotYours] } else { &[] };
        [&[Self::NoCaller], others, &[Self::BadRequest, Self::OtherHost, Self::Broken, Self::Busy]].concat()
    }

    /// Those of a pattern that follow from how it is asked.
    pub(super) fn of(catalog: &Catalog, endpoint: &Endpoint) -> Vec<Self> {
        let mut all = Self::always(catalog);
        if endpoint.method == "POST" {
            all.extend([Self::TooSlow, Self::TooLarge, Self::NotJson]);
        }
        all
    }

    /// Its status in the responses of an operation, and where it is said what it is.
    pub(super) fn reference(&self) -> (String, Json) {
        let (name, kinds, _) = self.about();
        let status = kinds.first().map_or(500, |kind| kind.status);
        (status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }))
    }

    fn about(self) -> (&'static str, &'static [&'static Kind], &'static str) {
        match self {
            Self::BadRequest => (
                "bad_request",
                &[&BAD_INPUT, &BAD_KEY, &BAD_CURSOR, &BAD_SEEN, &BAD_BODY, &NO_HOST],
                "inputs, key, cursor or what was seen are not what is asked for; `detail` says what to write",
            ),
            Self::NoCaller => ("no_caller", &[&NO_CALLER], "there is no key, or it is not known"),
            Self::NotYours => ("not_yours", &[&NOT_YOURS], "the key is not enough for this"),
            Self::BadToken => ("bad_token", &[&BAD_TOKEN], "no such token was given out here"),
            Self::NoRow => ("no_row", &[&NO_ROW], "there is no such row"),
            Self::TooSlow => ("too_slow", &[&TOO_SLOW], "the body did not end in time; nothing was done"),
            Self::TooLarge => ("too_large", &[&TOO_LARGE], "the body is too large; nothing was done"),
            Self::NotJson => ("not_json", &[&NOT_JSON], "the body is not said to be JSON; nothing was done"),
            Self::OtherHost => ("other_host", &[&OTHER_HOST], "the request is for a host that this is not"),
            Self::Key => (
                "key_refused",
                &[&KEY_TIME, &KEY_REUSED],
                "the idempotency key is too old, from the future, or was used with other inputs; nothing was done",
            ),
            Self::Broken => ("broken", &[&BROKEN], "stored data can't be read; the server's log says more"),
            Self::Busy => ("busy", &[&BUSY], "not now; nothing was done"),
        }
    }
}

/// All shared responses that this catalog's operations may name.
pub(super) fn responses(catalog: &Catalog) -> Json {
    let mut responses = Object::new();
    for shared in Shared::ALL {
        if shared == Shared::NotYours && catalog.tenant.is_none() {
            continue;
        }
        let (name, kinds, words) = shared.about();
        let names: Vec<String> = kinds.iter().map(|kind| kind.urn()).collect();
        let narrowed = json!({
            "allOf": [reference("problem")],
            "properties": { "type": { "type": "string", "enum": names } },
        });
        let mut response = problem(words, narrowed);
        match shared {
            Shared::Busy => {
                response["headers"] = json!({ "Retry-After": { "$ref": "#/components/headers/retry_after" } });
            }
            Shared::NoCaller => {
                response["headers"] =
                    json!({ "WWW-Authenticate": { "$ref": "#/components/headers/www_authenticate" } });
            }
            _ => {}
        }
        responses.insert(name.into(), response);
    }
    Json::Object(responses)
}

/// A response with a problem.
pub(super) fn problem(description: &str, schema: Json) -> Json {
    json!({ "description": description, "content": { "application/problem+json": { "schema": schema } } })
}

/// A problem.
pub(super) fn schema() -> Json {
    object(members().into_iter(), Side::Given)
}

/// What all problems have.
pub(super) fn members() -> [(&'static str, Json, bool); 4] {
    let text = |words: &str| json!({ "type": "string", "description": words });
    let kind = json!({ "type": "string", "format": "uri", "description": "which problem it is, for programs" });
    [
        ("type", kind, true),
        ("title", text("which problem it is, for people"), true),
        ("status", json!({ "type": "integer", "minimum": 400, "maximum": 599 }), true),
        ("detail", text("what is wrong with this request, and what to do"), true),
    ]
}
