//! Catalogs on trial, by hand: `cargo xtask sim`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore talks to a person and says how long it took"
)]

#[path = "../tests/real/engines.rs"]
mod engines;

use std::{
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use engines::Ground;
use keyloom_run::trial::Protocol;
use keyloom_trial::{AS_DESIGNED, On, Tally, Tried, catalogs, rules, without};

const HELP: &str = "\
Puts catalogs on trial: generated calls on several processes under faults, judged by a model of what the catalog means.

Usage: cargo xtask sim --seed N [--catalog NAME] [--store NAME]
       cargo xtask sim --seeds A..B [--catalog NAME] [--store NAME]

  --seed N        one trial; if it fails, it is made smaller and told
  --seeds A..B    many, on two cores, with progress; the first that fails is told
  --catalog NAME  market, desk, stock, passes, board, rush, flags, leases, knocks, files; lots, lots_counted, whose layouts change; or random: one of keyloom-sample for each seed; all of them unless stated
  --without RULE  without a rule of the protocol, by its name in keyloom_run::trial::Protocol; something must be found
  --store NAME    simulated: as Cassandra (wide), as DynamoDB (items), as the embedded store (model); all of them unless stated
                  real: embedded, cassandra, dynoxide, extenddb

A seed on a simulated store is one history, to the last step. On a real one it is what is asked, on which day: time passes, five
times as fast as on the wall, and the same seed meets another chance each time. What fails there is told, not made smaller.

Examples:
  cargo xtask sim --seed 7 --catalog market --store wide
  cargo xtask sim --seed 7 --catalog market --store cassandra
  cargo xtask sim --seeds 0..100000

Exit codes: 0 nothing was found, 1 something can't be, 2 the call is wrong, 3 the engine can't be had.";

/// What is said when nothing was found.
const NOTHING: &str = "lost 0, extra 0, applied twice 0, false answers 0";

/// What was asked for.
struct Wanted {
    seeds: std::ops::Range<u64>,
    catalogs: Vec<String>,
    stores: Vec<On>,
    /// The real store, if it is to be one.
    real: Option<String>,
    protocol: Protocol,
    /// What a replay says besides.
    besides: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match parse(&arguments) {
        Ok(wanted) => match &wanted.real {
            Some(engine) => run_on(engine, &wanted),
            None => run(&wanted),
        },
        Err(reason) => {
            eprintln!("error: {reason}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Wanted, String> {
    let names: Vec<&str> = Tried::names().chain(["random"]).collect();
    let mut seeds = None;
    let mut wanted = Wanted {
        seeds: 0..0,
        catalogs: names.iter().map(|name| (*name).to_owned()).collect(),
        stores: On::ALL.to_vec(),
        real: None,
        protocol: AS_DESIGNED,
        besides: String::new(),
    };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{flag}` takes numbers, not `{value}`"));
        match flag.as_str() {
            "--seed" => seeds = Some(number(value)?..number(value)?.saturating_add(1)),
            "--seeds" => {
                let (from, to) = value.split_once("..").ok_or_else(|| format!("`{flag}` takes A..B, not `{value}`"))?;
                seeds = Some(number(from)?..number(to)?);
            }
            "--catalog" if names.contains(&value.as_str()) => wanted.catalogs = vec![value.clone()],
            "--catalog" => return Err(format!("there is no catalog `{value}`; there are: {}", names.join(", "))),
            "--store" if engines::NAMES.contains(&value.as_str()) => wanted.real = Some(value.clone()),
            "--store" => {
                let on = On::ALL.into_iter().find(|on| on.name() == value);
                let known = || On::ALL.map(On::name).into_iter().chain(engines::NAMES).collect::<Vec<_>>().join(", ");
                wanted.stores = vec![on.ok_or_else(|| format!("there is no store `{value}`; there are: {}", known()))?];
            }
            "--without" => {
                let known = || rules().collect::<Vec<_>>().join(", ");
                wanted.protocol =
                    without(value).ok_or_else(|| format!("there is no rule `{value}`; there are: {}", known()))?;
                wanted.besides = format!(" --without {value}");
            }
            _ => return Err(format!("sim has no flag `{flag}`")),
        }
    }
    wanted.seeds = seeds.filter(|seeds| !seeds.is_empty()).ok_or("say `--seed N` or `--seeds A..B`")?;
    let is_small = |name: &String| catalogs::SMALL.iter().any(|(known, _)| known == name);
    if wanted.real.is_some() && !wanted.catalogs.iter().any(is_small) {
        return Err("catalogs that are random or grow are tried on simulated stores alone".into());
    }
    Ok(wanted)
}

/// On a real store, one trial after the other.
fn run_on(engine: &str, wanted: &Wanted) -> ExitCode {
    let ground = match Ground::start(engine) {
        Ok(ground) => ground,
        Err(reason) => {
            eprintln!("error: {engine} can't be had: {reason}");
            return ExitCode::from(3);
        }
    };
    let (began, mut sum, mut count) = (Instant::now(), Tally::default(), 0);
    let is_wanted = |(name, _): &(&str, &str)| wanted.catalogs.iter().any(|it| it == name);
    for seed in wanted.seeds.clone() {
        for (name, text) in catalogs::SMALL.into_iter().filter(is_wanted) {
            match ground.check(text, seed, wanted.protocol) {
                Ok(tally) => sum += tally,
                Err(told) => {
                    println!("{name} on {engine}, seed {seed}:\n{told}");
                    return ExitCode::FAILURE;
                }
            }
            count += 1;
        }
    }
    println!("{count} trials in {:.1} s: {sum:?}", began.elapsed().as_secs_f64());
    println!("{NOTHING}");
    ExitCode::SUCCESS
}

fn run(wanted: &Wanted) -> ExitCode {
    let began = Instant::now();
    let mut trials: Vec<(Option<Tried>, On)> = Vec::new();
    for name in &wanted.catalogs {
        for on in &wanted.stores {
            match Tried::named(name, *on) {
                None => trials.push((None, *on)),
                Some(Ok(tried)) => trials.push((Some(tried), *on)),
                Some(Err(words)) => {
                    println!("{name} is not run on {}: {}", on.name(), words.trim().replace('\n', "; "));
                }
            }
        }
    }
    let (next, done, stop) = (AtomicU64::new(wanted.seeds.start), AtomicU64::new(0), AtomicBool::new(false));
    let sum = Mutex::new(Tally::default());
    let story = Mutex::new(None);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wanted.seeds.end {
                break;
            }
            for (tried, on) in &trials {
                let random;
                let tried = match tried {
                    Some(tried) => tried,
                    None => {
                        random = Tried::random(seed, *on);
                        let Some(random) = &random else { continue };
                        random
                    }
                };
                match tried.check(seed, wanted.protocol) {
                    Ok(tally) => *sum.lock().unwrap_or_else(PoisonError::into_inner) += tally,
                    Err(failure) => {
                        if !stop.swap(true, Ordering::Relaxed) {
                            eprintln!(
                                "\n{} on {}, seed {seed}: {}",
                                tried.name,
                                on.name(),
                                failure.contradiction.words
                            );
                            eprintln!("made smaller ..");
                            let told = tried.explained(seed, wanted.protocol, failure);
                            let (name, store, besides) = (&tried.name, on.name(), &wanted.besides);
                            let line =
                                format!("cargo xtask sim --seed {seed} --catalog {name} --store {store}{besides}");
                            *story.lock().unwrap_or_else(PoisonError::into_inner) = Some((told, line));
                        }
                        return;
                    }
                }
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let whole = wanted.seeds.end - wanted.seeds.start;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..whole.min(2)).map(|_| scope.spawn(work)).collect();
        let mut told = Instant::now();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if told.elapsed() > Duration::from_secs(10) {
                told = Instant::now();
                let (done, took) = (done.load(Ordering::Relaxed), began.elapsed().as_secs_f64());
                eprintln!("{done} of {whole} seeds in {took:.0} s, {:.0} a minute", done as f64 * 60.0 / took);
            }
        }
    });
    let sum = *sum.lock().unwrap_or_else(PoisonError::into_inner);
    let (done, took) = (done.load(Ordering::Relaxed), began.elapsed().as_secs_f64());
    println!("{done} seeds in {took:.1} s, {:.0} a minute", done as f64 * 60.0 / took);
    let Tally { applied, refused, uncertain, repeated, looked, compared, rows, grown } = sum;
    println!(
        "{} writes: {applied} applied, {refused} refused; {repeated} repeated, {uncertain} in doubt",
        applied + refused
    );
    println!("{} reads: {looked} beside writes, {compared} in the quiet with {rows} rows", looked + compared);
    println!("{grown} layouts changed beside writes");
    match story.lock().unwrap_or_else(PoisonError::into_inner).take() {
        None => {
            println!("{NOTHING}");
            ExitCode::SUCCESS
        }
        Some((told, line)) => {
            println!("\n{told}\nReplay: {line}");
            ExitCode::FAILURE
        }
    }
}
