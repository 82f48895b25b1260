//! What a write does to the tables: which rows it decides, puts, moves, removes, reserves, checks and counts again.

use keyloom_model::layout::{Counted, Holds, Keeper, Layout, Part, Table, Way};
use keyloom_model::{
    Action, Aggregate, Catalog, Class, Entity, Expr, Fill, Literal, Origin, Path, Pattern, Reference, Step, Write,
    WriteVerb,
};

use crate::question::normal;
use crate::stored::Companions;
use crate::test::{Fixed, Test, tests};

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
    /// That the row is to be looked at again is noted before, and that it is done after.
    Marks,
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
    let mut all = Vec::new();
    for pattern in &catalog.patterns {
        match &pattern.action {
            Action::Write(write) => {
                let times = write.batch.unwrap_or(1);
                all.extend(plan(catalog, layout, companions, (pattern, None, times), write));
            }
            Action::Atomic(steps) => {
                for (at, step) in steps.iter().enumerate() {
                    if let Step::Write { each, write } = step {
                        let times = each.as_ref().map_or(1, |each| each.max);
                        all.extend(plan(catalog, layout, companions, (pattern, Some(at), times), write));
                    }
                }
            }
            Action::Read(_) | Action::Claim(_) | Action::Outside(_) => {}
        }
    }
    all
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
    scope.feeds(&mut effects);
    scope.adds(&mut effects);
    scope.touches(&mut effects);
    if companions == Companions::Follow && class == Class::Decided && effects.len() > 1 {
        effects.push(Effect { table: "kl_dirty".to_owned(), does: Does::Marks, when: When::Always });
    }
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

    fn projections(&self, effects: &mut Vec<Effect>) {
        for table in &self.layout.tables {
            let keeper = match &table.holds {
                Holds::Projection { entity, keeper } if *entity == self.entity.name => *keeper,
                Holds::Newest { entity } if *entity == self.entity.name => Keeper::Placed,
                _ => continue,
            };
            if let Some((does, when)) = self.in_projection(table, keeper) {
                effects.push(Effect { table: table.name.clone(), does, when });
            }
        }
    }

    /// What happens to the row's image in a table.
    fn in_projection(&self, table: &Table, keeper: Keeper) -> Option<(Does, When)> {
        let filter = table.filter.as_ref().map_or(&[][..], Expr::conjuncts);
        let key: Vec<&str> = table
            .partition
            .parts()
            .iter()
            .map(Part::field)
            .chain(table.sort.iter().filter(|item| !item.nulls_last).map(|item| item.field.as_str()))
            .collect();
        if self.write.verb == WriteVerb::Delete {
            return Some((Does::Removes(keeper), self.share(filter)));
        }
        if self.write.verb == WriteVerb::Create {
            return self.stands(filter, &key).map(|when| (Does::Puts(keeper), when));
        }
        if filter.iter().any(|test| self.write.refutes(test)) || key.iter().any(|field| self.is_nulled(field)) {
            return Some((Does::Removes(keeper), self.share(filter)));
        }
        let changes = |field: &str| self.changed.contains(&field);
        let moves = key.iter().any(|field| changes(field)) || table.sort.iter().any(|item| changes(&item.field));
        let in_filter = filter.iter().flat_map(Expr::paths).filter_map(Path::own_field).any(changes);
        let in_columns = table.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| changes(column)));
        let when = self.share(filter);
        match (moves, in_filter) {
            (true, _) => Some((Does::Moves(keeper), when)),
            (false, true) => Some((Does::Puts(keeper), When::Sometimes)),
            (false, false) => in_columns.then_some((Does::Puts(keeper), when)),
        }
    }

    /// Whether a new row stands in a table with this filter and key; `None` for never.
    fn stands(&self, filter: &[Expr], key: &[&str]) -> Option<When> {
        let mut when = When::Always;
        for test in filter {
            when = and(when, self.new_row_passes(test)?);
        }
        for field in key {
            let Some(known) = self.entity.field(field).filter(|field| field.optional) else { continue };
            match self.new_value(&known.name) {
                New::Null => return None,
                New::Constant(_) => {}
                New::Unknown => when = and(when, When::Sometimes),
            }
        }
        Some(when)
    }

    fn new_row_passes(&self, test: &Expr) -> Option<When> {
        let sometimes = Some(self.share(std::slice::from_ref(test)));
        match tests(self.entity, &[], Some(test), &[]).pop() {
            Some(Test::Fixes { field, to }) => match (self.new_value(&field), to) {
                (New::Constant(value), Fixed::To(wanted)) => (value == wanted).then_some(When::Always),
                (New::Constant(value), Fixed::OneOf(wanted)) => wanted.contains(&value).then_some(When::Always),
                (New::Null, _) => None,
                _ => sometimes,
            },
            _ => match test {
                Expr::IsNull { of, negated } => match &**of {
                    Expr::Path(path) => match (self.new_value(&path.field), negated) {
                        (New::Null, true) | (New::Constant(_), false) => None,
                        (New::Null, false) | (New::Constant(_), true) => Some(When::Always),
                        (New::Unknown, _) => sometimes,
                    },
                    _ => sometimes,
                },
                _ => sometimes,
            },
        }
    }

    /// What a new row has in a field.
    fn new_value(&self, field: &str) -> New {
        let assigned = self.write.assignments.iter().find(|assignment| assignment.path == Path::own(field));
        match assigned.map(|assignment| &assignment.value) {
            Some(Expr::Literal(Literal::Null)) => return New::Null,
            Some(value) if value.paths().is_empty() && !value.varies() => return New::Constant(value.clone()),
            Some(_) => return New::Unknown,
            None => {}
        }
        if self.write.takes.iter().any(|taken| taken == field) {
            return New::Unknown;
        }
        match self.entity.field(field).map(|field| (&field.fill, field.optional)) {
            Some((Fill::Default(value), _)) if value.paths().is_empty() && !value.varies() => {
                New::Constant(value.clone())
            }
            Some((Fill::Taken, true)) => New::Null,
            _ => New::Unknown,
        }
    }

    /// Whether the write takes a field away.
    fn is_nulled(&self, field: &str) -> bool {
        let nulls = |value: &Expr| *value == Expr::Literal(Literal::Null);
        self.write.assignments.iter().any(|assignment| assignment.path == Path::own(field) && nulls(&assignment.value))
    }

    /// How many rows pass these tests, by the shares of enums.
    fn share(&self, filter: &[Expr]) -> When {
        let mut when = When::Always;
        for test in filter {
            if self.held_before(test) {
                continue;
            }
            let share = match tests(self.entity, &[], Some(test), &[]).pop() {
                Some(Test::Fixes { field, to }) => enum_share(self.entity, &field, &to),
                _ => None,
            };
            when = and(when, share.map_or(When::Sometimes, When::Share));
        }
        when
    }

    /// Whether every row that the write is applied to passed this test before: it is a condition of the write, or the
    /// states of a field allow the change from nowhere else.
    fn held_before(&self, test: &Expr) -> bool {
        let conditions = self.write.conditions.iter().flat_map(|condition| condition.test.conjuncts());
        if conditions.into_iter().any(|known| normal(self.entity, known) == normal(self.entity, test)) {
            return true;
        }
        let Some(Test::Fixes { field, to }) = tests(self.entity, &[], Some(test), &[]).pop() else { return false };
        let Some(states) = self.entity.states.iter().find(|states| states.field == field) else { return false };
        let New::Constant(Expr::Literal(Literal::Variant(becomes))) = self.set_value(&field) else { return false };
        let from = states.changes.iter().filter(|(_, to)| *to == becomes).map(|(from, _)| from);
        let passes = |from: &String| match &to {
            Fixed::To(value) => is_variant(value, from),
            Fixed::OneOf(values) => values.iter().any(|value| is_variant(value, from)),
            Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => false,
        };
        self.write.verb == WriteVerb::Update && from.clone().next().is_some() && from.into_iter().all(passes)
    }

    /// What the write sets a field to, whatever it was.
    fn set_value(&self, field: &str) -> New {
        let assigned = self.write.assignments.iter().find(|assignment| assignment.path == Path::own(field));
        assigned.map_or(New::Unknown, |assignment| New::Constant(assignment.value.clone()))
    }

    fn reservations(&self, effects: &mut Vec<Effect>) {
        for table in &self.layout.tables {
            let Holds::Reservations { entity, unique } = &table.holds else { continue };
            let unique = self.entity.unique.iter().find(|known| *entity == self.entity.name && known.name == *unique);
            let Some(unique) = unique else { continue };
            let filter = unique.filter.as_ref().map_or(&[][..], Expr::conjuncts);
            let reads = unique.fields.iter().map(String::as_str);
            let reads = reads.chain(filter.iter().flat_map(Expr::paths).filter_map(Path::own_field));
            let touched = reads.clone().any(|field| self.changed.contains(&field));
            let found = match self.write.verb {
                WriteVerb::Create => {
                    let fields: Vec<&str> = unique.fields.iter().map(String::as_str).collect();
                    self.stands(filter, &fields).map(|when| (Does::Reserves, when))
                }
                WriteVerb::Put => Some((Does::Exchanges, When::Sometimes)),
                WriteVerb::Delete => Some((Does::Frees, self.share(filter))),
                WriteVerb::Update if !touched => None,
                WriteVerb::Update if filter.iter().any(|test| self.write.refutes(test)) => {
                    Some((Does::Frees, self.share(filter)))
                }
                WriteVerb::Update => Some((Does::Exchanges, When::Sometimes)),
            };
            if let Some((does, when)) = found {
                effects.push(Effect { table: table.name.clone(), does, when });
            }
        }
    }

    /// The rows that must be there.
    fn checks(&self, effects: &mut Vec<Effect>) {
        if self.write.verb == WriteVerb::Delete {
            return;
        }
        for field in &self.entity.fields {
            let touched = self.makes() || self.changed.contains(&field.name.as_str());
            let Some(Reference { entity, must_exist: true }) = field.reference.as_ref().filter(|_| touched) else {
                continue;
            };
            let when = if field.optional { When::Sometimes } else { When::Always };
            let held = self.companions == Companions::Ride && self.class == Class::Decided;
            self.on_source(entity, Does::Checks { held }, when, effects);
        }
    }

    fn on_source(&self, entity: &str, does: Does, when: When, effects: &mut Vec<Effect>) {
        let source = |table: &&Table| matches!(&table.holds, Holds::Source { entity: of, .. } if of == entity);
        effects.extend(self.layout.tables.iter().find(source).map(|table| Effect {
            table: table.name.clone(),
            does,
            when,
        }));
    }

    /// Kept values and rollups that follow this row.
    fn feeds(&self, effects: &mut Vec<Effect>) {
        for other in &self.catalog.entities {
            for field in &other.fields {
                let Fill::Kept(kept) = &field.fill else { continue };
                let filter = kept.filter.as_ref().map_or(&[][..], Expr::conjuncts);
                let reads = [Some(&kept.through), kept.field.as_ref(), kept.by.as_ref()].into_iter().flatten();
                let Some(when) = self.feeds_when(&kept.entity, filter, reads.map(String::as_str)) else { continue };
                for table in &self.layout.tables {
                    let does = match &table.holds {
                        Holds::Kept { entity, field: of, upkeep } if (entity, of) == (&other.name, &field.name) => {
                            Does::Keeps(upkeep.way.unwrap_or_else(|| way(kept.aggregate, self.class, self.companions)))
                        }
                        Holds::Contributions(Counted::Field { entity, field: of })
                            if (entity, of) == (&other.name, &field.name) =>
                        {
                            Does::Contributes
                        }
                        _ => continue,
                    };
                    effects.push(Effect { table: table.name.clone(), does, when });
                }
            }
            let Origin::Rollup(rollup) = &other.origin else { continue };
            let filter = rollup.filter.as_ref().map_or(&[][..], Expr::conjuncts);
            let time = rollup.every.iter().map(|(_, of, _)| of.as_str());
            let values = rollup.values.iter().flat_map(|value| {
                let filter = value.filter.iter().flat_map(Expr::paths).filter_map(Path::own_field);
                value.field.iter().chain(&value.by).map(String::as_str).chain(filter)
            });
            let reads = rollup.by.iter().map(String::as_str).chain(time).chain(values);
            let Some(when) = self.feeds_when(&rollup.of, filter, reads) else { continue };
            for table in &self.layout.tables {
                let does = match &table.holds {
                    Holds::Source { entity, upkeep, .. } if *entity == other.name => {
                        let aggregates = rollup.values.iter().map(|value| value.aggregate);
                        let ways = aggregates.map(|aggregate| way(aggregate, self.class, self.companions));
                        // One row holds all values, so the way that needs most is taken for all.
                        let all = if ways.clone().any(|way| way == Way::Recount) { Way::Recount } else { Way::Rider };
                        Does::Keeps(upkeep.way.unwrap_or(all))
                    }
                    Holds::Projection { entity, keeper } if *entity == other.name => Does::Puts(*keeper),
                    Holds::Contributions(Counted::Rollup(of)) if *of == other.name => Does::Contributes,
                    _ => continue,
                };
                effects.push(Effect { table: table.name.clone(), does, when });
            }
        }
    }

    /// How often a write feeds a value that is kept from rows of `entity` that pass `filter`; `None` for never.
    fn feeds_when<'b>(&self, entity: &str, filter: &'b [Expr], reads: impl Iterator<Item = &'b str>) -> Option<When> {
        if entity != self.entity.name {
            return None;
        }
        match self.write.verb {
            WriteVerb::Create => self.stands(filter, &[]),
            WriteVerb::Delete => Some(self.share(filter)),
            WriteVerb::Put => Some(When::Sometimes),
            WriteVerb::Update => {
                let tested = filter.iter().flat_map(Expr::paths).filter_map(Path::own_field);
                let touched = reads.chain(tested).any(|field| self.changed.contains(&field));
                touched.then(|| self.share(filter))
            }
        }
    }

    /// Rows of events and histories that come with the decision.
    fn adds(&self, effects: &mut Vec<Effect>) {
        let rides = self.companions == Companions::Follow;
        for other in &self.catalog.entities {
            let when = match &other.origin {
                Origin::Event { of } if *of == self.entity.name && self.write.emits.as_ref() == Some(&other.name) => {
                    When::Always
                }
                Origin::History { of } if *of == self.entity.name => {
                    let kept = self.entity.history.iter().flat_map(|history| &history.of);
                    let touched = kept.into_iter().any(|field| self.changed.contains(&field.as_str()));
                    match self.write.verb {
                        WriteVerb::Create | WriteVerb::Delete | WriteVerb::Put => When::Always,
                        WriteVerb::Update if touched => When::Always,
                        WriteVerb::Update => continue,
                    }
                }
                _ => continue,
            };
            self.on_source(&other.name, Does::Adds { rides }, when, effects);
        }
    }

    /// Rows of other entities that must follow: parts of what is deleted, copies of what changed.
    fn touches(&self, effects: &mut Vec<Effect>) {
        for other in &self.catalog.entities {
            let part = self.write.verb == WriteVerb::Delete && other.part_of.as_ref() == Some(&self.entity.name);
            let copies = |table: &&Table| {
                let of = matches!(&table.holds, Holds::Projection { entity, .. } if *entity == other.name);
                let copied = table.copies.iter().any(|copied| {
                    let points = copied.path.own_field().and_then(|field| other.field(field)?.reference.as_ref());
                    points.is_some_and(|reference| reference.entity == self.entity.name)
                        && self.changed.contains(&copied.path.field.as_str())
                });
                of && copied
            };
            if part {
                self.on_source(&other.name, Does::Touches, When::Sometimes, effects);
            }
            effects.extend(self.layout.tables.iter().filter(copies).map(|table| Effect {
                table: table.name.clone(),
                does: Does::Touches,
                when: When::Sometimes,
            }));
        }
    }
}

/// What a new row has in a field.
enum New {
    Null,
    Constant(Expr),
    Unknown,
}

fn is_variant(value: &Expr, name: &str) -> bool {
    matches!(value, Expr::Literal(Literal::Variant(known)) if known == name)
}

/// How a kept value follows its rows, where the layout does not say.
pub fn way(aggregate: Aggregate, feeder: Class, companions: Companions) -> Way {
    use Aggregate::{Average, Count, First, Last, Max, Min, Sum};
    match (aggregate, feeder) {
        // Rows that never change only push a first, last, least or greatest value further.
        (Min | Max | First | Last, Class::Append) => Way::Newest,
        (Count | Sum | Average, Class::Decided) if companions == Companions::Ride => Way::Rider,
        (Count | Sum | Average | Min | Max | First | Last, _) => Way::Recount,
    }
}

fn and(a: When, b: When) -> When {
    match (a, b) {
        (When::Always, other) | (other, When::Always) => other,
        (When::Share(a), When::Share(b)) => {
            When::Share(u32::try_from(u64::from(a) * u64::from(b) / 1_000_000).unwrap_or(u32::MAX))
        }
        (When::Sometimes, _) | (_, When::Sometimes) => When::Sometimes,
    }
}

/// How many rows have these values, in millionths, by the shares that the catalog states.
fn enum_share(entity: &Entity, field: &str, to: &Fixed) -> Option<u32> {
    let keyloom_model::Type::Enum(variants) = &entity.field(field)?.ty else { return None };
    let share = |value: &Expr| match value {
        Expr::Literal(Literal::Variant(name)) => {
            variants.iter().find(|variant| variant.name == *name)?.share.map(|share| share.millionths)
        }
        _ => None,
    };
    match to {
        Fixed::To(value) => share(value),
        Fixed::OneOf(values) => values.iter().map(share).sum(),
        Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => None,
    }
}
