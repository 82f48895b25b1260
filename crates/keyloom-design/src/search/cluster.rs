//! Choices that may share tables, directly or by way of others: those of different clusters have nothing to do with each other, but for
//! what a write pays for company.

use super::scale::{At, Scale, Score};
use super::simple::Simplicity;

/// Choices that may share tables, and what they come to by themselves.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    /// The dearest first.
    pub choices: Vec<usize>,
    /// The best design of them that is known, in the same order.
    pub best: Vec<At>,
    /// None comes to less.
    pub least: Score,
    /// All designs that are best in something, or what none of them is better than.
    pub points: Vec<Point>,
    /// Which writes may have to pay for company here.
    pub pays: Vec<bool>,
    /// The tables that they may take.
    options: Vec<At>,
}

/// What tables come to, for which nothing else is better in all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Point {
    pub simplicity: Simplicity,
    /// Without company.
    pub score: Score,
    /// What each write pays once when anything comes with it; empty for nothing.
    pub company: Vec<u128>,
}

/// More points than these are put together by how simple they are.
const POINTS_MAX: usize = 128;

/// The clusters of choices with these options, entity by entity, those with the most choices first.
pub(crate) fn clusters<'a>(
    options: &[Vec<At>],
    weight: impl Fn(usize) -> u128,
    entity: impl Fn(usize) -> &'a str,
) -> Vec<Cluster> {
    let mut all: Vec<Cluster> = Vec::new();
    for (choice, own) in options.iter().enumerate() {
        let (near, far): (Vec<Cluster>, Vec<Cluster>) =
            all.into_iter().partition(|known| known.options.iter().any(|at| own.contains(at)));
        let mut cluster = Cluster {
            choices: vec![choice],
            best: Vec::new(),
            least: Score::default(),
            points: Vec::new(),
            pays: Vec::new(),
            options: own.clone(),
        };
        for known in near {
            cluster.choices.extend(known.choices);
            cluster.options.extend(known.options);
        }
        all = far;
        all.push(cluster);
    }
    for cluster in &mut all {
        cluster.choices.sort_by_key(|choice| (std::cmp::Reverse(weight(*choice)), *choice));
    }
    let first = |cluster: &Cluster| cluster.choices.iter().min().copied().unwrap_or(0);
    all.sort_by_key(|cluster| {
        let first = first(cluster);
        (entity(first), std::cmp::Reverse(cluster.choices.len()), first)
    });
    all
}

/// What the clusters after each come to at best together, beside this company, which is paid anyway; with or without a look at how
/// simple they are.
pub(crate) fn later(
    clusters: &[&Cluster],
    paid: &[u128],
    mut simple: impl FnMut(Simplicity) -> Simplicity,
) -> Vec<Vec<Point>> {
    let mut later = vec![vec![Point::default()]];
    for (at, cluster) in clusters.iter().enumerate().skip(1).rev() {
        let others = &clusters[..at];
        let is_shared = |write: usize| others.iter().any(|other| other.pays.get(write) == Some(&true));
        let mut own = Vec::new();
        for point in &cluster.points {
            Point { simplicity: simple(point.simplicity), ..point.clone() }.join(&mut own);
        }
        let mut points = Vec::new();
        let next = later.last().map_or(&[][..], Vec::as_slice);
        for (one, other) in own.iter().flat_map(|one| next.iter().map(move |other| (one, other))) {
            one.plus(other).settled(paid, is_shared).join(&mut points);
        }
        later.push(if points.len() > POINTS_MAX { Point::coarser(points) } else { points });
    }
    later.reverse();
    later
}

/// The best designs of all clusters in one.
pub(crate) fn together(clusters: &[Cluster]) -> Vec<At> {
    let pairs = clusters.iter().flat_map(|cluster| cluster.choices.iter().copied().zip(cluster.best.iter().copied()));
    let mut all: Vec<(usize, At)> = pairs.collect();
    all.sort_unstable();
    all.into_iter().map(|(_, at)| at).collect()
}

impl Cluster {
    /// What none of its designs is better than, where nobody has looked at them.
    pub(crate) fn point(&self, scale: &Scale<'_>) -> Vec<Point> {
        // Every table that is in use may stay.
        let kept = self.options.iter().map(|at| scale.simplicity_of(*at)).map(|one| one.min(Simplicity::default()));
        let simplicity = kept.fold(Simplicity::default(), Simplicity::plus);
        vec![Point { simplicity, score: self.least, company: Vec::new() }]
    }
}

impl Point {
    /// Whether it is as good as this in everything.
    pub(crate) fn beats(&self, simplicity: Simplicity, score: Score, company: &[u128]) -> bool {
        let pays_less = |(at, own): (usize, &u128)| *own <= company.get(at).copied().unwrap_or(0);
        self.simplicity <= simplicity && self.score <= score && self.company.iter().enumerate().all(pays_less)
    }

    /// Comes to these, unless one of them is as good; takes the place of those that it beats.
    pub(crate) fn join(self, points: &mut Vec<Self>) {
        if points.iter().any(|known| known.beats(self.simplicity, self.score, &self.company)) {
            return;
        }
        points.retain(|known| !self.beats(known.simplicity, known.score, &known.company));
        points.push(self);
    }

    /// Both.
    fn plus(&self, other: &Self) -> Self {
        let writes = self.company.len().max(other.company.len());
        let pays = |of: &Self, write: usize| of.company.get(write).copied().unwrap_or(0);
        Self {
            simplicity: self.simplicity.plus(other.simplicity),
            score: self.score.plus(other.score),
            company: (0..writes).map(|write| pays(self, write).max(pays(other, write))).collect(),
        }
    }

    /// With the company that nobody else has a share in counted like any other cost.
    fn settled(mut self, paid: &[u128], is_shared: impl Fn(usize) -> bool) -> Self {
        for (write, company) in self.company.iter_mut().enumerate().filter(|(write, _)| !is_shared(*write)) {
            let more = std::mem::take(company).saturating_sub(paid.get(write).copied().unwrap_or(0));
            self.score.weight = self.score.weight.saturating_add(more);
        }
        self
    }

    /// One for all that are equally simple, which none of them is better than.
    fn coarser(points: Vec<Self>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for point in points {
            match all.iter_mut().find(|known| known.simplicity == point.simplicity) {
                Some(known) => {
                    known.score = known.score.min(point.score);
                    known.company.truncate(point.company.len());
                    known.company.iter_mut().zip(&point.company).for_each(|(least, one)| *least = (*least).min(*one));
                }
                None => all.push(point),
            }
        }
        all
    }
}
