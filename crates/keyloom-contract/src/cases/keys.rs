//! Keys: hostile, of every kind, long.

use keyloom_store::{Discipline, Expect, Step};
use keyloom_value::{Kind, Value};

use crate::{
    Case, NOW, Subject,
    desk::{Ask, Columns, Desk, decide_along, image, int, plain, refused, root, table, text, undefinable},
    samples::{HOSTILE, ordered, unordered},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("keys":
        hostile_partitions_are_each_their_own,
        hostile_sort_keys_keep_their_order,
        hostile_components_do_not_reach_into_each_other,
        hostile_keys_of_decided_rows,
        every_ordered_kind_in_a_partition_key,
        every_ordered_kind_ascends,
        every_ordered_kind_descends,
        kinds_without_order_are_refused_in_keys,
        texts_order_by_code_point,
        there_is_one_zero_and_no_nan,
        a_key_of_another_kind_is_refused,
        partition_keys_up_to_the_limit,
        sort_keys_up_to_the_limit,
    )
}

async fn hostile_partitions_are_each_their_own<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Text).column("v", Kind::Text)).await;
    for name in HOSTILE {
        assert_eq!(desk.get(&[text(name)]).await, None, "{name:?} is not one of those before it");
        desk.place(&[text(name)], 1, &[text(name)]).await;
    }
    for name in HOSTILE {
        let seen = desk.get(&[text(name)]).await.unwrap_or_else(|| panic!("{name:?} is there"));
        assert_eq!(seen.values(), [text(name)]);
    }
}

async fn hostile_sort_keys_keep_their_order<S: Subject>(store: &S) {
    for (name, descending) in [("ascending", false), ("descending", true)] {
        let wanted = table(name, Discipline::Placed).by("p", Kind::Text);
        let wanted = if descending { wanted.descending("s", Kind::Text) } else { wanted.ascending("s", Kind::Text) };
        let desk = Desk::open(store, wanted).await;
        for at in 0..HOSTILE.len() {
            desk.place(&[text("p"), text(HOSTILE[(at * 8) % HOSTILE.len()])], 1, &[]).await;
        }
        let expected: Vec<_> = HOSTILE.iter().map(|sort| vec![text(sort)]).collect();
        for rows_max in [1, 4, 100] {
            let ask = Ask { reverse: descending, rows_max, ..Ask::of(&[text("p")]) };
            assert_eq!(desk.sorts(&ask).await, expected, "{name}, pages of {rows_max}");
        }
    }
}

async fn hostile_components_do_not_reach_into_each_other<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Placed)
        .by("p", Kind::Text)
        .ascending("a", Kind::Text)
        .descending("b", Kind::Text)
        .ascending("c", Kind::Bytes);
    let desk = Desk::open(store, wanted).await;
    let texts = ["", "\0", "\0\u{1}", "#", "a", "a\0", "a\u{1}", "\u{10FFFF}"];
    for a in texts {
        for b in texts {
            desk.place(&[text("p"), text(a), text(b), Value::Bytes(vec![0, 255].into())], 1, &[]).await;
        }
    }
    let mut expected = Vec::new();
    for a in texts {
        for b in texts.into_iter().rev() {
            expected.push(vec![text(a), text(b), Value::Bytes(vec![0, 255].into())]);
        }
    }
    assert_eq!(desk.sorts(&Ask::of(&[text("p")])).await, expected);
    for a in texts {
        let ask = Ask { equal: vec![text(a)], ..Ask::of(&[text("p")]) };
        let found = desk.sorts(&ask).await;
        assert_eq!(found.len(), texts.len(), "equal to {a:?}");
        assert!(found.iter().all(|sort| sort[0] == text(a)), "equal to {a:?}: {found:?}");
    }
}

async fn hostile_keys_of_decided_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Decided).by("p", Kind::Text).ascending("s", Kind::Text)).await;
    for name in HOSTILE {
        for sort in ["", "\0", "#"] {
            // Were any two of these one key, the second would be lost.
            desk.create(&[text(name), text(sort)], 1, &[]).await;
        }
    }
}

async fn every_ordered_kind_in_a_partition_key<S: Subject>(store: &S) {
    for sample in ordered() {
        let wanted = table(sample.name, Discipline::Placed).by("p", sample.kind.clone()).column("v", Kind::Int);
        let desk = Desk::open(store, wanted).await;
        for (value, at) in sample.values.iter().zip(0..) {
            desk.place(std::slice::from_ref(value), 1, &[int(at)]).await;
        }
        for (value, at) in sample.values.iter().zip(0..) {
            let seen = desk.get(std::slice::from_ref(value)).await;
            let seen = seen.unwrap_or_else(|| panic!("{} {value:?} is there", sample.name));
            assert_eq!(seen.values(), [int(at)], "{} {value:?}", sample.name);
        }
    }
}

async fn every_ordered_kind_ascends<S: Subject>(store: &S) {
    for sample in ordered() {
        let wanted = table(sample.name, Discipline::Placed).by("p", Kind::Int).ascending("s", sample.kind.clone());
        let desk = Desk::open(store, wanted).await;
        for value in sample.values.iter().rev() {
            desk.place(&[int(1), value.clone()], 1, &[]).await;
        }
        let expected: Vec<_> = sample.values.iter().map(|value| vec![value.clone()]).collect();
        assert_eq!(desk.sorts(&Ask { rows_max: 2, ..Ask::of(&[int(1)]) }).await, expected, "{}", sample.name);
    }
}

async fn every_ordered_kind_descends<S: Subject>(store: &S) {
    for sample in ordered() {
        let wanted = table(sample.name, Discipline::Placed).by("p", Kind::Int).descending("s", sample.kind.clone());
        let desk = Desk::open(store, wanted).await;
        for value in &sample.values {
            desk.place(&[int(1), value.clone()], 1, &[]).await;
        }
        let expected: Vec<_> = sample.values.iter().rev().map(|value| vec![value.clone()]).collect();
        assert_eq!(desk.sorts(&Ask { rows_max: 2, ..Ask::of(&[int(1)]) }).await, expected, "{}", sample.name);
    }
}

async fn kinds_without_order_are_refused_in_keys<S: Subject>(store: &S) {
    for sample in unordered() {
        let partition = table("p", Discipline::Placed).by("p", sample.kind.clone());
        undefinable(store, &partition, sample.name).await;
        let sort = table("s", Discipline::Decided).by("p", Kind::Int).ascending("s", sample.kind);
        undefinable(store, &sort, sample.name).await;
    }
}

async fn texts_order_by_code_point<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Int).ascending("s", Kind::Text)).await;
    // By UTF-16 the last two would change places; by a locale nearly all of them.
    let sorted = ["A", "Z", "a", "aa", "b", "z", "ä", "é", "\u{E000}", "\u{FFFD}", "\u{10000}"];
    for sort in sorted {
        desk.place(&[int(1), text(sort)], 1, &[]).await;
    }
    assert_eq!(desk.sorts(&Ask::of(&[int(1)])).await, sorted.map(|sort| vec![text(sort)]));
}

async fn there_is_one_zero_and_no_nan<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Float).column("v", Kind::Float)).await;
    desk.place(&[Value::Float(-0.0)], 1, &[Value::Float(-0.0)]).await;
    let seen = desk.get(&[Value::Float(0.0)]).await.expect("the two zeros are one key");
    let Value::Float(value) = seen.values()[0] else { panic!("a float: {seen:?}") };
    assert!(value.is_sign_positive(), "the two zeros are one value");
    let (nan, one) = ([Value::Float(f64::NAN)], [Value::Float(1.0)]);
    refused(store.get(desk.ask_row(&nan, NOW)).await, "NaN in a key");
    refused(store.place(&[desk.put(&one, &[root(1, &nan)], None)], false, NOW).await, "NaN in a column");
}

async fn a_key_of_another_kind_is_refused<S: Subject>(store: &S) {
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, plain("decided", Discipline::Decided)).await;
    let values = [text("v")];
    for (what, key) in [
        ("an empty key", vec![]),
        ("half a key", vec![text("p")]),
        ("too long a key", vec![text("p"), int(1), int(1)]),
        ("another kind", vec![text("p"), text("1")]),
        ("another kind", vec![Value::Bytes(b"p".to_vec().into()), int(1)]),
        ("an absent component", vec![Value::Null, int(1)]),
        ("an absent component", vec![text("p"), Value::Null]),
    ] {
        for desk in [&placed, &decided] {
            refused(store.get(desk.ask_row(&key, NOW)).await, what);
        }
        refused(store.place(&[placed.put(&key, &[root(1, &values)], None)], false, NOW).await, what);
        refused(store.place(&[placed.removal(&key, &[(0, 1)])], false, NOW).await, what);
        let change = decided.change(&key, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &[]).await, what);
    }
    let enums = table("enums", Discipline::Placed).by("p", crate::samples::variants());
    let desk = Desk::open(store, enums).await;
    let unknown = [Value::Enum(11)];
    refused(store.get(desk.ask_row(&unknown, NOW)).await, "a rank that the enum does not have");
}

/// Engines count a key's bytes in their own ways, but none counts less than its text has, nor much more.
const SLACK: usize = 64;

async fn partition_keys_up_to_the_limit<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Text).ascending("s", Kind::Int)).await;
    let limit = store.abilities().limits.partition_key_bytes_max as usize;
    let longest = [text(&"x".repeat(limit - SLACK)), int(1)];
    desk.place(&longest, 1, &[]).await;
    assert!(desk.get(&longest).await.is_some(), "the longest key is there");
    assert_eq!(desk.rows(&Ask::of(&longest[..1])).await.len(), 1);
    let above = [text(&"x".repeat(limit + 1)), int(1)];
    refused(store.place(&[desk.put(&above, &[root(1, &[])], None)], false, NOW).await, "a longer partition key");
    refused(store.place(&[desk.removal(&above, &[(0, 1)])], false, NOW).await, "the removal of a longer key");
    refused(store.get(desk.ask_row(&above, NOW)).await, "a get of a longer key");
}

async fn sort_keys_up_to_the_limit<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Decided).by("p", Kind::Int).ascending("s", Kind::Text);
    let step = Step::Create(wanted);
    crate::desk::done(store.apply(&step).await);
    let desk = Desk::at(store, "t").await;
    let limit = store.abilities().limits.sort_key_bytes_max as usize;
    let longest = [int(1), text(&"x".repeat(limit - SLACK))];
    desk.create(&longest, 1, &[]).await;
    assert!(desk.get(&longest).await.is_some(), "the longest key is there");
    assert_eq!(desk.sorts(&Ask::of(&[int(1)])).await, [longest[1..].to_vec()]);
    let above = [int(1), text(&"x".repeat(limit + 1))];
    let change = desk.change(&above, Expect::Absent, image(1, &[]));
    refused(decide_along(store, change, &[]).await, "a longer sort key");
    refused(store.get(desk.ask_row(&above, NOW)).await, "a get of a longer key");
}
