//! The rows a pattern is about: `by`, `where`, `order` and what is known of their number.

use std::borrow::Cow;

use keyloom_finding::Place;
use keyloom_model::{
    By, ByItem, Condition, Direction, Distribution, Entity, Expr, Literal, Order, OrderItem, Path, Returns, Root,
    Selection, Set, TimeSpan, Type,
};

use super::groups::count_distribution;
use super::inputs::Inputs;
use super::naming::Case;
use super::scope::{Names, Row, entity_in_path, entity_path, find_path};
use super::syntax::{Grammar, Keys, Name, Reader, join};
use super::typing::{Scope, Typing};
use crate::fault::Fault;
use crate::parse::expr::{self as written, PathStep, Word};
use crate::parse::units;
use crate::rules::{
    bad_read, get_not_unique, if_looks_elsewhere, order_not_total, order_on_optional, unfit_key, wrong_shape,
};
use crate::text::Text;
use crate::vocabulary::DISTRIBUTION;
use crate::yaml::{Kind, Node};

/// What all parts of one pattern share.
pub(super) struct Pattern<'c, 'i> {
    pub(super) names: &'c Names<'c>,
    pub(super) path: String,
    pub(super) place: Place,
    pub(super) inputs: &'i mut Inputs,
    /// The item of an `each` step: its name, its list input, how many.
    pub(super) item: Option<(String, String, u64)>,
}

impl<'c> Pattern<'c, '_> {
    /// A scope over a row of an entity.
    pub(super) fn scope<'s>(&'s mut self, entity: Option<&'c Entity>, built_in: bool) -> Scope<'c, 's> {
        Scope {
            names: self.names,
            row: entity.map(|entity| Row { entity, built_in }),
            item: self.item.as_ref().map(|(item, list, max)| (item.as_str(), list.as_str(), *max)),
            inputs: Some(self.inputs),
        }
    }

    /// A parser that knows over whose rows it reads.
    fn over<T>(
        &self,
        entity: &'c Entity,
        parser: fn(&str) -> Result<T, Fault>,
    ) -> impl Fn(&str) -> Result<T, Fault> + use<'c, T> {
        let names = self.names;
        move |text| parser(text).map_err(|fault| entity_in_path(names, entity, text, fault))
    }

    /// Reads `by`.
    pub(super) fn by(&mut self, reader: &mut Reader<'_>, entity: &'c Entity, node: &Node) -> Option<By> {
        if node.scalar().is_some_and(|scalar| scalar.text == "all") {
            return Some(By::All);
        }
        let mut items = Vec::new();
        let before = reader.faults();
        let written = reader.bracketed(node, "`by`", "by: [task_id]");
        // Items without their brackets are understood all the same.
        let before = if matches!(written, Cow::Owned(_)) { reader.faults() } else { before };
        for item in written.iter() {
            items.extend(self.by_item(reader, entity, item));
        }
        (reader.faults() == before).then_some(By::Fields(items))
    }

    fn by_item(&mut self, reader: &mut Reader<'_>, entity: &'c Entity, node: &Node) -> Option<ByItem> {
        let text = reader.text(node, "`by`", "by: [task_id]")?;
        let (words, value) = reader.parse_text(&text, Grammar::Expression, written::by_item)?;
        let (first, rest) = words.split_first()?;
        // `Follow.follower_id` names the edge that `through` walks over.
        if first.text.starts_with(|c: char| c.is_ascii_uppercase()) {
            return self.edge_item(reader, &text, first, rest, value.as_ref());
        }
        let steps: Vec<PathStep> = rest.iter().cloned().map(PathStep::Name).collect();
        let row = Row { entity, built_in: false };
        let found = reader.found(find_path(self.names, row, first, &steps, &text))?;
        if let Some(why) = found.ty.unordered() {
            // A key or a unique that does not fit is reported where it is written.
            let mut said = entity.key.iter().chain(entity.unique.iter().flat_map(|unique| &unique.fields));
            let said = found.path.root == Root::Own && said.any(|name| *name == found.path.field);
            let finding = unfit_key::finding(text.whole(), &found.path.to_string(), "stand in `by`", why);
            reader.push((!said).then_some(finding));
            return None;
        }
        let value = self.by_value(reader, &text, &found.path, &found.ty, &words, value.as_ref())?;
        Some(ByItem { path: found.path, value })
    }

    fn edge_item(
        &mut self,
        reader: &mut Reader<'_>,
        text: &Text,
        first: &Word,
        rest: &[Word],
        value: Option<&written::Expr>,
    ) -> Option<ByItem> {
        let edge = reader.found(self.names.find_entity(&first.text, text.place(first.range.clone())))?;
        let [name] = rest else {
            let field = edge.key.first().map_or("field", String::as_str);
            let help = format!("name a field of {}: `{}.{field}`", edge.name, edge.name);
            reader.push(bad_read::finding(text.whole(), format!("`{}` is not a field", text.text), help));
            return None;
        };
        match self.names.find_field(edge, &name.text, text.place(name.range.clone())) {
            Ok(field) => {
                let path = Path {
                    root: Root::Edge { entity: edge.name.clone() },
                    field: field.name.clone(),
                    members: Vec::new(),
                };
                let value = self.by_value(reader, text, &path, &field.ty, rest, value)?;
                Some(ByItem { path, value })
            }
            Err(finding) => {
                reader.push(finding);
                None
            }
        }
    }

    /// `field` is short for `field = $field`.
    fn by_value(
        &mut self,
        reader: &mut Reader<'_>,
        text: &Text,
        path: &Path,
        ty: &Type,
        words: &[Word],
        value: Option<&written::Expr>,
    ) -> Option<Expr> {
        if let Some(value) = value {
            let mut scope = self.scope(None, false);
            return Typing { reader, scope: &mut scope, text }.value(value, ty);
        }
        let name = words
            .iter()
            .map(|word| word.text.as_str())
            .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
            .collect::<Vec<_>>()
            .join("_");
        let name = if path.root == Root::Own { path.field.clone() } else { name };
        match self.inputs.use_as(&name, text.whole(), Some(ty), false, None) {
            Ok(_) => Some(Expr::Input { name, optional: false }),
            Err(finding) => {
                reader.push(finding);
                None
            }
        }
    }

    /// Reads the rows of a list, count or claim.
    pub(super) fn selection(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        keys: &Keys<'_>,
        by: By,
    ) -> Option<Selection> {
        let before = reader.faults();
        let filter = keys.get("where").and_then(|node| self.test(reader, entity, node, "`where`"));
        // A test that was not understood may be the one that excludes them.
        let unread = filter.is_none() && (keys.has("where") || keys.is_misspelt("where"));
        let may_lack = |path: &Path| !unread && !filter.as_ref().is_some_and(|filter| excludes_null(filter, path));
        let orders =
            keys.get("order").map(|node| self.orders(reader, entity, node, &may_lack, &by)).unwrap_or_default();
        let span = keys.get("span").and_then(|node| span_distribution(reader, node, &join(&self.path, "span")));
        let matches =
            keys.get("matches").and_then(|node| reader.parse(node, "`matches`", "20%", Grammar::Value, units::share));
        let group =
            keys.get("group").and_then(|node| count_distribution(reader, node, &join(&self.path, "group"), "`group`"));
        let stated_but_not_understood = reader.faults() > before;
        (!stated_but_not_understood).then(|| Selection {
            entity: entity.name.clone(),
            by,
            filter,
            orders,
            span,
            matches,
            group,
        })
    }

    fn test(&mut self, reader: &mut Reader<'_>, entity: &'c Entity, node: &Node, what: &str) -> Option<Expr> {
        if let Some(test) = as_test(node) {
            let finding = wrong_shape::finding(node.place, what, "one test", node.word(), "");
            reader.push(finding.help(format!("write `{test}`")));
            return None;
        }
        let text = reader.text(node, what, "status = OPEN")?;
        let written = reader.parse_text(&text, Grammar::Expression, self.over(entity, written::expr))?;
        let mut scope = self.scope(Some(entity), false);
        Typing { reader, scope: &mut scope, text: &text }.test(&written)
    }

    fn orders(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        node: &Node,
        may_lack: &dyn Fn(&Path) -> bool,
        by: &By,
    ) -> Vec<Order> {
        const EXAMPLE: &str = "order: due_at asc";
        let mut orders = Vec::new();
        if let Kind::Map { .. } = &node.kind {
            let path = join(&self.path, "order");
            for (name, value) in reader.entries(node, &path, "`order`", EXAMPLE) {
                reader.check_name(&name, "an order", Case::Snake);
                if let Some(items) = self.order(reader, entity, value, may_lack, by) {
                    orders.push(Order { name: name.text, items });
                }
            }
            return orders;
        }
        orders.extend(self.order(reader, entity, node, may_lack, by).map(|items| Order { name: String::new(), items }));
        orders
    }

    fn order(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        node: &Node,
        may_lack: &dyn Fn(&Path) -> bool,
        by: &By,
    ) -> Option<Vec<OrderItem>> {
        let text = reader.text(node, "`order`", "order: due_at asc")?;
        let written = reader.parse_text(&text, Grammar::Expression, self.over(entity, written::order))?;
        let mut items = Vec::new();
        for item in written {
            // The parser lets nothing but paths through.
            let written::ExprKind::Path(first, steps) = &item.of.kind else { return None };
            let row = Row { entity, built_in: false };
            let found = reader.found(find_path(self.names, row, first, steps, &text))?;
            let place = text.place(item.of.range.clone());
            if let Some(why) = found.ty.unordered() {
                reader.push(order_not_total::finding(place, &found.path.to_string(), &found.ty, why));
                return None;
            }
            let fixed = by.own_fields().contains(&found.path.field.as_str());
            if found.optional && !item.nulls_last && !fixed && may_lack(&found.path) {
                reader.push(order_on_optional::finding(place, &found.path.to_string(), item.descending));
                return None;
            }
            let direction = if item.descending { Direction::Descending } else { Direction::Ascending };
            items.push(OrderItem { path: found.path, direction, nulls_last: item.nulls_last });
        }
        Some(items)
    }

    /// Reads `returns`.
    pub(super) fn returns(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        node: Option<&Node>,
        is_write: bool,
    ) -> Returns {
        let Some(node) = node else { return Returns::Default };
        match node.scalar().map(|scalar| scalar.text.as_str()) {
            Some("all") => return Returns::All,
            Some("before") if is_write => return Returns::Before,
            Some("after") if is_write => return Returns::After,
            _ => {}
        }
        let mut paths = Vec::new();
        for item in reader.bracketed(node, "`returns`", "returns: [task_id, case.title]").iter() {
            let Some(text) = reader.text(item, "`returns`", "returns: [task_id]") else { continue };
            if text.text == "*" {
                reader.push(bad_read::finding(text.whole(), "`*` is no field", "write `returns: all`"));
                continue;
            }
            let Some(written) = reader.parse_text(&text, Grammar::Expression, self.over(entity, written::expr)) else {
                continue;
            };
            let written::ExprKind::Path(first, steps) = &written.kind else {
                let help =
                    "keep what is computed in a field, `title_key: text(80..400) = lower(title)`, and return that";
                let message = format!("an answer holds fields, and `{}` is none", text.text);
                reader.push(bad_read::finding(text.whole(), message, help));
                continue;
            };
            match find_path(self.names, Row { entity, built_in: true }, first, steps, &text) {
                Ok(found) => paths.push(found.path),
                Err(finding) => reader.push(finding),
            }
        }
        Returns::Paths(paths)
    }

    /// Reads `if`: one condition or a list of them, over the target row alone.
    pub(super) fn conditions(&mut self, reader: &mut Reader<'_>, entity: &'c Entity, node: &Node) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for item in reader.items(node, "`if`", "if: status = OPEN else not_open") {
            let Some(text) = reader.text(item, "`if`", "if: status = OPEN else not_open") else { continue };
            let Some(written) = reader.parse_text(&text, Grammar::Expression, self.over(entity, written::condition))
            else {
                continue;
            };
            let mut scope = self.scope(Some(entity), true);
            let Some(test) = (Typing { reader, scope: &mut scope, text: &text }).test(&written.test) else { continue };
            let place = text.place(written.test.range.clone());
            if let Some((path, other)) = test.paths().into_iter().find_map(|path| match &path.root {
                Root::Reference { entity, .. } => Some((path.to_string(), entity.clone())),
                _ => None,
            }) {
                let key = self.names.entity(&other).map(|other| other.key.join(", ")).unwrap_or_default();
                reader.push(if_looks_elsewhere::other_row(place, &path, &other, &key));
                continue;
            }
            let kept = test
                .paths()
                .into_iter()
                .filter_map(|path| entity.field(&path.field))
                .find(|field| matches!(field.fill, keyloom_model::Fill::Kept(_)));
            if let Some(field) = kept {
                reader.push(if_looks_elsewhere::kept(place, &field.name));
                continue;
            }
            let reason = written.reason.map_or_else(|| "condition".to_owned(), |word| word.text);
            conditions.push(Condition { test, reason });
        }
        conditions
    }

    /// One row: the `by` of a get, update or delete must be the key or a unique.
    pub(super) fn one_row(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        verb: &str,
        by: &By,
        filter: Option<&Expr>,
        place: Place,
    ) -> bool {
        let fields = by.own_fields();
        if entity.key.is_empty() || (*by != By::All && entity.identified_among(&fields, filter)) {
            return true;
        }
        // A unique that was not understood may be the one.
        let is_misread = reader.is_misread(&join(&entity_path(&entity.name), "unique"));
        reader.push((!is_misread).then(|| get_not_unique::finding(place, verb, entity, &fields)));
        false
    }

    /// A list of the entity's own fields.
    pub(super) fn own_fields(
        &mut self,
        reader: &mut Reader<'_>,
        entity: &'c Entity,
        node: &Node,
        what: &str,
    ) -> Vec<Name> {
        let mut fields = Vec::new();
        for name in reader.names(node, what, "[task_id]") {
            match self.names.find_field(entity, &name.text, name.place) {
                Ok(_) => fields.push(name),
                Err(finding) => reader.push(finding),
            }
        }
        fields
    }
}

/// A mapping or a list of tests as the one test it stands for.
fn as_test(node: &Node) -> Option<String> {
    let tests: Option<Vec<String>> = match &node.kind {
        Kind::Map { entries, .. } => entries
            .iter()
            .map(|entry| Some(format!("{} = {}", entry.key.scalar()?.text, entry.value.scalar()?.text)))
            .collect(),
        Kind::List { items, .. } => items.iter().map(|item| Some(item.scalar()?.text.clone())).collect(),
        Kind::Scalar(_) => None,
    };
    tests.filter(|tests| !tests.is_empty()).map(|tests| tests.join(" and "))
}

/// A distribution of spans, as text or as a mapping.
fn span_distribution(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Distribution<TimeSpan>> {
    if let Kind::Map { .. } = &node.kind {
        let words: Vec<_> = DISTRIBUTION.iter().collect();
        let keys = reader.keys(node, path, "`span`", &words, "{ typical: 1 day, p99: 7 days, worst: 31 days }")?;
        let mut part = |key: &str| {
            keys.get(key).and_then(|node| reader.parse(node, key, "1 day", Grammar::Value, units::time_span))
        };
        return Some(Distribution { typical: part("typical"), p99: part("p99"), worst: part("worst"), per: None });
    }
    reader.parse(node, "`span`", "1 day / 7 days / 31 days", Grammar::Value, units::span_distribution)
}

/// Whether a filter lets no row pass that lacks this field.
fn excludes_null(filter: &Expr, path: &Path) -> bool {
    let is_path = |expr: &Expr| matches!(expr, Expr::Path(found) if found == path);
    let optional = |expr: &Expr| matches!(expr, Expr::Input { optional: true, .. });
    filter.conjuncts().iter().any(|test| match test {
        Expr::IsNull { of, negated: true } => is_path(of),
        Expr::Compare(_, a, b) => {
            (is_path(a) && !optional(b) || is_path(b) && !optional(a)) && !matches!(**b, Expr::Literal(Literal::Null))
        }
        Expr::In(of, Set::Range(from, to)) => is_path(of) && from.iter().chain(to).any(|end| !optional(end)),
        Expr::In(of, Set::Values(_)) => is_path(of),
        Expr::In(of, Set::Input { optional, .. }) => is_path(of) && !optional,
        Expr::StartsWith(of, prefix) => is_path(of) && !optional(prefix),
        _ => false,
    })
}
