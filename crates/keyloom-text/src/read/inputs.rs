//! The inputs of one pattern, their types inferred from where they stand. One name, one type.

use std::collections::HashMap;

use keyloom_finding::{Finding, Place};
use keyloom_model::{Catalog, Input, Struct, Type};

use super::naming::nearest;
use super::typing::fits;
use crate::rules::{misplaced_optional, two_types, unknown_name};

/// What is known of the inputs so far.
#[derive(Default)]
pub(super) struct Inputs {
    drafts: Vec<Draft>,
    by_name: HashMap<String, usize>,
}

struct Draft {
    name: String,
    place: Place,
    ty: Option<Type>,
    optional: bool,
    list_max: Option<u64>,
    /// Without it a test is dropped, so there is one more way to read; a body's optional field only stays absent.
    drops_test: bool,
    /// A create makes it where it is not sent, so no later use of it needs it from the caller.
    made: bool,
    /// The other end of an optional range is an input too: the two count once.
    range_end: bool,
}

impl Inputs {
    /// Uses an input, as a value of a type if that is known here. Answers with the type that is known by now.
    pub(super) fn use_as(
        &mut self,
        name: &str,
        place: Place,
        ty: Option<&Type>,
        optional: bool,
        list_max: Option<u64>,
    ) -> Result<Option<Type>, Finding> {
        let Some(draft) = self.draft(name) else {
            self.by_name.insert(name.to_owned(), self.drafts.len());
            self.drafts.push(Draft {
                name: name.to_owned(),
                place,
                ty: ty.cloned(),
                optional,
                list_max,
                drops_test: false,
                made: false,
                range_end: false,
            });
            return Ok(ty.cloned());
        };
        // What is needed anywhere is needed.
        draft.optional &= optional || draft.made;
        draft.list_max = draft.list_max.or(list_max);
        match (&draft.ty, ty) {
            (None, Some(ty)) => {
                draft.ty = Some(ty.clone());
                draft.place = place;
            }
            // Of two types of which one fits the other, the caller sends the narrower: a count is also a factor of a sum.
            (Some(first), Some(ty)) if is_narrower(ty, first) => draft.ty = Some(ty.clone()),
            (Some(first), Some(ty)) if !fits(first, ty) => {
                return Err(two_types::finding(place, draft.place, name, &ty.word(), &first.word()));
            }
            _ => {}
        }
        Ok(draft.ty.clone())
    }

    fn draft(&mut self, name: &str) -> Option<&mut Draft> {
        self.by_name.get(name).map(|&at| &mut self.drafts[at])
    }

    /// A create makes this identity where it is not sent.
    pub(super) fn made(&mut self, name: &str) {
        if let Some(draft) = self.draft(name) {
            draft.made = true;
        }
    }

    /// The caller must send it, whoever else could make it.
    pub(super) fn require(&mut self, name: &str) {
        if let Some(draft) = self.draft(name) {
            draft.optional = false;
        }
    }

    /// `$x?`: without it, the test it stands in is dropped.
    pub(super) fn drops_test(&mut self, name: &str) {
        if let Some(draft) = self.draft(name) {
            draft.drops_test = true;
        }
    }

    /// `in $from?..$to?` drops each end alone and counts once.
    pub(super) fn count_once(&mut self, end: &str) {
        if let Some(draft) = self.draft(end) {
            draft.range_end = true;
        }
    }

    /// The type of an input, if something has decided it.
    pub(super) fn type_of(&self, name: &str) -> Option<Type> {
        self.by_name.get(name).and_then(|&at| self.drafts[at].ty.clone())
    }

    /// Where a whole list is an input, what a step reads of its items is a part of it and no input beside it.
    fn join_lists(&mut self, catalog: &Catalog, findings: &mut Vec<Finding>) {
        let lists: HashMap<String, (Place, &Struct)> = self
            .drafts
            .iter()
            .filter_map(|draft| match &draft.ty {
                Some(Type::List(of, _)) => match &**of {
                    Type::Struct(name) => Some((draft.name.clone(), (draft.place, catalog.struct_type(name)?))),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        self.drafts.retain(|draft| {
            let Some((list, member)) = draft.name.split_once("[].") else { return true };
            let Some((place, item)) = lists.get(list) else { return true };
            match (item.members.iter().find(|(name, ..)| name == member), &draft.ty) {
                (None, _) => {
                    let all: Vec<&str> = item.members.iter().map(|(name, ..)| name.as_str()).collect();
                    let within = format!(" in {}", item.name);
                    let nearest = nearest(member, all.iter().copied());
                    findings.push(unknown_name::finding(draft.place, "member", member, &within, nearest, &all));
                }
                (Some((_, ty, _)), Some(used)) if !fits(ty, used) => {
                    findings.push(two_types::finding(draft.place, *place, &draft.name, &used.word(), &ty.word()));
                }
                _ => {}
            }
            false
        });
    }

    /// The inputs, and what is wrong with them. `$caller` comes from the credential, so it is not among them.
    pub(super) fn finish(mut self, catalog: &Catalog, pattern: Place, findings: &mut Vec<Finding>) -> Vec<Input> {
        self.join_lists(catalog, findings);
        let optional = self.drafts.iter().filter(|draft| draft.drops_test && !draft.range_end).count();
        if optional > OPTIONAL_MAX {
            findings.push(misplaced_optional::too_many(pattern, optional));
        }
        let mut inputs = Vec::new();
        for draft in self.drafts {
            if draft.name == CALLER {
                continue;
            }
            match draft.ty {
                Some(ty) => {
                    inputs.push(Input { name: draft.name, ty, optional: draft.optional, list_max: draft.list_max });
                }
                None => findings.push(two_types::untyped(draft.place, &draft.name)),
            }
        }
        inputs
    }
}

/// Whether every value of one type is one of the other, and not the other way round.
fn is_narrower(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Uuid7, Type::Uuid)) || (fits(a, b) && !fits(b, a))
}

/// `$caller`: the authenticated subject.
pub(super) const CALLER: &str = "caller";

/// Eight paths.
const OPTIONAL_MAX: usize = 3;

/// Whether two types are one for the caller: sizes and shares do not matter, uuid7 is a uuid with a version.
pub(super) fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Text(_), Type::Text(_)) | (Type::Bytes(_), Type::Bytes(_)) | (Type::Json(_), Type::Json(_)) => true,
        (Type::Uuid | Type::Uuid7, Type::Uuid | Type::Uuid7) | (Type::Timestamp { .. }, Type::Timestamp { .. }) => true,
        (Type::Enum(a), Type::Enum(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name),
        (Type::OneOf(a), Type::OneOf(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_type(a, b)),
        (Type::List(a, _), Type::List(b, _)) | (Type::Set(a, _), Type::Set(b, _)) => same_type(a, b),
        (Type::Map(a, c, _), Type::Map(b, d, _)) => same_type(a, b) && same_type(c, d),
        (a, b) => a == b,
    }
}
