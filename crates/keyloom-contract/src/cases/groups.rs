//! Column groups: each with its own version, the root decides whether the row is there.

use keyloom_store::{Discipline, GroupImage, Millis, Table};
use keyloom_value::{Kind, Value};

use super::placements::permutations;
use crate::{
    Case, NOW, Seen, SeenGroup, Subject,
    desk::{Ask, Columns, Desk, MINUTE, Owned, done, int, table, text, undefinable},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("groups":
        each_group_has_its_own_version,
        one_placement_may_be_new_for_one_group_and_late_for_another,
        the_root_decides_whether_the_row_is_there,
        a_removal_takes_the_groups_it_names,
        a_row_that_comes_back_finds_its_other_group,
        every_order_of_a_history_of_two_groups,
        leftovers_are_counted_and_not_returned,
        a_group_ends_by_itself,
        more_groups_than_the_engine_has_are_refused,
        only_placed_tables_have_several_groups,
    )
}

fn wanted() -> Table {
    table("t", Discipline::Placed)
        .by("p", Kind::Text)
        .ascending("s", Kind::Int)
        .column("title", Kind::Text)
        .group()
        .column("copied", Kind::Text)
        .column("more", Kind::Int)
}

/// `None` on an engine that has one group only, after it was seen to refuse the table.
async fn open<S: Subject>(store: &S) -> Option<Desk<'_, S>> {
    if store.abilities().column_groups_max < 2 {
        undefinable(store, &wanted(), "a second column group").await;
        return None;
    }
    Some(Desk::open(store, wanted()).await)
}

/// What group `group` holds at a version.
fn content(group: usize, version: u64) -> Vec<Owned> {
    let words = text(&format!("group {group} at {version}"));
    if group == 0 {
        vec![words]
    } else {
        vec![words, if version.is_multiple_of(2) { Value::Null } else { int(version as i64) }]
    }
}

/// One event: which group, which version, a removal or a put.
type Event = (usize, u64, bool);

async fn arrive<S: Subject>(desk: &Desk<'_, S>, key: &[Owned], (group, version, put): Event) {
    let values = content(group, version);
    let images = [GroupImage { group, version, values: &values }];
    let removed = [(group, version)];
    let placement = if put { desk.put(key, &images, None) } else { desk.removal(key, &removed) };
    done(desk.store.place(&[placement], false, NOW).await);
}

/// What the groups hold after some events.
fn outcome(history: &[Event]) -> Option<Vec<Option<SeenGroup>>> {
    let groups: Vec<Option<SeenGroup>> = (0..2)
        .map(|group| {
            let newest = history.iter().filter(|event| event.0 == group).map(|event| (event.1, event.2)).max();
            let (version, _) = newest.filter(|(_, put)| *put)?;
            Some(SeenGroup { version, expires_at: None, values: content(group, version) })
        })
        .collect();
    groups[0].is_some().then_some(groups)
}

async fn each_group_has_its_own_version<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let key = [text("p"), int(1)];
    let mut history = Vec::new();
    for event in [(0, 5, true), (1, 9, true), (0, 6, true), (1, 8, true), (0, 4, true), (1, 10, true)] {
        history.push(event);
        arrive(&desk, &key, event).await;
        assert_eq!(desk.get(&key).await.map(|row| row.groups), outcome(&history), "after {history:?}");
    }
}

async fn one_placement_may_be_new_for_one_group_and_late_for_another<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let key = [text("p"), int(1)];
    arrive(&desk, &key, (0, 5, true)).await;
    arrive(&desk, &key, (1, 5, true)).await;
    let (root, other) = (content(0, 4), content(1, 6));
    let images =
        [GroupImage { group: 1, version: 6, values: &other }, GroupImage { group: 0, version: 4, values: &root }];
    done(store.place(&[desk.put(&key, &images, None)], false, NOW).await);
    assert_eq!(desk.get(&key).await.map(|row| row.groups), outcome(&[(0, 5, true), (1, 6, true)]));
    done(store.place(&[desk.removal(&key, &[(0, 5), (1, 7)])], false, NOW).await);
    assert_eq!(desk.get(&key).await.map(|row| row.groups), outcome(&[(0, 5, true)]));
}

async fn the_root_decides_whether_the_row_is_there<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let key = [text("p"), int(1)];
    arrive(&desk, &key, (1, 5, true)).await;
    assert_eq!(desk.get(&key).await, None, "a copy without its row");
    assert_eq!(desk.rows(&Ask::of(&key[..1])).await, []);
    arrive(&desk, &key, (0, 1, true)).await;
    assert_eq!(desk.get(&key).await.map(|row| row.groups), outcome(&[(0, 1, true), (1, 5, true)]));
    arrive(&desk, &key, (1, 6, false)).await;
    let groups = outcome(&[(0, 1, true)]);
    assert_eq!(desk.get(&key).await.map(|row| row.groups), groups, "a row without its copy is there");
    assert_eq!(desk.rows(&Ask::of(&key[..1])).await.into_iter().next().map(|row| row.groups), groups);
}

async fn a_removal_takes_the_groups_it_names<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let (both, one) = ([text("p"), int(1)], [text("p"), int(2)]);
    for key in [&both, &one] {
        arrive(&desk, key, (0, 5, true)).await;
        arrive(&desk, key, (1, 5, true)).await;
    }
    done(store.place(&[desk.removal(&both, &[(1, 6), (0, 6)])], false, NOW).await);
    arrive(&desk, &one, (1, 6, false)).await;
    assert_eq!(desk.get(&both).await, None);
    assert_eq!(desk.got(&both, NOW).await.cost.leftovers, 0, "nothing of it is left");
    assert_eq!(desk.get(&one).await.map(|row| row.groups), outcome(&[(0, 5, true)]));
}

async fn a_row_that_comes_back_finds_its_other_group<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let key = [text("p"), int(1)];
    for event in [(0, 5, true), (1, 2, true), (0, 6, false), (0, 7, true)] {
        arrive(&desk, &key, event).await;
    }
    let groups = outcome(&[(0, 7, true), (1, 2, true)]);
    assert_eq!(desk.get(&key).await.map(|row| row.groups), groups, "the removal of the root has not hidden the other");
}

async fn every_order_of_a_history_of_two_groups<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let histories: [&[Event]; 3] = [
        &[(0, 1, true), (0, 2, false), (1, 1, true), (1, 2, true)],
        &[(0, 1, true), (0, 1, false), (1, 3, false), (1, 3, true)],
        &[(0, 1, false), (0, 2, true), (1, 1, true), (1, 2, false), (1, 3, true)],
    ];
    for (history, p) in histories.into_iter().zip(0..) {
        for (order, s) in permutations(history).into_iter().zip(0..) {
            let key = [text(&format!("history {p}")), int(s)];
            for event in &order {
                arrive(&desk, &key, *event).await;
            }
            assert_eq!(desk.get(&key).await.map(|row| row.groups), outcome(&order), "after {order:?}");
        }
    }
}

async fn leftovers_are_counted_and_not_returned<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    for at in 0..6 {
        let key = [text("p"), int(at)];
        arrive(&desk, &key, (1, 5, true)).await;
        if at % 2 == 0 {
            arrive(&desk, &key, (0, 5, true)).await;
        }
    }
    arrive(&desk, &[text("p"), int(0)], (0, 6, false)).await;
    arrive(&desk, &[text("p"), int(1)], (1, 6, false)).await;
    // Whole are 2 and 4; the copies of 0, 3 and 5 are left over; nothing is left of 1.
    for (at, leftovers) in [1, 0, 0, 1, 0, 1].into_iter().enumerate() {
        let got = desk.got(&[text("p"), int(at as i64)], NOW).await;
        assert_eq!(got.cost.leftovers, leftovers, "row {at}");
    }
    for reverse in [false, true] {
        for rows_max in [1, 2, 100] {
            let pages = desk.pages(&Ask { reverse, rows_max, ..Ask::of(&[text("p")]) }).await;
            assert_eq!(pages.iter().map(|page| page.cost.leftovers).sum::<u64>(), 3, "pages of {rows_max}");
            let mut found: Vec<Owned> =
                pages.into_iter().flat_map(|page| page.rows).map(|row| row.key[1].clone()).collect();
            if reverse {
                found.reverse();
            }
            assert_eq!(found, [int(2), int(4)]);
        }
    }
    assert_eq!(desk.swept(1, 10, NOW).await.len(), 2, "a sweep shows whole rows");
    for (parts, rows_max) in [(1, 10), (1, 1), (3, 2)] {
        let leftovers = desk.swept_leftovers(parts, rows_max, NOW).await;
        assert_eq!(leftovers, [0, 3, 5].map(|at| vec![text("p"), int(at)]), "and leftovers beside them");
    }
}

async fn a_group_ends_by_itself<S: Subject>(store: &S) {
    let Some(desk) = open(store).await else { return };
    let (key, end) = ([text("p"), int(1)], NOW.plus(10 * MINUTE));
    arrive(&desk, &key, (0, 5, true)).await;
    let values = content(1, 5);
    let images = [GroupImage { group: 1, version: 5, values: &values }];
    done(store.place(&[desk.put(&key, &images, Some(end))], false, NOW).await);
    let copied = |row: Option<Seen>| row.expect("the row is there").groups[1].clone().map(|group| group.version);
    for (now, expected) in [(Millis(end.0 - 1), Some(5)), (end, None), (end.plus(MINUTE), None), (NOW, Some(5))] {
        assert_eq!(copied(desk.get_at(&key, now).await), expected, "at {now:?}");
        let rows = desk.rows(&Ask { now, ..Ask::of(&key[..1]) }).await;
        assert_eq!(copied(rows.into_iter().next()), expected, "at {now:?}");
    }
    let older = content(1, 4);
    let images = [GroupImage { group: 1, version: 4, values: &older }];
    done(store.place(&[desk.put(&key, &images, None)], false, end.plus(MINUTE)).await);
    assert_eq!(copied(desk.get_at(&key, end.plus(MINUTE)).await), None, "it still fences what is older");
}

async fn more_groups_than_the_engine_has_are_refused<S: Subject>(store: &S) {
    let max = store.abilities().column_groups_max;
    assert!(max >= 1, "every engine has a root");
    let start = table("t", Discipline::Placed).by("p", Kind::Int).column("c0", Kind::Int);
    let above = (0..max).fold(start, |table, at| table.group().column(&format!("g{at}"), Kind::Int));
    undefinable(store, &above, "one group too many").await;
}

async fn only_placed_tables_have_several_groups<S: Subject>(store: &S) {
    for discipline in [Discipline::Decided, Discipline::Carried] {
        undefinable(store, &Table { discipline, ..wanted() }, "a decided or carried table with two groups").await;
    }
}
