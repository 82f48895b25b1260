use std::{cell::RefCell, time::Duration};

use keyloom_plan::Companions;
use keyloom_store::{Freshness, Get, Store};
use keyloom_value::{Kind, from_text};
use serde_json::{Value as Json, json};

use super::{Theme, files, passes, world::World};
use crate::{Answer, Call, Problem, program::EntityPlan, read::millis};

/// One who sends requests one after the other, and repeats those that were not answered.
pub(super) struct Client<'a> {
    pub(super) world: &'a World,
    pub(super) number: u64,
    pub(super) shop: &'a RefCell<Shop>,
}

/// The rows that clients know of.
#[derive(Default)]
pub(super) struct Shop {
    users: Vec<String>,
    orders: Vec<String>,
}

/// A request, and what its client may conclude.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) pattern: &'static str,
    pub(super) body: Json,
    pub(super) key: String,
    pub(super) conclusion: Conclusion,
    pub(super) repeated: bool,
    /// When it was sent first, and when its client was done with it.
    pub(super) sent: Duration,
    pub(super) ended: Duration,
    /// It was applied, but was answered before every list showed it.
    pub(super) hidden: bool,
    /// What was wrong with what a client saw.
    pub(super) wrong: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conclusion {
    Applied { version: u64 },
    NotApplied,
    Uncertain,
}

const EMAILS: [&str; 4] = ["ann@x", "ben@x", "eve@x", "zoe@x"];

impl Client<'_> {
    /// Some requests, with pauses.
    pub(super) async fn live(self) -> Vec<Request> {
        let mut requests = Vec::new();
        for count in 0..3 + self.world.dice.below(8) {
            requests.push(self.request(count).await);
            let longest = if self.world.dice.chance(0.2) { 1_000 } else { 10 };
            self.world.clock.sleep(self.world.dice.span(Duration::ZERO, Duration::from_millis(longest))).await;
        }
        requests
    }

    /// One request, to its end.
    pub(super) async fn request(&self, count: u64) -> Request {
        let key = format!("client {} request {count};{}", self.number, self.world.now_ms());
        let (pattern, body) = self.wish(&key);
        let conclusion = Conclusion::NotApplied;
        let (sent, ended) = (self.world.clock.elapsed(), Duration::MAX);
        let (repeated, hidden, wrong) = (false, false, None);
        let mut request = Request { pattern, body, key, conclusion, repeated, sent, ended, hidden, wrong };
        self.ask(&mut request).await;
        request.ended = self.world.clock.elapsed();
        request
    }

    /// What the client wants next. Rows that are not there yet may be there by then.
    fn wish(&self, key: &str) -> (&'static str, Json) {
        let world = self.world;
        match world.theme {
            Theme::Shop => {}
            Theme::Passes => return passes::wish(world),
            Theme::Files | Theme::FilesOnItems => return files::wish(world),
        }
        let mut shop = self.shop.borrow_mut();
        let made = |entity: &str| {
            let made = world.servers[0].new_identity(entity, crate::Caller::NOBODY, key).unwrap().unwrap();
            made.as_str().unwrap().to_owned()
        };
        let email = EMAILS[world.pick(EMAILS.len())];
        let some = |of: &[String]| of[world.pick(of.len())].clone();
        if shop.users.len() < 2 || world.dice.chance(0.04) {
            shop.users.push(made("User"));
            return ("sign_up", json!({"name": key, "email": email}));
        }
        if world.seed % 8 < 4 {
            let user = some(&shop.users);
            return match world.dice.below(40) {
                0 => ("drop_user", json!({"user_id": user})),
                1..=10 => ("visit", json!({"user_id": user})),
                _ => ("change_email", json!({"user_id": user, "email": email})),
            };
        }
        if shop.orders.is_empty() || world.dice.chance(0.3) {
            shop.orders.push(made("Order"));
            let line = json!({"sku": "A-1", "name": "a thing", "qty": 2, "price": "6.25"});
            return ("place_order", json!({"user_id": some(&shop.users), "items": [line], "total": "12.5"}));
        }
        let (user, order) = (some(&shop.users), some(&shop.orders));
        match world.dice.below(7) {
            6 => ("drop_order", json!({"order_id": order})),
            0 => ("pay_order", json!({"order_id": order})),
            1 => ("ship_order", json!({"order_id": order})),
            _ => ("give_order", json!({"order_id": order, "to_id": user})),
        }
    }

    async fn ask(&self, request: &mut Request) {
        let world = self.world;
        for attempt in 0..1 + world.dice.below(3) {
            request.repeated |= attempt > 0;
            let answer = self.send(request, attempt).await;
            match answer {
                Sent::Answered(Ok(Answer::Unknown { token })) => {
                    request.conclusion = Conclusion::Uncertain;
                    if world.dice.chance(0.5)
                        && let Sent::Answered(Ok(answer)) = self.outcome(token).await
                        && self.conclude(request, answer).await
                    {
                        return;
                    }
                }
                Sent::Answered(Ok(answer)) => {
                    if self.conclude(request, answer).await {
                        return;
                    }
                }
                // Nothing was done, so what is known stays known.
                Sent::Answered(Err(Problem::Busy { .. })) => {}
                Sent::Answered(Err(problem)) => {
                    request.wrong = Some(problem.to_string());
                    return;
                }
                // It may still be under way; whatever the next attempt is answered is the last word all the same.
                Sent::Crashed | Sent::GivenUp => request.conclusion = Conclusion::Uncertain,
            }
        }
    }

    /// Takes an answer for what it says; whether it is the last word.
    async fn conclude(&self, request: &mut Request, answer: Answer) -> bool {
        match answer {
            Answer::Applied { version, visible, .. } => {
                request.conclusion = Conclusion::Applied { version };
                request.hidden = !visible;
                if visible {
                    request.wrong = self.looks_wrong(request, version).await;
                }
                true
            }
            Answer::NotApplied { .. } => {
                request.conclusion = Conclusion::NotApplied;
                true
            }
            _ => false,
        }
    }

    /// Whether a list does not show an order as it was just answered, though nobody has changed it since.
    async fn looks_wrong(&self, request: &Request, version: u64) -> Option<String> {
        let run = &self.world.servers[0];
        let (entity, key) = row_of(self.world, request);
        let fresh = || run.source(entity, &key, Freshness::Fresh, run.now_us());
        let there = fresh().await.ok()??;
        for row in run.standing(entity, &there) {
            let now = self.world.clock.now();
            let get = Get { table: run.table(row.table).0, key: &row.key, freshness: Freshness::Settled, now };
            let shown = run.store.get(get).await.ok()?.row;
            let still = fresh().await.ok()??;
            let last = |tokens: &[crate::record::Token]| tokens.last().map(|token| token.version);
            if last(&there.tokens) != Some(version) || last(&still.tokens) != Some(version) || still.gone {
                return None;
            }
            // One that ends may have ended for somebody whose clock is ahead.
            let ends_soon = row.expires_at.is_some_and(|end| end <= millis(run.now_us()).plus(5_000));
            // What rides along is left alone where it stands as it stood.
            let follows = run.program.companions == Companions::Follow;
            if !ends_soon && shown.is_none_or(|shown| follows && shown.version().unwrap() < version) {
                return Some("an applied order is not in the list".into());
            }
        }
        None
    }

    async fn send(&self, request: &Request, attempt: u64) -> Sent {
        let server = self.world.pick(self.world.servers.len());
        let run = self.world.server(server);
        let Request { pattern, body, key, .. } = request.clone();
        self.at(server, async move {
            let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), crate::Caller::NOBODY, &body)?;
            let inputs = if attempt == 0 { inputs } else { inputs.sent_before() };
            run.call(&Call { pattern, inputs, key: Some(&key), order: None, limit: None, cursor: None }).await
        })
        .await
    }

    async fn outcome(&self, token: String) -> Sent {
        let server = self.world.pick(self.world.servers.len());
        let run = self.world.server(server);
        self.at(server, async move { run.outcome(crate::Caller::NOBODY, &token).await }).await
    }

    async fn at(&self, server: usize, call: impl Future<Output = Result<Answer, Problem>> + Send + 'static) -> Sent {
        let patience = Duration::from_millis(if self.world.dice.chance(0.1) { 50 } else { 20_000 });
        match self.world.clock.within(patience, self.world.at(server, call)).await.map(Option::flatten) {
            Some(Some(answer)) => Sent::Answered(answer),
            Some(None) => {
                self.world.crashed(server);
                Sent::Crashed
            }
            None => Sent::GivenUp,
        }
    }
}

/// The row that a request is about.
pub(super) fn row_of<'a>(world: &'a World, request: &Request) -> (&'a EntityPlan, Vec<keyloom_value::Value<'static>>) {
    let run = &world.servers[0];
    if world.theme != Theme::Shop {
        let (entity, field) = match request.pattern {
            _ if world.theme == Theme::Passes => (0, "pass_id"),
            "open" | "retitle" | "burn" => (0, "file_id"),
            _ => (1, "page_id"),
        };
        let identity = request.body[field].as_str().unwrap().to_owned();
        return (&run.program.entities[entity], vec![identity.into()]);
    }
    let (name, field) = match request.pattern {
        "sign_up" | "visit" | "change_email" | "drop_user" => ("User", "user_id"),
        _ => ("Order", "order_id"),
    };
    let entity = run.program.entities.iter().find(|entity| entity.name == name).unwrap();
    let made = || run.new_identity(name, crate::Caller::NOBODY, &request.key).unwrap().unwrap();
    let identity = if request.pattern == "sign_up" || request.pattern == "place_order" {
        made()
    } else {
        request.body[field].clone()
    };
    (entity, vec![from_text(identity.as_str().unwrap(), &Kind::Uuid).unwrap().into_owned()])
}

enum Sent {
    Answered(Result<Answer, Problem>),
    Crashed,
    /// Nobody waits for it any more, but it goes on.
    GivenUp,
}
