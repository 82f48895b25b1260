//! A write whose outcome is not known, and asking again.
//!
//! A read can't prove that a request was not applied: it may still be under way. What proves it is a row that has moved on
//! from the version the request expected, without having absorbed it. Where companions follow it is made to move on.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_plan::Companions;
use keyloom_store::Freshness;
use keyloom_value::{Value, key};

use crate::{
    answer::Answer,
    caller::Caller,
    digest::{same, seal},
    follow::LOOKS_MAX,
    problem::Problem,
    program::EntityPlan,
    record::{Record, Token},
    run::Run,
    write::Request,
};

type Owned = Value<'static>;

/// What an outcome token names: whose row, the request, what it is like, the row's key.
type Named<'a> = (&'a EntityPlan, Token, Asked, &'a [u8]);

/// What must be known of a request to say what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The version that it expected; nothing where it expected no row.
    pub(crate) expected: Option<u64>,
    /// It stands for all requests with the same fields.
    pub(crate) once: bool,
    /// It makes a row, and a row that is there is in its way.
    pub(crate) creates: bool,
}

impl Asked {
    const ONCE: u8 = 1;
    const CREATES: u8 = 2;

    pub(crate) fn of(request: &Request, expected: Option<u64>) -> Self {
        Self { expected, once: request.once, creates: request.creates }
    }

    fn bytes(self) -> [u8; 9] {
        let mut bytes = [0; 9];
        bytes[..8].copy_from_slice(&self.expected.unwrap_or(0).to_le_bytes());
        bytes[8] = if self.once { Self::ONCE } else { 0 } | if self.creates { Self::CREATES } else { 0 };
        bytes
    }

    fn read(bytes: &[u8; 9]) -> Self {
        let [a, b, c, d, e, f, g, h, is] = *bytes;
        let expected = Some(u64::from_le_bytes([a, b, c, d, e, f, g, h])).filter(|version| *version > 0);
        Self { expected, once: is & Self::ONCE != 0, creates: is & Self::CREATES != 0 }
    }

    /// Why it was not applied, by the row that stands there and has not ended.
    pub(crate) fn unapplied(self, alive: Option<&Record>) -> &'static str {
        if self.creates && alive.is_some() { "exists" } else { "conflict" }
    }
}

impl Run {
    /// What became of a write that was answered with `unknown`.
    ///
    /// # Errors
    /// When the token is none that was given out here to this caller.
    pub async fn outcome(&self, caller: &Caller, text: &str) -> Result<Answer, Problem> {
        let strange = || Problem::Token("this is no token that was given out here".into());
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| strange())?;
        let (bytes, sealed) = bytes.split_at_checked(bytes.len().saturating_sub(16)).ok_or_else(strange)?;
        if !same(&seal(&self.secret, "outcome", &[&caller.seal(), bytes]), sealed) {
            return Err(strange());
        }
        let read = || -> Option<Named<'_>> {
            let (at, rest) = bytes.split_first_chunk::<4>()?;
            let (token, rest) = rest.split_first_chunk::<16>()?;
            let (inputs, rest) = rest.split_first_chunk::<16>()?;
            let (birth, rest) = rest.split_first_chunk::<8>()?;
            let (asked, rest) = rest.split_first_chunk::<9>()?;
            let entity = self.program.entities.get(u32::from_le_bytes(*at) as usize)?;
            let birth_ms = i64::from_le_bytes(*birth);
            let token = Token { token: *token, birth_ms, inputs: *inputs, version: 0, refused: None };
            Some((entity, token, Asked::read(asked), rest))
        };
        let (entity, token, asked, rest) = read().ok_or_else(strange)?;
        let (_, shape) = self.table(entity.source.table);
        let key: Vec<Owned> =
            key::decode(rest, shape.key_parts()).map_err(|_| strange())?.into_iter().map(Value::into_owned).collect();
        if entity.source.hidden.is_none() {
            let found = self.placed_outcome(entity, &key, asked.expected.unwrap_or(0)).await?;
            let answer = found.unwrap_or_else(|| Answer::Unknown { token: text.to_owned() });
            return self.saying_seen(entity, &key, &caller.seal(), answer);
        }
        let resolved = if asked.once {
            self.resolve(entity, &key, &token, asked).await?
        } else {
            self.conclude(entity, &key, &token, asked).await?
        };
        let answer = resolved.unwrap_or_else(|| Answer::Unknown { token: text.to_owned() });
        self.saying_seen(entity, &key, &caller.seal(), answer)
    }

    /// What became of a write; `None` when that can't be said.
    pub(crate) async fn resolve(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        token: &Token,
        asked: Asked,
    ) -> Result<Option<Answer>, Problem> {
        for _ in 0..LOOKS_MAX {
            let now_us = self.now_us();
            let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
            if let Some(there) = &there
                && let Some(absorbed) = self.absorbed(entity, key, there, token, now_us).await?
            {
                return self.found(entity, there, absorbed).await.map(Some);
            }
            let moved_on = there.as_ref().map(|there| there.version) != asked.expected;
            let alive = self.alive(entity, there.as_ref(), now_us)?;
            let not_applied = Answer::NotApplied { reason: asked.unapplied(alive).into() };
            if moved_on {
                return Ok(Some(not_applied));
            }
            if self.program.companions == Companions::Ride {
                return Ok(None);
            }
            // It expects what still stands there. A touch makes certain that it can't be decided any more.
            if !self.protocol.fences || self.touch(entity, key, there).await?.is_some() {
                return Ok(Some(not_applied));
            }
        }
        Ok(None)
    }

    pub(crate) fn outcome_token(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        request: &Request,
        expected: Option<u64>,
    ) -> Result<String, Problem> {
        let token = &request.token;
        let at = self.program.entities.iter().position(|known| known.name == entity.name).unwrap_or_default();
        let (_, shape) = self.table(entity.source.table);
        let mut bytes = u32::try_from(at).unwrap_or_default().to_le_bytes().to_vec();
        bytes.extend(token.token);
        bytes.extend(token.inputs);
        bytes.extend(token.birth_ms.to_le_bytes());
        bytes.extend(Asked::of(request, expected).bytes());
        key::encode_into(key, shape.key_parts(), &mut bytes)
            .map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        let sealed = seal(&self.secret, "outcome", &[&request.caller, &bytes]);
        bytes.extend(sealed);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}
