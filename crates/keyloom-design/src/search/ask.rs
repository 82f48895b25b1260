//! Numbers that nobody stated: which of them would change the design, and to what.

use keyloom_model::layout::{Partition, Table};
use keyloom_model::{Catalog, Distribution, Entity, Frequency, Group, Rate, TimeSpan, TimeUnit};

use super::branch;
use super::component::Component;
use super::scale::{At, Scale, Score};
use super::{Found, Prepared, Reference, Terms, plain};

/// A number that is not stated, and what it would change.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The number.
    pub number: Number,
    /// What the design is at its least and at its most.
    pub answers: [Answer; 2],
}

/// A number of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// How often a pattern is called.
    Rate {
        /// The pattern.
        pattern: String,
    },
    /// How many rows of an entity have the same values of these fields, at worst.
    Group {
        /// The entity.
        entity: String,
        /// The fields.
        by: Vec<String>,
    },
}

/// What the design would be if the number were this.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The number: calls in a hundred seconds, or rows.
    pub value: u64,
    /// The lists that would be answered by other tables; empty where the design stays.
    pub instead: Vec<(String, Table)>,
    /// What the design that was found comes to then, and the best one.
    pub scores: Option<(Score, Score)>,
}

impl Query {
    /// How much is lost if the number is what nobody expected, the hardest first.
    fn weight(&self) -> (u64, u128) {
        let lost = self
            .answers
            .iter()
            .filter_map(|answer| answer.scores)
            .map(|(kept, best)| (kept.broken.saturating_sub(best.broken), kept.weight.saturating_sub(best.weight)));
        lost.max().unwrap_or_default()
    }
}

/// The least and the most that is looked at of a rate, in calls of a hundred seconds: 0.01 and 1,000 a second.
const RATES: [u64; 2] = [1, 100_000];

/// The most rows of a group that is looked at, where nobody says how many rows there are at all.
const ROWS: u64 = 1_000_000;

/// The numbers that nobody stated and that would change the design, those first that matter most.
pub fn ask(catalog: &Catalog, found: &Found, terms: &Terms<'_>) -> Vec<Query> {
    let plain = plain(catalog, terms);
    let prepared = Prepared::of(catalog, &plain, terms, found.copied.clone());
    let mut queries: Vec<Query> = Vec::new();
    for (at, component) in prepared.components.iter().enumerate() {
        let Some(outcome) = found.parts.get(at).filter(|outcome| outcome.designs > 1) else { continue };
        for number in numbers(&prepared, component, terms) {
            if queries.iter().any(|known| known.number == number) {
                continue;
            }
            let answers = number.ends(catalog).map(|value| {
                let other = number.stated(catalog, value);
                answer(&other, (at, &outcome.assigned, &found.copied), terms, value)
            });
            if answers.iter().any(|answer| !answer.instead.is_empty()) {
                queries.push(Query { number, answers });
            }
        }
    }
    // The order of the catalog among equals.
    queries.sort_by_key(|query| std::cmp::Reverse(query.weight()));
    queries
}

/// What the design of one component is under other numbers. Which tables are thought of does not depend on them.
fn answer(
    catalog: &Catalog,
    (at, design_now, copied): (usize, &[At], &[Reference]),
    terms: &Terms<'_>,
    value: u64,
) -> Answer {
    let plain = plain(catalog, terms);
    let prepared = Prepared::of(catalog, &plain, terms, copied.to_vec());
    let mut scale = prepared.scale(&prepared.components[at], terms);
    let known = [design_now.to_vec()];
    let outcome = branch::search(&mut scale, &known, terms.is_over);
    let changed = |(choice, (now, then)): (usize, (&At, &At))| {
        let table = match then {
            At::Must(at) => scale.must_table(*at).clone(),
            At::Shape(at) => scale.shapes[*at].1.table.clone(),
        };
        (now != then).then(|| (scale.choices[choice].name(), table))
    };
    let pairs = design_now.iter().zip(&outcome.assigned).enumerate();
    let instead: Vec<(String, Table)> = pairs.filter_map(changed).collect();
    let scores = (!instead.is_empty()).then(|| (scale.weigh(design_now), outcome.score));
    Answer { value, instead, scores }
}

/// The numbers that are not stated and that the designs of a component are weighed by.
fn numbers(prepared: &Prepared<'_>, component: &Component<'_>, terms: &Terms<'_>) -> Vec<Number> {
    let catalog = prepared.catalog;
    let asks = |name: &str| {
        let own = prepared.choices.iter().filter(|choice| component.has(&choice.base().entity));
        own.into_iter().any(|choice| choice.pattern() == Some(name))
    };
    let writes = |name: &str| component.patterns.iter().any(|pattern| pattern.name == name);
    let rates = catalog
        .patterns
        .iter()
        .filter(|pattern| pattern.rate == Frequency::Unknown && (asks(&pattern.name) || writes(&pattern.name)));
    let mut numbers: Vec<Number> = rates.map(|pattern| Number::Rate { pattern: pattern.name.clone() }).collect();
    let scale: Scale<'_> = prepared.scale(component, terms);
    for (entity, shape) in &scale.shapes {
        let by = fields(catalog, &shape.table.partition);
        let number = Number::Group { entity: entity.name.clone(), by };
        if let Number::Group { by, .. } = &number
            && !by.is_empty()
            && !is_bounded(entity, by)
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    }
    numbers
}

/// The fields of a partition without the tenant.
fn fields(catalog: &Catalog, partition: &Partition) -> Vec<String> {
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let fields = partition.parts().iter().map(keyloom_model::layout::Part::field);
    let mut fields: Vec<String> = fields.filter(|field| Some(*field) != tenant).map(str::to_owned).collect();
    fields.sort();
    fields.dedup();
    fields
}

/// Whether something is stated of how many rows have the same values of these fields.
fn is_bounded(entity: &Entity, by: &[String]) -> bool {
    let within = |fields: &[String]| fields.iter().all(|field| by.contains(field));
    within(&entity.key)
        || entity.unique.iter().any(|unique| within(&unique.fields))
        || entity.groups.iter().any(|group| within(&group.by) && group.rows.worst.is_some())
}

impl Number {
    /// The least and the most that it is taken for.
    fn ends(&self, catalog: &Catalog) -> [u64; 2] {
        match self {
            Self::Rate { .. } => RATES,
            Self::Group { entity, .. } => {
                let volume = catalog.entity(entity).and_then(|entity| entity.volume.as_ref());
                [1, volume.and_then(|volume| volume.rows).unwrap_or(ROWS).max(2)]
            }
        }
    }

    /// The catalog with the number stated.
    fn stated(&self, catalog: &Catalog, value: u64) -> Catalog {
        let mut catalog = catalog.clone();
        match self {
            Self::Rate { pattern } => {
                let rate = Some(Rate { events: value, per: TimeSpan::new(100, TimeUnit::Second) });
                let stated = Frequency::Stated { mean: rate, peak: rate };
                let patterns = catalog.patterns.iter_mut().filter(|known| known.name == *pattern);
                patterns.for_each(|pattern| pattern.rate = stated);
            }
            Self::Group { entity, by } => {
                let all = Some(value);
                let rows = Distribution { typical: all, p99: all, worst: all, per: None };
                let entities = catalog.entities.iter_mut().filter(|known| known.name == *entity);
                entities.for_each(|entity| {
                    entity.groups.push(Group { by: by.clone(), filter: None, rows });
                });
            }
        }
        catalog
    }
}
