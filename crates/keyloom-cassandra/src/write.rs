//! Placements and decisions.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use keyloom_store::{
    Change, Current, Decision, Expect, Fault, GroupImage, Image, Millis, Placement, Placing, TableId, Verdict, refuse,
};
use scylla::{
    response::query_result::QueryResult,
    statement::{
        batch::{Batch, BatchType},
        prepared::PreparedStatement,
    },
};

use crate::{
    Cassandra,
    bind::about,
    cells::{Absent, Cells},
    fault::{Asked, together},
    read::BESIDE,
    ready::{Ready, Writes},
    rows::{raw, rows_of},
};

pub(crate) const DAY_MS: i64 = 24 * 3_600_000;

/// What Cassandra counts for a cell besides its value: a timestamp, a time to live, a moment of deletion.
const CELL_BYTES: usize = 16;

/// How often a decision on an absent row is sent when each time another row that has ended stands there.
const ENDED_MAX: usize = 8;

/// One statement with its cells.
type Bound<'t> = (&'t PreparedStatement, Cells);

/// One placement as its statements, one for each column group.
struct Placed<'t> {
    statements: Vec<Bound<'t>>,
    /// The cells of the key.
    key: Vec<u8>,
}

/// The cells of a removal up to its key.
fn removal(version: u64) -> Cells {
    let mut cells = Cells::with_capacity(64);
    cells.bigint(version.cast_signed());
    cells
}

impl Cassandra {
    pub(crate) async fn place_rows(&self, rows: &[Placement<'_>], all_or_none: bool, now: Millis) -> Result<(), Fault> {
        let mut tables = Vec::with_capacity(rows.len());
        for row in rows {
            tables.push(self.table(row.table)?);
        }
        let placed = rows.iter().zip(&tables).map(|(row, table)| self.placed(table, row, now));
        let placed = placed.collect::<Result<Vec<Placed<'_>>, Fault>>()?;
        if rows.len() > 1 {
            let named: BTreeSet<(TableId, &[u8])> =
                rows.iter().zip(&placed).map(|(row, placed)| (row.table, &placed.key[..])).collect();
            if named.len() < rows.len() {
                return refuse::twice();
            }
        }
        if all_or_none {
            let bytes = |(_, cells): &Bound<'_>| (cells.len() + CELL_BYTES * cells.count()) as u64;
            let bytes = placed.iter().flat_map(|placed| &placed.statements).map(bytes).sum();
            refuse::together(rows.len(), bytes, &self.abilities)?;
            let statements = placed.into_iter().flat_map(|placed| placed.statements).collect();
            return self.send(statements, BatchType::Logged).await;
        }
        let sent = placed.into_iter().map(|placed| self.send(placed.statements, BatchType::Unlogged));
        let sent: Vec<_> = sent.collect();
        together(stream::iter(sent).buffer_unordered(BESIDE).collect().await)
    }

    /// Sends statements that belong together.
    async fn send(&self, statements: Vec<Bound<'_>>, batch_type: BatchType) -> Result<(), Fault> {
        if let [(statement, cells)] = &statements[..] {
            let sent = self.session.execute_unpaged(statement, cells).await;
            return sent.map(drop).map_err(|error| Asked::Write.failed(&error));
        }
        if statements.is_empty() {
            return Ok(());
        }
        let (statements, cells): (Vec<_>, Vec<Cells>) =
            statements.into_iter().map(|(statement, cells)| (statement.clone().into(), cells)).unzip();
        let batch = Batch::new_with_statements(batch_type, statements);
        let asked = if batch_type == BatchType::Logged { Asked::Batch } else { Asked::Write };
        self.session.batch(&batch, &cells).await.map(drop).map_err(|error| asked.failed(&error))
    }

    fn placed<'t>(&self, table: &'t Ready, row: &Placement<'_>, now: Millis) -> Result<Placed<'t>, Fault> {
        refuse::placement(&table.shape, row)?;
        let Writes::Placed(groups) = &table.writes else {
            return Err(Fault::refused(format!("table `{}` is not placed", table.shape.table().name)));
        };
        let mut placed = Placed { statements: Vec::new(), key: Vec::new() };
        let mut push = |statement: &'t PreparedStatement, mut cells: Cells| {
            let before = cells.len();
            table.bind_key(row.key, &self.abilities, &mut cells)?;
            if placed.key.is_empty() {
                placed.key.extend(cells.since(before));
            }
            placed.statements.push((statement, cells));
            Ok::<_, Fault>(())
        };
        match row.placing {
            Placing::Put { groups: images, expires_at } => {
                let ttl = self.ttl(expires_at, now, table);
                for image in images {
                    // A null is a tombstone for each column, which slices count. One deletion of the row, just before the
                    // put, takes away what is older too; it would take the other groups where there are any.
                    let deleted = groups.len() == 1 && table.is_sparse(*image);
                    if deleted {
                        push(&groups[image.group].remove, removal(image.version))?;
                    }
                    let mut cells = Cells::with_capacity(64 + about(image.values) + about(row.key));
                    // At equal timestamps a tombstone wins, so a put comes after a removal of its version.
                    cells.bigint(image.version.cast_signed() + 1);
                    cells.int(ttl);
                    let absent = if deleted { Absent::Unset } else { Absent::Null };
                    table.bind_group(*image, expires_at, absent, &mut cells)?;
                    table.look_at_size(row.key, *image, &cells, &self.abilities)?;
                    push(&groups[image.group].put, cells)?;
                }
            }
            Placing::Remove { groups: removed } => {
                for (group, version) in removed {
                    push(&groups[*group].remove, removal(*version))?;
                }
            }
        }
        Ok(placed)
    }

    /// For how many seconds Cassandra keeps what has this end; 0 is for ever. It is never the first to say that something
    /// has ended, and what it can't express stays.
    fn ttl(&self, expires_at: Option<Millis>, now: Millis, table: &Ready) -> i32 {
        let Some(end) = expires_at else { return 0 };
        let lasts = end.0.saturating_sub(now.0).max(0);
        let lasts = lasts.saturating_add(table.shape.table().grace_ms).saturating_add(DAY_MS);
        let seconds = lasts / 1_000 + 1;
        if seconds > self.ttl_max { 0 } else { i32::try_from(seconds).unwrap_or(0) }
    }

    pub(crate) async fn decide_row(&self, what: &Decision<'_>) -> Result<Verdict, Fault> {
        let table = self.table(what.change.table)?;
        refuse::change(&table.shape, &what.change)?;
        refuse::along(1 + what.along.len(), 0, &self.abilities)?;
        let Writes::Decided { at_version, instead } = &table.writes else {
            return Err(Fault::refused(format!("table `{}` is not decided", table.shape.table().name)));
        };
        match what.change.expect {
            Expect::Version(version) => {
                let mut cells = self.image(&table, &what.change, Absent::Null, what.now)?;
                cells.bigint(version.cast_signed());
                cells.bigint(what.now.0);
                let standing = self.compare_and_set(at_version, &cells).await?;
                Ok(standing.map_or(Verdict::Done, |standing| standing.lost(what.now)))
            }
            Expect::Absent => {
                let (mut stands, mut absent) = (Standing::default(), Absent::Unset);
                for _ in 0..ENDED_MAX {
                    let mut cells = self.image(&table, &what.change, absent, what.now)?;
                    stands.bind(&mut cells);
                    match self.compare_and_set(instead, &cells).await? {
                        None => return Ok(Verdict::Done),
                        Some(found) if found.is_there(what.now) => return Ok(found.lost(what.now)),
                        Some(found) => (stands, absent) = (found, Absent::Null),
                    }
                }
                Err(Fault::NotDone("others decide on this row all the time".into()))
            }
        }
    }

    /// The cells of what a row becomes: those of the statement up to its condition.
    fn image(&self, table: &Ready, change: &Change<'_>, absent: Absent, now: Millis) -> Result<Cells, Fault> {
        let Image { version, expires_at, values } = change.becomes;
        let image = GroupImage { group: 0, version, values };
        let mut cells = Cells::with_capacity(64 + about(values) + about(change.key));
        cells.int(self.ttl(expires_at, now, table));
        table.bind_group(image, expires_at, absent, &mut cells)?;
        table.bind_key(change.key, &self.abilities, &mut cells)?;
        table.look_at_size(change.key, image, &cells, &self.abilities)?;
        Ok(cells)
    }

    /// Sends a conditional statement; what stands there when its condition does not hold.
    async fn compare_and_set(&self, statement: &PreparedStatement, cells: &Cells) -> Result<Option<Standing>, Fault> {
        let answer = self.session.execute_unpaged(statement, cells).await;
        Standing::instead(answer.map_err(|error| Asked::Decision.failed(&error))?)
    }
}

/// The version and the end of a row; both absent when it was never there.
#[derive(Debug, Clone, Copy, Default)]
struct Standing {
    version: Option<i64>,
    end: Option<i64>,
}

impl Standing {
    /// Reads the answer to a conditional statement: nothing when it was applied, else what was there instead. Of a row
    /// that is not there the answer holds no columns but the first.
    fn instead(answer: QueryResult) -> Result<Option<Self>, Fault> {
        // The statement was carried out, so an answer that can't be read leaves everything open.
        let unread = |words: &str| Fault::Unknown(format!("an answer that can't be read: {words}").into());
        let answer = rows_of(answer).map_err(|fault| unread(fault.cause()))?;
        let mut rows = raw(&answer).map_err(|fault| unread(fault.cause()))?;
        let columns = rows.next().ok_or_else(|| unread("it is empty"))?.map_err(|fault| unread(fault.cause()))?;
        let (mut applied, mut standing) = (None, Self::default());
        for column in columns {
            let column = column.map_err(|error| unread(&error.to_string()))?;
            let bytes = column.slice.map(|slice| slice.as_slice());
            match column.spec.name() {
                "[applied]" => applied = bytes.map(|bytes| bytes == [1]),
                "kl_v" => standing.version = bytes.and_then(|bytes| Some(i64::from_be_bytes(bytes.try_into().ok()?))),
                "kl_x" => standing.end = bytes.and_then(|bytes| Some(i64::from_be_bytes(bytes.try_into().ok()?))),
                _ => {}
            }
        }
        match applied {
            Some(true) => Ok(None),
            Some(false) => Ok(Some(standing)),
            None => Err(unread("it does not say whether it was applied")),
        }
    }

    fn is_there(&self, now: Millis) -> bool {
        self.version.is_some() && self.end.is_some_and(|end| end > now.0)
    }

    /// A decision that was lost to it. The answer holds the columns of the condition and no others.
    fn lost(&self, now: Millis) -> Verdict {
        let current = if self.is_there(now) { Current::NotSaid } else { Current::Absent };
        Verdict::Lost { at: 0, current }
    }

    /// Writes it as a condition.
    fn bind(&self, cells: &mut Cells) {
        for value in [self.version, self.end] {
            match value {
                Some(value) => cells.bigint(value),
                None => cells.absent(Absent::Null),
            }
        }
    }
}
