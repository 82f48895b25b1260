//! The words of the layout.

use super::{Word, word};

/// The file itself.
pub(crate) static LAYOUT: &[Word] = &[
    word("layout", "The version of this grammar: 1."),
    word("catalog", "The name of the catalog that is stored so."),
    word("engine", "Where its rows are stored: embedded, cassandra, dynamodb."),
    word("epoch", "One more with every change of a key, a table or a keeper."),
    word("horizons", "The times of the protocol; those that are not stated have their defaults."),
    word("tables", "The tables by name, each with what it holds."),
    word("ranks", "What stands for the values of enums in keys: { Task.priority: { LOW: 10, HIGH: 20 } }."),
    word("paths", "Which table answers which question; what is not stated is found."),
];

/// `horizons:` of the file.
pub(crate) static HORIZONS: &[Word] = &[
    word("settle", "How long a projection may lag; 10s unless stated."),
    word("doubt", "How long an answer may stay unknown; 60s unless stated."),
    word("late", "How late a placement may arrive."),
    word("page", "How long reading a page may take."),
    word("grace", "How long what was removed is remembered; twice `retries` unless stated."),
];

/// A table; [`table_words`] says which word fits beside which kind.
pub(crate) static TABLE: &[Word] = &[
    word("source", "The entity, history, event or rollup whose truth it holds."),
    word("of", "The entity of which it holds rows in another order, or some of them."),
    word("reserves", "The unique whose values it holds: User.email_taken."),
    word("keeps", "The kept field whose values it holds: Case.open_tasks."),
    word("counts", "The kept field or the rollup to which its rows contribute."),
    word("newest", "The entity of which it holds the first row of each value."),
    word("numbers", "The numbered field whose last number it holds: Ticket.no."),
    word("class", "How a source is written: append, fed, blind or decided; computed."),
    word("keeper", "Who keeps a projection: carried, placed or index."),
    word("way", "How a kept value follows its rows: rider, newest or recount."),
    word("from", "The table that is counted again."),
    word("every", "How often it is counted again."),
    word("tenants", "`all`: it crosses tenants, and the tenant is no part of its partition."),
    word("where", "Only these rows; constants only."),
    word("partition", "Which rows stand together: fields, time buckets such as month(at), or [all]."),
    word("sort", "The order within a partition: [due_at asc, task_id asc]."),
    word("columns", "What a row holds beside its key; computed."),
    word("copies", "What a row holds of rows that it points to: { case.title: copy }, or touch."),
    word("spread", "When a group grows out of one partition."),
    word("expires", "What goes when rows end: `row` or `whole buckets`."),
];

/// `spread:` of a table.
pub(crate) static SPREAD: &[Word] = &[
    word("rows", "At so many rows in one group: 50k."),
    word("reads", "At so many reads of one group: 500/s."),
    word("at_most", "Over so many partitions and no more."),
];

/// One of `paths:`; [`path_words`] says which word fits beside which form.
pub(crate) static LAYOUT_PATH: &[Word] = &[
    word("get", "The table of which one row answers."),
    word("slice", "The table of which rows that stand together answer."),
    word("via", "The table of reservations that says which row."),
    word("looks_up", "What is looked up for each row: case.title, or a kept field."),
    word("remains", "The fields that are tested on rows that were read."),
    word("reads_at_most", "What one page reads at most."),
];

/// `reads_at_most:` of a path.
pub(crate) static READS_AT_MOST: &[Word] =
    &[word("partitions", "How many partitions."), word("rows", "How many rows.")];

/// What each kind of table may say beyond itself and [`PLACED`].
static KINDS: &[(&str, &[&str])] = &[
    ("source", &["class", "way", "from", "every", "spread", "expires"]),
    ("of", &["keeper", "tenants", "where", "copies", "spread", "expires"]),
    ("reserves", &[]),
    ("keeps", &["way", "from", "every"]),
    ("counts", &["spread"]),
    ("newest", &["tenants", "where", "copies", "expires"]),
    ("numbers", &[]),
];

/// What every table may say.
const PLACED: &[&str] = &["partition", "sort", "columns"];

/// What each form of a path may say beyond itself and [`READ`].
static FORMS: &[(&str, &[&str])] = &[("get", &["via"]), ("slice", &[])];

/// What every path may say.
const READ: &[&str] = &["looks_up", "remains", "reads_at_most"];

/// The kinds of tables, in canonical order.
pub(crate) fn table_kinds() -> Vec<&'static Word> {
    kinds(TABLE, KINDS)
}

/// The words that fit a table of this kind, in canonical order, the kind among them.
pub(crate) fn table_words(kind: &str) -> Vec<&'static Word> {
    words(TABLE, KINDS, PLACED, kind)
}

/// The forms of paths, in canonical order.
pub(crate) fn path_forms() -> Vec<&'static Word> {
    kinds(LAYOUT_PATH, FORMS)
}

/// The words that fit a path of this form, in canonical order, the form among them.
pub(crate) fn path_words(form: &str) -> Vec<&'static Word> {
    words(LAYOUT_PATH, FORMS, READ, form)
}

fn kinds(table: &'static [Word], kinds: &[(&str, &[&str])]) -> Vec<&'static Word> {
    table.iter().filter(|word| kinds.iter().any(|(kind, _)| *kind == word.name)).collect()
}

fn words(table: &'static [Word], kinds: &[(&str, &[&str])], always: &[&str], kind: &str) -> Vec<&'static Word> {
    let Some((kind, own)) = kinds.iter().find(|(name, _)| *name == kind) else { return Vec::new() };
    let fits = |name: &str| name == *kind || own.contains(&name) || always.contains(&name);
    table.iter().filter(|word| fits(word.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_their_words_are_words_of_their_mapping() {
        for (table, kinds, always) in [(TABLE, KINDS, PLACED), (LAYOUT_PATH, FORMS, READ)] {
            let known = |name: &&str| table.iter().any(|word| word.name == *name);
            for (kind, words) in kinds {
                assert!(known(kind) && words.iter().all(known), "{kind} knows a word that is in no table");
            }
            assert!(always.iter().all(known));
        }
    }

    #[test]
    fn every_word_is_tested() {
        let text = include_str!("../../tests/layout/data/layout.yaml");
        for word in [LAYOUT, HORIZONS, TABLE, SPREAD, LAYOUT_PATH, READS_AT_MOST].into_iter().flatten() {
            assert!(text.contains(&format!("{}:", word.name)), "the layout with every word has no `{}`", word.name);
        }
    }

    #[test]
    fn every_word_fits_somewhere() {
        fn fits(word: &Word, kinds: &[&Word], words: fn(&str) -> Vec<&'static Word>) -> bool {
            kinds.iter().any(|kind| words(kind.name).contains(&word))
        }
        for word in TABLE {
            assert!(fits(word, &table_kinds(), table_words), "{} fits nowhere", word.name);
        }
        for word in LAYOUT_PATH {
            assert!(fits(word, &path_forms(), path_words), "{} fits nowhere", word.name);
        }
    }
}
