//! Which function a call means, by the types of what it is given and of what is asked of it.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::hints::Target;
use super::signatures;
use super::typed::{Fit, Typed};
use crate::Span;
use crate::ast::{Arithmetic, QualifiedName};

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

    pub(super) fn hold_count<A>(&self, call: &Call<'_, A>, counts: std::ops::RangeInclusive<usize>) -> Outcome {
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
