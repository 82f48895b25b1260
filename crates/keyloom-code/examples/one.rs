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
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let text = format!("x = {}", a[3].repeat(n));
    let u = read(Language::of(&a[1]).unwrap(), "a", &text);
    println!("{:?}", u.unread());
}
