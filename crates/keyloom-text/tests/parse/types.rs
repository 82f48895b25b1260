use keyloom_model::Distribution;
use keyloom_text::parse::expr::Fill;
use keyloom_text::parse::types::{Field, Type, TypeKind, field, type_alone};
use proptest::prelude::*;

use crate::check::{answered, check, hostile};

fn shape(ty: &Type) -> String {
    let counts = |counts: &Option<Distribution<u64>>| counts.map_or_else(|| "unknown".to_owned(), |d| d.to_string());
    match &ty.kind {
        TypeKind::Text(size) => format!("text {}..{}", size.typical, size.max),
        TypeKind::Bytes(size) => format!("bytes {}..{}", size.typical, size.max),
        TypeKind::Json(size) => format!("json {}..{}", size.typical, size.max),
        TypeKind::Enum(variants) => {
            let variant =
                |share: Option<keyloom_model::Share>| share.map_or_else(String::new, |share| format!(" {share}"));
            let variants: Vec<_> = variants.iter().map(|v| format!("{}{}", v.name, variant(v.share))).collect();
            format!("enum [{}]", variants.join(", "))
        }
        TypeKind::List(of, n) => format!("list [{}] {}", shape(of), counts(n)),
        TypeKind::Set(of, n) => format!("set [{}] {}", shape(of), counts(n)),
        TypeKind::Map(key, value, n) => format!("map [{}] [{}] {}", shape(key), shape(value), counts(n)),
        TypeKind::OneOf(types) => format!("oneof [{}]", types.iter().map(shape).collect::<Vec<_>>().join(", ")),
        TypeKind::Named(word) => format!("struct {}", word.text),
        plain => format!("{plain:?}").to_lowercase(),
    }
}

fn whole(field: &Field) -> String {
    let mut text = shape(&field.ty);
    if field.optional {
        text += ", optional";
    }
    if let Some(reference) = &field.reference {
        text += &format!(", to {}", reference.text);
    }
    if field.must_exist {
        text += ", must exist";
    }
    match &field.fill {
        None => {}
        Some(Fill::Expr(_)) => text += ", filled by an expression",
        Some(Fill::Kept(_)) => text += ", kept",
        Some(Fill::AtCreate(_)) => text += ", a snapshot",
        Some(fill) => text += &format!(", {fill:?}"),
    }
    text
}

#[test]
fn types() {
    check(
        type_alone,
        |(ty, optional)| format!("{}{}", shape(ty), if *optional { ", optional" } else { "" }),
        r#"
uuid
: uuid

uuid7
: uuid7

int
: int

float
: float

bool
: bool

date
: date

duration
: duration

ip
: ip

timestamp
: timestamp { micros: false }

timestamp(us)
: timestamp { micros: true }

decimal(2)
: decimal { scale: 2 }

decimal(0)
: decimal { scale: 0 }

text(80..400)
: text 80..400

text(0..20)
: text 0..20

text (80 .. 400)
: text 80..400

bytes(32)
: bytes 32..32

bytes(1KB..60KB)
: bytes 1024..61440

json(1.5KB..60 KB)
: json 1536..61440

Line
: struct Line

CaseEvent
: struct CaseEvent

SKU
: struct SKU

int?
: int, optional

enum(OPEN | CLOSED)
: enum [OPEN, CLOSED]

enum(OPEN 6% | CLOSED 94%)
: enum [OPEN 6%, CLOSED 94%]

enum(A 33.3333% | B 33.3333% | C 33.3334%)
: enum [A 33.3333%, B 33.3333%, C 33.3334%]

enum(ONLY)
: enum [ONLY]

list of Line (3 / 20 / 100)
: list [struct Line] 3 / 20 / 100

list of Line
: list [struct Line] unknown

set of text(8..30) (2 / 10 / 40)
: set [text 8..30] 2 / 10 / 40

map of text(8..30) to int (50)
: map [text 8..30] [int] at most 50

list of oneof(int | text(1..9)) (5)
: list [oneof [int, text 1..9]] at most 5

oneof(int | float | text(20..400))
: oneof [int, float, text 20..400]

oneof(list of int (5) | int)
: oneof [list [int] at most 5, int]

list of int (5)?
: list [int] at most 5, optional

text
^^^^ `text` does not say how large it is
= write typical..maximum bytes: `text(80..400)`

bytes
^^^^^ `bytes` does not say how large it is
= write typical..maximum bytes: `bytes(1KB..60KB)`

json?
^^^^ `json` does not say how large it is
= write typical..maximum bytes: `json(1KB..60KB)`

text()
    ^^ nothing is in these parentheses
= write typical..maximum bytes: `text(80..400)`

text(80, max 400)
       ^ typical and maximum are separated by `..`
= write `text(80..400)`

text(80,400)
       ^ typical and maximum are separated by `..`
= write `text(80..400)`

text(80 / 400)
        ^ typical and maximum are separated by `..`
= write `text(80..400)`

text(80 to 400)
        ^^ typical and maximum are separated by `..`
= write `text(80..400)`

text(80 max 400)
        ^^^ typical and maximum are separated by `..`
= write `text(80..400)`

text(max 400)
     ^^^ `max` stands where the typical size is expected
= write `text(80..400)`, or `text(400)` if most are as large as that

text(..400)
     ^^ `..` stands where the typical size is expected
= write `text(80..400)`, or `text(400)` if most are as large as that

text(80..)
       ^^ `text` has no maximum
= write typical..maximum bytes: `text(80..400)`

text(400..80)
     ^^^^^^^ the typical size is above the maximum
= write `text(80..400)`

text(60KB..1KB)
     ^^^^^^^^^ the typical size is above the maximum
= write `text(1KB..60KB)`

text(0)
     ^ a `text` of at most 0 bytes is always empty
= write typical..maximum bytes: `text(80..400)`

text(2k)
      ^ `k` counts, but a number of bytes is expected
= did you mean `2KB`?

text(2kb)
      ^^ `kb` is not a unit
= did you mean `2KB`?

text(many)
     ^^^^ `many` stands where a number of bytes is expected
= write a number such as `400` or `60KB`

text(80..400
    ^ this parenthesis is never closed
= add a `)`

text(80..400..500)
            ^^ `..` stands where `)` is expected
= close the parenthesis before it

text(99999999999999999999..5)
     ^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615

text(1.5)
     ^^^ this is not a whole number of bytes
= decimals may stand only where the result is whole: `1.5k`, `1.5KB`

text[80]
^^^^ `text` does not say how large it is
= write typical..maximum bytes: `text(80..400)`

string
^^^^^^ `string` is not a type
= did you mean `text(80..400)`? It is typical..maximum bytes

String
: struct String

varchar(20)
^^^^^^^ `varchar` is not a type
= did you mean `text(20)`? It is typical..maximum bytes

VARCHAR(20)
^^^^^^^ `VARCHAR` is not a type
= did you mean `text(20)`? It is typical..maximum bytes

UUID
^^^^ `UUID` is not a type
= did you mean `uuid`?

integer
^^^^^^^ `integer` is not a type
= did you mean `int`?

long
^^^^ `long` is not a type
= did you mean `int`?

double
^^^^^^ `double` is not a type
= did you mean `float`?

boolean
^^^^^^^ `boolean` is not a type
= did you mean `bool`?

datetime
^^^^^^^^ `datetime` is not a type
= did you mean `timestamp`?

blob
^^^^ `blob` is not a type
= did you mean `bytes(1KB..60KB)`? It is typical..maximum bytes

array
^^^^^ `array` is not a type
= did you mean `list of int (3 / 20 / 100)`?

array of int
^^^^^^^^^^^^ `array of int` is written another way here
= write `list of int (3 / 20 / 100)`

jsonb
^^^^^ `jsonb` is not a type
= did you mean `json(1KB..60KB)`? It is typical..maximum bytes

money
^^^^^ `money` is not a type
= did you mean `decimal(2)`?

number
^^^^^^ `number` is not a type
= did you mean `decimal(2)`?

timeuuid
^^^^^^^^ `timeuuid` is not a type
= did you mean `uuid7`?

txet(5)
^^^^ `txet` is not a type
= did you mean `text`?

timestmap
^^^^^^^^^ `timestmap` is not a type
= did you mean `timestamp`?

line
^^^^ `line` is not a type
= a struct of `types:` begins with a capital: `Line`

struct
^^^^^^ `struct` is not a type
= name its members under `types:` and write that name: `Line`

frobnicator_thing
^^^^^^^^^^^^^^^^^ `frobnicator_thing` is not a type
= a struct of `types:` begins with a capital: `FrobnicatorThing`

größe
^^^^^ `größe` is not a type
= write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`

decimal
^^^^^^^ `decimal` does not say its scale
= write how many digits stand behind the point: `decimal(2)`

decimal(10, 2)
        ^^^^^ a decimal has a scale only, no precision
= write `decimal(2)`: it has up to 38 digits in all

decimal()
        ^ `)` stands where the scale is expected
= write how many digits stand behind the point: `decimal(2)`

decimal(two)
        ^^^ `two` stands where the scale is expected
= write how many digits stand behind the point: `decimal(2)`

decimal(39)
        ^^ a decimal has at most 38 digits
= write how many digits stand behind the point: `decimal(2)`

decimal(999999999999)
        ^^^^^^^^^^^^ a decimal has at most 38 digits
= write how many digits stand behind the point: `decimal(2)`

int(11)
   ^ `int` has no size
= write `int` alone

uuid()
    ^ `uuid` has no size
= write `uuid` alone

timestamp(ms)
          ^^ `ms` stands where `us` is expected
= write `timestamp` for milliseconds, `timestamp(us)` for microseconds

timestamp(us
         ^ this parenthesis is never closed
= add a `)`

enum
^^^^ `enum` has no values
= write its values: `enum(OPEN | CLOSED)`

enum()
    ^^ `enum` has no values
= write its values: `enum(OPEN | CLOSED)`

enum(
     ^ a value is missing at the end
= write values in capitals: `enum(OPEN | CLOSED)`

enum(OPEN, CLOSED)
^^^^^^^^^^^^^^^^^^ `enum(OPEN, CLOSED)` is written another way here
= write `enum(OPEN | CLOSED)`

enum[ACTIVE, BLOCKED]
^^^^^^^^^^^^^^^^^^^^^ `enum[ACTIVE, BLOCKED]` is written another way here
= write `enum(ACTIVE | BLOCKED)`

enum: ['active', blocked]
^^^^^^^^^^^^^^^^^^^^^^^^^ `enum: ['active', blocked]` is written another way here
= write `enum(ACTIVE | BLOCKED)`

enum(OPEN CLOSED)
          ^^^^^^ `CLOSED` stands where `|` is expected
= values are separated by `|`: `enum(OPEN | CLOSED)`

enum(OPEN || CLOSED)
          ^^ `||` stands where `|` is expected
= values are separated by `|`: `enum(OPEN | CLOSED)`

enum(open | CLOSED)
     ^^^^ the value `open` is not written in capitals
= write `OPEN`

enum(inProgress | DONE)
     ^^^^^^^^^^ the value `inProgress` is not written in capitals
= write `IN_PROGRESS`

enum('OPEN' | CLOSED)
     ^^^^^^ values of an enum have no quotes
= write `OPEN`

enum(OPEN | OPEN)
            ^^^^ `OPEN` stands twice in this enum
= remove one

enum(OPEN 6% | CLOSED)
               ^^^^^^ `CLOSED` has no share, but other values have one
= give a share to all values, or to none

enum(OPEN | CLOSED 94%)
     ^^^^ `OPEN` has no share, but other values have one
= give a share to all values, or to none

enum(OPEN 6% | CLOSED 90%)
     ^^^^^^^^^^^^^^^^^^^^ the shares add to 96%
= together they must be 100%: 4% are missing

enum(OPEN 60% | CLOSED 90.5%)
     ^^^^^^^^^^^^^^^^^^^^^^^ the shares add to 150.5%
= together they must be 100%: 50.5% are too many

enum(OPEN 6 | CLOSED 94)
          ^ `6` has no `%`
= write `6%`

enum(OPEN | )
            ^ `)` stands where a value is expected
= write values in capitals: `enum(OPEN | CLOSED)`

enum(OPEN | 5)
            ^ `5` stands where a value is expected
= write values in capitals: `enum(OPEN | CLOSED)`

enum(GRÖSSE | B)
     ^^^^^^ the value `GRÖSSE` is not written in capitals
= a value begins with a letter, then come letters, digits and `_`, from A to Z

enum(größe | B)
     ^^^^^ the value `größe` is not written in capitals
= a value begins with a letter, then come letters, digits and `_`, from A to Z

list
^^^^ a list of what?
= write `list of int (3 / 20 / 100)`

list of
       ^ a type is missing at the end
= write `list of int (3 / 20 / 100)`

list Line
     ^^^^ `Line` stands where `of` is expected
= write `list of int (3 / 20 / 100)`

list of list of int (5)
        ^^^^ a list can't stand directly in a list
= name a struct under `types:` that holds the list, and write `list of Name`

set of list of int (5) (3)
       ^^^^ a list can't stand directly in a set
= name a struct under `types:` that holds the list, and write `set of Name`

map of text(1..5) to list of int (5) (3)
                     ^^^^ a list can't stand directly in a map
= name a struct under `types:` that holds the list, and write `map of text(8..30) to Name`

map of list of int (5) to int
       ^^^^ a list can't be the key of a map
= a key is one value, such as `text(8..30)` or `uuid`

map of text(1..5)
                 ^ `to` is missing at the end
= write `map of text(8..30) to int (3 / 20 / 100)`

map of text(1..5), int
^^^^^^^^^^^^^^^^^^^^^^ `map of text(1..5), int` is written another way here
= write `map of text(1..5) to int (3 / 20 / 100)`

list of int? (5)
           ^ the items of a collection are never absent
= remove the `?`, or put it behind the counts if the whole may be absent

list of int (3 / 20)
             ^^^^^^ a distribution has three numbers: typical / p99 / worst
= write `3 / 20 / 100`, or one number as a hard maximum

list of int ()
            ^^ this list does not say how many items it has
= write typical / p99 / worst: `(3 / 20 / 100)`

list of int (3 / 20 / 100
            ^ this parenthesis is never closed
= add a `)`

list of int (3 / 20 / 100 per day)
                          ^^^ a list can't grow without end
= write the counts without `per`; what grows is an entity of its own

list of int (20 / 3 / 100)
                  ^ the p99 `3` is less than the typical `20`
= a distribution ascends, typical / p99 / worst: `3 / 20 / 100`

list of int (5 (6)
               ^ `(` stands where `)` is expected
= close the parenthesis before it

list of string (5)
        ^^^^^^ `string` is not a type
= did you mean `text(80..400)`? It is typical..maximum bytes

oneof
^^^^^ `oneof` has no types
= write its types: `oneof(int | text(20..400))`

oneof()
     ^^ `oneof` has no types
= write its types: `oneof(int | text(20..400))`

oneof(int)
^^^^^^^^^^ `oneof` has one type only
= write `int`

oneof(int, float)
         ^ `,` stands where `|` is expected
= types are separated by `|`: `oneof(int | float)`

oneof(int? | float)
         ^ one of several types can't be absent alone
= put the `?` behind the whole: `oneof(..)?`

oneof(int | strng)
            ^^^^^ `strng` is not a type
= a struct of `types:` begins with a capital: `Strng`

int | float
    ^^^^^^^ `| float` is left over after the type
= a union is written `oneof(int | float)`

int[]
^^^^^ `int[]` is written another way here
= write `list of int (3 / 20 / 100)`

int int
    ^^^ `int` is left over after the type
= remove it

int -> Case
    ^^^^^^^ only a type may stand here, without `->`
= references and defaults belong to the fields of entities

int = 5
    ^^^ only a type may stand here, without `=`
= references and defaults belong to the fields of entities

5
^ `5` stands where a type is expected
= write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`

'text'
^^^^^^ `'text'` stands where a type is expected
= write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`

?
^ `?` stands where a type is expected
= write a type such as `uuid`, `text(80..400)`, `int` or `timestamp`
"#,
    );
}

#[test]
fn fields() {
    check(
        field,
        whole,
        r#"
uuid
: uuid

uuid = new
: uuid, New

uuid7 = new
: uuid7, New

uuid?
: uuid, optional

uuid -> Case
: uuid, to Case

uuid -> Case must exist
: uuid, to Case, must exist

uuid? -> Case must exist = new
: uuid, optional, to Case, must exist, New

uuid?->Case must exist=new
: uuid, optional, to Case, must exist, New

timestamp = now
: timestamp { micros: false }, filled by an expression

timestamp = now on write
: timestamp { micros: false }, NowOnWrite

int = next per queue
: int, Next([Word { range: 15..20, text: "queue" }])

bool = false
: bool, filled by an expression

enum(OPEN 8% | ON_HOLD 2% | CLOSED 90%) = OPEN
: enum [OPEN 8%, ON_HOLD 2%, CLOSED 90%], filled by an expression

int = count of Task where status = OPEN
: int, kept

text(24..120) = lower(email)
: text 24..120, filled by an expression

decimal(2) = product.price at create
: decimal { scale: 2 }, a snapshot

set of text(8..30) (2 / 10 / 40)
: set [text 8..30] 2 / 10 / 40

decimal(2) = qty * price
: decimal { scale: 2 }, filled by an expression

uuid ->
     ^^ nothing stands behind `->`
= write an entity: `-> Case`

uuid -> case
        ^^^^ `case` is not an entity
= entities begin with a capital: `-> Case`

uuid -> case_event
        ^^^^^^^^^^ `case_event` is not an entity
= entities begin with a capital: `-> CaseEvent`

uuid -> 5
        ^ `5` stands where an entity is expected
= write an entity: `-> Case`

uuid -> Case.case_id
            ^^^^^^^^ a reference is to an entity, not to a field
= write `-> Case`

uuid -> Case must
                 ^ `exist` is missing at the end
= write `-> Case must exist`

uuid must exist
     ^^^^^^^^^^ what must exist?
= `must exist` stands behind a reference: `-> Case must exist`

uuid -> Case?
            ^ `?` stands directly behind the type
= write `uuid? -> Case`

uuid -> Case must exist?
                       ^ `?` stands directly behind the type
= write `uuid? -> Case must exist`

uuid -> Case exists
             ^^^^^^ `exists` is left over after the type
= remove it

uuid??
     ^ this field is optional already
= remove one `?`

uuid => Case
^^^^^^^^^^^^ `uuid => Case` is written another way here
= write `uuid -> Case`

uuid =
     ^ nothing stands behind `=`
= write a default such as `= OPEN`, or what the field is computed from

uuid = = 5
       ^ `=` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

uuid = new new
           ^^^ `new` is left over after the expression
= remove it, or join two tests with `and` or `or`

uuid default 5
     ^^^^^^^^^ `default 5` is left over after the type
= write `= 5`

enum(OUT | IN) default: OUT
               ^^^^^^^^^^^^ `default: OUT` is left over after the type
= write `= OUT`

enum[OUT, IN] default OUT
^^^^^^^^^^^^^ `enum[OUT, IN]` is written another way here
= write `enum(OUT | IN) = OUT`

uuid not null
     ^^^^^^^^ `not null` is left over after the type
= every field is required unless it has `?` behind its type

text(80..400) unique
              ^^^^^^ `unique` is left over after the type
= keys and `unique` are stated on the entity; Keyloom finds indexes itself

timestamp | null
^^^^^^^^^^^^^^^^ `timestamp | null` is written another way here
= write `timestamp?`

?timestamp
^^^^^^^^^^ `?timestamp` is written another way here
= write `timestamp?`

optional timestamp = now
^^^^^^^^^^^^^^^^^^ `optional timestamp` is written another way here
= write `timestamp? = now`

Option<timestamp>
^^^^^^^^^^^^^^^^^ `Option<timestamp>` is written another way here
= write `timestamp?`

ref(Case)
^^^^^^^^^ `ref(Case)` is written another way here
= write its key's type, then `-> Case`

-> Case
^^^^^^^ `-> Case` is written another way here
= write its key's type, then `-> Case`

frozen<list<text>>
^^^^^^^^^^^^^^^^^^ `frozen<list<text>>` is written another way here
= write `list of text(8..30) (3 / 20 / 100)`

map<text, int>
^^^^^^^^^^^^^^ `map<text, int>` is written another way here
= write `map of text(8..30) to int (3 / 20 / 100)`

uuid references Case
^^^^^^^^^^^^^^^^^^^^ `uuid references Case` is written another way here
= write `uuid -> Case`

int == 5
    ^^^^ `== 5` is left over after the type
= a default is written `= value`

int = 5 / 2
        ^ there is no division
= keep the quotient in a field, or multiply the other side: `a = b * c`

text(5..9) = "abc"
             ^^^^^ text stands in single quotes
= write `'abc'`

text(5..9) = 'äöü' + §
                     ^ `§` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

text(5..9) = 'abc
             ^ this quote is never closed
= text stands between two quotes: `'abc'`
"#,
    );
}

#[test]
fn nothing_at_all() {
    for text in ["", " ", "\t\n"] {
        let fault = field(text).unwrap_err();
        assert_eq!((fault.range, fault.message.as_str()), (0..0, "a type is missing"));
        assert_eq!(type_alone(text).unwrap_err().message, "a type is missing");
    }
}

#[test]
fn deep_and_long_types_are_refused_or_read() {
    for times in [65, 100_000] {
        let deep = format!("{}int{}", "oneof(int | ".repeat(times), ")".repeat(times));
        assert_eq!(type_alone(&deep).unwrap_err().message, "this is nested more than 64 levels deep");
    }
    let variants: Vec<String> = (0..20_000).map(|n| format!("V{n}")).collect();
    assert!(type_alone(&format!("enum({})", variants.join(" | "))).is_ok());
    assert!(type_alone(&format!("oneof(int{})", " | int".repeat(20_000))).is_ok());
    assert!(field(&format!("int = {}1{}", "(".repeat(100_000), ")".repeat(100_000))).is_err());
}

proptest! {
    #[test]
    fn any_text_is_answered(text in hostile()) {
        answered(field, &text);
        answered(type_alone, &text);
        answered(field, &format!("int = {text}"));
        answered(field, &format!("enum({text}"));
        answered(field, &format!("text({text}"));
        answered(field, &format!("list of {text}"));
    }
}
