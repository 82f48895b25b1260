//! A catalog and its layout, compiled: every read and every write as data, and what can't be held.

use keyloom_model::layout::{Form, Holds, Layout, Path as LaidPath, Question, ReadsAtMost, Table};
use keyloom_model::{Action, Catalog, Class, Field, Limit, Pattern, Root, RowSize, Selection, Step};
use keyloom_store::{Abilities, Atomic, Table as Stored};

use crate::access::{self, Access, Component, Reach};
use crate::effects::{Does, WritePlan, writes};
use crate::horizons::Horizons;
use crate::legality::objections;
use crate::question::{Asked, Wants, questions, questions_of_copies, target};
use crate::refusal::{Because, Refusal, What};
use crate::stored::{Companions, copied_kind, rows_of, stored, system_tables};
use crate::test::Fixed;

/// How many pages are read at most to fill one where something remains to be tested.
pub const PAGES_MAX: u64 = 10;

/// What a catalog and a layout come to on an engine.
#[derive(Debug, Clone)]
pub struct Program {
    /// What is asked for.
    pub catalog: Catalog,
    /// How it is stored, with all that can be computed: classes, columns, paths.
    pub layout: Layout,
    /// What the engine is able to.
    pub abilities: Abilities,
    /// How the companions of a decision are brought about.
    pub companions: Companions,
    /// The times of the protocol.
    pub horizons: Horizons,
    /// The tables that Keyloom keeps for itself.
    pub system: Vec<Stored>,
    /// The tables of the layout, in its order, as the store makes them.
    pub tables: Vec<Stored>,
    /// How each question is answered.
    pub reads: Vec<ReadPlan>,
    /// What each write does.
    pub writes: Vec<WritePlan>,
    /// What can't be held.
    pub refusals: Vec<Refusal>,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPlan {
    /// The question.
    pub asked: Asked,
    /// The table and the rows.
    pub access: Access,
    /// The bound that one call holds; `None` where the run time walks a whole group.
    pub at_most: Option<ReadsAtMost>,
}

impl Program {
    /// Compiles a catalog and its layout for an engine. It never stops at the first fault: what was understood is there,
    /// and what was not is refused.
    pub fn compile(catalog: &Catalog, layout: &Layout, abilities: &Abilities) -> Self {
        let companions = Companions::of(abilities);
        let mut refusals = impossible(catalog, abilities);
        let mut layout = layout.clone();
        sources(catalog, &mut layout, &mut refusals);
        let mut reads = Vec::new();
        let of_copies = questions_of_copies(catalog, &layout);
        let others = questions(catalog).into_iter().filter(|asked| !is_among(&of_copies, asked));
        for asked in others.chain(targets(catalog)).chain(of_copies.clone()) {
            let known = refusals.iter().any(|refusal| refusal.of(&asked.question));
            let found = match is_among(&of_copies, &asked) {
                true => answer(catalog, &supporting(&layout, companions, &asked), &asked),
                false => answer(catalog, &layout, &asked),
            };
            match found {
                Ok(access) => {
                    let at_most = at_most(catalog, &asked, &access);
                    let write = matches!(asked.wants, Wants::Row) && asked.returns.is_empty();
                    if at_most.is_none() && !matches!(asked.wants, Wants::All) && !write && !known {
                        refusals.push(Refusal::of_question(&asked.question, Because::Layout, What::Unbounded));
                    }
                    reads.push(ReadPlan { asked, access, at_most });
                }
                Err(what) if !known => refusals.push(Refusal::of_question(&asked.question, Because::Layout, what)),
                Err(_) => {}
            }
        }
        columns(catalog, &mut layout, &reads);
        let writes = writes(catalog, &layout, companions);
        transactions(catalog, abilities, &writes, &mut refusals);
        let mut tables = Vec::new();
        for table in &layout.tables {
            let uncopied = table.copies.iter().find(|copied| copied_kind(catalog, &layout, &copied.path).is_none());
            if let Some(copied) = uncopied {
                let what = What::NoCopy(copied.path.clone());
                refusals.push(Refusal::of_table(&table.name, Because::Layout, what));
                continue;
            }
            let Some(made) = stored(catalog, &layout, companions, table) else {
                refusals.push(Refusal::of_table(&table.name, Because::Layout, What::NotMade));
                continue;
            };
            sizes(catalog, abilities, table, &mut refusals);
            tables.push(made);
        }
        refusals.extend(objections(&layout, abilities, &reads, &tables));
        let system = system_tables(catalog, &layout, companions);
        let horizons = Horizons::of(catalog, &layout);
        refusals.extend(horizons.refusals());
        let abilities = abilities.clone();
        Self {
            catalog: catalog.clone(),
            layout,
            abilities,
            companions,
            horizons,
            system,
            tables,
            reads,
            writes,
            refusals,
        }
    }

    /// The plan of a question.
    pub fn read(&self, question: &Question) -> Option<&ReadPlan> {
        self.reads.iter().find(|plan| plan.asked.question == *question)
    }

    /// The plans of a pattern's reads, those of its `with` included.
    pub fn reads_of<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = &'a ReadPlan> {
        self.reads
            .iter()
            .filter(move |plan| matches!(&plan.asked.question, Question::Pattern { pattern: of, .. } if of == pattern))
    }

    /// The plans of a pattern's writes.
    pub fn writes_of<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = &'a WritePlan> {
        self.writes.iter().filter(move |plan| plan.pattern == pattern)
    }

    /// All tables that the store makes, Keyloom's own first.
    pub fn all_tables(&self) -> impl Iterator<Item = &Stored> {
        self.system.iter().chain(&self.tables)
    }
}

/// What no layout could hold on this engine.
pub fn impossible(catalog: &Catalog, abilities: &Abilities) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for pattern in &catalog.patterns {
        if let Action::Atomic(steps) = &pattern.action
            && abilities.atomic == Atomic::Row
            && let Some(rows) = decided_together(catalog, steps)
        {
            let what = What::Together { rows, engine: abilities.engine };
            refusals.push(Refusal::of_pattern(&pattern.name, Because::Engine, what));
        }
    }
    for part in &catalog.entities {
        let loose = |field: &Field| !field.reference.as_ref().is_some_and(|to| to.must_exist);
        if let Some((field, whole)) = part.felled_by(catalog).filter(|(field, _)| loose(field)) {
            let what = What::LooseParts { whole: whole.name.clone(), field: field.name.clone() };
            refusals.push(Refusal::of_entity(&part.name, Because::Engine, what));
        }
    }
    for asked in questions(catalog) {
        let Some(entity) = catalog.entity(&asked.entity) else { continue };
        if let Some(path) = asked.elsewhere(entity) {
            refusals.push(Refusal::of_question(&asked.question, Because::Engine, What::Elsewhere(path)));
        } else if let Some((path, field)) = asked.dangling(catalog, entity) {
            refusals.push(Refusal::of_question(&asked.question, Because::Engine, What::Dangling { path, field }));
        } else if let Some(edge) = asked.unbounded_edge() {
            refusals.push(Refusal::of_question(&asked.question, Because::Engine, What::Edge(edge)));
        } else if matches!(asked.wants, Wants::Count { up_to: u64::MAX }) && group_worst(catalog, &asked).is_none() {
            refusals.push(Refusal::of_question(&asked.question, Because::Engine, What::Unbounded));
        }
    }
    refusals.dedup();
    refusals
}

/// How many decided rows an atomic changes or looks at together, where that is more than one.
fn decided_together(catalog: &Catalog, steps: &[Step]) -> Option<u64> {
    let mut rows = 0_u64;
    for step in steps {
        let (entity, each) = match step {
            Step::Write { each, write } => (&write.entity, each),
            Step::Check { each, entity, .. } => (entity, each),
        };
        // What is only appended follows the one row that decides. Its class is decided only because it is written here.
        let appended = catalog.entity(entity).is_some_and(|entity| entity.append_only && entity.unique.is_empty());
        if !appended {
            rows = rows.saturating_add(each.as_ref().map_or(1, |each| each.max));
        }
    }
    (rows > 1).then_some(rows)
}

/// The question by which each write finds its row.
pub fn targets(catalog: &Catalog) -> Vec<Asked> {
    let of = |pattern: &Pattern| -> Vec<Asked> {
        let writes = pattern.writes();
        let alone = writes.len() == 1;
        // An atomic has several rows to find; only a single write has an address of its own.
        writes.into_iter().filter(|_| alone).filter_map(|(_, write)| target(catalog, pattern, write)).collect()
    };
    catalog.patterns.iter().flat_map(of).collect()
}

/// Looks whether every entity has its source and every unique its reservations, and fills in classes.
fn sources(catalog: &Catalog, layout: &mut Layout, refusals: &mut Vec<Refusal>) {
    for entity in &catalog.entities {
        let class = entity.class(catalog).0;
        let mut found = false;
        for table in &mut layout.tables {
            if let Holds::Source { entity: of, class: stated, .. } = &mut table.holds
                && *of == entity.name
            {
                found = true;
                if let Some(stated) = stated.filter(|stated| *stated != class) {
                    let what = What::Class { stated, computed: class };
                    refusals.push(Refusal::of_table(&table.name, Because::Layout, what));
                }
                *stated = Some(class);
            }
        }
        if !found {
            refusals.push(Refusal::of_entity(&entity.name, Because::Layout, What::NoSource));
        }
        for unique in &entity.unique {
            let reserves = |table: &Table| {
                matches!(&table.holds, Holds::Reservations { entity: of, unique: name }
                    if *of == entity.name && *name == unique.name)
            };
            if !layout.tables.iter().any(reserves) {
                let what = What::NoReservations(unique.name.clone());
                refusals.push(Refusal::of_entity(&entity.name, Because::Layout, what));
            }
        }
    }
}

fn is_among(questions: &[Asked], asked: &Asked) -> bool {
    questions.iter().any(|known| known.question == asked.question)
}

/// The tables by which rows that copy are found. Where rows follow one by one, a row stands there before it looks at what it
/// copies; so it can't be the table that holds the copy.
fn supporting(layout: &Layout, companions: Companions, asked: &Asked) -> Layout {
    let mut layout = layout.clone();
    if let (Companions::Follow, Question::Support { entity, field }) = (companions, &asked.question) {
        let copies = |table: &Table| {
            let of = matches!(&table.holds, Holds::Projection { entity: of, .. } if of == entity);
            of && table.copies.iter().any(|copied| copied.path.own_field() == Some(field))
        };
        layout.tables.retain(|table| !copies(table));
    }
    layout
}

/// The access of a question: the one that the layout states, else the best.
fn answer(catalog: &Catalog, layout: &Layout, asked: &Asked) -> Result<Access, What> {
    let Some(stated) = stated_path(&layout.paths, &asked.question) else {
        return access::best(catalog, layout, asked).map_err(What::NoPath);
    };
    let name = stated.form.table();
    let Some(table) = layout.table(name) else { return Err(What::NoTable(name.to_owned())) };
    let not_served = |why| What::Stated { table: name.to_owned(), why };
    let access = access::serve(catalog, layout, asked, table).map_err(not_served)?;
    let same = match (&stated.form, &access.reach) {
        (Form::Get { via: None, .. }, Reach::Get { .. }) | (Form::Slice { .. }, Reach::Slice(_)) => true,
        (Form::Get { via: Some(via), .. }, Reach::Via { reservations, .. }) => via == reservations,
        _ => false,
    };
    if same { Ok(access) } else { Err(What::OtherForm(name.to_owned())) }
}

/// The path, among those of a layout, that is meant for a question: the one that says most of it.
pub fn stated_path<'a>(paths: &'a [LaidPath], question: &Question) -> Option<&'a LaidPath> {
    let Question::Pattern { pattern, with, order, sent } = question else {
        return paths.iter().find(|path| path.question == *question);
    };
    let fits = |path: &&LaidPath| match &path.question {
        Question::Pattern { pattern: p, with: w, order: o, sent: s } => {
            p == pattern && w == with && (o.is_none() || o == order) && s.iter().all(|input| sent.contains(input))
        }
        Question::Support { .. } => false,
    };
    let says = |path: &&LaidPath| match &path.question {
        Question::Pattern { order, sent, .. } => sent.len() + usize::from(order.is_some()),
        Question::Support { .. } => 0,
    };
    // Of two that say equally much, the first written counts.
    let found = paths.iter().enumerate().filter(|(_, path)| fits(path));
    found.max_by_key(|(at, path)| (says(path), std::cmp::Reverse(*at))).map(|(_, path)| path)
}

/// The bound of one call.
pub(crate) fn at_most(catalog: &Catalog, asked: &Asked, access: &Access) -> Option<ReadsAtMost> {
    let times = |reads: ReadsAtMost| ReadsAtMost {
        partitions: reads.partitions.saturating_mul(asked.batch),
        rows: reads.rows.saturating_mul(asked.batch),
    };
    let slice = match &access.reach {
        Reach::Get { .. } => return Some(times(ReadsAtMost { partitions: 1, rows: 1 })),
        Reach::Via { .. } => return Some(times(ReadsAtMost { partitions: 2, rows: 2 })),
        Reach::Slice(slice) => slice,
    };
    let (merged, each) = ranges(slice)?;
    let rows = match asked.wants {
        Wants::Row => 1,
        Wants::Rows { page, .. } if !access.remains.is_empty() => page.saturating_mul(PAGES_MAX),
        // One row more says whether there is a next page.
        Wants::Rows { page, goes_on } => page.saturating_add(u64::from(goes_on)),
        Wants::Count { up_to: u64::MAX } => group_worst(catalog, asked)?,
        Wants::Count { up_to } if !access.remains.is_empty() => up_to.saturating_mul(PAGES_MAX),
        Wants::Count { up_to } => up_to.saturating_add(1),
        Wants::All => return None,
    };
    Some(times(match walked(catalog, asked, slice)? {
        None => ReadsAtMost { partitions: merged, rows: rows.saturating_mul(each) },
        // Which buckets there are is read first. Where they hold little they are read side by side, and as many rows may be
        // too many then as are wanted.
        Some(walked) => ReadsAtMost {
            partitions: merged.checked_mul(walked.buckets.checked_add(1)?)?,
            rows: rows.saturating_mul(2).saturating_mul(each).saturating_add(walked.names),
        },
    }))
}

/// How many partitions a slice is of at most, and how many ranges of them.
fn ranges(slice: &access::Slice) -> Option<(u64, u64)> {
    let times = |all: u64, values: Option<u64>| all.checked_mul(values?);
    let mut fixed = slice.partition.iter().filter_map(|component| match component {
        Component::Field(_, to) => Some(to.values_max()),
        Component::Bucket { .. } | Component::Buckets { .. } => None,
    });
    let merged = fixed.try_fold(1, times)?;
    let mut equal = slice.equal.iter().map(|(_, to): &(String, Fixed)| to.values_max());
    let equal = equal.try_fold(1, times)?;
    Some((merged, merged.saturating_mul(equal)))
}

/// What one call reads at most of a list that is cut by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// Buckets of each group.
    pub buckets: u64,
    /// Names of buckets in all.
    pub names: u64,
}

/// What one call reads of buckets at most, where a slice is of several. A bucket has a second name where its rows last longer
/// than the first says.
///
/// `None` where that has no bound.
pub fn walked(catalog: &Catalog, asked: &Asked, slice: &access::Slice) -> Option<Option<Walked>> {
    let step = slice.partition.iter().find_map(|component| match component {
        Component::Buckets { step, .. } => Some(*step),
        Component::Bucket { .. } | Component::Field(..) => None,
    });
    let Some(step) = step else { return Some(None) };
    let (buckets, (_, each)) = (buckets(catalog, asked, step)?, ranges(slice)?);
    Some(Some(Walked { buckets, names: buckets.saturating_mul(2).saturating_mul(each) }))
}

/// How many buckets a page reads at most where neither its pattern nor the end of rows says how far back it looks.
const BUCKETS_ASSUMED: u64 = 64;

/// How many buckets of a group one call reads at most: as far as the pattern looks back, or as far as rows are kept. A page of
/// which nobody says so ends after some of them, and the next goes on.
fn buckets(catalog: &Catalog, asked: &Asked, step: keyloom_model::layout::Bucket) -> Option<u64> {
    let selection = selection(catalog, asked)?;
    let span = selection.span.and_then(|span| span.worst).or_else(|| catalog.entity(&asked.entity)?.kept_for());
    // A span that begins and ends within a step touches one more of them.
    let touched = span.map(|span| span.milliseconds() / step.unit().milliseconds() + 2);
    touched.or(match asked.wants {
        Wants::Rows { goes_on: true, .. } => Some(BUCKETS_ASSUMED),
        Wants::Rows { goes_on: false, .. } | Wants::Row | Wants::Count { .. } | Wants::All => None,
    })
}

/// The selection of a question's pattern.
pub fn selection<'a>(catalog: &'a Catalog, asked: &Asked) -> Option<&'a Selection> {
    let Question::Pattern { pattern, with, .. } = &asked.question else { return None };
    let pattern = catalog.pattern(pattern)?;
    match with {
        None => pattern.selection(),
        Some(with) => {
            let with = pattern.read()?.with.iter().find(|known| known.name == *with)?;
            Some(&with.read.selection)
        }
    }
}

fn group_worst(catalog: &Catalog, asked: &Asked) -> Option<u64> {
    catalog.group_size(selection(catalog, asked)?)?.rows.worst
}

/// Fills in the columns of tables that do not state them.
pub(crate) fn columns(catalog: &Catalog, layout: &mut Layout, reads: &[ReadPlan]) {
    for table in &mut layout.tables {
        if table.columns.is_some() {
            continue;
        }
        let Some(entity) = rows_of(catalog, table).and_then(|entity| catalog.entity(entity)) else { continue };
        let in_key = |name: &String| {
            table
                .partition
                .parts()
                .iter()
                .any(|part| matches!(part, keyloom_model::layout::Part::Field(field) if field == name))
                || table.sort.iter().any(|item| item.field == *name)
        };
        let columns = match &table.holds {
            Holds::Source { .. } => {
                let own = entity.fields.iter().filter(|field| !crate::question::is_kept(entity, &field.name));
                own.map(|field| field.name.clone()).filter(|name| !in_key(name)).collect()
            }
            Holds::Projection { .. } | Holds::Newest { .. } => {
                let served: Vec<(&Asked, &Access)> = reads
                    .iter()
                    .filter(|plan| plan.access.table == table.name)
                    .map(|plan| (&plan.asked, &plan.access))
                    .collect();
                access::needed(catalog, entity, table, &served)
            }
            // What these hold beside their key is Keyloom's own.
            Holds::Reservations { .. } | Holds::Kept { .. } | Holds::Contributions(_) | Holds::Numbers { .. } => {
                continue;
            }
        };
        table.columns = Some(columns);
    }
}

/// Looks whether a decision and what rides along fit into one transaction.
pub(crate) fn transactions(
    catalog: &Catalog,
    abilities: &Abilities,
    writes: &[WritePlan],
    refusals: &mut Vec<Refusal>,
) {
    let Atomic::Rows { rows_max, .. } = abilities.atomic else { return };
    for pattern in &catalog.patterns {
        let atomic = matches!(pattern.action, Action::Atomic(_));
        let plans = writes.iter().filter(|plan| plan.pattern == pattern.name && plan.class == Class::Decided);
        let rows = plans.map(|plan| {
            // A batch is so many decisions; the steps of an atomic are one.
            let times = if atomic { plan.times_max } else { 1 };
            plan.effects.iter().map(|effect| effect.does.rows_along()).sum::<u64>().saturating_mul(times)
        });
        let rows: u64 = rows.fold(0, u64::saturating_add);
        if rows > u64::from(rows_max) {
            let what = What::Transaction { rows, max: u64::from(rows_max), engine: abilities.engine };
            refusals.push(Refusal::of_pattern(&pattern.name, Because::Engine, what));
        }
    }
}

impl Does {
    /// How many rows it has in a transaction at most.
    pub fn rows_along(&self) -> u64 {
        use keyloom_model::layout::{Keeper, Way};
        match self {
            Self::Decides(_) | Self::Puts(Keeper::Carried) | Self::Removes(Keeper::Carried) => 1,
            Self::Reserves | Self::Frees | Self::Adds { rides: false } => 1,
            Self::Checks { held: true } | Self::Copies { held: true } => 1,
            Self::Moves(Keeper::Carried) | Self::Exchanges => 2,
            // What is counted again is decided along with the row, and so is what it contributes.
            Self::Keeps(Way::Rider | Way::Recount) | Self::Contributes | Self::Numbers => 1,
            Self::Places | Self::Clears | Self::Puts(_) | Self::Moves(_) | Self::Removes(_) => 0,
            Self::Checks { held: false } | Self::Copies { held: false } | Self::Adds { rides: true } => 0,
            Self::Keeps(Way::Newest) | Self::Touches | Self::Marks | Self::MarksEnd | Self::Registers => 0,
            Self::Names => 0,
        }
    }
}

/// Looks whether keys and rows fit, by what the types allow at most.
pub(crate) fn sizes(catalog: &Catalog, abilities: &Abilities, table: &Table, refusals: &mut Vec<Refusal>) {
    let Some(entity) = rows_of(catalog, table).and_then(|entity| catalog.entity(entity)) else { return };
    let worst = |field: &str| {
        let tenant = catalog.tenant.as_ref().filter(|tenant| tenant.field == field).map(|tenant| &tenant.ty);
        let ty = tenant.or_else(|| entity.field(field).map(|field| &field.ty));
        ty.map_or(0, |ty| RowSize::of_type(catalog, ty).worst)
    };
    let partition: u64 = table.partition.parts().iter().map(|part| worst(part.field())).sum();
    let sort: u64 = table.sort.iter().map(|item| worst(&item.field)).sum();
    let copied = table.copies.iter().map(|copied| match &copied.path.root {
        Root::Reference { entity, .. } => {
            let field = catalog.entity(entity).and_then(|other| other.field(&copied.path.field));
            field.map_or(0, |field| RowSize::of_type(catalog, &field.ty).worst)
        }
        _ => 0,
    });
    let own = table.columns.iter().flatten().map(|column| worst(column));
    let row: u64 = own.chain(copied).fold(partition + sort, u64::saturating_add);
    let limits = &abilities.limits;
    let engine = abilities.engine;
    let mut refuse = |part, bytes: u64, max: u64| {
        if bytes > max {
            let what = What::TooLarge { part, bytes, max, engine };
            refusals.push(Refusal::of_table(&table.name, Because::Engine, what));
        }
    };
    refuse("partition key", partition, limits.partition_key_bytes_max.into());
    refuse("sort key", sort, limits.sort_key_bytes_max.into());
    refuse("row", row, limits.row_bytes_max);
}

/// The largest page where a pattern states none.
pub const PAGE_ASSUMED: u64 = Limit::ASSUMED_ROWS;
