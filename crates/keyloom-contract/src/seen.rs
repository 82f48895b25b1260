use keyloom_store::{ColumnAt, Millis, Row, Shape, State};
use keyloom_value::{Malformed, Value};

/// A row as its reader sees it: what is the same on every engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Partition, then sort.
    pub key: Vec<Value<'static>>,
    /// What stands in each column group; `None` where nothing is there.
    pub groups: Vec<Option<SeenGroup>>,
}

/// A column group that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenGroup {
    /// Its version.
    pub version: u64,
    /// From when on it is not there.
    pub expires_at: Option<Millis>,
    /// One value for each column.
    pub values: Vec<Value<'static>>,
}

impl Seen {
    /// What a reader sees of a row at a moment.
    ///
    /// # Panics
    /// When the row can't be read, or shows values of a group that is not there.
    pub fn of(row: &Row, shape: &Shape, now: Millis) -> Self {
        Self::read(row, shape, now).unwrap_or_else(|words| panic!("{words}"))
    }

    /// What a reader sees of a row at a moment.
    ///
    /// # Errors
    /// When the row can't be read, or shows values of a group that is not there.
    pub fn read(row: &Row, shape: &Shape, now: Millis) -> Result<Self, String> {
        let unreadable = |malformed: Malformed| format!("a returned row can't be read: {malformed}");
        let key = row.key(shape).map_err(unreadable)?;
        let mut groups = Vec::new();
        for (group, columns) in shape.table().groups.iter().enumerate() {
            let section = row.section(group).map_err(unreadable)?;
            let values = (0..columns.columns.len())
                .map(|column| Ok(row.value(shape, ColumnAt::Cell { group, column })?.into_owned()))
                .collect::<Result<Vec<_>, Malformed>>()
                .map_err(unreadable)?;
            groups.push(match section.state {
                State::Put { expires_at } if section.is_there(now) => {
                    Some(SeenGroup { version: section.version, expires_at, values })
                }
                _ => match values.iter().find(|value| !value.is_null()) {
                    Some(shown) => return Err(format!("a row shows {shown:?} of group {group}, gone at {now:?}")),
                    None => None,
                },
            });
        }
        if groups[0].is_none() {
            return Err(format!("a row is returned though its root is not there at {now:?}"));
        }
        Ok(Self { key: key.into_iter().map(Value::into_owned).collect(), groups })
    }

    /// The version of its root.
    pub fn version(&self) -> u64 {
        self.root().version
    }

    /// The values of its root.
    pub fn values(&self) -> &[Value<'static>] {
        &self.root().values
    }

    fn root(&self) -> &SeenGroup {
        self.groups[0].as_ref().expect("the root of a returned row is there")
    }
}
