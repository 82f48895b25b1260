use std::collections::BTreeSet;

use keyloom_finding::{Finding, Level, Place};
use keyloom_model::layout::{Holds, Layout, Part, Question, Table};
use keyloom_model::{Catalog, Engine, Entity, Pattern, RowSize};
use keyloom_plan::{Asked, Program, Reach, ReadPlan, questions, rows_of, stated_path};
use keyloom_store::Abilities;
use keyloom_text::LayoutReading;

use crate::Context;

/// A layout that was read for a catalog.
pub struct Laid {
    /// Which of the catalogs of the review it is for.
    pub catalog: usize,
    /// The layout.
    pub reading: LayoutReading,
    /// What its engine is able to; without it, only what was not understood is said.
    pub abilities: Option<Abilities>,
}

impl Laid {
    /// Whether rules can look at it: everything in it was understood, and Keyloom stores on its engine.
    pub(crate) fn is_understood(&self) -> bool {
        let understood = |finding: &Finding| finding.level < Level::Error;
        self.abilities.is_some() && !self.reading.unreadable && self.reading.findings.iter().all(understood)
    }
}

/// What a rule on layouts may look at: a catalog and its layout, both understood, and the program they compile to.
pub struct LayoutContext<'a> {
    /// The catalog's own context.
    pub base: &'a Context<'a>,
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The layout as it is written.
    pub stated: &'a Layout,
    /// What both come to. Its own layout holds what can be computed as well.
    pub program: Program,
    /// Where rows are stored.
    pub engine: Engine,
    asked: Vec<Asked>,
    reading: &'a LayoutReading,
}

impl<'a> LayoutContext<'a> {
    /// The context of a layout; `None` where nothing follows from it, because something was not understood.
    pub(crate) fn new(base: &'a Context<'a>, laid: &'a Laid) -> Option<Self> {
        let reading = &laid.reading;
        if !base.understood || !laid.is_understood() {
            return None;
        }
        let program = Program::compile(base.catalog, &reading.layout, laid.abilities.as_ref()?);
        let engine = reading.layout.engine;
        let asked = questions(base.catalog);
        Some(Self { base, catalog: base.catalog, stated: &reading.layout, program, engine, asked, reading })
    }

    /// The tables, with their columns.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.program.layout.tables.iter()
    }

    /// The tables that hold rows of the catalog as they are: sources, projections, newest rows.
    pub fn row_tables(&self) -> impl Iterator<Item = (&Table, &'a Entity)> {
        let holds_rows = |table: &&Table| {
            matches!(table.holds, Holds::Source { .. } | Holds::Projection { .. } | Holds::Newest { .. })
        };
        self.tables().filter(holds_rows).filter_map(|table| Some((table, self.entity_of(table)?)))
    }

    /// Those of them whose partitions hold many rows and are never divided, on an engine that spreads partitions over
    /// machines.
    pub fn spread_tables(&self) -> impl Iterator<Item = (&Table, &'a Entity)> {
        self.row_tables()
            .filter(|(table, _)| self.engine != Engine::Embedded && !table.sort.is_empty() && table.spread.is_none())
    }

    /// Whose fields the columns of a table are.
    pub fn entity_of(&self, table: &Table) -> Option<&'a Entity> {
        self.base.entity(rows_of(self.catalog, table)?)
    }

    /// The source of an entity.
    pub fn source_of(&self, entity: &str) -> Option<&Table> {
        self.tables().find(|table| matches!(&table.holds, Holds::Source { entity: of, .. } if of == entity))
    }

    /// A question by its address.
    pub fn asked(&self, question: &Question) -> Option<&Asked> {
        self.asked.iter().find(|asked| asked.question == *question)
    }

    /// The reads that a table answers, reservations included.
    pub fn served_by<'b>(&'b self, table: &'b str) -> impl Iterator<Item = &'b ReadPlan> {
        self.program.reads.iter().filter(move |plan| {
            let via = matches!(&plan.access.reach, Reach::Via { reservations, .. } if reservations == table);
            plan.access.table == table || via
        })
    }

    /// The pattern of a question.
    pub fn pattern_of(&self, question: &Question) -> Option<&'a Pattern> {
        match question {
            Question::Pattern { pattern, .. } => self.catalog.pattern(pattern),
            Question::Support { .. } => None,
        }
    }

    /// The field of the tenant, where rows of the entity belong to tenants.
    pub fn tenant_field(&self, entity: &Entity) -> Option<&'a str> {
        self.catalog.tenant.as_ref().filter(|_| entity.per_tenant).map(|tenant| tenant.field.as_str())
    }

    /// The parts of a table's partition beside the tenant.
    pub fn parts_beside_tenant<'b>(&'b self, table: &'b Table, entity: &'b Entity) -> Vec<&'b Part> {
        let tenant = self.tenant_field(entity);
        table.partition.parts().iter().filter(|part| Some(part.field()) != tenant).collect()
    }

    /// Whether the tenant is a part of a table's partition.
    pub fn has_tenant(&self, table: &Table, entity: &Entity) -> bool {
        let tenant = self.tenant_field(entity);
        table.partition.parts().iter().any(|part| Some(part.field()) == tenant)
    }

    /// The bytes of a row of a table, by its types: key and columns.
    pub fn row_size(&self, table: &Table) -> RowSize {
        let Some(entity) = self.entity_of(table) else { return RowSize::default() };
        let key =
            table.partition.parts().iter().map(Part::field).chain(table.sort.iter().map(|item| item.field.as_str()));
        let fields: BTreeSet<&str> = key.chain(table.columns.iter().flatten().map(String::as_str)).collect();
        let size = |field: &str| {
            let tenant = self.catalog.tenant.as_ref().filter(|tenant| tenant.field == field).map(|tenant| &tenant.ty);
            let ty = tenant.or_else(|| entity.field(field).map(|field| &field.ty))?;
            Some(RowSize::of_type(self.catalog, ty))
        };
        fields.into_iter().filter_map(size).fold(RowSize::default(), |all, one| RowSize {
            typical: all.typical.saturating_add(one.typical),
            worst: all.worst.saturating_add(one.worst),
        })
    }

    /// Where a table is named.
    pub fn table_place(&self, table: &str) -> Option<Place> {
        self.reading.places.key(&format!("tables.{table}"))
    }

    /// Where a word of a table is said, or else the table.
    pub fn word_place(&self, table: &str, word: &str) -> Option<Place> {
        self.reading.places.value(&format!("tables.{table}.{word}"))
    }

    /// Where a question is asked: its path in the layout where it is written down, else its pattern in the catalog.
    pub fn question_place(&self, question: &Question) -> Option<Place> {
        let stated = self.path_stated(question).and_then(|stated| {
            let path = format!("paths.{stated}");
            self.reading.places.whole(&path).and_then(|_| self.reading.places.key(&path))
        });
        stated.or_else(|| {
            self.base.key(&match question {
                Question::Pattern { pattern, with: None, .. } => format!("patterns.{pattern}"),
                Question::Pattern { pattern, with: Some(with), .. } => format!("patterns.{pattern}.with.{with}"),
                Question::Support { entity, field } => format!("entities.{entity}.fields.{field}"),
            })
        })
    }

    /// Where a word of a path is said, or else the path.
    pub fn path_place(&self, question: &Question, word: &str) -> Option<Place> {
        self.reading.places.value(&format!("paths.{question}.{word}"))
    }

    /// The address under which the layout states how a question is answered.
    fn path_stated(&self, question: &Question) -> Option<&Question> {
        stated_path(&self.stated.paths, question).map(|path| &path.question)
    }
}
