//! Which databases a file speaks with, by the drivers that it imports.

use crate::unit::Unit;

/// The drivers that a file imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drivers {
    /// Of Cassandra and ScyllaDB, as they are imported.
    pub cassandra: Vec<String>,
    /// Of databases that speak SQL.
    pub other: Vec<String>,
}

const CASSANDRA: &[&str] = &[
    "gocql",
    "gocqlx",
    "com.datastax",
    "cassandra",
    "scylla",
    "cql",
    "quill.cassandra",
    "phantom",
    "outworkers",
    "cdrs",
    "express-cassandra",
    "alpakka.cassandra",
    "cassandra_cpp",
    "dse.driver",
    "datastax",
];

const OTHER: &[&str] = &[
    "database/sql",
    "java.sql",
    "javax.sql",
    "javax.persistence",
    "jakarta.persistence",
    "jdbc",
    "psycopg",
    "asyncpg",
    "sqlalchemy",
    "sqlite",
    "mysql",
    "postgres",
    "pgx",
    "lib/pq",
    "knex",
    "gorm",
    "sequelize",
    "typeorm",
    "prisma",
    "hibernate",
    "jooq",
    "jdbi",
    "slick",
    "doobie",
    "rusqlite",
    "sqlx",
    "diesel",
    "npgsql",
    "sqlclient",
    "entityframework",
    "activerecord",
    "mariadb",
    "oracle",
    "h2.",
    "r2dbc",
    "exposed.sql",
    "hasql",
    "opaleye",
    "persistent.sql",
    "pymysql",
    "doctrine.dbal",
    "pdo",
    "spanner",
    "bigquery",
    "clickhouse",
    "snowflake",
];

/// Modules that are called so and nothing else.
const OTHER_WHOLE: &[&str] = &["pg", "pg-promise", "sql"];

pub(crate) fn drivers(unit: &Unit) -> Drivers {
    let mut drivers = Drivers::default();
    for import in &unit.imports {
        let path = match &import.name {
            Some(name) => format!("{}.{name}", import.path),
            None => import.path.clone(),
        };
        let lower = path.to_lowercase();
        let list = if CASSANDRA.iter().any(|driver| has(&lower, driver)) {
            &mut drivers.cassandra
        } else if OTHER.iter().any(|driver| lower.contains(driver)) || OTHER_WHOLE.contains(&import.path.as_str()) {
            &mut drivers.other
        } else {
            continue;
        };
        if !list.contains(&path) {
            list.push(path);
        }
    }
    drivers
}

/// Whether a path has a driver's name as one of its words.
fn has(path: &str, driver: &str) -> bool {
    path.match_indices(driver).any(|(start, _)| {
        let before = path[..start].chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
        let after = path[start + driver.len()..].chars().next().is_none_or(|letter| !letter.is_alphanumeric());
        before && after
    })
}
