//! Tables: described by records, made by statements.

use std::sync::Arc;

use keyloom_store::{Fault, Shape, Step, Table, TableId, Taking, taking};

use crate::{
    Cassandra, names,
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
            let taking = self.look(&there, step)?;
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
        let taking = self.look(there, step)?;
        let id = script::id(&self.keyspace, &begun.name, begun.incarnation);
        for statement in script::statements(&self.keyspace, begun.table.as_ref(), id, step, &taking) {
            self.records().change(&statement).await?;
        }
        Ok(taking)
    }

    /// What a step comes to, seen from the tables that are there.
    fn look(&self, there: &[Record], step: &Step) -> Result<Taking, Fault> {
        let tables = || there.iter().filter_map(|record| record.table.as_ref());
        let shapes = tables().map(|table| Shape::of(table.clone()).map(Arc::new));
        let taking = taking(&shapes.collect::<Result<Vec<_>, Fault>>()?, step, &self.abilities)?;
        if let Taking::Create(shape) | Taking::Reshape(shape) = &taking {
            names::look(shape.table())?;
            look_at_types(shape.table(), tables())?;
        }
        Ok(taking)
    }

    pub(crate) async fn script_of(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        let mut there = self.records().all().await?;
        let mut script = Vec::with_capacity(steps.len());
        for step in steps {
            let taking = self.look(&there, step)?;
            let at = there.iter().position(|record| record.name == step.table()).unwrap_or_else(|| {
                there.push(Record::new(step.table()));
                there.len() - 1
            });
            let record = &mut there[at];
            record.incarnation += i64::from(matches!(taking, Taking::Create(_)));
            let id = script::id(&self.keyspace, &record.name, record.incarnation);
            let statements = script::statements(&self.keyspace, record.table.as_ref(), id, step, &taking);
            script.push(if statements.is_empty() {
                format!("-- {step}: nothing to do in Cassandra")
            } else {
                format!("{};", statements.join(";\n"))
            });
            match taking {
                Taking::Create(shape) | Taking::Reshape(shape) => record.table = Some(shape.into_table()),
                Taking::Drop => record.table = None,
                Taking::Nothing => {}
            }
        }
        Ok(script)
    }

    fn foreign(&self, what: &str) -> Fault {
        let keyspace = &self.keyspace;
        Fault::refused(format!("{what} is in keyspace `{keyspace}`, but Keyloom did not make it; it is left alone"))
    }
}

/// Refuses a user type that would have the name of another one.
fn look_at_types<'a>(table: &'a Table, there: impl Iterator<Item = &'a Table>) -> Result<(), Fault> {
    let others = there.filter(|other| other.name != table.name);
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
