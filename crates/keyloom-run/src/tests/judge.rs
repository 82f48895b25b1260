//! What must be so when it is quiet.

use std::collections::BTreeMap;

use keyloom_store::{Fault, Millis, Row, Sweep};
use keyloom_value::Value;

use super::{
    Tally, Theme,
    client::{Conclusion, Request, row_of},
    world::World,
};
use crate::{
    idempotency::IdempotencyKey,
    receipts::Absorbed,
    record::{Record, Token},
    reserve::held_by,
};

/// The status of that name: PLACED or PAID.
fn status_of(run: &crate::Run, which: usize) -> Value<'static> {
    let order = run.program.entities.iter().find(|entity| entity.name == "Order").unwrap();
    let keyloom_value::Kind::Enum(variants) = &order.fields[order.field("status").unwrap()].1 else { panic!("status") };
    let name = ["PLACED", "PAID"][which];
    Value::Enum(variants.iter().find(|variant| variant.name == name).unwrap().rank)
}

impl World {
    pub(super) fn judge(&self, requests: &[Request]) -> Result<Tally, String> {
        self.projections_equal_their_source()?;
        self.kept_values_equal_their_source()?;
        self.unique_values_have_one_holder()?;
        if matches!(self.theme, Theme::Files | Theme::FilesOnItems) {
            self.pages_go_with_their_files(requests)?;
        }
        self.answers_are_true(requests)
    }

    /// I1: what stands in the projections is what follows from the source rows, no more and no less.
    fn projections_equal_their_source(&self) -> Result<(), String> {
        let run = &self.servers[0];
        for entity in &run.program.entities {
            let mut wanted = BTreeMap::new();
            for record in self.records(entity.source.table) {
                let stands = run.standing(entity, &record).into_iter();
                for row in stands.filter(|row| row.expires_at.is_none_or(|end| end > self.over())) {
                    wanted.insert((row.table, run.key_bytes(row.table, &row.key).unwrap()), row.values.unwrap());
                }
            }
            let mut found = BTreeMap::new();
            for projection in &entity.projections {
                let shape = run.table(projection.table).1;
                for row in self.rows(projection.table) {
                    let cells = 0..shape.table().groups[0].columns.len();
                    let cell = |column| {
                        let at = keyloom_store::ColumnAt::Cell { group: 0, column };
                        row.value(shape, at).unwrap().into_owned()
                    };
                    let values: Vec<Value<'static>> = cells.map(cell).collect();
                    found.insert((projection.table, row.key_bytes().to_vec()), values);
                }
            }
            if wanted != found {
                return Err(format!(
                    "drift of {}: {} rows follow, {} are there",
                    entity.name,
                    wanted.len(),
                    found.len()
                ));
            }
        }
        Ok(())
    }

    /// I11: what is counted and added up of orders is what the orders come to, for every user of whom anything is known.
    fn kept_values_equal_their_source(&self) -> Result<(), String> {
        let run = &self.servers[0];
        if run.program.kept.is_empty() {
            return Ok(());
        }
        let entity = |name: &str| run.program.entities.iter().find(|entity| entity.name == name).unwrap();
        let (user, order) = (entity("User"), entity("Order"));
        let field = |name: &str| order.field(name).unwrap();
        let (owner, status, total) = (field("user_id"), field("status"), field("total"));
        let orders = self.records(order.source.table);
        for kept in &run.program.kept {
            let mut wanted: BTreeMap<Vec<u8>, Value<'static>> = BTreeMap::new();
            for order in &orders {
                let key = run.key_bytes(kept.table, &[order.values[owner].clone()]).unwrap();
                let (rank, value) = match user.fields[kept.field].0.as_str() {
                    "orders" => (0, Value::Int(1)),
                    _ => (1, order.values[total].clone()),
                };
                if order.values[status] != status_of(run, rank) {
                    continue;
                }
                let sum = match (wanted.get(&key), &value) {
                    (Some(Value::Int(a)), Value::Int(b)) => Value::Int(a + b),
                    (Some(Value::Decimal(a)), Value::Decimal(b)) => Value::Decimal(a + b),
                    _ => value,
                };
                wanted.insert(key, sum);
            }
            let shape = run.table(kept.table).1;
            let mut found = BTreeMap::new();
            for row in self.rows(kept.table) {
                let at = keyloom_store::ColumnAt::Cell { group: 0, column: 0 };
                let value = row.value(shape, at).unwrap().into_owned();
                if ![Value::Int(0), Value::Decimal(0)].contains(&value) {
                    found.insert(row.key_bytes().to_vec(), value);
                }
            }
            if wanted != found {
                return Err(format!("{} is {found:?}, but {wanted:?} follows", user.fields[kept.field].0));
            }
        }
        Ok(())
    }

    /// I12: nobody shares an email, who has one has its reservation, and no reservation is left behind.
    fn unique_values_have_one_holder(&self) -> Result<(), String> {
        let run = &self.servers[0];
        for entity in &run.program.entities {
            let records = self.records(entity.source.table);
            for reservation in &entity.reservations {
                let mut holders: BTreeMap<Vec<u8>, Vec<Vec<Value<'static>>>> = BTreeMap::new();
                for record in &records {
                    if let Some(key) = held_by(entity, record, reservation) {
                        let bytes = run.key_bytes(reservation.table, &key).unwrap();
                        holders.entry(bytes).or_default().push(entity.identity(record));
                    }
                }
                if holders.values().any(|holders| holders.len() > 1) {
                    return Err("two hold one unique value".into());
                }
                let mut owners = BTreeMap::new();
                for row in self.rows(reservation.table) {
                    let key = run.key_values(reservation.table, row.key_bytes()).unwrap();
                    let held = self
                        .simulation
                        .block_on(run.held(entity, reservation, &key, keyloom_store::Freshness::Fresh))
                        .unwrap()
                        .unwrap()
                        .unwrap();
                    if let Some(owner) = held.owner {
                        owners.insert(row.key_bytes().to_vec(), vec![owner]);
                    }
                }
                if owners != holders {
                    return Err(format!("{} values are held, {} are reserved", holders.len(), owners.len()));
                }
            }
        }
        Ok(())
    }

    /// I2, I4, I10: what was answered is so, and each request that was applied has one effect.
    fn answers_are_true(&self, requests: &[Request]) -> Result<Tally, String> {
        let run = &self.servers[0];
        let mut tally = Tally::default();
        let mut visits: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
        for request in requests {
            if let Some(wrong) = &request.wrong {
                return Err(format!("{request:?}: {wrong}"));
            }
            let (entity, key) = row_of(self, request);
            let now_us = run.now_us();
            let known = IdempotencyKey::read(
                &request.key,
                crate::Caller::NOBODY,
                now_us.div_euclid(1_000),
                run.program.retries_ms(),
            )
            .unwrap();
            let pattern = run.pattern(request.pattern).unwrap();
            let inputs = run
                .inputs_from_object(pattern, crate::Caller::NOBODY, &request.body)
                .unwrap()
                .digest(request.pattern, &known.caller)
                .unwrap();
            let token = Token { token: known.token(), birth_ms: known.birth_ms, inputs, version: 0, refused: None };
            let absorbed = self.simulation.block_on(async {
                let there = run.source(entity, &key, keyloom_store::Freshness::Fresh, now_us).await.unwrap();
                match there {
                    Some(there) => run.absorbed(entity, &key, &there, &token, now_us).await.unwrap(),
                    None => None,
                }
            });
            let absorbed = absorbed.unwrap();
            let is_true = match request.conclusion {
                Conclusion::Applied { version } => absorbed == Some(Absorbed::Applied(version)),
                Conclusion::NotApplied => !matches!(absorbed, Some(Absorbed::Applied(_))),
                Conclusion::Uncertain => true,
            };
            if !is_true {
                return Err(format!("a false answer: {request:?}, but {absorbed:?}"));
            }
            *match request.conclusion {
                Conclusion::Applied { .. } => &mut tally.applied,
                Conclusion::NotApplied => &mut tally.not_applied,
                Conclusion::Uncertain => &mut tally.uncertain,
            } += 1;
            tally.repeated += u64::from(request.repeated);
            tally.hidden += u64::from(request.hidden);
            if request.pattern == "visit" && matches!(absorbed, Some(Absorbed::Applied(_))) {
                *visits.entry(run.key_bytes(entity.source.table, &key).unwrap()).or_default() += 1;
            }
        }
        let Some(entity) = run.program.entities.iter().find(|entity| entity.name == "User") else { return Ok(tally) };
        for record in self.records(entity.source.table) {
            let key = run.key_bytes(entity.source.table, &entity.source_key(&record)).unwrap();
            let counted = visits.get(&key).copied().unwrap_or(0);
            let value = &record.values[entity.field("visits").unwrap()];
            if *value != Value::Int(counted) {
                return Err(format!("{counted} visits were applied, but {value:?} are counted"));
            }
        }
        Ok(tally)
    }

    /// When it is over; nothing ends between two looks.
    fn over(&self) -> Millis {
        Millis(self.now_ms())
    }

    /// The source rows that are there.
    pub(super) fn records(&self, table: usize) -> Vec<Record> {
        let run = &self.servers[0];
        let entity = run.program.entities.iter().find(|entity| entity.source.table == table).unwrap();
        let rows = self.rows(table).into_iter();
        let records = rows.map(|row| Record::read(&row, run.table(table).1, &entity.source).unwrap());
        records.filter(|record| !record.gone).collect()
    }

    fn rows(&self, table: usize) -> Vec<Row> {
        self.simulation.block_on(self.swept(table)).unwrap().unwrap()
    }

    /// What stands in a table.
    pub(super) async fn swept(&self, table: usize) -> Result<Vec<Row>, Fault> {
        let run = &self.servers[0];
        let (table, now) = (run.table(table).0, self.over());
        let segments = run.sweep.segments(table, 1).await?;
        Ok(run.sweep.sweep(table, &segments[0], None, 10_000, now).await?.rows)
    }
}
