//! How entities are written follows from the catalog alone: one small catalog for each reason.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use keyloom_finding::Sources;
use keyloom_model::Catalog;
use keyloom_text::{Files, Unreadable, read};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

fn catalog(text: &str) -> Catalog {
    let reading = read("catalog.yaml", &One(format!("language: 1\ncatalog: test\n{text}")), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:?}", reading.findings);
    reading.catalog
}

/// An entity `Note` with these words beside its key and fields, and these patterns.
fn note(words: &str, fields: &str, patterns: &str) -> String {
    let catalog = catalog(&format!(
        "entities:
  Book: {{ key: [book_id], fields: {{ book_id: uuid = new, pages: int }} }}
  Note:
    key: [note_id]
    fields: {{ note_id: uuid7 = new, book_id: uuid -> Book, text: text(20..100), at: timestamp = now{fields} }}
{words}
patterns:
{patterns}
"
    ));
    let (class, reason) = catalog.entity("Note").unwrap().class(&catalog);
    format!("{}: {reason}", class.name())
}

const PUT: &str = "  put_note: { put: Note, takes: [note_id, book_id, text] }";

#[test]
fn whole_rows_without_a_look_are_blind() {
    assert_eq!(note("", "", PUT), "blind: only whole rows are put or deleted");
    let deleted = format!("{PUT}\n  drop_note: {{ delete: Note, by: [note_id] }}");
    assert_eq!(note("", "", &deleted), "blind: only whole rows are put or deleted");
    // A list by the identity moves nothing.
    let listed = format!("{PUT}\n  get_note: {{ get: Note, by: [note_id] }}");
    assert_eq!(note("", "", &listed), "blind: only whole rows are put or deleted");
}

#[test]
fn rows_that_never_change_are_appended() {
    let create = "  add_note: { create: Note, takes: [book_id, text] }";
    assert_eq!(note("    append_only: true", "", create), "append: rows never change");
    let unique = "    append_only: true\n    unique: { said_already: text }";
    assert_eq!(note(unique, "", create), "decided: `unique` of `text`");
    let numbered = note("    append_only: true", ", number: int = next per book_id", create);
    assert_eq!(numbered, "decided: `= next` of `number`");
}

#[test]
fn who_is_told_which_row_is_newer_is_fed() {
    let newest = "  feed_note: { put: Note, takes: [note_id, book_id, text, at], newest: at }";
    assert_eq!(note("", "", newest), "fed: another system says which row is newer");
    assert_eq!(note("    source: elsewhere", "", newest), "fed: another system says which row is newer");
    let mixed = format!("{newest}\n{PUT}");
    assert_eq!(note("", "", &mixed), "decided: some puts say which row is newer, and some do not");
}

#[test]
fn whatever_must_know_the_row_is_decided() {
    let decided = [
        ("", "  add_note: { create: Note, takes: [book_id, text] }", "`add_note` answers `exists`"),
        ("", "  edit: { update: Note, by: [note_id], set: { text: $text } }", "`edit` changes a part of the row"),
        ("", "  drop: { delete: Note, by: [note_id], if: text = 'x' else kept }", "`drop` has a condition"),
        ("", "  drop: { delete: Note, by: [note_id], emits: NoteGone }", "`drop` emits the row before and after"),
        ("", "  drop: { delete: Note, by: [note_id], returns: before }", "`drop` returns the row before"),
        ("    history: { of: [text] }", PUT, "`history` of `text`"),
        ("    unique: { said_already: text }", PUT, "`unique` of `text`"),
        ("", "  get_note: { get: Note, by: [note_id] }", "nothing in this catalog writes it"),
    ];
    for (words, patterns, because) in decided {
        assert_eq!(note(words, "", patterns), format!("decided: {because}"), "{words} {patterns}");
    }
    let moves = format!("{PUT}\n  notes_of_book: {{ list: Note, by: [book_id], order: at desc }}");
    assert_eq!(note("", "", &moves), "decided: `put_note` may move a row in notes_of_book");
    let claimed = format!("{PUT}\n  take: {{ claim: Note, by: all, order: at asc, up_to: 5, lease: 60s }}");
    assert!(note("", "", &claimed).starts_with("decided: `"));
}

#[test]
fn what_feeds_a_kept_value_is_decided_unless_it_is_appended() {
    let feeding = |append_only: &str| {
        let catalog = catalog(&format!(
            "entities:
  Book: {{ key: [book_id], fields: {{ book_id: uuid = new, notes: int = count of Note }} }}
  Note:
    key: [note_id]
    fields: {{ note_id: uuid7 = new, book_id: uuid -> Book, text: text(20..100) }}
{append_only}
patterns:
  put_note: {{ {} }}
",
            if append_only.is_empty() {
                "put: Note, takes: [note_id, book_id, text]"
            } else {
                "create: Note, takes: [book_id, text]"
            }
        ));
        let (class, reason) = catalog.entity("Note").unwrap().class(&catalog);
        format!("{}: {reason}", class.name())
    };
    assert_eq!(feeding(""), "decided: `count` of `Book.notes`");
    assert_eq!(feeding("    append_only: true"), "append: rows never change");
}
