#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "scratch"
)]
use keyloom_code::*;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for language in Language::ALL {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("if (a) {", "}"),
            ("a ? b : ", ""),
            ("!", ""),
            ("a.b().", "c()"),
        ] {
            let text = format!("x = {}{}", open.repeat(n), close.repeat(n));
            let s = std::time::Instant::now();
            let u = read(language, "a", &text);
            let e = s.elapsed();
            let _ = link(&[u]);
            let e2 = s.elapsed();
            if e2.as_millis() > 200 {
                println!("{language:?} {open} read {e:?} all {e2:?}");
            }
        }
    }
    let sum = "\"a\" + ".repeat(20_000);
    let text = format!("class A {{ String q = \"SELECT a FROM t WHERE b = '\" + {sum}\"'\"; }}");
    let s = std::time::Instant::now();
    let u = read(Language::Java, "a", &text);
    println!("sum {:?}", s.elapsed());
    link(&[u]);
    println!("sum {:?}", s.elapsed());
    let branches: String = (0..500).map(|n| format!("if (x{n}) {{ q = q + \"a{n}\"; }}\n")).collect();
    let text = format!("class A {{ void f() {{ String q = \"SELECT a FROM t\";\n{branches}s.execute(q); }} }}");
    let s = std::time::Instant::now();
    let u = read(Language::Java, "a", &text);
    println!("branches {:?}", s.elapsed());
    link(&[u]);
    println!("branches {:?}", s.elapsed());
    let chain: String = (0..5_000).map(|n| format!("else if (x{n}) {{ q = \"SELECT a{n} FROM t\"; }}\n")).collect();
    let text = format!("class A {{ void f() {{ String q = \"\"; if (y) {{ }} {chain} s.execute(q); }} }}");
    let s = std::time::Instant::now();
    let u = read(Language::Java, "a", &text);
    println!("chain {:?}", s.elapsed());
    link(&[u]);
    println!("chain {:?}", s.elapsed());
}
