/// What makes the simulated stores right. Tests take one away at a time and must see it: a simulation that can't fail shows
/// nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guards {
    /// Items: a transaction's conditions hold at the moment at which it is applied.
    pub(crate) conditions_when_applied: bool,
    /// Items: a request that arrives after its sender has given up is judged like any other.
    pub(crate) late_requests_judged: bool,
}

impl Guards {
    pub(crate) const ALL: Self = Self { conditions_when_applied: true, late_requests_judged: true };
}
