//! Tables: described by records, made by statements.

use std::sync::Arc;

use keyloom_store::{Fault, Shape, Step, TableId, Taking};

use crate::{
    Cassandra, plan,
    ready::Ready,
    records::{Record, Records},
    script,
    tables::Known,
};

/// How often a step is begun when others change the same table meanwhile.
const TRIES: usize = 8;

impl Cassandra {
    fn records(&self) -> Records<'_> {
        Records { session: &self.session, keyspace: &self.keyspace }
    }

    pub(crate) async fn describe_tables(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        let records = self.records().all().await?;
        let mut known = Vec::with_capacity(records.len());
        for record in &records {
            let Some(table) = &record.table else { continue };
            let found = self.tables().current(record, table);
            known.push(match found {
                Some(found) => found,
                None => {
                    let shape = Arc::new(Shape::of(table.clone())?);
                    let table = Arc::new(Ready::prepare(&self.session, &self.keyspace, shape).await?);
                    Known { incarnation: record.incarnation, table }
                }
            });
        }
        Ok(self.tables().replace(known))
    }

    pub(crate) async fn take(&self, step: &Step) -> Result<(), Fault> {
        let records = self.records();
        for _ in 0..TRIES {
            let there = records.all().await?;
            let found = there.iter().find(|record| record.name == step.table());
            if let Some(begun) = found.filter(|record| record.pending.is_some()) {
                match self.finish(&there, begun).await {
                    // It can never be taken, which is no reason not to take this one.
                    Ok(()) | Err(Fault::Refused(_)) => continue,
                    fault => return fault,
                }
            }
            let record = found.cloned().unwrap_or_else(|| Record::new(step.table()));
            let taking = plan::look(&there, step)?;
            match (&taking, step) {
                (Taking::Nothing, _) => return Ok(()),
                (Taking::Create(_), _) if !records.columns_of(step.table()).await?.is_empty() => {
                    return Err(self.foreign(&format!("table `{}`", step.table())));
                }
                (Taking::Reshape(_), Step::AddColumn { table, column, .. })
                    if records.columns_of(table).await?.contains(&column.name) =>
                {
                    return Err(self.foreign(&format!("column `{}` of table `{table}`", column.name)));
                }
                _ => {}
            }
            if record.version == 0 {
                records.change(&script::create_schema(&self.keyspace)).await?;
            }
            let incarnation = record.incarnation + i64::from(matches!(taking, Taking::Create(_)));
            let begun =
                Record { incarnation, version: record.version + 1, pending: Some(step.clone()), ..record.clone() };
            if records.write(&begun).await? {
                return self.finish(&there, &begun).await;
            }
        }
        Err(Fault::NotDone(format!("table `{}` is changed by others all the time", step.table()).into()))
    }

    /// Takes a step that is written down as pending, and writes it down as done. One that Cassandra refuses is forgotten.
    async fn finish(&self, there: &[Record], begun: &Record) -> Result<(), Fault> {
        let Some(step) = &begun.pending else { return Ok(()) };
        let records = self.records();
        let done = Record { version: begun.version + 1, pending: None, ..begun.clone() };
        let taking = match self.tell(there, begun, step).await {
            Err(Fault::Refused(cause)) => {
                records.write(&done).await?;
                return Err(Fault::Refused(cause));
            }
            told => told?,
        };
        if taking == Taking::Drop {
            self.tables().forget(&begun.name);
        }
        let table = match taking {
            Taking::Create(shape) | Taking::Reshape(shape) => Some(shape.into_table()),
            Taking::Nothing => done.table.clone(),
            Taking::Drop => None,
        };
        // When it is written down already, somebody else has finished the same step.
        records.write(&Record { table, ..done }).await.map(drop)
    }

    /// Tells Cassandra a step.
    async fn tell(&self, there: &[Record], begun: &Record, step: &Step) -> Result<Taking, Fault> {
        let taking = plan::look(there, step)?;
        let id = script::id(&self.keyspace, &begun.name, begun.incarnation);
        for statement in script::statements(&self.keyspace, begun.table.as_ref(), id, step, &taking) {
            self.records().change(&statement).await?;
        }
        Ok(taking)
    }

    pub(crate) async fn script_of(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        let mut there = self.records().all().await?;
        let told = plan::told(&self.keyspace, &mut there, steps)?;
        let words = |(step, statements): (&Step, Vec<String>)| match statements.as_slice() {
            [] => format!("-- {step}: nothing to do in Cassandra"),
            statements => format!("{};", statements.join(";\n")),
        };
        Ok(steps.iter().zip(told).map(words).collect())
    }

    fn foreign(&self, what: &str) -> Fault {
        let keyspace = &self.keyspace;
        Fault::refused(format!("{what} is in keyspace `{keyspace}`, but Keyloom did not make it; it is left alone"))
    }
}
