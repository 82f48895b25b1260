//! What an engineer would write for this one catalog on the driver: statements and structs of his own, but the same rows, the
//! same memory of requests, and lists that come right whoever dies on the way.
//!
//! A task is marked before it is decided, and names the places that it leaves. Whoever changes it next removes those first, at
//! the version that he has read, beside his mark: what could still come there is older.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use futures_util::future::{try_join, try_join_all};
use scylla::{
    DeserializeValue, SerializeRow, SerializeValue,
    client::session::Session,
    errors::ExecutionError,
    statement::{Consistency, prepared::PreparedStatement},
    value::CqlTimestamp,
};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::{
    desk::Desk,
    hand::{self, Note, PAGE, TOKENS_MAX, Task, digests, now_ms, now_us, turned},
    session,
};

pub(crate) const KEYSPACE: &str = "by_hand";

/// Rows that never end.
const NEVER: i64 = i64::MAX;

/// The log of tasks that are to be looked at again.
const LANES: u64 = 8;
const SPAN_MS: u64 = 60_000;
const LOG_SECONDS: i32 = 4 * 86_400;
/// A mark that came later than that is none.
const IN_TIME_US: u64 = 30_000_000;

pub(crate) struct ByHand {
    session: Session,
    show: PreparedStatement,
    read: PreparedStatement,
    list: PreparedStatement,
    decide_absent: PreparedStatement,
    decide: PreparedStatement,
    lists: [List; 2],
    add_note: PreparedStatement,
    mark: PreparedStatement,
    done: PreparedStatement,
    settled: PreparedStatement,
    secret: [u8; 32],
    marks: AtomicU64,
    /// Marks that are done and are not yet said to be.
    owed: Mutex<Vec<Mark>>,
}

/// A table in which tasks stand by a group and by when they are due.
struct List {
    table: &'static str,
    put: PreparedStatement,
    remove: PreparedStatement,
}

/// Lane, span of time, identity, and when it was made.
#[derive(Clone, Copy)]
struct Mark(i64, i64, Uuid, u64);

/// What a row remembers of a request.
#[derive(SerializeValue, DeserializeValue)]
struct Token {
    token: Vec<u8>,
    birth: CqlTimestamp,
    inputs: Vec<u8>,
    version: i64,
    refused: Option<String>,
}

/// A place that a task has left.
#[derive(SerializeValue, DeserializeValue)]
struct Stale {
    table: String,
    key: Vec<u8>,
}

/// What is bound when a task is decided.
#[derive(SerializeRow)]
#[scylla(flavor = "enforce_order", skip_name_checks)]
struct Decided<'a> {
    version: i64,
    end: i64,
    created: i64,
    updated: i64,
    floor: CqlTimestamp,
    tokens: &'a [Token],
    gone: bool,
    stale: &'a [Stale],
    team_id: i64,
    owner_id: i64,
    title: &'a str,
    due_at: CqlTimestamp,
    status: &'a str,
    hours: i64,
    task_id: Uuid,
    expected: Option<i64>,
    ends_after: Option<i64>,
}

/// What a task remembers besides requests.
struct Memory {
    version: u64,
    created: i64,
    stale: Vec<Stale>,
}

impl ByHand {
    /// The tables are there.
    pub(crate) async fn open(point: &str) -> Self {
        let session = session::connect(point).await;
        let prepare = async |text: &str| {
            let mut statement = session.prepare(text.replace("IN.", &format!("{KEYSPACE}."))).await.unwrap();
            // What a statement answers with is known, and need not be sent with every answer.
            statement.set_use_cached_result_metadata(text.starts_with("SELECT"));
            statement
        };
        let list = async |table: &'static str, group: &str, other: &str| {
            let key = format!("{group} = ? AND due_at = ? AND task_id = ?");
            let put = format!(
                "UPDATE IN.{table} USING TIMESTAMP ? AND TTL 0 SET kl_v = ?, kl_x = ?, {other} = ?, title = ?, status = ?, \
                 hours = ? WHERE {key}"
            );
            let remove = format!("DELETE FROM IN.{table} USING TIMESTAMP ? WHERE {key}");
            List { table, put: prepare(&put).await, remove: prepare(&remove).await }
        };
        let decide = "UPDATE IN.task USING TTL 0 SET kl_v = ?, kl_x = ?, kl_created = ?, kl_updated = ?, kl_floor = ?, \
                      kl_tokens = ?, kl_gone = ?, kl_stale = ?, team_id = ?, owner_id = ?, title = ?, due_at = ?, \
                      status = ?, hours = ? WHERE task_id = ?";
        let log = "WHERE lane = ? AND span = ? AND mark = ?";
        let mut settled = prepare("SELECT value FROM IN.kl_system WHERE name = 'settled'").await;
        settled.set_consistency(Consistency::LocalSerial);
        Self {
            show: prepare(
                "SELECT kl_x, kl_gone, team_id, owner_id, title, due_at, status, hours FROM IN.task WHERE task_id = ?",
            )
            .await,
            read: prepare(
                "SELECT kl_v, kl_x, kl_gone, kl_created, kl_tokens, kl_stale, team_id, owner_id, title, due_at, status, hours FROM IN.task \
                 WHERE task_id = ?",
            )
            .await,
            list: prepare(
                "SELECT due_at, task_id, kl_x, owner_id, title, status, hours FROM IN.task_by_team WHERE team_id = ? LIMIT ?",
            )
            .await,
            decide_absent: prepare(&format!("{decide} IF kl_v = ? AND kl_x = ?")).await,
            decide: prepare(&format!("{decide} IF kl_v = ? AND kl_x > ?")).await,
            lists: [
                list("task_by_team", "team_id", "owner_id").await,
                list("task_by_owner", "owner_id", "team_id").await,
            ],
            add_note: prepare(
                "UPDATE IN.note USING TIMESTAMP ? AND TTL 0 SET kl_v = ?, kl_x = ?, kl_created = ?, author_id = ?, \
                 words = ? WHERE task_id = ? AND note_id = ?",
            )
            .await,
            mark: prepare(&format!(
                "UPDATE IN.kl_dirty USING TIMESTAMP ? AND TTL ? SET kl_v = ?, kl_x = ?, entity = 'Task', key = ?, \
                 uniques = [], done = false {log}"
            ))
            .await,
            done: prepare(&format!(
                "UPDATE IN.kl_dirty USING TIMESTAMP ? AND TTL ? SET kl_v = ?, kl_x = ?, done = true {log}"
            ))
            .await,
            settled,
            session,
            secret: [7; 32],
            marks: AtomicU64::new(1),
            owed: Mutex::default(),
        }
    }

    pub(crate) async fn requests(&self) -> u64 {
        session::requests(&self.session).await
    }

    async fn write(
        &self,
        statement: &PreparedStatement,
        values: impl scylla::serialize::row::SerializeRow,
    ) -> Result<(), ExecutionError> {
        self.session.execute_unpaged(statement, values).await.map(drop)
    }

    /// Notes that a task is to be looked at again.
    async fn mark(&self, task: &Uuid) -> Result<Mark, ExecutionError> {
        let made = now_us();
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&(made / 1_000).to_be_bytes()[2..]);
        bytes[8..].copy_from_slice(&self.marks.fetch_add(1, Relaxed).to_be_bytes());
        bytes[6] = 0x70;
        bytes[8] |= 0x80;
        let lane = u64::from(blake3::hash(task.as_bytes()).as_bytes()[0]) % LANES;
        let span = made / 1_000 / SPAN_MS;
        let mark = Mark(lane.cast_signed(), span.cast_signed(), Uuid::from_bytes(bytes), made);
        let end = log_end(made);
        let row =
            (made.cast_signed() + 1, LOG_SECONDS, made.cast_signed(), end, &ordered(task)[..], mark.0, mark.1, mark.2);
        self.write(&self.mark, row).await?;
        assert!(now_us() - made < IN_TIME_US, "the mark came in time");
        Ok(mark)
    }

    /// Removes a task from places that it has left before this version.
    async fn remove(&self, task: &Uuid, stale: &[Stale], version: u64) -> Result<(), ExecutionError> {
        let removed = stale.iter().map(|stale| {
            let list = self.lists.iter().find(|list| list.table == stale.table).unwrap();
            let number = |at: usize| i64::from_be_bytes(stale.key[at..at + 8].try_into().unwrap()) ^ i64::MIN;
            let row = (version.cast_signed(), number(0), CqlTimestamp(number(8)), ordered(task).to_vec());
            self.write(&list.remove, row)
        });
        try_join_all(removed).await.map(drop)
    }

    /// Decides a task, and sees to its lists.
    async fn carry_out(
        &self,
        task: &Task<'_>,
        before: Option<&Memory>,
        version: u64,
        tokens: &[Token],
        left: &[Stale],
    ) -> Result<(), ExecutionError> {
        let known = before.map_or(&[][..], |before| &before.stale);
        let id = Uuid::from_bytes(task.task_id);
        let removed = self.remove(&id, known, before.map_or(0, |before| before.version));
        let (mark, ()) = try_join(self.mark(&id), removed).await?;
        let now = version.cast_signed();
        let row = Decided {
            version: now,
            end: NEVER,
            created: before.map_or(now, |before| before.created),
            updated: now,
            floor: CqlTimestamp(0),
            tokens,
            gone: false,
            stale: left,
            team_id: task.team_id,
            owner_id: task.owner_id,
            title: task.title,
            due_at: CqlTimestamp(task.due_at),
            status: task.status,
            hours: task.hours,
            task_id: id,
            expected: before.map(|before| before.version.cast_signed()),
            ends_after: before.map(|_| now / 1_000),
        };
        let statement = if before.is_some() { &self.decide } else { &self.decide_absent };
        let answer = self.session.execute_unpaged(statement, row).await?.into_rows_result().unwrap();
        // Only one that was not applied has more columns.
        let (applied,) = answer.single_row::<(bool,)>().unwrap();
        assert!(applied);
        let places = [(&self.lists[0], task.team_id, task.owner_id), (&self.lists[1], task.owner_id, task.team_id)];
        let puts = places.map(|(list, group, other)| {
            let (due_at, id) = (CqlTimestamp(task.due_at), ordered(&id).to_vec());
            self.write(&list.put, (now + 1, now, NEVER, other, task.title, task.status, task.hours, group, due_at, id))
        });
        try_join_all(puts).await?;
        self.remove(&id, left, version).await?;
        self.owed.lock().unwrap().push(mark);
        Ok(())
    }
}

impl Desk for ByHand {
    type Row = String;

    fn text(row: &String) -> &str {
        row
    }

    async fn get(&self, inputs: &Json) -> String {
        let task_id = uuid(&inputs["task_id"]);
        let answer = self.session.execute_unpaged(&self.show, (task_id,)).await.unwrap().into_rows_result().unwrap();
        type Columns<'a> = (i64, bool, i64, i64, &'a str, CqlTimestamp, &'a str, i64);
        let (end, gone, team_id, owner_id, title, CqlTimestamp(due_at), status, hours) =
            answer.single_row::<Columns<'_>>().unwrap();
        assert!(!gone && end > now_ms());
        Task { task_id: *task_id.as_bytes(), team_id, owner_id, title, due_at, status, hours }.shown()
    }

    async fn list(&self, inputs: &Json) -> (Vec<String>, Option<String>) {
        let team_id = inputs["team_id"].as_i64().unwrap();
        let asked = (team_id, i32::try_from(PAGE + 1).unwrap());
        let answer = self.session.execute_unpaged(&self.list, asked).await.unwrap().into_rows_result().unwrap();
        type Columns<'a> = (CqlTimestamp, &'a [u8], i64, i64, &'a str, &'a str, i64);
        let now = now_ms();
        let rows = answer.rows::<Columns<'_>>().unwrap().map(Result::unwrap).filter(|(_, _, end, ..)| *end > now);
        let tasks = rows.map(|(CqlTimestamp(due_at), id, _, owner_id, title, status, hours)| {
            let task_id = id[1..].try_into().unwrap();
            Task { task_id, team_id, owner_id, title, due_at, status, hours }
        });
        let tasks: Vec<Task<'_>> = tasks.collect();
        let next = (tasks.len() > PAGE).then(|| tasks[PAGE - 1].cursor(&self.secret));
        (tasks.iter().take(PAGE).map(Task::shown).collect(), next)
    }

    async fn add_task(&self, key: &str, inputs: &Json) {
        let version = now_us();
        let tokens = [token(key, inputs, version)];
        self.carry_out(&Task::new(inputs), None, version, &tokens, &[]).await.unwrap();
    }

    async fn add_note(&self, key: &str, inputs: &Json) -> Json {
        let note = Note::new(key, inputs);
        let Note { version, created_us, author_id, words, .. } = note;
        let (task_id, note_id) = (Uuid::from_bytes(note.task_id), Uuid::from_bytes(note.note_id));
        let row = (version + 1, version, NEVER, created_us, author_id, words, task_id, note_id);
        self.write(&self.add_note, row).await.unwrap();
        note.key()
    }

    async fn change_due(&self, key: &str, inputs: &Json) -> u64 {
        let task_id = uuid(&inputs["task_id"]);
        let answer = self.session.execute_unpaged(&self.read, (task_id,)).await.unwrap().into_rows_result().unwrap();
        type Columns<'a> = (i64, i64, bool, i64, Vec<Token>, Vec<Stale>, i64, i64, &'a str, CqlTimestamp, &'a str, i64);
        let (before, end, gone, created, mut tokens, stale, team_id, owner_id, title, left, status, hours) =
            answer.single_row::<Columns<'_>>().unwrap();
        assert!(!gone && end > now_ms());
        let before = before.cast_unsigned();
        let version = now_us().max(before + 2);
        let new = token(key, inputs, version);
        assert!(!tokens.iter().any(|known| known.token == new.token), "every request is new");
        tokens.push(new);
        // The receipts of what is forgotten are left out: no row here is changed so often.
        assert!(tokens.len() <= TOKENS_MAX);
        let due_at = hand::moment(&inputs["due_at"]);
        let task = Task { task_id: *task_id.as_bytes(), team_id, owner_id, title, due_at, status, hours };
        let places = [(&self.lists[0], team_id), (&self.lists[1], owner_id)];
        let left = places.iter().filter(|_| left.0 != due_at).map(|(list, group)| {
            let key = [&turned(*group)[..], &turned(left.0), &ordered(&task_id)].concat();
            Stale { table: list.table.to_owned(), key }
        });
        let left: Vec<Stale> = left.collect();
        let memory = Memory { version: before, created, stale };
        self.carry_out(&task, Some(&memory), version, &tokens, &left).await.unwrap();
        version
    }

    async fn settle(&self) {
        let owed = std::mem::take(&mut *self.owed.lock().unwrap());
        let done = owed.iter().map(|Mark(lane, span, mark, made)| {
            let version = made.cast_signed() + 2;
            self.write(&self.done, (version + 1, LOG_SECONDS, version, log_end(*made), lane, span, mark))
        });
        try_join_all(done).await.unwrap();
        // Whether a part of the log is due. To read it, once a minute, is left out here.
        let answer = self.session.execute_unpaged(&self.settled, ()).await.unwrap().into_rows_result().unwrap();
        answer.single_row::<(Vec<u8>,)>().unwrap();
    }
}

fn token(key: &str, inputs: &Json, version: u64) -> Token {
    let [token, inputs] = digests(key, inputs);
    let birth = CqlTimestamp(hand::birth_ms(key));
    Token { token, birth, inputs, version: version.cast_signed(), refused: None }
}

fn uuid(json: &Json) -> Uuid {
    Uuid::from_bytes(hand::uuid(json.as_str().unwrap()))
}

fn ordered(uuid: &Uuid) -> [u8; 17] {
    hand::ordered(uuid.as_bytes())
}

fn log_end(made_us: u64) -> i64 {
    (made_us / 1_000).cast_signed() + i64::from(LOG_SECONDS - 86_400) * 1_000
}
