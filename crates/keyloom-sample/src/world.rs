//! A whole catalog, made part by part.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::page::{self, Map};
use crate::shape::{Entity, Field, Fill, Origin};
use crate::words::{STRUCTS, THINGS};
use crate::{Size, atomic, entities, facets, fills, reads, rollups, types, words, writes};

/// What a catalog says, and what its patterns need to know of it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) has_tenants: bool,
    pub(crate) structs: Vec<(String, Vec<Field>)>,
    /// Those that are written down, and behind them those that follow from them: rollups, histories, events.
    pub(crate) entities: Vec<Entity>,
    head: Map,
    rollups: Map,
    patterns: Vec<(String, Map)>,
    scenarios: Map,
}

impl World {
    pub(crate) fn new(seed: u64, size: Size) -> Self {
        let chance = &mut Chance::new(seed);
        let mut world = Self {
            has_tenants: chance.percent(50),
            structs: Vec::new(),
            entities: Vec::new(),
            head: Map::default(),
            rollups: Map::default(),
            patterns: Vec::new(),
            scenarios: Map::default(),
        };
        world.begin(chance, seed);
        world.make_structs(chance);
        world.make_entities(chance, size);
        world.make_followers(chance);
        world.make_patterns(chance, size);
        world.make_scenarios(chance);
        world
    }

    pub(crate) fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// A name for a pattern that is not taken.
    pub(crate) fn pattern_name(&self, wish: &str) -> String {
        let numbered = (2..).map(|number| format!("{wish}_{number}"));
        let mut names = std::iter::once(wish.to_owned()).chain(numbered);
        names.find(|name| self.patterns.iter().all(|(known, _)| known != name)).unwrap_or_default()
    }

    fn begin(&mut self, chance: &mut Chance, seed: u64) {
        self.head = Map::of("language", "1").with("catalog", format!("sample-{seed}"));
        if chance.percent(60) {
            self.head.put("as_of", "2026-11-01");
        }
        if self.has_tenants {
            if chance.percent(40) {
                self.head.put("tenant", "tenant_id");
            } else {
                let mut tenant = Map::of("field", chance.one(["tenant_id", "organisation"]));
                tenant.put("type", chance.one(["uuid", "text(3..40)", "int"]));
                tenant.put("count", chance.one(["300", "12k"]));
                tenant.put("busiest", chance.one(["40%", "0.5%"]));
                self.head.put("tenant", tenant);
            }
        }
        if chance.percent(25) {
            self.head.put("retries", chance.one(["24h", "2h", "3 days"]));
        }
        if chance.percent(15) {
            self.head.put("complete", chance.one(["false", "true"]));
        }
    }

    fn make_structs(&mut self, chance: &mut Chance) {
        for name in chance.some(&STRUCTS, 0, 2) {
            let mut holder = Entity::new(name, Origin::Declared, false);
            for _ in 0..chance.between(2, 4) {
                let ty = types::member(chance);
                let member = Field::new(words::field(chance, &holder, &ty), ty);
                holder.fields.push(Field { optional: chance.percent(20), ..member });
            }
            self.structs.push((name.to_owned(), holder.fields));
        }
    }

    fn make_entities(&mut self, chance: &mut Chance, size: Size) {
        let (least, most) = size.entities();
        let count = chance.between(least, most);
        let mut names = THINGS;
        chance.shuffle(&mut names);
        let structs: Vec<String> = self.structs.iter().map(|(name, _)| name.clone()).collect();
        for name in names.iter().take(count) {
            let entity = entities::make(chance, name, &self.entities, &structs, self.has_tenants);
            self.entities.push(entity);
        }
        for at in 0..count {
            let mut entity = self.entities[at].clone();
            fills::add(chance, self, &mut entity);
            facets::add(chance, self, &mut entity);
            self.entities[at] = entity;
        }
    }

    /// Rollups and histories: patterns read them like any other.
    fn make_followers(&mut self, chance: &mut Chance) {
        for entity in self.entities.clone() {
            if chance.percent(22)
                && let Some((rollup, map)) = rollups::make(chance, &entity)
            {
                self.rollups.put(&rollup.name, map);
                self.entities.push(rollup);
            }
            if entity.facets.has("history") {
                let mut history = Entity::new(format!("{}History", entity.name), Origin::Followed, entity.shared);
                history.fields = entity.key_fields().map(|key| Field::new(&key.name, key.ty.clone())).collect();
                history.fields.push(Field::new("version", Type::Int));
                history.fields.push(Field::new("at", Type::Timestamp { micros: false }));
                history.key = entity.key.iter().cloned().chain(["version".to_owned()]).collect();
                self.entities.push(history);
            }
        }
    }

    fn make_patterns(&mut self, chance: &mut Chance, size: Size) {
        let (least, most) = size.patterns();
        let count = chance.between(least, most);
        // First what brings rows, so that what follows is about something.
        for entity in self.entities.clone() {
            if self.patterns.len() + 1 < count && entity.origin != Origin::Followed && chance.percent(85) {
                let made = writes::first(chance, self, &entity);
                self.push(chance, made);
            }
        }
        let mut tries = 0;
        while self.patterns.len() < count {
            let Some(entity) = chance.pick(&self.entities).cloned() else { return };
            let known = self.entities.len();
            let made = match chance.below(100) {
                0..38 => reads::list(chance, self, &entity),
                38..47 => reads::get(chance, self, &entity),
                47..53 => reads::count(chance, self, &entity),
                53..73 => writes::update(chance, self, &entity),
                73..79 => writes::delete(chance, self, &entity),
                79..84 => writes::claim(chance, self, &entity),
                84..97 => atomic::make(chance, self, &entity),
                97 => Some(reads::outside(chance, self, &entity)),
                _ => writes::again(chance, self, &entity),
            };
            if made.is_none() {
                // Nobody emits the events of a write that came to nothing.
                self.entities.truncate(known);
            }
            tries += 1;
            // Where nothing else fits, an entity can still be listed.
            let made = if tries > 400 { reads::list(chance, self, &entity) } else { made };
            self.push(chance, made);
        }
        let mut patterns = std::mem::take(&mut self.patterns);
        if chance.percent(50) {
            chance.shuffle(&mut patterns);
        }
        self.patterns = patterns;
    }

    fn push(&mut self, chance: &mut Chance, made: Option<(String, Map)>) {
        let Some((wish, mut map)) = made else { return };
        rates(chance, &mut map);
        let name = self.pattern_name(&wish);
        self.patterns.push((name, map));
    }

    /// The event of a write: when it happened, which row, and the row before and after. Nothing where the row's own key
    /// has the event's names.
    pub(crate) fn emit(&mut self, chance: &mut Chance, of: &Entity, verb: &str) -> Option<String> {
        let name = format!("{}{verb}", of.name);
        if of.key.iter().any(|key| key == "at" || key == "event_id") || !chance.percent(20) {
            return None;
        }
        if self.entity(&name).is_none() {
            let mut event = Entity::new(&name, Origin::Followed, of.shared);
            event.fields.push(Field::new("event_id", Type::Uuid7).filled(Fill::New));
            event.fields.push(Field::new("at", Type::Timestamp { micros: false }));
            event.key.push("event_id".to_owned());
            event.fields.extend(of.key_fields().map(|key| Field::new(&key.name, key.ty.clone())));
            self.entities.push(event);
        }
        Some(name)
    }

    fn make_scenarios(&mut self, chance: &mut Chance) {
        for name in ["sale", "end_of_month"] {
            if chance.percent(15) {
                let patterns = chance.some(&self.patterns, 1, 3);
                let factors = patterns.iter().fold(Map::default(), |map, (pattern, _)| {
                    map.with(pattern.as_str(), chance.one(["20x", "0.5x", "8x", "1.25x"]))
                });
                self.scenarios.put(name, factors);
            }
        }
    }

    /// The text.
    pub(crate) fn print(self) -> String {
        let mut page = self.head;
        let mut section = |name: &str, map: Map| {
            if !map.is_empty() {
                page.put(name, map);
            }
        };
        let fields = |fields: &[Field]| {
            fields.iter().fold(Map::default(), |map, field| map.with(field.name.as_str(), field.text()))
        };
        let structs = self.structs.iter().fold(Map::default(), |map, (name, own)| map.with(name.as_str(), fields(own)));
        section("types", structs);
        let declared = self.entities.iter().filter(|entity| entity.origin != Origin::Followed);
        let entities = declared.fold(Map::default(), |map, entity| {
            let mut own = Map::default();
            if entity.origin == Origin::Elsewhere {
                own.put("source", "elsewhere");
            }
            if entity.shared {
                own.put("tenant", "none");
            }
            if entity.append_only {
                own.put("append_only", "true");
            }
            if let Some(parent) = &entity.part_of {
                own.put("part_of", parent.as_str());
            }
            match entity.key.as_slice() {
                [] => own.put("key", "none"),
                key => own.put("key", key.to_vec()),
            }
            own.put("fields", fields(&entity.fields));
            own.extend(&entity.facets);
            map.with(entity.name.as_str(), own)
        });
        section("entities", entities);
        section("rollups", self.rollups);
        let patterns = self.patterns.into_iter().fold(Map::default(), |map, (name, pattern)| map.with(name, pattern));
        section("patterns", patterns);
        section("scenarios", self.scenarios);
        page::print(&page)
    }
}

/// What every pattern may say: how often, how fast, how unevenly.
fn rates(chance: &mut Chance, map: &mut Map) {
    match chance.below(10) {
        0 => {}
        1 => map.put("rate", "rare"),
        2 => map.put("rate", "unknown"),
        3 => map.put("rate", Map::of("mean", "100k/day")),
        4 => map.put("rate", Map::of("mean", "3k/day").with("peak", "5/s")),
        _ => map.put("rate", chance.one(["20/s", "300/s", "2000/s", "40/min", "12k/h"])),
    }
    if chance.percent(20) {
        map.put("latency", chance.one(["10ms", "80ms", "1s"]));
    }
    if chance.percent(20) {
        match chance.below(3) {
            0 => map.put("skew", Map::of("zipf", chance.one(["1.1", "0.9"]))),
            _ => map.put("skew", Map::of("busiest", chance.one(["30%", "2%", "0.01%"]))),
        }
    }
    if chance.percent(8) {
        map.put("doc", "What the start page of the shop shows: never empty, and never slow.");
    }
    if chance.percent(6) {
        map.put("owner", "team-growth");
    }
    if chance.percent(3) {
        map.put("allow", vec![Map::of("rule", "missing-skew").with("because", "measured: it is even")]);
    }
}
