use keyloom_model::layout::{Part, Partition};

use super::{Component, Why};
use crate::truth::Known;

/// What fixes each component of a partition.
pub(super) fn components(partition: &Partition, known: &Known) -> Result<Vec<Component>, Why> {
    let fixed = |part: &Part| match part {
        Part::Field(field) => match known.fixed(field) {
            Some(to) => Ok(Component::Field(field.clone(), to.clone())),
            None => Err(Why::Partition(field.clone())),
        },
        Part::Bucket(step, field) => Ok(match known.single(field) {
            Some(to) => Component::Bucket { step: *step, field: field.clone(), to: to.clone() },
            None => Component::Buckets { step: *step, field: field.clone(), within: known.within(field) },
        }),
    };
    partition.parts().iter().map(fixed).collect()
}
