//! Structs: what they hold, that they end, and how much there is in them.

use std::collections::{HashMap, HashSet};

use keyloom_model::{Struct, Type, count_text};

use super::fields::lower_type;
use super::naming::Case;
use super::scope::struct_path;
use super::syntax::{Grammar, Reader};
use crate::parse::types;
use crate::rules::{bad_type, unknown_name};
use crate::yaml::Node;

/// How deep structs may hold structs, and how many members one may have with those of all that it holds: far above what
/// people write. A value is stored with all its members, so they are counted as often as they are there.
const DEPTH_MAX: u64 = 8;
const MEMBERS_MAX: u64 = 1_000;

/// Reads `types:`.
pub(super) fn read_structs(reader: &mut Reader<'_>, node: &Node) {
    for (name, value) in reader.entries(node, "types", "`types`", "types: { Line: { sku: text(10..40), qty: int } }") {
        reader.check_name(&name, "a struct", Case::Entity);
        let path = format!("types.{}", name.text);
        let mut members = Vec::new();
        let before = reader.faults();
        let entries = reader.entries(value, &path, "a struct", "Line: { sku: text(10..40), qty: int }");
        if entries.is_empty() && reader.faults() > before {
            reader.misread(path);
        }
        for (member, value) in entries {
            reader.check_field_name(&member, "a member");
            // A struct may name one that is written further down, so names of structs are checked at the end.
            match read_member(reader, value) {
                Some((ty, optional)) => members.push((member.text, ty, optional)),
                None => reader.misread(struct_path(&name.text, Some(&member.text))),
            }
        }
        reader.catalog.types.push(Struct { name: name.text, members });
    }
}

fn read_member(reader: &mut Reader<'_>, node: &Node) -> Option<(Type, bool)> {
    let text = reader.text(node, "a member", "sku: text(10..40)")?;
    let (ty, optional) = reader.parse_text(&text, Grammar::Type, types::type_alone)?;
    Some((lower_type(reader, &ty, &text)?, optional))
}

/// Finds structs that hold themselves, and those that hold too much.
pub(super) fn check_structs(reader: &mut Reader<'_>) {
    let structs = reader.catalog.types.clone();
    let Nesting { inner_first, endless } = Nesting::of(&structs);
    let by_name: HashMap<&str, &Struct> = structs.iter().rev().map(|ty| (ty.name.as_str(), ty)).collect();
    let mut faults: HashMap<&str, Option<String>> =
        endless.into_iter().map(|name| (name, Some(format!("struct `{name}` holds itself")))).collect();
    let mut extents: HashMap<&str, Extent> = HashMap::new();
    for name in inner_first {
        let extent = by_name.get(name).map_or_else(Extent::default, |ty| Extent::of(ty, &extents));
        let fault = extent.fault(name);
        // Those that hold one which was refused have no end either, but are no fault of their own.
        let refused = extent.refused || fault.is_some();
        extents.insert(name, Extent { refused, ..extent });
        if refused {
            faults.insert(name, fault);
        }
    }
    for ty in &structs {
        let Some(fault) = faults.remove(ty.name.as_str()) else { continue };
        // Without its members it has an end, and nobody computes with a size that has none.
        reader.misread(struct_path(&ty.name, None));
        if let Some(own) = reader.catalog.types.iter_mut().find(|own| own.name == ty.name) {
            own.members.clear();
        }
        if let (Some(fault), Some(place)) = (fault, reader.places.key(&format!("types.{}", ty.name))) {
            let help = "make the inner one an entity, and point to it".to_owned();
            reader.push(bad_type::finding(place, fault, Some(help)));
        }
    }
}

/// How much a struct holds.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// How many structs stand within each other, itself included.
    depth: u64,
    /// Its members, and those of the structs that it holds.
    members: u64,
    /// It is refused, or holds one that is.
    refused: bool,
}

impl Extent {
    /// Of a struct, when those that it holds are known.
    fn of(ty: &Struct, known: &HashMap<&str, Self>) -> Self {
        let mut all = Self { depth: 1, ..Self::default() };
        for (_, of, _) in &ty.members {
            all.members = all.members.saturating_add(1);
            for inner in struct_names(of).into_iter().filter_map(|name| known.get(name)) {
                all.depth = all.depth.max(inner.depth + 1);
                all.members = all.members.saturating_add(inner.members);
                all.refused |= inner.refused;
            }
        }
        all
    }

    fn fault(self, name: &str) -> Option<String> {
        if self.refused {
            return None;
        }
        if self.depth > DEPTH_MAX {
            return Some(format!("struct `{name}` holds structs {} deep, and {DEPTH_MAX} are the most", self.depth));
        }
        let (members, most) = (count_text(self.members), count_text(MEMBERS_MAX));
        let what =
            format!("struct `{name}` has {members} members with those of the structs in it, and {most} are the most");
        (self.members > MEMBERS_MAX).then_some(what)
    }
}

/// How structs hold each other.
struct Nesting<'s> {
    /// Those that end, each behind all that it holds.
    inner_first: Vec<&'s str>,
    /// Those on a circle: they remain when structs that hold none of the others, and structs that none of the others
    /// holds, are taken away one by one.
    endless: HashSet<&'s str>,
}

impl<'s> Nesting<'s> {
    fn of(structs: &'s [Struct]) -> Self {
        let members = structs.iter().flat_map(|ty| ty.members.iter().map(|(_, of, _)| (ty.name.as_str(), of)));
        let forwards: Vec<(&str, &str)> =
            members.flat_map(|(outer, of)| struct_names(of).into_iter().map(move |inner| (outer, inner))).collect();
        let backwards = forwards.iter().map(|(outer, inner)| (*inner, *outer)).collect::<Vec<_>>();
        let mut endless: HashSet<&str> = structs.iter().map(|ty| ty.name.as_str()).collect();
        let inner_first = peel(&mut endless, &forwards);
        peel(&mut endless, &backwards);
        Self { inner_first, endless }
    }
}

/// Takes away, one by one, what has no edge to anything that is left, and says in which order.
fn peel<'s>(left: &mut HashSet<&'s str>, edges: &[(&'s str, &'s str)]) -> Vec<&'s str> {
    let mut edges_from: HashMap<&str, usize> = HashMap::new();
    let mut into: HashMap<&str, Vec<&str>> = HashMap::new();
    for (from, to) in edges.iter().filter(|(from, to)| left.contains(from) && left.contains(to)) {
        *edges_from.entry(from).or_default() += 1;
        into.entry(to).or_default().push(from);
    }
    let mut ends: Vec<&str> = left.iter().copied().filter(|name| !edges_from.contains_key(name)).collect();
    let mut order = Vec::new();
    while let Some(end) = ends.pop() {
        left.remove(end);
        order.push(end);
        for from in into.remove(end).unwrap_or_default() {
            if let Some(count) = edges_from.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    ends.push(from);
                }
            }
        }
    }
    order
}

fn struct_names(ty: &Type) -> Vec<&str> {
    match ty {
        Type::Struct(name) => vec![name],
        Type::List(of, _) | Type::Set(of, _) => struct_names(of),
        Type::Map(key, value, _) => [struct_names(key), struct_names(value)].concat(),
        Type::OneOf(types) => types.iter().flat_map(struct_names).collect(),
        _ => Vec::new(),
    }
}

/// Finds types that name a struct which does not exist.
pub(super) fn check_named_types(reader: &mut Reader<'_>) {
    for name in std::mem::take(&mut reader.named_types) {
        if reader.catalog.struct_type(&name.text).is_none() {
            let all: Vec<&str> = reader.catalog.types.iter().map(|ty| ty.name.as_str()).collect();
            let nearest = reader.suggest(&name.text, all.iter().copied());
            let finding = unknown_name::finding(name.place, "struct", &name.text, " in `types`", nearest, &all);
            reader.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use keyloom_finding::Sources;

    use crate::{Files, Reading, Unreadable, read};

    struct One(String);

    impl Files for One {
        fn open(&self, _: &str) -> Result<String, Unreadable> {
            Ok(self.0.clone())
        }
    }

    /// A catalog whose structs hold the next one so often, and so deep.
    fn nested(levels: usize, times: usize) -> Reading {
        let mut text = "language: 1\ncatalog: boxes\ntypes:\n".to_owned();
        for level in 1..levels {
            let members: Vec<String> = (0..times).map(|at| format!("m{at}: S{}", level + 1)).collect();
            text.push_str(&format!("  S{level}: {{ {} }}\n", members.join(", ")));
        }
        text.push_str(&format!("  S{levels}: {{ last: int }}\n"));
        text.push_str("entities:\n  Box: { key: [box_id], fields: { box_id: uuid = new, holds: S1 } }\n");
        read("catalog.yaml", &One(text), &mut Sources::default())
    }

    fn faults(reading: &Reading) -> Vec<&str> {
        reading.findings.iter().map(|finding| finding.message.as_str()).collect()
    }

    #[test]
    fn structs_end_at_a_depth() {
        assert!(faults(&nested(8, 1)).is_empty());
        assert_eq!(faults(&nested(9, 1)), ["struct `S1` holds structs 9 deep, and 8 are the most"]);
        // The ninth from the end is refused, and with it all that hold it, without a word for each.
        assert_eq!(faults(&nested(2_000, 1)).len(), 1);
    }

    #[test]
    fn members_are_counted_as_often_as_they_are_there() {
        assert!(faults(&nested(6, 3)).is_empty(), "3 + 9 + 27 + 81 + 243 + 243");
        let fault = "struct `S1` has 1,821 members with those of the structs in it, and 1k are the most";
        assert_eq!(faults(&nested(7, 3)), [fault]);
        // Once without a bound, fourteen levels took a quarter of a minute.
        assert!(!faults(&nested(14, 3)).is_empty() && !faults(&nested(60, 200)).is_empty());
    }
}
