//! What an expression is known to be: text, parts one after the other, one of several, a name to be looked up elsewhere.
//!
//! Values are shared and never change. Each knows how many nodes it has, and one that would grow beyond a bound is not known
//! any more: whoever walks over a value needs no bound of his own.

use std::ops::Range;
use std::sync::Arc;

/// A value as it is handed around.
pub(crate) type Shared = Arc<Value>;

/// Nodes of one value. Statements have few: neighbouring literals are one.
const NODES: u32 = 400;

/// Values that one may be.
const ALTERNATIVES: usize = 16;

/// Bytes of one text.
const BYTES: usize = 256 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub kind: Kind,
    nodes: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text that is known.
    Text(Text),
    /// A number, a boolean: as the program writes it.
    Plain(String),
    Null,
    Unset,
    /// Something with a name and no value.
    Unknown(Unknown),
    /// A constant, a field or a function's answer, to be found when units are linked.
    Name(Name),
    /// One after the other.
    Join(Vec<Shared>),
    /// One of several.
    Either(Choice),
    /// Put together in a loop: this once is one of many possible texts.
    Repeated(Shared),
    /// Some of the text is replaced.
    Rewritten(Shared),
    /// A list, an array, a tuple, arguments.
    List(Vec<Shared>),
    /// The entries of a list, with a text between them.
    Separated {
        separator: Shared,
        list: Shared,
    },
    /// A template that is filled in.
    Format {
        template: Shared,
        style: Style,
        arguments: Vec<(Option<String>, Shared)>,
    },
    /// An object with named parts: a table's description, options of a call.
    Record(Vec<(String, Shared)>),
    /// A statement under construction by calls.
    Built(Box<crate::builder::Built>),
    /// A statement that the driver derives from a table's description.
    Derived {
        table: Shared,
        method: String,
        arguments: Vec<Shared>,
        at: Range<u32>,
    },
    /// A statement that went through a call: it is still that statement, and the site learns what follows.
    Sent {
        statement: Shared,
        site: usize,
    },
    /// A name in the place of a term: a text that it stands for is quoted there.
    Quoted {
        value: Shared,
        at: Range<u32>,
    },
    /// A batch, by its number in the unit.
    Batch(u32),
}

/// One of several values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What decides: the condition as it is written. The same question is answered alike wherever it is asked.
    question: Option<Arc<str>>,
    options: Vec<(u32, Shared)>,
}

impl Choice {
    pub fn values(&self) -> impl Iterator<Item = &Shared> {
        self.options.iter().map(|(_, value)| value)
    }

    /// Whether one of the values is to add nothing.
    pub fn is_optional(&self) -> bool {
        let adds_nothing = |value: &Shared| match &value.kind {
            Kind::Join(parts) => parts.is_empty(),
            Kind::Text(text) => text.text.is_empty(),
            _ => false,
        };
        self.values().any(adds_nothing)
    }

    /// The values, each with the answer that chooses it.
    pub fn answers(&self) -> impl Iterator<Item = (Option<(Arc<str>, u32)>, &Shared)> {
        self.options.iter().map(|(branch, value)| (self.question.clone().map(|question| (question, *branch)), value))
    }

    /// The same choice between other values.
    pub fn map(&self, change: impl FnMut(&Shared) -> Option<Shared>) -> Option<Shared> {
        let values: Option<Vec<Shared>> = self.values().map(change).collect();
        let options = self.options.iter().zip(values?).map(|((branch, _), value)| (*branch, value)).collect();
        Some(Value::either(self.question.as_ref(), options))
    }
}

/// Text, and where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub text: String,
    pub parts: Vec<Part>,
}

/// Bytes of a text and the bytes of the unit that made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub text: Range<u32>,
    pub at: Range<u32>,
    pub verbatim: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub name: String,
    pub at: Range<u32>,
    /// It is this parameter of the function around it.
    pub parameter: Option<(String, usize)>,
}

/// A name as it is written, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// `["Constants", "TABLE"]`; without its qualifier where that is `this`.
    pub path: Vec<String>,
    /// The containers around it, outermost first.
    pub from: Arc<[String]>,
    pub at: Range<u32>,
    pub call: bool,
}

/// How a template marks what is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `%s`, `%1$s`, `%(name)s`.
    Percent,
    /// `{}`, `{0}`, `{name}`.
    Braces,
}

impl Value {
    pub fn new(kind: Kind) -> Shared {
        let nodes = match &kind {
            Kind::Join(values) | Kind::List(values) => sum(values.iter()),
            Kind::Either(choice) => sum(choice.values()),
            Kind::Repeated(value)
            | Kind::Rewritten(value)
            | Kind::Sent { statement: value, .. }
            | Kind::Quoted { value, .. } => value.nodes,
            Kind::Separated { separator, list } => separator.nodes.saturating_add(list.nodes),
            Kind::Format { template, arguments, .. } => {
                template.nodes.saturating_add(sum(arguments.iter().map(|(_, value)| value)))
            }
            Kind::Record(fields) => sum(fields.iter().map(|(_, value)| value)),
            Kind::Derived { table, arguments, .. } => table.nodes.saturating_add(sum(arguments.iter())),
            Kind::Built(built) => built.values().map(|value| value.nodes).fold(0, u32::saturating_add),
            _ => 0,
        }
        .saturating_add(1);
        if nodes > NODES {
            return Self::unknown("too_long", 0..0);
        }
        Arc::new(Self { kind, nodes })
    }

    pub fn text(text: Text) -> Shared {
        if text.text.len() > BYTES {
            return Self::unknown("too_long", 0..0);
        }
        Self::new(Kind::Text(text))
    }

    /// Text that the program did not write as such; its place is that of the call that means it.
    pub fn meant(text: impl Into<String>, at: Range<u32>) -> Shared {
        let mut meant = Text::default();
        meant.push(&text.into(), at, false);
        Self::text(meant)
    }

    pub fn unknown(name: &str, at: Range<u32>) -> Shared {
        Self::new(Kind::Unknown(Unknown { name: hole_name(name), at, parameter: None }))
    }

    /// One value after the other; neighbouring texts become one.
    pub fn join(values: Vec<Shared>) -> Shared {
        let mut joined: Vec<Shared> = Vec::with_capacity(values.len());
        let mut run: Option<Text> = None;
        let mut pending = values;
        pending.reverse();
        while let Some(value) = pending.pop() {
            match &value.kind {
                Kind::Join(inner) => pending.extend(inner.iter().rev().cloned()),
                Kind::Text(text) => match &mut run {
                    Some(run) if run.text.len() <= BYTES => run.append(text),
                    Some(_) => {}
                    None => run = Some(text.clone()),
                },
                _ => {
                    joined.extend(run.take().map(Self::text));
                    joined.push(value);
                }
            }
        }
        joined.extend(run.take().map(Self::text));
        match joined.len() {
            1 => joined.remove(0),
            _ => Self::new(Kind::Join(joined)),
        }
    }

    /// One of several, each with the number of the branch that chooses it. What all begin with is written once, so that
    /// optional parts in a row stay few.
    pub fn either(question: Option<&Arc<str>>, options: Vec<(u32, Shared)>) -> Shared {
        let Some((_, first)) = options.first() else { return Self::join(vec![]) };
        if options.iter().all(|(_, option)| option == first) {
            return first.clone();
        }
        let parts: Vec<(u32, Vec<Shared>)> =
            options.iter().map(|(branch, option)| (*branch, option.as_parts())).collect();
        let shortest = parts.iter().map(|(_, parts)| parts.len()).min().unwrap_or(0);
        let is_common = |at: &usize| parts.iter().all(|(_, each)| each[*at] == parts[0].1[*at]);
        let common = (0..shortest).take_while(is_common).count();
        if common > 0 {
            let rest = |(branch, parts): &(u32, Vec<Shared>)| (*branch, Self::join(parts[common..].to_vec()));
            let mut joined = parts[0].1[..common].to_vec();
            joined.push(Self::alternatives(question, parts.iter().map(rest).collect()));
            return Self::new(Kind::Join(joined));
        }
        Self::extended(question, &parts).unwrap_or_else(|| Self::alternatives(question, options))
    }

    /// `a` or `a + b` where that is one text: the longer text begins with the shorter.
    fn extended(question: Option<&Arc<str>>, parts: &[(u32, Vec<Shared>)]) -> Option<Shared> {
        let [one, other] = parts else { return None };
        let size = |(_, parts): &(u32, Vec<Shared>)| {
            let bytes = |value: &Shared| if let Kind::Text(text) = &value.kind { text.text.len() } else { 0 };
            (parts.len(), parts.first().map_or(0, bytes))
        };
        let ((one, short), (other, long)) = if size(one) <= size(other) { (one, other) } else { (other, one) };
        let ([only], [first, more @ ..]) = (&short[..], &long[..]) else { return None };
        let (only, rest) = match (&only.kind, &first.kind) {
            (Kind::Text(short), Kind::Text(long)) => (only, long.after(short)?),
            _ => return None,
        };
        let mut tail = vec![Self::text(rest)];
        tail.extend(more.iter().cloned());
        let mut options = vec![(*one, Self::join(vec![])), (*other, Self::join(tail))];
        options.sort_by_key(|(branch, _)| *branch);
        Some(Self::new(Kind::Join(vec![only.clone(), Self::alternatives(question, options)])))
    }

    fn alternatives(question: Option<&Arc<str>>, options: Vec<(u32, Shared)>) -> Shared {
        let mut all: Vec<(u32, Shared)> = Vec::new();
        for (branch, value) in options {
            match &value.kind {
                // Without a question it does not matter who chooses.
                Kind::Either(inner) if question.is_none() && inner.question.is_none() => {
                    all.extend(inner.values().map(|value| (branch, value.clone())));
                }
                _ => all.push((branch, value)),
            }
        }
        if question.is_none() {
            let mut different: Vec<(u32, Shared)> = Vec::new();
            for (_, value) in all {
                if !different.iter().any(|(_, known)| *known == value) {
                    different.push((different.len() as u32, value));
                }
                // More than are followed: those that are left out stand for themselves.
                if different.len() > ALTERNATIVES {
                    break;
                }
            }
            all = different;
        }
        let many = all.len() > ALTERNATIVES;
        all.truncate(ALTERNATIVES);
        let value = match all.len() {
            1 => all.remove(0).1,
            _ => Self::new(Kind::Either(Choice { question: question.cloned(), options: all })),
        };
        if many { Self::new(Kind::Repeated(value)) } else { value }
    }

    fn as_parts(self: &Arc<Self>) -> Vec<Shared> {
        match &self.kind {
            Kind::Join(parts) => parts.clone(),
            _ => vec![self.clone()],
        }
    }

    /// The text with which it begins, where that is known.
    pub fn first_text(&self) -> Option<&Text> {
        let mut value = self;
        loop {
            value = match &value.kind {
                Kind::Text(text) => return Some(text),
                Kind::Join(values) => values.iter().find(|value| !value.is_blank())?,
                Kind::Either(choice) => choice.values().find(|value| !value.is_blank())?,
                Kind::Repeated(value) | Kind::Rewritten(value) => value,
                Kind::Sent { statement, .. } => statement,
                Kind::Format { template, .. } => template,
                _ => return None,
            };
        }
    }

    fn is_blank(&self) -> bool {
        matches!(&self.kind, Kind::Text(text) if text.text.trim().is_empty())
    }

    /// Whether some text is known of it, or may be when units are linked.
    pub fn is_telling(&self) -> bool {
        !matches!(self.kind, Kind::Unknown(_) | Kind::Null | Kind::Unset | Kind::Plain(_) | Kind::Batch(_))
    }
}

fn sum<'v>(values: impl Iterator<Item = &'v Shared>) -> u32 {
    values.map(|value| value.nodes).fold(0, u32::saturating_add)
}

impl Text {
    pub fn push(&mut self, text: &str, at: Range<u32>, verbatim: bool) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let end = self.text.len() as u32;
        if start == end {
            return;
        }
        match self.parts.last_mut() {
            Some(last) if last.verbatim && verbatim && last.at.end == at.start => {
                last.at.end = at.end;
                last.text.end = end;
            }
            _ => self.parts.push(Part { text: start..end, at, verbatim }),
        }
    }

    pub fn append(&mut self, other: &Self) {
        let shift = self.text.len() as u32;
        self.text.push_str(&other.text);
        self.parts.extend(other.parts.iter().map(|part| Part {
            text: part.text.start + shift..part.text.end + shift,
            at: part.at.clone(),
            verbatim: part.verbatim,
        }));
    }

    /// What follows when this text begins with another that was written at the same place.
    fn after(&self, start: &Self) -> Option<Self> {
        let count = start.parts.len();
        if count == 0 || self.parts.len() <= count || self.parts[..count] != start.parts[..] {
            return None;
        }
        let from = start.text.len();
        let shift = from as u32;
        let parts = self.parts[count..].iter().map(|part| Part {
            text: part.text.start - shift..part.text.end - shift,
            at: part.at.clone(),
            verbatim: part.verbatim,
        });
        Some(Self { text: self.text[from..].to_owned(), parts: parts.collect() })
    }

    /// The text without the bytes of the ranges, which are in order and lie between characters.
    pub fn without(&self, cut: &[Range<usize>]) -> Self {
        let mut kept = Self::default();
        let mut cut = cut.iter().peekable();
        for part in &self.parts {
            let (mut start, end) = (part.text.start as usize, part.text.end as usize);
            while start < end {
                while cut.peek().is_some_and(|range| range.end <= start) {
                    cut.next();
                }
                let stop = match cut.peek() {
                    Some(range) if range.start <= start => {
                        start = range.end.min(end);
                        continue;
                    }
                    Some(range) => range.start.min(end),
                    None => end,
                };
                let at = if part.verbatim {
                    let shift = part.at.start;
                    let from = part.text.start;
                    start as u32 - from + shift..stop as u32 - from + shift
                } else {
                    part.at.clone()
                };
                kept.push(&self.text[start..stop], at, part.verbatim);
                start = stop;
            }
        }
        kept
    }
}

/// A hole is named like a name: what an expression has besides letters, digits, dots and underscores is left out.
fn hole_name(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == '_' || letter == '.' {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        if name.len() >= 60 {
            break;
        }
    }
    let name = name.trim_end_matches('_');
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}
