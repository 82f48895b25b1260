//! Native functions that are made to measure for what they are given.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Argument, Call, Function, name_of};
use super::signatures::{Made, NUMBERS};
use super::typed::{Collection, Typed, native_name};
use crate::ast::Native;
use crate::schema::Type;

impl Context<'_> {
    /// A function that is made to measure for what it is given.
    pub(super) fn make<A: Argument>(
        &self,
        call: &Call<'_, A>,
        made: Made,
        asked: Option<&Typed<'_>>,
    ) -> Outcome<Function> {
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
                let numeric = element.as_native().is_some_and(|native| NUMBERS.contains(&native));
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
        self.wrong(call, index, natives.first().map_or("value", |native| native_name(*native)))
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
