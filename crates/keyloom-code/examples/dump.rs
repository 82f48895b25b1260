#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "scratch"
)]
use std::io::Read;
fn grammar(l: &str) -> tree_sitter::Language {
    match l {
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "kt" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "py" => tree_sitter_python::LANGUAGE.into(),
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "js" => tree_sitter_javascript::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "hs" => tree_sitter_haskell::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        _ => tree_sitter_php::LANGUAGE_PHP.into(),
    }
}
fn show(n: tree_sitter::Node, f: Option<&str>, d: usize, t: &str) {
    let txt = &t[n.byte_range()];
    let one = if n.child_count() == 0 { format!(" {:?}", txt) } else { String::new() };
    println!(
        "{}{}{}{}{}",
        "  ".repeat(d),
        f.map(|f| format!("{f}: ")).unwrap_or_default(),
        if n.is_named() { n.kind().to_owned() } else { format!("'{}'", n.kind()) },
        one,
        if n.is_extra() { " EXTRA" } else { "" }
    );
    let mut c = n.walk();
    if c.goto_first_child() {
        loop {
            let k = c.node();
            if k.is_named() || c.field_name().is_some() || std::env::var("ALL").is_ok() {
                show(k, c.field_name(), d + 1, t);
            }
            if !c.goto_next_sibling() {
                break;
            }
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut t = String::new();
    if a.get(2).map(|x| x.as_str()) == Some("bench") {
        let mut p = tree_sitter::Parser::new();
        p.set_language(&grammar(&a[1])).unwrap();
        let mut bytes = 0usize;
        let s = std::time::Instant::now();
        let mut nodes = 0usize;
        for f in &a[3..] {
            let t = std::fs::read(f).unwrap();
            bytes += t.len();
            let tree = p.parse(&t, None).unwrap();
            if std::env::var("WALK").is_ok() {
                let mut c = tree.walk();
                'o: loop {
                    nodes += 1;
                    if c.goto_first_child() {
                        continue;
                    }
                    loop {
                        if c.goto_next_sibling() {
                            break;
                        }
                        if !c.goto_parent() {
                            break 'o;
                        }
                    }
                }
            }
        }
        let e = s.elapsed().as_secs_f64();
        println!("{} {:.1} MB {:.2}s {:.2} MB/s nodes {}", a[1], bytes as f64 / 1e6, e, bytes as f64 / 1e6 / e, nodes);
        return;
    }
    std::io::stdin().read_to_string(&mut t).unwrap();
    let mut p = tree_sitter::Parser::new();
    p.set_language(&grammar(&a[1])).unwrap();
    let tree = p.parse(&t, None).unwrap();
    show(tree.root_node(), None, 0, &t)
}
