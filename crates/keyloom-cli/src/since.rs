//! Lines that changed since a revision, as git tells them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::process::Command;

use keyloom::finding::{Finding, Place, Sources};

/// The lines of each file that are new or changed, counted from 1. `None` stands for the whole file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    files: BTreeMap<String, Option<Vec<RangeInclusive<usize>>>>,
}

impl Changed {
    /// What changed since a revision, committed or not; files that git does not know yet are new as a whole.
    pub(crate) fn since(revision: &str) -> Result<Self, String> {
        if revision.starts_with('-') {
            return Err(format!("`{revision}` is no revision"));
        }
        let diff = git(&[
            "-c",
            "core.quotePath=false",
            "diff",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-renames",
            "--relative",
            revision,
            "--",
        ])?;
        let mut changed = Self::parse(&diff);
        let new = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        changed.files.extend(new.split('\0').filter(|name| !name.is_empty()).map(|name| (name.to_owned(), None)));
        Ok(changed)
    }

    /// Reads the output of `git diff --unified=0`.
    fn parse(diff: &str) -> Self {
        let mut changed = Self::default();
        let mut file = None;
        // Lines of the files themselves, which may look like anything.
        let mut body = 0;
        for line in diff.lines() {
            if body > 0 && line.starts_with(['+', '-']) {
                body -= 1;
            } else if let Some(name) = line.strip_prefix("+++ ") {
                file = name.trim_end_matches('\t').trim_matches('"').strip_prefix("b/").map(str::to_owned);
            } else if let Some((removed, added)) = hunk(line) {
                body = removed + added.1;
                let (start, count) = added;
                if let (Some(name), true) = (&file, count > 0)
                    && let Some(lines) = changed.files.entry(name.clone()).or_insert_with(|| Some(Vec::new()))
                {
                    lines.push(start..=start + count - 1);
                }
            }
        }
        changed
    }

    /// Whether a finding, or something that it points to, touches a changed line: a statement goes wrong where the table
    /// changes too. What has no place concerns every line.
    pub(crate) fn touches(&self, finding: &Finding, sources: &Sources) -> bool {
        finding.place.is_none() || finding.places().any(|place| self.holds(place, sources))
    }

    fn holds(&self, place: Place, sources: &Sources) -> bool {
        let file = sources.file(place.file);
        match self.files.get(file.name()) {
            None => false,
            Some(None) => true,
            Some(Some(lines)) => {
                let (first, last) = (file.line_column(place.start).line, file.line_column(place.end).line);
                lines.iter().any(|changed| *changed.start() <= last && first <= *changed.end())
            }
        }
    }
}

/// The number of removed lines, and the first added line with their number, of `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<(usize, (usize, usize))> {
    let mut parts = line.strip_prefix("@@ -")?.split(' ');
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let removed = range(parts.next()?)?;
    let added = range(parts.next()?.strip_prefix('+')?)?;
    Some((removed.1, added))
}

fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).output();
    let output = output.map_err(|error| format!("--since asks git, which can't be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
        return Err(format!("--since asks git, which says: {said}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_read_out_of_a_diff() {
        let diff = "diff --git a/a.cql b/a.cql\n--- a/a.cql\n+++ b/a.cql\n@@ -1 +1,2 @@ x\n-USE a;\n+++ b/not/a/file\n+USE b;\n\
                    @@ -9,2 +10,0 @@\n-x\n-y\n@@ -20,0 +19 @@\n+z\n\
                    diff --git a/b b/b\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        let lines = Some(vec![1..=2, 19..=19]);
        assert_eq!(Changed::parse(diff).files, BTreeMap::from([("a.cql".to_owned(), lines)]));
    }

    #[test]
    fn garbage_is_no_diff() {
        for text in ["", "@@", "@@ -x +y @@", "+++", "+++ b/a\n@@ -1,99999999999999999999 +1 @@", "@@ -1 +1 @@\n+x"] {
            assert!(Changed::parse(text).files.is_empty(), "{text}");
        }
    }
}
