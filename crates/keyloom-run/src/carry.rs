//! A decision and its companions: what must be so once it is made.
//!
//! Companions are rows of projections, reservations of unique values and receipts of requests. Where a decision covers
//! other rows they ride along with it ([`ride`](crate::ride)); where it covers its own row alone they come before and
//! behind it ([`follow`](crate::follow)). Nobody else knows the difference.

use keyloom_plan::Companions;
use keyloom_store::{Along, Change, Decision, Expect, Fault, GroupImage, Image, Millis, Store, Verdict};
use keyloom_value::Value;

use crate::{
    dirty::Mark,
    problem::Problem,
    program::{EntityPlan, grace_ms},
    read::millis,
    record::{Record, Token},
    reserve::Reserve,
    run::Run,
};

type Owned = Value<'static>;

/// What a write wants to be decided.
pub(crate) struct Intent<'a> {
    pub(crate) entity: &'a EntityPlan,
    /// What stands there.
    pub(crate) before: Option<&'a Record>,
    /// What is to stand there.
    pub(crate) record: &'a Record,
    pub(crate) reserves: &'a [Reserve<'a>],
    /// Requests that the row no longer remembers.
    pub(crate) forgotten: &'a [Token],
    pub(crate) now_us: i64,
}

/// How one try to decide ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tried {
    Done {
        /// Whether everything that follows from it can be seen, too.
        visible: bool,
    },
    /// A row was not as expected: the source itself, or a reservation.
    Lost,
    Unknown,
}

/// A row of a projection, or a receipt: there with these values, or gone.
pub(crate) struct Companion {
    pub(crate) table: usize,
    pub(crate) key: Vec<Owned>,
    pub(crate) version: u64,
    pub(crate) values: Option<Vec<Owned>>,
    pub(crate) expires_at: Option<Millis>,
}

impl Companion {
    /// Its values, as the one column group that these tables have.
    pub(crate) fn group(&self) -> [GroupImage<'_>; 1] {
        [GroupImage { group: 0, version: self.version, values: self.values.as_deref().unwrap_or_default() }]
    }
}

impl Run {
    /// One try to carry out an intent, with its companions. Marks of this try are added to those of the tries before.
    pub(crate) async fn carry_out(&self, intent: &Intent<'_>, marks: &mut Vec<Mark>) -> Result<Tried, Problem> {
        match self.program.companions {
            Companions::Ride => self.ride(intent).await,
            Companions::Follow => self.follow(intent, marks).await,
        }
    }

    /// Decides a source row, if it has that version.
    pub(crate) async fn decide_source(
        &self,
        entity: &EntityPlan,
        before: Option<u64>,
        record: &Record,
        along: &[Along<'_>],
        now_us: i64,
    ) -> Result<Verdict, Fault> {
        let key = entity.source_key(record);
        let mut image = record.image(&entity.source);
        image.resize(self.columns(entity.source.table), Value::Null);
        // A row that is gone is remembered for as long as decisions may be under way that expect it to be absent.
        let expires_at = record.gone.then(|| millis(now_us).plus(grace_ms(self.program.retries_ms())));
        let change = Change {
            table: self.table(entity.source.table).0,
            key: &key,
            expect: before.map_or(Expect::Absent, Expect::Version),
            becomes: Image { version: record.version, expires_at, values: &image },
        };
        self.store.decide(Decision { change, along, now: millis(now_us) }).await
    }

    /// Where a record stands in the projections.
    pub(crate) fn standing(&self, entity: &EntityPlan, record: &Record) -> Vec<Companion> {
        let stands = entity.projections.iter().filter_map(|projection| {
            let own = projection.own.iter().map(|field| record.values[*field].clone());
            Some(Companion {
                table: projection.table,
                key: record.fields(&projection.key)?,
                version: record.version,
                values: Some(own.chain(std::iter::repeat(Value::Null)).take(self.columns(projection.table)).collect()),
                expires_at: None,
            })
        });
        stands.collect()
    }

    /// Where it stood before and does not stand any more: tables and keys.
    pub(crate) fn left(&self, intent: &Intent<'_>) -> Vec<(usize, Vec<Owned>)> {
        let Some(before) = intent.before else { return Vec::new() };
        let left = intent.entity.projections.iter().filter_map(|projection| {
            let old = before.fields(&projection.key)?;
            (intent.record.fields(&projection.key).as_ref() != Some(&old)).then_some((projection.table, old))
        });
        left.collect()
    }

    /// How many columns a table has; it may have more than the catalog knows.
    fn columns(&self, table: usize) -> usize {
        self.table(table).1.table().groups.first().map_or(0, |group| group.columns.len())
    }
}

/// What a decision on the source row comes to.
pub(crate) fn tried(verdict: Result<Verdict, Fault>, visible: bool) -> Result<Tried, Problem> {
    match verdict {
        Ok(Verdict::Done) => Ok(Tried::Done { visible }),
        Ok(Verdict::Lost { .. }) => Ok(Tried::Lost),
        Err(Fault::Unknown(_)) => Ok(Tried::Unknown),
        Err(Fault::Refused(cause)) => Err(Problem::Input(cause.into_owned())),
        Err(fault) => Err(fault.into()),
    }
}
