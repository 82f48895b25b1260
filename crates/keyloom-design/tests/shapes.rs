//! What the search can think of: each way to store rows is taken where it is cheapest.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and reads its examples"
)]

mod common;

use common::{catalog_of, example, on};
use keyloom_design::search::search;
use keyloom_model::layout::{Holds, Keeper, Layout, Part, Table, Way};
use keyloom_model::{Catalog, Engine};

const MEMBERS: &str = "
language: 1
catalog: members
entities:
  Member:
    key: [team_id, user_id]
    fields:
      team_id: uuid
      user_id: uuid
      role: enum(OWNER 5% | GUEST 95%) = GUEST
      joined_at: timestamp = now
    volume: { rows: 1M }
    groups: { team_id: 20 / 100 / 1k, user_id: 5 / 30 / 200, user_id where role = OWNER: 1 / 5 / 20 }
patterns:
  join: { create: Member, takes: [team_id, user_id], rate: 10/s }
  promote: { update: Member, by: [team_id, user_id], set: { role: OWNER }, rate: 1/s }
  members_of_team: { list: Member, by: [team_id], order: user_id asc, page: 50, freshness: 30s, rate: 50/s }
  teams_of_user: { list: Member, by: [user_id], order: team_id asc, page: 50, freshness: 30s, rate: 50/s }
  owned_by_user: { list: Member, by: [user_id], where: role = OWNER, order: joined_at desc, page: 50, freshness: 30s, rate: 50/s }
";

fn found(catalog: &Catalog, engine: Engine) -> Layout {
    on(engine, |terms| search(catalog, terms)).layout
}

fn fields(table: &Table) -> (Vec<&str>, Vec<&str>) {
    let partition = table.partition.parts().iter().map(Part::field).collect();
    (partition, table.sort.iter().map(|item| item.field.as_str()).collect())
}

fn indexes(layout: &Layout) -> impl Iterator<Item = &Table> {
    let is_index = |table: &&Table| matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. });
    layout.tables.iter().filter(is_index)
}

#[test]
fn an_index_turns_a_key_around() {
    let layout = found(&catalog_of(MEMBERS), Engine::DynamoDb);
    let inverted = |table: &Table| fields(table) == (vec!["user_id"], vec!["team_id"]);
    assert!(indexes(&layout).any(inverted), "{:#?}", layout.tables);
}

#[test]
fn an_index_holds_only_the_rows_that_are_asked_for() {
    let layout = found(&catalog_of(MEMBERS), Engine::DynamoDb);
    let sparse = |table: &Table| table.filter.is_some() && fields(table).0 == ["user_id"];
    assert!(indexes(&layout).any(sparse), "{:#?}", layout.tables);
}

#[test]
fn only_an_engine_that_has_indexes_gets_them() {
    for engine in [Engine::Embedded, Engine::Cassandra] {
        assert_eq!(indexes(&found(&catalog_of(MEMBERS), engine)).count(), 0);
    }
}

#[test]
fn a_kept_count_has_a_table_and_says_what_it_is_counted_from() {
    let layout = found(&example("cases-core"), Engine::Cassandra);
    let kept = layout.tables.iter().find_map(|table| match &table.holds {
        Holds::Kept { field, upkeep, .. } if field == "open_tasks" => Some(upkeep),
        _ => None,
    });
    let upkeep = kept.unwrap();
    assert_eq!(upkeep.way, Some(Way::Recount));
    let from = upkeep.from.as_deref().unwrap();
    assert!(layout.table(from).is_some_and(|table| fields(table).0.contains(&"case_id")), "{from}");
}

#[test]
fn what_must_be_unique_is_reserved() {
    for engine in common::ENGINES {
        let layout = found(&example("cases-core"), engine);
        let reserved = layout.tables.iter().filter(|table| matches!(table.holds, Holds::Reservations { .. }));
        assert_eq!(reserved.count(), 2, "{}", engine.name());
    }
}
