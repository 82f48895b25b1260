//! What a write makes of a row.

use std::cell::Cell;

use keyloom_model::{
    Assignment, Catalog, Change, Compare, Entity, Expiry, Expr, Field, Fill, Literal, Member, Path, Pattern, Root,
    Type, Write, WriteVerb,
};
use keyloom_value::{Kind, Value, compare, to_text};

use super::{
    Fields, Owned, Sent,
    expression::{Odd, Scope},
    field_kind, identity_fields, tenant_field,
};

/// What may become of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    Stands(Fields),
    Gone,
    /// Not applied, for this reason.
    Refused(String),
    /// What was sent can't be written at all.
    Invalid,
}

/// A write of one row, as it was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) pattern: &'a Pattern,
    pub(crate) write: &'a Write,
    pub(crate) entity: &'a Entity,
    pub(crate) sent: &'a Sent,
    /// Which row.
    pub(crate) identity: &'a [Owned],
}

/// What other rows may be at that time, by entity and key.
pub(crate) type Others<'a> = &'a dyn Fn(&Entity, &[Owned]) -> Vec<Option<Fields>>;

/// Everything that may become of a row that had one of these versions, seen at this moment; more than one thing where the
/// version or other rows are not known for certain. `looked` says whether the moment matters.
pub(crate) fn becomes(
    wish: &Wish<'_>,
    prior: Option<&Fields>,
    versions: std::ops::Range<u64>,
    now_us: i64,
    looked: &Cell<bool>,
    others: Others<'_>,
) -> Vec<Next> {
    let prior = prior.filter(|prior| {
        let ends = ends_ms(wish.catalog, wish.entity, prior);
        looked.set(looked.get() || ends.is_some());
        ends.is_none_or(|ends| ends > now_us.div_euclid(1_000))
    });
    let of = Of { wish, now_us, looked };
    let refused = |reason: &str| vec![Next::Refused(reason.to_owned())];
    match (wish.write.verb, prior) {
        (WriteVerb::Create, Some(_)) => {
            // What can't be written at all may be refused before anybody looks whether a row is there.
            let made = of.each(of.fresh(true, others), |row| Ok(Next::Stands(of.finished(row)?)));
            let invalid = made.contains(&Next::Invalid).then_some(Next::Invalid);
            refused("exists").into_iter().chain(invalid).collect()
        }
        (WriteVerb::Create | WriteVerb::Put, prior) => {
            let whole = |row| of.finished(row).map(|row| (row, prior));
            of.each(of.fresh(true, others), |row| {
                let (row, prior) = whole(row)?;
                Ok(match prior.and_then(|prior| of.state_refusal(prior, &row, true)) {
                    Some(reason) => Next::Refused(reason),
                    None => Next::Stands(row),
                })
            })
        }
        (WriteVerb::Update, None) if wish.write.or_create => {
            of.each(of.fresh(false, others), |row| Ok(Next::Stands(of.finished(of.changed(&row)?)?)))
        }
        (WriteVerb::Update | WriteVerb::Delete, None) => refused("absent"),
        (WriteVerb::Update | WriteVerb::Delete, Some(prior)) => {
            let mut all = Vec::new();
            for condition in &wish.write.conditions {
                let (may_hold, may_fail) = of.condition(prior, &condition.test, &versions);
                if may_fail {
                    all.push(Next::Refused(condition.reason.clone()));
                }
                if !may_hold {
                    return all;
                }
            }
            all.push(match wish.write.verb {
                WriteVerb::Delete => Next::Gone,
                _ => of.updated(prior).unwrap_or(Next::Invalid),
            });
            all
        }
    }
}

/// When a row ends, in milliseconds.
pub(crate) fn ends_ms(catalog: &Catalog, entity: &Entity, row: &Fields) -> Option<i64> {
    let Some(Expiry::At(expr)) = &entity.expires else { return None };
    let (sent, looked) = (Sent::default(), Cell::new(false));
    let scope = Scope { catalog, entity, row, sent: &sent, item: None, now_us: 0, looked: &looked };
    match scope.value(expr, &Kind::Timestamp { micros: false }) {
        Ok(Value::Timestamp(moment)) => Some(moment),
        Ok(Value::Date(day)) => Some(i64::from(day) * 86_400_000),
        _ => None,
    }
}

/// The row that a reference of this row leads to.
pub(crate) fn reference_key(catalog: &Catalog, entity: &Entity, field: &Field, row: &Fields) -> Option<Vec<Owned>> {
    let to = catalog.entity(&field.reference.as_ref()?.entity)?;
    let join = entity.join(field, to);
    let tenant = tenant_field(catalog, to).map(|(name, _)| name);
    let part = |name: &str| {
        let own = if Some(name) == tenant { name } else { join.iter().find(|(_, key)| *key == name)?.0 };
        row.get(own).filter(|value| !value.is_null()).cloned()
    };
    identity_fields(catalog, to).into_iter().map(part).collect()
}

/// The reason that is given when a row that must be there is not.
pub(crate) fn reference_reason(field: &Field) -> Option<String> {
    let reference = field.reference.as_ref().filter(|reference| reference.must_exist)?;
    let name = field.name.strip_suffix("_id").map_or_else(|| reference.entity.to_lowercase(), str::to_owned);
    Some(format!("missing_{name}"))
}

struct Of<'a> {
    wish: &'a Wish<'a>,
    now_us: i64,
    looked: &'a Cell<bool>,
}

impl Of<'_> {
    fn each(&self, rows: Vec<Result<Fields, Next>>, next: impl Fn(Fields) -> Result<Next, Odd>) -> Vec<Next> {
        rows.into_iter().map(|row| row.map_or_else(|next| next, |row| next(row).unwrap_or(Next::Invalid))).collect()
    }

    fn scope<'a>(&'a self, row: &'a Fields) -> Scope<'a> {
        let Wish { catalog, entity, sent, .. } = *self.wish;
        Scope { catalog, entity, row, sent, item: None, now_us: self.now_us, looked: self.looked }
    }

    fn kind(&self, field: &str) -> Kind {
        field_kind(self.wish.catalog, self.wish.entity, field).unwrap_or(Kind::Text)
    }

    /// What is assigned to a whole field.
    fn assigned(&self, field: &str) -> Option<&Expr> {
        let whole = |one: &&Assignment| one.path == Path::own(field) && one.change == Change::Set;
        self.wish.write.assignments.iter().rev().find(whole).map(|one| &one.value)
    }

    /// Whether the caller may send a field under its own name.
    fn takes(&self, field: &Field) -> bool {
        let Wish { write, pattern, .. } = self.wish;
        write.takes.contains(&field.name)
            || write.any_of.contains(&field.name)
            || pattern.once_per.contains(&field.name)
            || (field.fill == Fill::New && pattern.inputs.iter().any(|input| input.name == field.name))
    }

    /// A row that was not there, before what follows from its own fields; several where others may differ.
    fn fresh(&self, whole: bool, others: Others<'_>) -> Vec<Result<Fields, Next>> {
        let Wish { catalog, entity, sent, identity, write, .. } = *self.wish;
        let mut row = Fields::new();
        for field in &entity.fields {
            let kind = self.kind(&field.name);
            let value = || -> Result<Owned, Odd> {
                let scope = self.scope(&row);
                let mut value = Value::Null;
                if whole {
                    value = match self.assigned(&field.name) {
                        Some(expr) => scope.value(expr, &kind)?,
                        None if self.takes(field) => sent.values.get(&field.name).cloned().unwrap_or(Value::Null),
                        None => Value::Null,
                    };
                }
                match &field.fill {
                    _ if !value.is_null() => Ok(value),
                    Fill::Default(expr) => scope.value(expr, &kind),
                    Fill::NowOnWrite => scope.value(&Expr::Literal(Literal::Now), &kind),
                    _ => Ok(Value::Null),
                }
            };
            let Ok(value) = value() else { return vec![Err(Next::Invalid)] };
            set(&mut row, &field.name, value);
        }
        // It has what it was looked for by.
        for item in &write.by {
            let value = self.scope(&row).value(&item.value, &self.kind(&item.path.field));
            let Ok(value) = value else { return vec![Err(Next::Invalid)] };
            set(&mut row, &item.path.field, value);
        }
        for (name, value) in identity_fields(catalog, entity).into_iter().zip(identity) {
            set(&mut row, name, value.clone());
        }
        let mut rows = vec![Ok(row)];
        for field in &entity.fields {
            let Fill::Snapshot(path) = &field.fill else { continue };
            rows = rows.into_iter().flat_map(|row| self.taken(field, path, row, others)).collect();
        }
        rows
    }

    /// The row with what it takes from another, as that may be.
    fn taken(
        &self,
        field: &Field,
        path: &Path,
        row: Result<Fields, Next>,
        others: Others<'_>,
    ) -> Vec<Result<Fields, Next>> {
        let Ok(row) = row else { return vec![row] };
        let Wish { catalog, entity, .. } = *self.wish;
        let Root::Reference { field: reference, entity: other } = &path.root else { return vec![Err(Next::Invalid)] };
        let (Some(reference), Some(other)) = (entity.field(reference), catalog.entity(other)) else {
            return vec![Err(Next::Invalid)];
        };
        let Some(key) = reference_key(catalog, entity, reference, &row) else { return vec![Ok(row)] };
        let with = |there: Option<Fields>| match there {
            Some(there) => {
                let mut row = row.clone();
                set(&mut row, &field.name, there.get(&path.field).cloned().unwrap_or(Value::Null));
                Ok(row)
            }
            None => Err(reference_reason(reference).map_or(Next::Invalid, Next::Refused)),
        };
        others(other, &key).into_iter().map(with).collect()
    }

    /// Whether a condition may hold, and whether it may fail. Rows get new versions for reasons of their own.
    fn condition(&self, row: &Fields, test: &Expr, versions: &std::ops::Range<u64>) -> (bool, bool) {
        let is_version = |part: &Expr| matches!(part, Expr::Path(path) if *path == Path::own("version"));
        let mut both = (true, false);
        for part in test.conjuncts() {
            let of_version = part.paths().iter().any(|path| path.field == "version");
            let (may_hold, may_fail) = match part {
                Expr::Compare(Compare::Equal, a, b) if is_version(a) => match &**b {
                    Expr::Input { name, .. } => match self.wish.sent.values.get(name) {
                        Some(Value::Int(version)) => {
                            (u64::try_from(*version).is_ok_and(|it| versions.contains(&it)), true)
                        }
                        _ => (false, true),
                    },
                    _ => (true, true),
                },
                _ if of_version => (true, true),
                part => {
                    let holds = self.scope(row).holds(part).unwrap_or(false);
                    (holds, !holds)
                }
            };
            both = (both.0 && may_hold, both.1 || may_fail);
        }
        both
    }

    fn updated(&self, prior: &Fields) -> Result<Next, Odd> {
        let row = self.changed(prior)?;
        if let Some(reason) = self.state_refusal(prior, &row, false) {
            return Ok(Next::Refused(reason));
        }
        self.finished(row).map(Next::Stands)
    }

    /// The row with what the write says; all that it looks at is as it was before.
    fn changed(&self, prior: &Fields) -> Result<Fields, Odd> {
        let Wish { write, entity, sent, .. } = *self.wish;
        let scope = self.scope(prior);
        let mut row = prior.clone();
        for field in &entity.fields {
            let kind = self.kind(&field.name);
            if let Some(expr) = self.assigned(&field.name) {
                set(&mut row, &field.name, scope.value(expr, &kind)?);
            } else if write.any_of.contains(&field.name) {
                if let Some(value) = sent.values.get(&field.name) {
                    set(&mut row, &field.name, value.clone());
                }
            } else if write.takes.contains(&field.name) {
                set(&mut row, &field.name, sent.values.get(&field.name).cloned().unwrap_or(Value::Null));
            } else if field.fill == Fill::NowOnWrite {
                set(&mut row, &field.name, scope.value(&Expr::Literal(Literal::Now), &kind)?);
            }
        }
        for one in write.assignments.iter().filter(|one| one.change != Change::Set || !one.path.members.is_empty()) {
            let kind = self.kind(&one.path.field);
            let now = row.remove(&one.path.field).unwrap_or(Value::Null);
            let became = self.part(now, &kind, &one.path.members, one, &scope)?;
            set(&mut row, &one.path.field, became);
        }
        Ok(row)
    }

    /// What a change inside a value makes of it.
    fn part(
        &self,
        of: Owned,
        kind: &Kind,
        members: &[Member],
        one: &Assignment,
        scope: &Scope<'_>,
    ) -> Result<Owned, Odd> {
        let value = |kind: &Kind| scope.value(&one.value, kind);
        match (members, kind) {
            // From nothing nothing is taken.
            ([], _) if one.change == Change::Remove && of.is_null() => Ok(of),
            ([], Kind::Set(inner)) if one.change != Change::Set => {
                let (mut items, value) = (items(of), value(inner)?);
                items.retain(|known| *known != value);
                if one.change == Change::Add && !value.is_null() {
                    items.push(value);
                    items.sort_by(|a, b| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
                }
                Ok(Value::Set(items))
            }
            ([], Kind::List(inner)) if one.change == Change::Append => {
                let (mut items, value) = (items(of), value(inner)?);
                items.push(value);
                Ok(Value::List(items))
            }
            ([], Kind::Map(key, _)) if one.change == Change::Remove => {
                let gone = value(key)?;
                let Value::Map(mut entries) = of else { return Ok(of) };
                entries.retain(|(known, _)| *known != gone);
                Ok(Value::Map(entries))
            }
            ([Member::Input(name)], Kind::Map(_, inner)) if one.change == Change::Set => {
                let at = self.wish.sent.values.get(name).cloned().ok_or(Odd)?;
                let mut entries = match of {
                    Value::Map(entries) => entries,
                    _ => Vec::new(),
                };
                entries.retain(|(known, _)| *known != at);
                let value = value(inner)?;
                if !value.is_null() {
                    entries.push((at, value));
                    entries.sort_by(|(a, _), (b, _)| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
                }
                Ok(Value::Map(entries))
            }
            ([], _) if one.change == Change::Set => value(kind),
            _ => Err(Odd),
        }
    }

    /// The reason why a row can't pass from its state to the next. Who puts a whole row may leave it as it is.
    fn state_refusal(&self, prior: &Fields, next: &Fields, whole: bool) -> Option<String> {
        let Wish { write, entity, sent, .. } = *self.wish;
        for states in &entity.states {
            let name = &states.field;
            let patched = write.any_of.contains(name) && sent.values.contains_key(name);
            let set = whole || self.assigned(name).is_some() || patched || write.takes.contains(name);
            let of = |row: &Fields| row.get(name).and_then(|value| to_text(value, &self.kind(name)).ok());
            let (from, to) = (of(prior), of(next));
            if !set || (whole && from == to) {
                continue;
            }
            let (Some(from), Some(to)) = (from, to) else { continue };
            if !states.changes.contains(&(from.clone(), to)) {
                return Some(format!("{name}_is_{}", from.to_lowercase()));
            }
        }
        None
    }

    /// The row with what follows from its own fields, if all that must be there is, and nothing is too large.
    fn finished(&self, mut row: Fields) -> Result<Fields, Odd> {
        let Wish { entity, .. } = *self.wish;
        for field in &entity.fields {
            if let Fill::Derived(expr) = &field.fill {
                let value = self.scope(&row).value(expr, &self.kind(&field.name))?;
                set(&mut row, &field.name, value);
            }
        }
        for field in &entity.fields {
            match row.get(&field.name) {
                None if !field.optional && !matches!(field.fill, Fill::Kept(_)) => return Err(Odd),
                Some(value) if !fits(value, &field.ty) => return Err(Odd),
                _ => {}
            }
        }
        Ok(row)
    }
}

fn items(of: Owned) -> Vec<Owned> {
    match of {
        Value::Set(items) | Value::List(items) => items,
        _ => Vec::new(),
    }
}

fn set(row: &mut Fields, name: &str, value: Owned) {
    if value.is_null() {
        row.remove(name);
    } else {
        row.insert(name.to_owned(), value);
    }
}

/// Whether a value is as small as its type says.
fn fits(value: &Owned, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Text(text), Type::Text(size)) => text.len() as u64 <= size.max,
        (Value::Bytes(bytes), Type::Bytes(size)) => bytes.len() as u64 <= size.max,
        (Value::List(items), Type::List(of, count)) | (Value::Set(items), Type::Set(of, count)) => {
            items.len() as u64 <= count.worst.unwrap_or(u64::MAX) && items.iter().all(|item| fits(item, of))
        }
        (Value::Map(entries), Type::Map(_, of, count)) => {
            entries.len() as u64 <= count.worst.unwrap_or(u64::MAX) && entries.iter().all(|(_, value)| fits(value, of))
        }
        _ => true,
    }
}
