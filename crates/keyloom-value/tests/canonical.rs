//! The canonical form: two values are the same exactly when their bytes are, and garbage never panics.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Owned, kind, plain, value};
use keyloom_value::{Kind, Member, Value, canonical};
use proptest::prelude::*;

fn bytes(value: &Value<'_>, kind: &Kind) -> Vec<u8> {
    let mut bytes = Vec::new();
    canonical::encode(value, kind, &mut bytes).unwrap();
    bytes
}

fn kind_and_two() -> impl Strategy<Value = (Kind, Owned, Owned)> {
    kind().prop_flat_map(|kind| {
        let (first, second) = (value(&kind), value(&kind));
        (Just(kind), first, second)
    })
}

/// The same value, with sets and maps in another order and every zero turned.
fn turned(value: &Owned) -> Owned {
    let all = |values: &[Owned]| values.iter().map(turned).collect::<Vec<_>>();
    let backwards = |values: &[Owned]| values.iter().rev().map(turned).collect::<Vec<_>>();
    match value {
        Value::Float(value) if *value == 0.0 => Value::Float(-value),
        Value::List(values) => Value::List(all(values)),
        Value::Struct(values) => Value::Struct(all(values)),
        Value::Set(values) => {
            // Also twice: a set has each once.
            Value::Set(backwards(values).into_iter().chain(values.first().map(turned)).collect())
        }
        Value::Map(entries) => {
            Value::Map(entries.iter().rev().map(|(key, value)| (turned(key), turned(value))).collect())
        }
        Value::OneOf(which, value) => Value::OneOf(*which, Box::new(turned(value))),
        value => value.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn values_are_the_same_exactly_when_their_bytes_are((kind, first, second) in kind_and_two()) {
        prop_assert_eq!(bytes(&first, &kind) == bytes(&second, &kind), plain(&first) == plain(&second));
    }

    #[test]
    fn sets_maps_and_zeros_have_one_form((kind, value, _) in kind_and_two()) {
        prop_assert_eq!(bytes(&value, &kind), bytes(&turned(&value), &kind));
    }

    #[test]
    fn what_was_written_is_read((kind, value, _) in kind_and_two()) {
        let written = bytes(&value, &kind);
        let read = canonical::decode(&written, &kind).unwrap();
        prop_assert_eq!(plain(&read), plain(&value));
        prop_assert_eq!(bytes(&read, &kind), written);
    }

    #[test]
    fn garbage_is_malformed_or_some_value(kind in kind(), garbage in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(read) = canonical::decode(&garbage, &kind) {
            let _ = canonical::encode(&read, &kind, &mut Vec::new());
            let _ = read.into_owned();
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_malformed_or_some_value(
        (kind, value, _) in kind_and_two(),
        at in any::<prop::sample::Index>(),
        turned in any::<u8>(),
    ) {
        let mut written = bytes(&value, &kind);
        for end in 0..written.len() {
            let _ = canonical::decode(&written[..end], &kind);
        }
        if !written.is_empty() {
            let at = at.index(written.len());
            written[at] ^= turned;
            let _ = canonical::decode(&written, &kind);
        }
    }

    #[test]
    fn a_value_of_another_kind_is_refused_or_fits((kind, _, _) in kind_and_two(), (_, other, _) in kind_and_two()) {
        let mut written = Vec::new();
        if canonical::encode(&other, &kind, &mut written).is_ok() {
            prop_assert_eq!(plain(&canonical::decode(&written, &kind).unwrap()), plain(&other));
        }
    }

    #[test]
    fn a_struct_that_grew_reads_what_was_written_before(
        (kind, old, _) in prop::collection::vec(kind(), 0..3).prop_flat_map(|kinds| {
            let member = |(at, kind)| Member { name: format!("m{at}"), kind, optional: false };
            let kind = Kind::Struct(kinds.into_iter().enumerate().map(member).collect());
            let (first, second) = (value(&kind), value(&kind));
            (Just(kind), first, second)
        }),
        added in kind(),
    ) {
        let (Kind::Struct(members), Value::Struct(values)) = (&kind, &old) else { panic!("a struct") };
        let (mut grown, mut padded) = (members.clone(), values.clone());
        grown.push(Member { name: "added".to_owned(), kind: added, optional: true });
        padded.push(Value::Null);
        let grown = Kind::Struct(grown);
        prop_assert!(grown.extends(&kind) && !kind.extends(&grown));
        let (written, padded) = (bytes(&old, &kind), Value::Struct(padded));
        prop_assert_eq!(&bytes(&padded, &grown), &written);
        prop_assert_eq!(plain(&canonical::decode(&written, &grown).unwrap()), plain(&padded));
    }
}

#[test]
fn decimals_have_38_digits_and_floats_are_numbers() {
    let (most, decimal) = (10i128.pow(38) - 1, Kind::Decimal { scale: 10 });
    for value in [most, -most, 0, -1] {
        let written = bytes(&Value::Decimal(value), &decimal);
        assert_eq!(canonical::decode(&written, &decimal).unwrap(), Value::Decimal(value));
    }
    for value in [most + 1, -most - 1, i128::MAX, i128::MIN] {
        assert!(canonical::encode(&Value::Decimal(value), &decimal, &mut Vec::new()).is_err(), "{value}");
        assert!(canonical::decode(&value.to_le_bytes(), &decimal).is_err(), "{value} can't have been written");
    }
    assert!(canonical::encode(&Value::Float(f64::NAN), &Kind::Float, &mut Vec::new()).is_err());
    assert!(canonical::decode(&f64::NAN.to_le_bytes(), &Kind::Float).is_err());
    assert!(canonical::decode(&(-0.0f64).to_le_bytes(), &Kind::Float).is_err(), "there is one zero");
    assert_eq!(bytes(&Value::Float(-0.0), &Kind::Float), bytes(&Value::Float(0.0), &Kind::Float));
    assert!(canonical::decode(&[0x40; 16], &Kind::Uuid7).is_err(), "a uuid of version 4");
}

#[test]
fn a_map_has_one_value_for_each_key() {
    let kind = Kind::Map(Box::new(Kind::Float), Box::new(Kind::Int));
    let twice = Value::Map(vec![(Value::Float(0.0), 1.into()), (Value::Float(-0.0), 2.into())]);
    assert!(canonical::encode(&twice, &kind, &mut Vec::new()).is_err());
}

#[test]
fn lengths_that_lie_are_malformed() {
    let kind = Kind::List(Box::new(Kind::Text));
    for lie in [[255, 255, 255, 255], [0, 0, 0, 128], [2, 0, 0, 0]] {
        let mut written = lie.to_vec();
        written.push(b'a');
        assert!(canonical::decode(&written, &kind).is_err(), "{lie:?}");
    }
}
