use std::collections::HashMap;

use crate::catalog::{Catalog, Entity};
use crate::quantity::Distribution;
use crate::types::Type;

/// How large a row is, by its types alone: names, versions and an engine's own overhead come on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowSize {
    /// What most have, in bytes; a collection whose typical count is not stated counts with its worst.
    pub typical: u64,
    /// What none exceeds, in bytes.
    pub worst: u64,
}

impl RowSize {
    /// Of one row of an entity.
    pub fn of_entity(catalog: &Catalog, entity: &Entity) -> Self {
        let tenant = catalog.tenant.iter().filter(|_| entity.per_tenant).map(|tenant| &tenant.ty);
        let fields = entity.fields.iter().map(|field| &field.ty);
        Self::sum(fields.chain(tenant).map(|ty| Self::of_type(catalog, ty)))
    }

    /// Of one value of a type.
    pub fn of_type(catalog: &Catalog, ty: &Type) -> Self {
        Self::bounded(catalog, ty, NESTING_MAX, &mut HashMap::new())
    }

    /// `known` holds the structs that were measured before at the same depth: a struct that holds another one thrice,
    /// level by level, is measured once a level, not three times as often on each.
    fn bounded<'c>(catalog: &'c Catalog, ty: &'c Type, depth: u8, known: &mut HashMap<(&'c str, u8), Self>) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::default() };
        let fixed = |bytes| Self { typical: bytes, worst: bytes };
        match ty {
            Type::Uuid | Type::Uuid7 | Type::Ip | Type::Decimal { .. } => fixed(16),
            Type::Int | Type::Float | Type::Timestamp { .. } => fixed(8),
            Type::Bool => fixed(1),
            Type::Date => fixed(4),
            Type::Duration => fixed(12),
            Type::Text(size) | Type::Bytes(size) | Type::Json(size) => Self { typical: size.typical, worst: size.max },
            Type::Enum(variants) => {
                let lengths = variants.iter().map(|variant| variant.name.len() as u64);
                Self { typical: lengths.clone().max().unwrap_or(0), worst: lengths.max().unwrap_or(0) }
            }
            Type::List(of, count) | Type::Set(of, count) => Self::bounded(catalog, of, depth, known).times(count),
            Type::Map(key, value, count) => {
                let key = Self::bounded(catalog, key, depth, known);
                let value = Self::bounded(catalog, value, depth, known);
                Self::sum([key, value].into_iter()).times(count)
            }
            Type::Struct(name) => {
                if let Some(size) = known.get(&(name.as_str(), depth)) {
                    return *size;
                }
                let members = catalog.struct_type(name).map_or(&[][..], |ty| &ty.members);
                let size = Self::sum(members.iter().map(|(_, ty, _)| Self::bounded(catalog, ty, depth, known)));
                known.insert((name, depth), size);
                size
            }
            Type::OneOf(types) => types
                .iter()
                .map(|ty| Self::bounded(catalog, ty, depth, known))
                .fold(Self::default(), |a, b| Self { typical: a.typical.max(b.typical), worst: a.worst.max(b.worst) }),
        }
    }

    fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::default(), |a, b| Self {
            typical: a.typical.saturating_add(b.typical),
            worst: a.worst.saturating_add(b.worst),
        })
    }

    fn times(self, count: &Distribution<u64>) -> Self {
        let worst = count.worst.or(count.p99).or(count.typical).unwrap_or(0);
        Self {
            typical: self.typical.saturating_mul(count.typical.unwrap_or(worst)),
            worst: self.worst.saturating_mul(worst),
        }
    }
}

/// Structs may hold structs, but not without end; a cycle is a finding of its own and ends here. What the language allows,
/// eight structs with collections and unions between them, is not cut.
const NESTING_MAX: u8 = 64;
