//! A table that is ready for calls: its shape, and all its statements prepared.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use keyloom_store::{Discipline, Fault, Freshness, Shape};
use scylla::{
    client::session::Session,
    statement::{Consistency, prepared::PreparedStatement},
};
use tokio::sync::OnceCell;

use crate::{
    fault::unprepared,
    native::Form,
    statements::{SliceForm, Statements},
};

/// How many statements are prepared beside each other.
const BESIDE: usize = 32;

/// A table that is ready for calls.
pub(crate) struct Ready {
    pub(crate) shape: Arc<Shape>,
    /// The form of each component of the key.
    pub(crate) forms: Vec<Form>,
    pub(crate) get: Levels,
    /// Slices by their form. Those without bounds are made with the others; there are many more with bounds, of which a
    /// process needs few, and what a server keeps prepared is bounded: they are made when one is first asked for.
    slices: Vec<OnceCell<Levels>>,
    pub(crate) sweep: PreparedStatement,
    pub(crate) writes: Writes,
}

/// The statements that change rows: those of the table's discipline, and no others.
pub(crate) enum Writes {
    Decided {
        at_version: PreparedStatement,
        instead: PreparedStatement,
    },
    /// For each column group.
    Placed(Vec<Placing>),
}

/// The statements that place a column group.
pub(crate) struct Placing {
    pub(crate) put: PreparedStatement,
    pub(crate) remove: PreparedStatement,
}

/// A statement that reads, once for each freshness.
pub(crate) struct Levels {
    any: PreparedStatement,
    settled: PreparedStatement,
    fresh: PreparedStatement,
}

impl Ready {
    /// Prepares all statements of a table.
    ///
    /// # Errors
    /// `Refused` when the table is not there as it is described.
    pub(crate) async fn prepare(session: &Session, keyspace: &str, shape: Arc<Shape>) -> Result<Self, Fault> {
        let statements = Statements { keyspace, shape: &shape };
        let unbounded = SliceForm::unbounded(&shape);
        let mut texts = vec![statements.get(), statements.sweep()];
        match shape.table().discipline {
            Discipline::Decided => texts.extend([statements.decide_at_version(), statements.decide_instead()]),
            _ => {
                let groups = 0..shape.table().groups.len();
                texts.extend(groups.flat_map(|group| [statements.put(group), statements.remove(group)]));
            }
        }
        let writes = texts.len() - 2;
        texts.extend(unbounded.iter().map(|form| statements.slice(*form)));
        let prepared = stream::iter(texts).map(async |text| session.prepare(text).await);
        let prepared: Vec<PreparedStatement> =
            prepared.buffered(BESIDE).try_collect().await.map_err(|error| unprepared(&error))?;
        let decided = shape.table().discipline == Discipline::Decided;
        let mut prepared = prepared.into_iter();
        let mut next = || prepared.next().ok_or(Fault::NotDone("a statement was not prepared".into()));
        let (get, mut sweep) = (Levels::of(next()?, decided), next()?);
        sweep.set_use_cached_result_metadata(true);
        let writes = if decided {
            Writes::Decided { at_version: next()?, instead: next()? }
        } else {
            let groups = (0..writes / 2).map(|_| Ok(Placing { put: next()?, remove: next()? }));
            Writes::Placed(groups.collect::<Result<_, Fault>>()?)
        };
        let slices: Vec<OnceCell<Levels>> = (0..SliceForm::places(&shape)).map(|_| OnceCell::new()).collect();
        for form in unbounded {
            let levels = Levels::of(next()?, decided);
            slices[form.place()].set(levels).map_err(|_| Fault::NotDone("a statement was prepared twice".into()))?;
        }
        let forms = Form::of_key(shape.key_parts(), shape.table().partition.len());
        Ok(Self { forms, get, slices, sweep, writes, shape })
    }

    /// The statement that reads a slice of this form.
    pub(crate) async fn slice(&self, form: SliceForm, session: &Session, keyspace: &str) -> Result<&Levels, Fault> {
        let decided = self.shape.table().discipline == Discipline::Decided;
        let prepare = async || {
            let text = Statements { keyspace, shape: &self.shape }.slice(form);
            let prepared = session.prepare(text).await.map_err(|error| unprepared(&error))?;
            Ok(Levels::of(prepared, decided))
        };
        self.slices[form.place()].get_or_try_init(prepare).await
    }
}

impl Levels {
    fn of(mut statement: PreparedStatement, decided: bool) -> Self {
        // Columns are named one by one, so what a statement answers with never changes.
        statement.set_use_cached_result_metadata(true);
        let at = |level| {
            let mut statement = statement.clone();
            statement.set_consistency(level);
            statement
        };
        // Of a row that nobody decides, fresh is the same as settled.
        let fresh = if decided { Consistency::LocalSerial } else { Consistency::LocalQuorum };
        Self { any: at(Consistency::LocalOne), settled: at(Consistency::LocalQuorum), fresh: at(fresh) }
    }

    pub(crate) fn at(&self, freshness: Freshness) -> &PreparedStatement {
        match freshness {
            Freshness::Any => &self.any,
            Freshness::Settled => &self.settled,
            Freshness::Fresh => &self.fresh,
        }
    }
}
