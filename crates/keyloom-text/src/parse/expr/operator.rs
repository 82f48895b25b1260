//! Tests and what joins them: `or`, `and`, `not`, comparisons, `in`, `is null`, `starts with`, `has`.

use std::ops::Range;

use keyloom_model::{Compare, Has, Literal};

use super::operand::{starts_operand, sum, sum_from};
use super::{Expr, ExprKind};
use crate::fault::Fault;
use crate::parse::lexer::{Cursor, Kind, shown};
use crate::parse::units::count_at;

/// Reads tests joined with `or`.
pub(super) fn or(cursor: &mut Cursor) -> Result<Expr, Fault> {
    joined(cursor, "or", and, ExprKind::Or)
}

fn and(cursor: &mut Cursor) -> Result<Expr, Fault> {
    joined(cursor, "and", not, ExprKind::And)
}

/// Reads parts joined with a word, as one flat list. A part in parentheses that is joined with the same word melts in.
fn joined(
    cursor: &mut Cursor,
    word: &str,
    part: fn(&mut Cursor) -> Result<Expr, Fault>,
    kind: fn(Vec<Expr>) -> ExprKind,
) -> Result<Expr, Fault> {
    let first = part(cursor)?;
    if !cursor.is(word) {
        return Ok(first);
    }
    let start = first.range.start;
    let mut parts = Vec::new();
    let mut add = |expr: Expr| match (word, expr.kind) {
        ("or", ExprKind::Or(inner)) | ("and", ExprKind::And(inner)) => parts.extend(inner),
        (_, kind) => parts.push(Expr { range: expr.range, kind }),
    };
    add(first);
    while cursor.take(word).is_some() {
        add(part(cursor)?);
    }
    Ok(Expr { range: start..cursor.taken_to(), kind: kind(parts) })
}

fn not(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let Some(not) = cursor.take("not") else {
        return test(cursor);
    };
    if let Some(second) = cursor.take("not") {
        return Err(Fault::new(not.start..second.end, "two `not` cancel each other").help("remove both"));
    }
    let of = test(cursor)?;
    Ok(Expr { range: not.start..of.range.end, kind: ExprKind::Not(Box::new(of)) })
}

/// Reads one test, or a value that is taken as one.
fn test(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let depth = cursor.depth();
    let left = sum(cursor)?;
    if let Some(fault) = foreign(cursor).or_else(|| foreign_word(cursor, &left)) {
        return Err(fault);
    }
    let start = left.range.start;
    let operator = cursor.peek().range.clone();
    let kind = if let Some(compare) = compare(cursor.ahead()).filter(|_| cursor.peek().kind == Kind::Symbol) {
        cursor.next();
        let left = value(left)?;
        let right = value(sum(cursor)?)?;
        no_null(cursor, compare, &left, &right)?;
        ExprKind::Compare(compare, Box::new(left), Box::new(right))
    } else if cursor.take("in").is_some() {
        set(cursor, Box::new(value(left)?), operator)?
    } else if cursor.take("is").is_some() {
        is_null(cursor, value(left)?)?
    } else if cursor.take("starts").is_some() {
        if cursor.take("with").is_none() {
            return Err(cursor.wanted("`with`", "write `name starts with $prefix`"));
        }
        ExprKind::StartsWith(Box::new(value(left)?), Box::new(value(sum(cursor)?)?))
    } else if cursor.take("has").is_some() {
        let has = match (cursor.take("all"), cursor.take("any")) {
            (Some(_), _) => Has::All,
            (_, Some(_)) => Has::Any,
            _ => Has::One,
        };
        ExprKind::Has(has, Box::new(value(left)?), Box::new(value(sum(cursor)?)?))
    } else {
        return Ok(left);
    };
    let range = start..cursor.taken_to();
    if let Some(fault) = foreign(cursor) {
        return Err(fault);
    }
    no_chain(cursor, &kind, &range)?;
    // A finished test can't stand inside a sum, so the depth of its sums is behind us.
    cursor.leave_to(depth);
    Ok(Expr { range, kind })
}

/// The comparison that a symbol stands for.
pub(super) fn compare(symbol: &str) -> Option<Compare> {
    let compare = match symbol {
        "=" => Compare::Equal,
        "!=" => Compare::NotEqual,
        "<" => Compare::Less,
        "<=" => Compare::LessOrEqual,
        ">" => Compare::Greater,
        ">=" => Compare::GreaterOrEqual,
        _ => return None,
    };
    Some(compare)
}

/// A value that is not itself a test.
pub(super) fn value(expr: Expr) -> Result<Expr, Fault> {
    match expr.kind {
        ExprKind::Literal(_)
        | ExprKind::Input { .. }
        | ExprKind::Path(..)
        | ExprKind::Call(..)
        | ExprKind::Negate(_)
        | ExprKind::Arithmetic(..) => Ok(expr),
        _ => Err(Fault::new(expr.range, "this is a test where a value is expected")
            .help("tests are joined with `and`, `or`, `not`; write the test alone instead of comparing it")),
    }
}

/// `= null` is never true in many languages; here it is not written at all.
fn no_null(cursor: &Cursor, compare: Compare, left: &Expr, right: &Expr) -> Result<(), Fault> {
    let is_null = |expr: &Expr| expr.kind == ExprKind::Literal(Literal::Null);
    let other = match (is_null(left), is_null(right)) {
        (false, false) => return Ok(()),
        (true, _) => right,
        _ => left,
    };
    let said = cursor.slice(other.range.clone());
    let help = match compare {
        Compare::NotEqual => format!("write {}", shown(&format!("{said} is not null"))),
        _ => format!("write {}", shown(&format!("{said} is null"))),
    };
    Err(Fault::new(left.range.start..right.range.end, "`null` is not compared").help(help))
}

/// `a < b < c`
fn no_chain(cursor: &Cursor, kind: &ExprKind, test: &Range<usize>) -> Result<(), Fault> {
    let follows = ["in", "is", "has", "starts"].iter().any(|word| cursor.is(word));
    let compares = cursor.peek().kind == Kind::Symbol && compare(cursor.ahead()).is_some();
    if !follows && !compares {
        return Ok(());
    }
    let range = cursor.peek().range.clone();
    let middle = match kind {
        ExprKind::Compare(_, _, right) => cursor.slice(right.range.clone()),
        _ => "",
    };
    let help = if middle.is_empty() {
        "join two tests with `and`".to_owned()
    } else {
        let left = cursor.slice(test.clone());
        format!("write {}", shown(&format!("{left} and {middle} {} ..", cursor.ahead())))
    };
    Err(Fault::new(range, format!("{} begins a second test", shown(cursor.ahead()))).help(help))
}

/// Reads what follows `is`.
fn is_null(cursor: &mut Cursor, of: Expr) -> Result<ExprKind, Fault> {
    let negated = cursor.take("not").is_some();
    if cursor.take("null").is_none() {
        let said = cursor.slice(of.range);
        let symbol = if negated { "!=" } else { "=" };
        let help = match cursor.ahead() {
            "" | "in" => "write `is null` or `is not null`".to_owned(),
            "NULL" | "none" | "nil" | "empty" | "absent" | "missing" => "write `null`".to_owned(),
            value => format!("write {}", shown(&format!("{said} {symbol} {value}"))),
        };
        return Err(cursor.wanted("`null`", help));
    }
    Ok(ExprKind::IsNull { of: Box::new(of), negated })
}

/// Reads what follows `in`.
fn set(cursor: &mut Cursor, of: Box<Expr>, word: Range<usize>) -> Result<ExprKind, Fault> {
    let example = "write `in (A, B)`, `in $from..$to` or `in $values max 50`";
    if cursor.at_end() {
        return Err(Fault::new(word, "nothing stands behind `in`").help(example));
    }
    let from = if cursor.is("(") {
        let (values, range) = values(cursor)?;
        match <[Expr; 1]>::try_from(values) {
            // One value in parentheses may also be the start of a range, or of a longer sum that is.
            Ok([only]) if ["..", "+", "-", "*"].iter().any(|symbol| cursor.is(symbol)) => {
                Some(sum_from(cursor, Expr { range, kind: only.kind })?)
            }
            Ok([only]) => return Ok(ExprKind::InValues(of, vec![only])),
            Err(values) => return Ok(ExprKind::InValues(of, values)),
        }
    } else if cursor.is("..") {
        None
    } else if starts_operand(cursor) {
        Some(value(sum(cursor)?)?)
    } else {
        return Err(cursor.wanted("a set", example));
    };
    if cursor.take("..").is_none() {
        return input_list(cursor, of, from, example);
    }
    let points = cursor.taken_to();
    let to = if starts_operand(cursor) { Some(value(sum(cursor)?)?) } else { None };
    if from.is_none() && to.is_none() {
        return Err(Fault::new(points - 2..points, "this range has neither start nor end")
            .help("write `$from..$to`, `$from..` or `..$to`"));
    }
    Ok(ExprKind::InRange(of, from.map(Box::new), to.map(Box::new)))
}

/// Reads `(A, B)`.
fn values(cursor: &mut Cursor) -> Result<(Vec<Expr>, Range<usize>), Fault> {
    let open = cursor.next().range;
    cursor.enter(open.clone())?;
    if let Some(close) = cursor.take(")") {
        return Err(Fault::new(open.start..close.end, "nothing is in this set").help("write its values: `in (A, B)`"));
    }
    let mut values = Vec::new();
    loop {
        values.push(value(sum(cursor)?)?);
        if cursor.is("|") || cursor.is("or") {
            return Err(cursor.wanted("`,`", "values are separated by commas: `in (A, B)`"));
        }
        if cursor.take(",").is_none() {
            break;
        }
    }
    let close = cursor.close(open.clone())?;
    cursor.leave();
    Ok((values, open.start..close.end))
}

/// Reads `max 50` behind a list input.
fn input_list(cursor: &mut Cursor, of: Box<Expr>, list: Option<Expr>, example: &str) -> Result<ExprKind, Fault> {
    let Some(list) = list else {
        return Err(cursor.wanted("a set", example));
    };
    let said = cursor.slice(list.range.clone());
    match list.kind {
        ExprKind::Input { name, optional } => {
            if cursor.take("max").is_none() {
                return Err(Fault::new(list.range, format!("the list {} has no bound", shown(said)))
                    .help(format!("write {}", shown(&format!("in {said} max 50")))));
            }
            let start = cursor.peek().range.start;
            let max = count_at(cursor)?;
            if max == 0 {
                return Err(Fault::new(start..cursor.taken_to(), "a list of at most nothing is empty")
                    .help("write at least `max 1`"));
            }
            Ok(ExprKind::InInput { of, name, optional, max })
        }
        _ => {
            let help = match cursor.ahead() {
                "," | "|" | "or" => "a set stands in parentheses: `in (A, B)`".to_owned(),
                _ => format!(
                    "write {}; or a range, or a list input: `in $from..$to`, `in $values max 50`",
                    shown(&format!("in ({said})"))
                ),
            };
            Err(Fault::new(list.range, format!("{} is not a set", shown(said))).help(help))
        }
    }
}

/// An operator of another language, where an operator may stand.
pub(super) fn foreign(cursor: &Cursor) -> Option<Fault> {
    let token = cursor.peek();
    if token.kind != Kind::Symbol && token.kind != Kind::Word {
        return None;
    }
    let help = match cursor.ahead() {
        "==" => "write `=`",
        "<>" => "write `!=`",
        "=>" => "write `>=`",
        "=<" => "write `<=`",
        "&&" | "AND" | "&" => "write `and`",
        "||" | "OR" | "|" => "write `or`",
        "IN" => "write `in`",
        "IS" => "write `is`",
        "!" | "NOT" => "write `not` before the test",
        "/" => "keep the quotient in a field, or multiply the other side: `a = b * c`",
        "%" | "^" | "**" => "there are `+`, `-` and `*`; keep other results in a field",
        _ => return None,
    };
    let message = match cursor.ahead() {
        "/" => "there is no division".to_owned(),
        word => format!("{} is not an operator", shown(word)),
    };
    Some(Fault::new(token.range.clone(), message).help(help))
}

/// A word of another language behind the value `left`.
fn foreign_word(cursor: &Cursor, left: &Expr) -> Option<Fault> {
    if cursor.peek().kind != Kind::Word {
        return None;
    }
    let said = cursor.slice(left.range.clone());
    let written = |text: String| format!("write {}", shown(&text));
    let help = match cursor.ahead().to_lowercase().as_str() {
        "between" => format!("{}; it includes the start, not the end", written(format!("{said} in $from..$to"))),
        "like" | "ilike" | "startswith" | "starts_with" | "begins_with" | "prefix" => {
            let prefix = match (cursor.peek_at(1).kind, cursor.peek_at(2).kind) {
                (Kind::Quoted, _) => format!("'{}'", cursor.ahead_at(1).trim_matches(['\'', '%'])),
                (Kind::Symbol, Kind::Word) if matches!(cursor.ahead_at(1), "$" | ":" | "@") => {
                    format!("${}", cursor.ahead_at(2))
                }
                _ => "'abc'".to_owned(),
            };
            written(format!("{said} starts with {prefix}"))
        }
        "contains" | "includes" | "include" => written(format!("{said} has $item")),
        "not" if cursor.ahead_at(1) == "null" => written(format!("{said} is not null")),
        "not" => written(format!("not {said} {} ..", cursor.ahead_at(1))),
        "equals" | "eq" => written(format!("{said} = ..")),
        "isnull" => written(format!("{said} is null")),
        "notnull" => written(format!("{said} is not null")),
        "begins" if cursor.ahead_at(1) == "with" => written(format!("{said} starts with 'abc'")),
        _ => return None,
    };
    let message = match cursor.ahead() {
        "not" => "`not` stands before the whole test".to_owned(),
        word => format!("{} is not an operator", shown(word)),
    };
    Some(Fault::new(cursor.peek().range.clone(), message).help(help))
}

/// Nothing may follow an expression.
pub(super) fn finish(cursor: &Cursor) -> Result<(), Fault> {
    if let Some(fault) = foreign(cursor) {
        return Err(fault);
    }
    let range = cursor.peek().range.clone();
    match cursor.ahead() {
        ")" => Err(Fault::new(range, "this parenthesis was never opened").help("remove it, or add a `(`")),
        "," | ";" => {
            Err(Fault::new(range, format!("{} does not join tests", shown(cursor.ahead()))).help("write `and` or `or`"))
        }
        "else" => Err(Fault::new(range, "`else` belongs to `if`").help("remove it")),
        "?" => Err(Fault::new(range, "only an input can be optional").help("write `$name?`")),
        "->" => Err(Fault::new(range, "`->` stands only behind a type").help("write `uuid -> Case`")),
        _ if starts_operand(cursor) && cursor.peek().kind != Kind::OpenQuote => {
            let rest = cursor.rest();
            Err(Fault::new(rest.clone(), format!("{} is left over after the expression", shown(cursor.slice(rest))))
                .help("remove it, or join two tests with `and` or `or`"))
        }
        _ => cursor.finish("expression"),
    }
}
