//! Which crate a test binary belongs to.
//!
//! The headers of `cargo test` name a file (`tests/check.rs`) and a binary, but no crate. Cargo's build messages know
//! all three.

use std::collections::BTreeMap;

use serde_json::Value;

/// The crates behind the headers of `cargo test`.
#[derive(Debug, Default)]
pub struct Binaries {
    /// From the file name of a test binary, `keyloom_text-0123456789abcdef`.
    by_executable: BTreeMap<String, String>,
    /// From the name of a library in code, `keyloom_text`; documentation tests are announced by it.
    by_library: BTreeMap<String, String>,
}

impl Binaries {
    /// Reads what `cargo test --no-run --message-format=json` printed. Lines that are no build message are not ours.
    pub fn from_messages(messages: &str) -> Self {
        let mut binaries = Self::default();
        for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            binaries.learn(&message);
        }
        binaries
    }

    fn learn(&mut self, message: &Value) -> Option<()> {
        let package = package_name(message["package_id"].as_str()?);
        let target = &message["target"];
        if target["kind"].as_array()?.iter().any(|kind| kind == "lib") {
            self.by_library.insert(target["name"].as_str()?.to_owned(), package.clone());
        }
        if message["profile"]["test"] == true {
            self.by_executable.insert(file_name(message["executable"].as_str()?).to_owned(), package);
        }
        Some(())
    }

    /// The crate of the test binary at `path`, or the binary's own name when cargo did not say.
    pub fn crate_of_executable(&self, path: &str) -> String {
        let name = file_name(path);
        self.by_executable.get(name).map_or_else(|| name.to_owned(), Clone::clone)
    }

    /// The crate of a library that is called `name` in code.
    pub fn crate_of_library(&self, name: &str) -> String {
        self.by_library.get(name).map_or_else(|| name.to_owned(), Clone::clone)
    }
}

/// The name in a package id: `path+file:///keyloom/crates/xtask#0.1.0` or `registry+..#toml@1.1.8`.
fn package_name(id: &str) -> String {
    let (path, fragment) = id.rsplit_once('#').unwrap_or((id, id));
    let name = fragment.split_once('@').map_or_else(|| file_name(path), |(name, _version)| name);
    name.to_owned()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"
{"reason":"compiler-artifact","package_id":"path+file:///k/crates/keyloom-text#0.1.0","target":{"kind":["lib"],"name":"keyloom_text"},"profile":{"test":true},"executable":"/k/target/release/deps/keyloom_text-01"}
{"reason":"compiler-artifact","package_id":"path+file:///k/crates/keyloom-cli#0.1.0","target":{"kind":["bin"],"name":"keyloom"},"profile":{"test":true},"executable":"/k/target/release/deps/keyloom-02"}
{"reason":"compiler-artifact","package_id":"path+file:///k/crates/keyloom-cli#0.1.0","target":{"kind":["bin"],"name":"keyloom"},"profile":{"test":false},"executable":"/k/target/release/keyloom"}
{"reason":"compiler-artifact","package_id":"path+file:///elsewhere#keyloom@0.1.0","target":{"kind":["lib"],"name":"keyloom"},"profile":{"test":true},"executable":"/k/target/release/deps/keyloom-03"}
{"reason":"build-finished","success":true}
not a message
"#;

    #[test]
    fn executables_and_libraries_lead_to_their_crate() {
        let binaries = Binaries::from_messages(MESSAGES);
        assert_eq!(binaries.crate_of_executable("target/release/deps/keyloom_text-01"), "keyloom-text");
        assert_eq!(binaries.crate_of_executable("target/release/deps/keyloom-02"), "keyloom-cli");
        assert_eq!(binaries.crate_of_executable("target/release/deps/keyloom-03"), "keyloom");
        assert_eq!(binaries.crate_of_library("keyloom_text"), "keyloom-text");
    }

    #[test]
    fn an_unknown_binary_keeps_its_own_name() {
        let binaries = Binaries::default();
        assert_eq!(binaries.crate_of_executable("target/deps/strange-09"), "strange-09");
        assert_eq!(binaries.crate_of_library("strange"), "strange");
    }
}
