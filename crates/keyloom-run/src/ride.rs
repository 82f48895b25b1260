//! Companions that ride along: one decision over all rows.

use keyloom_store::{Along, Change, Expect, GroupImage, Image, Placement, Placing};
use keyloom_value::Value;

use crate::{
    carry::{Companion, Intent, Tried, tried},
    copies::{Walked, changes_copies, copied_in, copies_from_same},
    dirty::Mark,
    judge::Checked,
    problem::Problem,
    record::Record,
    run::Run,
};

impl Run {
    pub(crate) async fn ride(&self, intent: &Intent<'_>, marks: &mut Vec<Mark>) -> Result<Tried, Problem> {
        let Intent { entity, record, now_us, .. } = *intent;
        // Its parts go after it, and rows that copy from it follow.
        let fells = entity.fells(intent.before, record);
        let changes = self.protocol.walks_copiers && changes_copies(entity, intent.before, record);
        let Some(before_this_try) = self.mark_try(intent, fells || changes, marks).await? else {
            return Ok(Tried::Lost);
        };
        let images: Vec<(Vec<Value<'static>>, _)> =
            intent.reserves.iter().map(|reserve| self.reservation_image(intent, reserve)).collect();
        let reserved = intent.reserves.iter().zip(&images).map(|(reserve, (values, expires_at))| {
            let becomes = Image { version: reserve.version_above(now_us), expires_at: *expires_at, values };
            let table = self.table(reserve.reservation.table).0;
            Along::Decide(Change { table, key: &reserve.key, expect: reserve.expect, becomes })
        });
        // A row that stands as it stood is left alone.
        let stood = intent.before.map_or_else(Vec::new, |before| self.standing(entity, before));
        let mut standing = self.standing(entity, record);
        let same = |row: &Companion| {
            let from_same = |before: &Record| copies_from_same(entity, row.table, before, record);
            let copies = intent.anew && copied_in(entity, row.table).next().is_some();
            !copies && intent.before.is_some_and(from_same) && stood.iter().any(|before| before.is_as(row))
        };
        standing.retain(|row| self.shows_version(entity, row.table) || !same(row));
        let copied = self.copy_into_images(entity, record, &mut standing).await?;
        let Some(checks) = merged(intent.checks, copied) else { return Ok(Tried::Lost) };
        let held = if self.protocol.copies_hold { &checks[..] } else { intent.checks };
        let carried = standing.iter().map(|row| {
            let values = row.values.as_deref().unwrap_or_default();
            let becomes = Image { version: row.version, expires_at: row.expires_at, values };
            Along::Put { table: self.table(row.table).0, key: &row.key, becomes }
        });
        let left = self.left(intent);
        let left = left.iter().map(|(table, key)| Along::Remove { table: self.table(*table).0, key });
        let receipts = self.receipts(entity, &entity.source_key(record), intent.forgotten)?;
        let groups: Vec<[GroupImage<'_>; 1]> = receipts.iter().map(Companion::group).collect();
        let placed = receipts.iter().zip(&groups).map(|(row, groups)| {
            let placing = Placing::Put { groups, expires_at: row.expires_at };
            Along::Place(Placement { table: self.table(row.table).0, key: &row.key, placing })
        });
        let checked = held.iter().map(|check| {
            let expect = check.version.map_or(Expect::Absent, Expect::Version);
            Along::Check { table: self.table(check.table).0, key: &check.key, expect }
        });
        let kept = intent.kept.iter().map(|kept| {
            let becomes = Image { version: kept.version, expires_at: None, values: &kept.values };
            Along::Decide(Change { table: self.table(kept.table).0, key: &kept.key, expect: kept.expect, becomes })
        });
        let along = reserved.chain(kept).chain(carried).chain(left).chain(placed).chain(checked);
        let along: Vec<Along<'_>> = along.collect();
        self.name_buckets(standing.iter()).await?;
        let before = intent.before.map(|before| before.version);
        let tried = tried(self.decide_source(entity, before, record, &along, now_us).await, true)?;
        if !matches!(tried, Tried::Done { .. }) {
            return Ok(tried);
        }
        let visible = (!fells || self.fell(entity, record, false).await.unwrap_or(false))
            && (!changes || self.touch_copiers(entity, record, None).await == Ok(Walked::All));
        if visible {
            self.owe_tried(marks, before_this_try);
        }
        Ok(Tried::Done { visible })
    }
}

/// Rows that must be as they were seen, each once; nothing where one was seen in two ways.
fn merged(checks: &[Checked], more: Vec<Checked>) -> Option<Vec<Checked>> {
    let mut all = checks.to_vec();
    for check in more {
        match all.iter().find(|known| known.table == check.table && known.key == check.key) {
            Some(known) if known.version != check.version => return None,
            Some(_) => {}
            None => all.push(check),
        }
    }
    Some(all)
}
