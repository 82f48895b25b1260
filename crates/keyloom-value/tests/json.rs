//! Values to and from JSON: the forms that are promised, the round trip of every kind, and hostile input.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::net::IpAddr;

use keyloom_value::{
    Duration, Kind, Member, Value, Variant, canonical, from_text,
    json::{DEPTH_MAX, from_json, parse, to_json, write_json},
    to_text,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const MILLIS: Kind = Kind::Timestamp { micros: false };
const MICROS: Kind = Kind::Timestamp { micros: true };

fn members(members: &[(&str, Kind, bool)]) -> Kind {
    let member = |(name, kind, optional): &(&str, Kind, bool)| Member {
        name: (*name).to_owned(),
        kind: kind.clone(),
        optional: *optional,
    };
    Kind::Struct(members.iter().map(member).collect())
}

fn statuses() -> Kind {
    let variant = |(name, rank): (&str, u16)| Variant { name: name.to_owned(), rank };
    Kind::Enum([("OPEN", 10), ("CLOSED", 20)].map(variant).to_vec())
}

/// What is taken is written in the one form.
#[track_caller]
fn becomes(kind: &Kind, sent: Json, answered: Json) {
    let value = from_json(&sent, kind).unwrap_or_else(|fault| panic!("{sent}: {fault}"));
    assert_eq!(to_json(&value, kind).unwrap(), answered, "{sent}");
}

#[track_caller]
fn refused(kind: &Kind, sent: Json, words: &str) {
    let fault = from_json(&sent, kind).map(|value| format!("{value:?}")).unwrap_err().to_string();
    assert!(fault.contains(words), "{sent}: {fault}");
}

#[test]
fn each_kind_has_the_form_that_is_promised() {
    let decimal = Kind::Decimal { scale: 2 };
    becomes(&Kind::Int, json!("-9223372036854775808"), json!(i64::MIN));
    becomes(&Kind::Int, json!(-9_007_199_254_740_991.0), json!(-9_007_199_254_740_991i64));
    becomes(&Kind::Float, json!(20), json!(20.0));
    becomes(&Kind::Float, json!("-Infinity"), json!("-Infinity"));
    for sent in [json!("12.5"), json!("12.500"), json!(12.5), json!("0012.50")] {
        becomes(&decimal, sent, json!("12.50"));
    }
    becomes(&decimal, json!(-3), json!("-3.00"));
    becomes(&decimal, json!("-0.05"), json!("-0.05"));
    becomes(&Kind::Decimal { scale: 0 }, json!(7), json!("7"));
    becomes(
        &decimal,
        json!("999999999999999999999999999999999999.99"),
        json!("999999999999999999999999999999999999.99"),
    );
    becomes(&Kind::Uuid, json!("0190D3F2-0000-7000-8000-00000000ABCD"), json!("0190d3f2-0000-7000-8000-00000000abcd"));
    becomes(&MILLIS, json!("2026-11-15T10:30:00+01:00"), json!("2026-11-15T09:30:00.000Z"));
    becomes(&MILLIS, json!("2026-11-15t09:30:00.12z"), json!("2026-11-15T09:30:00.120Z"));
    becomes(&MILLIS, json!("1969-12-31T23:59:59.999000000Z"), json!("1969-12-31T23:59:59.999Z"));
    becomes(&MICROS, json!("0001-01-01T00:00:00.000001Z"), json!("0001-01-01T00:00:00.000001Z"));
    becomes(&MICROS, json!("9999-12-31T23:59:59.999999Z"), json!("9999-12-31T23:59:59.999999Z"));
    becomes(&Kind::Date, json!("2024-02-29"), json!("2024-02-29"));
    for (sent, answered) in [
        ("P0D", "PT0S"),
        ("P14M", "P1Y2M"),
        ("P1W", "P7D"),
        ("PT90M", "PT1H30M"),
        ("PT-0.5S", "PT-0.5S"),
        ("P-1Y", "P-1Y"),
    ] {
        becomes(&Kind::Duration, json!(sent), json!(answered));
    }
    becomes(&Kind::Bytes, json!("AP8="), json!("AP8="));
    becomes(&Kind::Ip, json!("2001:DB8::1"), json!("2001:db8::1"));
    becomes(&statuses(), json!("CLOSED"), json!("CLOSED"));
    becomes(&Kind::Set(Box::new(Kind::Int)), json!([10, 9, "10"]), json!([9, 10]));
    becomes(
        &Kind::Map(Box::new(Kind::Int), Box::new(Kind::Bool)),
        json!({"10": true, "9": false}),
        json!({"9": false, "10": true}),
    );
    becomes(&Kind::Json, json!({"b": [1, null], "a": 2}), json!({"b": [1, null], "a": 2}));
    let line = members(&[("sku", Kind::Text, false), ("note", Kind::Text, true)]);
    becomes(&line, json!({"sku": "a", "note": null}), json!({"sku": "a"}));
}

#[test]
fn what_does_not_fit_is_refused_with_its_path_and_what_to_write() {
    let line = members(&[("sku", Kind::Text, false), ("qty", Kind::Int, false)]);
    let lines = Kind::List(Box::new(line));
    refused(
        &lines,
        json!([{"sku": "a", "qty": 1}, {"sku": "b", "qty": "x"}]),
        "`[1].qty`: `x` is no int: write a whole",
    );
    refused(&lines, json!([{"sku": "a"}]), "`[0].qty`: it is missing: write an int");
    refused(
        &lines,
        json!([{"sku": "a", "qty": 1, "colour": 2}]),
        "`[0]`: there is no member `colour`; there are: sku, qty",
    );
    refused(&lines, json!({}), "an object where a list is expected");
    refused(&lines, json!([null]), "`[0]`: nothing where a struct is expected");
    refused(&Kind::Int, json!(1.5), "1.5 is no int");
    refused(&Kind::Int, json!(9_007_199_254_740_992.0), "is no int");
    refused(&Kind::Int, json!(1e300), "is no int");
    refused(&Kind::Int, json!(u64::MAX), "is no int");
    refused(&Kind::Int, json!(true), "a boolean where an int is expected");
    refused(&Kind::Text, json!(5), "a number where a text is expected");
    let decimal = Kind::Decimal { scale: 2 };
    for sent in [json!("12.345"), json!("1."), json!(".5"), json!("1e3"), json!("+1"), json!(""), json!("1".repeat(39))]
    {
        refused(&decimal, sent, "write up to 38 digits, 2 of them behind the point, such as 12.50");
    }
    refused(&decimal, json!(1234567890123456.5), "write it as a text");
    refused(&Kind::Uuid, json!("0190d3f2000070008000000000000000"), "8-4-4-4-12");
    refused(&Kind::Uuid, json!("0190d3f2-0000-7000-8000-0000000éab"), "8-4-4-4-12");
    refused(&Kind::Uuid7, json!("0190d3f2-0000-4000-8000-000000000000"), "a uuid of version 7");
    refused(&MILLIS, json!("2026-11-15T09:30:00.0001Z"), "at most 3 digits");
    refused(&MILLIS, json!("2026-11-15T09:30:00"), "with Z or an offset");
    refused(&MILLIS, json!("2026-11-15 09:30:00Z"), "RFC 3339");
    refused(&MILLIS, json!("2026-06-30T23:59:60Z"), "leap second");
    refused(&MILLIS, json!("0001-01-01T00:00:00+01:00"), "years 0001 to 9999");
    refused(&MILLIS, json!("2026-02-29T00:00:00Z"), "RFC 3339");
    refused(&Kind::Date, json!("2026-2-9"), "as 2026-11-15");
    for text in ["", "P", "PT", "P1", "1D", "P1DT", "P1D1Y", "P1.5D", "PT1S1S", "P99999999999Y", "PT0.0000001S"] {
        refused(&Kind::Duration, json!(text), "ISO 8601");
    }
    refused(&Kind::Bytes, json!("AP8"), "base64 with its padding");
    refused(&statuses(), json!("open"), "`open` is none of OPEN, CLOSED");
    refused(&Kind::Map(Box::new(Kind::Int), Box::new(Kind::Int)), json!({"1": 1, "01": 2}), "`1` is there twice");
}

#[test]
fn a_oneof_is_told_apart_by_its_form_or_says_its_kind() {
    let plain = Kind::OneOf(vec![Kind::Int, Kind::Text, Kind::Bool]);
    assert_eq!(from_json(&json!(5), &plain).unwrap(), Value::OneOf(0, Box::new(Value::Int(5))));
    assert_eq!(from_json(&json!("5"), &plain).unwrap(), Value::OneOf(1, Box::new(Value::from("5"))));
    becomes(&plain, json!(true), json!(true));
    refused(&plain, json!([]), "an array where one of int, text, bool is expected");
    let tagged = Kind::OneOf(vec![Kind::Int, Kind::Float, Kind::Decimal { scale: 2 }, Kind::Decimal { scale: 4 }]);
    assert_eq!(from_json(&json!({"float": 5}), &tagged).unwrap(), Value::OneOf(1, Box::new(Value::Float(5.0))));
    becomes(&tagged, json!({"int": "5"}), json!({"int": 5}));
    becomes(&tagged, json!({"decimal_2": "5"}), json!({"decimal_2": "5.0000"}));
    refused(&tagged, json!(5), "write an object with one member of int, float, decimal, decimal_2: {\"int\": ..}");
    refused(&tagged, json!({"int": 5, "float": 5}), "one member");
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    assert!(parse(br#"{"a": 1, "b": {"c": 1, "c": 2}}"#).unwrap_err().contains("the member `c` stands twice"));
    assert_eq!(parse(br#"{"a": [1, 2.5, "x", null, true]}"#).unwrap(), json!({"a": [1, 2.5, "x", null, true]}));
}

#[test]
fn nesting_is_bounded() {
    assert!(parse(&[b'['; 100_000]).unwrap_err().contains("recursion limit"));
    let nested = |depth: usize| (0..depth).fold(json!(1), |inside, _| json!([inside]));
    becomes(&Kind::Json, nested(DEPTH_MAX), nested(DEPTH_MAX));
    refused(&Kind::Json, nested(DEPTH_MAX + 1), "nested more than 64 deep");
}

/// A kind with a value of it, as deep as the language allows: collections hold structs, structs hold collections.
fn pair() -> impl Strategy<Value = (Kind, Value<'static>)> {
    let text = || "\\PC{0,12}".prop_map(|text| Value::Text(text.into()));
    let ranked = prop_oneof![Just(Value::Enum(10)), Just(Value::Enum(20))];
    let moment = -62_135_596_800_000i64..=253_402_300_799_999;
    let leaf = prop_oneof![
        any::<bool>().prop_map(|value| (Kind::Bool, Value::Bool(value))),
        any::<i64>().prop_map(|value| (Kind::Int, Value::Int(value))),
        any::<f64>()
            .prop_filter("no NaN", |value| !value.is_nan())
            .prop_map(|value| { (Kind::Float, Value::Float(if value == 0.0 { 0.0 } else { value })) }),
        (-(10i128.pow(38)) + 1..10i128.pow(38), 0u8..=38)
            .prop_map(|(value, scale)| (Kind::Decimal { scale }, Value::Decimal(value))),
        text().prop_map(|value| (Kind::Text, value)),
        any::<Vec<u8>>().prop_map(|value| (Kind::Bytes, Value::from(value))),
        Just((Kind::Json, Value::Json(r#"{"b":[1,null,"x"],"a":{}}"#.into()))),
        any::<[u8; 16]>().prop_map(|value| (Kind::Uuid, Value::Uuid(value))),
        any::<[u8; 16]>().prop_map(|mut value| {
            value[6] = 0x70 | value[6] & 0x0F;
            (Kind::Uuid7, Value::Uuid(value))
        }),
        (-719_162i32..=2_932_896).prop_map(|days| (Kind::Date, Value::Date(days))),
        moment.clone().prop_map(|value| (MILLIS, Value::Timestamp(value))),
        moment.prop_map(|value| (MICROS, Value::Timestamp(value * 1_000 + 7))),
        (any::<i32>(), any::<i32>(), any::<i64>()).prop_map(|(months, days, micros)| {
            (Kind::Duration, Value::Duration(Duration { months, days, micros }))
        }),
        any::<IpAddr>().prop_map(|value| (Kind::Ip, Value::Ip(value))),
        ranked.prop_map(|value| (statuses(), value)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|(kind, value)| (Kind::List(Box::new(kind)), Value::List(vec![value.clone(), value]))),
            inner.clone().prop_map(|(kind, value)| (Kind::Set(Box::new(kind)), Value::Set(vec![value]))),
            inner.clone().prop_map(|(kind, value)| {
                let entries = vec![(Value::from("a"), value.clone()), (Value::from("é"), value)];
                (Kind::Map(Box::new(Kind::Text), Box::new(kind)), Value::Map(entries))
            }),
            (inner.clone(), inner.clone()).prop_map(|((a, value), (b, _))| {
                (members(&[("a", a, false), ("b", b, true)]), Value::Struct(vec![value, Value::Null]))
            }),
            (inner.clone(), inner, any::<bool>()).prop_map(|((a, value), (b, other), first)| {
                let value = if first { Value::OneOf(0, Box::new(value)) } else { Value::OneOf(1, Box::new(other)) };
                (Kind::OneOf(vec![a, b]), value)
            }),
        ]
    })
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,20}".prop_map(Json::from),
        "[-+PTYMDHS0-9.:Zz]{0,30}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::hash_map("[ab]|\\PC{0,3}", inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn bytes(value: &Value<'_>, kind: &Kind) -> Vec<u8> {
    let mut bytes = Vec::new();
    canonical::encode(value, kind, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_special_in_json_is_escaped() {
    let all: String = (0..=0x2ff).filter_map(char::from_u32).chain("\u{2028}\u{1f600}".chars()).collect();
    let mut text = String::new();
    write_json(&Value::from(all.as_str()), &Kind::Text, &mut text).unwrap();
    assert_eq!(text, json!(all).to_string());
    let broken = Value::Json("{\"a\": [1, }".into());
    assert!(write_json(&broken, &Kind::Json, &mut text).is_err(), "what somebody else has stored breaks no answer");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn a_value_comes_back((kind, value) in pair()) {
        let mut text = String::new();
        write_json(&value, &kind, &mut text).unwrap();
        prop_assert_eq!(&text, &to_json(&value, &kind).unwrap().to_string(), "as serde writes it");
        let back = from_json(&parse(text.as_bytes()).unwrap(), &kind)
            .unwrap_or_else(|fault| panic!("{kind:?} {text}: {fault}"));
        prop_assert_eq!(bytes(&back, &kind), bytes(&value, &kind), "{}", text);
        if let Ok(text) = to_text(&value, &kind) {
            prop_assert_eq!(bytes(&from_text(&text, &kind).unwrap(), &kind), bytes(&value, &kind), "{}", text);
        }
    }

    #[test]
    fn whatever_is_sent_is_taken_or_refused((kind, _) in pair(), json in any_json(), text in "\\PC{0,40}") {
        if let Ok(value) = from_json(&json, &kind) {
            let mut stored = Vec::new();
            canonical::encode(&value, &kind, &mut stored).unwrap();
            to_json(&value, &kind).unwrap();
        }
        let _ = from_text(&text, &kind);
        let _ = parse(text.as_bytes());
    }
}
