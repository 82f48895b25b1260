//! Key attributes: one component with an order that DynamoDB has too is that attribute; anything else is key form in B.

use aws_sdk_dynamodb::{
    primitives::Blob,
    types::{AttributeValue, ScalarAttributeType},
};
use keyloom_store::Fault;
use keyloom_value::{
    Kind, Malformed, Mismatch, Value,
    key::{self, Part},
};

use crate::value;

/// The grammar of key form that is written; it stands in front of every key, so that another one can be told apart.
pub(crate) const GRAMMAR: u8 = 1;

const OTHER: Malformed = Malformed::from_static("a key attribute holds no key of its table");

/// The partition or the sort key of a table or an index.
#[derive(Debug, Clone)]
pub(crate) struct KeyAttribute {
    /// What it is called.
    pub name: String,
    /// Its components.
    pub parts: Vec<Part>,
    /// Whether it is its only component as a person would write it, and not key form.
    pub native: bool,
}

/// Whether DynamoDB orders a component as its values are ordered. Where the order is no matter, as in a partition key, a
/// few more can stand for themselves.
pub(crate) fn is_native(part: &Part, ordered: bool) -> bool {
    !part.descending
        && match part.kind {
            Kind::Int
            | Kind::Timestamp { .. }
            | Kind::Date
            | Kind::Decimal { .. }
            | Kind::Text
            | Kind::Bytes
            | Kind::Uuid7 => true,
            // Ordered by version here, byte by byte there.
            Kind::Uuid => !ordered,
            _ => false,
        }
}

impl KeyAttribute {
    /// The type of the attribute.
    pub(crate) fn scalar(&self) -> ScalarAttributeType {
        match (self.native, self.parts.first().map(|part| &part.kind)) {
            (true, Some(Kind::Text)) => ScalarAttributeType::S,
            (true, Some(Kind::Bytes | Kind::Uuid | Kind::Uuid7)) | (false, _) | (true, None) => ScalarAttributeType::B,
            (true, Some(_)) => ScalarAttributeType::N,
        }
    }

    /// The attribute of a whole key.
    pub(crate) fn attribute(&self, values: &[Value<'_>]) -> Result<AttributeValue, Mismatch> {
        match (self.native, values) {
            // Checked as keys are: an absent component or one of another kind is refused in the words of all stores.
            (true, [one]) => {
                key::encode_part(one, &self.parts[0], &mut Vec::new())?;
                native(one, &self.parts[0].kind)
            }
            _ => Ok(AttributeValue::B(Blob::new(self.form(values)?))),
        }
    }

    /// Key form, behind the version of its grammar.
    pub(crate) fn form(&self, values: &[Value<'_>]) -> Result<Vec<u8>, Mismatch> {
        let mut bytes = vec![GRAMMAR];
        key::encode_into(values, &self.parts, &mut bytes)?;
        Ok(bytes)
    }

    /// The values of a key attribute.
    pub(crate) fn values<'a>(&self, attribute: &'a AttributeValue) -> Result<Vec<Value<'a>>, Malformed> {
        if self.native {
            return Ok(vec![match (attribute, &self.parts[0].kind) {
                (AttributeValue::S(text), Kind::Text) => Value::Text(value::unescaped(text).into()),
                (AttributeValue::B(bytes), Kind::Bytes) => {
                    let bytes = bytes.as_ref();
                    Value::Bytes(bytes.strip_prefix(&[0]).unwrap_or(bytes).into())
                }
                (attribute, kind) => value::value(attribute, kind)?,
            }]);
        }
        match attribute {
            AttributeValue::B(bytes) => match bytes.as_ref() {
                [GRAMMAR, form @ ..] => key::decode(form, &self.parts),
                _ => Err(Malformed::from_static("a key is written in a grammar that is not known here")),
            },
            _ => Err(OTHER),
        }
    }
}

/// One component that stands for itself. DynamoDB has no empty keys, so texts and bytes are escaped.
pub(crate) fn native(one: &Value<'_>, kind: &Kind) -> Result<AttributeValue, Mismatch> {
    Ok(match (one, kind) {
        (Value::Text(text), Kind::Text) => AttributeValue::S(value::escaped(text)),
        (Value::Bytes(bytes), Kind::Bytes) if bytes.first().is_none_or(|first| *first == 0) => {
            AttributeValue::B(Blob::new([&[0], &**bytes].concat()))
        }
        _ => value::attribute(one, kind)?,
    })
}

/// How many bytes a key attribute has.
pub(crate) fn size(attribute: &AttributeValue) -> usize {
    value::size(attribute)
}

/// An attribute that a key needs and an item does not have.
pub(crate) fn missing() -> Fault {
    Fault::Broken("an item lacks a key attribute".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute_of(kind: Kind, descending: bool) -> KeyAttribute {
        let part = Part { kind, descending };
        let native = is_native(&part, true);
        KeyAttribute { name: "kl_s".to_owned(), parts: vec![part], native }
    }

    #[test]
    fn no_key_is_empty_and_none_is_two() {
        let texts = ["", "\0", "\0\0", "\0a", "a", "a\0"];
        let attribute = attribute_of(Kind::Text, false);
        let mut seen = Vec::new();
        for text in texts {
            let stored = attribute.attribute(&[text.into()]).unwrap();
            let AttributeValue::S(stored_text) = &stored else { panic!("a text is a text: {stored:?}") };
            assert!(!stored_text.is_empty());
            assert_eq!(attribute.values(&stored), Ok(vec![text.into()]));
            seen.push(stored_text.clone());
        }
        assert!(seen.is_sorted() && seen.windows(2).all(|pair| pair[0] != pair[1]), "{seen:?}");
        let bytes = attribute_of(Kind::Bytes, false);
        for one in [&[][..], &[0], &[0, 0], &[1], &[255]] {
            let stored = bytes.attribute(&[one.into()]).unwrap();
            assert!(size(&stored) > 0);
            assert_eq!(bytes.values(&stored), Ok(vec![one.into()]));
        }
    }

    #[test]
    fn what_dynamodb_orders_otherwise_is_key_form() {
        for (kind, descending) in [(Kind::Text, true), (Kind::Bool, false), (Kind::Float, false), (Kind::Uuid, false)] {
            let attribute = attribute_of(kind, descending);
            assert_eq!(attribute.scalar(), ScalarAttributeType::B, "{attribute:?}");
            assert!(!attribute.native);
        }
        assert!(is_native(&Part::ascending(Kind::Uuid), false), "a partition needs no order");
    }

    #[test]
    fn another_grammar_is_told_apart() {
        let attribute = attribute_of(Kind::Bool, false);
        for bytes in [vec![], vec![2, 0], vec![GRAMMAR], vec![GRAMMAR, 7], vec![GRAMMAR, 0, 0]] {
            assert!(attribute.values(&AttributeValue::B(Blob::new(bytes))).is_err());
        }
        assert!(attribute.values(&AttributeValue::S("x".into())).is_err());
    }
}
