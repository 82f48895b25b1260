use std::collections::BTreeMap;

use keyloom_finding::{Finding, Sources, fingerprints};
use keyloom_model::Date;

/// Findings that a repository had when it began to be reviewed: a line of fingerprint, rule and file for each.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeMap<String, String>,
}

/// What is left of a review once a baseline is taken off.
#[derive(Debug)]
pub struct Remaining {
    /// The findings that are new.
    pub new: Vec<Finding>,
    /// How many were known.
    pub known: usize,
    /// Those of the baseline that are there no more, as `rule file`.
    pub gone: Vec<String>,
}

impl Baseline {
    /// Reads a baseline's text; the error says which line is none of its.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut known = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (fingerprint, what) = line.split_once(' ').unwrap_or((line, ""));
            let is_fingerprint = fingerprint.split_once(':').is_some_and(|(hash, times)| {
                hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && times.parse::<usize>().is_ok()
            });
            if !is_fingerprint {
                return Err(format!("line {} is not one that `--write-baseline` writes", at + 1));
            }
            known.insert(fingerprint.to_owned(), what.to_owned());
        }
        Ok(Self { known })
    }

    /// The text of a baseline that knows these findings, in their order.
    pub fn write(findings: &[Finding], sources: &Sources, today: Date) -> String {
        let mut text = format!(
            "# What keyloom check found on {today}. `--baseline` with this file leaves it out; `--write-baseline` writes \
             it anew.\n"
        );
        for (finding, fingerprint) in findings.iter().zip(fingerprints(findings, sources)) {
            let file = finding.place.map_or("", |place| sources.file(place.file).name());
            text.push_str(format!("{fingerprint} {} {}", finding.rule.name, file.replace('\n', " ")).trim_end());
            text.push('\n');
        }
        text
    }

    /// Leaves out what is known.
    pub fn apply(mut self, findings: Vec<Finding>, sources: &Sources) -> Remaining {
        let fingerprints = fingerprints(&findings, sources);
        let count = findings.len();
        let new: Vec<Finding> = findings
            .into_iter()
            .zip(fingerprints)
            .filter(|(_, fingerprint)| self.known.remove(fingerprint).is_none())
            .map(|(finding, _)| finding)
            .collect();
        let mut gone: Vec<String> = self.known.into_values().collect();
        gone.sort();
        Remaining { known: count - new.len(), new, gone }
    }
}

#[cfg(test)]
mod tests {
    use keyloom_finding::{Level, Place, Rule};

    use super::*;

    static RULE: Rule = Rule { name: "full-scan", level: Level::Warning, summary: "", page: "" };

    fn findings(text: &str) -> (Vec<Finding>, Sources) {
        let mut sources = Sources::default();
        let file = sources.add("a b.cql", text);
        let places = text.match_indices("SELECT").map(|(at, word)| Place::new(file, at..at + word.len()));
        (places.map(|place| Finding::new(&RULE, place, "")).collect(), sources)
    }

    #[test]
    fn what_is_known_is_left_out_wherever_it_moved() {
        let today = Date { year: 2026, month: 11, day: 15 };
        let (old, sources) = findings("SELECT a FROM t;\nSELECT a FROM t;\nSELECT b FROM t;\n");
        let text = Baseline::write(&old, &sources, today);
        let read = |text: &str| Baseline::read(text).unwrap_or_else(|fault| panic!("{fault}"));
        let same = read(&text).apply(old, &sources);
        assert_eq!((same.new.len(), same.known, same.gone), (0, 3, vec![]));

        let (now, sources) = findings("USE x;\n\n  SELECT a FROM t;\nSELECT c FROM t;\n");
        let left = read(&text).apply(now, &sources);
        assert_eq!(left.known, 1);
        assert_eq!(left.gone, ["full-scan a b.cql", "full-scan a b.cql"]);
        assert_eq!(left.new.len(), 1);
        assert_eq!(left.new[0].place.map(|place| place.start), Some(27));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        assert_eq!(Baseline::read("# a\n\n").map(|read| read.known.len()), Ok(0));
        for text in ["x", "{", "0123456789abcdef rule file", "0123456789abcdeg:1 rule file"] {
            assert!(Baseline::read(text).is_err_and(|fault| fault.contains("line 1")), "{text}");
        }
    }
}
