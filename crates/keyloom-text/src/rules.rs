//! The rules of the language itself: one file each, with its record, its words and, beside it, its page.
//!
//! A rule of the language is broken where the text is read, so its file holds no check of its own but the functions
//! that make its findings. All wording of a rule is in its file.

use keyloom_finding::Rule;

pub(crate) mod not_yaml;
pub(crate) mod yaml_feature;

/// Every rule of the language, by name.
pub static ALL: &[&Rule] = &[&not_yaml::RULE, &yaml_feature::RULE];
