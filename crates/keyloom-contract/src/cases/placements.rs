//! The order of placements: by version, whatever the order in which they arrive.

use keyloom_store::{Discipline, GroupImage, VERSION_MAX};
use keyloom_value::{Kind, Value};

use crate::{
    Case, NOW, Seen, Subject,
    desk::{Ask, Columns, Desk, Owned, done, int, plain, refused, root, table, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("placements":
        the_newest_version_stands,
        a_version_that_comes_again_changes_nothing,
        a_removal_takes_away_what_is_older,
        a_removal_gives_way_to_a_put_of_its_version,
        a_removal_of_nothing_is_a_fence,
        every_order_of_a_history_gives_the_same_row,
        every_order_with_repetitions_gives_the_same_row,
        a_newer_row_clears_what_it_lacks,
        rows_of_one_call_are_independent,
        a_row_named_twice_is_refused,
        placements_that_can_not_be_are_refused,
        versions_up_to_the_largest,
        placing_nothing_is_done,
        racing_placements_settle_on_the_newest,
    )
}

/// One event of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    version: u64,
    /// A removal orders before a put of its version.
    put: bool,
}

const fn put(version: u64) -> Event {
    Event { version, put: true }
}

const fn remove(version: u64) -> Event {
    Event { version, put: false }
}

/// What a row of this version holds.
fn content(version: u64) -> [Owned; 1] {
    [text(&format!("content of {version}"))]
}

async fn arrive<S: Subject>(desk: &Desk<'_, S>, key: &[Owned], event: Event) {
    if event.put {
        desk.place(key, event.version, &content(event.version)).await;
    } else {
        desk.remove(key, event.version).await;
    }
}

#[track_caller]
fn assert_outcome(seen: Option<&Seen>, history: &[Event]) {
    let newest = history.iter().max().expect("a history is not empty");
    let expected = newest.put.then(|| (newest.version, content(newest.version).to_vec()));
    assert_eq!(seen.map(|row| (row.version(), row.values().to_vec())), expected, "after {history:?}");
}

async fn open<S: Subject>(store: &S) -> Desk<'_, S> {
    Desk::open(store, plain("t", Discipline::Placed)).await
}

async fn the_newest_version_stands<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    let mut history = Vec::new();
    for version in [5, 3, 6, 1, 9, 8] {
        history.push(put(version));
        arrive(&desk, &key, put(version)).await;
        assert_outcome(desk.get(&key).await.as_ref(), &history);
    }
}

async fn a_version_that_comes_again_changes_nothing<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    for _ in 0..3 {
        arrive(&desk, &key, put(5)).await;
        assert_outcome(desk.get(&key).await.as_ref(), &[put(5)]);
    }
    for _ in 0..3 {
        arrive(&desk, &key, remove(6)).await;
        assert_outcome(desk.get(&key).await.as_ref(), &[put(5), remove(6)]);
    }
}

async fn a_removal_takes_away_what_is_older<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    arrive(&desk, &key, put(5)).await;
    arrive(&desk, &key, remove(4)).await;
    assert_outcome(desk.get(&key).await.as_ref(), &[put(5), remove(4)]);
    arrive(&desk, &key, remove(6)).await;
    assert_outcome(desk.get(&key).await.as_ref(), &[put(5), remove(6)]);
    assert_eq!(desk.rows(&Ask::of(&key[..1])).await, []);
    arrive(&desk, &key, put(7)).await;
    assert_outcome(desk.get(&key).await.as_ref(), &[remove(6), put(7)]);
}

async fn a_removal_gives_way_to_a_put_of_its_version<S: Subject>(store: &S) {
    let desk = open(store).await;
    let (put_first, removed_first) = ([text("p"), int(1)], [text("p"), int(2)]);
    for event in [put(5), remove(5)] {
        arrive(&desk, &put_first, event).await;
    }
    for event in [remove(5), put(5)] {
        arrive(&desk, &removed_first, event).await;
    }
    for key in [&put_first, &removed_first] {
        assert_outcome(desk.get(key).await.as_ref(), &[put(5), remove(5)]);
    }
}

async fn a_removal_of_nothing_is_a_fence<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    arrive(&desk, &key, remove(5)).await;
    assert_eq!(desk.get(&key).await, None);
    arrive(&desk, &key, put(4)).await;
    assert_eq!(desk.get(&key).await, None, "an older placement that comes late");
    arrive(&desk, &key, put(5)).await;
    assert_outcome(desk.get(&key).await.as_ref(), &[put(5)]);
}

/// All orders of some events.
pub(crate) fn permutations<T: Clone>(events: &[T]) -> Vec<Vec<T>> {
    if events.is_empty() {
        return vec![vec![]];
    }
    let mut orders = Vec::new();
    for (at, first) in events.iter().enumerate() {
        let rest: Vec<T> = events[..at].iter().chain(&events[at + 1..]).cloned().collect();
        for mut order in permutations(&rest) {
            order.insert(0, first.clone());
            orders.push(order);
        }
    }
    orders
}

async fn every_order_of_a_history_gives_the_same_row<S: Subject>(store: &S) {
    let desk = open(store).await;
    let histories: [&[Event]; 7] = [
        &[put(1), put(2), put(3)],
        &[put(1), remove(1)],
        &[put(1), remove(2), put(2)],
        &[put(1), remove(2), put(3)],
        &[put(1), put(2), remove(3)],
        &[put(1), remove(1), put(2), remove(2)],
        &[put(1), remove(2), put(2), remove(3)],
    ];
    for (history, p) in histories.into_iter().zip(0..) {
        for (order, s) in permutations(history).into_iter().zip(0..) {
            let key = [text(&format!("history {p}")), int(s)];
            for at in 0..order.len() {
                arrive(&desk, &key, order[at]).await;
                assert_outcome(desk.get(&key).await.as_ref(), &order[..=at]);
            }
        }
    }
}

async fn every_order_with_repetitions_gives_the_same_row<S: Subject>(store: &S) {
    let desk = open(store).await;
    let events = [put(1), remove(1), put(2), remove(2)];
    // All sequences of five of four events: 1,024 histories, each event any number of times.
    for number in 0..events.len().pow(5) {
        let history: Vec<Event> = (0..5).map(|digit| events[number / events.len().pow(digit) % events.len()]).collect();
        let key = [text(&format!("p{}", number % 16)), int(number as i64)];
        for event in &history {
            arrive(&desk, &key, *event).await;
        }
        assert_outcome(desk.get(&key).await.as_ref(), &history);
    }
}

async fn a_newer_row_clears_what_it_lacks<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Placed).by("p", Kind::Int).column("a", Kind::Int).column("b", Kind::Int);
    let desk = Desk::open(store, wanted).await;
    // In both orders of arrival: an absent column is a value like any other.
    for (key, versions) in [([int(1)], [1, 2]), ([int(2)], [2, 1])] {
        for version in versions {
            let values = if version == 1 { [int(1), int(1)] } else { [Value::Null, int(2)] };
            desk.place(&key, version, &values).await;
        }
        assert_eq!(desk.get(&key).await.expect("a row").values(), [Value::Null, int(2)]);
    }
}

async fn rows_of_one_call_are_independent<S: Subject>(store: &S) {
    let (first, second) = (open(store).await, Desk::open(store, plain("second", Discipline::Placed)).await);
    let keys: Vec<_> = (0..40).map(|at| [text(&format!("p{}", at % 3)), int(at)]).collect();
    first.remove(&keys[0], 9).await;
    let values = content(5);
    let groups = [root(5, &values)];
    let rows: Vec<_> =
        keys.iter().flat_map(|key| [first.put(key, &groups, None), second.put(key, &groups, None)]).collect();
    for _ in 0..2 {
        done(store.place(&rows, false, NOW).await);
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(first.get(key).await.is_some(), at != 0, "only the fenced row is not there");
            assert_outcome(second.get(key).await.as_ref(), &[put(5)]);
        }
    }
}

async fn a_row_named_twice_is_refused<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    let values = content(5);
    let groups = [root(5, &values)];
    for together in [false, true] {
        let rows = [desk.put(&key, &groups, None), desk.removal(&key, &[(0, 4)])];
        refused(store.place(&rows, together, NOW).await, "a row that is named twice");
        assert_eq!(desk.get(&key).await, None, "and nothing was placed");
    }
}

async fn placements_that_can_not_be_are_refused<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    let values = content(1);
    let image = root(1, &values);
    let elsewhere = GroupImage { group: 1, ..image };
    for (what, groups) in [
        ("a placement of no group", vec![]),
        ("a group that is not there", vec![elsewhere]),
        ("a group that is not there beside one that is", vec![image, elsewhere]),
        ("a group named twice", vec![image, image]),
    ] {
        refused(store.place(&[desk.put(&key, &groups, None)], false, NOW).await, what);
        let removed: Vec<(usize, u64)> = groups.iter().map(|image| (image.group, 2)).collect();
        refused(store.place(&[desk.removal(&key, &removed)], false, NOW).await, what);
    }
    assert_eq!(desk.get(&key).await, None);
}

async fn versions_up_to_the_largest<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    for version in [1, 1 << 32, VERSION_MAX - 1, VERSION_MAX] {
        arrive(&desk, &key, remove(version)).await;
        assert_eq!(desk.get(&key).await, None, "removed at {version}");
        arrive(&desk, &key, put(version)).await;
        assert_outcome(desk.get(&key).await.as_ref(), &[put(version)]);
    }
    for version in [VERSION_MAX + 1, u64::MAX] {
        let values = content(1);
        let groups = [root(version, &values)];
        refused(store.place(&[desk.put(&key, &groups, None)], false, NOW).await, "a version above the largest");
        refused(store.place(&[desk.removal(&key, &[(0, version)])], false, NOW).await, "a version above the largest");
    }
    assert_outcome(desk.get(&key).await.as_ref(), &[put(VERSION_MAX)]);
}

async fn placing_nothing_is_done<S: Subject>(store: &S) {
    for together in [false, true] {
        done(store.place(&[], together, NOW).await);
    }
}

async fn racing_placements_settle_on_the_newest<S: Subject>(store: &S) {
    let desk = &open(store).await;
    let key = &[text("p"), int(1)];
    let events = [put(4), remove(3), put(1), remove(4), put(2), remove(2)];
    let racing = events.map(|event| -> keyloom_store::BoxFuture<'_, ()> { Box::pin(arrive(desk, key, event)) });
    crate::desk::join(racing.into_iter().collect()).await;
    assert_outcome(desk.get(key).await.as_ref(), &events);
}
