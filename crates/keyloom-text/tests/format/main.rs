//! Whole catalogs as people write them, and as they look after `keyloom fmt`.

use keyloom_finding::Sources;

fn format(text: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("catalog.yaml", text);
    keyloom_text::format(&sources, file).unwrap_or_else(|findings| panic!("refused: {findings:?}"))
}

#[track_caller]
fn check(input: &str, expect: &str) {
    assert_eq!(format(input), expect);
    assert_eq!(format(expect), expect, "printing it again changed it");
}

#[test]
fn the_regulatory_case_platform() {
    check(include_str!("data/cases.yaml"), include_str!("data/cases.formatted.yaml"));
}

#[test]
fn the_shop() {
    check(include_str!("data/shop.yaml"), include_str!("data/shop.formatted.yaml"));
}

#[test]
fn a_large_file_takes_no_longer_than_its_length() {
    // A single line of a megabyte, then a megabyte of comments: nothing may look at a whole line or file per item.
    let line = format!("a: [{}]\n", "{ b: c }, ".repeat(100_000));
    assert_eq!(format(&line).lines().count(), 100_001);
    let comments = "# c\n".repeat(250_000) + "a: 1\n";
    assert_eq!(format(&comments), comments);
}
