//! The idempotency key of a request, and what is made from it: its token, its birth, new identities.

use keyloom_value::{Kind, Value, from_text, to_text};

use crate::{caller::Caller, digest::digest, inputs::Inputs, problem::Problem};

/// How far a key may come from the future: clocks differ.
const AHEAD_MS: i64 = 60_000;

/// An idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    text: String,
    /// Stands for who sent it: two callers may well have the same key.
    pub(crate) caller: [u8; 16],
    /// When the request was born, in milliseconds since 1970.
    pub(crate) birth_ms: i64,
    /// The moment that identities made of it name: the same for every attempt.
    made_ms: i64,
}

impl IdempotencyKey {
    /// Reads a key: a uuid of version 7, or up to 64 printable characters, `;`, and milliseconds since 1970.
    ///
    /// # Errors
    /// When it is neither, or was born outside the horizon of retries.
    pub fn read(text: &str, caller: &Caller, now_ms: i64, retries_ms: i64) -> Result<Self, Problem> {
        // A uuid is the same in capital letters.
        let lower = text.to_ascii_lowercase();
        let (text, birth_ms) = match (from_text(&lower, &Kind::Uuid), text.rsplit_once(';')) {
            (Ok(Value::Uuid(uuid)), _) if uuid[6] >> 4 == 7 => (lower.as_str(), born(&uuid)),
            (Ok(Value::Uuid(uuid)), _) => {
                let version = uuid[6] >> 4;
                return Err(Problem::Key(format!(
                    "this is a uuid of version {version}: it does not say when it was made. Send one of version 7, or \
                     `{lower};{now_ms}` with the milliseconds since 1970 at which the request was made"
                )));
            }
            (_, Some((name, birth)))
                if (1..=64).contains(&name.len())
                    && name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') =>
            {
                (text, birth.parse().ok().filter(|birth| *birth >= 0).ok_or_else(malformed)?)
            }
            _ => return Err(malformed()),
        };
        if birth_ms < now_ms.saturating_sub(retries_ms) {
            let hours = retries_ms / 3_600_000;
            // Read as seconds it would be of today.
            if birth_ms > (now_ms - retries_ms) / 1_000 && birth_ms <= (now_ms + AHEAD_MS) / 1_000 {
                return Err(Problem::Key(format!(
                    "the time in this idempotency key is in seconds; write milliseconds since 1970: `{birth_ms}000`"
                )));
            }
            return Err(Problem::KeyTime(format!(
                "this idempotency key is older than {hours} h, so whether it was used before is no longer known; look \
                 whether its effect is there, and if not send the request with a new key"
            )));
        }
        if birth_ms > now_ms.saturating_add(AHEAD_MS) {
            return Err(Problem::KeyTime(
                "this idempotency key was born more than 60 s in the future; set the clock of the sender".into(),
            ));
        }
        Ok(Self { text: text.to_owned(), caller: caller.seal(), birth_ms, made_ms: birth_ms })
    }

    /// The key of a request whose inputs say that it happens once. It was born when one of them says; where none does, now.
    ///
    /// # Errors
    /// When it was born outside the horizon of retries, unless `always`: then the row that it makes remembers it.
    pub(crate) fn once_per(
        pattern: &str,
        fields: &[String],
        inputs: &Inputs,
        now_us: i64,
        retries_ms: i64,
        always: bool,
    ) -> Result<Self, Problem> {
        let now_ms = now_us.div_euclid(1_000);
        let mut text = format!("once_per {pattern}");
        let mut said_ms = None;
        for field in fields {
            let (value, kind) = (inputs.value(field), inputs.kind(field).unwrap_or(Kind::Text));
            let word = to_text(&value, &kind).map_err(|mismatch| Problem::Input(mismatch.to_string()))?;
            // Each behind its length, so that no two lists look alike.
            text.push_str(&format!(" {}:{word}", word.len()));
            let moment = match (&value, &kind) {
                (Value::Uuid(uuid), Kind::Uuid7) => Some(born(uuid)),
                (Value::Timestamp(moment), Kind::Timestamp { micros }) => {
                    Some(if *micros { moment.div_euclid(1_000) } else { *moment })
                }
                _ => None,
            };
            said_ms = said_ms.or(moment);
        }
        let birth_ms = said_ms.filter(|_| !always).unwrap_or(now_ms);
        if birth_ms < now_ms.saturating_sub(retries_ms) || birth_ms > now_ms.saturating_add(AHEAD_MS) {
            return Err(Problem::KeyTime(format!(
                "what says that this happens once ({}) is older than {} h or from the future, so whether it happened is \
                 not known",
                fields.join(", "),
                retries_ms / 3_600_000
            )));
        }
        Ok(Self { text, caller: inputs.caller().seal(), birth_ms, made_ms: said_ms.unwrap_or(now_ms) })
    }

    /// The key of one item of a batch: by what it says, and which of several equal ones it is.
    pub(crate) fn item(&self, inputs: &[u8; 16], number: u32) -> Self {
        let digest = inputs.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Self { text: format!("{} {digest} {number}", self.text), ..*self }
    }

    /// What rows remember of it.
    pub(crate) fn token(&self) -> [u8; 16] {
        digest("token", &[&self.caller, self.text.as_bytes()])
    }

    /// The identity of a row that this request makes, always the same: a repeated create meets its own row.
    pub(crate) fn identity(&self, catalog: &str, entity: &str, field: &str, kind: &Kind) -> Value<'static> {
        let parts = [catalog.as_bytes(), entity.as_bytes(), field.as_bytes(), &self.caller, self.text.as_bytes()];
        let mut uuid: [u8; 16] = digest("identity", &parts);
        let version = if *kind == Kind::Uuid7 {
            uuid[..6].copy_from_slice(&self.made_ms.to_be_bytes()[2..]);
            0x70
        } else {
            // Version 8: made in a way of the maker's own.
            0x80
        };
        uuid[6] = uuid[6] & 0x0F | version;
        uuid[8] = uuid[8] & 0x3F | 0x80;
        Value::Uuid(uuid)
    }
}

/// When a uuid of version 7 was made.
pub(crate) fn born(uuid: &[u8; 16]) -> i64 {
    uuid[..6].iter().fold(0, |birth, byte| birth << 8 | i64::from(*byte))
}

fn malformed() -> Problem {
    Problem::Key(
        "an idempotency key is a uuid of version 7, or up to 64 printable characters followed by `;` and the \
         milliseconds since 1970 at which the request was made"
            .into(),
    )
}

/// A uuid of version 7, born at this moment.
pub fn uuid7(now_ms: i64, random: [u8; 10]) -> [u8; 16] {
    let mut uuid = [0; 16];
    uuid[..6].copy_from_slice(&now_ms.to_be_bytes()[2..]);
    uuid[6..].copy_from_slice(&random);
    uuid[6] = uuid[6] & 0x0F | 0x70;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}
