//! What the path of a file tells.

use crate::Role;

/// The folder of a file, without its last slash; empty for a file at the root.
pub(crate) fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

/// Whether a file lies in a folder, or is that file.
pub(crate) fn is_below(name: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    folder.is_empty()
        || folder == "."
        || name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How many folders two paths share from the root on.
pub(crate) fn common_folders(a: &str, b: &str) -> usize {
    let folders = |name: &'_ str| folder(name).split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let (a, b): (Vec<String>, Vec<String>) = (folders(a), folders(b));
    a.iter().zip(&b).take_while(|(a, b)| a == b).count()
}

/// Whether a file may be CQL, by its name. `.sql` is CQL only where the path speaks of Cassandra.
pub fn may_be_cql(name: &str) -> bool {
    let lower = last(name).to_ascii_lowercase();
    let ends = |ending: &str| lower.ends_with(ending);
    if lower.split('.').skip(1).any(|part| part == "cql" || part == "cqlsh") {
        return !["swp", "bak", "orig", "md", "gz", "zip"].iter().any(|other| ends(other));
    }
    ends(".sql") && is_of_cassandra(name) == Some(true)
}

/// Whether only its text tells what a file is: `.sql`, where the path speaks of no database.
pub(crate) fn may_hold_any_sql(name: &str) -> bool {
    last(name).to_ascii_lowercase().ends_with(".sql") && is_of_cassandra(name).is_none()
}

/// Whether a file undoes a migration, so that it is no part of the way to the final schema.
pub(crate) fn undoes(name: &str) -> bool {
    const UNDO: [&str; 6] = ["down", "rollback", "undo", "revert", "downgrade", "backward"];
    let is_undo = |word: &str| UNDO.iter().any(|undo| word.eq_ignore_ascii_case(undo));
    let file = last(name);
    let flyway = file.starts_with('U') && file[1..].starts_with(|char: char| char.is_ascii_digit());
    // `1_a.down.cql`, `1_a_down.cql`: the last word before the ending.
    let said = file.split('.').any(|part| words(part).last().is_some_and(|word| is_undo(&word)));
    (flyway && file.contains("__")) || said || folder(name).split('/').any(is_undo)
}

/// Whether a path belongs to tests. `examples` counts where the schema is chosen, not where a rule speaks.
pub(crate) fn is_test(name: &str) -> bool {
    const TEST: [&str; 13] = [
        "test", "tests", "testing", "testdata", "spec", "specs", "fixture", "fixtures", "e2e", "mock", "mocks",
        "bench", "benches",
    ];
    words(name).any(|word| TEST.contains(&word.as_str()) || ["benchmark", "benchmarks"].contains(&word.as_str()))
        || {
            // `OrderIT` is an integration test; `UNIT` is not.
            let stem = last(name).split('.').next().unwrap_or("");
            stem.strip_suffix("IT").is_some_and(|class| class.ends_with(|char: char| char.is_lowercase()))
        }
        || is_suite(name)
}

/// Whether a file is a suite of tests: a class of a language that calls them so. Suites of ciphers, products and hotels are
/// things that a migration may be about.
fn is_suite(name: &str) -> bool {
    let Some((stem, ending)) = last(name).rsplit_once('.') else { return false };
    let is_class = ["scala", "java", "kt", "groovy"].contains(&ending) && stem.ends_with("Suite");
    let is_numbered = || crate::version::Version::of(last(name)).is_some();
    is_class && !is_migration(name) && !is_numbered()
}

/// Whether a path belongs to something that is shown, not used.
pub(crate) fn is_example(name: &str) -> bool {
    const EXAMPLE: [&str; 8] = ["example", "examples", "demo", "demos", "sample", "samples", "docs", "doc"];
    words(folder(name)).any(|word| EXAMPLE.contains(&word.as_str()))
}

/// Whether a path belongs to migrations.
pub(crate) fn is_migration(name: &str) -> bool {
    const MIGRATION: [&str; 6] = ["migration", "migrations", "migrate", "upgrade", "upgrades", "changelog"];
    words(name).any(|word| MIGRATION.contains(&word.as_str()))
}

/// The role of a statement, by the path of its file and the names around it.
pub(crate) fn role(name: &str, function: Option<&str>, container: Option<&str>) -> Role {
    const JOB: [&str; 26] = [
        "job",
        "jobs",
        "tool",
        "tools",
        "script",
        "scripts",
        "cleanup",
        "cleaner",
        "scan",
        "scanner",
        "scavenger",
        "reindex",
        "indexer",
        "rebuild",
        "admin",
        "maintenance",
        "repair",
        "backfill",
        "cron",
        "sweeper",
        "purge",
        "purger",
        "reaper",
        "exporter",
        "importer",
        "cli",
    ];
    if is_test(name) {
        return Role::Test;
    }
    if is_migration(name) {
        return Role::Migration;
    }
    let is_job = |word: Option<String>| word.is_some_and(|word| JOB.contains(&word.as_str()));
    // A folder, or a part of its name, as in `db-tools`.
    let by_folder = words(folder(name)).any(|word| JOB.contains(&word.as_str()));
    // What something is stands last, and what a function does first: a `RepairRunDao` repairs nothing, nor does
    // `getRepair`. Some of the words name single calls of a service too.
    let by_file = is_job(words(last(name).split('.').next().unwrap_or_default()).last());
    let tells = |word: &String| !["batch", "cli"].contains(&word.as_str());
    let verb = function.and_then(|name| words(name).next()).filter(tells);
    let by_function = verb.as_deref() == Some("clean") || is_job(verb);
    let by_container = is_job(container.and_then(|name| words(name).last()).filter(tells));
    if by_folder || by_file || by_function || by_container { Role::Job } else { Role::Service }
}

/// The words of a path or name, in lower case: `src/OrderScanner_test.go` is `src`, `order`, `scanner`, `test`, `go`.
pub(crate) fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || (char.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase() || char.is_numeric();
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty())
}

/// Whether the name of a file says that it speaks with another database than Cassandra.
pub(crate) fn names_another_database(name: &str) -> bool {
    is_of_cassandra(name) == Some(false)
}

/// Whether a path names Cassandra or another database, where it names one; of several the last, which is the nearest to
/// the file: `cassandra-reaper/db/sqlite/1.sql` is SQLite's.
fn is_of_cassandra(name: &str) -> Option<bool> {
    const OTHERS: [&str; 19] = [
        "bigquery",
        "clickhouse",
        "cockroachdb",
        "duckdb",
        "elasticsearch",
        "esql",
        "h2",
        "hsqldb",
        "jdbc",
        "jpa",
        "mariadb",
        "mssql",
        "mysql",
        "oracle",
        "pinot",
        "postgres",
        "postgresql",
        "snowflake",
        "sqlite",
    ];
    const OURS: [&str; 4] = ["cassandra", "cql", "scylla", "scylladb"];
    let told = |word: String| match word.as_str() {
        word if OURS.contains(&word) => Some(true),
        word if OTHERS.contains(&word) => Some(false),
        _ => None,
    };
    words(name).filter_map(told).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        for name in ["a.cql", "schema/v1.cql.tmpl", "X.CQL", "db/cassandra/1.sql", "scylla-schema/a.sql"] {
            assert!(may_be_cql(name), "{name}");
        }
        for name in ["cql", "cql.go", "a.sql", "cassandra-tool/sqlite/a.sql", "a.cql.bak", "readme.cql.md", "acql"] {
            assert!(!may_be_cql(name), "{name}");
        }
        for name in ["m/1_a.down.cql", "m/1_a_rollback.cql", "m/down/1_a.cql", "m/U1.2__a.cql"] {
            assert!(undoes(name), "{name}");
        }
        for name in ["m/1_a.up.cql", "m/users.cql", "m/V1__download.cql", "Users.cql", "m/1_drop_down_menu.cql"] {
            assert!(!undoes(name), "{name}");
        }
        for name in [
            "src/test/a.cql",
            "a_test.go",
            "pkg/testdata/x.cql",
            "OrderTest.java",
            "a.spec.ts",
            "FooIT.java",
            "OrderSuite.scala",
        ] {
            assert!(is_test(name), "{name}");
        }
        for name in [
            "src/main/a.cql",
            "latest/a.cql",
            "contest.go",
            "inspector.go",
            "UNIT.java",
            "Schema/V70_CipherSuite.hs",
            "V7_CipherSuite.java",
            "suite.cql",
            "suites/a.go",
        ] {
            assert!(!is_test(name), "{name}");
        }
    }

    #[test]
    fn a_path_may_name_another_database() {
        for name in ["sqlplugin/mysql/queue.go", "pinot_visibility_store.go", "storage/postgresql/db.py"] {
            assert!(names_another_database(name), "{name}");
        }
        for name in ["storage/cassandra/db.py", "mysql_to_cassandra.go", "store.go"] {
            assert!(!names_another_database(name), "{name}");
        }
    }

    #[test]
    fn roles_come_from_paths_and_functions() {
        assert_eq!(role("src/orders.go", Some("GetOrder"), None), Role::Service);
        assert_eq!(role("src/orders.go", Some("cleanupOrders"), None), Role::Job);
        assert_eq!(role("src/orders.go", None, Some("ExecutionScanner")), Role::Job);
        assert_eq!(role("tools/orders.go", Some("get"), None), Role::Job);
        assert_eq!(role("cmd/server/orders.go", Some("get"), None), Role::Service);
        assert_eq!(role("src/orders.go", Some("applyBatch"), None), Role::Service);
        assert_eq!(role("src/RepairRunDao.java", Some("getRepair"), Some("RepairRunDao")), Role::Service);
        assert_eq!(role("src/order_scavenger.go", Some("run"), None), Role::Job);
        assert_eq!(role("src/orders_test.go", Some("get"), None), Role::Test);
        assert_eq!(role("db/migrations/1_a.cql", None, None), Role::Migration);
    }
}
