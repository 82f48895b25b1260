//! All rows of all entities, a piece at a time.

use keyloom_store::{Resume, Segment, Sweep};
use serde_json::{Map, Value as Json, json};

use crate::{
    problem::Problem,
    read::millis,
    record::Record,
    run::{Run, put},
};

/// How many rows are read at once.
const PIECE_ROWS: u32 = 1_000;

/// How far an export has come. It is no snapshot: a row that changes meanwhile is seen before or after the change, and
/// one that is there all the time is seen at least once.
#[derive(Debug, Default)]
pub struct Export {
    entity: usize,
    segments: Option<Vec<Segment>>,
    resume: Option<Resume>,
}

impl Export {
    /// The next rows, each as `{"entity": .., "version": .., "row": {..}}`; `None` at the end.
    ///
    /// # Errors
    /// When the store fails or a row can't be read.
    pub async fn next(&mut self, run: &Run) -> Result<Option<Vec<Json>>, Problem> {
        let Some(entity) = run.program.entities.get(self.entity) else { return Ok(None) };
        let (table, shape) = run.table(entity.source.table);
        let segments = match &mut self.segments {
            Some(segments) => segments,
            none => none.insert(run.sweep.segments(table, 1).await?),
        };
        let Some(segment) = segments.last() else {
            *self = Self { entity: self.entity + 1, ..Self::default() };
            return Ok(Some(Vec::new()));
        };
        let swept = run.sweep.sweep(table, segment, self.resume.as_ref(), PIECE_ROWS, millis(run.now_us())).await?;
        self.resume = swept.resume;
        if self.resume.is_none() {
            segments.pop();
        }
        let line = |row: &keyloom_store::Row| {
            let record = Record::read(row, shape, &entity.source)?;
            let Some(record) = run.alive(entity, Some(record), run.now_us())? else { return Ok(None) };
            let mut fields = Map::new();
            for (value, (name, kind)) in record.values.iter().zip(&entity.fields) {
                put(&mut fields, name, value, kind)?;
            }
            Ok(Some(json!({ "entity": entity.name, "version": record.version.to_string(), "row": fields })))
        };
        swept.rows.iter().filter_map(|row| line(row).transpose()).collect::<Result<_, Problem>>().map(Some)
    }
}
