//! A design as a page that a team reviews in a meeting: one file of HTML that loads nothing and runs nothing, the same bytes for the
//! same design.

mod diagram;
mod html;
mod page;

use keyloom_finding::{Finding, Sources};

use crate::show::Explained;

pub use page::report;

/// What a page is made of.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The design, and why it is as it is.
    pub explained: Explained<'a>,
    /// What the review has against it.
    pub findings: &'a [Finding],
    /// What the findings point into.
    pub sources: &'a Sources,
    /// The layout as text.
    pub layout: &'a str,
}
