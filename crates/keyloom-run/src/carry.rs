//! A decision and its companions: what must be so once it is made.
//!
//! Companions are rows of projections, reservations of unique values and receipts of requests. Where a decision covers
//! other rows they ride along with it ([`ride`](crate::ride)); where it covers its own row alone they come before and
//! behind it ([`follow`](crate::follow)). Nobody else knows the difference.

use keyloom_model::Expr;
use keyloom_plan::Companions;
use keyloom_store::{Along, Change, Decision, Expect, Fault, GroupImage, Image, Millis, Store, Verdict};
use keyloom_value::{Kind, Value};

use crate::{
    bucket::bucket_of,
    changing::Level,
    dirty::Mark,
    evaluate::Scope,
    idempotency::uuid7,
    inputs::Inputs,
    judge::{Checked, ends_at},
    kept::KeptChange,
    problem::Problem,
    program::{ALL, EntityPlan, KeyPart, Projection},
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
    /// Rows that must still be as they were seen.
    pub(crate) checks: &'a [Checked],
    /// What becomes of values that are kept from it.
    pub(crate) kept: &'a [KeptChange],
    /// What it holds of other rows is looked up anew, though it stands as it stood.
    pub(crate) anew: bool,
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
    /// Whether another version of it has the same place, values and end.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let of = |row: &Self| (row.table, row.expires_at);
        of(self) == of(other) && self.key == other.key && self.values == other.values
    }

    /// Its values, as the one column group that these tables have.
    pub(crate) fn group(&self) -> [GroupImage<'_>; 1] {
        [GroupImage { group: 0, version: self.version, values: self.values.as_deref().unwrap_or_default() }]
    }
}

impl Run {
    /// One try to carry out an intent, with its companions. Marks of this try are added to those of the tries before.
    pub(crate) async fn carry_out(&self, intent: &Intent<'_>, marks: &mut Vec<Mark>) -> Result<Tried, Problem> {
        match self.program.companions {
            Companions::Ride => self.ride(intent, marks).await,
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
        let image = self.source_image(entity, record);
        // A row that is gone or has ended is remembered for as long as decisions may be under way that expect it to be
        // absent, and requests may be repeated that it has absorbed.
        let ends_at = ends_at(entity, &record.values).map_err(|problem| Fault::refused(problem.to_string()))?;
        let ends_at =
            if record.gone { Some(millis(now_us)) } else { ends_at.map(|end| Millis(end).max(millis(now_us))) };
        let expires_at = ends_at.map(|ends_at| ends_at.plus(self.remembered_ms(entity)));
        let change = Change {
            table: self.table(entity.source.table).0,
            key: &key,
            expect: before.map_or(Expect::Absent, Expect::Version),
            becomes: Image { version: record.version, expires_at, values: &image },
        };
        self.store.decide(Decision { change, along, now: millis(now_us) }).await
    }

    /// The values of a source row, with what says in which lists of the engine it stands.
    pub(crate) fn source_image<'a>(&self, entity: &EntityPlan, record: &'a Record) -> Vec<Value<'a>> {
        let mut image = record.image(&entity.source);
        image.resize(self.columns(entity.source.table), Value::Null);
        for index in &entity.indexes {
            image[index.shown] = if place(entity, &index.list, record).is_some() { ALL } else { Value::Null };
        }
        image
    }

    /// Where a record stands in the projections that rows are placed in. What it holds of other rows there is not looked at.
    pub(crate) fn standing(&self, entity: &EntityPlan, record: &Record) -> Vec<Companion> {
        let mut standing = self.places(entity, record);
        standing.retain(|row| self.is_kept_up(row.table));
        standing
    }

    /// Whether what follows is put into a table.
    pub(crate) fn is_kept_up(&self, table: usize) -> bool {
        self.levels[table] != Some(Level::Removing)
    }

    /// Where a record has its places in the projections.
    pub(crate) fn places(&self, entity: &EntityPlan, record: &Record) -> Vec<Companion> {
        // An end that can't be computed was refused when the row was decided.
        let expires_at = ends_at(entity, &record.values).ok().flatten().map(Millis);
        let stands = entity.projections.iter().filter_map(|projection| {
            let key = place(entity, projection, record)?;
            let mut values = vec![Value::Null; self.columns(projection.table)];
            for (field, column) in &projection.own {
                values[*column] = record.values[*field].clone();
            }
            let (table, version) = (projection.table, record.version);
            Some(Companion { table, key, version, values: Some(values), expires_at })
        });
        stands.collect()
    }

    /// Whether somebody sees the version of the rows of a projection.
    pub(crate) fn shows_version(&self, entity: &EntityPlan, table: usize) -> bool {
        entity.projections.iter().any(|projection| projection.table == table && projection.shows_version)
    }

    /// Where it stood before and does not stand any more: tables and keys.
    pub(crate) fn left(&self, intent: &Intent<'_>) -> Vec<(usize, Vec<Owned>)> {
        let Intent { entity, record, before: Some(before), .. } = intent else { return Vec::new() };
        let left = entity.projections.iter().filter_map(|projection| {
            let old = place(entity, projection, before)?;
            (place(entity, projection, record).as_ref() != Some(&old)).then_some((projection.table, old))
        });
        left.collect()
    }

    /// How many columns a table has; it may have more than the catalog knows.
    pub(crate) fn columns(&self, table: usize) -> usize {
        self.table(table).1.table().groups.first().map_or(0, |group| group.columns.len())
    }
}

/// The key of a record in a projection, if it stands there.
pub(crate) fn place(entity: &EntityPlan, projection: &Projection, record: &Record) -> Option<Vec<Owned>> {
    if record.gone || !projection.filter.as_ref().is_none_or(|filter| passes(entity, record, filter)) {
        return None;
    }
    let component = |part: &KeyPart| match *part {
        KeyPart::Field(field) => Some(record.values[field].clone()).filter(|value| !value.is_null()),
        KeyPart::IsAbsent(field) => Some(Value::Bool(record.values[field].is_null())),
        KeyPart::Flagged(field) => {
            let (value, kind) = (&record.values[field], &entity.fields[field].1);
            Some(if value.is_null() { stand_in(kind) } else { value.clone() })
        }
        KeyPart::All => Some(ALL),
        KeyPart::Bucket(step, field) => bucket_of(step, &record.values[field], &entity.fields[field].1),
    };
    projection.key.iter().map(component).collect()
}

/// Whether a record passes a test that is the same for everybody at every moment.
pub(crate) fn passes(entity: &EntityPlan, record: &Record, test: &Expr) -> bool {
    let inputs = Inputs::default();
    let built_in = record.built_in();
    let scope = Scope { fields: &entity.fields, row: &record.values, built_in, item: None, inputs: &inputs, now_us: 0 };
    // Such a test was found to be sound when it was read; what can't be evaluated passes nowhere, so nothing is shown.
    scope.holds(test).unwrap_or(false)
}

/// What stands in a key behind the flag that says that nothing does.
fn stand_in(kind: &Kind) -> Owned {
    match kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int => Value::Int(0),
        Kind::Float => Value::Float(0.0),
        Kind::Decimal { .. } => Value::Decimal(0),
        Kind::Bytes => Value::Bytes(Vec::new().into()),
        Kind::Uuid | Kind::Uuid7 => Value::Uuid(uuid7(0, [0; 10])),
        Kind::Date => Value::Date(0),
        Kind::Timestamp { .. } => Value::Timestamp(0),
        Kind::Ip => Value::Ip([0, 0, 0, 0].into()),
        Kind::Enum(variants) => variants.first().map_or(Value::Null, |variant| Value::Enum(variant.rank)),
        Kind::Text
        | Kind::Json
        | Kind::Duration
        | Kind::List(_)
        | Kind::Set(_)
        | Kind::Map(..)
        | Kind::Struct(_)
        | Kind::OneOf(_) => Value::from(""),
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
