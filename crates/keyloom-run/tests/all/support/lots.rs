//! Lots that are bid for: what is kept of bids, which are only added, and of pieces, which change and move.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

use keyloom_run::Answer;
use serde_json::{Value as Json, json};

use super::house::House;

pub const CATALOG: &str = "
language: 1
catalog: lots
retries: 24h
entities:
  Lot:
    key: [lot_id]
    fields:
      lot_id: text(2..10)
      title: text(4..40)
      bids: int = count of Bid
      best: decimal(2)? = max of Bid.amount
      given: decimal(2) = sum of Bid.amount where sure = true
      last_by: text(4..40)? = last of Bid.by_whom by at
      first_by: text(4..40)? = first of Bid.by_whom by at
      pieces: int = count of Piece
      heavy: int? = max of Piece.weight
      weight: int = sum of Piece.weight
    volume: { rows: 10 }
  Bid:
    append_only: true
    key: [bid_id]
    fields:
      bid_id: uuid7 = new
      lot_id: text(2..10) -> Lot
      at: timestamp
      by_whom: text(4..40)
      amount: decimal(2)
      sure: bool = true
    expires: forever
    volume: { rows: 100, growth: 10/day }
    groups: { lot_id: 5 / 10 / 50 }
  Piece:
    key: [piece_id]
    fields: { piece_id: text(2..10), lot_id: text(2..10) -> Lot, weight: int }
    volume: { rows: 100 }
    groups: { lot_id: 5 / 10 / 50 }
patterns:
  put_piece: { create: Piece, takes: [piece_id, lot_id, weight], rate: rare }
  change_piece: { update: Piece, by: [piece_id], any_of: [lot_id, weight], rate: rare }
  drop_piece: { delete: Piece, by: [piece_id], rate: rare }
  get_kept: { get: Lot, by: [lot_id], returns: [pieces, heavy, weight], rate: rare }
  put_lot: { create: Lot, takes: [lot_id, title], rate: rare }
  bid: { create: Bid, takes: [lot_id, at, by_whom, amount, sure], rate: rare }
  get_lot: { get: Lot, by: [lot_id], returns: [bids, best, given, last_by, first_by], rate: rare }
  bids: { list: Bid, by: [lot_id], order: amount desc, page: 20, rate: rare }
";

pub fn bid(second: u32, by: &str, amount: &str, sure: bool) -> Json {
    let at = format!("2026-11-15T09:00:{second:02}.000Z");
    json!({"lot_id": "a", "at": at, "by_whom": by, "amount": amount, "sure": sure})
}

/// Whatever comes, changes, moves and goes, what is kept is what the rows come to.
pub fn kept_values_follow(house: &House) {
    for lot in ["a", "b"] {
        house.done("put_lot", &json!({"lot_id": lot, "title": "A lot"}));
    }
    let lot = || house.get("get_lot", &json!({"lot_id": "a"})).unwrap();
    assert_eq!(lot(), json!({"bids": 0, "given": "0.00"}));
    house.done("bid", &bid(5, "eve", "7.50", true));
    // One that is repeated counts once; what comes late comes first.
    let (late, key) = (bid(3, "ann", "9.00", false), house.key());
    for _ in 0..2 {
        let sent = house.send("bid", &late, Some(&key));
        assert!(matches!(sent, Ok(Answer::Applied { visible: true, .. })), "{sent:?}");
    }
    house.done("bid", &bid(4, "ben", "8.00", true));
    let bids = json!({"bids": 3, "best": "9.00", "given": "15.50", "last_by": "eve", "first_by": "ann"});
    assert_eq!(lot(), bids);
    let kept = |lot: &str| house.get("get_kept", &json!({"lot_id": lot})).unwrap();
    for (piece, weight) in [("p1", 3), ("p2", 8), ("p3", 5)] {
        house.done("put_piece", &json!({"piece_id": piece, "lot_id": "a", "weight": weight}));
    }
    assert_eq!(kept("a"), json!({"pieces": 3, "heavy": 8, "weight": 16}));
    house.done("change_piece", &json!({"piece_id": "p1", "weight": 4}));
    house.done("change_piece", &json!({"piece_id": "p2", "lot_id": "b"}));
    assert_eq!(kept("a"), json!({"pieces": 2, "heavy": 5, "weight": 9}));
    assert_eq!(kept("b"), json!({"pieces": 1, "heavy": 8, "weight": 8}));
    house.done("drop_piece", &json!({"piece_id": "p3"}));
    assert_eq!(kept("a"), json!({"pieces": 1, "heavy": 4, "weight": 4}));
    house.turn(300);
    let settled = house.settle();
    assert_eq!((settled.left, settled.seen > 0), (0, true), "{settled:?}");
    assert_eq!((lot(), kept("a")), (bids, json!({"pieces": 1, "heavy": 4, "weight": 4})));
}
