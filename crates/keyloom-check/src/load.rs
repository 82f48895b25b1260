//! How often the busiest partition of a layout's table is read and written, by the rates and skews of the catalog.

use keyloom_model::layout::Table;
use keyloom_model::{Frequency, Pattern, Share, Skew};
use keyloom_plan::{Does, Reach, ReadPlan, WritePlan};

use crate::LayoutContext;
use crate::rules::peak_words;

/// What meets one partition in a second.
#[derive(Default)]
pub(crate) struct Load {
    /// Units of the engine.
    pub units: f64,
    /// How that is known.
    pub words: Vec<String>,
    /// Whether every rate is a peak that the author states; else some peak is assumed from a mean.
    pub stated: bool,
}

impl LayoutContext<'_> {
    /// What the reads of a table ask of its busiest partition, each call counted with its units; nothing where no share of
    /// calls is known.
    pub(crate) fn reads_of_busiest(&self, table: &Table, units: impl Fn(&ReadPlan) -> u64) -> Load {
        let mut load = Load { stated: true, ..Load::default() };
        let mut seen: Vec<&str> = Vec::new();
        for plan in self.served_by(&table.name) {
            let Some(pattern) = self.pattern_of(&plan.asked.question) else { continue };
            // The questions of a pattern share its calls.
            if pattern.selection().is_none() || seen.contains(&pattern.name.as_str()) {
                continue;
            }
            seen.push(&pattern.name);
            load.add(pattern, self.busiest(table, pattern), units(plan));
        }
        load
    }

    /// What the writes of a table put into its busiest partition.
    pub(crate) fn writes_of_busiest(&self, table: &Table, units: u64) -> Load {
        let mut load = Load { stated: true, ..Load::default() };
        for plan in &self.program.writes {
            let writes = plan.effects.iter().any(|effect| effect.table == table.name && rows(&effect.does) > 0);
            let Some(pattern) = self.catalog.pattern(&plan.pattern).filter(|_| writes) else { continue };
            load.add(pattern, self.busiest(table, pattern), units);
        }
        load
    }

    /// The share of a pattern's calls that meets the busiest partition of a table, where the catalog says so.
    fn busiest(&self, table: &Table, pattern: &Pattern) -> Option<Share> {
        let entity = self.entity_of(table)?;
        let beside = self.parts_beside_tenant(table, entity);
        if beside.is_empty() {
            let one = !self.has_tenant(table, entity);
            return if one { Some(Share::ALL) } else { self.catalog.tenant.as_ref()?.busiest };
        }
        let Some(Skew::Busiest(share)) = pattern.skew else { return None };
        // The skew is about what a call names: all that one row or group gets lies in one partition, if that is named whole.
        let mut named: Vec<&str> = pattern.selection().map_or_else(Vec::new, |selection| selection.by.own_fields());
        for (_, write) in pattern.writes() {
            named.extend(write.by.iter().filter_map(|item| item.path.own_field()));
        }
        let whole = beside.iter().all(|part| named.contains(&part.field()));
        let row = !named.is_empty() && entity.identified_by(&named);
        (whole || row).then_some(share)
    }
}

impl Load {
    /// Adds the calls of a pattern, where their rate and the share that comes here are known.
    pub(crate) fn add(&mut self, pattern: &Pattern, share: Option<Share>, units: u64) {
        let (Some(peak), Some(share)) = (pattern.rate.peak_per_second(), share) else { return };
        self.units += peak * share.factor() * units as f64;
        self.stated &= matches!(pattern.rate, Frequency::Stated { peak: Some(_), .. });
        let each = if units == 1 { String::new() } else { format!(" x {units} units") };
        self.words.push(format!("`{}` {} x {share}{each}", pattern.name, peak_words(pattern.rate)));
    }
}

/// How many rows an effect writes.
pub(crate) fn rows(does: &Does) -> u64 {
    match does {
        Does::Moves(_) | Does::Exchanges | Does::Marks | Does::MarksEnd => 2,
        Does::Decides(_) | Does::Places | Does::Clears | Does::Puts(_) | Does::Removes(_) => 1,
        Does::Reserves | Does::Frees | Does::Adds { .. } | Does::Keeps(_) | Does::Contributes | Does::Numbers => 1,
        Does::Registers | Does::Names => 1,
        Does::Checks { .. } | Does::Copies { .. } | Does::Touches => 0,
    }
}

/// Whether a write takes rows away from where they stand in a table.
pub(crate) fn takes_away(plan: &WritePlan, table: &Table) -> bool {
    plan.effects
        .iter()
        .any(|effect| effect.table == table.name && matches!(effect.does, Does::Removes(_) | Does::Moves(_)))
}

/// Whether a plan reads one row by its key.
pub(crate) fn reads_one_row(plan: &ReadPlan) -> bool {
    matches!(plan.access.reach, Reach::Get { .. } | Reach::Via { .. })
}
