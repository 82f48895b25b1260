//! What is emitted is what the store makes, and those who know CloudFormation, Terraform and DynamoDB take it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]
#![allow(clippy::disallowed_methods, reason = "how long a test by hand is comes from the environment")]

mod common;

use aws_sdk_dynamodb::{
    Client,
    types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, Projection, ProjectionType,
        TableDescription,
    },
};
use keyloom_contract::tables;
use keyloom_design::design;
use keyloom_dynamodb::{abilities, cloudformation, terraform};
use keyloom_engines::{CfnLint, Terraform, announce, available, say};
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program;
use keyloom_sample::{Size, catalog};
use keyloom_store::{Column, Define, Discipline, Fault, Group, SortColumn, Table, steps};
use keyloom_text::{Files, Unreadable, read};
use keyloom_value::Kind;
use serde_json::Value as Json;

const SUITE: &str = "emit";
const NAME_MAX: usize = 100;

#[test]
fn dynoxide_takes_what_is_emitted() {
    common::on_dynoxide(SUITE, |engine, endpoint| {
        accepted(engine, endpoint, "seed 1", &generated(1, 40));
        designs(0..6).for_each(|(name, tables)| accepted(engine, endpoint, &name, &tables));
    });
}

#[test]
fn extenddb_takes_what_is_emitted() {
    common::on_extenddb(SUITE, |engine, endpoint| {
        accepted(engine, endpoint, "seed 1", &generated(1, 40));
        designs(0..6).for_each(|(name, tables)| accepted(engine, endpoint, &name, &tables));
    });
}

/// How many random catalogs are looked at by hand.
fn many() -> u64 {
    std::env::var("KEYLOOM_SEEDS").map_or(1_000, |count| count.parse().unwrap())
}

#[test]
#[ignore = "by hand: KEYLOOM_SEEDS says of how many random catalogs"]
fn dynoxide_takes_much_of_what_is_emitted() {
    common::on_dynoxide(SUITE, |engine, endpoint| {
        designs(0..many()).for_each(|(name, tables)| accepted(engine, endpoint, &name, &tables));
    });
}

#[test]
#[ignore = "by hand: KEYLOOM_SEEDS says of how many random catalogs"]
fn extenddb_takes_much_of_what_is_emitted() {
    /// The more tables it has, the longer it takes to make one; so it is started anew now and then.
    const AT_ONCE: u64 = 10;
    for first in (0..many()).step_by(AT_ONCE as usize) {
        common::on_extenddb(SUITE, |engine, endpoint| {
            samples(first..first + AT_ONCE).for_each(|(name, tables)| accepted(engine, endpoint, &name, &tables));
        });
    }
}

#[test]
#[ignore = "by hand: KEYLOOM_SEEDS says of how many random catalogs"]
fn cfn_lint_finds_nothing_in_much_of_what_is_emitted() {
    let Some(lint) = available(SUITE, "cfn-lint", CfnLint::fetch()) else { return };
    let templates: Vec<String> = designed_templates(0..many()).collect();
    for some in templates.chunks(100) {
        assert_eq!(lint.findings(some).unwrap(), "");
        announce(SUITE, "cfn-lint", some.len(), 0);
    }
}

#[test]
fn cfn_lint_finds_nothing() {
    let Some(lint) = available(SUITE, "cfn-lint", CfnLint::fetch()) else { return };
    let templates = (0..3).map(|seed| template(seed, 40, "shop")).chain([template(0, 0, "s")]);
    let templates: Vec<String> = templates.chain(designed_templates(0..10)).collect();
    assert_eq!(lint.findings(&templates).unwrap(), "");
    announce(SUITE, "cfn-lint", templates.len(), 0);
}

#[test]
fn resources_are_written_as_the_formatter_writes_them() {
    for seed in 0..20 {
        let text = terraform(&generated(seed, 40), "shop").unwrap();
        if let Some((line, fault)) = misformatted(&text) {
            panic!("seed {seed}, line {line}: {fault}:\n{text}");
        }
    }
}

/// Where Terraform is installed it is asked too; it is nobody's part to have it.
#[test]
fn terraform_changes_nothing_and_finds_nothing() {
    let skipped = |reason: &dyn std::fmt::Display| say(&format!("SKIPPED: {SUITE} needs terraform: {reason}\n"));
    let found = match Terraform::find() {
        Ok(found) => found,
        Err(reason) => return skipped(&reason),
    };
    let text = terraform(&generated(1, 40), "shop").unwrap();
    assert_eq!(found.formatted(&text).unwrap(), text);
    match found.findings(&text) {
        Ok(findings) => assert_eq!(findings, "", "{text}"),
        Err(reason) => skipped(&reason),
    }
}

#[test]
fn what_a_template_can_not_hold_is_refused() {
    let refused = |tables: &[Table], prefix: &str| {
        assert!(matches!(cloudformation(tables, prefix), Err(Fault::Refused(_))), "{tables:?}");
        assert!(matches!(terraform(tables, prefix), Err(Fault::Refused(_))), "{tables:?}");
    };
    let [orders, by_total] = shop();
    refused(&[], "two words");
    refused(std::slice::from_ref(&by_total), "shop");
    refused(&[orders.clone(), orders.clone()], "shop");
    refused(&[Table { name: "keyloom_schema".to_owned(), ..orders.clone() }], "shop");
    let many: Vec<Table> = (0..500).map(|at| Table { name: format!("t{at}"), ..orders.clone() }).collect();
    assert!(matches!(cloudformation(&many, "shop"), Err(Fault::Refused(_))), "501 resources");
    assert!(cloudformation(&many[1..], "shop").is_ok() && terraform(&many, "shop").is_ok());
}

#[test]
fn a_table_with_an_index_is_said_in_full() {
    assert_eq!(cloudformation(&shop(), "shop").unwrap(), include_str!("emit/shop.json"));
    assert_eq!(terraform(&shop(), "shop").unwrap(), include_str!("emit/shop.tf"));
}

/// The tables of designed layouts: of the examples, and of random catalogs.
fn designs(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, Vec<Table>)> {
    let examples = [
        ("shop", include_str!("../../../examples/shop/catalog.yaml")),
        ("chat", include_str!("../../../examples/chat/catalog.yaml")),
        ("sensors", include_str!("../../../examples/sensors/catalog.yaml")),
        ("cases", include_str!("../../../examples/cases/catalog.yaml")),
    ];
    examples.into_iter().map(|(name, text)| designed(name.to_owned(), text)).chain(samples(seeds))
}

/// Those of random catalogs alone.
fn samples(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, Vec<Table>)> {
    seeds.map(|seed| designed(format!("catalog {seed}"), &catalog(seed, Size::of(seed))))
}

fn designed(name: String, text: &str) -> (String, Vec<Table>) {
    let reading = read("catalog.yaml", &One(text), &mut Sources::default());
    let layout = design(&reading.catalog, Engine::DynamoDb, &abilities());
    let program = Program::compile(&reading.catalog, &layout, &abilities());
    (name, program.all_tables().cloned().collect())
}

fn designed_templates(seeds: std::ops::Range<u64>) -> impl Iterator<Item = String> {
    designs(seeds)
        .map(|(name, tables)| cloudformation(&tables, "shop").unwrap_or_else(|fault| panic!("{name}: {fault}")))
}

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn generated(seed: u64, count: usize) -> Vec<Table> {
    tables(seed, count, NAME_MAX, &abilities())
}

fn template(seed: u64, count: usize, prefix: &str) -> String {
    cloudformation(&generated(seed, count), prefix).unwrap()
}

fn shop() -> [Table; 2] {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let sorted = |name: &str, kind, descending| SortColumn { name: name.to_owned(), kind, descending };
    let orders = Table {
        name: "orders".to_owned(),
        discipline: Discipline::Decided,
        partition: vec![column("customer", Kind::Text)],
        sort: vec![sorted("at", Kind::Int, true)],
        groups: vec![Group { columns: vec![column("total", Kind::Int), column("note", Kind::Text)] }],
        grace_ms: 1_000,
        lifetime_ms: None,
    };
    let by_total = Table {
        name: "orders_by_total".to_owned(),
        discipline: Discipline::Indexed { of: "orders".to_owned() },
        partition: vec![column("total", Kind::Int)],
        sort: vec![sorted("customer", Kind::Text, false), sorted("at", Kind::Int, true)],
        groups: vec![Group { columns: vec![column("note", Kind::Text)] }],
        ..orders.clone()
    };
    [orders, by_total]
}

/// Makes the tables of a template, lets the store take them for its own, and lets it make the same ones beside them.
fn accepted(engine: &str, endpoint: &str, of: &str, tables: &[Table]) {
    common::runtime().block_on(async {
        let (client, prefix, beside) = (common::client(endpoint), common::new_prefix(), common::new_prefix());
        let template: Json = serde_json::from_str(&cloudformation(tables, &prefix).unwrap()).unwrap();
        let resources = template["Resources"].as_object().unwrap();
        for resource in resources.values() {
            assert_eq!(resource["Type"], "AWS::DynamoDB::Table");
            create(&client, &resource["Properties"]).await;
        }

        let plan = steps(&[], tables, &abilities()).unwrap();
        let (store, other) = (common::open(endpoint, &prefix).await, common::open(endpoint, &beside).await);
        for step in &plan {
            store.apply(step).await.unwrap_or_else(|fault| panic!("{step}: {fault}"));
            other.apply(step).await.unwrap_or_else(|fault| panic!("{step}: {fault}"));
        }
        let mut wanted = tables.to_vec();
        wanted.sort_by(|one, other| one.name.cmp(&other.name));
        let mut there: Vec<Table> =
            store.describe().await.unwrap().into_iter().map(|(_, shape)| shape.table().clone()).collect();
        there.sort_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(there, wanted);

        let written = tables.iter().filter(|table| !matches!(table.discipline, Discipline::Indexed { .. }));
        let names: Vec<&str> = written.map(|table| table.name.as_str()).chain(["keyloom_schema"]).collect();
        assert_eq!(resources.len(), names.len());
        for name in names {
            let (one, other) = (format!("{prefix}.{name}"), format!("{beside}.{name}"));
            assert_eq!(found(&client, &one).await, found(&client, &other).await, "{engine}, {of}: {name}");
        }
    });
    announce(SUITE, engine, 1, 0);
}

/// Makes a table from the properties of a resource; none of them may be one that is not understood here.
async fn create(client: &Client, properties: &Json) {
    let mut call = client.create_table();
    for (name, value) in properties.as_object().unwrap() {
        call = match name.as_str() {
            "TableName" => call.table_name(text(value)),
            "BillingMode" => call.billing_mode(BillingMode::from(text(value))),
            "AttributeDefinitions" => call.set_attribute_definitions(Some(list(value).map(definition).collect())),
            "KeySchema" => call.set_key_schema(Some(list(value).map(element).collect())),
            "GlobalSecondaryIndexes" => call.set_global_secondary_indexes(Some(list(value).map(index).collect())),
            "DeletionProtectionEnabled" => call.deletion_protection_enabled(value.as_bool().unwrap()),
            // Another request each, which the servers of the tests know in part.
            "TimeToLiveSpecification" | "PointInTimeRecoverySpecification" => call,
            other => panic!("{other}: {value}"),
        };
    }
    call.send().await.unwrap_or_else(|error| panic!("{:?}\n{properties:#}", error.into_service_error()));
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().unwrap().iter()
}

fn definition(value: &Json) -> AttributeDefinition {
    let (name, kind) = (text(&value["AttributeName"]), text(&value["AttributeType"]));
    AttributeDefinition::builder().attribute_name(name).attribute_type(kind.into()).build().unwrap()
}

fn element(value: &Json) -> KeySchemaElement {
    let (name, role) = (text(&value["AttributeName"]), text(&value["KeyType"]));
    KeySchemaElement::builder().attribute_name(name).key_type(role.into()).build().unwrap()
}

fn index(value: &Json) -> GlobalSecondaryIndex {
    let shown = value["Projection"]["NonKeyAttributes"].as_array();
    let shown = shown.map(|shown| shown.iter().map(|name| text(name).to_owned()).collect());
    let kind: ProjectionType = text(&value["Projection"]["ProjectionType"]).into();
    GlobalSecondaryIndex::builder()
        .index_name(text(&value["IndexName"]))
        .set_key_schema(Some(list(&value["KeySchema"]).map(element).collect()))
        .projection(Projection::builder().projection_type(kind).set_non_key_attributes(shown).build())
        .build()
        .unwrap()
}

/// What a server says of a table, without what is of this moment or of its name; where order says nothing, sorted.
async fn found(client: &Client, name: &str) -> (Vec<String>, String, Vec<String>, String) {
    let answer = client.describe_table().table_name(name).send().await.unwrap();
    let table: TableDescription = answer.table.unwrap();
    let mut attributes: Vec<String> = table.attribute_definitions().iter().map(|it| format!("{it:?}")).collect();
    attributes.sort_unstable();
    let index = |it: &aws_sdk_dynamodb::types::GlobalSecondaryIndexDescription| {
        let projection = it.projection().unwrap();
        let mut shown = projection.non_key_attributes().to_vec();
        shown.sort_unstable();
        format!("{:?} {:?} {:?} {shown:?}", it.index_name(), it.key_schema(), projection.projection_type())
    };
    let mut indexes: Vec<String> = table.global_secondary_indexes().iter().map(index).collect();
    indexes.sort_unstable();
    let key = format!("{:?}", table.key_schema());
    let billing = format!("{:?}", table.billing_mode_summary().and_then(|it| it.billing_mode()));
    (attributes, key, indexes, billing)
}

/// The first line that is not as Terraform's formatter writes it, by the rules that our text can break: two spaces for each
/// level, the equal signs of lines that follow each other in one column, no spaces at the end, no two empty lines.
fn misformatted(text: &str) -> Option<(usize, &'static str)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut level, mut run) = (0, None);
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        let words = line.trim_start();
        level -= usize::from(words == "}");
        if line.ends_with([' ', '\t', '\r']) {
            return Some((number, "space at the end"));
        }
        if !words.is_empty() && line.len() - words.len() != 2 * level {
            return Some((number, "not two spaces for each level"));
        }
        if words.is_empty() && lines.get(at + 1).is_some_and(|next| next.is_empty()) {
            return Some((number, "two empty lines"));
        }
        let equal = words.split_once(" = ").map(|(name, _)| name.len());
        if run.is_some() && equal.is_some() && run != equal {
            return Some((number, "equal signs in two columns"));
        }
        run = equal;
        level += usize::from(words.ends_with('{'));
    }
    (level != 0 || !text.ends_with("}\n")).then_some((lines.len(), "not the end of a block and of a line"))
}

#[test]
fn the_rules_of_the_formatter_find_what_breaks_them() {
    for (text, line) in [
        ("a {\n  b  = 1\n  cd = 2\n\n  e {\n    f = 1\n  }\n}\n", None),
        ("a {\n  b = 1\n  cd = 2\n}\n", Some(3)),
        ("a {\n b = 1\n}\n", Some(2)),
        ("a {\n  b = 1 \n}\n", Some(2)),
        ("a {\n  b = 1\n\n\n  c = 2\n}\n", Some(3)),
        ("a {\n  b = 1\n", Some(3)),
        ("a {\n  b = 1\n}", Some(3)),
        ("a {\n  b = 1\n}\n\n", Some(4)),
    ] {
        assert_eq!(misformatted(text).map(|(line, _)| line), line, "{text}");
    }
}
