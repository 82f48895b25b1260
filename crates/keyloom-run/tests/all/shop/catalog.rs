//! The catalog of the tests.

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program;
use keyloom_store::Abilities;
use keyloom_text::{Files, Unreadable};

/// What the example has, and what it leaves out: an email that changes, an order that changes hands, a number that counts,
/// rows that are deleted, a list of some orders only, orders that are counted and added up.
pub(crate) fn catalog() -> Catalog {
    let text = include_str!("../../../../../examples/shop/catalog.yaml");
    let text = text.replace("= lower(email) }", "= lower(email), visits: int = 0, KEPT }");
    let kept =
        "orders: int = count of Order where status = PLACED, paid: decimal(2) = sum of Order.total where status = PAID";
    let text = text.replace("KEPT", kept);
    let more = "
  give_order: { update: Order, by: [order_id], set: { user_id: $to_id }, rate: rare }
  drop_order: { delete: Order, by: [order_id], rate: rare }
  drop_user: { delete: User, by: [user_id], rate: rare }
  placed_orders: { list: Order, by: [user_id], where: status = PLACED, order: total asc, page: 50, rate: rare }
  change_email: { update: User, by: [user_id], set: { email: $email }, rate: rare }
  visit: { update: User, by: [user_id], set: { visits: visits + 1 }, if: visits < 1000 else enough, rate: rare }
";
    read(&format!("{text}{more}"))
}

/// A catalog as it is designed and compiled for a store.
pub(crate) fn compiled(catalog: &Catalog, abilities: &Abilities) -> Program {
    Program::compile(catalog, &design(catalog, Engine::Embedded, abilities), abilities)
}

pub(crate) fn read(text: &str) -> Catalog {
    struct One(String);
    impl Files for One {
        fn open(&self, _name: &str) -> Result<String, Unreadable> {
            Ok(self.0.clone())
        }
    }
    let reading = keyloom_text::read("catalog.yaml", &One(text.to_owned()), &mut Sources::default());
    let findings: Vec<String> = reading.findings.iter().map(|finding| finding.message.clone()).collect();
    assert!(findings.is_empty(), "{findings:?}");
    reading.catalog
}
