//! Types as other languages write them, for the help that says how they are written here.

use crate::fault::Fault;
use crate::parse::expr::{Case, snake};
use crate::parse::lexer::shown;

/// The fault of a text that is a type in another language's notation: `list<text>`, `timestamp | null`, `ref(Case)`.
/// `read` decides whether the translation is right.
pub(super) fn notation<T>(text: &str, read: fn(&str) -> Result<T, Fault>) -> Option<Fault> {
    let (ty, rest) = split_fill(text);
    let translated = format!("{}{rest}", translate(ty, DEPTH_MAX)?);
    read(&translated).ok()?;
    let fault = Fault::new(0..ty.len(), format!("{} is written another way here", shown(ty)));
    Some(match untyped_reference(text) {
        Some((entity, _)) => fault.help(format!("write its key's type, then `-> {entity}`")),
        None => fault.help(format!("write `{translated}`")),
    })
}

/// The entity in `ref(Case)` or `-> Case`, which do not say what type its key has, and what stands behind it.
pub(super) fn untyped_reference(text: &str) -> Option<(&str, String)> {
    let (ty, rest) = split_fill(text);
    reference(ty.trim()).filter(|(ty, _)| ty.is_empty()).map(|(_, entity)| (entity, rest))
}

/// What fills the field is written behind its type in every language.
fn split_fill(text: &str) -> (&str, String) {
    let default = text.split_once(" default").filter(|(_, value)| value.starts_with([' ', ':', '=']));
    match (text.find(" = "), default) {
        (Some(at), _) => (&text[..at], text[at..].to_owned()),
        (None, Some((ty, value))) => (ty, format!(" = {}", value.trim_start_matches([':', '=', ' ']))),
        (None, None) => (text, String::new()),
    }
}

/// How deep notations are followed into each other: a list of lists is nothing here.
const DEPTH_MAX: usize = 4;

/// A type in our notation; nothing if its own is no other.
fn translate(text: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let text = text.trim();
    let inner = |text: &str| translate(text, depth).unwrap_or_else(|| text.trim().to_owned());
    if let Some(of) = optional(text) {
        return Some(format!("{}?", inner(of).trim_end_matches('?')));
    }
    if let Some((ty, entity)) = reference(text) {
        return Some(format!("{} -> {entity}", if ty.is_empty() { "uuid" } else { ty }));
    }
    if let Some(values) = enumeration(text) {
        return Some(values);
    }
    let (outer, of) = wrapped(text)?;
    let item = |text: &str| match word(&text.trim().to_lowercase()) {
        Some(text) if text.starts_with("text") => "text(8..30)".to_owned(),
        Some(other) => other.to_owned(),
        None => inner(text),
    };
    match word(outer).unwrap_or(outer).split(' ').next()? {
        "list" => Some(format!("list of {} (3 / 20 / 100)", item(of))),
        "set" => Some(format!("set of {} (3 / 20 / 100)", item(of))),
        "map" => {
            let (key, value) = of.split_once(',')?;
            Some(format!("map of {} to {} (3 / 20 / 100)", item(key), item(value)))
        }
        // Cassandra's own word; it says nothing here.
        "frozen" => Some(inner(of)),
        _ => None,
    }
}

/// `enum[OPEN, CLOSED]`, `enum(OPEN, CLOSED)` and `enum: [OPEN, CLOSED]` as they are written here.
pub(crate) fn enumeration(text: &str) -> Option<String> {
    let behind = text.strip_prefix("enum").or_else(|| text.strip_prefix("ENUM"))?;
    let list = behind.trim_start_matches([':', ' ']);
    let inner = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')]
        .into_iter()
        .find_map(|(open, close)| list.strip_prefix(open)?.strip_suffix(close))?;
    let values: Vec<String> = inner.split([',', '|', '/']).map(variant).collect::<Option<_>>()?;
    let is_foreign = !list.starts_with('(') || inner.contains([',', '/']);
    is_foreign.then(|| format!("enum({})", values.join(" | ")))
}

/// A value of an enum in capitals and without quotes, with its share.
fn variant(text: &str) -> Option<String> {
    let (name, share) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let upper = snake(name.trim_matches(['\'', '"'])).to_uppercase();
    let is_value = matches!(Case::of(&upper), Some(Case::Upper));
    is_value.then(|| format!("{upper} {share}").trim_end().to_owned())
}

/// What may be absent in `timestamp | null`, `optional timestamp`, `Option<timestamp>`.
fn optional(text: &str) -> Option<&str> {
    const BEHIND: [&str; 7] = ["| null", "|null", " or null", " null", " nullable", " optional", "| undefined"];
    const BEFORE: [&str; 4] = ["?", "optional ", "nullable ", "maybe "];
    let behind = BEHIND.iter().find_map(|word| text.strip_suffix(word));
    let before = || BEFORE.iter().find_map(|word| text.strip_prefix(word));
    let around = || wrapped(text).filter(|(outer, _)| ["optional", "option", "nullable", "maybe"].contains(outer));
    behind.or_else(before).or_else(|| around().map(|(_, of)| of)).filter(|of| !of.ends_with("not"))
}

/// The type, which may be empty, and the entity in `uuid references Case`, `ref(Case)`, `-> Case`, `Case.case_id`.
fn reference(text: &str) -> Option<(&str, &str)> {
    const WORDS: [&str; 7] = ["references", "reference", "foreign key", "ref", "fk", "=>", "->"];
    let is_entity = |word: &&str| Case::of(word) == Some(Case::Capitalised);
    let (ty, entity) = WORDS.iter().find_map(|word| text.split_once(word)).or_else(|| {
        let (entity, field) = text.split_once('.')?;
        (Case::of(field) == Some(Case::Snake)).then_some(("", entity))
    })?;
    let entity = entity.trim().trim_start_matches(['(', '<', '[']).trim_end_matches([')', '>', ']']);
    Some((ty.trim(), entity)).filter(|(_, entity)| is_entity(entity))
}

/// The lower-case word around another type, and that type: `list<text>`, `array of text`, `text[]`.
fn wrapped(text: &str) -> Option<(&'static str, &str)> {
    const OUTER: [&str; 17] = [
        "list",
        "array",
        "vec",
        "vector",
        "sequence",
        "set",
        "hashset",
        "map",
        "dict",
        "dictionary",
        "hashmap",
        "record",
        "frozen",
        "optional",
        "option",
        "nullable",
        "maybe",
    ];
    if let Some(of) = text.strip_suffix("[]") {
        return Some(("list", of));
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let outer = text[..end].to_lowercase();
    let outer = OUTER.into_iter().find(|word| *word == outer)?;
    let rest = text[end..].trim_start();
    let between = [('<', '>'), ('(', ')'), ('[', ']')]
        .into_iter()
        .find_map(|(open, close)| rest.strip_prefix(open)?.strip_suffix(close));
    between.or_else(|| rest.strip_prefix("of ")).map(|of| (outer, of))
}

/// The type that a word of another language, or one of ours in capitals, stands for.
pub(super) fn word(lower: &str) -> Option<&'static str> {
    let meant = match lower {
        "string" | "str" | "varchar" | "char" | "nvarchar" | "character" | "ascii" | "clob" | "text" => "text(80..400)",
        "blob" | "binary" | "varbinary" | "bytea" | "byte" | "bytes" => "bytes(1KB..60KB)",
        "jsonb" | "object" | "document" | "json" | "any" => "json(1KB..60KB)",
        "array" | "vec" | "vector" | "sequence" | "tuple" | "list" => "list of int (3 / 20 / 100)",
        "hashset" | "set" => "set of text(8..30) (2 / 10 / 40)",
        "dict" | "dictionary" | "record" | "hash" | "hashmap" | "map" => "map of text(8..30) to int (3 / 20 / 100)",
        "money" | "numeric" | "number" | "bigdecimal" | "currency" | "decimal" => "decimal(2)",
        "union" | "variant" | "either" | "one_of" | "oneof" => "oneof(int | float)",
        "enum" => "enum(OPEN | CLOSED)",
        "int" | "integer" | "long" | "bigint" | "short" | "smallint" | "tinyint" | "counter" | "varint" | "serial"
        | "int8" | "int16" | "int32" | "int64" | "i32" | "i64" | "u32" | "u64" | "uint" => "int",
        "float" | "double" | "real" | "float32" | "float64" | "f32" | "f64" => "float",
        "bool" | "boolean" | "bit" | "flag" => "bool",
        "timestamp" | "datetime" | "time" | "timestamptz" | "instant" | "epoch" => "timestamp",
        "date" => "date",
        "duration" | "interval" | "timespan" => "duration",
        "uuid" | "guid" | "id" | "uuid4" | "uuidv4" => "uuid",
        "uuid7" | "timeuuid" | "uuidv7" | "ulid" | "uuid1" | "ksuid" => "uuid7",
        "ip" | "inet" | "cidr" | "ipv4" | "ipv6" | "ipaddress" | "ip_address" => "ip",
        _ => return None,
    };
    Some(meant)
}
