/// What makes the simulated stores right. Tests take one away at a time and must see it: a simulation that can't fail shows
/// nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guards {
    /// Wide: how many replicas must answer.
    pub(crate) quorum: usize,
    /// Wide: how many replicas must accept a proposal before it is committed.
    pub(crate) accept_quorum: usize,
    /// Wide: at equal timestamps the tombstone stands.
    pub(crate) tombstones_win_ties: bool,
    /// Wide: a proposal that was accepted and not committed is finished before another is made.
    pub(crate) proposals_are_finished: bool,
    /// Wide: a proposal that somebody may have accepted is not said to be undone.
    pub(crate) doubts_are_told: bool,
    /// Wide: a batch whose coordinator is gone is finished by those who keep its log.
    pub(crate) batches_are_replayed: bool,
    /// Items: a transaction's conditions hold at the moment at which it is applied.
    pub(crate) conditions_when_applied: bool,
    /// Items: a request that arrives after its sender has given up is judged like any other.
    pub(crate) late_requests_judged: bool,
}

impl Guards {
    pub(crate) const ALL: Self = Self {
        quorum: 2,
        accept_quorum: 2,
        tombstones_win_ties: true,
        proposals_are_finished: true,
        doubts_are_told: true,
        batches_are_replayed: true,
        conditions_when_applied: true,
        late_requests_judged: true,
    };
}
