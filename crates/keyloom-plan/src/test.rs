//! What a test of `by` or `where` does for a read: it fixes a field, bounds it, or remains to be tested on rows.

use keyloom_model::{ByItem, Compare, Entity, Expr, Function, Literal, Path, Root, Set, Type};

/// What a test does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// The field has this value, or one of these.
    Fixes {
        /// The own field.
        field: String,
        /// Its values.
        to: Fixed,
    },
    /// The field lies in a range.
    Bounds {
        /// The own field.
        field: String,
        /// The range.
        within: Within,
    },
    /// Nothing but a look at the row decides.
    Remains(Expr),
}

/// The values of a fixed field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fixed {
    /// One value.
    To(Expr),
    /// One of several.
    OneOf(Vec<Expr>),
    /// The caller's tenant.
    Tenant,
    /// One of the values to which the rows of an edge lead.
    Through {
        /// The edge.
        entity: String,
        /// Its field.
        field: String,
        /// How many rows lead there at most, where the catalog says so.
        max: Option<u64>,
    },
    /// One of a list that is sent.
    List {
        /// The input.
        input: String,
        /// How many values it may have.
        max: u64,
    },
}

impl Fixed {
    /// How many values at most; `None` where nobody says so.
    pub fn values_max(&self) -> Option<u64> {
        match self {
            Self::To(_) | Self::Tenant => Some(1),
            Self::OneOf(values) => Some(values.len() as u64),
            Self::List { max, .. } => Some(*max),
            Self::Through { max, .. } => *max,
        }
    }

    /// It as a test of the row; nothing where a row can't tell.
    pub fn expr(&self, field: &str) -> Option<Expr> {
        let of = || Box::new(Expr::Path(Path::own(field)));
        match self {
            Self::To(value) => Some(Expr::Compare(Compare::Equal, of(), Box::new(value.clone()))),
            Self::OneOf(values) => Some(Expr::In(of(), Set::Values(values.clone()))),
            Self::List { input, max } => {
                Some(Expr::In(of(), Set::Input { name: input.clone(), optional: false, max: *max }))
            }
            Self::Tenant | Self::Through { .. } => None,
        }
    }

    /// Whether it is the same for every caller at every moment, so that a table can hold just these rows.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::To(value) => is_constant(value),
            Self::OneOf(values) => values.iter().all(is_constant),
            Self::Tenant | Self::Through { .. } | Self::List { .. } => false,
        }
    }
}

/// A range of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// Between two values, of which one may be missing, each with whether it is in the range itself.
    Ends {
        /// Where it begins.
        low: Option<(Expr, bool)>,
        /// Where it ends.
        high: Option<(Expr, bool)>,
    },
    /// All that begin so.
    Prefix(Expr),
    /// A range of what a function makes of the field, which keeps the order: `time(id) < $t`, `day(at) = $day`.
    Of(Function, Box<Within>),
}

impl Within {
    /// It as a test of the row.
    pub fn expr(&self, field: &str) -> Expr {
        self.test(Expr::Path(Path::own(field)))
    }

    fn test(&self, of: Expr) -> Expr {
        let compare =
            |compare, of: &Expr, end: &Expr| Expr::Compare(compare, Box::new(of.clone()), Box::new(end.clone()));
        match self {
            Self::Ends { low, high } => {
                let low = low.as_ref().map(|(end, included)| {
                    compare(if *included { Compare::GreaterOrEqual } else { Compare::Greater }, &of, end)
                });
                let high = high.as_ref().map(|(end, included)| {
                    compare(if *included { Compare::LessOrEqual } else { Compare::Less }, &of, end)
                });
                match (low, high) {
                    (Some(low), Some(high)) => Expr::And(vec![low, high]),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => Expr::Literal(Literal::Bool(true)),
                }
            }
            Self::Prefix(prefix) => Expr::StartsWith(Box::new(of), Box::new(prefix.clone())),
            Self::Of(function, within) => within.test(Expr::Call(*function, vec![of])),
        }
    }
}

/// What the items of a `by` and the tests of a `where` do, in the order written. `sent` are the optional inputs that the
/// caller sends; a test that needs another one is not there.
pub fn tests(entity: &Entity, by: &[ByItem], filter: Option<&Expr>, sent: &[&str]) -> Vec<Test> {
    let mut found: Vec<Test> = by
        .iter()
        .map(|item| match own(&item.path) {
            Some(field) => Test::Fixes { field: field.to_owned(), to: Fixed::To(item.value.clone()) },
            None => Test::Remains(equal(Expr::Path(item.path.clone()), item.value.clone())),
        })
        .collect();
    for test in filter.map_or(&[][..], Expr::conjuncts) {
        found.extend(with_sent(test, sent).map(|test| classify(entity, &test)));
    }
    found
}

/// A test as it stands when only these optional inputs are sent; nothing when it needs another one. A range may lose an end
/// alone.
fn with_sent(test: &Expr, sent: &[&str]) -> Option<Expr> {
    let is_missing = |expr: &Expr| optional_inputs(expr).iter().any(|input| !sent.contains(&input.as_str()));
    if let Expr::In(of, Set::Range(low, high)) = test {
        let end = |end: &Option<Box<Expr>>| end.clone().filter(|end| !is_missing(end));
        let (low, high) = (end(low), end(high));
        return (low.is_some() || high.is_some()).then(|| Expr::In(of.clone(), Set::Range(low, high)));
    }
    (!is_missing(test)).then(|| test.clone())
}

/// The optional inputs of an expression, in the order of their first use.
pub(crate) fn optional_inputs(expr: &Expr) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    expr.walk(&mut |part| {
        let (Expr::Input { name, optional: true } | Expr::In(_, Set::Input { name, optional: true, .. })) = part else {
            return;
        };
        if !found.contains(name) {
            found.push(name.clone());
        }
    });
    found
}

fn classify(entity: &Entity, test: &Expr) -> Test {
    let of = |expr: &Expr| match expr {
        Expr::Path(path) => own(path).map(str::to_owned),
        _ => None,
    };
    match test {
        // A bare bool is a test, and so is its contrary where it must be there: what is absent does not hold, either.
        Expr::Path(path) if own(path).is_some() => fixes(&path.field, Expr::Literal(Literal::Bool(true))),
        Expr::Not(inner) => match of(inner).filter(|name| entity.field(name).is_some_and(|field| !field.optional)) {
            Some(field) => fixes(&field, Expr::Literal(Literal::Bool(false))),
            None => Test::Remains(test.clone()),
        },
        Expr::Compare(compare, left, right) => {
            let (compare, left, right) = match (of_field(entity, left), reads_row(right)) {
                (Some(_), false) => (*compare, left, right),
                // The field stands left.
                _ => (mirrored(*compare), right, left),
            };
            match of_field(entity, left).filter(|_| !reads_row(right)) {
                Some(compared) => compared.test(compare, right).unwrap_or_else(|| Test::Remains(test.clone())),
                None => Test::Remains(test.clone()),
            }
        }
        Expr::In(left, set) => match (of_field(entity, left), set) {
            (Some(Compared { field, function: None }), Set::Values(values)) if !values.iter().any(reads_row) => {
                Test::Fixes { field, to: one_of(values) }
            }
            (Some(Compared { field, function: None }), Set::Input { name, max, .. }) => {
                Test::Fixes { field, to: Fixed::List { input: name.clone(), max: *max } }
            }
            (Some(compared), Set::Range(low, high)) if ![low, high].into_iter().flatten().any(|end| reads_row(end)) => {
                let end = |end: &Option<Box<Expr>>, included| end.as_ref().map(|end| ((**end).clone(), included));
                compared.within(Within::Ends { low: end(low, true), high: end(high, false) })
            }
            _ => Test::Remains(test.clone()),
        },
        Expr::StartsWith(left, prefix) if !reads_row(prefix) => match of_field(entity, left) {
            Some(compared) if compared.function.is_none() => compared.within(Within::Prefix((**prefix).clone())),
            _ => Test::Remains(test.clone()),
        },
        _ => Test::Remains(test.clone()),
    }
}

fn fixes(field: &str, to: Expr) -> Test {
    Test::Fixes { field: field.to_owned(), to: Fixed::To(to) }
}

/// Several values in one order, whichever way they are written.
fn one_of(values: &[Expr]) -> Fixed {
    let mut values = values.to_vec();
    values.sort_by_key(ToString::to_string);
    values.dedup();
    if values.len() == 1 { Fixed::To(values.remove(0)) } else { Fixed::OneOf(values) }
}

/// What stands on the left of a comparison: a field, or a function of it that keeps its order.
struct Compared {
    field: String,
    function: Option<Function>,
}

impl Compared {
    fn test(self, compare: Compare, value: &Expr) -> Option<Test> {
        let value = || value.clone();
        let (low, high) = match compare {
            Compare::Equal if self.function.is_none() => return Some(fixes(&self.field, value())),
            Compare::Equal => (Some((value(), true)), Some((value(), true))),
            Compare::Less => (None, Some((value(), false))),
            Compare::LessOrEqual => (None, Some((value(), true))),
            Compare::Greater => (Some((value(), false)), None),
            Compare::GreaterOrEqual => (Some((value(), true)), None),
            Compare::NotEqual => return None,
        };
        Some(self.within(Within::Ends { low, high }))
    }

    fn within(self, within: Within) -> Test {
        let within = match self.function {
            Some(function) => Within::Of(function, Box::new(within)),
            None => within,
        };
        Test::Bounds { field: self.field, within }
    }
}

/// A field that stands alone, or in a function that keeps its order.
fn of_field(entity: &Entity, expr: &Expr) -> Option<Compared> {
    match expr {
        Expr::Path(path) => Some(Compared { field: own(path)?.to_owned(), function: None }),
        Expr::Call(function, arguments) => {
            let [Expr::Path(path)] = &arguments[..] else { return None };
            let field = entity.field(own(path)?)?;
            let keeps = match function {
                Function::Time => matches!(field.ty, Type::Uuid7),
                Function::Hour => matches!(field.ty, Type::Uuid7 | Type::Timestamp { .. }),
                Function::Day | Function::Month | Function::Year => {
                    matches!(field.ty, Type::Uuid7 | Type::Timestamp { .. } | Type::Date)
                }
                _ => false,
            };
            keeps.then(|| Compared { field: field.name.clone(), function: Some(*function) })
        }
        _ => None,
    }
}

/// The own field that a path is, if it is nothing more.
fn own(path: &Path) -> Option<&str> {
    (path.root == Root::Own && path.members.is_empty()).then_some(path.field.as_str())
}

/// Whether an expression looks at the row.
fn reads_row(expr: &Expr) -> bool {
    !expr.paths().is_empty()
}

/// Whether an expression is the same for every caller at every moment.
fn is_constant(expr: &Expr) -> bool {
    !reads_row(expr) && !expr.varies()
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::Compare(Compare::Equal, Box::new(left), Box::new(right))
}

fn mirrored(compare: Compare) -> Compare {
    match compare {
        Compare::Equal | Compare::NotEqual => compare,
        Compare::Less => Compare::Greater,
        Compare::LessOrEqual => Compare::GreaterOrEqual,
        Compare::Greater => Compare::Less,
        Compare::GreaterOrEqual => Compare::LessOrEqual,
    }
}
