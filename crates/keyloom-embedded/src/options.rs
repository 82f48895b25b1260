/// How a store is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Memory for blocks that were read.
    pub cache_bytes: u64,
    /// With less free disk than this, writes are answered with "busy".
    pub low_disk_bytes: u64,
}

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The end of the process, however sudden.
    #[default]
    ProcessCrash,
    /// The end of the machine's power too: writers wait, several together, for one `fdatasync`.
    PowerLoss,
}

impl Default for Options {
    fn default() -> Self {
        Self { durability: Durability::default(), cache_bytes: 128 << 20, low_disk_bytes: 256 << 20 }
    }
}
