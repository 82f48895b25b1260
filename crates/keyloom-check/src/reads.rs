use std::collections::BTreeSet;

use keyloom_cql::ast::{
    InsertSource, LiteralKind, Operator, Relation, RelationKind, Select, Selection, Selector, SelectorKind, Statement,
    StatementKind, Term, TermKind,
};
use keyloom_cql::resolve::{Access, Partitions, Verdict};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Level, Place};
use keyloom_survey::{Argument, Bound, Marker, Role, Site, Use};

use crate::writing::is_fixed_by;
use crate::{SurveyContext, TableUse};

/// A `SELECT` that the server accepts, with the table it reads. What the server rejects has its own finding, and what a
/// hole decides is not judged.
#[derive(Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) of: &'a Use,
    pub(crate) select: &'a Select,
    pub(crate) table: &'a Table,
    pub(crate) access: &'a Access,
}

impl<'a> SurveyContext<'a> {
    /// The reads that the server accepts, each place once.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Read<'a>> {
        let mut seen = BTreeSet::new();
        self.survey.uses.iter().filter_map(move |of| {
            let StatementKind::Select(select) = &of.written.statement.kind else { return None };
            let table = self.table(of, &of.written.statement.kind)?;
            let access = of.resolution.access.as_ref()?;
            let accepted = of.resolution.verdict == Verdict::Legal && !table.unknown && of.unknown().is_empty();
            (accepted && seen.insert(of.whole())).then_some(Read { of, select, table, access })
        })
    }
}

impl Read<'_> {
    /// Where a finding about the whole read points: its table, which says more than the whole statement; that one where
    /// the table's name comes from elsewhere.
    pub(crate) fn place(&self) -> Place {
        let table = self.of.place(self.select.table.name.span);
        if self.of.written.whole.contains(table) { table } else { self.of.written.whole }
    }

    /// The level of something that only the shape suggests: a note outside of the service, and where the text may change.
    pub(crate) fn level(&self) -> Level {
        suggested(self.of)
    }

    /// Whether the partition key is not given, so that every node is asked.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.access.partitions, Partitions::All | Partitions::TokenRange | Partitions::ByIndex)
    }

    /// What is written as its LIMIT.
    pub(crate) fn limit(&self) -> Option<u64> {
        let TermKind::Literal(literal) = &self.select.limit.as_ref()?.kind else { return None };
        (literal.kind == LiteralKind::Integer).then(|| literal.text.parse().ok()).flatten()
    }

    /// The aggregate or GROUP BY that makes one row of many.
    pub(crate) fn aggregate(&self) -> Option<&Selector> {
        let Selection::Of(selectors) = &self.select.selection else { return None };
        selectors.iter().find(|selector| is_aggregate(&selector.kind))
    }

    /// The partition key, as words.
    pub(crate) fn partition_key(&self) -> String {
        names(self.table.partition_key().map(|column| column.name.as_str()))
    }

    /// The columns that are tested after rows are read: all that are restricted, but for the one that an index finds, those
    /// of a partition key that leads to a partition, and those that lead on to a run of its rows.
    pub(crate) fn filtered(&self, indexed: &str) -> Vec<&str> {
        let led = self.leading();
        let served = |name: &&str| {
            let in_key = self.table.column(name).is_some_and(|column| column.kind == ColumnKind::Partition);
            name == &indexed || (in_key && !self.is_open()) || led.contains(name)
        };
        let mut columns: Vec<&str> = Vec::new();
        for name in self.select.relations.iter().flat_map(restricted) {
            if !columns.contains(&name) && !served(&name) {
                columns.push(name);
            }
        }
        columns
    }

    /// The clustering columns that lead to a run of rows within a partition: those given from the left, and a range behind.
    pub(crate) fn leading(&self) -> Vec<&str> {
        let mut leading = Vec::new();
        for column in self.table.clustering().filter(|_| !self.is_open()) {
            let name = column.name.as_str();
            if !self.select.relations.iter().any(|relation| restricted(relation).contains(&name)) {
                break;
            }
            leading.push(name);
            if !self.fixes(name) {
                break;
            }
        }
        leading
    }

    /// Whether it gives a column one value, or a list of them.
    pub(crate) fn fixes(&self, name: &str) -> bool {
        self.select.relations.iter().any(|relation| is_fixed_by(relation, name))
    }
}

/// The level of something that only the shape of a statement suggests: a warning in the service, else a note.
pub(crate) fn suggested(of: &Use) -> Level {
    if of.role == Role::Service && !of.dynamic { Level::Warning } else { Level::Note }
}

fn is_aggregate(selector: &SelectorKind) -> bool {
    match selector {
        SelectorKind::CountRows => true,
        SelectorKind::Call(name, _) => {
            let known = ["count", "sum", "avg", "min", "max"];
            name.keyspace.is_none() && known.contains(&name.name.text.to_ascii_lowercase().as_str())
        }
        SelectorKind::Cast(inner, _) | SelectorKind::Hint(_, inner) => is_aggregate(&inner.kind),
        _ => false,
    }
}

/// The columns that a term of a WHERE restricts.
pub(crate) fn restricted(relation: &Relation) -> Vec<&str> {
    match &relation.kind {
        RelationKind::Column { column, .. } | RelationKind::Element { column, .. } => vec![column.text.as_str()],
        RelationKind::Tuple { columns, .. } => columns.iter().map(|column| column.text.as_str()).collect(),
        RelationKind::Token { .. } | RelationKind::Custom { .. } => Vec::new(),
    }
}

/// The terms of a statement's WHERE.
pub(crate) fn relations(kind: &StatementKind) -> &[Relation] {
    match kind {
        StatementKind::Select(select) => &select.relations,
        StatementKind::Update(update) => &update.relations,
        StatementKind::Delete(delete) => &delete.relations,
        _ => &[],
    }
}

/// The value that a statement gives a column by equality, or as a list of one: in its WHERE, or among the values of an INSERT.
pub(crate) fn given<'a>(kind: &'a StatementKind, name: &str) -> Option<&'a Term> {
    if let StatementKind::Insert(insert) = kind {
        let InsertSource::Values { columns, values } = &insert.source else { return None };
        return columns.iter().zip(values).find(|(column, _)| column.text == name).map(|(_, value)| value);
    }
    relations(kind).iter().find_map(|relation| match &relation.kind {
        RelationKind::Column { column, operator: Operator::Equal, values, .. } if column.text == name => values.first(),
        RelationKind::Column { column, operator: Operator::In, values, list: true } if column.text == name => {
            values.first().filter(|_| values.len() == 1)
        }
        _ => None,
    })
}

/// The constant that a term stands for: written in the statement, or bound to its marker where the program shows it.
pub(crate) fn constant<'a>(of: &'a Use, term: &'a Term) -> Option<&'a str> {
    constant_at(of, of.site.as_ref(), term)
}

/// The constant that a term stands for at one of the places that use its statement.
pub(crate) fn constant_at<'a>(of: &'a Use, site: Option<&'a Site>, term: &'a Term) -> Option<&'a str> {
    match &term.kind {
        TermKind::Literal(literal) => (!literal.unknown).then_some(literal.text.as_str()),
        TermKind::Marker(_) => match &argument_at(of, site?, term)?.value {
            Bound::Constant(text) => Some(text),
            Bound::Unknown | Bound::Null | Bound::Unset => None,
        },
        TermKind::Hint(_, inner) => constant_at(of, site, inner),
        _ => None,
    }
}

/// The columns that the program takes by name out of the rows of a `SELECT *`, and so those that it reads; `None` where the
/// statement is another, or where the program takes so few by name that the rest may be read in another way.
pub(crate) fn columns_taken<'a>(one: &TableUse<'a>, table: &'a Table) -> Option<BTreeSet<&'a str>> {
    let StatementKind::Select(Select { selection: Selection::All, .. }) = one.kind else { return None };
    let taken = &one.of.taken;
    let is_taken = |column: &&Column| taken.names.iter().any(|name| name.eq_ignore_ascii_case(&column.name));
    let columns: BTreeSet<&str> = table.columns.iter().filter(is_taken).map(|column| column.name.as_str()).collect();
    let is_most = columns.len() * 2 >= table.columns.len();
    (is_most && !taken.more && !table.unknown).then_some(columns)
}

/// What is bound to a marker.
pub(crate) fn argument<'a>(of: &'a Use, marker: &Term) -> Option<&'a Argument> {
    argument_at(of, of.site.as_ref()?, marker)
}

fn argument_at<'a>(of: &Use, site: &'a Site, marker: &Term) -> Option<&'a Argument> {
    let bound = |marker: &Marker| site.arguments.iter().find(|argument| argument.marker == *marker);
    if let TermKind::Marker(Some(name)) = &marker.kind
        && let Some(argument) = bound(&Marker::Name(name.text.clone()))
    {
        return Some(argument);
    }
    let before = of.written.text.get(..marker.span.start as usize)?;
    let mut quote = None;
    let mut number = 0;
    for character in before.chars() {
        match (quote, character) {
            (Some(open), character) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, '?') => number += 1,
            _ => {}
        }
    }
    bound(&Marker::Position(number))
}

/// The statements of a use: itself, or those of its batch.
pub(crate) fn statements(of: &Use) -> &[Statement] {
    let statement = &of.written.statement;
    match &statement.kind {
        StatementKind::Batch(batch) => &batch.statements,
        _ => std::slice::from_ref(statement),
    }
}

/// Names in backquotes, with commas.
pub(crate) fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> String {
    all.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Names in backquotes, with commas; of many only the first ones.
pub(crate) fn some_names<'a>(all: impl IntoIterator<Item = &'a str>) -> String {
    const NAMED: usize = 6;
    let all: Vec<&str> = all.into_iter().collect();
    let first = names(all.iter().take(NAMED).copied());
    if all.len() > NAMED { format!("{first} and {} more", all.len() - NAMED) } else { first }
}
