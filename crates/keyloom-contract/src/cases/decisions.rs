//! `decide`, one row at a time.

use keyloom_store::{BoxFuture, Discipline, Expect, VERSION_MAX, Verdict};
use keyloom_value::{Kind, Value};

use crate::{
    Case, Subject,
    desk::{Columns, Desk, Owned, decide_along, image, int, join, lost, plain, refused, table, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("decisions":
        a_row_is_created_once,
        a_row_is_changed_at_its_version,
        another_version_loses,
        a_row_that_is_not_there_has_no_version,
        a_lost_decision_changes_nothing,
        a_version_must_rise,
        versions_up_to_the_largest,
        a_decision_replaces_every_column,
        rows_of_one_partition_are_decided_apart,
        of_two_deciders_one_wins,
        of_many_creators_one_wins,
        racing_counters_lose_no_count,
    )
}

async fn open<S: Subject>(store: &S) -> Desk<'_, S> {
    Desk::open(store, plain("t", Discipline::Decided)).await
}

async fn a_row_is_created_once<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 5, &[text("first")]).await;
    let first = desk.get(&key).await.expect("a created row");
    let verdict = desk.decide(&key, Expect::Absent, image(6, &[text("second")])).await;
    lost(&desk, &verdict, 0, Some(&first));
    assert_eq!(desk.get(&key).await, Some(first));
}

async fn a_row_is_changed_at_its_version<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 5, &[text("v5")]).await;
    for (expected, version) in [(5, 6), (6, 100), (100, 101)] {
        let values = [text(&format!("v{version}"))];
        assert_eq!(desk.decide(&key, Expect::Version(expected), image(version, &values)).await, Verdict::Done);
        let seen = desk.get(&key).await.expect("a changed row");
        assert_eq!((seen.version(), seen.values()), (version, &values[..]));
    }
}

async fn another_version_loses<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 5, &[text("v5")]).await;
    let seen = desk.get(&key).await.expect("a created row");
    for expected in [1, 4, 6, 1 << 40] {
        let verdict = desk.decide(&key, Expect::Version(expected), image(expected + 1, &[text("x")])).await;
        lost(&desk, &verdict, 0, Some(&seen));
        assert_eq!(desk.get(&key).await.as_ref(), Some(&seen));
    }
}

async fn a_row_that_is_not_there_has_no_version<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    for expected in [0, 1, 5] {
        let verdict = desk.decide(&key, Expect::Version(expected), image(expected + 1, &[text("x")])).await;
        lost(&desk, &verdict, 0, None);
        assert_eq!(desk.get(&key).await, None, "nothing was created");
    }
}

async fn a_lost_decision_changes_nothing<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 5, &[text("v5")]).await;
    for _ in 0..3 {
        let verdict = desk.decide(&key, Expect::Version(4), image(9, &[text("x")])).await;
        assert!(matches!(verdict, Verdict::Lost { .. }), "{verdict:?}");
    }
    let verdict = desk.decide(&key, Expect::Version(5), image(6, &[text("v6")])).await;
    assert_eq!(verdict, Verdict::Done, "what was lost has left no trace");
}

async fn a_version_must_rise<S: Subject>(store: &S) {
    let desk = open(store).await;
    let key = [text("p"), int(1)];
    let values = [text("x")];
    desk.create(&key, 5, &[text("v5")]).await;
    for version in [0, 4, 5] {
        let change = desk.change(&key, Expect::Version(5), image(version, &values));
        refused(decide_along(store, change, &[]).await, "a version that does not rise");
    }
    assert_eq!(desk.get(&key).await.expect("the row").values(), [text("v5")]);
}

async fn versions_up_to_the_largest<S: Subject>(store: &S) {
    let desk = open(store).await;
    let (key, values) = ([text("p"), int(1)], [text("v")]);
    desk.create(&key, 1, &values).await;
    for (expected, version) in [(1, VERSION_MAX - 1), (VERSION_MAX - 1, VERSION_MAX)] {
        assert_eq!(desk.decide(&key, Expect::Version(expected), image(version, &values)).await, Verdict::Done);
        assert_eq!(desk.get(&key).await.expect("the row").version(), version);
    }
    for version in [VERSION_MAX + 1, u64::MAX] {
        let change = desk.change(&key, Expect::Version(VERSION_MAX), image(version, &values));
        refused(decide_along(store, change, &[]).await, "a version above the largest");
    }
}

async fn a_decision_replaces_every_column<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Decided).by("p", Kind::Int).column("a", Kind::Int).column("b", Kind::Int);
    let desk = Desk::open(store, wanted).await;
    desk.create(&[int(1)], 1, &[int(1), int(1)]).await;
    for (version, values) in [(2, [Value::Null, int(2)]), (3, [int(3), Value::Null]), (4, [Value::Null, Value::Null])] {
        assert_eq!(desk.decide(&[int(1)], Expect::Version(version - 1), image(version, &values)).await, Verdict::Done);
        assert_eq!(desk.get(&[int(1)]).await.expect("the row").values(), values);
    }
}

async fn rows_of_one_partition_are_decided_apart<S: Subject>(store: &S) {
    let desk = open(store).await;
    for at in 0..5 {
        desk.create(&[text("p"), int(at)], at as u64 + 1, &[text("v")]).await;
    }
    let verdict = desk.decide(&[text("p"), int(2)], Expect::Version(3), image(30, &[text("w")])).await;
    assert_eq!(verdict, Verdict::Done);
    for at in 0..5 {
        let seen = desk.get(&[text("p"), int(at)]).await.expect("a row");
        assert_eq!(seen.version(), if at == 2 { 30 } else { at as u64 + 1 });
    }
}

/// Decisions that race for one row, and how many of them were done.
async fn race<S: Subject>(desk: &Desk<'_, S>, key: &[Owned], expect: Expect, deciders: u64) -> (u64, Vec<usize>) {
    let values: Vec<[Owned; 1]> = (0..deciders).map(|at| [text(&format!("decider {at}"))]).collect();
    let racing: Vec<BoxFuture<'_, Verdict>> = values
        .iter()
        .map(|values| -> BoxFuture<'_, Verdict> { Box::pin(desk.decide(key, expect, image(9, values))) })
        .collect();
    let verdicts = join(racing).await;
    let winners = verdicts.iter().enumerate().filter(|(_, verdict)| **verdict == Verdict::Done).map(|(at, _)| at);
    (deciders, winners.collect())
}

async fn of_two_deciders_one_wins<S: Subject>(store: &S) {
    let desk = open(store).await;
    for at in 0..10 {
        let key = [text("p"), int(at)];
        desk.create(&key, 5, &[text("v")]).await;
        let (_, winners) = race(&desk, &key, Expect::Version(5), 2).await;
        assert_eq!(winners.len(), 1, "exactly one decision is done");
        let expected = [text(&format!("decider {}", winners[0]))];
        assert_eq!(desk.get(&key).await.expect("the row").values(), expected, "and it is the one that stands");
    }
}

async fn of_many_creators_one_wins<S: Subject>(store: &S) {
    let desk = open(store).await;
    for at in 0..5 {
        let key = [text("p"), int(at)];
        let (_, winners) = race(&desk, &key, Expect::Absent, 8).await;
        assert_eq!(winners.len(), 1, "exactly one creation is done");
        let expected = [text(&format!("decider {}", winners[0]))];
        assert_eq!(desk.get(&key).await.expect("the row").values(), expected, "and it is the one that stands");
    }
}

async fn racing_counters_lose_no_count<S: Subject>(store: &S) {
    let wanted = table("t", Discipline::Decided).by("p", Kind::Int).column("count", Kind::Int);
    let desk = &Desk::open(store, wanted).await;
    desk.create(&[int(1)], 1, &[int(0)]).await;
    let count = |times: u32| -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut left = times;
            for attempt in 0.. {
                assert!(attempt < 1_000, "of racing decisions always one wins");
                let seen = desk.get(&[int(1)]).await.expect("the counter");
                let Value::Int(value) = seen.values()[0] else { panic!("a count: {seen:?}") };
                let version = seen.version();
                let values = [int(value + 1)];
                if desk.decide(&[int(1)], Expect::Version(version), image(version + 1, &values)).await == Verdict::Done
                {
                    left -= 1;
                    if left == 0 {
                        return;
                    }
                }
            }
        })
    };
    join((0..4).map(|_| count(5)).collect()).await;
    let seen = desk.get(&[int(1)]).await.expect("the counter");
    assert_eq!((seen.version(), seen.values()), (21, &[int(20)][..]), "4 counters that count 5 each");
}
