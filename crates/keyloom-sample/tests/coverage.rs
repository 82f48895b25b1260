//! Every word of the language comes up often enough: a generator that stops making something would make every property
//! test over its catalogs a little blinder, and no other test would say so.

use keyloom_sample::{Size, catalog};

/// How many seeds are looked at.
const SEEDS: u64 = 300;

/// What must be found in at least so many of the catalogs, as it is written.
const OFTEN: &[(usize, &[&str])] = &[
    // The file.
    (30, &["as_of:", "tenant:", "retries:", "complete:", "types:", "rollups:", "scenarios:"]),
    (10, &["tenant: tenant_id", "type: text(3..40)", "type: int", "busiest:", "count: 12k"]),
    // Types.
    (100, &["uuid = new", ": uuid7", ": text(", ": int", ": decimal(2)", ": bool", ": date", ": timestamp", ": enum("]),
    (30, &[": float", ": timestamp(us)", ": duration", ": ip", "bytes(", "json(", "list of", "set of", "map of"]),
    (15, &["oneof(", "  Address:", "  Line:", "decimal(0)", "decimal(4)", "text(0..20)", "text(1KB..60KB)"]),
    (3, &["list of Line (", "list of Address ("]),
    (100, &["% |", "?\""]),
    // What fills fields.
    (60, &["= now", "= now on write", "at create", "count of", "sum of", "= 0"]),
    (35, &["last of", "first of", "= lower("]),
    (15, &["avg of", "min of", "max of", "= day(", "= month(", "= year(", "= size(", "= text(", "= upper(", "= left("]),
    (8, &["= time(", "= hour(", "next per", "= geohash(", "= max(", "min(", "= 'none given'", "= 30 min"]),
    // Entities.
    (60, &["key: [", "-> ", "must exist", "append_only: true", "part_of:", "unique:", "states:", "history:"]),
    (60, &["drift:", "groups:", "volume:", "expires:", "rows:", "growth:", "expires: forever", "keep:"]),
    (20, &["key: none", "source: elsewhere", "tenant: none", "secret:", "_taken_too", " per month", " per day"]),
    (20, &["parent_id", "typical:", "p99:", "worst:", "all:", "never", "doc:", "owner:", "allow:", "+ 7 years"]),
    (5, &["until:", "[{ by:", "by: all, rows:"]),
    // Rollups.
    (20, &["every: ", " as slot", " as week_start", "values:", "late:", "count where", "n: count"]),
    (10, &["1 month of", "1 day of", "1h of", "avg of ", "hour + ", "day + "]),
    // Reads.
    (100, &["get:", "list:", "by: [", "where:", "order:", "page:", "first:", "returns:", "freshness:", "rate:"]),
    (60, &["count:", "by: all", "with:", "batch:", "up_to:", "span:", "matches:", "group:", "latency:", "skew:"]),
    (20, &["through:", "one_per:", "exact:", "while_moving:", "outside:", "tenant: all", "returns: all"]),
    (30, &["latest", "read_your_writes", "5s", "1min", "zipf:", "duplicate", "hole", "= $caller", "= $wanted_"]),
    (40, &[" asc", " desc", "nulls last", "newest:", "by_urgency:", "rate: rare", "rate: unknown", "mean:", "peak:"]),
    // Tests.
    (60, &[" = $", "$from", "..$to", "?..$to", " max ", " in (", "starts with", " is not null"]),
    (15, &["has any", "has all", " has $"]),
    (30, &[" is null", " or ", "not ", " in 1..100", "$before?", "<= now", "now - 7 days"]),
    (
        15,
        &[
            "day(now)",
            "now - 30 days..now",
            "left(",
            "lower(",
            "size(",
            "time(",
            "year(",
            "month(",
            "= true",
            "= false",
        ],
    ),
    // Writes.
    (60, &["create:", "put:", "update:", "delete:", "claim:", "atomic:", "takes:", "set:", "if:", " else "]),
    (
        40,
        &["emits:", "once_per:", "any_of:", "newest: ", "or_create:", "lease:", "returns: after", "version = $version"],
    ),
    (15, &[": null", "lease = $lease", "returns: before", " + 1", " - $amount", "lower($"]),
    (15, &["check:", "each:", " = i.", " = i]", ": l.", "takes: []", "once_per: [request_token]", "max("]),
    (8, &["add:", "remove:", "append:"]),
    // Long names.
    (15, &["CrossBorderShipmentCustomsDeclaration", "previously_agreed_and_not_yet_confirmed_"]),
];

#[test]
fn every_word_comes_up_often_enough() {
    let catalogs: Vec<String> = (0..SEEDS).map(|seed| catalog(seed, Size::of(seed))).collect();
    let mut rare = Vec::new();
    for (least, words) in OFTEN {
        for word in *words {
            let found = catalogs.iter().filter(|text| text.contains(word)).count();
            if found < *least {
                rare.push(format!("`{word}` stands in {found} of {SEEDS} catalogs, and {least} are wanted"));
            }
        }
    }
    assert!(rare.is_empty(), "\n{}\n", rare.join("\n"));
}
