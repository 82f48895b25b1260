/// What a node of the engine would write into its log as a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it warns of.
    pub warning: Warning,
    /// The table.
    pub table: String,
    /// The whole sentence.
    pub words: String,
}

/// What a node warns of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// A read went over many tombstones.
    Tombstones,
    /// A partition has many rows.
    PartitionRows,
    /// A partition has many bytes.
    PartitionBytes,
    /// Rows placed together have many bytes.
    BatchBytes,
}

impl Warning {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tombstones, Self::PartitionRows, Self::PartitionBytes, Self::BatchBytes];

    /// As it is called in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tombstones => "tombstones",
            Self::PartitionRows => "partition_rows",
            Self::PartitionBytes => "partition_bytes",
            Self::BatchBytes => "batch_bytes",
        }
    }
}
