//! Names: from those of tables, columns and functions to those that the language can spell.

use std::collections::BTreeMap;

use keyloom_text::parse::expr::is_reserved;

/// The ASCII words of a name, in lower case: `parcelId`, `parcel_id` and `"Parcel Id"` have two.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut before = None;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        if !character.is_ascii_alphanumeric() {
            fresh = true;
            before = None;
            continue;
        }
        let after_lower = before.is_some_and(|c: char| !c.is_ascii_uppercase());
        // `HTTPServer` has two words: the last capital of a run belongs to what follows it.
        let ends_run = before.is_some() && characters.peek().is_some_and(char::is_ascii_lowercase);
        let starts = fresh || (character.is_ascii_uppercase() && (after_lower || ends_run));
        fresh = false;
        before = Some(character);
        match words.last_mut() {
            Some(word) if !starts => word.push(character.to_ascii_lowercase()),
            _ => words.push(character.to_ascii_lowercase().to_string()),
        }
    }
    words
}

/// In snake case, beginning with a letter; `fallback` where nothing can be spelled.
pub(crate) fn snake(name: &str, fallback: &str) -> String {
    let snake = words(name).join("_");
    match snake.bytes().next() {
        None => fallback.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{fallback}_{snake}"),
        Some(_) => snake,
    }
}

/// The name of a field for a column.
pub(crate) fn field_name(column: &str) -> String {
    let name = snake(column, "column");
    if is_reserved(&name) {
        format!("{name}_value")
    } else if name.starts_with("kl_") {
        format!("the_{name}")
    } else {
        name
    }
}

/// The name of an entity or a struct: `CaseEvent`. A lower-case letter is always in it, so that it is no enum's value.
pub(crate) fn capitalised(words: &[String], fallback: &str) -> String {
    let name: String = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    if begins && name.bytes().any(|byte| byte.is_ascii_lowercase()) { name } else { format!("{fallback}{name}") }
}

/// One of many: `parcels` is `parcel`, as far as the end of the word tells.
pub(crate) fn singular(word: &str) -> String {
    let keeps = ["ss", "us", "is", "news", "series", "data"];
    let drops_es = ["sses", "uses", "xes", "ches", "shes", "zes"];
    if word == "ids" {
        "id".to_owned()
    } else if word.len() <= 3 || keeps.iter().any(|end| word.ends_with(end)) {
        word.to_owned()
    } else if let Some(stem) = word.strip_suffix("ies") {
        format!("{stem}y")
    } else if drops_es.iter().any(|end| word.ends_with(end)) {
        word[..word.len() - 2].to_owned()
    } else {
        word.strip_suffix('s').unwrap_or(word).to_owned()
    }
}

/// Many of one: `parcel` is `parcels`.
pub(crate) fn plural(word: &str) -> String {
    let vowel_before_y = ["ay", "ey", "oy", "uy"].iter().any(|end| word.ends_with(end));
    if word.ends_with(|c: char| c.is_ascii_digit()) {
        word.to_owned()
    } else if let Some(stem) = word.strip_suffix('y').filter(|_| !vowel_before_y) {
        format!("{stem}ies")
    } else if ["s", "x", "ch", "sh", "z"].iter().any(|end| word.ends_with(end)) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// A count in words: `1 table`, `3 entities`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    format!("{count} {}", if count == 1 { word.to_owned() } else { plural(word) })
}

/// Names that are given once each.
#[derive(Default)]
pub(crate) struct Names {
    given: BTreeMap<String, usize>,
}

impl Names {
    /// Whether a name is still free.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        !self.given.contains_key(name)
    }

    /// The name, with a number behind it where it is given already.
    pub(crate) fn give(&mut self, name: String, separator: &str) -> String {
        let mut candidate = name.clone();
        while !self.is_free(&candidate) {
            let number = self.given.entry(name.clone()).or_insert(1);
            *number += 1;
            candidate = format!("{name}{separator}{number}");
        }
        self.given.insert(candidate.clone(), 1);
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_spellable() {
        for (column, field) in [
            ("parcelId", "parcel_id"),
            ("HTTPServer", "http_server"),
            ("Größe", "gr_e"),
            ("2fa", "column_2fa"),
            ("名前", "column"),
            ("by", "by_value"),
            ("kl_version", "the_kl_version"),
        ] {
            assert_eq!(field_name(column), field);
        }
        assert_eq!(capitalised(&words("case_events"), "Row"), "CaseEvents");
        assert_eq!(capitalised(&words("1"), "Row"), "Row1");
        assert_eq!(capitalised(&words("x"), "Row"), "RowX");
    }

    #[test]
    fn one_and_many_lead_to_each_other() {
        for (many, one) in [
            ("parcels", "parcel"),
            ("entries", "entry"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("statuses", "status"),
            ("cases", "case"),
            ("keys", "key"),
            ("branches", "branch"),
        ] {
            assert_eq!(singular(many), one);
            assert_eq!(plural(one), many);
        }
        assert_eq!(singular("status"), "status");
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::default();
        let given: Vec<String> = (0..3).map(|_| names.give("get".to_owned(), "_")).collect();
        assert_eq!(given, ["get", "get_2", "get_3"]);
    }
}
