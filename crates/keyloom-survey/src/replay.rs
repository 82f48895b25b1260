//! Runs the statements of a schema one after the other.

use std::collections::BTreeMap;

use keyloom_cql::ast::{DropKind, StatementKind};
use keyloom_cql::schema::{Schema, SchemaFault, SchemaFaultKind};

use crate::names::{self, Sort, Thing};
use crate::part::{Kind, Part, Source};
use crate::written::Written;
use crate::{Open, SurveyFault, SurveyFaultKind};

/// What comes of running all parts of a schema.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub schema: Schema,
    pub steps: Vec<Written>,
    pub faults: Vec<SurveyFault>,
    pub open: Vec<Open>,
    /// Names of the files of which something was run, in order.
    pub files: Vec<String>,
}

/// Runs a part by itself, for what it makes.
pub(crate) fn replay_alone(sources: &[Source]) -> Schema {
    let (mut schema, mut current) = (Schema::default(), None);
    for written in sources.iter().flat_map(|source| &source.statements) {
        let _ = schema.apply(&written.statement, 0, &mut current);
    }
    schema
}

/// How many steps go wrong in this order.
pub(crate) fn count_faults(sources: &[&Source]) -> usize {
    let (mut schema, mut current) = (Schema::default(), None);
    let statements = sources.iter().flat_map(|source| &source.statements);
    statements.filter(|written| schema.apply(&written.statement, 0, &mut current).is_err()).count()
}

/// Runs all parts, in this order. A part never ran on top of another one: what another part made already is left as it is.
pub(crate) fn replay(parts: &[Part]) -> Replayed {
    let mut replayed = Replayed::default();
    let mut makers = Makers::default();
    for (number, part) in parts.iter().enumerate() {
        let mut current = None;
        for source in &part.sources {
            let before = replayed.steps.len();
            for written in &source.statements {
                run(&mut replayed, &mut makers, (number, part), (source, written), &mut current);
            }
            if replayed.steps.len() > before {
                replayed.files.push(source.name.clone());
            }
        }
    }
    replayed
}

/// Which part made a thing last, and whether it is still there.
#[derive(Debug, Clone)]
struct Maker {
    thing: Thing,
    part: usize,
    dropped: bool,
}

#[derive(Debug, Default)]
struct Makers {
    by_name: BTreeMap<String, Vec<Maker>>,
}

impl Makers {
    fn of(&self, thing: &Thing) -> Option<&Maker> {
        self.by_name.get(&thing.name)?.iter().find(|maker| maker.thing.may_be(thing))
    }

    fn made(&mut self, thing: Thing, part: usize) {
        let known = self.by_name.entry(thing.name.clone()).or_default();
        known.retain(|maker| maker.thing != thing);
        known.push(Maker { thing, part, dropped: false });
    }

    fn dropped(&mut self, thing: &Thing) {
        let known = self.by_name.get_mut(&thing.name).into_iter().flatten();
        known.filter(|maker| maker.thing.may_be(thing)).for_each(|maker| maker.dropped = true);
    }
}

fn run(
    replayed: &mut Replayed,
    makers: &mut Makers,
    (number, part): (usize, &Part),
    (source, written): (&Source, &Written),
    current: &mut Option<String>,
) {
    let kind = &written.statement.kind;
    let keyspace = current.clone();
    let (made, dropped) = (names::makes(kind, keyspace.as_deref()), names::drops(kind, keyspace.as_deref()));
    // A dump may still hold what a chain dropped since; a chain of another service has a table of its own.
    let has_history = part.kind < Kind::Single;
    let belongs_to_another =
        |thing: &Thing| makers.of(thing).is_some_and(|maker| maker.part != number && !(maker.dropped && has_history));
    if made.as_ref().is_some_and(belongs_to_another) {
        return;
    }
    // A program that drops something does so on its own occasion, not on the way to the schema.
    if part.kind == Kind::Code && matches!(kind, StatementKind::Drop(_)) {
        return;
    }
    let needed = names::needs(kind, keyspace.as_deref());
    let of_another = needed.iter().any(belongs_to_another);
    // It means the table that this part made itself, which was left out for the sake of the other one. A table with a type
    // that two parts make is made all the same.
    let matters = |thing: &&Thing| thing.sort != Sort::Type || made.is_none();
    if needed
        .iter()
        .filter(matters)
        .any(|thing| belongs_to_another(thing) && part.makes.iter().any(|made| made.may_be(thing)))
    {
        return;
    }
    let step = u32::try_from(replayed.steps.len()).unwrap_or(u32::MAX);
    let answer = replayed.schema.apply(&written.statement, step, current);
    if matches!(kind, StatementKind::Use(_)) {
        return;
    }
    replayed.steps.push(Written { keyspace, ..written.clone() });
    if let Some(thing) = made {
        makers.made(thing, number);
    }
    if let Some(thing) = dropped {
        makers.dropped(&thing);
    }
    let Err(fault) = answer else { return };
    match weigh(&fault, kind, of_another) {
        Weight::Nothing => {}
        Weight::Open => replayed.open.push(Open {
            place: written.place(fault.at),
            reason: format!("{}: the schema begins elsewhere", fault.message),
            names_only: true,
        }),
        Weight::Illegal if source.is_certain_of(written) => {
            let kind = SurveyFaultKind::IllegalStep;
            replayed.faults.push(SurveyFault { kind, place: written.place(fault.at), message: fault.message });
        }
        Weight::Illegal => {}
    }
}

/// What a fault of a step means for the survey.
enum Weight {
    Nothing,
    Open,
    Illegal,
}

fn weigh(fault: &SchemaFault, kind: &StatementKind, of_another: bool) -> Weight {
    let drops = matches!(kind, StatementKind::Drop(_));
    match fault.kind {
        // Leftovers of a time before the first file.
        SchemaFaultKind::UnknownTable | SchemaFaultKind::UnknownType | SchemaFaultKind::UnknownName if drops => {
            Weight::Nothing
        }
        SchemaFaultKind::UnknownTable | SchemaFaultKind::UnknownType => Weight::Open,
        _ if of_another => Weight::Nothing,
        SchemaFaultKind::InUse if matches!(kind, StatementKind::Drop(drop) if drop.kind == DropKind::Keyspace) => {
            Weight::Nothing
        }
        _ => Weight::Illegal,
    }
}
