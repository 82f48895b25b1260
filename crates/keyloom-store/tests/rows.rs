//! Rows as bytes: what was written is read, whatever its width, and garbage never panics.

#![allow(clippy::unwrap_used, reason = "tests")]

use bytes::Bytes;
use keyloom_store::{
    Column, ColumnAt, Discipline, Group, Millis, Page, Row, RowBuilder, Section, Shape, SortColumn, State, Table,
};
use keyloom_value::{Kind, Value, key};
use proptest::{collection::vec, prelude::*};

/// What one column group holds in a test.
#[derive(Debug, Clone)]
enum Content {
    Never,
    Removed(u64, i64),
    Put(u64, Option<i64>, Vec<Value<'static>>),
}

fn column(name: String, kind: Kind) -> Column {
    Column { name, kind }
}

/// A table with these columns in its groups.
fn shape(groups: &[Vec<Kind>]) -> Shape {
    let groups = groups.iter().enumerate().map(|(group, kinds)| Group {
        columns: kinds.iter().enumerate().map(|(at, kind)| column(format!("c{group}_{at}"), kind.clone())).collect(),
    });
    Shape::of(Table {
        name: "t".to_owned(),
        discipline: Discipline::Placed,
        partition: vec![column("p".to_owned(), Kind::Text)],
        sort: vec![SortColumn { name: "s".to_owned(), kind: Kind::Int, descending: true }],
        groups: groups.collect(),
        grace_ms: 0,
        lifetime_ms: None,
    })
    .unwrap()
}

fn row(shape: &Shape, contents: &[Content]) -> Row {
    let mut body = RowBuilder::new();
    for (content, group) in contents.iter().zip(&shape.table().groups) {
        match content {
            Content::Never => body.keep(&Section::NEVER),
            Content::Removed(version, at) => body.removed(*version, Millis(*at)),
            Content::Put(version, end, values) => {
                body.put(*version, end.map(Millis), &group.columns, values).unwrap();
            }
        }
    }
    let key = key::encode(&[Value::from("p\0"), Value::from(7)], shape.key_parts()).unwrap();
    Row::new(key.into(), body.finish())
}

#[test]
fn rows_of_a_page_are_as_rows_of_their_own() {
    let shape = shape(&[vec![Kind::Text, Kind::Int], vec![Kind::Bool]]);
    let contents = |number: i64| {
        let words = "w".repeat(number.unsigned_abs() as usize * 50);
        [Content::Put(1, None, vec![Value::from(words), Value::from(number)]), Content::Never]
    };
    let alone: Vec<Row> = (0..20).map(|number| row(&shape, &contents(number))).collect();
    // There is room for some of them; the others need more, and none is moved from under another.
    let mut page = Page::with_capacity(300);
    let together: Vec<Row> = alone.iter().map(|row| page.row(row.key_bytes(), row.body_bytes())).collect();
    drop(page);
    assert_eq!(together, alone);
    let asked = [ColumnAt::Cell { group: 0, column: 1 }, ColumnAt::Key(1), ColumnAt::Key(0)].map(Some);
    let columns = [&asked[..], &[None, Some(ColumnAt::Cell { group: 1, column: 0 })]].concat();
    for row in &together {
        let one = |at: &Option<ColumnAt>| at.map_or(Ok(Value::Null), |at| row.value(&shape, at));
        let each: Result<Vec<Value<'_>>, _> = columns.iter().map(one).collect();
        assert_eq!(row.values(&shape, &columns), each);
    }
}

/// Asks a row for everything it can be asked for; what it answers is its own matter.
fn ask(row: &Row, shape: &Shape) {
    let _ = (row.version(), row.key(shape), row.clone().as_of(Millis(0)));
    for group in 0..shape.table().groups.len() + 2 {
        for column in 0..12 {
            let _ = row.value(shape, ColumnAt::Cell { group, column });
            let _ = row.section(group).and_then(|section| section.cell(column));
        }
    }
    for at in 0..4 {
        let _ = row.value(shape, ColumnAt::Key(at));
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    let list = Kind::List(Box::new(Kind::Text));
    prop::sample::select(vec![Kind::Text, Kind::Int, Kind::Bool, Kind::Bytes, Kind::Decimal { scale: 2 }, list])
}

fn value(kind: &Kind) -> BoxedStrategy<Value<'static>> {
    let there = match kind {
        Kind::Text => "[a\0]{0,6}".prop_map(Value::from).boxed(),
        Kind::Int => any::<i64>().prop_map(Value::Int).boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Bytes => vec(any::<u8>(), 0..6).prop_map(Value::from).boxed(),
        Kind::Decimal { .. } => any::<i64>().prop_map(|value| Value::Decimal(value.into())).boxed(),
        _ => vec("[ab]{0,3}".prop_map(Value::from), 0..3).prop_map(Value::List).boxed(),
    };
    prop_oneof![3 => there, 1 => Just(Value::Null)].boxed()
}

fn content(kinds: &[Kind]) -> BoxedStrategy<Content> {
    let values = kinds.iter().map(value).collect::<Vec<_>>();
    prop_oneof![
        1 => Just(Content::Never),
        1 => (any::<u64>(), any::<i64>()).prop_map(|(version, at)| Content::Removed(version, at)),
        3 => (any::<u64>(), any::<Option<i64>>(), values)
            .prop_map(|(version, end, values)| Content::Put(version, end, values)),
    ]
    .boxed()
}

/// A table and a row of it.
fn table_and_contents() -> impl Strategy<Value = (Shape, Vec<Content>)> {
    vec(vec(kind(), 0..6), 1..4).prop_flat_map(|groups| {
        let contents = groups.iter().map(|kinds| content(kinds)).collect::<Vec<_>>();
        (Just(shape(&groups)), contents)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn what_was_written_is_read((shape, contents) in table_and_contents()) {
        let row = row(&shape, &contents);
        prop_assert_eq!(row.key(&shape).unwrap(), vec![Value::from("p\0"), Value::from(7)]);
        for (group, content) in contents.iter().enumerate() {
            let section = row.section(group).unwrap();
            let read = |column| row.value(&shape, ColumnAt::Cell { group, column }).unwrap();
            match content {
                Content::Never => prop_assert_eq!((section.state, section.version), (State::Never, 0)),
                Content::Removed(version, at) => {
                    prop_assert_eq!((section.state, section.version), (State::Removed { at: Millis(*at) }, *version));
                    prop_assert!(read(0).is_null());
                }
                Content::Put(version, end, values) => {
                    let state = State::Put { expires_at: end.map(Millis) };
                    prop_assert_eq!((section.state, section.version), (state, *version));
                    for (column, value) in values.iter().enumerate() {
                        prop_assert_eq!(&read(column), value);
                    }
                    prop_assert!(read(values.len()).is_null(), "a column that is not there");
                }
            }
        }
        prop_assert!(row.section(contents.len()).unwrap().state == State::Never, "a group that is not there");
    }

    #[test]
    fn groups_that_are_kept_keep_their_bytes((shape, contents) in table_and_contents()) {
        let row = row(&shape, &contents);
        let mut kept = RowBuilder::new();
        for group in 0..contents.len() {
            kept.keep(&row.section(group).unwrap());
        }
        prop_assert_eq!(&kept.finish(), row.body_bytes());
    }

    #[test]
    fn a_moment_hides_what_is_not_there_and_nothing_else((shape, contents) in table_and_contents(), now in any::<i64>()) {
        let whole = row(&shape, &contents);
        let seen = whole.clone().as_of(Millis(now)).unwrap();
        prop_assert_eq!(seen.key_bytes(), whole.key_bytes());
        for group in 0..contents.len() {
            let (before, after) = (whole.section(group).unwrap(), seen.section(group).unwrap());
            prop_assert_eq!(after, if before.is_there(Millis(now)) { before } else { Section::NEVER });
        }
    }

    #[test]
    fn truncated_and_flipped_rows_are_malformed_or_some_row(
        (shape, contents) in table_and_contents(),
        at in any::<prop::sample::Index>(),
        turned in 1u8..=255,
    ) {
        let whole = row(&shape, &contents);
        let (key, body) = (whole.key_bytes().clone(), whole.body_bytes().clone());
        for end in 0..body.len() {
            ask(&Row::new(key.clone(), body.slice(..end)), &shape);
        }
        for end in 0..key.len() {
            ask(&Row::new(key.slice(..end), body.clone()), &shape);
        }
        let mut flipped = body.to_vec();
        let at = at.index(flipped.len());
        flipped[at] ^= turned;
        ask(&Row::new(key, flipped.into()), &shape);
    }

    #[test]
    fn garbage_is_malformed_or_some_row(
        (shape, _) in table_and_contents(),
        key in vec(any::<u8>(), 0..20),
        body in vec(prop_oneof![2 => 0u8..4, 1 => any::<u8>()], 0..80),
    ) {
        ask(&Row::new(key.into(), body.into()), &shape);
    }

    #[test]
    fn ends_are_wide_where_they_must_be(
        sizes in vec(prop::sample::select(vec![0usize, 1, 32_700, 32_766, 32_767, 32_768, 65_535, 65_536]), 1..5),
    ) {
        let shape = shape(&[vec![Kind::Bytes; sizes.len()]]);
        let values: Vec<Value<'static>> = sizes.iter().map(|size| vec![7u8; *size].into()).collect();
        let row = row(&shape, &[Content::Put(1, None, values.clone())]);
        for (column, value) in values.iter().enumerate() {
            prop_assert!(row.value(&shape, ColumnAt::Cell { group: 0, column }).unwrap() == *value, "column {}", column);
        }
    }
}

#[test]
fn a_row_without_bytes_is_malformed() {
    let row = Row::new(Bytes::new(), Bytes::new());
    assert!(row.version().is_err());
    assert!(row.key(&shape(&[vec![]])).is_err());
}

#[test]
fn columns_that_were_added_are_absent_in_older_rows() {
    let (old, new) = (shape(&[vec![Kind::Int]]), shape(&[vec![Kind::Int, Kind::Text, Kind::Bool]]));
    let row = row(&old, &[Content::Put(1, None, vec![Value::from(5)])]);
    let read = |column| row.value(&new, ColumnAt::Cell { group: 0, column }).unwrap();
    assert_eq!([read(0), read(1), read(2)], [Value::from(5), Value::Null, Value::Null]);
}

#[test]
fn two_thousand_columns() {
    let shape = shape(&[vec![Kind::Text; 2_000]]);
    let values: Vec<Value<'static>> =
        (0..2_000).map(|at| if at % 7 == 0 { Value::Null } else { format!("column {at}").into() }).collect();
    let row = row(&shape, &[Content::Put(1, Some(9), values.clone())]);
    for (column, value) in values.iter().enumerate() {
        assert_eq!(row.value(&shape, ColumnAt::Cell { group: 0, column }).unwrap(), *value);
    }
}

#[test]
fn a_section_says_when_it_yields_and_when_it_may_be_forgotten() {
    let shape = shape(&[vec![], vec![], vec![], vec![]]);
    let contents =
        [Content::Put(5, None, vec![]), Content::Put(5, Some(10), vec![]), Content::Removed(5, 20), Content::Never];
    let row = row(&shape, &contents);
    let section = |group| row.section(group).unwrap();
    for (group, puts, removals) in [(0, [4, 5], [4, 5]), (1, [4, 5], [4, 5]), (2, [3, 4], [4, 5])] {
        assert!(puts.iter().all(|version| !section(group).yields_to(*version, false)), "group {group}");
        assert!(removals.iter().all(|version| !section(group).yields_to(*version, true)), "group {group}");
        assert!(section(group).yields_to(6, false) && section(group).yields_to(6, true), "group {group}");
    }
    assert!(section(2).yields_to(5, false), "a put comes behind the removal of its version");
    assert!(section(3).yields_to(1, true) && section(3).yields_to(1, false), "there was never anything");
    let forgettable = [0, 1, 2, 3].map(|group| section(group).forgettable_from(100));
    assert_eq!(forgettable, [None, Some(Millis(110)), Some(Millis(120)), Some(Millis(i64::MIN))]);
}
