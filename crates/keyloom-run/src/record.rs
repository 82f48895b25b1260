//! A row of a source table as the executor works with it.

use keyloom_store::{ColumnAt, Row, Shape};
use keyloom_value::{Malformed, Value};

use crate::{evaluate::BuiltIn, program::Source};

/// A source row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) version: u64,
    /// When it was made; of one that is gone, [`NOT_DELETED`] unless somebody deleted it.
    pub(crate) created_us: i64,
    pub(crate) updated_us: i64,
    /// The latest birth of a request that the row no longer remembers itself.
    pub(crate) floor_ms: i64,
    /// The requests it absorbed, newest last.
    pub(crate) tokens: Vec<Token>,
    /// Where rows of projections may still stand that it has left; known where companions follow.
    pub(crate) stale: Vec<Stale>,
    /// It is not there; it stands for all that was decided before.
    pub(crate) gone: bool,
    /// One for each field of the entity, in the order of the catalog.
    pub(crate) values: Vec<Value<'static>>,
    /// Columns at the end that the catalog does not know (any more): they stay as they are.
    pub(crate) rest: Vec<Value<'static>>,
}

/// When a row was made that is gone, and that nobody deleted: it ended by itself, or never was. Its parts do not go with it.
pub(crate) const NOT_DELETED: i64 = 0;

/// A request that was applied, or refused for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) token: [u8; 16],
    pub(crate) birth_ms: i64,
    /// Stands for pattern and inputs.
    pub(crate) inputs: [u8; 16],
    /// The version that it made, or by which it was refused.
    pub(crate) version: u64,
    /// Why it was refused.
    pub(crate) refused: Option<String>,
}

/// A place in a projection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stale {
    /// The table's name.
    pub(crate) table: String,
    /// The key's bytes.
    pub(crate) key: Vec<u8>,
}

impl Record {
    /// Reads a source row.
    pub(crate) fn read(row: &Row, shape: &Shape, source: &Source) -> Result<Self, Malformed> {
        let cell = |column: usize| row.value(shape, ColumnAt::Cell { group: 0, column });
        let all = shape.table().groups.first().map_or(0, |group| group.columns.len());
        let mut record = Self::shown(row, shape, source)?;
        record.rest =
            (source.known..all).map(|column| Ok(cell(column)?.into_owned())).collect::<Result<_, Malformed>>()?;
        let Some(hidden) = &source.hidden else { return Ok(record) };
        if let Value::List(tokens) = cell(hidden.tokens)? {
            record.tokens = tokens.iter().map(Token::read).collect::<Result<_, _>>()?;
        }
        if let Some(Value::List(stale)) = hidden.stale.map(cell).transpose()? {
            record.stale = stale.iter().map(Stale::read).collect::<Result<_, _>>()?;
        }
        record.floor_ms = moment(&cell(hidden.floor)?)?;
        Ok(record)
    }

    /// Reads what is answered of a source row, without what it remembers: nobody may write it again.
    pub(crate) fn shown(row: &Row, shape: &Shape, source: &Source) -> Result<Self, Malformed> {
        let values = row.values(shape, &source.columns)?.into_iter().map(Value::into_owned).collect();
        let (created_us, updated_us) = source.moments(row, shape)?;
        let gone = source.is_gone(row, shape)?;
        Ok(Self { updated_us, gone, ..Self::placed(row.version()?, created_us, values) })
    }

    /// A row that remembers nothing but when it came.
    pub(crate) fn placed(version: u64, created_us: i64, values: Vec<Value<'static>>) -> Self {
        Self {
            version,
            created_us,
            updated_us: created_us,
            floor_ms: 0,
            tokens: Vec::new(),
            stale: Vec::new(),
            gone: false,
            values,
            rest: Vec::new(),
        }
    }

    /// The values of the root group.
    pub(crate) fn image(&self, source: &Source) -> Vec<Value<'_>> {
        let mut image = vec![Value::Null; source.known];
        image[source.created] = Value::Timestamp(self.created_us);
        if let Some(hidden) = &source.hidden {
            image[hidden.updated] = Value::Timestamp(self.updated_us);
            image[hidden.floor] = Value::Timestamp(self.floor_ms);
            image[hidden.tokens] = Value::List(self.tokens.iter().map(Token::value).collect());
            image[hidden.gone] = Value::Bool(self.gone);
            if let Some(stale) = hidden.stale {
                image[stale] = Value::List(self.stale.iter().map(Stale::value).collect());
            }
        }
        for (field, column) in &source.own {
            image[*column] = self.values[*field].clone();
        }
        image.extend(self.rest.iter().cloned());
        image
    }

    /// The values of these fields, unless one of them is absent: then the row is not where they lead.
    pub(crate) fn fields(&self, fields: &[usize]) -> Option<Vec<Value<'static>>> {
        let values: Vec<Value<'static>> = fields.iter().map(|field| self.values[*field].clone()).collect();
        (!values.iter().any(Value::is_null)).then_some(values)
    }

    /// Whether somebody deleted it, so that its parts go, too.
    pub(crate) fn is_deleted(&self) -> bool {
        self.gone && self.created_us != NOT_DELETED
    }

    pub(crate) fn built_in(&self) -> BuiltIn {
        BuiltIn::of(self.version, self.created_us, self.updated_us)
    }
}

impl Source {
    /// When a row was made, and when it was changed last.
    pub(crate) fn moments(&self, row: &Row, shape: &Shape) -> Result<(i64, i64), Malformed> {
        let at = |column: usize| moment(&row.value(shape, ColumnAt::Cell { group: 0, column })?);
        let created_us = at(self.created)?;
        Ok((created_us, self.hidden.as_ref().map_or(Ok(created_us), |hidden| at(hidden.updated))?))
    }

    /// Whether a row stands for one that is not there any more.
    pub(crate) fn is_gone(&self, row: &Row, shape: &Shape) -> Result<bool, Malformed> {
        let Some(hidden) = &self.hidden else { return Ok(false) };
        Ok(row.value(shape, ColumnAt::Cell { group: 0, column: hidden.gone })? == Value::Bool(true))
    }
}

fn moment(cell: &Value<'_>) -> Result<i64, Malformed> {
    match cell {
        Value::Timestamp(moment) => Ok(*moment),
        _ => Err(Malformed::from_static("a source row lacks its times")),
    }
}

impl Token {
    fn value(&self) -> Value<'_> {
        Value::Struct(vec![
            Value::from(&self.token[..]),
            Value::Timestamp(self.birth_ms),
            Value::from(&self.inputs[..]),
            Value::Int(self.version.cast_signed()),
            self.refused.as_deref().map_or(Value::Null, Value::from),
        ])
    }

    fn read(value: &Value<'_>) -> Result<Self, Malformed> {
        let Value::Struct(members) = value else { return Err(ODD) };
        let [Value::Bytes(token), Value::Timestamp(birth_ms), Value::Bytes(inputs), Value::Int(version), refused] =
            &members[..]
        else {
            return Err(ODD);
        };
        let fixed = |bytes: &[u8]| bytes.try_into().map_err(|_| ODD);
        let refused = match refused {
            Value::Null => None,
            Value::Text(reason) => Some(reason.to_string()),
            _ => return Err(ODD),
        };
        let (token, inputs, version) = (fixed(token)?, fixed(inputs)?, version.cast_unsigned());
        Ok(Self { token, birth_ms: *birth_ms, inputs, version, refused })
    }
}

impl Stale {
    fn value(&self) -> Value<'_> {
        Value::Struct(vec![Value::from(self.table.as_str()), Value::from(self.key.as_slice())])
    }

    fn read(value: &Value<'_>) -> Result<Self, Malformed> {
        let Value::Struct(members) = value else { return Err(ODD_PLACE) };
        let [Value::Text(table), Value::Bytes(key)] = &members[..] else { return Err(ODD_PLACE) };
        Ok(Self { table: table.to_string(), key: key.to_vec() })
    }
}

const ODD: Malformed = Malformed::from_static("a token of a source row can't be read");
const ODD_PLACE: Malformed = Malformed::from_static("a place that a source row has left can't be read");
