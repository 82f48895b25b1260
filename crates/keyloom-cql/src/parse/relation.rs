//! The terms of WHERE and of IF.

use crate::ast::{Condition, Conditions, Operator, Relation, RelationKind, Term, TermKind};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// What follows `WHERE`. Holes between the terms, before and behind them, may be more terms.
    pub fn relations(&mut self) -> Parsed<Vec<Relation>> {
        let mut relations = Vec::new();
        loop {
            if self.is_clause_hole() {
                self.eat_holes();
                if !self.eat_word("and") && !self.begins_relation() {
                    return Ok(relations);
                }
                continue;
            }
            relations.push(self.relation()?);
            if !self.eat_word("and") && !self.is(TokenKind::Hole) {
                return Ok(relations);
            }
        }
    }

    /// Whether a hole is next that stands for a whole term or more, not only for a column.
    fn is_clause_hole(&self) -> bool {
        self.is(TokenKind::Hole) && !self.is_operator_ahead(1)
    }

    fn begins_relation(&self) -> bool {
        self.is_name(0) && self.is_operator_ahead(1)
    }

    fn is_operator_ahead(&self, ahead: usize) -> bool {
        let token = self.token(ahead);
        match token.kind {
            TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessOrEqual
            | TokenKind::Greater
            | TokenKind::GreaterOrEqual
            | TokenKind::OpenSquare
            | TokenKind::Dot => true,
            TokenKind::Word => {
                let words = ["in", "not", "contains", "like", "is", "between"];
                words.iter().any(|word| self.is_word_ahead(ahead, word))
            }
            _ => false,
        }
    }

    fn relation(&mut self) -> Parsed<Relation> {
        let start = self.span();
        let kind = if self.is(TokenKind::OpenRound) {
            // `(a, b) > ..` and `(a) > ..`; else a relation between parentheses.
            if !(self.is_name(1) && matches!(self.token(2).kind, TokenKind::Comma | TokenKind::CloseRound)) {
                return self.deeper(|parser| {
                    parser.step();
                    let relation = parser.relation()?;
                    parser.expect(TokenKind::CloseRound, "`)`")?;
                    Ok(relation)
                });
            }
            self.tuple_relation()?
        } else if self.is_word("token") && self.token(1).kind == TokenKind::OpenRound {
            self.step();
            let columns = self.names_in_parentheses("a column")?;
            let operator = self.comparison()?;
            RelationKind::Token { columns, operator, value: self.term()? }
        } else if self.is_custom_expression() {
            self.custom_expression()?
        } else {
            self.column_relation()?
        };
        Ok(Relation { kind, span: start.to(self.last_span()) })
    }

    /// `expr(`: the server takes it for one token, so that a column may be called `expr`.
    fn is_custom_expression(&self) -> bool {
        let (word, parenthesis) = (self.token(0), self.token(1));
        self.is_word("expr") && parenthesis.kind == TokenKind::OpenRound && parenthesis.span.start == word.span.end
    }

    fn custom_expression(&mut self) -> Parsed<RelationKind> {
        self.at += 2;
        let index = self.qualified("an index's name")?;
        self.expect(TokenKind::Comma, "`,`")?;
        let value = self.term()?;
        self.expect(TokenKind::CloseRound, "`)`")?;
        Ok(RelationKind::Custom { index, value })
    }

    fn tuple_relation(&mut self) -> Parsed<RelationKind> {
        let columns = self.names_in_parentheses("a column")?;
        let start = self.at;
        let operator = self.operator()?;
        if matches!(
            operator,
            Operator::Contains | Operator::ContainsKey | Operator::NotContains | Operator::NotContainsKey
        ) || matches!(operator, Operator::Like | Operator::IsNotNull)
        {
            self.at = start;
            return Err(self.unexpected("a comparison or `IN`"));
        }
        // ScyllaDB's own way to compare with a part of the key.
        self.eat_word("scylla_clustering_bound");
        let (values, list) = self.operands(operator)?;
        let fits = |value: &Term| matches!(value.kind, TermKind::Tuple(_) | TermKind::Marker(_) | TermKind::Hole(_));
        if let Some(value) = values.iter().find(|value| !fits(value)) {
            return Err(self.fault(value.span, "expected a tuple or a marker".to_owned(), None));
        }
        Ok(RelationKind::Tuple { columns, operator, values, list })
    }

    fn column_relation(&mut self) -> Parsed<RelationKind> {
        let column = self.name("a column")?;
        if self.eat(TokenKind::OpenSquare) {
            let key = self.term()?;
            self.expect(TokenKind::CloseSquare, "`]`")?;
            let operator = self.comparison()?;
            return Ok(RelationKind::Element { column, key, operator, value: self.term()? });
        }
        let operator = self.operator()?;
        let (values, list) = self.operands(operator)?;
        Ok(RelationKind::Column { column, operator, values, list })
    }

    /// `=` and its like.
    fn comparison(&mut self) -> Parsed<Operator> {
        let operator = match self.kind() {
            TokenKind::Equal => Operator::Equal,
            TokenKind::NotEqual => Operator::NotEqual,
            TokenKind::Less => Operator::Less,
            TokenKind::LessOrEqual => Operator::LessOrEqual,
            TokenKind::Greater => Operator::Greater,
            TokenKind::GreaterOrEqual => Operator::GreaterOrEqual,
            _ => return Err(self.unexpected("a comparison, such as `=`")),
        };
        self.step();
        Ok(operator)
    }

    /// Any operator, signs and words.
    fn operator(&mut self) -> Parsed<Operator> {
        const WORDS: [(&[&str], Operator); 10] = [
            (&["in"], Operator::In),
            (&["not", "in"], Operator::NotIn),
            (&["contains", "key"], Operator::ContainsKey),
            (&["contains"], Operator::Contains),
            (&["not", "contains", "key"], Operator::NotContainsKey),
            (&["not", "contains"], Operator::NotContains),
            (&["like"], Operator::Like),
            (&["is", "not", "null"], Operator::IsNotNull),
            (&["between"], Operator::Between),
            (&["not", "between"], Operator::NotBetween),
        ];
        if !self.is(TokenKind::Word) {
            return self.comparison();
        }
        if self.are_words(&["is", "null"]) {
            let span = self.span().to(self.token(1).span);
            return Err(self.fault(span, "CQL can't ask for rows that lack a value".to_owned(), None));
        }
        let Some((words, operator)) = WORDS.iter().find(|(words, _)| self.are_words(words)) else {
            return self.comparison();
        };
        self.at += words.len();
        Ok(*operator)
    }

    /// What stands behind an operator, and whether it is a list in parentheses.
    fn operands(&mut self, operator: Operator) -> Parsed<(Vec<Term>, bool)> {
        match operator {
            Operator::IsNotNull => Ok((Vec::new(), false)),
            Operator::In | Operator::NotIn => self.values_of_in(),
            Operator::Between | Operator::NotBetween => {
                let low = self.term()?;
                self.expect_word("and")?;
                Ok((vec![low, self.term()?], false))
            }
            _ => Ok((vec![self.term()?], false)),
        }
    }

    fn values_of_in(&mut self) -> Parsed<(Vec<Term>, bool)> {
        if self.eat(TokenKind::OpenRound) {
            if self.eat(TokenKind::CloseRound) {
                return Ok((Vec::new(), true));
            }
            let values = self.list(Self::term)?;
            self.expect(TokenKind::CloseRound, "`,` or `)`")?;
            return Ok((values, true));
        }
        let start = self.span();
        let marker = matches!(self.kind(), TokenKind::Question | TokenKind::Colon | TokenKind::Hole);
        match if marker { self.constant_or_marker()? } else { None } {
            Some(kind) => Ok((vec![Term { kind, span: start.to(self.last_span()) }], false)),
            None => Err(self.unexpected("`(` or a marker")),
        }
    }

    /// The `IF` of an update or delete, if there is one.
    pub fn conditions(&mut self) -> Parsed<Conditions> {
        self.eat_holes();
        let start = self.span();
        if !self.eat_word("if") {
            return Ok(Conditions::default());
        }
        if self.is_word("exists") && !self.is_operator_ahead(1) {
            self.step();
            return Ok(Conditions { if_exists: Some(start.to(self.last_span())), all: Vec::new() });
        }
        let mut all = Vec::new();
        loop {
            if self.is_clause_hole() {
                self.eat_holes();
            } else {
                all.push(self.condition()?);
            }
            if !self.eat_word("and") && !self.is(TokenKind::Hole) {
                return Ok(Conditions { if_exists: None, all });
            }
        }
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let column = self.name("a column")?;
        let mut element = None;
        let mut field = None;
        if self.eat(TokenKind::OpenSquare) {
            element = Some(self.term()?);
            self.expect(TokenKind::CloseSquare, "`]`")?;
        } else if self.eat(TokenKind::Dot) {
            field = Some(self.name("a field's name")?);
        }
        let start = self.at;
        let operator = self.operator()?;
        let contains = matches!(operator, Operator::Contains | Operator::ContainsKey);
        if operator == Operator::IsNotNull || (contains && (element.is_some() || field.is_some())) {
            self.at = start;
            return Err(self.unexpected("a comparison or `IN`"));
        }
        let (values, list) = self.operands(operator)?;
        let span = column.span.to(self.last_span());
        Ok(Condition { column, element, field, operator, values, list, span })
    }
}
