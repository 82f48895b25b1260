//! Expressions: names looked up, types checked, inputs inferred.

use std::ops::Range;

use keyloom_finding::Finding;
use keyloom_model::{Arithmetic, Expr, Function, Literal, Member, Path, Root, Set, Size, Type};

use super::inputs::{CALLER, Inputs, same_type};
use super::scope::{Names, Row, find_path};
use super::syntax::Reader;
use crate::parse::expr::{Expr as Written, ExprKind, PathStep, Word};
use crate::rules::{bad_expression, misplaced_optional, type_mismatch, unknown_name};
use crate::text::Text;

/// What an expression may use.
pub(super) struct Scope<'c, 'i> {
    pub(super) names: &'c Names<'c>,
    /// The row whose fields it may read.
    pub(super) row: Option<Row<'c>>,
    /// The item of an `each`: its name, and the list input it comes from.
    pub(super) item: Option<(&'i str, &'i str, u64)>,
    /// Where inputs are gathered; nothing where there are none, as in an entity.
    pub(super) inputs: Option<&'i mut Inputs>,
}

/// An expression with its type; the type is unknown after a fault, and for an input that nothing has decided yet.
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) ty: Option<Type>,
}

/// Lowers the expressions of one text.
pub(super) struct Typing<'r, 'a, 'c, 'i> {
    pub(super) reader: &'r mut Reader<'a>,
    pub(super) scope: &'r mut Scope<'c, 'i>,
    pub(super) text: &'r Text,
}

impl Typing<'_, '_, '_, '_> {
    /// A test at the top of `where` or `if`: bool, and its conjuncts may hold optional inputs.
    pub(super) fn test(&mut self, written: &Written) -> Option<Expr> {
        let before = self.reader.faults();
        let parts = match &written.kind {
            ExprKind::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(written),
        };
        let mut tests = Vec::new();
        for part in parts {
            let typed = self.lower(part, Some(&Type::Bool), true);
            self.expect_bool(part, &typed);
            tests.push(typed.expr);
        }
        if self.reader.faults() > before {
            return None;
        }
        if tests.len() == 1 { tests.pop() } else { Some(Expr::And(tests)) }
    }

    /// A value of a type.
    pub(super) fn value(&mut self, written: &Written, ty: &Type) -> Option<Expr> {
        let before = self.reader.faults();
        let typed = self.lower(written, Some(ty), false);
        if let Some(found) = &typed.ty {
            self.fit(written, found, ty);
        }
        (self.reader.faults() == before).then_some(typed.expr)
    }

    /// A value of any type.
    pub(super) fn any(&mut self, written: &Written) -> Option<Typed> {
        let before = self.reader.faults();
        let typed = self.lower(written, None, false);
        (self.reader.faults() == before).then_some(typed)
    }

    fn expect_bool(&mut self, written: &Written, typed: &Typed) {
        if let Some(ty) = &typed.ty
            && *ty != Type::Bool
        {
            let message = format!("this is {}, and a test is true or false", ty.word());
            self.fault(written.range.clone(), message, Some("compare it with something: `status = OPEN`".into()));
        }
    }

    fn fault(&mut self, range: Range<usize>, message: String, help: Option<String>) {
        let place = self.text.place(range);
        self.reader.push(type_mismatch::finding(place, message, help));
    }

    /// Reports a value that can't be used where a type is wanted.
    fn fit(&mut self, written: &Written, found: &Type, wanted: &Type) {
        if fits(found, wanted) {
            return;
        }
        let help = match (found, wanted) {
            (Type::Text(_), Type::Enum(_)) => self.variant(written, wanted),
            (_, Type::Text(_)) => Some(format!("turn it into text: `text({})`", self.source(written))),
            (Type::Timestamp { .. }, Type::Date) => Some(format!("take its day: `day({})`", self.source(written))),
            (Type::Uuid7, Type::Timestamp { .. }) => Some(format!("read its time: `time({})`", self.source(written))),
            _ => None,
        };
        let message = format!("`{}` is {}, and {} is wanted here", self.source(written), found.word(), wanted.word());
        self.fault(written.range.clone(), message, help);
    }

    /// The value of an enum that was meant by a text in quotes or a word in lower case.
    fn variant(&self, written: &Written, ty: &Type) -> Option<String> {
        let Type::Enum(variants) = ty else { return None };
        let source = self.source(written);
        let name = source.trim_matches('\'').to_uppercase();
        let found = variants.iter().find(|variant| variant.name == name)?;
        Some(format!("a value of an enum stands in capitals and without quotes: `{}`", found.name))
    }

    fn source(&self, written: &Written) -> String {
        self.text.text.get(written.range.clone()).unwrap_or("").to_owned()
    }

    fn lower(&mut self, written: &Written, expected: Option<&Type>, optional_fits: bool) -> Typed {
        match &written.kind {
            ExprKind::Literal(literal) => self.literal(written, literal, expected),
            ExprKind::Input { name, optional } => {
                if *optional && !optional_fits {
                    let place = self.text.place(written.range.clone());
                    self.reader.push(misplaced_optional::finding(place, &name.text));
                }
                let ty = self.input(name, expected, *optional && optional_fits, None);
                Typed { expr: Expr::Input { name: name.text.clone(), optional: *optional }, ty }
            }
            ExprKind::Path(first, steps) => self.path(written, first, steps, expected),
            ExprKind::Call(function, arguments) => self.call(written, *function, arguments),
            ExprKind::Negate(of) => {
                let of = self.lower(of, expected, optional_fits);
                Typed { expr: Expr::Negate(Box::new(of.expr)), ty: of.ty }
            }
            ExprKind::Arithmetic(op, a, b) => self.arithmetic(written, *op, a, b, expected, optional_fits),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = self.pair(a, b, optional_fits);
                Typed { expr: Expr::Compare(*op, Box::new(a.expr), Box::new(b.expr)), ty: Some(Type::Bool) }
            }
            ExprKind::InValues(of, values) => {
                let left = self.lower(of, None, optional_fits);
                let values = values.iter().map(|value| self.beside(value, &left, optional_fits).expr).collect();
                boolean(Expr::In(Box::new(left.expr), Set::Values(values)))
            }
            ExprKind::InRange(of, from, to) => {
                let left = self.lower(of, None, optional_fits);
                let mut end = |end: &Option<Box<Written>>| {
                    end.as_ref().map(|end| Box::new(self.beside(end, &left, optional_fits).expr))
                };
                let (from, to) = (end(from), end(to));
                if let (Some(Expr::Input { optional: true, .. }), Some(Expr::Input { name, optional: true })) =
                    (from.as_deref(), to.as_deref())
                    && let Some(inputs) = self.scope.inputs.as_deref_mut()
                {
                    inputs.count_once(name);
                }
                boolean(Expr::In(Box::new(left.expr), Set::Range(from, to)))
            }
            ExprKind::InInput { of, name, optional, max } => {
                let left = self.lower(of, None, optional_fits);
                self.input(name, left.ty.as_ref(), *optional && optional_fits, Some(*max));
                let set = Set::Input { name: name.text.clone(), optional: *optional, max: *max };
                boolean(Expr::In(Box::new(left.expr), set))
            }
            ExprKind::IsNull { of, negated } => {
                let of = self.lower(of, None, false);
                boolean(Expr::IsNull { of: Box::new(of.expr), negated: *negated })
            }
            ExprKind::StartsWith(a, b) => {
                let left = self.lower(a, None, optional_fits);
                if let Some(ty) = left.ty.as_ref().filter(|ty| !matches!(ty, Type::Text(_))) {
                    let message = format!("`{}` is {}; only text starts with something", self.source(a), ty.word());
                    self.fault(a.range.clone(), message, Some("compare it with `=` or `in`".to_owned()));
                }
                let right = self.beside(b, &left, optional_fits);
                boolean(Expr::StartsWith(Box::new(left.expr), Box::new(right.expr)))
            }
            ExprKind::Has(has, a, b) => self.has(*has, a, b, optional_fits),
            ExprKind::Not(of) => {
                let typed = self.lower(of, Some(&Type::Bool), false);
                self.expect_bool(of, &typed);
                boolean(Expr::Not(Box::new(typed.expr)))
            }
            ExprKind::And(parts) => boolean(Expr::And(self.tests(parts))),
            ExprKind::Or(parts) => boolean(Expr::Or(self.tests(parts))),
        }
    }

    fn tests(&mut self, parts: &[Written]) -> Vec<Expr> {
        let mut tests = Vec::new();
        for part in parts {
            let typed = self.lower(part, Some(&Type::Bool), false);
            self.expect_bool(part, &typed);
            tests.push(typed.expr);
        }
        tests
    }

    /// A value next to another. Where that one was not understood, nobody can say whether this is one of its values.
    fn beside(&mut self, written: &Written, other: &Typed, optional_fits: bool) -> Typed {
        if let (Expr::Literal(Literal::Null), None, ExprKind::Literal(literal @ Literal::Variant(_))) =
            (&other.expr, &other.ty, &written.kind)
        {
            return Typed { expr: Expr::Literal(literal.clone()), ty: None };
        }
        self.against(written, other.ty.as_ref(), optional_fits)
    }

    /// A value next to one whose type is known.
    fn against(&mut self, written: &Written, ty: Option<&Type>, optional_fits: bool) -> Typed {
        let typed = self.lower(written, ty, optional_fits);
        if let (Some(found), Some(ty)) = (&typed.ty, ty)
            && !fits(found, ty)
            && !fits(ty, found)
        {
            let message =
                format!("`{}` is {}, and it is compared with {}", self.source(written), found.word(), ty.word());
            let help = match ty {
                Type::Date => "a day is written `'2026-11-15'`".to_owned(),
                Type::Uuid | Type::Uuid7 => "a uuid is written between quotes, all 36 characters".to_owned(),
                Type::Text(_) => format!("turn it into text: `text({})`", self.source(written)),
                Type::Enum(_) => self.variant(written, ty).unwrap_or_else(|| "compare it with its values".to_owned()),
                _ => "compare values of one type".to_owned(),
            };
            self.fault(written.range.clone(), message, Some(help));
        }
        typed
    }

    /// Two sides of a comparison; the side whose type is known decides for the other.
    fn pair(&mut self, a: &Written, b: &Written, optional_fits: bool) -> (Typed, Typed) {
        let undecided = |side: &Written| matches!(side.kind, ExprKind::Input { .. } | ExprKind::Literal(_));
        if undecided(a) && !undecided(b) {
            let right = self.lower(b, None, optional_fits);
            let test = format!("day(now){}", self.between(a.range.end, b.range.end));
            let left = self.moment_beside(a, &right, &test).unwrap_or_else(|| self.beside(a, &right, optional_fits));
            return (left, right);
        }
        let left = self.lower(a, None, optional_fits);
        let test = format!("{}day(now)", self.between(a.range.start, b.range.start));
        let right = self.moment_beside(b, &left, &test).unwrap_or_else(|| self.beside(b, &left, optional_fits));
        (left, right)
    }

    fn between(&self, start: usize, end: usize) -> &str {
        self.text.text.get(start..end).unwrap_or("")
    }

    /// `due < now` where `due` is a day: `now` is a moment in the middle of one; the day itself is `day(now)`.
    fn moment_beside(&mut self, written: &Written, other: &Typed, test: &str) -> Option<Typed> {
        let is_moment = matches!(written.kind, ExprKind::Literal(Literal::Now)) && other.ty == Some(Type::Date);
        if !is_moment {
            return None;
        }
        let message = "`now` is a moment, and it is compared with a day".to_owned();
        self.fault(written.range.clone(), message, Some(format!("today is `day(now)`: write `{test}`")));
        Some(Typed { expr: Expr::Literal(Literal::Now), ty: None })
    }

    fn has(&mut self, has: keyloom_model::Has, a: &Written, b: &Written, optional_fits: bool) -> Typed {
        use keyloom_model::Has;
        let left = self.lower(a, None, optional_fits);
        let wanted = match &left.ty {
            Some(ty @ (Type::List(of, _) | Type::Set(of, _) | Type::Map(of, ..))) => match (has, ty) {
                (Has::One, _) => Some((**of).clone()),
                (Has::All | Has::Any, ty) => Some(ty.clone()),
            },
            Some(ty) => {
                let message = format!("`{}` is {}; `has` asks a list, a set or a map", self.source(a), ty.word());
                self.fault(a.range.clone(), message, Some("compare it with `=` or `in`".to_owned()));
                None
            }
            None => None,
        };
        let right = self.against(b, wanted.as_ref(), optional_fits);
        boolean(Expr::Has(has, Box::new(left.expr), Box::new(right.expr)))
    }

    fn arithmetic(
        &mut self,
        written: &Written,
        op: Arithmetic,
        a: &Written,
        b: &Written,
        expected: Option<&Type>,
        optional_fits: bool,
    ) -> Typed {
        let before = self.reader.faults();
        let (left, right) = if matches!(a.kind, ExprKind::Input { .. }) {
            let right = self.lower(b, expected, optional_fits);
            let partner = right.ty.clone().filter(|ty| *ty != Type::Duration).or_else(|| expected.cloned());
            (self.lower(a, partner.as_ref(), optional_fits), right)
        } else {
            let left = self.lower(a, expected, optional_fits);
            let partner = match &left.ty {
                // An input beside a moment can only be a span of time when something is added to it.
                Some(Type::Timestamp { .. } | Type::Date) if op == Arithmetic::Add => Some(Type::Duration),
                // A count beside what is wanted: `total + $qty * $price`.
                Some(Type::Int) if matches!(expected, Some(Type::Float | Type::Decimal { .. })) => expected.cloned(),
                other => other.clone(),
            };
            let right = self.lower(b, partner.as_ref(), optional_fits);
            (left, right)
        };
        let ty = match (&left.ty, &right.ty) {
            _ if self.reader.faults() > before => None,
            (Some(x), Some(y)) => {
                let ty = sum_type(op, x, y);
                if ty.is_none() {
                    let message = format!("`{}` can't stand between {} and {}", op.symbol(), x.word(), y.word());
                    let help = "both are numbers, or a moment and a span of time: `at + 7 days`".to_owned();
                    self.fault(written.range.clone(), message, Some(help));
                }
                ty
            }
            (known, other) => known.clone().or_else(|| other.clone()),
        };
        Typed { expr: Expr::Arithmetic(op, Box::new(left.expr), Box::new(right.expr)), ty }
    }

    fn input(&mut self, name: &Word, ty: Option<&Type>, optional: bool, list_max: Option<u64>) -> Option<Type> {
        let place = self.text.place(name.range.clone());
        let Some(inputs) = self.scope.inputs.as_deref_mut() else {
            let message = format!("`${}` is an input of a call, and nobody calls an entity", name.text);
            let field = self.scope.row.and_then(|row| row.entity.field(&name.text));
            let help = match field {
                Some(field) => format!("write the field without `$`: `{}`", field.name),
                None => "use fields, constants and `now`".to_owned(),
            };
            self.reader.push(bad_expression::finding(place, message, Some(help)));
            return None;
        };
        if name.text == CALLER {
            // The subject's form is the identity provider's business; it is compared as whatever stands beside it.
            return ty.cloned();
        }
        let used = inputs.use_as(&name.text, place, ty, optional, list_max);
        if optional {
            inputs.drops_test(&name.text);
        }
        match used {
            Ok(ty) => ty,
            Err(finding) => {
                self.reader.push(finding);
                None
            }
        }
    }

    fn path(&mut self, written: &Written, first: &Word, steps: &[PathStep], expected: Option<&Type>) -> Typed {
        if let Some((item, list, max)) = self.scope.item
            && item == first.text
            && let [] | [PathStep::Name(_)] = steps
        {
            // A list of plain values is an input of its own name; the members of a list of structs are one input each.
            let (name, field) = match steps.first() {
                Some(PathStep::Name(member)) => (format!("{list}[].{}", member.text), member.text.clone()),
                _ => (list.to_owned(), String::new()),
            };
            let ty = self.input(&Word { range: written.range.clone(), text: name }, expected, false, Some(max));
            let path = Path { root: Root::Item(item.to_owned()), field, members: Vec::new() };
            return Typed { expr: Expr::Path(path), ty };
        }
        let Some(row) = self.scope.row else {
            let place = self.text.place(first.range.clone());
            self.reader.push(unknown_name::finding(place, "field", &first.text, " here", None, &[]));
            return Typed { expr: Expr::Literal(Literal::Null), ty: None };
        };
        match find_path(self.scope.names, row, first, steps, self.text) {
            Ok(found) => {
                for (member, step) in found.path.members.iter().zip(steps) {
                    if let (Member::Input(_), PathStep::Input(word)) = (member, step)
                        && let Some(Type::Map(key, ..)) = row.entity.field(&found.path.field).map(|field| &field.ty)
                    {
                        let key = (**key).clone();
                        self.input(word, Some(&key), false, None);
                    }
                }
                Typed { expr: Expr::Path(found.path), ty: Some(found.ty) }
            }
            Err(finding) => {
                let finding = match finding {
                    Some(finding) if steps.is_empty() => Some(self.no_field(finding, written, expected)),
                    other => other,
                };
                self.reader.push(finding);
                Typed { expr: Expr::Literal(Literal::Null), ty: None }
            }
        }
    }

    /// A word that is no field, and perhaps was meant to be a value of an enum, an input or a text.
    fn no_field(&self, finding: Finding, written: &Written, expected: Option<&Type>) -> Finding {
        if let Some(variant) = expected.and_then(|ty| self.variant(written, ty)) {
            return finding.label("").help(variant);
        }
        let word = self.source(written);
        let input = self.scope.inputs.as_ref().map(|_| format!("an input is written `${word}`"));
        let text = matches!(expected, None | Some(Type::Text(_))).then(|| format!("a text `'{word}'`"));
        let other = [input, text].into_iter().flatten().collect::<Vec<_>>().join(", ");
        // Where a field is near, that one was meant.
        if other.is_empty() || !finding.label.is_empty() { finding } else { finding.help(other) }
    }

    fn literal(&mut self, written: &Written, literal: &Literal, expected: Option<&Type>) -> Typed {
        let ty = match (literal, expected) {
            (Literal::Int(_), Some(ty @ (Type::Float | Type::Decimal { .. }))) => Some(ty.clone()),
            (Literal::Int(_), _) => Some(Type::Int),
            (Literal::Bytes(_), _) => Some(Type::Int),
            (Literal::Decimal(_), Some(Type::Float)) => Some(Type::Float),
            (Literal::Decimal(digits), expected) => {
                let scale =
                    digits.split_once('.').map_or(0, |(_, fraction)| u8::try_from(fraction.len()).unwrap_or(u8::MAX));
                match expected {
                    Some(Type::Decimal { scale: wanted }) if scale <= *wanted => Some(Type::Decimal { scale: *wanted }),
                    _ => Some(Type::Decimal { scale }),
                }
            }
            (Literal::Share(_), _) => Some(Type::Float),
            (Literal::Text(text), Some(ty)) if text_reads_as(text, ty) => Some(ty.clone()),
            (Literal::Text(text), _) => {
                let size = text.len() as u64;
                Some(Type::Text(Size { typical: size, max: size }))
            }
            (Literal::Bool(_), _) => Some(Type::Bool),
            (Literal::Span(_), _) => Some(Type::Duration),
            (Literal::Now, Some(ty @ Type::Timestamp { .. })) => Some(ty.clone()),
            (Literal::Now, _) => Some(Type::Timestamp { micros: false }),
            (Literal::New, Some(Type::Uuid7)) => Some(Type::Uuid7),
            (Literal::New, _) => Some(Type::Uuid),
            (Literal::Null, _) => None,
            (Literal::Variant(name), Some(Type::Enum(variants))) => {
                if !variants.iter().any(|variant| variant.name == *name) {
                    let all: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
                    let place = self.text.place(written.range.clone());
                    let nearest = self.reader.suggest(name, all.iter().copied());
                    self.reader.push(unknown_name::finding(place, "value", name, " in this enum", nearest, &all));
                }
                expected.cloned()
            }
            (Literal::Variant(name), expected) => {
                let help = format!("if it is text, put it in quotes: `'{name}'`");
                let wanted = expected
                    .map_or_else(|| "nothing here is an enum".to_owned(), |ty| format!("{} is wanted here", ty.word()));
                self.fault(written.range.clone(), format!("`{name}` is a value of an enum, and {wanted}"), Some(help));
                None
            }
        };
        Typed { expr: Expr::Literal(literal.clone()), ty }
    }

    fn call(&mut self, written: &Written, function: Function, arguments: &[Written]) -> Typed {
        let counts = match function {
            Function::Left | Function::Min | Function::Max => 2..=2,
            Function::Geohash => 3..=3,
            _ => 1..=1,
        };
        if !counts.contains(&arguments.len()) {
            let message =
                format!("`{}` takes {}, and here it has {}", function.name(), values(*counts.start()), arguments.len());
            let example = match function {
                Function::Left => "left(title, 8)",
                Function::Min | Function::Max => "max(best, $score)",
                Function::Geohash => "geohash(lat, lon, 6)",
                _ => "lower(title)",
            };
            self.fault(written.range.clone(), message, Some(format!("for example `{example}`")));
        }
        let first_wanted = match function {
            Function::Lower | Function::Upper | Function::Left => Some(Type::Text(Size { typical: 0, max: u64::MAX })),
            Function::Time => Some(Type::Uuid7),
            Function::Day | Function::Hour | Function::Month | Function::Year => {
                Some(Type::Timestamp { micros: false })
            }
            Function::Geohash => Some(Type::Float),
            _ => None,
        };
        let mut types: Vec<Option<Type>> = Vec::new();
        let mut lowered = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let wanted = match (function, at) {
                (Function::Min | Function::Max, 1..) => types.first().cloned().flatten(),
                (Function::Left, 1) | (Function::Geohash, 2) => Some(Type::Int),
                (Function::Geohash, 1) => Some(Type::Float),
                (_, 0) => first_wanted.clone(),
                _ => None,
            };
            let typed = self.lower(argument, wanted.as_ref(), false);
            if let (Some(found), Some(wanted)) = (&typed.ty, &wanted) {
                // Months of a day and minutes of a date are asked for too.
                let day_of_date = matches!((found, wanted), (Type::Date, Type::Timestamp { .. }));
                // Coordinates are written as decimals too.
                let coordinate = function == Function::Geohash && matches!(found, Type::Decimal { .. });
                if !day_of_date && !coordinate {
                    self.fit(argument, found, wanted);
                }
            }
            types.push(typed.ty);
            lowered.push(typed.expr);
        }
        let first = types.first().cloned().flatten();
        let constant = |at: usize| match arguments.get(at).map(|argument| &argument.kind) {
            Some(ExprKind::Literal(Literal::Int(n))) => u64::try_from(*n).ok(),
            _ => None,
        };
        let ty = match function {
            Function::Lower | Function::Upper | Function::Min | Function::Max => first,
            Function::Left => match (first, constant(1)) {
                (Some(Type::Text(size)), Some(n)) => {
                    Some(Type::Text(Size { typical: size.typical.min(n), max: size.max.min(n.saturating_mul(4)) }))
                }
                (first, _) => first,
            },
            Function::Size | Function::Year => Some(Type::Int),
            Function::Time | Function::Hour => Some(Type::Timestamp { micros: false }),
            Function::Day | Function::Month => Some(Type::Date),
            Function::Text => Some(Type::Text(text_size(first.as_ref()))),
            Function::Geohash => {
                let n = constant(2).unwrap_or(12);
                Some(Type::Text(Size { typical: n, max: n }))
            }
        };
        Typed { expr: Expr::Call(function, lowered), ty }
    }
}

fn boolean(expr: Expr) -> Typed {
    Typed { expr, ty: Some(Type::Bool) }
}

fn values(count: usize) -> String {
    if count == 1 { "one value".to_owned() } else { format!("{count} values") }
}

/// Whether a value of one type can be used where the other is wanted.
pub(super) fn fits(found: &Type, wanted: &Type) -> bool {
    match (found, wanted) {
        (Type::Int, Type::Float | Type::Decimal { .. }) => true,
        (Type::Decimal { scale: a }, Type::Decimal { scale: b }) => a <= b,
        (found, wanted @ Type::OneOf(_)) if same_type(found, wanted) => true,
        (found, Type::OneOf(types)) => types.iter().any(|ty| fits(found, ty)),
        (a, b) => same_type(a, b),
    }
}

/// The type of a sum, a difference or a product.
fn sum_type(op: Arithmetic, a: &Type, b: &Type) -> Option<Type> {
    use Type::{Date, Decimal, Duration, Float, Int, Timestamp};
    match (op, a, b) {
        (Arithmetic::Add | Arithmetic::Subtract, Timestamp { .. } | Date, Duration) => Some(a.clone()),
        (Arithmetic::Add, Duration, Timestamp { .. } | Date) => Some(b.clone()),
        (Arithmetic::Subtract, Timestamp { .. }, Timestamp { .. }) | (Arithmetic::Subtract, Date, Date) => {
            Some(Duration)
        }
        (Arithmetic::Add | Arithmetic::Subtract, Duration, Duration) => Some(Duration),
        (Arithmetic::Multiply, Duration, Int) | (Arithmetic::Multiply, Int, Duration) => Some(Duration),
        (_, Int, Int) => Some(Int),
        (_, Float, Int | Float) | (_, Int, Float) => Some(Float),
        (_, Decimal { scale: x }, Decimal { scale: y }) => Some(Decimal { scale: *x.max(y) }),
        (_, Decimal { scale }, Int) | (_, Int, Decimal { scale }) => Some(Decimal { scale: *scale }),
        _ => None,
    }
}

/// Whether a quoted text is a constant of a type that has no literal of its own.
fn text_reads_as(text: &str, ty: &Type) -> bool {
    match ty {
        Type::Date => keyloom_model::Date::parse(text).is_some(),
        Type::Timestamp { .. } => is_moment(text),
        Type::Uuid | Type::Uuid7 => {
            text.len() == 36
                && text.bytes().enumerate().all(|(at, byte)| match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                })
        }
        Type::Ip => text.parse::<std::net::IpAddr>().is_ok(),
        _ => false,
    }
}

/// Whether a text is a moment as answers write it: `2026-11-15T12:30:00.000Z`, with or without a fraction.
fn is_moment(text: &str) -> bool {
    let Some((day, time)) = text.strip_suffix('Z').and_then(|moment| moment.split_once('T')) else { return false };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let limits = [24, 60, 60];
    let parts: Vec<&str> = clock.split(':').collect();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    keyloom_model::Date::parse(day).is_some()
        && parts.len() == limits.len()
        && parts
            .iter()
            .zip(limits)
            .all(|(part, limit)| part.len() == 2 && digits(part) && part.parse::<u8>().is_ok_and(|value| value < limit))
        && digits(fraction)
        && fraction.len() <= 6
}

/// How long a value is as text.
fn text_size(ty: Option<&Type>) -> Size {
    let fixed = |bytes| Size { typical: bytes, max: bytes };
    match ty {
        Some(Type::Uuid | Type::Uuid7) => fixed(36),
        Some(Type::Text(size)) => *size,
        Some(Type::Bool) => Size { typical: 4, max: 5 },
        Some(Type::Date) => fixed(10),
        Some(Type::Timestamp { .. }) => Size { typical: 24, max: 27 },
        _ => Size { typical: 10, max: 40 },
    }
}
