//! What a caller has seen of a row: that it stands at a version. Who presents it to a list that follows later, or has not
//! followed yet, sees the row there as it is at that version or a later one.
//!
//! It is no secret, but nobody can make one up, and one that was given to another caller is of no use.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_value::{Value, key};

use crate::{
    answer::Answer,
    digest::{same, seal},
    inputs::Inputs,
    problem::Problem,
    program::EntityPlan,
    run::Run,
};

type Owned = Value<'static>;

/// How many rows may be presented to one read.
pub const SEEN_MAX: usize = 8;

const SEAL: usize = 16;

/// A row that a caller has seen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) entity: usize,
    /// The key of its source.
    pub(crate) key: Vec<Owned>,
    pub(crate) version: u64,
}

impl Run {
    /// The same inputs by a caller who has seen these rows: what answers to writes said of them.
    ///
    /// # Errors
    /// When there are too many, or one was not given out here to this caller.
    pub fn having_seen(&self, inputs: Inputs, shown: &[&str]) -> Result<Inputs, Problem> {
        if shown.len() > SEEN_MAX {
            return Err(Problem::Input(format!(
                "{} rows that were seen are presented, but at most {SEEN_MAX} are taken: leave out the oldest",
                shown.len()
            )));
        }
        let caller = inputs.caller().seal();
        let mut all: Vec<Seen> = Vec::new();
        for text in shown {
            let Some(seen) = self.read_seen(&caller, text)? else { continue };
            let known = all.iter_mut().find(|known| known.entity == seen.entity && known.key == seen.key);
            match known {
                Some(known) => known.version = known.version.max(seen.version),
                None => all.push(seen),
            }
        }
        Ok(inputs.with_seen(all))
    }

    /// What a text stands for; nothing where the catalog has no such rows any more.
    fn read_seen(&self, caller: &[u8; 16], text: &str) -> Result<Option<Seen>, Problem> {
        let strange = || {
            Problem::Seen(
                "what was seen is presented as the answer to a write of your own said it, and this was not said here, or not to \
                 you"
                .into(),
            )
        };
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| strange())?;
        let (bytes, sealed) = bytes.split_at_checked(bytes.len().saturating_sub(SEAL)).ok_or_else(strange)?;
        if !same(&seal(&self.secret, "seen", &[caller, bytes]), sealed) {
            return Err(strange());
        }
        let (version, rest) = bytes.split_first_chunk::<8>().ok_or_else(strange)?;
        let (length, rest) = rest.split_first().ok_or_else(strange)?;
        let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(strange)?;
        let Some(entity) = self.program.entities.iter().position(|entity| entity.name.as_bytes() == name) else {
            return Ok(None);
        };
        let (_, shape) = self.table(self.entity(entity).source.table);
        let key = key::decode(rest, shape.key_parts()).map_err(|_| strange())?;
        let key = key.into_iter().map(Value::into_owned).collect();
        Ok(Some(Seen { entity, key, version: u64::from_le_bytes(*version) }))
    }

    /// An answer to a write that says what its caller has seen, where a list may show it later than that.
    pub(crate) fn saying_seen(
        &self,
        entity: &EntityPlan,
        source_key: &[Owned],
        caller: &[u8; 16],
        answer: Answer,
    ) -> Result<Answer, Problem> {
        let Answer::Applied { key, version, row, visible, .. } = answer else { return Ok(answer) };
        let late = !visible || !entity.indexes.is_empty();
        let seen = if late { Some(self.write_seen(entity, source_key, version, caller)?) } else { None };
        Ok(Answer::Applied { key, version, row, visible, seen })
    }

    fn write_seen(
        &self,
        entity: &EntityPlan,
        source_key: &[Owned],
        version: u64,
        caller: &[u8; 16],
    ) -> Result<String, Problem> {
        let (_, shape) = self.table(entity.source.table);
        let broken = |_| Problem::Broken("an entity has a name that is too long".into());
        let mut bytes = version.to_le_bytes().to_vec();
        bytes.push(u8::try_from(entity.name.len()).map_err(broken)?);
        bytes.extend(entity.name.as_bytes());
        key::encode_into(source_key, shape.key_parts(), &mut bytes)
            .map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        let sealed = seal(&self.secret, "seen", &[caller, &bytes]);
        bytes.extend(sealed);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}
