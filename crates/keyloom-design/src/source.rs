//! The key of a source: identity, or that of a list whose rows it can be.

use keyloom_facts::Facts;
use keyloom_model::layout::Table;
use keyloom_model::{
    Action, Catalog, Class, Engine, Entity, Expr, Fill, Origin, Path, Pattern, ReadVerb, Returns, Root, Skew, Step,
};
use keyloom_plan::Asked;
use keyloom_size::Calls;

use crate::structure;

/// A source stands as its first list asks for it, so that its rows are written once: where a row is still found by its identity
/// alone, or nobody looks for it so.
pub(crate) fn with_list_key(
    catalog: &Catalog,
    entity: &Entity,
    class: Class,
    asked: &[Asked],
    by_identity: Table,
    engine: Engine,
) -> Table {
    let is_rollup = matches!(entity.origin, Origin::Rollup(_));
    if is_rollup || class == Class::Decided && is_contended(catalog, entity, engine) {
        return by_identity;
    }
    let found = class == Class::Decided || is_looked_up(catalog, entity);
    let stands = |asked: &Asked| {
        let structure = structure::of(catalog, entity, asked)?;
        let may = match found {
            // A list that shows little of its rows is better off with a table of little rows.
            true => structure.is_identity(entity) && shows_all(entity, asked),
            // A row that is put anew or deleted by its key alone must be found there again.
            false => class == Class::Append || structure.is_identity(entity),
        };
        (may && structure.holds_all(entity)).then_some(structure)
    };
    let first = asked
        .iter()
        .filter(|asked| asked.entity == entity.name && asked.one_per.is_empty() && !asked.all_tenants)
        .find_map(stands);
    match first {
        Some(structure) => {
            let (partition, sort) = structure.key();
            Table { partition, sort, ..by_identity }
        }
        None => by_identity,
    }
}

/// Whether a list shows all of its rows that they have themselves.
fn shows_all(entity: &Entity, asked: &Asked) -> bool {
    let shown = |field: &str| asked.returns.iter().any(|path| path.own_field() == Some(field));
    let own = entity.fields.iter().filter(|field| !matches!(field.fill, Fill::Kept(_)));
    own.into_iter().all(|field| entity.key.contains(&field.name) || shown(&field.name))
}

/// Whether rows that stand together would be decided more often than the engine can, if it decided those of a partition one by one. How
/// uneven calls are that nobody describes does not count.
fn is_contended(catalog: &Catalog, entity: &Entity, engine: Engine) -> bool {
    let Some(limit) = Facts::of(engine).get("row_decisions_per_second") else { return false };
    let busiest = |pattern: &Pattern| {
        let Some(Skew::Busiest(share)) = pattern.skew else { return None };
        let peak = Calls::of(&pattern.name, pattern.rate).peak_kilosecond.value()?;
        Some(peak.saturating_mul(share.millionths.into()) / 1_000_000)
    };
    let writes = |pattern: &&Pattern| pattern.writes().iter().any(|(_, write)| write.entity == entity.name);
    let decided: u128 = catalog.patterns.iter().filter(writes).filter_map(busiest).sum();
    decided > u128::from(limit.value) * 1_000
}

/// Whether a row is read, changed, checked or pointed at by its identity alone.
fn is_looked_up(catalog: &Catalog, entity: &Entity) -> bool {
    let points = |path: &Path| matches!(&path.root, Root::Reference { entity: to, .. } if *to == entity.name);
    let returned = |returns: &Returns| matches!(returns, Returns::Paths(paths) if paths.iter().any(points));
    let read = |expr: &Expr| expr.paths().into_iter().any(points);
    catalog.patterns.iter().any(|pattern| match &pattern.action {
        Action::Read(read_by) => {
            let own = read_by.selection.entity == entity.name && read_by.verb == ReadVerb::Get;
            let with = read_by.with.iter().map(|with| &with.read);
            let reads = std::iter::once(read_by).chain(with);
            own || reads
                .into_iter()
                .any(|each| returned(&each.returns) || each.selection.filter.as_ref().is_some_and(read))
        }
        Action::Claim(claim) => returned(&claim.returns),
        Action::Write(_) | Action::Outside(_) => false,
        Action::Atomic(steps) => {
            steps.iter().any(|step| matches!(step, Step::Check { entity: of, .. } if *of == entity.name))
        }
    }) || catalog.entities.iter().any(|other| {
        other.fields.iter().any(|field| {
            let held = field.reference.as_ref().is_some_and(|to| to.entity == entity.name && to.must_exist);
            held || matches!(&field.fill, Fill::Snapshot(path) if points(path))
        })
    }) || entity.fields.iter().any(|field| matches!(field.fill, Fill::Kept(_)))
}
