//! The requests that a row has absorbed: those it remembers itself, and the receipts of the others.

use keyloom_store::{Freshness, Get, Millis, Store};
use keyloom_value::{Value, key};

use crate::{
    carry::Companion,
    digest::digest,
    problem::Problem,
    program::{EntityPlan, RECEIPTS},
    read::millis,
    record::{Record, Token},
    run::Run,
};

type Owned = Value<'static>;

/// What became of a request that a row remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Absorbed {
    /// It made that version.
    Applied(u64),
    /// It was refused for good: the reason.
    Refused(String),
}

impl Absorbed {
    fn of(version: u64, refused: Option<String>) -> Self {
        refused.map_or(Self::Applied(version), Self::Refused)
    }
}

impl Run {
    /// What became of this very request before, if the row remembers it.
    pub(crate) async fn absorbed(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        there: &Record,
        token: &Token,
        now_us: i64,
    ) -> Result<Option<Absorbed>, Problem> {
        let (inputs, absorbed) = match there.tokens.iter().find(|known| known.token == token.token) {
            Some(known) => (known.inputs.to_vec(), Absorbed::of(known.version, known.refused.clone())),
            // Whatever the row forgot was born at or before its floor.
            None if token.birth_ms > there.floor_ms => return Ok(None),
            None => match self.receipt(entity, key, token, now_us).await? {
                Some(receipt) => receipt,
                None => return Ok(None),
            },
        };
        if inputs == token.inputs { Ok(Some(absorbed)) } else { Err(Problem::KeyReused) }
    }

    async fn receipt(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        token: &Token,
        now_us: i64,
    ) -> Result<Option<(Vec<u8>, Absorbed)>, Problem> {
        let (table, shape) = self.table(RECEIPTS);
        let id = [self.receipt_key(entity, key, token)?];
        let got = self.store.get(Get { table, key: &id, freshness: Freshness::Fresh, now: millis(now_us) }).await?;
        let Some(row) = got.row else { return Ok(None) };
        let cell = |name: &str| shape.column(name).map_or(Ok(Value::Null), |at| row.value(shape, at));
        match (cell("inputs")?, cell("version")?, cell("refused")?) {
            (Value::Bytes(inputs), Value::Int(version), Value::Null) => {
                Ok(Some((inputs.into_owned(), Absorbed::Applied(version.cast_unsigned()))))
            }
            (Value::Bytes(inputs), Value::Int(_), Value::Text(reason)) => {
                Ok(Some((inputs.into_owned(), Absorbed::Refused(reason.into_owned()))))
            }
            _ => Err(Problem::Broken("a receipt can't be read".into())),
        }
    }

    /// What is to be remembered of requests elsewhere than in their row.
    pub(crate) fn receipts(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        forgotten: &[Token],
    ) -> Result<Vec<Companion>, Problem> {
        let receipt = |token: &Token| {
            Ok(Companion {
                table: RECEIPTS,
                key: vec![self.receipt_key(entity, key, token)?],
                version: token.version,
                values: Some(vec![
                    Value::from(token.inputs.to_vec()),
                    Value::Int(token.version.cast_signed()),
                    token.refused.clone().map_or(Value::Null, Value::from),
                ]),
                // Somewhat longer than the request may be repeated: clocks differ.
                expires_at: Some(Millis(token.birth_ms).plus(self.program.retries_ms() + 120_000)),
            })
        };
        forgotten.iter().map(receipt).collect()
    }

    fn receipt_key(&self, entity: &EntityPlan, key: &[Owned], token: &Token) -> Result<Owned, Problem> {
        let (_, shape) = self.table(entity.source.table);
        let key = key::encode(key, shape.key_parts()).map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        Ok(Value::from(digest("receipt", &[entity.name.as_bytes(), &key, &token.token]).to_vec()))
    }

    /// Takes the requests out of a row that it need not remember: those that can't be repeated any more, and above the
    /// bound the oldest, which get receipts.
    pub(crate) fn forget(&self, record: &mut Record, now_us: i64) -> Vec<Token> {
        let horizon = now_us.div_euclid(1_000).saturating_sub(self.program.retries_ms());
        record.tokens.retain(|token| token.birth_ms >= horizon);
        let surplus = record.tokens.len().saturating_sub(self.protocol.tokens_max);
        let forgotten: Vec<Token> = record.tokens.drain(..surplus).collect();
        record.floor_ms = forgotten.iter().map(|token| token.birth_ms).fold(record.floor_ms, i64::max);
        forgotten
    }
}
