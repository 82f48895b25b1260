//! Fields: their types, and what fills them.

use std::collections::HashMap;

use keyloom_model::{Aggregate, Distribution, Entity, Expr, Field, Fill, Kept, Literal, Path, Reference, Type};

use super::scope::{Names, Row, field_path, fields_path};
use super::syntax::{Grammar, Name, Reader, Snapshot};
use super::typing::{Scope, Typing, fits};
use crate::parse::expr::{self as written, ExprKind};
use crate::parse::types::{self, TypeKind};
use crate::rules::{
    ambiguous_name, bad_expression, bad_name, bad_reference, bad_type, type_mismatch, unbounded_array, unknown_name,
    wrong_shape,
};
use crate::text::Text;
use crate::yaml::{Kind, Node};

/// What follows `=` behind a field's type, to be resolved when all names are known.
pub(super) struct PendingFill {
    pub(super) entity: usize,
    pub(super) field: usize,
    fill: written::Fill,
    text: Text,
}

/// A reference, to be looked up when all entities are known.
pub(super) struct PendingReference {
    pub(super) entity: usize,
    pub(super) field: usize,
    place: keyloom_finding::Place,
}

/// How many fields an entity may have: far above what people write, and no engine stores rows of more columns well.
const FIELDS_MAX: usize = 1000;

/// Reads the fields of one entity; references and fills wait until all names are known.
pub(super) fn read_fields(
    reader: &mut Reader<'_>,
    node: &Node,
    entity: (usize, &str),
    pending: (&mut Vec<PendingReference>, &mut Vec<PendingFill>),
) -> Vec<Field> {
    let path = fields_path(entity.1);
    let mut fields = Vec::new();
    let before = reader.faults();
    let entries = reader.entries(node, &path, "`fields`", "fields: { task_id: uuid = new, title: text(80..400) }");
    if entries.is_empty() && reader.faults() > before {
        reader.misread(&path);
    }
    if let Some((first_too_many, _)) = entries.get(FIELDS_MAX) {
        reader.push(wrong_shape::too_many(first_too_many.place, "`fields`", FIELDS_MAX));
        reader.misread(&path);
    }
    for (name, value) in entries.into_iter().take(FIELDS_MAX) {
        reader.check_field_name(&name, "a field");
        if reader.catalog.tenant.as_ref().is_some_and(|tenant| tenant.field == name.text) {
            reader.push(bad_name::tenant(name.place, &name.text));
            reader.misread(field_path(entity.1, &name.text));
            continue;
        }
        let Some((text, field, ty)) = read_field(reader, value) else {
            reader.misread(field_path(entity.1, &name.text));
            continue;
        };
        let at = fields.len();
        let reference = field.reference.map(|target| {
            let place = text.place(target.range.clone());
            pending.0.push(PendingReference { entity: entity.0, field: at, place });
            Reference { entity: target.text, must_exist: field.must_exist }
        });
        if let Some(fill) = field.fill {
            pending.1.push(PendingFill { entity: entity.0, field: at, fill, text });
        }
        fields.push(Field { name: name.text, ty, optional: field.optional, reference, fill: Fill::Taken });
    }
    fields
}

fn read_field(reader: &mut Reader<'_>, node: &Node) -> Option<(Text, types::Field, Type)> {
    let example = match &node.kind {
        // `[text]` is how some languages write a list.
        Kind::List { .. } => "labels: list of text(8..30) (3 / 20 / 100)",
        _ => "title: text(80..400)",
    };
    if let Kind::Map { .. } = &node.kind
        && let Some(values) = types::enumeration(reader.sources.text(node.place).trim_matches(['{', '}', ' ', '\n']))
    {
        let finding = wrong_shape::finding(node.place, "a field", "a single value", node.word(), "");
        reader.push(finding.help(format!("write `{values}`")));
        return None;
    }
    let text = reader.text(node, "a field", example)?;
    let pointer = types::untyped_reference(&text.text).and_then(|(entity, rest)| {
        let ty = reader.key_types.get(entity)?.as_ref()?;
        Some(format!("write `{ty} -> {entity}{rest}`"))
    });
    let field = reader.parse_text(&text, Grammar::Type, |text| {
        types::field(text).map_err(|fault| match &pointer {
            Some(pointer) => fault.help(pointer),
            None => fault,
        })
    })?;
    let ty = lower_type(reader, &field.ty, &text)?;
    Some((text, field, ty))
}

/// A type with its names looked up as far as that is possible; a collection without a bound is a finding.
pub(super) fn lower_type(reader: &mut Reader<'_>, ty: &types::Type, text: &Text) -> Option<Type> {
    let bound = |reader: &mut Reader<'_>, counts: &Option<Distribution<u64>>, word: &str| {
        if counts.is_none() {
            let written = text.text.get(ty.range.clone()).unwrap_or("");
            reader.push(unbounded_array::finding(text.place(ty.range.clone()), word, written));
        }
        *counts
    };
    Some(match &ty.kind {
        TypeKind::Uuid => Type::Uuid,
        TypeKind::Uuid7 => Type::Uuid7,
        TypeKind::Text(size) => Type::Text(*size),
        TypeKind::Bytes(size) => Type::Bytes(*size),
        TypeKind::Json(size) => Type::Json(*size),
        TypeKind::Int => Type::Int,
        TypeKind::Float => Type::Float,
        TypeKind::Decimal { scale } => Type::Decimal { scale: *scale },
        TypeKind::Bool => Type::Bool,
        TypeKind::Date => Type::Date,
        TypeKind::Timestamp { micros } => Type::Timestamp { micros: *micros },
        TypeKind::Duration => Type::Duration,
        TypeKind::Ip => Type::Ip,
        TypeKind::Enum(variants) => Type::Enum(variants.clone()),
        TypeKind::List(of, counts) => {
            let counts = bound(reader, counts, "list")?;
            Type::List(Box::new(lower_type(reader, of, text)?), counts)
        }
        TypeKind::Set(of, counts) => {
            let counts = bound(reader, counts, "set")?;
            Type::Set(Box::new(lower_type(reader, of, text)?), counts)
        }
        TypeKind::Map(key, value, counts) => {
            let counts = bound(reader, counts, "map")?;
            Type::Map(Box::new(lower_type(reader, key, text)?), Box::new(lower_type(reader, value, text)?), counts)
        }
        TypeKind::Named(name)
            if reader.key_types.contains_key(&name.text) && reader.catalog.struct_type(&name.text).is_none() =>
        {
            let message = format!("`{}` is an entity, and a field holds no entity", name.text);
            let help = match reader.key_types.get(&name.text) {
                Some(Some(ty)) => format!(
                    "a field points to it, `{ty} -> {}`; inside another type its key is held, `{ty}`",
                    name.text
                ),
                _ => format!(
                    "a field points to it: its key's type, then `-> {}`; inside another type its key is held",
                    name.text
                ),
            };
            reader.push(bad_type::finding(text.place(name.range.clone()), message, Some(help)));
            return None;
        }
        TypeKind::Named(name) => {
            reader.named_types.push(Name { text: name.text.clone(), place: text.place(name.range.clone()) });
            Type::Struct(name.text.clone())
        }
        TypeKind::OneOf(types) => {
            Type::OneOf(types.iter().map(|ty| lower_type(reader, ty, text)).collect::<Option<_>>()?)
        }
    })
}

/// Looks references up: the entity must exist, and its key must fit.
pub(super) fn resolve_references(reader: &mut Reader<'_>, pending: &[PendingReference], snapshot: &Snapshot) {
    let names = Names::new(snapshot);
    for waiting in pending {
        let entity = &snapshot.catalog.entities[waiting.entity];
        let field = &entity.fields[waiting.field];
        let Some(reference) = &field.reference else { continue };
        let Some(target) = reader.found(names.find_entity(&reference.entity, waiting.place)) else { continue };
        if let Some(finding) = unfit(waiting.place, entity, field, target) {
            reader.push(finding);
        }
    }
}

fn unfit(
    place: keyloom_finding::Place,
    entity: &Entity,
    field: &Field,
    target: &Entity,
) -> Option<keyloom_finding::Finding> {
    // The key field it stands for: the one of its own name, else the last, which is the one that tells rows apart.
    let own = target.key.iter().find(|key| **key == field.name).or(target.key.last())?;
    let missing: Vec<&str> =
        target.key.iter().filter(|key| *key != own && entity.field(key).is_none()).map(String::as_str).collect();
    if !missing.is_empty() {
        let message = format!(
            "{} is identified by [{}], and {} has no `{}`",
            target.name,
            target.key.join(", "),
            entity.name,
            missing.join("`, `")
        );
        let fields: Vec<String> = missing
            .iter()
            .filter_map(|name| target.field(name))
            .map(|field| format!("`{}: {}`", field.name, field.ty))
            .collect();
        let help = format!("give {} the other key fields too: {}", entity.name, fields.join(", "));
        return Some(bad_reference::finding(place, message, help));
    }
    let wanted = &target.field(own)?.ty;
    if fits(&field.ty, wanted) {
        return None;
    }
    let message = format!(
        "`{}` is {}, and {}.{own}, which it points to, is {}",
        field.name,
        field.ty.word(),
        target.name,
        wanted.word()
    );
    Some(bad_reference::finding(place, message, format!("write `{}: {wanted} -> {}`", field.name, target.name)))
}

/// Decides what each fill is, by its content.
pub(super) fn resolve_fills(reader: &mut Reader<'_>, pending: Vec<PendingFill>, snapshot: &Snapshot) {
    let names = Names::new(snapshot);
    for waiting in pending {
        let entity = &snapshot.catalog.entities[waiting.entity];
        let field = &entity.fields[waiting.field];
        match resolve_fill(reader, &names, entity, field, &waiting) {
            Some(fill) => reader.catalog.entities[waiting.entity].fields[waiting.field].fill = fill,
            None => reader.misread(field_path(&entity.name, &field.name)),
        }
    }
}

fn resolve_fill(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    field: &Field,
    waiting: &PendingFill,
) -> Option<Fill> {
    let text = &waiting.text;
    match &waiting.fill {
        written::Fill::New => {
            if !matches!(field.ty, Type::Uuid | Type::Uuid7) {
                let message = format!("`= new` makes a uuid, and `{}` is {}", field.name, field.ty.word());
                let help =
                    "make it `uuid = new` or `uuid7 = new`; a number can count: `int = next per queue`".to_owned();
                reader.push(type_mismatch::finding(text.whole(), message, help));
            }
            Some(Fill::New)
        }
        written::Fill::NowOnWrite => {
            if !matches!(field.ty, Type::Timestamp { .. }) {
                let message =
                    format!("`= now on write` makes a timestamp, and `{}` is {}", field.name, field.ty.word());
                reader.push(type_mismatch::finding(text.whole(), message, None));
            }
            Some(Fill::NowOnWrite)
        }
        written::Fill::Next(per) => {
            if field.ty != Type::Int {
                let message = format!("a sequence counts in int, and `{}` is {}", field.name, field.ty.word());
                reader.push(type_mismatch::finding(text.whole(), message, None));
            }
            let mut fields = Vec::new();
            for word in per {
                match names.find_field(names.entity(&entity.name)?, &word.text, text.place(word.range.clone())) {
                    Ok(field) => fields.push(field.name.clone()),
                    Err(finding) => reader.push(finding),
                }
            }
            Some(Fill::Next { per: fields })
        }
        written::Fill::Kept(kept) => resolve_kept(reader, names, entity, field, kept, text).map(Fill::Kept),
        written::Fill::AtCreate(of) => {
            let expr = value(reader, names, entity, text, of, &field.ty)?;
            match expr {
                Expr::Path(path) if path.root != keyloom_model::Root::Own => Some(Fill::Snapshot(path)),
                _ => {
                    let help = "write a path through a reference: `= product.price at create`".to_owned();
                    reader.push(bad_expression::finding(
                        text.whole(),
                        "a snapshot copies a field of another row",
                        Some(help),
                    ));
                    None
                }
            }
        }
        written::Fill::Expr(of) => {
            let expr = value(reader, names, entity, text, of, &field.ty)?;
            let through =
                expr.paths().into_iter().find(|path| path.root != keyloom_model::Root::Own).map(Path::to_string);
            if let Some(path) = through {
                let help = format!(
                    "`= {path} at create` keeps the value of that moment; leave the field out and return `{path}` to follow its source"
                );
                let message = format!("`{path}` belongs to another row: is this a snapshot, or should it follow?");
                reader.push(bad_expression::finding(text.place(of.range.clone()), message, Some(help)));
                return None;
            }
            if matches!(expr, Expr::Literal(Literal::Null)) {
                let message = "a default of `null` says nothing".to_owned();
                let help = Some("an optional field (`T?`) is absent unless it is sent".to_owned());
                reader.push(bad_expression::finding(text.place(of.range.clone()), message, help));
                return None;
            }
            Some(if expr.paths().is_empty() { Fill::Default(expr) } else { Fill::Derived(expr) })
        }
    }
}

fn value(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    text: &Text,
    of: &written::Expr,
    ty: &Type,
) -> Option<Expr> {
    let row = Row { entity: names.entity(&entity.name)?, built_in: false };
    let mut scope = Scope { names, row: Some(row), item: None, inputs: None };
    // `OPEN` alone is a path to nobody and a value of an enum to everybody; a lower-case word may be neither.
    if let ExprKind::Path(word, steps) = &of.kind
        && steps.is_empty()
        && row.entity.field(&word.text).is_none()
        && matches!(ty, Type::Text(_))
    {
        let help = format!("text stands in quotes: `= '{}'`", word.text);
        reader.push(bad_expression::finding(
            text.place(of.range.clone()),
            format!("`{}` is neither a field of {} nor text", word.text, entity.name),
            Some(help),
        ));
        return None;
    }
    Typing { reader, scope: &mut scope, text }.value(of, ty)
}

fn resolve_kept(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    field: &Field,
    kept: &written::Kept,
    text: &Text,
) -> Option<Kept> {
    let aggregate = aggregate(&kept.aggregate.text)?;
    let other = reader.found(names.find_entity(&kept.entity.text, text.place(kept.entity.range.clone())))?;
    let references: Vec<&Field> =
        other.fields.iter().filter(|field| field.reference.as_ref().is_some_and(|r| r.entity == entity.name)).collect();
    // Behind the dot stands the reference to join through, or the field that is summed.
    let named = kept.field.as_ref();
    let by_name = kept.through.as_ref().or(named).and_then(|word| {
        references.iter().find(|field| field.name == word.text || field.name == format!("{}_id", word.text)).copied()
    });
    let through = match (by_name, references.as_slice()) {
        (Some(field), _) => field,
        (None, [only]) => only,
        (None, []) => {
            let message = format!(
                "{} has no reference to {}, so nothing says which of its rows belong here",
                other.name, entity.name
            );
            reader.push(bad_reference::missing(text.place(kept.entity.range.clone()), message, other, entity));
            return None;
        }
        (None, several) => {
            let all = several.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ");
            let first = several.first().map_or("", |field| field.name.strip_suffix("_id").unwrap_or(&field.name));
            let of = named.map_or_else(String::new, |word| format!(".{}", word.text));
            let write = format!("say which: `{} of {}.{first}{of}`", aggregate.name(), other.name);
            reader.push(ambiguous_name::reference(
                text.place(kept.entity.range.clone()),
                &other.name,
                &entity.name,
                &all,
                &write,
            ));
            return None;
        }
    };
    if let Some(word) = kept.through.as_ref().filter(|_| by_name.is_none()) {
        let all: Vec<&str> = references.iter().map(|field| field.name.as_str()).collect();
        let within = format!(" from {} to {}", other.name, entity.name);
        let place = text.place(word.range.clone());
        reader.push(unknown_name::finding(place, "reference", &word.text, &within, None, &all));
        return None;
    }
    let of = match named.filter(|_| by_name.is_none() || kept.through.is_some()) {
        Some(word) => match names.find_field(other, &word.text, text.place(word.range.clone())) {
            Ok(of) => Some(of),
            Err(finding) => {
                reader.push(finding);
                return None;
            }
        },
        None => None,
    };
    check_aggregate(reader, aggregate, of, &field.ty, &field.name, text);
    let by = match &kept.by {
        Some(word) => {
            reader.found(names.find_field(other, &word.text, text.place(word.range.clone()))).map(|by| by.name.clone())
        }
        None => None,
    };
    let filter = match &kept.filter {
        Some(filter) => {
            let mut scope =
                Scope { names, row: Some(Row { entity: other, built_in: false }), item: None, inputs: None };
            Some(Typing { reader, scope: &mut scope, text }.test(filter)?)
        }
        None => None,
    };
    Some(Kept {
        aggregate,
        entity: other.name.clone(),
        through: through.name.clone(),
        field: of.map(|of| of.name.clone()),
        by,
        filter,
    })
}

/// The aggregate of that name.
pub(super) fn aggregate(name: &str) -> Option<Aggregate> {
    Aggregate::ALL.into_iter().find(|aggregate| aggregate.name() == name)
}

/// Whether an aggregate fits what it is of and the field that holds it.
fn check_aggregate(
    reader: &mut Reader<'_>,
    aggregate: Aggregate,
    of: Option<&Field>,
    holder: &Type,
    name: &str,
    text: &Text,
) {
    let needs_field = aggregate != Aggregate::Count;
    if needs_field && of.is_none() {
        let message = format!("`{}` needs a field: of what?", aggregate.name());
        let help = format!("write `{} of Line.amount`", aggregate.name());
        reader.push(bad_expression::finding(text.whole(), message, Some(help)));
        return;
    }
    let result = aggregate_type(aggregate, of.map(|of| &of.ty));
    if let Some(result) = result
        && !fits(&result, holder)
    {
        let message = format!("`{}` gives {}, and `{name}` is {}", aggregate.name(), result.word(), holder.word());
        reader.push(type_mismatch::finding(text.whole(), message, format!("write `{name}: {result} = ...`")));
    }
}

/// The type an aggregate gives; nothing when it does not apply.
pub(super) fn aggregate_type(aggregate: Aggregate, of: Option<&Type>) -> Option<Type> {
    match aggregate {
        Aggregate::Count => Some(Type::Int),
        Aggregate::Average => match of {
            Some(Type::Decimal { scale }) => Some(Type::Decimal { scale: *scale }),
            _ => Some(Type::Float),
        },
        _ => of.cloned(),
    }
}

/// Puts names into a map from name to place, reporting those that stand twice.
pub(super) fn unique_names(reader: &mut Reader<'_>, names: &[(Name, &str)]) {
    let mut seen: HashMap<&str, &Name> = HashMap::new();
    for (name, what) in names {
        if let Some(first) = seen.get(name.text.as_str()) {
            let finding = crate::rules::duplicate_name::finding(name.place, first.place, what, &name.text);
            reader.push(finding);
        } else {
            seen.insert(&name.text, name);
        }
    }
}
