//! Parts go with the row that they belong to.
//!
//! The row is decided gone first, and its mark says that there is more to do. Then its parts are walked: each is read, the
//! whole is looked at once more, and the part is decided gone as it was read. A part that comes meanwhile looks at its
//! whole after it stands in the list of parts: either the walk sees it, or it sees that the whole is gone.

use keyloom_store::Freshness;
use keyloom_value::Value;

use crate::{
    problem::Problem,
    program::{EntityPlan, Support},
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

impl Run {
    /// Deletes the parts of a row that was deleted: of each kind one piece of the list, or all of it. Whether none are left.
    pub(crate) async fn fell(&self, whole: &EntityPlan, gone: &Record, all: bool) -> Result<bool, Problem> {
        if !gone.is_deleted() {
            return Ok(true);
        }
        let mut none_left = true;
        for parts in &whole.parts {
            none_left &= self.fell_parts(whole, gone, parts, all).await?;
        }
        Ok(none_left)
    }

    async fn fell_parts(&self, whole: &EntityPlan, gone: &Record, parts: &Support, all: bool) -> Result<bool, Problem> {
        let mut after: Option<Vec<Owned>> = None;
        let mut none_left = true;
        loop {
            let piece = self.pointing(gone, parts, after.as_deref()).await?;
            for key in &piece.keys {
                none_left &= self.fell_one(whole, gone, parts, key).await?;
            }
            match piece.reached {
                None => return Ok(none_left),
                Some(reached) if all => after = Some(reached),
                Some(_) => return Ok(false),
            }
        }
    }

    /// Deletes one part, if it still is one and the whole is still gone; whether it is none any more.
    async fn fell_one(
        &self,
        whole: &EntityPlan,
        gone: &Record,
        parts: &Support,
        key: &[Owned],
    ) -> Result<bool, Problem> {
        let entity = self.entity(parts.entity);
        let now_us = self.now_us();
        let own = whole.source_key(gone);
        let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
        let there = there.filter(|there| !there.gone && there.fields(&parts.through).as_ref() == Some(&own));
        let Some(there) = there else { return Ok(true) };
        if self.protocol.looks_at_whole {
            let still = self.source(whole, &own, Freshness::Fresh, now_us).await?;
            if still.is_none_or(|still| !still.gone || still.version != gone.version) {
                return Ok(false);
            }
        }
        self.delete_along(entity, &there, now_us).await
    }

    /// A part looks whether what it belongs to was deleted, now that it stands in the list of parts; then it goes, too. Whether
    /// all is as it should be.
    pub(crate) async fn goes_with_whole(&self, entity: &EntityPlan, record: &Record) -> Result<bool, Problem> {
        let Some(whole) = entity.whole.as_ref().filter(|_| !record.gone && self.protocol.parts_look_again) else {
            return Ok(true);
        };
        let Some(key) = record.fields(&whole.fields) else { return Ok(true) };
        let now_us = self.now_us();
        let there = self.source(self.entity(whole.entity), &key, Freshness::Fresh, now_us).await?;
        // One that nobody remembers any more was gone long before; it is not for this look to find that.
        match there.filter(Record::is_deleted) {
            Some(_) => self.delete_along(entity, record, now_us).await,
            None => Ok(true),
        }
    }

    /// Whether a row becomes a part of another one by a decision.
    pub(crate) fn is_new_part(&self, entity: &EntityPlan, before: Option<&Record>, record: &Record) -> bool {
        let Some(whole) = &entity.whole else { return false };
        let before = before.filter(|before| !before.gone).and_then(|before| before.fields(&whole.fields));
        !record.gone && before != record.fields(&whole.fields)
    }

    /// Brings about all that follows from a record, where companions follow; whether all of it is so.
    pub(crate) async fn derive(
        &self,
        entity: &EntityPlan,
        record: &Record,
        before: Option<&Record>,
        is_new_part: bool,
    ) -> bool {
        self.project(entity, record, before).await
            && (!is_new_part || self.goes_with_whole(entity, record).await.unwrap_or(false))
            && self.fell(entity, record, false).await.unwrap_or(false)
    }
}
