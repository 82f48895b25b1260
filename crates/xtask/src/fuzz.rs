//! `cargo xtask fuzz`: the fuzz tests with more inputs, by hand.

use std::process::{Command, ExitCode};

/// The targets, which are also the names of their tests.
const TARGETS: [&str; 10] =
    ["yaml", "expressions", "units", "types", "suppression", "values", "cql", "migrations", "code", "layout"];

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    target: Option<String>,
    inputs: Option<u64>,
    seed: Option<u64>,
    replay: Option<String>,
}

/// Runs one target after the other, or the one that is named; the answer says whether all promises held.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wanted = parse(arguments)?;
    let mut exit = ExitCode::SUCCESS;
    for target in TARGETS.into_iter().filter(|target| wanted.target.as_ref().is_none_or(|wanted| wanted == target)) {
        let status = command(target, &wanted).status().map_err(|error| format!("failed to run cargo: {error}"))?;
        if !status.success() {
            exit = ExitCode::FAILURE;
        }
    }
    Ok(exit)
}

fn command(target: &str, wanted: &Wanted) -> Command {
    let mut command = crate::test::cargo(&["test", "--quiet", "--release", "--package", "keyloom", "--test", "fuzz"]);
    command.args(["--", "--exact", "--nocapture", target]);
    let inputs = wanted.inputs.unwrap_or(INPUTS);
    command.env("KEYLOOM_FUZZ_INPUTS", inputs.to_string());
    if let Some(seed) = wanted.seed {
        command.env("KEYLOOM_FUZZ_SEED", seed.to_string());
    }
    if let Some(replay) = &wanted.replay {
        // The test runs in its crate's folder; the path was given from here.
        let path = std::path::absolute(replay).unwrap_or_else(|_| replay.into());
        command.env("KEYLOOM_FUZZ_REPLAY", path);
    }
    command
}

/// Inputs of each target when no number is given: a minute or so in all.
const INPUTS: u64 = 100_000;

fn parse(arguments: &[String]) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || value.parse().map_err(|_| format!("`{flag}` takes a number, not `{value}`"));
        match flag.as_str() {
            "--inputs" => wanted.inputs = Some(number()?),
            "--seed" => wanted.seed = Some(number()?),
            "--replay" => wanted.replay = Some(value.clone()),
            "--target" if TARGETS.contains(&value.as_str()) => wanted.target = Some(value.clone()),
            "--target" => return Err(format!("there is no target `{value}`; there are: {}", TARGETS.join(", "))),
            _ => return Err(format!("fuzz has no flag `{flag}`")),
        }
    }
    if wanted.replay.is_some() && wanted.target.is_none() {
        return Err("`--replay` needs `--target`: the same bytes mean something else to each".to_owned());
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wanted, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn flags_are_read_and_wrong_ones_are_named() {
        let wanted = Wanted { target: Some("units".into()), inputs: Some(5), seed: Some(7), replay: None };
        assert_eq!(parsed("--target units --inputs 5 --seed 7"), Ok(wanted));
        assert_eq!(parsed(""), Ok(Wanted::default()));
        assert!(parsed("--target nothing").unwrap_err().contains("there are: yaml"));
        assert!(parsed("--inputs many").unwrap_err().contains("a number"));
        assert!(parsed("--replay x").unwrap_err().contains("needs `--target`"));
        assert!(parsed("--inputs").unwrap_err().contains("needs a value"));
        assert!(parsed("--fast 3").unwrap_err().contains("no flag"));
    }
}
