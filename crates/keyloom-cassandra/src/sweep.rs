//! All rows of a table, by ranges of tokens.

use keyloom_store::{Fault, Millis, Resume, Segment, Swept, TableId, refuse};
use scylla::response::{PagingState, PagingStateResponse};

use crate::{
    Cassandra,
    cells::Cells,
    fault::Asked,
    rows::{Found, Reader, raw, rows_of},
};

impl Cassandra {
    pub(crate) fn token_ranges(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(&self.table(table)?.shape)?;
        // No partition has the smallest token, so a range without its lower end loses nothing.
        let parts = i128::from(parts.clamp(1, 1 << 16));
        let bound = |part: i128| i128::from(i64::MIN) + part * i128::from(u64::MAX) / parts;
        let bytes = |bound: i128| i64::try_from(bound).unwrap_or(i64::MAX).to_be_bytes();
        Ok((0..parts).map(|part| Segment([bytes(bound(part)), bytes(bound(part + 1))].concat())).collect())
    }

    pub(crate) async fn sweep_range(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let table = self.table(table)?;
        refuse::sweep(&table.shape)?;
        let range = segment.0.split_first_chunk::<8>().and_then(|(low, high)| Some((low, high.first_chunk::<8>()?)));
        let (low, high) = range.ok_or(Fault::Refused("a segment of another store".into()))?;
        let mut cells = Cells::with_capacity(24);
        cells.fixed(*low);
        cells.fixed(*high);
        let mut statement = table.sweep.clone();
        statement.set_page_size(i32::try_from(rows_max.max(1)).unwrap_or(i32::MAX));
        let from = from.map_or_else(PagingState::start, |resume| PagingState::new_from_raw_bytes(resume.0.as_slice()));
        let page = self.session.execute_single_page(&statement, &cells, from).await;
        let (answer, next) = page.map_err(|error| Asked::Read.failed(&error))?;
        let answer = rows_of(answer)?;
        let mut swept = Swept { rows: Vec::new(), leftovers: Vec::new(), resume: None };
        let (mut reader, mut key) = (Reader::new(&table, &answer, now), Vec::new());
        for columns in raw(&answer)? {
            let mut columns = columns?;
            key.clear();
            reader.key(&mut columns, 0, &mut key)?;
            match reader.row(&mut columns, &key)? {
                Found::Row(row) => swept.rows.push(row),
                Found::Leftover(row) => swept.leftovers.push(row),
                Found::Nothing => {}
            }
        }
        if let PagingStateResponse::HasMorePages { state } = next {
            swept.resume = state.as_bytes_slice().map(|state| Resume(state.to_vec()));
        }
        Ok(swept)
    }
}
