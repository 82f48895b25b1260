//! What several of the tests stand on.

pub mod clock;
pub mod desk;
pub mod house;
pub mod lots;
pub mod timeline;
