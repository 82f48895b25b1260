use std::collections::HashMap;

use crate::{Finding, Sources};

/// What a finding is known by from one run to the next, for each of them: its rule, its file, and the line it begins on,
/// word for word but not by number, so that it stays the same when code above it moves. Findings that share all three are
/// counted from the top.
///
/// ```
/// use keyloom_finding::{Finding, Level, Place, Rule, Sources, fingerprints};
///
/// static RULE: Rule = Rule { name: "full-scan", level: Level::Warning, summary: "", page: "" };
/// let fingerprint = |text: &str| {
///     let mut sources = Sources::default();
///     let file = sources.add("a.cql", text);
///     let at = text.find("SELECT").unwrap();
///     fingerprints(&[Finding::new(&RULE, Place::new(file, at..at + 6), "")], &sources).remove(0)
/// };
/// assert_eq!(fingerprint("SELECT a FROM b;"), fingerprint("-- new\n  SELECT a  FROM b;\n"));
/// assert_ne!(fingerprint("SELECT a FROM b;"), fingerprint("SELECT a FROM c;"));
/// ```
pub fn fingerprints(findings: &[Finding], sources: &Sources) -> Vec<String> {
    let mut times: HashMap<u64, usize> = HashMap::new();
    let count = |finding: &Finding| {
        let hash = hash(finding, sources);
        let times = times.entry(hash).or_default();
        *times += 1;
        format!("{hash:016x}:{times}")
    };
    findings.iter().map(count).collect()
}

fn hash(finding: &Finding, sources: &Sources) -> u64 {
    let mut hash = Fnv::default();
    hash.word(finding.rule.name);
    match finding.place {
        Some(place) => {
            let file = sources.file(place.file);
            hash.word(file.name());
            let line = file.line_bytes(file.line_of(place.start));
            file.text()[line].split_whitespace().for_each(|word| hash.word(word));
        }
        None => hash.word(&finding.message),
    }
    hash.0
}

/// The hash of Fowler, Noll and Vo (1a, 64 bits): the same on every machine and in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn word(&mut self, word: &str) {
        for byte in word.bytes().chain([b'\n']) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
