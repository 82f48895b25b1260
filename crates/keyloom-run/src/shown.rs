//! Rows as they are answered: the text of JSON, written once and never taken apart again on the way out.

use keyloom_value::{
    Kind, Value,
    json::{write_json, write_name},
};
use serde_json::Value as Json;

use crate::problem::Problem;

/// A row of an answer: an object of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// Its text, without line breaks.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Its fields.
    pub fn json(&self) -> Json {
        // It was written here; a text that can't be read would be a fault of the writer, and shows as nothing.
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

/// The name of a value in an answer.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    /// The objects that it stands in, from outside.
    around: Vec<String>,
    /// Its own, as it is written before the value.
    written: String,
}

impl Name {
    /// A path: `user`, `name` is the member `name` of an object `user`.
    pub(crate) fn of(mut path: Vec<String>) -> Self {
        let mut written = String::new();
        write_name(&path.pop().unwrap_or_default(), &mut written);
        Self { around: path, written }
    }
}

/// An object that is being written.
pub(crate) struct Object<'a> {
    text: String,
    /// The objects inside that are open.
    open: Vec<&'a str>,
    /// Nothing stands in the innermost one yet.
    empty: bool,
}

impl<'a> Object<'a> {
    /// Rows of a list are about equally long.
    pub(crate) fn sized(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push('{');
        Self { text, open: Vec::new(), empty: true }
    }

    /// Puts a value where its name leads: `user.name` into an object `user`, whose members must come one after the other. Absent
    /// values are left out.
    pub(crate) fn put(&mut self, name: &'a Name, value: &Value<'_>, kind: &Kind) -> Result<(), Problem> {
        if value.is_null() {
            return Ok(());
        }
        let common = self.open.iter().zip(&name.around).take_while(|(open, part)| *open == part).count();
        self.close_to(common);
        self.comma();
        for part in &name.around[common..] {
            write_name(part, &mut self.text);
            self.text.push('{');
            self.open.push(part);
        }
        self.text.push_str(&name.written);
        self.empty = false;
        write_json(value, kind, &mut self.text).map_err(|mismatch| Problem::Broken(mismatch.to_string()))
    }

    /// Puts rows that come with this one.
    pub(crate) fn put_rows(&mut self, name: &str, rows: &[Shown]) {
        self.close_to(0);
        self.comma();
        write_name(name, &mut self.text);
        self.text.push('[');
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.text.push_str(row.text());
        }
        self.text.push(']');
        self.empty = false;
    }

    pub(crate) fn shown(mut self) -> Shown {
        self.close_to(0);
        self.text.push('}');
        Shown(self.text)
    }

    fn comma(&mut self) {
        if !self.empty {
            self.text.push(',');
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.open.pop();
            self.text.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_inside_are_opened_and_closed_where_they_are_needed() {
        let names = |path: &str| Name::of(path.split('.').map(str::to_owned).collect());
        let paths =
            ["id", "user.name", "user.home.city", "user.home.street", "user.age", "team.name", "hours"].map(names);
        let written = |absent: &[usize]| {
            let mut object = Object::sized(0);
            for (at, path) in paths.iter().enumerate() {
                let value = if absent.contains(&at) { Value::Null } else { Value::from(at as i64) };
                object.put(path, &value, &Kind::Int).unwrap();
            }
            object.put_rows("notes", &[Shown("{}".into()), Shown(r#"{"a":1}"#.into())]);
            object.shown()
        };
        assert_eq!(
            written(&[]).text(),
            r#"{"id":0,"user":{"name":1,"home":{"city":2,"street":3},"age":4},"team":{"name":5},"hours":6,"notes":[{},{"a":1}]}"#
        );
        assert_eq!(written(&[0, 1, 4, 5, 6]).text(), r#"{"user":{"home":{"city":2,"street":3}},"notes":[{},{"a":1}]}"#);
        assert_eq!(written(&[0, 1, 2, 3, 4, 5, 6]).text(), r#"{"notes":[{},{"a":1}]}"#);
        for absent in 0..1 << paths.len() {
            let absent: Vec<usize> = (0..paths.len()).filter(|at| absent >> at & 1 == 1).collect();
            assert!(written(&absent).json().is_object(), "{absent:?}");
        }
    }
}
