use keyloom_run::Answer;

use super::{
    desk::Desk,
    plain::{Expected, Plain},
};

/// Some rows, some of them moved, then many calls; every answer is that of the plain list.
pub fn compare(mut desk: Desk, calls: usize) {
    for _ in 0..10 + desk.dice.below(60) {
        desk.change();
    }
    for _ in 0..calls {
        let call = desk.call();
        let expected = Plain(&desk).answer(&call);
        let told = |what: &str, found: &dyn std::fmt::Debug| {
            panic!("{}: {call:?}: {what}\nexpected {expected:#?}\nfound {found:#?}", desk.name)
        };
        match &expected {
            Expected::Row(row) => {
                let found = desk.row(&call);
                if found != *row {
                    told("another row", &found);
                }
            }
            Expected::Count(count, at_least) => {
                let answer = desk.ask(&call, None, None);
                if answer != Ok(Answer::Count { count: *count, at_least: *at_least }) {
                    told("another count", &answer);
                }
            }
            Expected::Rows(rows) => {
                let there = desk.all_pages(&call);
                if there != *rows {
                    told("other rows", &there);
                }
                let back = desk.all_pages_back(&call);
                if back != *rows {
                    told("other rows on the way back", &back);
                }
            }
        }
    }
}
