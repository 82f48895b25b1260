//! The end of rows: exactly at its moment, by the caller's clock, forwards and backwards.

use keyloom_store::{Current, Discipline, End, Expect, Millis, Verdict};

use crate::{
    Case, NOW, Subject,
    desk::{Ask, Desk, GRACE, MINUTE, done, image, image_until, int, plain, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("expiry":
        a_placed_row_ends_exactly,
        a_decided_row_ends_exactly,
        a_row_that_has_ended_shows_its_end_to_those_before_it,
        an_ended_decided_row_is_absent_to_decisions,
        an_ended_row_fences_older_placements,
        a_newer_placement_brings_an_ended_row_back,
        a_newer_placement_moves_the_end,
        a_row_placed_after_its_end_is_a_fence,
        a_removal_fences_for_its_grace,
        a_page_of_ended_rows_can_be_continued,
        ended_rows_between_others_are_passed_over,
        many_gets_know_the_moment,
        a_sweep_knows_the_moment,
    )
}

/// Forwards and backwards across an end.
fn moments(end: Millis) -> [(Millis, bool); 7] {
    [
        (NOW, true),
        (Millis(end.0 - 1), true),
        (end, false),
        (end.plus(1), false),
        (Millis(end.0 - 1), true),
        (end.plus(GRACE / 2), false),
        (NOW, true),
    ]
}

async fn assert_ends<S: Subject>(desk: &Desk<'_, S>, key: &[crate::desk::Owned], end: Millis) {
    for (now, there) in moments(end) {
        assert_eq!(desk.get_at(key, now).await.is_some(), there, "at {now:?}, with an end at {end:?}");
        let rows = desk.rows(&Ask { now, ..Ask::of(&key[..1]) }).await;
        assert_eq!(rows.len(), usize::from(there), "at {now:?}, with an end at {end:?}");
    }
}

async fn a_placed_row_ends_exactly<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    desk.place_until(&key, 5, &[text("v")], Some(end), NOW).await;
    assert_ends(&desk, &key, end).await;
}

async fn a_decided_row_ends_exactly<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    assert_eq!(desk.decide(&key, Expect::Absent, image_until(5, end, &[text("v")])).await, Verdict::Done);
    assert_ends(&desk, &key, end).await;
}

async fn a_row_that_has_ended_shows_its_end_to_those_before_it<S: Subject>(store: &S) {
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, plain("decided", Discipline::Decided)).await;
    // A millisecond that is no whole second: engines that count in seconds keep the moment beside.
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE + 7));
    placed.place_until(&key, 5, &[text("v")], Some(end), NOW).await;
    assert_eq!(decided.decide(&key, Expect::Absent, image_until(5, end, &[text("v")])).await, Verdict::Done);
    for desk in [&placed, &decided] {
        let seen = desk.get(&key).await.expect("the row is there");
        assert_eq!(seen.groups[0].as_ref().and_then(|group| group.expires_at), Some(end));
    }
}

async fn an_ended_decided_row_is_absent_to_decisions<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    assert_eq!(desk.decide(&key, Expect::Absent, image_until(5, end, &[text("v")])).await, Verdict::Done);
    let next = [text("next")];
    let verdict = desk.decide_at(&key, Expect::Version(5), image(6, &next), end).await;
    let absent = |current: &Current| matches!(current, Current::Absent | Current::NotSaid);
    assert!(matches!(&verdict, Verdict::Lost { at: 0, current } if absent(current)), "{verdict:?}");
    let verdict = desk.decide_at(&key, Expect::Absent, image(6, &next), Millis(end.0 - 1)).await;
    assert!(matches!(verdict, Verdict::Lost { at: 0, .. }), "a millisecond before its end: {verdict:?}");
    assert_eq!(desk.decide_at(&key, Expect::Absent, image(6, &next), end).await, Verdict::Done);
    assert_eq!(desk.get_at(&key, end).await.expect("a new row").values(), next);
}

async fn an_ended_row_fences_older_placements<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    desk.place_until(&key, 5, &[text("five")], Some(end), NOW).await;
    for now in [end, end.plus(MINUTE), NOW.plus(GRACE - 1)] {
        desk.place_until(&key, 4, &[text("four")], None, now).await;
        assert_eq!(desk.get_at(&key, now).await, None, "an older placement at {now:?}");
        desk.remove_at(&key, 5, now).await;
        assert_eq!(
            desk.get(&key).await.map(|row| row.version()),
            Some(5),
            "to those before the end nothing has changed"
        );
    }
}

async fn a_newer_placement_brings_an_ended_row_back<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    desk.place_until(&key, 5, &[text("five")], Some(end), NOW).await;
    desk.place_until(&key, 6, &[text("six")], None, end.plus(MINUTE)).await;
    let seen = desk.get_at(&key, end.plus(MINUTE)).await.expect("a newer row");
    assert_eq!((seen.version(), seen.values()), (6, &[text("six")][..]));
}

async fn a_newer_placement_moves_the_end<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    let ends = [Some(10), None, Some(5), Some(20)].map(|minutes: Option<i64>| minutes.map(|at| NOW.plus(at * MINUTE)));
    for (end, version) in ends.into_iter().zip(1..) {
        desk.place_until(&key, version, &[text("v")], end, NOW).await;
        match end {
            Some(end) => assert_ends(&desk, &key, end).await,
            None => assert!(desk.get_at(&key, NOW.plus(GRACE)).await.is_some(), "a row without an end"),
        }
    }
    desk.place_until(&key, 3, &[text("v")], ends[2], NOW).await;
    assert_ends(&desk, &key, NOW.plus(20 * MINUTE)).await;
}

async fn a_row_placed_after_its_end_is_a_fence<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    for now in [end, end.plus(MINUTE)] {
        desk.place_until(&key, 5, &[text("late")], Some(end), now).await;
        assert_eq!(desk.get_at(&key, now).await, None, "it has ended before it came");
        desk.place_until(&key, 4, &[text("older")], None, now).await;
        assert_eq!(desk.get_at(&key, now).await, None, "and still it is newer");
    }
    desk.place_until(&key, 6, &[text("newer")], None, end.plus(MINUTE)).await;
    assert!(desk.get_at(&key, end.plus(MINUTE)).await.is_some());
}

async fn a_removal_fences_for_its_grace<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    desk.remove(&key, 5).await;
    for now in [NOW, NOW.plus(MINUTE), NOW.plus(GRACE - 1)] {
        desk.place_until(&key, 4, &[text("older")], None, now).await;
        assert_eq!(desk.get_at(&key, now).await, None, "an older placement at {now:?}");
    }
}

async fn a_page_of_ended_rows_can_be_continued<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let end = NOW.plus(10 * MINUTE);
    for at in 0..20 {
        let expires_at = (at % 19 != 0).then_some(end);
        desk.place_until(&[text("p"), int(at)], 1, &[text("v")], expires_at, NOW).await;
    }
    for reverse in [false, true] {
        for rows_max in [1, 2, 5, 7, 20, 21] {
            let ask = Ask { now: end, reverse, rows_max, ..Ask::of(&[text("p")]) };
            let mut found = desk.sorts(&ask).await;
            if reverse {
                found.reverse();
            }
            assert_eq!(found, [[int(0)], [int(19)]], "pages of {rows_max}, reverse: {reverse}");
        }
    }
    let ask = Ask { now: end, after: Some(vec![int(0)]), rows_max: 5, ..Ask::of(&[text("p")]) };
    let page = desk.page(&ask).await;
    // An engine that has not forgotten them looks at five; one that has finds the last row at once.
    if page.rows.is_empty() {
        let End::Limit { reached } = page.end else { panic!("a row is left behind the page") };
        assert!((1..=5).any(|at| reached == [int(at)]), "it goes on behind what it looked at: {reached:?}");
    }
}

async fn ended_rows_between_others_are_passed_over<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let end = NOW.plus(10 * MINUTE);
    for at in 0..9 {
        let values = [text("v")];
        let becomes = if at % 3 == 0 { image(1, &values) } else { image_until(1, end, &values) };
        assert_eq!(desk.decide(&[text("p"), int(at)], Expect::Absent, becomes).await, Verdict::Done);
    }
    for rows_max in [1, 2, 4, 100] {
        let ask = Ask { now: end, rows_max, ..Ask::of(&[text("p")]) };
        assert_eq!(desk.sorts(&ask).await, [[int(0)], [int(3)], [int(6)]]);
        assert_eq!(desk.sorts(&Ask { now: NOW, ..ask }).await.len(), 9);
    }
}

async fn many_gets_know_the_moment<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    desk.place_until(&key, 5, &[text("v")], Some(end), NOW).await;
    let asked = moments(end).map(|(now, _)| desk.ask_row(&key, now));
    let found: Vec<bool> = store.get_many(&asked).await.into_iter().map(|got| done(got).row.is_some()).collect();
    assert_eq!(found, moments(end).map(|(_, there)| there));
}

async fn a_sweep_knows_the_moment<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let end = NOW.plus(10 * MINUTE);
    for at in 0..10 {
        desk.place_until(&[text("p"), int(at)], 5, &[text("v")], (at % 2 == 0).then_some(end), NOW).await;
    }
    for (now, rows) in [(NOW, 10), (end, 5), (Millis(end.0 - 1), 10)] {
        assert_eq!(desk.swept(2, 3, now).await.len(), rows, "at {now:?}");
    }
}
