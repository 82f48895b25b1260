//! The rules, one file each, with its page beside it. `check` looks at a catalog, `check_survey` at a schema and the
//! statements that use it; some rules have both.

use keyloom_finding::{Finding, Place, Rule};
use keyloom_model::Frequency;

use crate::reads::some_names;

pub(crate) mod aggregate_at_read;
pub(crate) mod allow_filtering;
pub(crate) mod average_only_estimate;
pub(crate) mod bad_config;
pub(crate) mod bad_cql;
pub(crate) mod batch_as_bulk_load;
pub(crate) mod boundary_mismatch;
pub(crate) mod client_timestamp_resolution;
pub(crate) mod contended_decision;
pub(crate) mod copy_without_contract;
pub(crate) mod current_period_partition;
pub(crate) mod dead_column;
pub(crate) mod dead_field;
pub(crate) mod durable_writes_off;
pub(crate) mod filter_after_read;
pub(crate) mod first_page_only;
pub(crate) mod full_scan;
pub(crate) mod gc_grace_zero_with_deletes;
pub(crate) mod global_partition;
pub(crate) mod hot_index;
pub(crate) mod hot_partition;
pub(crate) mod id_reuse_after_delete;
pub(crate) mod illegal_statement;
pub(crate) mod illegal_step;
pub(crate) mod index_limit;
pub(crate) mod inexact_counter;
pub(crate) mod join_in_code;
pub(crate) mod key_too_long;
pub(crate) mod limit_before_intersection;
pub(crate) mod low_cardinality_partition;
pub(crate) mod materialized_view;
pub(crate) mod minimum_as_typical;
pub(crate) mod misfit_requirement;
pub(crate) mod misplaced_embedding;
pub(crate) mod missing_expiry;
pub(crate) mod missing_freshness;
pub(crate) mod missing_growth;
pub(crate) mod missing_rate;
pub(crate) mod missing_skew;
pub(crate) mod missing_span;
pub(crate) mod missing_tenant_in_key;
pub(crate) mod missing_tie_breaker;
pub(crate) mod mixed_sort_direction;
pub(crate) mod mixed_write_discipline;
pub(crate) mod moving_key;
pub(crate) mod must_present_seen;
pub(crate) mod noisy_tenant;
pub(crate) mod nonfrozen_collection_overwrite;
pub(crate) mod null_write;
pub(crate) mod offset_pagination;
pub(crate) mod order_mismatch;
pub(crate) mod orphan_entity;
pub(crate) mod over_wide_delete;
pub(crate) mod overbucketed_partition;
pub(crate) mod overprojected_index;
pub(crate) mod oversized_item;
pub(crate) mod oversized_partition;
pub(crate) mod oversized_transaction;
pub(crate) mod projection_as_truth;
pub(crate) mod queue_like_table;
pub(crate) mod random_bucket;
pub(crate) mod rate_against_growth;
pub(crate) mod read_past_retention;
pub(crate) mod redundant_structure;
pub(crate) mod replication_factor_one;
pub(crate) mod row_by_row_retention;
pub(crate) mod schema_differs;
pub(crate) mod secondary_index_on_core_path;
pub(crate) mod skipped_clustering_column;
pub(crate) mod stale_after_write;
pub(crate) mod stale_facts;
pub(crate) mod stale_overwrite;
pub(crate) mod stated_otherwise;
pub(crate) mod status_partition;
pub(crate) mod storage_in_catalog;
pub(crate) mod tombstone_heavy_read;
pub(crate) mod truncated_range_end;
pub(crate) mod twcs_window_mismatch;
pub(crate) mod twcs_without_ttl;
pub(crate) mod unbounded_array;
pub(crate) mod unbounded_fan_out;
pub(crate) mod unbounded_partition;
pub(crate) mod unconditional_claim;
pub(crate) mod undecided_statement;
pub(crate) mod unenforced_uniqueness;
pub(crate) mod unknown_column;
pub(crate) mod unknown_table;
pub(crate) mod unlimited_read;
pub(crate) mod unowned_index;
pub(crate) mod unprepared_literal;
pub(crate) mod unsafe_retry;
pub(crate) mod unserved_pattern;
pub(crate) mod unusable_index;
pub(crate) mod unused_allow;
pub(crate) mod unused_structure;
pub(crate) mod unwritten_column;
pub(crate) mod upsert_resurrects_row;
pub(crate) mod volatile_copy;
pub(crate) mod wide_synchronous_fan_out;
pub(crate) mod write_amplification;

/// A peak for a derivation: as stated, or the mean it is assumed from.
pub(crate) fn peak_words(rate: Frequency) -> String {
    match rate {
        Frequency::Stated { peak: Some(peak), .. } => format!("{peak}"),
        Frequency::Stated { mean: Some(mean), peak: None } => format!("{mean} x 10 (the peak, assumed)"),
        other => other.to_string(),
    }
}

/// One finding for what many things lack: it stands at the first of them and names the others.
///
/// Twenty notes that say the same thing bury the one warning that matters. Up to three are told one by one.
pub(crate) fn gathered(
    rule: &'static Rule,
    lacking: Vec<(String, Option<Place>)>,
    message: impl Fn(&str) -> String,
) -> impl Iterator<Item = Finding> {
    const TOLD_APART: usize = 3;
    let findings: Vec<Finding> = if lacking.len() <= TOLD_APART {
        lacking.into_iter().map(|(name, place)| Finding::new(rule, place, message(&format!("`{name}`")))).collect()
    } else {
        let names = some_names(lacking.iter().map(|(name, _)| name.as_str()));
        let place = lacking.first().and_then(|(_, place)| *place);
        vec![Finding::new(rule, place, message(&names))]
    };
    findings.into_iter()
}

/// How a group's size is stated on its entity; a key with a comma in it needs quotes inside braces.
pub(crate) fn group_example(fields: &[&str]) -> String {
    match fields {
        [] => "groups: { all: 40 / 5k / 200k }".to_owned(),
        [one] => format!("groups: {{ {one}: 40 / 5k / 200k }}"),
        several => format!("groups: {{ \"{}\": 40 / 5k / 200k }}", several.join(", ")),
    }
}
