//! Clients in processes of their own, which are killed in the middle of what they do.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use keyloom_contract::history::Note;

use crate::world::Notes;

const FILE: &str = "KEYLOOM_TEST_FILE";
const NUMBER: &str = "KEYLOOM_TEST_NUMBER";
const CONTACT_POINTS: &str = "KEYLOOM_TEST_CONTACT_POINTS";

/// How many there are at a time.
const AT_ONCE: usize = 2;

/// The first number of a client that is killed, above those of all others.
const FIRST: u16 = 1_000;

/// What a process is told.
pub struct Orders {
    pub file: String,
    pub number: u16,
    pub contact_points: Vec<String>,
}

impl Orders {
    /// What this process was told, if anything.
    pub fn given() -> Option<Self> {
        let of = |name| env::var(name).ok();
        Some(Self {
            file: of(FILE)?,
            number: of(NUMBER)?.parse().unwrap(),
            contact_points: of(CONTACT_POINTS)?.split(',').map(str::to_owned).collect(),
        })
    }
}

/// The processes that run, and the files of all that ever ran.
pub struct Children {
    folder: PathBuf,
    contact_points: String,
    running: Vec<Child>,
    started: u16,
}

impl Children {
    pub fn new(folder: &Path, contact_points: &[String]) -> Self {
        let contact_points = contact_points.join(",");
        let mut children = Self { folder: folder.to_owned(), contact_points, running: Vec::new(), started: 0 };
        for _ in 0..AT_ONCE {
            children.start();
        }
        children
    }

    fn start(&mut self) {
        let process = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "a_client_that_is_killed", "--nocapture"])
            .env(FILE, self.file(self.started))
            .env(NUMBER, (FIRST + self.started).to_string())
            .env(CONTACT_POINTS, &self.contact_points)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.running.push(process);
        self.started += 1;
    }

    fn file(&self, at: u16) -> PathBuf {
        self.folder.join(format!("notes-{at}"))
    }

    /// Kills the oldest, and starts another in its place.
    pub fn kill_one(&mut self) {
        kill(&mut self.running.remove(0));
        self.start();
    }

    pub fn kill_all(&mut self) {
        self.running.drain(..).for_each(|mut process| kill(&mut process));
    }

    /// What all of them have noted, when none runs any more.
    pub fn notes(&self) -> Vec<Note> {
        (0..self.started).flat_map(|at| Notes::of_file(&self.file(at))).collect()
    }
}

fn kill(process: &mut Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

impl Drop for Children {
    fn drop(&mut self) {
        self.kill_all();
    }
}
