//! Indexes that the engine keeps of a decided table.

use keyloom_store::{Along, Discipline, Expect, Freshness, Step, Table, Verdict};
use keyloom_value::{Kind, Value};

use crate::{
    Case, NOW, Seen, Subject,
    desk::{
        Ask, Columns, Desk, MINUTE, Owned, decide_along, define, done, image, image_until, int, refused, root, table,
        text, undefinable,
    },
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("indexes":
        an_index_shows_the_rows_of_its_table,
        an_index_follows_a_row_that_moves,
        an_index_of_a_placed_table_follows_placements,
        a_row_without_the_indexed_column_is_not_in_it,
        an_index_is_read_in_both_directions_and_from_a_cursor,
        an_index_drops_rows_that_have_ended,
        an_index_is_never_written,
        an_index_is_read_by_slice_alone_and_no_fresher_than_it_can,
        indexes_that_can_not_be_are_refused,
        a_table_under_an_index_is_not_dropped,
    )
}

fn base() -> Table {
    table("orders", Discipline::Decided)
        .by("id", Kind::Int)
        .column("customer", Kind::Text)
        .column("at", Kind::Int)
        .column("note", Kind::Text)
}

fn index() -> Table {
    table("orders_by_customer", Discipline::Indexed { of: "orders".to_owned() })
        .by("customer", Kind::Text)
        .descending("at", Kind::Int)
        .ascending("id", Kind::Int)
        .column("note", Kind::Text)
}

/// `None` on an engine without indexes, after it was seen to refuse one.
async fn open<S: Subject>(store: &S) -> Option<(Desk<'_, S>, Desk<'_, S>)> {
    define(store, &[base()]).await;
    if store.abilities().indexes.is_none() {
        refused(keyloom_store::steps(&[], &[base(), index()], store.abilities()), "an index");
        refused(store.apply(&Step::Create(index())).await, "an index");
        return None;
    }
    define(store, &[index(), base()]).await;
    Some((Desk::at(store, "orders").await, Desk::at(store, "orders_by_customer").await))
}

fn row(customer: &str, at: i64) -> [Owned; 3] {
    [text(customer), int(at), text("note")]
}

/// A slice of the index, as fresh as it can be.
fn ask<S: Subject>(store: &S, customer: &str) -> Ask {
    let freshest = store.abilities().indexes.map_or(Freshness::Any, |indexes| indexes.freshest);
    Ask { freshness: freshest.min(Freshness::Settled), ..Ask::of(&[text(customer)]) }
}

/// Asserts what an index shows. One that lags is asked again: each read takes its time, in which the engine goes on.
async fn assert_shows<S: Subject>(desk: &Desk<'_, S>, ask: &Ask, expected: &[(i64, i64)]) {
    let expected: Vec<Vec<Owned>> = expected.iter().map(|(at, id)| vec![int(*at), int(*id)]).collect();
    let tries = if ask.freshness == Freshness::Any { 1_000 } else { 1 };
    let mut found = Vec::new();
    for _ in 0..tries {
        found = desk.sorts(ask).await;
        if found == expected {
            return;
        }
    }
    assert_eq!(found, expected, "what the index shows in the end");
}

async fn an_index_shows_the_rows_of_its_table<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    for (id, customer, at) in [(1, "a", 10), (2, "b", 10), (3, "a", 30), (4, "a", 20), (5, "a#", 20), (6, "a", 20)] {
        orders.create(&[int(id)], 7, &row(customer, at)).await;
    }
    let ask = ask(store, "a");
    assert_shows(&index, &ask, &[(30, 3), (20, 4), (20, 6), (10, 1)]).await;
    let rows = index.rows(&ask).await;
    assert!(rows.iter().all(|row: &Seen| row.version() == 7 && row.values() == [text("note")]), "{rows:?}");
    assert_shows(&index, &Ask { partition: vec![text("c")], ..ask }, &[]).await;
}

async fn an_index_follows_a_row_that_moves<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    orders.create(&[int(1)], 1, &row("a", 10)).await;
    assert_shows(&index, &ask(store, "a"), &[(10, 1)]).await;
    assert_eq!(orders.decide(&[int(1)], Expect::Version(1), image(2, &row("b", 20))).await, Verdict::Done);
    assert_shows(&index, &ask(store, "b"), &[(20, 1)]).await;
    assert_shows(&index, &ask(store, "a"), &[]).await;
}

async fn an_index_of_a_placed_table_follows_placements<S: Subject>(store: &S) {
    let placed = Table { name: "placed".to_owned(), discipline: Discipline::Placed, ..base() };
    let index = Table { discipline: Discipline::Indexed { of: "placed".to_owned() }, ..index() };
    if store.abilities().indexes.is_none() {
        define(store, &[placed]).await;
        refused(store.apply(&Step::Create(index)).await, "an index");
        return;
    }
    define(store, &[placed, index]).await;
    let (placed, index) = (Desk::at(store, "placed").await, Desk::at(store, "orders_by_customer").await);
    placed.place(&[int(1)], 5, &row("a", 10)).await;
    placed.place(&[int(2)], 5, &row("a", 20)).await;
    assert_shows(&index, &ask(store, "a"), &[(20, 2), (10, 1)]).await;
    placed.place(&[int(1)], 6, &row("a", 30)).await;
    placed.place(&[int(2)], 4, &row("b", 20)).await;
    assert_shows(&index, &ask(store, "a"), &[(30, 1), (20, 2)]).await;
    placed.remove(&[int(2)], 6).await;
    assert_shows(&index, &ask(store, "a"), &[(30, 1)]).await;
    assert_shows(&index, &ask(store, "b"), &[]).await;
}

async fn a_row_without_the_indexed_column_is_not_in_it<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    orders.create(&[int(1)], 1, &[text("a"), Value::Null, text("note")]).await;
    orders.create(&[int(2)], 1, &[text("a"), int(5), Value::Null]).await;
    assert_shows(&index, &ask(store, "a"), &[(5, 2)]).await;
    assert_eq!(index.rows(&ask(store, "a")).await[0].values(), [Value::Null]);
    assert_eq!(orders.decide(&[int(1)], Expect::Version(1), image(2, &row("a", 10))).await, Verdict::Done);
    assert_shows(&index, &ask(store, "a"), &[(10, 1), (5, 2)]).await;
}

async fn an_index_is_read_in_both_directions_and_from_a_cursor<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    for id in 0..6 {
        orders.create(&[int(id)], 1, &row("a", id / 2)).await;
    }
    let all = [(2, 4), (2, 5), (1, 2), (1, 3), (0, 0), (0, 1)];
    let ask = ask(store, "a");
    assert_shows(&index, &ask, &all).await;
    for rows_max in [1, 2, 4] {
        assert_shows(&index, &Ask { rows_max, ..ask.clone() }, &all).await;
    }
    for (at, (time, id)) in all.iter().enumerate() {
        let after = Ask { after: Some(vec![int(*time), int(*id)]), ..ask.clone() };
        assert_shows(&index, &after, &all[at + 1..]).await;
        let before: Vec<_> = all[..at].iter().rev().copied().collect();
        assert_shows(&index, &Ask { reverse: true, ..after }, &before).await;
    }
    assert_shows(&index, &Ask { equal: vec![int(1)], ..ask }, &all[2..4]).await;
}

async fn an_index_drops_rows_that_have_ended<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    let end = NOW.plus(10 * MINUTE);
    let values = row("a", 10);
    assert_eq!(orders.decide(&[int(1)], Expect::Absent, image_until(1, end, &values)).await, Verdict::Done);
    orders.create(&[int(2)], 1, &values).await;
    let ask = ask(store, "a");
    assert_shows(&index, &ask, &[(10, 1), (10, 2)]).await;
    assert_shows(&index, &Ask { now: end, ..ask.clone() }, &[(10, 2)]).await;
    assert_shows(&index, &Ask { now: end, rows_max: 1, ..ask }, &[(10, 2)]).await;
}

async fn an_index_is_never_written<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    let (key, values, own) = ([text("a"), int(1), int(1)], [text("note")], [int(1)]);
    let groups = [root(1, &values)];
    let whole = row("a", 1);
    refused(decide_along(store, index.change(&key, Expect::Absent, image(1, &values)), &[]).await, "a decision");
    refused(store.place(&[index.put(&key, &groups, None)], false, NOW).await, "a placement");
    for rider in [
        Along::Decide(index.change(&key, Expect::Absent, image(1, &values))),
        Along::Check { table: index.id, key: &key, expect: Expect::Absent },
        Along::Put { table: index.id, key: &key, becomes: image(1, &values) },
        Along::Remove { table: index.id, key: &key },
        Along::Place(index.put(&key, &groups, None)),
    ] {
        let change = orders.change(&own, Expect::Absent, image(1, &whole));
        refused(decide_along(store, change, &[rider]).await, "a rider in an index");
    }
    assert_shows(&index, &ask(store, "a"), &[]).await;
}

async fn an_index_is_read_by_slice_alone_and_no_fresher_than_it_can<S: Subject>(store: &S) {
    let Some((orders, index)) = open(store).await else { return };
    orders.create(&[int(1)], 1, &row("a", 1)).await;
    let key = [text("a"), int(1), int(1)];
    refused(store.get(index.ask_row(&key, NOW)).await, "a get of an index");
    refused(store.segments(index.id, 1).await, "a sweep of an index");
    let freshest = store.abilities().indexes.map_or(Freshness::Any, |indexes| indexes.freshest);
    for freshness in [Freshness::Any, Freshness::Settled, Freshness::Fresh] {
        let answer = store.slice(Ask { freshness, ..ask(store, "a") }.slice(index.id)).await;
        if freshness > freshest {
            refused(answer.map(|rows| rows.rows), "a read that is fresher than the index");
        } else {
            done(answer);
        }
    }
}

async fn indexes_that_can_not_be_are_refused<S: Subject>(store: &S) {
    define(store, &[base()]).await;
    let start = |of: &str| table("i", Discipline::Indexed { of: of.to_owned() });
    for (what, wanted) in [
        ("an index of no table", start("nothing").by("customer", Kind::Text).ascending("id", Kind::Int)),
        ("an index of itself", start("i").by("customer", Kind::Text).ascending("id", Kind::Int)),
        (
            "an index without the key of its table",
            start("orders").by("customer", Kind::Text).ascending("at", Kind::Int),
        ),
        ("a column that is not there", start("orders").by("shop", Kind::Text).ascending("id", Kind::Int)),
        ("a column of another kind", start("orders").by("customer", Kind::Int).ascending("id", Kind::Int)),
    ] {
        undefinable(store, &wanted, what).await;
    }
}

async fn a_table_under_an_index_is_not_dropped<S: Subject>(store: &S) {
    let Some((orders, _)) = open(store).await else { return };
    orders.create(&[int(1)], 1, &row("a", 1)).await;
    let drop = |table: &str| Step::Drop { table: table.to_owned() };
    let words = refused(store.apply(&drop("orders")).await, "the drop of a table under an index");
    assert!(words.contains("orders_by_customer"), "it says which index: {words}");
    assert!(orders.get(&[int(1)]).await.is_some());
    done(store.apply(&drop("orders_by_customer")).await);
    done(store.apply(&drop("orders")).await);
}
