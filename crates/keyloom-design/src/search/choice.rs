//! What is to be chosen: a table for each list of a pattern, in each of its orders.

use keyloom_model::Catalog;
use keyloom_model::layout::Question;
use keyloom_plan::{Asked, Refusal, Wants, questions};

/// Questions that one table answers: with no optional input, then with each set of them.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The one without optional inputs first.
    pub asked: Vec<Asked>,
}

impl Choice {
    /// The question without optional inputs.
    pub fn base(&self) -> &Asked {
        &self.asked[0]
    }

    /// What is said of it: `list_tasks:urgent`.
    pub fn name(&self) -> String {
        self.base().question.to_string()
    }

    /// The pattern that asks; `None` for what the run time asks for itself.
    pub fn pattern(&self) -> Option<&str> {
        pattern(&self.base().question)
    }
}

/// The pattern that asks a question.
pub(crate) fn pattern(question: &Question) -> Option<&str> {
    match question {
        Question::Pattern { pattern, .. } => Some(pattern),
        Question::Support { .. } => None,
    }
}

/// The choices of a catalog, those with an order first, since others can be answered by their tables; and these questions of the
/// run time. What no layout could hold is none.
pub(crate) fn choices(catalog: &Catalog, support: &[Asked], impossible: &[Refusal]) -> Vec<Choice> {
    let mut all: Vec<Choice> = Vec::new();
    let mut asked = questions(catalog);
    let new = support.iter().filter(|support| asked.iter().all(|known| known.question != support.question));
    let new: Vec<Asked> = new.cloned().collect();
    asked.extend(new);
    let asked = asked.into_iter().filter(|asked| asked.wants != Wants::Row);
    for asked in asked.filter(|asked| !impossible.iter().any(|refusal| refusal.of(&asked.question))) {
        let of = address(&asked.question);
        match all.iter_mut().find(|known| of.is_some() && address(&known.base().question) == of) {
            Some(known) => known.asked.push(asked),
            None => all.push(Choice { asked: vec![asked] }),
        }
    }
    let (ordered, any): (Vec<Choice>, Vec<Choice>) =
        all.into_iter().partition(|choice| !choice.base().order.is_empty());
    ordered.into_iter().chain(any).collect()
}

/// What questions have in common that differ in optional inputs alone.
fn address(question: &Question) -> Option<(&str, Option<&str>, Option<&str>)> {
    match question {
        Question::Pattern { pattern, with, order, .. } => Some((pattern, with.as_deref(), order.as_deref())),
        Question::Support { .. } => None,
    }
}
