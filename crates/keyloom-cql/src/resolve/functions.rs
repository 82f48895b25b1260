//! Which function a call means, by the types of what it is given and of what is asked of it.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::hints::Target;
use super::signatures::{self, Made};
use super::typed::{Collection, Fit, Typed};
use crate::Span;
use crate::ast::{Arithmetic, Native, QualifiedName};
use crate::schema::Type;

/// Something that a function can be given: a term, or something selected.
pub(super) trait Argument {
    /// How it fits a type.
    fn fit(&self, context: &Context<'_>, asked: &Typed<'_>) -> Outcome<Fit>;
    /// The type it would have best, where it has one of its own.
    fn compatible(&self, context: &Context<'_>) -> Option<Typed<'static>>;
    /// Whether it is a marker and nothing else.
    fn is_marker(&self) -> bool;
    /// How many elements it has, if it is a list that is selected.
    fn selected_list(&self) -> Option<usize>;
    /// Where it is written.
    fn span(&self) -> Span;
}

/// A function that was found.
#[derive(Debug, Clone)]
pub(super) struct Function {
    /// The types of its arguments.
    pub(super) arguments: Vec<Typed<'static>>,
    /// What it returns.
    pub(super) returns: Typed<'static>,
    /// Whether it takes many rows to one value.
    pub(super) aggregate: bool,
    /// Whether it was made to measure.
    pub(super) made: bool,
}

/// What is called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Callee<'n> {
    /// A function by its name.
    Named(&'n QualifiedName),
    /// An operator.
    Operator(Arithmetic),
    /// A minus in front.
    Minus,
    /// `CAST(.. AS type)`
    Cast(Target),
}

/// A call to be looked up.
pub(super) struct Call<'c, A> {
    /// What is called.
    pub(super) callee: Callee<'c>,
    /// What it is given.
    pub(super) arguments: &'c [A],
    /// Where it is written.
    pub(super) at: Span,
    /// Whether the call knows for which table it is made, which `token` asks.
    pub(super) in_table: bool,
}

impl Context<'_> {
    /// The function that a call means; `None` when there is none of that name. What is asked of it counts where several
    /// functions share a name.
    pub(super) fn find<A: Argument>(&self, call: &Call<'_, A>, asked: Option<&Typed<'_>>) -> Outcome<Option<Function>> {
        if let Callee::Named(name) = call.callee
            && let Some(hole) = name.keyspace.iter().chain([&name.name]).find(|name| name.unknown)
        {
            self.meet(&hole.text);
            let arguments = call.arguments.iter().map(|_| Typed::unknown()).collect();
            return Ok(Some(Function { arguments, returns: Typed::unknown(), aggregate: false, made: true }));
        }
        let candidates = self.candidates(call, asked)?;
        match candidates.len() {
            0 => Ok(None),
            1 => {
                let only = candidates.into_iter().next();
                if let Some(function) = &only {
                    self.hold_arguments(call, function)?;
                }
                Ok(only)
            }
            _ => self.best(call, asked, candidates).map(Some),
        }
    }

    fn candidates<A: Argument>(&self, call: &Call<'_, A>, asked: Option<&Typed<'_>>) -> Outcome<Vec<Function>> {
        let fixed = |fixed: signatures::Fixed| Function {
            arguments: fixed.arguments.into_iter().map(Typed::native).collect(),
            returns: Typed::native(fixed.returns),
            aggregate: fixed.aggregate,
            made: false,
        };
        let name = match call.callee {
            Callee::Named(name) => name,
            Callee::Operator(operator) => {
                return Ok(signatures::operations(operator)
                    .map(|(left, right, returns)| Function {
                        arguments: vec![Typed::native(left), Typed::native(right)],
                        returns: Typed::native(returns),
                        aggregate: false,
                        made: false,
                    })
                    .collect());
            }
            Callee::Minus => {
                return Ok(signatures::NUMBERS
                    .into_iter()
                    .map(|of| Function {
                        arguments: vec![Typed::native(of)],
                        returns: Typed::native(of),
                        aggregate: false,
                        made: false,
                    })
                    .collect());
            }
            Callee::Cast(into) if into.is_varchar => return Ok(Vec::new()),
            Callee::Cast(into) => return Ok(signatures::casts(into.native).into_iter().map(fixed).collect()),
        };
        let keyspace = match &name.keyspace {
            Some(keyspace) => self.schema.keyspaces.get(&keyspace.text),
            None => self.keyspace,
        };
        let function = name.name.text.as_str();
        let mut candidates: Vec<Function> = keyspace
            .and_then(|keyspace| keyspace.functions.get(function))
            .into_iter()
            .flatten()
            .map(|function| Function {
                arguments: function.arguments.iter().map(|of| Typed::new(of).into_owned()).collect(),
                returns: function.returns.as_ref().map_or_else(Typed::unknown, |of| Typed::new(of).into_owned()),
                aggregate: function.aggregate,
                made: false,
            })
            .collect();
        if name.keyspace.as_ref().is_none_or(|keyspace| keyspace.text == "system") {
            candidates.extend(signatures::fixed(function).into_iter().map(fixed));
            if let Some(made) = signatures::made(function) {
                candidates.push(self.make(call, made, asked)?);
            }
        }
        Ok(candidates)
    }

    /// Whether the only function of a name takes what it is given.
    fn hold_arguments<A: Argument>(&self, call: &Call<'_, A>, function: &Function) -> Outcome {
        self.hold_count(call, function.arguments.len()..=function.arguments.len())?;
        for (argument, of) in call.arguments.iter().zip(&function.arguments) {
            if !argument.fit(self, of)?.is_assignable() {
                return self.refuse(
                    FaultKind::Type,
                    argument.span(),
                    format!("{} takes a value of type {} here", name_of(call.callee), of.name()),
                );
            }
        }
        Ok(())
    }

    fn hold_count<A>(&self, call: &Call<'_, A>, counts: std::ops::RangeInclusive<usize>) -> Outcome {
        if counts.contains(&call.arguments.len()) {
            return Ok(());
        }
        let count = counts.end();
        let given = call.arguments.len();
        self.refuse(
            FaultKind::Type,
            call.at,
            format!(
                "{} takes {count} argument{}, not {given}",
                name_of(call.callee),
                if *count == 1 { "" } else { "s" }
            ),
        )
    }

    /// The best of several functions of one name: the first that fits exactly, else the only one that fits.
    fn best<A: Argument>(
        &self,
        call: &Call<'_, A>,
        asked: Option<&Typed<'_>>,
        candidates: Vec<Function>,
    ) -> Outcome<Function> {
        let mut known: Vec<(usize, Typed<'static>, Fit)> = Vec::new();
        let mut fits: Vec<Function> = Vec::new();
        'candidates: for candidate in candidates {
            let returned = asked.is_none_or(|asked| self.fit(&candidate.returns, asked).is_assignable());
            if !returned || candidate.arguments.len() != call.arguments.len() {
                continue;
            }
            let mut all = Fit::Exact;
            for (index, (argument, of)) in call.arguments.iter().zip(&candidate.arguments).enumerate() {
                let before = known.iter().find(|(place, asked, _)| *place == index && *asked.of == *of.of);
                let fit = match before {
                    Some((_, _, fit)) => *fit,
                    None => {
                        let fit = argument.fit(self, of)?;
                        known.push((index, of.clone(), fit));
                        fit
                    }
                };
                all = all.and(fit);
                if all == Fit::No {
                    continue 'candidates;
                }
            }
            if all == Fit::Exact {
                return Ok(candidate);
            }
            fits.push(candidate);
        }
        if fits.len() > 1
            && let Callee::Operator(_) = call.callee
            && let Some(asked) = asked
            && !asked.reversed
            && !call.arguments.iter().any(Argument::is_marker)
            && let Some(index) = fits.iter().position(|fit| fit.arguments.iter().all(|of| *of.of == *asked.of))
        {
            return Ok(fits.swap_remove(index));
        }
        let unknown = call.arguments.iter().any(|argument| argument.compatible(self).is_some_and(|of| of.is_unknown()));
        if (unknown || asked.is_some_and(Typed::is_unknown)) && !fits.is_empty() {
            let arguments = call.arguments.iter().map(|_| Typed::unknown()).collect();
            let aggregate = fits.iter().all(|fit| fit.aggregate);
            return Ok(Function { arguments, returns: Typed::unknown(), aggregate, made: false });
        }
        match fits.len() {
            0 => self.refuse(
                FaultKind::Type,
                call.at,
                format!("{} takes no arguments of these types", name_of(call.callee)),
            ),
            1 => Ok(fits.swap_remove(0)),
            _ => self.refuse(
                FaultKind::Type,
                call.at,
                format!("several variants of {} fit; a type in front of the value decides", name_of(call.callee)),
            ),
        }
    }

    /// A function that is made to measure for what it is given.
    fn make<A: Argument>(&self, call: &Call<'_, A>, made: Made, asked: Option<&Typed<'_>>) -> Outcome<Function> {
        let function = |arguments: Vec<Typed<'static>>, returns: Typed<'static>, aggregate| Function {
            arguments,
            returns,
            aggregate,
            made: true,
        };
        match made {
            Made::Token => {
                if !call.in_table {
                    return self.refuse(FaultKind::Type, call.at, "token() has no table here");
                }
                let key = self.table.partition_key().map(|column| self.typed(column).into_owned()).collect();
                Ok(function(key, Typed::native(Native::Bigint), false))
            }
            Made::ToJson => {
                let of = self.only(call)?;
                Ok(function(vec![of], Typed::native(Native::Text), false))
            }
            Made::FromJson => {
                self.hold_count(call, 1..=1)?;
                let of = self.fixed_parameter(call, 0, &[Native::Text])?;
                match asked {
                    Some(asked) => Ok(function(vec![of], asked.clone().into_owned(), false)),
                    None => self.refuse(FaultKind::Type, call.at, "from_json() can't be selected"),
                }
            }
            Made::Max | Made::Min => {
                self.hold_count(call, 1..=1)?;
                let Some(of) = self.own(call, 0).or_else(|| asked.map(|asked| asked.clone().into_owned())) else {
                    return self.no_type(call, 0);
                };
                Ok(function(vec![of.clone()], of, true))
            }
            Made::MapKeys | Made::MapValues => {
                let of = self.only(call)?;
                if !of.is_unknown() && of.collection() != Some(Collection::Map) {
                    return self.wrong(call, 0, "a map");
                }
                let returns = match (&*of.of, made) {
                    (Type::Map(key, _), Made::MapKeys) => Typed::frozen(Type::Set(key.clone())),
                    (Type::Map(_, value), _) => Typed::frozen(Type::List(value.clone())),
                    _ => Typed::unknown(),
                };
                Ok(function(vec![of], returns, false))
            }
            Made::CollectionCount => {
                let of = self.only(call)?;
                if !of.is_unknown() && of.collection().is_none() {
                    return self.wrong(call, 0, "a collection");
                }
                Ok(function(vec![of], Typed::native(Native::Int), false))
            }
            Made::CollectionExtreme | Made::CollectionSum => {
                let of = self.only(call)?;
                let listed = of.is_unknown() || matches!(of.collection(), Some(Collection::List | Collection::Set));
                let element = of.element().into_owned();
                let numeric = element.as_native().is_some_and(|native| signatures::NUMBERS.contains(&native));
                if !listed || (made == Made::CollectionSum && !numeric && !element.is_unknown()) {
                    let asked = if made == Made::CollectionSum { "a list or set of numbers" } else { "a list or set" };
                    return self.wrong(call, 0, asked);
                }
                Ok(function(vec![of], element, false))
            }
            Made::MaskNull | Made::MaskDefault => {
                let of = self.only(call)?;
                Ok(function(vec![of.clone()], of, false))
            }
            Made::MaskReplace => {
                self.hold_count(call, 2..=2)?;
                let first = self.own(call, 0).or_else(|| asked.map(|asked| asked.clone().into_owned()));
                let Some(of) = first else { return self.no_type(call, 0) };
                Ok(function(vec![of.clone(), of.clone()], of, false))
            }
            Made::MaskHash => {
                self.hold_count(call, 1..=2)?;
                let Some(of) = self.own(call, 0) else { return self.no_type(call, 0) };
                let mut arguments = vec![of];
                if call.arguments.len() == 2 {
                    arguments.push(self.fixed_parameter(call, 1, &[Native::Text])?);
                }
                let arguments = self.declared(arguments, &[None, Some(Native::Text)]);
                Ok(function(arguments, Typed::native(Native::Blob), false))
            }
            Made::MaskPart => {
                self.hold_count(call, 3..=4)?;
                let of = self.fixed_parameter(call, 0, &[Native::Text, Native::Ascii])?;
                let mut arguments = vec![of.clone()];
                for (index, native) in [(1, Native::Int), (2, Native::Int), (3, Native::Text)] {
                    if index < call.arguments.len() {
                        arguments.push(self.fixed_parameter(call, index, &[native])?);
                    }
                }
                let declared = [None, Some(Native::Int), Some(Native::Int), Some(Native::Text)];
                Ok(function(self.declared(arguments, &declared), of, false))
            }
            Made::Similarity => self.similarity(call, asked),
        }
    }

    /// The arguments with the types that the function declares, where it does.
    fn declared(&self, arguments: Vec<Typed<'static>>, declared: &[Option<Native>]) -> Vec<Typed<'static>> {
        arguments.into_iter().zip(declared).map(|(of, declared)| declared.map_or(of, Typed::native)).collect()
    }

    /// `similarity_cosine` and its like: two vectors of floats of one size, or lists that could be.
    fn similarity<A: Argument>(&self, call: &Call<'_, A>, asked: Option<&Typed<'_>>) -> Outcome<Function> {
        self.hold_count(call, 2..=2)?;
        let infer = |index: usize| {
            let argument = call.arguments.get(index)?;
            if let Some(size) = argument.selected_list() {
                let size = u32::try_from(size).unwrap_or(u32::MAX);
                return Some(Typed::frozen(Type::Vector(Box::new(Type::Native(Native::Float)), size)));
            }
            argument.compatible(self).or_else(|| asked.map(|asked| asked.clone().into_owned()))
        };
        let (first, second) = (infer(0), infer(1));
        let mut arguments = Vec::with_capacity(2);
        for (index, (own, other)) in [(&first, &second), (&second, &first)].into_iter().enumerate() {
            let Some(of) = own.clone().or_else(|| other.clone()) else { return self.no_type(call, index) };
            let fits = of.is_unknown()
                || match &*of.of {
                    Type::Vector(element, _) => !of.reversed && **element == Type::Native(Native::Float),
                    _ => false,
                };
            if !fits {
                return self.wrong(call, index, "a vector of floats");
            }
            arguments.push(of);
        }
        if let [left, right] = arguments.as_slice()
            && !left.is_unknown()
            && !right.is_unknown()
            && *left.of != *right.of
        {
            return self.refuse(FaultKind::Type, call.at, "the two vectors are not of one size");
        }
        Ok(Function { arguments, returns: Typed::native(Native::Float), aggregate: false, made: true })
    }

    /// The type of the only argument.
    fn only<A: Argument>(&self, call: &Call<'_, A>) -> Outcome<Typed<'static>> {
        self.hold_count(call, 1..=1)?;
        match self.own(call, 0) {
            Some(of) => Ok(of),
            None => self.no_type(call, 0),
        }
    }

    /// The type that an argument has by itself.
    fn own<A: Argument>(&self, call: &Call<'_, A>, index: usize) -> Option<Typed<'static>> {
        call.arguments.get(index).and_then(|argument| argument.compatible(self))
    }

    /// The type of an argument that must be one of a few.
    fn fixed_parameter<A: Argument>(
        &self,
        call: &Call<'_, A>,
        index: usize,
        natives: &[Native],
    ) -> Outcome<Typed<'static>> {
        let Some(of) = self.own(call, index) else {
            return Ok(natives.first().map_or_else(Typed::unknown, |native| Typed::native(*native)));
        };
        if natives.iter().any(|native| self.fit(&of, &Typed::native(*native)).is_assignable()) {
            return Ok(of);
        }
        self.wrong(call, index, natives.first().map_or("value", |native| super::typed::native_name(*native)))
    }

    fn no_type<T, A: Argument>(&self, call: &Call<'_, A>, index: usize) -> Outcome<T> {
        let at = call.arguments.get(index).map_or(call.at, Argument::span);
        let message =
            format!("{} can't tell the type of this value; a type in front of it would", name_of(call.callee));
        self.refuse(FaultKind::Type, at, message)
    }

    fn wrong<T, A: Argument>(&self, call: &Call<'_, A>, index: usize, asked: &str) -> Outcome<T> {
        let at = call.arguments.get(index).map_or(call.at, Argument::span);
        self.refuse(FaultKind::Type, at, format!("{} takes {asked} here", name_of(call.callee)))
    }
}

/// What is called, for a message.
pub(super) fn name_of(callee: Callee<'_>) -> String {
    match callee {
        Callee::Named(name) => format!("{}()", name.name.text),
        Callee::Operator(Arithmetic::Add) => "+".to_owned(),
        Callee::Operator(Arithmetic::Subtract) => "-".to_owned(),
        Callee::Operator(Arithmetic::Multiply) => "*".to_owned(),
        Callee::Operator(Arithmetic::Divide) => "/".to_owned(),
        Callee::Operator(Arithmetic::Modulo) => "%".to_owned(),
        Callee::Minus => "the minus".to_owned(),
        Callee::Cast(into) => format!("CAST AS {}", super::typed::native_name(into.native)),
    }
}
