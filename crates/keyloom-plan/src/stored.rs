//! The tables of a layout as a store makes them: columns with their kinds, and what Keyloom itself keeps in each row.

use keyloom_model::layout::{Bucket, Copied, Counted, Holds, Keeper, Layout, Part, Partition, Table, Way};
use keyloom_model::{Aggregate, Catalog, Class, Direction, Entity, Expiry, Fill, Origin, Path, Root, Write, WriteVerb};
use keyloom_store::{Abilities, Atomic, Column, Discipline, Group, SortColumn, Table as Stored};
use keyloom_value::{Kind, Member, Variant};

use crate::{effects::way_of, horizons::Horizons};

/// How the companions of a decision are brought about: rows of projections, reservations, receipts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Companions {
    /// They ride along: all of it happens, or nothing.
    Ride,
    /// They follow, one by one, and what is cut off on the way is finished later.
    Follow,
}

impl Companions {
    /// What a store is able to.
    pub fn of(abilities: &Abilities) -> Self {
        match abilities.atomic {
            Atomic::Rows { .. } => Self::Ride,
            Atomic::Row => Self::Follow,
        }
    }
}

/// The one value of the partition of a table whose rows all stand together.
pub const ALL_COLUMN: &str = "kl_all";

/// The column of a time bucket.
pub fn bucket_column(step: Bucket, field: &str) -> String {
    format!("kl_{}_{field}", step.name())
}

/// The column that stands before an optional one in a key, and says that it is absent.
pub fn absent_column(field: &str) -> String {
    format!("kl_no_{field}")
}

/// The column of a source that has a value in rows that this index shows, and in no others. It is the first of the index's
/// partition, so that the engine keeps no row there that does not belong.
pub fn shown_column(index: &str) -> String {
    format!("kl_in_{index}")
}

/// The column of a reservation that names a part of its owner's identity.
pub fn owner_column(field: &str) -> String {
    format!("kl_owner_{field}")
}

/// The table of what is to be looked at again.
pub const DIRTY_LOG: &str = "kl_dirty";

/// The table of which row a request is about that names it by a unique value.
pub const REGISTER: &str = "kl_register";

/// The table of which buckets the groups of other tables have.
pub const BUCKETS: &str = "kl_bucket";

/// The column that holds a field of a row that this one points to.
pub fn copied_column(path: &Path) -> String {
    format!("kl_of_{}", path.to_string().replace('.', "_"))
}

/// The kind of a field of a row that this one points to, where it can be copied: it stands in that row as it is.
pub fn copied_kind(catalog: &Catalog, layout: &Layout, path: &Path) -> Option<Kind> {
    let Root::Reference { entity, .. } = &path.root else { return None };
    let other = catalog.entity(entity)?;
    let own = other.field(&path.field).filter(|field| !matches!(field.fill, Fill::Kept(_)));
    own.filter(|_| path.members.is_empty()).and_then(|field| kind_of(catalog, layout, other, &field.name))
}

/// The tables that Keyloom keeps for itself: what a process needs across restarts, which requests rows no longer remember,
/// what callers show to say who they are, where anything comes after a decision what is to be looked at again, where
/// rows are changed by a unique value which row each request is about, and where tables are cut by time which buckets there
/// are.
pub fn system_tables(catalog: &Catalog, layout: &Layout, companions: Companions) -> Vec<Stored> {
    let grace_ms = Horizons::of(catalog, layout).grace_ms;
    let system = vec![column("value", Kind::Bytes)];
    let receipts = vec![column("inputs", Kind::Bytes), column("version", Kind::Int), column("refused", Kind::Text)];
    let receipts = table("kl_receipt", Discipline::Placed, vec![column("request", Kind::Bytes)], Vec::new(), receipts);
    let mut tables = vec![
        table("kl_system", Discipline::Decided, vec![column("name", Kind::Text)], Vec::new(), system),
        Stored { grace_ms, ..receipts },
        keys(),
    ];
    let copies = layout.tables.iter().any(|table| !table.copies.is_empty());
    let counts = counts_placed(catalog, layout, companions);
    let ends = catalog.entities.iter().any(|entity| end_is_followed(catalog, layout, companions, entity));
    if companions == Companions::Follow || deletes_parts(catalog) || copies || counts || ends {
        let unique = Kind::Struct(vec![member("unique", Kind::Text), member("key", Kind::Bytes)]);
        let mut columns = vec![
            column("entity", Kind::Text),
            column("key", Kind::Bytes),
            column("uniques", Kind::List(Box::new(unique))),
            column("done", Kind::Bool),
        ];
        if copies {
            // Rows that copy are many: how far a walk over them has come is noted.
            columns.push(column("reached", Kind::Bytes));
        }
        if ends {
            // A mark that stands where a row ends says which version of it ends there.
            columns.push(column("ends", Kind::Int));
        }
        let partition = vec![column("lane", Kind::Int), column("span", Kind::Int)];
        let sort = vec![SortColumn { name: "mark".to_owned(), kind: Kind::Uuid7, descending: false }];
        let dirty = table(DIRTY_LOG, Discipline::Placed, partition, sort, columns);
        tables.push(Stored { grace_ms, ..dirty });
    }
    let by_value = |entity: &str, write: &Write| catalog.entity(entity).is_some_and(|entity| write.is_by_value(entity));
    let mut writes = catalog.patterns.iter().flat_map(|pattern| pattern.writes());
    if writes.any(|(_, write)| by_value(&write.entity, write)) {
        let columns = vec![column("inputs", Kind::Bytes), column("row", Kind::Bytes)];
        let request = vec![column("request", Kind::Bytes)];
        let register = table(REGISTER, Discipline::Decided, request, Vec::new(), columns);
        tables.push(Stored { grace_ms, ..register });
    }
    if layout.tables.iter().any(|table| table.partition.bucket().is_some()) {
        let partition = vec![column("cut_table", Kind::Text), column("cut_group", Kind::Bytes)];
        let moment = |name: &str| SortColumn {
            name: name.to_owned(),
            kind: Kind::Timestamp { micros: false },
            descending: false,
        };
        // A bucket whose rows last longer than was known has another name: names are never changed.
        let sort = vec![moment("begins"), moment("until")];
        let columns = vec![column("named", Kind::Timestamp { micros: true })];
        let buckets = table(BUCKETS, Discipline::Placed, partition, sort, columns);
        tables.push(Stored { grace_ms, ..buckets });
    }
    tables
}

/// Keys are few and stand together, so that they can be listed. None is ever removed.
fn keys() -> Stored {
    let micros = Kind::Timestamp { micros: true };
    let columns = vec![
        column("hash", Kind::Bytes),
        column("subject", Kind::Text),
        column("role", Kind::Text),
        column("tenant", Kind::Text),
        column("made", micros.clone()),
        column("revoked", micros),
    ];
    let sort = vec![SortColumn { name: "id".to_owned(), kind: Kind::Text, descending: false }];
    table("kl_key", Discipline::Decided, vec![column(ALL_COLUMN, Kind::Int)], sort, columns)
}

/// Whether rows are deleted that have parts, which go after them.
fn deletes_parts(catalog: &Catalog) -> bool {
    let writes = catalog.patterns.iter().flat_map(|pattern| pattern.writes());
    let mut deleted = writes.filter(|(_, write)| write.verb == WriteVerb::Delete).map(|(_, write)| &write.entity);
    deleted.any(|entity| catalog.entities.iter().any(|part| part.part_of.as_ref() == Some(entity)))
}

/// Whether rows are counted that are placed, which happens behind them.
pub(crate) fn counts_placed(catalog: &Catalog, layout: &Layout, companions: Companions) -> bool {
    layout.tables.iter().any(|table| {
        let Holds::Kept { entity, field, upkeep } = &table.holds else { return false };
        let field = catalog.entity(entity).and_then(|entity| entity.field(field));
        let Some(Fill::Kept(kept)) = field.map(|field| &field.fill) else { return false };
        let placed = catalog.entity(&kept.entity).is_some_and(|feeder| feeder.class(catalog).0 != Class::Decided);
        placed && upkeep.way.unwrap_or_else(|| way_of(catalog, kept, companions)) == Way::Recount
    })
}

/// Whether something follows when rows of an entity end: values that are kept from them, and rows that hold fields of theirs.
/// A value that is pushed further ends by itself with the row that pushed it.
pub fn end_is_followed(catalog: &Catalog, layout: &Layout, companions: Companions, of: &Entity) -> bool {
    let kept_from = |table: &Table| {
        let Holds::Kept { entity, field, upkeep } = &table.holds else { return false };
        let field = catalog.entity(entity).and_then(|entity| entity.field(field));
        let Some(Fill::Kept(kept)) = field.map(|field| &field.fill) else { return false };
        kept.entity == of.name && upkeep.way.unwrap_or_else(|| way_of(catalog, kept, companions)) != Way::Newest
    };
    let copied_from =
        |copied: &Copied| matches!(&copied.path.root, Root::Reference { entity, .. } if *entity == of.name);
    matches!(of.expires, Some(Expiry::At(_)))
        && layout.tables.iter().any(|table| kept_from(table) || table.copies.iter().any(copied_from))
}

/// The columns that every decided source has. They come first, because the catalog's own may grow at the end.
pub fn source_columns(companions: Companions) -> Vec<Column> {
    let micros = Kind::Timestamp { micros: true };
    let millis = Kind::Timestamp { micros: false };
    let token = Kind::Struct(vec![
        member("token", Kind::Bytes),
        member("birth", millis.clone()),
        member("inputs", Kind::Bytes),
        member("version", Kind::Int),
        Member { optional: true, ..member("refused", Kind::Text) },
    ]);
    let mut columns = vec![
        column("kl_created", micros.clone()),
        column("kl_updated", micros),
        column("kl_floor", millis),
        column("kl_tokens", Kind::List(Box::new(token))),
        column("kl_gone", Kind::Bool),
    ];
    if companions == Companions::Follow {
        let stale = Kind::Struct(vec![member("table", Kind::Text), member("key", Kind::Bytes)]);
        columns.push(column("kl_stale", Kind::List(Box::new(stale))));
    }
    columns
}

/// What a store is asked to make for a table of the layout. Its columns must be stated.
pub fn stored(catalog: &Catalog, layout: &Layout, companions: Companions, of: &Table) -> Option<Stored> {
    let entity = catalog.entity(rows_of(catalog, of)?)?;
    let kind = |field: &str| kind_of(catalog, layout, entity, field);
    let mut partition = Vec::new();
    if is_index(of) {
        partition.push(column(&shown_column(&of.name), Kind::Int));
    }
    match &of.partition {
        Partition::All if is_index(of) => {}
        Partition::All => partition.push(column(ALL_COLUMN, Kind::Int)),
        Partition::By(parts) => {
            for part in parts {
                partition.push(match part {
                    Part::Field(field) => column(field, kind(field)?),
                    Part::Bucket(step, field) => column(&bucket_column(*step, field), bucket_kind(*step)),
                });
            }
        }
    }
    let mut sort = Vec::new();
    for item in &of.sort {
        let descending = item.direction == Direction::Descending;
        if item.nulls_last {
            sort.push(SortColumn { name: absent_column(&item.field), kind: Kind::Bool, descending: false });
        }
        sort.push(SortColumn { name: item.field.clone(), kind: kind(&item.field)?, descending });
    }
    let own = of.columns.iter().flatten().map(|name| Some(column(name, kind(name)?)));
    let copied = of
        .copies
        .iter()
        .map(|copied| Some(column(&copied_column(&copied.path), copied_kind(catalog, layout, &copied.path)?)));
    let own = own.chain(copied).collect::<Option<Vec<Column>>>()?;
    let created = || column("kl_created", Kind::Timestamp { micros: true });
    let (discipline, columns) = match &of.holds {
        Holds::Source { .. } => {
            let shown = indexes_of(layout, entity).map(|index| column(&shown_column(&index.name), Kind::Int));
            let own = own.into_iter().chain(shown).collect();
            match entity.class(catalog).0 {
                Class::Decided => (Discipline::Decided, [source_columns(companions), own].concat()),
                Class::Append | Class::Fed | Class::Blind => (Discipline::Placed, [vec![created()], own].concat()),
            }
        }
        Holds::Projection { keeper, .. } => {
            // A row that has ended is still in its source; whoever reads it by an index must be able to tell.
            let told = if is_index(of) { end_fields(entity) } else { Vec::new() };
            let held = |name: &&str| {
                let cells = partition.iter().chain(&own).map(|column| &column.name);
                cells.chain(sort.iter().map(|column| &column.name)).any(|held| held == name)
            };
            let told = told.into_iter().filter(|name| !held(name)).map(|name| Some(column(name, kind(name)?)));
            let told = told.collect::<Option<Vec<Column>>>()?;
            (kept_by(catalog, layout, *keeper, entity), [own, told].concat())
        }
        Holds::Reservations { .. } => {
            // The owner is of the same tenant, who stands in the key. Of the only row it is said that it holds the value.
            let owner = entity.key.iter().map(|field| Some(column(&owner_column(field), kind(field)?)));
            let only = entity.key.is_empty().then(|| Some(column(&owner_column(ALL_COLUMN), Kind::Int)));
            (Discipline::Decided, owner.chain(only).collect::<Option<Vec<Column>>>()?)
        }
        Holds::Kept { field, upkeep, .. } => {
            let newest = upkeep.way == Some(Way::Newest);
            let discipline = if newest { Discipline::Placed } else { Discipline::Decided };
            (discipline, kept_columns(catalog, layout, entity, field)?)
        }
        // They ride along with the decision that feeds them.
        Holds::Contributions(Counted::Field { .. })
            if companions == Companions::Ride && entity.class(catalog).0 == Class::Decided =>
        {
            (Discipline::Carried, own)
        }
        Holds::Contributions(_) | Holds::Newest { .. } => (Discipline::Placed, own),
        Holds::Numbers { .. } => (Discipline::Decided, vec![column("kl_last", Kind::Int)]),
    };
    let made = table(&of.name, discipline, partition, sort, columns);
    // Rows that never change all end equally long after they came.
    let appended =
        matches!(of.holds, Holds::Source { .. } | Holds::Projection { .. }) && entity.class(catalog).0 == Class::Append;
    let kept = entity.kept_for().filter(|_| appended);
    let lifetime_ms = kept.and_then(|kept| i64::try_from(kept.milliseconds()).ok());
    Some(Stored { grace_ms: Horizons::of(catalog, layout).grace_ms, lifetime_ms, ..made })
}

/// Whose fields the columns of a table are.
pub fn rows_of<'a>(catalog: &'a Catalog, table: &'a Table) -> Option<&'a str> {
    Some(match &table.holds {
        Holds::Source { entity, .. }
        | Holds::Projection { entity, .. }
        | Holds::Reservations { entity, .. }
        | Holds::Kept { entity, .. }
        | Holds::Newest { entity }
        | Holds::Numbers { entity, .. } => entity,
        Holds::Contributions(Counted::Field { entity, field }) => match &catalog.entity(entity)?.field(field)?.fill {
            Fill::Kept(kept) => &kept.entity,
            _ => return None,
        },
        Holds::Contributions(Counted::Rollup(rollup)) => match &catalog.entity(rollup)?.origin {
            Origin::Rollup(rollup) => &rollup.of,
            _ => return None,
        },
    })
}

fn kept_by(catalog: &Catalog, layout: &Layout, keeper: Keeper, entity: &Entity) -> Discipline {
    match keeper {
        // What is carried rides with a decision, and only a decided source has decisions.
        Keeper::Carried if entity.class(catalog).0 == Class::Decided => Discipline::Carried,
        Keeper::Carried | Keeper::Placed => Discipline::Placed,
        Keeper::Index => {
            let is_source =
                |table: &&Table| matches!(&table.holds, Holds::Source { entity: of, .. } if *of == entity.name);
            let of = layout.tables.iter().find(is_source).map(|table| table.name.clone()).unwrap_or_default();
            Discipline::Indexed { of }
        }
    }
}

/// Whether the engine keeps a table.
pub fn is_index(table: &Table) -> bool {
    matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. })
}

/// The lists that the engine keeps from the source of an entity.
fn indexes_of<'a>(layout: &'a Layout, entity: &Entity) -> impl Iterator<Item = &'a Table> {
    let of = |table: &Table| matches!(&table.holds, Holds::Projection { entity: of, .. } if *of == entity.name);
    layout.tables.iter().filter(move |table| is_index(table) && of(table))
}

/// The fields that the end of a row is computed from.
fn end_fields(entity: &Entity) -> Vec<&str> {
    let Some(Expiry::At(end)) = &entity.expires else { return Vec::new() };
    let mut fields: Vec<&str> = end.paths().into_iter().filter_map(Path::own_field).collect();
    fields.retain(|name| entity.field(name).is_some());
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// What is kept of a value: a mean is its sum and how many there are.
fn kept_columns(catalog: &Catalog, layout: &Layout, entity: &Entity, field: &str) -> Option<Vec<Column>> {
    let value = kind_of(catalog, layout, entity, field)?;
    let Fill::Kept(kept) = &entity.field(field)?.fill else { return None };
    Some(match kept.aggregate {
        Aggregate::Average => vec![column("kl_sum", value), column("kl_count", Kind::Int)],
        Aggregate::Count | Aggregate::Sum | Aggregate::Min | Aggregate::Max | Aggregate::Last | Aggregate::First => {
            vec![column(field, value)]
        }
    })
}

/// The kind of a field, of the tenant or of what every row has; the ranks of the layout count.
pub fn kind_of(catalog: &Catalog, layout: &Layout, entity: &Entity, field: &str) -> Option<Kind> {
    if let Some(tenant) = catalog.tenant.as_ref().filter(|tenant| entity.per_tenant && tenant.field == field) {
        return Some(Kind::of(&tenant.ty, catalog));
    }
    let Some(known) = entity.field(field) else {
        return Entity::built_in(field).map(|(ty, _)| Kind::of(&ty, catalog));
    };
    let kind = Kind::of(&known.ty, catalog);
    let stated = layout.ranks.iter().find(|ranks| ranks.entity == entity.name && ranks.field == field);
    let (Some(stated), Kind::Enum(variants)) = (stated, &kind) else { return Some(kind) };
    let ranked = |variant: &Variant| {
        let rank = stated.ranks.iter().find(|(name, _)| *name == variant.name).map_or(variant.rank, |(_, rank)| *rank);
        Variant { name: variant.name.clone(), rank }
    };
    Some(Kind::Enum(variants.iter().map(ranked).collect()))
}

fn bucket_kind(step: Bucket) -> Kind {
    match step {
        Bucket::Hour => Kind::Timestamp { micros: false },
        Bucket::Day | Bucket::Month | Bucket::Year => Kind::Date,
    }
}

fn table(
    name: &str,
    discipline: Discipline,
    partition: Vec<Column>,
    sort: Vec<SortColumn>,
    columns: Vec<Column>,
) -> Stored {
    Stored {
        name: name.to_owned(),
        discipline,
        partition,
        sort,
        groups: vec![Group { columns }],
        grace_ms: 0,
        lifetime_ms: None,
    }
}

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn member(name: &str, kind: Kind) -> Member {
    Member { name: name.to_owned(), kind, optional: false }
}
