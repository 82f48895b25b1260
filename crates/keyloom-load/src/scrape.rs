//! Which partitions were asked most, as the server counts them.

use std::collections::BTreeMap;

/// What the server counts of each table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scraped {
    pub(crate) tables: BTreeMap<String, OfTable>,
    /// Units that one partition gives in a second, where the server has the limits of an engine: reads, writes.
    pub(crate) units_max: [Option<f64>; 2],
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct OfTable {
    /// Visits of its partitions: of all of them, and of the busiest one.
    pub(crate) visits: (f64, f64),
    /// Units of the partition that took most: reads, writes.
    pub(crate) busiest_units: [f64; 2],
    /// Calls that were throttled: reads, writes.
    pub(crate) throttled: [f64; 2],
}

impl Scraped {
    /// Reads them from the page of metrics.
    pub(crate) fn read(page: &str) -> Self {
        let mut scraped = Self::default();
        for line in page.lines() {
            let Some((series, number)) = line.rsplit_once(' ') else { continue };
            let (Some((name, labels)), Ok(number)) = (series.split_once('{'), number.parse::<f64>()) else { continue };
            let labels = labels.trim_end_matches('}').split("\",");
            let labels: BTreeMap<&str, &str> = labels.filter_map(|label| label.split_once("=\"")).collect();
            let label = |name: &str| labels.get(name).map(|value| value.trim_end_matches('"'));
            let side = usize::from(label("kind") == Some("write"));
            if name == "keyloom_partition_units_max" {
                scraped.units_max[side] = Some(number);
            }
            let Some(table) = label("table") else { continue };
            let place: fn(&mut OfTable, usize) -> &mut f64 = match name {
                "keyloom_partition_visits_total" => |of, _| &mut of.visits.0,
                "keyloom_busiest_partition_visits" => |of, _| &mut of.visits.1,
                "keyloom_busiest_partition_units" => |of, side| &mut of.busiest_units[side],
                "keyloom_throttled_total" => |of, side| &mut of.throttled[side],
                _ => continue,
            };
            *place(scraped.tables.entry(table.to_owned()).or_default(), side) = number;
        }
        scraped
    }

    /// What came since then.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let less = |(table, after): (&String, &OfTable)| {
            let before = before.tables.get(table).copied().unwrap_or_default();
            let sides = |after: [f64; 2], before: [f64; 2]| [after[0] - before[0], after[1] - before[1]];
            let of = OfTable {
                visits: (after.visits.0 - before.visits.0, after.visits.1 - before.visits.1),
                busiest_units: sides(after.busiest_units, before.busiest_units),
                throttled: sides(after.throttled, before.throttled),
            };
            (table.clone(), of)
        };
        Self { tables: self.tables.iter().map(less).collect(), units_max: self.units_max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_among_other_series() {
        let page = |all: u32, most: u32| {
            format!(
                "# TYPE keyloom_turns gauge\nkeyloom_turns 0\nkeyloom_partition_visits_total{{table=\"orders\"}} {all}\n\
                 keyloom_busiest_partition_visits{{table=\"orders\"}} {most}\nkeyloom_rows_read_total{{pattern=\"get\"}} 7\n\
                 keyloom_partition_units_max{{kind=\"read\"}} 3000\nkeyloom_partition_units_max{{kind=\"write\"}} 1000\n\
                 keyloom_busiest_partition_units{{table=\"orders\",kind=\"write\"}} {most}.5\n\
                 keyloom_throttled_total{{table=\"orders\",kind=\"read\"}} {all}\n"
            )
        };
        let since = Scraped::read(&page(110, 12)).since(&Scraped::read(&page(10, 2)));
        assert_eq!(since.units_max, [Some(3000.0), Some(1000.0)]);
        let orders = OfTable { visits: (100.0, 10.0), busiest_units: [0.0, 10.0], throttled: [100.0, 0.0] };
        assert_eq!(since.tables.into_iter().collect::<Vec<_>>(), [("orders".to_owned(), orders)]);
    }
}
