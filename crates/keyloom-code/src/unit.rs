//! One file, read: what it declares and what it may ask, in a form that is small beside its text.

use std::ops::Range;

use crate::Language;
use crate::shape::Import;
use crate::snippet::{BatchSite, Consumed, Marker};
use crate::value::Shared;

/// A file that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    pub(crate) language: Language,
    /// What the caller calls it: a path with slashes.
    pub(crate) name: String,
    pub(crate) package: String,
    pub(crate) imports: Vec<Import>,
    /// Classes with what they extend.
    pub(crate) bases: Vec<(String, String)>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) seeds: Vec<Seed>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) passed: Vec<Passed>,
    /// Names by which it takes values out of rows, or out of anything that is asked in the same way.
    pub(crate) taken: Vec<Shared>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) unread: Option<Unread>,
}

impl Unit {
    /// Comments that say something to Keyloom, in the order of the text.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Why some or all of the file was not read.
    pub fn unread(&self) -> Option<Unread> {
        self.unread
    }

    /// The drivers that the file imports.
    pub fn drivers(&self) -> crate::Drivers {
        crate::dialect::drivers(self)
    }
}

/// Why a file was not read, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It has more bytes than [`crate::BYTES_MAX`].
    TooLarge,
    /// It nests more deeply than any program that people write.
    TooDeep,
    /// The parser gave up: it is no program of that language, or one made to be slow.
    TooHard,
}

/// A comment that holds the word `keyloom:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its bytes.
    pub at: Range<u32>,
    /// What it says, without the signs of a comment.
    pub text: String,
    /// The bytes of the statement, declaration or call that stands next behind it, or beside it in its line.
    pub covers: Option<Range<u32>>,
}

/// A constant, a field, a variable of the file, or what a function answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// The containers around it, outermost first.
    pub container: std::sync::Arc<[String]>,
    pub name: String,
    pub value: Shared,
    pub at: Range<u32>,
    pub function: bool,
}

/// An expression that begins as a statement does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seed {
    pub at: Range<u32>,
    pub value: Shared,
    pub function: Option<String>,
    pub container: Option<String>,
}

/// A call that is given a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub value: Shared,
    pub at: Range<u32>,
    pub calls: Vec<String>,
    pub function: Option<String>,
    pub container: Option<String>,
    pub in_loop: bool,
    pub batch: Option<BatchSite>,
    pub arguments: Vec<(Marker, String, Shared)>,
    pub page_size: Option<String>,
    pub consistency: Option<String>,
    pub idempotent: Option<bool>,
    pub timestamp: Option<String>,
    pub consumed: Option<Consumed>,
}

/// Arguments of a call of a function of the same unit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Passed {
    pub function: String,
    pub arguments: Vec<Shared>,
}
