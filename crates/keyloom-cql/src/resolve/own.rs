//! The tables that every Cassandra 5.0 has and no schema creates. Their columns are not known here.

/// Whether the server has this table of its own; `None` when the keyspace is none of its own.
pub(super) fn has(keyspace: &str, table: &str) -> Option<bool> {
    let tables: &[&str] = match keyspace {
        "system" => &SYSTEM,
        "system_auth" => &AUTH,
        "system_distributed" => &DISTRIBUTED,
        "system_schema" => &SCHEMA,
        "system_traces" => &["sessions", "events"],
        // Virtual tables show what a server is set up to show.
        "system_views" | "system_virtual_schema" => return Some(true),
        _ => return None,
    };
    Some(tables.contains(&table))
}

const SYSTEM: [&str; 23] = [
    "IndexInfo",
    "available_ranges",
    "available_ranges_v2",
    "batches",
    "built_views",
    "compaction_history",
    "local",
    "paxos",
    "paxos_repair_history",
    "peer_events",
    "peer_events_v2",
    "peers",
    "peers_v2",
    "prepared_statements",
    "repairs",
    "size_estimates",
    "sstable_activity",
    "sstable_activity_v2",
    "table_estimates",
    "top_partitions",
    "transferred_ranges",
    "transferred_ranges_v2",
    "view_builds_in_progress",
];

const AUTH: [&str; 8] = [
    "cidr_groups",
    "cidr_permissions",
    "identity_to_role",
    "network_permissions",
    "resource_role_permissons_index",
    "role_members",
    "role_permissions",
    "roles",
];

const DISTRIBUTED: [&str; 6] = [
    "auto_repair_history",
    "auto_repair_priority",
    "parent_repair_history",
    "partition_denylist",
    "repair_history",
    "view_build_status",
];

const SCHEMA: [&str; 11] = [
    "aggregates",
    "column_masks",
    "columns",
    "dropped_columns",
    "functions",
    "indexes",
    "keyspaces",
    "tables",
    "triggers",
    "types",
    "views",
];
