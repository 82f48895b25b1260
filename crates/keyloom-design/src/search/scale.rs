//! What an assignment of choices to shapes weighs: its tables are put together, sketched as a program, and sized.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use keyloom_facts::Kind as Limit;
use keyloom_model::layout::{Counted, Holds, Layout, Part, Question, Table};
use keyloom_model::{Catalog, Entity, Fill, Pattern};
use keyloom_plan::{Asked, Companions, Program, ReadPlan, Wants};
use keyloom_size::{Equally, Ground, Unknown, Weighed};

use super::Terms;
use super::choice::{self, Choice};
use super::component::Component;
use super::copy::{self, Reference};
use super::explain::Broken;
use super::pool::Shape;
use crate::name::Names;
use crate::{Designer, bucket, kept, structure};

/// How many partitions one call may read before that counts as a broken limit.
pub(crate) const PARTITIONS_MAX: u64 = 64;

/// Where a choice is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// By a table that must be there anyway, by its place among them.
    Must(usize),
    /// By a table of this shape.
    Shape(usize),
}

/// What counts when designs are compared, the first difference alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Score {
    /// Broken limits, the harder kinds in the higher digits; each as often as choices meet it.
    pub broken: u64,
    /// What it costs, in the parts of a [`keyloom_size::Tariff`].
    pub weight: u128,
}

impl Score {
    /// Of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { broken: self.broken.saturating_add(other.broken), weight: self.weight.saturating_add(other.weight) }
    }

    /// Without a part of it.
    pub(crate) fn less(self, part: Self) -> Self {
        Self { broken: self.broken.saturating_sub(part.broken), weight: self.weight.saturating_sub(part.weight) }
    }

    /// How many limits of each kind are broken, the hardest kind first: refused by the plan, refused by the engine, throttled, rules
    /// of thumb, and those of which nobody can tell.
    pub fn by_kind(&self) -> [u64; 5] {
        let lane = |at: u32| self.broken >> (at * LANE) & ((1 << LANE) - 1);
        [lane(4), lane(3), lane(2), lane(1), lane(0)]
    }
}

/// The digits of one kind of limit.
const LANE: u32 = 12;

/// One broken limit of a kind; `None` for one of which nobody can tell.
pub(crate) fn broken(kind: Option<Limit>) -> u64 {
    let lane = match kind {
        Some(Limit::Refused) => 3,
        Some(Limit::Throttled) => 2,
        Some(Limit::RuleOfThumb | Limit::MeasuredByUs) => 1,
        None => 0,
    };
    1 << (lane * LANE)
}

/// What the engine or the plan refuses.
pub(crate) const REFUSED: u64 = 1 << (4 * LANE);

/// What one table adds to a design.
#[derive(Debug, Clone, Default)]
pub(crate) struct Own {
    /// Its reads, its rows in writes, its bytes.
    pub weight: u128,
    /// Its reads alone.
    pub reads: u128,
    pub broken: u64,
    /// What each write pays once when anything comes with it, by the place of its pattern.
    pub company: Vec<u128>,
}

/// What every design of a component has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    pub weight: u128,
    pub broken: u64,
    /// What each write does without any list, by the place of its pattern.
    pub alone: Vec<u128>,
}

/// Whether questions for one row are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    Asked,
    LeftOut,
}

/// A component, and everything that is needed to weigh its designs.
pub(crate) struct Scale<'a> {
    pub catalog: &'a Catalog,
    pub choices: Vec<&'a Choice>,
    pub shapes: Vec<(&'a Entity, Shape)>,
    pub options: Vec<Vec<At>>,
    component: &'a Component<'a>,
    terms: &'a Terms<'a>,
    /// The references whose fields are copied.
    copied: &'a [Reference],
    equally: &'a Equally,
    /// The questions for one row, which are no choice.
    rows: Vec<&'a Asked>,
    /// All patterns that ask or write anything here.
    patterns: Vec<&'a Pattern>,
    /// The entities that matter: its own, and those that rows point to or are kept for.
    near: Vec<&'a Entity>,
    /// The tables that must be there, entity by entity.
    must: Vec<Table>,
    pub(crate) program: Program,
    /// What tables add that answer a set of choices, by the place of the table.
    owns: Vec<HashMap<Vec<u32>, Rc<Own>>>,
    /// The tables that every design has; empty until somebody asks.
    fixed: Vec<Table>,
    base: Option<Rc<Base>>,
}

impl<'a> Scale<'a> {
    pub(crate) fn new(
        catalog: &'a Catalog,
        component: &'a Component<'a>,
        choices: &'a [Choice],
        rows: &'a [Asked],
        (terms, equally, copied): (&'a Terms<'a>, &'a Equally, &'a [Reference]),
        whole: &Program,
    ) -> Self {
        let near: Vec<&Entity> = catalog.entities.iter().filter(|entity| is_near(catalog, component, entity)).collect();
        let mut layout = Layout::new(&catalog.name, terms.engine);
        let is_near = |table: &Table| {
            let of = belongs(catalog, table);
            near.iter().any(|entity| Some(entity.name.as_str()) == of)
        };
        let standing = terms.standing.iter().flat_map(|standing| standing.must(catalog));
        layout.tables = standing.filter(is_near).collect();
        let mut designer = designer(catalog, layout, terms);
        designer.asked = choices.iter().map(|choice| choice.base().clone()).collect();
        for entity in &near {
            designer.must_be(entity, entity.class(catalog).0);
        }
        let must = designer.layout.tables;
        let own = |choice: &&Choice| component.has(&choice.base().entity);
        let choices: Vec<&Choice> = choices.iter().filter(own).collect();
        let rows: Vec<&Asked> = rows.iter().filter(|asked| component.has(&asked.entity)).collect();
        let asked = choices.iter().map(|choice| choice.base()).chain(rows.iter().copied());
        let asking: BTreeSet<&str> = asked.filter_map(|asked| choice::pattern(&asked.question)).collect();
        let writing: BTreeSet<&str> = component.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
        let matters =
            |pattern: &&Pattern| [&asking, &writing].iter().any(|names| names.contains(pattern.name.as_str()));
        let patterns = catalog.patterns.iter().filter(matters).collect();
        let mut scale = Self {
            catalog,
            choices,
            shapes: Vec::new(),
            options: Vec::new(),
            component,
            terms,
            copied,
            equally,
            rows,
            patterns,
            near,
            must,
            program: whole.clone(),
            owns: Vec::new(),
            fixed: Vec::new(),
            base: None,
        };
        scale.pool();
        scale
    }

    /// Thinks of shapes, and of which answer which choice.
    fn pool(&mut self) {
        for entity in self.near.clone().into_iter().filter(|entity| self.component.has(&entity.name)) {
            let own: Vec<&Choice> =
                self.choices.iter().filter(|choice| choice.base().entity == entity.name).copied().collect();
            let standing = self.terms.standing.iter().flat_map(|standing| standing.lists(&entity.name));
            let shapes = super::pool::shapes(self.catalog, entity, &own, self.terms.abilities, standing);
            // A source in the same order holds all of it, and is written anyway.
            let is_source = |shape: &Shape| {
                let same = |must: &Table| must.partition == shape.table.partition && must.sort == shape.table.sort;
                let source =
                    |must: &Table| matches!(&must.holds, Holds::Source { entity: of, .. } if *of == entity.name);
                !shape.stands()
                    && shape.table.filter.is_none()
                    && self.must.iter().any(|must| source(must) && same(must))
            };
            let new = shapes.into_iter().filter(|shape| !is_source(shape)).map(|shape| (entity, shape));
            self.shapes.extend(new.collect::<Vec<_>>());
        }
        let mut layout = Layout::new(&self.catalog.name, self.terms.engine);
        layout.tables = self.must.clone();
        self.options = (0..self.choices.len()).map(|at| self.answered_by(at, &layout)).collect();
        // What nothing answers is said by whoever compiles the design.
        let answered: Vec<bool> = self.options.iter().map(|options| !options.is_empty()).collect();
        let mut kept = answered.iter();
        self.choices.retain(|_| kept.next() == Some(&true));
        self.options.retain(|options| !options.is_empty());
    }

    fn answered_by(&mut self, choice: usize, layout: &Layout) -> Vec<At> {
        let of = self.choices[choice];
        let answers = |table: &Table| super::pool::answers(self.catalog, layout, of, table);
        let must = self.must.iter().enumerate().filter(|(_, table)| answers(table)).map(|(at, _)| At::Must(at));
        let shapes = self.shapes.iter().enumerate().filter(|(_, (_, shape))| answers(&shape.table));
        let all: Vec<At> = must.chain(shapes.map(|(at, _)| At::Shape(at))).collect();
        all.into_iter().filter(|at| self.is_legal(choice, *at)).collect()
    }

    /// Whether a store can hold it, and the engine's own language has nothing against it.
    fn is_legal(&mut self, choice: usize, at: At) -> bool {
        self.sketch_one(at, &[u32::try_from(choice).unwrap_or(u32::MAX)])
            && self.program.tables.iter().all(|table| keyloom_store::Shape::of(table.clone()).is_ok())
            && self.program.objections().is_empty()
    }

    /// The questions of an assembled layout, each with its table; those for one row find theirs.
    fn asked<'b>(&self, names: &'b [Option<String>], rows: Rows) -> Vec<(&'a Asked, Option<&'b str>)> {
        let lists = self.choices.iter().zip(names).filter_map(|(choice, name)| Some((*choice, name.as_deref()?)));
        let lists = lists.flat_map(|(choice, name)| choice.asked.iter().map(move |asked| (asked, Some(name))));
        let rows = self.rows.iter().filter(|_| rows == Rows::Asked).map(|asked| (*asked, None));
        rows.chain(lists).collect()
    }

    /// The tables of an assignment, and the name of each choice's.
    pub(crate) fn tables(&self, assigned: &[At]) -> (Layout, Vec<Option<String>>) {
        let mut designer = designer(self.catalog, Layout::new(&self.catalog.name, self.terms.engine), self.terms);
        designer.layout.tables = self.must.clone();
        designer.names = self.names();
        let mut names: Vec<Option<String>> = Vec::new();
        let mut made: BTreeMap<usize, String> = BTreeMap::new();
        for at in assigned {
            let name = match at {
                At::Must(at) => self.must[*at].name.clone(),
                At::Shape(at) => match made.get(at) {
                    Some(name) => name.clone(),
                    None => {
                        let (entity, shape) = &self.shapes[*at];
                        let table = shape.named(entity, &mut designer.names);
                        made.insert(*at, table.name.clone());
                        designer.layout.tables.push(table);
                        made[at].clone()
                    }
                },
            };
            names.push(Some(name));
        }
        self.copy(&mut designer.layout.tables, &names);
        // Those of all entities: whether there is a log of marks at all follows from them.
        for entity in &self.catalog.entities {
            kept::values(&mut designer, entity, |feeder| self.component.has(feeder));
        }
        designer.layout.ranks = structure::ranks(self.catalog, &designer.layout);
        (designer.layout, names)
    }

    /// Gives tables the copies that their choices are answered from.
    fn copy(&self, tables: &mut [Table], names: &[Option<String>]) {
        for table in tables {
            let own = self.choices.iter().zip(names).filter(|(_, name)| name.as_deref() == Some(&table.name));
            table.copies = copy::copies(self.copied, table, own.flat_map(|(choice, _)| &choice.asked));
        }
    }

    /// Whether rows that copy are found by a table that holds the copy, where they stand there before they look at what they copy.
    fn finds_itself(&self, tables: &[Table], asked: &[(&Asked, Option<&str>)]) -> bool {
        self.program.companions == Companions::Follow
            && asked.iter().any(|(asked, name)| {
                let Question::Support { field, .. } = &asked.question else { return false };
                let table = tables.iter().find(|table| Some(table.name.as_str()) == *name);
                table.is_some_and(|table| table.copies.iter().any(|copied| copied.path.own_field() == Some(field)))
            })
    }

    /// The names that are taken whatever is chosen.
    fn names(&self) -> Names {
        let standing = self.terms.standing.iter().flat_map(|standing| &standing.layout.tables);
        Names::of(self.must.iter().chain(standing))
    }

    /// A table that must be there.
    pub(crate) fn must_table(&self, at: usize) -> &Table {
        &self.must[at]
    }

    /// What each pattern weighs in the design that was weighed last.
    pub(crate) fn by_pattern(&self) -> BTreeMap<String, u128> {
        let ground = Ground::new(&self.program, self.terms.dialect);
        let weighed = ground.weigh_only(self.terms.tariff, self.equally, &self.patterns);
        let weight = |pattern: &Pattern| weighed.of_pattern(&ground, &pattern.name);
        self.catalog.patterns.iter().map(|pattern| (pattern.name.clone(), weight(pattern))).collect()
    }

    /// What the design that was weighed last breaks.
    pub(crate) fn broken(&self) -> Broken {
        let ground = Ground::new(&self.program, self.terms.dialect);
        let weighed = ground.weigh_only(self.terms.tariff, self.equally, &self.patterns);
        let own = |name: &str| {
            let table = self.program.layout.table(name);
            table.and_then(|table| belongs(self.catalog, table)).is_some_and(|entity| self.component.has(entity))
        };
        Broken::of(&self.program, weighed, own)
    }

    /// Where a program answers each choice, if each of its tables is one that was thought of.
    pub(crate) fn assigned_by(&self, program: &Program) -> Option<Vec<At>> {
        let layout = &program.layout;
        let at = |choice: &&Choice| {
            let name = &program.read(&choice.base().question)?.access.table;
            let table = layout.table(name)?;
            let same = |known: &Table| {
                let key = |table: &Table| (table.holds.clone(), table.filter.clone(), table.sort.clone());
                // A partition that is cut by time is one of the same shape.
                let fields = |table: &Table| -> Vec<String> {
                    let fields = table.partition.parts().iter().filter_map(|part| match part {
                        Part::Field(field) => Some(field.clone()),
                        Part::Bucket(..) => None,
                    });
                    fields.collect()
                };
                key(known) == key(table) && fields(known) == fields(table)
            };
            let must = self.must.iter().position(|known| known.name == *name && same(known)).map(At::Must);
            must.or_else(|| self.shapes.iter().position(|(_, shape)| same(&shape.table)).map(At::Shape))
        };
        let all: Option<Vec<At>> = self.choices.iter().map(at).collect();
        all.filter(|all| all.iter().zip(&self.options).all(|(at, options)| options.contains(at)))
    }

    /// What a design of the component comes to.
    pub(crate) fn weigh(&mut self, assigned: &[At]) -> Score {
        let (layout, names) = self.tables(assigned);
        if !self.sketch(layout, &names, Rows::Asked) {
            return Score { broken: u64::MAX, weight: u128::MAX };
        }
        let ground = Ground::new(&self.program, self.terms.dialect);
        let weighed = ground.weigh_only(self.terms.tariff, self.equally, &self.patterns);
        let mut score = self.score(&weighed);
        score.broken = score.broken.saturating_add(self.program.refusals.len() as u64 * REFUSED);
        score.weight = score.weight.saturating_add(self.charged(assigned, &names, &ground));
        score
    }

    /// What is weighed against the tables of a design that are new, where a layout is in use.
    fn charged(&self, assigned: &[At], names: &[Option<String>], ground: &Ground<'_>) -> u128 {
        let Some(standing) = self.terms.standing else { return 0 };
        let mut new: Vec<&str> = assigned
            .iter()
            .zip(names)
            .filter(|(at, _)| matches!(at, At::Shape(at) if !self.shapes[*at].1.stands()))
            .filter_map(|(_, name)| name.as_deref())
            .collect();
        new.sort_unstable();
        new.dedup();
        let tables = new.into_iter().filter_map(|name| self.program.layout.table(name));
        let charge = |table: &Table| {
            let filling = ground.weigh_filling(self.terms.tariff, table).unwrap_or_default();
            standing.charge(filling.weight)
        };
        tables.map(charge).fold(0, u128::saturating_add)
    }

    /// How many lists of a layout that is in use are of this component.
    pub(crate) fn standing_tables(&self) -> usize {
        self.terms.standing.map_or(0, |standing| standing.count(|entity| self.component.has(entity)))
    }

    /// Whether there is a layout that is in use.
    pub(crate) fn is_standing(&self) -> bool {
        self.terms.standing.is_some()
    }

    /// Whether fields of other rows may be copied here.
    #[cfg(test)]
    pub(crate) fn copies_something(&self) -> bool {
        self.copied.iter().any(|known| self.component.has(&known.entity))
    }

    /// Everything that may answer a choice, each at its place.
    pub(crate) fn all(&self) -> Vec<At> {
        (0..self.must.len()).map(At::Must).chain((0..self.shapes.len()).map(At::Shape)).collect()
    }

    /// The place of a table among all.
    pub(crate) fn place(&self, at: At) -> usize {
        match at {
            At::Must(at) => at,
            At::Shape(at) => self.must.len() + at,
        }
    }

    /// The most that a simpler design may come to than this one, which is the cheapest.
    pub(crate) fn ceiling(&self, cheapest: Score) -> Score {
        let leeway = self.terms.standing.map_or(cheapest.weight / 100, |standing| standing.leeway(cheapest.weight));
        Score { weight: cheapest.weight.saturating_add(leeway), ..cheapest }
    }

    /// The score of a program that was sketched.
    fn score(&self, weighed: &Weighed) -> Score {
        let own = |table: &&Table| belongs(self.catalog, table).is_some_and(|entity| self.component.has(entity));
        let tables = self.program.layout.tables.iter().zip(&weighed.stored);
        let stored = tables.filter(|(table, _)| own(table)).map(|(_, stored)| *stored);
        let writes = self.component.patterns.iter().filter_map(|pattern| weighed.writes.get(&pattern.name));
        let parts = weighed.reads.iter().chain(writes).copied().chain(stored);
        let weight = parts.fold(0_u128, u128::saturating_add);
        let mut own_weighed = weighed.clone();
        let is_own = |name: &str| self.program.layout.table(name).is_some_and(|table| own(&table));
        own_weighed.breaks.retain(|found| is_own(&found.table));
        own_weighed.unknown.retain(|found| is_own(&found.table));
        Score { broken: broken_in(&self.program, &own_weighed), weight }
    }

    fn sketch(&mut self, layout: Layout, names: &[Option<String>], rows: Rows) -> bool {
        let asked = self.asked(names, rows);
        if self.finds_itself(&layout.tables, &asked) {
            return false;
        }
        let patterns = &self.component.patterns;
        if self.program.sketch((layout.tables, layout.ranks), &asked, patterns).is_err() {
            return false;
        }
        match bucket::cut(&self.program) {
            Some(cut) => self.program.sketch((cut.tables, cut.ranks), &asked, patterns).is_ok(),
            None => true,
        }
    }

    /// A program of what must be there and one table that answers these choices.
    fn sketch_one(&mut self, at: At, set: &[u32]) -> bool {
        let mut layout = Layout::new(&self.catalog.name, self.terms.engine);
        layout.tables = self.fixed();
        let name = match at {
            At::Must(at) => self.must[at].name.clone(),
            At::Shape(at) => {
                let (entity, shape) = &self.shapes[at];
                let table = shape.named(entity, &mut self.names());
                layout.tables.push(table.clone());
                table.name
            }
        };
        let mut names: Vec<Option<String>> = vec![None; self.choices.len()];
        set.iter().for_each(|choice| names[*choice as usize] = Some(name.clone()));
        self.copy(&mut layout.tables, &names);
        layout.ranks = structure::ranks(self.catalog, &layout);
        // Rows are got from tables that must be, so of a list they say nothing.
        let rows = if matches!(at, At::Must(_)) { Rows::Asked } else { Rows::LeftOut };
        self.sketch(layout, &names, rows)
    }

    /// The tables that every design has, those first that must be; then what is kept, and what it is counted again from where no list
    /// that was thought of holds that.
    fn fixed(&mut self) -> Vec<Table> {
        if self.fixed.is_empty() {
            let everything: Vec<At> = (0..self.shapes.len()).map(At::Shape).collect();
            let (most, _) = self.tables(&everything);
            let (least, _) = self.tables(&[]);
            let is_fixed = |table: &Table| match &table.holds {
                Holds::Contributions(_) => most.tables.iter().any(|known| known.holds == table.holds),
                _ => true,
            };
            self.fixed = least.tables.into_iter().filter(is_fixed).collect();
        }
        self.fixed.clone()
    }

    /// What must be paid whatever is chosen.
    pub(crate) fn base(&mut self) -> Rc<Base> {
        if let Some(base) = &self.base {
            return Rc::clone(base);
        }
        let mut layout = Layout::new(&self.catalog.name, self.terms.engine);
        layout.tables = self.fixed();
        layout.ranks = structure::ranks(self.catalog, &layout);
        self.sketch(layout, &vec![None; self.choices.len()], Rows::Asked);
        let base = Rc::new(self.weigh_base());
        self.base = Some(Rc::clone(&base));
        base
    }

    /// What was sketched last.
    fn weigh_base(&self) -> Base {
        let (ground, tariff) = (Ground::new(&self.program, self.terms.dialect), self.terms.tariff);
        let reads = ground.weigh_reads(tariff, self.equally);
        let patterns = self.component.patterns.iter();
        let alone: Vec<u128> = patterns.map(|pattern| ground.weigh_writes(tariff, pattern, "").1).collect();
        let mine = |table: &&Table| belongs(self.catalog, table).is_some_and(|entity| self.component.has(entity));
        let stored = self.program.layout.tables.iter().filter(mine).map(|table| ground.weigh_stored(tariff, table));
        let weight = reads.into_iter().chain(alone.iter().copied()).chain(stored).fold(0_u128, u128::saturating_add);
        let mut weighed = ground.weigh_only(tariff, self.equally, &self.patterns);
        // Whoever reads a table may say more of how large its partitions are.
        let asked = |at: usize| self.options.iter().any(|options| options.contains(&At::Must(at)));
        let is_asked = |name: &str| self.must.iter().position(|must| must.name == name).is_some_and(asked);
        let is_mine = |name: &str| self.program.layout.table(name).is_some_and(|table| mine(&table)) && !is_asked(name);
        weighed.breaks.retain(|found| is_mine(&found.table));
        weighed.unknown.retain(|found| is_mine(&found.table));
        Base { weight, broken: broken_in(&self.program, &weighed), alone }
    }

    /// What a table adds at least, when it answers these choices, which are in order.
    pub(crate) fn own(&mut self, at: At, set: &[u32]) -> Rc<Own> {
        let place = self.place(at);
        self.owns.resize_with(self.must.len() + self.shapes.len(), HashMap::new);
        if let Some(own) = self.owns[place].get(set) {
            return Rc::clone(own);
        }
        let base = self.base();
        let own = match self.sketch_one(at, set) {
            true => self.weigh_one(at, set, &base.alone),
            false => Own { broken: u64::MAX, ..Own::default() },
        };
        let own = Rc::new(own);
        self.owns[place].insert(set.to_vec(), Rc::clone(&own));
        own
    }

    /// The table that was sketched last.
    fn weigh_one(&self, at: At, set: &[u32], alone: &[u128]) -> Own {
        let (ground, tariff) = (Ground::new(&self.program, self.terms.dialect), self.terms.tariff);
        let tables = &self.program.layout.tables;
        let of = match at {
            At::Must(at) => tables.get(at),
            At::Shape(_) => tables.last(),
        };
        let Some(table) = of else { return Own::default() };
        let asked = |plan: &ReadPlan| {
            let chosen = set.iter().map(|choice| self.choices[*choice as usize]);
            chosen.flat_map(|choice| &choice.asked).any(|asked| asked.question == plan.asked.question)
        };
        let reads = self.program.reads.iter().zip(ground.weigh_reads(tariff, self.equally));
        let reads = reads.filter(|(plan, _)| asked(plan)).fold(0_u128, |sum, (_, weight)| sum.saturating_add(weight));
        if let At::Must(_) = at {
            // It is there anyway.
            return Own { weight: reads, reads, broken: self.broken_by(&ground, table), ..Own::default() };
        }
        let mut weight = reads.saturating_add(ground.weigh_stored(tariff, table));
        if let (At::Shape(at), Some(standing)) = (at, self.terms.standing)
            && !self.shapes[at].1.stands()
        {
            let filling = ground.weigh_filling(tariff, table).unwrap_or_default();
            weight = weight.saturating_add(standing.charge(filling.weight));
        }
        let mut company = Vec::new();
        for (pattern, alone) in self.component.patterns.iter().zip(alone) {
            let (on, all) = ground.weigh_writes(tariff, pattern, &table.name);
            weight = weight.saturating_add(on);
            company.push(all.saturating_sub(on).saturating_sub(*alone));
        }
        Own { weight, reads, broken: self.broken_by(&ground, table), company }
    }

    /// The limits that the table by itself breaks, as often as choices meet it.
    fn broken_by(&self, ground: &Ground<'_>, table: &Table) -> u64 {
        let (breaks, unknown) = ground.limits_of(table, &self.patterns);
        let unknown = unknown.iter().filter(|found| is_size(found)).count() as u64 * broken(None);
        let breaks = breaks.iter();
        let each = breaks.fold(unknown, |sum, found| sum.saturating_add(broken(Some(found.limit.kind))));
        let choices = self.choices.iter().filter(|choice| {
            self.program.reads.iter().any(|plan| plan.access.table == table.name && plan.asked == *choice.base())
        });
        each.saturating_mul(choices.count().max(1) as u64)
    }
}

/// The limits that a program breaks, each as often as lists meet it.
pub(crate) fn broken_in(program: &Program, weighed: &Weighed) -> u64 {
    let lists = |table: &str| {
        let meets = |plan: &&ReadPlan| {
            let base = match &plan.asked.question {
                Question::Pattern { sent, .. } => sent.is_empty(),
                Question::Support { .. } => true,
            };
            base && plan.access.table == table && plan.asked.wants != Wants::Row
        };
        program.reads.iter().filter(meets).count().max(1) as u64
    };
    let breaks = weighed.breaks.iter().map(|found| (&found.table, broken(Some(found.limit.kind))));
    let unknown = weighed.unknown.iter().filter(|found| is_size(found)).map(|found| (&found.table, broken(None)));
    let limits = breaks.chain(unknown);
    let limits = limits.fold(0_u64, |sum, (table, each)| sum.saturating_add(each.saturating_mul(lists(table))));
    let wide = |plan: &&ReadPlan| plan.at_most.is_some_and(|reads| reads.partitions > PARTITIONS_MAX);
    let wide = program.reads.iter().filter(wide).count() as u64 * broken(Some(Limit::RuleOfThumb));
    limits.saturating_add(wide)
}

/// Whether a limit is one of how large a partition may be: there, not to know is worse than to know. How uneven calls are is asked for
/// elsewhere; a second table only to know that its own calls are few would be absurd.
pub(crate) fn is_size(unknown: &Unknown) -> bool {
    ["partition_rows", "partition_bytes", "partition_cells"].contains(&unknown.limit.name.as_str())
}

fn designer<'a>(catalog: &'a Catalog, layout: Layout, terms: &Terms<'_>) -> Designer<'a> {
    let names = Names::taken(&layout);
    Designer { catalog, companions: Companions::of(terms.abilities), layout, names, asked: Vec::new() }
}

/// Whether an entity matters when a component's tables are weighed.
fn is_near(catalog: &Catalog, component: &Component<'_>, entity: &Entity) -> bool {
    let points = |from: &Entity| {
        from.fields.iter().any(|field| field.reference.as_ref().is_some_and(|to| to.entity == entity.name))
    };
    let kept_from = entity.fields.iter().any(|field| match &field.fill {
        Fill::Kept(kept) => component.has(&kept.entity),
        _ => false,
    });
    component.has(&entity.name)
        || kept_from
        || catalog.entities.iter().filter(|known| component.has(&known.name)).any(points)
}

/// The entity whose writes change a table: that of its rows, or of what it is counted from.
pub(crate) fn belongs<'a>(catalog: &'a Catalog, table: &'a Table) -> Option<&'a str> {
    let kept = |entity: &str, field: &str| match &catalog.entity(entity)?.field(field)?.fill {
        Fill::Kept(kept) => Some(kept.entity.as_str()),
        _ => None,
    };
    match &table.holds {
        Holds::Source { entity, .. }
        | Holds::Projection { entity, .. }
        | Holds::Reservations { entity, .. }
        | Holds::Newest { entity }
        | Holds::Numbers { entity, .. } => Some(entity),
        Holds::Kept { entity, field, .. } | Holds::Contributions(Counted::Field { entity, field }) => {
            kept(entity, field)
        }
        // A rollup is looked at with what it is kept from.
        Holds::Contributions(Counted::Rollup(rollup)) => Some(rollup),
    }
}
