//! Where rows lie: which tables there are, what each holds, how they are keyed.
//!
//! Layouts are written by hand until they are designed from the catalog's numbers; there is one, for the example `shop`.

use keyloom_model::Direction;

/// The tables of a catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The catalog it was made for.
    pub catalog: String,
    /// Counts up with every change, so that a cursor of another layout is known.
    pub epoch: u32,
    /// The tables.
    pub tables: Vec<TableLayout>,
}

/// One table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLayout {
    /// Its name in the store.
    pub name: String,
    /// What its rows are.
    pub holds: Holds,
    /// The fields by which rows lie together.
    pub partition: Vec<String>,
    /// The fields by which they are sorted there.
    pub sort: Vec<(String, Direction)>,
    /// The other fields that a row has.
    pub fields: Vec<String>,
    /// Paths into other entities that are not stored here but looked up when a page is read: `user.name`.
    pub looked_up: Vec<String>,
}

/// What the rows of a table are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holds {
    /// The truth about an entity; changed by decisions.
    Source {
        /// The entity.
        entity: String,
    },
    /// Rows derived from a source, and carried by its decisions.
    Projection {
        /// The entity.
        entity: String,
    },
    /// For each value of a `unique`, who holds it; decided along with the source.
    Reservations {
        /// The entity.
        entity: String,
        /// The name of the `unique`.
        unique: String,
    },
}

impl Layout {
    /// The layout of a catalog, if somebody wrote one.
    pub fn of(catalog: &str) -> Option<Self> {
        (catalog == "shop").then(shop)
    }
}

impl TableLayout {
    fn new(name: &str, holds: Holds, partition: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            holds,
            partition: texts(partition),
            sort: Vec::new(),
            fields: Vec::new(),
            looked_up: Vec::new(),
        }
    }
}

/// Users and orders by their keys; the orders of a user by time, newest first; who has which email.
pub fn shop() -> Layout {
    let (user, order) = ("User".to_owned(), "Order".to_owned());
    let reservations = Holds::Reservations { entity: user.clone(), unique: "email_taken".to_owned() };
    Layout {
        catalog: "shop".to_owned(),
        epoch: 1,
        tables: vec![
            TableLayout {
                fields: texts(&["name", "email", "email_key"]),
                ..TableLayout::new("user", Holds::Source { entity: user }, &["user_id"])
            },
            TableLayout::new("user_by_email_key", reservations, &["email_key"]),
            TableLayout {
                fields: texts(&["user_id", "created_at", "status", "items", "total"]),
                ..TableLayout::new("order", Holds::Source { entity: order.clone() }, &["order_id"])
            },
            TableLayout {
                sort: vec![
                    ("created_at".to_owned(), Direction::Descending),
                    // The tie-break goes the way of what it breaks.
                    ("order_id".to_owned(), Direction::Descending),
                ],
                fields: texts(&["status", "total"]),
                looked_up: texts(&["user.name"]),
                ..TableLayout::new("order_by_user", Holds::Projection { entity: order }, &["user_id"])
            },
        ],
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
