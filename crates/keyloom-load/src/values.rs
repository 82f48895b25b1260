//! Values that fit their types: sizes between what is typical and what is allowed, enums by their shares.

use keyloom_model::{Catalog, Size, Type};
use serde_json::{Map, Value as Json, json};

use crate::chance::Chance;

const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp", "lagoon",
    "marsh", "north", "otter", "pine",
];

/// Makes values.
pub(crate) struct Values<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) chance: &'a mut Chance,
    pub(crate) now_ms: u64,
}

impl Values<'_> {
    /// A value of a type as JSON has it. One that must differ from row to row does.
    pub(crate) fn of(&mut self, ty: &Type, name: &str, unique: bool) -> Json {
        match ty {
            Type::Uuid => Json::from(self.uuid4()),
            Type::Uuid7 => {
                let age = self.chance.below(3_600_000);
                Json::from(self.uuid7(self.now_ms.saturating_sub(age)))
            }
            Type::Text(size) => Json::from(self.text(*size, name, unique)),
            Type::Bytes(size) => Json::from(self.bytes(*size)),
            Type::Json(size) => json!({ "text": self.text(*size, name, false).chars().skip(16).collect::<String>() }),
            Type::Int => Json::from(self.chance.between(1, if unique { i64::MAX as u64 } else { 100 })),
            Type::Float => Json::from(self.chance.below(10_000) as f64 / 100.0),
            Type::Decimal { scale } => {
                let digits = format!("{:0width$}", self.chance.between(1, 99_999), width = usize::from(*scale) + 1);
                let (whole, part) = digits.split_at(digits.len() - usize::from(*scale));
                Json::from(if *scale == 0 { whole.to_owned() } else { format!("{whole}.{part}") })
            }
            Type::Bool => Json::from(self.chance.below(2) == 0),
            Type::Date => {
                Json::from(format!("2026-{:02}-{:02}", self.chance.between(1, 12), self.chance.between(1, 28)))
            }
            Type::Timestamp { .. } => {
                let (day, hour) = (self.chance.between(1, 28), self.chance.below(24));
                let (minute, millis) = (self.chance.below(60), self.chance.below(1_000));
                Json::from(format!(
                    "2026-{:02}-{day:02}T{hour:02}:{minute:02}:00.{millis:03}Z",
                    self.chance.between(1, 12)
                ))
            }
            Type::Duration => Json::from(format!("PT{}M", self.chance.between(1, 600))),
            Type::Ip => Json::from(format!("192.0.2.{}", self.chance.between(1, 254))),
            Type::Enum(variants) => {
                let shares: Vec<u64> =
                    variants.iter().map(|variant| variant.share.map_or(0, |share| share.millionths.into())).collect();
                let mut left = self.chance.below(shares.iter().sum::<u64>().max(1));
                let at = shares.iter().position(|share| {
                    let here = left < *share;
                    left = left.saturating_sub(*share);
                    here
                });
                let at = at.unwrap_or_else(|| self.chance.below(variants.len() as u64) as usize);
                variants.get(at).map_or(Json::Null, |variant| Json::from(variant.name.clone()))
            }
            Type::List(item, count) => {
                let most = count.worst.unwrap_or(3);
                let number = self.size(count.typical.unwrap_or(1).min(most), count.p99.unwrap_or(most).min(most), most);
                (0..number).map(|_| self.of(item, name, unique)).collect()
            }
            // Entries of a set must differ, and need not be many.
            Type::Set(item, _) => json!([self.of(item, name, unique)]),
            Type::Map(..) => json!({}),
            Type::Struct(holder) => {
                let members = self.catalog.struct_type(holder).map(|known| known.members.clone()).unwrap_or_default();
                let members = members.iter().filter(|(_, _, optional)| !optional);
                Json::Object(
                    members.map(|(name, ty, _)| (name.clone(), self.of(ty, name, false))).collect::<Map<_, _>>(),
                )
            }
            Type::OneOf(types) => types.first().map_or(Json::Null, |ty| self.of(ty, name, unique)),
        }
    }

    /// Mostly what is typical, one in a hundred beyond what is large.
    fn size(&mut self, typical: u64, large: u64, most: u64) -> u64 {
        match self.chance.below(100) {
            0 => self.chance.between(large, most),
            1..=9 => self.chance.between(typical, large),
            _ => self.chance.between(typical / 2, typical),
        }
    }

    fn text(&mut self, size: Size, name: &str, unique: bool) -> String {
        let most = usize::try_from(size.max).unwrap_or(usize::MAX);
        let typical = size.typical.min(size.max);
        let length = usize::try_from(self.size(typical, typical.max(size.max / 4), size.max)).unwrap_or(most).max(1);
        let mut text = if unique { format!("{:013x}", self.chance.number() >> 12) } else { String::new() };
        let end = if name.contains("email") && most > 25 { "@example.com" } else { "" };
        while text.len() + end.len() < length.min(most) {
            if !text.is_empty() {
                text.push(if end.is_empty() { ' ' } else { '.' });
            }
            text.push_str(WORDS[self.chance.below(WORDS.len() as u64) as usize]);
        }
        text.truncate(most.saturating_sub(end.len()));
        text + end
    }

    /// Bytes in base64, whose alphabet has all letters and digits.
    fn bytes(&mut self, size: Size) -> String {
        let typical = size.typical.min(size.max);
        let length = self.size(typical, typical, size.max) / 3 * 4;
        let letter = |chance: &mut Chance| char::from(b'a' + chance.below(26) as u8);
        (0..length).map(|_| letter(self.chance)).collect()
    }

    pub(crate) fn uuid4(&mut self) -> String {
        let (high, low) = (self.chance.number(), self.chance.number());
        uuid((high & !0xF000) | 0x4000, (low >> 2) | (1 << 63))
    }

    pub(crate) fn uuid7(&mut self, millis: u64) -> String {
        let (high, low) = (self.chance.number() & 0xFFF, self.chance.number());
        uuid((millis << 16) | 0x7000 | high, (low >> 2) | (1 << 63))
    }
}

fn uuid(high: u64, low: u64) -> String {
    let digits = format!("{high:016x}{low:016x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_within_their_size() {
        let catalog = Catalog::default();
        let mut chance = Chance::new(1);
        let mut values = Values { catalog: &catalog, chance: &mut chance, now_ms: 1_794_735_000_000 };
        for (typical, max) in [(1, 1), (8, 30), (24, 120), (80, 4096)] {
            for unique in [false, true] {
                for name in ["name", "email"] {
                    for _ in 0..200 {
                        let text = values.text(Size { typical, max }, name, unique);
                        assert!((1..=max as usize).contains(&text.len()), "{text:?} for {typical}..{max}");
                    }
                }
            }
        }
    }

    #[test]
    fn identities_are_of_their_version() {
        let catalog = Catalog::default();
        let mut chance = Chance::new(1);
        let mut values = Values { catalog: &catalog, chance: &mut chance, now_ms: 1_794_735_000_000 };
        let (four, seven) = (values.uuid4(), values.uuid7(1_794_735_000_000));
        assert_eq!((four.len(), &four[14..15], &seven[14..15]), (36, "4", "7"));
        assert!(seven.starts_with("01a1e287") || u64::from_str_radix(&seven[..8], 16).is_ok());
        assert!("89ab".contains(&four[19..20]) && "89ab".contains(&seven[19..20]), "{four} {seven}");
    }
}
