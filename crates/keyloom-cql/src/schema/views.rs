//! `CREATE MATERIALIZED VIEW`.

use super::apply::Step;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::find::whose;
use super::{Column, ColumnKind, Made, Schema, Table, Type, View};
use crate::ast::{CreateView, Name, Native, Operator, Relation, RelationKind, Selection, SelectorKind};

impl Schema {
    pub(super) fn create_view(&mut self, create: &CreateView, step: &Step<'_>) -> Applied {
        let name = &create.name.name;
        if name.unknown || create.base.name.unknown {
            return Ok(());
        }
        let written = create.name.keyspace.as_ref().or(create.base.keyspace.as_ref());
        let whose = whose(written, step.current);
        let base_name = &create.base.name.text;
        let base_home = self.keyspace_where(whose, |keyspace| keyspace.tables.contains_key(base_name));
        let home = match (&create.name.keyspace, step.current, &base_home) {
            (Some(keyspace), ..) if !keyspace.unknown => keyspace.text.clone(),
            (_, Some(current), _) => current.to_owned(),
            (_, _, Some(base)) => base.clone(),
            _ => whose.home(),
        };
        if self.keyspace_mut(&home).table(&name.text).is_some() {
            if create.if_not_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::Exists, create.name.span(), format!("{} is there already", name.text));
        }
        let Some(base_home) = base_home else {
            return fault(SchemaFaultKind::UnknownTable, create.base.span(), format!("there is no table {base_name}"));
        };
        let key_made = Made { by: step.by, at: create.partition_key.first().map_or(name.span, |first| first.span) };
        let mut table = Table::new(&home, &name.text, step.made(name), key_made);
        let Some(base) = self.keyspaces.get(&base_home).and_then(|keyspace| keyspace.tables.get(base_name)) else {
            return Ok(());
        };
        lay_columns(create, base, &mut table, step);
        table.set_options(&create.options, step.by);
        let outcome = if table.unknown { Ok(()) } else { self.check_view(create, base, &table) };
        let base = (base_home, base_name.clone());
        let view = View { table, base, all_columns: create.selection == Selection::All };
        self.keyspace_mut(&home).views.insert(name.text.clone(), view);
        outcome
    }

    /// What the server holds against a view.
    fn check_view(&self, create: &CreateView, base: &Table, table: &Table) -> Applied {
        let at = create.base.span();
        let refuse = |message: String| fault(SchemaFaultKind::Other, at, message);
        if base.is_counter() {
            return refuse(format!("table {} counts: no materialized view can follow it", base.name));
        }
        if matches!(base.gc_grace, Some((Some(0), _))) {
            return refuse(format!("gc_grace_seconds of table {} is 0: no materialized view can follow it", base.name));
        }
        check_selection(create, base)?;
        self.check_view_key(create, base)?;
        check_view_order(create)?;
        let key: Vec<&Name> = create.partition_key.iter().chain(&create.clustering).collect();
        let is_key = |name: &str| key.iter().any(|column| column.text == name);
        let mut base_key = base.partition_key().chain(base.clustering());
        if let Some(missing) = base_key.find(|column| !is_key(&column.name)) {
            let message =
                format!("the key of {} lacks {}, a key column of table {}", table.name, missing.name, base.name);
            return fault(SchemaFaultKind::Key, create.name.span(), message);
        }
        let is_base_key = |name: &str| base.partition_key().chain(base.clustering()).any(|column| column.name == name);
        let mut extra = key.iter().filter(|column| !is_base_key(&column.text));
        if let (Some(_), Some(second)) = (extra.next(), extra.next()) {
            let message = format!("{} is a second column in the key that is none of the table's key", second.text);
            return fault(SchemaFaultKind::Key, second.span, message);
        }
        check_restrictions(create, &key, base)?;
        if matches!(table.default_ttl, Some((Some(ttl), _)) if ttl > 0) {
            return refuse("rows of a materialized view expire with those of its table, not by themselves".to_owned());
        }
        Ok(())
    }

    fn check_view_key(&self, create: &CreateView, base: &Table) -> Applied {
        let mut seen: Vec<&str> = Vec::new();
        for name in create.partition_key.iter().chain(&create.clustering) {
            let Some(column) = base.column(&name.text).filter(|column| is_selected(create, &column.name)) else {
                let message = format!("the primary key names {}, which the view does not have", name.text);
                return fault(SchemaFaultKind::Key, name.span, message);
            };
            if seen.contains(&name.text.as_str()) {
                let message = format!("column {} stands twice in the primary key", name.text);
                return fault(SchemaFaultKind::Key, name.span, message);
            }
            seen.push(&name.text);
            let duration = |inner: &Type| *inner == Type::Native(Native::Duration);
            if column.of.is_multi_cell() || column.of.holds(self, &base.keyspace, &duration) {
                let message = format!("column {} can't be in a key: its type has no order or is not frozen", name.text);
                return fault(SchemaFaultKind::Type, name.span, message);
            }
        }
        Ok(())
    }
}

/// Whether the view has the column.
fn is_selected(create: &CreateView, name: &str) -> bool {
    match &create.selection {
        Selection::All => true,
        Selection::Of(selectors) => selectors
            .iter()
            .any(|selector| matches!(&selector.kind, SelectorKind::Column(column) if column.text == name)),
    }
}

/// Puts the columns in their order. What can't be known makes the view's shape unknown.
fn lay_columns(create: &CreateView, base: &Table, table: &mut Table, step: &Step<'_>) {
    let key = create.partition_key.iter().map(|name| (name, ColumnKind::Partition));
    let clustering = create.clustering.iter().map(|name| {
        let order = create.clustering_order.iter().find(|order| order.column.text == name.text);
        let inherited =
            base.column(&name.text).is_some_and(|column| column.kind == ColumnKind::Clustering { descending: true });
        (name, ColumnKind::Clustering { descending: order.map_or(inherited, |order| order.descending) })
    });
    table.unknown = step.open || base.unknown;
    let mut columns: Vec<Column> = Vec::new();
    for (name, kind) in key.chain(clustering) {
        table.unknown |= name.unknown;
        let of = base.column(&name.text).map_or_else(|| Type::Unknown(name.text.clone()), |column| column.of.clone());
        columns.push(Column { name: name.text.clone(), of, kind, made: step.made(name) });
    }
    if let Selection::Of(selectors) = &create.selection {
        table.unknown |= selectors.iter().any(|selector| match &selector.kind {
            SelectorKind::Column(column) => column.unknown,
            SelectorKind::Hole(_) => true,
            _ => false,
        });
    }
    for column in &base.columns {
        let known = columns.iter().any(|known| known.name == column.name);
        if !known && is_selected(create, &column.name) {
            columns.push(Column { kind: ColumnKind::Regular, ..column.clone() });
        }
    }
    table.columns = columns;
}

fn check_selection(create: &CreateView, base: &Table) -> Applied {
    if let Selection::Of(selectors) = &create.selection {
        for selector in selectors {
            let SelectorKind::Column(column) = &selector.kind else {
                let message = "a materialized view holds columns, nothing computed from them".to_owned();
                return fault(SchemaFaultKind::Other, selector.span, message);
            };
            if let Some(alias) = &selector.alias {
                let message = "a column keeps its name in a materialized view".to_owned();
                return fault(SchemaFaultKind::Other, alias.span, message);
            }
            if base.column(&column.text).is_none() {
                let message = format!("table {} has no column {}", base.name, column.text);
                return fault(SchemaFaultKind::UnknownColumn, column.span, message);
            }
        }
    }
    let mut selected = base.columns.iter().filter(|column| is_selected(create, &column.name));
    if let Some(column) = selected.find(|column| column.kind == ColumnKind::Static) {
        let message = format!("a materialized view can't hold the static column {}", column.name);
        return fault(SchemaFaultKind::Other, create.name.span(), message);
    }
    Ok(())
}

/// `CLUSTERING ORDER BY` of a view names all clustering columns, in their order.
fn check_view_order(create: &CreateView) -> Applied {
    let named = create.clustering_order.iter().map(|order| &order.column.text);
    if create.clustering_order.is_empty() || named.eq(create.clustering.iter().map(|column| &column.text)) {
        return Ok(());
    }
    let message = "CLUSTERING ORDER BY of a materialized view names all clustering columns, in their order".to_owned();
    fault(SchemaFaultKind::Key, create.clustering_order[0].column.span, message)
}

/// The columns that a relation restricts.
fn restricted(relation: &Relation) -> &[Name] {
    match &relation.kind {
        RelationKind::Column { column, .. } | RelationKind::Element { column, .. } => std::slice::from_ref(column),
        RelationKind::Tuple { columns, .. } => columns,
        RelationKind::Token { .. } | RelationKind::Custom { .. } => &[],
    }
}

/// Key columns are restricted, at least to be there; others can be restricted to nothing else.
fn check_restrictions(create: &CreateView, key: &[&Name], base: &Table) -> Applied {
    for relation in &create.relations {
        if matches!(relation.kind, RelationKind::Token { .. } | RelationKind::Custom { .. }) {
            let message = "a materialized view can't be restricted so".to_owned();
            return fault(SchemaFaultKind::Other, relation.span, message);
        }
    }
    let restricts = |name: &Name| {
        create.relations.iter().any(|relation| restricted(relation).iter().any(|column| column.text == name.text))
    };
    if let Some(open) = key.iter().find(|name| !restricts(name)) {
        let message = format!("the key column {} needs its {} IS NOT NULL in WHERE", open.text, open.text);
        return fault(SchemaFaultKind::Key, open.span, message);
    }
    let kind = |name: &Name| base.column(&name.text).map(|column| column.kind);
    let is_key = |name: &Name| matches!(kind(name), Some(ColumnKind::Partition | ColumnKind::Clustering { .. }));
    for relation in &create.relations {
        if let RelationKind::Tuple { columns, .. } = &relation.kind
            && columns.iter().any(|column| !matches!(kind(column), Some(ColumnKind::Clustering { .. })))
        {
            let message = "only clustering columns can be compared as a tuple".to_owned();
            return fault(SchemaFaultKind::Other, relation.span, message);
        }
    }
    let not_null =
        |relation: &Relation| matches!(relation.kind, RelationKind::Column { operator: Operator::IsNotNull, .. });
    let other =
        create.relations.iter().find(|relation| !not_null(relation) && !restricted(relation).iter().all(is_key));
    match other {
        Some(relation) => {
            let message = "a column outside of the table's key can only be restricted with IS NOT NULL".to_owned();
            fault(SchemaFaultKind::Other, relation.span, message)
        }
        None => Ok(()),
    }
}
