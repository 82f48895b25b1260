//! What names and types of columns tell. Guesses: who relies on them gives a warning or a note, never an error.

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, Table, Type};

use crate::meaning::{has_word, is_bookkeeping, is_clock};

/// The words of a name, in lower case: `eventDay` and `event_day` are both `event`, `day`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let begins = character.is_uppercase() && after_lower;
        if (begins || !character.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The native type of a column.
pub(crate) fn native(column: &Column) -> Option<Native> {
    match &column.of {
        Type::Native(native) => Some(*native),
        _ => None,
    }
}

/// Why a column can have only a few values: its type, or its name.
pub(crate) fn few_values(column: &Column) -> Option<&'static str> {
    match native(column)? {
        Native::Boolean => return Some("it is a boolean: two values"),
        Native::Text | Native::Ascii | Native::Int | Native::Smallint | Native::Tinyint => {}
        _ => return None,
    }
    let words = words(&column.name);
    let last = words.last()?.as_str();
    let first = words.first()?.as_str();
    let is_flag = ["is", "has"].contains(&first) && words.len() > 1;
    match last {
        "status" | "state" | "phase" => Some("a status has few values, and most rows share one of them"),
        "country" | "gender" | "severity" | "priority" | "weekday" => Some("by its name it has few values"),
        "level" if native(column) == Some(Native::Text) => Some("by its name it has few values"),
        "code" if words.iter().any(|word| word == "country") => Some("by its name it has few values"),
        "type" | "kind" | "category" => Some("by its name it has few values"),
        "name" if words.iter().any(|word| ["attribute", "property", "type", "kind"].contains(&word.as_str())) => {
            Some("by its name it has few values")
        }
        "flag" | "enabled" | "active" | "deleted" => Some("by its name it is a flag"),
        _ if is_flag => Some("by its name it is a flag"),
        _ => None,
    }
}

/// Whether nearly every row has a value of its own, by the column's name.
pub(crate) fn nearly_unique(column: &Column) -> bool {
    let words = words(&column.name);
    let last = words.last().map_or("", String::as_str);
    ["email", "mail", "username", "token", "hash", "phone", "sha1", "sha256", "md5", "fingerprint"].contains(&last)
}

/// Whether a column is a part of the calendar: a day, an hour, a month. A moment is none.
pub(crate) fn time_part(column: &Column) -> bool {
    let words = words(&column.name);
    let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
    let by_name = has(&[
        "day",
        "date",
        "hour",
        "month",
        "week",
        "year",
        "minute",
        "quarter",
        "yyyymmdd",
        "yyyymm",
        "yyyy",
        "period",
        "yearmonth",
    ]);
    let planned = has(&["birth", "birthday", "due", "expiry", "expires", "expiration", "scheduled", "valid", "of"]);
    match native(column) {
        Some(Native::Date) => !planned,
        Some(Native::Timestamp | Native::Text | Native::Ascii | Native::Int | Native::Bigint | Native::Smallint) => {
            by_name && !planned
        }
        Some(Native::Tinyint) => by_name && !planned,
        _ => false,
    }
}

/// Whether rows of a partition follow each other in time.
pub(crate) fn gathers_over_time(table: &Table) -> bool {
    table.clustering().any(|column| native(column) == Some(Native::Timeuuid) || is_clock(column) || time_part(column))
}

/// Whether a table can only hold little, by its shape and name: a list of names, settings, the versions of a schema.
pub(crate) fn holds_little(table: &Table) -> bool {
    const DAY: u64 = 86_400;
    let one_row = table.clustering().next().is_none();
    let is_list = one_row && table.columns.len() <= 3;
    let soon_gone = one_row && matches!(table.default_ttl, Some((Some(1..=DAY), _)));
    is_list
        || soon_gone
        || is_bookkeeping(table)
        || has_word(&table.name, &["config", "configuration", "setting", "schema"])
}

#[cfg(test)]
mod tests {
    use keyloom_cql::schema::{ColumnKind, Made};

    use super::*;

    fn column(name: &str, of: Native) -> Column {
        Column { name: name.to_owned(), of: Type::Native(of), kind: ColumnKind::Regular, made: Made::default() }
    }

    #[test]
    fn a_name_falls_into_words() {
        assert_eq!(words("event_day"), ["event", "day"]);
        assert_eq!(words("eventDay"), ["event", "day"]);
        assert_eq!(words("req.Offset+pageSize"), ["req", "offset", "page", "size"]);
        assert_eq!(words("__"), Vec::<String>::new());
    }

    #[test]
    fn few_values_are_told_by_type_and_by_the_last_word() {
        assert!(few_values(&column("paid", Native::Boolean)).is_some());
        assert!(few_values(&column("order_status", Native::Text)).is_some());
        assert!(few_values(&column("country_code", Native::Text)).is_some());
        assert!(few_values(&column("is_open", Native::Int)).is_some());
        assert!(few_values(&column("status_id", Native::Text)).is_none());
        assert!(few_values(&column("type", Native::Uuid)).is_none());
        assert!(few_values(&column("is", Native::Text)).is_none());
        assert!(few_values(&column("code", Native::Text)).is_none());
        assert!(few_values(&column("attribute_name", Native::Text)).is_some());
        assert!(few_values(&column("order_type_name", Native::Text)).is_some());
        assert!(few_values(&column("user_name", Native::Text)).is_none());
        assert!(few_values(&column("log_level", Native::Text)).is_some());
        assert!(few_values(&column("level", Native::Int)).is_none());
    }

    #[test]
    fn a_moment_is_no_part_of_the_calendar() {
        assert!(time_part(&column("day", Native::Date)));
        assert!(time_part(&column("event_hour", Native::Timestamp)));
        assert!(time_part(&column("yyyymm", Native::Int)));
        assert!(!time_part(&column("created_at", Native::Timestamp)));
        assert!(!time_part(&column("birth_date", Native::Date)));
        assert!(!time_part(&column("day", Native::Uuid)));
    }
}
