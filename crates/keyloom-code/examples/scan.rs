#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "scratch"
)]
use keyloom_code::*;
fn walk(d: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    if d.is_file() {
        out.push(d.to_owned());
        return;
    }
    let mut e: Vec<_> = std::fs::read_dir(d).unwrap().map(|e| e.unwrap().path()).collect();
    e.sort();
    for p in e {
        if p.is_symlink() {
            continue;
        }
        if p.is_dir() {
            if p.file_name().unwrap().to_str().is_some_and(|n| n == ".git" || n == "node_modules") {
                continue;
            }
            walk(&p, out)
        } else {
            out.push(p)
        }
    }
}
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let quiet = std::env::args().nth(2);
    let mut files = vec![];
    walk(std::path::Path::new(&dir), &mut files);
    let s = std::time::Instant::now();
    let (mut total, mut parsed) = (0usize, 0usize);
    let mut texts = vec![];
    let mut units = vec![];
    let mut cold = vec![];
    for f in files {
        let n = f.to_str().unwrap();
        let Some(l) = Language::of(n) else { continue };
        let Ok(t) = std::fs::read_to_string(&f) else { continue };
        total += t.len();
        if may_hold_statements(l, t.as_bytes()) {
            parsed += t.len();
            units.push(read(l, n, &t));
            texts.push((n.to_owned(), t));
        } else {
            cold.push((l, n.to_owned(), t));
        }
    }
    let e1 = s.elapsed();
    let mut linked = link(&units);
    let mut rounds = 0;
    while rounds < 4 {
        let w = &linked.wanted;
        let mut more = false;
        let mut rest = vec![];
        for (l, n, t) in cold {
            if may_hold_wanted(l, t.as_bytes(), w) {
                parsed += t.len();
                units.push(read(l, &n, &t));
                texts.push((n, t));
                more = true
            } else {
                rest.push((l, n, t))
            }
        }
        cold = rest;
        rounds += 1;
        if !more {
            break;
        }
        linked = link(&units);
    }
    let e2 = s.elapsed();
    let mut dynamic = 0;
    let mut holes = 0;
    let mut foreign = 0;
    let mut tests = 0;
    let mut sited = 0;
    for sn in &linked.snippets {
        let u = &units[sn.unit];
        let d = u.drivers();
        if !sn.foreign.is_empty() {
            foreign += 1
        }
        if sn.test_code {
            tests += 1
        }
        if sn.dynamic {
            dynamic += 1
        }
        if !sn.holes.is_empty() {
            holes += 1
        }
        if !sn.sites.is_empty() {
            sited += 1
        }
        for p in &sn.pieces {
            let t = &texts[p.unit].1;
            let a = &t[p.at.start as usize..p.at.end as usize];
            let b = &sn.text[p.text.start as usize..p.text.end as usize];
            if p.verbatim && a != b {
                println!("MISMATCH {:?} {:?} {}\n{}", a, b, texts[p.unit].0, sn.text)
            }
        }
        if quiet.as_deref() == Some("q") {
            continue;
        }
        if quiet.as_deref() == Some("nt") && sn.test_code {
            continue;
        }
        let line = texts[sn.unit].1[..sn.at.start as usize].matches('\n').count() + 1;
        println!(
            "{}:{} [{}{}{}{}] {:?} fn={:?} in={:?} foreign={:?} drv={}/{}",
            texts[sn.unit].0.strip_prefix(&dir).unwrap_or(&texts[sn.unit].0),
            line,
            match sn.from {
                Origin::Literal => "L",
                Origin::Builder => "B",
                Origin::Metadata => "M",
            },
            if sn.dynamic { " DYN" } else { "" },
            if sn.rewritten { " REWR" } else { "" },
            if sn.test_code { " T" } else { "" },
            sn.names,
            sn.function,
            sn.container,
            sn.foreign,
            d.cassandra.len(),
            d.other.len()
        );
        println!("    {}", sn.text.replace(keyloom_cql::HOLE, "¤").split_whitespace().collect::<Vec<_>>().join(" "));
        for h in &sn.holes {
            if !h.values.is_empty() {
                println!("      hole {} = {:?}", h.name, h.values);
            }
        }
        for s in &sn.sites {
            println!(
                "      @{:?} {:?} loop={} batch={:?} ps={:?} cl={:?} idem={:?} ts={:?} used={:?}",
                s.calls,
                s.function,
                s.in_loop,
                s.batch.as_ref().map(|b| (b.id, b.kind, b.in_loop, b.chunked)),
                s.page_size,
                s.consistency,
                s.idempotent,
                s.timestamp,
                s.consumed
            );
            for a in &s.arguments {
                println!(
                    "         {:?} <- {} {:?}",
                    a.marker,
                    a.text.split_whitespace().collect::<Vec<_>>().join(" "),
                    a.value
                );
            }
        }
    }
    println!(
        "{} total {:.1} MB parsed {:.1} MB read {:?} all {:?} rounds {} units {} snippets {} dynamic {} holes {} foreign {} tests {} sited {} wanted {:?} unread {}",
        dir,
        total as f64 / 1e6,
        parsed as f64 / 1e6,
        e1,
        e2,
        rounds,
        units.len(),
        linked.snippets.len(),
        dynamic,
        holes,
        foreign,
        tests,
        sited,
        linked
            .wanted
            .iter()
            .take(12)
            .map(|w| format!("{}.{}", w.container.clone().unwrap_or_default(), w.name))
            .collect::<Vec<_>>(),
        units.iter().filter(|u| u.unread().is_some()).count()
    );
}
