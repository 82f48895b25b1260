//! What an engineer would write for this one catalog on the same store: no plans, no expressions, but the same rows, the same
//! memory of requests, the same signed cursors and the same answers.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_embedded::Embedded;
use keyloom_store::{
    Along, Change, ColumnAt, Decision, Define, Expect, Freshness, Get, GroupImage, Image, Millis, Placement, Placing,
    Range, Row, Shape, Slice, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{
    Kind, Value, from_text,
    json::{from_json, to_json, write_json, write_name},
};
use serde_json::{Map, Value as Json};

use crate::desk::Desk;

const PAGE: u32 = 100;
const TOKENS_MAX: usize = 16;
const SHOWN: [&str; 7] = ["task_id", "team_id", "owner_id", "title", "due_at", "status", "hours"];
const MILLIS: Kind = Kind::Timestamp { micros: false };

pub struct ByHand {
    store: Arc<Embedded>,
    tasks: At,
    by_team: At,
    by_owner: At,
    notes: At,
    secret: [u8; 32],
}

/// A table, and where its columns are.
struct At {
    id: TableId,
    shape: Arc<Shape>,
    columns: Vec<(String, ColumnAt, Kind)>,
    /// What of a task is answered, looked up once.
    shown: Vec<(&'static str, ColumnAt, Kind)>,
    width: usize,
}

/// A task as it is worked with.
struct Task {
    task_id: Value<'static>,
    team_id: Value<'static>,
    owner_id: Value<'static>,
    title: Value<'static>,
    due_at: Value<'static>,
    status: Value<'static>,
    hours: Value<'static>,
}

impl ByHand {
    pub async fn open(store: Arc<Embedded>, tables: Vec<Table>) -> Self {
        for table in tables {
            store.apply(&Step::Create(table)).await.unwrap();
        }
        let there = store.describe().await.unwrap();
        let at = |name: &str| {
            let (id, shape) = there.iter().find(|(_, shape)| shape.table().name == name).unwrap().clone();
            let columns = shape.table().key_names().map(str::to_owned).collect::<Vec<_>>().into_iter();
            let groups = shape.table().groups.iter().flat_map(|group| &group.columns);
            let all = columns.chain(groups.map(|column| column.name.clone()));
            let columns = all.map(|name| {
                let at = shape.column(&name).unwrap();
                (name, at, shape.kind(at).unwrap().clone())
            });
            let shown = SHOWN.into_iter().filter_map(|name| {
                let at = shape.column(name)?;
                Some((name, at, shape.kind(at)?.clone()))
            });
            let (columns, shown) = (columns.collect(), shown.collect());
            At { id, columns, shown, width: shape.table().groups[0].columns.len(), shape }
        };
        Self {
            tasks: at("task"),
            by_team: at("task_by_team"),
            by_owner: at("task_by_owner"),
            notes: at("note"),
            store,
            secret: [7; 32],
        }
    }

    async fn row(&self, id: &Value<'static>) -> Option<Row> {
        let key = [id.clone()];
        let get = Get { table: self.tasks.id, key: &key, freshness: Freshness::Settled, now: now() };
        self.store.get(get).await.unwrap().row
    }

    /// Decides the row of a task; the rows of its lists ride along, and those that it has left are removed.
    async fn decide(
        &self,
        task: &Task,
        expect: Expect,
        version: u64,
        moments: (Value<'static>, Value<'static>),
        tokens: Vec<Value<'static>>,
        left: Option<Value<'static>>,
    ) {
        let fields = [
            ("task_id", &task.task_id),
            ("team_id", &task.team_id),
            ("owner_id", &task.owner_id),
            ("title", &task.title),
            ("due_at", &task.due_at),
            ("status", &task.status),
            ("hours", &task.hours),
        ];
        let mut own = self.tasks.image(&fields);
        self.tasks.set(&mut own, "kl_created", moments.0);
        self.tasks.set(&mut own, "kl_updated", moments.1);
        self.tasks.set(&mut own, "kl_floor", Value::Timestamp(0));
        self.tasks.set(&mut own, "kl_tokens", Value::List(tokens));
        self.tasks.set(&mut own, "kl_gone", Value::Bool(false));
        let lists = [(&self.by_team, &task.team_id), (&self.by_owner, &task.owner_id)].map(|(at, group)| {
            let place = |due_at: &Value<'static>| [group.clone(), due_at.clone(), task.task_id.clone()];
            (at.id, place(&task.due_at), at.image(&fields), left.as_ref().map(place))
        });
        let mut along = Vec::with_capacity(4);
        for (table, key, values, left) in &lists {
            let (table, becomes) = (*table, Image { version, expires_at: None, values });
            along.push(Along::Put { table, key, becomes });
            if let Some(left) = left.as_ref().filter(|left| *left != key) {
                along.push(Along::Remove { table, key: left });
            }
        }
        let key = [task.task_id.clone()];
        let becomes = Image { version, expires_at: None, values: &own };
        let change = Change { table: self.tasks.id, key: &key, expect, becomes };
        let verdict = self.store.decide(Decision { change, along: &along, now: now() }).await.unwrap();
        assert_eq!(verdict, Verdict::Done);
    }
}

impl Desk for ByHand {
    type Row = String;

    fn text(row: &String) -> &str {
        row
    }

    async fn get(&self, inputs: &Json) -> String {
        let id = from_text(inputs["task_id"].as_str().unwrap(), &Kind::Uuid).unwrap();
        let row = self.row(&id).await.unwrap();
        self.tasks.answer(&row)
    }

    async fn list(&self, inputs: &Json) -> (Vec<String>, Option<String>) {
        let team = [from_json(&inputs["team_id"], &Kind::Int).unwrap()];
        let slice = Slice {
            table: self.by_team.id,
            partition: &team,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: PAGE + 1,
            bytes_max: 4 << 20,
            freshness: Freshness::Settled,
            now: now(),
        };
        let rows = self.store.slice(slice).await.unwrap().rows;
        let page = PAGE as usize;
        let answers = rows.iter().take(page).map(|row| self.by_team.answer(row)).collect();
        let next = (rows.len() > page).then(|| {
            let mut cursor = rows[page - 1].key_bytes().to_vec();
            cursor.extend_from_slice(&blake3::keyed_hash(&self.secret, &cursor).as_bytes()[..16]);
            URL_SAFE_NO_PAD.encode(cursor)
        });
        (answers, next)
    }

    async fn add_task(&self, key: &str, inputs: &Json) {
        let of = |name: &str, kind: &Kind| from_json(&inputs[name], kind).unwrap();
        let task = Task {
            task_id: of("task_id", &Kind::Uuid),
            team_id: of("team_id", &Kind::Int),
            owner_id: of("owner_id", &Kind::Int),
            title: of("title", &Kind::Text),
            due_at: of("due_at", &MILLIS),
            status: from_text("OPEN", self.tasks.kind("status")).unwrap(),
            hours: Value::Int(0),
        };
        let version = version(0);
        let tokens = vec![token(key, inputs, version)];
        let moment = Value::Timestamp(version.cast_signed());
        self.decide(&task, Expect::Absent, version, (moment.clone(), moment), tokens, None).await;
    }

    async fn change_due(&self, key: &str, inputs: &Json) -> u64 {
        let id = from_text(inputs["task_id"].as_str().unwrap(), &Kind::Uuid).unwrap();
        let row = self.row(&id).await.unwrap();
        let of = |name: &str| row.value(&self.tasks.shape, self.tasks.at(name)).unwrap().into_owned();
        let mut task = Task {
            task_id: id,
            team_id: of("team_id"),
            owner_id: of("owner_id"),
            title: of("title"),
            due_at: of("due_at"),
            status: of("status"),
            hours: of("hours"),
        };
        let Value::List(mut tokens) = of("kl_tokens") else { panic!("a list of tokens") };
        let before = row.version().unwrap();
        let version = version(before);
        let new = token(key, inputs, version);
        let Value::Struct(own) = &new else { panic!("a token") };
        let known = |known: &Value<'_>| matches!(known, Value::Struct(known) if known[0] == own[0]);
        assert!(!tokens.iter().any(known), "every request is new");
        tokens.push(new);
        // The receipts of what is forgotten are left out: no row here is changed so often.
        let surplus = tokens.len().saturating_sub(TOKENS_MAX);
        tokens.drain(..surplus);
        let left = std::mem::replace(&mut task.due_at, from_json(&inputs["due_at"], &MILLIS).unwrap());
        let moments = (of("kl_created"), Value::Timestamp(version.cast_signed()));
        self.decide(&task, Expect::Version(before), version, moments, tokens, Some(left)).await;
        version
    }

    async fn add_note(&self, key: &str, inputs: &Json) -> Json {
        let of = |name: &str, kind: &Kind| from_json(&inputs[name], kind).unwrap();
        let note = from_text(key, &Kind::Uuid7).unwrap();
        let row = [of("task_id", &Kind::Uuid), note];
        let mut values = vec![Value::Null; self.notes.width];
        self.notes.set(&mut values, "author_id", of("author_id", &Kind::Int));
        self.notes.set(&mut values, "words", of("words", &Kind::Text));
        let version = version(0);
        self.notes.set(&mut values, "kl_created", Value::Timestamp(version.cast_signed()));
        let groups = [GroupImage { group: 0, version, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        self.store.place(&[Placement { table: self.notes.id, key: &row, placing }], false, now()).await.unwrap();
        let mut answer = Map::new();
        answer.insert("task_id".into(), to_json(&row[0], &Kind::Uuid).unwrap());
        answer.insert("note_id".into(), to_json(&row[1], &Kind::Uuid7).unwrap());
        Json::Object(answer)
    }
}

impl At {
    fn at(&self, name: &str) -> ColumnAt {
        self.columns.iter().find(|(known, _, _)| known == name).unwrap().1
    }

    fn kind(&self, name: &str) -> &Kind {
        &self.columns.iter().find(|(known, _, _)| known == name).unwrap().2
    }

    fn set(&self, values: &mut [Value<'static>], name: &str, value: Value<'static>) {
        if let ColumnAt::Cell { column, .. } = self.at(name) {
            values[column] = value;
        }
    }

    /// The columns beside the key.
    fn image(&self, fields: &[(&str, &Value<'static>)]) -> Vec<Value<'static>> {
        let mut values = vec![Value::Null; self.width];
        for (name, at, _) in &self.columns {
            if let ColumnAt::Cell { column, .. } = at
                && let Some((_, value)) = fields.iter().find(|(known, _)| known == name)
            {
                values[*column] = (*value).clone();
            }
        }
        values
    }

    /// A row as it is answered.
    fn answer(&self, row: &Row) -> String {
        let mut answer = String::with_capacity(256);
        for (name, at, kind) in &self.shown {
            answer.push(if answer.is_empty() { '{' } else { ',' });
            write_name(name, &mut answer);
            write_json(&row.value(&self.shape, *at).unwrap(), kind, &mut answer).unwrap();
        }
        answer.push('}');
        answer
    }
}

fn now() -> Millis {
    Millis(version(0).cast_signed() / 1_000)
}

fn version(above: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
    u64::try_from(now).unwrap().max(above + 2)
}

/// What a row remembers of a request.
fn token(key: &str, inputs: &Json, version: u64) -> Value<'static> {
    let half = |bytes: &[u8]| Value::from(blake3::hash(bytes).as_bytes()[..16].to_vec());
    let Ok(Value::Uuid(uuid)) = from_text(key, &Kind::Uuid7) else { panic!("a uuid of version 7") };
    let birth = uuid[..6].iter().fold(0, |birth, byte| birth << 8 | i64::from(*byte));
    Value::Struct(vec![
        half(key.as_bytes()),
        Value::Timestamp(birth),
        half(inputs.to_string().as_bytes()),
        Value::Int(version.cast_signed()),
        // Nothing is refused here.
        Value::Null,
    ])
}
