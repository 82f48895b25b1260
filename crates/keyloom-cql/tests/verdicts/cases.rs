use keyloom_cql::parse::parse;
use keyloom_cql::resolve::{Verdict, resolve};
use keyloom_cql::schema::Schema;

use crate::schema;

pub const CASES: &str = include_str!("cases.txt");

/// The schema that all cases are about.
pub fn cases_schema() -> Schema {
    let ddl: Vec<&str> = CASES.lines().filter_map(|line| line.strip_prefix("schema ")).collect();
    schema(&ddl.join(";\n"))
}

#[test]
fn every_named_case_is_answered_as_the_server_does() {
    let lines: Vec<&str> = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    let schema = cases_schema();
    let mut name = "";
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines {
        if let Some(heading) = line.strip_prefix("## ") {
            name = heading;
            continue;
        }
        let (expected, statement) = line.split_once(' ').unwrap();
        if expected == "schema" {
            continue;
        }
        count += 1;
        let script = parse(statement);
        let (said, why) = match script.statements.as_slice() {
            [statement] if script.faults.is_empty() => match resolve(&schema, statement, Some("ks")).verdict {
                Verdict::Legal => ("legal", String::new()),
                Verdict::NeedsFiltering(fault) => ("filtering", fault.message),
                Verdict::Illegal(fault) => ("illegal", fault.message),
                Verdict::Maybe { holes } => ("maybe", holes.join(", ")),
            },
            _ => ("malformed", format!("{:?}", script.faults)),
        };
        // Some of what the server's parser refuses is well-formed to ours, and refused later.
        let agreed = said == expected || (expected == "malformed" && said == "illegal");
        if !agreed {
            wrong.push(format!("{name}: {}\n    is {expected}, we say {said}: {why}", statement.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 900, "only {count} cases were read");
}
