//! A request that goes on without its sender: it owns what the sender only lent.

use keyloom_store::{Along, Change, Decision, Expect, GroupImage, Image, Millis, Placement, Placing, Store, TableId};
use keyloom_value::Value;

pub(crate) enum Letter {
    Decision { along: Vec<Line>, now: Millis },
    Placements { rows: Vec<Line>, together: bool, now: Millis },
}

/// What a letter says of one row.
pub(crate) struct Line {
    table: TableId,
    key: Vec<Value<'static>>,
    what: What,
}

enum What {
    Decide(Expect, Owned),
    Check(Expect),
    Put(Owned),
    Remove,
    Place { groups: Vec<(usize, Owned)>, expires_at: Option<Millis> },
    Displace { groups: Vec<(usize, u64)> },
}

/// An image, or the image of a group.
struct Owned {
    version: u64,
    expires_at: Option<Millis>,
    values: Vec<Value<'static>>,
}

impl Letter {
    pub(crate) fn decision(what: &Decision<'_>) -> Self {
        let first = Along::Decide(what.change);
        let along = std::iter::once(&first).chain(what.along).map(Line::of).collect();
        Self::Decision { along, now: what.now }
    }

    pub(crate) fn placements(rows: &[Placement<'_>], together: bool, now: Millis) -> Self {
        Self::Placements { rows: rows.iter().map(Line::placing).collect(), together, now }
    }

    /// Carries it out. Nobody is told.
    pub(crate) async fn arrive(&self, store: &impl Store) {
        let (Self::Decision { along: lines, .. } | Self::Placements { rows: lines, .. }) = self;
        let groups: Vec<Vec<GroupImage<'_>>> = lines.iter().map(Line::groups).collect();
        let lent = lines.iter().zip(&groups).map(|(line, groups)| line.lent(groups));
        match self {
            Self::Decision { now, .. } => {
                let all: Vec<Along<'_>> = lent.collect();
                if let [Along::Decide(change), along @ ..] = &all[..] {
                    drop(store.decide(Decision { change: *change, along, now: *now }).await);
                }
            }
            Self::Placements { together, now, .. } => {
                let rows: Vec<Placement<'_>> = lent
                    .filter_map(|along| match along {
                        Along::Place(placement) => Some(placement),
                        _ => None,
                    })
                    .collect();
                drop(store.place(&rows, *together, *now).await);
            }
        }
    }
}

impl Line {
    fn of(along: &Along<'_>) -> Self {
        let (table, key, what) = match along {
            Along::Decide(Change { table, key, expect, becomes }) => {
                (table, key, What::Decide(*expect, Owned::of(becomes)))
            }
            Along::Check { table, key, expect } => (table, key, What::Check(*expect)),
            Along::Put { table, key, becomes } => (table, key, What::Put(Owned::of(becomes))),
            Along::Remove { table, key } => (table, key, What::Remove),
            Along::Place(placement) => return Self::placing(placement),
        };
        Self { table: *table, key: owned(key), what }
    }

    fn placing(placement: &Placement<'_>) -> Self {
        let what = match placement.placing {
            Placing::Put { groups, expires_at } => {
                let group = |image: &GroupImage<'_>| {
                    let values = owned(image.values);
                    (image.group, Owned { version: image.version, expires_at: None, values })
                };
                What::Place { groups: groups.iter().map(group).collect(), expires_at }
            }
            Placing::Remove { groups } => What::Displace { groups: groups.to_vec() },
        };
        Self { table: placement.table, key: owned(placement.key), what }
    }

    /// The groups that it places, which a placement only borrows.
    fn groups(&self) -> Vec<GroupImage<'_>> {
        let What::Place { groups, .. } = &self.what else { return Vec::new() };
        groups.iter().map(Owned::group).collect()
    }

    fn lent<'a>(&'a self, groups: &'a [GroupImage<'a>]) -> Along<'a> {
        let (table, key) = (self.table, &self.key[..]);
        match &self.what {
            What::Decide(expect, becomes) => {
                Along::Decide(Change { table, key, expect: *expect, becomes: becomes.lent() })
            }
            What::Check(expect) => Along::Check { table, key, expect: *expect },
            What::Put(becomes) => Along::Put { table, key, becomes: becomes.lent() },
            What::Remove => Along::Remove { table, key },
            What::Place { expires_at, .. } => {
                Along::Place(Placement { table, key, placing: Placing::Put { groups, expires_at: *expires_at } })
            }
            What::Displace { groups } => Along::Place(Placement { table, key, placing: Placing::Remove { groups } }),
        }
    }
}

impl Owned {
    fn of(image: &Image<'_>) -> Self {
        Self { version: image.version, expires_at: image.expires_at, values: owned(image.values) }
    }

    fn lent(&self) -> Image<'_> {
        Image { version: self.version, expires_at: self.expires_at, values: &self.values }
    }

    fn group((group, image): &(usize, Self)) -> GroupImage<'_> {
        GroupImage { group: *group, version: image.version, values: &image.values }
    }
}

fn owned(values: &[Value<'_>]) -> Vec<Value<'static>> {
    values.iter().map(|value| value.clone().into_owned()).collect()
}
