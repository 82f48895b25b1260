//! Numbers as DynamoDB writes them: decimal text, up to 38 digits.

use keyloom_value::Malformed;

const NO_NUMBER: Malformed = Malformed::from_static("a number attribute holds no number of its column's kind");

/// The text of `units` with so many digits behind the point.
pub(crate) fn text(units: i128, scale: u8) -> String {
    if scale == 0 {
        return units.to_string();
    }
    let (sign, digits) = (if units < 0 { "-" } else { "" }, units.unsigned_abs().to_string());
    let scale = usize::from(scale);
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, behind) = digits.split_at(digits.len() - scale);
    format!("{sign}{whole}.{behind}")
}

/// Reads a number in units of its scale, in whatever way it is written: `12.5`, `1250E-2`, `+12.500`.
pub(crate) fn units(text: &str, scale: u8) -> Result<i128, Malformed> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| NO_NUMBER)?),
        None => (text, 0),
    };
    let (whole, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (negative, whole) = match whole.as_bytes() {
        [b'-', ..] => (true, &whole[1..]),
        [b'+', ..] => (false, &whole[1..]),
        _ => (false, whole),
    };
    let digits = format!("{whole}{behind}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NO_NUMBER);
    }
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // How many places the digits must move to the left to be counted in units.
    let behind = i32::try_from(behind.len()).map_err(|_| NO_NUMBER)?;
    let shift = exponent.checked_sub(behind).and_then(|shift| shift.checked_add(i32::from(scale))).ok_or(NO_NUMBER)?;
    let digits = if shift >= 0 {
        if shift > 40 {
            return Err(NO_NUMBER);
        }
        format!("{significant}{}", "0".repeat(shift.unsigned_abs() as usize))
    } else {
        // Only zeros may be cut off: nothing is ever rounded.
        let cut = shift.unsigned_abs() as usize;
        let kept = significant.len().checked_sub(cut).filter(|kept| *kept > 0).ok_or(NO_NUMBER)?;
        if significant[kept..].bytes().any(|byte| byte != b'0') {
            return Err(NO_NUMBER);
        }
        significant[..kept].to_owned()
    };
    let units: i128 = digits.parse().map_err(|_| NO_NUMBER)?;
    Ok(if negative { -units } else { units })
}

/// Reads a whole number.
pub(crate) fn whole<T: TryFrom<i128>>(text: &str) -> Result<T, Malformed> {
    T::try_from(units(text, 0)?).map_err(|_| NO_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let largest = 10i128.pow(38) - 1;
        for scale in [0, 1, 2, 37, 38] {
            for value in [0, 1, -1, 5, 10, -1250, largest, -largest] {
                assert_eq!(units(&text(value, scale), scale), Ok(value), "{} at {scale}", text(value, scale));
            }
        }
        assert_eq!(text(-5, 2), "-0.05");
        assert_eq!(text(1250, 2), "12.50");
    }

    #[test]
    fn numbers_are_read_in_any_way_of_writing() {
        for written in ["12.5", "+12.50", "1250E-2", "0.125e2", "12.5000000000000000000000000000000000000000", "125E-1"]
        {
            assert_eq!(units(written, 2), Ok(1250), "{written}");
        }
        assert_eq!(units("1E+2", 0), Ok(100));
        assert_eq!(whole::<i64>("-9223372036854775808"), Ok(i64::MIN));
    }

    #[test]
    fn what_is_no_number_is_malformed() {
        for written in ["", "-", ".", "1.2.3", "x", "1e", "1e999999999999", "1E126", "12.345", "1 ", "--1", "é", "1E-3"]
        {
            assert_eq!(units(written, 2), Err(NO_NUMBER), "{written}");
        }
        assert_eq!(whole::<i64>("9223372036854775808"), Err(NO_NUMBER));
        assert_eq!(whole::<u64>("-1"), Err(NO_NUMBER));
    }
}
