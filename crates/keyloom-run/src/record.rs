//! A row of a source table as the executor works with it.

use keyloom_store::{Column, ColumnAt, Row, Shape};
use keyloom_value::{Kind, Malformed, Member, Value};

use crate::evaluate::BuiltIn;

/// How many requests a row remembers itself; older ones have receipts.
pub(crate) const TOKENS_MAX: usize = 16;

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

/// The columns that every source has. They come first, because the catalog's own may grow at the end.
pub(crate) fn columns() -> Vec<Column> {
    let micros = Kind::Timestamp { micros: true };
    let millis = Kind::Timestamp { micros: false };
    let column = |name: &str, kind: Kind| Column { name: name.to_owned(), kind };
    let member = |name: &str, kind: Kind| Member { name: name.to_owned(), kind, optional: false };
    let token = Kind::Struct(vec![
        member("token", Kind::Bytes),
        member("birth", millis.clone()),
        member("inputs", Kind::Bytes),
        member("version", Kind::Int),
    ]);
    vec![
        column("kl_created", micros.clone()),
        column("kl_updated", micros),
        column("kl_floor", millis),
        column("kl_tokens", Kind::List(Box::new(token))),
    ]
}

impl Record {
    /// Reads a source row; `columns` says where the fields of the entity are.
    pub(crate) fn read(row: &Row, shape: &Shape, fields: &[ColumnAt]) -> Result<Self, Malformed> {
        let cell = |column: usize| row.value(shape, ColumnAt::Cell { group: 0, column });
        let moment = |column: usize| match cell(column)? {
            Value::Timestamp(moment) => Ok(moment),
            _ => Err(Malformed::from_static("a source row lacks its times")),
        };
        let tokens = match cell(3)? {
            Value::List(tokens) => tokens.iter().map(Token::read).collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        Ok(Self {
            version: row.version()?,
            created_us: moment(0)?,
            updated_us: moment(1)?,
            floor_ms: moment(2)?,
            tokens,
            rest: {
                let own = columns().len() + fields.iter().filter(|at| matches!(at, ColumnAt::Cell { .. })).count();
                let all = shape.table().groups.first().map_or(0, |group| group.columns.len());
                (own..all).map(|column| Ok(cell(column)?.into_owned())).collect::<Result<_, Malformed>>()?
            },
            values: fields
                .iter()
                .map(|at| Ok(row.value(shape, *at)?.into_owned()))
                .collect::<Result<_, Malformed>>()?,
        })
    }

    /// The values of the root group: the columns of every source, then the entity's own.
    pub(crate) fn image(&self, own: impl Iterator<Item = usize>) -> Vec<Value<'_>> {
        let mut image = vec![
            Value::Timestamp(self.created_us),
            Value::Timestamp(self.updated_us),
            Value::Timestamp(self.floor_ms),
            Value::List(self.tokens.iter().map(Token::value).collect()),
        ];
        image.extend(own.map(|field| self.values[field].clone()));
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

const ODD: Malformed = Malformed::from_static("a token of a source row can't be read");
