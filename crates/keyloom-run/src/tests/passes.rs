//! Passes with a code that one of them has at a time: while it is open, and until it ends.

use serde_json::{Value as Json, json};

use super::world::World;
use crate::read::millis;

pub(super) const CATALOG: &str = "
language: 1
catalog: passes
retries: 24h
entities:
  Pass:
    key: [pass_id]
    fields:
      pass_id: text(2..10)
      code: text(2..10)
      state: enum(OPEN | SHUT) = OPEN
      until: timestamp
    unique: { code_taken: code where state = OPEN }
    expires: until
    volume: { rows: 100 }
    groups: { state: 5 / 10 / 50 }
patterns:
  issue: { create: Pass, takes: [pass_id, code, until], rate: rare }
  extend: { update: Pass, by: [pass_id], set: { until: $until }, rate: rare }
  recode: { update: Pass, by: [pass_id], set: { code: $code }, rate: rare }
  shut: { update: Pass, by: [pass_id], set: { state: SHUT }, rate: rare }
  reopen: { update: Pass, by: [pass_id], set: { state: OPEN }, rate: rare }
  drop: { delete: Pass, by: [pass_id], rate: rare }
  passes: { list: Pass, by: [state], order: until asc, page: 10, returns: [pass_id], rate: rare }
";

/// What a client wants next.
pub(super) fn wish(world: &World) -> (&'static str, Json) {
    let pass_id = ["p1", "p2", "p3"][world.pick(3)];
    let code = ["red", "blue"][world.pick(2)];
    let lasts_ms = [100, 400, 1_500, 60_000][world.pick(4)];
    let until = keyloom_value::Value::Timestamp(millis(world.servers[0].now_us()).0 + lasts_ms);
    let until = keyloom_value::to_text(&until, &keyloom_value::Kind::Timestamp { micros: false }).unwrap();
    match world.dice.below(20) {
        0..=8 => ("issue", json!({"pass_id": pass_id, "code": code, "until": until})),
        9..=13 => ("extend", json!({"pass_id": pass_id, "until": until})),
        14..=15 => ("recode", json!({"pass_id": pass_id, "code": code})),
        16 => ("drop", json!({"pass_id": pass_id})),
        17 => ("shut", json!({"pass_id": pass_id})),
        _ => ("reopen", json!({"pass_id": pass_id})),
    }
}
