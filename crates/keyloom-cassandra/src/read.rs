//! `get` and `get_many`.

use futures_util::{StreamExt, stream};
use keyloom_store::{Fault, Get, Got, refuse};
use keyloom_value::key;

use crate::{
    Cassandra,
    bind::about,
    cells::Cells,
    fault::Asked,
    rows::{Found, Reader, cost, raw, rows_of},
};

/// How many requests of one call are under way at the same time.
pub(crate) const BESIDE: usize = 128;

impl Cassandra {
    pub(crate) async fn read_row(&self, at: &Get<'_>) -> Result<Got, Fault> {
        let table = self.table(at.table)?;
        refuse::get(&table.shape, at)?;
        let mut cells = Cells::with_capacity(about(at.key));
        table.bind_key(at.key, &self.abilities, &mut cells)?;
        let answer = self.session.execute_unpaged(table.get.at(at.freshness), &cells).await;
        let answer = rows_of(answer.map_err(|error| Asked::Read.failed(&error))?)?;
        let mut cost = cost(&answer);
        let Some(columns) = raw(&answer)?.next() else { return Ok(Got { row: None, cost }) };
        let key = key::encode(at.key, table.shape.key_parts())?;
        let row = match Reader::new(&table, &answer, at.now).row(&mut columns?, &key)? {
            Found::Row(row) => Some(row),
            Found::Leftover(_) => {
                cost.leftovers = 1;
                None
            }
            Found::Nothing => None,
        };
        Ok(Got { row, cost })
    }

    pub(crate) async fn read_rows(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let reads: Vec<_> = at.iter().map(|at| self.read_row(at)).collect();
        stream::iter(reads).buffered(BESIDE).collect().await
    }
}
