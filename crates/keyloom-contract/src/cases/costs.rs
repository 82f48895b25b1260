//! What reads say they took.

use keyloom_store::Discipline;

use crate::{
    Case, NOW, Subject,
    desk::{Ask, Desk, MINUTE, int, plain, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("costs":
        a_get_looks_at_one_row,
        a_slice_looks_at_what_it_returns,
        ended_rows_are_looked_at_too,
        bytes_grow_with_rows,
    )
}

async fn a_get_looks_at_one_row<S: Subject>(store: &S) {
    for discipline in [Discipline::Placed, Discipline::Decided] {
        let desk = Desk::open(store, plain(&format!("{discipline:?}"), discipline.clone())).await;
        let key = [text("p"), int(1)];
        if discipline == Discipline::Placed {
            desk.place(&key, 1, &[text("v")]).await;
        } else {
            desk.create(&key, 1, &[text("v")]).await;
        }
        let cost = desk.got(&key, NOW).await.cost;
        assert_eq!((cost.rows, cost.leftovers), (1, 0));
        assert!(cost.bytes > 0, "a row has bytes");
        assert!(desk.got(&[text("p"), int(2)], NOW).await.cost.rows <= 1);
    }
}

async fn a_slice_looks_at_what_it_returns<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in 0..50 {
        desk.place(&[text("p"), int(at)], 1, &[text("v")]).await;
    }
    for (rows_max, rows) in [(1, 1), (7, 7), (50, 50), (1_000, 50)] {
        // Not the whole partition where a part was asked for.
        let page = desk.page(&Ask { rows_max, ..Ask::of(&[text("p")]) }).await;
        assert_eq!((page.rows.len(), page.cost.rows), (rows, rows as u64), "a page of {rows_max}");
    }
    assert_eq!(desk.page(&Ask::of(&[text("q")])).await.cost.rows, 0, "an empty partition");
}

async fn ended_rows_are_looked_at_too<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let end = NOW.plus(10 * MINUTE);
    for at in 0..10 {
        desk.place_until(&[text("p"), int(at)], 1, &[text("v")], (at % 2 == 0).then_some(end), NOW).await;
    }
    let page = desk.page(&Ask { now: end, ..Ask::of(&[text("p")]) }).await;
    assert_eq!((page.rows.len(), page.cost.rows), (5, 10), "they cost though they are not returned");
}

async fn bytes_grow_with_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in 0..4 {
        desk.place(&[text("p"), int(at)], 1, &[text(&"x".repeat(5_000))]).await;
    }
    assert!(desk.got(&[text("p"), int(0)], NOW).await.cost.bytes >= 5_000);
    assert!(desk.page(&Ask::of(&[text("p")])).await.cost.bytes >= 20_000);
}
