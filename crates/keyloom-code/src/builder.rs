//! Statements that a program puts together by calls: what was said so far, and how it reads as CQL.

use std::ops::Range;

use crate::value::{Shared, Value};

/// What a call of a builder answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Built {
    /// A part of a statement: a term, a relation, an assignment, a type.
    Fragment(Shared),
    /// A statement so far.
    Statement(Statement),
    /// A statement that waits for the rest of a relation: `whereColumn("a")` for `isEqualTo(…)`. Without a statement it is a
    /// relation by itself.
    Relation { statement: Option<Statement>, slot: Slot, left: Shared },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub verb: Verb,
    /// The call that began it.
    pub at: Range<u32>,
    pub parts: Vec<(Slot, Shared)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Select,
    Insert,
    Update,
    Delete,
    Truncate,
    CreateTable,
    CreateType,
    CreateIndex,
    CreateView,
    CreateKeyspace,
    AlterTable,
    AlterType,
    /// `DROP TABLE`, with the words behind the verb.
    Drop(&'static str),
}

/// Where a part stands in its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Table,
    /// `DISTINCT`, `JSON`: before what is selected.
    Mode,
    /// What is selected, inserted, deleted; columns and fields of a definition.
    Item,
    /// The value of the item before it.
    Value,
    Assignment,
    Where,
    Condition,
    /// `TTL ?`, `TIMESTAMP ?`.
    Using,
    GroupBy,
    OrderBy,
    PerPartitionLimit,
    Limit,
    Filtering,
    IfExists,
    PartitionKey,
    ClusteringColumn,
    ClusteringOrder,
    /// An option of a table or a keyspace.
    Option,
    /// The name of an index.
    Name,
    /// What follows at the end, as it is: `USING 'class'`.
    Tail,
}

impl Built {
    pub fn values(&self) -> Box<dyn Iterator<Item = &Shared> + '_> {
        match self {
            Self::Fragment(value) => Box::new(std::iter::once(value)),
            Self::Statement(statement) => Box::new(statement.parts.iter().map(|(_, value)| value)),
            Self::Relation { statement, left, .. } => {
                let parts = statement.iter().flat_map(|statement| statement.parts.iter().map(|(_, value)| value));
                Box::new(std::iter::once(left).chain(parts))
            }
        }
    }

    /// Where the statement begins.
    pub fn start(&self) -> Option<u32> {
        match self {
            Self::Statement(statement) => Some(statement.at.start),
            Self::Relation { statement, .. } => statement.as_ref().map(|statement| statement.at.start),
            Self::Fragment(_) => None,
        }
    }

    /// How it reads.
    pub fn text(&self) -> Shared {
        match self {
            Self::Fragment(value) => value.clone(),
            Self::Statement(statement) => statement.text(),
            Self::Relation { statement: Some(statement), .. } => statement.text(),
            Self::Relation { left, .. } => left.clone(),
        }
    }
}

impl Statement {
    pub fn new(verb: Verb, at: Range<u32>, table: Vec<Shared>) -> Self {
        Self { verb, at, parts: table.into_iter().map(|name| (Slot::Table, name)).collect() }
    }

    fn of(&self, slot: Slot) -> impl Iterator<Item = &Shared> {
        self.parts.iter().filter(move |(at, _)| *at == slot).map(|(_, value)| value)
    }

    fn has(&self, slot: Slot) -> bool {
        self.of(slot).next().is_some()
    }

    /// The words of the statement itself, which the program says with the call that begins it.
    fn say(&self, words: &str) -> Shared {
        Value::meant(words, self.at.clone())
    }

    fn list(&self, values: Vec<&Shared>, separator: &str, all: &mut Vec<Shared>) {
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                all.push(self.say(separator));
            }
            all.push(value.clone());
        }
    }

    /// A clause with its parts, if it has any.
    fn clause(&self, slot: Slot, words: &str, separator: &str, all: &mut Vec<Shared>) {
        if self.has(slot) {
            all.push(self.say(words));
            self.list(self.of(slot).collect(), separator, all);
        }
    }

    fn table(&self, words: &str, all: &mut Vec<Shared>) {
        all.push(self.say(words));
        self.list(self.of(Slot::Table).collect(), ".", all);
    }

    fn if_exists(&self, words: &'static str) -> &'static str {
        if self.has(Slot::IfExists) { words } else { "" }
    }

    fn text(&self) -> Shared {
        let mut all = Vec::new();
        match self.verb {
            Verb::Select => self.select(&mut all),
            Verb::Insert => self.insert(&mut all),
            Verb::Update => {
                self.table("UPDATE ", &mut all);
                self.clause(Slot::Using, " USING ", " AND ", &mut all);
                self.clause(Slot::Assignment, " SET ", ", ", &mut all);
                self.restricted(&mut all);
            }
            Verb::Delete => {
                all.push(self.say("DELETE "));
                self.list(self.of(Slot::Item).collect(), ", ", &mut all);
                self.table(if self.has(Slot::Item) { " FROM " } else { "FROM " }, &mut all);
                self.clause(Slot::Using, " USING ", " AND ", &mut all);
                self.restricted(&mut all);
            }
            Verb::Truncate => self.table("TRUNCATE ", &mut all),
            Verb::CreateTable => self.create_table(&mut all),
            Verb::CreateType => {
                self.table(&format!("CREATE TYPE {}", self.if_exists("IF NOT EXISTS ")), &mut all);
                self.clause(Slot::Item, " (", ", ", &mut all);
                all.push(self.say(")"));
            }
            Verb::CreateIndex => {
                all.push(self.say(if self.has(Slot::Tail) { "CREATE CUSTOM INDEX " } else { "CREATE INDEX " }));
                all.push(self.say(self.if_exists("IF NOT EXISTS ")));
                self.list(self.of(Slot::Name).collect(), "", &mut all);
                self.table(" ON ", &mut all);
                self.clause(Slot::Item, " (", ", ", &mut all);
                all.push(self.say(")"));
                self.clause(Slot::Tail, " USING ", "", &mut all);
            }
            Verb::CreateView => self.create_view(&mut all),
            Verb::CreateKeyspace => {
                self.table(&format!("CREATE KEYSPACE {}", self.if_exists("IF NOT EXISTS ")), &mut all);
                if self.has(Slot::Option) {
                    self.clause(Slot::Option, " WITH ", " AND ", &mut all);
                } else {
                    all.push(self.say(" WITH replication = "));
                    all.push(Value::unknown("replication", self.at.clone()));
                }
            }
            Verb::AlterTable | Verb::AlterType => {
                let words = if self.verb == Verb::AlterTable { "ALTER TABLE " } else { "ALTER TYPE " };
                self.table(words, &mut all);
                self.clause(Slot::Item, " ADD ", ", ADD ", &mut all);
                self.clause(Slot::Tail, " ", " ", &mut all);
                self.clause(Slot::Option, " WITH ", " AND ", &mut all);
            }
            Verb::Drop(what) => self.table(&format!("DROP {what} {}", self.if_exists("IF EXISTS ")), &mut all),
        }
        Value::join(all)
    }

    fn select(&self, all: &mut Vec<Shared>) {
        all.push(self.say("SELECT "));
        self.list(self.of(Slot::Mode).collect(), "", all);
        if self.has(Slot::Item) {
            self.list(self.of(Slot::Item).collect(), ", ", all);
        } else {
            all.push(self.say("*"));
        }
        self.table(" FROM ", all);
        self.clause(Slot::Where, " WHERE ", " AND ", all);
        self.clause(Slot::GroupBy, " GROUP BY ", ", ", all);
        self.clause(Slot::OrderBy, " ORDER BY ", ", ", all);
        self.clause(Slot::PerPartitionLimit, " PER PARTITION LIMIT ", "", all);
        self.clause(Slot::Limit, " LIMIT ", "", all);
        self.clause(Slot::Filtering, " ALLOW FILTERING", "", all);
    }

    fn insert(&self, all: &mut Vec<Shared>) {
        self.table("INSERT INTO ", all);
        if self.has(Slot::Mode) {
            self.clause(Slot::Mode, " JSON ", "", all);
        } else {
            self.clause(Slot::Item, " (", ", ", all);
            self.clause(Slot::Value, ") VALUES (", ", ", all);
            all.push(self.say(")"));
        }
        all.push(self.say(self.if_exists(" IF NOT EXISTS")));
        self.clause(Slot::Using, " USING ", " AND ", all);
    }

    fn restricted(&self, all: &mut Vec<Shared>) {
        self.clause(Slot::Where, " WHERE ", " AND ", all);
        all.push(self.say(self.if_exists(" IF EXISTS")));
        self.clause(Slot::Condition, " IF ", " AND ", all);
    }

    /// `PRIMARY KEY ((a, b), c)`.
    fn key(&self, all: &mut Vec<Shared>) {
        all.push(self.say("PRIMARY KEY (("));
        self.list(self.of(Slot::PartitionKey).collect(), ", ", all);
        all.push(self.say(")"));
        self.clause(Slot::ClusteringColumn, ", ", ", ", all);
        all.push(self.say(")"));
    }

    fn create_table(&self, all: &mut Vec<Shared>) {
        self.table(&format!("CREATE TABLE {}", self.if_exists("IF NOT EXISTS ")), all);
        self.clause(Slot::Item, " (", ", ", all);
        all.push(self.say(", "));
        self.key(all);
        all.push(self.say(")"));
        self.options(all);
    }

    fn create_view(&self, all: &mut Vec<Shared>) {
        all.push(self.say("CREATE MATERIALIZED VIEW "));
        all.push(self.say(self.if_exists("IF NOT EXISTS ")));
        self.list(self.of(Slot::Name).collect(), ".", all);
        all.push(self.say(" AS SELECT "));
        if self.has(Slot::Item) {
            self.list(self.of(Slot::Item).collect(), ", ", all);
        } else {
            all.push(self.say("*"));
        }
        self.table(" FROM ", all);
        self.clause(Slot::Where, " WHERE ", " AND ", all);
        all.push(self.say(" "));
        self.key(all);
        self.options(all);
    }

    fn options(&self, all: &mut Vec<Shared>) {
        let mut word = " WITH ";
        if self.has(Slot::ClusteringOrder) {
            self.clause(Slot::ClusteringOrder, " WITH CLUSTERING ORDER BY (", ", ", all);
            all.push(self.say(")"));
            word = " AND ";
        }
        self.clause(Slot::Option, word, " AND ", all);
    }
}
