//! Resources of Terraform.

use aws_sdk_dynamodb::types::{BillingMode, KeySchemaElement, ProjectionType};
use keyloom_store::{Fault, Table};

use super::hcl::{Block, quoted};
use crate::define::{Whole, whole};

/// Resources of Terraform that make these tables, called with this prefix. Nothing but resources: provider and state are
/// the business of the module they are put into.
///
/// # Errors
/// `Refused` when a table is not sound, or more than DynamoDB can hold.
pub fn terraform(tables: &[Table], prefix: &str) -> Result<String, Fault> {
    let blocks: Vec<String> = whole(prefix, tables)?.iter().map(|table| resource(table).written()).collect();
    Ok(blocks.join("\n"))
}

fn resource(table: &Whole) -> Block {
    let request = &table.request;
    let billing = request.get_billing_mode().as_ref().map_or("", BillingMode::as_str);
    let block = Block::new(format!("resource \"aws_dynamodb_table\" {}", quoted(&resource_name(&table.name))))
        .text("name", request.get_table_name().as_deref().unwrap_or_default())
        .text("billing_mode", billing);
    let mut block =
        keyed(block, request.get_key_schema().as_deref().unwrap_or_default()).flag("deletion_protection_enabled", true);
    for attribute in request.get_attribute_definitions().iter().flatten() {
        let kind = attribute.attribute_type().as_str();
        block = block.block(Block::new("attribute").text("name", attribute.attribute_name()).text("type", kind));
    }
    for index in request.get_global_secondary_indexes().iter().flatten() {
        let mut inner =
            keyed(Block::new("global_secondary_index").text("name", index.index_name()), index.key_schema());
        if let Some(projection) = index.projection() {
            inner = inner.text("projection_type", projection.projection_type().map_or("", ProjectionType::as_str));
            if !projection.non_key_attributes().is_empty() {
                inner = inner.texts("non_key_attributes", projection.non_key_attributes());
            }
        }
        block = block.block(inner);
    }
    if let Some(forgetting) = &table.forgetting {
        let inner = Block::new("ttl").text("attribute_name", forgetting.attribute_name());
        block = block.block(inner.flag("enabled", forgetting.enabled()));
    }
    block.block(Block::new("point_in_time_recovery").flag("enabled", true))
}

fn keyed(block: Block, key: &[KeySchemaElement]) -> Block {
    let roles = ["hash_key", "range_key"];
    key.iter().zip(roles).fold(block, |block, (element, role)| block.text(role, element.attribute_name()))
}

/// What the resource of a table is called: as the table, where Terraform takes that, and for each name another, whatever
/// tables stand beside it. Under another name a table would be another resource.
fn resource_name(table: &str) -> String {
    let letter = |first: char| first.is_ascii_alphabetic() || first == '_';
    if table.starts_with(letter) && !table.contains('.') && !table.starts_with("kl-") {
        return table.to_owned();
    }
    format!("kl-{}", table.replace('-', "--").replace('.', "-d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tables_are_one_resource() {
        let names =
            ["orders", "orders-by-user", "a.b", "a-db", "kl-a", "kl-1", "1", "_", ".", "-", "--", "-d", "d.", "..-"];
        let mut called = names.map(resource_name);
        assert_eq!(called[..4], ["orders", "orders-by-user", "kl-a-db", "a-db"]);
        for name in &called {
            let legal = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            assert!(!name.starts_with(|first: char| first.is_ascii_digit() || first == '-'), "{name}");
            assert!(name.chars().all(legal), "{name}");
        }
        called.sort_unstable();
        assert!(called.windows(2).all(|pair| pair[0] != pair[1]), "{called:?}");
    }
}
