//! Companions that ride along: one decision over all rows.

use keyloom_store::{Along, Change, Expect, GroupImage, Image, Placement, Placing};
use keyloom_value::Value;

use crate::{
    carry::{Companion, Intent, Tried, tried},
    problem::Problem,
    run::Run,
};

impl Run {
    pub(crate) async fn ride(&self, intent: &Intent<'_>) -> Result<Tried, Problem> {
        let Intent { entity, record, now_us, .. } = *intent;
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
        standing.retain(|row| self.shows_version(entity, row.table) || !stood.iter().any(|before| before.is_as(row)));
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
        // Its parts go after it.
        let fells = record.gone && entity.has_parts();
        let mark = if fells { Some(self.new_mark(entity, &entity.source_key(record))?) } else { None };
        let marked = mark.as_ref().map(|(_, row)| row.group());
        let marks = mark.iter().zip(&marked).map(|((_, row), groups)| {
            let placing = Placing::Put { groups, expires_at: row.expires_at };
            Along::Place(Placement { table: self.table(row.table).0, key: &row.key, placing })
        });
        let checked = intent.checks.iter().map(|check| {
            let (table, expect) = (self.table(check.table).0, Expect::Version(check.version));
            Along::Check { table, key: &check.key, expect }
        });
        let kept = intent.kept.iter().map(|kept| {
            let becomes = Image { version: kept.version, expires_at: None, values: &kept.values };
            Along::Decide(Change { table: self.table(kept.table).0, key: &kept.key, expect: kept.expect, becomes })
        });
        let along = reserved.chain(kept).chain(carried).chain(left).chain(placed).chain(marks).chain(checked);
        let along: Vec<Along<'_>> = along.collect();
        let before = intent.before.map(|before| before.version);
        let tried = tried(self.decide_source(entity, before, record, &along, now_us).await, true)?;
        let Some((mark, _)) = mark.filter(|_| matches!(tried, Tried::Done { .. })) else { return Ok(tried) };
        let visible = self.fell(entity, record, false).await.unwrap_or(false);
        if visible {
            self.owe(vec![mark]);
        }
        Ok(Tried::Done { visible })
    }
}
