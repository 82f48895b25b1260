//! What the inputs are made of: the examples, every rule's fixtures, and the cases in `fuzz/corpus/`.

use std::fs;
use std::path::{Path, PathBuf};

/// The texts of a target, in the same order each time.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = files(&root.join("fuzz/corpus").join(target));
    let catalogs = || {
        let mut paths = files(&root.join("examples"));
        paths.extend(files(&root.join("crates/keyloom-check/tests/rules")));
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
        contents(&paths)
    };
    match target {
        "yaml" => contents(&own).into_iter().chain(catalogs()).collect(),
        // Settings alone, and settings before each catalog.
        "suppression" => {
            let settings = contents(&own);
            let joined = catalogs()
                .into_iter()
                .zip(settings.iter().cycle())
                .map(|(catalog, settings)| [settings, crate::targets::SEPARATOR.as_bytes(), &catalog].concat());
            settings.iter().cloned().chain(joined).collect()
        }
        // Whole files, the single statements of the parser's own tests, and the named cases of the resolver.
        "cql" => {
            let tests = ["parse", "schema"].map(|folder| files(&root.join("crates/keyloom-cql/tests").join(folder)));
            let mut paths = tests.concat();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "cql"));
            let statements = contents(&paths).into_iter().flat_map(|text| lines(&text));
            let cases = crate::targets::CASES.lines().filter(|line| !line.starts_with('#'));
            let cases = cases.filter_map(|line| line.split_once(' ')).map(|(_, case)| case.trim().as_bytes().to_vec());
            contents(&own).into_iter().chain(statements).chain(cases).collect()
        }
        "migrations" => contents(&own),
        // Layouts of the catalog that the target knows, and of others.
        "layout" => {
            let mut paths = files(&root.join("crates/keyloom-text/tests/layout/data"));
            paths.retain(|path| path.file_name().is_some_and(|name| name != "catalog.yaml"));
            contents(&own).into_iter().chain(contents(&paths)).collect()
        }
        // Programs behind their names.
        "code" => {
            let named = |path: &PathBuf| {
                [path.file_name().unwrap().as_encoded_bytes(), b"\n", &fs::read(path).unwrap()].concat()
            };
            own.iter().map(named).collect()
        }
        // The small parsers read one scalar: their cases stand one to a line, and the catalogs' scalars follow.
        _ => {
            let mut scalars: Vec<Vec<u8>> = contents(&own).iter().flat_map(|text| lines(text)).collect();
            scalars.extend(catalogs().iter().flat_map(|text| lines(text)).flat_map(|line| values(&line)));
            scalars.sort();
            scalars.dedup();
            scalars
        }
    }
}

fn contents(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// All files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// The values of a line of YAML, roughly: what stands behind each colon, up to the end and up to the next comma.
fn values(line: &[u8]) -> Vec<Vec<u8>> {
    let line = String::from_utf8_lossy(line);
    let behind = line.match_indices(": ").map(|(at, colon)| line[at + colon.len()..].trim());
    let mut values: Vec<Vec<u8>> = Vec::new();
    for value in behind {
        values.push(value.as_bytes().to_vec());
        let end = value.find([',', '}']).unwrap_or(value.len());
        values.push(value[..end].trim().as_bytes().to_vec());
    }
    values
}
