//! A template of CloudFormation.

use keyloom_store::{Fault, Table};
use serde_json::{Map, Value as Json, json};

use crate::define::{Whole, script, whole};

/// A template holds no more, says CloudFormation.
const RESOURCES_MAX: usize = 500;

/// The longest name of a resource.
const NAME_MAX: usize = 255;

/// A template of CloudFormation that makes these tables, called with this prefix. It is JSON, in which no name can be read
/// as anything else.
///
/// A table that leaves the template stays, and so does one that would be replaced: `Retain`.
///
/// # Errors
/// `Refused` when a table is not sound, or more than DynamoDB or a template can hold.
pub fn cloudformation(tables: &[Table], prefix: &str) -> Result<String, Fault> {
    let all = whole(prefix, tables)?;
    if all.len() > RESOURCES_MAX {
        let count = all.len();
        return Err(Fault::refused(format!("{count} tables, but a template has at most {RESOURCES_MAX} resources")));
    }
    let resources: Map<String, Json> =
        all.iter().map(|table| Ok((resource_name(&table.name)?, resource(table)))).collect::<Result<_, Fault>>()?;
    let template = json!({ "AWSTemplateFormatVersion": "2010-09-09", "Resources": resources });
    Ok(format!("{template:#}\n"))
}

fn resource(table: &Whole) -> Json {
    let mut properties = script::create(&table.request);
    if let Some(forgetting) = &table.forgetting {
        properties["TimeToLiveSpecification"] = script::forgetting(forgetting);
    }
    properties["PointInTimeRecoverySpecification"] = json!({ "PointInTimeRecoveryEnabled": true });
    properties["DeletionProtectionEnabled"] = json!(true);
    json!({
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    })
}

/// What the resource of a table is called: letters and digits alone, and for each name another, whatever tables stand
/// beside it. Under another name a table would be another resource.
fn resource_name(table: &str) -> Result<String, Fault> {
    let is_word = |word: &str| {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(letters)
    };
    let name = if table.split('_').all(is_word) {
        // Every word begins with its only capital, so the words can be told.
        let mut above = true;
        let camel = table.chars().filter_map(|letter| {
            let upper = std::mem::replace(&mut above, letter == '_');
            (letter != '_').then(|| if upper { letter.to_ascii_uppercase() } else { letter })
        });
        camel.collect()
    } else {
        // It begins with a small letter, as none above does.
        let escaped = table.chars().map(|letter| match letter {
            '_' => "Zu".to_owned(),
            '.' => "Zd".to_owned(),
            '-' => "Zm".to_owned(),
            'Z' => "ZZ".to_owned(),
            other => other.to_string(),
        });
        format!("t{}", escaped.collect::<String>())
    };
    if name.len() > NAME_MAX {
        return Err(Fault::refused(format!(
            "table `{table}`: its resource `{name}` would have more than {NAME_MAX} letters in a template"
        )));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_called_after_their_tables() {
        let names = ["orders", "orders_by_user", "kl_dirty", "Orders", "a_1", "a.b-c", "XYZ", "_", "__", "1"];
        let called = names.map(|name| resource_name(name).unwrap());
        let expected =
            ["Orders", "OrdersByUser", "KlDirty", "tOrders", "taZu1", "taZdbZmc", "tXYZZ", "tZu", "tZuZu", "t1"];
        assert_eq!(called, expected);
        assert!(matches!(resource_name(&".".repeat(128)), Err(Fault::Refused(_))), "257 letters");
    }

    #[test]
    fn no_two_tables_are_one_resource() {
        let letters = ["a", "b", "A", "Z", "z", "u", "t", "0", "_", ".", "-"];
        let mut names = vec![String::new()];
        for _ in 0..4 {
            let longer = names.iter().flat_map(|name| letters.map(|letter| format!("{name}{letter}")));
            names = longer.chain([String::new()]).collect();
        }
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        names.dedup();
        let mut called: Vec<String> = names.iter().map(|name| resource_name(name).unwrap()).collect();
        assert!(called.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric())));
        called.sort_unstable();
        called.dedup();
        assert_eq!(called.len(), names.len());
    }
}
