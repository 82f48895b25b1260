use keyloom_store::{Freshness, GroupImage, Millis, Placement, Placing, Store};

use super::{
    Client, World,
    note::{Answer, Note, Sent, Spot, Which},
    tables::{Tables, key, values},
};
use crate::desk::Owned;

/// Rows of each table on which clients meet at one time.
const SLOTS: u64 = 3;

/// After so many calls a client turns to other rows, so that versions begin again from below.
const GENERATION: u64 = 64;

/// How far versions are sent out of order.
const SPREAD: u64 = 12;

/// Rows that are placed once, together.
const BATCH: u64 = 3;

impl<S: Store, W: World> Client<S, W> {
    /// Places or removes some rows, sometimes after a look at one of them.
    pub(super) async fn place(&mut self) {
        let token = self.token();
        let (together, sent) = match self.world.below(4) {
            0 => (true, batch(token)),
            1 => (true, self.rows(2 + self.world.below(2))),
            2 => (false, self.rows(2)),
            _ => (false, self.rows(1)),
        };
        if self.world.below(3) == 0 {
            self.look_at(&sent[0]).await;
        }
        self.world.note(Note::Placing { token, together, sent: sent.clone() });
        let (answer, doubted) = self.send_until_known(&sent, together).await;
        self.world.note(Note::Placed { token, answer, doubted });
        if answer == Answer::Done {
            self.ledger.placed(&sent);
        }
    }

    /// Sending again is always right; now and then a client leaves it, as one that died would.
    async fn send_until_known(&self, sent: &[Sent], together: bool) -> (Answer, bool) {
        let mut doubted = false;
        for _ in 0..super::TRIES {
            let answer = send(&self.store, &self.tables, sent, together, self.world.now()).await;
            let answer = answer.unwrap_or_else(|words| {
                self.astray(format!("a placement answers \"{words}\""));
                Answer::NotDone
            });
            doubted |= answer == Answer::Unknown;
            // Once in doubt, "not done" is said of this call and not of the ones before it.
            if answer == Answer::Done || !doubted {
                return (answer, doubted);
            }
            if self.world.below(10) == 0 {
                break;
            }
            self.rest(super::PATIENCE_MILLIS).await;
        }
        (Answer::Unknown, doubted)
    }

    /// Placements of so many different rows.
    fn rows(&self, count: u64) -> Vec<Sent> {
        let table = [Which::Plain, Which::Grouped][usize::from(self.world.below(2) == 0)];
        let (generation, step) = (self.sent() / GENERATION, self.sent() % GENERATION);
        let first = self.world.below(SLOTS);
        let row = |at| {
            let groups: &[usize] = match (table, self.world.below(3)) {
                (Which::Grouped, 0) => &[1],
                (Which::Grouped, 1) => &[0, 1],
                _ => &[0],
            };
            let versioned = groups.iter().map(|group| (*group, 1 + step / 4 + self.world.below(SPREAD)));
            Sent {
                table,
                row: generation * SLOTS + (first + at) % SLOTS,
                put: self.world.below(5) < 3,
                groups: versioned.collect(),
            }
        };
        (0..count).map(row).collect()
    }

    async fn look_at(&self, sent: &Sent) {
        let spots: Vec<_> = (0..self.tables.groups(sent.table))
            .map(|group| Spot { table: sent.table, row: sent.row, group })
            .map(|spot| (spot, self.ledger.group(spot)))
            .collect();
        let Some(found) = self.read(self.tables.id(sent.table), sent.row, Freshness::Settled).await else { return };
        for (spot, floor) in spots {
            // Without its root no group of a row is seen.
            if spot.group > 0 && found.is_none() {
                continue;
            }
            match self.tables.version(spot, found.as_ref()) {
                Ok(version) => self.world.note(Note::SawGroup { spot, version, floor }),
                Err(words) => self.astray(words),
            }
        }
    }
}

/// Rows that nobody else has.
fn batch(token: u64) -> Vec<Sent> {
    let row = |at| Sent { table: Which::Batched, row: token * BATCH + at, put: true, groups: vec![(0, 1)] };
    (0..BATCH).map(row).collect()
}

/// Sends placements; the words of a fault that no engine in trouble excuses.
pub(super) async fn send<S: Store>(
    store: &S,
    tables: &Tables,
    sent: &[Sent],
    together: bool,
    now: Millis,
) -> Result<Answer, String> {
    let keys: Vec<[Owned; 1]> = sent.iter().map(|sent| key(sent.row)).collect();
    let held: Vec<Vec<Vec<Owned>>> =
        sent.iter().map(|sent| sent.groups.iter().map(|(group, version)| values(*group, *version)).collect()).collect();
    let images: Vec<Vec<GroupImage<'_>>> = sent
        .iter()
        .zip(&held)
        .map(|(sent, held)| {
            let groups = sent.groups.iter().zip(held);
            groups.map(|(&(group, version), values)| GroupImage { group, version, values }).collect()
        })
        .collect();
    let placements: Vec<Placement<'_>> = sent
        .iter()
        .zip(&keys)
        .zip(&images)
        .map(|((sent, key), groups)| {
            let placing = if sent.put {
                Placing::Put { groups, expires_at: None }
            } else {
                Placing::Remove { groups: &sent.groups }
            };
            Placement { table: tables.id(sent.table), key, placing }
        })
        .collect();
    Answer::of_placement(&store.place(&placements, together, now).await)
}
