//! Statements with one slip each: what chance alone would seldom come to.

mod modify;
mod select;

use super::{
    Writer,
    types::{Column, Table, Type},
};

/// A slip on a table that has what it takes; nothing on others.
type Slip = fn(&mut Writer<'_>, &Table) -> Option<String>;

impl Writer<'_> {
    /// A statement with a slip that is picked by chance.
    pub fn slip(&mut self) -> String {
        loop {
            let slips = if self.random.chance(55) { select::SLIPS } else { modify::SLIPS };
            let slip = self.random.one_of(slips);
            for _ in 0..20 {
                let table = self.any_table();
                self.clauses.clear();
                if let Some(statement) = slip(self, table) {
                    return statement;
                }
            }
        }
    }

    /// The table's whole partition key, by equality.
    fn whole_partition(&mut self, table: &Table) -> String {
        let relations: Vec<String> = table.partition().iter().map(|column| self.equal(column)).collect();
        relations.join(" AND ")
    }

    fn whole_key(&mut self, table: &Table) -> String {
        let keys = table.partition().into_iter().chain(table.clustering());
        let relations: Vec<String> = keys.map(|column| self.equal(column)).collect();
        relations.join(" AND ")
    }

    fn one_such<'c>(&mut self, columns: &[&'c Column], such: impl Fn(&Column) -> bool) -> Option<&'c Column> {
        let such: Vec<&Column> = columns.iter().copied().filter(|column| such(column)).collect();
        if such.is_empty() { None } else { Some(self.random.one_of(&such)) }
    }

    fn one_other<'c>(&mut self, table: &'c Table, such: impl Fn(&Type) -> bool) -> Option<&'c Column> {
        self.one_such(&table.others(), |column| such(&column.of))
    }
}

fn names(columns: &[&Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}
