//! What a program refuses, as findings: each refusal belongs to one rule, the one that knows a way out.

use keyloom_finding::{Finding, Limit, Rule};
use keyloom_model::layout::{Holds, Part, Question, Table};
use keyloom_plan::{Asked, Refusal, Test, What, Why, access};

use crate::LayoutContext;
use crate::context::limit;

impl LayoutContext<'_> {
    /// The findings of a rule for what the program refuses. One cause gives one: several questions of a pattern may be
    /// refused for the same reason.
    pub(crate) fn refused(&self, rule: &'static Rule) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for refusal in self.program.refusals.iter().filter(|refusal| self.rule_of(refusal) == rule.name) {
            let finding = self.finding(rule, refusal);
            if findings.iter().all(|known| known.place != finding.place || known.place.is_none()) {
                findings.push(finding);
            }
        }
        findings
    }

    fn finding(&self, rule: &'static Rule, refusal: &Refusal) -> Finding {
        let table = refusal.at.strip_prefix("tables.");
        let place = match (&refusal.question, table, &refusal.what) {
            (Some(question), ..) => self.question_place(question),
            (None, Some(table), What::Class { .. }) => self.word_place(table, "class"),
            (None, Some(table), What::TooLarge { part: "partition key", .. }) => self.word_place(table, "partition"),
            (None, Some(table), What::TooLarge { part: "sort key", .. }) => self.word_place(table, "sort"),
            (None, Some(table), _) => self.table_place(table),
            (None, None, What::NoReservations(unique)) => self.base.key(&format!("{}.unique.{unique}", refusal.at)),
            (None, None, _) => self.base.key(&refusal.at),
        };
        let of = match (&refusal.question, table) {
            (Some(question), _) => question.to_string(),
            (None, Some(table)) => table.to_owned(),
            (None, None) => refusal.at.rsplit('.').next().unwrap_or_default().to_owned(),
        };
        let mut finding = Finding::new(rule, place, format!("`{of}`: {}", refusal.what)).help(refusal.way_out());
        finding.limit = self.limit_of(&refusal.what);
        finding
    }

    /// The documented limit that a refusal is about, where the engine's facts have it.
    fn limit_of(&self, what: &What) -> Option<Limit> {
        let name = match what {
            What::TooLarge { part: "partition key", .. } => "partition_key_bytes",
            What::TooLarge { part: "sort key", .. } => "sort_key_bytes",
            What::TooLarge { .. } => "item_bytes",
            What::Transaction { .. } => "transaction_items",
            _ => return None,
        };
        keyloom_facts::Facts::of(self.engine).get(name).map(|_| limit(self.engine, name).1)
    }

    /// The rule that speaks about a refusal.
    fn rule_of(&self, refusal: &Refusal) -> &'static str {
        match &refusal.what {
            What::NoPath(whys) => refusal.question.as_ref().map_or("unserved-pattern", |question| {
                let rules = whys.iter().map(|(table, why)| self.rule_of_why(question, table, why, false));
                // The rule of the table that comes nearest.
                const NEAREST_FIRST: [&str; 4] =
                    ["stale-after-write", "order-mismatch", "random-bucket", "boundary-mismatch"];
                let rules: Vec<&str> = rules.collect();
                NEAREST_FIRST.into_iter().find(|rule| rules.contains(rule)).unwrap_or("unserved-pattern")
            }),
            What::Stated { table, why } => refusal
                .question
                .as_ref()
                .map_or("unserved-pattern", |question| self.rule_of_why(question, table, why, true)),
            What::NoTable(_) | What::Illegal { .. } | What::Elsewhere(_) | What::Dangling { .. } => "unserved-pattern",
            What::Unbounded | What::Edge(_) => "unbounded-fan-out",
            What::OtherForm(_) | What::Class { .. } | What::NotMade | What::NoCopy(_) | What::Horizons { .. } => {
                "stated-otherwise"
            }
            What::Together { .. } | What::LooseParts { .. } => "misfit-requirement",
            What::Transaction { .. } => "oversized-transaction",
            What::TooLarge { part: "row", .. } => "oversized-item",
            What::TooLarge { .. } => "key-too-long",
            What::NoSource if self.is_projected(refusal) => "projection-as-truth",
            What::NoSource => "unserved-pattern",
            What::NoReservations(_) => "unenforced-uniqueness",
        }
    }

    /// Whether rows of an entity without a source stand in a projection.
    fn is_projected(&self, refusal: &Refusal) -> bool {
        let entity = refusal.at.strip_prefix("entities.").unwrap_or_default();
        self.tables().any(|table| matches!(&table.holds, Holds::Projection { entity: of, .. } if of == entity))
    }

    fn rule_of_why(&self, question: &Question, table: &str, why: &Why, stated: bool) -> &'static str {
        let (Some(asked), Some(table)) = (self.asked(question), self.stated.table(table)) else {
            return "unserved-pattern";
        };
        match why {
            Why::Stale(_) if self.serves_if_older(asked, table) => "stale-after-write",
            Why::Order => "order-mismatch",
            Why::Key if table.partition.parts().iter().any(|part| matches!(part, Part::Bucket(..))) => "random-bucket",
            Why::Partition(_) if stated || self.shares_partition(asked, table) => "boundary-mismatch",
            Why::Where(_) | Why::Absent(_) if stated => "boundary-mismatch",
            _ => "unserved-pattern",
        }
    }

    fn serves_if_older(&self, asked: &Asked, table: &Table) -> bool {
        let asked = Asked { freshness: None, ..asked.clone() };
        access::serve(self.catalog, self.stated, &asked, table).is_ok()
    }

    /// Whether a question gives some of what a list's partition is made of, apart from the tenant.
    fn shares_partition(&self, asked: &Asked, table: &Table) -> bool {
        let Some(entity) = self.entity_of(table).filter(|_| !table.sort.is_empty()) else { return false };
        let gives = |field: &str| {
            asked.tests.iter().any(|test| match test {
                Test::Fixes { field: of, .. } | Test::Bounds { field: of, .. } => of == field,
                Test::Remains(_) => false,
            })
        };
        self.parts_beside_tenant(table, entity).iter().any(|part| gives(part.field()))
    }
}
