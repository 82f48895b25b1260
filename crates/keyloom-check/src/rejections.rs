use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::{Relation, StatementKind};
use keyloom_cql::resolve::{Fault, FaultKind, Verdict};
use keyloom_cql::schema::{Column, IndexKind, Table};
use keyloom_finding::{FileId, Finding, Level, Rule};
use keyloom_survey::{Role, Use, is_program};

use crate::SurveyContext;
use crate::meaning::has_word;
use crate::reads::{relations, restricted, statements};
use crate::writing::is_fixed_by;

/// A statement that the server rejects as it stands.
///
/// One cause gives one finding: each rejection belongs to one rule, the one that knows a way out.
pub(crate) struct Rejection<'a> {
    pub(crate) of: &'a Use,
    /// The statement at fault: of a batch, the one inside.
    pub(crate) kind: &'a StatementKind,
    /// Its table, where there is one.
    pub(crate) table: Option<&'a Table>,
    pub(crate) fault: &'a Fault,
    /// Whether it would be accepted with ALLOW FILTERING.
    pub(crate) filterable: bool,
    level: Level,
}

impl<'a> SurveyContext<'a> {
    /// The rejected statements that a rule speaks about, each place once.
    pub(crate) fn rejections(&self, rule: &'static Rule) -> Vec<Rejection<'a>> {
        let doubt = self.survey.may_be_otherwise() || self.speaks_scylla();
        let most = if doubt { Level::Warning } else { Level::Error };
        let strange = self.strange_files();
        let mut rejections: Vec<Rejection<'a>> = self
            .survey
            .uses
            .iter()
            .filter(|of| !self.is_compared(of))
            .filter_map(|of| self.rejection(of, most))
            .filter(|found| {
                found.rule() == rule.name && !(found.is_unknown() && strange.contains(&found.of.whole().file))
            })
            .collect();
        rejections.sort_by_key(|rejection| rejection.of.place(rejection.fault.at));
        rejections.dedup_by_key(|rejection| rejection.of.place(rejection.fault.at));
        rejections
    }

    /// Whether a test holds a text that nothing is seen to send: what it expects, and no server meets.
    fn is_compared(&self, of: &Use) -> bool {
        of.role == Role::Test && of.sites.is_empty() && is_program(self.name_of(of.whole().file))
    }

    fn rejection(&self, of: &'a Use, most: Level) -> Option<Rejection<'a>> {
        let (fault, filterable) = match &of.resolution.verdict {
            Verdict::NeedsFiltering(fault) => (fault, true),
            Verdict::Illegal(fault) => (fault, false),
            Verdict::Legal | Verdict::Maybe { .. } => return None,
        };
        let inside = |span: keyloom_cql::Span| span.start <= fault.at.start && fault.at.end <= span.end;
        let kind = statements(of)
            .iter()
            .find(|statement| inside(statement.span))
            .map_or(&of.written.statement.kind, |statement| &statement.kind);
        let unsure = of.dynamic || !of.unknown().is_empty();
        // Where one name is made elsewhere, another may be too.
        let is_name = matches!(fault.kind, FaultKind::UnknownTable | FaultKind::UnknownName | FaultKind::Type);
        let most = if is_name && !self.survey.open.is_empty() { most.min(Level::Warning) } else { most };
        let level = match of.role {
            // Tests provoke rejections, and the statement of a migration met an older schema.
            Role::Test | Role::Migration => Level::Note,
            Role::Service | Role::Job if unsure => Level::Note,
            // Another keyspace may be filled in, with another table of that name.
            Role::Service | Role::Job if has_open_keyspace(kind) => most.min(Level::Warning),
            Role::Service | Role::Job => most,
        };
        Some(Rejection { of, kind, table: self.table(of, kind), fault, filterable, level })
    }

    /// Programs that mostly name what this schema does not have: they speak to another database, whose tables may share a
    /// name with ours.
    fn strange_files(&self) -> BTreeSet<FileId> {
        let mut files: BTreeMap<FileId, (usize, usize)> = BTreeMap::new();
        for of in self.survey.uses.iter().filter(|of| of.site.is_some()) {
            let (all, unknown) = files.entry(of.whole().file).or_default();
            *all += 1;
            *unknown += usize::from(self.rejection(of, Level::Error).is_some_and(|rejection| rejection.is_unknown()));
        }
        files
            .into_iter()
            .filter(|(_, (all, unknown))| *unknown > 2 && unknown * 2 > *all)
            .map(|(file, _)| file)
            .collect()
    }

    /// Whether something in the repository is known to ScyllaDB alone, or a schema lies where it is named. It accepts some
    /// statements that Cassandra rejects.
    pub(crate) fn speaks_scylla(&self) -> bool {
        let own_options =
            ["cdc", "synchronous_updates", "scylla_encryption_options", "paxos_grace_seconds", "tombstone_gc"];
        let by_schema = self.tables().any(|table| {
            table.indexes.iter().any(|index| index.kind == IndexKind::Local)
                || table.options.iter().any(|(name, value, _)| {
                    own_options.contains(&name.as_str())
                        && (name != "cdc" || matches!(value, keyloom_cql::ast::OptionValue::Map(_)))
                })
        });
        let is_named =
            |table: &Table| self.file_of(table.made).is_some_and(|file| has_word(file, &["scylla", "scylladb"]));
        by_schema
            || self.tables().any(is_named)
            || self.survey.uses.iter().any(|of| match &of.written.statement.kind {
                StatementKind::Select(select) => select.bypass_cache || !select.using.is_empty(),
                _ => false,
            })
    }
}

fn has_open_keyspace(kind: &StatementKind) -> bool {
    kind.table().and_then(|name| name.keyspace.as_ref()).is_some_and(|keyspace| keyspace.unknown)
}

impl Rejection<'_> {
    /// The finding, without a way out.
    pub(crate) fn finding(&self, rule: &'static Rule, context: &SurveyContext<'_>) -> Finding {
        let label = if self.of.dynamic {
            "put together like this, Cassandra would reject it"
        } else if self.filterable {
            "Cassandra rejects the statement without ALLOW FILTERING"
        } else {
            "Cassandra rejects the statement"
        };
        let finding = Finding::new(rule, self.of.place(self.fault.at), self.fault.message.clone());
        let finding = finding.level(self.level.min(rule.level)).label(label);
        match self.table {
            Some(table) => finding.related(context.survey.made(table.key_made), format!("the key of `{}`", table.name)),
            None => finding,
        }
    }

    /// How sure it is that the statement is rejected where it matters.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// The columns that the term at fault restricts; none where the fault is not one term's.
    pub(crate) fn columns_at_fault(&self) -> Vec<&str> {
        let at_fault = |relation: &&Relation| relation.span == self.fault.at;
        relations(self.kind).iter().find(at_fault).map(restricted).unwrap_or_default()
    }

    /// Those of some columns that the statement gives neither by equality nor by IN.
    pub(crate) fn not_given<'c>(&self, columns: impl Iterator<Item = &'c Column>) -> Vec<&'c str> {
        let fixed = |name: &str| relations(self.kind).iter().any(|relation| is_fixed_by(relation, name));
        columns.map(|column| column.name.as_str()).filter(|name| !fixed(name)).collect()
    }

    /// Whether a table or column is not in the schema.
    fn is_unknown(&self) -> bool {
        matches!(self.fault.kind, FaultKind::UnknownTable | FaultKind::UnknownColumn)
    }

    fn rule(&self) -> &'static str {
        match self.fault.kind {
            FaultKind::UnknownTable => "unknown-table",
            FaultKind::UnknownColumn => "unknown-column",
            FaultKind::ClusteringSkipped => "skipped-clustering-column",
            FaultKind::Order => "order-mismatch",
            FaultKind::PartitionKeyOpen if self.asks_every_partition() => "full-scan",
            FaultKind::PartitionKeyOpen => "boundary-mismatch",
            FaultKind::NotIndexed if self.filterable => "allow-filtering",
            FaultKind::NotIndexed | FaultKind::UnknownName | FaultKind::Type | FaultKind::Other => "illegal-statement",
        }
    }

    /// Whether it is a read that gives no part of the partition key.
    fn asks_every_partition(&self) -> bool {
        let Some(table) = self.table else { return false };
        let gives = |name: &str| relations(self.kind).iter().any(|relation| restricted(relation).contains(&name));
        matches!(self.kind, StatementKind::Select(_)) && !table.partition_key().any(|column| gives(&column.name))
    }
}
