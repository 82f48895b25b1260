//! Values in columns: every kind, absent, empty, large.

use keyloom_store::{Discipline, Expect, Table};
use keyloom_value::{Kind, Value};

use crate::{
    Case, NOW, Subject,
    desk::{Columns, Desk, Owned, decide_along, done, image, int, plain, refused, root, table, text},
    samples::all,
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("values":
        every_kind_in_a_column_of_placed_rows,
        every_kind_in_a_column_of_decided_rows,
        every_kind_may_be_absent,
        absent_is_not_empty,
        sets_and_maps_are_the_same_in_any_order,
        values_of_another_kind_are_refused,
        rows_of_many_columns,
        wide_rows_keep_their_columns,
        the_largest_placed_row,
        the_largest_decided_row,
    )
}

/// A table with a column of every kind.
fn wide(discipline: Discipline) -> Table {
    let start = table("t", discipline).by("p", Kind::Int);
    all().into_iter().fold(start, |table, sample| table.column(sample.name, sample.kind))
}

/// Rows in which every sample stands once.
fn rows() -> Vec<Vec<Owned>> {
    let samples = all();
    let most = samples.iter().map(|sample| sample.values.len()).max().expect("there are kinds");
    (0..most).map(|at| samples.iter().map(|sample| sample.values[at % sample.values.len()].clone()).collect()).collect()
}

async fn every_kind_in_a_column_of_placed_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, wide(Discipline::Placed)).await;
    for (row, at) in rows().iter().zip(0..) {
        desk.place(&[int(at)], 1, row).await;
    }
    for (row, at) in rows().iter().zip(0..) {
        assert_eq!(desk.get(&[int(at)]).await.expect("a placed row").values(), row);
    }
}

async fn every_kind_in_a_column_of_decided_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, wide(Discipline::Decided)).await;
    for (row, at) in rows().iter().zip(0..) {
        desk.create(&[int(at)], 1, row).await;
    }
    for (row, at) in rows().iter().zip(0..) {
        assert_eq!(desk.get(&[int(at)]).await.expect("a decided row").values(), row);
    }
}

async fn every_kind_may_be_absent<S: Subject>(store: &S) {
    let desk = Desk::open(store, wide(Discipline::Placed)).await;
    let columns = all().len();
    desk.place(&[int(0)], 1, &vec![Value::Null; columns]).await;
    let seen = desk.get(&[int(0)]).await.expect("a row of absent columns is there");
    assert_eq!(seen.values(), vec![Value::Null; columns]);
    // Each column alone, and each column missing.
    for at in 0..columns {
        let (whole, mut alone) = (&rows()[0], vec![Value::Null; columns]);
        alone[at] = whole[at].clone();
        let mut without = whole.clone();
        without[at] = Value::Null;
        for (version, row) in [(2, alone), (3, without)] {
            let key = [int(1 + at as i64)];
            desk.place(&key, version, &row).await;
            assert_eq!(desk.get(&key).await.expect("a placed row").values(), row);
        }
    }
}

async fn absent_is_not_empty<S: Subject>(store: &S) {
    let wanted = |name, discipline| {
        table(name, discipline)
            .by("p", Kind::Int)
            .column("text", Kind::Text)
            .column("bytes", Kind::Bytes)
            .column("list", Kind::List(Box::new(Kind::Int)))
            .column("set", Kind::Set(Box::new(Kind::Int)))
            .column("map", Kind::Map(Box::new(Kind::Int), Box::new(Kind::Int)))
            .column("json", Kind::Json)
    };
    let empty = [
        text(""),
        Value::Bytes(vec![].into()),
        Value::List(vec![]),
        Value::Set(vec![]),
        Value::Map(vec![]),
        Value::Null,
    ];
    let absent = [const { Value::Null }; 6];
    let placed = Desk::open(store, wanted("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, wanted("decided", Discipline::Decided)).await;
    for (row, at) in [&empty, &absent].into_iter().zip(0..) {
        placed.place(&[int(at)], 1, row).await;
        decided.create(&[int(at)], 1, row).await;
        for desk in [&placed, &decided] {
            assert_eq!(desk.get(&[int(at)]).await.expect("a row").values(), row);
        }
    }
}

async fn sets_and_maps_are_the_same_in_any_order<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Placed)
        .by("p", Kind::Int)
        .column("set", Kind::Set(Box::new(Kind::Text)))
        .column("map", Kind::Map(Box::new(Kind::Text), Box::new(Kind::Text)));
    let desk = Desk::open(store, wanted).await;
    let set = |items: &[&str]| Value::Set(items.iter().map(|item| text(item)).collect());
    let map = |keys: &[&str]| Value::Map(keys.iter().map(|key| (text(key), text(key))).collect());
    desk.place(&[int(1)], 1, &[set(&["b", "a", "c", "a"]), map(&["b", "a", "c"])]).await;
    desk.place(&[int(2)], 1, &[set(&["c", "b", "a"]), map(&["c", "b", "a"])]).await;
    let (first, second) = (desk.get(&[int(1)]).await.expect("a row"), desk.get(&[int(2)]).await.expect("a row"));
    assert_eq!(first.groups, second.groups);
    assert_eq!(first.values(), [set(&["a", "b", "c"]), map(&["a", "b", "c"])]);
    let twice = [set(&[]), map(&["a", "a"])];
    let key = [int(3)];
    refused(store.place(&[desk.put(&key, &[root(1, &twice)], None)], false, NOW).await, "a map with a key twice");
}

async fn values_of_another_kind_are_refused<S: Subject>(store: &S) {
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, plain("decided", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    for (what, values) in [
        ("too many values", vec![text("v"), text("v")]),
        ("a number where text is expected", vec![int(1)]),
        ("bytes where text is expected", vec![Value::Bytes(vec![].into())]),
        ("json where text is expected", vec![Value::Json("{}".into())]),
    ] {
        refused(store.place(&[placed.put(&key, &[root(1, &values)], None)], false, NOW).await, what);
        let change = decided.change(&key, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &[]).await, what);
        for desk in [&placed, &decided] {
            assert_eq!(desk.get(&key).await, None, "{what}: nothing was written");
        }
    }
}

async fn rows_of_many_columns<S: Subject>(store: &S) {
    let start = table("t", Discipline::Placed).by("p", Kind::Int);
    let desk = Desk::open(store, (0..300).fold(start, |table, at| table.column(&format!("c{at}"), Kind::Int))).await;
    let values: Vec<Owned> = (0..300).map(|at| if at % 3 == 0 { Value::Null } else { int(at) }).collect();
    desk.place(&[int(1)], 1, &values).await;
    assert_eq!(desk.get(&[int(1)]).await.expect("a row").values(), values);
}

async fn wide_rows_keep_their_columns<S: Subject>(store: &S) {
    let start = table("t", Discipline::Placed).by("p", Kind::Int);
    let desk = Desk::open(store, (0..6).fold(start, |table, at| table.column(&format!("c{at}"), Kind::Text))).await;
    // Around the sizes at which lengths and ends need another byte.
    for (size, at) in [127, 128, 255, 256, 8_191, 16_383, 16_384, 32_767, 32_768].into_iter().zip(0..) {
        let long = text(&"é".repeat(size / 2));
        let values = [long.clone(), Value::Null, text(""), long, text("end"), Value::Null];
        desk.place(&[int(at)], 1, &values).await;
        assert_eq!(desk.get(&[int(at)]).await.expect("a row").values(), values, "columns of {size} bytes");
    }
}

/// A text with which the row is as large as rows may be.
async fn filling<S: Subject>(desk: &Desk<'_, S>, key: &[Owned], sized: usize) -> usize {
    let limit = desk.store.abilities().limits.row_bytes_max as usize;
    let row = desk.got(key, NOW).await.row.expect("a row of known size");
    // Only the text grows; ends and lengths of other columns have a fixed width once a row is wide.
    sized + limit - row.size()
}

async fn the_largest_placed_row<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    desk.place(&key, 1, &[text(&"x".repeat(40_000))]).await;
    let size = filling(&desk, &key, 40_000).await;
    let largest = [text(&"x".repeat(size))];
    desk.place(&key, 2, &largest).await;
    assert_eq!(desk.get(&key).await.expect("the largest row is there").values(), largest);
    let above = [text(&"x".repeat(size + 1))];
    refused(store.place(&[desk.put(&key, &[root(3, &above)], None)], false, NOW).await, "a row above the limit");
    assert_eq!(desk.get(&key).await.expect("the row before is there").version(), 2, "a refused row changes nothing");
}

async fn the_largest_decided_row<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 1, &[text(&"x".repeat(40_000))]).await;
    let size = filling(&desk, &key, 40_000).await;
    let largest = [text(&"x".repeat(size))];
    let change = desk.change(&key, Expect::Version(1), image(2, &largest));
    done(decide_along(store, change, &[]).await);
    assert_eq!(desk.get(&key).await.expect("the largest row is there").values(), largest);
    let above = [text(&"x".repeat(size + 1))];
    let change = desk.change(&key, Expect::Version(2), image(3, &above));
    refused(decide_along(store, change, &[]).await, "a row above the limit");
    assert_eq!(desk.get(&key).await.expect("the row before is there").version(), 2, "a refused row changes nothing");
}
