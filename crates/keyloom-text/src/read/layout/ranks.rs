//! What stands for the values of enums in keys.

use keyloom_model::layout::Ranks;
use keyloom_model::{Entity, Type, Variant};

use super::super::scope::Names;
use super::super::syntax::{Name, Reader, join};
use crate::parse::address::{Address, address};
use crate::parse::expr::Word;
use crate::rules::{bad_value, missing_key, unknown_name};
use crate::text::Text;
use crate::yaml::Node;

const EXAMPLE: &str = "ranks: { Task.priority: { LOW: 10, HIGH: 20 } }";

/// Reads `ranks`.
pub(super) fn read(reader: &mut Reader<'_>, names: &Names<'_>, node: &Node) -> Vec<Ranks> {
    let mut all = Vec::new();
    for (text, value) in reader.parsed_entries(node, "ranks", "`ranks`", EXAMPLE) {
        let before = reader.faults();
        let found = ranks(reader, names, &text, value);
        match found.filter(|_| reader.faults() == before) {
            Some(ranks) => all.push(ranks),
            None => reader.misread(join("ranks", &text.text)),
        }
    }
    all
}

fn ranks(reader: &mut Reader<'_>, names: &Names<'_>, text: &Text, node: &Node) -> Option<Ranks> {
    let Ok(Address::Support { entity, field }) = address(&text.text) else {
        let message = format!("`{}` is no field of an entity", text.text);
        reader.push(bad_value::finding(text.whole(), message, Some(format!("for example `{EXAMPLE}`"))));
        return None;
    };
    let (entity, variants) = enumeration(reader, names, text, &entity, &field)?;
    let before = reader.faults();
    let mut found: Vec<(Name, u16)> = Vec::new();
    for (name, value) in reader.entries(node, &join("ranks", &text.text), "ranks", EXAMPLE) {
        if !variants.iter().any(|variant| variant.name == name.text) {
            let all: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
            let within = format!(" in {}.{}", entity.name, field.text);
            let nearest = reader.suggest(&name.text, all.iter().copied());
            reader.push(unknown_name::finding(name.place, "value", &name.text, &within, nearest, &all));
            continue;
        }
        let Some(rank) = reader.text(value, "a rank", "10") else { continue };
        match rank.text.parse() {
            Ok(rank) => found.push((name, rank)),
            Err(_) => {
                let message = format!("`{}` is no rank", rank.text);
                let help = format!("a rank is a whole number up to {}", u16::MAX);
                reader.push(bad_value::finding(rank.whole(), message, Some(help)));
            }
        }
    }
    if reader.faults() > before {
        // What seems to be missing may be what was not understood.
        return None;
    }
    let mut ranks: Vec<(String, u16)> = Vec::new();
    for variant in variants {
        let Some((name, rank)) = found.iter().find(|(name, _)| name.text == variant.name) else {
            let what = format!("`ranks` of {}.{}", entity.name, field.text);
            let example = format!("{}: 10", variant.name);
            reader.push(missing_key::finding(Some(text.whole()), &what, &variant.name, &example));
            continue;
        };
        if let Some((before, lower)) = ranks.last().filter(|(_, lower)| lower >= rank) {
            let message =
                format!("`{}` comes after `{before}`, and its rank {rank} is not above {lower}", variant.name);
            let help = "ranks rise in the order of the enum, which is the order of its rows".to_owned();
            reader.push(bad_value::finding(name.place, message, Some(help)));
        }
        ranks.push((variant.name.clone(), *rank));
    }
    Some(Ranks { entity: entity.name.clone(), field: field.text, ranks })
}

/// The entity and the values of its enumerated field.
fn enumeration<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    text: &Text,
    entity: &Word,
    field: &Word,
) -> Option<(&'c Entity, &'c [Variant])> {
    let entity = reader.found(names.find_entity(&entity.text, text.place(entity.range.clone())))?;
    let place = text.place(field.range.clone());
    let found = reader.found(names.find_field(entity, &field.text, place))?;
    let Type::Enum(variants) = &found.ty else {
        let message =
            format!("{}.{} is {}, and only values of an enum have ranks", entity.name, found.name, found.ty.word());
        reader.push(bad_value::finding(place, message, None));
        return None;
    };
    Some((entity, variants))
}
