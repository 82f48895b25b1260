//! One discipline for each table: the verbs of the others are refused.

use keyloom_store::{Along, Atomic, Discipline, Expect};

use crate::{
    Case, NOW, Subject,
    desk::{Desk, decide_along, image, int, plain, refused, root, text},
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("disciplines":
        a_decided_table_refuses_placements_and_carrying,
        a_placed_table_refuses_decisions_and_carrying,
        a_carried_table_refuses_decisions_and_placements,
        a_refused_row_refuses_the_whole_call,
    )
}

/// Asserts that all verbs but those of its discipline are refused by a table.
async fn assert_obeys<S: Subject>(store: &S, subject: &Desk<'_, S>, discipline: &Discipline) {
    let source = Desk::open(store, plain("source", Discipline::Decided)).await;
    let (key, values) = ([text("p"), int(1)], [text("v")]);
    let groups = [root(1, &values)];
    let table = subject.id;
    if *discipline != Discipline::Decided {
        let change = subject.change(&key, Expect::Absent, image(1, &values));
        refused(decide_along(store, change, &[]).await, "a decision");
    }
    if *discipline != Discipline::Placed {
        for together in [false, true] {
            refused(store.place(&[subject.put(&key, &groups, None)], together, NOW).await, "a placement");
            refused(store.place(&[subject.removal(&key, &[(0, 1)])], together, NOW).await, "a removal");
        }
    }
    let riders = [
        (Discipline::Decided, Along::Decide(subject.change(&key, Expect::Absent, image(1, &values)))),
        (Discipline::Decided, Along::Check { table, key: &key, expect: Expect::Absent }),
        (Discipline::Carried, Along::Put { table, key: &key, becomes: image(1, &values) }),
        (Discipline::Carried, Along::Remove { table, key: &key }),
        (Discipline::Placed, Along::Place(subject.put(&key, &groups, None))),
        (Discipline::Placed, Along::Place(subject.removal(&key, &[(0, 1)]))),
    ];
    for (of, rider) in riders {
        if of != *discipline {
            let change = source.change(&key, Expect::Absent, image(1, &values));
            refused(decide_along(store, change, &[rider]).await, "a rider of another discipline");
            assert_eq!(source.get(&key).await, None, "and what it rode with did not happen");
        }
    }
    assert_eq!(subject.get(&key).await, None);
}

async fn a_decided_table_refuses_placements_and_carrying<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Decided)).await;
    assert_obeys(store, &desk, &Discipline::Decided).await;
}

async fn a_placed_table_refuses_decisions_and_carrying<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    assert_obeys(store, &desk, &Discipline::Placed).await;
}

async fn a_carried_table_refuses_decisions_and_placements<S: Subject>(store: &S) {
    let wanted = plain("t", Discipline::Carried);
    if store.abilities().atomic == Atomic::Row {
        crate::desk::undefinable(store, &wanted, "a carried table").await;
        return;
    }
    let desk = Desk::open(store, wanted).await;
    assert_obeys(store, &desk, &Discipline::Carried).await;
}

async fn a_refused_row_refuses_the_whole_call<S: Subject>(store: &S) {
    let placed = Desk::open(store, plain("placed", Discipline::Placed)).await;
    let decided = Desk::open(store, plain("decided", Discipline::Decided)).await;
    let (key, values) = ([text("p"), int(1)], [text("v")]);
    let groups = [root(1, &values)];
    for together in [false, true] {
        let rows = [placed.put(&key, &groups, None), decided.put(&key, &groups, None)];
        refused(store.place(&rows, together, NOW).await, "a placement in a decided table");
        assert_eq!(placed.get(&key).await, None, "what stood beside it was not placed");
    }
}
