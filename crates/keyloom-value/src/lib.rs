//! Values of the catalog's types.
//!
//! A [`Kind`] is a type with everything a store must know and nothing it need not: no sizes, no shares. A [`Value`] is a
//! value of some kind, borrowed from the buffer it was read from wherever that is possible. Values have
//!
//! - one **canonical form** ([`canonical`]): two values are the same exactly when their bytes are;
//! - an **order-preserving form** for keys ([`key`]): bytes compare as values do, and no key reaches into its neighbour;
//! - a form for people and programs outside: [`json`], and [`to_text`] where there is only text.
//!
//! ```
//! use keyloom_value::{Kind, Value, key};
//!
//! let parts = [key::Part::ascending(Kind::Text), key::Part::descending(Kind::Int)];
//! let encode = |text: &str, number: i64| key::encode(&[text.into(), number.into()], &parts).unwrap();
//! assert!(encode("a", 7) < encode("a", 3), "descending");
//! assert!(encode("a", 0) < encode("a\0b", 0), "no id reaches into what follows it");
//! assert_eq!(key::decode(&encode("a", 7), &parts).unwrap(), [Value::from("a"), Value::from(7)]);
//! ```

pub mod canonical;
pub mod json;
pub mod key;
mod kind;
mod order;
mod text;
mod value;

pub use kind::{Kind, Member, Variant};
pub use order::compare;
pub use text::{from_text, to_text, write_number};
pub use value::{Duration, Malformed, Mismatch, Value};
