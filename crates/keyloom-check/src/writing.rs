//! What a statement does to the rows of its table, as rules over surveys ask it.

use keyloom_cql::ast::{
    Assignment, DeleteTarget, Insert, InsertSource, Name, Operator, Relation, RelationKind, StatementKind, Term,
    TermKind, Using,
};
use keyloom_cql::schema::Table;
use keyloom_finding::{Level, Place};
use keyloom_survey::Role;

use crate::TableUse;
use crate::reads::relations;

/// Which rows of a partition a statement names by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Single rows: the whole key is given.
    Rows,
    /// A run of rows: so many leading clustering columns are given, then perhaps a range.
    Run { fixed: usize, range: bool },
    /// Whole partitions.
    Partition,
    /// The partition key is not given in full, or a part of the statement is not known.
    Unknown,
}

impl<'a> TableUse<'a> {
    /// Where the statement is written: the expression that builds it, or its part of a batch.
    pub(crate) fn place(&self) -> Place {
        match self.of.written.statement.kind {
            StatementKind::Batch(_) => self.of.place(self.span),
            _ => self.of.written.whole,
        }
    }

    /// Whether it belongs to a batch, which is decided as a whole: a program may add to it what it decides elsewhere.
    pub(crate) fn is_in_batch(&self) -> bool {
        let in_program = self.of.site.as_ref().is_some_and(|site| site.batch.is_some());
        in_program || matches!(self.of.written.statement.kind, StatementKind::Batch(_))
    }

    /// Whether it is part of the service, as far as anybody can see.
    pub(crate) fn is_service(&self) -> bool {
        self.of.role == Role::Service
    }

    /// Whether it is part of a test, which shows how a table may be used and not how it is.
    pub(crate) fn is_test(&self) -> bool {
        self.of.role == Role::Test
    }

    /// How loudly to speak of it: of what the service does, as loudly as the rule wants; of anything
    /// else, and of a text that may change, softly.
    pub(crate) fn level(&self, wanted: Level) -> Level {
        if self.is_service() && !self.of.dynamic { wanted } else { wanted.min(Level::Note) }
    }

    /// Whether it is a row that a file of CQL writes out: all of its values are constants.
    pub(crate) fn is_seed(&self) -> bool {
        let is_literal = |value: &Term| matches!(value.kind, TermKind::Literal(_));
        self.of.site.is_none()
            && match self.insert().map(|insert| &insert.source) {
                Some(InsertSource::Values { values, .. }) => values.iter().all(is_literal),
                _ => false,
            }
    }

    /// Whether a part of the statement is known only at run time.
    pub(crate) fn is_open(&self) -> bool {
        self.of.dynamic || !self.of.unknown().is_empty()
    }

    /// The insert that it is.
    pub(crate) fn insert(&self) -> Option<&'a Insert> {
        match self.kind {
            StatementKind::Insert(insert) => Some(insert),
            _ => None,
        }
    }

    /// The assignments of an update; none of anything else.
    pub(crate) fn assignments(&self) -> &'a [Assignment] {
        match self.kind {
            StatementKind::Update(update) => &update.assignments,
            _ => &[],
        }
    }

    /// Whether it is an insert, an update or a delete.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self.kind, StatementKind::Insert(_) | StatementKind::Update(_) | StatementKind::Delete(_))
    }

    /// Whether it makes rows or changes them.
    pub(crate) fn sets(&self) -> bool {
        matches!(self.kind, StatementKind::Insert(_) | StatementKind::Update(_))
    }

    /// Whether it removes rows, and not only cells of them.
    pub(crate) fn deletes_rows(&self) -> bool {
        matches!(self.kind, StatementKind::Delete(delete) if delete.targets.is_empty())
    }

    /// Whether it looks at the row first.
    pub(crate) fn is_conditional(&self) -> bool {
        match self.kind {
            StatementKind::Insert(insert) => insert.if_not_exists.is_some(),
            StatementKind::Update(update) => update.conditions.is_conditional(),
            StatementKind::Delete(delete) => delete.conditions.is_conditional(),
            _ => false,
        }
    }

    /// What `USING` gives it under this name; a batch gives its timestamp to all of its statements.
    pub(crate) fn using(&self, name: &str) -> Option<&'a Term> {
        let own: &[Using] = match self.kind {
            StatementKind::Insert(insert) => &insert.using,
            StatementKind::Update(update) => &update.using,
            StatementKind::Delete(delete) => &delete.using,
            _ => &[],
        };
        let shared: &[Using] = match &self.of.written.statement.kind {
            StatementKind::Batch(batch) => &batch.using,
            _ => &[],
        };
        own.iter().chain(shared).find(|using| using.name.text == name).map(|using| &using.value)
    }

    /// The columns that it sets to a value; `None` where they are not known.
    pub(crate) fn columns_set(&self) -> Option<Vec<&'a Name>> {
        match self.kind {
            _ if self.is_open() => None,
            StatementKind::Insert(insert) => match &insert.source {
                InsertSource::Values { columns, .. } => known(columns.iter().collect()),
                InsertSource::Json { .. } | InsertSource::Hole(_) => None,
            },
            StatementKind::Update(update) => known(update.assignments.iter().map(|set| &set.column).collect()),
            StatementKind::Delete(delete) => known(delete.targets.iter().map(target_column).collect()),
            _ => Some(Vec::new()),
        }
    }

    /// Which rows of a partition its key names. An insert names one.
    pub(crate) fn reach(&self, table: &Table) -> Reach {
        if self.insert().is_some() {
            return Reach::Rows;
        }
        if self.is_open() || table.unknown {
            return Reach::Unknown;
        }
        let relations = relations(self.kind);
        let fixes = |column: &str| relations.iter().any(|relation| is_fixed_by(relation, column));
        if !table.partition_key().all(|column| fixes(&column.name)) {
            return Reach::Unknown;
        }
        let fixed = table.clustering().take_while(|column| fixes(&column.name)).count();
        let next = table.clustering().nth(fixed);
        let range = next.is_some_and(|column| relations.iter().any(|relation| names(relation, &column.name)));
        match (fixed, range, next) {
            (_, _, None) => Reach::Rows,
            (0, false, Some(_)) => Reach::Partition,
            (fixed, range, Some(_)) => Reach::Run { fixed, range },
        }
    }

    /// The function that it is written in.
    pub(crate) fn function(&self) -> Option<&'a str> {
        self.of.site.as_ref()?.function.as_deref()
    }
}

/// The statement to speak of: one of the service, else any outside of tests.
pub(crate) fn foremost<'u, 'a>(
    uses: &'u [TableUse<'a>],
    wanted: impl Fn(&TableUse<'a>) -> bool,
) -> Option<&'u TableUse<'a>> {
    let one =
        |of_service: bool| uses.iter().find(|one| one.is_service() == of_service && !one.is_test() && wanted(one));
    one(true).or_else(|| one(false))
}

/// The column that a delete removes or changes.
pub(crate) fn target_column(target: &DeleteTarget) -> &Name {
    match target {
        DeleteTarget::Column(column) | DeleteTarget::Element(column, _) | DeleteTarget::Field(column, _) => column,
    }
}

/// Whether a term of a `WHERE` gives a column one value, or a list of them.
pub(crate) fn is_fixed_by(relation: &Relation, wanted: &str) -> bool {
    match &relation.kind {
        RelationKind::Column { column, operator: Operator::Equal | Operator::In, .. } => column.text == wanted,
        RelationKind::Tuple { columns, operator: Operator::Equal | Operator::In, .. } => {
            columns.iter().any(|column| column.text == wanted)
        }
        _ => false,
    }
}

/// Whether a term of a `WHERE` is about a column.
pub(crate) fn names(relation: &Relation, wanted: &str) -> bool {
    match &relation.kind {
        RelationKind::Column { column, .. } | RelationKind::Element { column, .. } => column.text == wanted,
        RelationKind::Tuple { columns, .. } | RelationKind::Token { columns, .. } => {
            columns.iter().any(|column| column.text == wanted)
        }
        RelationKind::Custom { .. } => false,
    }
}

/// The names, if each of them is known.
fn known(names: Vec<&Name>) -> Option<Vec<&Name>> {
    names.iter().all(|name| !name.unknown).then_some(names)
}
