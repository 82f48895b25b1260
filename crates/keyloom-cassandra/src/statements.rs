//! The statements on one table. What a table's discipline does not know is not here: a conditional statement on a placed
//! table can't be sent, nor one with a timestamp on a decided one.

use keyloom_store::{Discipline, Shape};

use crate::{names, names::quoted};

/// Where the rows of a slice begin, in the direction of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Near {
    /// With the first.
    First,
    /// At a value of the component behind the equal ones.
    At,
    /// Behind a value of it.
    Behind,
    /// Behind a cursor: behind the values of this component and of those after it that have the same direction.
    Cursor,
}

/// Where they end: as [`Near`], but never by a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Far {
    /// With the last.
    Last,
    /// At a value, that one included.
    At,
    /// Before it.
    Before,
}

/// The form of a statement that reads rows of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SliceForm {
    /// How many of the first sort components are given.
    pub(crate) equal: usize,
    pub(crate) near: Near,
    pub(crate) far: Far,
    pub(crate) reverse: bool,
}

impl SliceForm {
    /// The forms that bound nothing but by a cursor.
    pub(crate) fn unbounded(shape: &Shape) -> Vec<Self> {
        let sort = shape.table().sort.len();
        let mut forms = vec![Self { equal: sort, near: Near::First, far: Far::Last, reverse: false }];
        for equal in 0..sort {
            for reverse in [false, true] {
                let cursor = Near::behind(shape, equal);
                forms.extend([Near::First, cursor].map(|near| Self { equal, near, far: Far::Last, reverse }));
            }
        }
        forms
    }

    /// Its place among all forms of a table.
    pub(crate) fn place(self) -> usize {
        ((self.equal * 4 + self.near as usize) * 3 + self.far as usize) * 2 + usize::from(self.reverse)
    }

    /// How many places there are.
    pub(crate) fn places(shape: &Shape) -> usize {
        (shape.table().sort.len() + 1) * 24
    }
}

impl Near {
    /// Behind a cursor, from one component on.
    pub(crate) fn behind(shape: &Shape, equal: usize) -> Self {
        if run_end(shape, equal) - equal > 1 { Self::Cursor } else { Self::Behind }
    }
}

/// Writes the statements on one table.
pub(crate) struct Statements<'a> {
    pub(crate) keyspace: &'a str,
    pub(crate) shape: &'a Shape,
}

impl Statements<'_> {
    /// One row by its key.
    pub(crate) fn get(&self) -> String {
        format!("SELECT {} FROM {} WHERE {}", self.cells(), self.table(), self.key_is())
    }

    /// Rows of a partition: its key, the equal components, what bounds the rows, and how many.
    pub(crate) fn slice(&self, form: SliceForm) -> String {
        let table = self.shape.table();
        let sort: Vec<String> = table.sort.iter().map(|column| quoted(&column.name)).collect();
        let mut selected = sort.clone();
        selected.push(self.cells());
        let mut terms: Vec<String> = table.partition.iter().map(|column| is(&column.name)).collect();
        terms.extend(table.sort[..form.equal].iter().map(|column| is(&column.name)));
        let mut order = String::new();
        if let Some(next) = table.sort.get(form.equal) {
            let rising = next.descending == form.reverse;
            let (beyond, before) = if rising { (">", "<") } else { ("<", ">") };
            let one = &sort[form.equal];
            match form.near {
                Near::First => {}
                Near::At => terms.push(format!("({one}) {beyond}= (?)")),
                Near::Behind => terms.push(format!("({one}) {beyond} (?)")),
                Near::Cursor => {
                    let run = &sort[form.equal..run_end(self.shape, form.equal)];
                    terms.push(format!("({}) {beyond} ({})", run.join(", "), marks(run.len())));
                }
            }
            match form.far {
                Far::Last => {}
                Far::At => terms.push(format!("({one}) {before}= (?)")),
                Far::Before => terms.push(format!("({one}) {before} (?)")),
            }
        }
        if let Some(first) = table.sort.first().filter(|_| form.reverse) {
            order = format!(" ORDER BY {} {}", sort[0], if first.descending { "ASC" } else { "DESC" });
        }
        let (selected, terms) = (selected.join(", "), terms.join(" AND "));
        format!("SELECT {selected} FROM {} WHERE {terms}{order} LIMIT ?", self.table())
    }

    /// All rows of a range of tokens.
    pub(crate) fn sweep(&self) -> String {
        let keys: Vec<String> = self.shape.table().key_names().map(quoted).collect();
        let token: Vec<String> = self.shape.table().partition.iter().map(|column| quoted(&column.name)).collect();
        let (keys, token, cells) = (keys.join(", "), token.join(", "), self.cells());
        format!("SELECT {keys}, {cells} FROM {} WHERE token({token}) > ? AND token({token}) <= ?", self.table())
    }

    /// Decides a row that has a version and has not ended.
    pub(crate) fn decide_at_version(&self) -> String {
        self.decide("IF \"kl_v\" = ? AND \"kl_x\" > ?")
    }

    /// Decides a row that is absent (both are null), or has just these: one that has ended.
    pub(crate) fn decide_instead(&self) -> String {
        self.decide("IF \"kl_v\" = ? AND \"kl_x\" = ?")
    }

    /// An UPDATE, never an INSERT: its row marker would outlive the cells.
    fn decide(&self, condition: &str) -> String {
        debug_assert_eq!(self.shape.table().discipline, Discipline::Decided);
        format!("UPDATE {} USING TTL ? SET {} WHERE {} {condition}", self.table(), self.group_is(0), self.key_is())
    }

    /// Puts a column group: every column, absent ones too, so that the last writer of a cell is the last of the group.
    pub(crate) fn put(&self, group: usize) -> String {
        let (table, columns, key) = (self.table(), self.group_is(group), self.key_is());
        format!("UPDATE {table} USING TIMESTAMP ? AND TTL ? SET {columns} WHERE {key}")
    }

    /// Removes a column group. Where there are several, a deletion of the row would hide the others for ever.
    pub(crate) fn remove(&self, group: usize) -> String {
        let columns = match self.shape.table().groups.len() {
            1 => String::new(),
            _ => format!("{} ", self.group(group).join(", ")),
        };
        format!("DELETE {columns}FROM {} USING TIMESTAMP ? WHERE {}", self.table(), self.key_is())
    }

    fn table(&self) -> String {
        format!("{}.{}", quoted(self.keyspace), quoted(&self.shape.table().name))
    }

    /// The version of a group, its end, and its columns: who reads them knows first whether the others matter.
    fn group(&self, group: usize) -> Vec<String> {
        let columns = self.shape.table().groups[group].columns.iter().map(|column| quoted(&column.name));
        [quoted(&names::version(group)), quoted(&names::end(group))].into_iter().chain(columns).collect()
    }

    /// The columns of all groups, as rows are read.
    fn cells(&self) -> String {
        let groups = 0..self.shape.table().groups.len();
        groups.flat_map(|group| self.group(group)).collect::<Vec<_>>().join(", ")
    }

    fn group_is(&self, group: usize) -> String {
        self.group(group).iter().map(|column| format!("{column} = ?")).collect::<Vec<_>>().join(", ")
    }

    fn key_is(&self) -> String {
        self.shape.table().key_names().map(is).collect::<Vec<_>>().join(" AND ")
    }
}

/// Behind the last of the sort components that follow each other in one direction, from one of them on.
pub(crate) fn run_end(shape: &Shape, from: usize) -> usize {
    let sort = &shape.table().sort;
    let Some(first) = sort.get(from) else { return from };
    sort[from..].iter().position(|column| column.descending != first.descending).map_or(sort.len(), |run| from + run)
}

fn is(name: &str) -> String {
    format!("{} = ?", quoted(name))
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}
