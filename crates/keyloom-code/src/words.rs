//! What a text is by its first words: a statement or a sentence, CQL or another SQL.

use crate::sight::{is_directive, skip_blanks};
use crate::snippet::Foreign;

/// Whether a text begins as a statement does: a verb, and what must follow it somewhere. Sentences do not.
pub(crate) fn is_statement(text: &str) -> bool {
    let words = Words::of(text);
    let Some(verb) = words.at(0) else { return false };
    let second = words.at(1).unwrap_or("");
    match verb {
        "select" => words.selects(),
        "insert" => second == "into" && words.at(2).is_some() && words.has_any(&["values", "json", "(", "select"]),
        "update" => words.updates(),
        "delete" => words.deletes(),
        "begin" => {
            words.len() > 4
                && (second == "batch"
                    || matches!(second, "unlogged" | "logged" | "counter") && words.at(2) == Some("batch"))
        }
        "truncate" => words.len() <= 4 && words.at(1).is_some(),
        "use" if is_directive(text.as_bytes()) => false,
        "use" => words.len() == 2 || words.len() == 3 && words.at(2) == Some(";"),
        "create" | "alter" | "drop" => words.defines(),
        _ => false,
    }
}

/// The first words of a text in lower case; signs are words of their own.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut open = false;
        let mut quote: Option<char> = None;
        let text = skip_blanks(text);
        let mut hole = false;
        for letter in text.chars().take(20_000) {
            if let Some(end) = quote {
                if letter == end {
                    quote = None;
                }
                continue;
            }
            if letter == keyloom_cql::HOLE {
                hole = !hole;
                if hole && !open {
                    words.push(String::from("\u{fffc}"));
                }
                open = true;
                continue;
            }
            if hole {
                continue;
            }
            if letter == '\'' {
                quote = Some('\'');
                words.push("'".to_owned());
                open = false;
                continue;
            }
            let part = letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"' | '$' | '{' | '}' | '%' | '`');
            if !part {
                open = false;
                if !letter.is_whitespace() {
                    words.push(letter.to_string());
                }
            } else if let (true, Some(last)) = (open, words.last_mut()) {
                last.extend(letter.to_lowercase());
            } else {
                words.push(letter.to_lowercase().collect());
                open = true;
            }
        }
        Self(words)
    }

    fn at(&self, index: usize) -> Option<&str> {
        self.0.get(index).map(String::as_str)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn has_any(&self, wanted: &[&str]) -> bool {
        self.0.iter().any(|word| wanted.contains(&word.as_str()))
    }

    /// `SELECT … FROM name`, where what is selected looks like a list: words are divided by commas, not by blanks alone.
    fn selects(&self) -> bool {
        let Some(from) = self.0.iter().position(|word| word == "from") else { return false };
        if from + 1 >= self.len() || from < 2 {
            return false;
        }
        let list = &self.0[1..from];
        let is_name =
            |word: &String| word.chars().next().is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let glue = ["distinct", "as", "json", "top"];
        let loose = list.windows(2).filter(|pair| {
            is_name(&pair[0])
                && is_name(&pair[1])
                && !glue.contains(&pair[0].as_str())
                && !glue.contains(&pair[1].as_str())
                && !pair[0].contains('%')
                && !pair[1].contains('%')
        });
        if loose.count() > 0 {
            return false;
        }
        let table = &self.0[from + 1];
        if matches!(table.as_str(), "the" | "a" | "an" | "your" | "this" | "these" | "all" | "which" | "available") {
            return false;
        }
        // `Select one from list` is a sentence; a statement ends there or goes on with one of its clauses.
        self.at(from + 2).is_none_or(|word| {
            !word.chars().all(char::is_alphabetic)
                || [
                    "where", "limit", "order", "group", "allow", "per", "as", "join", "inner", "left", "right",
                    "using", "bypass", "and", "cross", "full", "natural", "union", "for", "having", "t", "offset",
                ]
                .contains(&word)
                || word.len() <= 3
        })
    }

    fn updates(&self) -> bool {
        let Some(set) = self.0.iter().position(|word| word == "set") else { return false };
        let mut between = self.0[1..set].iter();
        let named = between.next().is_some();
        named
            && between.next().is_none_or(|word| matches!(word.as_str(), "using" | "." | "as") || word.len() <= 2)
            && self.0[set..].iter().any(|word| matches!(word.as_str(), "=" | "\u{fffc}"))
    }

    fn deletes(&self) -> bool {
        let Some(from) = self.0.iter().position(|word| word == "from") else { return false };
        let glued = self.0[1..from].windows(2).all(|pair| {
            let letters = |word: &str| word.chars().all(char::is_alphanumeric);
            !(letters(&pair[0]) && letters(&pair[1]))
        });
        let table = self.at(from + 1).unwrap_or("");
        let article = matches!(table, "" | "the" | "a" | "an" | "this" | "your");
        glued
            && !article
            && self.at(from + 2).is_none_or(|word| {
                !word.chars().all(char::is_alphabetic) || matches!(word, "where" | "using" | "if") || word.len() <= 2
            })
    }

    fn defines(&self) -> bool {
        const THINGS: [&str; 16] = [
            "table",
            "columnfamily",
            "type",
            "index",
            "keyspace",
            "materialized",
            "function",
            "aggregate",
            "custom",
            "role",
            "user",
            "trigger",
            "schema",
            "view",
            "or",
            "unique",
        ];
        let second = self.at(1).unwrap_or("");
        let defined = THINGS.contains(&second) && self.at(2).is_some_and(|word| word != "the" && word != "for");
        match self.at(0) {
            // `drop table failed` is a message; a statement has a name, and nothing but signs and options behind it.
            Some("drop") => defined && self.len() <= 9 && (self.len() <= 4 || self.has_any(&["if", "on", ".", ";"])),
            Some("alter") => {
                defined && self.has_any(&["add", "drop", "with", "rename", "alter", "set", "to", "\u{fffc}"])
            }
            _ => defined && self.has_any(&["(", "{", "as", "with", "on", "\u{fffc}", "'"]),
        }
    }
}

/// What in a text CQL does not have.
pub(crate) fn foreign(text: &str) -> Vec<Foreign> {
    let words = Words::of(text);
    let word = |wanted: &str| words.0.iter().any(|word| word == wanted);
    let pair = |one: &str, two: &str| words.0.windows(2).any(|pair| pair[0] == one && pair[1] == two);
    let is_create = words.at(0) == Some("create") && matches!(words.at(1), Some("table"));
    let is_select = words.at(0) == Some("select");
    let numbered = words.0.iter().any(|word| {
        word.strip_prefix('$').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let sized = |pair: &[String]| {
        matches!(pair[0].as_str(), "varchar" | "char" | "nvarchar" | "decimal" | "numeric" | "number" | "varchar2")
            && pair[1] == "("
    };
    let strange = ["datetime", "timestamptz", "jsonb", "bytea", "integer", "clob", "longtext", "nvarchar"];
    let table_alias = is_select
        && words.0.iter().position(|word| word == "from").is_some_and(|from| {
            words.at(from + 2).is_some_and(|word| {
                word == "as"
                    || word == ","
                    || word.len() <= 2 && word.chars().all(char::is_alphabetic) && !matches!(word, "if" | "in")
            })
        });
    let mut found = Vec::new();
    let mut note = |sign, seen| {
        if seen {
            found.push(sign);
        }
    };
    note(Foreign::Join, word("join") || pair("left", "join"));
    note(Foreign::NumberedMarker, numbered);
    note(Foreign::QuotedName, text.contains('`') || words.0.windows(2).any(|pair| pair[0] == "from" && pair[1] == "["));
    note(Foreign::Returning, word("returning"));
    note(Foreign::OnConflict, pair("on", "conflict") || pair("on", "duplicate"));
    note(Foreign::DoubleColonCast, words.0.windows(2).any(|pair| pair[0] == ":" && pair[1] == ":"));
    note(
        Foreign::GeneratedKey,
        word("auto_increment")
            || word("autoincrement")
            || is_create && (word("serial") || word("bigserial") || word("identity")),
    );
    note(Foreign::Type, is_create && (words.0.windows(2).any(sized) || strange.iter().any(|name| word(name))));
    note(
        Foreign::Clause,
        word("having")
            || word("union")
            || word("exists") && pair("exists", "(")
            || pair("case", "when")
            || word("ilike")
            || words.0.windows(2).any(|pair| pair[0] == "(" && pair[1] == "select")
            || is_select && word("or")
            || pair("for", "update")
            || words
                .0
                .windows(2)
                .any(|pair| pair[0] == "offset" && (pair[1] == "?" || pair[1].starts_with(char::is_numeric))),
    );
    note(
        Foreign::Constraint,
        is_create
            && (pair("foreign", "key")
                || word("references")
                || word("unique")
                || word("default")
                || pair("not", "null")
                || word("constraint")),
    );
    note(Foreign::Alias, table_alias);
    found
}
