//! The idempotency key of a request, and what is made from it: its token, its birth, new identities.

use keyloom_value::{Kind, Value, from_text};

use crate::{caller::Caller, digest::digest, problem::Problem};

/// How far a key may come from the future: clocks differ.
const AHEAD_MS: i64 = 60_000;

/// An idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    text: String,
    /// Stands for who sent it: two callers may well have the same key.
    caller: [u8; 16],
    /// When the request was born, in milliseconds since 1970.
    pub(crate) birth_ms: i64,
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
            (Ok(Value::Uuid(uuid)), _) if uuid[6] >> 4 == 7 => {
                (lower.as_str(), uuid[..6].iter().fold(0, |birth, byte| birth << 8 | i64::from(*byte)))
            }
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
        Ok(Self { text: text.to_owned(), caller: caller.seal(), birth_ms })
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
            uuid[..6].copy_from_slice(&self.birth_ms.to_be_bytes()[2..]);
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
