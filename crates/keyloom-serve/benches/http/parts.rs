//! What a list is made of: a scan of the bare store, and serde.

use std::{path::Path, sync::Arc};

use keyloom_bench::processor_time;
use keyloom_embedded::{Embedded, Options, System};
use keyloom_store::{ColumnAt, Define, Freshness, Millis, Range, Row, Shape, Slice, Store, TableId};
use keyloom_value::{Kind, Value, to_text};
use serde::{Serialize, Serializer};
use tokio::runtime::Runtime;

use crate::{TEAMS, each};

/// A row as somebody would write it for this one catalog.
#[derive(Serialize)]
struct Task<'a> {
    #[serde(serialize_with = "uuid")]
    task_id: Value<'a>,
    team_id: i64,
    title: &'a str,
    #[serde(serialize_with = "moment")]
    due_at: Value<'a>,
    status: &'static str,
    hours: i64,
}

fn uuid<S: Serializer>(value: &Value<'_>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&to_text(value, &Kind::Uuid).unwrap())
}

fn moment<S: Serializer>(value: &Value<'_>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&to_text(value, &Kind::Timestamp { micros: false }).unwrap())
}

/// The list on the bare store.
pub struct Scan {
    store: Embedded,
    table: TableId,
    shape: Arc<Shape>,
    /// Where a task's fields are.
    columns: [ColumnAt; 6],
    /// The rank of an open one.
    open: u16,
    runtime: Runtime,
}

impl Scan {
    pub fn open(folder: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let store = Embedded::open(folder, Options::default(), Arc::new(System)).unwrap().0;
        let there = runtime.block_on(store.describe()).unwrap();
        let (table, shape) = there.into_iter().find(|(_, shape)| shape.table().name == "task_by_team").unwrap();
        let columns = ["task_id", "team_id", "title", "due_at", "status", "hours"];
        let columns = columns.map(|name| shape.column(name).unwrap());
        let Some(Kind::Enum(variants)) = shape.kind(columns[4]) else { panic!("a status is one of a few") };
        let open = variants.iter().find(|variant| variant.name == "OPEN").unwrap().rank;
        Self { store, table, shape, columns, open, runtime }
    }

    /// The rows of a team as JSON.
    pub fn written(&self, team: u64) -> String {
        let rows = self.rows(team);
        let tasks: Vec<Task<'_>> = rows.iter().take(100).map(|row| self.task(row)).collect();
        serde_json::to_string(&tasks).unwrap()
    }

    /// The processor time of scanning and of writing, in microseconds for each list.
    pub fn spent(&self, lists: u64) -> (f64, f64) {
        let began = processor_time();
        for number in 0..lists {
            let rows = self.rows(number % TEAMS);
            let tasks: Vec<Task<'_>> = rows.iter().take(100).map(|row| self.task(row)).collect();
            std::hint::black_box(tasks);
        }
        let scanned = processor_time() - began;
        let rows = self.rows(7);
        let tasks: Vec<Task<'_>> = rows.iter().take(100).map(|row| self.task(row)).collect();
        let began = processor_time();
        for _ in 0..lists {
            std::hint::black_box(serde_json::to_vec(&tasks).unwrap());
        }
        (each(scanned, lists), each(processor_time() - began, lists))
    }

    fn rows(&self, team: u64) -> Vec<Row> {
        let slice = Slice {
            table: self.table,
            partition: &[Value::Int(team.cast_signed())],
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 101,
            bytes_max: 4 << 20,
            freshness: Freshness::Settled,
            now: Millis(1_800_000_000_000),
        };
        self.runtime.block_on(self.store.slice(slice)).unwrap().rows
    }

    fn task<'a>(&'a self, row: &'a Row) -> Task<'a> {
        let [task_id, team_id, title, due_at, status, hours] =
            self.columns.map(|at| row.value(&self.shape, at).unwrap());
        let int =
            |value: Value<'_>| if let Value::Int(number) = value { number } else { panic!("{value:?} is no int") };
        Task {
            task_id,
            team_id: int(team_id),
            title: match title {
                Value::Text(std::borrow::Cow::Borrowed(text)) => text,
                other => panic!("{other:?} is no text of the row"),
            },
            due_at,
            status: if status == Value::Enum(self.open) { "OPEN" } else { "CLOSED" },
            hours: int(hours),
        }
    }
}
