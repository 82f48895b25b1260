//! What the cases have met: verdicts, clauses, messages.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    generate::{Case, Clause},
    messages::{RARE, SHAPES, shape_of},
    oracle::Answer,
};

/// Each verdict is met in so many of a hundred cases.
const VERDICTS_PERCENT: usize = 20;
/// Each clause is met in so many of a hundred cases.
const CLAUSES_PERCENT: usize = 1;
/// Each message is met so often, but for the rare ones.
const MESSAGES: usize = 20;

/// How often each thing was met.
#[derive(Debug, Default)]
pub struct Coverage {
    cases: usize,
    verdicts: [usize; 3],
    /// No CQL to the server. The generator writes well-formed statements, but the server's parser also looks at names.
    malformed: usize,
    clauses: BTreeMap<Clause, usize>,
    shapes: BTreeMap<&'static str, usize>,
    /// Messages of no listed shape, each with how often and a statement.
    unlisted: BTreeMap<String, (usize, String)>,
}

impl Coverage {
    pub fn learn(&mut self, case: &Case, answer: &Answer) {
        self.cases += 1;
        for clause in &case.clauses {
            *self.clauses.entry(*clause).or_default() += 1;
        }
        let message = match answer {
            Answer::Legal => {
                self.verdicts[0] += 1;
                return;
            }
            Answer::NeedsFiltering(message) => {
                self.verdicts[1] += 1;
                message
            }
            Answer::Illegal(message) => {
                self.verdicts[2] += 1;
                message
            }
            Answer::Malformed(_) => {
                self.malformed += 1;
                return;
            }
        };
        match shape_of(message) {
            Some(shape) => *self.shapes.entry(shape).or_default() += 1,
            None => self.unlisted.entry(message.clone()).or_insert_with(|| (0, case.text.clone())).0 += 1,
        }
    }

    /// What is met too seldom.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for (verdict, met) in ["legal", "needs filtering", "illegal"].iter().zip(self.verdicts) {
            if met * 100 < self.cases * VERDICTS_PERCENT {
                gaps.push(format!("verdict `{verdict}`: {met} of {}", self.cases));
            }
        }
        for clause in Clause::ALL {
            let met = self.clauses.get(clause).copied().unwrap_or_default();
            if met * 100 < self.cases * CLAUSES_PERCENT {
                gaps.push(format!("clause {clause:?}: {met} of {}", self.cases));
            }
        }
        for shape in SHAPES {
            let met = self.shapes.get(shape).copied().unwrap_or_default();
            if met < MESSAGES {
                gaps.push(format!("message `{shape}`: {met}"));
            }
        }
        gaps.extend(self.unlisted.iter().map(|(message, (met, statement))| {
            format!("message that is not listed: `{message}`: {met}, as to: {statement}")
        }));
        gaps
    }

    pub fn render(&self) -> String {
        let [legal, filtering, illegal] = self.verdicts;
        let mut text = format!(
            "{} cases: {legal} legal, {filtering} legal only with ALLOW FILTERING, {illegal} illegal, {} malformed\n",
            self.cases, self.malformed
        );
        let share = |met: usize| met as f64 * 100.0 / self.cases.max(1) as f64;
        for clause in Clause::ALL {
            let met = self.clauses.get(clause).copied().unwrap_or_default();
            let _ = writeln!(text, "{:5.1} %  {clause:?}", share(met));
        }
        for shape in SHAPES.iter().chain(RARE) {
            let _ = writeln!(text, "{:7}  {shape}", self.shapes.get(shape).copied().unwrap_or_default());
        }
        text
    }
}
