use std::fmt;

use crate::quantity::TimeSpan;

/// A value written in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// A whole number, its `k M G` factored in.
    Int(i64),
    /// A number with digits behind the point, as its digits.
    Decimal(String),
    /// `'text'`
    Text(String),
    /// `true`, `false`
    Bool(bool),
    /// `OPEN`: a value of an enumeration.
    Variant(String),
    /// `7 days`
    Span(TimeSpan),
    /// `5 KB`, in bytes
    Bytes(u64),
    /// `5%`, in millionths
    Share(u32),
    /// `null`
    Null,
    /// `now`: one value per request
    Now,
    /// `new`: a fresh identity
    New,
}

/// Where a path starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// A field of the row itself.
    Own,
    /// A field of the row that `field`, a reference, points to.
    Reference {
        /// The reference field of the row itself.
        field: String,
        /// The entity it points to.
        entity: String,
    },
    /// A field of the edge that `through` walks over.
    Edge {
        /// The edge.
        entity: String,
    },
    /// An item of the list that an `each` step walks over, by its name.
    Item(String),
}

/// One step inside a struct or a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Member {
    /// A member of a struct.
    Field(String),
    /// An entry of a map, under the value of this input.
    Input(String),
}

/// `case.title`, `timers.$name`, `status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Where it starts.
    pub root: Root,
    /// The field; empty for an item of a list that is itself the value.
    pub field: String,
    /// Steps inside the field's value.
    pub members: Vec<Member>,
}

impl Path {
    /// The path of a field of the row itself.
    pub fn own(field: impl Into<String>) -> Self {
        Self { root: Root::Own, field: field.into(), members: Vec::new() }
    }

    /// The field of the row itself that this path reads first: its own, or the reference it follows.
    pub fn own_field(&self) -> Option<&str> {
        match &self.root {
            Root::Own => Some(&self.field),
            Root::Reference { field, .. } => Some(field),
            Root::Edge { .. } | Root::Item(_) => None,
        }
    }
}

/// `= != < <= > >=`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Compare {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// `+ - *`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

impl Arithmetic {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
        }
    }
}

/// `has x`, `has all x`, `has any x`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Has {
    One,
    All,
    Any,
}

/// The functions an expression may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Function {
    Lower,
    Upper,
    Left,
    Size,
    Time,
    Day,
    Hour,
    Month,
    Year,
    Text,
    Min,
    Max,
    Geohash,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 13] = [
        Self::Lower,
        Self::Upper,
        Self::Left,
        Self::Size,
        Self::Time,
        Self::Day,
        Self::Hour,
        Self::Month,
        Self::Year,
        Self::Text,
        Self::Min,
        Self::Max,
        Self::Geohash,
    ];

    /// The function's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Left => "left",
            Self::Size => "size",
            Self::Time => "time",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Month => "month",
            Self::Year => "year",
            Self::Text => "text",
            Self::Min => "min",
            Self::Max => "max",
            Self::Geohash => "geohash",
        }
    }
}

/// What follows `in`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// `(A, B)`
    Values(Vec<Expr>),
    /// `$from..$to`: includes the start, excludes the end.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
    /// `$cells max 50`
    Input {
        /// The list input.
        name: String,
        /// May be left out.
        optional: bool,
        /// How many values it may have.
        max: u64,
    },
}

/// An expression over one row, its inputs and the moment of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A value written down.
    Literal(Literal),
    /// `$name`, `$name?`; `caller` is the authenticated subject.
    Input {
        /// Without the `$`.
        name: String,
        /// Written with `?`: without it, the test it stands in is dropped.
        optional: bool,
    },
    /// A field.
    Path(Path),
    /// `lower(email)`
    Call(Function, Vec<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// `stock - $n`
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `status = OPEN`
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// `day in $from..$to`
    In(Box<Expr>, Set),
    /// `assignee_id is null`, `is not null`
    IsNull {
        /// What is looked at.
        of: Box<Expr>,
        /// Written with `not`.
        negated: bool,
    },
    /// `name starts with $prefix`
    StartsWith(Box<Expr>, Box<Expr>),
    /// `labels has $label`
    Has(Has, Box<Expr>, Box<Expr>),
    /// `not ..`
    Not(Box<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `a or b or c`
    Or(Vec<Expr>),
}

impl Expr {
    /// The tests that must all hold: the parts of a top-level `and`, or the expression itself.
    pub fn conjuncts(&self) -> &[Expr] {
        match self {
            Self::And(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// Calls `visit` for this expression and every one inside it, outside first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        match self {
            Self::Literal(_) | Self::Input { .. } | Self::Path(_) => {}
            Self::Call(_, parts) | Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Self::Negate(part) | Self::Not(part) | Self::IsNull { of: part, .. } => part.walk(visit),
            Self::Arithmetic(_, a, b) | Self::Compare(_, a, b) | Self::StartsWith(a, b) | Self::Has(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Self::In(of, set) => {
                of.walk(visit);
                match set {
                    Set::Values(values) => values.iter().for_each(|value| value.walk(visit)),
                    Set::Range(from, to) => from.iter().chain(to).for_each(|end| end.walk(visit)),
                    Set::Input { .. } => {}
                }
            }
        }
    }

    /// The paths it reads.
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.walk(&mut |expr| {
            if let Self::Path(path) = expr {
                paths.push(path);
            }
        });
        paths
    }

    /// Whether it reads any input, `now` or `new`: whether its value differs from call to call on the same row.
    pub fn varies(&self) -> bool {
        let mut varies = false;
        self.walk(&mut |expr| {
            varies |= matches!(
                expr,
                Self::Input { .. } | Self::In(_, Set::Input { .. }) | Self::Literal(Literal::Now | Literal::New)
            );
        });
        varies
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Decimal(digits) => f.write_str(digits),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Variant(name) => f.write_str(name),
            Self::Span(span) => write!(f, "{span}"),
            Self::Bytes(bytes) => write!(f, "{bytes} B"),
            Self::Share(millionths) => write!(f, "{}", crate::Share { millionths: *millionths }),
            Self::Null => f.write_str("null"),
            Self::Now => f.write_str("now"),
            Self::New => f.write_str("new"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.root {
            Root::Own => {}
            Root::Reference { field, .. } => write!(f, "{}.", field.strip_suffix("_id").unwrap_or(field))?,
            Root::Item(name) if self.field.is_empty() => f.write_str(name)?,
            Root::Edge { entity: name } | Root::Item(name) => write!(f, "{name}.")?,
        }
        f.write_str(&self.field)?;
        for member in &self.members {
            match member {
                Member::Field(name) => write!(f, ".{name}")?,
                Member::Input(name) => write!(f, ".${name}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Everything that is not a single word is put in parentheses when it stands inside something else: always
        // right, and rare enough in catalogs to read well.
        struct Inner<'a>(&'a Expr);
        impl fmt::Display for Inner<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    Expr::Literal(_) | Expr::Input { .. } | Expr::Path(_) | Expr::Call(..) => self.0.fmt(f),
                    other => write!(f, "({other})"),
                }
            }
        }
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Expr], word: &str| {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    f.write_str(word)?;
                }
                match part {
                    Self::And(_) | Self::Or(_) => write!(f, "({part})")?,
                    other => write!(f, "{other}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Literal(literal) => literal.fmt(f),
            Self::Input { name, optional } => write!(f, "${name}{}", if *optional { "?" } else { "" }),
            Self::Path(path) => path.fmt(f),
            Self::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                joined(f, arguments, ", ")?;
                f.write_str(")")
            }
            Self::Negate(of) => write!(f, "-{}", Inner(of)),
            Self::Arithmetic(op, a, b) => write!(f, "{} {} {}", Inner(a), op.symbol(), Inner(b)),
            Self::Compare(op, a, b) => write!(f, "{} {} {}", Inner(a), op.symbol(), Inner(b)),
            Self::In(of, Set::Values(values)) => {
                write!(f, "{} in (", Inner(of))?;
                joined(f, values, ", ")?;
                f.write_str(")")
            }
            Self::In(of, Set::Range(from, to)) => {
                write!(f, "{} in ", Inner(of))?;
                from.iter().try_for_each(|end| Inner(end).fmt(f))?;
                f.write_str("..")?;
                to.iter().try_for_each(|end| Inner(end).fmt(f))
            }
            Self::In(of, Set::Input { name, optional, max }) => {
                write!(f, "{} in ${name}{} max {max}", Inner(of), if *optional { "?" } else { "" })
            }
            Self::IsNull { of, negated } => write!(f, "{} is {}null", Inner(of), if *negated { "not " } else { "" }),
            Self::StartsWith(a, b) => write!(f, "{} starts with {}", Inner(a), Inner(b)),
            Self::Has(has, a, b) => {
                let word = match has {
                    Has::One => "has",
                    Has::All => "has all",
                    Has::Any => "has any",
                };
                write!(f, "{} {word} {}", Inner(a), Inner(b))
            }
            Self::Not(of) => write!(f, "not ({of})"),
            Self::And(parts) => joined(f, parts, " and "),
            Self::Or(parts) => joined(f, parts, " or "),
        }
    }
}
