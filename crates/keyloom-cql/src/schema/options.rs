use super::Made;

/// How a keyspace is replicated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replication {
    /// The class, without its package.
    pub class: String,
    /// Replicas by data centre; `replication_factor` for all. `None` where the number is a hole.
    pub factors: Vec<(String, Option<u32>)>,
    /// Where it is written.
    pub made: Made,
}

/// How a table is compacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// The class, without its package: `TimeWindowCompactionStrategy`.
    pub class: String,
    /// The other settings.
    pub settings: Vec<(String, String)>,
    /// Where it is written.
    pub made: Made,
}
