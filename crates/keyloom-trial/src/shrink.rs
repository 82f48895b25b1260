//! Makes a failing trial smaller: leaves out requests, then faults, while it still fails.

use keyloom_run::trial::Protocol;

use crate::{case::Failure, script::Script, timeline::timeline, trial::Tried, weather::Weather};

/// A smaller script meets another chance, so each is tried with some before it is given up.
const CHANCES: u64 = 12;
/// So many trials at most.
const TRIALS_MAX: usize = 4_000;

impl Tried {
    /// The story of a failure, as short as it could be made.
    pub fn explained(&self, seed: u64, protocol: Protocol, failure: Box<Failure>) -> String {
        let mut best = failure;
        let mut left_out: Vec<usize> = Vec::new();
        let mut weather = self.weather(seed);
        let mut trials = 0;
        let mut fails = |left_out: &[usize], weather: &Weather| -> Option<Box<Failure>> {
            for chance in (0..CHANCES).map(|turn| seed ^ (turn << 40)) {
                trials += 1;
                if trials > TRIALS_MAX {
                    return None;
                }
                let cut = |script: Script| script.without(left_out);
                if let Err(failure) = self.checked(seed, chance, protocol, weather.clone(), &cut) {
                    return Some(failure);
                }
            }
            None
        };
        let mut script = Vec::new();
        // The script itself is needed for its numbers alone.
        let numbers = std::cell::RefCell::new(&mut script);
        let noted = |whole: Script| {
            numbers.borrow_mut().extend(whole.numbers());
            whole
        };
        drop(self.checked(seed, seed, protocol, weather.clone(), &noted));
        let mut size = script.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < script.len() {
                let piece: Vec<usize> = script[at..(at + size).min(script.len())].to_vec();
                let fewer = [&left_out[..], &piece[..]].concat();
                match fails(&fewer, &weather) {
                    Some(failure) => {
                        best = failure;
                        left_out = fewer;
                        script.retain(|number| !piece.contains(number));
                    }
                    None => at += size,
                }
            }
            size /= 2;
        }
        // One kind of fault after the other; what can be left out is left out of all that follow.
        let mut tried: Vec<&str> = Vec::new();
        while let Some((words, milder)) = weather.milder().into_iter().find(|(words, _)| !tried.contains(words)) {
            tried.push(words);
            if let Some(failure) = fails(&left_out, &milder) {
                best = failure;
                weather = milder;
            }
        }
        timeline(&best.history, &best.weather, &best.contradiction)
    }
}
