//! Rows that end, where something follows from that: values that are kept from them, rows that copy their fields.
//!
//! Nothing happens by itself when a row ends. So a mark stands in the span of its end, placed before the row is decided, or
//! together with it. Who settles that span decides the row gone, by the path of a delete, but that its parts stay. A row whose
//! end has moved has another mark there. Nobody asks his own clock: the span is over, and the row ends in it or before.

use keyloom_plan::Companions;
use keyloom_store::Freshness;
use keyloom_value::Value;

use crate::{
    dirty::{Dirty, KEPT_MS, Mark, NewMark},
    judge::ends_at,
    problem::Problem,
    program::EntityPlan,
    record::Record,
    recount::Group,
    run::Run,
};

impl Run {
    /// The mark of the end that a row gets, if something follows from it and the row did not end there before. It names the
    /// groups in which a row counts that is only added: nobody can read it any more when it has ended.
    pub(crate) fn end_mark(
        &self,
        entity: &EntityPlan,
        before: Option<&Record>,
        record: &Record,
        groups: &[Group<'_>],
    ) -> Result<Option<NewMark>, Problem> {
        if !entity.end_is_followed || record.gone || !self.protocol.marks_ends {
            return Ok(None);
        }
        let Some(end_ms) = ends_at(entity, &record.values)? else { return Ok(None) };
        if let Some(before) = before.filter(|before| !before.gone)
            && ends_at(entity, &before.values)? == Some(end_ms)
        {
            return Ok(None);
        }
        let named = groups.iter().map(|group| {
            let table = self.program.tables[group.kept.table].name.clone();
            Ok((table, self.key_bytes(group.kept.table, &group.key)?))
        });
        let named = named.collect::<Result<Vec<_>, Problem>>()?;
        let key = self.key_bytes(entity.source.table, &entity.source_key(record))?;
        let dirty = Dirty { entity: entity.name.clone(), key, named, reached: None, ends: Some(record.version) };
        Ok(Some(self.new_mark(entity, dirty, end_ms)))
    }

    /// Sees to what follows from the end of a row; whether that is done.
    pub(crate) async fn settle_end(
        &self,
        entity: &EntityPlan,
        key: &[Value<'static>],
        version: u64,
        dirty: &Dirty,
        mark: &Mark,
    ) -> Result<bool, Problem> {
        let Value::Int(span) = mark.key[1] else { return Ok(true) };
        let over_ms = (span + 1).saturating_mul(self.protocol.span_ms);
        if entity.source.hidden.is_none() {
            let mut groups = Vec::new();
            for (table, key) in &dirty.named {
                groups.extend(self.group_named(table, key, over_ms.saturating_mul(1_000))?);
            }
            return Ok(self.recount(&groups).await);
        }
        let now_us = self.now_us();
        let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
        match there {
            // That version was decided, or can't be any more.
            Some(there) if there.version >= version || !self.protocol.touches_ends => {
                let ends_here = ends_at(entity, &there.values)?.is_some_and(|end_ms| end_ms < over_ms);
                if there.gone || !ends_here && self.protocol.looks_at_ends {
                    return Ok(true);
                }
                self.end(entity, &there, now_us).await
            }
            // It was decided, deleted and forgotten since.
            None if now_us.saturating_sub(mark.made_us()) > self.program.grace_ms().saturating_mul(1_000) => Ok(true),
            None if !self.protocol.touches_ends => Ok(true),
            // It may be under way.
            there => {
                let Some(record) = self.touch(entity, key, there).await? else { return Ok(false) };
                let rides = self.program.companions == Companions::Ride;
                Ok(rides || self.project(entity, &record, None).await)
            }
        }
    }

    /// For how long a row is remembered that is gone or has ended. One from whose end something follows is there for as long as
    /// its mark.
    pub(crate) fn remembered_ms(&self, entity: &EntityPlan) -> i64 {
        let grace_ms = self.program.grace_ms();
        if entity.end_is_followed { grace_ms.max(KEPT_MS) } else { grace_ms }
    }

    /// The tables that follow the ends of an entity's rows: kept values, and lists with copies.
    pub(crate) fn follow_end(&self, entity: usize) -> impl Iterator<Item = usize> {
        let kept = self.program.kept.iter().filter(move |kept| kept.feeder == entity).map(|kept| kept.table);
        let lists = self.program.entities.iter().flat_map(|entity| &entity.projections);
        let copies = lists.filter(move |list| list.copies.iter().any(|copied| copied.entity == entity));
        let followed = self.entity(entity).end_is_followed;
        kept.chain(copies.map(|list| list.table)).filter(move |_| followed)
    }

    /// Marks the ends of rows that are there, for what is new and follows from them.
    pub(crate) async fn mark_ends(&self, entity: &EntityPlan, records: &[Record]) -> Result<(), Problem> {
        let mut rows = Vec::new();
        for record in records {
            let placed = entity.source.hidden.is_none();
            let source = if placed { Some(self.source_row(entity, record)?) } else { None };
            let standing = self.standing(entity, record);
            let groups = self.groups(entity, &source.iter().chain(&standing).collect::<Vec<_>>());
            let groups = if placed { groups } else { Vec::new() };
            rows.extend(self.end_mark(entity, None, record, &groups)?.map(|new| new.companion()));
        }
        for rows in rows.chunks(crate::dirty::PLACED_MAX) {
            self.place(rows).await?;
        }
        Ok(())
    }
}
