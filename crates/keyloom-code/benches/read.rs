//! How fast programs are read, beside what the bare parser takes on the same texts in the same run.
//!
//! `cargo bench -p keyloom-code --bench read` reads programs of our own; with a folder behind `--` it reads that one.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark measures time, may read a folder that it is given, and prints what it finds"
)]

use std::path::Path;
use std::time::Instant;

use keyloom_code::{Language, link, may_hold_statements, read};
use tree_sitter::Parser;

const PROGRAMS: [(&str, &str); 6] = [
    ("program.go", include_str!("../../../fuzz/corpus/code/program.go")),
    ("program.java", include_str!("../../../fuzz/corpus/code/program.java")),
    ("program.kt", include_str!("../../../fuzz/corpus/code/program.kt")),
    ("program.scala", include_str!("../../../fuzz/corpus/code/program.scala")),
    ("program.py", include_str!("../../../fuzz/corpus/code/program.py")),
    ("program.ts", include_str!("../../../fuzz/corpus/code/program.ts")),
];

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let mut files = Vec::new();
    match &folder {
        Some(folder) => collect(Path::new(folder), &mut files),
        None => files.extend(PROGRAMS.iter().flat_map(|(name, text)| {
            // As many copies as make about half a megabyte of each language.
            vec![((*name).to_owned(), (*text).to_owned()); 500_000 / text.len()]
        })),
    }
    println!("{:<12} {:>7} {:>10} {:>10} {:>8} {:>12}", "", "MB", "read MB/s", "bare MB/s", "ratio", "looked MB/s");
    for language in Language::ALL {
        let texts: Vec<&(String, String)> =
            files.iter().filter(|(name, _)| Language::of(name) == Some(language)).collect();
        if !texts.is_empty() {
            measure(language, &texts);
        }
    }
}

fn measure(language: Language, texts: &[&(String, String)]) {
    let all: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let start = Instant::now();
    let worth: Vec<_> = texts.iter().filter(|(_, text)| may_hold_statements(language, text.as_bytes())).collect();
    let looked = start.elapsed().as_secs_f64();
    let bytes: usize = worth.iter().map(|(_, text)| text.len()).sum();
    if bytes == 0 {
        return;
    }
    let start = Instant::now();
    let units: Vec<_> = worth.iter().map(|(name, text)| read(language, name, text)).collect();
    let ours = start.elapsed().as_secs_f64();
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).unwrap();
    let start = Instant::now();
    for (_, text) in worth {
        std::hint::black_box(parser.parse(text, None));
    }
    let bare = start.elapsed().as_secs_f64();
    std::hint::black_box(link(&units[..units.len().min(200)]));
    let rate = |bytes: usize, seconds: f64| bytes as f64 / 1e6 / seconds;
    println!(
        "{:<12} {:>7.2} {:>10.1} {:>10.1} {:>8.2} {:>12.0}",
        format!("{language:?}"),
        bytes as f64 / 1e6,
        rate(bytes, ours),
        rate(bytes, bare),
        ours / bare,
        rate(all, looked)
    );
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
        Language::Scala => tree_sitter_scala::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        Language::Haskell => tree_sitter_haskell::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
    }
    .into()
}

/// All files of a folder whose language is known, of a size that is read.
fn collect(folder: &Path, files: &mut Vec<(String, String)>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if let Some(name) = path.to_str().filter(|name| Language::of(name).is_some())
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.len() < keyloom_code::BYTES_MAX
        {
            files.push((name.to_owned(), text));
        }
    }
}
