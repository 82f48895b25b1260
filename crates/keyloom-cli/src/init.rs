use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use keyloom::check::Config;
use keyloom::draft::{Draft, draft};
use keyloom::examples;
use keyloom::finding::{Place, Sources};
use keyloom::survey::{Request, Survey, Use, recall, survey};

use crate::Exit;
use crate::arguments::InitArguments;
use crate::files::relative_name;
use crate::output::{complain, print};
use crate::progress::with_progress;
use crate::repository::Repository;
use crate::taken;

/// Writes a catalog to start from; never over a file that is there.
pub(crate) fn run(arguments: &InitArguments) -> Exit {
    if arguments.from.is_empty() { example(arguments) } else { from(arguments) }
}

fn example(arguments: &InitArguments) -> Exit {
    let listed = || {
        let lines = examples::ALL.iter().map(|example| format!("  {:<8} {}\n", example.name, example.summary));
        format!(
            "examples:\n{}\nkeyloom init NAME writes one as catalog.yaml; keyloom init --from PATH makes one from a schema\n",
            lines.collect::<String>()
        )
    };
    let Some(name) = &arguments.example else {
        print(&listed());
        return Exit::Fine;
    };
    let Some(example) = examples::find(name) else {
        complain(&format!("there is no example `{name}`\n{}", listed().trim_end()));
        return Exit::BadInput;
    };
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    if let Err(exit) = write(&folder, example.text, &format!("keyloom init {name} FOLDER")) {
        return exit;
    }
    // The only example that has a layout so far.
    let commands: &[&str] = if example.name == "shop" { &["check", "show", "up"] } else { &["check", "show"] };
    print(&format!("wrote {}\n\n{}", crate::files::shown_name(&folder.join("catalog.yaml")), next(&folder, commands)));
    Exit::Fine
}

/// Writes a catalog from what a team has.
fn from(arguments: &InitArguments) -> Exit {
    if arguments.folder.is_some() {
        complain("with --from there is one name: that of the folder to write into");
        return Exit::BadInput;
    }
    let folder = arguments.example.as_ref().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let roots: Vec<PathBuf> = arguments.from.iter().chain(&arguments.queries).cloned().collect();
    if let Some(missing) = roots.iter().find(|path| !path.exists()) {
        complain(&format!("there is no {}", missing.display()));
        return Exit::BadInput;
    }
    let names = |paths: &[PathBuf]| paths.iter().map(|path| relative_name(path)).collect();
    // Without a place of their own, schema and programs are looked for together.
    let request = match arguments.queries.is_empty() {
        true => Request::default(),
        false => Request { schema: names(&arguments.from), queries: names(&arguments.queries) },
    };
    let mut sources = Sources::default();
    let repository = Repository::new(&roots, &Config::default());
    let mut surveys = with_progress(&repository.opened, || survey(&repository, &request, &mut sources));
    // The largest schema first: it is the one that the catalog is about.
    surveys.sort_by_key(|survey| std::cmp::Reverse(tables(survey)));
    let Some((chosen, others)) = surveys.split_first().filter(|(chosen, _)| tables(chosen) > 0) else {
        let from: Vec<String> = arguments.from.iter().map(|path| path.display().to_string()).collect();
        complain(&format!("there is no CREATE TABLE in {}; --from names the folder with the schema", from.join(", ")));
        return Exit::BadInput;
    };
    let places: Vec<Place> = chosen.uses.iter().map(Use::whole).chain(taken::places(&surveys, false)).collect();
    recall(&repository, places, &mut sources);
    let at = |place: Place| {
        let file = sources.file(place.file);
        format!("{}:{}", file.name(), file.line_column(place.start).line)
    };
    let draft = draft(chosen, &catalog_name(chosen, &arguments.from), &at);
    if let Err(exit) = write(&folder, &draft.text, "keyloom init --from PATH FOLDER") {
        return exit;
    }
    let took = taken::summary(std::slice::from_ref(chosen), &sources).map_or_else(Vec::new, |summary| summary.lines);
    print(&told(&draft, &took, others, &folder));
    Exit::Fine
}

fn tables(survey: &Survey) -> usize {
    survey.schema.keyspaces.values().map(|keyspace| keyspace.tables.len()).sum()
}

/// The keyspace, where there is one; else the folder.
fn catalog_name(survey: &Survey, from: &[PathBuf]) -> String {
    let mut named = survey.schema.keyspaces.values().filter(|keyspace| !keyspace.tables.is_empty());
    if let (Some(only), None) = (named.next(), named.next())
        && !only.name.is_empty()
    {
        return only.name.clone();
    }
    let folder = from.first().and_then(|path| path.canonicalize().ok());
    let name = folder.as_deref().and_then(Path::file_stem).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "service".to_owned())
}

/// What was taken, what was written, and what to do next.
fn told(draft: &Draft, took: &[String], others: &[Survey], folder: &Path) -> String {
    let mut out: String = took.iter().map(|line| format!("{line}\n")).collect();
    for first in others.iter().filter_map(|other| other.coverage.schema_files.first()) {
        out += &format!("left out: another schema, which begins with {first}; --from {first} takes that one\n");
    }
    for projection in &draft.projections {
        out += &format!("{projection}\n");
    }
    let left_out = match draft.left_out.len() {
        0 => String::new(),
        count => format!("; {} became no pattern, and the file says why", many(count, "statement")),
    };
    out += &format!(
        "\nwrote {}: {} and {}{left_out}\n",
        crate::files::shown_name(&folder.join("catalog.yaml")),
        many(draft.entities, "entity"),
        many(draft.patterns, "pattern"),
    );
    out += &format!("\n{} stand in it as comments; the first of them:\n", many(draft.questions.len(), "question"));
    for question in draft.questions.iter().take(3) {
        out += &format!("  {}\n", question.text);
    }
    out + "\n" + &next(folder, &["check", "show"])
}

fn many(count: usize, word: &str) -> String {
    match (count, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {word}s"),
    }
}

/// Writes `catalog.yaml` into a folder, which is made if it is not there.
fn write(folder: &Path, text: &str, again: &str) -> Result<(), Exit> {
    if let Err(error) = std::fs::create_dir_all(folder) {
        complain(&format!("can't make the folder {}: {error}", folder.display()));
        return Err(Exit::WorldFailed);
    }
    let path = folder.join("catalog.yaml");
    let created = std::fs::File::create_new(&path).and_then(|mut file| {
        use std::io::Write;
        file.write_all(text.as_bytes())
    });
    match created {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            complain(&format!("{} is there already; name another folder: {again}", path.display()));
            Err(Exit::BadInput)
        }
        Err(error) => {
            complain(&format!("can't write {}: {error}", path.display()));
            Err(Exit::WorldFailed)
        }
    }
}

fn next(folder: &Path, commands: &[&str]) -> String {
    let folder = if folder.as_os_str() == "." { String::new() } else { format!(" {}", folder.display()) };
    let lines: String = commands.iter().map(|command| format!("  keyloom {command}{folder}\n")).collect();
    format!("next:\n{lines}")
}
