//! Unique values: who holds which is a row of its own, decided along with the source.

use keyloom_store::{Expect, Row};
use keyloom_value::Value;

use crate::{
    problem::Problem,
    program::{EntityPlan, Reservation},
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// Another row that a decision decides along: a unique value that is taken or set free.
pub(crate) struct Reserve<'a> {
    pub(crate) reservation: &'a Reservation,
    pub(crate) key: Vec<Owned>,
    pub(crate) expect: Expect,
    pub(crate) taken: bool,
}

impl Run {
    /// The unique values that an update takes and sets free, or the reason why it can't.
    pub(crate) async fn reserves<'a>(
        &self,
        entity: &'a EntityPlan,
        there: &Record,
        record: &Record,
        now_us: i64,
    ) -> Result<Result<Vec<Reserve<'a>>, String>, Problem> {
        let mut reserves = Vec::new();
        for reservation in &entity.reservations {
            let (old, new) = (reserved_key(reservation, there), reserved_key(reservation, record));
            if old == new {
                continue;
            }
            let table = reservation.table;
            if let Some(key) = new {
                let expect = match self.row(table, &key, now_us).await? {
                    None => Expect::Absent,
                    Some(row) if self.is_free(table, &row)? => Expect::Version(row.version()?),
                    Some(_) => return Ok(Err(reservation.unique.clone())),
                };
                reserves.push(Reserve { reservation, key, expect, taken: true });
            }
            if let Some(key) = old {
                let row = self.row(table, &key, now_us).await?;
                let row =
                    row.ok_or_else(|| Problem::Broken("a unique value that a row holds is not reserved".into()))?;
                reserves.push(Reserve { reservation, key, expect: Expect::Version(row.version()?), taken: false });
            }
        }
        Ok(Ok(reserves))
    }

    /// Whether nobody holds a reserved value.
    pub(crate) fn is_free(&self, table: usize, row: &Row) -> Result<bool, Problem> {
        let owner = keyloom_store::ColumnAt::Cell { group: 0, column: 0 };
        Ok(row.value(self.table(table).1, owner)?.is_null())
    }
}

/// The unique value of a record; one with an absent part collides with nobody.
pub(crate) fn reserved_key(reservation: &Reservation, record: &Record) -> Option<Vec<Owned>> {
    record.fields(&reservation.fields)
}
