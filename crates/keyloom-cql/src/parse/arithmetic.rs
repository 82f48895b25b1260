//! Arithmetic, which terms and selectors have alike: sums of products of operands with their signs.

use crate::ast::Arithmetic;
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};

/// What arithmetic is done with.
pub(super) trait Operand: Sized {
    /// One of them, with its sign.
    fn signed(parser: &mut Parser<'_>) -> Parsed<Self>;

    /// Whether the `+` or `-` that is next belongs to a sum of them.
    fn is_summed(parser: &Parser<'_>) -> bool;

    /// Both of them, and what is between.
    fn joined(operator: Arithmetic, left: Self, right: Self) -> Self;
}

impl Parser<'_> {
    /// A sum of products.
    pub fn sum<T: Operand>(&mut self) -> Parsed<T> {
        self.deeper(|parser| parser.chain(sum_operator::<T>, |parser| parser.chain(product_operator, T::signed)))
    }

    fn chain<T: Operand>(
        &mut self,
        operator: impl Fn(&Self) -> Option<Arithmetic>,
        operand: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let mut left = operand(self)?;
        while let Some(operator) = operator(self) {
            self.step();
            self.count_operator()?;
            left = T::joined(operator, left, operand(self)?);
        }
        Ok(left)
    }
}

fn sum_operator<T: Operand>(parser: &Parser<'_>) -> Option<Arithmetic> {
    let operator = match parser.kind() {
        TokenKind::Plus => Arithmetic::Add,
        TokenKind::Minus => Arithmetic::Subtract,
        _ => return None,
    };
    T::is_summed(parser).then_some(operator)
}

fn product_operator(parser: &Parser<'_>) -> Option<Arithmetic> {
    match parser.kind() {
        TokenKind::Star => Some(Arithmetic::Multiply),
        TokenKind::Slash => Some(Arithmetic::Divide),
        TokenKind::Percent => Some(Arithmetic::Modulo),
        _ => None,
    }
}
