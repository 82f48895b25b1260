//! `get` and `get_many`.

use keyloom_store::{Discipline, Freshness, Get};
use keyloom_value::Kind;

use crate::{
    Case, NOW, Seen, Subject,
    desk::{Ask, Columns, Desk, done, int, plain, refused, table, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("reads":
        a_row_that_was_never_written_is_not_there,
        a_decided_row_is_read_as_it_was_decided,
        a_placed_row_is_read_as_it_was_placed,
        settled_and_fresh_reads_see_what_was_acknowledged,
        a_partition_without_sort_key_is_one_row,
        a_table_without_columns_holds_keys,
        tables_do_not_share_rows,
        a_table_that_is_not_there_is_refused,
        many_gets_answer_250_keys_in_order,
        many_gets_repeat_what_is_asked_twice,
        many_gets_answer_each_by_itself,
        many_gets_of_nothing_answer_nothing,
    )
}

async fn a_row_that_was_never_written_is_not_there<S: Subject>(store: &S) {
    for discipline in [Discipline::Decided, Discipline::Placed] {
        let desk = Desk::open(store, plain(&format!("{discipline:?}"), discipline)).await;
        let got = desk.got(&[text("p"), int(1)], NOW).await;
        assert_eq!(got.row, None);
        assert!(got.cost.rows <= 1 && got.cost.leftovers == 0, "{:?}", got.cost);
    }
}

async fn a_decided_row_is_read_as_it_was_decided<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 7, &[text("seven")]).await;
    let seen = desk.get(&key).await.expect("a decided row is there");
    assert_eq!((seen.version(), seen.values()), (7, &[text("seven")][..]));
    assert_eq!(desk.rows(&Ask::of(&key[..1])).await, [seen], "a slice shows the same row");
}

async fn a_placed_row_is_read_as_it_was_placed<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    desk.place(&key, 7, &[text("seven")]).await;
    let seen = desk.get(&key).await.expect("a placed row is there");
    assert_eq!((seen.version(), seen.values()), (7, &[text("seven")][..]));
    assert_eq!(desk.rows(&Ask::of(&key[..1])).await, [seen], "a slice shows the same row");
}

async fn settled_and_fresh_reads_see_what_was_acknowledged<S: Subject>(store: &S) {
    let decided = Desk::open(store, plain("decided", Discipline::Decided)).await;
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    decided.create(&key, 1, &[text("one")]).await;
    placed.place(&key, 1, &[text("one")]).await;
    for desk in [&decided, &placed] {
        for freshness in [Freshness::Any, Freshness::Settled, Freshness::Fresh] {
            let row = done(store.get(Get { freshness, ..desk.ask_row(&key, NOW) }).await).row;
            let rows = desk.rows(&Ask { freshness, ..Ask::of(&key[..1]) }).await;
            let values = row.map(|row| Seen::of(&row, &desk.shape, NOW).values().to_vec());
            // Whatever is nearest may be behind, but never beside the truth.
            let behind = freshness == Freshness::Any;
            assert!(values == Some(vec![text("one")]) || behind && values.is_none(), "{freshness:?}: {values:?}");
            assert!(rows.len() == 1 || behind && rows.is_empty(), "{freshness:?}: {rows:?}");
        }
    }
}

async fn a_partition_without_sort_key_is_one_row<S: Subject>(store: &S) {
    let desk = Desk::open(store, table("t", Discipline::Placed).by("p", Kind::Text).column("v", Kind::Int)).await;
    for (name, value) in [("a", 1), ("b", 2)] {
        desk.place(&[text(name)], 1, &[int(value)]).await;
    }
    for reverse in [false, true] {
        let ask = Ask { reverse, ..Ask::of(&[text("b")]) };
        let rows = desk.rows(&ask).await;
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0].key[..], rows[0].values()), (&[text("b")][..], &[int(2)][..]));
        let behind = desk.rows(&Ask { after: Some(vec![]), ..ask }).await;
        assert_eq!(behind, [], "nothing is behind the only row");
    }
}

async fn a_table_without_columns_holds_keys<S: Subject>(store: &S) {
    let bare = |name, discipline| table(name, discipline).by("p", Kind::Text).ascending("s", Kind::Int);
    let placed = Desk::open(store, bare("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, bare("decided", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    placed.place(&key, 1, &[]).await;
    decided.create(&key, 1, &[]).await;
    for desk in [&placed, &decided] {
        let seen = desk.get(&key).await.expect("a row of nothing but its key is there");
        assert_eq!((seen.version(), seen.values()), (1, &[][..]));
    }
    placed.remove(&key, 2).await;
    assert_eq!(placed.get(&key).await, None);
}

async fn tables_do_not_share_rows<S: Subject>(store: &S) {
    let first = Desk::open(store, plain("rows", Discipline::Placed)).await;
    let second = Desk::open(store, plain("rows2", Discipline::Placed)).await;
    let third = Desk::open(store, plain("row", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    second.place(&key, 1, &[text("second")]).await;
    assert_eq!(first.get(&key).await, None);
    assert_eq!(third.get(&key).await, None);
    third.create(&key, 1, &[text("third")]).await;
    assert_eq!(first.rows(&Ask::of(&key[..1])).await, []);
    assert_eq!(second.get(&key).await.map(|row| row.values().to_vec()), Some(vec![text("second")]));
}

async fn a_table_that_is_not_there_is_refused<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let nowhere = Desk { id: keyloom_store::TableId(u32::MAX), shape: desk.shape.clone(), store };
    let key = [text("p"), int(1)];
    refused(store.get(nowhere.ask_row(&key, NOW)).await, "a get of no table");
    refused(store.slice(Ask::of(&key[..1]).slice(nowhere.id)).await, "a slice of no table");
    refused(store.place(&[nowhere.removal(&key, &[(0, 1)])], false, NOW).await, "a placement in no table");
    refused(store.segments(nowhere.id, 1).await, "a sweep of no table");
    refused(store.inspect(nowhere.id).await, "an inspection of no table");
}

async fn many_gets_answer_250_keys_in_order<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let keys: Vec<_> = (0..250).map(|at| [text(&format!("p{}", at % 7)), int(at)]).collect();
    for (at, key) in keys.iter().enumerate() {
        if at % 3 != 0 {
            desk.place(key, 1, &[text(&format!("row {at}"))]).await;
        }
    }
    let asked: Vec<_> = keys.iter().rev().map(|key| desk.ask_row(key, NOW)).collect();
    let answers = store.get_many(&asked).await;
    assert_eq!(answers.len(), 250, "each key has its answer");
    for (answer, at) in answers.into_iter().zip((0..250usize).rev()) {
        let row = done(answer).row.map(|row| Seen::of(&row, &desk.shape, NOW));
        assert_eq!(row.is_some(), at % 3 != 0, "row {at}");
        if let Some(row) = row {
            assert_eq!((&row.key[..], row.values()), (&keys[at][..], &[text(&format!("row {at}"))][..]));
        }
    }
}

async fn many_gets_repeat_what_is_asked_twice<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let (there, missing) = ([text("p"), int(1)], [text("p"), int(2)]);
    desk.create(&there, 1, &[text("one")]).await;
    let asked: Vec<_> = [&there, &missing, &there, &there, &missing].map(|key| desk.ask_row(key, NOW)).to_vec();
    let found: Vec<bool> = store.get_many(&asked).await.into_iter().map(|got| done(got).row.is_some()).collect();
    assert_eq!(found, [true, false, true, true, false]);
}

async fn many_gets_answer_each_by_itself<S: Subject>(store: &S) {
    let first = Desk::open(store, plain("first", Discipline::Placed)).await;
    let second = Desk::open(store, plain("second", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    first.place_until(&key, 1, &[text("one")], Some(NOW.plus(60_000)), NOW).await;
    second.create(&key, 1, &[text("two")]).await;
    let wrong = [text("p")];
    let asked = [
        first.ask_row(&key, NOW),
        first.ask_row(&wrong, NOW),
        second.ask_row(&key, NOW),
        first.ask_row(&key, NOW.plus(60_000)),
    ];
    let mut answers = store.get_many(&asked).await.into_iter();
    let mut next = || answers.next().expect("each get has its answer");
    assert!(done(next()).row.is_some(), "the first is not touched by the refusal of the second");
    refused(next(), "a key that is not whole");
    assert!(done(next()).row.is_some(), "another table");
    assert!(done(next()).row.is_none(), "another moment");
}

async fn many_gets_of_nothing_answer_nothing<S: Subject>(store: &S) {
    assert!(store.get_many(&[]).await.is_empty());
}
