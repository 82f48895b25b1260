use std::collections::{BTreeMap, HashSet};

use keyloom_finding::{FileId, Finding, Level, Place, Rule};
use keyloom_model::layout::CopyRule;
use keyloom_model::{Action, Entity, Expr, Path, Pattern, Returns, Root, Selection, count_text};
use keyloom_survey::Site;

use crate::guess::words;
use crate::{Context, LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "copy-without-contract",
    level: Level::Warning,
    summary: "a field of another entity is returned, it changes, and nothing says how long a copy may differ",
    page: include_str!("copy_without_contract.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for Uncontracted { copy, source, writer } in uncontracted(context) {
        let field = copy.path.field.as_str();
        let rows = context.entity(copy.of).and_then(|of| of.volume).and_then(|volume| volume.rows);
        let many = rows.map_or_else(|| "rows".to_owned(), |rows| format!("{} rows", count_text(rows)));
        let message = format!(
            "`{}` is {} {many} of {}, `{writer}` changes {source}.{field}, and nothing says how long a copy may differ",
            copy.path, copy.used, copy.of
        );
        findings.push(
            Finding::new(&RULE, context.value(&copy.place), message)
                .related(context.key(&format!("patterns.{writer}")), "changes it")
                .help(state_drift(source, field)),
        );
    }
}

fn state_drift(source: &str, field: &str) -> String {
    format!(
        "state `drift: {{ {field}: 1h }}` on {source}; `never` means written or checked each time, which costs more"
    )
}

/// A field of another entity that a pattern uses, that changes, and of which nothing says how long a copy may differ.
struct Uncontracted<'a> {
    copy: Copy<'a>,
    source: &'a str,
    /// The pattern that changes it.
    writer: &'a str,
}

/// The first use of each such field.
fn uncontracted<'a>(context: &Context<'a>) -> Vec<Uncontracted<'a>> {
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut found = Vec::new();
    for pattern in &context.catalog.patterns {
        let path = format!("patterns.{}", pattern.name);
        let mut copies = Vec::new();
        match &pattern.action {
            Action::Read(read) => {
                gather(&path, &read.selection, &read.returns, &mut copies);
                for with in &read.with {
                    let path = format!("{path}.with.{}", with.name);
                    gather(&path, &with.read.selection, &with.read.returns, &mut copies);
                }
            }
            Action::Claim(claim) => gather(&path, &claim.selection, &claim.returns, &mut copies),
            Action::Write(_) | Action::Atomic(_) | Action::Outside(_) => {}
        }
        for copy in copies {
            let Root::Reference { entity: source, .. } = &copy.path.root else { continue };
            let Some(entity) = context.entity(source) else { continue };
            let field = copy.path.field.as_str();
            let settled = entity.drift.iter().any(|drift| drift.field == field)
                || seen.contains(&(source.as_str(), field))
                || context.is_misread(&format!("entities.{source}.drift"));
            let Some(writer) = changing(context, entity, field).filter(|_| !settled) else { continue };
            seen.insert((source, field));
            found.push(Uncontracted { copy, source, writer });
        }
    }
    found
}

/// Over a layout: a field that it copies while the catalog has no word on how long a copy may differ, or a word that the copy
/// does not keep.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    // What a pattern uses was said of the catalog.
    let told = uncontracted(context.base);
    let settle = context.stated.horizons.settle();
    for (table, _) in context.row_tables() {
        for copied in &table.copies {
            let Root::Reference { entity: source, .. } = &copied.path.root else { continue };
            let Some(entity) = context.base.entity(source) else { continue };
            let field = copied.path.field.as_str();
            let Some(writer) = changing(context.base, entity, field) else { continue };
            let drift = entity.drift.iter().find(|drift| drift.field == field).map(|drift| drift.at_most);
            let known = told.iter().any(|told| told.source == source && told.copy.path.field == field);
            let (what, help) = match drift {
                None if known => continue,
                None => ("nothing says how long the copy may differ".to_owned(), state_drift(source, field)),
                // A row that is touched is decided anew, whenever the other one changes.
                Some(_) if copied.rule == CopyRule::Touch => continue,
                Some(None) => {
                    let help = "look it up: taken out of `copies`, it is read with each row; or `touch`";
                    ("the copy follows later, though it may never differ (`drift`)".to_owned(), help.to_owned())
                }
                Some(Some(at_most)) if at_most.milliseconds() < settle.milliseconds() => {
                    let what = format!(
                        "the copy may lag for {settle} (`settle`), though it may differ for {at_most} (`drift`)"
                    );
                    (what, "state a longer `drift` in the catalog, or look it up: take it out of `copies`".to_owned())
                }
                Some(Some(_)) => continue,
            };
            let message =
                format!("`{}` is copied into `{}`, `{writer}` changes it, and {what}", copied.path, table.name);
            findings.push(
                Finding::new(&RULE, context.word_place(&table.name, "copies"), message)
                    .related(context.base.key(&format!("patterns.{writer}")), "changes it")
                    .help(help),
            );
        }
    }
}

/// An insert that a function sends without waiting for it.
struct Sent<'a> {
    table: &'a str,
    place: Place,
    site: &'a Site,
}

/// Over a survey: a row and its copy in a lookup table are sent side by side, each by itself.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut by_function: BTreeMap<(FileId, &str), Vec<Sent<'_>>> = BTreeMap::new();
    for table in context.own_tables() {
        let inserts = context.uses(table).iter().filter(|one| one.insert().is_some() && one.is_service());
        for (place, site) in inserts.filter(|one| !one.is_conditional()).flat_map(|one| &one.of.sites) {
            let is_alone = site.batch.is_none() && !site.test_code && site.calls.iter().any(|call| is_async(call));
            if let Some(function) = site.function.as_deref().filter(|_| is_alone) {
                by_function.entry((place.file, function)).or_default().push(Sent {
                    table: &table.name,
                    place: *place,
                    site,
                });
            }
        }
    }
    for ((_, function), sent) in by_function {
        let pair = sent.iter().find_map(|row| Some((row, sent.iter().find(|copy| is_copy(row, copy))?)));
        let Some((row, copy)) = pair else { continue };
        let message = format!(
            "`{function}` writes `{}` and `{}` side by side, each by itself: if one of them fails, they differ from then on",
            row.table, copy.table
        );
        let help =
            "write them in one logged batch: then both are applied, sooner or later; or let a job compare the tables";
        let finding = Finding::new(&RULE, row.place, message).level(Level::Note).help(help);
        findings.push(finding.related(copy.place, "the copy"));
    }
}

fn is_async(call: &str) -> bool {
    ["executeAsync", "execute_async", "ExecuteAsync"].contains(&call)
}

/// Whether one is the copy of the other for another question: `orders` and `orders_by_user`, with a value that both get.
fn is_copy(row: &Sent<'_>, copy: &Sent<'_>) -> bool {
    let of = words(copy.table).into_iter().take_while(|word| word != "by").collect::<Vec<_>>();
    let row_words = words(row.table);
    let is_named_so = row.table != copy.table && of.len() < words(copy.table).len() && row_words.starts_with(&of);
    let values = |sent: &Sent<'_>| {
        let texts = sent.site.arguments.iter().map(|argument| argument.text.clone());
        texts.filter(|text| text.contains(|letter: char| letter.is_alphabetic())).collect::<HashSet<String>>()
    };
    is_named_so && !row_words.contains(&"by".to_owned()) && !values(row).is_disjoint(&values(copy))
}

/// A path over a reference, and what a pattern does with it.
struct Copy<'a> {
    path: &'a Path,
    of: &'a str,
    used: &'static str,
    place: String,
}

fn gather<'a>(at: &str, selection: &'a Selection, returns: &'a Returns, copies: &mut Vec<Copy<'a>>) {
    let of = selection.entity.as_str();
    let mut push = |paths: Vec<&'a Path>, used, key: &str| {
        copies.extend(paths.into_iter().map(|path| Copy { path, of, used, place: format!("{at}.{key}") }));
    };
    if let Returns::Paths(paths) = returns {
        push(paths.iter().collect(), "returned with", "returns");
    }
    push(selection.by.items().iter().map(|item| &item.path).collect(), "what groups", "by");
    push(selection.filter.iter().flat_map(Expr::paths).collect(), "what filters", "where");
    push(
        selection.orders.iter().flat_map(|order| &order.items).map(|item| &item.path).collect(),
        "what orders",
        "order",
    );
}

/// The first pattern that changes a field of a row that is already there.
fn changing<'a>(context: &Context<'a>, entity: &Entity, field: &str) -> Option<&'a str> {
    let changes = |pattern: &&&Pattern| {
        let mut writes = pattern.writes().into_iter().filter(|(_, write)| write.entity == entity.name);
        writes.any(|(_, write)| write.changed_fields(entity).contains(&field))
    };
    context.writers(&entity.name).iter().find(changes).map(|pattern| pattern.name.as_str())
}
