//! Each relation of a WHERE by itself: whether the column can be compared so, and with such a value.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::restrictions::{Restriction, RestrictionKind};
use super::typed::{Collection, Typed};
use crate::Span;
use crate::ast::{LiteralKind, Name, Native, Operator, Relation, RelationKind, Term, TermKind};
use crate::schema::{Column, ColumnKind, Type};

/// What a relation is about.
pub(super) enum Related<'a> {
    /// One column, or several clustering columns together.
    Columns(Restriction<'a>),
    /// The token of the partition key.
    Token {
        /// Whether one token is given, rather than a range.
        equal: bool,
        start: bool,
        end: bool,
        at: Span,
    },
    /// `expr(index, ..)`
    Custom,
    /// A hole: nobody knows which column it is about.
    Unknown,
}

impl<'s> Context<'s> {
    /// What a relation says. `reads` is false in an UPDATE or DELETE.
    pub(super) fn relate<'a>(&self, relation: &'a Relation, reads: bool) -> Outcome<Related<'a>>
    where
        's: 'a,
    {
        match &relation.kind {
            RelationKind::Column { column, operator, values, list } => {
                self.relate_column(relation.span, column, *operator, values, *list, reads)
            }
            RelationKind::Element { column, key, operator, value } => {
                self.relate_element(relation.span, column, key, *operator, value)
            }
            RelationKind::Tuple { columns, operator, values, list } => {
                self.relate_tuple(relation.span, columns, *operator, values, *list)
            }
            RelationKind::Token { columns, operator, value } => {
                self.relate_token(relation.span, columns, *operator, value)
            }
            RelationKind::Custom { .. } => Ok(Related::Custom),
        }
    }

    fn relate_column<'a>(
        &self,
        at: Span,
        name: &'a Name,
        operator: Operator,
        values: &'a [Term],
        list: bool,
        reads: bool,
    ) -> Outcome<Related<'a>>
    where
        's: 'a,
    {
        self.hold_operator(at, operator)?;
        let Some(column) = self.column(name)? else { return Ok(Related::Unknown) };
        if operator == Operator::IsNotNull {
            return self.refuse(FaultKind::Other, at, "IS NOT NULL can only stand in a materialized view");
        }
        let of = self.typed(column);
        let contains = matches!(operator, Operator::Contains | Operator::ContainsKey);
        if contains && !reads {
            return self.refuse(FaultKind::Other, at, "CONTAINS can't choose what is written");
        }
        if is_slice(operator) {
            self.hold_no_duration_range(at, column)?;
        }
        if !of.is_unknown() {
            self.hold_comparable(at, column, &of, operator)?;
        }
        let asked = match operator {
            Operator::ContainsKey => of.key(),
            Operator::Contains => of.element(),
            _ => of.clone(),
        };
        if operator != Operator::In || list {
            for value in values {
                self.prepare(value, &asked)?;
            }
        }
        let kind = match operator {
            Operator::Equal => RestrictionKind::Equal,
            Operator::In => in_values(values, list),
            Operator::Contains => RestrictionKind::Contains { values: 1, keys: 0, entries: 0 },
            Operator::ContainsKey => RestrictionKind::Contains { values: 0, keys: 1, entries: 0 },
            Operator::Like => RestrictionKind::Like,
            _ => slice(operator),
        };
        Ok(Related::Columns(Restriction { columns: vec![column], kind, multi: false, at }))
    }

    /// What a column of its type can be compared with.
    fn hold_comparable(&self, at: Span, column: &Column, of: &Typed<'_>, operator: Operator) -> Outcome {
        let name = &column.name;
        if operator == Operator::ContainsKey && of.collection() != Some(Collection::Map) {
            return self.refuse(FaultKind::Type, at, format!("{name} is no map, so it contains no key"));
        }
        if operator == Operator::Contains && of.collection().is_none() {
            return self.refuse(FaultKind::Type, at, format!("{name} is no collection, so it contains nothing"));
        }
        if of.is_user_type() && of.is_multi_cell() {
            return self.refuse(
                FaultKind::Type,
                at,
                format!("{name} is a user-defined type that is not frozen, which can't be compared"),
            );
        }
        let contains = matches!(operator, Operator::Contains | Operator::ContainsKey);
        if of.is_multi_cell() && !contains {
            return self.refuse(
                FaultKind::Type,
                at,
                format!("{name} is a collection that is not frozen: only what it contains can be asked"),
            );
        }
        Ok(())
    }

    fn relate_element<'a>(
        &self,
        at: Span,
        name: &'a Name,
        key: &'a Term,
        operator: Operator,
        value: &'a Term,
    ) -> Outcome<Related<'a>>
    where
        's: 'a,
    {
        self.hold_operator(at, operator)?;
        let Some(column) = self.column(name)? else { return Ok(Related::Unknown) };
        let of = self.typed(column);
        let refuse = |message: String| self.refuse(FaultKind::Type, at, message);
        if !of.is_unknown() {
            if of.collection() != Some(Collection::Map) {
                return refuse(format!("{name} is no map, so it has no entries", name = column.name));
            }
            if !of.is_multi_cell() {
                return refuse(format!("{name} is frozen: its entries can't be asked", name = column.name));
            }
            if operator != Operator::Equal {
                return refuse(format!("an entry of {name} can only be asked by =", name = column.name));
            }
        }
        self.prepare(key, &of.key())?;
        self.prepare(value, &of.element())?;
        let kind = RestrictionKind::Contains { values: 0, keys: 0, entries: 1 };
        Ok(Related::Columns(Restriction { columns: vec![column], kind, multi: false, at }))
    }

    fn relate_tuple<'a>(
        &self,
        at: Span,
        names: &'a [Name],
        operator: Operator,
        values: &'a [Term],
        list: bool,
    ) -> Outcome<Related<'a>>
    where
        's: 'a,
    {
        self.hold_operator(at, operator)?;
        if matches!(operator, Operator::Contains | Operator::ContainsKey | Operator::Like | Operator::IsNotNull) {
            return self.refuse(
                FaultKind::Other,
                at,
                "several columns together can only be equal, in a list or a range",
            );
        }
        let mut columns: Vec<&'a Column> = Vec::with_capacity(names.len());
        let mut unknown = false;
        for name in names {
            let Some(column) = self.column(name)? else {
                unknown = true;
                continue;
            };
            if !matches!(column.kind, ColumnKind::Clustering { .. }) {
                return self.refuse(
                    FaultKind::Other,
                    name.span,
                    format!("{} is no clustering column, so it can't stand in a tuple of columns", column.name),
                );
            }
            let follows = columns.last().is_none_or(|last| self.position(column) == self.position(last) + 1);
            if !follows && !unknown {
                return self.refuse(
                    FaultKind::Other,
                    name.span,
                    format!("{} does not follow its neighbour in the order of the key", column.name),
                );
            }
            columns.push(column);
        }
        if unknown {
            return Ok(Related::Unknown);
        }
        if operator != Operator::In || list {
            let written = |value: &&Term| matches!(value.kind, TermKind::Tuple(_));
            let bound = |value: &Term| matches!(value.kind, TermKind::Marker(_));
            if let (Some(_), Some(marker)) = (values.iter().find(written), values.iter().find(|value| bound(value))) {
                return self.refuse(FaultKind::Other, marker.span, "tuples and markers can't be mixed in one list");
            }
            for value in values {
                self.prepare_row(value, &columns)?;
            }
        }
        let kind = match operator {
            Operator::Equal => RestrictionKind::Equal,
            Operator::In => in_values(values, list),
            _ => slice(operator),
        };
        Ok(Related::Columns(Restriction { columns, kind, multi: true, at }))
    }

    /// A tuple of values for a tuple of columns.
    fn prepare_row(&self, value: &Term, columns: &[&Column]) -> Outcome {
        match &value.kind {
            TermKind::Marker(_) | TermKind::Hole(_) => Ok(()),
            TermKind::Tuple(parts) => {
                if parts.len() != columns.len() {
                    return self.refuse(
                        FaultKind::Type,
                        value.span,
                        format!("{} values are asked here, not {}", columns.len(), parts.len()),
                    );
                }
                for (part, column) in parts.iter().zip(columns) {
                    self.prepare(part, &self.typed(column))?;
                }
                Ok(())
            }
            _ => self.refuse(FaultKind::Type, value.span, "a tuple of values is asked here"),
        }
    }

    fn relate_token<'a>(
        &self,
        at: Span,
        names: &'a [Name],
        operator: Operator,
        value: &'a Term,
    ) -> Outcome<Related<'a>> {
        self.hold_operator(at, operator)?;
        if operator != Operator::Equal && !is_slice(operator) {
            return self.refuse(FaultKind::Other, at, "a token can only be equal, or in a range");
        }
        let mut columns = Vec::with_capacity(names.len());
        let mut unknown = false;
        for name in names {
            match self.column(name)? {
                Some(column) => columns.push(column.name.as_str()),
                None => unknown = true,
            }
        }
        if unknown || self.table.unknown {
            return Ok(Related::Unknown);
        }
        if !columns.iter().copied().eq(self.table.partition_key().map(|column| column.name.as_str())) {
            let key: Vec<&str> = self.table.partition_key().map(|column| column.name.as_str()).collect();
            return self.refuse(
                FaultKind::Other,
                at,
                format!("token() is over the whole partition key, ({})", key.join(", ")),
            );
        }
        self.prepare(value, &Typed::native(Native::Bigint))?;
        let (start, end) = match slice(operator) {
            RestrictionKind::Slice { start, end } if is_slice(operator) => (start, end),
            _ => (true, true),
        };
        Ok(Related::Token { equal: operator == Operator::Equal, start, end, at })
    }

    /// Comparisons that Cassandra 5.0 does not have.
    fn hold_operator(&self, at: Span, operator: Operator) -> Outcome {
        let word = match operator {
            Operator::NotEqual => "!=",
            Operator::NotIn => "NOT IN",
            Operator::NotContains => "NOT CONTAINS",
            Operator::NotContainsKey => "NOT CONTAINS KEY",
            Operator::Between => "BETWEEN",
            Operator::NotBetween => "NOT BETWEEN",
            _ => return Ok(()),
        };
        self.refuse(FaultKind::Other, at, format!("{word} can't stand in a WHERE"))
    }

    /// Whether the column is a vector of floats, whose values can be near each other.
    pub(super) fn is_float_vector(&self, column: &Column) -> bool {
        let of = self.typed(column);
        !of.reversed && matches!(&*of.of, Type::Vector(of, _) if **of == Type::Native(Native::Float))
    }

    /// Durations have no order.
    fn hold_no_duration_range(&self, at: Span, column: &Column) -> Outcome {
        let of = self.typed(column);
        if !of.reversed && self.has_duration(&of.of) {
            return self.refuse(FaultKind::Type, at, format!("{} holds durations, which have no order", column.name));
        }
        Ok(())
    }
}

/// Whether the operator gives one end of a range.
pub(super) fn is_slice(operator: Operator) -> bool {
    matches!(operator, Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual)
}

fn slice(operator: Operator) -> RestrictionKind {
    let start = matches!(operator, Operator::Greater | Operator::GreaterOrEqual);
    RestrictionKind::Slice { start, end: !start }
}

/// An IN of one value is an equality; of a marker, or with a hole among its values, nobody knows how many there are.
fn in_values(values: &[Term], list: bool) -> RestrictionKind {
    if !list {
        let hole = values.iter().find_map(hole_name);
        return RestrictionKind::In { count: None, hole };
    }
    if let Some(hole) = values.iter().find_map(hole_name) {
        return RestrictionKind::In { count: None, hole: (values.len() == 1).then_some(hole) };
    }
    match values.len() {
        1 => RestrictionKind::Equal,
        count => RestrictionKind::In { count: u64::try_from(count).ok(), hole: None },
    }
}

/// The name of a hole that may stand for several values. Within quotes it is one value.
fn hole_name(term: &Term) -> Option<String> {
    match &term.kind {
        TermKind::Hole(name) => Some(name.text.clone()),
        TermKind::Literal(literal) if literal.unknown && literal.kind != LiteralKind::String => {
            Some(literal.text.clone())
        }
        _ => None,
    }
}
