use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::HOLE;
use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::{Keyspace, Lookup, Made, Table, View};
use keyloom_finding::{FileId, Level, Sources};
use keyloom_survey::{Role, Survey, SurveyFaultKind, Use};

use crate::meaning::{is_bookkeeping, is_of_tests};
use crate::reading::columns_named;
use crate::reads::{restricted, statements};

/// What a rule over a survey may look at.
pub struct SurveyContext<'a> {
    /// The survey.
    pub survey: &'a Survey,
    /// The files that it points into.
    sources: &'a Sources,
    /// How often each table is named in all surveys of the repository, and how often in this one.
    mentions: &'a Mentions<'a>,
    own_mentions: Mentions<'a>,
    /// The names of tables in statements that do not lead to one table for sure.
    loose: BTreeSet<&'a str>,
    /// Those in which holes stand, with the columns that their statements name, and how often that is so.
    holed: BTreeMap<(&'a str, Vec<&'a str>), usize>,
    /// The uses of each table, by keyspace and name; those inside of a batch too.
    uses: BTreeMap<&'a str, BTreeMap<&'a str, Vec<TableUse<'a>>>>,
    /// The keyspaces of which most tables have statements.
    shown: BTreeSet<&'a str>,
}

/// How often statements name each table, whichever schema it belongs to.
#[derive(Default)]
pub struct Mentions<'a>(BTreeMap<&'a str, usize>);

impl<'a> Mentions<'a> {
    /// Those of some surveys.
    pub fn of(surveys: &'a [Survey]) -> Self {
        let mut mentions = Self::default();
        let uses = surveys.iter().flat_map(|survey| &survey.uses);
        for of in uses.filter(|of| of.role != Role::Test) {
            for name in statements(of).iter().filter_map(|statement| statement.kind.table()) {
                *mentions.0.entry(name.name.text.as_str()).or_default() += 1;
            }
        }
        mentions
    }

    fn count(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// A statement on one table: a use of its own, or one of those inside of a batch.
#[derive(Clone, Copy)]
pub struct TableUse<'a> {
    /// The use it belongs to.
    pub of: &'a Use,
    /// The statement on the table.
    pub kind: &'a StatementKind,
    /// From its first token to its last.
    pub span: keyloom_cql::Span,
}

impl<'a> SurveyContext<'a> {
    /// The context of one review. `mentions` are those of all surveys of the repository.
    pub fn new(survey: &'a Survey, mentions: &'a Mentions<'a>, sources: &'a Sources) -> Self {
        let mut uses: BTreeMap<_, BTreeMap<_, Vec<TableUse<'a>>>> = BTreeMap::new();
        let (mut loose, mut holed) = (BTreeSet::new(), BTreeMap::new());
        for of in &survey.uses {
            for statement in statements(of) {
                let Some(name) = statement.kind.table() else { continue };
                let found = survey.schema.find(name, of.written.keyspace.as_deref());
                let is_test = of.role == Role::Test;
                if name.name.unknown && !is_test {
                    *holed.entry((name.name.text.as_str(), columns_named(&statement.kind))).or_default() += 1;
                } else if !matches!(found, Lookup::One(_)) && !is_test {
                    loose.insert(name.name.text.as_str());
                }
                if let Lookup::One(table) = found {
                    let of_keyspace = uses.entry(table.keyspace.as_str()).or_default();
                    of_keyspace.entry(table.name.as_str()).or_default().push(TableUse {
                        of,
                        kind: &statement.kind,
                        span: statement.span,
                    });
                }
            }
        }
        loose.extend(survey.coverage.contested.iter().map(String::as_str));
        let own_mentions = Mentions::of(std::slice::from_ref(survey));
        let shown = BTreeSet::new();
        let mut context = Self { survey, sources, mentions, own_mentions, loose, holed, uses, shown };
        let keyspaces = survey.schema.keyspaces.iter();
        context.shown = keyspaces
            .filter(|(_, keyspace)| context.has_statements_on_most(keyspace))
            .map(|(name, _)| name.as_str())
            .collect();
        context
    }

    fn has_statements_on_most(&self, keyspace: &Keyspace) -> bool {
        let tables = || keyspace.tables.values().filter(|table| self.is_own(table));
        let used = tables().filter(|table| !self.uses_in_life(table).is_empty()).count();
        used >= 2 && used * 2 >= tables().count()
    }

    /// Whether a keyspace shows its statements. Programs that reach their tables by a mapper show few: then nothing follows
    /// from what is not seen.
    pub(crate) fn shows_its_statements(&self, keyspace: &str) -> bool {
        self.shown.contains(keyspace)
    }

    /// The tables, without views, by keyspace and name.
    pub fn tables(&self) -> impl Iterator<Item = &'a Table> {
        self.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values())
    }

    /// The tables that a service may keep its rows in: neither those of tests, nor those of a migration tool or the server.
    pub(crate) fn own_tables(&self) -> impl Iterator<Item = &'a Table> {
        self.tables().filter(|table| self.is_own(table))
    }

    /// Whether a table is one of those.
    pub(crate) fn is_own(&self, table: &Table) -> bool {
        !is_bookkeeping(table) && !self.is_for_tests(table)
    }

    /// Whether a table serves tests.
    pub(crate) fn is_for_tests(&self, table: &Table) -> bool {
        // A dump of a test cluster may be the only schema there is.
        let mixed = || self.survey.schema.keyspaces.keys().any(|keyspace| !is_of_tests(keyspace));
        is_of_tests(&table.keyspace) && mixed() || self.file_of(table.made).is_some_and(is_of_tests)
    }

    /// The statements on a table or view.
    pub fn uses(&self, table: &Table) -> &[TableUse<'a>] {
        let of_keyspace = self.uses.get(table.keyspace.as_str());
        of_keyspace.and_then(|tables| tables.get(table.name.as_str())).map_or(&[], Vec::as_slice)
    }

    /// The views that follow a table.
    pub(crate) fn views_of(&self, table: &Table) -> impl Iterator<Item = &'a View> {
        let views = self.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.views.values());
        views.filter(|view| view.base.0 == table.keyspace && view.base.1 == table.name)
    }

    /// The columns that a view asks something of before it takes a row.
    pub(crate) fn asked_by(&self, view: &View) -> Vec<&'a str> {
        match self.survey.steps.get(view.table.made.by as usize).map(|step| &step.statement.kind) {
            Some(StatementKind::CreateView(made)) => made.relations.iter().flat_map(restricted).collect(),
            _ => Vec::new(),
        }
    }

    /// The statements that show how a table lives. What a migration writes, and a row that a file of CQL writes out, is
    /// there once and says nothing of that.
    pub(crate) fn uses_in_life(&self, table: &Table) -> Vec<TableUse<'a>> {
        let once = |one: &TableUse<'_>| one.of.role == Role::Migration || one.is_seed();
        self.uses(table).iter().filter(|one| !once(one)).copied().collect()
    }

    /// How loudly to speak of a table that only its shape tells about, since none of the statements of its life is known;
    /// `None` where one is. Where those of other tables are known, it may be one that nobody uses any more.
    pub(crate) fn level_by_shape(&self, table: &Table, wanted: Level) -> Option<Level> {
        let is_known = self.uses_in_life(table).iter().any(|one| !one.is_test());
        let doubt =
            self.shows_its_statements(&table.keyspace) || self.may_be_named(table) || self.asked_of_any(table) > 0;
        (!is_known).then(|| if doubt { wanted.min(Level::Note) } else { wanted })
    }

    /// Whether all statements on a table are known: everything could be read, and no statement whose table is not known
    /// for sure may be about this one. Only then something may be concluded from what is not there.
    pub fn is_seen_whole(&self, table: &Table) -> bool {
        let coverage = &self.survey.coverage;
        let all_read =
            coverage.unread.is_empty() && !self.survey.faults.iter().any(|fault| fault.kind == SurveyFaultKind::Syntax);
        self.survey.is_whole() || (all_read && !self.may_be_named(table))
    }

    /// Whether a statement whose table is not known for sure seems to be about this one: a part of its name fits, or it leads
    /// to several tables, or it was taken for one on another schema of the repository.
    pub fn may_be_named(&self, table: &Table) -> bool {
        let elsewhere = self.mentions.count(&table.name) > self.own_mentions.count(&table.name);
        elsewhere
            || self.loose.contains(table.name.as_str())
            || self.holed.keys().any(|(name, columns)| is_told(name, table) && may_be(name, columns, table))
    }

    /// How many statements are about a table of which nothing is known, so that it may be this one. A tool that copies all
    /// tables has such statements: they are a reason to speak softly, and none to be silent.
    pub(crate) fn asked_of_any(&self, table: &Table) -> usize {
        let fits = |(name, columns): &(&str, Vec<&str>)| !is_told(name, table) && may_be(name, columns, table);
        self.holed.iter().filter(|(named, _)| fits(named)).map(|(_, count)| count).sum()
    }

    /// That, in words.
    pub(crate) fn doubt(&self, table: &Table) -> Option<String> {
        match self.asked_of_any(table) {
            0 => None,
            1 => Some("one statement whose table is not known may be about it: look there first".to_owned()),
            some => Some(format!("{some} statements whose table is not known may be about it: look there first")),
        }
    }

    /// Files with statements on tables that are known: what else they say is meant for this schema too.
    pub(crate) fn files_at_home(&self) -> BTreeSet<FileId> {
        let used = self.survey.uses.iter().filter(|of| of.resolution.access.is_some());
        used.map(|of| of.whole().file).collect()
    }

    /// The name of the file in which something of the schema was made.
    pub fn file_of(&self, made: Made) -> Option<&'a str> {
        self.survey.made(made).map(|place| self.name_of(place.file))
    }

    /// The name of a file.
    pub(crate) fn name_of(&self, file: FileId) -> &'a str {
        self.sources.file(file).name()
    }

    /// The table that a statement is about; `None` for a batch, and where the name leads to none or to several.
    pub fn table(&self, of: &Use, kind: &StatementKind) -> Option<&'a Table> {
        match self.survey.schema.find(kind.table()?, of.written.keyspace.as_deref()) {
            Lookup::One(table) => Some(table),
            Lookup::Several(_) | Lookup::None => None,
        }
    }
}

impl TableUse<'_> {
    /// Whether a statement whose table has a name with holes may be about this one.
    pub(crate) fn may_be_about(&self, table: &Table) -> bool {
        self.kind.table().is_some_and(|name| may_be(&name.name.text, &columns_named(self.kind), table))
    }
}

/// Whether a name with holes says something about which table is meant. A table whose own name only the program knows may
/// have another name elsewhere.
fn is_told(name: &str, table: &Table) -> bool {
    table.name.contains('{') || !name.split(HOLE).step_by(2).all(str::is_empty)
}

/// Whether a statement may be about a table: what stands before the first hole of its name and behind the last one fits,
/// and all columns that it names are there.
fn may_be(name: &str, columns: &[&str], table: &Table) -> bool {
    let before = name.split(HOLE).next().unwrap_or_default();
    let behind = name.rsplit(HOLE).next().unwrap_or_default();
    let is_named = table.name.starts_with(before) && table.name.ends_with(behind);
    (is_named || table.name.contains('{'))
        && (table.unknown || columns.iter().all(|column| table.column(column).is_some()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a broken example must stop the test")]
mod tests {
    use keyloom_cql::resolve::{Resolution, Verdict};
    use keyloom_finding::Place;
    use keyloom_survey::Written;

    use super::*;

    /// A survey of statements on tables that other statements make.
    fn survey(text: &str) -> Survey {
        let mut sources = Sources::default();
        let file = sources.add("a.cql", text);
        let mut survey = Survey::default();
        for statement in keyloom_cql::parse::parse(text).statements {
            let whole = Place::new(file, statement.span.bytes());
            let written = Written { statement, text: text.into(), keyspace: None, pieces: [].into(), whole };
            if written.statement.kind.table().is_some() {
                let resolution = Resolution { verdict: Verdict::Legal, access: None };
                let (role, taken) = (Role::Service, keyloom_survey::Taken::default());
                let sites = Vec::new();
                survey.uses.push(Use { written, resolution, role, site: None, sites, dynamic: false, taken });
            } else {
                survey.schema.apply(&written.statement, 0, &mut None).unwrap();
            }
        }
        survey
    }

    /// Whether all statements on the table of the first survey are known.
    fn are_known(surveys: &[Survey]) -> bool {
        let (mentions, sources) = (Mentions::of(surveys), Sources::default());
        let context = SurveyContext::new(&surveys[0], &mentions, &sources);
        let table = context.tables().next().unwrap();
        !context.may_be_named(table)
    }

    #[test]
    fn statements_that_may_be_about_a_table_stop_conclusions() {
        let table = "CREATE TABLE events_old (id int PRIMARY KEY);";
        let elsewhere = "CREATE TABLE b (id int PRIMARY KEY); SELECT id FROM b WHERE id = 1;";
        assert!(are_known(&[survey(table), survey(elsewhere)]));
        assert!(are_known(&[survey(&format!("{table} SELECT id FROM events_old WHERE id = 1;"))]));
        assert!(!are_known(&[survey(table), survey("SELECT id FROM events_old WHERE id = 1;")]));
        assert!(!are_known(&[survey(&format!("{table} SELECT id FROM events_{HOLE}x{HOLE} WHERE id = 1;"))]));
        assert!(are_known(&[survey(&format!("{table} SELECT id FROM {HOLE}x{HOLE}_new WHERE id = 1;"))]));
        assert!(are_known(&[survey(&format!("{table} INSERT INTO {HOLE}x{HOLE} (id, v) VALUES (1, 2);"))]));
    }
}
