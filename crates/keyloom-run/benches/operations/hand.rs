//! What code by hand does alike on every engine.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_value::{
    Kind, Value, from_text,
    json::{from_json, to_json, write_json, write_name},
};
use serde_json::{Map, Value as Json};

/// Rows of a page.
pub const PAGE: usize = 100;
/// How many requests a row remembers.
pub const TOKENS_MAX: usize = 16;

const MILLIS: Kind = Kind::Timestamp { micros: false };

/// A task.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    pub task_id: [u8; 16],
    pub team_id: i64,
    pub owner_id: i64,
    pub title: &'a str,
    pub due_at: i64,
    pub status: &'a str,
    pub hours: i64,
}

impl<'a> Task<'a> {
    /// One that is new.
    pub fn new(inputs: &'a Json) -> Self {
        Self {
            task_id: uuid(inputs["task_id"].as_str().unwrap()),
            team_id: inputs["team_id"].as_i64().unwrap(),
            owner_id: inputs["owner_id"].as_i64().unwrap(),
            title: inputs["title"].as_str().unwrap(),
            due_at: moment(&inputs["due_at"]),
            status: "OPEN",
            hours: 0,
        }
    }

    /// As it is answered.
    pub fn shown(&self) -> String {
        let fields = [
            ("task_id", Value::Uuid(self.task_id), &Kind::Uuid),
            ("team_id", Value::Int(self.team_id), &Kind::Int),
            ("owner_id", Value::Int(self.owner_id), &Kind::Int),
            ("title", Value::from(self.title), &Kind::Text),
            ("due_at", Value::Timestamp(self.due_at), &MILLIS),
            ("status", Value::from(self.status), &Kind::Text),
            ("hours", Value::Int(self.hours), &Kind::Int),
        ];
        let mut answer = String::with_capacity(256);
        for (name, value, kind) in fields {
            answer.push(if answer.is_empty() { '{' } else { ',' });
            write_name(name, &mut answer);
            write_json(&value, kind, &mut answer).unwrap();
        }
        answer.push('}');
        answer
    }

    /// Where the page goes on that it is the last one of.
    pub fn cursor(&self, secret: &[u8; 32]) -> String {
        let place = [&self.team_id.to_be_bytes()[..], &self.due_at.to_be_bytes(), &self.task_id];
        let mut cursor = place.concat();
        cursor.extend_from_slice(&blake3::keyed_hash(secret, &cursor).as_bytes()[..16]);
        URL_SAFE_NO_PAD.encode(cursor)
    }
}

/// A note.
pub struct Note<'a> {
    pub task_id: [u8; 16],
    pub note_id: [u8; 16],
    pub author_id: i64,
    pub words: &'a str,
    /// When the request was made, and as the last digits what stands for the note: of two that were sent under one key the
    /// same one stands everywhere.
    pub version: i64,
    pub created_us: i64,
}

impl<'a> Note<'a> {
    pub fn new(key: &str, inputs: &'a Json) -> Self {
        let (author_id, words) = (inputs["author_id"].as_i64().unwrap(), inputs["words"].as_str().unwrap());
        let digest = blake3::hash(&[&author_id.to_be_bytes()[..], words.as_bytes()].concat());
        let slot = u32::from_be_bytes(*digest.as_bytes().first_chunk().unwrap()) % 499;
        let created_us = birth_ms(key) * 1_000;
        Self {
            task_id: uuid(inputs["task_id"].as_str().unwrap()),
            note_id: uuid(key),
            author_id,
            words,
            version: created_us + 2 * i64::from(slot),
            created_us,
        }
    }

    /// Its key, as it is answered.
    pub fn key(&self) -> Json {
        let mut answer = Map::new();
        answer.insert("task_id".into(), to_json(&Value::Uuid(self.task_id), &Kind::Uuid).unwrap());
        answer.insert("note_id".into(), to_json(&Value::Uuid(self.note_id), &Kind::Uuid7).unwrap());
        Json::Object(answer)
    }
}

/// What a row remembers of a request: bytes that stand for its key, and for what was sent.
pub fn digests(key: &str, inputs: &Json) -> [Vec<u8>; 2] {
    [key, &inputs.to_string()].map(|text| blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec())
}

/// When a request was made, by its key.
pub fn birth_ms(key: &str) -> i64 {
    uuid(key)[..6].iter().fold(0, |birth, byte| birth << 8 | i64::from(*byte))
}

/// A uuid as it stands among those of a list: by its version first.
pub fn ordered(uuid: &[u8; 16]) -> [u8; 17] {
    let mut bytes = [uuid[6] >> 4; 17];
    bytes[1..].copy_from_slice(uuid);
    bytes
}

/// A number as bytes that have its order.
pub fn turned(number: i64) -> [u8; 8] {
    (number ^ i64::MIN).to_be_bytes()
}

pub fn uuid(text: &str) -> [u8; 16] {
    match from_text(text, &Kind::Uuid) {
        Ok(Value::Uuid(uuid)) => uuid,
        other => panic!("{other:?}"),
    }
}

pub fn moment(json: &Json) -> i64 {
    match from_json(json, &MILLIS) {
        Ok(Value::Timestamp(moment)) => moment,
        other => panic!("{other:?}"),
    }
}

pub fn now_ms() -> i64 {
    (now_us() / 1_000).cast_signed()
}

pub fn now_us() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
    u64::try_from(now).unwrap()
}
