//! The jars of Cassandra, fetched by package name.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Unavailable, cache};

/// The version that the tests run against.
pub const VERSION: &str = "5.0.9";

/// The folder with the jars of Cassandra and of all it needs, fetched with `mvn` when it is not there yet.
///
/// # Errors
/// When Java or Maven is not installed, or the package can't be reached.
pub fn fetch() -> Result<PathBuf, Unavailable> {
    runs("java", "-version")?;
    cache::folder(&name(), |part| {
        runs("mvn", "-version")?;
        copy_jars(part)
    })
}

/// Whether the jars are there already, so that [`fetch`] takes no time.
#[must_use]
pub fn is_fetched() -> bool {
    cache::is_there(&name())
}

fn name() -> String {
    format!("cassandra-{VERSION}")
}

fn runs(program: &str, argument: &str) -> Result<(), Unavailable> {
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Unavailable::Missing(format!("`{program} {argument}` fails ({status})"))),
        Err(error) => Err(Unavailable::Missing(format!("`{program}` can't be run: {error}"))),
    }
}

fn copy_jars(folder: &Path) -> Result<(), Unavailable> {
    let missing = |reason: &str| Unavailable::Missing(format!("failed to fetch Cassandra {VERSION}: {reason}"));
    let project = folder.join("pom.xml");
    fs::write(&project, project_file()).map_err(|error| missing(&error.to_string()))?;
    let output = Command::new("mvn")
        .args(["--batch-mode", "--quiet", "--strict-checksums", "--file"])
        .arg(&project)
        .args(["dependency:copy-dependencies", "-DoutputDirectory=lib"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| missing(&error.to_string()))?;
    if !output.status.success() {
        return Err(missing(&String::from_utf8_lossy(&output.stdout)));
    }
    let jar = folder.join("lib").join(format!("cassandra-all-{VERSION}.jar"));
    if jar.is_file() { Ok(()) } else { Err(missing("Maven ended well, but copied no jar of it")) }
}

/// A project whose one dependency is Cassandra.
fn project_file() -> String {
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>keyloom</groupId>
  <artifactId>engine</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>{VERSION}</version>
    </dependency>
  </dependencies>
</project>
"
    )
}
