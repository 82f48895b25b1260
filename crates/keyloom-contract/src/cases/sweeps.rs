//! All rows of a table, a piece at a time.

use keyloom_store::{Discipline, Resume};

use crate::{
    Case, NOW, Seen, Subject,
    desk::{Ask, Desk, done, int, plain, text},
    samples::HOSTILE,
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("sweeps":
        a_sweep_of_an_empty_table_finds_nothing,
        a_quiet_table_is_swept_row_by_row_exactly_once,
        a_sweep_goes_on_at_every_position,
        segments_cover_all_rows_once,
        rows_that_stay_are_seen_while_others_come_and_go,
        a_sweep_shows_rows_as_reads_do,
        a_place_where_no_sweep_ended_does_no_harm,
    )
}

const ROWS: usize = 60;

/// Rows in many partitions, hostile names among them.
async fn open<S: Subject>(store: &S) -> Desk<'_, S> {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let neighbour = Desk::open(store, plain("u", Discipline::Placed)).await;
    for at in 0..ROWS {
        let key = [text(HOSTILE[at % HOSTILE.len()]), int(at as i64)];
        desk.place(&key, 1, &[text("v")]).await;
        neighbour.place(&key, 1, &[text("not of this table")]).await;
    }
    desk.place(&[text("removed"), int(1)], 1, &[text("v")]).await;
    desk.remove(&[text("removed"), int(1)], 2).await;
    desk
}

async fn expected<S: Subject>(desk: &Desk<'_, S>) -> Vec<Seen> {
    let mut rows = Vec::new();
    for name in HOSTILE {
        rows.extend(desk.rows(&Ask::of(&[text(name)])).await);
    }
    rows.sort_by_cached_key(|row| format!("{:?}", row.key));
    assert_eq!(rows.len(), ROWS);
    rows
}

async fn a_sweep_of_an_empty_table_finds_nothing<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    for parts in [1, 7] {
        assert_eq!(desk.swept(parts, 10, NOW).await, []);
    }
}

async fn a_quiet_table_is_swept_row_by_row_exactly_once<S: Subject>(store: &S) {
    let desk = open(store).await;
    let expected = expected(&desk).await;
    for rows_max in [1, 2, 7, ROWS as u32, 1_000] {
        assert_eq!(desk.swept(1, rows_max, NOW).await, expected, "{rows_max} rows at a time");
    }
}

async fn a_sweep_goes_on_at_every_position<S: Subject>(store: &S) {
    let desk = open(store).await;
    let expected = expected(&desk).await;
    for segment in done(store.segments(desk.id, 1).await) {
        // Every place where a sweep of single rows may go on, written down and taken up again.
        let (mut places, mut before, mut from) = (vec![(None, 0)], 0, None::<Resume>);
        loop {
            let swept = done(store.sweep(desk.id, &segment, from.as_ref(), 1, NOW).await);
            assert!(swept.rows.len() <= 1, "at most the rows asked for");
            before += swept.rows.len();
            let Some(resume) = swept.resume else { break };
            places.push((Some(Resume(resume.0.clone())), before));
            from = Some(resume);
        }
        for (place, before_it) in places {
            let (mut rest, mut from) = (0, place);
            loop {
                let swept = done(store.sweep(desk.id, &segment, from.as_ref(), 7, NOW).await);
                rest += swept.rows.len();
                let Some(resume) = swept.resume else { break };
                from = Some(resume);
            }
            assert_eq!(before_it + rest, before, "what came before and what comes after are all");
        }
    }
    assert_eq!(desk.swept(1, 1, NOW).await, expected);
}

async fn segments_cover_all_rows_once<S: Subject>(store: &S) {
    let desk = open(store).await;
    let expected = expected(&desk).await;
    for parts in [0, 1, 2, 3, 16, 250] {
        assert_eq!(desk.swept(parts, 5, NOW).await, expected, "{parts} segments");
    }
}

async fn rows_that_stay_are_seen_while_others_come_and_go<S: Subject>(store: &S) {
    let desk = open(store).await;
    let stay = expected(&desk).await;
    for segment in done(store.segments(desk.id, 1).await) {
        let (mut found, mut from, mut at) = (Vec::new(), None, 0);
        loop {
            let swept = done(store.sweep(desk.id, &segment, from.as_ref(), 3, NOW).await);
            found.extend(swept.rows.iter().map(|row| Seen::of(row, &desk.shape, NOW)));
            let Some(resume) = swept.resume else { break };
            from = Some(resume);
            at += 1;
            desk.place(&[text(&format!("guest {at}")), int(at)], 1, &[text("v")]).await;
            desk.remove(&[text(&format!("guest {}", at - 1)), int(at - 1)], 2).await;
            assert!(at < 1_000, "a sweep comes to an end");
        }
        if done(store.segments(desk.id, 1).await).len() == 1 {
            assert!(stay.iter().all(|row| found.contains(row)), "a row that was there all the time is seen");
        }
    }
}

async fn a_sweep_shows_rows_as_reads_do<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    for at in 0..5 {
        desk.create(&[text("p"), int(at)], 7 + at as u64, &[text(&format!("row {at}"))]).await;
    }
    assert_eq!(desk.swept(3, 2, NOW).await, desk.rows(&Ask::of(&[text("p")])).await);
}

async fn a_place_where_no_sweep_ended_does_no_harm<S: Subject>(store: &S) {
    let desk = open(store).await;
    let expected = expected(&desk).await;
    for segment in done(store.segments(desk.id, 1).await) {
        for garbage in [vec![], vec![0], vec![255; 40], b"neither here nor there".to_vec()] {
            // An answer of whatever sort, but an answer.
            let _ = store.sweep(desk.id, &segment, Some(&Resume(garbage)), 5, NOW).await;
        }
    }
    assert_eq!(desk.swept(1, 5, NOW).await, expected);
}
