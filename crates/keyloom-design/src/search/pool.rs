//! The shapes that are thought of: made from the questions of an entity, never by permutation.

use keyloom_model::layout::{Holds, Keeper, Part, Partition, SortItem, Table};
use keyloom_model::{Catalog, Class, Direction, Entity, Expr, Freshness, Path};
use keyloom_plan::{Companions, Wants, access, is_index};
use keyloom_store::Abilities;

use super::choice::Choice;
use crate::name::Names;
use crate::structure;

/// A table that nobody has named yet, and the words for its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// It, without name and columns.
    pub table: Table,
    /// Which of the ways to think of a table it is.
    pub kind: Kind,
    rows: Vec<String>,
    by: Vec<String>,
    order: Option<String>,
}

/// The ways to think of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Just what one question asks for.
    Exact,
    /// With all rows; what is constant in the question leads the sort key.
    Whole,
    /// By fewer fields, which another question has too; the others lead the sort key.
    Coarser,
    /// One that is in use already.
    Standing,
}

impl Shape {
    /// The table under a name that is not taken, or its own.
    pub(crate) fn named(&self, entity: &Entity, names: &mut Names) -> Table {
        if self.stands() {
            return self.table.clone();
        }
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let name = names.table(&entity.name, &self.rows, Some(&by), self.order.as_deref());
        Table { name, ..self.table.clone() }
    }

    /// Whether it is in use already.
    pub fn stands(&self) -> bool {
        self.kind == Kind::Standing
    }

    fn standing(table: Table) -> Self {
        Self { table, kind: Kind::Standing, rows: Vec::new(), by: Vec::new(), order: None }
    }

    /// Whether its rows stand where those of another do.
    fn is_like(&self, other: &Self) -> bool {
        self.table == Table { name: self.table.name.clone(), ..other.table.clone() }
    }

    /// Whether the engine keeps it.
    pub fn is_index(&self) -> bool {
        is_index(&self.table)
    }
}

/// The shapes of an entity, each once, in the order in which they are thought of; those that are in use first.
pub(crate) fn shapes(
    catalog: &Catalog,
    entity: &Entity,
    choices: &[&Choice],
    abilities: &Abilities,
    standing: impl Iterator<Item = Table>,
) -> Vec<Shape> {
    let class = entity.class(catalog).0;
    let keeper = match (Companions::of(abilities), class) {
        (Companions::Ride, Class::Decided) => Keeper::Carried,
        _ => Keeper::Placed,
    };
    let mut pool: Vec<Shape> = standing.map(Shape::standing).collect();
    let mut add = |shape: Shape| {
        if pool.iter().all(|known| !known.is_like(&shape)) {
            pool.push(shape);
        }
    };
    let exact: Vec<(Shape, &Choice)> = choices
        .iter()
        .filter_map(|choice| {
            let structure = structure::of(catalog, entity, choice.base())?;
            let table = structure.table(String::new(), entity, keeper, choice.base());
            let (rows, by, order) = structure.words(choice.base());
            Some((Shape { table, kind: Kind::Exact, rows, by, order }, *choice))
        })
        .collect();
    exact.iter().for_each(|(shape, _)| add(shape.clone()));
    // Rows that are put and deleted without a look at them stand where their key says, and nowhere else.
    let plain = |choice: &Choice| choice.base().one_per.is_empty() && !choice.base().all_tenants;
    if class != Class::Blind {
        for (shape, choice) in exact.iter().filter(|(_, choice)| plain(choice)) {
            whole(entity, shape).into_iter().for_each(&mut add);
            for (other, _) in exact.iter().filter(|(_, other)| plain(other) && other.base() != choice.base()) {
                coarser(catalog, shape, other).into_iter().for_each(&mut add);
            }
        }
    }
    if abilities.indexes.is_some() && class == Class::Decided {
        for shape in pool.clone().iter().filter(|shape| !shape.stands()).filter_map(indexed) {
            if pool.iter().all(|known| !known.is_like(&shape)) {
                pool.push(shape);
            }
        }
    }
    pool
}

/// The same with all rows.
fn whole(entity: &Entity, shape: &Shape) -> Option<Shape> {
    let tests = shape.table.filter.as_ref()?.conjuncts();
    let fixed: Option<Vec<String>> = tests.iter().map(|test| fixed_field(entity, test)).collect();
    let lead: Vec<String> = fixed?;
    let table = Table { filter: None, sort: led(&lead, &shape.table.sort), ..shape.table.clone() };
    let by = shape.by.iter().chain(&lead).cloned().collect();
    Some(Shape { table, kind: Kind::Whole, rows: Vec::new(), by, order: shape.order.clone() })
}

/// The field that a constant test fixes, where every row has it.
fn fixed_field(entity: &Entity, test: &Expr) -> Option<String> {
    let of = match test {
        Expr::Compare(keyloom_model::Compare::Equal, left, _) => left,
        Expr::In(of, keyloom_model::Set::Values(_)) => of,
        _ => return None,
    };
    let Expr::Path(path) = &**of else { return None };
    let field = path.own_field()?;
    entity.field(field).filter(|field| !field.optional)?;
    (*path == Path::own(field)).then(|| field.to_owned())
}

/// The same by what it has in common with another.
fn coarser(catalog: &Catalog, shape: &Shape, other: &Shape) -> Option<Shape> {
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let is_common = |field: &str| Some(field) == tenant || other.by.iter().any(|known| known == field);
    let Partition::By(parts) = &shape.table.partition else { return None };
    let (common, rest): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| is_common(part.field()));
    let shares = common.iter().any(|part| Some(part.field()) != tenant);
    if rest.is_empty() || !shares {
        return None;
    }
    let lead: Vec<String> = rest.iter().map(|part| part.field().to_owned()).collect();
    let partition = Partition::By(common.into_iter().cloned().collect());
    let table = Table { partition, sort: led(&lead, &shape.table.sort), ..shape.table.clone() };
    Some(Shape { table, kind: Kind::Coarser, ..shape.clone() })
}

/// A sort key with fields before it.
fn led(lead: &[String], sort: &[SortItem]) -> Vec<SortItem> {
    let first =
        lead.iter().map(|field| SortItem { field: field.clone(), direction: Direction::Ascending, nulls_last: false });
    first.chain(sort.iter().filter(|item| !lead.contains(&item.field)).cloned()).collect()
}

/// The same, kept by the engine.
fn indexed(shape: &Shape) -> Option<Shape> {
    let Holds::Projection { entity, .. } = &shape.table.holds else { return None };
    if shape.table.all_tenants || shape.table.sort.iter().any(|item| item.nulls_last) {
        return None;
    }
    let holds = Holds::Projection { entity: entity.clone(), keeper: Keeper::Index };
    Some(Shape { table: Table { holds, ..shape.table.clone() }, ..shape.clone() })
}

/// Whether a table answers all questions of a choice as they are asked.
pub(crate) fn answers(
    catalog: &Catalog,
    layout: &keyloom_model::layout::Layout,
    choice: &Choice,
    table: &Table,
) -> bool {
    // Callers must present what they have seen to an index, and an age that nobody stated is no leave to be late.
    let late = |freshness| matches!(freshness, Some(Freshness::Within(_)));
    if is_index(table) && (!late(choice.base().freshness) || choice.base().wants == Wants::All) {
        return false;
    }
    choice.asked.iter().all(|asked| access::serve(catalog, layout, asked, table).is_ok())
}
