//! Names as people give them.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::shape::Entity;

/// Things that services keep; the last ones are as long as such names get.
pub(crate) const THINGS: [&str; 42] = [
    "Account",
    "Order",
    "Customer",
    "Product",
    "Invoice",
    "Shipment",
    "Ticket",
    "Comment",
    "Project",
    "Task",
    "Device",
    "Reading",
    "Message",
    "Room",
    "Membership",
    "Payment",
    "Subscription",
    "Document",
    "Folder",
    "Review",
    "Booking",
    "Vehicle",
    "Driver",
    "Trip",
    "Warehouse",
    "StockItem",
    "Campaign",
    "Coupon",
    "Session",
    "Playlist",
    "Track",
    "Patient",
    "Appointment",
    "Policy",
    "Auction",
    "Bid",
    "Listing",
    "Notification",
    "AuditEvent",
    "Webhook2",
    "CrossBorderShipmentCustomsDeclaration",
    "CustomerLoyaltyProgrammeMembershipCard",
];

/// Parts of things.
pub(crate) const STRUCTS: [&str; 5] = ["Line", "Address", "Money", "ContactDetails", "Attachment"];

/// Who a thing belongs to, other than by the name of what it points to.
pub(crate) const ROLES: [&str; 8] =
    ["owner_id", "parent_id", "source_id", "assigned_to_id", "created_by", "billed_to_id", "target_id", "handled_by"];

/// What stands before a name to tell it from another.
const PREFIXES: [&str; 7] = ["first", "last", "original", "preferred", "billing", "internal", "customer_supplied"];

/// `OrderLine` as the beginning of a field's name: `order_line`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// The names that fields of a type have.
fn pool(ty: &Type) -> &'static [&'static str] {
    match ty {
        Type::Uuid | Type::Uuid7 => &["team_id", "region_id", "batch_id", "correlation_id", "device_token", "trace"],
        Type::Text(_) => &[
            "title",
            "name",
            "description",
            "city",
            "reference",
            "locale",
            "phone",
            "email",
            "body",
            "kind",
            "slug",
            "reason",
            "postal_code",
            "external_reference",
        ],
        Type::Bytes(_) => &["sha256", "thumbnail", "signature", "payload"],
        Type::Json(_) => &["metadata", "settings", "raw_event", "extra"],
        Type::Int => &["quantity", "stock", "score", "attempts", "seats", "seq", "weight_grams", "position", "votes"],
        Type::Float => &["celsius", "ratio", "rating", "lat", "lon", "battery"],
        Type::Decimal { .. } => &["amount", "price", "balance", "total", "fee", "tax"],
        Type::Bool => &["active", "archived", "paid", "visible", "breached", "is_default"],
        Type::Date => &["due_on", "birthday", "valid_from", "valid_to", "service_day", "invoice_day"],
        Type::Timestamp { .. } => {
            &["created_at", "at", "due_at", "closed_at", "starts_at", "ends_at", "seen_at", "expires_at", "changed_at"]
        }
        Type::Duration => &["elapsed", "time_limit", "grace_period"],
        Type::Ip => &["address", "client_ip", "last_seen_from"],
        Type::Enum(_) => &["status", "priority", "role", "channel", "phase", "category"],
        Type::List(..) => &["items", "steps", "attachments", "waypoints"],
        Type::Set(..) => &["labels", "tags", "permissions", "features"],
        Type::Map(..) => &["attributes", "counters", "translations", "timers"],
        Type::Struct(_) => &["delivery", "contact", "limits", "origin"],
        Type::OneOf(_) => &["value", "answer", "threshold"],
    }
}

/// A name for a field of this type that the entity does not have yet.
pub(crate) fn field(chance: &mut Chance, entity: &Entity, ty: &Type) -> String {
    let mut name = chance.pick(pool(ty)).map_or_else(|| "value".to_owned(), |name| (*name).to_owned());
    if chance.percent(4) {
        name = format!("previously_agreed_and_not_yet_confirmed_{name}");
    }
    if !entity.is_free(&name) {
        name = format!("{}_{name}", chance.one(PREFIXES));
    }
    free(entity, &name)
}

/// This name, or the first of it with a number that the entity does not have yet.
pub(crate) fn free(entity: &Entity, name: &str) -> String {
    if entity.is_free(name) {
        return name.to_owned();
    }
    let (base, end) = name.strip_suffix("_id").map_or((name, ""), |base| (base, "_id"));
    (2..).map(|number| format!("{base}_{number}{end}")).find(|name| entity.is_free(name)).unwrap_or_default()
}
