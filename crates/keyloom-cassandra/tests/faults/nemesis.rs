//! What goes wrong, and when.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use keyloom_contract::Dice;
use keyloom_engines::Cluster;

use crate::child::Children;

/// How many nodes there are.
const NODES: usize = 3;

/// Brings trouble for some time.
pub struct Nemesis {
    length: Duration,
    dice: Dice,
    paused_one: u32,
    paused_two: u32,
    nodes_killed: u32,
    clients_killed: u32,
}

impl Nemesis {
    pub fn new(length: Duration) -> Self {
        Self { length, dice: Dice::new(0), paused_one: 0, paused_two: 0, nodes_killed: 0, clients_killed: 0 }
    }

    /// Trouble of every kind in turn, with pauses in which things get done; in the end all nodes run.
    pub fn run(&mut self, cluster: &mut Cluster, children: &mut Children) {
        let began = Instant::now();
        let mut turn = 0;
        while began.elapsed() < self.length {
            self.wait(500, 3_000);
            match turn % 4 {
                0 => self.pause(cluster, 1),
                1 => {
                    children.kill_one();
                    self.clients_killed += 1;
                }
                2 => self.pause(cluster, 2),
                _ => self.kill(cluster),
            }
            turn += 1;
        }
    }

    pub fn counts(&self) -> String {
        let Self { paused_one, paused_two, nodes_killed, clients_killed, .. } = self;
        format!(
            "{paused_one} pauses of one node and {paused_two} of two, {nodes_killed} nodes and {clients_killed} clients killed"
        )
    }

    /// Some nodes stand still for a while. Mostly nobody notices but those who wait for them; a run that has the time for
    /// it also lets them be taken for dead, which is another answer of the others.
    fn pause(&mut self, cluster: &mut Cluster, count: usize) {
        let paused = if count == 1 { &mut self.paused_one } else { &mut self.paused_two };
        *paused += 1;
        let taken_for_dead = self.length > Duration::from_secs(60) && *paused % 4 == 1;
        let first = self.dice.below(NODES as u64) as usize;
        let struck: Vec<usize> = (first..first + count).map(|at| at % NODES).collect();
        for at in &struck {
            cluster.node(*at).pause().unwrap();
        }
        if taken_for_dead {
            self.wait(30_000, 40_000);
        } else {
            self.wait(800, 6_000);
        }
        for at in &struck {
            cluster.node(*at).resume().unwrap();
        }
    }

    /// A node dies in the middle of everything, and comes back with what it had.
    fn kill(&mut self, cluster: &mut Cluster) {
        self.nodes_killed += 1;
        let struck = self.dice.below(NODES as u64) as usize;
        cluster.node(struck).kill().unwrap();
        self.wait(0, 3_000);
        cluster.node(struck).restart().unwrap();
        cluster.node(struck).wait().unwrap();
    }

    fn wait(&mut self, millis_min: u64, millis_max: u64) {
        sleep(Duration::from_millis(millis_min + self.dice.below(millis_max - millis_min)));
    }
}
