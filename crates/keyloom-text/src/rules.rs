//! The rules of the language itself: one file each, with its record, its words and, beside it, its page.
//!
//! A rule of the language is broken where the text is read, so its file holds no check of its own but the functions
//! that make its findings. All wording of a rule is in its file.

use keyloom_finding::Rule;

pub mod allow_without_reason;
pub(crate) mod ambiguous_name;
pub(crate) mod bad_expression;
pub(crate) mod bad_name;
pub(crate) mod bad_read;
pub(crate) mod bad_reference;
pub(crate) mod bad_type;
pub(crate) mod bad_value;
pub(crate) mod bad_write;
pub(crate) mod comma_in_braces;
pub(crate) mod cyclic_include;
pub(crate) mod duplicate_name;
pub(crate) mod get_not_unique;
pub(crate) mod if_looks_elsewhere;
pub(crate) mod language_version;
pub(crate) mod misplaced_optional;
pub(crate) mod missing_key;
pub(crate) mod more_than_one_hop;
pub(crate) mod not_yaml;
pub(crate) mod not_yet;
pub(crate) mod order_not_total;
pub(crate) mod order_on_optional;
pub(crate) mod two_types;
pub(crate) mod type_mismatch;
pub mod unbounded_array;
pub(crate) mod unfit_key;
pub(crate) mod unknown_key;
pub(crate) mod unknown_name;
pub(crate) mod unreadable_file;
pub(crate) mod wrong_shape;
pub(crate) mod yaml_ate_it;
pub(crate) mod yaml_feature;

/// Every rule of the language, by name.
pub static ALL: &[&Rule] = &[
    &allow_without_reason::RULE,
    &ambiguous_name::RULE,
    &bad_expression::RULE,
    &bad_name::RULE,
    &bad_read::RULE,
    &bad_reference::RULE,
    &bad_type::RULE,
    &bad_value::RULE,
    &bad_write::RULE,
    &comma_in_braces::RULE,
    &cyclic_include::RULE,
    &duplicate_name::RULE,
    &get_not_unique::RULE,
    &if_looks_elsewhere::RULE,
    &language_version::RULE,
    &misplaced_optional::RULE,
    &missing_key::RULE,
    &more_than_one_hop::RULE,
    &not_yaml::RULE,
    &not_yet::RULE,
    &order_not_total::RULE,
    &order_on_optional::RULE,
    &two_types::RULE,
    &type_mismatch::RULE,
    &unbounded_array::RULE,
    &unfit_key::RULE,
    &unknown_key::RULE,
    &unknown_name::RULE,
    &unreadable_file::RULE,
    &wrong_shape::RULE,
    &yaml_ate_it::RULE,
    &yaml_feature::RULE,
];
