use std::fmt;

use crate::expr;

/// Which table answers a question, and what reading it costs at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// What is asked.
    pub question: Question,
    /// How it is answered.
    pub form: Form,
    /// What is looked up for each row: fields of rows that it points to, and kept values.
    pub looks_up: Vec<expr::Path>,
    /// What is tested on rows that were read.
    pub remains: Vec<expr::Path>,
    /// The bound, where it is stated.
    pub reads_at_most: Option<ReadsAtMost>,
}

/// What is asked. Its text is its address: `open_case/todo`, `list_tasks:urgent`, `show_timeline?kind`, `Task.case_id`. One
/// without an order or inputs stands for all of which no other says more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Question {
    /// By a pattern.
    Pattern {
        /// Its name.
        pattern: String,
        /// The list of its `with`; the pattern's own rows where none is named.
        with: Option<String>,
        /// The order that is asked for; any where none is named.
        order: Option<String>,
        /// The optional inputs that are sent, in the order of the pattern's inputs.
        sent: Vec<String>,
    },
    /// By the run time: all rows with one value of a field, mostly those that point to one.
    Support {
        /// Whose rows.
        entity: String,
        /// Their reference.
        field: String,
    },
}

impl Question {
    /// Between a pattern and the list of its `with`.
    pub const WITH: char = '/';
    /// Before the name of an order.
    pub const ORDER: char = ':';
    /// Before the optional inputs that are sent.
    pub const SENT: char = '?';
    /// Between these inputs.
    pub const AND: char = '&';
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pattern, with, order, sent) = match self {
            Self::Support { entity, field } => return write!(f, "{entity}.{field}"),
            Self::Pattern { pattern, with, order, sent } => (pattern, with, order, sent),
        };
        f.write_str(pattern)?;
        with.iter().try_for_each(|with| write!(f, "{}{with}", Self::WITH))?;
        order.iter().try_for_each(|order| write!(f, "{}{order}", Self::ORDER))?;
        for (at, input) in sent.iter().enumerate() {
            write!(f, "{}{input}", if at == 0 { Self::SENT } else { Self::AND })?;
        }
        Ok(())
    }
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// `get: case`: one row of a table.
    Get {
        /// The table.
        table: String,
        /// The table of reservations that says which row.
        via: Option<String>,
    },
    /// `slice: case_event`: rows that stand together.
    Slice {
        /// The table.
        table: String,
    },
}

impl Form {
    /// The table whose rows answer.
    pub fn table(&self) -> &str {
        match self {
            Self::Get { table, .. } | Self::Slice { table } => table,
        }
    }
}

/// What one page reads at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadsAtMost {
    /// How many partitions.
    pub partitions: u64,
    /// How many rows.
    pub rows: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_shown_as_its_address() {
        let question = |with: Option<&str>, order: Option<&str>, sent: &[&str]| Question::Pattern {
            pattern: "list".to_owned(),
            with: with.map(str::to_owned),
            order: order.map(str::to_owned),
            sent: sent.iter().map(|&input| input.to_owned()).collect(),
        };
        assert_eq!(question(None, None, &[]).to_string(), "list");
        assert_eq!(question(Some("todo"), Some("due"), &["a", "b"]).to_string(), "list/todo:due?a&b");
        let support = Question::Support { entity: "Task".to_owned(), field: "case_id".to_owned() };
        assert_eq!(support.to_string(), "Task.case_id");
    }
}
