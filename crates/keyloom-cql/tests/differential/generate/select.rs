//! SELECT.

use super::{
    Clause, Writer,
    types::{Column, Kind, Table, Type},
};

impl Writer<'_> {
    pub fn select(&mut self) -> String {
        let table = self.any_table();
        let vector: Option<&Column> = table.columns.iter().find(|column| matches!(column.of, Type::Vector(..)));
        let near = vector.filter(|_| self.random.chance(20));
        let grouped = near.is_none() && self.random.chance(6);
        let distinct = near.is_none() && self.random.chance(5);

        let mut text = "SELECT ".to_owned();
        if self.random.chance(4) {
            self.uses(Clause::Json);
            text += "JSON ";
        }
        if distinct {
            self.uses(Clause::Distinct);
            text += "DISTINCT ";
        }
        text += &self.selectors(table, distinct, grouped);
        text += &format!(" FROM {}", self.table_name(table));
        let restrictions = self.select_where(table);
        text += &restrictions;
        if grouped {
            text += &self.group_by(table);
        }
        if let Some(vector) = near {
            text += &self.near(vector, table);
        } else if self.random.chance(if restrictions.contains("p0 ") { 14 } else { 4 }) {
            text += &self.order_by(table);
        }
        if self.random.chance(5) {
            self.uses(Clause::PerPartitionLimit);
            text += &format!(" PER PARTITION LIMIT {}", self.limit());
        }
        if near.is_some() || self.random.chance(12) {
            self.uses(Clause::Limit);
            text += &format!(" LIMIT {}", self.limit());
        }
        if self.random.chance(13) {
            self.uses(Clause::AllowFiltering);
            text += " ALLOW FILTERING";
        }
        text
    }

    fn limit(&mut self) -> String {
        if self.astray() && self.random.chance(10) {
            return "9999999999".to_owned();
        };
        self.random.one_of(&["1", "10", "100", "?", ":n"]).to_owned()
    }

    fn selectors(&mut self, table: &Table, distinct: bool, grouped: bool) -> String {
        if distinct && !self.astray() {
            let mut columns = table.partition();
            columns.extend(table.of_kind(Kind::Static));
            let count = if self.random.chance(60) { table.partition().len() } else { columns.len() };
            return columns[..count].iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        }
        let statics = table.of_kind(Kind::Static);
        if !statics.is_empty() && self.random.chance(5) {
            let mut names: Vec<String> = statics.iter().map(|column| column.name.clone()).collect();
            if self.random.chance(50) {
                names.extend(table.partition().iter().map(|column| column.name.clone()));
            }
            return names.join(", ");
        }
        if self.random.chance(if grouped { 20 } else { 45 }) {
            return "*".to_owned();
        }
        if self.random.chance(8) {
            let column = self.random.pick(&table.columns).clone();
            return self.aggregate(&column);
        }
        let selectors: Vec<String> = (0..self.random.between(1, 3)).map(|_| self.selector(table)).collect();
        selectors.join(", ")
    }

    fn group_by(&mut self, table: &Table) -> String {
        self.uses(Clause::GroupBy);
        let keys: Vec<&Column> = table.partition().into_iter().chain(table.clustering()).collect();
        let count = self.random.between(table.partition().len(), keys.len());
        let mut groups: Vec<String> = keys[..count].iter().map(|column| self.name(column)).collect();
        if self.astray() {
            match self.random.below(7) {
                0 => drop(groups.remove(0)),
                1 => groups.push(self.random.pick(&table.columns).name.clone()),
                2 => self.random.shuffle(&mut groups),
                3 => groups.push(format!("max({})", self.random.pick(&table.columns).name)),
                4 => groups.push("same(1)".to_owned()),
                5 => groups.push(format!("same({})", self.random.pick(&table.columns).name)),
                _ => groups.push(format!("overloaded({})", self.random.pick(&table.columns).name)),
            }
        } else if self.random.chance(20)
            && let Some(last) = keys[..count].last()
            && last.kind == Kind::Clustering
            && last.of.is_native(&["timestamp", "date", "int", "bigint"])
        {
            let by = if last.of.is_native(&["timestamp", "date"]) { "1d" } else { "10" };
            groups.pop();
            groups.push(format!("floor({}, {by})", last.name));
        }
        if groups.is_empty() {
            groups.push(keys[0].name.clone());
        }
        format!(" GROUP BY {}", groups.join(", "))
    }

    fn order_by(&mut self, table: &Table) -> String {
        self.uses(Clause::OrderBy);
        let clustering = table.clustering();
        let columns: Vec<&Column> = if clustering.is_empty() || self.astray() {
            let all: Vec<&Column> = table.columns.iter().collect();
            let count = self.random.between(1, 2);
            self.several(&all, count)
        } else {
            clustering[..self.random.between(1, clustering.len())].to_vec()
        };
        let same = self.random.one_of(&["", " ASC", " DESC"]);
        let orders: Vec<String> = columns
            .iter()
            .map(|column| {
                let direction = if self.random.chance(60) { same } else { self.random.one_of(&["", " ASC", " DESC"]) };
                format!("{}{direction}", self.name(column))
            })
            .collect();
        format!(" ORDER BY {}", orders.join(", "))
    }

    /// `ORDER BY column ANN OF vector`
    fn near(&mut self, column: &Column, table: &Table) -> String {
        self.uses(Clause::OrderBy);
        self.uses(Clause::AnnOf);
        let other = self.random.pick(&table.columns).clone();
        let column = if self.astray() { &other } else { column };
        let name = self.name(column);
        let mut text = format!(" ORDER BY {name} ANN OF {}", self.term(&column.of));
        if self.astray() {
            text += match self.random.below(3) {
                0 => " DESC".to_owned(),
                1 => format!(", {}", other.name),
                _ => format!(", {} ANN OF {}", other.name, self.term(&other.of)),
            }
            .as_str();
        }
        text
    }
}
