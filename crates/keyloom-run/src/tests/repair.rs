//! Verifying and repairing beside writers, under faults.

use std::{cell::Cell, time::Duration};

use keyloom_sim::Clock;
use keyloom_store::{GroupImage, Placement, Placing, Store};
use keyloom_value::Value;

use super::{AS_DESIGNED, KINDS, Tally, Theme, world::World};
use crate::{Report, Run, Verified, Verify, protocol::Protocol};

impl World {
    /// One verification on a server, which may sleep or crash; what it found, if it came to an end.
    async fn verified(&self, mends: bool) -> Option<Report> {
        let server = self.pick(self.servers.len());
        let (run, clock) = (self.servers[server].clone(), self.clock.clone());
        self.at(server, async move { driven(&run, &clock, mends).await }).await.flatten().flatten()
    }

    /// A row of a list that nobody placed: a copy of one that stands, at another user.
    async fn ghost(&self) {
        let run = &self.servers[0];
        let Some(orders) = run.program.entities.iter().find(|entity| entity.name == "Order") else { return };
        let list = orders.projections[self.pick(orders.projections.len())].table;
        let users = run.program.entities.iter().find(|entity| entity.name == "User").unwrap().source.table;
        let (Ok(rows), Ok(users)) = (self.swept(list).await, self.swept(users).await) else { return };
        if rows.is_empty() || users.is_empty() {
            return;
        }
        let (row, user) = (&rows[self.pick(rows.len())], &users[self.pick(users.len())]);
        let mut key = run.key_values(list, row.key_bytes()).unwrap();
        let Some(Value::Uuid(_)) = key.first() else { return };
        key[0] = run.key_values(run.program.entities[0].source.table, user.key_bytes()).unwrap()[0].clone();
        let (id, shape) = run.table(list);
        let columns = 0..shape.table().groups[0].columns.len();
        let cell = |column| row.value(shape, keyloom_store::ColumnAt::Cell { group: 0, column }).unwrap().into_owned();
        let values: Vec<Value<'static>> = columns.map(cell).collect();
        let groups = [GroupImage { group: 0, version: row.version().unwrap(), values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        drop(self.store.place(&[Placement { table: id, key: &key, placing }], false, self.clock.now()).await);
    }

    /// One when all is quiet.
    fn verified_at_rest(&self, mends: bool) -> Result<Report, String> {
        let driven = driven(&self.servers[0], &self.clock, mends);
        self.simulation.block_on(driven).map_err(|halt| halt.to_string())?.ok_or_else(|| "it does not end".to_owned())
    }
}

pub(super) async fn driven(run: &Run, clock: &Clock, mends: bool) -> Option<Report> {
    let mut verify = if mends { Verify::mending(run) } else { Verify::new(run) };
    for _ in 0..200 {
        match verify.next(run).await {
            Ok(Verified::Rows(_)) => {}
            Ok(Verified::Waits(_)) => clock.sleep(Duration::from_millis(200)).await,
            Ok(Verified::All) => return Some(verify.report().clone()),
            Err(_) => return None,
        }
    }
    None
}

/// Writers and repairs at once; what writers were answered, and how often a repair came to an end.
fn beside(seed: u64, protocol: Protocol, damage: bool) -> Result<(Tally, u64, u64), String> {
    let world = World::new(Theme::Shop, seed, protocol);
    let (ended, mended, wrong) = (Cell::new(0), Cell::new(0), Cell::new(None));
    let mut requests = world.clients_beside(async |living: &Cell<u64>| {
        while living.get() > 0 {
            world.clock.sleep(world.dice.span(Duration::ZERO, Duration::from_millis(100))).await;
            if damage {
                world.ghost().await;
            }
            let Some(report) = world.verified(true).await else { continue };
            ended.set(ended.get() + 1);
            mended.set(mended.get() + report.mended());
            if !damage && report.differences() > 0 {
                wrong.set(Some(format!("differences on a sound store: {:?}", report.named)));
            }
        }
    });
    let settled = world.quiet_tail()?;
    world.touch_all(&requests);
    if let Some(wrong) = wrong.take() {
        return Err(wrong);
    }
    if damage {
        // A ghost is in the way of nobody, and no repair may remove anything but ghosts.
        let report = world.verified_at_rest(false)?;
        if report.missing() + report.stale() > 0 {
            return Err(format!("repair made it worse: {:?}", report.named));
        }
        world.verified_at_rest(true)?;
        requests.iter_mut().for_each(|request| request.wrong = None);
    }
    let tally = world.judge(&requests)?;
    Ok((Tally { settled, ..tally }, ended.get(), mended.get()))
}

fn all_beside(seeds: u64, damage: bool) -> (u64, u64) {
    let mut sum = (0, 0);
    for seed in 0..seeds {
        // Ghosts are of orders.
        let seed = if damage { seed / 4 * KINDS + 4 + seed % 4 } else { seed };
        let (_, ended, mended) =
            beside(seed, AS_DESIGNED, damage).unwrap_or_else(|wrong| panic!("seed {seed}, damage {damage}: {wrong}"));
        sum = (sum.0 + ended, sum.1 + mended);
    }
    println!("{seeds} seeds, damage {damage}: {} repairs ended, {} rows were mended", sum.0, sum.1);
    sum
}

#[test]
fn a_sound_store_has_no_differences_beside_writers() {
    let (ended, mended) = all_beside(60, false);
    assert!(ended > 60 && mended == 0, "too little happened: {ended} {mended}");
}

#[test]
fn repair_beside_writers_removes_ghosts_alone() {
    let (ended, mended) = all_beside(80, true);
    assert!(ended > 30 && mended > 8, "too little happened: {ended} {mended}");
}

#[test]
fn a_repair_that_removes_whatever_the_version_is_caught() {
    let protocol = Protocol { repairs_by_version: false, ..AS_DESIGNED };
    // On days on which processes sleep.
    let found =
        (0..4_000).find_map(|seed| Some((seed, beside(seed / 2 * KINDS + 6 + seed % 2, protocol, true).err()?)));
    let (seed, wrong) = found.expect("nobody misses \"repairs by version\" in 4000 seeds");
    println!("without \"repairs by version\": after {seed} seeds: {wrong}");
}
