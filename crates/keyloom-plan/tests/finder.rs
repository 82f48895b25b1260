//! Which table answers which question, by layouts written by hand, and why others do not.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use keyloom_finding::Sources;
use keyloom_model::layout::Question;
use keyloom_plan::{Program, Reach, ReadPlan};
use keyloom_store::{Abilities, Atomic, Limits, ReadForm, Table as Stored, no_objection};
use keyloom_text::{Files, Unreadable, read, read_layout};

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

const CATALOG: &str = "
language: 1
catalog: desk
entities:
  Ticket:
    key: [ticket_id]
    fields:
      ticket_id: uuid = new
      queue_id: uuid
      status: enum(OPEN | CLOSED) = OPEN
      due_at: timestamp
      closed_at: timestamp?
      title: text(20..80)
    unique: { title_taken: title }
patterns:
  file: { create: Ticket, takes: [queue_id, due_at, title], rate: 1/s }
  close: { update: Ticket, by: [ticket_id], set: { status: CLOSED, closed_at: now }, rate: 1/s }
  get: { get: Ticket, by: [ticket_id], rate: 1/s }
  find: { get: Ticket, by: [title], rate: 1/s }
  first: { list: Ticket, by: [queue_id], where: status = OPEN, order: due_at asc, page: 10, rate: 1/s }
  last:
    list: Ticket
    by: [queue_id]
    where: status = OPEN and due_at < $until?
    order: due_at desc
    page: 10
    rate: 1/s
  closed: { list: Ticket, by: [queue_id], where: closed_at is not null, order: closed_at desc, page: 10, rate: 1/s }
  titled:
    list: Ticket
    by: [queue_id]
    where: status = OPEN and title starts with $begin
    order: due_at asc
    page: 10
    rate: 1/s
  all: { list: Ticket, by: [queue_id], page: 10, rate: 1/s }
";

const SOURCE: &str = "
  ticket: { source: Ticket, partition: [ticket_id] }
  ticket_by_title: { reserves: Ticket.title_taken, partition: [title] }";
const OPEN: &str = "
  open: { of: Ticket, keeper: carried, where: status = OPEN, partition: [queue_id], sort: [due_at asc, ticket_id asc] }";
const CLOSED: &str = "
  closed: { of: Ticket, keeper: carried, partition: [queue_id], sort: [closed_at asc, ticket_id asc] }";
const ALL: &str = "
  every: { of: Ticket, keeper: carried, partition: [queue_id], sort: [ticket_id asc] }";

fn abilities(atomic: Atomic) -> Abilities {
    let limits = Limits {
        partition_key_bytes_max: 2_048,
        sort_key_bytes_max: 1_024,
        row_bytes_max: 400 << 10,
        partition_cells_max: None,
        together_rows_max: 25,
        together_bytes_max: 1 << 20,
    };
    Abilities { engine: "an engine", atomic, column_groups_max: 1, indexes: None, limits, objection: no_objection }
}

fn compiled(tables: &str, paths: &str, rows_max: u32) -> Program {
    compiled_on(tables, paths, &abilities(Atomic::Rows { rows_max, bytes_max: 1 << 20 }))
}

fn compiled_on(tables: &str, paths: &str, abilities: &Abilities) -> Program {
    let reading = read("catalog.yaml", &One(CATALOG), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let layout = format!("layout: 1\ncatalog: desk\nengine: embedded\nepoch: 1\ntables:{tables}\n{paths}");
    let layout = read_layout("layout.yaml", &One(&layout), &mut Sources::default(), &reading);
    assert!(layout.findings.is_empty(), "{:#?}", layout.findings);
    Program::compile(&reading.catalog, &layout.layout, abilities)
}

fn plan<'a>(program: &'a Program, pattern: &str, sent: &[&str]) -> &'a ReadPlan {
    let wanted = |plan: &&ReadPlan| match &plan.asked.question {
        Question::Pattern { pattern: of, sent: with, .. } => of == pattern && with == sent,
        Question::Support { .. } => false,
    };
    program.reads.iter().find(wanted).unwrap()
}

fn refusals(program: &Program) -> Vec<String> {
    program.refusals.iter().map(ToString::to_string).collect()
}

#[test]
fn every_question_finds_its_table() {
    let program = compiled(&[SOURCE, OPEN, CLOSED, ALL].concat(), "", 100);
    assert_eq!(refusals(&program), Vec::<String>::new());
    assert!(matches!(&plan(&program, "get", &[]).access.reach, Reach::Get { .. }));
    let found = &plan(&program, "find", &[]).access.reach;
    assert!(matches!(found, Reach::Via { reservations, .. } if reservations == "ticket_by_title"), "{found:?}");
    let slice = |pattern: &str, sent: &[&str]| {
        let access = &plan(&program, pattern, sent).access;
        let Reach::Slice(slice) = &access.reach else { panic!("{access:?}") };
        (access.table.as_str(), slice.backward, slice.range.is_some(), access.remains.len())
    };
    assert_eq!(slice("first", &[]), ("open", false, false, 0));
    assert_eq!(slice("last", &[]), ("open", true, false, 0));
    assert_eq!(slice("last", &["until"]), ("open", true, true, 0));
    assert_eq!(slice("closed", &[]), ("closed", true, false, 0), "a row that is there has been closed");
    assert_eq!(slice("titled", &[]), ("open", false, false, 1), "the beginning of the title is tested on rows");
    assert_eq!(slice("all", &[]).0, "every", "the others lack rows");
    let at_most = |pattern: &str| plan(&program, pattern, &[]).at_most.unwrap().rows;
    assert_eq!((at_most("first"), at_most("titled")), (11, 100));
}

#[test]
fn a_table_that_lacks_rows_or_stands_otherwise_is_refused_with_its_reason() {
    let found = refusals(&compiled(&[SOURCE, OPEN, CLOSED].concat(), "", 100));
    let [all] = &found[..] else { panic!("{found:#?}") };
    assert!(all.contains("`open`: it holds only rows where `status = OPEN`"), "{all}");
    assert!(all.contains("`closed`: rows without `closed_at` have no place in it"), "{all}");
    let found = refusals(&compiled(&[SOURCE, CLOSED, ALL].concat(), "", 100));
    assert!(found[0].starts_with("first: no table answers it"), "{found:#?}");
    assert!(found[0].contains("`every`: its rows stand in another order"), "{found:#?}");
}

#[test]
fn what_a_layout_states_is_held_to_it() {
    let tables = [SOURCE, OPEN, CLOSED, ALL].concat();
    let found = refusals(&compiled(&tables, "paths: { first: { slice: every } }", 100));
    assert_eq!(found, ["first: `every` does not answer it: its rows stand in another order"]);
    let other = tables.replace("source: Ticket,", "source: Ticket, class: append,");
    assert_eq!(
        refusals(&compiled(&other, "", 100)),
        ["tables.ticket: its class is decided, and the layout says append"]
    );
}

#[test]
fn more_rows_than_a_transaction_takes_are_refused() {
    let tables = [SOURCE, OPEN, CLOSED, ALL].concat();
    // Filed: the ticket, its title, and its rows in two lists. Closed: the ticket, one list that it leaves, one in which it
    // moves, one in which it is put anew.
    assert_eq!(refusals(&compiled(&tables, "", 5)), Vec::<String>::new());
    assert_eq!(
        refusals(&compiled(&tables, "", 3)),
        [
            "patterns.file: 4 rows in one transaction, but an engine takes 3",
            "patterns.close: 5 rows in one transaction, but an engine takes 3"
        ]
    );
}

#[test]
fn a_layout_without_truth_or_reservations_is_refused() {
    let found = refusals(&compiled(&[OPEN, CLOSED, ALL].concat(), "", 100));
    for said in [
        "entities.Ticket: the layout has no table for it",
        "entities.Ticket: the layout has no table for its unique `title_taken`",
    ] {
        assert!(found.iter().any(|found| found == said), "{found:#?}");
    }
}

#[test]
fn one_row_is_decided_where_the_engine_decides_one() {
    let more = "
  swap:
    atomic:
      - { update: Ticket, by: [ticket_id = $one], set: { queue_id: $to } }
      - { update: Ticket, by: [ticket_id = $other], set: { queue_id: $from } }
    rate: rare
";
    let text = format!("{}{}", CATALOG.trim_end(), more);
    let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let said = |atomic| {
        let found = keyloom_plan::impossible(&reading.catalog, &abilities(atomic));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(said(Atomic::Row), ["patterns.swap: 2 rows are decided together, but an engine decides one at a time"]);
    assert_eq!(said(Atomic::Rows { rows_max: 100, bytes_max: 1 }), Vec::<String>::new());
}

#[test]
fn what_the_engine_has_against_a_read_is_a_refusal() {
    fn no_way_back(_: &Stored, form: ReadForm) -> Option<String> {
        matches!(form, ReadForm::Slice { backward: true, .. }).then(|| "rows stand in one order".to_owned())
    }
    let mut abilities = abilities(Atomic::Rows { rows_max: 100, bytes_max: 1 << 20 });
    abilities.objection = no_way_back;
    let found = refusals(&compiled_on(&[SOURCE, OPEN, CLOSED, ALL].concat(), "", &abilities));
    let of = |pattern: &str| found.iter().filter(|refusal| refusal.starts_with(pattern)).count();
    assert_eq!(found[0], "last: an engine refuses it: rows stand in one order");
    assert_eq!((of("last"), of("closed"), of("first"), found.len()), (2, 1, 0, 3), "{found:#?}");
}
