//! Which partitions were asked most, as the server counts them.

use std::collections::BTreeMap;

/// Visits of the partitions of each table: of all of them, and of the busiest one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Visits(pub(crate) BTreeMap<String, (f64, f64)>);

impl Visits {
    /// Reads them from the page of metrics.
    pub(crate) fn read(page: &str) -> Self {
        let mut visits = Self::default();
        for line in page.lines() {
            let Some((series, number)) = line.rsplit_once(' ') else { continue };
            let (Some((name, labels)), Ok(number)) = (series.split_once('{'), number.parse::<f64>()) else { continue };
            let Some(table) = labels.strip_prefix("table=\"").and_then(|rest| rest.strip_suffix("\"}")) else {
                continue;
            };
            let entry = visits.0.entry(table.to_owned()).or_default();
            match name {
                "keyloom_partition_visits_total" => entry.0 = number,
                "keyloom_busiest_partition_visits" => entry.1 = number,
                _ => {}
            }
        }
        visits
    }

    /// What came since then.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let less = |(table, (all, busiest)): (&String, &(f64, f64))| {
            let (all_before, busiest_before) = before.0.get(table).copied().unwrap_or_default();
            (table.clone(), (all - all_before, busiest - busiest_before))
        };
        Self(self.0.iter().map(less).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Visits;

    #[test]
    fn tables_are_found_among_other_series() {
        let page = |all: u32, most: u32| {
            format!(
                "# TYPE keyloom_turns gauge\nkeyloom_turns 0\nkeyloom_partition_visits_total{{table=\"orders\"}} {all}\n\
                 keyloom_busiest_partition_visits{{table=\"orders\"}} {most}\nkeyloom_rows_read_total{{pattern=\"get\"}} 7\n"
            )
        };
        let since = Visits::read(&page(110, 12)).since(&Visits::read(&page(10, 2)));
        assert_eq!(since.0.into_iter().collect::<Vec<_>>(), [("orders".to_owned(), (100.0, 10.0))]);
    }
}
