//! What an answer holds of each row, and where it comes from.

use keyloom_model::{Endpoint, Entity, Field, Path, Returns, Root};
use keyloom_value::Kind;

use super::{Bound, Copied, EntityPlan, KeyPart, Program, one};
use crate::{evaluate::BuiltIn, shown::Name};

/// What is answered for each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outputs {
    pub(crate) items: Vec<(Name, From)>,
    /// Other rows that are looked up: the entity, and the own fields that its source's key equals.
    pub(crate) lookups: Vec<(usize, Vec<usize>)>,
    /// Kept values that are looked up: which, and the own fields that their key equals.
    pub(crate) kept: Vec<(usize, Vec<usize>)>,
}

/// Members of one object come one after the other, where the first of them stands.
fn together(items: &mut [(Vec<String>, From)]) {
    let first_of = |names: &[String]| names.first().cloned();
    let order: Vec<Option<String>> = items.iter().map(|(names, _)| first_of(names)).collect();
    items.sort_by_key(|(names, _)| order.iter().position(|first| *first == first_of(names)));
}

/// Where a value of an answer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    Field(usize),
    BuiltIn(String),
    Lookup {
        lookup: usize,
        field: usize,
    },
    Kept {
        kept: usize,
        /// Which of the rows that are looked up it is of; of the own one unless stated.
        of: Option<usize>,
    },
    /// Of those that a row of a list holds of other rows.
    Copied {
        copied: usize,
        kind: Kind,
    },
}

impl Program {
    /// Where what is answered comes from; rows of a list may hold some fields of others.
    pub(super) fn outputs(
        &self,
        returns: &Returns,
        plan: &EntityPlan,
        entity: &Entity,
        copied: &[Copied],
    ) -> Bound<Outputs> {
        let fields = |holds: &dyn Fn(&Field) -> bool| -> Vec<Path> {
            entity.fields.iter().filter(|field| holds(field)).map(|field| Path::own(&field.name)).collect()
        };
        let paths: Vec<Path> = match returns {
            Returns::Paths(paths) => paths.clone(),
            Returns::Default => fields(&|field| Endpoint::holds(&self.catalog, field)),
            Returns::All | Returns::Before | Returns::After => fields(&|_| true),
        };
        let (mut outputs, mut items) = (Outputs::default(), Vec::new());
        for path in &paths {
            let held = copied.iter().position(|copied| copied.path == *path);
            let from = match held {
                Some(at) => Some(From::Copied { copied: at, kind: copied[at].kind.clone() }),
                None if !path.members.is_empty() => return one(format!("`returns: {path}`")),
                None => self.output(path, plan, entity, &mut outputs),
            };
            // What is not run of the other entity, or of what keeps the value, was said there.
            let Some(from) = from else { return Err(Vec::new()) };
            items.push((path.to_string().split('.').map(str::to_owned).collect(), from));
        }
        together(&mut items);
        outputs.items = items.into_iter().map(|(path, from)| (Name::of(path), from)).collect();
        Ok(outputs)
    }

    fn output(&self, path: &Path, plan: &EntityPlan, entity: &Entity, outputs: &mut Outputs) -> Option<From> {
        match &path.root {
            Root::Own => match plan.field(&path.field) {
                Some(field) if plan.is_kept(field) => {
                    let at = self.kept_at(plan, field)?;
                    outputs.kept.push((at, self.kept[at].key.clone()));
                    Some(From::Kept { kept: outputs.kept.len() - 1, of: None })
                }
                Some(field) => Some(From::Field(field)),
                None => BuiltIn::kind(&path.field).map(|_| From::BuiltIn(path.field.clone())),
            },
            Root::Reference { field, entity: other } => {
                let (to, key) = self.joined(plan, entity, entity.field(field)?, self.catalog.entity(other)?)?;
                let from = self.entities[to].field(&path.field)?;
                let lookups = &mut outputs.lookups;
                let lookup = lookups.iter().position(|known| *known == (to, key.clone())).unwrap_or_else(|| {
                    lookups.push((to, key.clone()));
                    lookups.len() - 1
                });
                if self.entities[to].is_kept(from) {
                    // A value may be kept for a row that is not there: rows that point to it count.
                    let at = self.kept_at(&self.entities[to], from)?;
                    let source = &self.entities[to].source.key;
                    let own = |part: &usize| Some(key[source.iter().position(|known| known.field() == Some(*part))?]);
                    let own = self.kept[at].key.iter().map(own).collect::<Option<Vec<usize>>>()?;
                    outputs.kept.push((at, own));
                    return Some(From::Kept { kept: outputs.kept.len() - 1, of: Some(lookup) });
                }
                Some(From::Lookup { lookup, field: from })
            }
            Root::Edge { .. } | Root::Item(_) => None,
        }
    }

    /// The value that a field is kept in.
    pub(super) fn kept_at(&self, owner: &EntityPlan, field: usize) -> Option<usize> {
        self.kept.iter().position(|kept| kept.field == field && self.entities[kept.owner].name == owner.name)
    }

    /// The entity that a reference leads to, and the own fields that its source's key equals.
    pub(super) fn joined(
        &self,
        plan: &EntityPlan,
        entity: &Entity,
        reference: &Field,
        other: &Entity,
    ) -> Option<(usize, Vec<usize>)> {
        let to = self.entities.iter().position(|known| known.name == other.name)?;
        let join = entity.join(reference, other);
        let other = &self.entities[to];
        let own = |part: &KeyPart| {
            let part = part.field()?;
            if other.tenant == Some(part) {
                return plan.tenant;
            }
            let key = &other.fields[part].0;
            let (own, _) = join.iter().find(|(_, to)| to == key)?;
            plan.field(own)
        };
        Some((to, other.source.key.iter().map(own).collect::<Option<Vec<usize>>>()?))
    }
}
