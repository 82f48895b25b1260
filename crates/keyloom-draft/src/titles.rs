//! Names of patterns: the program's own where they say what is done, else made from verb, entity and fields.

use crate::entity::Entity;
use crate::names::{Names, plural, words};
use crate::pattern::{Action, Pattern, Read, ReadVerb};
use crate::settle::{InsertVerb, insert_verb};

/// Words with which functions begin that read rows, make them, change them, take them away.
const READS: [&str; 10] = ["count", "fetch", "find", "get", "list", "load", "lookup", "query", "read", "select"];
const MAKES: [&str; 19] = [
    "acquire", "add", "append", "book", "claim", "create", "insert", "lock", "open", "place", "put", "record",
    "register", "save", "set", "start", "store", "take", "write",
];
const CHANGES: [&str; 24] = [
    "add",
    "append",
    "cancel",
    "change",
    "clear",
    "close",
    "extend",
    "increment",
    "lock",
    "mark",
    "open",
    "put",
    "record",
    "release",
    "remove",
    "rename",
    "renew",
    "save",
    "set",
    "store",
    "touch",
    "unlock",
    "update",
    "write",
];
const REMOVES: [&str; 8] = ["cancel", "clear", "close", "delete", "release", "remove", "stop", "unlock"];

/// Whether a function that begins with this word may do what the pattern does. A function that inserts may also undo it,
/// and its name is that of the insert.
fn says(word: &str, action: &Action) -> bool {
    match action {
        Action::Read(_) => READS.contains(&word),
        Action::Insert(_) | Action::Atomic(_) => MAKES.contains(&word) || word == "update",
        Action::Update(_) => CHANGES.contains(&word),
        Action::Delete(_) => REMOVES.contains(&word),
    }
}

/// Words of statements, and words that need another to mean something.
const STATEMENTS: [&str; 4] = ["select", "insert", "update", "delete"];
const PARTICLES: [&str; 10] = ["all", "by", "one", "many", "with", "for", "from", "of", "or", "if"];

/// Words that tell nothing in a function's name.
const EMPTY: [&str; 11] = ["db", "async", "impl", "internal", "do", "try", "sync", "stmt", "statement", "cql", "row"];

/// A name for each pattern, none given twice.
pub(crate) fn titles(entities: &[Entity], patterns: &[Pattern]) -> Vec<String> {
    let mut given = Names::default();
    let mut titles = vec![String::new(); patterns.len()];
    // Names of the program come first, so that a made name gives way and not they.
    let own: Vec<Option<String>> = patterns.iter().map(|pattern| own(entities, pattern)).collect();
    for (at, own) in own.iter().enumerate() {
        if let Some(name) = own.as_ref().filter(|name| given.is_free(name)) {
            titles[at] = given.give(name.clone(), "_");
        }
    }
    for (at, pattern) in patterns.iter().enumerate() {
        if titles[at].is_empty() {
            titles[at] = given.give(made(entities, pattern), "_");
        }
    }
    titles
}

/// The name of the function that asks it, where it says what is done.
fn own(entities: &[Entity], pattern: &Pattern) -> Option<String> {
    let entity = &entities[pattern.entity];
    let function = pattern.callers.first()?.function.as_deref()?;
    // All callers of one pattern, or the name would lie to some of them.
    if pattern.callers.iter().any(|caller| caller.function.as_deref() != Some(function)) {
        return None;
    }
    let mut words = words(function);
    words.retain(|word| !EMPTY.contains(&word.as_str()));
    // `getSelectTaskStatement` hands out what `selectTask` would ask.
    let hands_out = words.len() > 1 && words[0] == "get" && STATEMENTS.contains(&words[1].as_str());
    if hands_out {
        words.remove(0);
    }
    // `getAll` and `findByName` do not say of what.
    let says_what = words.get(1).is_none_or(|second| !PARTICLES.contains(&second.as_str()));
    let begins = says_what && words.first().is_some_and(|first| says(first, &pattern.action));
    if !begins || words.len() > 7 || words[0].starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if words.len() == 1 {
        let is_list = matches!(&pattern.action, Action::Read(read) if read.verb == ReadVerb::List);
        let noun = noun(entity, is_list);
        // `get` alone does not say by what it gets a list.
        return (!is_list).then(|| format!("{}_{noun}", words[0]));
    }
    Some(words.join("_"))
}

fn noun(entity: &Entity, many: bool) -> String {
    let mut words = entity.words.clone();
    if words.is_empty() {
        words.push("row".to_owned());
    }
    if let Some(last) = words.last_mut().filter(|_| many) {
        *last = plural(last);
    }
    words.join("_")
}

fn made(entities: &[Entity], pattern: &Pattern) -> String {
    let entity = &entities[pattern.entity];
    match &pattern.action {
        Action::Read(read) => read_title(entity, read),
        Action::Insert(insert) => match insert_verb(entity, insert) {
            InsertVerb::Create => format!("create_{}", noun(entity, false)),
            InsertVerb::Put | InsertVerb::Upsert => format!("put_{}", noun(entity, false)),
        },
        Action::Update(update) => {
            let names: Vec<&str> =
                update.changes.iter().map(|(field, _)| entity.fields[*field].name.as_str()).collect();
            match names.as_slice() {
                [one] => format!("set_{one}_of_{}", noun(entity, false)),
                _ => format!("update_{}", noun(entity, false)),
            }
        }
        Action::Delete(_) => format!("delete_{}", noun(entity, false)),
        Action::Atomic(steps) => {
            let first = steps.first().map(|(entity, action)| Pattern {
                entity: *entity,
                action: action.clone(),
                notes: Vec::new(),
                source: pattern.source,
                callers: Vec::new(),
            });
            let rest: Vec<String> = steps.iter().skip(1).map(|(at, _)| noun(&entities[*at], false)).collect();
            let first = first.map_or_else(|| "write".to_owned(), |first| made(entities, &first));
            format!("{first}_and_{}", rest.join("_and_"))
        }
    }
}

fn read_title(entity: &Entity, read: &Read) -> String {
    let by: Vec<&str> = read
        .by
        .iter()
        .map(|(field, _)| entity.fields[*field].name.as_str())
        .map(|name| name.strip_suffix("_id").filter(|short| !short.is_empty()).unwrap_or(name))
        .collect();
    let by = by.join("_and_");
    match read.verb {
        ReadVerb::Get if read.by.iter().map(|(field, _)| *field).eq(entity.key.iter().copied()) => {
            format!("get_{}", noun(entity, false))
        }
        ReadVerb::Get => format!("get_{}_by_{by}", noun(entity, false)),
        ReadVerb::List => format!("list_{}_by_{by}", noun(entity, true)),
        ReadVerb::Count => format!("count_{}_by_{by}", noun(entity, true)),
    }
}
