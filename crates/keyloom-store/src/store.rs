use crate::{
    abilities::Abilities,
    fault::Fault,
    read::{Get, Got, Rows, Slice},
    schema::Millis,
    write::{Decision, Placement, Verdict},
};

/// The narrow waist. Futures are `Send`; a call that is dropped half-way is an unknown.
pub trait Store: Send + Sync + 'static {
    /// Limits and semantics.
    fn abilities(&self) -> &Abilities;

    /// One row by its whole key.
    fn get(&self, at: Get<'_>) -> impl Future<Output = Result<Got, Fault>> + Send;

    /// Several rows, independent of each other: each has its own answer, in the order asked.
    fn get_many(&self, at: &[Get<'_>]) -> impl Future<Output = Vec<Result<Got, Fault>>> + Send;

    /// Rows of one partition.
    fn slice(&self, of: Slice<'_>) -> impl Future<Output = Result<Rows, Fault>> + Send;

    /// One guarded change of one decided row, and what rides along.
    fn decide(&self, what: Decision<'_>) -> impl Future<Output = Result<Verdict, Fault>> + Send;

    /// Makes placed rows at least as new as said. `together`: after any crash, all become visible or none do; for a
    /// moment a reader may see some before the others. Without it a fault leaves each of them placed or not; sending all of them again is always right.
    fn place(
        &self,
        rows: &[Placement<'_>],
        together: bool,
        now: Millis,
    ) -> impl Future<Output = Result<(), Fault>> + Send;
}
