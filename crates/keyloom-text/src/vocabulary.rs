//! The words of the language: which keys each kind of mapping knows, in the order in which they are printed.
//!
//! One table for everybody: the formatter takes the order from here, the reader its "did you mean", the JSON schema
//! its keys and their one-line docs. Names that authors give (entities, fields, patterns) are in no table.

mod layout;

pub(crate) use layout::{
    HORIZONS, LAYOUT, LAYOUT_PATH, READS_AT_MOST, SPREAD, TABLE, path_forms, path_words, table_kinds, table_words,
};

/// One key that a mapping of the language may have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As it is written.
    pub(crate) name: &'static str,
    /// One line for editors.
    pub(crate) doc: &'static str,
    /// Whether it is built yet.
    pub(crate) stage: Stage,
}

/// When a word is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It works.
    Now,
    /// It is reserved and answered with "not yet".
    Second,
}

const fn word(name: &'static str, doc: &'static str) -> Word {
    Word { name, doc, stage: Stage::Now }
}

const fn second(name: &'static str, doc: &'static str) -> Word {
    Word { name, doc, stage: Stage::Second }
}

/// The file itself.
pub(crate) static FILE: &[Word] = &[
    word("language", "The version of this grammar: 1."),
    word("catalog", "The name of the catalog."),
    word("as_of", "The day for which volumes are stated, such as 2026-11-01."),
    word("tenant", "The security domain: the field that is implied first in every key."),
    word("retries", "How long a repeated idempotency key has one effect; 24h unless stated."),
    word("complete", "False when there are readers or writers outside this catalog."),
    word("include", "Other files of the same catalog; a folder stands for its catalog.yaml."),
    word("types", "Named structs."),
    word("entities", "The things with identity that the application keeps."),
    word("rollups", "Entities kept from other entities, such as hourly means."),
    word("patterns", "The named operations, read or write; each is an endpoint."),
    word("scenarios", "The same catalog under another mix of rates."),
    word("allow", "Findings that the authors know and accept, each with its reason."),
];

/// `tenant:` of the file, when it is a mapping.
pub(crate) static TENANT: &[Word] = &[
    word("field", "The name of the tenant's field."),
    word("type", "The type of the tenant's field; uuid unless stated."),
    word("count", "How many tenants there are."),
    word("busiest", "The share of all data and calls that the busiest tenant has."),
];

/// An entity.
pub(crate) static ENTITY: &[Word] = &[
    word("doc", "Words for the generated API and for findings."),
    word("owner", "Who answers for it."),
    word("source", "`elsewhere`: another system is the truth, and its rows come by `put`."),
    word("tenant", "`none`: all tenants share this entity."),
    word("append_only", "True: rows are never updated and never deleted."),
    word("part_of", "The entity it belongs to, and is deleted with."),
    word("key", "Identity: the fields that name one row, or `none` for a singleton."),
    word("fields", "The fields with their types."),
    word("secret", "Fields that never appear in logs, metrics, diagrams or findings."),
    word("states", "The allowed changes of enumerated fields: [OPEN -> CLOSED]."),
    word("unique", "Values that only one row may have; the name is the reason a write gives."),
    word("drift", "How long a copy of a field in rows of another entity may differ."),
    word("history", "Which fields' changes are kept, and for how long."),
    word("volume", "How many rows there are, and how many come."),
    word("groups", "How many rows are read together: typical / p99 / worst."),
    word("expires", "When a row ends: a field, or a rule such as `at + 7 years`."),
    word("allow", "Findings about this entity that the authors know and accept."),
];

/// `volume:` of an entity.
pub(crate) static VOLUME: &[Word] =
    &[word("rows", "How many rows there are on the day `as_of`."), word("growth", "How many rows come: 120k/day.")];

/// One item of `groups:`, when it is written as a list.
pub(crate) static GROUP: &[Word] = &[
    word("by", "One group for each value of these fields."),
    word("where", "Only these rows."),
    word("rows", "How many rows: typical / p99 / worst."),
];

/// A distribution, when it is a mapping.
pub(crate) static DISTRIBUTION: &[Word] = &[
    word("typical", "What most have."),
    word("p99", "What 99 of 100 stay below."),
    word("worst", "What none exceeds."),
];

/// `history:` of an entity.
pub(crate) static HISTORY: &[Word] = &[word("of", "The fields whose changes are kept."), word("keep", "For how long.")];

/// A rollup.
pub(crate) static ROLLUP: &[Word] = &[
    word("doc", "Words for the generated API and for findings."),
    word("owner", "Who answers for it."),
    word("of", "The entity it is kept from."),
    word("by", "One row for each value of these fields, and each step of time."),
    word("every", "The step of time: `1h of at`, or `15min of at as slot`."),
    word("where", "Only these rows."),
    word("values", "What is kept: { mean: avg of celsius, n: count }."),
    word("late", "How late a row may come and still be counted."),
    word("freshness", "How old the rollup may be."),
    word("expires", "When a row ends, such as `hour + 2 years`."),
    word("allow", "Findings about this rollup that the authors know and accept."),
];

/// A pattern, a step of an `atomic`, or a list of `with`; [`pattern_words`] and its kin say which word fits where.
pub(crate) static PATTERN: &[Word] = &[
    word("each", "The step is done for each item of a list: `l in $lines max 50`."),
    word("get", "Answers one row or none."),
    word("list", "Answers rows, by pages."),
    word("count", "Answers a number of rows."),
    second("summarize", "Answers totals over a free window."),
    second("rank", "Answers the position of a row."),
    second("watch", "Answers the changes since a cursor."),
    second("scan", "Answers everything, for jobs."),
    word("create", "Makes a new row."),
    word("put", "Writes the whole row, there or not."),
    word("update", "Changes named fields of an existing row."),
    word("delete", "Deletes the row and its parts."),
    word("claim", "Takes the first rows of a list and hides them for `lease`."),
    word("check", "Looks at another row, as a step of an `atomic`."),
    word("atomic", "Several writes and checks, all or nothing."),
    second("update_each", "Updates a whole group or range, as a job."),
    second("delete_each", "Deletes a whole group or range, as a job."),
    word("outside", "Why this is knowingly served elsewhere, such as text search."),
    word("doc", "Words for the generated API and for findings."),
    word("owner", "Who answers for it."),
    word("tenant", "`all`: a worker's pattern that crosses tenants."),
    word("through", "One hop over an edge: Follow.followee_id = author_id."),
    word("by", "The fields that name the row or the group: `field` or `field = value`."),
    word("where", "Which rows of the group; constants make a subset, inputs make filters."),
    word("takes", "The fields that the body holds."),
    word("newest", "Keeps the row in which this field is larger."),
    word("or_create", "True: makes the row if it is not there."),
    word("set", "The fields that are written: { status: CLOSED, stock: stock - $n }."),
    word("any_of", "A patch: any of these fields may be sent."),
    word("add", "Adds to sets."),
    word("remove", "Removes from sets and maps."),
    word("append", "Appends to lists."),
    word("if", "What must hold of the row: `cond else reason`; several as a list."),
    word("one_per", "The first row of each value of these fields."),
    word("order", "The order of the rows: `due_at asc`; several by name are an input."),
    word("page", "Rows per page, any number of pages; 100 unless stated."),
    word("first", "The first so many rows and no more."),
    word("up_to", "How many rows at most are counted or claimed."),
    word("exact", "False: an estimate will do."),
    word("lease", "For how long claimed rows are hidden."),
    word("span", "How wide a range or how far back: 1 day / 7 days / 31 days."),
    word("matches", "The share of read rows that pass the remaining filters."),
    word("with", "Other lists in the same answer."),
    word("once_per", "Natural idempotency: one effect for each value of these fields."),
    word("batch", "How many in one call, each with its own answer."),
    word("emits", "The event that is written together with the change."),
    word("returns", "The fields of the answer: own fields, paths such as case.title, or `all`."),
    word("freshness", "`latest`, `read_your_writes`, or how old the answer may be."),
    word("while_moving", "`duplicate` or `hole`: what a reader may see of a row that moves."),
    word("rate", "How often: `2000/s` at the peak, { mean, peak }, `rare` or `unknown`."),
    word("latency", "The p99 target."),
    word("skew", "How unevenly calls fall on groups: { busiest: 30% } or { zipf: 1.1 }."),
    word("group", "Rows per group, for this pattern alone: typical / p99 / worst."),
    word("allow", "Findings about this pattern that the authors know and accept."),
];

/// `rate:` of a pattern, when it is a mapping.
pub(crate) static RATE: &[Word] = &[word("mean", "The mean over time: 100k/day."), word("peak", "The peak: 20/s.")];

/// `skew:` of a pattern.
pub(crate) static SKEW: &[Word] = &[
    word("busiest", "The share of calls that the busiest group takes."),
    word("zipf", "The exponent of a Zipf distribution."),
];

/// One item of `allow:`.
pub(crate) static ALLOW: &[Word] = &[
    word("rule", "The rule whose findings are accepted."),
    word("because", "Why."),
    word("until", "The last day on which it holds."),
];

/// What every pattern may say, whatever its verb.
const ALWAYS: &[&str] = &["doc", "owner", "rate", "latency", "skew", "allow"];

/// What each verb of a pattern may say beyond itself and [`ALWAYS`].
static VERBS: &[(&str, &[&str])] = &[
    ("get", &["tenant", "by", "where", "with", "batch", "returns", "freshness"]),
    ("list", LIST),
    ("count", &["tenant", "by", "where", "up_to", "exact", "span", "matches", "freshness", "group"]),
    ("summarize", LIST),
    ("rank", LIST),
    ("watch", LIST),
    ("scan", LIST),
    ("create", &["takes", "set", "once_per", "batch", "emits", "returns"]),
    ("put", &["takes", "newest", "set", "once_per", "batch", "emits", "returns"]),
    ("update", UPDATE),
    ("delete", &["by", "if", "once_per", "batch", "emits", "returns"]),
    ("claim", &["tenant", "by", "where", "order", "up_to", "lease", "span", "matches", "once_per", "returns", "group"]),
    ("atomic", &["once_per"]),
    ("update_each", UPDATE),
    ("delete_each", &["by", "where", "if", "emits"]),
    ("outside", OUTSIDE),
];

const LIST: &[&str] = &[
    "outside",
    "tenant",
    "through",
    "by",
    "where",
    "one_per",
    "order",
    "page",
    "first",
    "span",
    "matches",
    "with",
    "returns",
    "freshness",
    "while_moving",
    "group",
];

/// Beside `outside` a verb of reading says what would be read, and may say all that it says elsewhere.
const OUTSIDE: &[&str] = &[
    "get",
    "list",
    "count",
    "tenant",
    "through",
    "by",
    "where",
    "one_per",
    "order",
    "page",
    "first",
    "up_to",
    "exact",
    "span",
    "matches",
    "with",
    "batch",
    "returns",
    "freshness",
    "while_moving",
    "group",
];

const UPDATE: &[&str] =
    &["by", "or_create", "set", "any_of", "add", "remove", "append", "if", "once_per", "batch", "emits", "returns"];

/// What each verb of a step of an `atomic` may say beyond itself and `each`.
static STEPS: &[(&str, &[&str])] = &[
    ("create", &["takes", "set", "emits"]),
    ("put", &["takes", "newest", "set", "emits"]),
    ("update", &["by", "or_create", "set", "any_of", "add", "remove", "append", "if", "emits"]),
    ("delete", &["by", "if", "emits"]),
    ("check", &["by", "if"]),
];

/// What a list of `with` may say.
const WITH: &[&str] = &["list", "where", "one_per", "order", "first", "span", "matches", "returns", "group"];

fn words_of(fits: impl Fn(&str) -> bool) -> Vec<&'static Word> {
    PATTERN.iter().filter(|word| fits(word.name)).collect()
}

fn lookup(table: &[(&str, &'static [&'static str])], verb: &str) -> &'static [&'static str] {
    table.iter().find(|(name, _)| *name == verb).map_or(&[], |(_, words)| words)
}

/// The verbs of a pattern, in canonical order.
pub(crate) fn pattern_verbs() -> Vec<&'static Word> {
    words_of(|name| VERBS.iter().any(|(verb, _)| *verb == name))
}

/// The words that fit a pattern with this verb, in canonical order, the verb among them; none if it is no verb.
pub(crate) fn pattern_words(verb: &str) -> Vec<&'static Word> {
    if !VERBS.iter().any(|(name, _)| *name == verb) {
        return Vec::new();
    }
    let own = lookup(VERBS, verb);
    words_of(|name| name == verb || own.contains(&name) || ALWAYS.contains(&name))
}

/// The verbs of a step of an `atomic`, in canonical order.
pub(crate) fn step_verbs() -> Vec<&'static Word> {
    words_of(|name| STEPS.iter().any(|(verb, _)| *verb == name))
}

/// The words that fit a step with this verb, in canonical order, the verb among them; none if it is no verb of a step.
pub(crate) fn step_words(verb: &str) -> Vec<&'static Word> {
    if !STEPS.iter().any(|(name, _)| *name == verb) {
        return Vec::new();
    }
    let own = lookup(STEPS, verb);
    words_of(|name| name == "each" || name == verb || own.contains(&name))
}

/// The words that fit a list of `with`, in canonical order.
pub(crate) fn with_words() -> Vec<&'static Word> {
    words_of(|name| WITH.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_names_each_word_once() {
        let catalog = [FILE, TENANT, ENTITY, VOLUME, GROUP, DISTRIBUTION, HISTORY, ROLLUP, PATTERN, RATE, SKEW, ALLOW];
        let layout = [LAYOUT, HORIZONS, TABLE, SPREAD, LAYOUT_PATH, READS_AT_MOST];
        for table in catalog.into_iter().chain(layout) {
            for (at, word) in table.iter().enumerate() {
                assert!(table[..at].iter().all(|other| other.name != word.name), "{} stands twice", word.name);
                assert!(word.doc.ends_with('.'), "the doc of {} is no sentence", word.name);
            }
        }
    }

    #[test]
    fn every_word_that_fits_a_verb_is_a_word_of_patterns() {
        let known = |name: &&str| PATTERN.iter().any(|word| word.name == *name);
        for (verb, words) in VERBS.iter().chain(STEPS) {
            assert!(known(verb), "{verb} is in no table");
            assert!(words.iter().all(known), "{verb} knows a word that is in no table");
        }
        assert!(WITH.iter().chain(ALWAYS).all(known));
    }

    #[test]
    fn every_word_of_patterns_fits_somewhere() {
        for word in PATTERN {
            let fits = |words: Vec<&'static Word>| words.contains(&word);
            let in_pattern = pattern_verbs().iter().any(|verb| fits(pattern_words(verb.name)));
            let in_step = step_verbs().iter().any(|verb| fits(step_words(verb.name)));
            assert!(in_pattern || in_step || fits(with_words()), "{} fits nowhere", word.name);
        }
    }

    #[test]
    fn words_come_in_canonical_order_with_the_verb_first() {
        let names: Vec<_> = pattern_words("claim").iter().map(|word| word.name).collect();
        assert_eq!(names[..6], ["claim", "doc", "owner", "tenant", "by", "where"]);
        assert_eq!(step_words("check").iter().map(|word| word.name).collect::<Vec<_>>(), ["each", "check", "by", "if"]);
        assert!(pattern_words("fetch").is_empty());
    }

    #[test]
    fn second_stage_words_are_marked() {
        let second: Vec<_> = PATTERN.iter().filter(|word| word.stage == Stage::Second).map(|word| word.name).collect();
        assert_eq!(second, ["summarize", "rank", "watch", "scan", "update_each", "delete_each"]);
    }
}
