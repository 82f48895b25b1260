//! What to do about a write that was not applied, from the catalog's own words.

use keyloom_model::{Catalog, Entity, Pattern, Type};

/// The words for a reason that a pattern gave; general ones where the pattern is not known.
pub(crate) fn way_out(catalog: &Catalog, pattern: Option<&Pattern>, reason: &str) -> String {
    match reason {
        "exists" => return "a row with this key is there: change that one, or send another key".into(),
        "absent" => return "there is no such row: create it first, or look whether its key is right".into(),
        "older" => return "the row that is there is newer, so there is nothing to do".into(),
        "superseded" => {
            return "a newer request has put or deleted the row: read it as it is, and put it again if it is to change"
                .into();
        }
        "conflict" => return "somebody else changed the row at the same time: send the request again".into(),
        _ => {}
    }
    let writes = pattern.map(Pattern::writes).unwrap_or_default();
    for (_, write) in &writes {
        if let Some(condition) = write.conditions.iter().find(|condition| condition.reason == reason) {
            return format!("`{}` does not hold for the row: read it as it is, and decide anew", condition.test);
        }
    }
    let entities = writes.iter().filter_map(|(_, write)| catalog.entity(&write.entity));
    let said = entities.into_iter().find_map(|entity| taken(entity, reason).or_else(|| state(entity, reason)));
    said.unwrap_or_else(|| match reason.strip_prefix("missing_") {
        Some(other) => format!("the row that `{other}` refers to is not there: create it first"),
        None => format!("nothing was changed, because of `{reason}`: read the row as it is, and decide anew"),
    })
}

/// A value that only one row may have.
fn taken(entity: &Entity, reason: &str) -> Option<String> {
    let unique = entity.unique.iter().find(|unique| unique.name == reason)?;
    let fields = unique.fields.join("`, `");
    Some(format!("another {} has the same `{fields}`: send another value, or change that one", entity.name))
}

/// A state that does not lead to the wanted one.
fn state(entity: &Entity, reason: &str) -> Option<String> {
    entity.states.iter().find_map(|states| {
        let is = reason.strip_prefix(&states.field)?.strip_prefix("_is_")?;
        let Type::Enum(variants) = &entity.field(&states.field)?.ty else { return None };
        let from = &variants.iter().find(|variant| variant.name.to_lowercase() == is)?.name;
        let leads: Vec<&str> =
            states.changes.iter().filter(|(old, _)| old == from).map(|(_, new)| new.as_str()).collect();
        let leads = if leads.is_empty() { "nothing else".to_owned() } else { leads.join(", ") };
        Some(format!("`{}` is {from}, which leads to {leads}; bring the row there first, or leave it", states.field))
    })
}

#[cfg(test)]
mod tests {
    use keyloom_text::{Files, Unreadable, read};

    use super::way_out;

    struct Shop;
    impl Files for Shop {
        fn open(&self, _name: &str) -> Result<String, Unreadable> {
            let more = "  rename_seen: { update: User, by: [user_id], set: { name: $name }, if: version = $version else changed_meanwhile, rate: rare }\n";
            Ok(format!("{}{more}", include_str!("../../../examples/shop/catalog.yaml")))
        }
    }

    #[test]
    fn every_reason_says_what_to_do() {
        let catalog = read("catalog.yaml", &Shop, &mut Default::default()).catalog;
        let says = |pattern: &str, reason: &str, words: &str| {
            let said = way_out(&catalog, catalog.pattern(pattern), reason);
            assert!(said.contains(words), "{reason}: {said}");
        };
        says("sign_up", "email_taken", "another User has the same `email_key`: send another value");
        says("ship_order", "status_is_placed", "`status` is PLACED, which leads to PAID, CANCELLED");
        says("ship_order", "status_is_shipped", "`status` is SHIPPED, which leads to nothing else");
        says("rename_seen", "changed_meanwhile", "`version = $version` does not hold for the row");
        says("rename_seen", "conflict", "send the request again");
        says("ship_order", "missing_user", "`user` refers to is not there");
        says("outcome", "email_taken", "nothing was changed, because of `email_taken`");
    }
}
