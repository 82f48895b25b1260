//! Query parameters: percent signs and plus signs read back.

/// The parameters of a query, in their order.
///
/// # Errors
/// In words, when a percent sign leads to no byte or the bytes are no text.
pub(crate) fn parameters(query: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Ok((decoded(name)?, decoded(value)?))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

fn decoded(text: &str) -> Result<String, String> {
    // Most names and values are plain.
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => u8::try_from(high * 16 + low).unwrap_or_default(),
                    _ => return Err("a `%` in the query is not followed by two hexadecimal digits".into()),
                }
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "a query parameter is not UTF-8".into())
}

/// A value as it stands in a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{encoded, parameters};

    #[test]
    fn parameters_are_read_back() {
        let read = |query: &str| parameters(query).unwrap();
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(
            read("a=1&b=%C3%A9+x&a=2&c&&d="),
            pairs(&[("a", "1"), ("b", "é x"), ("a", "2"), ("c", ""), ("d", "")])
        );
        for bad in ["a=%", "a=%4", "a=%zz", "a=%FF"] {
            assert!(parameters(bad).is_err(), "{bad}");
        }
        let hostile = "a&b=c%#?/\0 é+";
        assert_eq!(read(&format!("x={}", encoded(hostile))), pairs(&[("x", hostile)]));
    }
}
