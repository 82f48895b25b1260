//! Names of tables: the entity, which rows, by what, in which order.

use keyloom_model::layout::{Layout, Table};

/// How many letters stand before a hash.
const BEFORE_HASH: usize = 35;

/// The names that are taken.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Those of a layout.
    pub(crate) fn taken(layout: &Layout) -> Self {
        Self::of(layout.tables.iter())
    }

    /// Those of these tables.
    pub(crate) fn of<'a>(tables: impl Iterator<Item = &'a Table>) -> Self {
        Self(tables.map(|table| table.name.clone()).collect())
    }

    /// A new name: `task_open_by_assignee_due`. `by` is `None` for the rows by their identity, and empty for all of them.
    pub(crate) fn table(&mut self, of: &str, rows: &[String], by: Option<&[&str]>, order: Option<&str>) -> String {
        let mut words = vec![snake(of)];
        words.extend(rows.iter().map(|word| snake(word)));
        match by {
            None => {}
            Some([]) => words.push("all".to_owned()),
            Some(fields) => {
                words.push("by".to_owned());
                words.extend(fields.iter().map(|field| field.strip_suffix("_id").unwrap_or(field).to_owned()));
            }
        }
        words.extend(order.map(str::to_owned));
        self.take(words.join("_"))
    }

    /// The name itself, or a part of it and a hash where it is too long or taken.
    fn take(&mut self, wanted: String) -> String {
        let fits = |name: &String| name.len() <= Table::NAME_MAX && !self.0.contains(name);
        let hashed = |round: u64| {
            let part: String = wanted.chars().take(BEFORE_HASH).collect();
            format!("{}_{:08x}", part.trim_end_matches('_'), hash(&wanted, round))
        };
        let name = std::iter::once(wanted.clone()).chain((0..).map(hashed)).find(fits).unwrap_or_default();
        self.0.push(name.clone());
        name
    }
}

/// `CaseEvent` is `case_event`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && before != '_' && !before.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
        before = letter;
    }
    snake
}

/// FNV-1a: short, and the same everywhere.
fn hash(text: &str, round: u64) -> u32 {
    let start = 0x811c_9dc5_u32 ^ u32::try_from(round % u64::from(u32::MAX)).unwrap_or(0);
    text.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_table_holds() {
        let mut names = Names::default();
        assert_eq!(names.table("CaseEvent", &[], None, None), "case_event");
        let open = ["OPEN".to_owned()];
        assert_eq!(names.table("Task", &open, Some(&["assignee_id"]), Some("due")), "task_open_by_assignee_due");
        assert_eq!(names.table("Task", &open, Some(&[]), None), "task_open_all");
    }

    #[test]
    fn what_is_taken_or_too_long_gets_a_hash() {
        let mut names = Names::default();
        let first = names.table("Task", &[], Some(&["case_id"]), None);
        let second = names.table("Task", &[], Some(&["case_id"]), None);
        assert_eq!(first, "task_by_case");
        assert!(second.starts_with("task_by_case_") && second != first, "{second}");
        let long = names.table(&"Long".repeat(20), &[], None, None);
        assert!(long.len() <= Table::NAME_MAX, "{long}");
    }
}
