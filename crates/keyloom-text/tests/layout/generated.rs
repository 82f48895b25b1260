//! Whatever a layout says: its text is canonical and says the same. Whatever a text says: nothing panics.

use std::collections::HashSet;
use std::sync::LazyLock;

use keyloom_finding::Sources;
use keyloom_model::layout::{
    Bucket, Copied, CopyRule, Counted, Form, Holds, Horizons, Keeper, Layout, Part, Partition, Path, Question, Ranks,
    ReadsAtMost, SortItem, Spread, Table, Upkeep, Way, WhenExpired,
};
use keyloom_model::{
    Class, Compare, Direction, Engine, Entity, Expr, Literal, Origin, Rate, Root, Set, TimeSpan, TimeUnit, Type,
};
use keyloom_text::{Reading, print_layout, read_layout};
use proptest::prelude::*;

use super::{CATALOG, LAYOUT, Two, formatted, read_both};

static READING: LazyLock<Reading> = LazyLock::new(|| read_both(CATALOG, LAYOUT).1);

/// Chance, out of bytes that can be made smaller.
struct Dice<'a> {
    bytes: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Dice<'_> {
    fn below(&mut self, most: usize) -> usize {
        usize::from(*self.bytes.next().unwrap_or(&0)) % most.max(1)
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn some<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| value(self))
    }

    /// Some of these, in any order.
    fn few<T: Clone>(&mut self, of: &[T]) -> Vec<T> {
        let mut rest = of.to_vec();
        (0..self.below(of.len() + 1)).map(|_| rest.remove(self.below(rest.len()))).collect()
    }

    fn span(&mut self) -> TimeSpan {
        let amount = self.one(&[1, 2, 10, 365]);
        TimeSpan::new(amount, self.one(&TimeUnit::ALL))
    }
}

/// The fields of an entity that may stand in a key.
fn key_fields(entity: &Entity) -> Vec<(String, Type)> {
    let own = entity.fields.iter().filter(|field| field.ty.unordered().is_none());
    let mut fields: Vec<_> = own.map(|field| (field.name.clone(), field.ty.clone())).collect();
    fields.push(("tenant_id".to_owned(), Type::Uuid));
    fields
}

fn path(entity: &str, field: &str) -> keyloom_model::Path {
    let root = match entity {
        "" => Root::Own,
        other => Root::Reference { field: "queue_id".to_owned(), entity: other.to_owned() },
    };
    keyloom_model::Path { root, field: field.to_owned(), members: Vec::new() }
}

/// A test over tickets.
fn test(dice: &mut Dice<'_>, depth: usize) -> Expr {
    let own = |field: &str| Box::new(Expr::Path(path("", field)));
    let variant = |name: &str| Expr::Literal(Literal::Variant(name.to_owned()));
    match dice.below(if depth == 0 { 6 } else { 8 }) {
        0 => Expr::Compare(Compare::Equal, own("status"), Box::new(variant("OPEN"))),
        1 => Expr::Compare(Compare::NotEqual, own("urgent"), Box::new(Expr::Literal(Literal::Bool(dice.flag())))),
        2 => Expr::In(own("status"), Set::Values(vec![variant("CLOSED"), variant("ON_HOLD")])),
        3 => Expr::IsNull { of: own("agent_id"), negated: dice.flag() },
        4 => Expr::Compare(Compare::Less, own("no"), Box::new(Expr::Literal(Literal::Int(dice.one(&[0, 7, 50_000]))))),
        5 => {
            let text = dice.one(&["a", "it's", "x, y", "a: b", " #", "{", "\"\\", "é\n", ""]);
            Expr::StartsWith(own("title"), Box::new(Expr::Literal(Literal::Text(text.to_owned()))))
        }
        6 => Expr::Not(Box::new(test(dice, depth - 1))),
        _ => {
            // An `or` within an `or` is one.
            let parts = [test(dice, depth - 1), test(dice, depth - 1)];
            Expr::Or(
                parts
                    .into_iter()
                    .flat_map(|part| if let Expr::Or(inner) = part { inner } else { vec![part] })
                    .collect(),
            )
        }
    }
}

fn holds(dice: &mut Dice<'_>) -> (Holds, String) {
    let upkeep = |dice: &mut Dice<'_>| Upkeep {
        way: dice.some(|dice| dice.one(Way::ALL)),
        from: None,
        every: dice.some(Dice::span),
    };
    let entity = dice.one(&["Queue", "Ticket", "Ping", "TicketDay", "TicketHistory", "TicketOpened"]).to_owned();
    match dice.below(7) {
        0 => {
            let is_rollup = matches!(READING.catalog.entity(&entity).unwrap().origin, Origin::Rollup(_));
            let upkeep = if is_rollup { upkeep(dice) } else { Upkeep::default() };
            (Holds::Source { entity: entity.clone(), class: dice.some(|dice| dice.one(Class::ALL)), upkeep }, entity)
        }
        1 => (Holds::Projection { entity: entity.clone(), keeper: dice.one(Keeper::ALL) }, entity),
        2 => {
            let unique = dice.one(&["name_taken", "lead_busy"]).to_owned();
            (Holds::Reservations { entity: "Queue".to_owned(), unique }, "Queue".to_owned())
        }
        3 => {
            let (entity, field) = ("Queue".to_owned(), "waiting".to_owned());
            (Holds::Kept { entity: entity.clone(), field, upkeep: upkeep(dice) }, entity)
        }
        4 if dice.flag() => (Holds::Contributions(Counted::Rollup("TicketDay".to_owned())), "Ticket".to_owned()),
        4 => {
            let counted = Counted::Field { entity: "Queue".to_owned(), field: "waiting".to_owned() };
            (Holds::Contributions(counted), "Ticket".to_owned())
        }
        5 => (Holds::Newest { entity: entity.clone() }, entity),
        _ => (Holds::Numbers { entity: "Ticket".to_owned(), field: "no".to_owned() }, "Ticket".to_owned()),
    }
}

fn table(dice: &mut Dice<'_>, name: String, holds: Holds, row: &str) -> Table {
    let entity = READING.catalog.entity(row).unwrap();
    let projected = matches!(holds, Holds::Projection { .. } | Holds::Newest { .. });
    let fields = dice.few(&key_fields(entity));
    let cut = dice.below(fields.len() + 1).max(1).min(fields.len());
    let (first, rest) = fields.split_at(cut);
    let mut parts: Vec<Part> = first.iter().map(|(field, _)| Part::Field(field.clone())).collect();
    let is_time = |ty: &Type| matches!(ty, Type::Timestamp { .. } | Type::Uuid7);
    // A bucket of a field that stands in the order is not in anybody's way.
    if let Some((field, _)) = fields.iter().find(|(_, ty)| is_time(ty)).filter(|_| dice.flag()) {
        parts.push(Part::Bucket(dice.one(Bucket::ALL), field.clone()));
    }
    let sort = rest.iter().map(|(field, _)| SortItem {
        field: field.clone(),
        direction: dice.one(&[Direction::Ascending, Direction::Descending]),
        nulls_last: dice.flag(),
    });
    let sort = sort.collect();
    let mut columns: Vec<String> = entity.fields.iter().map(|field| field.name.clone()).collect();
    if entity.field("version").is_none() {
        columns.extend(["lease".to_owned(), "version".to_owned()]);
    }
    let copied = [path("Queue", "name"), path("Queue", "lead")];
    let copied = if projected && row == "Ticket" { dice.few(&copied) } else { Vec::new() };
    let spreads = matches!(holds, Holds::Source { .. } | Holds::Projection { .. } | Holds::Contributions(_));
    let ends = projected || matches!(holds, Holds::Source { .. });
    Table {
        name,
        all_tenants: projected && dice.flag(),
        filter: (projected && row == "Ticket" && dice.flag()).then(|| match dice.below(2) {
            0 => test(dice, 2),
            _ => Expr::And(vec![test(dice, 1), test(dice, 1), test(dice, 0)]),
        }),
        partition: if parts.is_empty() { Partition::All } else { Partition::By(parts) },
        sort,
        columns: dice.some(|dice| dice.few(&columns)),
        copies: copied.into_iter().map(|path| Copied { path, rule: dice.one(CopyRule::ALL) }).collect(),
        spread: (spreads && dice.flag()).then(|| Spread {
            rows: dice.some(|dice| dice.one(&[1, 999, 1_234, 50_000, 1_500_000, 123_456_789_012])),
            reads: dice.some(|dice| Rate {
                events: dice.one(&[1, 500, 1_234, 70_000]),
                per: TimeSpan::new(1, dice.one(&[TimeUnit::Second, TimeUnit::Minute, TimeUnit::Day])),
            }),
            at_most: dice.one(&[2, 64]),
        }),
        expires: (ends && dice.flag()).then(|| dice.one(WhenExpired::ALL)),
        holds,
    }
}

/// Questions of the catalog, each with the entity whose rows answer it.
fn questions() -> Vec<(Question, &'static str)> {
    let ask = |pattern: &str, with: Option<&str>, order: Option<&str>, sent: &[&str]| Question::Pattern {
        pattern: pattern.to_owned(),
        with: with.map(str::to_owned),
        order: order.map(str::to_owned),
        sent: sent.iter().map(|&input| input.to_owned()).collect(),
    };
    vec![
        (ask("find_queue", None, None, &[]), "Queue"),
        (ask("close_ticket", None, None, &[]), "Ticket"),
        (ask("open_queue", None, None, &[]), "Queue"),
        (ask("open_queue", Some("latest"), None, &[]), "Ticket"),
        (ask("open_queue", Some("dated"), None, &[]), "Ticket"),
        (ask("list_tickets", None, None, &["urgent"]), "Ticket"),
        (ask("list_tickets", None, Some("newest"), &[]), "Ticket"),
        (ask("list_tickets", None, Some("oldest"), &["urgent", "agent"]), "Ticket"),
        (ask("take_next", None, None, &[]), "Ticket"),
        (Question::Support { entity: "Ticket".to_owned(), field: "queue_id".to_owned() }, "Ticket"),
    ]
}

fn paths(dice: &mut Dice<'_>, tables: &[Table]) -> Vec<Path> {
    let reserves: Vec<_> = tables.iter().filter(|table| matches!(table.holds, Holds::Reservations { .. })).collect();
    let asked = if tables.is_empty() { Vec::new() } else { dice.few(&questions()) };
    let each = asked.into_iter().map(|(question, row)| {
        let table = tables[dice.below(tables.len())].name.clone();
        let form = if dice.flag() {
            let via = if reserves.is_empty() { None } else { dice.some(|dice| dice.one(&reserves).name.clone()) };
            Form::Get { table, via }
        } else {
            Form::Slice { table }
        };
        let (elsewhere, own) = match row {
            "Queue" => (vec![path("", "waiting")], vec![path("", "name"), path("", "lead")]),
            _ => (vec![path("Queue", "name"), path("Queue", "lead")], vec![path("", "labels"), path("Queue", "name")]),
        };
        let bound = |dice: &mut Dice<'_>| ReadsAtMost {
            partitions: dice.one(&[1, 64, 85]),
            rows: dice.one(&[1, 51, 1_000, 100_000]),
        };
        Path {
            question,
            form,
            looks_up: dice.few(&elsewhere),
            remains: dice.few(&own),
            reads_at_most: dice.some(bound),
        }
    });
    each.collect()
}

fn layout(bytes: &[u8]) -> Layout {
    let mut dice = Dice { bytes: bytes.iter().cycle() };
    let dice = &mut dice;
    let mut layout = Layout::new("desk", dice.one(&Engine::ALL));
    layout.epoch = dice.one(&[1, 2, 4_000_000_000]);
    // They go together: what is shorter is at most hours, what is longer at least days, and requests are repeated for one.
    let short = |dice: &mut Dice<'_>| TimeSpan::new(dice.one(&[1, 2, 10]), dice.one(&TimeUnit::ALL[..4]));
    let long = |dice: &mut Dice<'_>| TimeSpan::new(dice.one(&[2, 10, 365]), dice.one(&TimeUnit::ALL[4..]));
    layout.horizons = Horizons {
        settle: dice.some(short),
        doubt: dice.some(short),
        late: dice.some(short),
        page: dice.some(Dice::span),
        grace: dice.some(long),
    };
    let mut held = HashSet::new();
    for number in 0..dice.below(8) {
        let (holds, row) = holds(dice);
        let kind = match &holds {
            Holds::Source { entity, .. } => format!("source {entity}"),
            Holds::Projection { .. } | Holds::Newest { .. } => format!("any number of them: {number}"),
            Holds::Reservations { unique, .. } => format!("reserves {unique}"),
            Holds::Kept { .. } => "keeps".to_owned(),
            Holds::Contributions(counted) => format!("counts {counted:?}"),
            Holds::Numbers { .. } => "numbers".to_owned(),
        };
        if !held.insert(kind) {
            continue;
        }
        let begin = dice.one(&["t", "null", "case_by_owner", "a_table_whose_name_is_as_long_as_one_can_be", "y"]);
        let table = table(dice, format!("{begin}{number}"), holds, &row);
        layout.tables.push(table);
    }
    let names: Vec<String> = layout.tables.iter().map(|table| table.name.clone()).collect();
    for table in &mut layout.tables {
        let is_rollup = |entity: &str| matches!(READING.catalog.entity(entity).unwrap().origin, Origin::Rollup(_));
        match &mut table.holds {
            Holds::Kept { upkeep, .. } => upkeep.from = dice.some(|dice| dice.one(&names)),
            Holds::Source { entity, upkeep, .. } if is_rollup(entity) => {
                upkeep.from = dice.some(|dice| dice.one(&names));
            }
            _ => {}
        }
    }
    if dice.flag() {
        let ranks = [("OPEN", 0), ("ON_HOLD", 7), ("CLOSED", u16::MAX)];
        let ranks = ranks.iter().map(|(value, rank)| ((*value).to_owned(), *rank)).collect();
        layout.ranks.push(Ranks { entity: "Ticket".to_owned(), field: "status".to_owned(), ranks });
    }
    layout.paths = paths(dice, &layout.tables);
    layout
}

/// Reads any text as a layout; what is said about it stands inside of it, and is the same the second time.
fn survives(text: &str) -> Result<(), TestCaseError> {
    let once = || {
        let mut sources = Sources::default();
        let reading = read_layout("layout.yaml", &Two { catalog: CATALOG, layout: text }, &mut sources, &READING);
        for finding in &reading.findings {
            for place in finding.place.into_iter().chain(finding.related.iter().map(|(place, _)| *place)) {
                let inside = sources.file(place.file).text().get(place.start as usize..place.end as usize).is_some();
                prop_assert!(inside, "a place outside of the text: {:?}", finding);
            }
        }
        let said = reading.findings.into_iter().map(|finding| (finding.rule.name, finding.message, finding.place));
        Ok((reading.layout, said.collect::<Vec<_>>()))
    };
    let (layout, said) = once()?;
    prop_assert_eq!(&said, &once()?.1, "the same text, another answer");
    // What was understood can be printed, and is understood again.
    let printed = print_layout(&layout);
    prop_assert_eq!(formatted(&printed), printed);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_layout_comes_back(bytes in proptest::collection::vec(any::<u8>(), 1..250)) {
        let layout = layout(&bytes);
        let printed = print_layout(&layout);
        let mut sources = Sources::default();
        let files = Two { catalog: CATALOG, layout: &printed };
        let reading = read_layout("layout.yaml", &files, &mut sources, &READING);
        prop_assert!(reading.findings.is_empty(), "{:#?}\n{}", reading.findings, printed);
        prop_assert_eq!(&reading.layout, &layout, "\n{}", printed);
        prop_assert_eq!(formatted(&printed), printed);
    }

    #[test]
    fn a_text_that_ends_anywhere(end in 0..LAYOUT.len()) {
        survives(&LAYOUT[..end])?;
    }

    #[test]
    fn a_text_with_other_words_in_it(
        changes in proptest::collection::vec((0..LAYOUT.len(), 0..12_usize, "(\\PC|[\n\\[\\]{}:,?&/.$'\"# -]|all|kl_|null|month\\(|OPEN|9{20}){0,3}"), 1..6),
    ) {
        let mut text = LAYOUT.to_owned();
        for (start, length, with) in changes {
            let start = text.floor_char_boundary(start.min(text.len()));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, &with);
        }
        survives(&text)?;
    }

    #[test]
    fn any_text_behind_the_version(text in any::<String>()) {
        survives(&format!("layout: 1\n{text}"))?;
    }
}
