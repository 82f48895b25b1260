use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{
    Figures, Finals,
    note::{Answer, EMPTY, Note, Rank, Sent, Spot, Which, digest},
};

/// What the judge says about a run.
#[derive(Debug, Default)]
pub struct Judgement {
    /// What happened in it.
    pub figures: Figures,
    /// What must not have happened.
    pub wrong: Vec<Wrong>,
}

/// What must not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// An answer that the rows contradict.
    False(String),
    /// Something acknowledged that is not there.
    Lost(String),
}

impl fmt::Display for Wrong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::False(words) => write!(formatter, "false: {words}"),
            Self::Lost(words) => write!(formatter, "lost: {words}"),
        }
    }
}

impl Judgement {
    /// How many answers were false, and how much was lost.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let lost = self.wrong.iter().filter(|wrong| matches!(wrong, Wrong::Lost(_))).count();
        (self.wrong.len() - lost, lost)
    }

    /// Whether the run shows something: nothing was wrong, things were done, and some were in doubt.
    ///
    /// # Errors
    /// The first thing that was wrong, or what the run lacked.
    pub fn proves(&self) -> Result<(), String> {
        if let Some(wrong) = self.wrong.first() {
            return Err(format!("{} things are wrong; {wrong}", self.wrong.len()));
        }
        for (what, count) in [("decision", &self.figures.decisions), ("placement", &self.figures.placements)] {
            if count.done == 0 || count.doubted() == 0 {
                return Err(format!("a run in which no {what} was done, or none in doubt, shows nothing"));
            }
        }
        Ok(())
    }

    fn contradicts(&mut self, words: String) {
        self.wrong.push(Wrong::False(words));
    }

    fn lost(&mut self, words: String) {
        self.wrong.push(Wrong::Lost(words));
    }
}

/// Compares what clients were told and saw with what stands at the end.
#[must_use]
pub fn judge(notes: &[Note], finals: &Finals) -> Judgement {
    let mut judgement = Judgement::default();
    for words in &finals.wrong {
        judgement.contradicts(words.clone());
    }
    for note in notes {
        if let Note::Astray { words } = note {
            judgement.contradicts(words.clone());
        }
    }
    decisions(notes, finals, &mut judgement);
    placements(notes, finals, &mut judgement);
    judgement
}

/// What a write was answered with; without an answer its client died, and it is in doubt.
const UNANSWERED: (Answer, bool) = (Answer::Unknown, true);

fn decisions(notes: &[Note], finals: &Finals, judgement: &mut Judgement) {
    let mut sent: BTreeMap<u64, (u64, (Answer, bool))> = BTreeMap::new();
    for note in notes {
        match note {
            Note::Deciding { token, row } => drop(sent.insert(*token, (*row, UNANSWERED))),
            Note::Decided { token, answer, doubted } => match sent.get_mut(token) {
                Some((_, known)) => *known = (*answer, *doubted),
                None => judgement.contradicts(format!("{token:x} was answered and never sent")),
            },
            _ => {}
        }
    }
    let mut there: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for (row, tokens) in &finals.chains {
        for token in tokens {
            *there.entry((*row, *token)).or_default() += 1;
        }
    }
    for (token, (row, (answer, doubted))) in &sent {
        judgement.figures.decisions.add(*answer, *doubted);
        match (answer, there.remove(&(*row, *token)).unwrap_or_default()) {
            (Answer::Done, 1) | (Answer::Unknown, 0 | 1) | (Answer::Lost | Answer::NotDone | Answer::Busy, 0) => {}
            (Answer::Done, 0) => judgement.lost(format!("{token:x} was done and is not in row {row}")),
            (answer, times) => judgement.contradicts(format!("{token:x}, answered {answer:?}, is {times} times there")),
        }
    }
    for ((row, token), _) in there {
        judgement.contradicts(format!("{token:x} stands in row {row}, and nobody sent it there"));
    }
    chains_seen(notes, finals, judgement);
}

/// Whatever anybody saw is a beginning of what stands at the end, and has what was acknowledged before.
fn chains_seen(notes: &[Note], finals: &Finals, judgement: &mut Judgement) {
    let beginnings: BTreeMap<u64, Vec<u64>> = finals
        .chains
        .iter()
        .map(|(row, tokens)| {
            let longer = tokens.iter().scan(EMPTY, |before, token| {
                *before = digest(*before, *token);
                Some(*before)
            });
            (*row, std::iter::once(EMPTY).chain(longer).collect())
        })
        .collect();
    for note in notes {
        let Note::SawChain { row, length, digest, floor } = note else { continue };
        judgement.figures.reads += 1;
        let beginning = beginnings.get(row).map_or(Some(&EMPTY), |of_row| of_row.get(*length));
        if beginning != Some(digest) {
            judgement.contradicts(format!("somebody saw {length} tokens in row {row} that it does not begin with"));
        }
        if length < floor {
            judgement.contradicts(format!("a read of row {row} saw {length} tokens after {floor} were acknowledged"));
        }
    }
}

/// One call that placed rows.
#[derive(Debug)]
struct Call<'a> {
    together: bool,
    sent: &'a [Sent],
    answered: (Answer, bool),
}

/// What was sent for one column group.
#[derive(Debug, Default)]
struct Sendings {
    /// What was acknowledged.
    acknowledged: BTreeSet<Rank>,
    /// What may have happened: that too, and what is in doubt.
    possible: BTreeSet<Rank>,
}

impl Sendings {
    /// Whether these sendings, of which at least `floor` has arrived, can have led to this version.
    fn explain(&self, version: Option<u64>, floor: Option<Rank>) -> bool {
        match version.map(|version| Rank { version, put: true }) {
            Some(stands) => self.possible.contains(&stands) && Some(stands) >= floor,
            None => floor.is_none_or(|floor| self.possible.range(floor..).any(|rank| !rank.put)),
        }
    }
}

fn placements(notes: &[Note], finals: &Finals, judgement: &mut Judgement) {
    let mut calls: BTreeMap<u64, Call<'_>> = BTreeMap::new();
    for note in notes {
        match note {
            Note::Placing { token, together, sent } => {
                calls.insert(*token, Call { together: *together, sent, answered: UNANSWERED });
            }
            Note::Placed { token, answer, doubted } => match calls.get_mut(token) {
                Some(call) => call.answered = (*answer, *doubted),
                None => judgement.contradicts(format!("{token:x} was answered and never sent")),
            },
            _ => {}
        }
    }
    let mut sendings: BTreeMap<Spot, Sendings> = BTreeMap::new();
    for (token, Call { together, sent, answered: (answer, doubted) }) in &calls {
        judgement.figures.placements.add(*answer, *doubted);
        for (spot, rank) in sent.iter().flat_map(Sent::ranks) {
            let sendings = sendings.entry(spot).or_default();
            if *answer == Answer::Done {
                sendings.acknowledged.insert(rank);
            }
            if matches!(answer, Answer::Done | Answer::Unknown) {
                sendings.possible.insert(rank);
            }
        }
        // Only rows that nobody else writes tell whether they came together.
        if *together && sent.iter().all(|sent| sent.table == Which::Batched) {
            let spots = sent.iter().flat_map(Sent::ranks).map(|(spot, _)| spot);
            let there = spots.filter(|spot| finals.seen(*spot).iter().any(Option::is_some)).count();
            if there != 0 && there != sent.len() {
                judgement
                    .contradicts(format!("of {} rows placed together in {token:x}, {there} are there", sent.len()));
            }
        }
    }
    for (spot, sendings) in &sendings {
        let acknowledged = sendings.acknowledged.last().copied();
        let unexplained = finals.seen(*spot).iter().find(|stands| !sendings.explain(**stands, acknowledged));
        let Some(stands) = unexplained else { continue };
        let words = format!("{spot:?} ends with version {stands:?}, though {acknowledged:?} was acknowledged");
        // What should stand and does not is lost; what stands and should not is false.
        if stands.is_none() { judgement.lost(words) } else { judgement.contradicts(words) }
    }
    for note in notes {
        let Note::SawGroup { spot, version, floor } = note else { continue };
        judgement.figures.reads += 1;
        let nothing = Sendings::default();
        if !sendings.get(spot).unwrap_or(&nothing).explain(*version, *floor) {
            judgement
                .contradicts(format!("{spot:?} was seen with version {version:?} after {floor:?} was acknowledged"));
        }
    }
}
