//! The maxima that types state: bytes of texts, entries of collections.

use keyloom_model::{Catalog, Type};
use keyloom_value::{Value, json::Unfit};

/// Looks whether a value stays below the maximum that its type states: bytes of texts, entries of collections.
///
/// # Errors
/// When it does not, with the path inside it.
pub(crate) fn within_size(value: &Value<'_>, ty: &Type, catalog: &Catalog) -> Result<(), Unfit> {
    let too_long = |length: usize, max: u64, what: &str| {
        if length as u64 <= max {
            return Ok(());
        }
        Err(Unfit::new(format!("{length} {what}, but at most {max} are allowed")))
    };
    let each = |items: &[Value<'_>], of: &Type| {
        items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| within_size(item, of, catalog).map_err(|fault| fault.within(&format!("[{at}]"))))
    };
    match (value, ty) {
        (Value::Text(text), Type::Text(size)) => too_long(text.len(), size.max, "bytes of text"),
        (Value::Json(text), Type::Json(size)) => too_long(text.len(), size.max, "bytes of JSON"),
        (Value::Bytes(bytes), Type::Bytes(size)) => too_long(bytes.len(), size.max, "bytes"),
        (Value::List(items), Type::List(of, count)) | (Value::Set(items), Type::Set(of, count)) => {
            too_long(items.len(), count.worst.unwrap_or(u64::MAX), "entries")?;
            each(items, of)
        }
        (Value::Map(entries), Type::Map(key, of, count)) => {
            too_long(entries.len(), count.worst.unwrap_or(u64::MAX), "entries")?;
            entries.iter().try_for_each(|(name, value)| {
                within_size(name, key, catalog)?;
                within_size(value, of, catalog)
            })
        }
        (Value::Struct(values), Type::Struct(name)) => {
            let members = catalog.struct_type(name).into_iter().flat_map(|known| &known.members);
            values.iter().zip(members).try_for_each(|(value, (name, ty, _))| {
                within_size(value, ty, catalog).map_err(|fault| fault.within(name))
            })
        }
        (Value::OneOf(which, value), Type::OneOf(types)) => match types.get(usize::from(*which)) {
            Some(ty) => within_size(value, ty, catalog),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}
