//! The cheapest layout of those that are thought of, found exactly and recomputed. `docs/design/009-search.md` says how and why.

mod ask;
mod branch;
mod choice;
mod cluster;
mod component;
mod copy;
mod crossing;
mod explain;
mod needs;
mod pool;
mod scale;
mod simple;
mod standing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use keyloom_model::layout::{Form, Layout, Path, Table};
use keyloom_model::{Catalog, Engine, Pattern};
use keyloom_plan::{Asked, Program, Wants, impossible, questions, questions_of_copies, targets};
use keyloom_size::{Equally, Filling, Ground, Tariff, Weighed};
use keyloom_store::{Abilities, Dialect};

pub use ask::{Answer, Number, Query, ask};
pub use branch::Outcome;
pub use choice::Choice;
pub use copy::Reference;
pub use crossing::{Crossing, crossing};
pub use explain::{Broken, CopyReason, Flip, Other, Reason, explain, explain_copies};
pub use needs::{GivenUp, Lack, Need, Remedy, needs};
pub use pool::{Kind, Shape};
pub use scale::{At, Score};
pub use standing::{PAY_BACK_MONTHS, SAVES_AT_LEAST, Standing, ToChange};

use crate::name::Names;
use crate::{Companions, Designer, design, kept, paths, structure};
use component::Component;
use scale::Scale;

/// What is searched under.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The engine.
    pub engine: Engine,
    /// What it is able to.
    pub abilities: &'a Abilities,
    /// What it stores and charges.
    pub dialect: &'a dyn Dialect,
    /// What work and bytes are worth.
    pub tariff: &'a Tariff,
    /// What of a program the run time can't do yet: that is not proposed.
    pub not_run: &'a dyn Fn(&Program) -> Vec<Lack>,
    /// The layout that is in use, if there is one.
    pub standing: Option<Standing<'a>>,
    /// Whether time is over: then the best so far is taken, and its gap is said. Asked every now and then.
    pub is_over: &'a dyn Fn(&Progress) -> bool,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Which of the parts of a catalog it is at, counted from 1; 0 beside a search.
    pub part: usize,
    /// How many there are.
    pub parts: usize,
    /// How many partial designs of this part were looked at.
    pub looked_at: u64,
    /// The best design of this part so far.
    pub best: Score,
}

/// A layout that was searched for.
#[derive(Debug, Clone)]
pub struct Found {
    /// It.
    pub layout: Layout,
    /// What it comes to, computed from catalog and layout alone.
    pub score: Score,
    /// What the plain design comes to.
    pub plain: Score,
    /// Nothing better than the plain design was found.
    pub is_plain: bool,
    /// How many tables were thought of.
    pub shapes: usize,
    /// How far the cheapest that was found may be from the cheapest that there is.
    pub gap: Gap,
    /// What was found for entities whose tables are chosen together.
    pub parts: Vec<Outcome>,
    /// The references whose fields lists copy, and those that could be copied and are looked up.
    pub copied: Vec<Reference>,
    /// See above.
    pub looked_up: Vec<Reference>,
    /// What it changes in the layout that is in use.
    pub changes: Option<Changes>,
    /// A better one that was given up, because the run time can't do it yet.
    pub given_up: Option<GivenUp>,
}

/// What is not known of a search that had to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gap {
    /// The cheapest design that was found.
    pub cheapest: Score,
    /// No design comes to less.
    pub bound: Score,
}

impl Gap {
    /// Whether there is none: the cheapest of all designs was found.
    pub fn is_closed(&self) -> bool {
        self.bound >= self.cheapest
    }

    /// How much cheaper another design may be, as a part of what the cheapest costs that was found. `None` where one may break
    /// fewer limits, which no price makes up for.
    pub fn share(&self) -> Option<f64> {
        let more = self.cheapest.weight.saturating_sub(self.bound.weight);
        (self.bound.broken >= self.cheapest.broken).then(|| more as f64 / self.cheapest.weight.max(1) as f64)
    }
}

/// What a layout changes in one that is in use.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// What the layout in use comes to.
    pub before: Score,
    /// Tables that are new, and what it takes to fill each, where that is known.
    pub new: Vec<(String, Option<Filling>)>,
    /// Tables that nothing asks any more.
    pub gone: Vec<String>,
    /// What decides between the two, where it is one number.
    pub crossing: Option<Crossing>,
}

/// What is the same for all components.
struct Prepared<'a> {
    catalog: &'a Catalog,
    choices: Vec<Choice>,
    rows: Vec<Asked>,
    equally: Equally,
    program: Program,
    copied: Vec<Reference>,
    components: Vec<Component<'a>>,
}

impl<'a> Prepared<'a> {
    /// By a program of the whole catalog, whose own tables of Keyloom are those of every other; fields of these references are copied.
    fn of(catalog: &'a Catalog, plain: &Program, terms: &Terms<'_>, copied: Vec<Reference>) -> Self {
        let refused = impossible(catalog, terms.abilities);
        let copying = copy::copying(&plain.layout, &copied);
        let support = questions_of_copies(catalog, &copying);
        let choices = choice::choices(catalog, &support, &refused);
        let is_row = |asked: &Asked| asked.wants == Wants::Row;
        let mut rows: Vec<Asked> = questions(catalog).into_iter().filter(is_row).chain(targets(catalog)).collect();
        rows.retain(|asked| !refused.iter().any(|refusal| refusal.of(&asked.question)));
        let equally = Equally::of(choices.iter().flat_map(|choice| &choice.asked).chain(&rows));
        let program = plain.with_tables_of(&copying);
        let components = component::components(catalog, &copied);
        Self { catalog, choices, rows, equally, program, copied, components }
    }

    fn scale<'b>(&'b self, component: &'b Component<'b>, terms: &'b Terms<'b>) -> Scale<'b> {
        let by = (terms, &self.equally, self.copied.as_slice());
        Scale::new(self.catalog, component, &self.choices, &self.rows, by, &self.program)
    }

    /// Finds the best designs of the components that have one of these entities.
    fn solve(&self, known: &[Program], terms: &Terms<'_>, of: impl Fn(&str) -> bool) -> Solved {
        let mut solved = Solved::default();
        let parts = self.components.len();
        for (at, component) in self.components.iter().enumerate() {
            if !component.entities.iter().any(|entity| of(entity)) {
                continue;
            }
            let is_over = |progress: &Progress| (terms.is_over)(&Progress { part: at + 1, parts, ..*progress });
            let mut scale = self.scale(component, terms);
            let seeds: Vec<Vec<At>> = known.iter().filter_map(|known| scale.assigned_by(known)).collect();
            let outcome = branch::search(&mut scale, &seeds, &is_over);
            solved.shapes += scale.shapes.len();
            solved.chosen.add(&scale, &outcome);
            solved.parts.push(outcome);
        }
        solved
    }
}

/// The best designs of some components.
#[derive(Debug, Default)]
struct Solved {
    shapes: usize,
    chosen: Chosen,
    parts: Vec<Outcome>,
}

/// What designs of several components come to together.
struct Together {
    score: Score,
    gap: Gap,
}

impl Together {
    fn of<'a>(parts: impl Iterator<Item = &'a Outcome>) -> Self {
        let none = Self { score: Score::default(), gap: Gap::default() };
        parts.fold(none, |all, part| {
            let gap = Gap { cheapest: all.gap.cheapest.plus(part.cheapest), bound: all.gap.bound.plus(part.bound) };
            Self { score: all.score.plus(part.score), gap }
        })
    }
}

/// The program of the plain design.
fn plain(catalog: &Catalog, terms: &Terms<'_>) -> Program {
    Program::compile(catalog, &design(catalog, terms.engine, terms.abilities), terms.abilities)
}

/// Searches for the layout of a catalog.
pub fn search(catalog: &Catalog, terms: &Terms<'_>) -> Found {
    let compiled = |layout: &Layout| Program::compile(catalog, layout, terms.abilities);
    let in_use = terms.standing.map(|standing| compiled(standing.layout));
    let known: Vec<Program> = [plain(catalog, terms)].into_iter().chain(in_use).collect();
    let looking_up = Prepared::of(catalog, &known[0], terms, Vec::new());
    let all = copy::references(catalog, &known[0].layout, &looking_up.choices);
    let mut found = found(looking_up, &known, terms, &all);
    let of_plain = (terms.not_run)(&known[0]);
    let lacks = |found: &Found| (terms.not_run)(&compiled(&found.layout));
    let given_up =
        |found: &Found, lacks: Vec<Lack>| Some(GivenUp { score: found.score, lacks: needs::beyond(lacks, &of_plain) });
    let mut lacking = lacks(&found);
    if !found.copied.is_empty() && lacking.len() > of_plain.len() {
        let better = given_up(&found, lacking);
        let looking_up = Prepared::of(catalog, &known[0], terms, Vec::new());
        found = Found { looked_up: all, ..self::found(looking_up, &known, terms, &[]) };
        found.given_up = better.filter(|better| better.score < found.score);
        lacking = lacks(&found);
    }
    // Optional inputs may be answered by another table than the list itself, which the plain design may use.
    let is_run = lacking.len() <= of_plain.len();
    found.is_plain = terms.standing.is_none() && (found.plain < found.score || !is_run);
    if found.is_plain {
        if !is_run && found.score < found.plain {
            found.given_up = given_up(&found, lacking);
        }
        (found.layout, found.score) = (known[0].layout.clone(), found.plain);
    }
    found.changes = terms.standing.map(|standing| changes(catalog, &standing, &found.layout, terms));
    found
}

/// The best layout in which fields of these references are copied or looked up, whatever is better; `known` are the programs of the
/// plain design and of the layout that is in use.
fn found(looking_up: Prepared<'_>, known: &[Program], terms: &Terms<'_>, all: &[Reference]) -> Found {
    let catalog = looking_up.catalog;
    let Worth { copied, solved, missed } = worth_copying(&looking_up, known, terms, all);
    // Whether anything is copied at all changes what every mark takes, so all is weighed once more.
    let (prepared, solved) = match copied.is_empty() {
        true => (looking_up, solved),
        false => {
            let prepared = Prepared::of(catalog, &known[0], terms, copied);
            let solved = prepared.solve(known, terms, |_| true);
            (prepared, solved)
        }
    };
    let layout = assemble(catalog, terms, &prepared, &solved.chosen);
    let (score, of_plain) = (check(catalog, &layout, terms), check(catalog, &known[0].layout, terms));
    let looked_up = all.iter().filter(|known| !prepared.copied.contains(known)).cloned().collect();
    let Gap { cheapest, bound } = Together::of(solved.parts.iter()).gap;
    Found {
        layout,
        score,
        plain: of_plain,
        is_plain: false,
        shapes: solved.shapes,
        gap: Gap { cheapest: cheapest.less(missed.cheapest), bound: bound.less(missed.bound) },
        parts: solved.parts,
        copied: prepared.copied,
        looked_up,
        changes: None,
        given_up: None,
    }
}

/// How many references of entities that are looked at together are tried in all their combinations.
const COMBINED_MAX: usize = 4;

/// What is worth copying.
struct Worth {
    copied: Vec<Reference>,
    /// The best designs where nothing is copied.
    solved: Solved,
    /// How much less what was not taken may come to.
    missed: Gap,
}

/// The references whose fields are cheaper to copy than to look up: tried in every combination where few of them meet in the same
/// entities, and one after the other where many do.
fn worth_copying(looking_up: &Prepared<'_>, known: &[Program], terms: &Terms<'_>, all: &[Reference]) -> Worth {
    let catalog = looking_up.catalog;
    let in_use = terms.standing.map(|standing| copy::copied_by(standing.layout, all)).unwrap_or_default();
    let solved = looking_up.solve(known, terms, |_| true);
    let mut worth = Worth { copied: Vec::new(), missed: Gap::default(), solved };
    for family in component::components(catalog, all) {
        let own: Vec<&Reference> = all.iter().filter(|known| family.has(&known.entity)).collect();
        let parts = looking_up.components.iter().zip(&worth.solved.parts);
        let parts = parts.filter(|(part, _)| part.entities.iter().any(|entity| family.has(entity)));
        let nothing = Together::of(parts.map(|(_, outcome)| outcome));
        let mut least = nothing.gap;
        let mut solve = |copied: &[&Reference]| {
            if copied.is_empty() {
                return (nothing.score, nothing.gap);
            }
            let copied = copied.iter().map(|known| (*known).clone()).collect();
            let prepared = Prepared::of(catalog, &known[0], terms, copied);
            let solved = Together::of(prepared.solve(known, terms, |entity| family.has(entity)).parts.iter());
            least.cheapest = least.cheapest.min(solved.gap.cheapest);
            least.bound = least.bound.min(solved.gap.bound);
            (solved.score, solved.gap)
        };
        let mut best: Vec<&Reference> = own.iter().copied().filter(|known| in_use.contains(known)).collect();
        let (mut score, mut gap) = solve(&best);
        let sets: Vec<Vec<&Reference>> = match own.len() {
            few @ ..=COMBINED_MAX => (0..1_u32 << few).map(|set| picked(&own, set)).collect(),
            _ => own.iter().map(|known| vec![*known]).collect(),
        };
        for set in sets {
            let set: Vec<&Reference> = match own.len() > COMBINED_MAX {
                true => best.iter().copied().filter(|known| *known != set[0]).chain(set.clone()).collect(),
                false => set,
            };
            if set == best {
                continue;
            }
            let (other, of_other) = solve(&set);
            // What is as good is left as it is.
            let saves = score.weight.saturating_sub(other.weight) > score.weight / 100;
            if other.broken < score.broken || other.broken == score.broken && saves {
                (best, score, gap) = (set, other, of_other);
            }
        }
        worth.missed.cheapest = worth.missed.cheapest.plus(gap.cheapest.less(least.cheapest));
        worth.missed.bound = worth.missed.bound.plus(gap.bound.less(least.bound));
        worth.copied.extend(best.into_iter().cloned());
    }
    worth
}

/// Those of a set, by its bits.
fn picked<'a>(all: &[&'a Reference], set: u32) -> Vec<&'a Reference> {
    all.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, known)| *known).collect()
}

/// What a layout changes in the one that is in use.
fn changes(catalog: &Catalog, standing: &Standing<'_>, layout: &Layout, terms: &Terms<'_>) -> Changes {
    let (new, gone) = standing.changes(layout);
    let program = Program::compile(catalog, layout, terms.abilities);
    let ground = Ground::new(&program, terms.dialect);
    let filling = |name: String| {
        let table = program.layout.table(&name);
        let filling = table.and_then(|table| ground.weigh_filling(terms.tariff, table));
        (name, filling)
    };
    let is_changed = !new.is_empty() || !gone.is_empty();
    let new = new.into_iter().map(filling).collect();
    let crossing = is_changed.then(|| crossing(catalog, standing.layout, layout, terms)).flatten();
    Changes { before: check(catalog, standing.layout, terms), new, gone, crossing }
}

/// The tables that were chosen, and what each answers.
#[derive(Debug, Default)]
struct Chosen {
    shapes: Vec<(String, Shape, Vec<Asked>)>,
    must: Vec<(String, Vec<Asked>)>,
}

impl Chosen {
    fn add(&mut self, scale: &Scale<'_>, outcome: &Outcome) {
        for (choice, at) in scale.choices.iter().zip(&outcome.assigned) {
            match at {
                At::Must(at) => self.must.push((scale.must_table(*at).name.clone(), choice.asked.clone())),
                At::Shape(at) => {
                    let (entity, shape) = &scale.shapes[*at];
                    match self.shapes.iter_mut().find(|(of, known, _)| *of == entity.name && known == shape) {
                        Some((_, _, asked)) => asked.extend(choice.asked.iter().cloned()),
                        None => self.shapes.push((entity.name.clone(), shape.clone(), choice.asked.clone())),
                    }
                }
            }
        }
    }
}

/// The whole layout: what must be, the tables that were chosen, what is kept, and the path of each question.
fn assemble(catalog: &Catalog, terms: &Terms<'_>, prepared: &Prepared<'_>, chosen: &Chosen) -> Layout {
    let mut layout = Layout::new(&catalog.name, terms.engine);
    let asked = prepared.choices.iter().map(|choice| choice.base().clone()).collect();
    let companions = Companions::of(terms.abilities);
    let mut names = Names::default();
    if let Some(standing) = &terms.standing {
        layout.tables = standing.must(catalog).collect();
        layout.ranks.clone_from(&standing.layout.ranks);
        names = Names::taken(standing.layout);
    }
    let mut designer = Designer { catalog, companions, layout, names, asked };
    let mut stated: Vec<Path> = Vec::new();
    let mut state = |name: &str, asked: &[Asked]| {
        stated.extend(asked.iter().map(|asked| Path {
            question: asked.question.clone(),
            form: Form::Slice { table: name.to_owned() },
            looks_up: Vec::new(),
            remains: Vec::new(),
            reads_at_most: None,
        }));
    };
    for entity in &catalog.entities {
        designer.must_be(entity, entity.class(catalog).0);
        for (_, shape, asked) in chosen.shapes.iter().filter(|(of, ..)| *of == entity.name) {
            let mut table = shape.named(entity, &mut designer.names);
            table.copies = copy::copies(&prepared.copied, &table, asked.iter());
            state(&table.name, asked);
            designer.layout.tables.push(table);
        }
    }
    chosen.must.iter().for_each(|(name, asked)| state(name, asked));
    for entity in &catalog.entities {
        kept::values(&mut designer, entity, |_| true);
    }
    let mut layout = designer.layout;
    if let Some(standing) = &terms.standing {
        if standing.reason == ToChange::Limits {
            layout.tables.extend(kept_unused(catalog, standing, &layout, terms));
        }
        standing.rename(&mut layout);
    }
    layout.ranks = structure::ranks(catalog, &layout);
    layout.paths = stated;
    let mut program = Program::compile(catalog, &layout, terms.abilities);
    if let Some(cut) = crate::bucket::cut(&program) {
        program = Program::compile(catalog, &cut, terms.abilities);
    }
    if let Some(standing) = &terms.standing {
        let mut layout = program.layout;
        crate::keep_columns(standing.layout, &mut layout);
        program = Program::compile(catalog, &layout, terms.abilities);
    }
    Layout { paths: paths(&program), ..program.layout }
}

/// The lists in use that a design has no use for, but for those that break a limit by being there.
fn kept_unused(catalog: &Catalog, standing: &Standing<'_>, layout: &Layout, terms: &Terms<'_>) -> Vec<Table> {
    let program = Program::compile(catalog, standing.layout, terms.abilities);
    let weighed = Ground::new(&program, terms.dialect).weigh(terms.tariff, &Equally::default());
    let breaks = |table: &Table| weighed.breaks.iter().any(|found| found.table == table.name);
    standing.unused(layout).into_iter().filter(|table| !breaks(table)).collect()
}

/// What a layout comes to, from catalog and layout alone: it is compiled and sized as a whole, and nothing of how it was found is
/// looked at.
pub fn check(catalog: &Catalog, layout: &Layout, terms: &Terms<'_>) -> Score {
    weighed_whole(catalog, layout, terms).2
}

/// What each pattern weighs in a layout, by the same sums; what is stored is nobody's.
pub fn check_patterns(catalog: &Catalog, layout: &Layout, terms: &Terms<'_>) -> BTreeMap<String, u128> {
    let (program, weighed, _) = weighed_whole(catalog, layout, terms);
    let ground = Ground::new(&program, terms.dialect);
    let weight = |pattern: &Pattern| weighed.of_pattern(&ground, &pattern.name);
    catalog.patterns.iter().map(|pattern| (pattern.name.clone(), weight(pattern))).collect()
}

/// A layout, compiled, sized and judged as a whole.
fn weighed_whole(catalog: &Catalog, layout: &Layout, terms: &Terms<'_>) -> (Program, Weighed, Score) {
    let mut program = Program::compile(catalog, layout, terms.abilities);
    // What no layout could hold is no reason to choose one.
    let refused = impossible(catalog, terms.abilities);
    program.reads.retain(|plan| !refused.iter().any(|refusal| refusal.of(&plan.asked.question)));
    let equally = Equally::of(program.reads.iter().map(|plan| &plan.asked));
    let weighed = Ground::new(&program, terms.dialect).weigh(terms.tariff, &equally);
    let score = Score { broken: scale::broken_in(&program, &weighed), weight: weighed.total() };
    (program, weighed, score)
}
