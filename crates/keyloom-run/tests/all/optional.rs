//! More optional inputs than are planned in every combination: whichever of them are sent, the answer is the same list that is
//! filtered by hand.

use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open};

/// Beside the list with four optional inputs there are two that stand by one of them each.
const CATALOG: &str = "
language: 1
catalog: parts
entities:
  Part:
    key: [part_id]
    fields: { part_id: int, shelf: int, kind: int, size: int, maker: int? }
    volume: { rows: 100 }
    groups: { shelf: 10 / 20 / 50, \"shelf, kind\": 5 / 10 / 20 }
patterns:
  add: { create: Part, takes: [part_id, shelf, kind, size, maker], rate: rare }
  of_kind: { list: Part, by: [shelf, kind], order: part_id asc, page: 50, rate: rare }
  of_maker: { list: Part, by: [shelf, maker], order: part_id asc, page: 50, rate: rare }
  find:
    list: Part
    by: [shelf]
    where: kind = $kind? and maker = $maker? and size in $least?..$most?
    order: part_id asc
    page: 50
    rate: rare
";

#[test]
fn any_set_of_optional_inputs_is_answered() {
    any_set(open(Model::new(), CATALOG));
    any_set(open(AtOnce::new(1, WideStore::new), CATALOG));
    any_set(open(AtOnce::new(1, ItemStore::new), CATALOG));
}

fn any_set(house: House) {
    let part = |id: u64| {
        let mut part = json!({"part_id": id, "shelf": 1, "kind": id % 2, "size": id % 5});
        if !id.is_multiple_of(4) {
            part["maker"] = json!(id % 3);
        }
        part
    };
    let parts: Vec<Json> = (1..=20).map(part).collect();
    for part in &parts {
        house.done("add", part);
    }
    house.settle();
    let inputs = [("kind", json!(1)), ("maker", json!(2)), ("least", json!(1)), ("most", json!(3))];
    for mask in 0..16_usize {
        let mut asked = json!({"shelf": 1});
        let sent: Vec<&(&str, Json)> =
            inputs.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, input)| input).collect();
        for (name, value) in &sent {
            asked[*name] = value.clone();
        }
        let passes = |part: &&Json| {
            sent.iter().all(|(name, value)| match *name {
                "least" => part["size"].as_u64() >= value.as_u64(),
                "most" => part["size"].as_u64() < value.as_u64(),
                name => part[name] == *value,
            })
        };
        let ids = |rows: Vec<Json>| rows.iter().map(|row| row["part_id"].clone()).collect::<Vec<_>>();
        let wanted: Vec<Json> = parts.iter().filter(passes).cloned().collect();
        assert_eq!(ids(house.list("find", &asked)), ids(wanted), "{asked}");
    }
}
