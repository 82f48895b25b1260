//! One decision, and what rides along with it.

use keyloom_store::{
    Along, Change, Current, Decision, Expect, Fault, GroupImage, Image, Placement, Placing, Store, Verdict,
};
use keyloom_value::Value;

use crate::{
    problem::Problem,
    program::{EntityPlan, RECEIPTS, grace_ms},
    read::millis,
    record::{Record, Token},
    reserve::Reserve,
    run::Run,
    write::source_key,
};

type Owned = Value<'static>;

/// How one try to decide ended.
pub(crate) enum Tried {
    Done,
    /// A row was not as expected: the source itself, or a reservation.
    Lost {
        at: usize,
        current: Current,
    },
    Unknown,
}

impl Run {
    /// One try: the source row, its reservations, its projections, its receipts.
    pub(crate) async fn decide(
        &self,
        entity: &EntityPlan,
        before: Option<&Record>,
        record: &Record,
        reserves: &[Reserve<'_>],
        forgotten: &[Token],
        now_us: i64,
    ) -> Result<Tried, Problem> {
        let retries_ms = self.program.retries_ms();
        let key = source_key(entity, record);
        let mut image = record.image(entity.source.own.iter().copied());
        image.resize(self.columns(entity.source.table), Value::Null);
        let change = Change {
            table: self.table(entity.source.table).0,
            key: &key,
            expect: before.map_or(Expect::Absent, |before| Expect::Version(before.version)),
            becomes: Image { version: record.version, expires_at: None, values: &image },
        };

        let owner: Vec<Owned> = entity.key.iter().map(|field| record.values[*field].clone()).collect();
        let nobody = vec![Value::Null; owner.len()];
        let free_until = millis(now_us).plus(grace_ms(retries_ms));
        let reserved = reserves.iter().map(|reserve| {
            let above = match reserve.expect {
                Expect::Version(version) => version + 2,
                Expect::Absent => 0,
            };
            let (values, expires_at) = if reserve.taken { (&owner, None) } else { (&nobody, Some(free_until)) };
            let becomes = Image { version: record.version.max(above), expires_at, values };
            let table = self.table(reserve.reservation.table).0;
            Along::Decide(Change { table, key: &reserve.key, expect: reserve.expect, becomes })
        });

        let places: Vec<Projected> = entity
            .projections
            .iter()
            .map(|projection| Projected {
                table: projection.table,
                old: before.and_then(|before| before.fields(&projection.key)),
                new: record.fields(&projection.key),
                values: {
                    let own = projection.own.iter().map(|field| record.values[*field].clone());
                    own.chain(std::iter::repeat(Value::Null)).take(self.columns(projection.table)).collect()
                },
            })
            .collect();
        let carried = places.iter().flat_map(|place| {
            let table = self.table(place.table).0;
            let becomes = Image { version: record.version, expires_at: None, values: &place.values };
            let moved = place.old.as_ref().filter(|old| Some(*old) != place.new.as_ref());
            let put = place.new.as_ref().map(|key| Along::Put { table, key, becomes });
            put.into_iter().chain(moved.map(|key| Along::Remove { table, key }))
        });

        let receipts = forgotten
            .iter()
            .map(|token| {
                let values = [Value::from(token.inputs.to_vec()), Value::Int(token.version.cast_signed())];
                Ok((token, [self.receipt_key(entity, &key, token)?], values))
            })
            .collect::<Result<Vec<_>, Problem>>()?;
        let groups: Vec<[GroupImage<'_>; 1]> =
            receipts.iter().map(|(_, _, values)| [GroupImage { group: 0, version: record.version, values }]).collect();
        let placed = receipts.iter().zip(&groups).map(|((token, key, _), groups)| {
            // Somewhat longer than the request may be repeated: clocks differ.
            let expires_at = Some(keyloom_store::Millis(token.birth_ms).plus(retries_ms + 120_000));
            let placing = Placing::Put { groups, expires_at };
            Along::Place(Placement { table: self.table(RECEIPTS).0, key, placing })
        });
        let along: Vec<Along<'_>> = reserved.chain(carried).chain(placed).collect();

        match self.store.decide(Decision { change, along: &along, now: millis(now_us) }).await {
            Ok(Verdict::Done) => Ok(Tried::Done),
            Ok(Verdict::Lost { at, current }) => Ok(Tried::Lost { at, current }),
            Err(Fault::Unknown(_)) => Ok(Tried::Unknown),
            Err(Fault::Refused(cause)) => Err(Problem::Input(cause.into_owned())),
            Err(fault) => Err(fault.into()),
        }
    }

    /// How many columns a table has; it may have more than the catalog knows.
    fn columns(&self, table: usize) -> usize {
        self.table(table).1.table().groups.first().map_or(0, |group| group.columns.len())
    }
}

/// Where a record stands in a projection, before and after.
struct Projected {
    table: usize,
    old: Option<Vec<Owned>>,
    new: Option<Vec<Owned>>,
    values: Vec<Owned>,
}
