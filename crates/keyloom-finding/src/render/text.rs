//! Text for people, in the manner of a compiler: the source line with carets, then the number, then the way out.

use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level as Severity, Origin, Padding, Renderer, Snippet,
};
use unicode_width::UnicodeWidthStr;

use super::excerpt::{Excerpt, excerpts};
use super::visible::{one_line, visible};
use super::{Report, Style, notes};
use crate::{Finding, Level, Sources};

/// However narrow the terminal, a line of prose has room for a few words.
const PROSE_COLUMNS_MIN: usize = 20;

/// How much is shown of a line that is too long to be drawn.
const FRAGMENT_COLUMNS: usize = 40;

pub(super) fn render(report: &Report, style: Style) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width);
    let mut out = String::new();
    for finding in report.findings {
        out += &renderer.render(&[group(finding, report.sources, style.width)]);
        out += "\n\n";
    }
    out + &report.footer()
}

fn group<'a>(finding: &'a Finding, sources: &Sources, width: usize) -> Group<'a> {
    let severity = match finding.level {
        Level::Error => Severity::ERROR,
        Level::Warning => Severity::WARNING,
        Level::Note => Severity::NOTE,
    };
    let label = finding.level.name().len() + finding.rule.name.len() + "[]: ".len();
    let title = severity.primary_title(prose(&finding.message, width.saturating_sub(label))).id(finding.rule.name);

    // A mark of half the width leaves room for its label and for what stands around it.
    let excerpts = excerpts(finding, sources, width / 2);
    // Notes stand to the right of the line numbers, behind ` = `.
    let last_line = excerpts.iter().map(Excerpt::last_line_number).max().unwrap_or(0);
    let notes_width = width.saturating_sub(last_line.to_string().len() + " = ".len());

    let mut group = Group::with_title(title);
    for excerpt in &excerpts {
        if excerpt.is_drawable() {
            group = group.element(snippet(excerpt));
        } else {
            group = group.elements(fragments(excerpt, notes_width));
        }
    }
    group.elements(notes(finding).map(|(word, text)| note(word, &text, notes_width)))
}

fn snippet<'a>(excerpt: &Excerpt) -> Snippet<'a, Annotation<'a>> {
    let marks = excerpt.marks.iter().map(|mark| {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let words = one_line(mark.words);
        kind.span(excerpt.marked(mark)).label((!words.is_empty()).then_some(words))
    });
    Snippet::source(excerpt.text())
        .line_start(excerpt.first_line_number())
        .path(one_line(excerpt.file.name()))
        .annotations(marks)
}

/// An excerpt whose lines are too long to be drawn: where its marks are, and how the text goes on from there.
fn fragments<'a>(excerpt: &Excerpt, width: usize) -> Vec<Element<'a>> {
    let mut elements: Vec<Element> = Vec::new();
    for mark in &excerpt.marks {
        let at = excerpt.line_column(mark);
        let origin = Origin::path(one_line(excerpt.file.name())).line(at.line).char_column(at.column);
        if !mark.primary {
            elements.push(Padding.into());
        }
        elements.extend([origin.into(), Padding.into()]);
        elements.push(note("text", &excerpt.fragment(mark, FRAGMENT_COLUMNS), width));
        if !mark.words.is_empty() {
            elements.push(note("note", mark.words, width));
        }
    }
    elements
}

fn note<'a>(word: &'static str, text: &str, width: usize) -> Element<'a> {
    let text = prose(text, width.saturating_sub(word.len() + ": ".len()));
    Severity::NOTE.with_name(word).message(text).into()
}

/// Makes text safe on a terminal and breaks its long lines at blanks.
fn prose(text: &str, columns: usize) -> String {
    let columns = columns.max(PROSE_COLUMNS_MIN);
    let lines: Vec<String> = visible(text).lines().map(|line| wrap(line, columns)).collect();
    lines.join("\n")
}

/// Breaks a line at blanks where it is wider than `columns`; a word that is wider by itself stays whole.
fn wrap(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut wrapped = String::with_capacity(line.len());
    let mut used = 0;
    for word in line.split_whitespace() {
        let width = word.width();
        if used > 0 && used + 1 + width > columns {
            wrapped.push('\n');
            used = 0;
        } else if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped += word;
        used += width;
    }
    wrapped
}
