//! A layout as canonical text: everything in braces first, which the formatter then breaks where it is too wide.

use keyloom_finding::Sources;
use keyloom_model::layout::{
    Copied, Counted, Form, Holds, Horizons, Keeper, Layout, Part, Partition, Path, SortItem, Spread, Table, Upkeep,
    Way, WhenExpired,
};
use keyloom_model::{Class, Direction, count_text};

use super::format;
use super::scalar::{self, Context};
use crate::yaml::Scalar;

/// What is printed: a text, a list, a mapping.
enum Tree {
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(&'static str, Tree)>),
    /// A mapping with names of authors.
    Named(Vec<(String, Tree)>),
}

/// Prints a layout canonically: formatting the text changes nothing, and reading it gives the same layout.
pub fn print_layout(layout: &Layout) -> String {
    let mut text = String::new();
    let head = [
        ("layout", Layout::VERSION.to_string()),
        ("catalog", layout.catalog.clone()),
        ("engine", layout.engine.name().to_owned()),
        ("epoch", layout.epoch.to_string()),
    ];
    for (key, value) in head {
        line(&mut text, 0, key, &on_one_line(value, Context::Block));
    }
    if layout.horizons != Horizons::default() {
        line(&mut text, 0, "horizons", &horizons(&layout.horizons).flow());
    }
    block(&mut text, "tables", layout.tables.iter().map(|table| (table.name.clone(), table_tree(table))));
    let ranks = layout.ranks.iter().map(|ranks| {
        let each = ranks.ranks.iter().map(|(value, rank)| (value.clone(), Tree::text(rank))).collect();
        (format!("{}.{}", ranks.entity, ranks.field), Tree::Named(each))
    });
    let ranks = Tree::Named(ranks.collect());
    if !layout.ranks.is_empty() {
        line(&mut text, 0, "ranks", &ranks.flow());
    }
    block(&mut text, "paths", layout.paths.iter().map(|path| (path.question.to_string(), path_tree(path))));

    let mut sources = Sources::default();
    let file = sources.add("", &text);
    // What was written here is YAML; were it not, it would be better shown than hidden.
    format(&sources, file).unwrap_or(text)
}

/// A section of things by name, if there are any.
fn block(text: &mut String, key: &str, things: impl ExactSizeIterator<Item = (String, Tree)>) {
    if things.len() == 0 {
        return;
    }
    text.push_str(key);
    text.push_str(":\n");
    for (name, tree) in things {
        line(text, super::INDENT, &on_one_line(name, Context::Block), &tree.flow());
    }
}

fn line(text: &mut String, indent: usize, key: &str, value: &str) {
    text.extend(std::iter::repeat_n(' ', indent));
    text.extend([key, ": ", value, "\n"]);
}

fn on_one_line(text: String, context: Context) -> String {
    scalar::on_one_line(&Scalar { text, plain: true, block: false, folded: false }, context)
}

impl Tree {
    fn text(value: impl ToString) -> Self {
        Self::Text(value.to_string())
    }

    /// A mapping of those of these that are stated.
    fn stated<const N: usize>(entries: [(&'static str, Option<Self>); N]) -> Self {
        Self::Map(entries.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }

    /// A list, unless it would be empty.
    fn list(items: impl ExactSizeIterator<Item = impl ToString>) -> Option<Self> {
        (items.len() > 0).then(|| Self::List(items.map(Self::text).collect()))
    }

    fn flow(self) -> String {
        let map = |entries: Vec<String>| {
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        };
        match self {
            Self::Text(text) => on_one_line(text, Context::Flow),
            Self::List(items) => format!("[{}]", items.into_iter().map(Self::flow).collect::<Vec<_>>().join(", ")),
            Self::Map(entries) => {
                map(entries.into_iter().map(|(key, value)| format!("{key}: {}", value.flow())).collect())
            }
            Self::Named(entries) => map(entries
                .into_iter()
                .map(|(key, value)| format!("{}: {}", on_one_line(key, Context::Flow), value.flow()))
                .collect()),
        }
    }
}

fn horizons(horizons: &Horizons) -> Tree {
    Tree::stated([
        ("settle", horizons.settle.map(Tree::text)),
        ("doubt", horizons.doubt.map(Tree::text)),
        ("late", horizons.late.map(Tree::text)),
        ("page", horizons.page.map(Tree::text)),
        ("grace", horizons.grace.map(Tree::text)),
    ])
}

fn table_tree(table: &Table) -> Tree {
    let unstated = Upkeep::default();
    let (kind, what, class, keeper, upkeep) = match &table.holds {
        Holds::Source { entity, class, upkeep } => ("source", entity.clone(), *class, None, upkeep),
        Holds::Projection { entity, keeper } => ("of", entity.clone(), None, Some(*keeper), &unstated),
        Holds::Reservations { entity, unique } => ("reserves", format!("{entity}.{unique}"), None, None, &unstated),
        Holds::Kept { entity, field, upkeep } => ("keeps", format!("{entity}.{field}"), None, None, upkeep),
        Holds::Contributions(Counted::Field { entity, field }) => {
            ("counts", format!("{entity}.{field}"), None, None, &unstated)
        }
        Holds::Contributions(Counted::Rollup(rollup)) => ("counts", rollup.clone(), None, None, &unstated),
        Holds::Newest { entity } => ("newest", entity.clone(), None, None, &unstated),
        Holds::Numbers { entity, field } => ("numbers", format!("{entity}.{field}"), None, None, &unstated),
    };
    Tree::stated([
        (kind, Some(Tree::Text(what))),
        ("class", class.map(Class::name).map(Tree::text)),
        ("keeper", keeper.map(Keeper::name).map(Tree::text)),
        ("way", upkeep.way.map(Way::name).map(Tree::text)),
        ("from", upkeep.from.as_ref().map(Tree::text)),
        ("every", upkeep.every.map(Tree::text)),
        ("tenants", table.all_tenants.then(|| Tree::text("all"))),
        ("where", table.filter.as_ref().map(Tree::text)),
        ("partition", Some(partition(&table.partition))),
        ("sort", Tree::list(table.sort.iter().map(sort_item))),
        ("columns", table.columns.as_ref().map(|columns| Tree::List(columns.iter().map(Tree::text).collect()))),
        ("copies", (!table.copies.is_empty()).then(|| copies(&table.copies))),
        ("spread", table.spread.as_ref().map(spread)),
        ("expires", table.expires.map(WhenExpired::name).map(Tree::text)),
    ])
}

fn partition(partition: &Partition) -> Tree {
    let part = |part: &Part| match part {
        Part::Field(field) => Tree::text(field),
        Part::Bucket(bucket, field) => Tree::Text(format!("{}({field})", bucket.name())),
    };
    Tree::List(match partition {
        Partition::All => vec![Tree::text("all")],
        Partition::By(parts) => parts.iter().map(part).collect(),
    })
}

fn sort_item(item: &SortItem) -> String {
    let direction = match item.direction {
        Direction::Ascending => "asc",
        Direction::Descending => "desc",
    };
    format!("{} {direction}{}", item.field, if item.nulls_last { " nulls last" } else { "" })
}

fn copies(copies: &[Copied]) -> Tree {
    Tree::Named(copies.iter().map(|copied| (copied.path.to_string(), Tree::text(copied.rule.name()))).collect())
}

fn spread(spread: &Spread) -> Tree {
    // Commas that part thousands are for people; in braces they would part entries.
    let plain = |text: String| Tree::Text(text.replace(',', ""));
    Tree::stated([
        ("rows", spread.rows.map(|rows| plain(count_text(rows)))),
        ("reads", spread.reads.map(|reads| plain(reads.to_string()))),
        ("at_most", Some(Tree::text(spread.at_most))),
    ])
}

fn path_tree(path: &Path) -> Tree {
    let (get, via, slice) = match &path.form {
        Form::Get { table, via } => (Some(table), via.as_ref(), None),
        Form::Slice { table } => (None, None, Some(table)),
    };
    let bound = path.reads_at_most.map(|bound| {
        Tree::stated([("partitions", Some(Tree::text(bound.partitions))), ("rows", Some(Tree::text(bound.rows)))])
    });
    Tree::stated([
        ("get", get.map(Tree::text)),
        ("slice", slice.map(Tree::text)),
        ("via", via.map(Tree::text)),
        ("looks_up", Tree::list(path.looks_up.iter())),
        ("remains", Tree::list(path.remains.iter())),
        ("reads_at_most", bound),
    ])
}
