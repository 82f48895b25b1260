use std::collections::BTreeSet;

use keyloom_run::{Answer, Problem, Shown};
use serde_json::json;

use super::support::{Shop, order, shops};

const LIST: &str = "list_orders_of_user";

struct Page {
    totals: Vec<String>,
    next: Option<String>,
    previous: Option<String>,
}

fn page(shop: &Shop, query: &[(&str, &str)], limit: u64, cursor: Option<&str>) -> Page {
    match shop.page(LIST, query, Some(limit), cursor) {
        Ok(Answer::Rows { rows, next, previous, partial: false }) => {
            let total = |row: &Shown| row.json()["total"].as_str().unwrap().to_owned();
            Page { totals: rows.iter().map(total).collect(), next, previous }
        }
        other => panic!("{other:?}"),
    }
}

fn totals(numbers: impl Iterator<Item = usize>) -> Vec<String> {
    numbers.map(|number| format!("{number}.00")).collect()
}

/// A user with so many orders, the first for 1.00, and another with as many.
fn filled(shop: &Shop, orders: usize) -> String {
    let user = shop.user("ann");
    let other = shop.user("ben");
    for number in 1..=orders {
        shop.order(&user, &number.to_string());
        shop.order(&other, "999");
    }
    user
}

#[test]
fn pages_of_every_size_hold_every_row_once_both_ways() {
    for shop in shops() {
        let user = filled(&shop, 7);
        let query = [("user_id", user.as_str())];
        for limit in 1..=8 {
            let (mut seen, mut cursors, mut cursor) = (Vec::new(), Vec::new(), None);
            loop {
                let page = page(&shop, &query, limit, cursor.as_deref());
                assert_eq!(page.previous.is_some(), cursor.is_some(), "there is a page before all but the first");
                assert!(!page.totals.is_empty(), "no page is empty");
                seen.extend(page.totals);
                cursors.extend(page.previous);
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, totals((1..=7).rev()), "{} by {limit}: newest first", shop.name);
            // From each page back to the start.
            for from in cursors {
                let (mut behind, mut cursor) = (Vec::new(), Some(from));
                while let Some(from) = cursor {
                    let page = page(&shop, &query, limit, Some(&from));
                    assert!(page.next.is_some(), "there is a page behind");
                    behind.splice(..0, page.totals);
                    cursor = page.previous;
                }
                assert_eq!(behind, seen[..behind.len()], "{} by {limit}: the same order", shop.name);
            }
        }
    }
}

#[test]
fn rows_of_one_moment_are_told_apart_by_their_key() {
    for shop in shops() {
        let user = shop.user("ann");
        for total in 1..=6 {
            shop.applied("place_order", &order(&user, &total.to_string()));
        }
        let query = [("user_id", user.as_str())];
        let rows = shop.rows(LIST, &query);
        let moments: BTreeSet<&str> = rows.iter().map(|row| row["created_at"].as_str().unwrap()).collect();
        assert_eq!(moments.len(), 1, "the clock of the test hardly turns");
        for limit in 1..=6 {
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let page = page(&shop, &query, limit, cursor.as_deref());
                seen.extend(page.totals);
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            let all: Vec<&str> = rows.iter().map(|row| row["total"].as_str().unwrap()).collect();
            assert_eq!(seen, all, "{} by {limit}", shop.name);
        }
    }
}

#[test]
fn rows_that_come_between_pages_hide_none_that_was_there() {
    for shop in shops() {
        let user = filled(&shop, 6);
        let query = [("user_id", user.as_str())];
        let first = page(&shop, &query, 2, None);
        assert_eq!(first.totals, totals([6, 5].into_iter()));
        shop.order(&user, "7");
        let second = page(&shop, &query, 2, first.next.as_deref());
        assert_eq!(second.totals, totals([4, 3].into_iter()), "what is new is above");
        // Going back one meets the first page, and then what came meanwhile.
        let back = page(&shop, &query, 2, second.previous.as_deref());
        assert_eq!(back.totals, totals([6, 5].into_iter()));
        let back = page(&shop, &query, 2, back.previous.as_deref());
        assert_eq!((back.totals, back.previous), (totals([7].into_iter()), None));
    }
}

#[test]
fn a_page_that_lost_its_rows_leads_back() {
    for shop in shops() {
        let user = filled(&shop, 2);
        let other = shop.user("eve");
        let query = [("user_id", user.as_str())];
        let first = page(&shop, &query, 1, None);
        let rows = shop.rows(LIST, &query);
        shop.applied("give_order", &json!({"order_id": rows[1]["order_id"], "to_id": other}));
        let empty = page(&shop, &query, 1, first.next.as_deref());
        assert!(empty.totals.is_empty() && empty.next.is_none());
        let back = page(&shop, &query, 1, empty.previous.as_deref());
        assert_eq!((back.totals, back.next), (totals([2].into_iter()), None), "{}", shop.name);
    }
}

#[test]
fn a_range_includes_its_start_and_not_its_end() {
    for shop in shops() {
        let user = filled(&shop, 5);
        let rows = shop.rows(LIST, &[("user_id", &user)]);
        let at = |number: usize| rows[5 - number]["created_at"].as_str().unwrap().to_owned();
        let (second, fourth) = (at(2), at(4));
        let ranged =
            |more: &[(&str, &str)]| page(&shop, &[&[("user_id", user.as_str())], more].concat(), 50, None).totals;
        assert_eq!(ranged(&[("from", &second), ("to", &fourth)]), totals([3, 2].into_iter()));
        assert_eq!(ranged(&[("from", &fourth)]), totals([5, 4].into_iter()));
        assert_eq!(ranged(&[("to", &second)]), totals([1].into_iter()));
        assert_eq!(ranged(&[("from", &fourth), ("to", &second)]), totals(std::iter::empty()));
        // And pages stay inside.
        let query = [("user_id", user.as_str()), ("from", &second), ("to", &fourth)];
        let first = page(&shop, &query, 1, None);
        let last = page(&shop, &query, 1, first.next.as_deref());
        assert_eq!((last.totals, last.next), (totals([2].into_iter()), None), "{}", shop.name);
    }
}

#[test]
fn a_cursor_is_good_for_its_own_list_alone() {
    let shop = shops().remove(0);
    let user = filled(&shop, 4);
    let query = [("user_id", user.as_str())];
    let cursor = page(&shop, &query, 1, None).next.unwrap();
    let refused = |query: &[(&str, &str)], cursor: &str| match shop.page(LIST, query, Some(1), Some(cursor)) {
        Err(Problem::Cursor(words)) => words,
        other => panic!("{cursor}: {other:?}"),
    };
    assert!(refused(&[("user_id", &shop.user("eve"))], &cursor).contains("other inputs"));
    assert!(refused(&[query[0], ("from", "2026-01-01T00:00:00Z")], &cursor).contains("other inputs"));
    // Not a letter of it can be changed, taken away or added.
    for at in 0..cursor.len() {
        let mut forged = cursor.clone().into_bytes();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        refused(&query, std::str::from_utf8(&forged).unwrap());
        refused(&query, &cursor[..at]);
    }
    refused(&query, &format!("{cursor}AA"));
    refused(&query, "no/cursor?");
    assert!(matches!(shop.page(LIST, &query, Some(2), Some(&cursor)), Ok(Answer::Rows { .. })), "a page may be larger");
    assert!(matches!(shop.page("get_profile", &query, None, Some(&cursor)), Err(Problem::Input(_))));
}

#[test]
fn a_cursor_goes_on_after_a_restart_but_not_in_another_store() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let shop = |at: usize| Shop::in_folder(folders[at].path());
    let user = "0190d3f2-0000-4000-8000-00000000abcd";
    let query = [("user_id", user)];
    let fill = |shop: &Shop| {
        shop.applied("sign_up", &json!({"name": "ann", "email": "ann@x", "user_id": user}));
        (1..=3).for_each(|total| drop(shop.order(user, &total.to_string())));
    };
    let cursor = {
        let shop = shop(0);
        fill(&shop);
        page(&shop, &query, 1, None).next
    };
    let again = page(&shop(0), &query, 5, cursor.as_deref());
    assert_eq!(again.totals, totals([2, 1].into_iter()));
    let other = shop(1);
    fill(&other);
    assert!(
        matches!(other.page(LIST, &query, None, cursor.as_deref()), Err(Problem::Cursor(_))),
        "it has another secret"
    );
}

#[test]
fn a_page_has_the_rows_that_the_catalog_says_at_most() {
    for shop in shops() {
        let user = filled(&shop, 51);
        let query = [("user_id", user.as_str())];
        match shop.read(LIST, &query) {
            Ok(Answer::Rows { rows, next: Some(_), .. }) => assert_eq!(rows.len(), 50),
            other => panic!("{other:?}"),
        }
        for limit in [0, 51, u64::MAX] {
            assert!(matches!(shop.page(LIST, &query, Some(limit), None), Err(Problem::Input(_))), "{limit}");
        }
    }
}
