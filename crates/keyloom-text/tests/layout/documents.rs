//! Whole layouts: they are read without a finding, and canonical printing keeps what they say.

use keyloom_model::layout::{Form, Holds, Horizons, Keeper, Partition};
use keyloom_model::{Class, Engine, TimeSpan, TimeUnit};
use keyloom_text::print_layout;

use super::{CATALOG, LAYOUT, formatted, read_both};

/// Reads a layout without a finding; its canonical text says the same and is the formatter's.
#[track_caller]
fn check(catalog: &str, layout: &str) -> keyloom_model::layout::Layout {
    let (_, catalog_reading, reading) = read_both(catalog, layout);
    let messages = |findings: &[keyloom_finding::Finding]| -> Vec<String> {
        findings.iter().map(|finding| format!("{}: {}", finding.rule.name, finding.message)).collect()
    };
    assert_eq!(messages(&catalog_reading.findings), [""; 0]);
    assert_eq!(messages(&reading.findings), [""; 0]);
    assert!(reading.misread.is_empty() && !reading.unreadable && reading.file.is_some());
    let printed = print_layout(&reading.layout);
    assert_eq!(formatted(&printed), printed, "printing it again changed it");
    let (_, _, again) = read_both(catalog, &printed);
    assert_eq!(again.layout, reading.layout, "it says something else:\n{printed}");
    reading.layout
}

#[test]
fn the_shop() {
    let text = include_str!("data/shop.yaml");
    let layout = check(include_str!("../../../../examples/shop/catalog.yaml"), text);
    assert_eq!((layout.engine, layout.epoch, layout.tables.len(), layout.paths.len()), (Engine::Embedded, 1, 4, 4));
    let order = layout.table("order_by_user").unwrap();
    assert_eq!(order.holds, Holds::Projection { entity: "Order".to_owned(), keeper: Keeper::Carried });
    // But for the comment, people and `design` write the same.
    let comment = text.lines().find(|line| line.contains('#')).unwrap();
    assert_eq!(print_layout(&layout), text.replace(comment, "engine: embedded"));
    assert_eq!(formatted(text), text);
}

#[test]
fn the_layout_of_the_document() {
    let document = include_str!("../../../../docs/layout.md");
    let blocks = document.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let layouts: Vec<&str> = blocks.filter(|block| block.starts_with("layout:")).collect();
    let [layout] = layouts.as_slice() else { panic!("the document has {} layouts", layouts.len()) };
    check(include_str!("../../../../examples/shop/catalog.yaml"), layout);
    assert_eq!(formatted(layout), *layout);
}

#[test]
fn the_regulatory_cases() {
    let text = include_str!("data/cases.yaml");
    let layout = check(include_str!("../../../../examples/cases/catalog.yaml"), text);
    assert_eq!((layout.engine, layout.tables.len(), layout.paths.len()), (Engine::Cassandra, 22, 14));
    let overdue = layout.table("overdue_tasks").unwrap();
    assert!(overdue.all_tenants);
    assert_eq!(overdue.filter.as_ref().unwrap().to_string(), "status = OPEN and breached = false");
}

#[test]
fn every_word() {
    let layout = check(CATALOG, LAYOUT);
    assert_eq!(formatted(LAYOUT), LAYOUT, "the text of this test is canonical");
    assert_eq!(print_layout(&layout), LAYOUT);
    assert_eq!(layout.table("ticket_opened").unwrap().partition, Partition::All);
    let Holds::Source { class, upkeep, .. } = &layout.table("ticket_day").unwrap().holds else { panic!("no source") };
    assert_eq!((class, upkeep.from.as_deref()), (&Some(Class::Decided), Some("open_tickets")));
    let form = Form::Get { table: "queue".to_owned(), via: Some("queue_by_name".to_owned()) };
    assert_eq!(layout.paths[0].form, form);
    // Inputs that are sent stand in the order of the pattern's.
    let asked = LAYOUT.replace("?urgent&agent", "?agent&urgent");
    assert_eq!(check(CATALOG, &asked), layout);
}

#[test]
fn what_is_not_stated() {
    let text = "layout: 1\ncatalog: desk\nengine: dynamodb\nepoch: 1\n";
    let layout = check(CATALOG, text);
    assert_eq!(print_layout(&layout), text);
    assert_eq!(layout.horizons, Horizons::default());
    assert_eq!(layout.horizons.settle(), TimeSpan::new(10, TimeUnit::Second));
    assert_eq!(layout.horizons.doubt(), TimeSpan::new(60, TimeUnit::Second));
    assert_eq!(layout.horizons.grace(TimeSpan::new(24, TimeUnit::Hour)), TimeSpan::new(48, TimeUnit::Hour));
}

#[test]
fn words_come_in_their_order() {
    let text = "layout: 1\nepoch: 1\nengine: embedded\ncatalog: desk\npaths:\n  get_ticket: { reads_at_most: { rows: 1, partitions: 1 }, get: ticket }\ntables:\n  ticket: { partition: [ticket_id], source: Ticket }\n";
    let expect = "layout: 1\ncatalog: desk\nengine: embedded\nepoch: 1\ntables:\n  ticket: { source: Ticket, partition: [ticket_id] }\npaths:\n  get_ticket: { get: ticket, reads_at_most: { partitions: 1, rows: 1 } }\n";
    assert_eq!(formatted(text), expect);
    // Another first key, another language: a catalog's `catalog` comes second, behind `language`.
    assert_eq!(formatted("catalog: a\nlayout: 1\nlanguage: 1\n"), "language: 1\ncatalog: a\nlayout: 1\n");
}
