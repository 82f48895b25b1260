//! `Define`: which requests a step becomes, their sending, and their words.
//!
//! A step becomes the same requests whether it is shown or taken. Each of them can be sent again: it asks first whether it
//! was done.

pub(crate) mod control;
pub(crate) mod script;

use std::{collections::BTreeMap, sync::Arc};

use aws_sdk_dynamodb::{operation::create_table::builders::CreateTableInputBuilder, types::TimeToLiveSpecification};
use keyloom_store::{Define, Discipline, Fault, Shape, Step, Table, TableId, Taking, steps, taking};

use crate::{
    layout::{self, Layout, full_name},
    schema::{Entry, Known, State, TABLE, there},
    store::{DynamoDb, abilities},
};

/// One request of a step.
#[derive(Debug)]
pub(crate) enum Request {
    /// The table that describes the tables.
    CreateSchema,
    /// What is known of a table becomes this, if its version is that one.
    Write { entry: Entry, before: u64 },
    /// A table, and that DynamoDB forgets its items when they are due.
    CreateTable(Layout),
    /// A table is gone.
    DeleteTable(String),
    /// An index of a table.
    CreateIndex { base: Layout, index: Layout },
    /// An index of a table is gone.
    DeleteIndex { table: String, index: String },
}

/// A table with all its indexes, as it is when every step to it was taken.
#[derive(Debug)]
pub(crate) struct Whole {
    /// Its name, without the prefix.
    pub name: String,
    /// The request that would make it at once.
    pub request: CreateTableInputBuilder,
    /// How DynamoDB is told from when on an item may be forgotten, where items may be.
    pub forgetting: Option<TimeToLiveSpecification>,
}

/// What an empty place holds when these tables were defined in it: the table that describes them, then they.
pub(crate) fn whole(prefix: &str, tables: &[Table]) -> Result<Vec<Whole>, Fault> {
    layout::refuse_prefix(prefix)?;
    steps(&[], tables, &abilities())?;
    let shapes: Vec<Arc<Shape>> =
        tables.iter().map(|table| Shape::of(table.clone()).map(Arc::new)).collect::<Result<_, _>>()?;
    let request = control::schema_table(&full_name(prefix, TABLE));
    let mut all = vec![Whole { name: TABLE.to_owned(), request, forgetting: None }];
    for shape in &shapes {
        layout::refuse(prefix, shape)?;
        if matches!(shape.table().discipline, Discipline::Indexed { .. }) {
            continue;
        }
        let name = shape.table().name.clone();
        let base = Layout::of(prefix, shape.clone(), Vec::new());
        let stands =
            |index: &&Arc<Shape>| matches!(&index.table().discipline, Discipline::Indexed { of } if *of == name);
        let indexes: Vec<Layout> =
            shapes.iter().filter(stands).map(|index| Layout::of_index(index.clone(), &base)).collect();
        let request = control::whole(&base, &indexes)?;
        all.push(Whole { name, request, forgetting: Some(control::forgetting()?) });
    }
    Ok(all)
}

impl Define for DynamoDb {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.described().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.taken(step).await
    }

    async fn script(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        self.scripted(steps).await
    }
}

impl DynamoDb {
    pub(crate) async fn take(&self, step: &Step) -> Result<(), Fault> {
        let mut known = self.known().await?;
        for request in self.requests(&mut known, step)? {
            self.carry_out(&request).await?;
        }
        self.reread().await.map(drop)
    }

    pub(crate) async fn script_of(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        let mut known = self.known().await?;
        let mut said = Vec::new();
        for step in steps {
            let requests = self.requests(&mut known, step)?;
            let words = requests.iter().map(|request| script::words(&self.prefix, request));
            said.push(words.collect::<Result<Vec<_>, _>>()?.join("\n"));
        }
        Ok(said)
    }

    /// The requests of a step, and what is known after them.
    fn requests(&self, known: &mut Known, step: &Step) -> Result<Vec<Request>, Fault> {
        let shapes: Vec<Arc<Shape>> = there(known)?.into_iter().map(|table| table.shape).collect();
        let name = step.table();
        let found = known.as_ref().and_then(|known| known.get(name)).cloned();
        let taking = taking(&shapes, step, &self.abilities)?;
        let mut requests = Vec::new();
        match taking {
            Taking::Nothing => {
                // A drop that was left half-way is taken to its end.
                if let (Step::Drop { .. }, Some(found)) = (step, &found)
                    && matches!(found.state, State::Making | State::Dropping)
                {
                    self.drop(found.clone(), &mut requests);
                }
            }
            Taking::Create(shape) => {
                layout::refuse(&self.prefix, &shape)?;
                self.create(known.is_none(), found, shape, &shapes, &mut requests)?;
            }
            Taking::Reshape(shape) => {
                layout::refuse(&self.prefix, &shape)?;
                let Some(found) = found else { return Ok(requests) };
                let columns = |table: &Table| table.column_names().count();
                if let Discipline::Indexed { .. } = shape.table().discipline
                    && columns(shape.table()) != columns(&found.table)
                {
                    return Err(Fault::refused(format!(
                        "index `{name}`: an index of DynamoDB can't be given a column; make one of another name"
                    )));
                }
                let entry = Entry { version: found.version + 1, table: shape.into_table(), ..found };
                requests.push(Request::Write { entry, before: found.version });
            }
            Taking::Drop => {
                if let Some(found) = found {
                    self.drop(found, &mut requests);
                }
            }
        }
        for request in &requests {
            match request {
                Request::CreateSchema => *known = Some(BTreeMap::new()),
                Request::Write { entry, .. } => {
                    known.get_or_insert_default().insert(entry.table.name.clone(), entry.clone());
                }
                _ => {}
            }
        }
        Ok(requests)
    }

    /// First it is known that a table is being made, then it is made, then it is known that it is there.
    fn create(
        &self,
        first: bool,
        found: Option<Entry>,
        shape: Shape,
        there: &[Arc<Shape>],
        requests: &mut Vec<Request>,
    ) -> Result<(), Fault> {
        if first {
            requests.push(Request::CreateSchema);
        }
        let half = found.as_ref().filter(|found| matches!(found.state, State::Making | State::Dropping));
        let making = match half {
            // It is being made, by somebody who died or who is at it now.
            Some(half) if half.state == State::Making && half.table == *shape.table() => half.clone(),
            _ => {
                let mut before = found.as_ref().map_or(0, |found| found.version);
                // Another table of that name goes first.
                if let Some(half) = half {
                    self.drop(half.clone(), requests);
                    before += 2;
                }
                let born = before + 1;
                let making = Entry { version: born, born, state: State::Making, table: shape.table().clone() };
                requests.push(Request::Write { entry: making.clone(), before });
                making
            }
        };
        let before = making.version;
        let ready = Entry { version: before + 1, state: State::Ready, ..making };
        let shape = Arc::new(shape);
        let make = match &shape.table().discipline {
            Discipline::Indexed { of } => {
                let base = there.iter().find(|base| base.table().name == *of);
                let base = base.ok_or_else(|| Fault::refused(format!("there is no table `{of}` to index")))?;
                let base = Layout::of(&self.prefix, base.clone(), Vec::new());
                let index = Layout::of_index(shape.clone(), &base);
                Request::CreateIndex { base, index }
            }
            _ => Request::CreateTable(Layout::of(&self.prefix, shape.clone(), Vec::new())),
        };
        requests.push(make);
        requests.push(Request::Write { entry: ready, before });
        Ok(())
    }

    /// First it is known that a table goes, then it is gone, then that is known.
    fn drop(&self, found: Entry, requests: &mut Vec<Request>) {
        let before = found.version;
        let dropping = Entry { version: before + 1, state: State::Dropping, ..found.clone() };
        let dropped = Entry { version: before + 2, state: State::Dropped, ..found };
        let gone = match &dropping.table.discipline {
            Discipline::Indexed { of } => {
                let (table, index) = (full_name(&self.prefix, of), dropping.table.name.clone());
                Request::DeleteIndex { table, index }
            }
            _ => Request::DeleteTable(full_name(&self.prefix, &dropping.table.name)),
        };
        requests.push(Request::Write { entry: dropping, before });
        requests.push(gone);
        requests.push(Request::Write { entry: dropped, before: before + 1 });
    }

    async fn carry_out(&self, request: &Request) -> Result<(), Fault> {
        match request {
            Request::CreateSchema => self.create_table(&control::schema_table(&full_name(&self.prefix, TABLE))).await,
            Request::Write { entry, before } => self.write_entry(entry, *before).await,
            Request::CreateTable(layout) => {
                self.create_table(&control::table(layout)).await?;
                self.forget_items(&layout.table).await
            }
            Request::DeleteTable(table) => self.delete_table(table).await,
            Request::CreateIndex { base, index } => self.create_index(base, index).await,
            Request::DeleteIndex { table, index } => self.delete_index(table, index).await,
        }
    }
}
