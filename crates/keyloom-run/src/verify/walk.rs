//! A walk over all rows of a table, which may be interrupted.

use keyloom_store::{Resume, Row, Segment, Sweep};
use serde_json::{Value as Json, json};

use crate::{problem::Problem, read::millis, run::Run};

/// How many rows are read at once.
const PIECE_ROWS: u32 = 500;

/// How far a walk has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walk {
    /// What is left, the present one last.
    segments: Option<Vec<Segment>>,
    resume: Option<Resume>,
}

impl Walk {
    /// Nothing was looked at yet.
    pub(crate) fn is_new(&self) -> bool {
        self.segments.is_none()
    }

    /// The next rows; `None` at the end.
    pub(crate) async fn next(&mut self, run: &Run, table: usize) -> Result<Option<Vec<Row>>, Problem> {
        let (id, _) = run.table(table);
        let segments = match &mut self.segments {
            Some(segments) => segments,
            none => none.insert(run.sweep.segments(id, 1).await?),
        };
        let Some(segment) = segments.last() else { return Ok(None) };
        let now = millis(run.now_us());
        let swept = run.sweep.sweep(id, segment, self.resume.as_ref(), PIECE_ROWS, now).await?;
        self.resume = swept.resume;
        if self.resume.is_none() {
            segments.pop();
        }
        Ok(Some(swept.rows))
    }

    pub(crate) fn to_json(&self) -> Json {
        let segments = self.segments.as_ref().map(|all| all.iter().map(|one| hex(&one.0)).collect::<Vec<_>>());
        json!({ "segments": segments, "resume": self.resume.as_ref().map(|resume| hex(&resume.0)) })
    }

    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        let segments = match json.get("segments")? {
            Json::Null => None,
            all => Some(all.as_array()?.iter().map(|one| unhex(one).map(Segment)).collect::<Option<_>>()?),
        };
        let resume = match json.get("resume")? {
            Json::Null => None,
            one => Some(Resume(unhex(one)?)),
        };
        Some(Self { segments, resume })
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn unhex(json: &Json) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits = json.as_str()?.as_bytes();
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some(digit(high)? * 16 + digit(low)?)).collect()
}
