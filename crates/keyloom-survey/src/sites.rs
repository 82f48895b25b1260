//! One statement may be used in several places; what is said about it must hold in all of them.

use std::collections::BTreeSet;

use keyloom_code::{Argument, Bound, Site, Snippet, Taken};

/// What all places that use a statement agree on. A statement that nobody was seen to use stands where it is written.
pub(crate) fn agreed(snippet: Snippet) -> Site {
    let mut sites = snippet.sites.into_iter();
    let Some(mut agreed) = sites.next() else {
        let Snippet { unit, at, function, container, test_code, .. } = snippet;
        return Site { unit, at, function, container, test_code, ..Site::default() };
    };
    for site in sites {
        agreed.test_code &= site.test_code;
        agreed.in_loop &= site.in_loop;
        keep_equal(&mut agreed.batch, &site.batch);
        keep_equal(&mut agreed.page_size, &site.page_size);
        keep_equal(&mut agreed.consistency, &site.consistency);
        keep_equal(&mut agreed.idempotent, &site.idempotent);
        keep_equal(&mut agreed.timestamp, &site.timestamp);
        keep_equal(&mut agreed.consumed, &site.consumed);
        agreed.arguments.retain_mut(|argument| agree_on(argument, &site.arguments));
    }
    agreed
}

/// What all units that hold or send a statement take out of rows.
pub(crate) fn taken(snippet: &Snippet, by_unit: &[Taken]) -> Taken {
    let units: BTreeSet<usize> = snippet.sites.iter().map(|site| site.unit).chain([snippet.unit]).collect();
    let all: Vec<&Taken> = units.into_iter().filter_map(|unit| by_unit.get(unit)).collect();
    let names: BTreeSet<&String> = all.iter().flat_map(|taken| &taken.names).collect();
    Taken { names: names.into_iter().cloned().collect(), more: all.iter().any(|taken| taken.more) }
}

fn keep_equal<T: PartialEq>(agreed: &mut Option<T>, other: &Option<T>) {
    if agreed != other {
        *agreed = None;
    }
}

/// Whether another place binds the same marker; its value stays known only if it is the same there.
fn agree_on(argument: &mut Argument, others: &[Argument]) -> bool {
    let Some(other) = others.iter().find(|other| other.marker == argument.marker) else { return false };
    if other.value != argument.value {
        argument.value = Bound::Unknown;
    }
    true
}
