//! The lines of a file that are shown for a finding, cut so that neither a huge file nor a huge line is printed whole.

use std::ops::Range;

use super::visible::visible;
use crate::{FileId, Finding, LineColumn, Place, SourceFile, Sources};

/// Places further apart than this are shown as two excerpts, and a longer place is marked at its first line only.
const LINES_MAX: usize = 200;

/// A line longer than this, such as minified text, is not drawn: only its column and a fragment are told.
const LINE_BYTES_MAX: usize = 1000;

/// Consecutive lines of one file with what is marked in them.
pub(super) struct Excerpt<'a> {
    file_id: FileId,
    pub(super) file: &'a SourceFile,
    /// The lines, counted from 0.
    lines: Range<usize>,
    pub(super) marks: Vec<Mark<'a>>,
}

/// One marked stretch of bytes within a file, on character boundaries.
pub(super) struct Mark<'a> {
    bytes: Range<usize>,
    pub(super) words: &'a str,
    pub(super) primary: bool,
}

/// The excerpts of a finding, the one with its own place first. A mark on one line has at most `columns` characters.
pub(super) fn excerpts<'a>(finding: &'a Finding, sources: &'a Sources, columns: usize) -> Vec<Excerpt<'a>> {
    let own = finding.place.map(|place| (place, finding.label.as_str(), true));
    let related = finding.related.iter().map(|(place, words)| (*place, words.as_str(), false));
    let mut excerpts: Vec<Excerpt> = Vec::new();
    for (place, words, primary) in own.into_iter().chain(related) {
        let file = sources.file(place.file);
        let (bytes, lines) = fit(place, file, columns);
        let mark = Mark { bytes, words, primary };
        let neighbour = excerpts.iter_mut().find_map(|excerpt| {
            let joined = excerpt.lines.start.min(lines.start)..excerpt.lines.end.max(lines.end);
            let joins = excerpt.file_id == place.file && joined.len() <= LINES_MAX && is_drawable(file, &joined);
            joins.then_some((excerpt, joined))
        });
        match neighbour {
            Some((excerpt, joined)) => {
                excerpt.lines = joined;
                excerpt.marks.push(mark);
            }
            None => excerpts.push(Excerpt { file_id: place.file, file, lines, marks: vec![mark] }),
        }
    }
    excerpts
}

/// The bytes of a place as they are marked, and the lines they touch.
fn fit(place: Place, file: &SourceFile, columns: usize) -> (Range<usize>, Range<usize>) {
    let text = file.text();
    let start = boundary(text, place.start as usize);
    let end = boundary(text, place.end as usize).max(start);
    // A block of YAML ends with its line break; the mark ends with its last word.
    let words_end = start + text[start..end].trim_end().len();
    let (first, last) = (line_of(file, start), line_of(file, words_end));
    if last > first && last - first < LINES_MAX {
        return (start..words_end, first..last + 1);
    }
    let line_end = file.line_bytes(first).end.max(start);
    let end = if words_end > start { words_end } else { end };
    let marked = &text[start..end.min(line_end)];
    let cut = marked.char_indices().nth(columns.max(1)).map_or(marked.len(), |(at, _)| at);
    (start..start + cut, first..first + 1)
}

/// The nearest offset at or before this one that splits neither a character nor a line break.
fn boundary(text: &str, offset: usize) -> usize {
    let offset = text.floor_char_boundary(offset);
    let splits_line_break = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
    offset - usize::from(splits_line_break)
}

fn line_of(file: &SourceFile, offset: usize) -> usize {
    file.line_of(narrow(offset))
}

/// Offsets come from places, which are narrow already.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn is_drawable(file: &SourceFile, lines: &Range<usize>) -> bool {
    lines.clone().all(|line| file.line_bytes(line).len() <= LINE_BYTES_MAX)
}

impl Excerpt<'_> {
    /// Whether all its lines are short enough to be drawn.
    pub(super) fn is_drawable(&self) -> bool {
        is_drawable(self.file, &self.lines)
    }

    /// The number of the first line, counted from 1.
    pub(super) fn first_line_number(&self) -> usize {
        self.lines.start + 1
    }

    /// The number of the last line, counted from 1.
    pub(super) fn last_line_number(&self) -> usize {
        self.lines.end
    }

    /// The lines, safe on a terminal.
    pub(super) fn text(&self) -> String {
        shown(&self.file.text()[self.start()..self.file.line_bytes(self.lines.end - 1).end])
    }

    /// Where a mark stands in [`text`](Self::text).
    pub(super) fn marked(&self, mark: &Mark) -> Range<usize> {
        let before = shown(&self.file.text()[self.start()..mark.bytes.start]).len();
        before..before + shown(&self.file.text()[mark.bytes.clone()]).len()
    }

    /// Where a mark begins, as people count.
    pub(super) fn line_column(&self, mark: &Mark) -> LineColumn {
        self.file.line_column(narrow(mark.bytes.start))
    }

    /// The text from the start of a mark on, for a line that is not drawn.
    pub(super) fn fragment(&self, mark: &Mark, columns: usize) -> String {
        let line_end = self.file.line_bytes(self.lines.start).end.max(mark.bytes.start);
        let rest = &self.file.text()[mark.bytes.start..line_end];
        match rest.char_indices().nth(columns) {
            Some((cut, _)) => format!("{}...", &rest[..cut]),
            None => rest.to_owned(),
        }
    }

    fn start(&self) -> usize {
        self.file.line_bytes(self.lines.start).start
    }
}

/// Since no mark splits a line break, the text before a mark looks the same alone as in its excerpt.
fn shown(text: &str) -> String {
    visible(&text.replace("\r\n", "\n"))
}
