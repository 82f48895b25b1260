use std::collections::BTreeMap;

use keyloom_cql::ast::{Assignment, AssignmentKind, LiteralKind, TermKind};
use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::meaning::{has_word, is_clock, is_counter_table};
use crate::reads::{argument, constant, given, some_names};
use crate::writing::{Reach, foremost};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "upsert-resurrects-row",
    level: Level::Warning,
    summary: "an UPDATE after a delete makes a row with only the updated columns",
    page: include_str!("upsert_resurrects_row.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !is_counter_table(table) && !table.unknown) {
        let uses = context.uses(table);
        // A row, or what all rows of a partition share.
        for part in [ColumnKind::Regular, ColumnKind::Static] {
            findings.extend(Part { table, uses, kind: part }.resurrected());
        }
    }
}

/// What a write makes anew: a row by its regular columns, a partition by its static ones.
#[derive(Clone, Copy)]
struct Part<'t, 'a> {
    table: &'t Table,
    uses: &'t [TableUse<'a>],
    kind: ColumnKind,
}

/// Why a write sets a part of what is there.
enum Partial<'t, 'a> {
    /// It sets at most half, and changes what is there.
    Change,
    /// It sets at most half of what another insert sets.
    Subset,
    /// It leaves out the state that another insert sets.
    WithoutState,
    /// It sets less than an insert does, in a batch whose condition is on another row.
    ConditionElsewhere(&'t TableUse<'a>),
}

impl<'t, 'a> Part<'t, 'a> {
    fn resurrected(self) -> Option<Finding> {
        let inserts = || self.uses.iter().filter(|one| one.insert().is_some());
        let fullest = inserts().map(|one| self.cells(one)).max_by_key(Vec::len)?;
        // Where no insert makes rows, an update does, and means to.
        if (self.kind == ColumnKind::Static && fullest.is_empty()) || self.holds_alternatives() {
            return None;
        }
        let removes = |one: &&TableUse<'_>| {
            // A delete that carries a time of its own may lie in the future, where nothing comes back behind it.
            let has_own_time = one.using("timestamp").is_some_and(|time| matches!(time.kind, TermKind::Literal(_)));
            let plain = one.is_service() && one.deletes_rows() && !one.is_conditional() && !has_own_time;
            plain
                && match one.reach(self.table) {
                    Reach::Partition => true,
                    // A range takes away what is old: who writes there is late in another way.
                    Reach::Rows | Reach::Run { range: false, .. } => self.kind == ColumnKind::Regular,
                    Reach::Run { range: true, .. } | Reach::Unknown => false,
                }
        };
        let delete = self.uses.iter().find(removes)?;
        let changes = |one: &TableUse<'a>| matches!(self.partial(one, &fullest), Some(Partial::Change));
        let of_service = |one: &&TableUse<'a>| one.is_service() && self.partial(one, &fullest).is_some();
        let by_service = self.uses.iter().find(|one| one.is_service() && changes(one));
        let upsert =
            by_service.or_else(|| self.uses.iter().find(of_service)).or_else(|| foremost(self.uses, changes))?;
        let finding = self.told(upsert, &self.partial(upsert, &fullest)?, &fullest);
        Some(finding.related(delete.place(), "rows are deleted here"))
    }

    fn told(self, upsert: &TableUse<'a>, partial: &Partial<'t, 'a>, fullest: &[&str]) -> Finding {
        let verb = if upsert.insert().is_some() { "INSERT" } else { "UPDATE" };
        let thing = if self.kind == ColumnKind::Static { "partition" } else { "row" };
        let cells = self.cells(upsert);
        let left = match partial {
            Partial::Change | Partial::Subset => format!("with only {}", some_names(cells)),
            Partial::WithoutState | Partial::ConditionElsewhere(_) => {
                format!("without {}", some_names(fullest.iter().filter(|name| !cells.contains(name)).copied()))
            }
        };
        let of = &self.table.name;
        let message = format!(
            "an {verb} makes the {thing} if it is not there: behind a delete this one leaves a {thing} of `{of}` {left}"
        );
        let (wanted, help) = match partial {
            Partial::Change => (
                Level::Warning,
                "make it an UPDATE .. IF EXISTS, at four trips instead of one; or let readers take a row without its other columns for deleted",
            ),
            Partial::Subset | Partial::WithoutState => (
                Level::Note,
                "if it is meant to change what is there, make it an UPDATE .. IF EXISTS, at four trips instead of one; if it makes rows of its own, all is well",
            ),
            Partial::ConditionElsewhere(_) => (
                Level::Note,
                "the condition of its batch is not on this row: add one that is (`IF EXISTS`), or let the delete change the row that is asked",
            ),
        };
        // The name of a column may come from a constant far away.
        let set = match (upsert.assignments().first(), upsert.assignments().last()) {
            (Some(first), Some(last)) => Some(upsert.of.place(first.span.to(last.span))),
            _ => None,
        };
        let place = set.filter(|place| upsert.place().contains(*place)).unwrap_or_else(|| upsert.place());
        let finding = Finding::new(&RULE, place, message).level(upsert.level(wanted)).help(help);
        match partial {
            Partial::ConditionElsewhere(decision) => finding.related(decision.place(), "the row that is asked"),
            _ => finding,
        }
    }

    /// Why a statement sets a part of what is there, whatever that is; `None` where it sets the whole, or looks first.
    fn partial(self, one: &TableUse<'a>, fullest: &[&str]) -> Option<Partial<'t, 'a>> {
        const STATE: &[&str] = &["phase", "state", "status"];
        let cells = self.cells(one);
        let names_it = match self.kind {
            ColumnKind::Static => self.sets_only_static(one),
            _ => one.reach(self.table) == Reach::Rows,
        };
        let is_plain = one.sets() && !one.is_conditional() && one.of.role != Role::Migration;
        if !is_plain || !names_it || cells.is_empty() {
            return None;
        }
        let missing: Vec<&&str> = fullest.iter().filter(|name| !cells.contains(name)).collect();
        let is_subset = cells.len() + missing.len() == fullest.len() && !missing.is_empty() && fullest.len() > 2;
        // A batch may hold a condition that stands elsewhere.
        if one.is_in_batch() && self.uses.iter().any(TableUse::is_conditional) {
            let decision = self.condition_on_another_row(one)?;
            let is_change = one.insert().is_none() && is_subset;
            return is_change.then_some(Partial::ConditionElsewhere(decision));
        }
        let all = self.table.columns.iter().filter(|column| column.kind == self.kind).count();
        match one.insert() {
            None if self.is_whole(&cells) => None,
            None => (cells.len() * 2 <= all).then_some(Partial::Change),
            Some(_) if cells.len() * 2 <= fullest.len() && cells.iter().all(|name| self.changes(name)) => {
                Some(Partial::Change)
            }
            Some(_) if !is_subset => None,
            Some(_) if cells.len() * 2 <= fullest.len() => Some(Partial::Subset),
            Some(_) => missing.iter().any(|name| has_word(name, STATE)).then_some(Partial::WithoutState),
        }
    }

    /// Whether a row with these columns is one that the service also makes on purpose: one of its inserts sets no others.
    fn is_whole(self, cells: &[&str]) -> bool {
        self.uses.iter().filter(|one| one.is_service() && one.insert().is_some() && !one.is_seed()).any(|one| {
            let made = self.cells(one);
            let by_change = made.iter().all(|name| self.changes(name));
            !made.is_empty() && !by_change && made.iter().all(|name| cells.contains(name))
        })
    }

    /// Whether a column changes during the life of a row: a time, or a state. An insert of anything else may make a row of
    /// another kind.
    fn changes(self, name: &str) -> bool {
        const CHANGING: &[&str] = &[
            "attempt",
            "error",
            "fail",
            "failure",
            "finished",
            "heartbeat",
            "last",
            "modified",
            "progress",
            "result",
            "state",
            "status",
            "updated",
        ];
        self.table.column(name).is_some_and(is_clock) || has_word(name, CHANGING)
    }

    /// The statement that decides in a batch, where all that do ask one fixed row, and this statement is about others.
    fn condition_on_another_row(self, one: &TableUse<'a>) -> Option<&'t TableUse<'a>> {
        // That a row is not there is asked when it is made.
        let mut deciding = self.uses.iter().filter(|one| one.is_conditional() && one.insert().is_none());
        let first = deciding.next()?;
        let is_elsewhere = |decision: &TableUse<'a>| {
            self.table.clustering().any(|column| {
                let fixed = given(decision.kind, &column.name).and_then(|term| constant(decision.of, term));
                let own = given(one.kind, &column.name);
                let is_free =
                    own.is_some_and(|term| argument(one.of, term).is_some() && constant(one.of, term).is_none());
                fixed.is_some() && is_free
            })
        };
        (is_elsewhere(first) && deciding.all(is_elsewhere)).then_some(first)
    }

    /// Whether a row holds one of several columns, so that it is whole with any of them (a value as a number, as a text, as a
    /// flag): beside what all writes set, each sets one. Two such columns may as well be two parts of a row.
    fn holds_alternatives(self) -> bool {
        let writes = self.uses.iter().filter(|one| one.sets() && !one.is_test()).map(|one| self.cells(one));
        let writes: Vec<Vec<&str>> = writes.filter(|cells| !cells.is_empty()).collect();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        writes.iter().flatten().for_each(|name| *times.entry(name).or_default() += 1);
        times.retain(|_, times| *times < writes.len());
        times.len() > 2 && writes.iter().all(|cells| cells.iter().filter(|name| times.contains_key(*name)).count() == 1)
    }

    /// The columns that a statement sets. Null makes nothing.
    fn cells(self, one: &TableUse<'a>) -> Vec<&'a str> {
        let removed: Vec<&str> =
            one.assignments().iter().filter(|set| is_removal(set)).map(|set| set.column.text.as_str()).collect();
        let is_of_part = |name: &str| self.table.column(name).is_some_and(|column| column.kind == self.kind);
        let set = one.columns_set().unwrap_or_default().into_iter().map(|name| name.text.as_str());
        set.filter(|name| is_of_part(name) && !removed.contains(name)).collect()
    }

    /// Whether a statement is about a partition and none of its rows.
    fn sets_only_static(self, one: &TableUse<'a>) -> bool {
        let set = one.columns_set().unwrap_or_default();
        let is_shared = |name: &str| {
            let kind = self.table.column(name).map(|column| column.kind);
            matches!(kind, Some(ColumnKind::Static | ColumnKind::Partition))
        };
        let names_partition = one.insert().is_some() || one.reach(self.table) == Reach::Partition;
        names_partition && set.iter().all(|name| is_shared(&name.text))
    }
}

fn is_removal(set: &Assignment) -> bool {
    match &set.kind {
        AssignmentKind::Set(value) => match &value.kind {
            TermKind::Literal(literal) => literal.kind == LiteralKind::Null,
            _ => false,
        },
        AssignmentKind::Subtract(_) => true,
        _ => false,
    }
}
