//! The search itself: depth first, with a bound on all that goes on from a part of an assignment.

use std::collections::BTreeMap;

use super::Progress;
use super::scale::{At, Scale, Score};

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
    /// The best score.
    Best,
    /// Among those whose score is no higher, the simplest.
    Simplest(Score),
}

/// Finds the best design of a component, as far as time allows; `seeds` are designs that are known. Designs that cost at most one
/// in a hundred more than the cheapest are as good, and among those the simplest is taken: the one with the fewest tables, or
/// with the fewest changes to a layout that is in use.
pub(crate) fn search(scale: &mut Scale<'_>, seeds: &[Vec<At>], is_over: &dyn Fn(&Progress) -> bool) -> Outcome {
    let greedy = greedy(scale);
    let known: Vec<Vec<At>> = seeds.iter().cloned().chain([greedy]).collect();
    let scored: Vec<(Score, Vec<At>)> = known.into_iter().map(|design| (scale.weigh(&design), design)).collect();
    let best = scored.into_iter().min_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let (score, assigned) = best.unwrap_or_default();
    let mut branch = Branch::new(scale, Goal::Best, (score, assigned), is_over);
    branch.walk(0);
    let (best, open, mut assigned) = (branch.best.0, branch.open, branch.best.1);
    let bound = open.map_or(best, |open| open.min(best));
    let ceiling = Score { weight: best.weight.saturating_add(scale.leeway(best.weight)), ..best };
    let mut branch = Branch::new(scale, Goal::Simplest(ceiling), (best, assigned.clone()), is_over);
    branch.walk(0);
    let score = branch.best.0;
    assigned = branch.best.1;
    let designs = scale.options.iter().fold(1_u128, |all, options| all.saturating_mul(options.len() as u128));
    Outcome { assigned, score, cheapest: best, bound, designs }
}

/// What a whole design comes to at least, by the parts of it.
#[cfg(test)]
pub(crate) fn bound_of(scale: &mut Scale<'_>, design: &[At]) -> Score {
    let mut branch = Branch::new(scale, Goal::Best, Default::default(), &|_| false);
    design.iter().enumerate().for_each(|(choice, at)| branch.take(choice, *at));
    branch.bound()
}

/// Each choice in turn where it adds least.
fn greedy(scale: &mut Scale<'_>) -> Vec<At> {
    let mut sets: BTreeMap<At, u128> = BTreeMap::new();
    let mut assigned = Vec::new();
    for choice in 0..scale.choices.len() {
        let options = scale.options[choice].clone();
        let added = |scale: &mut Scale<'_>, at: At| {
            let before = sets.get(&at).copied();
            let with = scale.own(at, before.unwrap_or(0) | 1 << choice);
            let known = before.map(|set| scale.own(at, set)).unwrap_or_default();
            (with.broken.saturating_sub(known.broken), with.weight.saturating_sub(known.weight))
        };
        let best = options.into_iter().map(|at| (added(scale, at), at)).min();
        let Some((_, at)) = best else { continue };
        *sets.entry(at).or_default() |= 1 << choice;
        assigned.push(at);
    }
    assigned
}

struct Branch<'s, 'a, 'c> {
    scale: &'s mut Scale<'a>,
    goal: Goal,
    is_over: &'c dyn Fn(&Progress) -> bool,
    /// The choices, the dearest first.
    order: Vec<usize>,
    /// The least that each choice breaks, reads and shares of a table, when nothing else is known.
    least: Vec<Least>,
    assigned: Vec<Option<At>>,
    sets: BTreeMap<At, u128>,
    best: (Score, Vec<At>),
    simplicity: (usize, usize),
    /// The least bound of what was not looked at for lack of time.
    open: Option<Score>,
    steps: u64,
}

/// What a choice comes to at least, by option.
#[derive(Debug, Clone, Default)]
struct Least {
    broken: u64,
    /// By option: what is read, and what the table costs beside that.
    parts: Vec<(At, u128, u128)>,
}

impl<'s, 'a, 'c> Branch<'s, 'a, 'c> {
    fn new(
        scale: &'s mut Scale<'a>,
        goal: Goal,
        best: (Score, Vec<At>),
        is_over: &'c dyn Fn(&Progress) -> bool,
    ) -> Self {
        let least: Vec<Least> = (0..scale.choices.len())
            .map(|choice| {
                let options = scale.options[choice].clone();
                let owns: Vec<_> = options.into_iter().map(|at| (at, scale.own(at, 1 << choice))).collect();
                let broken = owns.iter().map(|(_, own)| own.broken).min().unwrap_or(0);
                let parts = owns.iter().map(|(at, own)| (*at, own.reads, own.weight.saturating_sub(own.reads)));
                Least { broken, parts: parts.collect() }
            })
            .collect();
        let mut order: Vec<usize> = (0..scale.choices.len()).collect();
        let weight = |choice: &usize| least[*choice].parts.iter().map(|(_, reads, rest)| reads + rest).min();
        order.sort_by_key(|choice| (std::cmp::Reverse(weight(choice)), *choice));
        let simplicity = scale.simplicity(&best.1);
        let assigned = vec![None; scale.choices.len()];
        Self {
            scale,
            goal,
            is_over,
            order,
            least,
            assigned,
            sets: BTreeMap::new(),
            best,
            simplicity,
            open: None,
            steps: 0,
        }
    }

    /// Goes on with the choice at this place of the order.
    fn walk(&mut self, depth: usize) {
        let Some(&choice) = self.order.get(depth) else {
            self.arrive();
            return;
        };
        let options = self.scale.options[choice].clone();
        let mut next: Vec<(Score, At)> = options
            .into_iter()
            .map(|at| {
                self.take(choice, at);
                let bound = self.bound();
                self.leave(choice, at);
                (bound, at)
            })
            .collect();
        next.sort();
        for (bound, at) in next {
            if self.is_hopeless(bound) {
                continue;
            }
            self.steps += 1;
            if self.open.is_some() || (self.steps.is_multiple_of(64) && self.is_over()) {
                self.open = Some(self.open.map_or(bound, |open| open.min(bound)));
                continue;
            }
            self.take(choice, at);
            if !self.is_hopeless_now() {
                self.walk(depth + 1);
            }
            self.leave(choice, at);
        }
    }

    fn is_over(&self) -> bool {
        (self.is_over)(&Progress { looked_at: self.steps, best: self.best.0, ..Progress::default() })
    }

    /// A whole assignment: what it really comes to.
    fn arrive(&mut self) {
        let design: Vec<At> = self.assigned.iter().flatten().copied().collect();
        let score = self.scale.weigh(&design);
        let simplicity = self.scale.simplicity(&design);
        let better = match self.goal {
            Goal::Best => (score, &design) < (self.best.0, &self.best.1),
            Goal::Simplest(ceiling) => {
                score.broken <= ceiling.broken
                    && score.weight <= ceiling.weight
                    && (simplicity, score, &design) < (self.simplicity, self.best.0, &self.best.1)
            }
        };
        if better {
            self.best = (score, design);
            self.simplicity = simplicity;
        }
    }

    fn is_hopeless(&self, bound: Score) -> bool {
        match self.goal {
            Goal::Best => bound > self.best.0 || (bound == self.best.0 && bound.weight > 0),
            Goal::Simplest(ceiling) => bound.broken > ceiling.broken || bound.weight > ceiling.weight,
        }
    }

    /// Whether so many tables are too many already.
    fn is_hopeless_now(&self) -> bool {
        match self.goal {
            Goal::Best => false,
            // As simple at a lower score would be better, but the best score is known already.
            Goal::Simplest(_) => self.scale.simplicity_at_best(self.sets.keys().copied()) >= self.simplicity,
        }
    }

    fn take(&mut self, choice: usize, at: At) {
        self.assigned[choice] = Some(at);
        *self.sets.entry(at).or_default() |= 1 << choice;
    }

    fn leave(&mut self, choice: usize, at: At) {
        self.assigned[choice] = None;
        if let Some(set) = self.sets.get_mut(&at) {
            *set &= !(1 << choice);
            if *set == 0 {
                self.sets.remove(&at);
            }
        }
    }

    /// What every design comes to at least that goes on from here.
    fn bound(&mut self) -> Score {
        let base = self.scale.base();
        let (mut weight, mut broken, mut company) = (base.weight, base.broken, vec![0_u128; base.alone.len()]);
        let sets: Vec<(At, u128)> = self.sets.iter().map(|(at, set)| (*at, *set)).collect();
        for (at, set) in sets {
            let own = self.scale.own(at, set);
            weight = weight.saturating_add(own.weight);
            broken = broken.saturating_add(own.broken);
            for (most, one) in company.iter_mut().zip(&own.company) {
                *most = (*most).max(*one);
            }
        }
        weight = company.into_iter().fold(weight, u128::saturating_add);
        let is_open = |choice: usize| self.assigned[choice].is_none();
        let mut could: BTreeMap<At, u128> = BTreeMap::new();
        for (_, least) in self.least.iter().enumerate().filter(|(choice, _)| is_open(*choice)) {
            least.parts.iter().for_each(|(at, ..)| *could.entry(*at).or_default() += 1);
        }
        for (_, least) in self.least.iter().enumerate().filter(|(choice, _)| is_open(*choice)) {
            broken = broken.saturating_add(least.broken);
            let part = |(at, reads, rest): &(At, u128, u128)| match self.sets.contains_key(at) {
                true => *reads,
                // A table that is new is paid by all who share it, at the most by these.
                false => reads.saturating_add(rest / could.get(at).copied().unwrap_or(1).max(1)),
            };
            weight = weight.saturating_add(least.parts.iter().map(part).min().unwrap_or(0));
        }
        Score { broken, weight }
    }
}
