//! What a write does to the tables: which rows it decides, puts, moves, removes, reserves, checks and counts again.

mod follow;
mod kept;
mod often;
mod projection;
mod reservation;

pub use kept::{counts_again, way, way_of};

use keyloom_model::layout::{Holds, Keeper, Layout, Table, Way};
use keyloom_model::{Action, Catalog, Class, Entity, Expiry, Path, Pattern, Step, Write, WriteVerb};

use crate::stored::{BUCKETS, Companions, DIRTY_LOG, REGISTER, counts_placed, end_is_followed};

/// What one write of a pattern does.
#[derive(Debug, Clone, PartialEq)]
pub struct WritePlan {
    /// The pattern.
    pub pattern: String,
    /// Which step, of an atomic.
    pub step: Option<usize>,
    /// Whose row it changes.
    pub entity: String,
    /// How rows of that entity are written.
    pub class: Class,
    /// How often it happens in one call at most: in a batch, or for each item that is sent.
    pub times_max: u64,
    /// What it does, the source first.
    pub effects: Vec<Effect>,
}

/// One thing that a write does to a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The table.
    pub table: String,
    /// What is done.
    pub does: Does,
    /// How often.
    pub when: When,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// The source row is decided.
    Decides(Expects),
    /// The source row is placed: whichever is newest wins.
    Places,
    /// The source row is removed, without a look at it.
    Clears,
    /// A row of a projection stands there as it is now.
    Puts(Keeper),
    /// It leaves its place and stands at another.
    Moves(Keeper),
    /// It is gone.
    Removes(Keeper),
    /// A value is taken.
    Reserves,
    /// One value is taken, and the one before is free.
    Exchanges,
    /// A value is free again.
    Frees,
    /// A row that must be there is looked at.
    Checks {
        /// It can't go before the write is decided.
        held: bool,
    },
    /// A row whose fields are copied is looked at.
    Copies {
        /// It can't change before the write is decided.
        held: bool,
    },
    /// A row of an event or a history comes with the decision.
    Adds {
        /// Until it is placed, its image stands in the row that was decided.
        rides: bool,
    },
    /// A kept value follows.
    Keeps(Way),
    /// What the row contributes to a kept value is noted.
    Contributes,
    /// Rows that copied a field, or are parts of a row that is deleted, are touched one by one.
    Touches,
    /// The next number is drawn.
    Numbers,
    /// That the row is to be looked at again is noted before, or with it, and that it is done after.
    Marks,
    /// That the row is to be looked at when it ends is noted before, or with it, and that it is done then.
    MarksEnd,
    /// Which row the request is about is written down before.
    Registers,
    /// A bucket that has rows is named before, where this process has not named it yet.
    Names,
}

/// What a decision expects of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expects {
    /// It is not there.
    Absent,
    /// It is there, as it was read.
    Version,
    /// Either.
    Any,
}

/// How often something happens when the write does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum When {
    /// Each time.
    Always,
    /// So often in a million, by the shares that the catalog states.
    Share(u32),
    /// Sometimes; the catalog does not say how often.
    Sometimes,
}

/// Everything that the writes of a catalog do.
pub fn writes(catalog: &Catalog, layout: &Layout, companions: Companions) -> Vec<WritePlan> {
    catalog.patterns.iter().flat_map(|pattern| writes_of(catalog, layout, companions, pattern)).collect()
}

/// What the writes of one pattern do.
pub(crate) fn writes_of(
    catalog: &Catalog,
    layout: &Layout,
    companions: Companions,
    pattern: &Pattern,
) -> Vec<WritePlan> {
    match &pattern.action {
        Action::Write(write) => {
            let times = write.batch.unwrap_or(1);
            plan(catalog, layout, companions, (pattern, None, times), write).into_iter().collect()
        }
        Action::Atomic(steps) => {
            let of_step = |(at, step): (usize, &Step)| match step {
                Step::Write { each, write } => {
                    let times = each.as_ref().map_or(1, |each| each.max);
                    plan(catalog, layout, companions, (pattern, Some(at), times), write)
                }
                Step::Check { .. } => None,
            };
            steps.iter().enumerate().filter_map(of_step).collect()
        }
        Action::Read(_) | Action::Claim(_) | Action::Outside(_) => Vec::new(),
    }
}

fn plan(
    catalog: &Catalog,
    layout: &Layout,
    companions: Companions,
    (pattern, step, times_max): (&Pattern, Option<usize>, u64),
    write: &Write,
) -> Option<WritePlan> {
    let entity = catalog.entity(&write.entity)?;
    let class = entity.class(catalog).0;
    let scope = Scope { catalog, layout, companions, entity, class, write, changed: write.changed_fields(entity) };
    let mut effects = scope.source();
    scope.projections(&mut effects);
    scope.reservations(&mut effects);
    scope.checks(&mut effects);
    scope.copies(&mut effects);
    scope.feeds(&mut effects);
    scope.adds(&mut effects);
    scope.touches(&mut effects);
    let does = |does: &Does| effects.iter().any(|effect| effect.does == *does);
    let comes_after = match (class, companions) {
        (Class::Decided, Companions::Follow) => effects.len() > 1,
        (Class::Decided, Companions::Ride) => does(&Does::Touches),
        // What is counted from rows that are placed is counted behind them.
        (Class::Append | Class::Fed | Class::Blind, _) => {
            let has_log = companions == Companions::Follow || counts_placed(catalog, layout, companions);
            has_log && does(&Does::Keeps(Way::Recount))
        }
    };
    if comes_after {
        effects.push(Effect { table: DIRTY_LOG.to_owned(), does: Does::Marks, when: When::Always });
    }
    effects.extend(scope.marks_end());
    if class == Class::Decided && write.is_by_value(entity) {
        effects.push(Effect { table: REGISTER.to_owned(), does: Does::Registers, when: When::Always });
    }
    let names: Vec<Effect> = effects.iter().filter_map(|effect| scope.names(effect)).collect();
    effects.extend(names);
    Some(WritePlan { pattern: pattern.name.clone(), step, entity: entity.name.clone(), class, times_max, effects })
}

/// One write, and what it is looked at with.
struct Scope<'a> {
    catalog: &'a Catalog,
    layout: &'a Layout,
    companions: Companions,
    entity: &'a Entity,
    class: Class,
    write: &'a Write,
    /// The fields that it may change on a row that is there.
    changed: Vec<&'a str>,
}

impl Scope<'_> {
    fn makes(&self) -> bool {
        matches!(self.write.verb, WriteVerb::Create | WriteVerb::Put)
    }

    fn source(&self) -> Vec<Effect> {
        let is_source =
            |table: &&Table| matches!(&table.holds, Holds::Source { entity, .. } if *entity == self.entity.name);
        let Some(table) = self.layout.tables.iter().find(is_source) else { return Vec::new() };
        let does = match (self.class, self.write.verb) {
            (Class::Decided, WriteVerb::Create) => Does::Decides(Expects::Absent),
            (Class::Decided, WriteVerb::Put) => Does::Decides(Expects::Any),
            (Class::Decided, WriteVerb::Update) if self.write.or_create => Does::Decides(Expects::Any),
            (Class::Decided, WriteVerb::Update | WriteVerb::Delete) => Does::Decides(Expects::Version),
            (_, WriteVerb::Delete) => Does::Clears,
            (_, WriteVerb::Create | WriteVerb::Put | WriteVerb::Update) => Does::Places,
        };
        let numbers = self.layout.tables.iter().filter_map(|table| match &table.holds {
            Holds::Numbers { entity, .. } if *entity == self.entity.name && self.write.verb == WriteVerb::Create => {
                Some(Effect { table: table.name.clone(), does: Does::Numbers, when: When::Always })
            }
            _ => None,
        });
        let source = Effect { table: table.name.clone(), does, when: When::Always };
        std::iter::once(source).chain(numbers).collect()
    }

    /// A mark where the row ends, if something follows from that.
    fn marks_end(&self) -> Option<Effect> {
        let Some(Expiry::At(end)) = &self.entity.expires else { return None };
        let sets = |path: &Path| path.own_field().is_some_and(|field| self.changed.contains(&field));
        let when = match self.write.verb {
            WriteVerb::Create => When::Always,
            WriteVerb::Put => When::Sometimes,
            WriteVerb::Update if end.paths().into_iter().any(sets) || self.write.or_create => When::Sometimes,
            WriteVerb::Update | WriteVerb::Delete => return None,
        };
        end_is_followed(self.catalog, self.layout, self.companions, self.entity).then(|| Effect {
            table: DIRTY_LOG.to_owned(),
            does: Does::MarksEnd,
            when,
        })
    }

    /// What comes before a row that is put into a table that is cut by time. Most often the bucket is known by then.
    fn names(&self, effect: &Effect) -> Option<Effect> {
        let puts = matches!(effect.does, Does::Places | Does::Puts(_) | Does::Moves(_) | Does::Contributes);
        let table = self.layout.table(&effect.table).filter(|_| puts)?;
        table.partition.bucket()?;
        Some(Effect { table: BUCKETS.to_owned(), does: Does::Names, when: When::Sometimes })
    }

    fn on_source(&self, entity: &str, does: Does, when: When, effects: &mut Vec<Effect>) {
        let source = |table: &&Table| matches!(&table.holds, Holds::Source { entity: of, .. } if of == entity);
        effects.extend(self.layout.tables.iter().find(source).map(|table| Effect {
            table: table.name.clone(),
            does,
            when,
        }));
    }
}
