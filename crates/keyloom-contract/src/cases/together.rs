//! Rows that are placed together: all of them or none.

use keyloom_store::{Discipline, Placement};

use crate::{
    Case, NOW, Subject,
    desk::{Ask, Desk, Owned, done, int, plain, refused, root, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("together":
        rows_placed_together_are_all_there,
        rows_placed_together_are_fenced_one_by_one,
        as_many_rows_as_the_engine_takes,
        more_bytes_than_the_engine_takes,
        more_rows_than_that_can_be_placed_apart,
    )
}

async fn open<S: Subject>(store: &S) -> Desk<'_, S> {
    Desk::open(store, plain("t", Discipline::Placed)).await
}

fn keys(rows: u64) -> Vec<[Owned; 2]> {
    (0..rows as i64).map(|at| [text("p"), int(at)]).collect()
}

async fn rows_placed_together_are_all_there<S: Subject>(store: &S) {
    let (first, second) = (open(store).await, Desk::open(store, plain("second", Discipline::Placed)).await);
    let keys = keys(4);
    second.place(&keys[3], 1, &[text("old")]).await;
    let values = [text("v")];
    let groups = [root(5, &values)];
    let rows = [
        first.put(&keys[0], &groups, None),
        second.put(&keys[0], &groups, None),
        first.put(&keys[1], &groups, None),
        second.removal(&keys[3], &[(0, 5)]),
    ];
    for _ in 0..2 {
        done(store.place(&rows, true, NOW).await);
        assert_eq!(first.rows(&Ask::of(&[text("p")])).await.len(), 2);
        let rows = second.rows(&Ask::of(&[text("p")])).await;
        assert_eq!(rows.iter().map(|row| row.key[1].clone()).collect::<Vec<_>>(), [int(0)]);
    }
}

async fn rows_placed_together_are_fenced_one_by_one<S: Subject>(store: &S) {
    let desk = open(store).await;
    let keys = keys(3);
    desk.place(&keys[0], 9, &[text("newer")]).await;
    desk.remove(&keys[1], 9).await;
    let values = [text("v")];
    let groups = [root(5, &values)];
    let rows: Vec<Placement<'_>> = keys.iter().map(|key| desk.put(key, &groups, None)).collect();
    done(store.place(&rows, true, NOW).await);
    assert_eq!(desk.get(&keys[0]).await.expect("the newer row").version(), 9);
    assert_eq!(desk.get(&keys[1]).await, None, "removed later");
    assert_eq!(desk.get(&keys[2]).await.expect("the row").version(), 5);
}

async fn as_many_rows_as_the_engine_takes<S: Subject>(store: &S) {
    let desk = open(store).await;
    let max = u64::from(store.abilities().limits.together_rows_max);
    assert!(max >= 1, "one row can always be placed together");
    let (keys, values) = (keys(max + 1), [text("v")]);
    let groups = [root(5, &values)];
    let rows: Vec<Placement<'_>> = keys.iter().map(|key| desk.put(key, &groups, None)).collect();
    refused(store.place(&rows, true, NOW).await, "one row more than the engine takes");
    assert_eq!(desk.rows(&Ask::of(&[text("p")])).await, [], "and nothing was placed");
    done(store.place(&rows[1..], true, NOW).await);
    assert_eq!(desk.rows(&Ask::of(&[text("p")])).await.len() as u64, max);
}

/// How large rows must be, and how many, to have more bytes than can be placed together.
fn too_many_bytes(row_bytes_max: u64, together_bytes_max: u64) -> (u64, u64) {
    let each = (row_bytes_max - 1_000).min(together_bytes_max / 2);
    (each, together_bytes_max / each + 1)
}

async fn more_bytes_than_the_engine_takes<S: Subject>(store: &S) {
    let desk = open(store).await;
    let limits = store.abilities().limits;
    let (each, rows) = too_many_bytes(limits.row_bytes_max, limits.together_bytes_max);
    let (keys, values) = (keys(rows), [text(&"x".repeat(each as usize))]);
    let groups = [root(5, &values)];
    let all: Vec<Placement<'_>> = keys.iter().map(|key| desk.put(key, &groups, None)).collect();
    if rows <= u64::from(limits.together_rows_max) {
        refused(store.place(&all, true, NOW).await, "more bytes than the engine takes");
        assert_eq!(desk.get(&keys[0]).await, None, "and nothing was placed");
    }
    done(store.place(&all[..1], true, NOW).await);
    assert_eq!(desk.get(&keys[0]).await.expect("half of them").values(), values);
}

async fn more_rows_than_that_can_be_placed_apart<S: Subject>(store: &S) {
    let desk = open(store).await;
    let max = u64::from(store.abilities().limits.together_rows_max).min(1_000);
    let (keys, values) = (keys(max + 1), [text("v")]);
    let groups = [root(5, &values)];
    let rows: Vec<Placement<'_>> = keys.iter().map(|key| desk.put(key, &groups, None)).collect();
    done(store.place(&rows, false, NOW).await);
    assert_eq!(desk.rows(&Ask::of(&[text("p")])).await.len() as u64, max + 1);
}
