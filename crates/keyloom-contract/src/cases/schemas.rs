//! Tables: described, created, given columns, dropped, one legal step at a time.

use std::sync::Arc;

use keyloom_store::{Column, Discipline, Fault, Shape, Step, Table, steps};
use keyloom_value::{Kind, Member, Value, Variant};

use crate::{
    Case, NOW, Subject,
    desk::{Ask, Columns, Desk, define, done, int, plain, refused, table, text, undefinable},
    samples::all,
};

pub(crate) fn cases<S: Subject>() -> Vec<Case<S>> {
    topic!("schemas":
        a_fresh_store_has_no_tables,
        tables_are_described_as_they_were_created,
        a_handle_stays_when_tables_come_and_go,
        a_script_says_every_step_and_takes_none,
        a_step_taken_twice_does_nothing,
        a_table_created_again_after_a_column_came_keeps_it,
        an_added_column_is_absent_in_older_rows,
        a_column_of_every_kind_can_be_added,
        columns_are_added_to_their_group,
        a_dropped_table_is_gone_with_its_rows,
        a_table_that_comes_back_is_empty,
        who_knows_less_than_is_there_can_start,
        another_lifetime_is_no_change,
        enumerations_and_structs_may_grow,
        changes_that_are_no_step_are_refused_with_a_way_out,
        steps_that_can_not_be_are_refused,
        tables_that_are_not_sound_are_refused,
    )
}

async fn described<S: Subject>(store: &S) -> Vec<Table> {
    let mut tables: Vec<Table> =
        done(store.describe().await).into_iter().map(|(_, shape)| shape.table().clone()).collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    tables
}

async fn plan<S: Subject>(store: &S, wanted: &[Table]) -> Result<Vec<Step>, Fault> {
    let there: Vec<Arc<Shape>> = done(store.describe().await).into_iter().map(|(_, shape)| shape).collect();
    steps(&there, wanted, store.abilities())
}

fn add(group: usize, name: &str, kind: Kind) -> Step {
    Step::AddColumn { table: "t".to_owned(), group, column: Column { name: name.to_owned(), kind } }
}

async fn a_fresh_store_has_no_tables<S: Subject>(store: &S) {
    assert_eq!(described(store).await, []);
}

async fn tables_are_described_as_they_were_created<S: Subject>(store: &S) {
    let wide = all().into_iter().fold(table("wide", Discipline::Decided).by("p", Kind::Int), |table, sample| {
        table.column(sample.name, sample.kind)
    });
    let keyed = crate::samples::ordered().into_iter().fold(
        table("keyed", Discipline::Placed).by("p", Kind::Text).by("q", Kind::Uuid),
        |table, sample| {
            let down = format!("{}_down", sample.name);
            table.ascending(sample.name, sample.kind.clone()).descending(&down, sample.kind)
        },
    );
    define(store, &[wide.clone(), keyed.clone()]).await;
    assert_eq!(described(store).await, [keyed.clone(), wide.clone()]);
    assert_eq!(done(plan(store, &[wide, keyed]).await), [], "nothing is left to do");
}

async fn a_handle_stays_when_tables_come_and_go<S: Subject>(store: &S) {
    let wanted = ["b", "d", "c"].map(|name| plain(name, Discipline::Placed));
    define(store, &wanted).await;
    let desk = Desk::at(store, "d").await;
    let key = [text("p"), int(1)];
    desk.place(&key, 1, &[text("v")]).await;
    done(store.apply(&Step::Drop { table: "b".to_owned() }).await);
    define(store, &[plain("a", Discipline::Decided), plain("e", Discipline::Placed)]).await;
    let column = Column { name: "w".to_owned(), kind: Kind::Int };
    done(store.apply(&Step::AddColumn { table: "c".to_owned(), group: 0, column }).await);
    assert_eq!(Desk::at(store, "d").await.id, desk.id);
    assert_eq!(desk.get(&key).await.expect("the row").values(), [text("v")]);
    let ids: Vec<_> = done(store.describe().await).into_iter().map(|(id, _)| id).collect();
    assert!((1..ids.len()).all(|at| !ids[..at].contains(&ids[at])), "no two tables share a handle: {ids:?}");
}

async fn a_script_says_every_step_and_takes_none<S: Subject>(store: &S) {
    define(store, &[plain("t", Discipline::Decided)]).await;
    let before = described(store).await;
    let drop = Step::Drop { table: "t".to_owned() };
    let steps = [Step::Create(plain("u", Discipline::Placed)), add(0, "new", Kind::Int), drop];
    let script = done(store.script(&steps).await);
    assert_eq!(script.len(), steps.len(), "one text for each step: {script:?}");
    for (said, step) in script.iter().zip(&steps) {
        assert!(said.contains(step.table()), "{step} is said with the table's name: {said}");
    }
    assert!(script[1].contains("new"), "a column is named: {}", script[1]);
    assert_eq!(described(store).await, before, "nothing was applied");
}

async fn a_step_taken_twice_does_nothing<S: Subject>(store: &S) {
    let create = Step::Create(plain("t", Discipline::Placed));
    done(store.apply(&create).await);
    let desk = Desk::at(store, "t").await;
    let key = [text("p"), int(1)];
    desk.place(&key, 1, &[text("v")]).await;
    done(store.apply(&create).await);
    assert!(desk.get(&key).await.is_some(), "the rows are still there");
    for _ in 0..2 {
        done(store.apply(&add(0, "w", Kind::Int)).await);
    }
    assert_eq!(described(store).await, [plain("t", Discipline::Placed).column("w", Kind::Int)]);
    for _ in 0..2 {
        done(store.apply(&Step::Drop { table: "t".to_owned() }).await);
    }
    assert_eq!(described(store).await, []);
}

async fn a_table_created_again_after_a_column_came_keeps_it<S: Subject>(store: &S) {
    // As a plan does that was cut off and is taken from its beginning.
    let plan = [Step::Create(plain("t", Discipline::Decided)), add(0, "w", Kind::Int), add(0, "x", Kind::Int)];
    for steps in 1..=plan.len() {
        for step in &plan[..steps] {
            done(store.apply(step).await);
        }
    }
    let expected = plain("t", Discipline::Decided).column("w", Kind::Int).column("x", Kind::Int);
    assert_eq!(described(store).await, [expected]);
}

async fn an_added_column_is_absent_in_older_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let (old, new) = ([text("p"), int(1)], [text("p"), int(2)]);
    desk.place(&old, 1, &[text("old")]).await;
    define(store, &[plain("t", Discipline::Placed).column("w", Kind::Text).column("x", Kind::Int)]).await;
    let desk = Desk::at(store, "t").await;
    assert_eq!(desk.get(&old).await.expect("an older row").values(), [text("old"), Value::Null, Value::Null]);
    desk.place(&new, 1, &[text("new"), text(""), int(1)]).await;
    let rows = desk.rows(&Ask::of(&[text("p")])).await;
    assert_eq!(rows[0].values(), [text("old"), Value::Null, Value::Null]);
    assert_eq!(rows[1].values(), [text("new"), text(""), int(1)]);
    assert_eq!(desk.swept(1, 10, NOW).await, rows);
    desk.place(&new, 2, &[text("by one who knows no more")]).await;
    let expected = [text("by one who knows no more"), Value::Null, Value::Null];
    assert_eq!(desk.get(&new).await.expect("the row").values(), expected, "nothing is left of what it did not name");
    desk.place(&old, 2, &[text("old"), text("w"), Value::Null]).await;
    assert_eq!(desk.get(&old).await.expect("the row").values(), [text("old"), text("w"), Value::Null]);
}

async fn a_column_of_every_kind_can_be_added<S: Subject>(store: &S) {
    let mut wanted = plain("t", Discipline::Decided);
    let desk = Desk::open(store, wanted.clone()).await;
    let key = [text("p"), int(1)];
    desk.create(&key, 1, &[text("v")]).await;
    for sample in all() {
        wanted = wanted.column(sample.name, sample.kind);
    }
    define(store, std::slice::from_ref(&wanted)).await;
    assert_eq!(described(store).await, [wanted]);
    let seen = Desk::at(store, "t").await.get(&key).await.expect("the row");
    assert_eq!(seen.values()[0], text("v"));
    assert!(seen.values()[1..].iter().all(Value::is_null), "{seen:?}");
}

async fn columns_are_added_to_their_group<S: Subject>(store: &S) {
    let wanted = plain("t", Discipline::Placed).group().column("g", Kind::Int);
    if store.abilities().column_groups_max < 2 {
        undefinable(store, &wanted, "a second column group").await;
        return;
    }
    let desk = Desk::open(store, wanted).await;
    let key = [text("p"), int(1)];
    desk.place(&key, 1, &[text("v")]).await;
    done(store.apply(&add(1, "h", Kind::Int)).await);
    done(store.apply(&add(0, "w", Kind::Int)).await);
    let desk = Desk::at(store, "t").await;
    let names: Vec<&str> = desk.shape.table().column_names().collect();
    assert_eq!(names, ["p", "s", "v", "w", "g", "h"]);
    let values = [int(1), int(2)];
    let groups = [keyloom_store::GroupImage { group: 1, version: 1, values: &values }];
    done(store.place(&[desk.put(&key, &groups, None)], false, NOW).await);
    let seen = desk.get(&key).await.expect("the row");
    assert_eq!(seen.values(), [text("v"), Value::Null]);
    assert_eq!(seen.groups[1].as_ref().expect("the other group").values, values);
}

async fn a_dropped_table_is_gone_with_its_rows<S: Subject>(store: &S) {
    let desk = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    desk.place(&key, 1, &[text("v")]).await;
    done(store.apply(&Step::Drop { table: "t".to_owned() }).await);
    assert_eq!(described(store).await, []);
    refused(store.get(desk.ask_row(&key, NOW)).await, "a get of a dropped table");
    refused(store.slice(Ask::of(&key[..1]).slice(desk.id)).await, "a slice of a dropped table");
    refused(store.place(&[desk.removal(&key, &[(0, 1)])], false, NOW).await, "a placement in a dropped table");
    refused(store.segments(desk.id, 1).await, "a sweep of a dropped table");
}

async fn a_table_that_comes_back_is_empty<S: Subject>(store: &S) {
    let first = Desk::open(store, plain("t", Discipline::Placed)).await;
    let key = [text("p"), int(1)];
    first.place(&key, 9, &[text("v")]).await;
    first.remove(&[text("p"), int(2)], 9).await;
    done(store.apply(&Step::Drop { table: "t".to_owned() }).await);
    let second = Desk::open(store, plain("t", Discipline::Placed)).await;
    assert_eq!(second.get(&key).await, None);
    assert_eq!(second.swept(1, 10, NOW).await, []);
    for at in [1, 2] {
        let key = [text("p"), int(at)];
        second.place(&key, 1, &[text("again")]).await;
        assert!(second.get(&key).await.is_some(), "nothing of the old table fences the new one");
    }
}

async fn who_knows_less_than_is_there_can_start<S: Subject>(store: &S) {
    let there = plain("t", Discipline::Placed).column("w", Kind::Int);
    define(store, &[there.clone(), plain("u", Discipline::Decided)]).await;
    assert_eq!(done(plan(store, &[plain("t", Discipline::Placed)]).await), [], "nothing is taken away");
    assert_eq!(described(store).await[0], there);
}

async fn another_lifetime_is_no_change<S: Subject>(store: &S) {
    let living = |lifetime_ms| Table { lifetime_ms, ..plain("t", Discipline::Placed) };
    define(store, &[living(Some(1_000))]).await;
    for wanted in [None, Some(1_000), Some(i64::MAX)].map(living) {
        assert_eq!(done(plan(store, std::slice::from_ref(&wanted)).await), [], "{wanted:?}");
        done(store.apply(&Step::Create(wanted)).await);
    }
    assert_eq!(described(store).await, [living(Some(1_000))], "what a table was made with stays");
}

async fn enumerations_and_structs_may_grow<S: Subject>(store: &S) {
    let variant = |name: &str, rank| Variant { name: name.to_owned(), rank };
    let member = |name: &str, optional| Member { name: name.to_owned(), kind: Kind::Int, optional };
    let few = Kind::Enum(vec![variant("new", 10), variant("done", 30)]);
    let more = Kind::Enum(vec![variant("new", 10), variant("open", 20), variant("done", 30)]);
    let narrow = Kind::Struct(vec![member("a", false)]);
    let wide = Kind::Struct(vec![member("a", false), member("b", true)]);
    let of = |state: &Kind, address: &Kind| {
        let keyed = table("t", Discipline::Placed).by("p", Kind::Int).ascending("s", state.clone());
        keyed.column("state", state.clone()).column("address", address.clone())
    };
    let desk = Desk::open(store, of(&few, &narrow)).await;
    let old = [Value::Enum(10), Value::Struct(vec![int(1)])];
    for rank in [10, 30] {
        desk.place(&[int(1), Value::Enum(rank)], 1, &old).await;
    }
    for _ in 0..2 {
        define(store, &[of(&more, &wide)]).await;
        assert_eq!(described(store).await, [of(&more, &wide)]);
    }
    let desk = Desk::at(store, "t").await;
    let new = [Value::Enum(20), Value::Struct(vec![int(1), int(2)])];
    desk.place(&[int(1), Value::Enum(20)], 1, &new).await;
    let rows = desk.rows(&Ask::of(&[int(1)])).await;
    assert_eq!(rows.iter().map(|row| row.key[1].clone()).collect::<Vec<_>>(), [10, 20, 30].map(Value::Enum));
    assert_eq!(rows[0].values(), [Value::Enum(10), Value::Struct(vec![int(1), Value::Null])]);
    assert_eq!(rows[1].values(), new);
    let shrunk = Step::Extend { table: "t".to_owned(), column: "state".to_owned(), kind: few.clone() };
    done(store.apply(&shrunk).await);
    assert_eq!(described(store).await, [of(&more, &wide)], "a step taken earlier does nothing");
    let other = Step::Extend { table: "t".to_owned(), column: "state".to_owned(), kind: Kind::Text };
    refused(store.apply(&other).await, "another kind");
    let nothing = Step::Extend { table: "t".to_owned(), column: "nothing".to_owned(), kind: Kind::Int };
    refused(store.apply(&nothing).await, "a column that is not there");
}

async fn changes_that_are_no_step_are_refused_with_a_way_out<S: Subject>(store: &S) {
    let there = plain("t", Discipline::Placed).column("w", Kind::Int);
    define(store, std::slice::from_ref(&there)).await;
    let start = || table("t", Discipline::Placed);
    for (what, wanted) in [
        ("another partition key", start().by("q", Kind::Text).ascending("s", Kind::Int).column("v", Kind::Text)),
        ("another kind of partition key", start().by("p", Kind::Int).ascending("s", Kind::Int).column("v", Kind::Text)),
        ("another direction", start().by("p", Kind::Text).descending("s", Kind::Int).column("v", Kind::Text)),
        ("a shorter key", start().by("p", Kind::Text).column("v", Kind::Text)),
        ("another discipline", Table { discipline: Discipline::Decided, ..there.clone() }),
        ("another grace", Table { grace_ms: 1, ..there.clone() }),
        ("a column of another kind", plain("t", Discipline::Placed).column("w", Kind::Text)),
        ("columns in another order", {
            table("t", Discipline::Placed)
                .by("p", Kind::Text)
                .ascending("s", Kind::Int)
                .column("w", Kind::Int)
                .column("v", Kind::Text)
        }),
    ] {
        let words = refused(plan(store, &[wanted]).await, what);
        assert!(words.contains("`t`") && words.contains("another name"), "{what}: the way out is said: {words}");
    }
    let created = Step::Create(Table { discipline: Discipline::Decided, ..there.clone() });
    refused(store.apply(&created).await, "a create of another table under the same name");
    let wider = Step::Create(there.clone().column("x", Kind::Int));
    refused(store.apply(&wider).await, "a create that would add a column");
    assert_eq!(described(store).await, [there], "nothing has changed");
}

async fn steps_that_can_not_be_are_refused<S: Subject>(store: &S) {
    let there = plain("t", Discipline::Placed).column("w", Kind::Int);
    define(store, std::slice::from_ref(&there)).await;
    for (what, step) in [
        ("a column of that name in the group", add(0, "w", Kind::Text)),
        ("a column of that name in the key", add(0, "p", Kind::Text)),
        ("a group that is not there", add(1, "x", Kind::Text)),
        (
            "a table that is not there",
            Step::AddColumn {
                table: "u".to_owned(),
                group: 0,
                column: Column { name: "x".to_owned(), kind: Kind::Int },
            },
        ),
    ] {
        refused(store.apply(&step).await, what);
    }
    refused(plan(store, &[plain("u", Discipline::Placed), plain("u", Discipline::Placed)]).await, "one name twice");
    assert_eq!(described(store).await, [there], "nothing has changed");
}

async fn tables_that_are_not_sound_are_refused<S: Subject>(store: &S) {
    let sound = || plain("t", Discipline::Placed);
    for (what, wanted) in [
        ("no name", Table { name: String::new(), ..sound() }),
        ("too long a name", Table { name: "x".repeat(201), ..sound() }),
        ("no partition key", Table { partition: vec![], ..sound() }),
        ("no group", Table { groups: vec![], ..sound() }),
        ("a negative grace", Table { grace_ms: -1, ..sound() }),
        ("a life of no time", Table { lifetime_ms: Some(0), ..sound() }),
        ("a name twice", sound().column("p", Kind::Int)),
        ("a name twice", sound().column("x", Kind::Int).column("x", Kind::Int)),
    ] {
        undefinable(store, &wanted, what).await;
    }
}
