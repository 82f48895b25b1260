use keyloom_store::{ColumnAt, Millis, Row, Shape};
use keyloom_value::Value;

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
        let key = row.key(shape).expect("the key of a returned row can be read");
        let groups = shape.table().groups.iter().enumerate().map(|(group, columns)| {
            let section = row.section(group).expect("the body of a returned row can be read");
            let values: Vec<Value<'static>> = (0..columns.columns.len())
                .map(|column| row.value(shape, ColumnAt::Cell { group, column }).expect("a column can be read"))
                .map(Value::into_owned)
                .collect();
            if section.is_there(now) {
                let keyloom_store::State::Put { expires_at } = section.state else { return None };
                return Some(SeenGroup { version: section.version, expires_at, values });
            }
            let shown = values.iter().find(|value| !value.is_null());
            assert!(shown.is_none(), "a row shows {shown:?} of group {group}, which is not there at {now:?}");
            None
        });
        Self { groups: groups.collect(), key: key.into_iter().map(Value::into_owned).collect() }
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
