//! Where the rows of a table stand, in words.

use keyloom_model::Direction;
use keyloom_model::layout::{Part, Partition, SortItem, Table};

/// `by team_id in the order due_at, task_id, where status = OPEN`
pub(crate) fn where_rows_stand(table: &Table) -> String {
    let partition = match &table.partition {
        Partition::All => "all rows together".to_owned(),
        Partition::By(parts) => {
            let parts: Vec<&str> = parts.iter().map(Part::field).collect();
            format!("by {}", parts.join(", "))
        }
    };
    let item = |item: &SortItem| match item.direction {
        Direction::Ascending => item.field.clone(),
        Direction::Descending => format!("{} desc", item.field),
    };
    let sort: Vec<String> = table.sort.iter().map(item).collect();
    let order = if sort.is_empty() { String::new() } else { format!(" in the order {}", sort.join(", ")) };
    let filter = table.filter.as_ref().map_or_else(String::new, |filter| format!(", where {filter}"));
    format!("{partition}{order}{filter}")
}
