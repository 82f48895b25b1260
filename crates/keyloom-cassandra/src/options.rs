//! The options of a table that follow from how it is used.
//!
//! None of them is a time to live: it stands on rows, never on tables, since each row has an end of its own.

use keyloom_store::{Discipline, Table};

use crate::{connect::TTL_MAX, write::DAY_MS};

/// For how many seconds Cassandra keeps what it has deleted, at least. It is its own default: with less, hints are dropped,
/// a logged batch is not finished after a crash, and a replica that missed a write gives old cells back.
const GC_GRACE_MIN: i64 = 10 * 24 * 3_600;

/// How many time windows of a table lie on disk at once: Cassandra's documentation advises 20 to 30.
const WINDOWS: i64 = 30;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// The options of a table, as they stand behind `WITH`.
pub(crate) fn of(table: &Table) -> [String; 2] {
    [format!("gc_grace_seconds = {}", gc_grace(table)), format!("compaction = {{{}}}", compaction(table))]
}

fn gc_grace(table: &Table) -> i64 {
    seconds(table.grace_ms).max(GC_GRACE_MIN).min(i64::from(i32::MAX))
}

/// How the files of a table are merged.
///
/// Rows that are written once and end lie in files by time, which are dropped as a whole when all in them has ended.
/// Timestamps are versions here, and versions stay near the clock in microseconds, as the strategy takes them to be.
///
/// All others are written over and removed again and again, and are read in between: a read should find few files, and a
/// removal should soon meet what it hides. For that Cassandra 5 advises its unified strategy, leveled by tens
/// ("read heavy key value"; it is also what it puts in place of `LeveledCompactionStrategy`). ScyllaDB has no unified
/// strategy, and there the table must be made with `LeveledCompactionStrategy`; which of the two a server is told is left
/// to the day on which this store is tested there.
fn compaction(table: &Table) -> String {
    match window(table) {
        Some(window) => {
            let (unit, size) = if window < DAY { ("HOURS", window / HOUR) } else { ("DAYS", window / DAY) };
            format!(
                "'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '{unit}', \
                 'compaction_window_size': {size}"
            )
        }
        None => "'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'L10'".to_owned(),
    }
}

/// For how many seconds rows are written into one file, in whole hours or days. What counts is how long a file lies there: a
/// row is kept beyond its end for the grace and a day, and what Cassandra has let end for `gc_grace_seconds` more.
fn window(table: &Table) -> Option<i64> {
    let lifetime = table.lifetime_ms.filter(|_| table.discipline == Discipline::Placed)?;
    let kept = seconds(lifetime).saturating_add(seconds(table.grace_ms)).saturating_add(seconds(DAY_MS));
    if kept >= TTL_MAX {
        // Cassandra can't be told the end of such a row. It stays for ever, and a file of a window would too.
        return None;
    }
    let window = (kept + gc_grace(table)) / WINDOWS;
    let unit = if window < DAY { HOUR } else { DAY };
    Some((window + unit / 2) / unit * unit)
}

fn seconds(millis: i64) -> i64 {
    millis / 1_000 + i64::from(millis % 1_000 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: i64 = DAY * 1_000;

    fn table(discipline: Discipline, grace_ms: i64, lifetime_ms: Option<i64>) -> Table {
        Table {
            name: "t".to_owned(),
            discipline,
            partition: Vec::new(),
            sort: Vec::new(),
            groups: Vec::new(),
            grace_ms,
            lifetime_ms,
        }
    }

    #[test]
    fn what_is_deleted_is_kept_for_the_grace_and_never_for_less_than_ten_days() {
        let grace = |grace_ms| gc_grace(&table(Discipline::Decided, grace_ms, None));
        assert_eq!([0, 10 * DAYS, 10 * DAYS + 1].map(grace), [864_000, 864_000, 864_001]);
        assert_eq!(grace(i64::MAX), i64::from(i32::MAX));
    }

    #[test]
    fn rows_that_end_lie_by_time_in_about_thirty_windows() {
        let window = |lifetime| window(&table(Discipline::Placed, 0, Some(lifetime)));
        let lives = [1, 3_600_000, 3 * DAYS, 18 * DAYS, 19 * DAYS, 30 * DAYS, 365 * DAYS, 10 * 365 * DAYS];
        let hours = lives.map(|lifetime| window(lifetime).unwrap() / HOUR);
        assert_eq!(hours, [9, 9, 11, 23, 24, 24, 24 * 13, 24 * 122]);
        for lifetime in (1..19 * 365).map(|days| days * DAYS) {
            let windows = (lifetime / 1_000 + DAY + GC_GRACE_MIN) / window(lifetime).unwrap();
            assert!((20..=45).contains(&windows), "{lifetime}: {windows}");
        }
    }

    #[test]
    fn only_placed_rows_that_cassandra_can_end_lie_by_time() {
        assert_eq!(window(&table(Discipline::Placed, 0, None)), None);
        assert_eq!(window(&table(Discipline::Decided, 0, Some(DAYS))), None, "they are written over");
        for lifetime in [20 * 365 * DAYS, i64::MAX] {
            assert_eq!(window(&table(Discipline::Placed, i64::MAX, Some(lifetime))), None, "no such time to live");
        }
    }
}
