//! Tables: described by records, made by statements.
//!
//! A record is changed before the engine's table for what adds, after it for what takes away. So a table that nobody has
//! described belongs to somebody else and is left alone, and what is described but not there was left half-made: whoever
//! meets it makes it whole.

use std::{sync::Arc, time::Duration};

use keyloom_store::{Fault, Shape, Step, Table, TableId, Taking, taking};

use crate::{
    Cassandra, names,
    ready::Ready,
    records::{Record, Records},
    script,
    tables::Known,
};

/// How long somebody else may take to make what is described, and how often it is looked for.
const PATIENCE: (u32, Duration) = (20, Duration::from_millis(100));

/// What a step comes to.
struct Plan {
    taking: Taking,
    /// The table as it is described.
    record: Option<Record>,
    statements: Vec<String>,
}

impl Cassandra {
    fn records(&self) -> Records<'_> {
        Records { session: &self.session, keyspace: &self.keyspace }
    }

    pub(crate) async fn describe_tables(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        let records = self.records().all().await?;
        let mut known = Vec::with_capacity(records.len());
        for record in records {
            if let Some(found) = self.tables().current(&record) {
                known.push(found);
                continue;
            }
            let shape = Arc::new(Shape::of(record.table.clone())?);
            let table = Arc::new(self.made_ready(&shape).await?);
            known.push(Known { made: record.made, version: record.version, table });
        }
        Ok(self.tables().replace(known))
    }

    /// Prepares a table. One that is described and not there is being made by somebody else, or was left half-made.
    async fn made_ready(&self, shape: &Arc<Shape>) -> Result<Ready, Fault> {
        let (times, pause) = PATIENCE;
        for _ in 0..times {
            match Ready::prepare(&self.session, &self.keyspace, shape.clone()).await {
                Err(Fault::Refused(_)) => tokio::time::sleep(pause).await,
                prepared => return prepared,
            }
        }
        for statement in script::all(&self.keyspace, shape) {
            self.records().change(&statement).await?;
        }
        Ready::prepare(&self.session, &self.keyspace, shape.clone()).await
    }

    /// Looks through what a step comes to after those before it.
    fn plan(&self, there: &[Record], step: &Step) -> Result<Plan, Fault> {
        let shapes = there.iter().map(|record| Shape::of(record.table.clone()).map(Arc::new));
        let shapes = shapes.collect::<Result<Vec<_>, Fault>>()?;
        let taking = taking(&shapes, step, &self.abilities)?;
        let record = there.iter().find(|record| record.table.name == step.table()).cloned();
        if let Taking::Create(shape) | Taking::Reshape(shape) = &taking {
            names::look(shape.table())?;
            look_at_types(shape.table(), there)?;
        }
        let was = record.as_ref().map(|record| &record.table);
        let statements = script::statements(&self.keyspace, was, step, &taking);
        Ok(Plan { taking, record, statements })
    }

    pub(crate) async fn take(&self, step: &Step) -> Result<(), Fault> {
        let records = self.records();
        let Plan { taking, record, statements } = self.plan(&records.all().await?, step)?;
        let changed = || Fault::NotDone(format!("table `{}` is changed by somebody else", step.table()).into());
        match (taking, record) {
            (Taking::Nothing, _) => Ok(()),
            (Taking::Create(shape), _) => {
                let table = shape.table();
                if !records.columns_of(&table.name).await?.is_empty() {
                    return Err(foreign(&format!("table `{}`", table.name), &self.keyspace));
                }
                if !records.create(table).await? {
                    return Err(changed());
                }
                self.make(&statements, records.forget(&table.name, 1)).await
            }
            (Taking::Reshape(shape), Some(record)) => {
                if let Step::AddColumn { column, .. } = step
                    && records.columns_of(step.table()).await?.contains(&column.name)
                {
                    return Err(foreign(
                        &format!("column `{}` of table `{}`", column.name, step.table()),
                        &self.keyspace,
                    ));
                }
                if !records.replace(shape.table(), record.version).await? {
                    return Err(changed());
                }
                self.make(&statements, records.replace(&record.table, record.version + 1)).await
            }
            (Taking::Drop, Some(record)) => {
                for statement in &statements {
                    records.change(statement).await?;
                }
                self.tables().forget(&record.table.name);
                if records.forget(&record.table.name, record.version).await? { Ok(()) } else { Err(changed()) }
            }
            (Taking::Reshape(_) | Taking::Drop, None) => Ok(()),
        }
    }

    /// Sends the statements of a change that is described already. What Cassandra refuses is not described any longer.
    async fn make(&self, statements: &[String], undo: impl Future<Output = Result<bool, Fault>>) -> Result<(), Fault> {
        for statement in statements {
            match self.records().change(statement).await {
                Err(Fault::Refused(cause)) => {
                    undo.await?;
                    return Err(Fault::Refused(cause));
                }
                sent => sent?,
            }
        }
        Ok(())
    }

    pub(crate) async fn script_of(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        let mut there = self.records().all().await?;
        let mut script = Vec::with_capacity(steps.len());
        for step in steps {
            let Plan { taking, record, statements } = self.plan(&there, step)?;
            script.push(if statements.is_empty() {
                format!("-- {step}: nothing to do in Cassandra")
            } else {
                format!("{};", statements.join(";\n"))
            });
            there.retain(|record| record.table.name != step.table());
            let table = match taking {
                Taking::Create(shape) | Taking::Reshape(shape) => Some(shape.into_table()),
                Taking::Nothing => record.as_ref().map(|record| record.table.clone()),
                Taking::Drop => None,
            };
            let made = record.map_or_else(Default::default, |record| record.made);
            there.extend(table.map(|table| Record { made, version: 0, table }));
        }
        Ok(script)
    }
}

/// Refuses a user type that would have the name of another one.
fn look_at_types(table: &Table, there: &[Record]) -> Result<(), Fault> {
    let others = there.iter().map(|record| &record.table).filter(|other| other.name != table.name);
    let mut names: Vec<String> = others.chain([table]).flat_map(script::table_types).map(|it| it.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(twice) => Err(Fault::refused(format!(
            "table `{}`: two columns with members would share the type `{}`; call one of them something else",
            table.name, twice[0]
        ))),
    }
}

fn foreign(what: &str, keyspace: &str) -> Fault {
    Fault::refused(format!("{what} is in keyspace `{keyspace}`, but Keyloom did not make it; it is left alone"))
}
