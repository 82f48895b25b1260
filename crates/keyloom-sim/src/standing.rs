use std::sync::Arc;

use keyloom_store::{Column, Fault, Millis, Row, RowBuilder, Section, Shape};
use keyloom_value::{Value, canonical};

/// The canonical bytes of a column; `None` when it is absent.
pub(crate) type Cell = Option<Arc<[u8]>>;

/// What stands in one column group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    Never,
    Put { version: u64, expires_at: Option<Millis>, cells: Vec<Cell> },
    Removed { version: u64, at: Millis },
}

impl Standing {
    pub(crate) fn is_there(&self, now: Millis) -> bool {
        matches!(self, Self::Put { expires_at, .. } if expires_at.is_none_or(|end| end > now))
    }

    /// The order of placements: by version; of one version, a removal first.
    pub(crate) fn rank(&self) -> Option<(u64, bool)> {
        match self {
            Self::Never => None,
            Self::Put { version, .. } => Some((*version, true)),
            Self::Removed { version, .. } => Some((*version, false)),
        }
    }

    /// From when on nothing depends on it any more; `None` when that never is.
    pub(crate) fn forgettable_from(&self, grace_ms: i64) -> Option<Millis> {
        match self {
            Self::Never => Some(Millis(i64::MIN)),
            Self::Put { expires_at, .. } => expires_at.map(|end| end.plus(grace_ms)),
            Self::Removed { at, .. } => Some(at.plus(grace_ms)),
        }
    }
}

/// The bytes of the values of a group. Columns that the writer does not know are absent.
pub(crate) fn cells(columns: &[Column], values: &[Value<'_>]) -> Result<Vec<Cell>, Fault> {
    let cell = |(at, column): (usize, &Column)| {
        let Some(value) = values.get(at).filter(|value| !value.is_null()) else { return Ok(None) };
        let mut bytes = Vec::new();
        canonical::encode(value, &column.kind, &mut bytes)
            .map_err(|mismatch| Fault::refused(format!("column `{}`: {mismatch}", column.name)))?;
        Ok(Some(bytes.into()))
    };
    columns.iter().enumerate().map(cell).collect()
}

/// The row with everything that stands there.
pub(crate) fn row(shape: &Shape, key: Vec<u8>, standings: &[Standing]) -> Result<Row, Fault> {
    let mut body = RowBuilder::new();
    for (standing, group) in standings.iter().zip(&shape.table().groups) {
        match standing {
            Standing::Never => body.keep(&Section::NEVER),
            Standing::Put { version, expires_at, cells } => {
                let mut values = Vec::with_capacity(group.columns.len());
                for (at, column) in group.columns.iter().enumerate() {
                    // A column that was added later is absent in older rows.
                    values.push(match cells.get(at).and_then(Option::as_deref) {
                        Some(bytes) => canonical::decode(bytes, &column.kind)?,
                        None => Value::Null,
                    });
                }
                body.put(*version, *expires_at, &group.columns, &values)?;
            }
            Standing::Removed { version, at } => body.removed(*version, *at),
        }
    }
    Ok(Row::new(key.into(), body.finish()))
}
