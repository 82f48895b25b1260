//! Values of every kind, ordinary and hostile.

use keyloom_value::{Duration, Kind, Member, Value, Variant};

use crate::desk::{Owned, text};

/// Texts that have broken key encodings somewhere, in their order: by code point.
pub(crate) const HOSTILE: [&str; 21] = [
    "",
    "\0",
    "\0\0",
    "\0\u{1}",
    "\0\u{FF}",
    "\u{1}",
    "#",
    "##",
    "#a",
    "%00",
    "a",
    "a\0",
    "a\0\0",
    "a\0b",
    "a\u{1}",
    "a#",
    "a#b",
    "ab",
    "\u{FF}",
    "\u{FFFF}",
    "\u{10FFFF}",
];

/// A kind and some of its values; in their order when the kind has one.
pub(crate) struct Sample {
    pub name: &'static str,
    pub kind: Kind,
    pub values: Vec<Owned>,
}

fn sample(name: &'static str, kind: Kind, values: Vec<Owned>) -> Sample {
    Sample { name, kind, values }
}

fn uuid(version: u8, first: u8, last: u8) -> Owned {
    let mut bytes = [0; 16];
    (bytes[0], bytes[6], bytes[15]) = (first, version << 4, last);
    Value::Uuid(bytes)
}

pub(crate) fn variants() -> Kind {
    let variant = |name: &str, rank| Variant { name: name.to_owned(), rank };
    Kind::Enum(vec![variant("low", 10), variant("high", 300), variant("highest", u16::MAX)])
}

/// All kinds that may stand in a key, with values in their order.
pub(crate) fn ordered() -> Vec<Sample> {
    let digits_38 = 10i128.pow(38) - 1;
    let ip = |address: &str| Value::Ip(address.parse().expect("an address"));
    let ints = [i64::MIN, -256, -1, 0, 1, 255, 256, i64::MAX];
    vec![
        sample("bool", Kind::Bool, vec![Value::Bool(false), Value::Bool(true)]),
        sample("int", Kind::Int, ints.map(Value::Int).to_vec()),
        sample(
            "float",
            Kind::Float,
            [f64::NEG_INFINITY, f64::MIN, -1.5, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.5, f64::MAX, f64::INFINITY]
                .map(Value::Float)
                .to_vec(),
        ),
        sample(
            "decimal",
            Kind::Decimal { scale: 2 },
            [-digits_38, -1 << 64, -1, 0, 1, 1 << 64, digits_38].map(Value::Decimal).to_vec(),
        ),
        sample("text", Kind::Text, HOSTILE.map(text).to_vec()),
        sample(
            "bytes",
            Kind::Bytes,
            [&[][..], &[0], &[0, 0], &[0, 1], &[0, 255], &[1], &[127], &[128], &[255], &[255, 0], &[255, 255]]
                .map(|bytes| Value::Bytes(bytes.to_vec().into()))
                .to_vec(),
        ),
        sample(
            "uuid",
            Kind::Uuid,
            vec![uuid(0, 0, 0), uuid(1, 200, 0), uuid(4, 0, 1), uuid(4, 9, 0), uuid(7, 0, 0), uuid(15, 0, 255)],
        ),
        sample("uuid7", Kind::Uuid7, vec![uuid(7, 0, 0), uuid(7, 0, 1), uuid(7, 128, 0), uuid(7, 255, 255)]),
        sample("date", Kind::Date, [i32::MIN, -1, 0, 1, i32::MAX].map(Value::Date).to_vec()),
        sample("timestamp", Kind::Timestamp { micros: false }, ints.map(Value::Timestamp).to_vec()),
        sample("timestamp_us", Kind::Timestamp { micros: true }, ints.map(Value::Timestamp).to_vec()),
        sample(
            "ip",
            Kind::Ip,
            vec![ip("0.0.0.0"), ip("9.255.0.1"), ip("255.255.255.255"), ip("::"), ip("::ffff:1.2.3.4"), ip("ff::1")],
        ),
        sample("enum", variants(), [10, 300, u16::MAX].map(Value::Enum).to_vec()),
    ]
}

/// All kinds that may not stand in a key.
pub(crate) fn unordered() -> Vec<Sample> {
    let json = |value: &str| Value::Json(value.to_owned().into());
    let duration = |months, days, micros| Value::Duration(Duration { months, days, micros });
    let member = |name: &str, kind, optional| Member { name: name.to_owned(), kind, optional };
    vec![
        sample("json", Kind::Json, vec![json("{}"), json("{\"a\": [1, null]}"), json("null")]),
        sample(
            "duration",
            Kind::Duration,
            vec![duration(0, 0, 0), duration(-1, 31, -1), duration(i32::MAX, i32::MIN, i64::MAX)],
        ),
        sample(
            "list",
            Kind::List(Box::new(Kind::Int)),
            vec![Value::List(vec![]), Value::List([3, 1, 3].map(Value::Int).to_vec())],
        ),
        sample(
            "set",
            Kind::Set(Box::new(Kind::Text)),
            vec![Value::Set(vec![]), Value::Set(vec![text(""), text("a"), text("b")])],
        ),
        sample(
            "map",
            Kind::Map(Box::new(Kind::Text), Box::new(Kind::Int)),
            vec![Value::Map(vec![]), Value::Map(vec![(text(""), Value::Int(1)), (text("a"), Value::Int(-1))])],
        ),
        sample(
            "struct",
            Kind::Struct(vec![member("street", Kind::Text, false), member("number", Kind::Int, true)]),
            vec![Value::Struct(vec![text(""), Value::Null]), Value::Struct(vec![text("Long Row"), Value::Int(7)])],
        ),
        sample(
            "oneof",
            Kind::OneOf(vec![Kind::Int, Kind::Text]),
            vec![Value::OneOf(0, Box::new(Value::Int(-1))), Value::OneOf(1, Box::new(text("")))],
        ),
    ]
}

/// All kinds.
pub(crate) fn all() -> Vec<Sample> {
    ordered().into_iter().chain(unordered()).collect()
}
