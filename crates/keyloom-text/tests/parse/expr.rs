use keyloom_model::{Arithmetic, Has, Literal};
use keyloom_text::parse::expr::{
    Expr, ExprKind, Fill, OrderItem, PathStep, Word, by_item, condition, expr, fill, order,
};
use proptest::prelude::*;

use crate::check::{answered, check, hostile};

/// The tree, with brackets around every node that has parts.
fn tree(expr: &Expr) -> String {
    let list = |parts: &[Expr]| parts.iter().map(tree).collect::<Vec<_>>().join(" ");
    let end = |end: &Option<Box<Expr>>| end.as_deref().map_or_else(|| "_".to_owned(), tree);
    match &expr.kind {
        ExprKind::Literal(Literal::Decimal(digits)) => format!("decimal {digits}"),
        ExprKind::Literal(Literal::Bytes(bytes)) => format!("bytes {bytes}"),
        ExprKind::Literal(literal) => literal.to_string(),
        ExprKind::Input { name, optional } => format!("${}{}", name.text, if *optional { "?" } else { "" }),
        ExprKind::Path(first, steps) => steps.iter().fold(first.text.clone(), |path, step| match step {
            PathStep::Name(word) => format!("{path}.{}", word.text),
            PathStep::Input(word) => format!("{path}.${}", word.text),
        }),
        ExprKind::Call(function, arguments) => format!("[{} {}]", function.name(), list(arguments)),
        ExprKind::Negate(of) => format!("[- {}]", tree(of)),
        ExprKind::Arithmetic(operator, a, b) => {
            let symbol = match operator {
                Arithmetic::Add => "+",
                Arithmetic::Subtract => "-",
                Arithmetic::Multiply => "*",
            };
            format!("[{} {symbol} {}]", tree(a), tree(b))
        }
        ExprKind::Compare(compare, a, b) => format!("[{} {} {}]", tree(a), compare.symbol(), tree(b)),
        ExprKind::InValues(of, values) => format!("[{} in ({})]", tree(of), list(values)),
        ExprKind::InRange(of, from, to) => format!("[{} in {}..{}]", tree(of), end(from), end(to)),
        ExprKind::InInput { of, name, optional, max } => {
            format!("[{} in ${}{} max {max}]", tree(of), name.text, if *optional { "?" } else { "" })
        }
        ExprKind::IsNull { of, negated } => format!("[{} is {}null]", tree(of), if *negated { "not " } else { "" }),
        ExprKind::StartsWith(a, b) => format!("[{} starts with {}]", tree(a), tree(b)),
        ExprKind::Has(has, a, b) => {
            let word = match has {
                Has::One => "has",
                Has::All => "has all",
                Has::Any => "has any",
            };
            format!("[{} {word} {}]", tree(a), tree(b))
        }
        ExprKind::Not(of) => format!("[not {}]", tree(of)),
        ExprKind::And(parts) => format!("[and {}]", list(parts)),
        ExprKind::Or(parts) => format!("[or {}]", list(parts)),
    }
}

fn words(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(".")
}

#[test]
fn literals() {
    check(
        expr,
        tree,
        r#"
5
: 5

2k
: 2000

1.5k
: 1500

007
: 7

1.50
: decimal 1.50

5 KB
: bytes 5120

1.5KB
: bytes 1536

7 days
: 7 days

1.5h
: 90min

30%
: 30%

0.5 %
: 0.5%

'it''s'
: 'it''s'

''
: ''

OPEN
: OPEN

IN
: IN

A
: A

true
: true

false
: false

null
: null

now
: now

new
: new

-5
: [- 5]

9223372036854775807
: 9223372036854775807

9223372036854775808
^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 9223372036854775807

99999999999999999999999
^^^^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 9223372036854775807

5 kb
  ^^ `kb` is not a unit
= did you mean `5KB`?

10K
  ^ `K` is not `k`
= did you mean `10k`?

5m
 ^ `m` could be minutes or months
= write `min` or `month`

5 parsecs
  ^^^^^^^ `parsecs` is left over after the expression
= remove it, or join two tests with `and` or `or`

5parsecs
 ^^^^^^^ `parsecs` is not a unit
= units are k M G, B KB MB GB, ms s min h day week month year, %

1.0005k
^^^^^^^ this is not a whole number
= decimals may stand only where the result is whole: `1.5k`, `1.5KB`

1_000
^^^^^ a number has no separators between its thousands
= write `1000`

150%
^^^^ a share is at most `100%`
= write a share from `0%` to `100%`

0.5 months
^^^^^^^^^^ this is not a whole number of months
= write it in days

.5
^^ a number begins with a digit
= write `0.5`

NULL
^^^^ `NULL` is written in lower case
= write `null`

TRUE
^^^^ `TRUE` is written in lower case
= write `true`

"text"
^^^^^^ text stands in single quotes
= write `'text'`

"it's"
^^^^^^ text stands in single quotes
= write `'it''s'`

'never closed
^ this quote is never closed
= text stands between two quotes: `'abc'`

x = "never closed
    ^ this quote is never closed
= text stands between two quotes: `'abc'`
"#,
    );
}

#[test]
fn values() {
    check(
        expr,
        tree,
        r"
status
: status

at + 7 years
: [at + 7 years]

case.title
: case.title

timers.$name
: timers.$name

a.b.c
: a.b.c

$x
: $x

$x?
: $x?

$caller
: $caller

stock - $n
: [stock - $n]

a - b - c
: [[a - b] - c]

a + b * c
: [a + [b * c]]

(a + b) * c
: [[a + b] * c]

-a * b
: [[- a] * b]

-(a + b)
: [- [a + b]]

lower(email)
: [lower email]

geohash(lat, lon, 6)
: [geohash lat lon 6]

max(best, $score)
: [max best $score]

min(a, b) + 5
: [[min a b] + 5]

text($task_id)
: [text $task_id]

lower()
: [lower ]

min
: min

dueAt
^^^^^ `dueAt` is not a name
= write `due_at`

Task
^^^^ `Task` stands where a value is expected
= fields and references are written in lower case: `task`; values of an enum in capitals: `TASK`

Task.title
^^^^ `Task` stands where a value is expected
= fields and references are written in lower case: `task`; values of an enum in capitals: `TASK`

größe
^^^^^ `größe` is not a name
= a name begins with a letter, then come letters, digits and `_`, from a to z

_a
^^ `_a` is not a name
= a name begins with a letter, then come letters, digits and `_`, from a to z

case.
     ^ a name is missing at the end
= a path is written `case.title` or `timers.$name`

case.5
     ^ `5` stands where a name is expected
= a path is written `case.title` or `timers.$name`

case.Title
     ^^^^^ `Title` stands where a name is expected
= fields are written in lower case: `title`

case.$
     ^ `$` has no name behind it
= write `$name`

$
^ `$` has no name behind it
= write `$name`

$ x
^ `$` has no name behind it
= write `$name`

$5
^ `$` has no name behind it
= write `$name`

$Name
^^^^^ `$Name` is not written in lower case
= write `$name`

${name}
^ `$` has no name behind it
= write `$name`

$max
: $max

:name
^ `:` stands where a value is expected
= inputs are written `$name`

@name
^ `@` stands where a value is expected
= inputs are written `$name`

max
^^^ `max` is a word of the language and can't be a name
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

by
^^ `by` is a word of the language and can't be a name
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

lowr(a)
^^^^ there is no function `lowr`
= did you mean `lower`?

LOWER(a)
^^^^^ there is no function `LOWER`
= did you mean `lower`?

length(a)
^^^^^^ there is no function `length`
= did you mean `size`?

count(a)
^^^^^ there is no function `count`
= over other rows it is a field that is kept: `= count of Bid`

now()
^^^ there is no function `now`
= write `now` without parentheses

frobnicate(a)
^^^^^^^^^^ there is no function `frobnicate`
= the functions are lower, upper, left, size, time, day, hour, month, year, text, min, max, geohash

a +
   ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a + + b
    ^ `+` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

--a
^^ two `-` cancel each other
= remove both

a / b
  ^ there is no division
= keep the quotient in a field, or multiply the other side: `a = b * c`

a ** 2
  ^^ `**` is not an operator
= there are `+`, `-` and `*`; keep other results in a field

a % 3
  ^ `%` is not an operator
= there are `+`, `-` and `*`; keep other results in a field

(a + b
^ this parenthesis is never closed
= add a `)`

(a + b))
       ^ this parenthesis was never opened
= remove it, or add a `(`

()
^^ nothing is in these parentheses
= remove them

(a, b)
  ^ a list stands only behind `in` or a function
= write `field in (A, B)`

lower(a
     ^ this parenthesis is never closed
= add a `)`

lower(a b)
        ^ `b` stands where `)` is expected
= close the parenthesis before it

lower(a = b)
        ^ `=` stands where `)` is expected
= close the parenthesis before it

lower((a = b))
      ^^^^^^^ this is a test where a value is expected
= tests are joined with `and`, `or`, `not`; write the test alone instead of comparing it

a b
  ^ `b` is left over after the expression
= remove it, or join two tests with `and` or `or`

{a}
^ `{` stands where a value is expected
= inputs are written `$name`, without braces
",
    );
}

#[test]
fn tests() {
    check(
        expr,
        tree,
        r#"
status = OPEN
: [status = OPEN]

status = OPEN and due_at <= now
: [and [status = OPEN] [due_at <= now]]

a = 1 or b = 2 and c = 3
: [or [a = 1] [and [b = 2] [c = 3]]]

(a = 1 or b = 2) and c = 3
: [and [or [a = 1] [b = 2]] [c = 3]]

a = 1 and b = 2 and c = 3
: [and [a = 1] [b = 2] [c = 3]]

a = 1 and (b = 2 and c = 3)
: [and [a = 1] [b = 2] [c = 3]]

not a = 1
: [not [a = 1]]

not (a = 1 or b = 2)
: [not [or [a = 1] [b = 2]]]

not a and b
: [and [not a] b]

breached
: breached

(a + b) * 2 = c
: [[[a + b] * 2] = c]

((a)) = 1
: [a = 1]

a != -1
: [a != [- 1]]

a<b
: [a < b]

kind = $kind? and at < $before?
: [and [kind = $kind?] [at < $before?]]

assignee_id is null and status = OPEN
: [and [assignee_id is null] [status = OPEN]]

a is not null
: [a is not null]

a in (1, 2)
: [a in (1 2)]

a in (1)
: [a in (1)]

status in (OPEN, CLOSED)
: [status in (OPEN CLOSED)]

at in $from..$to
: [at in $from..$to]

at in $from?..$to?
: [at in $from?..$to?]

a in 1..5
: [a in 1..5]

a in 1.5..2.5
: [a in decimal 1.5..decimal 2.5]

a in ..5
: [a in _..5]

a in 5..
: [a in 5.._]

a in 5.. and b
: [and [a in 5.._] b]

a in (b + 1)..c
: [a in [b + 1]..c]

a in (b + 1) * 2..(c)
: [a in [[b + 1] * 2]..c]

cell in $cells max 50
: [cell in $cells max 50]

cell in $cells? max 1k and b
: [and [cell in $cells? max 1000] b]

size(tags) in 1 KB..5 KB
: [[size tags] in bytes 1024..bytes 5120]

labels has $label?
: [labels has $label?]

labels has all $labels
: [labels has all $labels]

labels has any $labels
: [labels has any $labels]

name starts with lower($prefix)
: [name starts with [lower $prefix]]

title = 'a and b'
: [title = 'a and b']

direction = IN
: [direction = IN]

a == 1
  ^^ `==` is not an operator
= write `=`

a <> 1
  ^^ `<>` is not an operator
= write `!=`

a => 1
  ^^ `=>` is not an operator
= write `>=`

a =< 1
  ^^ `=<` is not an operator
= write `<=`

a = 1 && b = 2
      ^^ `&&` is not an operator
= write `and`

a = 1 || b = 2
      ^^ `||` is not an operator
= write `or`

a = 1 AND b = 2
      ^^^ `AND` is not an operator
= write `and`

a = 1 OR b = 2
      ^^ `OR` is not an operator
= write `or`

a IN (1, 2)
  ^^ `IN` is not an operator
= write `in`

a IS NULL
  ^^ `IS` is not an operator
= write `is`

NOT a
^^^ `NOT` is written in lower case
= write `not`

!a
^ `!` is not an operator
= write `not`

a ! b
  ^ `!` is not an operator
= write `not` before the test

not not a
^^^^^^^ two `not` cancel each other
= remove both

a = not b
    ^^^ `not` stands before a whole test
= write `not a = b` or `a != b`

a = null
^^^^^^^^ `null` is not compared
= write `a is null`

a != null
^^^^^^^^^ `null` is not compared
= write `a is not null`

null = a
^^^^^^^^ `null` is not compared
= write `a is null`

größer = null
^^^^^^ `größer` is not a name
= a name begins with a letter, then come letters, digits and `_`, from a to z

a is 5
     ^ `5` stands where `null` is expected
= write `a = 5`

a is not OPEN
         ^^^^ `OPEN` stands where `null` is expected
= write `a != OPEN`

a is
    ^ `null` is missing at the end
= write `is null` or `is not null`

a is NULL
     ^^^^ `NULL` stands where `null` is expected
= write `null`

a between 1 and 5
  ^^^^^^^ `between` is not an operator
= write `a in $from..$to`; it includes the start, not the end

title starts_with :prefix
      ^^^^^^^^^^^ `starts_with` is not an operator
= write `title starts with $prefix`

a like 'x%'
  ^^^^ `like` is not an operator
= write `a starts with 'x'`

a LIKE 'x%'
  ^^^^ `LIKE` is not an operator
= write `a starts with 'x'`

a contains $b
  ^^^^^^^^ `contains` is not an operator
= write `a has $item`

a not in (1, 2)
  ^^^ `not` stands before the whole test
= write `not a in ..`

a not null
  ^^^ `not` stands before the whole test
= write `a is not null`

a in ()
     ^^ nothing is in this set
= write its values: `in (A, B)`

a in
  ^^ nothing stands behind `in`
= write `in (A, B)`, `in $from..$to` or `in $values max 50`

a in $x
     ^^ the list `$x` has no bound
= write `in $x max 50`

a in $x max
           ^ a count is missing at the end
= write a number such as `300`, `5k` or `1.5M`

a in $x max 0
            ^ a list of at most nothing is empty
= write at least `max 1`

a in $x max many
            ^^^^ `many` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

a in b
     ^ `b` is not a set
= write `in (b)`; or a range, or a list input: `in $from..$to`, `in $values max 50`

a in OPEN, CLOSED
     ^^^^ `OPEN` is not a set
= a set stands in parentheses: `in (A, B)`

a in (OPEN | CLOSED)
           ^ `|` stands where `,` is expected
= values are separated by commas: `in (A, B)`

a in ..
     ^^ this range has neither start nor end
= write `$from..$to`, `$from..` or `..$to`

a in (1, 2
     ^ this parenthesis is never closed
= add a `)`

a in (1, 2,)
           ^ `)` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a in (b = 1)
        ^ `=` stands where `)` is expected
= close the parenthesis before it

a starts $b
         ^ `$` stands where `with` is expected
= write `name starts with $prefix`

a starts with
             ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a < b < c
      ^ `<` begins a second test
= write `a < b and b < ..`

a = b = c
      ^ `=` begins a second test
= write `a = b and b = ..`

a = b is null
      ^^ `is` begins a second test
= write `a = b and b is ..`

(a = b) = true
^^^^^^^ this is a test where a value is expected
= tests are joined with `and`, `or`, `not`; write the test alone instead of comparing it

(a = b) + 1
^^^^^^^ this is a test where a value is expected
= tests are joined with `and`, `or`, `not`; write the test alone instead of comparing it

-(a = b)
 ^^^^^^^ this is a test where a value is expected
= tests are joined with `and`, `or`, `not`; write the test alone instead of comparing it

a =
   ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

= a
^ `=` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

and a
^^^ `and` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a and
     ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a and or b
      ^^ `or` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a or
    ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

not
   ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a = 1, b = 2
     ^ `,` does not join tests
= write `and` or `or`

a = 1; b = 2
     ^ `;` does not join tests
= write `and` or `or`

a = 1 else reason
      ^^^^ `else` belongs to `if`
= remove it

a = 1)
     ^ this parenthesis was never opened
= remove it, or add a `(`

(a = 1
^ this parenthesis is never closed
= add a `)`

((a = 1)
^ this parenthesis is never closed
= add a `)`

a = 'x
    ^ this quote is never closed
= text stands between two quotes: `'abc'`

a = "x"
    ^^^ text stands in single quotes
= write `'x'`

a ? b
  ^ only an input can be optional
= write `$name?`

a? = 1
 ^ only an input can be optional
= write `$name?`

a -> b
  ^^ `->` stands only behind a type
= write `uuid -> Case`

a = 1 b = 2
      ^^^^^ `b = 2` is left over after the expression
= remove it, or join two tests with `and` or `or`

ä = ö
^ `ä` is not a name
= a name begins with a letter, then come letters, digits and `_`, from a to z

a = 'äöü' == b
          ^^ `==` is not an operator
= write `=`

a = 1 ; drop
      ^ `;` does not join tests
= write `and` or `or`
"#,
    );
}

#[test]
fn fills() {
    let show = |fill: &Fill| match fill {
        Fill::New => "new".to_owned(),
        Fill::NowOnWrite => "now on write".to_owned(),
        Fill::Next(fields) => format!("next per {}", words(fields)),
        Fill::AtCreate(expr) => format!("at create {}", tree(expr)),
        Fill::Kept(kept) => format!(
            "kept {} of {} field {} by {} where {}",
            kept.aggregate.text,
            kept.entity.text,
            kept.field.as_ref().map_or("-", |word| &word.text),
            kept.by.as_ref().map_or("-", |word| &word.text),
            kept.filter.as_ref().map_or_else(|| "-".to_owned(), tree),
        ),
        Fill::Expr(expr) => format!("expr {}", tree(expr)),
    };
    check(
        fill,
        show,
        r"
new
: new

now
: expr now

now on write
: now on write

OPEN
: expr OPEN

false
: expr false

lower(email)
: expr [lower email]

qty * price
: expr [qty * price]

geohash(lat, lon, 6)
: expr [geohash lat lon 6]

next per queue
: next per queue

next per queue, day
: next per queue.day

product.price at create
: at create product.price

product.price
: expr product.price

count of Bid
: kept count of Bid field - by - where -

count of Task.case
: kept count of Task field case by - where -

count of Task where status = OPEN
: kept count of Task field - by - where [status = OPEN]

max of Bid.amount
: kept max of Bid field amount by - where -

sum of Line.amount where kind = 'x' and paid
: kept sum of Line field amount by - where [and [kind = 'x'] paid]

last of Reading.value by at
: kept last of Reading field value by at where -

first of Reading.value by at where ok = true
: kept first of Reading field value by at where [ok = true]

max(a, b)
: expr [max a b]

count
: expr count

at
: expr at

now on update
       ^^^^^^ `update` stands where `write` is expected
= `now on write` is the time of the last write

now on
      ^ `write` is missing at the end
= `now on write` is the time of the last write

next
^^^^ a sequence says in what it counts
= write `next per queue`

next per
        ^ a field is missing at the end
= write `next per queue`

next queue
^^^^ a sequence says in what it counts
= write `next per queue`

product.price at
                ^ `create` is missing at the end
= `at create` copies a value once, when the row is created

product.price at write
                 ^^^^^ `write` stands where `create` is expected
= `at create` copies a value once, when the row is created

5 at create
^ only a path can be copied `at create`
= write a path through a reference, such as `product.price at create`

sum of Line
       ^^^^ the sum of which field of `Line`?
= write `sum of Bid.amount`

last of Reading.value
^^^^ `last` does not say in which order
= write `last of Reading.value by at`

last of Reading.value where ok by at
^^^^ `last` does not say in which order
= write `last of Reading.value by at`

count of task
         ^^^^ `task` is not an entity
= an entity begins with a capital: write `count of Bid`

count of
        ^ an entity is missing at the end
= write `count of Bid`

count of Bid.
             ^ a field is missing at the end
= write `count of Bid`

count of Bid where
                  ^ a value is missing at the end
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

max of Bid.amount extra
                  ^^^^^ `extra` is left over after the expression
= remove it, or join two tests with `and` or `or`

new new
    ^^^ `new` is left over after the expression
= remove it, or join two tests with `and` or `or`
",
    );
}

#[test]
fn conditions() {
    check(
        condition,
        |condition| {
            format!("{} else {}", tree(&condition.test), condition.reason.as_ref().map_or("-", |word| &word.text))
        },
        r"
status = OPEN
: [status = OPEN] else -

assignee_id is null and status = OPEN else already_claimed
: [and [assignee_id is null] [status = OPEN]] else already_claimed

version = $version else changed_meanwhile
: [version = $version] else changed_meanwhile

x > 5 else too_small
: [x > 5] else too_small

a = 1 else
          ^ a reason is missing at the end
= a reason is a name such as `already_claimed`

a = 1 else alreadyClaimed
           ^^^^^^^^^^^^^^ `alreadyClaimed` is not a reason
= write `already_claimed`

a = 1 else TooSmall
           ^^^^^^^^ `TooSmall` is not a reason
= write `too_small`

a = 1 else 'too small'
           ^^^^^^^^^^^ `'too small'` stands where a reason is expected
= a reason is a name such as `already_claimed`

a = 1 else too small
               ^^^^^ `small` is left over after the reason
= remove it

else nothing
^^^^ `else` stands where a value is expected
= write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`

a = 1 otherwise b
      ^^^^^^^^^^^ `otherwise b` is left over after the expression
= remove it, or join two tests with `and` or `or`
",
    );
}

#[test]
fn orders() {
    check(
        order,
        |items| {
            let item = |item: &OrderItem| {
                format!(
                    "{} {}{}",
                    tree(&item.of),
                    if item.descending { "desc" } else { "asc" },
                    if item.nulls_last { " nulls last" } else { "" }
                )
            };
            items.iter().map(item).collect::<Vec<_>>().join(", ")
        },
        r"
due_at asc
: due_at asc

at desc
: at desc

due_at
: due_at asc

priority desc, due_at asc
: priority desc, due_at asc

case.title asc
: case.title asc

due_at asc nulls last
: due_at asc nulls last

due_at nulls last, a desc
: due_at asc nulls last, a desc

due_at ASC
       ^^^ `ASC` is not a direction
= write `asc`

due_at descending
       ^^^^^^^^^^ `descending` is not a direction
= write `desc`

due_at sideways
       ^^^^^^^^ `sideways` is not a direction
= write `asc` or `desc`

-due_at
^ `-` is not a direction
= write `due_at desc`

lower(title) asc
^^^^^^^^^^^^^^^^ only fields can be ordered by
= keep the value in a field: `title_key: text(80..400) = lower(title)`

due_at asc nulls first
           ^^^^^^^^^^^ rows without a value can only come last
= write `nulls last`

due_at asc,
           ^ a field is missing at the end
= write a field and a direction: `due_at asc`

due_at asc due_by desc
           ^^^^^^^^^^^ `due_by desc` is left over after the order
= several fields are separated by commas: `priority desc, due_at asc`

priority desc then due_at
              ^^^^^^^^^^^ `then due_at` is left over after the order
= several fields are separated by commas: `priority desc, due_at asc`

5
^ `5` stands where a field is expected
= write a field and a direction: `due_at asc`

Case asc
^^^^ `Case` stands where a field is expected
= fields and references are written in lower case: `case`
",
    );
}

#[test]
fn by_items() {
    check(
        by_item,
        |(path, value)| format!("{} = {}", words(path), value.as_ref().map_or_else(|| "-".to_owned(), tree)),
        r"
field
: field = -

account_id = $from_id
: account_id = $from_id

user_id = $caller
: user_id = $caller

sku = l.sku
: sku = l.sku

seller.region_id
: seller.region_id = -

Follow.follower_id
: Follow.follower_id = -

Follow.followee_id = author_id
: Follow.followee_id = author_id

status = OPEN
: status = OPEN

at = now
: at = now

a == $b
  ^^ `==` is not an operator
= write `=`

a < 5
  ^^^ `by` takes equality only
= put other tests into `where`

a in (1, 2)
  ^^^^^^^^^ `by` takes equality only
= put other tests into `where`

a =
  ^ nothing stands behind `=`
= write `field = $input`, or the field alone

= a
^ `=` stands where a field is expected
= write a field, or `field = value`

a = $b and c = $d
       ^^^^^^^^^^ one item of `by` is one field
= write a list: `by: [a = $x, b = $y]`

a = $b c
       ^ `c` is left over after the expression
= remove it, or join two tests with `and` or `or`

a where b
  ^^^^^^^ `by` takes equality only
= put other tests into `where`

all
^^^ `all` is a word of the language and can't be a name
= write a field, or `field = value`

$a
^ `$` stands where a field is expected
= write a field, or `field = value`

a.
  ^ a name is missing at the end
= a path is written `seller.region_id`

Follow.Follower
       ^^^^^^^^ `Follower` stands where a name is expected
= fields are written in lower case: `follower`
",
    );
}

#[test]
fn ranges_cover_what_they_name() {
    let text = "a = 'größe' and (b.$c + $d?) * 2 in (-1, lower(e))";
    let parsed = expr(text).unwrap();
    let mut seen = Vec::new();
    walk(&parsed, &mut |part| seen.push(&text[part.range.clone()]));
    assert_eq!(
        seen,
        [
            text,
            "a = 'größe'",
            "a",
            "'größe'",
            "(b.$c + $d?) * 2 in (-1, lower(e))",
            "(b.$c + $d?) * 2",
            "(b.$c + $d?)",
            "b.$c",
            "$d?",
            "2",
            "-1",
            "1",
            "lower(e)",
            "e",
        ]
    );
}

fn walk<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Call(_, parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
            parts.iter().for_each(|part| walk(part, visit));
        }
        ExprKind::Negate(part) | ExprKind::Not(part) | ExprKind::IsNull { of: part, .. } => walk(part, visit),
        ExprKind::Arithmetic(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::StartsWith(a, b)
        | ExprKind::Has(_, a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        ExprKind::InValues(of, values) => {
            walk(of, visit);
            values.iter().for_each(|value| walk(value, visit));
        }
        ExprKind::InRange(of, from, to) => {
            walk(of, visit);
            from.iter().chain(to).for_each(|end| walk(end, visit));
        }
        ExprKind::InInput { of, .. } => walk(of, visit),
        ExprKind::Literal(_) | ExprKind::Input { .. } | ExprKind::Path(..) => {}
    }
}

#[test]
fn deep_and_long_texts_are_refused_or_read() {
    let deep = |open: &str, close: &str, times: usize| format!("{}a{}", open.repeat(times), close.repeat(times));
    assert!(expr(&deep("(", ")", 64)).is_ok());
    for (open, close) in [("(", ")"), ("not (", ")"), ("-(", ")"), ("lower(", ")"), ("a in ((", "))"), ("a + (", ")")] {
        for times in [65, 100_000] {
            let fault = expr(&deep(open, close, times)).unwrap_err();
            assert_eq!(fault.message, "this is nested more than 64 levels deep", "{open}");
        }
    }
    // A sum is a tree as deep as it is long; a list of tests is flat.
    assert!(expr(&format!("a{}", " + a".repeat(64))).is_ok());
    assert!(expr(&format!("a{}", " + a".repeat(100_000))).is_err());
    assert!(expr(&format!("((a{0}){0}){0}", " + a".repeat(30))).is_err());
    assert!(expr(&format!("a + 1 = b{}", " and a + 1 = b".repeat(100_000))).is_ok());
    assert!(expr(&format!("a in (1{})", ", 2".repeat(100_000))).is_ok());
    assert!(expr(&"not ".repeat(100_000)).is_err());
    assert!(expr(&"-".repeat(100_000)).is_err());
    assert!(expr(&format!("'{}'", "''".repeat(100_000))).is_ok());
}

proptest! {
    #[test]
    fn any_text_is_answered(text in hostile()) {
        answered(expr, &text);
        answered(fill, &text);
        answered(condition, &text);
        answered(order, &text);
        answered(by_item, &text);
    }

    #[test]
    fn literals_come_back(literal in any_literal()) {
        let read = expr(&literal.to_string()).map(|expr| expr.kind);
        prop_assert_eq!(read, Ok(ExprKind::Literal(literal)));
    }
}

fn any_literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        (0..=i64::MAX).prop_map(Literal::Int),
        "[0-9]{1,20}\\.[0-9]{1,20}".prop_map(Literal::Decimal),
        any::<String>().prop_map(Literal::Text),
        any::<bool>().prop_map(Literal::Bool),
        (0..=1_000_000_u32).prop_map(Literal::Share),
        Just(Literal::Null),
        Just(Literal::Now),
        Just(Literal::New),
    ]
}
