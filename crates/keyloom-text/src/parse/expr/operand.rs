//! Values: literals, inputs, paths, function calls and the arithmetic between them.

use keyloom_model::{Arithmetic, Function, Literal};

use super::name::{self, Case, any_name, name};
use super::operator::{or, value};
use super::{Expr, ExprKind, PathStep, Word};
use crate::fault::Fault;
use crate::parse::lexer::{Cursor, Kind, nearest, shown};
use crate::parse::units::{Unit, any_quantity, share_of, span};

const VALUE: &str = "write a field, an input such as `$name`, or a value such as `5`, `'text'` or `OPEN`";

/// Reads terms with `+` and `-` between them.
pub(super) fn sum(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let first = unary(cursor)?;
    sum_from(cursor, first)
}

/// Reads the rest of a sum whose first operand has been read.
pub(super) fn sum_from(cursor: &mut Cursor, first: Expr) -> Result<Expr, Fault> {
    let mut left = term_from(cursor, first)?;
    loop {
        let operator = match cursor.ahead() {
            "+" => Arithmetic::Add,
            "-" => Arithmetic::Subtract,
            _ => return Ok(left),
        };
        left = arithmetic(cursor, operator, left, |cursor| {
            let first = unary(cursor)?;
            term_from(cursor, first)
        })?;
    }
}

fn term_from(cursor: &mut Cursor, first: Expr) -> Result<Expr, Fault> {
    let mut left = first;
    while cursor.is("*") {
        left = arithmetic(cursor, Arithmetic::Multiply, left, unary)?;
    }
    Ok(left)
}

/// Takes the operator and reads what stands behind it. Each operator is a level that is not left again before the test
/// it belongs to ends: a long sum is as deep a tree as parentheses are.
fn arithmetic(
    cursor: &mut Cursor,
    operator: Arithmetic,
    left: Expr,
    right: impl FnOnce(&mut Cursor) -> Result<Expr, Fault>,
) -> Result<Expr, Fault> {
    let symbol = cursor.next().range;
    cursor.enter(symbol)?;
    let left = value(left)?;
    let right = value(right(cursor)?)?;
    let range = left.range.start..right.range.end;
    Ok(Expr { range, kind: ExprKind::Arithmetic(operator, Box::new(left), Box::new(right)) })
}

fn unary(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let Some(minus) = cursor.take("-") else {
        return primary(cursor);
    };
    if let Some(second) = cursor.take("-") {
        return Err(Fault::new(minus.start..second.end, "two `-` cancel each other").help("remove both"));
    }
    let of = value(primary(cursor)?)?;
    Ok(Expr { range: minus.start..of.range.end, kind: ExprKind::Negate(Box::new(of)) })
}

/// Whether a value can begin at the next token; a wrong one begins there too, and is answered when it is read.
pub(super) fn starts_operand(cursor: &Cursor) -> bool {
    match cursor.peek().kind {
        Kind::Number | Kind::Quoted | Kind::DoubleQuoted | Kind::OpenQuote => true,
        // `max` begins a value only as a function.
        Kind::Word if cursor.is("max") => cursor.ahead_at(1) == "(",
        Kind::Word => !matches!(cursor.ahead(), "and" | "or" | "else" | "in" | "is" | "by" | "where"),
        Kind::Symbol => matches!(cursor.ahead(), "$" | "-" | "(" | "." | "!" | ":" | "@"),
        Kind::End => false,
    }
}

fn primary(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let token = cursor.peek().clone();
    let text = cursor.ahead();
    match token.kind {
        Kind::Number => number(cursor),
        Kind::Quoted => {
            cursor.next();
            let inner = &text[1..text.len() - 1];
            Ok(Expr { range: token.range, kind: ExprKind::Literal(Literal::Text(inner.replace("''", "'"))) })
        }
        Kind::DoubleQuoted => {
            let single = format!("'{}'", text[1..text.len() - 1].replace('\'', "''"));
            Err(Fault::new(token.range, "text stands in single quotes").help(format!("write {}", shown(&single))))
        }
        Kind::Word => word(cursor),
        Kind::Symbol => match text {
            "$" => {
                let (name, optional) = input(cursor)?;
                Ok(Expr { range: token.range.start..cursor.taken_to(), kind: ExprKind::Input { name, optional } })
            }
            "(" => parenthesised(cursor),
            _ => Err(wrong_symbol(cursor)),
        },
        Kind::OpenQuote => Err(cursor.open_quote()),
        Kind::End => Err(cursor.wanted("a value", VALUE)),
    }
}

/// Reads what stands in parentheses: a value or a whole expression. Its range takes the parentheses in.
fn parenthesised(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let open = cursor.next().range;
    cursor.enter(open.clone())?;
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, "nothing is in these parentheses").help("remove them"));
    }
    let inner = or(cursor)?;
    if cursor.is(",") {
        return Err(Fault::new(cursor.peek().range.clone(), "a list stands only behind `in` or a function")
            .help("write `field in (A, B)`"));
    }
    let close = cursor.close(open.clone())?;
    cursor.leave();
    Ok(Expr { range: open.start..close.end, kind: inner.kind })
}

fn wrong_symbol(cursor: &Cursor) -> Fault {
    let range = cursor.peek().range.clone();
    let named = cursor.peek_at(1).kind == Kind::Word && cursor.peek_at(1).range.start == range.end;
    match cursor.ahead() {
        "!" => Fault::new(range, "`!` is not an operator").help("write `not`"),
        "." if cursor.peek_at(1).kind == Kind::Number => {
            Fault::new(range.start..cursor.peek_at(1).range.end, "a number begins with a digit")
                .help(format!("write {}", shown(&format!("0.{}", cursor.ahead_at(1)))))
        }
        ":" | "@" | "#" if named => {
            let help = format!("inputs are written {}", shown(&format!("${}", cursor.ahead_at(1))));
            cursor.wanted("a value", help)
        }
        "?" => cursor.wanted("a value", "inputs have names: `$name`"),
        "{" | "}" => cursor.wanted("a value", "inputs are written `$name`, without braces"),
        "`" => cursor.wanted("a value", "names are written without quotes, texts with `'`"),
        _ => cursor.wanted("a value", VALUE),
    }
}

fn number(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let quantity = any_quantity(cursor)?;
    let literal = match quantity.unit {
        Unit::Count(1) if quantity.digits.contains('.') => Literal::Decimal(quantity.digits.to_owned()),
        Unit::Count(factor) => Literal::Int(quantity.times_signed(factor)?),
        Unit::Bytes(factor) => Literal::Bytes(quantity.times(factor, "number of bytes")?),
        Unit::Time(unit) => Literal::Span(span(&quantity, unit)?),
        Unit::Percent => Literal::Share(share_of(&quantity)?.millionths),
    };
    Ok(Expr { range: quantity.range, kind: ExprKind::Literal(literal) })
}

/// Reads `$name` or `$name?`. The word's range takes the `$` in, not the `?`.
fn input(cursor: &mut Cursor) -> Result<(Word, bool), Fault> {
    let word = input_name(cursor)?;
    let optional = cursor.glued() && cursor.take("?").is_some();
    Ok((word, optional))
}

fn input_name(cursor: &mut Cursor) -> Result<Word, Fault> {
    let dollar = cursor.next().range;
    if !cursor.glued() || cursor.peek().kind != Kind::Word {
        let help = match cursor.ahead() {
            "{" if cursor.peek_at(1).kind == Kind::Word => {
                format!("write {}", shown(&format!("${}", cursor.ahead_at(1))))
            }
            _ => "write `$name`".to_owned(),
        };
        return Err(Fault::new(dollar, "`$` has no name behind it").help(help));
    }
    let text = cursor.ahead();
    let range = dollar.start..cursor.next().range.end;
    if Case::of(text) != Some(Case::Snake) {
        let help = format!("write {}", shown(&format!("${}", name::snake(text))));
        return Err(
            Fault::new(range, format!("{} is not written in lower case", shown(&format!("${text}")))).help(help)
        );
    }
    Ok(Word { range, text: text.to_owned() })
}

fn word(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let range = cursor.peek().range.clone();
    let text = cursor.ahead();
    let keyword = matches!(text, "and" | "or" | "not" | "in" | "is" | "has" | "else" | "where");
    if cursor.ahead_at(1) == "(" && !keyword && cursor.peek_at(1).kind == Kind::Symbol {
        return call(cursor);
    }
    let literal = match text {
        "true" => Literal::Bool(true),
        "false" => Literal::Bool(false),
        "null" => Literal::Null,
        "now" => Literal::Now,
        "new" => Literal::New,
        "NULL" | "TRUE" | "FALSE" => {
            let help = format!("write `{}`", text.to_lowercase());
            return Err(Fault::new(range, format!("`{text}` is written in lower case")).help(help));
        }
        "NOT" => return Err(Fault::new(range, "`NOT` is written in lower case").help("write `not`")),
        "not" => {
            return Err(Fault::new(range, "`not` stands before a whole test").help("write `not a = b` or `a != b`"));
        }
        _ if keyword => return Err(cursor.wanted("a value", VALUE)),
        _ if Case::of(text) == Some(Case::Upper) => Literal::Variant(text.to_owned()),
        _ => return path(cursor, "a value", VALUE),
    };
    cursor.next();
    Ok(Expr { range, kind: ExprKind::Literal(literal) })
}

/// Reads `case.title`, `timers.$name`, `status`.
pub(super) fn path(cursor: &mut Cursor, wanted: &str, help: &str) -> Result<Expr, Fault> {
    let first = any_name(cursor, wanted, help)?;
    if Case::of(&first.text) != Some(Case::Snake) {
        let fault = Fault::new(first.range, format!("{} stands where {wanted} is expected", shown(&first.text)));
        let snake = name::snake(&first.text);
        let help = format!("fields and references are written in lower case: {}", shown(&snake));
        return Err(match wanted {
            "a value" => fault.help(format!("{help}; values of an enum in capitals: {}", shown(&snake.to_uppercase()))),
            _ => fault.help(help),
        });
    }
    let mut steps = Vec::new();
    while cursor.take(".").is_some() {
        if cursor.is("$") {
            steps.push(PathStep::Input(input_name(cursor)?));
        } else {
            steps.push(PathStep::Name(name(cursor, "a name", "a path is written `case.title` or `timers.$name`")?));
        }
    }
    Ok(Expr { range: first.range.start..cursor.taken_to(), kind: ExprKind::Path(first, steps) })
}

fn call(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let called = cursor.next().range;
    let text = cursor.slice(called.clone());
    let Some(function) = Function::ALL.into_iter().find(|function| function.name() == text) else {
        return Err(unknown_function(cursor, text, called));
    };
    let open = cursor.next().range;
    cursor.enter(open.clone())?;
    let mut arguments = Vec::new();
    if !cursor.is(")") {
        loop {
            arguments.push(value(sum(cursor)?)?);
            if cursor.take(",").is_none() {
                break;
            }
        }
    }
    let close = cursor.close(open)?;
    cursor.leave();
    Ok(Expr { range: called.start..close.end, kind: ExprKind::Call(function, arguments) })
}

/// `cursor` stands at the parenthesis behind the name.
fn unknown_function(cursor: &Cursor, text: &str, range: std::ops::Range<usize>) -> Fault {
    let fault = Fault::new(range, format!("there is no function {}", shown(text)));
    let lower = text.to_lowercase();
    let help = match lower.as_str() {
        "now" | "new" => format!("write `{lower}` without parentheses"),
        "uuid" | "uuidv7" | "gen_random_uuid" => "write `new`".to_owned(),
        "count" | "sum" | "avg" | "last" | "first" => {
            let of = cursor.slice(cursor.peek().range.end..cursor.rest().end);
            let of = of.split([')', ',']).next().unwrap_or("").trim();
            let is_of_entity = of.starts_with(|c: char| c.is_ascii_uppercase());
            let of = if is_of_entity {
                of
            } else if lower == "count" {
                "Bid"
            } else {
                "Bid.amount"
            };
            let by = if matches!(lower.as_str(), "last" | "first") { " by at" } else { "" };
            format!("over other rows it is a field that is kept: {}", shown(&format!("= {lower} of {of}{by}")))
        }
        "len" | "length" | "strlen" => "did you mean `size`?".to_owned(),
        "substr" | "substring" | "prefix" => "did you mean `left`?".to_owned(),
        "tolower" | "lowercase" | "lcase" => "did you mean `lower`?".to_owned(),
        "toupper" | "uppercase" | "ucase" => "did you mean `upper`?".to_owned(),
        "string" | "to_string" | "tostring" | "str" => "did you mean `text`?".to_owned(),
        "starts_with" | "startswith" | "begins_with" => "write `name starts with $prefix`".to_owned(),
        "contains" => "write `labels has $label`".to_owned(),
        _ => match nearest(text, Function::ALL.map(Function::name)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the functions are {}", Function::ALL.map(Function::name).join(", ")),
        },
    };
    fault.help(help)
}
