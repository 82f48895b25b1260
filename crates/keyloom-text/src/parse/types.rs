//! Types: `text(80..400)`, `uuid -> Case must exist = new`.

use std::ops::Range;

use keyloom_model::{Distribution, Share, Size, Variant};

use super::expr::{self, Case, Fill, Word};
use super::lexer::{Cursor, Kind, nearest, shown};
use super::units::{bytes_at, count_at, count_distribution_at, share_at};
use crate::fault::Fault;

mod foreign;

/// An enum whose values stand in another notation, as it is written here.
pub(crate) fn enumeration(text: &str) -> Option<String> {
    foreign::enumeration(text)
}

/// The entity in a field's text that points to it without a type, `ref(Case)`, and what stands behind it.
pub(crate) fn untyped_reference(text: &str) -> Option<(&str, String)> {
    foreign::untyped_reference(text)
}

/// A type as it is written: names of structs are not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the same shapes as keyloom_model::Type, which documents them")]
pub enum TypeKind {
    Uuid,
    Uuid7,
    Text(Size),
    Bytes(Size),
    Json(Size),
    Int,
    Float,
    Decimal {
        scale: u8,
    },
    Bool,
    Date,
    Timestamp {
        micros: bool,
    },
    Duration,
    Ip,
    Enum(Vec<Variant>),
    /// The counts are `None` when they are missing, which is a finding of its own.
    List(Box<Type>, Option<Distribution<u64>>),
    Set(Box<Type>, Option<Distribution<u64>>),
    Map(Box<Type>, Box<Type>, Option<Distribution<u64>>),
    /// A name in capitals: a struct, if the catalog has it.
    Named(Word),
    OneOf(Vec<Type>),
}

/// A field's whole text: `uuid? -> Case must exist = new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its type.
    pub ty: Type,
    /// Written with `?`.
    pub optional: bool,
    /// `-> Case`
    pub reference: Option<Word>,
    /// `must exist`
    pub must_exist: bool,
    /// What follows `=`.
    pub fill: Option<Fill>,
}

/// Reads a field's whole text.
pub fn field(text: &str) -> Result<Field, Fault> {
    field_as_written(text).map_err(|fault| foreign::notation(text, field_as_written).unwrap_or(fault))
}

fn field_as_written(text: &str) -> Result<Field, Fault> {
    let mut cursor = Cursor::new(text);
    let ty = ty(&mut cursor, Inside::Nothing)?;
    let optional = cursor.take("?").is_some();
    let reference = cursor.take("->").map(|arrow| reference(&mut cursor, arrow)).transpose()?;
    let must_exist = must_exist(&mut cursor, reference.as_ref())?;
    if let Some(mark) = cursor.take("?") {
        if optional {
            return Err(Fault::new(mark, "this field is optional already").help("remove one `?`"));
        }
        let rest = cursor.slice(ty.range.end..mark.start);
        let help = format!("write {}", shown(&format!("{}?{rest}", cursor.slice(ty.range))));
        return Err(Fault::new(mark, "`?` stands directly behind the type").help(help));
    }
    let fill = match cursor.take("=") {
        Some(equal) if cursor.at_end() => {
            return Err(Fault::new(equal, "nothing stands behind `=`")
                .help("write a default such as `= OPEN`, or what the field is computed from"));
        }
        Some(_) => Some(expr::fill_to_end(&mut cursor)?),
        None => None,
    };
    finish(&cursor)?;
    Ok(Field { ty, optional, reference, must_exist, fill })
}

/// Reads a type alone, as members of structs have it (with an optional `?`, which the second value tells).
pub fn type_alone(text: &str) -> Result<(Type, bool), Fault> {
    type_as_written(text).map_err(|fault| foreign::notation(text, type_as_written).unwrap_or(fault))
}

fn type_as_written(text: &str) -> Result<(Type, bool), Fault> {
    let mut cursor = Cursor::new(text);
    let ty = ty(&mut cursor, Inside::Nothing)?;
    let optional = cursor.take("?").is_some();
    if cursor.is("=") || cursor.is("->") {
        let range = cursor.rest();
        return Err(Fault::new(range, format!("only a type may stand here, without {}", shown(cursor.ahead())))
            .help("references and defaults belong to the fields of entities"));
    }
    finish(&cursor)?;
    Ok((ty, optional))
}

/// Nothing may follow a field.
fn finish(cursor: &Cursor) -> Result<(), Fault> {
    let range = cursor.rest();
    let word = cursor.ahead();
    let help = match word.to_lowercase().as_str() {
        "" => return Ok(()),
        "default" => {
            let value = cursor.slice(range.clone())["default".len()..].trim_start_matches([':', '=', ' ']).trim();
            format!("write {}", shown(&format!("= {}", if value.is_empty() { "value" } else { value })))
        }
        "null" | "nullable" | "optional" => "an optional field has `?` behind its type".to_owned(),
        "not" | "required" => "every field is required unless it has `?` behind its type".to_owned(),
        "unique" | "primary" | "key" | "index" | "indexed" => {
            "keys and `unique` are stated on the entity; Keyloom finds indexes itself".to_owned()
        }
        "references" | "ref" | "foreign" => "a reference is written `-> Case`".to_owned(),
        "|" | "or" => "a union is written `oneof(int | float)`".to_owned(),
        "(" => "sizes and counts stand directly behind `text`, `list of ..` and the like".to_owned(),
        "=>" | ">" => "a reference is written `-> Case`".to_owned(),
        "==" | ":=" => "a default is written `= value`".to_owned(),
        "[" => "a list is written `list of int (3 / 20 / 100)`".to_owned(),
        "must" => "`must exist` stands behind a reference: `-> Case must exist`".to_owned(),
        _ => return cursor.finish("type"),
    };
    Err(Fault::new(range.clone(), format!("{} is left over after the type", shown(cursor.slice(range)))).help(help))
}

/// Reads the entity behind `->`.
fn reference(cursor: &mut Cursor, arrow: Range<usize>) -> Result<Word, Fault> {
    let text = cursor.ahead();
    match cursor.peek().kind {
        Kind::Word => {}
        Kind::End => return Err(Fault::new(arrow, "nothing stands behind `->`").help("write an entity: `-> Case`")),
        _ => return Err(cursor.wanted("an entity", "write an entity: `-> Case`")),
    }
    let range = cursor.next().range;
    if !matches!(Case::of(text), Some(Case::Capitalised | Case::Upper)) {
        return Err(Fault::new(range, format!("{} is not an entity", shown(text)))
            .help(format!("entities begin with a capital: {}", shown(&format!("-> {}", capitalised(text))))));
    }
    if let Some(dot) = cursor.take(".") {
        let end = if cursor.peek().kind == Kind::Word { cursor.peek().range.end } else { dot.end };
        return Err(Fault::new(dot.start..end, "a reference is to an entity, not to a field")
            .help(format!("write {}", shown(&format!("-> {text}")))));
    }
    Ok(Word { range, text: text.to_owned() })
}

/// Reads `must exist`.
fn must_exist(cursor: &mut Cursor, reference: Option<&Word>) -> Result<bool, Fault> {
    let Some(must) = cursor.take("must") else {
        return Ok(false);
    };
    if cursor.take("exist").is_none() {
        return Err(cursor.wanted("`exist`", "write `-> Case must exist`"));
    }
    if reference.is_none() {
        return Err(Fault::new(must.start..cursor.taken_to(), "what must exist?")
            .help("`must exist` stands behind a reference: `-> Case must exist`"));
    }
    Ok(true)
}

/// What a type stands in; collections do not stand in collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    OneOf,
    Collection(&'static str),
    MapKey,
}

/// The names of all types, for "did you mean".
const NAMES: [&str; 18] = [
    "uuid",
    "uuid7",
    "text",
    "bytes",
    "json",
    "int",
    "float",
    "decimal",
    "bool",
    "date",
    "timestamp",
    "duration",
    "ip",
    "enum",
    "list",
    "set",
    "map",
    "oneof",
];

fn ty(cursor: &mut Cursor, inside: Inside) -> Result<Type, Fault> {
    let token = cursor.peek().clone();
    if token.kind != Kind::Word {
        return Err(cursor.wanted("a type", "write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`"));
    }
    cursor.enter(token.range.clone())?;
    cursor.next();
    let word = cursor.slice(token.range.clone());
    let kind = match word {
        "uuid" => TypeKind::Uuid,
        "uuid7" => TypeKind::Uuid7,
        "int" => TypeKind::Int,
        "float" => TypeKind::Float,
        "bool" => TypeKind::Bool,
        "date" => TypeKind::Date,
        "duration" => TypeKind::Duration,
        "ip" => TypeKind::Ip,
        "text" => TypeKind::Text(size(cursor, &token.range, word)?),
        "bytes" => TypeKind::Bytes(size(cursor, &token.range, word)?),
        "json" => TypeKind::Json(size(cursor, &token.range, word)?),
        "decimal" => TypeKind::Decimal { scale: scale(cursor, &token.range)? },
        "timestamp" => TypeKind::Timestamp { micros: micros(cursor)? },
        "enum" => TypeKind::Enum(variants(cursor, &token.range)?),
        "oneof" => TypeKind::OneOf(one_of(cursor, &token.range)?),
        "list" | "set" | "map" => collection(cursor, &token.range, inside)?,
        _ if names_struct(word) => TypeKind::Named(Word { range: token.range.clone(), text: word.to_owned() }),
        _ => return Err(unknown(cursor, word, token.range)),
    };
    cursor.leave();
    let plain = matches!(
        kind,
        TypeKind::Uuid
            | TypeKind::Uuid7
            | TypeKind::Int
            | TypeKind::Float
            | TypeKind::Bool
            | TypeKind::Date
            | TypeKind::Duration
            | TypeKind::Ip
    );
    if plain && cursor.glued() && cursor.is("(") {
        let range = cursor.peek().range.clone();
        return Err(Fault::new(range, format!("`{word}` has no size")).help(format!("write `{word}` alone")));
    }
    Ok(Type { range: token.range.start..cursor.taken_to(), kind })
}

/// Whether a word can be the name of a struct. `Money` can, and so can `SKU`; `VARCHAR` is an old habit.
fn names_struct(word: &str) -> bool {
    match Case::of(word) {
        Some(Case::Capitalised) => true,
        Some(Case::Upper) => foreign::word(&word.to_lowercase()).is_none(),
        _ => false,
    }
}

/// The fault of a word that is no type.
fn unknown(cursor: &Cursor, word: &str, range: Range<usize>) -> Fault {
    let fault = Fault::new(range, format!("{} is not a type", shown(word)));
    let length =
        (cursor.glued() && cursor.is("(") && cursor.peek_at(1).kind == Kind::Number).then(|| cursor.ahead_at(1));
    let help = match (foreign::word(&word.to_lowercase()), nearest(word, NAMES), length) {
        (Some("text(80..400)"), _, Some(length)) => {
            format!("did you mean {}? It is typical..maximum bytes", shown(&format!("text({length})")))
        }
        (Some(meant @ ("text(80..400)" | "bytes(1KB..60KB)" | "json(1KB..60KB)")), ..) => {
            format!("did you mean `{meant}`? It is typical..maximum bytes")
        }
        (Some(meant), ..) | (None, Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, None, _) if matches!(word, "struct" | "record") => {
            "name its members under `types:` and write that name: `Line`".to_owned()
        }
        (None, None, _) if Case::of(word) == Some(Case::Snake) => {
            format!("a struct of `types:` begins with a capital: {}", shown(&capitalised(word)))
        }
        (None, None, _) => "write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`".to_owned(),
    };
    fault.help(help)
}

/// `case_event` as the name of an entity or a struct: `CaseEvent`.
fn capitalised(word: &str) -> String {
    let part = |part: &str| {
        let mut characters = part.chars();
        characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
    };
    word.split('_').map(part).collect()
}

/// Reads `(80..400)`.
fn size(cursor: &mut Cursor, word: &Range<usize>, of: &str) -> Result<Size, Fault> {
    let example = if of == "text" { "80..400" } else { "1KB..60KB" };
    let Some(open) = cursor.take("(") else {
        return Err(Fault::new(word.clone(), format!("`{of}` does not say how large it is"))
            .help(format!("write typical..maximum bytes: `{of}({example})`")));
    };
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, "nothing is in these parentheses")
            .help(format!("write typical..maximum bytes: `{of}({example})`")));
    }
    if cursor.is("..") || cursor.is("max") {
        let maximum = cursor.ahead_at(1);
        let help = if cursor.peek_at(1).kind == Kind::Number && cursor.ahead_at(2) == ")" {
            format!("write `{of}({example})`, or {} if most are as large as that", shown(&format!("{of}({maximum})")))
        } else {
            format!("write typical..maximum bytes: `{of}({example})`")
        };
        return Err(cursor.wanted("the typical size", help));
    }
    let start = cursor.peek().range.start;
    let typical = bytes_at(cursor)?;
    let typical_range = start..cursor.taken_to();
    if let Some(fault) = other_separator(cursor, of, &typical_range) {
        return Err(fault);
    }
    let max = match cursor.take("..") {
        Some(points) if cursor.is(")") => {
            return Err(Fault::new(points, format!("`{of}` has no maximum"))
                .help(format!("write typical..maximum bytes: `{of}({example})`")));
        }
        Some(_) => bytes_at(cursor)?,
        None => typical,
    };
    let range = start..cursor.taken_to();
    cursor.close(open)?;
    if typical > max {
        let (small, large) = cursor.slice(range.clone()).split_once("..").unwrap_or(("", ""));
        let help = format!("write {}", shown(&format!("{of}({}..{})", large.trim(), small.trim())));
        return Err(Fault::new(range, "the typical size is above the maximum").help(help));
    }
    if max == 0 {
        return Err(Fault::new(range, format!("a `{of}` of at most 0 bytes is always empty"))
            .help(format!("write typical..maximum bytes: `{of}({example})`")));
    }
    Ok(Size { typical, max })
}

/// `80, max 400`, `80 / 400` and `80-400` instead of `80..400`.
fn other_separator(cursor: &Cursor, of: &str, typical: &Range<usize>) -> Option<Fault> {
    if ![",", "/", "-", "to", "max", ".", ":"].iter().any(|symbol| cursor.is(symbol)) {
        return None;
    }
    let range = cursor.peek().range.clone();
    // Everything up to the parenthesis that is a number is the maximum that was meant.
    let maximum =
        (0..4).take_while(|at| cursor.ahead_at(*at) != ")").find(|at| cursor.peek_at(*at).kind == Kind::Number);
    let help = match maximum {
        Some(at) => {
            let unit = cursor.peek_at(at + 1);
            let end = if unit.kind == Kind::Word { unit.range.end } else { cursor.peek_at(at).range.end };
            let maximum = cursor.slice(cursor.peek_at(at).range.start..end);
            shown(&format!("{of}({}..{maximum})", cursor.slice(typical.clone())))
        }
        None => format!("`{of}(80..400)`"),
    };
    Some(Fault::new(range, "typical and maximum are separated by `..`").help(format!("write {help}")))
}

/// Reads `(2)` behind `decimal`.
fn scale(cursor: &mut Cursor, word: &Range<usize>) -> Result<u8, Fault> {
    const DIGITS_MAX: u64 = 38;
    let example = "write how many digits stand behind the point: `decimal(2)`";
    let Some(open) = cursor.take("(") else {
        return Err(Fault::new(word.clone(), "`decimal` does not say its scale").help(example));
    };
    if cursor.peek().kind != Kind::Number {
        return Err(cursor.wanted("the scale", example));
    }
    let start = cursor.peek().range.start;
    let scale = count_at(cursor)?;
    let range = start..cursor.taken_to();
    if cursor.is(",") {
        let second = if cursor.peek_at(1).kind == Kind::Number { cursor.ahead_at(1) } else { "2" };
        return Err(Fault::new(start..cursor.peek_at(1).range.end, "a decimal has a scale only, no precision")
            .help(format!("write {}: it has up to {DIGITS_MAX} digits in all", shown(&format!("decimal({second})")))));
    }
    cursor.close(open)?;
    match u8::try_from(scale) {
        Ok(narrow) if scale <= DIGITS_MAX => Ok(narrow),
        _ => Err(Fault::new(range, format!("a decimal has at most {DIGITS_MAX} digits")).help(example)),
    }
}

/// Reads `(us)` behind `timestamp`. In `list of timestamp (2 / 10 / 20)` the parenthesis belongs to the list.
fn micros(cursor: &mut Cursor) -> Result<bool, Fault> {
    if cursor.is("(") && !cursor.glued() && !cursor.are(&["(", "us"]) {
        return Ok(false);
    }
    let Some(open) = cursor.take("(") else {
        return Ok(false);
    };
    if cursor.take("us").is_none() {
        return Err(cursor.wanted("`us`", "write `timestamp` for milliseconds, `timestamp(us)` for microseconds"));
    }
    cursor.close(open)?;
    Ok(true)
}

/// Reads `(OPEN 6% | CLOSED 94%)`.
fn variants(cursor: &mut Cursor, word: &Range<usize>) -> Result<Vec<Variant>, Fault> {
    let example = "write its values: `enum(OPEN | CLOSED)`";
    let Some(open) = cursor.take("(") else {
        return Err(Fault::new(word.clone(), "`enum` has no values").help(example));
    };
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, "`enum` has no values").help(example));
    }
    let mut variants: Vec<Variant> = Vec::new();
    let mut names = std::collections::HashSet::new();
    let mut first_without: Option<Range<usize>> = None;
    let mut shares = 0_u64;
    let mut with = 0_usize;
    let start = cursor.peek().range.start;
    loop {
        let range = cursor.peek().range.clone();
        let name = variant_name(cursor)?;
        if !names.insert(name) {
            return Err(Fault::new(range, format!("{} stands twice in this enum", shown(name))).help("remove one"));
        }
        let share = if cursor.peek().kind == Kind::Number { Some(share_at(cursor)?) } else { None };
        match share {
            Some(share) => {
                shares += u64::from(share.millionths);
                with += 1;
            }
            None => first_without = first_without.or(Some(range)),
        }
        variants.push(Variant { name: name.to_owned(), share });
        if cursor.is(",") || cursor.is("/") || cursor.is("||") || cursor.is("or") {
            return Err(cursor.wanted("`|`", "values are separated by `|`: `enum(OPEN | CLOSED)`"));
        }
        if cursor.take("|").is_none() {
            break;
        }
    }
    let all = start..cursor.taken_to();
    if cursor.peek().kind == Kind::Word {
        return Err(cursor.wanted("`|`", "values are separated by `|`: `enum(OPEN | CLOSED)`"));
    }
    cursor.close(open)?;
    if with == 0 {
        return Ok(variants);
    }
    if let Some(range) = first_without {
        let said = shown(cursor.slice(range.clone()));
        return Err(Fault::new(range, format!("{said} has no share, but other values have one"))
            .help("give a share to all values, or to none"));
    }
    let whole = u64::from(Share::ALL.millionths);
    if shares != whole {
        let (relation, gap) = if shares < whole { ("missing", whole - shares) } else { ("too many", shares - whole) };
        return Err(Fault::new(all, format!("the shares add to {}", percent(shares)))
            .help(format!("together they must be 100%: {} are {relation}", percent(gap))));
    }
    Ok(variants)
}

/// Millionths in percent, also above 100.
fn percent(millionths: u64) -> String {
    let (whole, rest) = (millionths / 10_000, millionths % 10_000);
    let decimals = format!(".{rest:04}");
    format!("{whole}{}%", if rest == 0 { "" } else { decimals.trim_end_matches('0') })
}

fn variant_name<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let name = cursor.ahead();
    let range = cursor.peek().range.clone();
    let help = "write values in capitals: `enum(OPEN | CLOSED)`";
    match cursor.peek().kind {
        Kind::Word if Case::of(name) == Some(Case::Upper) => {
            cursor.next();
            Ok(name)
        }
        Kind::Word => {
            let upper = expr::snake(name).to_uppercase();
            let fault = Fault::new(range, format!("the value {} is not written in capitals", shown(name)));
            Err(match Case::of(&upper) {
                Some(_) => fault.help(format!("write {}", shown(&upper))),
                None => fault.help("a value begins with a letter, then come letters, digits and `_`, from A to Z"),
            })
        }
        Kind::Quoted | Kind::DoubleQuoted => {
            let upper = expr::snake(&name[1..name.len() - 1]).to_uppercase();
            let fault = Fault::new(range, "values of an enum have no quotes");
            Err(match Case::of(&upper) {
                Some(_) => fault.help(format!("write {}", shown(&upper))),
                None => fault.help(help),
            })
        }
        _ => Err(cursor.wanted("a value", help)),
    }
}

/// Reads `(int | float | text(20..400))`.
fn one_of(cursor: &mut Cursor, word: &Range<usize>) -> Result<Vec<Type>, Fault> {
    let example = "write its types: `oneof(int | text(20..400))`";
    let Some(open) = cursor.take("(") else {
        return Err(Fault::new(word.clone(), "`oneof` has no types").help(example));
    };
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, "`oneof` has no types").help(example));
    }
    let mut types: Vec<Type> = Vec::new();
    loop {
        let member = ty(cursor, Inside::OneOf)?;
        if cursor.is("?") {
            return Err(Fault::new(cursor.peek().range.clone(), "one of several types can't be absent alone")
                .help("put the `?` behind the whole: `oneof(..)?`"));
        }
        types.push(member);
        if cursor.is(",") || cursor.is("/") || cursor.is("||") || cursor.is("or") {
            return Err(cursor.wanted("`|`", "types are separated by `|`: `oneof(int | float)`"));
        }
        if cursor.take("|").is_none() {
            break;
        }
    }
    let close = cursor.close(open)?;
    if let [only] = types.as_slice() {
        let said = cursor.slice(only.range.clone());
        return Err(
            Fault::new(word.start..close.end, "`oneof` has one type only").help(format!("write {}", shown(said)))
        );
    }
    Ok(types)
}

/// Reads what follows `list`, `set` or `map`.
fn collection(cursor: &mut Cursor, word: &Range<usize>, inside: Inside) -> Result<TypeKind, Fault> {
    let name = match cursor.slice(word.clone()) {
        "list" => "list",
        "set" => "set",
        _ => "map",
    };
    let example = match name {
        "map" => "write `map of text(8..30) to int (3 / 20 / 100)`".to_owned(),
        name => format!("write `{name} of int (3 / 20 / 100)`"),
    };
    match inside {
        Inside::Collection(outer) => {
            let outside =
                if outer == "map" { "map of text(8..30) to Name".to_owned() } else { format!("{outer} of Name") };
            return Err(Fault::new(word.clone(), format!("a {name} can't stand directly in a {outer}"))
                .help(format!("name a struct under `types:` that holds the {name}, and write `{outside}`")));
        }
        Inside::MapKey => {
            return Err(Fault::new(word.clone(), format!("a {name} can't be the key of a map"))
                .help("a key is one value, such as `text(8..30)` or `uuid`"));
        }
        Inside::Nothing | Inside::OneOf => {}
    }
    if cursor.take("of").is_none() {
        return Err(match cursor.ahead() {
            "" | "?" | "=" => Fault::new(word.clone(), format!("a {name} of what?")).help(example),
            _ => cursor.wanted("`of`", example),
        });
    }
    let item = |cursor: &mut Cursor, inside| {
        if cursor.at_end() {
            return Err(cursor.wanted("a type", example.clone()));
        }
        let item = ty(cursor, inside)?;
        if cursor.is("?") && cursor.ahead_at(1) == "(" {
            return Err(Fault::new(cursor.peek().range.clone(), "the items of a collection are never absent")
                .help("remove the `?`, or put it behind the counts if the whole may be absent"));
        }
        Ok(item)
    };
    let first = item(cursor, if name == "map" { Inside::MapKey } else { Inside::Collection(name) })?;
    let second = if name == "map" {
        if cursor.take("to").is_none() {
            return Err(cursor.wanted("`to`", example.clone()));
        }
        Some(item(cursor, Inside::Collection(name))?)
    } else {
        None
    };
    let counts = counts(cursor, name)?;
    Ok(match (name, second) {
        (_, Some(value)) => TypeKind::Map(Box::new(first), Box::new(value), counts),
        ("set", None) => TypeKind::Set(Box::new(first), counts),
        _ => TypeKind::List(Box::new(first), counts),
    })
}

/// Reads `(3 / 20 / 100)` behind a collection.
fn counts(cursor: &mut Cursor, name: &str) -> Result<Option<Distribution<u64>>, Fault> {
    let Some(open) = cursor.take("(") else {
        return Ok(None);
    };
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, format!("this {name} does not say how many items it has"))
            .help("write typical / p99 / worst: `(3 / 20 / 100)`"));
    }
    let counts = count_distribution_at(cursor, "3 / 20 / 100")?;
    if let Some(per) = cursor.take("per") {
        return Err(Fault::new(per, format!("a {name} can't grow without end"))
            .help("write the counts without `per`; what grows is an entity of its own"));
    }
    cursor.close(open)?;
    Ok(Some(counts))
}
