//! Reads what `cargo test` prints, line by line, into suites.

use crate::{binaries::Binaries, suite::Suite};

/// Collects suites from the lines of `cargo test`. One crate's test binaries and documentation tests are one suite; a
/// binary that prints its own counts (`keyloom-suite: name=.. engine=.. run=.. skipped=..`) is a suite, or several.
#[derive(Debug)]
pub struct Reader {
    binaries: Binaries,
    suites: Vec<Suite>,
    current: Option<Binary>,
}

/// The test binary, or the documentation tests, whose output is being read.
#[derive(Debug)]
struct Binary {
    crate_name: String,
    passed: u64,
    failed: u64,
    ignored: u64,
    /// The suites it announced by itself.
    announced: Vec<Suite>,
    /// Cargo said that it failed. It may have died before it could count.
    broke: bool,
}

impl Reader {
    pub fn new(binaries: Binaries) -> Self {
        Self { binaries, suites: Vec::new(), current: None }
    }

    /// Takes the next line of output.
    pub fn line(&mut self, line: &str) {
        if let Some(crate_name) = self.header(line) {
            self.close_binary();
            self.current = Some(Binary::new(crate_name));
        } else if let Some(binary) = &mut self.current {
            binary.line(line);
        }
    }

    /// All suites, once the output has ended.
    pub fn finish(mut self) -> Vec<Suite> {
        self.close_binary();
        self.suites
    }

    /// The crate that a header announces: `Running unittests src/lib.rs (target/..)` or `Doc-tests keyloom`.
    fn header(&self, line: &str) -> Option<String> {
        let line = line.trim();
        if let Some(library) = line.strip_prefix("Doc-tests ") {
            return Some(self.binaries.crate_of_library(library));
        }
        let (_, path) = line.strip_prefix("Running ")?.rsplit_once(" (")?;
        Some(self.binaries.crate_of_executable(path.strip_suffix(')')?))
    }

    fn close_binary(&mut self) {
        let Some(binary) = self.current.take() else { return };
        for found in binary.into_suites() {
            match self.suites.iter_mut().find(|suite| suite.name == found.name && suite.engine == found.engine) {
                Some(suite) => {
                    suite.run += found.run;
                    suite.failed += found.failed;
                    suite.skipped += found.skipped;
                }
                None => self.suites.push(found),
            }
        }
    }
}

impl Binary {
    fn new(crate_name: String) -> Self {
        Self { crate_name, passed: 0, failed: 0, ignored: 0, announced: Vec::new(), broke: false }
    }

    fn line(&mut self, line: &str) {
        if let Some([passed, failed, ignored]) = counts(line) {
            // Documentation tests may close with several such lines, one for each way they were compiled.
            self.passed += passed;
            self.failed += failed;
            self.ignored += ignored;
        } else if let Some(suite) = announced(line) {
            self.announced.push(suite);
        } else if line.starts_with("error: test failed") || line.starts_with("error: doctest failed") {
            self.broke = true;
        }
    }

    fn into_suites(self) -> Vec<Suite> {
        let failed = self.failed.max(u64::from(self.broke));
        if self.announced.is_empty() {
            // A binary that died has run at least the test that killed it.
            let run = self.passed + failed;
            return vec![Suite { run, failed, skipped: self.ignored, ..Suite::new(self.crate_name) }];
        }
        // The counts of the test harness are those of the announced suites, seen from outside: not added again. Which
        // of several suites broke is not known, so each of them did.
        let breaks = |suite: Suite| Suite { run: suite.run.max(failed), failed, ..suite };
        self.announced.into_iter().map(breaks).collect()
    }
}

/// Passed, failed and ignored of `test result: ok. 3 passed; 0 failed; 1 ignored; ..`.
fn counts(line: &str) -> Option<[u64; 3]> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut numbers = [0; 3];
    for (number, (part, word)) in numbers.iter_mut().zip(counts.split("; ").zip(["passed", "failed", "ignored"])) {
        *number = part.strip_suffix(word)?.trim().parse().ok()?;
    }
    Some(numbers)
}

/// The suite of `keyloom-suite: name=store engine=cassandra run=31 skipped=2`, wherever it starts in the line: a test
/// harness may have printed the name of a test before it.
fn announced(line: &str) -> Option<Suite> {
    let (_, words) = line.split_once("keyloom-suite: ")?;
    let value = |key: &str| words.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    Some(Suite {
        name: value("name")?.to_owned(),
        engine: Some(value("engine")?.to_owned()),
        run: value("run")?.parse().ok()?,
        failed: 0,
        skipped: value("skipped")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> Vec<Suite> {
        let mut reader = Reader::new(Binaries::default());
        output.lines().for_each(|line| reader.line(line));
        reader.finish()
    }

    #[test]
    fn binaries_and_documentation_tests_of_one_crate_are_one_suite() {
        let suites = read(
            "
   Compiling a v0.1.0
     Running unittests src/lib.rs (target/release/deps/a)
running 3 tests
test one ... ok
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests a
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
all doctests ran in 0.30s; merged doctests compilation took 0.20s
",
        );
        assert_eq!(suites, [Suite { run: 7, skipped: 1, ..Suite::new("a") }]);
    }

    #[test]
    fn failed_tests_are_counted_once() {
        let suites = read(
            "
     Running tests/check.rs (target/release/deps/check-0a)
test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p a --test check`
",
        );
        assert_eq!(suites, [Suite { run: 7, failed: 2, ..Suite::new("check-0a") }]);
    }

    #[test]
    fn a_binary_that_dies_before_it_counts_has_failed() {
        let suites = read(
            "
     Running unittests src/lib.rs (target/release/deps/a)
running 3 tests
error: test failed, to rerun pass `-p a --lib`

Caused by:
  process didn't exit successfully: `target/release/deps/a` (signal: 6, SIGABRT: process abort signal)
     Running unittests src/lib.rs (target/release/deps/b)
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
",
        );
        assert_eq!(suites, [Suite { run: 1, failed: 1, ..Suite::new("a") }, Suite { run: 1, ..Suite::new("b") }]);
    }

    #[test]
    fn announced_suites_replace_the_counts_of_their_binary() {
        let suites = read(
            "
     Running tests/engines.rs (target/release/deps/engines)
test all_of_it ... keyloom-suite: name=store engine=cassandra run=31 skipped=0
keyloom-suite: name=store engine=redis run=0 skipped=31
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.00s
",
        );
        let store = |engine: &str| Suite { engine: Some(engine.to_owned()), ..Suite::new("store") };
        assert_eq!(suites, [Suite { run: 31, ..store("cassandra") }, Suite { skipped: 31, ..store("redis") }]);
    }

    #[test]
    fn an_announced_suite_fails_with_its_binary() {
        let suites = read(
            "
     Running tests/engines.rs (target/release/deps/engines)
keyloom-suite: name=store engine=cassandra run=31 skipped=0
error: test failed, to rerun pass `-p a --test engines`
",
        );
        let cassandra = Suite { engine: Some("cassandra".to_owned()), ..Suite::new("store") };
        assert_eq!(suites, [Suite { run: 31, failed: 1, ..cassandra }]);
    }

    #[test]
    fn words_that_only_look_like_counts_are_left_alone() {
        assert_eq!(counts("test result: ok. many passed; 0 failed; 0 ignored"), None);
        assert_eq!(counts("test result: unknown"), None);
        assert_eq!(announced("keyloom-suite: name=store run=3"), None);
        assert_eq!(announced("keyloom-suite: name=s engine=e run=-1 skipped=0"), None);
        assert_eq!(read("test result: ok. 1 passed; 0 failed; 0 ignored;"), []);
    }
}
