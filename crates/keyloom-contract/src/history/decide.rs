use keyloom_store::{Change, Current, Decision, Expect, Freshness, Image, Row, Store, Verdict};

use super::{
    Client, World,
    note::{Answer, EMPTY, Note, digest},
    tables::{chain, key},
};

/// Rows on which clients decide at one time; half of all decisions meet on the first.
const SLOTS: u64 = 4;

/// A row with so many tokens is left for a new one: every decision writes all of them.
const LENGTH_MAX: usize = 100;

/// A decided row as somebody saw it.
#[derive(Debug, Clone)]
struct Standing {
    expect: Expect,
    tokens: Vec<u64>,
}

impl Standing {
    const ABSENT: Self = Self { expect: Expect::Absent, tokens: Vec::new() };

    fn next_version(&self) -> u64 {
        match self.expect {
            Expect::Absent => 1,
            Expect::Version(version) => version + 1,
        }
    }
}

impl<S: Store, W: World> Client<S, W> {
    /// Reads a row and adds a token to it, if it is still so.
    pub(super) async fn decide(&mut self) {
        let slot = if self.world.below(2) == 0 { 0 } else { self.world.below(SLOTS) };
        let row = self.full.get(&slot).copied().unwrap_or_default() * SLOTS + slot;
        let freshness = match self.world.below(10) {
            0 => Freshness::Any,
            1..4 => Freshness::Fresh,
            _ => Freshness::Settled,
        };
        let Some(standing) = self.look(row, freshness).await else { return };
        if standing.tokens.len() >= LENGTH_MAX {
            *self.full.entry(slot).or_default() += 1;
            return;
        }
        let token = self.token();
        let longer = [&standing.tokens[..], &[token]].concat();
        self.world.note(Note::Deciding { token, row });
        let mut answer = self.send(row, &standing, &longer).await;
        let doubted = answer == Answer::Unknown;
        if doubted {
            answer = self.resolve(row, &standing, token, &longer).await;
        }
        self.world.note(Note::Decided { token, answer, doubted });
        if answer == Answer::Done {
            self.ledger.decided(row, longer.len());
        }
    }

    /// Whether a decision of unknown outcome was done. A read alone can prove that it was, and never that it was not: it
    /// may still be under way. Only a version that moved on forbids it for ever.
    async fn resolve(&self, row: u64, expected: &Standing, token: u64, longer: &[u64]) -> Answer {
        for _ in 0..super::TRIES {
            self.rest(super::PATIENCE_MILLIS).await;
            let Some(standing) = self.look(row, Freshness::Fresh).await else { continue };
            if standing.tokens.contains(&token) {
                return Answer::Done;
            }
            if standing.expect != expected.expect {
                return Answer::Lost;
            }
            if self.world.below(2) == 0 {
                if self.send(row, expected, longer).await == Answer::Done {
                    return Answer::Done;
                }
            } else if self.send(row, expected, &expected.tokens).await == Answer::Done {
                // A touch: nothing has changed but the version.
                return Answer::Lost;
            }
        }
        Answer::Unknown
    }

    async fn send(&self, row: u64, expected: &Standing, tokens: &[u64]) -> Answer {
        let (key, values) = (key(row), chain(tokens));
        let becomes = Image { version: expected.next_version(), expires_at: None, values: &values };
        let change = Change { table: self.tables.decided, key: &key, expect: expected.expect, becomes };
        let verdict = self.store.decide(Decision { change, along: &[], now: self.world.now() }).await;
        if let Ok(Verdict::Lost { current: Current::Is(found), .. }) = &verdict {
            self.saw(row, Some(found), 0);
        }
        Answer::of_verdict(&verdict).unwrap_or_else(|words| {
            self.astray(format!("a decision answers \"{words}\""));
            Answer::NotDone
        })
    }

    async fn look(&self, row: u64, freshness: Freshness) -> Option<Standing> {
        let floor = if freshness == Freshness::Any { 0 } else { self.ledger.chain(row) };
        let found = self.read(self.tables.decided, row, freshness).await?;
        self.saw(row, found.as_ref(), floor)
    }

    /// Notes what a row was, which must have had so many tokens.
    fn saw(&self, row: u64, found: Option<&Row>, floor: usize) -> Option<Standing> {
        let standing = found.map_or(Ok(Standing::ABSENT), |found| {
            let version = found.version().map_err(|malformed| malformed.to_string())?;
            Ok(Standing { expect: Expect::Version(version), tokens: self.tables.tokens(found)? })
        });
        match standing {
            Ok(standing) => {
                let length = standing.tokens.len();
                let digest = standing.tokens.iter().fold(EMPTY, |before, token| digest(before, *token));
                self.world.note(Note::SawChain { row, length, digest, floor });
                Some(standing)
            }
            Err(words) => {
                let words: String = words;
                self.astray(words);
                None
            }
        }
    }
}
