use crate::catalog::{Catalog, Entity, Field};
use crate::class::Class;
use crate::expr::{Expr, Literal, Member, Path, Root};
use crate::pattern::{Action, Change, Input, Pattern, ReadVerb, Returns, Step, Write, WriteVerb};
use crate::row_size::RowSize;
use crate::types::Type;

/// A pattern as its callers see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// `/v1/<pattern>`
    pub path: String,
    /// What the caller sends.
    pub inputs: Vec<Input>,
    /// What the answer holds for each row.
    pub outputs: Vec<Output>,
    /// Why a write may not be applied: a closed list.
    pub reasons: Vec<String>,
    /// Whether the request must carry an idempotency key.
    pub needs_idempotency_key: bool,
}

/// One value of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// As a path: `case.title`, `latest[].at`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// May be absent.
    pub optional: bool,
}

impl Endpoint {
    /// Fields whose maximum is above this are left out of an answer unless they are asked for.
    pub const LARGE_FIELD_BYTES: u64 = 4096;

    /// Whether an answer holds this field where the pattern does not say what it returns.
    pub fn holds(catalog: &Catalog, field: &Field) -> bool {
        RowSize::of_type(catalog, &field.ty).worst <= Self::LARGE_FIELD_BYTES
    }

    /// How a pattern is asked; `None` for one that is served elsewhere.
    pub fn method_of(pattern: &Pattern) -> Option<&'static str> {
        match &pattern.action {
            Action::Outside(_) => None,
            Action::Read(read) if read.batch.is_none() => Some("GET"),
            Action::Read(_) | Action::Write(_) | Action::Claim(_) | Action::Atomic(_) => Some("POST"),
        }
    }

    /// The endpoint of a pattern; `None` for one that is served elsewhere.
    pub fn of(catalog: &Catalog, pattern: &Pattern) -> Option<Self> {
        let method = Self::method_of(pattern)?;
        let mut outputs = match &pattern.action {
            Action::Outside(_) | Action::Atomic(_) => Vec::new(),
            Action::Read(read) => {
                let mut outputs = match read.verb {
                    ReadVerb::Count => vec![Output { name: "count".into(), ty: Type::Int, optional: false }],
                    _ => rows_out(catalog, &read.selection.entity, &read.returns, false),
                };
                for with in &read.with {
                    let rows = rows_out(catalog, &with.read.selection.entity, &with.read.returns, false);
                    outputs.extend(
                        rows.into_iter().map(|out| Output { name: format!("{}[].{}", with.name, out.name), ..out }),
                    );
                }
                outputs
            }
            Action::Write(write) => rows_out(catalog, &write.entity, &write.returns, true),
            Action::Claim(claim) => {
                let mut outputs = rows_out(catalog, &claim.selection.entity, &claim.returns, false);
                // Whoever finishes the work must show that the row is still theirs: `if: lease = $lease`.
                let lease = Output { name: "lease".into(), ty: Type::Timestamp { micros: false }, optional: false };
                outputs.retain(|output| output.name != lease.name);
                outputs.push(lease);
                outputs
            }
        };
        // A worker that crosses tenants must know whose row it holds.
        if pattern.all_tenants
            && let Some(tenant) = &catalog.tenant
        {
            outputs.insert(0, Output { name: tenant.field.clone(), ty: tenant.ty.clone(), optional: false });
        }
        Some(Self {
            method,
            path: format!("/v1/{}", pattern.name),
            inputs: pattern.inputs.clone(),
            outputs,
            reasons: reasons(catalog, pattern),
            needs_idempotency_key: needs_idempotency_key(pattern),
        })
    }
}

/// Every write carries a key unless its own fields say "once".
fn needs_idempotency_key(pattern: &Pattern) -> bool {
    match &pattern.action {
        Action::Read(_) | Action::Outside(_) => false,
        Action::Write(_) | Action::Claim(_) | Action::Atomic(_) => pattern.once_per.is_empty(),
    }
}

fn rows_out(catalog: &Catalog, entity: &str, returns: &Returns, is_write: bool) -> Vec<Output> {
    let Some(entity) = catalog.entity(entity) else { return Vec::new() };
    let own = |name: &str| {
        let field = entity.field(name)?;
        Some(Output { name: name.to_owned(), ty: field.ty.clone(), optional: field.optional })
    };
    match returns {
        Returns::Default if is_write => entity.key.iter().filter_map(|name| own(name)).collect(),
        Returns::Default => {
            let held = entity.fields.iter().filter(|field| Endpoint::holds(catalog, field));
            held.filter_map(|field| own(&field.name)).collect()
        }
        Returns::All | Returns::Before | Returns::After => {
            entity.fields.iter().filter_map(|field| own(&field.name)).collect()
        }
        Returns::Paths(paths) => paths.iter().filter_map(|path| path_out(catalog, entity, path)).collect(),
    }
}

fn path_out(catalog: &Catalog, entity: &Entity, path: &Path) -> Option<Output> {
    let (holder, through_optional) = match &path.root {
        Root::Own => (entity, false),
        Root::Reference { field, entity: other } => (catalog.entity(other)?, entity.field(field)?.optional),
        Root::Edge { .. } | Root::Item(_) => return None,
    };
    let Some(field) = holder.field(&path.field) else {
        let (ty, optional) = Entity::built_in(&path.field)?;
        return Some(Output { name: path.to_string(), ty, optional });
    };
    let (mut ty, mut optional) = (&field.ty, field.optional || through_optional);
    for member in &path.members {
        (ty, optional) = match (ty, member) {
            (Type::Struct(name), Member::Field(member)) => {
                let (_, ty, absent) = catalog.struct_type(name)?.members.iter().find(|(name, ..)| name == member)?;
                (ty, optional || *absent)
            }
            (Type::Map(_, value, _), Member::Input(_)) => (&**value, true),
            _ => return None,
        };
    }
    Some(Output { name: path.to_string(), ty: ty.clone(), optional })
}

fn reasons(catalog: &Catalog, pattern: &Pattern) -> Vec<String> {
    let mut reasons = Vec::new();
    match &pattern.action {
        Action::Read(_) | Action::Claim(_) | Action::Outside(_) => {}
        Action::Write(write) => write_reasons(catalog, write, &mut reasons),
        Action::Atomic(steps) => {
            for step in steps {
                match step {
                    Step::Write { write, .. } => write_reasons(catalog, write, &mut reasons),
                    Step::Check { conditions, .. } => {
                        push(&mut reasons, "absent");
                        conditions.iter().for_each(|condition| push(&mut reasons, &condition.reason));
                    }
                }
            }
        }
    }
    reasons
}

fn write_reasons(catalog: &Catalog, write: &Write, reasons: &mut Vec<String>) {
    let Some(entity) = catalog.entity(&write.entity) else { return };
    let blind = entity.class(catalog).0 == Class::Blind;
    match write.verb {
        // A repeated create of an append-only row is the same row, never a refusal.
        WriteVerb::Create if entity.append_only => {}
        WriteVerb::Create => push(reasons, "exists"),
        WriteVerb::Put if write.newest.is_some() => push(reasons, "older"),
        WriteVerb::Put | WriteVerb::Delete if blind => push(reasons, "superseded"),
        WriteVerb::Put => {}
        WriteVerb::Update if write.or_create => {}
        WriteVerb::Update | WriteVerb::Delete => push(reasons, "absent"),
    }
    write.conditions.iter().for_each(|condition| push(reasons, &condition.reason));
    state_reasons(write, entity, reasons);
    let changed = write.changed_fields(entity);
    let makes = matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create;
    let touches = |field: &str| makes || changed.contains(&field);
    if write.verb != WriteVerb::Delete {
        for unique in &entity.unique {
            // A row that this write takes out of the rule collides with nobody.
            if unique.filter.iter().flat_map(Expr::conjuncts).any(|test| write.refutes(test)) {
                continue;
            }
            let filter_reads = unique.filter.iter().flat_map(Expr::paths).filter_map(Path::own_field);
            if unique.fields.iter().map(String::as_str).chain(filter_reads).any(touches) {
                push(reasons, &unique.name);
            }
        }
        for field in &entity.fields {
            if let Some(reference) = field.reference.as_ref().filter(|r| r.must_exist && touches(&field.name)) {
                let name =
                    field.name.strip_suffix("_id").map_or_else(|| reference.entity.to_lowercase(), str::to_owned);
                push(reasons, &format!("missing_{name}"));
            }
        }
    }
    if write.verb == WriteVerb::Update {
        push(reasons, "conflict");
    }
}

/// `states` refuse a change from a value that does not lead to the new one: `status_is_closed`.
fn state_reasons(write: &Write, entity: &Entity, reasons: &mut Vec<String>) {
    // A new row comes from no state.
    if !matches!(write.verb, WriteVerb::Update | WriteVerb::Put) {
        return;
    }
    for states in &entity.states {
        let assigned = write.assignments.iter().find(|a| a.change == Change::Set && a.path == Path::own(&states.field));
        let patched = write.any_of.contains(&states.field) || write.verb == WriteVerb::Put;
        let target = match assigned.map(|assignment| &assignment.value) {
            Some(Expr::Literal(Literal::Variant(name))) => Some(name),
            Some(_) => None,
            None if patched => None,
            None => continue,
        };
        let Some(Type::Enum(variants)) = entity.field(&states.field).map(|field| &field.ty) else { continue };
        for variant in variants {
            let leads = |to: &String| states.changes.iter().any(|(a, b)| a == &variant.name && b == to);
            let always_leads = match target {
                Some(to) => leads(to),
                None => false,
            };
            if !always_leads {
                push(reasons, &format!("{}_is_{}", states.field, variant.name.to_lowercase()));
            }
        }
    }
}

fn push(reasons: &mut Vec<String>, reason: &str) {
    if !reasons.iter().any(|known| known == reason) {
        reasons.push(reason.to_owned());
    }
}
