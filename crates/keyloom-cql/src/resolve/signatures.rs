//! The functions that the server brings along, by name: which arguments they take and what they return.

use super::typed::{NATIVES, native_name};
use crate::ast::{Arithmetic, Native};

/// A native function whose types are fixed.
#[derive(Debug, Clone)]
pub(super) struct Fixed {
    /// The types of its arguments.
    pub(super) arguments: Vec<Native>,
    /// What it returns.
    pub(super) returns: Native,
    /// Whether it takes many rows to one value.
    pub(super) aggregate: bool,
}

/// A native function that is made to measure for the arguments it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Token,
    ToJson,
    FromJson,
    Max,
    Min,
    MapKeys,
    MapValues,
    CollectionCount,
    /// `collection_min` and `collection_max`
    CollectionExtreme,
    /// `collection_sum` and `collection_avg`
    CollectionSum,
    MaskNull,
    MaskReplace,
    MaskDefault,
    MaskHash,
    /// `mask_inner` and `mask_outer`
    MaskPart,
    Similarity,
}

/// The types that are numbers to the server.
pub(super) const NUMBERS: [Native; 9] = [
    Native::Tinyint,
    Native::Smallint,
    Native::Int,
    Native::Bigint,
    Native::Float,
    Native::Double,
    Native::Decimal,
    Native::Varint,
    Native::Counter,
];

/// The native function of that name that is made to measure.
pub(super) fn made(name: &str) -> Option<Made> {
    Some(match name {
        "token" => Made::Token,
        "to_json" | "tojson" => Made::ToJson,
        "from_json" | "fromjson" => Made::FromJson,
        "max" => Made::Max,
        "min" => Made::Min,
        "map_keys" => Made::MapKeys,
        "map_values" => Made::MapValues,
        "collection_count" => Made::CollectionCount,
        "collection_min" | "collection_max" => Made::CollectionExtreme,
        "collection_sum" | "collection_avg" => Made::CollectionSum,
        "mask_null" => Made::MaskNull,
        "mask_replace" => Made::MaskReplace,
        "mask_default" => Made::MaskDefault,
        "mask_hash" => Made::MaskHash,
        "mask_inner" | "mask_outer" => Made::MaskPart,
        "similarity_cosine" | "similarity_euclidean" | "similarity_dot_product" => Made::Similarity,
        _ => return None,
    })
}

/// The native functions of that name whose types are fixed.
pub(super) fn fixed(name: &str) -> Vec<Fixed> {
    use Native::{Bigint, Blob, Date, Duration, Time, Timestamp, Timeuuid, Uuid};
    let one = |arguments: &[Native], returns| vec![scalar(arguments, returns)];
    match name {
        "uuid" => one(&[], Uuid),
        "now" | "current_timeuuid" | "currenttimeuuid" => one(&[], Timeuuid),
        "current_timestamp" | "currenttimestamp" => one(&[], Timestamp),
        "current_date" | "currentdate" => one(&[], Date),
        "current_time" | "currenttime" => one(&[], Time),
        "min_timeuuid" | "mintimeuuid" | "max_timeuuid" | "maxtimeuuid" => one(&[Timestamp], Timeuuid),
        "to_date" | "todate" => vec![scalar(&[Timeuuid], Date), scalar(&[Timestamp], Date)],
        "to_timestamp" | "totimestamp" => vec![scalar(&[Timeuuid], Timestamp), scalar(&[Date], Timestamp)],
        "to_unix_timestamp" | "tounixtimestamp" => {
            [Timeuuid, Timestamp, Date].into_iter().map(|of| scalar(&[of], Bigint)).collect()
        }
        "floor" => vec![
            scalar(&[Timestamp, Duration], Timestamp),
            scalar(&[Timestamp, Duration, Timestamp], Timestamp),
            scalar(&[Timeuuid, Duration], Timestamp),
            scalar(&[Timeuuid, Duration, Timestamp], Timestamp),
            scalar(&[Date, Duration], Date),
            scalar(&[Date, Duration, Date], Date),
            scalar(&[Time, Duration], Time),
        ],
        "abs" | "exp" | "log" | "log10" | "round" => NUMBERS.into_iter().map(|of| scalar(&[of], of)).collect(),
        "sum" | "avg" => NUMBERS.into_iter().map(|of| aggregate(&[of], of)).collect(),
        "count" => vec![aggregate(&[Blob], Bigint)],
        "count_rows" | "countRows" => vec![aggregate(&[], Bigint)],
        _ => conversion(name).into_iter().chain(cast(name)).collect(),
    }
}

/// `blob_as_int`, `int_as_blob` and their older names.
fn conversion(name: &str) -> Option<Fixed> {
    let of = |name: &str| {
        let name = if name == "varchar" { "text" } else { name };
        NATIVES.into_iter().find(|native| *native != Native::Blob && native_name(*native) == name)
    };
    if let Some(into) = name.strip_prefix("blob_as_").or_else(|| name.strip_prefix("blobas")) {
        return of(into).map(|into| scalar(&[Native::Blob], into));
    }
    let from = name.strip_suffix("_as_blob").or_else(|| name.strip_suffix("asblob"))?;
    of(from).map(|from| scalar(&[from], Native::Blob))
}

/// `cast_as_int` and the like, which `CAST` calls.
fn cast(name: &str) -> Vec<Fixed> {
    let Some(into) = name.strip_prefix("cast_as_") else { return Vec::new() };
    NATIVES.into_iter().find(|native| native_name(*native) == into).map(casts).unwrap_or_default()
}

/// From which types a value can be cast into this one.
pub(super) fn casts(into: Native) -> Vec<Fixed> {
    use Native::{Ascii, Boolean, Counter, Date, Inet, Text, Time, Timestamp, Timeuuid, Uuid};
    let from: &[Native] = match into {
        Counter => &[],
        of if NUMBERS.contains(&of) => &NUMBERS,
        Ascii => &[Inet, Boolean, Timeuuid, Timestamp, Date, Time, Uuid],
        Text => &[Ascii, Inet, Boolean, Timeuuid, Timestamp, Date, Time, Uuid],
        Date => &[Timeuuid, Timestamp],
        Timestamp => &[Timeuuid, Date],
        _ => &[],
    };
    let numbers: &[Native] = if matches!(into, Ascii | Text) { &NUMBERS } else { &[] };
    from.iter().chain(numbers).filter(|from| **from != into).map(|from| scalar(&[*from], into)).collect()
}

/// The types that an operator takes on its left and right, and what comes out.
pub(super) fn operations(operator: Arithmetic) -> impl Iterator<Item = (Native, Native, Native)> {
    use Native::{Ascii, Date, Duration, Text, Timestamp};
    let numeric =
        NUMBERS.into_iter().flat_map(|left| NUMBERS.into_iter().map(move |right| (left, right, wider(left, right))));
    let temporal: &[(Native, Native, Native)] = match operator {
        Arithmetic::Add | Arithmetic::Subtract => &[(Timestamp, Duration, Timestamp), (Date, Duration, Date)],
        _ => &[],
    };
    let textual: &[(Native, Native, Native)] = match operator {
        Arithmetic::Add => &[(Text, Text, Text), (Ascii, Ascii, Ascii), (Ascii, Text, Text), (Text, Ascii, Text)],
        _ => &[],
    };
    numeric.chain(temporal.iter().copied()).chain(textual.iter().copied())
}

/// What comes out of two numbers.
fn wider(left: Native, right: Native) -> Native {
    let floating = |of| matches!(of, Native::Float | Native::Double | Native::Decimal);
    let size = |of| match of {
        Native::Tinyint => 1,
        Native::Smallint => 2,
        Native::Int | Native::Float => 4,
        Native::Bigint | Native::Double | Native::Counter => 8,
        _ => 16,
    };
    let size: u8 = std::cmp::max(size(left), size(right));
    match (floating(left) || floating(right), size) {
        (true, 4) => Native::Float,
        (true, 8) => Native::Double,
        (true, _) => Native::Decimal,
        (false, 1) => Native::Tinyint,
        (false, 2) => Native::Smallint,
        (false, 4) => Native::Int,
        (false, 8) => Native::Bigint,
        (false, _) => Native::Varint,
    }
}

fn scalar(arguments: &[Native], returns: Native) -> Fixed {
    Fixed { arguments: arguments.to_vec(), returns, aggregate: false }
}

fn aggregate(arguments: &[Native], returns: Native) -> Fixed {
    Fixed { arguments: arguments.to_vec(), returns, aggregate: true }
}
