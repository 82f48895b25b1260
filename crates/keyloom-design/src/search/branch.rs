//! The search itself: depth first, with a bound on all that goes on from a part of an assignment.
//!
//! Choices that can't share a table meet only in what a write pays for its company. So each [`Cluster`] of choices is solved by itself
//! first, and what the others come to at best bounds the search over all of them.

use std::cell::Cell;
use std::rc::Rc;

use super::Progress;
use super::cluster::{Cluster, Point, clusters, later, together};
use super::scale::{At, Own, Scale, Score};
use super::simple::Simplicity;

/// What was found for a component.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Where each choice is answered.
    pub assigned: Vec<At>,
    /// What that comes to: at most one in a hundred more than the cheapest that was found.
    pub score: Score,
    /// The cheapest that was found.
    pub cheapest: Score,
    /// No design comes to less.
    pub bound: Score,
    /// How many designs there are.
    pub designs: u128,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
enum Goal {
    /// The best of a cluster, as its tables add up.
    Alone,
    /// All of a cluster that are best in something, as long as the whole is no higher with this for all the others.
    Each { others: Score, ceiling: Score },
    /// The best score.
    Best,
    /// Among those whose score is no higher, the simplest.
    Simplest { ceiling: Score },
}

/// Finds the best design of a component, as far as time allows; `seeds` are designs that are known. Designs that cost at most one
/// in a hundred more than the cheapest are as good, and among those the simplest is taken: the one with the fewest tables, or
/// with the fewest changes to a layout that is in use.
pub(crate) fn search(scale: &mut Scale<'_>, seeds: &[Vec<At>], is_over: &dyn Fn(&Progress) -> bool) -> Outcome {
    let clock = Clock { is_over, looked_at: Cell::new(0), is_stopped: Cell::new(false) };
    let greedy = greedy(scale);
    let leasts: Vec<Least> = (0..scale.choices.len()).map(|choice| Least::of(scale, choice)).collect();
    let entity = |choice: usize| scale.choices[choice].base().entity.as_str();
    let mut clusters = clusters(&scale.options, |choice| leasts[choice].weight(), entity);
    for cluster in &mut clusters {
        let may_pay = |write: usize| cluster.choices.iter().any(|choice| leasts[*choice].pays[write]);
        cluster.pays = (0..scale.base().alone.len()).map(may_pay).collect();
        let mut branch = Branch::new(scale, &leasts, &[cluster], Sum::default(), Goal::Alone, &clock);
        branch.start_from(&greedy);
        branch.walk(0);
        cluster.least = branch.bound_of_all();
        cluster.best = cluster.choices.iter().map(|choice| branch.best.design[*choice]).collect();
    }
    let joined = together(&clusters);
    let known = seeds.iter().cloned().chain([greedy, joined]);
    let (score, design) = known.map(|design| (scale.weigh(&design), design)).min().unwrap_or_default();
    let best = Best { simplicity: scale.simplicity(&design), score, design };
    let base = Sum::base(scale, &leasts);
    let least = clusters.iter().fold(base.score(), |sum, cluster| sum.plus(cluster.least));
    let ceiling = scale.ceiling(best.score);
    for cluster in &mut clusters {
        let goal = Goal::Each { others: least.less(cluster.least), ceiling };
        let nothing = Sum { score: Score::default(), company: vec![0; base.company.len()] };
        let mut branch = Branch::new(scale, &leasts, &[cluster], nothing, goal, &clock);
        branch.walk(0);
        let points = if branch.open.is_none() { branch.points } else { Vec::new() };
        cluster.points = if points.is_empty() { cluster.point(scale) } else { points };
    }
    let all: Vec<&Cluster> = clusters.iter().collect();
    let mut branch = Branch::new(scale, &leasts, &all, base.clone(), Goal::Best, &clock);
    branch.best = best;
    branch.walk(0);
    let (best, bound) = (branch.best.clone(), branch.bound_of_all().max(least.min(branch.best.score)));
    let goal = Goal::Simplest { ceiling: scale.ceiling(best.score) };
    let mut branch = Branch::new(scale, &leasts, &all, base, goal, &clock);
    branch.best = best.clone();
    branch.walk(0);
    let Best { score, design, .. } = branch.best;
    let designs = scale.options.iter().fold(1_u128, |all, options| all.saturating_mul(options.len() as u128));
    Outcome { assigned: design, score, cheapest: best.score, bound, designs }
}

/// Looks at every design of a component, without a bound: what it comes to at least, by its tables, and how simple it is.
#[cfg(test)]
pub(crate) fn every(scale: &mut Scale<'_>, visit: &mut dyn FnMut(&mut Scale<'_>, &[At], Score, Simplicity)) {
    fn go(
        branch: &mut Branch<'_, '_, '_>,
        depth: usize,
        visit: &mut dyn FnMut(&mut Scale<'_>, &[At], Score, Simplicity),
    ) {
        if depth == branch.order.len() {
            let design: Vec<At> = branch.assigned.iter().flatten().copied().collect();
            let (score, simplicity) = (branch.here().score(), branch.scale.simplicity(&design));
            visit(branch.scale, &design, score, simplicity);
            return;
        }
        for at in branch.scale.options[depth].clone() {
            branch.take(depth, at);
            go(branch, depth + 1, visit);
            branch.leave(depth, at);
        }
    }
    let clock = Clock { is_over: &|_| false, looked_at: Cell::new(0), is_stopped: Cell::new(false) };
    let base = Sum::base(scale, &[]);
    let mut branch = Branch::new(scale, &[], &[], base, Goal::Best, &clock);
    branch.order = (0..branch.scale.choices.len()).map(|choice| (choice, 0)).collect();
    go(&mut branch, 0, visit);
}

/// Each choice in turn where it adds least.
fn greedy(scale: &mut Scale<'_>) -> Vec<At> {
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); scale.all().len()];
    let mut assigned = Vec::new();
    for choice in 0..scale.choices.len() {
        let options = scale.options[choice].clone();
        let added = |scale: &mut Scale<'_>, at: At| {
            let mut set = sets[scale.place(at)].clone();
            let known = if set.is_empty() { Rc::default() } else { scale.own(at, &set) };
            set.push(number(choice));
            let with = scale.own(at, &set);
            (with.broken.saturating_sub(known.broken), with.weight.saturating_sub(known.weight))
        };
        let best = options.into_iter().map(|at| (added(scale, at), at)).min();
        let Some((_, at)) = best else { continue };
        sets[scale.place(at)].push(number(choice));
        assigned.push(at);
    }
    assigned
}

/// A choice as sets have it.
fn number(choice: usize) -> u32 {
    u32::try_from(choice).unwrap_or(u32::MAX)
}

/// Whether time is over, asked every now and then.
struct Clock<'c> {
    is_over: &'c dyn Fn(&Progress) -> bool,
    looked_at: Cell<u64>,
    is_stopped: Cell<bool>,
}

impl Clock<'_> {
    /// One more partial design is looked at.
    fn tick(&self, best: Score) -> bool {
        let looked_at = self.looked_at.get() + 1;
        self.looked_at.set(looked_at);
        if !self.is_stopped.get() && looked_at.is_multiple_of(64) {
            self.is_stopped.set((self.is_over)(&Progress { looked_at, best, ..Progress::default() }));
        }
        self.is_stopped.get()
    }
}

/// What tables add up to.
#[derive(Debug, Clone, Default)]
struct Sum {
    score: Score,
    /// What each write pays once when anything comes with it; empty where that is not looked at.
    company: Vec<u128>,
}

impl Sum {
    /// What every design has: what must be, and the company that no choice can do without.
    fn base(scale: &mut Scale<'_>, leasts: &[Least]) -> Self {
        let base = scale.base();
        let mut company = vec![0_u128; base.alone.len()];
        for least in leasts {
            company.iter_mut().zip(&least.company).for_each(|(most, one)| *most = (*most).max(*one));
        }
        Self { score: Score { broken: base.broken, weight: base.weight }, company }
    }

    fn add(&mut self, own: &Own) {
        self.score = self.score.plus(Score { broken: own.broken, weight: own.weight });
        self.company.iter_mut().zip(&own.company).for_each(|(most, one)| *most = (*most).max(*one));
    }

    fn score(&self) -> Score {
        let weight = self.company.iter().fold(self.score.weight, |sum, one| sum.saturating_add(*one));
        Score { weight, ..self.score }
    }

    /// With what a point adds to it.
    fn with(&self, point: &Point) -> Score {
        let score = self.score.plus(point.score);
        let more = |(at, one): (usize, &u128)| point.company.get(at).map_or(*one, |other| (*one).max(*other));
        let weight = self.company.iter().enumerate().map(more).fold(score.weight, u128::saturating_add);
        Score { weight, ..score }
    }
}

/// What a choice comes to at least.
#[derive(Debug, Clone, Default)]
struct Least {
    broken: u64,
    /// By option: what is read, and what the table costs beside that.
    parts: Vec<(At, u128, u128)>,
    /// What each write pays for company, whichever option is taken, and whether it pays anything with one of them.
    company: Vec<u128>,
    pays: Vec<bool>,
}

impl Least {
    fn of(scale: &mut Scale<'_>, choice: usize) -> Self {
        let options = scale.options[choice].clone();
        let owns: Vec<(At, Rc<Own>)> = options.into_iter().map(|at| (at, scale.own(at, &[number(choice)]))).collect();
        let broken = owns.iter().map(|(_, own)| own.broken).min().unwrap_or(0);
        let parts = owns.iter().map(|(at, own)| (*at, own.reads, own.weight.saturating_sub(own.reads)));
        let of_write = |at: usize| owns.iter().map(move |(_, own)| own.company.get(at).copied().unwrap_or(0));
        let writes = scale.base().alone.len();
        let company = (0..writes).map(|at| of_write(at).min().unwrap_or(0)).collect();
        let pays = (0..writes).map(|at| of_write(at).any(|company| company > 0)).collect();
        Self { broken, parts: parts.collect(), company, pays }
    }

    /// By itself.
    fn weight(&self) -> u128 {
        self.parts.iter().map(|(_, reads, rest)| reads.saturating_add(*rest)).min().unwrap_or(0)
    }
}

/// The best design that is known.
#[derive(Debug, Clone, Default)]
struct Best {
    simplicity: Simplicity,
    score: Score,
    design: Vec<At>,
}

struct Branch<'s, 'a, 'c> {
    scale: &'s mut Scale<'a>,
    goal: Goal,
    clock: &'c Clock<'c>,
    leasts: &'c [Least],
    /// The choices, cluster by cluster, each with its cluster.
    order: Vec<(usize, usize)>,
    /// What the clusters after each come to at best.
    later: Vec<Vec<Point>>,
    /// What is taken of the clusters before the one that is looked at.
    before: (Sum, Simplicity),
    assigned: Vec<Option<At>>,
    /// The tables that are taken of this cluster, and the choices of each table.
    used: Vec<At>,
    sets: Vec<Vec<u32>>,
    /// How many open choices could take each table; all zero but while that is looked at.
    could: Vec<u128>,
    best: Best,
    points: Vec<Point>,
    /// The least bound of what was not looked at for lack of time.
    open: Option<Score>,
}

impl<'s, 'a, 'c> Branch<'s, 'a, 'c> {
    fn new(
        scale: &'s mut Scale<'a>,
        leasts: &'c [Least],
        clusters: &[&Cluster],
        base: Sum,
        goal: Goal,
        clock: &'c Clock<'c>,
    ) -> Self {
        let of = |(at, cluster): (usize, &&Cluster)| cluster.choices.iter().map(move |choice| (*choice, at)).collect();
        let order = clusters.iter().enumerate().flat_map(|cluster| -> Vec<(usize, usize)> { of(cluster) }).collect();
        let later = later(clusters, &base.company, |simplicity| match goal {
            Goal::Alone | Goal::Best => Simplicity::default(),
            Goal::Each { .. } | Goal::Simplest { .. } => simplicity,
        });
        let (choices, tables) = (scale.choices.len(), scale.all().len());
        // What is gone of a layout in use is counted once, and not by each cluster.
        let gone = match goal {
            Goal::Alone | Goal::Each { .. } => Simplicity::default(),
            Goal::Best | Goal::Simplest { .. } => scale.simplicity_of_none(),
        };
        Self {
            before: (base, gone),
            scale,
            goal,
            clock,
            leasts,
            order,
            later,
            assigned: vec![None; choices],
            used: Vec::new(),
            sets: vec![Vec::new(); tables],
            could: vec![0; tables],
            best: Best::default(),
            points: Vec::new(),
            open: None,
        }
    }

    /// Takes the part of a design that is looked at here for the best that is known.
    fn start_from(&mut self, design: &[At]) {
        let choices: Vec<usize> = self.order.iter().map(|(choice, _)| *choice).collect();
        choices.iter().for_each(|choice| self.take(*choice, design[*choice]));
        self.best = Best { score: self.here().score(), design: design.to_vec(), ..Best::default() };
        choices.iter().rev().for_each(|choice| self.leave(*choice, design[*choice]));
    }

    /// No design comes to less.
    fn bound_of_all(&self) -> Score {
        self.open.map_or(self.best.score, |open| open.min(self.best.score))
    }

    /// Goes on with the choice at this place of the order.
    fn walk(&mut self, depth: usize) {
        let Some(&(choice, cluster)) = self.order.get(depth) else {
            self.arrive();
            return;
        };
        let is_new = depth > 0 && self.order[depth - 1].1 != cluster;
        let before = is_new.then(|| self.close(depth));
        let options = self.scale.options[choice].clone();
        let mut next: Vec<(Sum, Simplicity, At)> = options
            .into_iter()
            .map(|at| {
                self.take(choice, at);
                let (bound, simplicity) = (self.bound(depth + 1), self.simplicity(depth + 1));
                self.leave(choice, at);
                (bound, simplicity, at)
            })
            .collect();
        match self.goal {
            Goal::Alone | Goal::Best => next.sort_by_key(|(bound, _, at)| (bound.score(), *at)),
            Goal::Each { .. } | Goal::Simplest { .. } => {
                next.sort_by_key(|(bound, simplicity, at)| (*simplicity, bound.score(), *at));
            }
        }
        for (bound, simplicity, at) in next {
            if self.is_hopeless(&bound, simplicity, cluster) {
                continue;
            }
            if self.clock.tick(self.best.score) {
                let bound = self.later[cluster].iter().map(|point| bound.with(point)).min().unwrap_or_default();
                self.open = Some(self.open.map_or(bound, |open| open.min(bound)));
                continue;
            }
            self.take(choice, at);
            self.walk(depth + 1);
            self.leave(choice, at);
        }
        if let Some(before) = before {
            self.reopen(before);
        }
    }

    /// A whole assignment: what it really comes to.
    fn arrive(&mut self) {
        let design: Vec<At> = match self.goal {
            Goal::Alone => {
                let taken = self.assigned.iter().zip(&self.best.design);
                taken.map(|(taken, known)| taken.unwrap_or(*known)).collect()
            }
            _ => self.assigned.iter().flatten().copied().collect(),
        };
        let simplicity = self.simplicity(self.order.len());
        match self.goal {
            Goal::Alone => {
                let score = self.here().score();
                if score < self.best.score {
                    self.best = Best { simplicity, score, design };
                }
            }
            Goal::Each { .. } => {
                let Sum { score, company } = self.here();
                Point { simplicity, score, company }.join(&mut self.points);
            }
            Goal::Best => {
                let score = self.scale.weigh(&design);
                if (score, &design) < (self.best.score, &self.best.design) {
                    self.best = Best { simplicity, score, design };
                }
            }
            Goal::Simplest { ceiling } => {
                let score = self.scale.weigh(&design);
                let known = (self.best.simplicity, self.best.score, &self.best.design);
                if score <= ceiling && (simplicity, score, &design) < known {
                    self.best = Best { simplicity, score, design };
                }
            }
        }
    }

    /// Whether nothing that goes on from here is better than what is known; the bound is that of this cluster and those before it.
    fn is_hopeless(&self, bound: &Sum, simplicity: Simplicity, cluster: usize) -> bool {
        let later = || self.later[cluster].iter();
        match self.goal {
            Goal::Alone => bound.score >= self.best.score,
            Goal::Best => later().all(|point| bound.with(point) >= self.best.score),
            Goal::Each { others, ceiling } => {
                let beats = |point: &Point| point.beats(simplicity, bound.score, &bound.company);
                bound.score.plus(others) > ceiling || self.points.iter().any(beats)
            }
            Goal::Simplest { ceiling } => later().all(|point| {
                let (score, simplicity) = (bound.with(point), simplicity.plus(point.simplicity));
                score > ceiling || (simplicity, score) >= (self.best.simplicity, self.best.score)
            }),
        }
    }

    fn take(&mut self, choice: usize, at: At) {
        self.assigned[choice] = Some(at);
        let set = &mut self.sets[self.scale.place(at)];
        if set.is_empty() {
            self.used.push(at);
        }
        let of = number(choice);
        let place = set.binary_search(&of).unwrap_or_else(|place| place);
        set.insert(place, of);
    }

    fn leave(&mut self, choice: usize, at: At) {
        self.assigned[choice] = None;
        let set = &mut self.sets[self.scale.place(at)];
        set.retain(|known| *known != number(choice));
        if set.is_empty() {
            self.used.retain(|known| *known != at);
        }
    }

    /// Counts what is taken of a cluster to what comes before the next, at this place of the order.
    fn close(&mut self, depth: usize) -> ((Sum, Simplicity), Vec<At>) {
        let now = (self.here(), self.simplicity(depth));
        (std::mem::replace(&mut self.before, now), std::mem::take(&mut self.used))
    }

    /// Goes back to the cluster before.
    fn reopen(&mut self, (before, used): ((Sum, Simplicity), Vec<At>)) {
        (self.before, self.used) = (before, used);
    }

    /// The choices of this cluster that are open behind this place of the order.
    fn open(&self, depth: usize) -> impl Iterator<Item = &'c Least> + Clone + use<'_, 's, 'a, 'c> {
        let cluster = depth.checked_sub(1).map(|last| self.order[last].1);
        let open = self.order[depth..].iter().take_while(move |(_, of)| Some(*of) == cluster);
        open.map(|(choice, _)| &self.leasts[*choice])
    }

    /// How simple the choices of this cluster and those before it are at best, with all that goes on from here: what is in use may stay.
    fn simplicity(&self, depth: usize) -> Simplicity {
        let mut used = self.used.clone();
        if self.scale.is_standing() {
            let stays = |at: &At| self.scale.simplicity_of(*at) < Simplicity::default();
            used.extend(self.open(depth).flat_map(|least| &least.parts).map(|(at, ..)| *at).filter(stays));
            used.sort_unstable();
            used.dedup();
        }
        used.into_iter().fold(self.before.1, |sum, at| sum.plus(self.scale.simplicity_of(at)))
    }

    /// What is taken.
    fn here(&mut self) -> Sum {
        let mut sum = self.before.0.clone();
        for at in &self.used {
            sum.add(&self.scale.own(*at, &self.sets[self.scale.place(*at)]));
        }
        sum
    }

    /// What the choices of this cluster and those before it come to at least, with all that goes on from here.
    fn bound(&mut self, depth: usize) -> Sum {
        let mut bound = self.here();
        let open: Vec<&Least> = self.open(depth).collect();
        for (at, ..) in open.iter().flat_map(|least| &least.parts) {
            self.could[self.scale.place(*at)] += 1;
        }
        for least in &open {
            let part = |(at, reads, rest): &(At, u128, u128)| match self.sets[self.scale.place(*at)].is_empty() {
                false => *reads,
                // A table that is new is paid by all who share it, at the most by these.
                true => reads.saturating_add(rest / self.could[self.scale.place(*at)].max(1)),
            };
            let weight = least.parts.iter().map(part).min().unwrap_or(0);
            bound.score = bound.score.plus(Score { broken: least.broken, weight });
        }
        for (at, ..) in open.iter().flat_map(|least| &least.parts) {
            self.could[self.scale.place(*at)] = 0;
        }
        bound
    }
}
