//! The key of a source: identity, or that of a list whose rows it can be.

use keyloom_model::layout::Table;
use keyloom_model::{Action, Catalog, Class, Entity, Expr, Fill, Origin, Path, ReadVerb, Returns, Root, Step};
use keyloom_plan::Asked;

use crate::structure;

/// A source that nobody looks up by its identity stands as its first list asks for it, so that its rows are written once.
pub(crate) fn with_list_key(
    catalog: &Catalog,
    entity: &Entity,
    class: Class,
    asked: &[Asked],
    by_identity: Table,
) -> Table {
    if class == Class::Decided || is_looked_up(catalog, entity) {
        return by_identity;
    }
    let first = asked
        .iter()
        .filter(|asked| asked.entity == entity.name && asked.one_per.is_empty() && !asked.all_tenants)
        .filter_map(|asked| structure::of(catalog, entity, asked))
        .find(|structure| {
            // A row that is put anew or deleted by its key alone must be found there again.
            structure.holds_all(entity) && (class == Class::Append || structure.is_identity(entity))
        });
    match first {
        Some(structure) => {
            let (partition, sort) = structure.key();
            Table { partition, sort, ..by_identity }
        }
        None => by_identity,
    }
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
        || matches!(entity.origin, Origin::Rollup(_))
}
