//! `load`: traffic for a catalog, against a server or one that is started for it.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use keyloom::embedded::Durability;
use keyloom::load::{Failed, Load, Pace, Predicted, Progress, Report, Target, as_driven, load};
use keyloom::model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom::plan::Program;
use keyloom::serve::{Data, Engine, Halt, Making, StoreAddress, Up, UpError, abilities, dialect, up};
use keyloom::size::{Replicas, Terms, size};
use serde_json::{Map, Value as Json};

use crate::Exit;
use crate::arguments::{AsEngine, LoadArguments, LogWhat, ShowFormat};
use crate::output::{complain, print};
use crate::up::{checked, engine, exit, in_folder, key_file, logging};

/// Rows of a file: the entity, and the fields of each.
type Rows = Vec<(String, Map<String, Json>)>;

/// Drives a catalog.
pub(crate) fn run(arguments: &LoadArguments) -> Exit {
    let report = driven(arguments);
    match report {
        Ok(report) => {
            match arguments.format {
                ShowFormat::Text => print(&report.text()),
                ShowFormat::Json => print(&format!("{:#}\n", report.json())),
            }
            if report.is_kept() { Exit::Fine } else { Exit::Findings }
        }
        Err(exit) => exit,
    }
}

fn driven(arguments: &LoadArguments) -> Result<Report, Exit> {
    let (catalog, layout) = checked(&arguments.catalog, arguments.layout.as_deref())?;
    let engine = engine(&arguments.store, arguments.create_keyspace)?;
    let from = arguments.from.as_deref().map_or(Ok(Vec::new()), |path| rows(path, &catalog))?;
    let key = arguments.key.clone().or_else(|| std::env::var("KEYLOOM_KEY").ok());
    let as_engine = arguments.as_engine.map(AsEngine::kind);
    if let Some(url) = &arguments.target {
        // Only who says what runs there can be told what to expect of it.
        let predicted = as_engine.map(|engine| predicted(&catalog, layout.as_ref(), engine, arguments.rate));
        let predicted = predicted.unwrap_or_default();
        return drive(arguments, &catalog, from, url, key, predicted);
    }
    let kind = engine.as_ref().map(|engine| match &engine.address {
        StoreAddress::Cassandra(_) => EngineKind::Cassandra,
        StoreAddress::DynamoDb(_) => EngineKind::DynamoDb,
    });
    let kind = kind.or(as_engine).unwrap_or(EngineKind::Embedded);
    let predicted = predicted(&catalog, layout.as_ref(), kind, arguments.rate);
    served(arguments, &catalog, layout.as_ref(), engine.as_ref(), |url, keys| {
        drive(arguments, &catalog, from, url, key.or_else(|| operator_key(keys)), predicted)
    })
}

/// The operator's key of development, where there are such keys.
fn operator_key(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("operator ")).map(|key| key.trim().to_owned())
}

/// Serves the catalog in this process for as long as the work takes.
fn served<T: Send>(
    arguments: &LoadArguments,
    catalog: &Catalog,
    layout: Option<&Layout>,
    engine: Option<&Engine>,
    work: impl FnOnce(&str, &Path) -> Result<T, Exit>,
) -> Result<T, Exit> {
    let failed = |error: std::io::Error| {
        complain(&format!("no folder can be made for the data: {error}"));
        Exit::WorldFailed
    };
    let kept_for_now = tempfile::Builder::new().prefix("keyloom-load-").tempdir().map_err(failed)?;
    let folder = arguments.data.clone().unwrap_or_else(|| kept_for_now.path().join("data"));
    let keys = key_file(&folder, engine.is_some());
    let halt = Halt::default();
    let wanted = Up {
        catalog,
        layout,
        data: match engine {
            Some(engine) => Data::Engine(engine),
            None => in_folder(&folder, Durability::default(), arguments.as_engine.map(AsEngine::kind)),
        },
        listen: std::net::SocketAddr::from(([127, 0, 0, 1], 0)),
        keys: &keys,
        log: logging(LogWhat::Failures),
        halt: halt.clone(),
        // Whoever loads changes no layout that runs.
        make: &|making: &Making| !making.changes,
    };
    let (ready, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            up(&wanted, &mut |said| drop(ready.send(said.address.clone())))
                // Whoever waits hears that there will be none.
                .inspect_err(|_| drop(ready.send(String::new())))
        });
        let worked = match heard.recv() {
            Ok(address) if !address.is_empty() => Some(work(&address, &keys)),
            _ => None,
        };
        halt.now();
        let ended: Result<(), UpError> = serving.join().unwrap_or(Ok(()));
        match (worked, ended) {
            (Some(worked), Ok(())) => worked,
            (_, Err(error)) => {
                complain(&error.to_string());
                Err(exit(&error))
            }
            (None, Ok(())) => Err(Exit::WorldFailed),
        }
    })
}

fn drive(
    arguments: &LoadArguments,
    catalog: &Catalog,
    from: Rows,
    url: &str,
    key: Option<String>,
    predicted: BTreeMap<String, Predicted>,
) -> Result<Report, Exit> {
    let target = Target::new(url, key).map_err(|error| {
        complain(&format!("--target: {error}"));
        Exit::BadInput
    })?;
    let wanted = Load {
        catalog,
        target,
        pace: match (arguments.rate, arguments.max) {
            (Some(rate), _) => Pace::Total(rate),
            (None, true) => Pace::Max,
            (None, false) => Pace::Catalog,
        },
        time: arguments.time,
        rows: arguments.rows,
        from,
        seed: arguments.seed,
        connections: arguments.connections.into(),
        predicted,
    };
    let is_terminal = std::io::stderr().is_terminal();
    let report = load(&wanted, &mut |progress| {
        if is_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", said(progress));
        }
    });
    if is_terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    report.map_err(|failed| {
        complain(&failed.to_string());
        match failed {
            Failed::NoServer(_) | Failed::Machine(_) => Exit::WorldFailed,
            Failed::OtherServer(_) | Failed::Nothing => Exit::BadInput,
        }
    })
}

fn said(progress: Progress) -> String {
    match progress {
        Progress::Making { made, of } => format!("{made} of {of} rows made"),
        Progress::Driving { seconds, calls, under_way } => {
            format!("{seconds:.0} s: {calls} calls answered, {under_way} under way")
        }
    }
}

/// What the busiest partition of each table will be asked for at the rate of the drive, where the catalog says enough.
fn predicted(
    catalog: &Catalog,
    layout: Option<&Layout>,
    engine: EngineKind,
    rate: Option<f64>,
) -> BTreeMap<String, Predicted> {
    let replicas = Replicas { count: 1, assumed: true };
    let (Some(abilities), Some(dialect)) = (abilities(engine), dialect(engine, replicas.count)) else {
        return BTreeMap::new();
    };
    let Some(designed) = layout.cloned().or_else(|| keyloom::serve::designed(catalog, engine)) else {
        return BTreeMap::new();
    };
    // The tables are those of the catalog's own rates.
    let program = Program::compile(&as_driven(catalog, rate), &designed, &abilities);
    let replicas = Some(replicas).filter(|_| engine == EngineKind::Cassandra);
    let sizes = size(&program, &*dialect, &Terms { replicas, ..Terms::default() });
    let mut predicted = BTreeMap::new();
    for table in &sizes.tables {
        let (busiest, all) = (&table.load.busiest, &table.load.all);
        let of = |part: &keyloom::size::Quantity, whole: &keyloom::size::Quantity| {
            let (part, whole) = (part.whole()?, whole.whole().filter(|whole| *whole > 0)?);
            Some(part as f64 / whole as f64)
        };
        let share = of(&busiest.nanos, &all.nanos).or_else(|| of(&busiest.read_half_units, &all.read_half_units));
        let known = |units: &keyloom::size::Quantity| units.whole().map(|thousandths| thousandths as f64 / 1_000.0);
        let reads = known(&busiest.read_half_units).map(|half_units| half_units / 2.0);
        let units = [reads, known(&busiest.write_units)];
        predicted.insert(table.name.clone(), Predicted { share, units });
    }
    predicted
}

/// The rows of a file.
fn rows(path: &Path, catalog: &Catalog) -> Result<Rows, Exit> {
    let bad = |what: String| {
        complain(&format!("{}: {what}", path.display()));
        Exit::BadInput
    };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Json = serde_json::from_str(line).map_err(|error| bad(format!("line {}: {error}", number + 1)))?;
        match (row.get("entity").and_then(Json::as_str), row.get("row").and_then(Json::as_object)) {
            (Some(entity), Some(row)) if catalog.entity(entity).is_some() => {
                rows.push((entity.to_owned(), row.clone()));
            }
            (Some(entity), Some(_)) => return Err(bad(format!("line {}: there is no entity `{entity}`", number + 1))),
            _ => {
                let form = r#"a line is {"entity": "..", "row": {..}}, as `keyloom export` prints it"#;
                return Err(bad(format!("line {}: {form}", number + 1)));
            }
        }
    }
    Ok(rows)
}

/// `200/s`, `5k/min`, `1.5M/day`; without a span it is a second.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let (number, span) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match span {
        "s" => 1.0,
        "min" => 60.0,
        "h" | "hour" => 3_600.0,
        "day" => 86_400.0,
        _ => return Err(format!("`{span}` is no span: write s, min, hour or day")),
    };
    let (digits, factor) = match number.strip_suffix('k') {
        Some(digits) => (digits, 1e3),
        None => number.strip_suffix('M').map_or((number, 1.0), |digits| (digits, 1e6)),
    };
    let calls = digits.parse::<f64>().map_err(|_| format!("`{number}` is no number: write 200/s"))? * factor / seconds;
    if calls > 0.0 && calls <= 1e6 { Ok(calls) } else { Err("more than 0 and at most a million calls a second".into()) }
}

/// `30s`, `5min`, `1h`
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let seconds = match &text[end..] {
        "s" => 1,
        "min" => 60,
        "h" => 3_600,
        _ => return Err("write it as 30s, 5min or 1h".into()),
    };
    let number: u64 = text[..end].parse().map_err(|_| "write it as 30s, 5min or 1h".to_owned())?;
    match number.saturating_mul(seconds) {
        0 => Err("it must be longer than nothing".into()),
        seconds if seconds > 7 * 86_400 => Err("at most a week".into()),
        seconds => Ok(Duration::from_secs(seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_times_are_read() {
        assert_eq!(rate("200/s"), Ok(200.0));
        assert_eq!(rate("6k/min"), Ok(100.0));
        assert_eq!(rate("864M/day"), Ok(10_000.0));
        assert_eq!(rate("50"), Ok(50.0));
        assert!(["0/s", "x/s", "5/week", "-1", "NaN", "9999M/s"].iter().all(|text| rate(text).is_err()));
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("2min"), Ok(Duration::from_secs(120)));
        assert!(["", "5", "0s", "s", "1d", "-1s", "999999h"].iter().all(|text| time(text).is_err()));
    }
}
