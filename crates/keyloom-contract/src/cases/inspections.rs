//! What an engine says about itself.

use keyloom_store::Discipline;

use crate::{
    Case, Subject,
    desk::{Desk, done, int, plain, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("inspections":
        an_engine_says_about_how_many_rows_there_are,
        an_engine_answers_for_an_empty_table,
    )
}

async fn an_engine_says_about_how_many_rows_there_are<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    for at in 0..20 {
        desk.place(&[text("p"), int(at)], 1, &[text("v")]).await;
    }
    let inspection = done(store.inspect(desk.id).await);
    assert!(inspection.rows.is_none_or(|rows| (10..=40).contains(&rows)), "about 20: {inspection:?}");
}

async fn an_engine_answers_for_an_empty_table<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    let inspection = done(store.inspect(desk.id).await);
    assert!(inspection.rows.is_none_or(|rows| rows == 0), "{inspection:?}");
    assert!(inspection.removed_rows.is_none_or(|rows| rows == 0), "{inspection:?}");
}
