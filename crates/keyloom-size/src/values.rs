//! How large the rows of a table are, by the types of the catalog: typical rows and the largest.

use keyloom_model::{Catalog, Distribution, Entity, Path, Root, Type};
use keyloom_plan::copied_column;
use keyloom_store::{Discipline, GroupSizes, Millis, NumberSize, RowSizes, Table, ValueSize};
use keyloom_value::Kind;

/// Which of two sizes is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Typical,
    Worst,
}

/// Digits of a number whose size the catalog can't state; printed as assumed.
pub(crate) const DIGITS_ASSUMED: u8 = 6;
/// How many requests a decided row remembers; printed as assumed. The executor keeps up to [`TOKENS_MAX`].
pub(crate) const TOKENS_ASSUMED: u64 = 1;
/// How many requests a decided row remembers at most.
pub(crate) const TOKENS_MAX: u64 = 16;

/// A version and a moment of our days: their digits count where numbers are stored so, but for zeros at the end.
const VERSION: u64 = 1_777_777_777_777_777;
const MOMENT: Millis = Millis(1_777_777_777_777);

/// Structs may hold structs, but not without end.
const NESTING_MAX: u8 = 16;

/// The sizes of a row.
pub(crate) fn row(catalog: &Catalog, entity: Option<&Entity>, table: &Table, which: Which, ends: bool) -> RowSizes {
    let column = |name: &str, kind: &Kind| column(catalog, entity, name, kind, which);
    let groups = table.groups.iter().map(|group| GroupSizes::Put {
        version: VERSION,
        expires_at: ends.then_some(MOMENT),
        cells: group.columns.iter().map(|of| column(&of.name, &of.kind)).collect(),
    });
    RowSizes { key: key(table, column), groups: groups.collect() }
}

/// The sizes of what a removed row leaves behind; nothing where it was carried.
pub(crate) fn trace(catalog: &Catalog, entity: Option<&Entity>, table: &Table) -> Option<RowSizes> {
    let group = match table.discipline {
        Discipline::Carried | Discipline::Indexed { .. } => return None,
        // A row that is set free has no values, and ends soon.
        Discipline::Decided => GroupSizes::Put { version: VERSION, expires_at: Some(MOMENT), cells: Vec::new() },
        Discipline::Placed => GroupSizes::Removed { version: VERSION, at: MOMENT },
    };
    let key = key(table, |name, kind| column(catalog, entity, name, kind, Which::Typical));
    Some(RowSizes { key, groups: vec![group; table.groups.len()] })
}

fn key(table: &Table, column: impl Fn(&str, &Kind) -> ValueSize) -> Vec<ValueSize> {
    let partition = table.partition.iter().map(|of| column(&of.name, &of.kind));
    partition.chain(table.sort.iter().map(|of| column(&of.name, &of.kind))).collect()
}

/// The size of a column's value. Optional fields count as present.
fn column(catalog: &Catalog, entity: Option<&Entity>, name: &str, kind: &Kind, which: Which) -> ValueSize {
    let field = name.strip_prefix("kl_owner_").unwrap_or(name);
    let own = entity.and_then(|entity| entity.field(field)).map(|field| &field.ty);
    let tenant = catalog.tenant.as_ref().filter(|tenant| tenant.field == field).map(|tenant| &tenant.ty);
    let copied = || entity.and_then(|entity| copied(catalog, entity, name));
    match own.or(tenant).or_else(copied) {
        Some(ty) => value(catalog, ty, which, NESTING_MAX),
        None => hidden(name, kind, which),
    }
}

/// The type of a field of another row that this column is a copy of.
fn copied<'a>(catalog: &'a Catalog, entity: &Entity, name: &str) -> Option<&'a Type> {
    let references = entity.fields.iter().filter_map(|field| Some((field, field.reference.as_ref()?)));
    let mut fields = references.flat_map(|(field, reference)| {
        let root = Root::Reference { field: field.name.clone(), entity: reference.entity.clone() };
        let of = catalog.entity(&reference.entity).map_or(&[][..], |other| &other.fields);
        of.iter().map(move |of| (Path { root: root.clone(), ..Path::own(&of.name) }, &of.ty))
    });
    fields.find(|(path, _)| copied_column(path) == name).map(|(_, ty)| ty)
}

/// The size of a value that Keyloom itself keeps.
fn hidden(name: &str, kind: &Kind, which: Which) -> ValueSize {
    let number = |digits| ValueSize::Number(NumberSize::of_digits(digits, 0, false));
    match kind {
        Kind::List(of) => match (name, &**of) {
            ("kl_tokens", Kind::Struct(_)) => {
                let token = vec![ValueSize::Bytes(16), number(13), ValueSize::Bytes(16), number(16)];
                let count = if which == Which::Worst { TOKENS_MAX } else { TOKENS_ASSUMED };
                ValueSize::Elements(vec![(count, ValueSize::Members(token))])
            }
            // Nothing is stale most of the time.
            _ => ValueSize::Elements(Vec::new()),
        },
        Kind::Timestamp { micros } => number(if *micros { 16 } else { 13 }),
        Kind::Date => number(5),
        Kind::Int | Kind::Float => number(DIGITS_ASSUMED),
        Kind::Decimal { scale } => ValueSize::Number(NumberSize::of_digits(DIGITS_ASSUMED, *scale, false)),
        Kind::Text | Kind::Bytes | Kind::Json | Kind::Ip => ValueSize::Bytes(16),
        Kind::Enum(variants) => {
            ValueSize::Bytes(variants.iter().map(|variant| variant.name.len() as u64).max().unwrap_or(0))
        }
        Kind::Bool | Kind::Uuid | Kind::Uuid7 | Kind::Duration => ValueSize::Fixed,
        Kind::Set(_) | Kind::Map(..) | Kind::Struct(_) | Kind::OneOf(_) => ValueSize::Absent,
    }
}

/// The size of a value of a type.
fn value(catalog: &Catalog, ty: &Type, which: Which, depth: u8) -> ValueSize {
    let Some(depth) = depth.checked_sub(1) else { return ValueSize::Absent };
    let worst = which == Which::Worst;
    let digits = |whole, fraction| ValueSize::Number(NumberSize::of_digits(whole, fraction, worst));
    let of = |ty: &Type| value(catalog, ty, which, depth);
    match ty {
        Type::Uuid | Type::Uuid7 | Type::Bool | Type::Duration => ValueSize::Fixed,
        Type::Int => digits(if worst { 19 } else { DIGITS_ASSUMED }, 0),
        Type::Float => digits(if worst { 17 } else { DIGITS_ASSUMED }, 0),
        Type::Decimal { scale } => digits(if worst { 38_u8.saturating_sub(*scale) } else { DIGITS_ASSUMED }, *scale),
        Type::Timestamp { micros } => digits(if *micros { 16 } else { 13 }, 0),
        Type::Date => digits(5, 0),
        Type::Ip => ValueSize::Bytes(if worst { 16 } else { 4 }),
        Type::Text(size) | Type::Bytes(size) | Type::Json(size) => {
            ValueSize::Bytes(if worst { size.max } else { size.typical })
        }
        Type::Enum(variants) => {
            ValueSize::Bytes(variants.iter().map(|variant| variant.name.len() as u64).max().unwrap_or(0))
        }
        Type::List(element, count) | Type::Set(element, count) => {
            ValueSize::Elements(vec![(elements(count, which), of(element))])
        }
        Type::Map(key, element, count) => ValueSize::Entries(vec![(elements(count, which), of(key), of(element))]),
        Type::Struct(name) => {
            let members = catalog.struct_type(name).map_or(&[][..], |ty| &ty.members);
            ValueSize::Members(members.iter().map(|(_, ty, _)| of(ty)).collect())
        }
        Type::OneOf(types) => {
            let sized = types.iter().enumerate().map(|(at, ty)| {
                let size = of(ty);
                (size.canonical_bytes(&Kind::of(ty, catalog)), at, size)
            });
            let largest = sized.max_by_key(|(bytes, at, _)| (*bytes, std::cmp::Reverse(*at)));
            largest.map_or(ValueSize::Absent, |(_, at, size)| {
                ValueSize::Choice(u8::try_from(at).unwrap_or(u8::MAX), Box::new(size))
            })
        }
    }
}

/// How many elements a collection has; the worst where the typical count is not stated.
fn elements(count: &Distribution<u64>, which: Which) -> u64 {
    let worst = count.worst.or(count.p99).or(count.typical).unwrap_or(0);
    if which == Which::Worst { worst } else { count.typical.unwrap_or(worst) }
}
