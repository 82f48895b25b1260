//! Slices of whole partitions: order, direction, cursors, pages.

use std::cmp::Ordering;

use keyloom_store::{Discipline, End, Table};
use keyloom_value::{Kind, Value, compare};

use crate::{
    Case, Subject,
    desk::{Ask, Columns, Desk, Owned, int, plain, table, text},
    samples::HOSTILE,
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("slices":
        a_slice_reads_a_partition_in_order_and_against_it,
        an_empty_partition_has_no_rows,
        neighbours_of_a_partition_never_leak_in,
        the_whole_partition_key_counts,
        a_cursor_goes_on_at_every_position,
        a_cursor_goes_on_at_every_position_in_mixed_directions,
        a_cursor_may_stand_where_no_row_is,
        pages_of_every_size_add_up,
        pages_of_every_size_add_up_in_mixed_directions,
        a_page_that_ends_at_the_last_row_goes_on_to_nothing,
        bytes_bound_a_page,
        one_row_always_comes_however_large,
        removed_rows_are_passed_over,
        decided_rows_are_sliced_too,
    )
}

/// Rows of three components, of which the middle one descends.
fn mixed() -> Table {
    table("mixed", Discipline::Placed)
        .by("p", Kind::Int)
        .ascending("a", Kind::Text)
        .descending("b", Kind::Int)
        .ascending("c", Kind::Bool)
        .column("v", Kind::Int)
}

/// Their sort keys, in the order of the table.
fn mixed_sorts() -> Vec<Vec<Owned>> {
    let mut sorts = Vec::new();
    for a in ["", "a", "a\0", "b"] {
        for b in [i64::MAX, 3, -2] {
            for c in [false, true] {
                sorts.push(vec![text(a), int(b), Value::Bool(c)]);
            }
        }
    }
    sorts
}

/// The order of the table `mixed`, said once more by hand.
fn mixed_order(a: &[Owned], b: &[Owned]) -> Ordering {
    let order = |at: usize| compare(&a[at], &b[at]).expect("one kind");
    order(0).then(order(1).reverse()).then(order(2))
}

async fn open_mixed<S: Subject>(store: &S) -> Desk<'_, S> {
    let desk = Desk::open(store, mixed()).await;
    // Neighbours on both sides, and rows that are placed in no order.
    for (partition, sort) in [(0, 0), (2, 0)].into_iter().chain((0..24).map(|at| (1, (at * 7) % 24))) {
        let sort = &mixed_sorts()[sort];
        let key: Vec<Owned> = std::iter::once(int(partition)).chain(sort.iter().cloned()).collect();
        desk.place(&key, 1, &[int(0)]).await;
    }
    desk
}

async fn ten<S: Subject>(store: &S) -> Desk<'_, S> {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in [3, 1, 9, 0, 7, 5, 8, 2, 6, 4] {
        desk.place(&[text("p"), int(at * 10)], 1, &[text("v")]).await;
    }
    desk
}

fn sorts(numbers: impl IntoIterator<Item = i64>) -> Vec<Vec<Owned>> {
    numbers.into_iter().map(|number| vec![int(number)]).collect()
}

async fn a_slice_reads_a_partition_in_order_and_against_it<S: Subject>(store: &S) {
    let desk = ten(store).await;
    let ask = Ask::of(&[text("p")]);
    assert_eq!(desk.sorts(&ask).await, sorts((0..10).map(|at| at * 10)));
    assert_eq!(desk.sorts(&Ask { reverse: true, ..ask }).await, sorts((0..10).rev().map(|at| at * 10)));
}

async fn an_empty_partition_has_no_rows<S: Subject>(store: &S) {
    let desk = ten(store).await;
    for partition in ["", "o", "p\0", "q"] {
        for reverse in [false, true] {
            let page = desk.page(&Ask { reverse, ..Ask::of(&[text(partition)]) }).await;
            assert_eq!((page.rows, page.end), (vec![], End::Range), "partition {partition:?}");
        }
    }
}

async fn neighbours_of_a_partition_never_leak_in<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Text).ascending("s", Kind::Text)).await;
    for name in HOSTILE {
        for sort in ["", "\0", "\u{10FFFF}"] {
            desk.place(&[text(name), text(sort)], 1, &[]).await;
        }
    }
    for name in HOSTILE {
        for reverse in [false, true] {
            let rows = desk.rows(&Ask { reverse, ..Ask::of(&[text(name)]) }).await;
            assert_eq!(rows.len(), 3, "partition {name:?}: {rows:?}");
            assert!(rows.iter().all(|row| row.key[0] == text(name)), "partition {name:?}: {rows:?}");
        }
    }
}

async fn the_whole_partition_key_counts<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Placed).by("a", Kind::Text).by("b", Kind::Text).ascending("s", Kind::Text);
    let desk = Desk::open(store, wanted).await;
    // Joined without care, all of these would be one key.
    let keys = [["a", "b#c", "d"], ["a#b", "c", "d"], ["a", "b", "c#d"], ["", "a#b#c", "d"], ["a#b#c", "", "d"]];
    for key in keys {
        desk.place(&key.map(text), 1, &[]).await;
    }
    for key in keys {
        let rows = desk.rows(&Ask::of(&[text(key[0]), text(key[1])])).await;
        assert_eq!(rows.len(), 1, "partition {key:?}");
        assert_eq!(rows[0].key, key.map(text));
    }
}

async fn a_cursor_goes_on_at_every_position<S: Subject>(store: &S) {
    let desk = ten(store).await;
    for at in 0..10 {
        let ask = Ask { after: Some(vec![int(at * 10)]), ..Ask::of(&[text("p")]) };
        assert_eq!(desk.sorts(&ask).await, sorts((at + 1..10).map(|at| at * 10)), "after {at}0");
        let ask = Ask { reverse: true, ..ask };
        assert_eq!(desk.sorts(&ask).await, sorts((0..at).rev().map(|at| at * 10)), "before {at}0");
    }
}

async fn a_cursor_goes_on_at_every_position_in_mixed_directions<S: Subject>(store: &S) {
    let desk = open_mixed(store).await;
    let sorts = mixed_sorts();
    for at in 0..sorts.len() {
        let ask = Ask { after: Some(sorts[at].clone()), ..Ask::of(&[int(1)]) };
        assert_eq!(desk.sorts(&ask).await, sorts[at + 1..], "after {:?}", sorts[at]);
        let ask = Ask { reverse: true, ..ask };
        let before: Vec<_> = sorts[..at].iter().rev().cloned().collect();
        assert_eq!(desk.sorts(&ask).await, before, "before {:?}", sorts[at]);
    }
}

async fn a_cursor_may_stand_where_no_row_is<S: Subject>(store: &S) {
    let desk = open_mixed(store).await;
    let sorts = mixed_sorts();
    for a in ["", "\0", "a", "a\0\0", "aa", "c"] {
        for b in [i64::MAX, 4, 0, i64::MIN] {
            let after = vec![text(a), int(b), Value::Bool(true)];
            for reverse in [false, true] {
                let ask = Ask { after: Some(after.clone()), reverse, ..Ask::of(&[int(1)]) };
                let mut behind = sorts.clone();
                if reverse {
                    behind.reverse();
                }
                behind.retain(|sort| mixed_order(sort, &after).is_gt() != reverse && sort != &after);
                assert_eq!(desk.sorts(&ask).await, behind, "{ask:?}");
            }
        }
    }
}

async fn pages_of_every_size_add_up<S: Subject>(store: &S) {
    let desk = ten(store).await;
    for reverse in [false, true] {
        let whole = desk.sorts(&Ask { reverse, ..Ask::of(&[text("p")]) }).await;
        for rows_max in 1..=11 {
            let ask = Ask { reverse, rows_max, ..Ask::of(&[text("p")]) };
            assert_eq!(desk.sorts(&ask).await, whole, "pages of {rows_max}, reverse: {reverse}");
        }
    }
}

async fn pages_of_every_size_add_up_in_mixed_directions<S: Subject>(store: &S) {
    let desk = open_mixed(store).await;
    for reverse in [false, true] {
        let mut whole = mixed_sorts();
        if reverse {
            whole.reverse();
        }
        for rows_max in [1, 2, 3, 5, 7, 23, 24, 25] {
            let ask = Ask { reverse, rows_max, ..Ask::of(&[int(1)]) };
            assert_eq!(desk.sorts(&ask).await, whole, "pages of {rows_max}, reverse: {reverse}");
        }
    }
}

async fn a_page_that_ends_at_the_last_row_goes_on_to_nothing<S: Subject>(store: &S) {
    let desk = ten(store).await;
    let ask = Ask { rows_max: 10, ..Ask::of(&[text("p")]) };
    let page = desk.page(&ask).await;
    assert_eq!(page.rows.len(), 10);
    // An engine need not know that nothing is left.
    if let End::Limit { reached } = page.end {
        assert_eq!(reached, [int(90)], "the last row that was looked at");
        let rest = desk.page(&Ask { after: Some(reached), ..ask }).await;
        assert_eq!((rest.rows, rest.end), (vec![], End::Range));
    }
}

async fn bytes_bound_a_page<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in 0..10 {
        desk.place(&[text("p"), int(at)], 1, &[text(&"x".repeat(1_000))]).await;
    }
    for reverse in [false, true] {
        // The desk looks at every page: none has more bytes, and none is empty here.
        let ask = Ask { reverse, bytes_max: 3_500, ..Ask::of(&[text("p")]) };
        let pages = desk.pages(&ask).await;
        assert!(pages.len() >= 4, "10 rows of 1,000 bytes need 4 pages of 3,500: {}", pages.len());
        let rows: Vec<_> = pages.into_iter().flat_map(|page| page.rows).collect();
        assert_eq!(rows, desk.rows(&Ask { reverse, ..Ask::of(&[text("p")]) }).await);
    }
}

async fn one_row_always_comes_however_large<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in 0..3 {
        desk.place(&[text("p"), int(at)], 1, &[text(&"x".repeat(1_000))]).await;
    }
    let ask = Ask { bytes_max: 1, ..Ask::of(&[text("p")]) };
    assert_eq!(desk.page(&ask).await.rows.len(), 1);
    assert_eq!(desk.sorts(&ask).await, sorts(0..3));
}

async fn removed_rows_are_passed_over<S: Subject>(store: &S) {
    let desk = ten(store).await;
    for at in [0, 3, 4, 9] {
        desk.remove(&[text("p"), int(at * 10)], 2).await;
    }
    for reverse in [false, true] {
        let mut left = sorts([10, 20, 50, 60, 70, 80]);
        if reverse {
            left.reverse();
        }
        for rows_max in [1, 2, 100] {
            assert_eq!(desk.sorts(&Ask { reverse, rows_max, ..Ask::of(&[text("p")]) }).await, left);
        }
        let after = Ask { reverse, after: Some(vec![int(30)]), ..Ask::of(&[text("p")]) };
        let behind = if reverse { sorts([20, 10]) } else { sorts([50, 60, 70, 80]) };
        assert_eq!(desk.sorts(&after).await, behind, "a cursor may stand on a removed row");
    }
}

async fn decided_rows_are_sliced_too<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    for at in [2, 0, 1] {
        desk.create(&[text("p"), int(at)], 1, &[text("v")]).await;
    }
    for reverse in [false, true] {
        let whole = if reverse { sorts([2, 1, 0]) } else { sorts([0, 1, 2]) };
        for rows_max in 1..4 {
            assert_eq!(desk.sorts(&Ask { reverse, rows_max, ..Ask::of(&[text("p")]) }).await, whole);
        }
    }
}
