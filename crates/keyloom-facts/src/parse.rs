//! Reads a data file. Strict: the files are ours, so an unknown key is a slip of the pen and not tomorrow's version.

use keyloom_model::{Date, Engine};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{Fact, Facts, Kind};

/// The facts of a data file, or what is wrong with it, for whoever has edited it.
pub(crate) fn facts(engine: Engine, text: &str) -> Result<Facts, String> {
    let file = DeTable::parse(text).map_err(|error| error.to_string())?;
    let file = Entry { name: "the file", table: file.get_ref() };
    file.expect_keys(&["checked", "fact"])?;
    let entries = file.value("fact")?.as_array().ok_or("`fact` is no list of tables")?;
    let facts = entries.iter().map(|entry| fact(engine, entry)).collect::<Result<_, String>>()?;
    Ok(Facts { engine, checked: file.day("checked")?, facts })
}

fn fact(engine: Engine, entry: &Spanned<DeValue<'_>>) -> Result<Fact, String> {
    let table = entry.get_ref().as_table().ok_or("an entry of `fact` is no table")?;
    let name = Entry { name: "a fact", table }.text("name")?;
    let entry = Entry { name: &name, table };
    entry.expect_keys(&["name", "value", "unit", "what", "kind", "source", "date"])?;
    let kind = entry.text("kind")?;
    Ok(Fact {
        engine,
        value: entry.number("value")?,
        unit: entry.text("unit")?,
        what: entry.text("what")?,
        kind: Kind::from_name(&kind).ok_or_else(|| entry.wrong("kind", "none of the kinds"))?,
        source: entry.text("source")?,
        date: entry.day("date")?,
        name,
    })
}

/// A table, with the name it has in complaints.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) table: &'a DeTable<'a>,
}

impl Entry<'_> {
    pub(crate) fn expect_keys(&self, known: &[&str]) -> Result<(), String> {
        match self.table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => Err(format!("{} has an unknown key `{}`", self.name, key.get_ref())),
            None => Ok(()),
        }
    }

    pub(crate) fn value(&self, key: &str) -> Result<&DeValue<'_>, String> {
        self.table.get(key).map(Spanned::get_ref).ok_or_else(|| format!("{} has no `{key}`", self.name))
    }

    pub(crate) fn text(&self, key: &str) -> Result<String, String> {
        match self.value(key)?.as_str() {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(self.wrong(key, "no text")),
        }
    }

    pub(crate) fn number(&self, key: &str) -> Result<u64, String> {
        let number = self.value(key)?.as_integer();
        let number = number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        number.filter(|&number| number > 0).ok_or_else(|| self.wrong(key, "no number above zero"))
    }

    pub(crate) fn day(&self, key: &str) -> Result<Date, String> {
        let written = self.value(key)?.as_datetime();
        let date = written.filter(|written| written.time.is_none()).and_then(|written| written.date);
        let date = date.ok_or_else(|| self.wrong(key, "no date"))?;
        Ok(Date { year: date.year, month: date.month, day: date.day })
    }

    pub(crate) fn wrong(&self, key: &str, what: &str) -> String {
        format!("`{key}` of {} is {what}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
checked = 2026-11-15
[[fact]]
name = "item_bytes"
value = 409_600
unit = "bytes per item"
what = "All of it."
kind = "refused"
source = "Constraints, https://example.com"
date = 2026-11-01
"#;

    fn complaint(from: &str, to: &str) -> String {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "`{from}` is not in the good file");
        facts(Engine::Redis, &text).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_good_file_is_read() {
        let facts = facts(Engine::Redis, GOOD).unwrap();
        assert_eq!(facts.checked, Date { year: 2026, month: 11, day: 15 });
        assert_eq!(
            facts.get("item_bytes"),
            Some(&Fact {
                engine: Engine::Redis,
                name: "item_bytes".to_owned(),
                value: 409_600,
                unit: "bytes per item".to_owned(),
                what: "All of it.".to_owned(),
                kind: Kind::Refused,
                source: "Constraints, https://example.com".to_owned(),
                date: Date { year: 2026, month: 11, day: 1 },
            })
        );
    }

    #[test]
    fn slips_of_the_pen_are_named() {
        assert_eq!(complaint("checked = 2026-11-15", ""), "the file has no `checked`");
        assert_eq!(complaint("2026-11-15", "\"2026-11-15\""), "`checked` of the file is no date");
        assert_eq!(complaint("2026-11-15", "2026-11-15T10:00:00Z"), "`checked` of the file is no date");
        assert_eq!(complaint("value = 409_600", ""), "item_bytes has no `value`");
        assert_eq!(complaint("409_600", "0"), "`value` of item_bytes is no number above zero");
        assert_eq!(complaint("409_600", "-1"), "`value` of item_bytes is no number above zero");
        assert_eq!(complaint("409_600", "99999999999999999999"), "`value` of item_bytes is no number above zero");
        assert_eq!(complaint("409_600", "4.5"), "`value` of item_bytes is no number above zero");
        assert_eq!(complaint("\"refused\"", "\"hearsay\""), "`kind` of item_bytes is none of the kinds");
        assert_eq!(complaint("\"All of it.\"", "\" \""), "`what` of item_bytes is no text");
        assert_eq!(complaint("what =", "why ="), "item_bytes has an unknown key `why`");
        assert_eq!(complaint("name = \"item_bytes\"", ""), "a fact has no `name`");
        assert_eq!(complaint("[[fact]]", "[fact]"), "`fact` is no list of tables");
        assert_eq!(complaint("checked", "Checked"), "the file has an unknown key `Checked`");
    }

    #[test]
    fn what_is_not_toml_is_refused() {
        assert!(complaint("2026-11-15", "2026-13-15").contains("line 2"));
        assert!(complaint("[[fact]]", "[[fact").contains("line 3"));
    }
}
