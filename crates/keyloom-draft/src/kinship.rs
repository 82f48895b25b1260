//! Which tables hold the same fact, and why that is thought.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, Type};

use crate::source::{Source, Sources};

/// Tables that hold one fact.
pub(crate) struct Family<'s> {
    /// The table that stands for it; the others are ways to the same rows.
    pub(crate) base: usize,
    /// The other tables, each with how it is related.
    pub(crate) others: Vec<(usize, Kinship)>,
    /// The columns that tell rows apart.
    pub(crate) identity: Vec<&'s str>,
    /// All columns, those of the base first.
    pub(crate) columns: Vec<&'s Column>,
    /// Columns of which each value belongs to one row, with the table that says so.
    pub(crate) unique: Vec<(Vec<&'s str>, usize)>,
}

/// How a table is related to the one that it is taken for a projection of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// The server keeps it.
    View,
    /// Its key holds the other's whole key, and all of its key is there.
    Sorted,
    /// The same key in another order.
    Reordered,
    /// Neither key holds the other, but both have the columns of both.
    Shared,
    /// Each of its rows, found by one key, leads to the other's key.
    Lookup,
    /// Its rows, sorted within a group, lead to the other's key.
    Listed,
}

/// Tables that are written together.
pub(crate) type Together = BTreeSet<(usize, usize)>;

/// How many families one table is compared with.
const COMPARED_MAX: usize = 256;

/// Finds the families of a schema.
pub(crate) fn families<'s>(sources: &Sources<'s>, together: &Together) -> Vec<Family<'s>> {
    let mut order: Vec<usize> = (0..sources.all.len()).filter(|at| sources.all[*at].twin_of.is_none()).collect();
    order.sort_by_key(|at| {
        let source = &sources.all[*at];
        let columns = source.key.len() + source.values.len();
        (
            source.view_of.is_some(),
            source.is_named_as_way(),
            source.identity.len(),
            usize::MAX - columns,
            source.table.keyspace.as_str(),
            source.name(),
            source.is_static,
        )
    });
    let mut families: Vec<Family<'s>> = Vec::new();
    let mut family_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut by_column: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for at in order {
        let source = &sources.all[at];
        let found = match source.view_of.and_then(|base| family_of.get(&base)) {
            Some(family) => Some((*family, Kinship::View)),
            None if source.is_static => None,
            None => {
                // Whatever it is a projection of has the column of its key that the fewest have.
                let has = |column: &&Column| by_column.get(column.name.as_str()).map_or(0, BTreeSet::len);
                let rarest = source.key.iter().min_by_key(|column| has(column));
                let candidates = rarest.and_then(|column| by_column.get(column.name.as_str()));
                let mut candidates: Vec<usize> = candidates.into_iter().flatten().copied().take(COMPARED_MAX).collect();
                // A table of the same name is the first that comes to mind.
                candidates.sort_by_key(|family| sources.all[families[*family].base].stem != source.stem);
                candidates.into_iter().find_map(|family| {
                    kinship(sources, at, &families[family], together).map(|kinship| (family, kinship))
                })
            }
        };
        let family = match found {
            Some((family, kinship)) => {
                let base = &sources.all[families[family].base];
                join(&mut families[family], at, (source, base), kinship);
                family
            }
            None => {
                let columns = source.key.iter().chain(&source.values).copied().collect();
                let identity = source.identity.clone();
                families.push(Family { base: at, others: Vec::new(), identity, columns, unique: Vec::new() });
                families.len() - 1
            }
        };
        family_of.insert(at, family);
        for column in source.key.iter().chain(&source.values) {
            by_column.entry(&column.name).or_default().insert(family);
        }
    }
    families.sort_by_key(|family| family.base);
    families
}

fn join<'s>(family: &mut Family<'s>, at: usize, (source, base): (&Source<'s>, &Source<'s>), kinship: Kinship) {
    let key: Vec<&str> = source.key.iter().map(|column| column.name.as_str()).collect();
    match kinship {
        Kinship::Shared => {
            let shared: Vec<&str> = family.identity.iter().copied().filter(|name| key.contains(name)).collect();
            family.identity = shared;
        }
        Kinship::Lookup => family.unique.push((key, at)),
        Kinship::View | Kinship::Sorted | Kinship::Reordered | Kinship::Listed => {}
    }
    // What is a bucket there is one here, whatever part of the key it stands in.
    let is_bucket = |column: &&&Column| base.buckets.iter().any(|(name, _)| *name == column.name);
    for column in source.key.iter().chain(&source.values).filter(|column| !is_bucket(column)) {
        if !family.columns.iter().any(|known| known.name == column.name) {
            family.columns.push(column);
        }
    }
    family.others.push((at, kinship));
}

fn kinship(sources: &Sources<'_>, at: usize, family: &Family<'_>, together: &Together) -> Option<Kinship> {
    let source = &sources.all[at];
    let base = &sources.all[family.base];
    if source.table.keyspace != base.table.keyspace || base.is_static || source.has_counters() != base.has_counters() {
        return None;
    }
    let column = |name: &str| family.columns.iter().find(|column| column.name == name);
    let same = |own: &&Column| column(&own.name).is_some_and(|other| bare(&other.of) == bare(&own.of));
    if !source.key.iter().all(&same) {
        return None;
    }
    let shared = source.values.iter().filter(|own| same(own)).count();
    let key: Vec<&str> = source.key.iter().map(|column| column.name.as_str()).collect();
    let same_stem = source.stem == base.stem;
    let written_together = std::iter::once(family.base)
        .chain(family.others.iter().map(|(other, _)| *other))
        .any(|other| together.contains(&(at.min(other), at.max(other))));
    let related = same_stem || written_together;
    // Tables of other names are kin only where what they share is sure to be the same thing.
    let akin = related || shared > 1 || names_one(&family.identity, base);
    let mostly_shared = shared * 2 >= source.values.len();
    if family.identity.iter().all(|name| key.contains(name)) {
        let same_identity = source.identity.len() == family.identity.len();
        let same_order = source.key.first().map(|column| &column.name) == base.key.first().map(|column| &column.name);
        // The same key in the same order is another part of the same thing, or its older version: no projection.
        return match (same_identity, same_order) {
            (true, true) if key.len() == base.key.len() => None,
            (true, _) => {
                let ids = family.identity.iter().all(|name| name.ends_with("_id"));
                let as_much = shared == source.values.len() && shared == base.values.len();
                (mostly_shared && (related || (ids && as_much))).then_some(Kinship::Reordered)
            }
            (false, _) => (mostly_shared && akin).then_some(Kinship::Sorted),
        };
    }
    let has_base_key = base.key.iter().all(|column| source.has_column(&column.name));
    let common: Vec<&str> = family.identity.iter().copied().filter(|name| key.contains(name)).collect();
    let is_id = |name: &&str| {
        let of = column(name).map(|column| &column.of);
        matches!(of, Some(Type::Native(Native::Uuid | Native::Timeuuid))) || name.ends_with("_id") || *name == "id"
    };
    if common.iter().any(is_id) && has_base_key && mostly_shared && related {
        return Some(Kinship::Shared);
    }
    let leads_to_key = family.identity.iter().all(|name| source.values.iter().any(|column| column.name == *name));
    let only_leads = shared == source.values.len();
    if !(common.is_empty() && leads_to_key && only_leads && (source.is_named_as_way() || related)) {
        return None;
    }
    let is_one = source.table.clustering().next().is_none();
    Some(if is_one { Kinship::Lookup } else { Kinship::Listed })
}

/// Whether the last column of an identity is named after the table, or as an id of something: `conv` in `conversation`,
/// `user_id`; not `name`.
fn names_one(identity: &[&str], base: &Source<'_>) -> bool {
    let Some(last) = identity.last() else { return false };
    let stem = base.stem.join("_");
    let short = last.strip_suffix("_id").unwrap_or(last);
    last.ends_with("_id") || stem == short || (short.len() > 2 && !stem.contains('_') && stem.starts_with(short))
}

/// A type without `frozen`, which changes how it is stored and not what it is.
fn bare(of: &Type) -> &Type {
    match of {
        Type::Frozen(of) => bare(of),
        other => other,
    }
}

/// Why a table was taken for a projection, as a sentence about it.
pub(crate) fn reason(
    sources: &Sources<'_>,
    at: usize,
    kinship: Kinship,
    family: &Family<'_>,
    together: &Together,
) -> String {
    let source = &sources.all[at];
    let base = sources.all[family.base].name();
    let list = |columns: &[&str]| columns.join(", ");
    let key: Vec<&str> = source.key.iter().map(|column| column.name.as_str()).collect();
    let why = match kinship {
        Kinship::View => format!("a materialized view of {base}"),
        Kinship::Sorted => {
            format!(
                "its key [{}] holds all of [{}], and the rest of it are columns of {base}",
                list(&key),
                list(&family.identity)
            )
        }
        Kinship::Reordered => format!("the key of {base} in another order"),
        Kinship::Shared => {
            format!("it has the columns of {base}, and both keys have [{}]", list(&family.identity))
        }
        Kinship::Listed => format!("its rows lead to [{}] and to nothing else", list(&family.identity)),
        Kinship::Lookup => format!("[{}] leads to [{}] and to nothing else", list(&key), list(&family.identity)),
    };
    let batch = together.contains(&(at.min(family.base), at.max(family.base)));
    format!("{why}{}", if batch { "; one batch writes both" } else { "" })
}
