//! Which parts belong to one schema, and which are schemas of their own.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::schema::{Schema, Table, Type};
use keyloom_finding::Place;

use crate::part::{Kind, Part};
use crate::path;
use crate::version::natural;

/// More schemas than this that have nothing to do with each other are no repository but a collection.
const SCHEMAS_MAX: usize = 64;

/// The columns of a table, as far as it matters here.
struct Shape {
    keyspace: String,
    columns: BTreeSet<String>,
    /// The folder of the chain of migrations that made it.
    chain: Option<String>,
}

/// The columns of a table or the fields of a type, with their types.
type Writing = BTreeMap<String, Type>;

/// The tables of one schema, by name.
#[derive(Default)]
struct Known {
    tables: BTreeMap<String, Vec<Shape>>,
    /// What files make that each begin with a keyspace of their own, the name of which is filled in later.
    templates: BTreeMap<String, Writing>,
}

/// Divides parts into schemas; the answer also says where the parts stand that were left out because there were too many.
///
/// Two parts that make the same tables in the same way are copies of one schema: a dump beside a chain of migrations. Two that
/// make tables of the same name in another way are different schemas, of two services in one repository. So are two files that
/// each make a keyspace which is named later, where they make anything in another way. All others are one.
pub(crate) fn schemas(mut parts: Vec<Part>) -> (Vec<Vec<Part>>, Vec<Place>) {
    // What is trusted more comes first, then what has the longer history, then what makes more: it decides for the rest.
    parts.sort_by(|a, b| {
        let size = |part: &Part| (part.sources.len(), tables(&part.alone).count());
        a.kind.cmp(&b.kind).then_with(|| size(b).cmp(&size(a))).then_with(|| natural(a.name(), b.name()))
    });
    let mut schemas: Vec<(Known, Vec<Part>)> = Vec::new();
    let mut left_out = Vec::new();
    for part in parts {
        match schemas.iter().position(|(known, _)| known.fits(&part)) {
            Some(at) => {
                schemas[at].0.learn(&part);
                schemas[at].1.push(part);
            }
            None if schemas.len() < SCHEMAS_MAX => {
                let mut known = Known::default();
                known.learn(&part);
                schemas.push((known, vec![part]));
            }
            None => left_out.extend(part.sources.iter().map(|source| Place::new(source.file, 0..0))),
        }
    }
    (schemas.into_iter().map(|(_, parts)| by_needs(parts)).collect(), left_out)
}

/// All tables of a schema.
pub(crate) fn tables(schema: &Schema) -> impl Iterator<Item = &Table> {
    schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values())
}

impl Known {
    fn learn(&mut self, part: &Part) {
        let chain = (part.kind == Kind::Chain).then(|| part.folder().to_owned());
        for table in tables(&part.alone) {
            let columns = table.columns.iter().map(|column| column.name.clone()).collect();
            let shapes = self.tables.entry(table.name.clone()).or_default();
            shapes.push(Shape { keyspace: table.keyspace.clone(), columns, chain: chain.clone() });
        }
        if part.is_template() {
            self.templates.extend(writings(&part.alone));
        }
    }

    /// Whether a part may belong to this schema: most of the tables that both have look alike.
    fn fits(&self, part: &Part) -> bool {
        let differs =
            |(name, writing): (String, Writing)| self.templates.get(&name).is_some_and(|known| *known != writing);
        if part.is_template() && writings(&part.alone).any(differs) {
            return false;
        }
        let (mut alike, mut unlike) = (0, 0);
        let folder = part.folder();
        for table in tables(&part.alone) {
            let same = |shape: &&Shape| {
                shape.keyspace == table.keyspace || shape.keyspace.is_empty() || table.keyspace.is_empty()
            };
            let Some(shape) = self.tables.get(&table.name).and_then(|shapes| shapes.iter().find(same)) else {
                continue;
            };
            let shared = table.columns.iter().filter(|column| shape.columns.contains(&column.name)).count();
            let fewer = shape.columns.len().min(table.columns.len());
            let more = shape.columns.len().max(table.columns.len());
            // Nobody keeps two chains for one schema in different folders: they are alike only where they are the same.
            let apart = |chain: &String| !path::is_below(chain, folder) && !path::is_below(folder, chain);
            let two_chains = part.kind == Kind::Chain && shape.chain.as_ref().is_some_and(apart);
            if shared == more || !two_chains && (shared == fewer || shared * 2 >= more) {
                alike += 1;
            } else {
                unlike += 1;
            }
        }
        unlike == 0 || alike > unlike
    }
}

/// The tables and types of a schema, each with what it is made of.
fn writings(schema: &Schema) -> impl Iterator<Item = (String, Writing)> {
    let tables = tables(schema).map(|table| {
        let columns = table.columns.iter().map(|column| (column.name.clone(), column.of.clone()));
        (format!("table {}", table.name), columns.collect())
    });
    let types = schema.keyspaces.values().flat_map(|keyspace| keyspace.types.values()).map(|of| {
        let fields = of.fields.iter().map(|(name, of)| (name.clone(), of.clone()));
        (format!("type {}", of.name), fields.collect())
    });
    tables.chain(types)
}

/// Puts parts into an order in which each finds what it needs, if there is one; else in the order in which they came.
fn by_needs(parts: Vec<Part>) -> Vec<Part> {
    let mut makers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        for made in &part.makes {
            makers.entry(&made.name).or_default().push(at);
        }
    }
    let mut waits: Vec<BTreeSet<usize>> = Vec::with_capacity(parts.len());
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    for (at, part) in parts.iter().enumerate() {
        let before = part.needs.iter().flat_map(|needed| makers.get(needed.name.as_str()).into_iter().flatten());
        // One maker is enough; the first is the one that is trusted most.
        let before: BTreeSet<usize> = before.copied().filter(|maker| *maker != at).collect();
        before.iter().for_each(|maker| followers[*maker].push(at));
        waits.push(before);
    }
    let mut ready: BTreeSet<usize> = (0..parts.len()).filter(|at| waits[*at].is_empty()).collect();
    let mut left: BTreeSet<usize> = (0..parts.len()).collect();
    let mut order = Vec::with_capacity(parts.len());
    while let Some(next) = ready.pop_first().or_else(|| left.first().copied()) {
        left.remove(&next);
        order.push(next);
        for follower in std::mem::take(&mut followers[next]) {
            waits[follower].remove(&next);
            if waits[follower].is_empty() && left.contains(&follower) {
                ready.insert(follower);
            }
        }
        ready.remove(&next);
    }
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| parts[at].take()).collect()
}
