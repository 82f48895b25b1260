//! Keys as bytes: they order as values do, tell all values apart, end by themselves, and never panic on garbage.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::cmp::Ordering;

use common::{Owned, hostile_text, key_of, parts, plain, two_keys};
use keyloom_value::{Kind, Value, compare, key, key::Part};
use proptest::prelude::*;

/// The order of keys, said by values.
fn order(parts: &[Part], first: &[Owned], second: &[Owned]) -> Ordering {
    let pairs = parts.iter().zip(first.iter().zip(second));
    let orders = pairs.map(|(part, (first, second))| {
        let order = compare(first, second).unwrap();
        if part.descending { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn bytes_order_as_values_do((parts, first, second) in two_keys()) {
        let bytes = (key::encode(&first, &parts).unwrap(), key::encode(&second, &parts).unwrap());
        prop_assert_eq!(bytes.0.cmp(&bytes.1), order(&parts, &first, &second));
    }

    #[test]
    fn two_keys_have_the_same_bytes_only_when_they_are_the_same((parts, first, second) in two_keys()) {
        let bytes = (key::encode(&first, &parts).unwrap(), key::encode(&second, &parts).unwrap());
        let same = first.iter().map(plain).eq(second.iter().map(plain));
        prop_assert_eq!(bytes.0 == bytes.1, same);
    }

    #[test]
    fn what_was_written_is_read((parts, values, _) in two_keys()) {
        let bytes = key::encode(&values, &parts).unwrap();
        let read = key::decode(&bytes, &parts).unwrap();
        prop_assert!(read.iter().map(plain).eq(values.iter().map(plain)), "{:?} was read as {:?}", values, read);
        prop_assert_eq!(key::encode(&read, &parts).unwrap(), bytes);
    }

    #[test]
    fn no_key_is_the_beginning_of_another((parts, first, second) in two_keys()) {
        let bytes = (key::encode(&first, &parts).unwrap(), key::encode(&second, &parts).unwrap());
        prop_assert!(bytes.0 == bytes.1 || !bytes.1.starts_with(&bytes.0));
        for end in 0..bytes.0.len() {
            prop_assert!(key::decode(&bytes.0[..end], &parts).is_err(), "the first {} bytes are a key too", end);
        }
    }

    #[test]
    fn a_key_lies_in_a_range_of_first_components_only_with_those((parts, first, second) in two_keys()) {
        let bytes = key::encode(&second, &parts).unwrap();
        for components in 0..=parts.len() {
            let prefix = key::encode(&first[..components], &parts).unwrap();
            let same = first[..components].iter().map(plain).eq(second[..components].iter().map(plain));
            prop_assert_eq!(bytes.starts_with(&prefix), same, "{} components", components);
        }
    }

    #[test]
    fn garbage_is_malformed_or_what_would_be_written(
        parts in parts(),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        if let Ok(values) = key::decode(&bytes, &parts) {
            assert_exactly(&values, &parts, &bytes)?;
        }
    }

    #[test]
    fn a_changed_byte_is_malformed_or_another_key(
        (parts, values) in parts().prop_flat_map(|parts| { let key = key_of(&parts); (Just(parts), key) }),
        at in any::<prop::sample::Index>(),
        turned in 1u8..=255,
    ) {
        let mut bytes = key::encode(&values, &parts).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= turned;
        if let Ok(values) = key::decode(&bytes, &parts) {
            assert_exactly(&values, &parts, &bytes)?;
        }
    }

    #[test]
    fn ids_never_reach_into_what_follows(
        (first, second) in ((hostile_text(), hostile_text()), (hostile_text(), hostile_text())),
        descending in any::<[bool; 2]>(),
    ) {
        let parts = descending.map(|descending| Part { kind: Kind::Text, descending });
        let encode = |(a, b): &(String, String)| key::encode(&[a.as_str().into(), b.as_str().into()], &parts).unwrap();
        prop_assert_eq!(encode(&first) == encode(&second), first == second);
        // However the two are cut, the partition of one is not the beginning of the other.
        let partition = key::encode(&[first.0.as_str().into()], &parts).unwrap();
        prop_assert_eq!(encode(&second).starts_with(&partition), first.0 == second.0);
    }
}

/// Values that could be read from bytes are written as just these bytes; only a rank that an enumeration does not know may
/// be read by somebody who knows less.
fn assert_exactly(values: &[Value<'_>], parts: &[Part], bytes: &[u8]) -> Result<(), TestCaseError> {
    match key::encode(values, parts) {
        Ok(written) => prop_assert_eq!(written, bytes),
        Err(_) => {
            let ranks = values.iter().any(|value| matches!(value, Value::Enum(_)));
            prop_assert!(ranks, "{:?} can be read but not written", values);
        }
    }
    Ok(())
}

#[test]
fn a_key_takes_no_other_kind_and_nothing_absent() {
    let parts = [Part::ascending(Kind::Text), Part::descending(Kind::Int)];
    for wrong in [
        vec![Value::from(1)],
        vec![Value::Null],
        vec![Value::from("a"), Value::from("1")],
        vec![Value::from("a"), Value::from(1), Value::from(1)],
        vec![Value::Json("a".into())],
    ] {
        assert!(key::encode(&wrong, &parts).is_err(), "{wrong:?}");
    }
    for (value, kind) in [
        (Value::Float(f64::NAN), Kind::Float),
        (Value::Decimal(10i128.pow(38)), Kind::Decimal { scale: 0 }),
        (Value::Decimal(i128::MIN), Kind::Decimal { scale: 0 }),
        (Value::Uuid([0x40; 16]), Kind::Uuid7),
        (Value::List(vec![]), Kind::List(Box::new(Kind::Int))),
    ] {
        assert!(key::encode(std::slice::from_ref(&value), &[Part::ascending(kind)]).is_err(), "{value:?}");
    }
}

#[test]
fn neighbouring_numbers_stay_neighbours() {
    let ints = [i64::MIN, i64::MIN + 1, -257, -256, -255, -1, 0, 1, 255, 256, i64::MAX - 1, i64::MAX];
    for descending in [false, true] {
        let part = [Part { kind: Kind::Int, descending }];
        let mut keys: Vec<Vec<u8>> = ints.iter().map(|int| key::encode(&[(*int).into()], &part).unwrap()).collect();
        if descending {
            keys.reverse();
        }
        assert!(keys.is_sorted());
    }
}
