use keyloom_finding::{Finding, Rule};

use crate::rules::{
    aggregate_at_read, allow_filtering, average_only_estimate, bad_config, bad_cql, batch_as_bulk_load,
    boundary_mismatch, client_timestamp_resolution, contended_decision, copy_without_contract,
    current_period_partition, dead_column, dead_field, durable_writes_off, filter_after_read, first_page_only,
    full_scan, gc_grace_zero_with_deletes, global_partition, hot_index, hot_partition, id_reuse_after_delete,
    illegal_statement, illegal_step, index_limit, inexact_counter, join_in_code, key_too_long,
    limit_before_intersection, low_cardinality_partition, materialized_view, minimum_as_typical, misfit_requirement,
    misplaced_embedding, missing_expiry, missing_freshness, missing_growth, missing_rate, missing_skew, missing_span,
    missing_tenant_in_key, missing_tie_breaker, mixed_sort_direction, mixed_write_discipline, moving_key,
    must_present_seen, noisy_tenant, nonfrozen_collection_overwrite, null_write, offset_pagination, order_mismatch,
    orphan_entity, over_wide_delete, overbucketed_partition, overprojected_index, oversized_item, oversized_partition,
    oversized_transaction, projection_as_truth, queue_like_table, random_bucket, rate_against_growth,
    read_past_retention, redundant_structure, replication_factor_one, row_by_row_retention, schema_differs,
    secondary_index_on_core_path, skipped_clustering_column, stale_after_write, stale_facts, stale_overwrite,
    stated_otherwise, status_partition, storage_in_catalog, tombstone_heavy_read, truncated_range_end,
    twcs_window_mismatch, twcs_without_ttl, unbounded_array, unbounded_fan_out, unbounded_partition,
    unconditional_claim, undecided_statement, unenforced_uniqueness, unknown_column, unknown_table, unlimited_read,
    unowned_index, unprepared_literal, unsafe_retry, unserved_pattern, unusable_index, unused_allow, unused_structure,
    unwritten_column, upsert_resurrects_row, volatile_copy, wide_synchronous_fan_out, write_amplification,
};
use crate::{Context, LayoutContext, SurveyContext};

/// A rule that looks at a whole catalog.
pub struct CatalogRule {
    /// Its record.
    pub rule: &'static Rule,
    /// Its check.
    pub check: fn(&Context<'_>, &mut Vec<Finding>),
}

macro_rules! catalog_rules {
    ($($module:ident),* $(,)?) => {
        /// The rules that look at a catalog, by name.
        pub static CATALOG_RULES: &[CatalogRule] = &[$(CatalogRule { rule: &$module::RULE, check: $module::check }),*];
    };
}

catalog_rules![
    aggregate_at_read,
    average_only_estimate,
    contended_decision,
    copy_without_contract,
    dead_field,
    filter_after_read,
    minimum_as_typical,
    missing_expiry,
    missing_freshness,
    missing_growth,
    missing_rate,
    missing_skew,
    missing_span,
    mixed_write_discipline,
    orphan_entity,
    oversized_item,
    rate_against_growth,
    storage_in_catalog,
    unconditional_claim,
    unlimited_read,
    unsafe_retry,
];

/// A rule that looks at a whole survey: a schema and the statements that use it.
pub struct SurveyRule {
    /// Its record.
    pub rule: &'static Rule,
    /// Its check.
    pub check: fn(&SurveyContext<'_>, &mut Vec<Finding>),
}

macro_rules! survey_rules {
    ($($module:ident),* $(,)?) => {
        /// The rules that look at a survey, by name. Some of them look at catalogs too.
        pub static SURVEY_RULES: &[SurveyRule] =
            &[$(SurveyRule { rule: &$module::RULE, check: $module::check_survey }),*];
    };
}

survey_rules![
    aggregate_at_read,
    allow_filtering,
    bad_cql,
    batch_as_bulk_load,
    boundary_mismatch,
    client_timestamp_resolution,
    copy_without_contract,
    current_period_partition,
    dead_column,
    durable_writes_off,
    filter_after_read,
    first_page_only,
    full_scan,
    gc_grace_zero_with_deletes,
    global_partition,
    id_reuse_after_delete,
    illegal_statement,
    illegal_step,
    inexact_counter,
    limit_before_intersection,
    low_cardinality_partition,
    materialized_view,
    missing_expiry,
    missing_tie_breaker,
    mixed_sort_direction,
    mixed_write_discipline,
    nonfrozen_collection_overwrite,
    null_write,
    offset_pagination,
    order_mismatch,
    over_wide_delete,
    queue_like_table,
    redundant_structure,
    replication_factor_one,
    row_by_row_retention,
    schema_differs,
    secondary_index_on_core_path,
    skipped_clustering_column,
    stale_overwrite,
    truncated_range_end,
    twcs_window_mismatch,
    twcs_without_ttl,
    unbounded_array,
    unbounded_fan_out,
    unbounded_partition,
    unconditional_claim,
    undecided_statement,
    unknown_column,
    unknown_table,
    unlimited_read,
    unprepared_literal,
    unsafe_retry,
    unusable_index,
    unused_structure,
    unwritten_column,
    upsert_resurrects_row,
];

/// A rule that looks at a layout, together with its catalog.
pub struct LayoutRule {
    /// Its record.
    pub rule: &'static Rule,
    /// Its check.
    pub check: fn(&LayoutContext<'_>, &mut Vec<Finding>),
}

macro_rules! layout_rules {
    ($($module:ident),* $(,)?) => {
        /// The rules that look at a layout, by name. Some of them look at catalogs or surveys too.
        pub static LAYOUT_RULES: &[LayoutRule] =
            &[$(LayoutRule { rule: &$module::RULE, check: $module::check_layout }),*];
    };
}

layout_rules![
    boundary_mismatch,
    contended_decision,
    copy_without_contract,
    current_period_partition,
    filter_after_read,
    global_partition,
    hot_index,
    hot_partition,
    index_limit,
    join_in_code,
    key_too_long,
    low_cardinality_partition,
    misfit_requirement,
    misplaced_embedding,
    missing_tenant_in_key,
    missing_tie_breaker,
    mixed_sort_direction,
    moving_key,
    must_present_seen,
    noisy_tenant,
    order_mismatch,
    overbucketed_partition,
    overprojected_index,
    oversized_item,
    oversized_partition,
    oversized_transaction,
    projection_as_truth,
    queue_like_table,
    random_bucket,
    read_past_retention,
    redundant_structure,
    row_by_row_retention,
    stale_after_write,
    stated_otherwise,
    status_partition,
    tombstone_heavy_read,
    unbounded_fan_out,
    unbounded_partition,
    unenforced_uniqueness,
    unowned_index,
    unserved_pattern,
    unused_structure,
    volatile_copy,
    wide_synchronous_fan_out,
    write_amplification,
];

/// Whether a rule was looked for everywhere where it finds things: one of layouts needs a layout, and one of catalogs and
/// layouts may find in the catalog alone what a layout settles.
pub(crate) fn looks_everywhere(name: &str, with_layout: bool) -> bool {
    let of_layouts = LAYOUT_RULES.iter().any(|rule| rule.rule.name == name);
    let of_catalogs = CATALOG_RULES.iter().any(|rule| rule.rule.name == name);
    !of_layouts || of_catalogs != with_layout
}

/// Every rule there is, by name: those of the language, of catalogs, of layouts, of surveys, and of the review itself.
pub fn all_rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = keyloom_text::rules::ALL.to_vec();
    rules.extend(CATALOG_RULES.iter().map(|rule| rule.rule));
    rules.extend(LAYOUT_RULES.iter().map(|rule| rule.rule));
    rules.extend(SURVEY_RULES.iter().map(|rule| rule.rule));
    rules.extend([&bad_config::RULE, &stale_facts::RULE, &unused_allow::RULE]);
    rules.sort_by_key(|rule| rule.name);
    rules.dedup_by_key(|rule| rule.name);
    rules
}

/// The rule of that name.
///
/// ```
/// assert_eq!(keyloom_check::rule("missing-rate").unwrap().name, "missing-rate");
/// assert!(keyloom_check::rule("no-such-rule").is_none());
/// ```
pub fn rule(name: &str) -> Option<&'static Rule> {
    all_rules().into_iter().find(|rule| rule.name == name)
}
