//! The store on DynamoDB.
//!
//! A table of Keyloom is a table of DynamoDB called `<prefix>.<table>`, on demand; its columns are attributes that a
//! team can read without us, and what is ours is called `kl_..`. `docs/design/006-real-stores.md` says what each verb
//! becomes. The client's own retries are off: whether a write may be sent again is the caller's to decide.

mod boxes;
mod client;
mod decide;
mod define;
mod dialect;
mod emit;
mod fault;
mod item;
mod key;
mod layout;
mod number;
mod place;
mod read;
mod request;
mod schema;
mod slice;
mod span;
mod store;
mod sweep;
mod tables;
mod value;

pub use client::{Credentials, Options};
pub use dialect::DynamoDbDialect;
pub use emit::{cloudformation, terraform};
pub use store::{DynamoDb, abilities};
