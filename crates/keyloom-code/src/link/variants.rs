//! The texts that a value may be.

use super::{Linker, Purpose, Wanted};
use crate::draft::Draft;
use crate::read::gocqlx::derive;
use crate::snippet::Origin;
use crate::template::{With, blanks};
use crate::value::{Kind, Name, Shared, Unknown};

/// How many texts one expression may become. Beyond it the longest stands for all, and is marked.
const VARIANTS_MAX: usize = 8;

/// How many declarations deep a name is followed.
const FOLLOWED_MAX: usize = 16;

impl Linker<'_> {
    pub(super) fn variants(&mut self, unit: usize, value: &Shared) -> Vec<Draft> {
        if self.budget == 0 {
            return vec![Draft::lost(unit, 0..0)];
        }
        self.budget -= 1;
        match &value.kind {
            Kind::Text(text) => vec![Draft::of(text, unit)],
            Kind::Plain(text) => vec![Draft { text: text.clone(), ..Draft::default() }],
            Kind::Null | Kind::Unset => vec![Draft { text: "null".to_owned(), ..Draft::default() }],
            Kind::Unknown(unknown) => vec![self.unknown(unit, unknown)],
            Kind::Name(name) => self.named(unit, name),
            Kind::Join(values) => self.product(unit, values),
            Kind::Either(choice) => {
                let mut all: Vec<Draft> = Vec::new();
                let is_optional = choice.is_optional();
                for (answer, value) in choice.answers() {
                    for draft in self.variants(unit, value) {
                        let draft = if is_optional { draft.optional() } else { draft };
                        if let Some(draft) = draft.answered(answer.clone()) {
                            add(&mut all, draft);
                        }
                    }
                }
                bounded(all)
            }
            Kind::Repeated(value) => marked(self.variants(unit, value), |draft| draft.dynamic = true),
            Kind::Rewritten(value) => marked(self.variants(unit, value), |draft| draft.rewritten = true),
            Kind::Sent { statement, .. } => self.variants(unit, statement),
            Kind::Quoted { value, at } => {
                let mut quote = crate::value::Text::default();
                quote.push("'", at.clone(), false);
                let quote = Draft::of(&quote, unit);
                let is_text = |draft: &Draft| draft.holes.is_empty() && !draft.pieces.is_empty() && !draft.dynamic;
                let quoted = |draft: Draft| {
                    if !is_text(&draft) {
                        return draft;
                    }
                    let mut quoted = quote.clone();
                    quoted.append(&draft);
                    quoted.append(&quote);
                    quoted
                };
                self.variants(unit, value).into_iter().map(quoted).collect()
            }
            Kind::Separated { separator, list } => {
                let separator = longest(self.variants(unit, separator)).pop().unwrap_or_default();
                self.separated(unit, &separator, list)
            }
            Kind::Format { template, style, arguments } => {
                let templates = self.variants(unit, template);
                let mut filled = Vec::new();
                for template in templates {
                    filled.extend(self.filled(unit, &template, *style, arguments));
                }
                bounded(filled)
            }
            Kind::Built(built) => {
                let is_statement = built.start().is_some();
                let text = built.text();
                let origin = is_statement.then_some(Origin::Builder);
                marked(self.variants(unit, &text), |draft| draft.origin = draft.origin.max(origin))
            }
            Kind::Derived { table, method, arguments, at } => self.derived(unit, table, method, arguments, at),
            Kind::List(_) | Kind::Record(_) | Kind::Batch(_) => {
                vec![Draft { dynamic: true, ..Draft::hole("unknown", unit, 0..0, Vec::new()) }]
            }
        }
    }

    fn product(&mut self, unit: usize, values: &[Shared]) -> Vec<Draft> {
        let mut all = vec![Draft::default()];
        for value in values {
            all = combined(all, self.variants(unit, value));
        }
        all
    }

    fn filled(
        &mut self,
        unit: usize,
        template: &Draft,
        style: crate::value::Style,
        arguments: &[(Option<String>, Shared)],
    ) -> Vec<Draft> {
        let mut all = vec![Draft::default()];
        let mut from = 0;
        for blank in blanks(&template.text, style) {
            let at = template.slice(blank.at.clone()).pieces.first().map(|piece| (piece.unit, piece.at.clone()));
            let (at_unit, at) = at.unwrap_or((unit, 0..0));
            let parts = match &blank.with {
                With::Text(text) => {
                    let mut sign = crate::value::Text::default();
                    sign.push(text, at, false);
                    vec![Draft::of(&sign, at_unit)]
                }
                With::Position(position) => match arguments.iter().filter(|(name, _)| name.is_none()).nth(*position) {
                    Some((_, value)) => self.variants(unit, value),
                    None => vec![Draft::hole(&format!("argument{}", position + 1), at_unit, at, Vec::new())],
                },
                With::Name(name) => {
                    let root = name.split(['.', '[']).next().unwrap_or(name);
                    match arguments.iter().find(|(given, _)| given.as_deref() == Some(root)) {
                        Some((_, value)) => self.variants(unit, value),
                        None => vec![Draft::hole(name, at_unit, at, Vec::new())],
                    }
                }
            };
            let before = template.slice(from..blank.at.start);
            all.iter_mut().for_each(|draft| draft.append(&before));
            all = combined(all, parts);
            from = blank.at.end;
        }
        let rest = template.slice(from..template.text.len());
        all.iter_mut().for_each(|draft| draft.append(&rest));
        all
    }

    /// The entries of a list with a text between them. The text may come from another unit than the list.
    fn separated(&mut self, unit: usize, separator: &Draft, list: &Shared) -> Vec<Draft> {
        if self.budget == 0 {
            return vec![Draft::lost(unit, 0..0)];
        }
        self.budget -= 1;
        match &list.kind {
            Kind::List(items) => {
                let mut all = vec![Draft::default()];
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        all.iter_mut().for_each(|draft| draft.append(separator));
                    }
                    all = combined(all, self.variants(unit, item));
                }
                all
            }
            Kind::Either(choice) => {
                let mut all = Vec::new();
                for (answer, list) in choice.answers() {
                    let drafts = self.separated(unit, separator, list);
                    all.extend(drafts.into_iter().filter_map(|draft| draft.answered(answer.clone())));
                }
                bounded(all)
            }
            Kind::Repeated(list) => marked(self.separated(unit, separator, list), |draft| draft.dynamic = true),
            Kind::Unknown(unknown) => vec![self.unknown(unit, unknown)],
            Kind::Name(name) => match self.lookup(unit, name).as_slice() {
                [(unit, declaration)] if self.following.len() < FOLLOWED_MAX => {
                    let value = self.units[*unit].declarations[*declaration].value.clone();
                    self.following.push((*unit, *declaration));
                    let all = self.separated(*unit, separator, &value);
                    self.following.pop();
                    all
                }
                _ => self.named(unit, name),
            },
            _ => vec![Draft { dynamic: true, ..Draft::hole("list", unit, 0..0, Vec::new()) }],
        }
    }

    /// A statement that the driver derives from a table's description.
    fn derived(
        &mut self,
        unit: usize,
        table: &Shared,
        method: &str,
        arguments: &[Shared],
        at: &std::ops::Range<u32>,
    ) -> Vec<Draft> {
        let found = match &table.kind {
            Kind::Name(name) => self.lookup(unit, name),
            _ => Vec::new(),
        };
        let described = match found.as_slice() {
            [(unit, declaration)] => Some((*unit, self.units[*unit].declarations[*declaration].value.clone())),
            _ => None,
        };
        let (described_in, described) = described.unwrap_or_else(|| (unit, table.clone()));
        let Kind::Record(fields) = &described.kind else { return Vec::new() };
        // The description's texts have their places in another unit than the call: they are looked up there first.
        let mut statements = Vec::new();
        if let Some(value) = derive(fields, method, arguments, at) {
            let in_unit = described_in;
            statements = marked(self.variants(in_unit, &value), |draft| {
                draft.origin = Some(Origin::Metadata);
                for piece in &mut draft.pieces {
                    // What is not written verbatim is what the call means.
                    if !piece.verbatim && piece.at == *at {
                        piece.unit = unit;
                    }
                }
            });
        }
        statements
    }

    fn unknown(&mut self, unit: usize, unknown: &Unknown) -> Draft {
        let values = unknown.parameter.as_ref().map(|(function, index)| self.passed(unit, function, *index));
        Draft::hole(&unknown.name, unit, unknown.at.clone(), values.unwrap_or_default())
    }

    /// The values that a parameter has at the calls in its unit, if all of them are constant.
    fn passed(&mut self, unit: usize, function: &str, index: usize) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        let units = self.units;
        for passed in units[unit].passed.iter().filter(|passed| passed.function == function) {
            let Some(value) = passed.arguments.get(index) else { return Vec::new() };
            if matches!(value.kind, Kind::Unknown(_)) {
                return Vec::new();
            }
            for draft in self.variants(unit, value) {
                if !draft.holes.is_empty() || draft.dynamic || values.len() >= 16 {
                    return Vec::new();
                }
                if !values.contains(&draft.text) {
                    values.push(draft.text);
                }
            }
        }
        values
    }

    fn named(&mut self, unit: usize, name: &Name) -> Vec<Draft> {
        let found = self.lookup(unit, name);
        let mut all: Vec<Draft> = Vec::new();
        for (at, declaration) in found.into_iter().take(VARIANTS_MAX) {
            if self.following.contains(&(at, declaration)) || self.following.len() >= FOLLOWED_MAX {
                continue;
            }
            let declared = &self.units[at].declarations[declaration];
            let value = match (&declared.value.kind, name.path.last()) {
                (Kind::Record(fields), Some(wanted)) if declared.name != *wanted => {
                    match fields.iter().find(|(field, _)| field == wanted) {
                        Some((_, value)) => value.clone(),
                        None => continue,
                    }
                }
                _ => declared.value.clone(),
            };
            self.following.push((at, declaration));
            for draft in self.variants(at, &value) {
                if !all.contains(&draft) {
                    all.push(draft);
                }
            }
            self.following.pop();
        }
        if all.is_empty() {
            if !name.call {
                let container = name.path.len().checked_sub(2).map(|at| name.path[at].clone());
                if let Some(last) = name.path.last() {
                    let language = self.units[unit].language;
                    self.missing.push(Wanted {
                        language,
                        container,
                        name: last.clone(),
                        purpose: Purpose::Declaration,
                    });
                }
            }
            let last = name.path.last().map_or("unknown", String::as_str);
            return vec![Draft::hole(last, unit, name.at.clone(), Vec::new())];
        }
        bounded(all)
    }
}

/// One more text. One that is there already stands for both, with the answers that both need.
fn add(all: &mut Vec<Draft>, draft: Draft) {
    match all.iter_mut().find(|known| known.text == draft.text && known.pieces == draft.pieces) {
        Some(known) => {
            known.answers.retain(|answer| draft.answers.contains(answer));
            known.dynamic &= draft.dynamic;
        }
        None => all.push(draft),
    }
}

/// Each text with each of the parts behind it that go with it. Where that were too many, the longest stands for all.
fn combined(mut all: Vec<Draft>, mut parts: Vec<Draft>) -> Vec<Draft> {
    let agreeing = all.iter().map(|draft| parts.iter().filter(|part| draft.agrees(part)).count()).sum::<usize>();
    if agreeing > VARIANTS_MAX || agreeing == 0 {
        parts = longest(parts);
    }
    if let [only] = parts.as_slice() {
        all.iter_mut().for_each(|draft| draft.append(only));
        return all;
    }
    let with = |draft: &Draft, part: &Draft| {
        let mut draft = draft.clone();
        draft.append(part);
        draft
    };
    let pairs = all.iter().flat_map(|draft| parts.iter().map(move |part| (draft, part)));
    pairs.filter(|(draft, part)| draft.agrees(part)).map(|(draft, part)| with(draft, part)).collect()
}

fn marked(mut drafts: Vec<Draft>, mark: impl Fn(&mut Draft)) -> Vec<Draft> {
    drafts.iter_mut().for_each(mark);
    drafts
}

fn bounded(drafts: Vec<Draft>) -> Vec<Draft> {
    if drafts.len() > VARIANTS_MAX { longest(drafts) } else { drafts }
}

/// The longest text stands for all, which is said.
fn longest(drafts: Vec<Draft>) -> Vec<Draft> {
    if drafts.len() < 2 {
        return drafts;
    }
    let longest = drafts.into_iter().max_by_key(|draft| draft.text.len());
    longest.map(|draft| Draft { dynamic: true, answers: Vec::new(), ..draft }).into_iter().collect()
}
