//! `keyloom.toml`: what a repository denies, allows and leaves out.

use keyloom_finding::{FileId, Finding, Level, Place, Sources};
use keyloom_model::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::registry;
use crate::rules::bad_config;

/// What `keyloom.toml` and the flags say.
#[derive(Debug, Clone)]
pub struct Config {
    /// The level from which a finding fails the build.
    pub deny: Level,
    /// Findings that the repository accepts.
    pub allow: Vec<ConfigAllow>,
    /// Files that are not reviewed, as patterns of paths.
    pub exclude: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { deny: Level::Error, allow: Vec::new(), exclude: Vec::new() }
    }
}

/// One allowance of a repository.
#[derive(Debug, Clone)]
pub struct ConfigAllow {
    /// The rule.
    pub rule: String,
    /// The last day on which it holds.
    pub until: Option<Date>,
    /// In which files, as patterns of paths; none means in all.
    pub paths: Vec<String>,
    /// Written in `keyloom.toml`, rather than given as a flag.
    pub from_file: bool,
    /// Where it is written.
    pub place: Option<Place>,
}

impl ConfigAllow {
    /// An allowance given as a flag.
    pub fn flag(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), until: None, paths: Vec::new(), from_file: false, place: None }
    }

    /// Whether it covers findings in this file.
    pub(crate) fn covers(&self, file: Option<&str>) -> bool {
        self.paths.is_empty()
            || file.is_some_and(|file| self.paths.iter().any(|path| fast_glob::glob_match(path, file)))
    }
}

impl Config {
    /// Reads the file's text. What is wrong with it is a finding each; the rest holds.
    ///
    /// ```
    /// use keyloom_check::Config;
    /// use keyloom_finding::{Level, Sources};
    ///
    /// let mut sources = Sources::default();
    /// let file = sources.add("keyloom.toml", "deny = \"warning\"");
    /// let (config, findings) = Config::read(&sources, file);
    /// assert_eq!(config.deny, Level::Warning);
    /// assert!(findings.is_empty());
    /// ```
    pub fn read(sources: &Sources, file: FileId) -> (Self, Vec<Finding>) {
        let mut reader = ConfigReader { file, findings: Vec::new() };
        let mut config = Self::default();
        match DeTable::parse(sources.file(file).text()) {
            Ok(table) => reader.table(table.get_ref(), &mut config),
            Err(error) => {
                let place = Place::new(file, error.span().unwrap_or(0..0));
                reader.findings.push(bad_config::finding(
                    place,
                    error.message().to_owned(),
                    "a setting is written `deny = \"warning\"`",
                ));
            }
        }
        (config, reader.findings)
    }

    /// Whether a file is left out of the review.
    pub fn excludes(&self, file: &str) -> bool {
        self.exclude.iter().any(|pattern| fast_glob::glob_match(pattern, file))
    }
}

struct ConfigReader {
    file: FileId,
    findings: Vec<Finding>,
}

impl ConfigReader {
    fn fault(&mut self, span: std::ops::Range<usize>, message: impl Into<String>, help: &str) {
        self.findings.push(bad_config::finding(Place::new(self.file, span), message.into(), help));
    }

    fn table(&mut self, table: &DeTable<'_>, config: &mut Config) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "deny" => match self.text(value).and_then(|name| Level::from_name(&name)) {
                    Some(level) => config.deny = level,
                    None => self.fault(value.span(), "`deny` is a level", "write \"error\", \"warning\" or \"note\""),
                },
                "allow" => self.allows(value, config),
                "exclude" => config.exclude = self.texts(value, "exclude"),
                other => {
                    self.fault(key.span(), format!("there is no setting `{other}`"), "there are: deny, allow, exclude");
                }
            }
        }
    }

    fn allows(&mut self, value: &Spanned<DeValue<'_>>, config: &mut Config) {
        const EXAMPLE: &str = "write [[allow]] with rule and because, and if you like until and paths";
        let DeValue::Array(items) = value.get_ref() else {
            self.fault(value.span(), "`allow` is a list", EXAMPLE);
            return;
        };
        for item in items {
            let DeValue::Table(table) = item.get_ref() else {
                self.fault(item.span(), "an allowance is a table", EXAMPLE);
                continue;
            };
            config.allow.extend(self.allow(table, item.span()));
        }
    }

    fn allow(&mut self, table: &DeTable<'_>, span: std::ops::Range<usize>) -> Option<ConfigAllow> {
        let mut allow =
            ConfigAllow { from_file: true, place: Some(Place::new(self.file, span.clone())), ..ConfigAllow::flag("") };
        let mut because = false;
        let before = self.findings.len();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "rule" => match self.text(value) {
                    Some(rule) => {
                        allow.place = Some(Place::new(self.file, value.span()));
                        allow.rule = rule;
                    }
                    None => self.fault(value.span(), "`rule` is a name", "write rule = \"missing-rate\""),
                },
                "because" => because = self.text(value).is_some_and(|text| !text.trim().is_empty()),
                "until" => match self.date(value) {
                    Some(date) => allow.until = Some(date),
                    None => self.fault(value.span(), "`until` is a day", "write until = \"2026-12-31\""),
                },
                "paths" => allow.paths = self.texts(value, "paths"),
                other => {
                    self.fault(
                        key.span(),
                        format!("an allowance has no `{other}`"),
                        "it has: rule, because, until, paths",
                    );
                }
            }
        }
        if allow.rule.is_empty() && self.findings.len() == before {
            self.fault(span.clone(), "this allowance names no rule", "add rule = \"missing-rate\"");
        }
        if !because && self.findings.len() == before {
            self.fault(span, format!("this allowance of {} gives no reason", allow.rule), "add because = \"...\"");
        }
        (self.findings.len() == before).then_some(allow)
    }

    fn text(&self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        }
    }

    fn date(&self, value: &Spanned<DeValue<'_>>) -> Option<Date> {
        match value.get_ref() {
            DeValue::String(text) => Date::parse(text),
            DeValue::Datetime(date) => Date::parse(&date.to_string()),
            _ => None,
        }
    }

    fn texts(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Vec<String> {
        let DeValue::Array(items) = value.get_ref() else {
            self.fault(value.span(), format!("`{key}` is a list of paths"), "write [\"old/**\"]");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match self.text(item) {
                Some(text) => texts.push(text),
                None => self.fault(item.span(), "a path is text", "write it in quotes"),
            }
        }
        texts
    }
}

/// The rule that was probably meant.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    keyloom_text::nearest(name, registry::all_rules().into_iter().map(|rule| rule.name))
}
