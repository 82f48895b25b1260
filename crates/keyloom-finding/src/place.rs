use std::collections::HashMap;
use std::ops::Range;

/// A file among [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// A stretch of bytes in one file. Copied freely, so it is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Place {
    /// The place of these bytes.
    pub fn new(file: FileId, bytes: Range<usize>) -> Self {
        Self { file, start: narrow(bytes.start), end: narrow(bytes.end) }
    }

    /// The bytes, for slicing the file's text.
    pub fn bytes(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `inner` lies within this place.
    pub fn contains(self, inner: Self) -> bool {
        self.file == inner.file && self.start <= inner.start && inner.end <= self.end
    }

    /// The place from the start of this one to the end of `other`, which lies in the same file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { end: other.end.max(self.end), ..self }
    }
}

/// A line and a column, both counted from 1; columns count code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// From 1.
    pub line: usize,
    /// From 1, in code points.
    pub column: usize,
}

/// One file that was read: its name as people know it, and its text.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    /// `None` while it is only reserved.
    text: Option<String>,
    line_starts: Vec<u32>,
    /// How many code points stand before each multiple of [`STEP`] bytes, so that a column on a very long line is
    /// found without walking the line.
    code_points: Vec<u32>,
}

/// The bytes between two counts of code points.
const STEP: usize = 1024;

/// Files are limited to far less than 4 GiB before they get here.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A byte that begins a code point; the others of UTF-8 continue one.
fn begins_code_point(byte: &&u8) -> bool {
    (**byte & 0xc0) != 0x80
}

impl SourceFile {
    /// The name to show: relative, with `/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text; empty while it is not filled in.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// Whether its text is there.
    pub fn is_filled(&self) -> bool {
        self.text.is_some()
    }

    /// The line and column of a byte.
    pub fn line_column(&self, byte: u32) -> LineColumn {
        let byte = byte.min(narrow(self.text().len()));
        let line = self.line_of(byte);
        let column = self.code_points_before(byte as usize) - self.code_points_before(self.line_starts[line] as usize);
        LineColumn { line: line + 1, column: column + 1 }
    }

    fn code_points_before(&self, byte: usize) -> usize {
        let step = byte / STEP;
        self.code_points[step] as usize
            + self.text().as_bytes()[step * STEP..byte].iter().filter(begins_code_point).count()
    }

    /// The line in which a byte stands, counted from 0.
    pub(crate) fn line_of(&self, byte: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= byte) - 1
    }

    /// The bytes of a line counted from 0, without its line break.
    pub(crate) fn line_bytes(&self, line: usize) -> Range<usize> {
        let start = self.line_starts[line] as usize;
        let end = self.line_starts.get(line + 1).map_or(self.text().len(), |&next| next as usize);
        let text = &self.text()[start..end];
        let text = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text);
        start..start + text.len()
    }
}

/// All files of one run.
///
/// ```
/// use keyloom_finding::{LineColumn, Sources};
///
/// let mut sources = Sources::default();
/// let file = sources.add("catalog.yaml", "a: é\nb: 1");
/// assert_eq!(sources.file(file).line_column(6), LineColumn { line: 2, column: 1 });
/// assert_eq!(sources.file(file).line_column(5), LineColumn { line: 1, column: 5 });
///
/// let late = sources.reserve("schema.cql");
/// assert!(!sources.file(late).is_filled());
/// sources.fill(late, "USE\nshop");
/// assert_eq!(sources.file(late).line_column(4), LineColumn { line: 2, column: 1 });
/// ```
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and names it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let file = self.reserve(name);
        self.fill(file, text);
        file
    }

    /// Names a file whose text is not kept: a review of a large repository fills in the few that its findings point into.
    pub fn reserve(&mut self, name: impl Into<String>) -> FileId {
        let file = SourceFile { name: name.into(), text: None, line_starts: vec![0], code_points: vec![0] };
        self.files.push(file);
        FileId(narrow(self.files.len() - 1))
    }

    /// Gives a reserved file its text.
    pub fn fill(&mut self, id: FileId, text: impl Into<String>) {
        let text = text.into();
        let file = &mut self.files[id.0 as usize];
        file.line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| narrow(at + 1))).collect();
        file.code_points = vec![0];
        for step in text.as_bytes().chunks(STEP) {
            let before = file.code_points.last().copied().unwrap_or(0);
            file.code_points.push(before + narrow(step.iter().filter(begins_code_point).count()));
        }
        file.text = Some(text);
    }

    /// The file of that id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// The text at a place.
    pub fn text(&self, place: Place) -> &str {
        self.file(place.file).text().get(place.bytes()).unwrap_or("")
    }
}

/// Where each thing of a catalog is written, by its path: `patterns.show_timeline.rate`.
///
/// The model itself carries no places, so that two catalogs are equal when they say the same; rules look places up here.
#[derive(Debug, Default)]
pub struct Places {
    by_path: HashMap<String, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Place,
    value: Place,
}

impl Places {
    /// Remembers where the key and the value of `path` stand.
    pub fn insert(&mut self, path: impl Into<String>, key: Place, value: Place) {
        self.by_path.insert(path.into(), Entry { key, value });
    }

    fn nearest(&self, path: &str) -> Option<Entry> {
        let mut path = path;
        loop {
            if let Some(entry) = self.by_path.get(path) {
                return Some(*entry);
            }
            path = path.rsplit_once('.')?.0;
        }
    }

    /// The place of the key, or of the nearest thing around it that is written down.
    pub fn key(&self, path: &str) -> Option<Place> {
        self.nearest(path).map(|entry| entry.key)
    }

    /// The place of the value, or the key of the nearest thing around it that is written down.
    pub fn value(&self, path: &str) -> Option<Place> {
        match self.by_path.get(path) {
            Some(entry) => Some(entry.value),
            None => self.key(path),
        }
    }

    /// The whole entry, from its key to the end of its value; only if it is written down itself.
    pub fn whole(&self, path: &str) -> Option<Place> {
        self.by_path.get(path).map(|entry| entry.key.to(entry.value))
    }
}
