//! `verify` and `repair`.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use keyloom::run::Report;
use keyloom::serve::{self, DataError, Progress, Remote, Verifying};
use serde_json::{Value as Json, json};

use crate::Exit;
use crate::arguments::{ShowFormat, VerifyArguments};
use crate::data::failed;
use crate::output::{complain, print};
use crate::up::data_folder;
use crate::whose::Whose;

/// How often it is written down how far it is.
const WRITTEN_EVERY: Duration = Duration::from_secs(1);
const SHOWN_EVERY: Duration = Duration::from_millis(300);

/// Compares all tables with their sources.
pub(crate) fn verify(arguments: &VerifyArguments) -> Exit {
    let job = match Job::new(arguments, false) {
        Ok(job) => job,
        Err(exit) => return exit,
    };
    match job.run() {
        Ok(report) => {
            match arguments.format {
                ShowFormat::Text => print(&text(&report)),
                ShowFormat::Json => print(&format!("{:#}\n", report.to_json())),
            }
            if report.differences() == 0 { Exit::Fine } else { Exit::Findings }
        }
        Err(error) => failed(&error),
    }
}

/// Brings right what differs, and compares again.
pub(crate) fn repair(arguments: &VerifyArguments) -> Exit {
    let repaired = Job::new(arguments, true).and_then(|job| job.run().map_err(|error| failed(&error)));
    let repaired = match repaired {
        Ok(repaired) => repaired,
        Err(exit) => return exit,
    };
    let again = VerifyArguments { anew: true, ..arguments.clone() };
    let verified = Job::new(&again, false).and_then(|job| job.run().map_err(|error| failed(&error)));
    let verified = match verified {
        Ok(verified) => verified,
        Err(exit) => return exit,
    };
    match arguments.format {
        ShowFormat::Json => {
            print(&format!("{:#}\n", json!({"repaired": repaired.to_json(), "verified": verified.to_json()})));
        }
        ShowFormat::Text => {
            let (mended, found) = (repaired.mended(), repaired.differences());
            let mut said = format!("repaired {mended} of {found} rows that differed\n");
            for why in &repaired.unmended {
                said.push_str(&format!("left: {why}\n"));
            }
            print(&format!("{said}\nverified again:\n{}", text(&verified)));
        }
    }
    if verified.differences() == 0 { Exit::Fine } else { Exit::Findings }
}

struct Job {
    of: Whose,
    /// The process that does it, if one was named.
    target: Option<Remote>,
    asked: Verifying,
    file: PathBuf,
    place: String,
}

impl Job {
    fn new(arguments: &VerifyArguments, repair: bool) -> Result<Self, Exit> {
        let of = Whose::read(&arguments.of)?;
        let target = arguments.target.as_ref().map(|url| {
            let key = arguments.key.clone().or_else(|| std::env::var("KEYLOOM_KEY").ok());
            Remote::at(url, key).map_err(|error| {
                complain(&format!("--target: {error}"));
                Exit::BadInput
            })
        });
        let target = target.transpose()?;
        let place = match (&target, &of.engine) {
            (Some(target), _) => target.to_string(),
            (None, Some(engine)) => engine.to_string(),
            (None, None) => of.folder.display().to_string(),
        };
        let file = data_folder(&of.catalog, None).with_extension(if repair { "repair" } else { "verify" });
        let from = if arguments.anew { None } else { cut_off(&file, &place) };
        if let Some(rows) = from.as_ref().and_then(|from| from["report"]["rows"].as_u64()) {
            complain(&format!(
                "going on where the last one was cut off, behind {rows} rows; --anew begins from the start"
            ));
        }
        let asked = Verifying { repair, rate: arguments.rate, from };
        Ok(Self { of, target, asked, file, place })
    }

    fn run(&self) -> Result<Report, DataError> {
        let mut shown =
            Shown { file: &self.file, place: &self.place, written: Instant::now(), line: None, told: false };
        let say = &mut |progress: &Progress| shown.say(progress);
        let Whose { catalog, layout, engine, folder } = &self.of;
        let report = match (&self.target, engine) {
            (Some(target), _) => serve::verify_remote(target, &self.asked, say),
            (None, Some(engine)) => serve::verify_engine(catalog, layout.as_ref(), engine, &self.asked, say),
            (None, None) => serve::verify(catalog, layout.as_ref(), folder, &self.asked, say),
        };
        shown.end();
        if report.is_ok() {
            // There is nothing to go on with.
            let _ = fs::remove_file(&self.file);
        }
        report
    }
}

/// Where an earlier run on the same data was cut off.
fn cut_off(file: &Path, place: &str) -> Option<Json> {
    let json: Json = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
    (json["place"] == place).then(|| json["checkpoint"].clone())
}

/// Tells how far it is: a file, and a terminal.
struct Shown<'a> {
    file: &'a Path,
    place: &'a str,
    written: Instant,
    line: Option<Instant>,
    told: bool,
}

impl Shown<'_> {
    fn say(&mut self, progress: &Progress) {
        if self.written.elapsed() >= WRITTEN_EVERY {
            self.written = Instant::now();
            if let Err(error) = self.write(progress)
                && !std::mem::replace(&mut self.told, true)
            {
                complain(&format!("it can't be gone on with if it is cut off: {}: {error}", self.file.display()));
            }
        }
        if !std::io::stderr().is_terminal() || self.line.is_some_and(|line| line.elapsed() < SHOWN_EVERY) {
            return;
        }
        self.line = Some(Instant::now());
        let table = progress.table.as_deref().unwrap_or("what seemed to differ");
        let waits = if progress.waits { ", waits for rows under way" } else { "" };
        let line = format!("{} rows, {} differ, at {table}{waits}", progress.rows, progress.differences);
        eprint!("\r{line:<90}");
        let _ = std::io::stderr().flush();
    }

    /// Whole or not at all.
    fn write(&self, progress: &Progress) -> std::io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let partial = self.file.with_extension("partial");
        fs::write(&partial, json!({"place": self.place, "checkpoint": progress.checkpoint}).to_string())?;
        fs::rename(&partial, self.file)
    }

    fn end(&self) {
        if self.line.is_some() {
            eprint!("\r{:<90}\r", "");
        }
    }
}

fn text(report: &Report) -> String {
    let width = report.tables.iter().map(|table| table.table.len()).max().unwrap_or(0).max(5);
    let mut text = format!("{:width$}  {:>10} {:>8} {:>8} {:>8}\n", "table", "rows", "missing", "extra", "stale");
    for table in &report.tables {
        let (rows, missing, extra, stale) = (table.rows, table.missing, table.extra, table.stale);
        let (name, holds) = (&table.table, &table.holds);
        text.push_str(&format!("{name:width$}  {rows:>10} {missing:>8} {extra:>8} {stale:>8}  {holds}\n"));
    }
    if !report.named.is_empty() {
        let all = report.differences();
        let named = report.named.len() as u64;
        let first = if all > named { format!(", the first {named} of {all}") } else { String::new() };
        text.push_str(&format!("\nwhat differs{first}:\n"));
        for named in &report.named {
            text.push_str(&format!("  {} in {}: {}\n", named.differs, named.table, named.key));
        }
    }
    if report.moving > 0 {
        text.push_str(&format!(
            "\n{} rows changed each time they were looked at; nothing is said about them\n",
            report.moving
        ));
    }
    text.push_str(&format!(
        "\n{} rows compared: {} missing, {} extra, {} stale\n",
        report.rows(),
        report.missing(),
        report.extra(),
        report.stale()
    ));
    if report.differences() > 0 {
        text.push_str("`keyloom repair` brings right what differs\n");
    }
    text
}
