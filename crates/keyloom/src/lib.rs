//! Keyloom as a library: from a catalog of entities and access patterns to a design that is proven, priced and run.
//!
//! This crate is the front door. It gathers the crates behind it under one name, and holds what belongs to all of
//! them: the example catalogs, and the words and JSON of `show`. [`open`](open()) runs a catalog inside a program.
//!
//! ```
//! use keyloom::check::{Config, review};
//! use keyloom::finding::{Level, Sources};
//! use keyloom::model::Date;
//! use keyloom::text::{Files, Unreadable, read};
//!
//! struct Shop;
//! impl Files for Shop {
//!     fn open(&self, _name: &str) -> Result<String, Unreadable> {
//!         Ok(keyloom::examples::find("shop").unwrap().text.to_owned())
//!     }
//! }
//! let mut sources = Sources::default();
//! let reading = read("catalog.yaml", &Shop, &mut sources);
//! let today = Date::parse("2026-11-15").unwrap();
//! let findings = review(&[reading], &sources, &Config::default(), today);
//! assert!(findings.iter().all(|finding| finding.level < Level::Error));
//! ```

pub mod emit;
pub mod examples;
mod open;
pub mod report;
pub mod show;

pub use open::{Unsound, catalog, open};

pub use keyloom_run::{Answer, Caller, Problem, Shown};
pub use keyloom_serve::{Calling, Data, Db, new_key};

pub use keyloom_check as check;
pub use keyloom_code as code;
pub use keyloom_cql as cql;
pub use keyloom_design as design;
pub use keyloom_draft as draft;
pub use keyloom_embedded as embedded;
pub use keyloom_facts as facts;
pub use keyloom_finding as finding;
pub use keyloom_load as load;
pub use keyloom_model as model;
pub use keyloom_plan as plan;
pub use keyloom_run as run;
pub use keyloom_serve as serve;
pub use keyloom_size as size;
pub use keyloom_store as store;
pub use keyloom_survey as survey;
pub use keyloom_text as text;
pub use keyloom_value as value;

/// This Keyloom's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
