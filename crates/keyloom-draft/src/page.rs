//! The file: what was taken, the entities, the patterns, and what was left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use keyloom_finding::{Level, Place, Sources as Files};
use keyloom_text::Unreadable;

use crate::entity::Entity;
use crate::gather::Gathered;
use crate::kinship::{Family, Together, reason};
use crate::names::counted;
use crate::pattern::{Action, Pattern, Read, ReadVerb};
use crate::print::{clean, comment, field, pattern};
use crate::questions::{asks_span, groups, questions};
use crate::source::Sources;
use crate::types::Structs;

/// Everything that stands in the file beside the patterns.
pub(crate) struct Page<'a, 's> {
    pub(crate) sources: &'a Sources<'s>,
    pub(crate) families: &'a [Family<'s>],
    pub(crate) together: &'a Together,
    pub(crate) structs: &'a Structs,
    pub(crate) entities: &'a [Entity],
    pub(crate) name: &'a str,
    pub(crate) place: &'a dyn Fn(Place) -> String,
}

/// How many places of one pattern are named, and how many statements that were left out.
const PLACES_MAX: usize = 3;
const LEFT_OUT_MAX: usize = 60;
/// How many questions stand at the top of the file.
const TOP_MAX: usize = 5;

impl Page<'_, '_> {
    /// Which tables were taken for projections of which, and why.
    pub(crate) fn projections(&self) -> Vec<String> {
        let sentence = |family: &Family<'_>| -> Vec<String> {
            let base = self.sources.all[family.base].name();
            let others = family.others.iter().map(|(at, kinship)| {
                let why = reason(self.sources, *at, *kinship, family, self.together);
                format!("{} is read as a projection of {base}: {why}", self.sources.all[*at].name())
            });
            others.collect()
        };
        self.families.iter().flat_map(sentence).collect()
    }

    /// Prints the file, canonically.
    pub(crate) fn print(&self, gathered: &Gathered, titles: &[String]) -> String {
        let mut out = String::new();
        self.head(&mut out, gathered, titles);
        let name = crate::names::snake(self.name, "catalog");
        let _ = writeln!(out, "language: 1\ncatalog: {name}\ncomplete: false");
        self.types(&mut out);
        self.entities(&mut out, gathered);
        self.patterns(&mut out, gathered, titles);
        self.tail(&mut out, gathered);
        let mut files = Files::default();
        let file = files.add("catalog.yaml", &out);
        keyloom_text::format(&files, file).unwrap_or(out)
    }

    fn head(&self, out: &mut String, gathered: &Gathered, titles: &[String]) {
        let tables = self.sources.all.iter().filter(|source| !source.is_static).count();
        let statements: usize = gathered.patterns.iter().map(|pattern| pattern.callers.len()).sum();
        let became = format!(
            "Written by keyloom init --from: {} became {}, {} became {}.",
            counted(tables, "table"),
            counted(self.entities.len(), "entity"),
            counted(statements, "statement"),
            counted(gathered.patterns.len(), "pattern"),
        );
        comment(out, 0, &became);
        let how = "What no schema tells is asked for in comments: uncomment the line and put a number for each `?`.";
        comment(out, 0, how);
        let asked = questions(self.entities, &gathered.patterns, titles);
        if !asked.is_empty() {
            comment(out, 0, &format!("{}; the first of them:", counted(asked.len(), "question")));
        }
        for (at, question) in asked.iter().take(TOP_MAX).enumerate() {
            let _ = writeln!(out, "#   {}. {}: {}", at + 1, question.path, question.text);
        }
        let placeholders = self.entities.iter().flat_map(|entity| &entity.fields);
        let placeholders = placeholders.filter(|field| field.kind.has_placeholder()).count();
        if placeholders > 0 {
            comment(
                out,
                0,
                &format!(
                    "The language has no text without a size: {placeholders} fields that end in `# ?` hold placeholders, not knowledge."
                ),
            );
        }
        out.push('\n');
    }

    fn types(&self, out: &mut String) {
        if self.structs.all.is_empty() {
            return;
        }
        out.push_str("types:\n");
        for (name, members) in &self.structs.all {
            let _ = writeln!(out, "  {name}:");
            for (member, kind) in members {
                let mark = if kind.has_placeholder() { format!("  # ? {}", kind.asks()) } else { String::new() };
                let _ = writeln!(out, "    {member}: {kind}?{mark}");
            }
        }
    }

    fn entities(&self, out: &mut String, gathered: &Gathered) {
        if self.entities.is_empty() {
            return;
        }
        out.push_str("entities:\n");
        let groups = groups(self.entities, &gathered.patterns);
        for (at, ((entity, family), groups)) in self.entities.iter().zip(self.families).zip(&groups).enumerate() {
            if at > 0 {
                out.push('\n');
            }
            self.about(out, entity, family);
            let _ = writeln!(out, "  {}:", entity.name);
            let key: Vec<&str> = entity.key.iter().map(|at| entity.fields[*at].name.as_str()).collect();
            let _ = writeln!(out, "    key: [{}]", key.join(", "));
            out.push_str("    fields:\n");
            for own in &entity.fields {
                let mark = own.kind.has_placeholder().then(|| format!("? {}", own.kind.asks()));
                let marks: Vec<String> = mark.into_iter().chain(own.note.clone()).collect();
                let marks = if marks.is_empty() { String::new() } else { format!("  # {}", clean(&marks.join("; "))) };
                let _ = writeln!(out, "      {}: {}{marks}", own.name, field(own));
            }
            if !entity.unique.is_empty() {
                out.push_str("    unique:\n");
            }
            for (reason, fields, table) in &entity.unique {
                let names: Vec<&str> = fields.iter().map(|at| entity.fields[*at].name.as_str()).collect();
                let table_name = self.sources.all[*table].name();
                let mark = if gathered.guarded.contains(table) {
                    format!("{table_name} is written IF NOT EXISTS")
                } else {
                    format!("{table_name} has one row for each, and nothing enforces it today")
                };
                let _ = writeln!(out, "      {reason}: [{}]  # {}", names.join(", "), clean(&mark));
            }
            if let Some(expires) = &entity.expires {
                let _ = writeln!(out, "    expires: {expires}  # the time to live of today");
            }
            out.push_str("    # volume: { rows: ?, growth: ?/day }  # how many rows are there, and how many come?\n");
            if !groups.is_empty() {
                out.push_str("    # groups:\n");
            }
            for group in groups {
                let quoted = if group.contains(',') { format!("\"{group}\"") } else { group.clone() };
                let _ = writeln!(out, "    #   {quoted}: ? / ? / ?  # rows of one group: typical / p99 / worst");
            }
            if entity.expires.is_none() {
                out.push_str("    # expires: ?  # when does a row end? `forever` is an answer\n");
            }
        }
    }

    /// Which tables an entity comes from, and what was thought of their keys.
    fn about(&self, out: &mut String, entity: &Entity, family: &Family<'_>) {
        let base = &self.sources.all[family.base];
        let part = if base.is_static { "what all rows of a partition share in " } else { "" };
        comment(out, 2, &format!("{part}{}", base.table.full_name()));
        for (at, kinship) in &family.others {
            let why = reason(self.sources, *at, *kinship, family, self.together);
            comment(out, 2, &format!("{} is read as a projection of it: {why}", self.sources.all[*at].name()));
        }
        let members = std::iter::once(family.base).chain(family.others.iter().map(|(at, _)| *at));
        let mut buckets: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for at in members {
            buckets.extend(self.sources.all[at].buckets.iter().copied());
        }
        for (bucket, of) in buckets {
            let of = of.map_or_else(String::new, |of| format!(" of {of}"));
            comment(
                out,
                2,
                &format!("{bucket} was taken for a bucket{of}: how rows are spread is the layout's business"),
            );
        }
        let beside = base.key.iter().filter_map(|column| entity.field(&column.name));
        let beside: Vec<&str> = beside
            .filter(|field| !entity.key.contains(field))
            .map(|field| entity.fields[field].name.as_str())
            .collect();
        if !beside.is_empty() {
            let key: Vec<&str> = entity.key.iter().map(|at| entity.fields[*at].name.as_str()).collect();
            let said = format!(
                "[{}] {} in the key of {} to find and to sort rows; [{}] tells them apart",
                beside.join(", "),
                if beside.len() == 1 { "stands" } else { "stand" },
                base.name(),
                key.join(", ")
            );
            comment(out, 2, &said);
        }
        if base.has_counters() {
            comment(
                out,
                2,
                "counters: if they count rows of another entity, a rollup or `= count of ..` keeps them by itself",
            );
        }
    }

    fn patterns(&self, out: &mut String, gathered: &Gathered, titles: &[String]) {
        if gathered.patterns.is_empty() {
            return;
        }
        let mut has_inserts = vec![false; self.entities.len()];
        for pattern in &gathered.patterns {
            match &pattern.action {
                Action::Insert(_) => has_inserts[pattern.entity] = true,
                Action::Atomic(steps) => {
                    for (entity, _) in steps.iter().filter(|(_, action)| matches!(action, Action::Insert(_))) {
                        has_inserts[*entity] = true;
                    }
                }
                _ => {}
            }
        }
        out.push_str("patterns:\n");
        for (at, (pattern_, title)) in gathered.patterns.iter().zip(titles).enumerate() {
            if at > 0 {
                out.push('\n');
            }
            self.told(out, pattern_);
            let _ = writeln!(out, "  {title}:");
            for line in pattern(self.entities, pattern_.entity, &pattern_.action, &has_inserts) {
                let _ = writeln!(out, "    {line}");
            }
            out.push_str("    # rate: ?/s  # how often, at the peak?\n");
            if let Action::Read(read) = &pattern_.action {
                ask_read(out, &self.entities[pattern_.entity], read);
            }
        }
    }

    /// Where a pattern comes from, and what was thought of it.
    fn told(&self, out: &mut String, pattern: &Pattern) {
        let mut places: Vec<String> = Vec::new();
        for caller in &pattern.callers {
            let place = (self.place)(caller.place);
            let said = match &caller.function {
                Some(function) => format!("{function} in {place}"),
                None => place,
            };
            if !places.contains(&said) {
                places.push(said);
            }
        }
        let more = places.len().saturating_sub(PLACES_MAX);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        places.truncate(PLACES_MAX);
        comment(out, 2, &format!("{}{more}", places.join(", ")));
        for note in &pattern.notes {
            comment(out, 2, note);
        }
    }

    fn tail(&self, out: &mut String, gathered: &Gathered) {
        if !gathered.left_out.is_empty() {
            out.push('\n');
            comment(out, 0, &format!("{} became no pattern:", counted(gathered.left_out.len(), "statement")));
            let lines = gathered.left_out.iter().map(|(place, why)| clean(&format!("{}: {why}", (self.place)(*place))));
            let mut lines: Vec<String> = lines.collect();
            lines.dedup();
            for line in lines.iter().take(LEFT_OUT_MAX) {
                let _ = writeln!(out, "#   {line}");
            }
            let more = lines.len().saturating_sub(LEFT_OUT_MAX);
            if more > 0 {
                comment(out, 0, &format!("  and {more} more"));
            }
        }
        if gathered.passed_over > 0 {
            comment(out, 0, &format!("{} statements of tests and migrations were passed over.", gathered.passed_over));
        }
    }
}

fn ask_read(out: &mut String, entity: &Entity, read: &Read) {
    if read.several {
        let line = if read.verb == ReadVerb::Get { "batch: ?  # it is" } else { "each of several values is" };
        let _ = writeln!(out, "    # {line} asked for in one statement (IN): how many at most?");
    }
    if read.verb == ReadVerb::List && read.first.is_none() && read.page.is_none() {
        out.push_str("    # page: ?  # how many rows does a caller take at a time?\n");
    }
    if asks_span(entity, read) {
        out.push_str("    # span: ? day / ? days / ? days  # how wide is the range: typical / p99 / worst?\n");
    }
}

/// The patterns that the language does not take, by position, each with the reason.
pub(crate) fn refused(text: &str, titles: &[String]) -> Vec<(usize, String)> {
    struct One<'t>(&'t str);
    impl keyloom_text::Files for One<'_> {
        fn open(&self, _name: &str) -> Result<String, Unreadable> {
            Ok(self.0.to_owned())
        }
    }
    let mut files = Files::default();
    let reading = keyloom_text::read("catalog.yaml", &One(text), &mut files);
    let mut starts: Vec<(u32, usize)> = titles
        .iter()
        .enumerate()
        .filter_map(|(at, title)| Some((reading.places.key(&format!("patterns.{title}"))?.start, at)))
        .collect();
    starts.sort_unstable();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    for finding in reading.findings.iter().filter(|finding| finding.level == Level::Error) {
        let Some(place) = finding.place else { continue };
        let before = starts.partition_point(|(start, _)| *start <= place.start);
        if let Some((_, at)) = before.checked_sub(1).map(|last| starts[last]) {
            refused.entry(at).or_insert_with(|| format!("the language does not take it: {}", finding.message));
        }
    }
    refused.into_iter().collect()
}
