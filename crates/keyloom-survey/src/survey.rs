//! From the names of files to surveys: what is read, in which order, and where it goes.

use std::collections::BTreeSet;

use keyloom_finding::Sources;

use crate::gather::{Gathered, Shared, gather};
use crate::ground::Ground;
use crate::part::{Kind, Part, parts};
use crate::settle::{Elsewhere, settle};
use crate::tree::{Request, Tree};
use crate::{Coverage, Survey, choose, differ};

/// Reads what a repository holds: one survey for each schema that has nothing to do with the others, none where there is
/// nothing to read.
pub fn survey(tree: &dyn Tree, request: &Request, sources: &mut Sources) -> Vec<Survey> {
    let Gathered { schema, manifests, outside, symbols, pending, mut shared } = gather(tree, request, sources);
    let (schemas, left_out) = choose::schemas(parts(schema, &manifests));
    for name in left_out {
        shared.left_out(&name);
    }
    let mut grounds: Vec<Ground> = schemas.into_iter().map(Ground::new).collect();
    if grounds.is_empty() && !(pending.is_empty() && shared.is_silent()) {
        grounds.push(Ground::default());
    }
    settle(&mut grounds, pending, &Elsewhere { outside, symbols, tree }, &mut shared.coverage);
    let first = std::iter::once(true).chain(std::iter::repeat(false));
    grounds.into_iter().zip(first).map(|(ground, is_first)| finish(ground, &mut shared, is_first)).collect()
}

/// What was found in files that belong to no schema stands in the first survey; why something is not known, in all.
fn finish(ground: Ground, shared: &mut Shared, is_first: bool) -> Survey {
    let Ground { parts, replayed, uses } = ground;
    let coverage = Coverage {
        schema_order: order(&parts, &replayed.files),
        schema_files: replayed.files,
        ..shared.coverage.clone()
    };
    let mut survey = Survey {
        schema: replayed.schema,
        steps: replayed.steps,
        uses,
        faults: replayed.faults,
        open: replayed.open,
        allows: Vec::new(),
        coverage,
        files: shared.files.clone(),
    };
    survey.faults.extend(differ::differences(&parts));
    survey.open.extend(shared.open.iter().cloned());
    if is_first {
        survey.faults.append(&mut shared.faults);
        survey.allows.append(&mut shared.allows);
    }
    survey
}

/// How the order of the schema's files was found, in a few words.
fn order(parts: &[Part], files: &[String]) -> String {
    let files: BTreeSet<&String> = files.iter().collect();
    let used = |part: &&Part| part.sources.iter().any(|source| files.contains(&source.name));
    let mut words: Vec<&str> = Vec::new();
    let singles = parts.iter().filter(used).filter(|part| part.kind == Kind::Single).count();
    for part in parts.iter().filter(used) {
        let word = match part.kind {
            Kind::Ordered => "as keyloom.order says",
            Kind::Chain if part.sources.len() == 1 => continue,
            Kind::Chain if part.by_manifest => "as their manifests say",
            Kind::Chain => "in the order of their versions",
            Kind::Snapshot => "the newest of the numbered ones",
            Kind::Single if singles == 1 => continue,
            Kind::Single => "by what they need, then by name",
            Kind::Code => "from programs",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join("; ")
}
