//! What the writes of a pattern do, as the executor carries them out.

use keyloom_model::layout::{Copied, Holds, Keeper, Question, Way};
use keyloom_model::{Action, By, ByItem, Class, Expr, Fill, Origin, Path, Pattern, Root, Selection, Step, WriteVerb};
use keyloom_plan::{Companions, Does, Effect, Expects, When, WritePlan};
use keyloom_store::{Discipline, Freshness, Table};

use crate::ground::Ground;
use crate::quantity::Between;
use crate::reads::get;
use crate::visits::{ALWAYS, Becomes, InIndex, Often, RowVisit, Visit, Visits};

impl Ground<'_> {
    /// The calls of what one call of a pattern writes, with those by which it looks at rows for that.
    pub fn write(&self, pattern: &Pattern) -> Visits {
        let mut visits = Visits::default();
        match &pattern.action {
            Action::Write(write) => {
                // The rate of a batch counts its rows.
                for plan in self.program.writes_of(&pattern.name) {
                    // How the others find their row is a question of its own.
                    if write.verb == WriteVerb::Put {
                        visits.extend(look(plan));
                    }
                    visits.extend(of_plan(self, plan, write.verb, false));
                }
            }
            Action::Atomic(steps) => {
                for (at, step) in steps.iter().enumerate() {
                    visits.extend(of_step(self, pattern, at, step));
                }
            }
            Action::Claim(claim) => {
                if let Some(source) = self.source(&claim.selection.entity) {
                    let rows = vec![RowVisit::of(source, Becomes::Changed)];
                    let claimed = Often::once(Visit::Decide { rows });
                    visits.beside.push(claimed.times(Between { low: 0, high: claim.up_to.into() }).into());
                    visits.without.insert(format!("what {} changes in projections", pattern.name));
                }
            }
            Action::Read(_) | Action::Outside(_) => {}
        }
        visits
    }
}

/// A step of an atomic; all of them are one decision.
fn of_step(ground: &Ground<'_>, pattern: &Pattern, at: usize, step: &Step) -> Visits {
    let mut visits = Visits::default();
    let once = Between::exactly(ALWAYS);
    let each = match step {
        Step::Write { each, write } => {
            for plan in ground.program.writes_of(&pattern.name).filter(|plan| plan.step == Some(at)) {
                visits.extend(look(plan));
                visits.extend(of_plan(ground, plan, write.verb, true));
            }
            each
        }
        Step::Check { each, entity, .. } => {
            if let Some(source) = ground.source(entity) {
                visits.visit(get(source, Freshness::Settled), once);
                if ground.program.companions == Companions::Ride {
                    visits.decision.push(Often::once(RowVisit::of(source, Becomes::Checked)));
                }
            }
            each
        }
    };
    visits.times(each.as_ref().map_or(Between::exactly(1), |each| Between { low: 1, high: u128::from(each.max) }))
}

/// A decision on a row that may be there expects what was read of it.
fn look(plan: &WritePlan) -> Visits {
    let mut visits = Visits::default();
    let expects = |does: &Does| matches!(does, Does::Decides(Expects::Version | Expects::Any));
    for effect in plan.effects.iter().filter(|effect| expects(&effect.does)) {
        visits.visit(get(&effect.table, Freshness::Settled), often(effect.when));
    }
    visits
}

/// What one write does; the rows of an atomic are decided together.
fn of_plan(ground: &Ground<'_>, plan: &WritePlan, verb: WriteVerb, atomic: bool) -> Visits {
    let together = atomic || plan.class == Class::Decided;
    let rides = ground.program.companions == Companions::Ride && together;
    let mut making = Making { ground, plan, verb, rides, visits: Visits::default() };
    // The engine brings indexes about with their source.
    for effect in plan.effects.iter().filter(|effect| !ground.is_index(&effect.table)) {
        making.effect(effect);
    }
    making.visits
}

/// How often, in millionths.
fn often(when: When) -> Between<u128> {
    match when {
        When::Always => Between::exactly(ALWAYS),
        When::Share(millionths) => Between::exactly(millionths.into()),
        When::Sometimes => Between { low: 0, high: ALWAYS },
    }
}

/// The calls of one write, while they are put together.
struct Making<'a, 'b> {
    ground: &'a Ground<'b>,
    plan: &'a WritePlan,
    verb: WriteVerb,
    /// What follows rides along with the decision.
    rides: bool,
    visits: Visits,
}

impl Making<'_, '_> {
    fn effect(&mut self, effect: &Effect) {
        let table = effect.table.as_str();
        match &effect.does {
            Does::Decides(_) | Does::Places | Does::Clears => {
                self.source(effect);
                // Who puts or removes a row without a look at it looks behind himself whether something newer stands.
                if self.plan.class == Class::Blind {
                    self.visits.visit(get(table, Freshness::Settled), often(effect.when));
                }
            }
            Does::Puts(Keeper::Carried) if self.keeper_of(effect).is_some() => {}
            Does::Puts(keeper) => self.kept(effect, *keeper, self.becomes(table)),
            Does::Moves(keeper) => {
                self.kept(effect, *keeper, Becomes::Gone);
                self.kept(effect, *keeper, Becomes::New);
            }
            Does::Removes(keeper) => self.kept(effect, *keeper, Becomes::Gone),
            Does::Reserves => self.decide(effect, Becomes::New),
            Does::Exchanges => {
                // Who has the new value is looked at, too: a write that looked at its row does so.
                self.look(effect);
                self.decide_as_read(effect, Becomes::Gone);
                self.decide(effect, Becomes::New);
            }
            Does::Frees => self.decide_as_read(effect, Becomes::Gone),
            Does::Checks { held: true } | Does::Copies { held: true } => self.decide_as_read(effect, Becomes::Checked),
            Does::Checks { held: false } | Does::Copies { held: false } => self.look(effect),
            Does::Adds { rides: false } if self.rides => self.decide(effect, Becomes::New),
            Does::Adds { .. } => self.place(effect, Becomes::New),
            Does::Keeps(Way::Rider) if self.rides => self.decide_as_read(effect, Becomes::Changed),
            Does::Keeps(Way::Rider) => {
                self.look(effect);
                self.decide_apart(effect);
            }
            Does::Contributes if self.rides && self.ground.discipline(table) == Some(&Discipline::Carried) => {
                self.decide(effect, self.becomes(table));
            }
            Does::Keeps(Way::Newest) | Does::Contributes => self.place(effect, Becomes::Changed),
            Does::Keeps(Way::Recount) => {
                self.look(effect);
                self.recount(effect);
                if self.rides && self.ground.is_kept(table) {
                    self.decide(effect, Becomes::Changed);
                } else {
                    self.decide_apart(effect);
                }
            }
            Does::Numbers => self.decide_as_read(effect, Becomes::Changed),
            Does::Touches => self.touch(effect),
            Does::Registers => self.decide_by_itself(effect, Becomes::New),
            Does::Names => self.place(effect, Becomes::New),
            Does::Marks => {
                self.place(effect, Becomes::New);
                self.place(effect, Becomes::Gone);
            }
            Does::MarksEnd => {
                self.place(effect, Becomes::New);
                self.place(effect, Becomes::Gone);
                self.ends(effect);
            }
        }
    }

    /// What happens when a row has ended that something follows from: one that is decided is read and decided gone, and what
    /// is counted again is counted once more.
    fn ends(&mut self, effect: &Effect) {
        let effects = self.plan.effects.iter().filter(|other| other.when != When::Share(0));
        for other in effects.clone().filter(|other| matches!(other.does, Does::Decides(_))) {
            self.visits.visit(get(&other.table, Freshness::Fresh), often(effect.when));
            self.visits
                .visit(Visit::Decide { rows: vec![RowVisit::of(&other.table, Becomes::Gone)] }, often(effect.when));
        }
        for other in effects.filter(|other| matches!(other.does, Does::Keeps(Way::Recount))) {
            self.look(other);
            self.recount(other);
            self.decide_by_itself(other, Becomes::Changed);
        }
    }

    /// The row of the source, and what the engine does in its indexes: at least what always happens.
    fn source(&mut self, effect: &Effect) {
        let becomes = match self.verb {
            WriteVerb::Create => Becomes::New,
            WriteVerb::Put | WriteVerb::Update => Becomes::Changed,
            WriteVerb::Delete => Becomes::Gone,
        };
        let row = |perhaps: bool| RowVisit {
            indexes: self.in_indexes(&effect.table, perhaps),
            ..RowVisit::of(&effect.table, becomes)
        };
        let row = Often { least: row(false), most: row(true), millionths: often(effect.when) };
        match effect.does {
            Does::Decides(_) => self.visits.decision.push(row),
            _ if self.rides => self.visits.decision.push(row),
            _ => {
                let (least, most) = (Visit::Place { row: row.least }, Visit::Place { row: row.most });
                self.visits.beside.push(Often { least, most, millionths: row.millionths }.into());
            }
        }
    }

    /// What becomes of a row of the source in its indexes, with what happens only sometimes or without. An index shows
    /// the version of a row, so it is written there too when nothing else of it changes.
    fn in_indexes(&self, table: &str, perhaps: bool) -> Vec<(String, InIndex)> {
        let change = |index: &Table| {
            let effect = self.plan.effects.iter().find(|effect| effect.table == index.name);
            let change = match (effect.map(|effect| &effect.does), self.verb) {
                (Some(Does::Puts(_)), WriteVerb::Create) => InIndex::Enters,
                (Some(Does::Moves(_)), _) => InIndex::Moves,
                (Some(Does::Removes(_)), _) => InIndex::Leaves,
                (Some(Does::Puts(_)), _) | (None, WriteVerb::Update | WriteVerb::Put) => InIndex::Stays,
                _ => return None,
            };
            // A row that does not pass the filter of an index is not in it, and nothing is written there.
            let is_sparse =
                || self.ground.program.layout.table(&index.name).is_some_and(|table| table.filter.is_some());
            let surely = effect.map_or_else(|| !is_sparse(), |effect| effect.when == When::Always);
            let comes = perhaps || surely;
            comes.then(|| (index.name.clone(), change))
        };
        self.ground.indexes(table).filter_map(change).collect()
    }

    /// What becomes of the row of a projection that is put. Those of what is kept are there before most of the time.
    fn becomes(&self, table: &str) -> Becomes {
        let own = self.ground.entity(table).is_some_and(|entity| entity.name == self.plan.entity);
        if own && self.verb == WriteVerb::Create { Becomes::New } else { Becomes::Changed }
    }

    fn kept(&mut self, effect: &Effect, keeper: Keeper, becomes: Becomes) {
        match keeper {
            Keeper::Carried if self.rides => self.decide(effect, becomes),
            _ => self.place(effect, becomes),
        }
    }

    /// A row of another table that a decision expects as it was read.
    fn decide_as_read(&mut self, effect: &Effect, becomes: Becomes) {
        self.look(effect);
        self.decide(effect, becomes);
    }

    fn look(&mut self, effect: &Effect) {
        self.visits.visit(get(&effect.table, Freshness::Fresh), often(effect.when));
    }

    /// A row that is decided: with the others, or by itself where nothing rides along.
    fn decide(&mut self, effect: &Effect, becomes: Becomes) {
        let row = RowVisit::of(&effect.table, becomes);
        if self.rides {
            self.visits.decision.push(Often::exactly(row, often(effect.when)));
        } else {
            self.decide_by_itself(effect, becomes);
        }
    }

    fn decide_by_itself(&mut self, effect: &Effect, becomes: Becomes) {
        let rows = vec![RowVisit::of(&effect.table, becomes)];
        self.visits.visit(Visit::Decide { rows }, often(effect.when));
    }

    fn place(&mut self, effect: &Effect, becomes: Becomes) {
        let row = RowVisit::of(&effect.table, becomes);
        self.visits.visit(Visit::Place { row }, often(effect.when));
    }

    /// What is kept is decided behind the write that feeds it, and its projections ride along with that.
    fn decide_apart(&mut self, effect: &Effect) {
        let changed = |table: &str| RowVisit::of(table, Becomes::Changed);
        let along = self.plan.effects.iter().filter(|other| self.keeper_of(other) == Some(effect));
        let rows = std::iter::once(changed(&effect.table)).chain(along.map(|along| changed(&along.table)));
        let rows = rows.collect();
        self.visits.visit(Visit::Decide { rows }, often(effect.when));
    }

    /// The effect that decides, behind the write, the row that a carried projection is of.
    fn keeper_of(&self, projected: &Effect) -> Option<&Effect> {
        let entity = self.ground.entity(&projected.table)?;
        let source = self.ground.source(&entity.name)?;
        let carried = self.ground.discipline(&projected.table) == Some(&Discipline::Carried);
        let apart = |does: &Does| match does {
            Does::Keeps(Way::Recount) => true,
            Does::Keeps(Way::Rider) => !self.rides,
            _ => false,
        };
        let mut keepers = self.plan.effects.iter().filter(|effect| carried && apart(&effect.does));
        keepers.find(|effect| effect.table == source && effect.when == projected.when)
    }

    /// Rows that follow another one are found and decided once more, as many as a typical group has.
    fn touch(&mut self, effect: &Effect) {
        let Some(touched) = Touched::of(self.ground, self.plan, &effect.table) else {
            self.visits.without.insert(format!("the rows of {} that {} touches", effect.table, self.plan.pattern));
            return;
        };
        // One that holds copies of the same row is decided once for all its tables that the write touches.
        let touches = |table: &&&str| {
            self.plan.effects.iter().any(|effect| effect.does == Does::Touches && effect.table == ***table)
        };
        if touched.tables.iter().find(touches) != Some(&effect.table.as_str()) {
            return;
        }
        let is_new = self.verb == WriteVerb::Create;
        let rows = if is_new { 0 } else { touched.rows };
        let found = Visit::Slice { table: touched.support.to_owned(), rows, freshness: Freshness::Settled };
        self.visits.visit(found, Between::exactly(ALWAYS));
        let often = often(effect.when);
        let mut each = |visit: Visit| {
            self.visits.beside.push(Often::exactly(visit, often).times(Between::exactly(rows.into())).into());
        };
        if is_new {
            return;
        }
        each(get(touched.source, Freshness::Fresh));
        each(get(touched.copied, Freshness::Fresh));
        let changed = |table: &str| RowVisit::of(table, Becomes::Changed);
        let source = std::iter::once(changed(touched.source));
        if self.rides {
            let checked = std::iter::once(RowVisit::of(touched.copied, Becomes::Checked));
            let along = touched.tables.iter().map(|table| changed(table));
            each(Visit::Decide { rows: source.chain(along).chain(checked).collect() });
        } else {
            each(Visit::Decide { rows: source.collect() });
            touched.images.iter().for_each(|table| each(Visit::Place { row: changed(table) }));
        }
    }

    /// A group is read and counted again: as many rows as a typical one has.
    fn recount(&mut self, effect: &Effect) {
        match recounted(self.ground, self.plan, &effect.table) {
            Some(visit) => self.visits.visit(visit, often(effect.when)),
            None => {
                let what = format!("the rows that {} counts again for {}", self.plan.pattern, effect.table);
                self.visits.without.insert(what);
            }
        }
    }
}

/// The rows that copy fields of another one, where it is stated how many there are.
struct Touched<'a> {
    /// How many a typical row has.
    rows: u64,
    /// The table by which they are found, and the one that they are decided in.
    support: &'a str,
    source: &'a str,
    /// Where the fields come from.
    copied: &'a str,
    /// The tables that hold copies of that row, and all tables that hold images of theirs.
    tables: Vec<&'a str>,
    images: Vec<&'a str>,
}

impl<'a> Touched<'a> {
    fn of(ground: &'a Ground<'_>, plan: &WritePlan, table: &str) -> Option<Self> {
        let (program, entity) = (ground.program, ground.entity(table)?);
        let points =
            |copied: &&Copied| matches!(&copied.path.root, Root::Reference { entity, .. } if *entity == plan.entity);
        let field = program.layout.table(table)?.copies.iter().find(points)?.path.own_field()?;
        let copies = |table: &&keyloom_model::layout::Table| {
            table.copies.iter().any(|copied| copied.path.own_field() == Some(field))
        };
        let images = program
            .layout
            .tables
            .iter()
            .filter(|table| matches!(&table.holds, Holds::Projection { entity: of, .. } if *of == entity.name));
        let question = Question::Support { entity: entity.name.clone(), field: field.to_owned() };
        let group = ground.catalog().group_size(&Selection {
            entity: entity.name.clone(),
            by: By::Fields(vec![ByItem { path: Path::own(field), value: Expr::Path(Path::own(field)) }]),
            filter: None,
            orders: Vec::new(),
            span: None,
            matches: None,
            group: None,
        })?;
        Some(Self {
            rows: group.rows.typical.filter(|_| group.rows.per.is_none())?,
            support: &program.read(&question)?.access.table,
            source: ground.source(&entity.name)?,
            copied: ground.source(&plan.entity)?,
            tables: images.clone().filter(copies).map(|table| table.name.as_str()).collect(),
            images: images.map(|table| table.name.as_str()).collect(),
        })
    }
}

/// The group that a kept value is counted from, where its size is stated.
fn recounted(ground: &Ground<'_>, plan: &WritePlan, table: &str) -> Option<Visit> {
    let owner = ground.entity(table)?;
    let groups = owner.fields.iter().filter_map(|field| match &field.fill {
        Fill::Kept(kept) if kept.entity == plan.entity && ground.kept(&owner.name, &field.name) == Some(table) => {
            Some((vec![kept.through.clone()], kept.filter.clone(), None))
        }
        _ => None,
    });
    let rollup = match &owner.origin {
        Origin::Rollup(rollup) => {
            let step = rollup.every.as_ref().map(|(step, _, _)| step.milliseconds());
            Some((rollup.by.clone(), rollup.filter.clone(), step))
        }
        _ => None,
    };
    let (by, filter, step) = groups.chain(rollup).next()?;
    let by = by.iter().map(|field| ByItem { path: Path::own(field), value: Expr::Path(Path::own(field)) }).collect();
    let selection = Selection {
        entity: plan.entity.clone(),
        by: By::Fields(by),
        filter,
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    };
    let size = ground.catalog().group_size(&selection)?;
    let typical = size.rows.typical?;
    let rows = match size.rows.per {
        None => typical,
        // Of a group that grows only a step of time is counted.
        Some(per) => {
            let rows = u128::from(typical).saturating_mul(step?.into()).div_ceil(per.milliseconds().max(1).into());
            u64::try_from(rows).unwrap_or(u64::MAX)
        }
    };
    let from = match &ground.program.layout.table(table)?.holds {
        Holds::Kept { upkeep, .. } | Holds::Source { upkeep, .. } => upkeep.from.as_deref(),
        _ => None,
    };
    let table = from.or_else(|| ground.source(&plan.entity))?.to_owned();
    Some(Visit::Slice { table, rows, freshness: Freshness::Settled })
}
