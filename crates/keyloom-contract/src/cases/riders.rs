//! What rides along with a decision: all of it happens, or nothing.

use keyloom_store::{Along, Atomic, Change, Discipline, Expect, Fault, Verdict};

use crate::{
    Case, NOW, Subject,
    desk::{
        Ask, Desk, MINUTE, Owned, decide_along, done, image, image_until, int, lost, plain, refused, root, text,
        undefinable,
    },
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("riders":
        all_five_sorts_ride_along,
        a_lost_row_takes_all_riders_with_it,
        a_lost_rider_takes_the_row_with_it,
        a_lost_check_takes_the_row_with_it,
        a_check_changes_nothing,
        of_several_lost_rows_the_first_is_named,
        a_late_placement_is_no_obstacle,
        a_placement_that_rides_is_fenced_like_any_other,
        carried_rows_come_change_and_go,
        carried_rows_end_exactly,
        carried_rows_are_sliced,
        one_row_named_twice_is_refused,
        riders_that_can_not_be_are_refused_and_nothing_happens,
        as_many_rows_as_the_engine_takes,
        more_bytes_than_the_engine_takes,
    )
}

/// One table of each sort.
struct Desks<'a, S> {
    source: Desk<'a, S>,
    other: Desk<'a, S>,
    carried: Desk<'a, S>,
    placed: Desk<'a, S>,
}

/// `None` on an engine where nothing rides along, after it was seen to refuse all of it.
async fn open<S: Subject>(store: &S) -> Option<Desks<'_, S>> {
    let source = Desk::open(store, plain("source", Discipline::Decided)).await;
    let other = Desk::open(store, plain("other", Discipline::Decided)).await;
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let carried = plain("carried", Discipline::Carried);
    if let Atomic::Rows { .. } = store.abilities().atomic {
        let carried = Desk::open(store, carried).await;
        return Some(Desks { source, other, carried, placed });
    }
    undefinable(store, &carried, "a carried table").await;
    let (key, values) = (key(1), [text("v")]);
    let groups = [root(1, &values)];
    for rider in [
        Along::Decide(other.change(&key, Expect::Absent, image(1, &values))),
        Along::Check { table: other.id, key: &key, expect: Expect::Absent },
        Along::Put { table: other.id, key: &key, becomes: image(1, &values) },
        Along::Remove { table: other.id, key: &key },
        Along::Place(placed.put(&key, &groups, None)),
    ] {
        let change = source.change(&key, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &[rider]).await, "a rider");
        for desk in [&source, &other, &placed] {
            assert_eq!(desk.get(&key).await, None, "nothing of a refused decision happens");
        }
    }
    None
}

fn key(at: i64) -> [Owned; 2] {
    [text("p"), int(at)]
}

async fn all_five_sorts_ride_along<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let keys = [key(1), key(2), key(3), key(4)];
    let (old, new) = ([text("old")], [text("new")]);
    desks.other.create(&keys[0], 1, &old).await;
    desks.other.create(&keys[1], 1, &old).await;
    let groups = [root(1, &old)];
    let before = [Along::Put { table: desks.carried.id, key: &keys[0], becomes: image(1, &old) }];
    let change = desks.source.change(&keys[0], Expect::Absent, image(1, &old));
    assert_eq!(done(decide_along(store, change, &before).await), Verdict::Done);
    let along = [
        Along::Decide(desks.other.change(&keys[0], Expect::Version(1), image(2, &new))),
        Along::Check { table: desks.other.id, key: &keys[1], expect: Expect::Version(1) },
        Along::Put { table: desks.carried.id, key: &keys[1], becomes: image(2, &new) },
        Along::Remove { table: desks.carried.id, key: &keys[0] },
        Along::Place(desks.placed.put(&keys[0], &groups, None)),
        Along::Place(desks.placed.removal(&keys[1], &[(0, 5)])),
    ];
    let change = desks.source.change(&keys[0], Expect::Version(1), image(2, &new));
    assert_eq!(done(decide_along(store, change, &along).await), Verdict::Done);
    assert_eq!(desks.source.get(&keys[0]).await.expect("decided").values(), new);
    assert_eq!(desks.other.get(&keys[0]).await.expect("decided along").values(), new);
    assert_eq!(desks.other.get(&keys[1]).await.expect("checked").values(), old);
    let put = desks.carried.get(&keys[1]).await.expect("carried");
    assert_eq!((put.version(), put.values()), (2, &new[..]));
    assert_eq!(desks.carried.get(&keys[0]).await, None, "removed");
    assert_eq!(desks.placed.get(&keys[0]).await.expect("placed").values(), old);
    desks.placed.place(&keys[1], 4, &old).await;
    assert_eq!(desks.placed.get(&keys[1]).await, None, "the removal that rode along is a fence");
}

/// A decision with a rider of every sort, each of which would change something.
async fn attempt<S: Subject>(desks: &Desks<'_, S>, own: Expect, decided: Expect, checked: Expect) -> Verdict {
    let keys = [key(1), key(2), key(3)];
    let new = [text("new")];
    let groups = [root(9, &new)];
    let along = [
        Along::Place(desks.placed.put(&keys[0], &groups, None)),
        Along::Put { table: desks.carried.id, key: &keys[1], becomes: image(9, &new) },
        Along::Decide(Change { expect: decided, ..desks.other.change(&keys[0], Expect::Absent, image(9, &new)) }),
        Along::Remove { table: desks.carried.id, key: &keys[0] },
        Along::Check { table: desks.other.id, key: &keys[1], expect: checked },
        Along::Place(desks.placed.removal(&keys[1], &[(0, 9)])),
    ];
    let change = desks.source.change(&keys[0], own, image(9, &new));
    done(decide_along(desks.source.store, change, &along).await)
}

/// Everything `attempt` works on, at version 5.
async fn prepare<S: Subject>(desks: &Desks<'_, S>) {
    let (keys, old) = ([key(1), key(2)], [text("old")]);
    let along = [Along::Put { table: desks.carried.id, key: &keys[0], becomes: image(5, &old) }];
    let change = desks.source.change(&keys[0], Expect::Absent, image(5, &old));
    assert_eq!(done(decide_along(desks.source.store, change, &along).await), Verdict::Done);
    for key in &keys {
        desks.other.create(key, 5, &old).await;
    }
    desks.placed.place(&keys[1], 5, &old).await;
}

async fn assert_untouched<S: Subject>(desks: &Desks<'_, S>) {
    let keys = [key(1), key(2)];
    for (desk, key, there) in [
        (&desks.source, &keys[0], true),
        (&desks.other, &keys[0], true),
        (&desks.other, &keys[1], true),
        (&desks.carried, &keys[0], true),
        (&desks.carried, &keys[1], false),
        (&desks.placed, &keys[0], false),
        (&desks.placed, &keys[1], true),
    ] {
        let version = desk.get(key).await.map(|row| row.version());
        assert_eq!(version, there.then_some(5), "`{}` {key:?} is as before", desk.shape.table().name);
    }
}

async fn a_lost_row_takes_all_riders_with_it<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    prepare(&desks).await;
    for own in [Expect::Absent, Expect::Version(4), Expect::Version(6)] {
        let verdict = attempt(&desks, own, Expect::Version(5), Expect::Version(5)).await;
        lost(&desks.source, &verdict, 0, desks.source.get(&key(1)).await.as_ref());
        assert_untouched(&desks).await;
    }
    let verdict = attempt(&desks, Expect::Version(5), Expect::Version(5), Expect::Version(5)).await;
    assert_eq!(verdict, Verdict::Done, "as expected, all of it happens");
    assert_eq!(desks.placed.get(&key(1)).await.expect("placed").version(), 9);
    assert_eq!(desks.placed.get(&key(2)).await, None);
    assert_eq!(desks.carried.get(&key(1)).await, None);
    assert_eq!(desks.carried.get(&key(2)).await.expect("carried").version(), 9);
}

async fn a_lost_rider_takes_the_row_with_it<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    prepare(&desks).await;
    for decided in [Expect::Absent, Expect::Version(4)] {
        let verdict = attempt(&desks, Expect::Version(5), decided, Expect::Version(5)).await;
        lost(&desks.other, &verdict, 3, desks.other.get(&key(1)).await.as_ref());
        assert_untouched(&desks).await;
    }
}

async fn a_lost_check_takes_the_row_with_it<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    prepare(&desks).await;
    for checked in [Expect::Absent, Expect::Version(4), Expect::Version(6)] {
        let verdict = attempt(&desks, Expect::Version(5), Expect::Version(5), checked).await;
        lost(&desks.other, &verdict, 5, desks.other.get(&key(2)).await.as_ref());
        assert_untouched(&desks).await;
    }
}

async fn a_check_changes_nothing<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (own, there, missing) = (key(1), key(2), key(3));
    let values = [text("v")];
    desks.other.create(&there, 5, &values).await;
    let along = [
        Along::Check { table: desks.other.id, key: &there, expect: Expect::Version(5) },
        Along::Check { table: desks.other.id, key: &missing, expect: Expect::Absent },
    ];
    let change = desks.source.change(&own, Expect::Absent, image(1, &values));
    assert_eq!(done(decide_along(store, change, &along).await), Verdict::Done);
    assert_eq!(desks.other.get(&there).await.expect("checked").version(), 5);
    assert_eq!(desks.other.get(&missing).await, None);
    desks.other.create(&missing, 1, &values).await;
}

async fn of_several_lost_rows_the_first_is_named<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    prepare(&desks).await;
    let verdict = attempt(&desks, Expect::Absent, Expect::Version(5), Expect::Absent).await;
    assert!(matches!(verdict, Verdict::Lost { at: 0, .. }), "{verdict:?}");
    assert_untouched(&desks).await;
}

async fn a_late_placement_is_no_obstacle<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (key, values) = (key(1), [text("late")]);
    desks.placed.place(&key, 9, &[text("newer")]).await;
    let groups = [root(5, &values)];
    for (own, version) in [(Expect::Absent, 1), (Expect::Version(1), 2)] {
        let rider = if version == 1 {
            Along::Place(desks.placed.put(&key, &groups, None))
        } else {
            Along::Place(desks.placed.removal(&key, &[(0, 5)]))
        };
        let change = desks.source.change(&key, own, image(version, &values));
        assert_eq!(done(decide_along(store, change, &[rider]).await), Verdict::Done);
        assert_eq!(desks.source.get(&key).await.expect("decided").version(), version);
        assert_eq!(desks.placed.get(&key).await.expect("placed").values(), [text("newer")]);
    }
}

async fn a_placement_that_rides_is_fenced_like_any_other<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (key, values) = (key(1), [text("v")]);
    desks.placed.remove(&key, 5).await;
    for (own, version, placed, there) in [(Expect::Absent, 1, 4, false), (Expect::Version(1), 2, 5, true)] {
        let groups = [root(placed, &values)];
        let rider = Along::Place(desks.placed.put(&key, &groups, None));
        let change = desks.source.change(&key, own, image(version, &values));
        assert_eq!(done(decide_along(store, change, &[rider]).await), Verdict::Done);
        assert_eq!(desks.placed.get(&key).await.is_some(), there, "a put at {placed} after a removal at 5");
    }
}

/// A decision of which only the rider matters.
async fn carry<S: Subject>(desks: &Desks<'_, S>, at: i64, rider: Along<'_>) {
    let (key, values) = ([text("carriers"), int(at)], [text("v")]);
    let change = desks.source.change(&key, Expect::Absent, image(1, &values));
    assert_eq!(done(decide_along(desks.source.store, change, &[rider]).await), Verdict::Done);
}

async fn carried_rows_come_change_and_go<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let key = key(1);
    let table = desks.carried.id;
    // Whatever it was: versions of carried rows are those of their decisions, nothing compares them.
    for (at, version) in [(1, 5), (2, 6), (3, 2)] {
        let values = [text(&format!("v{version}"))];
        carry(&desks, at, Along::Put { table, key: &key, becomes: image(version, &values) }).await;
        let seen = desks.carried.get(&key).await.expect("carried");
        assert_eq!((seen.version(), seen.values()), (version, &values[..]));
    }
    for at in [4, 5] {
        carry(&desks, at, Along::Remove { table, key: &key }).await;
        assert_eq!(desks.carried.get(&key).await, None, "also when it was gone before");
    }
    carry(&desks, 6, Along::Put { table, key: &key, becomes: image(1, &[text("again")]) }).await;
    assert_eq!(desks.carried.get(&key).await.expect("carried").values(), [text("again")]);
}

async fn carried_rows_end_exactly<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (key, end) = (key(1), NOW.plus(10 * MINUTE));
    let values = [text("v")];
    carry(&desks, 1, Along::Put { table: desks.carried.id, key: &key, becomes: image_until(1, end, &values) }).await;
    for (now, there) in [(NOW, true), (end.plus(-1), true), (end, false), (end.plus(MINUTE), false), (NOW, true)] {
        assert_eq!(desks.carried.get_at(&key, now).await.is_some(), there, "at {now:?}");
        let rows = desks.carried.rows(&Ask { now, ..Ask::of(&key[..1]) }).await;
        assert_eq!(rows.len(), usize::from(there), "at {now:?}");
    }
}

async fn carried_rows_are_sliced<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let values = [text("v")];
    for at in [2, 0, 3, 1] {
        let key = key(at);
        carry(&desks, at, Along::Put { table: desks.carried.id, key: &key, becomes: image(1, &values) }).await;
    }
    carry(&desks, 9, Along::Remove { table: desks.carried.id, key: &key(2) }).await;
    for rows_max in [1, 2, 10] {
        let ask = Ask { rows_max, ..Ask::of(&[text("p")]) };
        assert_eq!(desks.carried.sorts(&ask).await, [[int(0)], [int(1)], [int(3)]]);
        assert_eq!(desks.carried.sorts(&Ask { reverse: true, ..ask }).await, [[int(3)], [int(1)], [int(0)]]);
    }
}

async fn one_row_named_twice_is_refused<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (own, key, values) = (key(1), key(2), [text("v")]);
    let groups = [root(1, &values)];
    let (other, carried) = (desks.other.id, desks.carried.id);
    let pairs = [
        [Along::Decide(desks.source.change(&own, Expect::Absent, image(1, &values))); 2],
        [Along::Decide(desks.other.change(&key, Expect::Absent, image(1, &values))); 2],
        [
            Along::Check { table: other, key: &key, expect: Expect::Absent },
            Along::Decide(desks.other.change(&key, Expect::Absent, image(1, &values))),
        ],
        [Along::Check { table: other, key: &key, expect: Expect::Absent }; 2],
        [
            Along::Put { table: carried, key: &key, becomes: image(1, &values) },
            Along::Remove { table: carried, key: &key },
        ],
        [Along::Place(desks.placed.put(&key, &groups, None)), Along::Place(desks.placed.removal(&key, &[(0, 1)]))],
        [
            Along::Check { table: desks.source.id, key: &own, expect: Expect::Absent },
            Along::Check { table: other, key: &key, expect: Expect::Absent },
        ],
    ];
    for along in pairs {
        let change = desks.source.change(&own, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &along).await, "one row that is named twice");
    }
    for (desk, key) in [(&desks.source, &own), (&desks.other, &key), (&desks.carried, &key), (&desks.placed, &key)] {
        assert_eq!(desk.get(key).await, None, "nothing of it happened");
    }
}

async fn riders_that_can_not_be_are_refused_and_nothing_happens<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let (key, values, wrong) = (key(1), [text("v")], [int(1)]);
    let short = &key[..1];
    let (groups, ill) = ([root(1, &values)], [root(1, &wrong)]);
    for (what, rider) in [
        ("half a key", Along::Check { table: desks.other.id, key: short, expect: Expect::Absent }),
        ("half a key", Along::Remove { table: desks.carried.id, key: short }),
        ("another kind", Along::Put { table: desks.carried.id, key: &key, becomes: image(1, &wrong) }),
        ("another kind", Along::Decide(desks.other.change(&key, Expect::Absent, image(1, &wrong)))),
        (
            "a version that does not rise",
            Along::Decide(desks.other.change(&key, Expect::Version(2), image(2, &values))),
        ),
        ("another kind", Along::Place(desks.placed.put(&key, &ill, None))),
        ("no group", Along::Place(desks.placed.put(&key, &[], None))),
        ("half a key", Along::Place(desks.placed.put(short, &groups, None))),
    ] {
        let change = desks.source.change(&key, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &[rider]).await, what);
        assert_eq!(desks.source.get(&key).await, None, "{what}: the row itself was not decided");
    }
}

async fn as_many_rows_as_the_engine_takes<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let Atomic::Rows { rows_max, .. } = store.abilities().atomic else { return };
    let values = [text("v")];
    let keys: Vec<[Owned; 2]> = (0..i64::from(rows_max)).map(|at| [text("riders"), int(at)]).collect();
    let along: Vec<Along<'_>> =
        keys.iter().map(|key| Along::Put { table: desks.carried.id, key, becomes: image(1, &values) }).collect();
    let own = key(1);
    let change = desks.source.change(&own, Expect::Absent, image(1, &values));
    let verdict: Result<Verdict, Fault> = decide_along(store, change, &along).await;
    refused(verdict, "one row more than a decision touches");
    assert_eq!(desks.carried.get(&keys[0]).await, None, "nothing of it happened");
    assert_eq!(done(decide_along(store, change, &along[1..]).await), Verdict::Done, "the largest decision");
    assert_eq!(desks.carried.rows(&Ask::of(&[text("riders")])).await.len(), keys.len() - 1);
}

async fn more_bytes_than_the_engine_takes<S: Subject>(store: &S) {
    let Some(desks) = open(store).await else { return };
    let Atomic::Rows { rows_max, bytes_max } = store.abilities().atomic else { return };
    let each = (store.abilities().limits.row_bytes_max - 1_000).min(bytes_max / 2);
    let rows = bytes_max / each + 1;
    let values = [text(&"x".repeat(each as usize))];
    let keys: Vec<[Owned; 2]> = (0..rows as i64).map(|at| [text("riders"), int(at)]).collect();
    let along: Vec<Along<'_>> =
        keys.iter().map(|key| Along::Put { table: desks.carried.id, key, becomes: image(1, &values) }).collect();
    let (own, small) = (key(1), [text("v")]);
    let change = desks.source.change(&own, Expect::Absent, image(1, &small));
    if rows < u64::from(rows_max) {
        refused(decide_along(store, change, &along).await, "more bytes than a decision takes");
        assert_eq!(desks.carried.get(&keys[0]).await, None, "nothing of it happened");
    }
    assert_eq!(done(decide_along(store, change, &along[..1]).await), Verdict::Done, "half of them is no matter");
    assert_eq!(desks.carried.get(&keys[0]).await.expect("carried").values(), values);
}
