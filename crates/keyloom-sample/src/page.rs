//! Trees of text, and how they are written as YAML.

/// A scalar, a list or a mapping.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

/// Keys and values, in the order in which they were put.
#[derive(Debug, Clone, Default)]
pub(crate) struct Map {
    entries: Vec<(String, Node)>,
}

impl Map {
    /// A mapping with one entry.
    pub(crate) fn of(key: impl Into<String>, value: impl Into<Node>) -> Self {
        Self::default().with(key, value)
    }

    /// The same with one more entry.
    pub(crate) fn with(mut self, key: impl Into<String>, value: impl Into<Node>) -> Self {
        self.put(key, value);
        self
    }

    pub(crate) fn put(&mut self, key: impl Into<String>, value: impl Into<Node>) {
        self.entries.push((key.into(), value.into()));
    }

    /// Puts all entries of another behind these.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.entries.extend(other.entries.iter().cloned());
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(known, _)| known == key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Node {
    fn from(number: usize) -> Self {
        Self::Text(number.to_string())
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl<T: Into<Node>> From<Vec<T>> for Node {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// What stands in braces or brackets ends before this column, else it becomes a block.
const WIDTH_MAX: usize = 110;

/// Writes a mapping as a file: its own entries as a block, what lies in them on one line where it fits.
pub(crate) fn print(map: &Map) -> String {
    let mut out = String::new();
    for (key, value) in &map.entries {
        match value {
            Node::Map(section) if key != "tenant" => {
                out.push_str(&format!("{}:\n", scalar(key)));
                section.entries.iter().for_each(|(key, value)| entry(&mut out, "  ", key, value));
            }
            _ => entry(&mut out, "", key, value),
        }
    }
    out
}

fn entry(out: &mut String, indent: &str, key: &str, value: &Node) {
    let key = scalar(key);
    out.push_str(&format!("{indent}{key}:"));
    let line = on_one_line(value);
    if indent.len() + key.len() + line.len() <= WIDTH_MAX {
        out.push_str(&format!(" {line}\n"));
    } else {
        block(out, &format!("{indent}  "), value, &line);
    }
}

fn block(out: &mut String, indent: &str, value: &Node, line: &str) {
    match value {
        Node::Text(_) => out.push_str(&format!(" {line}\n")),
        Node::Map(map) => {
            out.push('\n');
            map.entries.iter().for_each(|(key, value)| entry(out, indent, key, value));
        }
        Node::List(items) => {
            out.push('\n');
            for item in items {
                let line = on_one_line(item);
                match item {
                    Node::Map(map) if indent.len() + line.len() > WIDTH_MAX => {
                        let mut lines = String::new();
                        map.entries
                            .iter()
                            .for_each(|(key, value)| entry(&mut lines, &format!("{indent}  "), key, value));
                        out.push_str(&format!("{indent}- {}", lines.trim_start()));
                    }
                    _ => out.push_str(&format!("{indent}- {line}\n")),
                }
            }
        }
    }
}

fn on_one_line(node: &Node) -> String {
    match node {
        Node::Text(text) => scalar(text),
        Node::List(items) => format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        Node::Map(map) if map.entries.is_empty() => "{}".to_owned(),
        Node::Map(map) => {
            let entries = map.entries.iter().map(|(key, value)| format!("{}: {}", scalar(key), on_one_line(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A text in quotes, unless YAML reads it as it stands in braces too.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || " _.$()=<>!+*/%|'-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '$' || c == '(');
    if begins && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
