//! The renderers: one finding, many forms.
//!
//! Each form has a file of its own; what they share is here. A renderer takes findings in the order in which they are
//! to be shown and returns a string. What reaches a terminal has its control characters replaced by visible ones,
//! since messages and source lines quote text that nobody has vetted.

mod concise;
mod excerpt;
mod github;
mod json;
mod sarif;
mod text;
mod visible;

use crate::{Finding, Level, LineColumn, Place, Rule, Sources};

/// The form in which findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people: each finding with its source line, its number and its way out.
    Text,
    /// For people in a hurry, and for editors: one line per finding.
    Concise,
    /// For programs.
    Json,
    /// For code scanning services: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: workflow commands that annotate the changed lines.
    Github,
}

impl Format {
    /// All formats, the one for people first.
    pub const ALL: [Self; 5] = [Self::Text, Self::Concise, Self::Json, Self::Sarif, Self::Github];

    /// The format's one name, as it is written in flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// What the caller knows of the place where the text will be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colours are understood there.
    pub color: bool,
    /// How many columns a line may have.
    pub width: usize,
}

/// What is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The findings, in the order in which they are shown; see [`sort`](crate::sort).
    pub findings: &'a [Finding],
    /// The files that the findings point into.
    pub sources: &'a Sources,
    /// All rules there are, for the formats that list them.
    pub rules: &'a [&'static Rule],
    /// Keyloom's version.
    pub version: &'a str,
    /// The day that was taken as today, as `2026-11-15`; shown only if it decided a finding.
    pub today: Option<&'a str>,
    /// What was looked at, where that is not plain from the call.
    pub survey: Option<&'a Summary>,
}

/// What was looked at to find all this, in both forms.
#[derive(Debug, Clone)]
pub struct Summary {
    /// For people: a line each, below the findings.
    pub lines: Vec<String>,
    /// For programs.
    pub value: serde_json::Value,
}

/// Renders a report.
///
/// ```
/// use keyloom_finding::render::{Format, Report, Style, render};
/// use keyloom_finding::{Finding, Level, Place, Rule, Sources};
///
/// static RULE: Rule = Rule { name: "missing-rate", level: Level::Note, summary: "", page: "" };
/// let mut sources = Sources::default();
/// let file = sources.add("catalog.yaml", "patterns:\n  show_case:");
/// let findings = [Finding::new(&RULE, Place::new(file, 12..21), "how often is show_case called?")];
/// let report = Report { findings: &findings, sources: &sources, rules: &[&RULE], version: "0.1.0", today: None, survey: None };
/// let shown = render(&report, Format::Concise, Style { color: false, width: 80 });
/// assert_eq!(shown, "catalog.yaml:2:3: note[missing-rate] how often is show_case called?\n1 note\n");
/// ```
pub fn render(report: &Report, format: Format, style: Style) -> String {
    match format {
        Format::Text => text::render(report, style),
        Format::Concise => concise::render(report),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
    }
}

impl<'a> Report<'a> {
    fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// The day taken as today, if it decided any finding.
    fn deciding_day(&self) -> Option<&'a str> {
        self.today.filter(|_| self.findings.iter().any(|finding| finding.depends_on_today))
    }

    /// How many findings there are of each level, for people: `2 errors, 1 note`.
    fn summary(&self) -> String {
        let counts: Vec<String> = Level::ALL
            .into_iter()
            .rev()
            .filter_map(|level| match (self.count(level), level.name()) {
                (0, _) => None,
                (1, name) => Some(format!("1 {name}")),
                (count, name) => Some(format!("{count} {name}s")),
            })
            .collect();
        if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") }
    }

    /// The sentence for people about the day taken as today, if it decided any finding.
    fn today_sentence(&self) -> Option<String> {
        let day = visible::one_line(self.deciding_day()?);
        Some(format!("today was taken as {day} (`--today` changes it)"))
    }

    /// What was looked at, for people.
    fn survey_lines(&self) -> String {
        let lines = self.survey.map_or(&[] as &[String], |survey| &survey.lines);
        lines.iter().map(|line| visible::one_line(line) + "\n").collect()
    }

    /// What closes a report for people.
    fn footer(&self) -> String {
        let mut footer = self.survey_lines() + &self.summary() + "\n";
        if let Some(sentence) = self.today_sentence() {
            footer += &sentence;
            footer.push('\n');
        }
        footer
    }
}

/// A place as people count: a file's name, lines and columns.
struct Region<'a> {
    file: &'a str,
    start: LineColumn,
    end: LineColumn,
}

impl<'a> Region<'a> {
    fn new(place: Place, sources: &'a Sources) -> Self {
        let file = sources.file(place.file);
        let start = file.line_column(place.start);
        Self { file: file.name(), start, end: file.line_column(place.end).max(start) }
    }
}

/// What a finding says beyond its message, each with its word: the arithmetic, the limit, the way out.
fn notes(finding: &Finding) -> impl Iterator<Item = (&'static str, String)> {
    let derivation = finding.derivation.clone();
    let limit = finding.limit.as_ref().map(|limit| {
        let crate::Limit { value, source, date } = limit;
        format!("{value} ({source}, checked {date})")
    });
    let help = finding.help.clone();
    [("derivation", derivation), ("limit", limit), ("help", help)]
        .into_iter()
        .filter_map(|(word, text)| text.map(|text| (word, text)))
}

/// The message with all notes below it, one per line.
fn message_with_notes(finding: &Finding) -> String {
    notes(finding).fold(finding.message.clone(), |text, (word, note)| format!("{text}\n{word}: {note}"))
}
