//! A row of a source table as the executor works with it.

use keyloom_plan::{Companions, source_columns};
use keyloom_store::{ColumnAt, Row, Shape};
use keyloom_value::{Malformed, Value};

use crate::{evaluate::BuiltIn, program::Source};

/// A source row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) version: u64,
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

/// A request that was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) token: [u8; 16],
    pub(crate) birth_ms: i64,
    /// Stands for pattern and inputs.
    pub(crate) inputs: [u8; 16],
    /// The version that it made.
    pub(crate) version: u64,
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
        let moment = |column: usize| match cell(column)? {
            Value::Timestamp(moment) => Ok(moment),
            _ => Err(Malformed::from_static("a source row lacks its times")),
        };
        let tokens = match cell(3)? {
            Value::List(tokens) => tokens.iter().map(Token::read).collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        let (stale, gone) = match source.companions {
            Companions::Ride => (Vec::new(), false),
            Companions::Follow => {
                let stale = match cell(4)? {
                    Value::List(stale) => stale.iter().map(Stale::read).collect::<Result<_, _>>()?,
                    _ => Vec::new(),
                };
                (stale, cell(5)? == Value::Bool(true))
            }
        };
        Ok(Self {
            version: row.version()?,
            created_us: moment(0)?,
            updated_us: moment(1)?,
            floor_ms: moment(2)?,
            tokens,
            stale,
            gone,
            rest: {
                let own = source_columns(source.companions).len() + source.own.len();
                let all = shape.table().groups.first().map_or(0, |group| group.columns.len());
                (own..all).map(|column| Ok(cell(column)?.into_owned())).collect::<Result<_, Malformed>>()?
            },
            values: source
                .columns
                .iter()
                .map(|at| Ok(row.value(shape, *at)?.into_owned()))
                .collect::<Result<_, Malformed>>()?,
        })
    }

    /// The values of the root group: the columns of every source, then the entity's own.
    pub(crate) fn image(&self, source: &Source) -> Vec<Value<'_>> {
        let mut image = vec![
            Value::Timestamp(self.created_us),
            Value::Timestamp(self.updated_us),
            Value::Timestamp(self.floor_ms),
            Value::List(self.tokens.iter().map(Token::value).collect()),
        ];
        if source.companions == Companions::Follow {
            image.push(Value::List(self.stale.iter().map(Stale::value).collect()));
            image.push(Value::Bool(self.gone));
        }
        image.extend(source.own.iter().map(|field| self.values[*field].clone()));
        image.extend(self.rest.iter().cloned());
        image
    }

    /// The values of these fields, unless one of them is absent: then the row is not where they lead.
    pub(crate) fn fields(&self, fields: &[usize]) -> Option<Vec<Value<'static>>> {
        let values: Vec<Value<'static>> = fields.iter().map(|field| self.values[*field].clone()).collect();
        (!values.iter().any(Value::is_null)).then_some(values)
    }

    pub(crate) fn built_in(&self) -> BuiltIn {
        BuiltIn {
            version: self.version,
            created_ms: self.created_us.div_euclid(1_000),
            updated_ms: self.updated_us.div_euclid(1_000),
        }
    }
}

impl Token {
    fn value(&self) -> Value<'_> {
        Value::Struct(vec![
            Value::from(&self.token[..]),
            Value::Timestamp(self.birth_ms),
            Value::from(&self.inputs[..]),
            Value::Int(self.version.cast_signed()),
        ])
    }

    fn read(value: &Value<'_>) -> Result<Self, Malformed> {
        let Value::Struct(members) = value else { return Err(ODD) };
        let [Value::Bytes(token), Value::Timestamp(birth_ms), Value::Bytes(inputs), Value::Int(version)] = &members[..]
        else {
            return Err(ODD);
        };
        let fixed = |bytes: &[u8]| bytes.try_into().map_err(|_| ODD);
        Ok(Self { token: fixed(token)?, birth_ms: *birth_ms, inputs: fixed(inputs)?, version: version.cast_unsigned() })
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
