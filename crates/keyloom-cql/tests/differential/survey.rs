use crate::{
    ENGINE, SUITE,
    generate::{Clause, Random, World, statement},
    oracle::{Answer, Oracle},
};
use keyloom_engines::available;
use std::collections::BTreeMap;

#[test]
#[ignore = "tmp"]
fn survey() {
    let n: usize = std::env::var("KEYLOOM_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(20000);
    let per = 500;
    let Some(mut oracle) = available(SUITE, ENGINE, Oracle::start()) else { return };
    let mut random = Random::new(1);
    let mut verdicts = [0usize; 4];
    let mut clauses: BTreeMap<Clause, usize> = BTreeMap::new();
    let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut messages: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut ddl_t = std::time::Duration::ZERO;
    let mut ask_t = ddl_t;
    let mut ddl_n = 0;
    let mut refused: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for _ in 0..n / per {
        let world = World::new(&mut random);
        let t = std::time::Instant::now();
        oracle.fresh_keyspace("ks");
        for d in &world.ddl {
            ddl_n += 1;
            match oracle.execute(d) {
                Answer::Legal => {}
                Answer::Illegal(m) | Answer::Malformed(m) | Answer::NeedsFiltering(m) => {
                    refused.entry(norm(&m)).or_insert((0, d.clone())).0 += 1;
                }
            }
        }
        ddl_t += t.elapsed();
        let cases: Vec<_> = (0..per).map(|_| statement(&world, &mut random)).collect();
        let texts: Vec<&str> = cases.iter().map(|c| c.text.as_str()).collect();
        let t = std::time::Instant::now();
        let answers = oracle.prepare(&texts);
        ask_t += t.elapsed();
        for (c, a) in cases.iter().zip(answers) {
            for cl in &c.clauses {
                *clauses.entry(*cl).or_default() += 1;
            }
            let (i, m) = match a {
                Answer::Legal => (0, None),
                Answer::NeedsFiltering(m) => (1, Some(m)),
                Answer::Illegal(m) => (2, Some(m)),
                Answer::Malformed(m) => (3, Some(format!("MALFORMED {m}"))),
            };
            verdicts[i] += 1;
            if let Some(m) = m {
                if let Some(sh) = crate::messages::shape_of(&m) {
                    *shapes.entry(sh).or_default() += 1;
                    continue;
                }
                messages.entry(norm(&m)).or_insert((0, format!("{m}  <== {}", c.text))).0 += 1;
            }
        }
    }
    println!("verdicts {verdicts:?} ddl {ddl_n} in {ddl_t:?} ask {ask_t:?}");
    for cl in Clause::ALL {
        println!("{cl:?} {:.2}%", *clauses.get(cl).unwrap_or(&0) as f64 * 100.0 / n as f64);
    }
    println!("REFUSED DDL");
    for (m, (c, d)) in &refused {
        println!("{c}\t{m}\n\t\t{d}");
    }
    let mut list: Vec<_> = messages.into_iter().collect();
    list.sort_by_key(|(_, (c, _))| std::cmp::Reverse(*c));
    println!("SHAPES");
    for sh in crate::messages::SHAPES {
        println!("{}\t{sh}", shapes.get(sh).unwrap_or(&0));
    }
    println!("MESSAGES {}", list.len());
    for (m, (c, ex)) in list {
        println!("{c}\t{m}\n\t\t{ex}");
    }
}
fn norm(m: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for ch in m.chars().chain(" ".chars()) {
        if ch.is_alphanumeric() || ch == '_' {
            word.push(ch);
            continue;
        }
        if !word.is_empty() {
            let natives = [
                "ascii",
                "bigint",
                "blob",
                "boolean",
                "date",
                "decimal",
                "double",
                "duration",
                "float",
                "inet",
                "int",
                "smallint",
                "text",
                "time",
                "timestamp",
                "timeuuid",
                "tinyint",
                "uuid",
                "varchar",
                "varint",
                "frozen",
                "list",
                "set",
                "map",
                "tuple",
                "vector",
            ];
            let w =
                if word.chars().any(|c| c.is_ascii_digit()) || natives.contains(&word.as_str()) { "X" } else { &word };
            out.push_str(w);
            word.clear();
        }
        out.push(ch);
    }
    loop {
        let n = out.replace("X<X>", "X").replace("X<X, X>", "X").replace("X, X", "X").replace("(X)", "X");
        if n == out {
            break;
        }
        out = n;
    }
    out.truncate(out.char_indices().nth(110).map_or(out.len(), |(i, _)| i));
    out
}
