//! The example catalogs that `keyloom init` writes.

/// One example.
#[derive(Debug)]
pub struct Example {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// The catalog.
    pub text: &'static str,
}

/// All examples, the smallest first.
pub static ALL: &[Example] = &[
    Example {
        name: "shop",
        summary: "users, orders and their lines: gets, a list by time, copies of a name",
        text: include_str!("../../../examples/shop/catalog.yaml"),
    },
    Example {
        name: "chat",
        summary: "rooms, members both ways, messages, unread counts",
        text: include_str!("../../../examples/chat/catalog.yaml"),
    },
    Example {
        name: "sensors",
        summary: "devices, readings, hourly rollups, the latest value",
        text: include_str!("../../../examples/sensors/catalog.yaml"),
    },
    Example {
        name: "cases",
        summary: "a regulatory case platform: tenants, timelines, queues, atomics, uniqueness",
        text: include_str!("../../../examples/cases/catalog.yaml"),
    },
];

/// The example of that name.
pub fn find(name: &str) -> Option<&'static Example> {
    ALL.iter().find(|example| example.name == name)
}
