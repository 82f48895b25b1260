//! Expressions, with a range of the text at every node.

use std::ops::Range;

use keyloom_model::{Arithmetic, Compare, Function, Has, Literal};

pub(super) use self::name::{Case, snake};
use self::name::{any_name, name};
use super::lexer::{Cursor, Kind, shown};
use crate::fault::Fault;

mod name;
mod operand;
mod operator;

pub use self::name::is_reserved;

/// An expression as it is written: names are not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: ExprKind,
}

/// A word with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// The word, without `$` or `?`.
    pub text: String,
}

/// One step of a path: a name or an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// `.title`
    Name(Word),
    /// `.$name`
    Input(Word),
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the same shapes as keyloom_model::Expr, which documents them")]
pub enum ExprKind {
    Literal(Literal),
    Input {
        name: Word,
        optional: bool,
    },
    /// A path as written: `case.title`, `timers.$name`. A single name is a path of one word.
    Path(Word, Vec<PathStep>),
    Call(Function, Vec<Expr>),
    Negate(Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    InValues(Box<Expr>, Vec<Expr>),
    InRange(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    InInput {
        of: Box<Expr>,
        name: Word,
        optional: bool,
        max: u64,
    },
    IsNull {
        of: Box<Expr>,
        negated: bool,
    },
    StartsWith(Box<Expr>, Box<Expr>),
    Has(Has, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

/// What follows `=` behind a field's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// `= new`
    New,
    /// `= now on write`
    NowOnWrite,
    /// `= next per queue`
    Next(Vec<Word>),
    /// `= product.price at create`
    AtCreate(Expr),
    /// `= count of Bid`, `= sum of Line.amount where ..`, `= last of Reading.value by at`
    Kept(Kept),
    /// Anything else: a default or derived, which the names in it decide.
    Expr(Expr),
}

/// `count of Task.case where status = OPEN`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// `count sum avg min max last first`
    pub aggregate: Word,
    /// The other entity.
    pub entity: Word,
    /// The reference to join through, where it is named before the field.
    pub through: Option<Word>,
    /// What follows its name behind a dot: a field, or the reference to join through.
    pub field: Option<Word>,
    /// `by at`
    pub by: Option<Word>,
    /// `where ..`
    pub filter: Option<Expr>,
}

/// `if: cond else reason`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What must hold.
    pub test: Expr,
    /// The answer when it does not.
    pub reason: Option<Word>,
}

/// One item of an order: `due_at asc nulls last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderItem {
    /// What is ordered by: a path.
    pub of: Expr,
    /// Written with `desc`.
    pub descending: bool,
    /// Written with `nulls last`.
    pub nulls_last: bool,
}

/// Reads an expression: `status = OPEN and due_at <= now`.
pub fn expr(text: &str) -> Result<Expr, Fault> {
    let mut cursor = Cursor::new(text);
    let expr = operator::or(&mut cursor)?;
    operator::finish(&cursor)?;
    Ok(expr)
}

/// Reads what follows `=` behind a type.
pub fn fill(text: &str) -> Result<Fill, Fault> {
    fill_to_end(&mut Cursor::new(text))
}

/// Reads `cond else reason`.
pub fn condition(text: &str) -> Result<Condition, Fault> {
    let mut cursor = Cursor::new(text);
    let test = operator::or(&mut cursor)?;
    let reason = match cursor.take("else") {
        Some(_) => Some(reason(&mut cursor)?),
        None => {
            operator::finish(&cursor)?;
            None
        }
    };
    cursor.finish("reason")?;
    Ok(Condition { test, reason })
}

/// Reads `priority desc, due_at asc nulls last`.
pub fn order(text: &str) -> Result<Vec<OrderItem>, Fault> {
    let mut cursor = Cursor::new(text);
    let mut items = vec![order_item(&mut cursor)?];
    while cursor.take(",").is_some() {
        items.push(order_item(&mut cursor)?);
    }
    if cursor.peek().kind == Kind::Word {
        let fault =
            Fault::new(cursor.rest(), format!("{} is left over after the order", shown(cursor.slice(cursor.rest()))));
        return Err(fault.help("several fields are separated by commas: `priority desc, due_at asc`"));
    }
    cursor.finish("order")?;
    Ok(items)
}

/// Reads one item of `by`: `field`, `field = value`, `seller.region_id`, `Follow.follower_id`. The value is `None` for
/// the short form, which stands for `field = $field`.
pub fn by_item(text: &str) -> Result<(Vec<Word>, Option<Expr>), Fault> {
    let mut cursor = Cursor::new(text);
    let mut path = vec![any_name(&mut cursor, "a field", "write a field, or `field = value`")?];
    while cursor.take(".").is_some() {
        path.push(name(&mut cursor, "a name", "a path is written `seller.region_id`")?);
    }
    if let Some(fault) = operator::foreign(&cursor) {
        return Err(fault);
    }
    let Some(equal) = cursor.take("=") else {
        if operator::compare(cursor.ahead()).is_some() || cursor.is("in") || cursor.is("is") || cursor.is("where") {
            return Err(Fault::new(cursor.rest(), "`by` takes equality only").help("put other tests into `where`"));
        }
        cursor.finish("field")?;
        return Ok((path, None));
    };
    if cursor.at_end() {
        return Err(Fault::new(equal, "nothing stands behind `=`").help("write `field = $input`, or the field alone"));
    }
    let value = operand::sum(&mut cursor)?;
    if cursor.is("and") || cursor.is(",") {
        return Err(
            Fault::new(cursor.rest(), "one item of `by` is one field").help("write a list: `by: [a = $x, b = $y]`")
        );
    }
    operator::finish(&cursor)?;
    Ok((path, Some(value)))
}

/// Reads a fill that takes up the rest of the text.
pub(super) fn fill_to_end(cursor: &mut Cursor) -> Result<Fill, Fault> {
    const AGGREGATES: [&str; 7] = ["count", "sum", "avg", "min", "max", "last", "first"];
    if AGGREGATES.contains(&cursor.ahead()) && cursor.ahead_at(1) == "of" {
        let kept = kept(cursor)?;
        operator::finish(cursor)?;
        return Ok(Fill::Kept(kept));
    }
    let fill = if cursor.are(&["now", "on"]) {
        cursor.next();
        cursor.next();
        if cursor.take("write").is_none() {
            return Err(cursor.wanted("`write`", "`now on write` is the time of the last write"));
        }
        Fill::NowOnWrite
    } else if cursor.is("next") {
        Fill::Next(next(cursor)?)
    } else {
        let expr = operator::or(cursor)?;
        if cursor.is("at") {
            at_create(cursor, expr)?
        } else if expr.kind == ExprKind::Literal(Literal::New) {
            Fill::New
        } else {
            Fill::Expr(expr)
        }
    };
    operator::finish(cursor)?;
    Ok(fill)
}

/// Reads `at create` behind what is copied.
fn at_create(cursor: &mut Cursor, of: Expr) -> Result<Fill, Fault> {
    cursor.next();
    if cursor.take("create").is_none() {
        return Err(cursor.wanted("`create`", "`at create` copies a value once, when the row is created"));
    }
    if !matches!(of.kind, ExprKind::Path(..)) {
        return Err(Fault::new(of.range, "only a path can be copied `at create`")
            .help("write a path through a reference, such as `product.price at create`"));
    }
    Ok(Fill::AtCreate(of))
}

/// Reads `next per queue`.
fn next(cursor: &mut Cursor) -> Result<Vec<Word>, Fault> {
    let next = cursor.next().range;
    if cursor.take("per").is_none() {
        return Err(Fault::new(next, "a sequence says in what it counts").help("write `next per queue`"));
    }
    let mut fields = Vec::new();
    loop {
        fields.push(name(cursor, "a field", "write `next per queue`")?);
        if cursor.take(",").is_none() {
            return Ok(fields);
        }
    }
}

/// Reads `count of Task.case where status = OPEN`.
fn kept(cursor: &mut Cursor) -> Result<Kept, Fault> {
    let aggregate = cursor.next().range;
    let aggregate = Word { text: cursor.slice(aggregate.clone()).to_owned(), range: aggregate };
    cursor.next();
    let said = aggregate.text.as_str();
    let example = match said {
        "count" => "write `count of Bid`".to_owned(),
        "last" | "first" => format!("write `{said} of Reading.value by at`"),
        _ => format!("write `{said} of Bid.amount`"),
    };
    let entity = any_name(cursor, "an entity", &example)?;
    if !matches!(Case::of(&entity.text), Some(Case::Capitalised | Case::Upper)) {
        let fault = Fault::new(entity.range, format!("{} is not an entity", shown(&entity.text)));
        return Err(fault.help(format!("an entity begins with a capital: {example}")));
    }
    let field = match cursor.take(".") {
        Some(_) => Some(name(cursor, "a field", &example)?),
        None if said == "count" => None,
        None => {
            return Err(Fault::new(entity.range, format!("the {said} of which field of {}?", shown(&entity.text)))
                .help(example));
        }
    };
    // With two references the one to join through stands before the field: `sum of Transfer.to.amount`.
    let (through, field) = match (field, cursor.take(".")) {
        (Some(through), Some(_)) => (Some(through), Some(name(cursor, "a field", &example)?)),
        (field, _) => (None, field),
    };
    let by = match cursor.take("by") {
        Some(_) => Some(name(cursor, "a field", &example)?),
        None if matches!(said, "last" | "first") => {
            let fault = Fault::new(aggregate.range, format!("`{said}` does not say in which order"));
            return Err(fault.help(example));
        }
        None => None,
    };
    let filter = cursor.take("where").map(|_| operator::or(cursor)).transpose()?;
    if cursor.is("by") {
        return Err(Fault::new(cursor.rest(), "`by` stands before `where`").help(example));
    }
    Ok(Kept { aggregate, entity, through, field, by, filter })
}

/// Reads the name of the answer behind `else`.
fn reason(cursor: &mut Cursor) -> Result<Word, Fault> {
    let help = "a reason is a name such as `already_claimed`";
    let token = cursor.peek().clone();
    if token.kind != Kind::Word {
        return Err(cursor.wanted("a reason", help));
    }
    cursor.next();
    let text = cursor.slice(token.range.clone());
    match Case::of(text) {
        Some(Case::Snake) => Ok(Word { range: token.range, text: text.to_owned() }),
        _ => Err(Fault::new(token.range, format!("{} is not a reason", shown(text)))
            .help(format!("write {}", shown(&snake(text))))),
    }
}

/// Reads `due_at asc nulls last`.
fn order_item(cursor: &mut Cursor) -> Result<OrderItem, Fault> {
    let help = "write a field and a direction: `due_at asc`";
    if let Some(minus) = cursor.take("-") {
        let field = if cursor.peek().kind == Kind::Word { cursor.ahead() } else { "due_at" };
        let help = format!("write {}", shown(&format!("{field} desc")));
        return Err(Fault::new(minus, "`-` is not a direction").help(help));
    }
    if cursor.peek().kind == Kind::Word && cursor.ahead_at(1) == "(" {
        let call = cursor.peek().range.start..cursor.rest().end;
        return Err(Fault::new(call, "only fields can be ordered by")
            .help("keep the value in a field: `title_key: text(80..400) = lower(title)`"));
    }
    let of = operand::path(cursor, "a field", help)?;
    let descending = direction(cursor)?;
    let nulls_last = match cursor.take("nulls") {
        Some(nulls) => {
            if cursor.take("last").is_none() {
                let range = nulls.start..cursor.peek().range.end;
                return Err(Fault::new(range, "rows without a value can only come last").help("write `nulls last`"));
            }
            true
        }
        None => false,
    };
    Ok(OrderItem { of, descending, nulls_last })
}

/// Reads `asc` or `desc`; true when it descends.
fn direction(cursor: &mut Cursor) -> Result<bool, Fault> {
    let word = cursor.ahead();
    let meant = match word {
        "asc" | "desc" => {
            cursor.next();
            return Ok(word == "desc");
        }
        _ if cursor.peek().kind != Kind::Word || word == "nulls" => return Ok(false),
        _ => word.to_lowercase(),
    };
    let help = match meant.as_str() {
        "asc" | "ascending" | "up" | "oldest" => "write `asc`",
        "desc" | "descending" | "down" | "newest" | "reverse" => "write `desc`",
        "and" | "then" | "by" => "several fields are separated by commas: `priority desc, due_at asc`",
        _ => "write `asc` or `desc`",
    };
    Err(Fault::new(cursor.peek().range.clone(), format!("{} is not a direction", shown(word))).help(help))
}
