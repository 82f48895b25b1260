//! Slices of a part of a partition: equal components, bounds, cursors outside of them.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use keyloom_store::{Discipline, End, Table};
use keyloom_value::{Kind, Value, compare};

use crate::{
    Case, Subject,
    desk::{Ask, Columns, Desk, Owned, int, refused, table, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("ranges":
        bounds_of_an_ascending_column,
        bounds_of_a_descending_column,
        equal_components_come_before_bounds,
        a_range_of_equal_components_alone,
        a_range_of_the_whole_sort_key_is_one_row,
        empty_and_inverted_ranges_have_no_rows,
        a_cursor_outside_the_range_neither_adds_nor_repeats,
        ranges_cursors_and_pages_together,
        bounds_of_hostile_texts,
        a_slice_that_can_not_be_is_refused,
    )
}

fn wanted() -> Table {
    table("t", Discipline::Placed)
        .by("p", Kind::Text)
        .ascending("up", Kind::Int)
        .descending("down", Kind::Int)
        .ascending("last", Kind::Text)
}

/// Rows for all `up` and `down` in 0, 10, .. 40, with neighbours around the partition.
async fn open<S: Subject>(store: &S) -> Desk<'_, S> {
    let desk = Desk::open(store, wanted()).await;
    for partition in ["o", "p", "p\0"] {
        for up in 0..5 {
            for down in 0..5 {
                desk.place(&[text(partition), int(up * 10), int(down * 10), text("")], 1, &[]).await;
            }
        }
    }
    desk
}

fn is_within(value: i64, low: &Bound<Owned>, high: &Bound<Owned>) -> bool {
    let value = int(value);
    let order = |bound: &Owned| compare(&value, bound).expect("one kind");
    (match low {
        Included(low) => order(low).is_ge(),
        Excluded(low) => order(low).is_gt(),
        Unbounded => true,
    }) && (match high {
        Included(high) => order(high).is_le(),
        Excluded(high) => order(high).is_lt(),
        Unbounded => true,
    })
}

/// Bounds at rows, between them and outside, in and out.
fn bounds() -> Vec<(Bound<Owned>, Bound<Owned>)> {
    let ends =
        || [-5, 0, 10, 15, 40, 45].into_iter().flat_map(|at| [Included(int(at)), Excluded(int(at))]).chain([Unbounded]);
    ends().flat_map(|low| ends().map(move |high| (low.clone(), high))).collect()
}

async fn bounds_of_an_ascending_column<S: Subject>(store: &S) {
    let desk = open(store).await;
    for (low, high) in bounds() {
        for reverse in [false, true] {
            let ask = Ask { low: low.clone(), high: high.clone(), reverse, ..Ask::of(&[text("p")]) };
            let mut expected: Vec<i64> = (0..5).map(|at| at * 10).filter(|up| is_within(*up, &low, &high)).collect();
            if reverse {
                expected.reverse();
            }
            let mut found: Vec<Owned> = desk.sorts(&ask).await.into_iter().map(|mut sort| sort.remove(0)).collect();
            assert_eq!(found.len(), expected.len() * 5, "{ask:?}");
            found.dedup();
            assert_eq!(found, expected.into_iter().map(int).collect::<Vec<_>>(), "{ask:?}");
        }
    }
}

async fn bounds_of_a_descending_column<S: Subject>(store: &S) {
    let desk = open(store).await;
    for (low, high) in bounds() {
        for reverse in [false, true] {
            let equal = vec![int(20)];
            let ask = Ask { equal, low: low.clone(), high: high.clone(), reverse, ..Ask::of(&[text("p")]) };
            let mut expected: Vec<i64> =
                (0..5).map(|at| at * 10).filter(|down| is_within(*down, &low, &high)).collect();
            if !reverse {
                expected.reverse();
            }
            let found: Vec<Owned> = desk.sorts(&ask).await.into_iter().map(|mut sort| sort.remove(1)).collect();
            assert_eq!(found, expected.into_iter().map(int).collect::<Vec<_>>(), "{ask:?}");
        }
    }
}

async fn equal_components_come_before_bounds<S: Subject>(store: &S) {
    let desk = open(store).await;
    let ask = Ask { equal: vec![int(10)], low: Excluded(int(10)), ..Ask::of(&[text("p")]) };
    let found = desk.sorts(&ask).await;
    assert_eq!(found, [40, 30, 20].map(|down| vec![int(10), int(down), text("")]));
}

async fn a_range_of_equal_components_alone<S: Subject>(store: &S) {
    let desk = open(store).await;
    let all = [40, 30, 20, 10, 0].map(|down| vec![int(30), int(down), text("")]);
    let ask = Ask { equal: vec![int(30)], ..Ask::of(&[text("p")]) };
    assert_eq!(desk.sorts(&ask).await, all);
    assert_eq!(desk.sorts(&Ask { rows_max: 2, ..ask.clone() }).await, all, "in pages");
    assert_eq!(desk.sorts(&Ask { equal: vec![int(31)], ..ask }).await, Vec::<Vec<Owned>>::new());
}

async fn a_range_of_the_whole_sort_key_is_one_row<S: Subject>(store: &S) {
    let desk = open(store).await;
    let sort = vec![int(30), int(20), text("")];
    for reverse in [false, true] {
        let ask = Ask { equal: sort.clone(), reverse, ..Ask::of(&[text("p")]) };
        assert_eq!(desk.sorts(&ask).await, std::slice::from_ref(&sort));
        assert_eq!(desk.rows(&Ask { after: Some(sort.clone()), ..ask }).await, []);
    }
}

async fn empty_and_inverted_ranges_have_no_rows<S: Subject>(store: &S) {
    let desk = open(store).await;
    let ranges = [
        (Excluded(int(10)), Excluded(int(20))),
        (Excluded(int(10)), Excluded(int(10))),
        (Included(int(10)), Excluded(int(10))),
        (Excluded(int(10)), Included(int(10))),
        (Included(int(30)), Included(int(10))),
        (Excluded(int(40)), Excluded(int(0))),
        (Excluded(int(i64::MAX)), Unbounded),
        (Unbounded, Excluded(int(i64::MIN))),
    ];
    for (low, high) in ranges {
        for (reverse, equal) in [(false, vec![]), (true, vec![]), (false, vec![int(20)]), (true, vec![int(20)])] {
            let ask = Ask { equal, low: low.clone(), high: high.clone(), reverse, ..Ask::of(&[text("p")]) };
            let page = desk.page(&ask).await;
            assert_eq!((page.rows, page.end), (vec![], End::Range), "{ask:?}");
        }
    }
}

async fn a_cursor_outside_the_range_neither_adds_nor_repeats<S: Subject>(store: &S) {
    let desk = open(store).await;
    let range = Ask { equal: vec![int(20)], low: Included(int(10)), high: Included(int(30)), ..Ask::of(&[text("p")]) };
    let sort = |up, down| Some(vec![int(up), int(down), text("")]);
    // The table's order within the range is 30, 20, 10.
    for (after, forwards, backwards) in [
        (sort(0, 0), 3, 0),
        (sort(20, 40), 3, 0),
        (sort(20, 31), 3, 0),
        (sort(20, 30), 2, 0),
        (sort(20, 20), 1, 1),
        (sort(20, 10), 0, 2),
        (sort(20, 9), 0, 3),
        (sort(20, 0), 0, 3),
        (sort(40, 40), 0, 3),
    ] {
        for (reverse, expected) in [(false, forwards), (true, backwards)] {
            let ask = Ask { after: after.clone(), reverse, ..range.clone() };
            let found = desk.sorts(&ask).await;
            let mut whole = [30, 20, 10].map(|down| vec![int(20), int(down), text("")]).to_vec();
            if reverse {
                whole.reverse();
            }
            assert_eq!(found, whole[3 - expected..], "{ask:?}");
        }
    }
}

async fn ranges_cursors_and_pages_together<S: Subject>(store: &S) {
    let desk = open(store).await;
    for reverse in [false, true] {
        for rows_max in [1, 3] {
            for after in [None, Some(vec![int(10), int(20), text("")]), Some(vec![int(15), int(0), text("x")])] {
                let ask = Ask {
                    low: Excluded(int(0)),
                    high: Included(int(30)),
                    after: after.clone(),
                    reverse,
                    rows_max,
                    ..Ask::of(&[text("p")])
                };
                let mut expected: Vec<(i64, i64)> =
                    (1..4).flat_map(|up| (0..5).rev().map(move |down| (up, down))).collect();
                if reverse {
                    expected.reverse();
                }
                let cut = match after.as_ref().map(|after| after[0] == int(10)) {
                    None => None,
                    Some(true) => Some(expected.iter().position(|at| *at == (1, 2)).expect("a row") + 1),
                    // Between 10 and 20.
                    Some(false) if reverse => expected.iter().position(|(up, _)| *up < 2),
                    Some(false) => expected.iter().position(|(up, _)| *up > 1),
                };
                let expected = &expected[cut.unwrap_or(0)..];
                let expected: Vec<_> =
                    expected.iter().map(|(up, down)| vec![int(up * 10), int(down * 10), text("")]).collect();
                assert_eq!(desk.sorts(&ask).await, expected, "{ask:?}");
            }
        }
    }
}

async fn bounds_of_hostile_texts<S: Subject>(store: &S) {
    let hostile = crate::samples::HOSTILE;
    for (name, descending) in [("ascending", false), ("descending", true)] {
        let wanted = table(name, Discipline::Placed).by("p", Kind::Text);
        let wanted = if descending { wanted.descending("s", Kind::Text) } else { wanted.ascending("s", Kind::Text) };
        let desk = Desk::open(store, wanted).await;
        for sort in hostile {
            desk.place(&[text("p"), text(sort)], 1, &[]).await;
        }
        for at in 0..hostile.len() {
            let bound = text(hostile[at]);
            for (low, high, expected) in [
                (Included(bound.clone()), Unbounded, &hostile[at..]),
                (Excluded(bound.clone()), Unbounded, &hostile[at + 1..]),
                (Unbounded, Included(bound.clone()), &hostile[..=at]),
                (Unbounded, Excluded(bound.clone()), &hostile[..at]),
            ] {
                let ask = Ask { low, high, reverse: descending, ..Ask::of(&[text("p")]) };
                let expected: Vec<_> = expected.iter().map(|sort| vec![text(sort)]).collect();
                assert_eq!(desk.sorts(&ask).await, expected, "{name} {ask:?}");
            }
        }
    }
}

async fn a_slice_that_can_not_be_is_refused<S: Subject>(store: &S) {
    let desk = open(store).await;
    let whole = Ask::of(&[text("p")]);
    let four = vec![int(0), int(0), text(""), text("")];
    for (what, ask) in [
        ("a slice without its partition", Ask { partition: vec![], ..whole.clone() }),
        ("a slice with too long a partition key", Ask { partition: vec![text("p"), int(0)], ..whole.clone() }),
        ("a partition of another kind", Ask { partition: vec![int(0)], ..whole.clone() }),
        ("an absent partition", Ask { partition: vec![Value::Null], ..whole.clone() }),
        ("more equal components than there are", Ask { equal: four.clone(), ..whole.clone() }),
        ("an equal component of another kind", Ask { equal: vec![text("")], ..whole.clone() }),
        ("a bound of another kind", Ask { low: Included(text("")), ..whole.clone() }),
        ("an absent bound", Ask { high: Excluded(Value::Null), ..whole.clone() }),
        (
            "a bound behind the last component",
            Ask { equal: four[..3].to_vec(), low: Included(int(0)), ..whole.clone() },
        ),
        ("a cursor that is not whole", Ask { after: Some(four[..2].to_vec()), ..whole.clone() }),
        ("a cursor that is too long", Ask { after: Some(four.clone()), ..whole.clone() }),
        ("a cursor of another kind", Ask { after: Some(vec![int(0), text(""), text("")]), ..whole.clone() }),
        ("a slice of no rows", Ask { rows_max: 0, ..whole.clone() }),
        ("a slice of no bytes", Ask { bytes_max: 0, ..whole.clone() }),
    ] {
        refused(store.slice(ask.slice(desk.id)).await, what);
    }
}
