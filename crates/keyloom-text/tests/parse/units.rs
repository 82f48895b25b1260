use keyloom_model::{Distribution, Share, TimeSpan, TimeUnit, count_text};
use keyloom_text::parse::units::{count, count_distribution, rate, share, span_distribution, time_span};
use proptest::prelude::*;

use crate::check::{answered, check, hostile};

#[test]
fn counts() {
    check(
        count,
        ToString::to_string,
        r"
0
: 0

300
: 300

50M
: 50000000

5 k
: 5000

1.5k
: 1500

0.001k
: 1

3G
: 3000000000

00000000000000000000000000000000000000007
: 7

18446744073709551615
: 18446744073709551615

18446744073709551616
^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615

18446744073709551615k
^^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615

99999999999999999999999999999999999999999999999999999999999999999999999999999999
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615

1.5
^^^ this is not a whole count
= decimals may stand only where the result is whole: `1.5k`, `1.5KB`

1.0005k
^^^^^^^ this is not a whole count
= decimals may stand only where the result is whole: `1.5k`, `1.5KB`

10K
  ^ `K` is not `k`
= did you mean `10k`?

10m
  ^ `m` is not a count
= did you mean `10M`? `M` is a million

10 B
   ^ `B` measures bytes, but a count is expected
= write a number such as `300`, `5k` or `1.5M`

3bn
 ^^ `bn` is not a unit
= did you mean `3G`?

5T
 ^ `T` is not a unit
= write `5000G`

5 KB
  ^^ `KB` measures bytes, but a count is expected
= write a number such as `300`, `5k` or `1.5M`

7 days
  ^^^^ `days` measures time, but a count is expected
= write a number such as `300`, `5k` or `1.5M`

30%
  ^ `%` is a share, but a count is expected
= write a number such as `300`, `5k` or `1.5M`

1e6
 ^^ `e6` is not a unit
= write the number out, or with `k`, `M`, `G`

5 apples
  ^^^^^^ `apples` is left over after the count
= remove it

5apples
 ^^^^^^ `apples` is not a unit
= counts take `k`, `M` or `G`

1,000
^^^^^ a number has no separators between its thousands
= write `1000` or `1k`

1,000,000
^^^^^^^^^ a number has no separators between its thousands
= write `1000000` or `1M`

12,345
^^^^^^ a number has no separators between its thousands
= write `12345`

1_000_000
^^^^^^^^^ a number has no separators between its thousands
= write `1000000` or `1M`

-5
^^ a count is never negative
= write a number such as `300`, `5k` or `1.5M`

.5k
^^ a number begins with a digit
= write `0.5`

many
^^^^ `many` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

ä 5
^ `ä` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

5 5
  ^ `5` is left over after the count
= remove it

5k, 6k
  ^^^^ `, 6k` is left over after the count
= remove it

'5'
^^^ `'5'` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

'5
^ this quote is never closed
= text stands between two quotes: `'abc'`
",
    );
}

#[test]
fn spans() {
    check(
        time_span,
        ToString::to_string,
        r"
80ms
: 80ms

1 day
: 1 day

7 years
: 7 years

1year
: 1 year

24h
: 24h

10min
: 10min

2 weeks
: 2 weeks

1.5h
: 90min

0.5 day
: 12h

1.5 years
: 18 months

0.25s
: 250ms

0.5 month
^^^^^^^^^ this is not a whole number of months
= write it in days

0.5ms
^^^^^ this is not a whole number of milliseconds
= write fewer digits behind the point

0.3 years
^^^^^^^^^ this is not a whole number of months
= write it in days

5
^ `5` has no unit of time
= write `5ms` or `5s`; other units are min, h, day, week, month, year

5m
 ^ `m` could be minutes or months
= write `min` or `month`

5 M
  ^ `M` counts, but a time is expected
= write a time such as `80ms`, `5s`, `1 day` or `7 years`

5 minutes
: 5min

1 second
: 1s

2 hours
: 2h

20 milliseconds
: 20ms

5 mins
  ^^^^ `mins` is not a unit
= did you mean `5min`?

3 Days
  ^^^^ `Days` is not a unit
= did you mean `3 days`?

30d
  ^ `d` is not a unit
= did you mean `30 days`?

2hrs
 ^^^ `hrs` is not a unit
= did you mean `2h`?

10us
  ^^ `us` is finer than any time here
= the smallest unit is `ms`

10µs
  ^^ `µs` is finer than any time here
= the smallest unit is `ms`

1,000 ms
^^^^^ a number has no separators between its thousands
= write `1000`

5 fortnights
  ^^^^^^^^^^ `fortnights` is not a unit
= times take ms, s, min, h, day, week, month or year

7 days ago
       ^^^ `ago` is left over after the time
= remove it

forever
^^^^^^^ `forever` stands where a time is expected
= write a time such as `80ms`, `5s`, `1 day` or `7 years`

99999999999999999999 years
^^^^^^^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615
",
    );
}

#[test]
fn rates() {
    check(
        rate,
        |rate| format!("{} in {}", rate.events, rate.per),
        r"
2000/s
: 2000 in 1s

120k/day
: 120000 in 1 day

0.2/s
: 2 in 10s

0.20/min
: 2 in 10min

1.5k/s
: 1500 in 1s

0.0015k/s
: 15 in 10s

3 / h
: 3 in 1h

12.25/day
: 1225 in 100 days

0/s
: 0 in 1s

2000
^^^^ `2000` does not say in which time
= write `2000/s`, or `/min`, `/h`, `/day`

2000/
    ^ nothing stands behind this `/`
= write `2000/s`, or `/min`, `/h`, `/day`

2000 /m
      ^ `m` could be minutes or months
= write `/min`

5/sec
  ^^^ `sec` is not a unit of time
= did you mean `5/s`?

5/minute
: 5 in 1min

10K/d
  ^ `K` is not `k`
= write `10k/day`

5/week
  ^^^^ `week` is not the time of a rate
= rates are per s, min, h or day

5/10s
  ^^^ a rate is over one second, minute, hour or day
= write decimals for less than one: `0.2/s`

5 per second
  ^^^ a rate is written with `/`, not with `per`
= write `5/s`

5 per day
  ^^^ a rate is written with `/`, not with `per`
= write `5/day`

300 rps
    ^^^ `rps` stands where `/s`, `/min`, `/h` or `/day` is expected
= write `300/s`

5 KB/s
  ^^ `KB` measures bytes, but a count is expected
= write a number such as `300`, `5k` or `1.5M`

5K/s
 ^ `K` is not `k`
= write `5k/s`

1,500/s
^^^^^ a number has no separators between its thousands
= write `1500`

fast
^^^^ `fast` stands where a rate is expected
= write a rate such as `2000/s`, `120k/day` or `0.2/s`

/s
^ `/` stands where a rate is expected
= write a rate such as `2000/s`, `120k/day` or `0.2/s`

5/s/s
   ^^ `/s` is left over after the rate
= remove it

0.0000000000000000000000000001/s
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rate has too many digits behind the point
= write it over a longer time, such as `/day`

1.00000000000000000001/day
^^^^^^^^^^^^^^^^^^^^^^ this rate has too many digits behind the point
= write it over a longer time, such as `/day`

99999999999999999999/s
^^^^^^^^^^^^^^^^^^^^ this number is too large
= the largest is 18446744073709551615

-1/s
^^ a count is never negative
= write a number such as `300`, `5k` or `1.5M`
",
    );
}

#[test]
fn shares() {
    check(
        share,
        ToString::to_string,
        r"
0%
: 0%

30%
: 30%

30 %
: 30%

100%
: 100%

0.5%
: 0.5%

0.0001%
: 0.0001%

33.3333%
: 33.3333%

100.0%
: 100%

0.00001%
^^^^^^^^ a share has at most four digits behind the point
= write fewer digits: `0.0001%` is the smallest step

100.0001%
^^^^^^^^^ a share is at most `100%`
= write a share from `0%` to `100%`

250%
^^^^ a share is at most `100%`
= write a share from `0%` to `100%`

99999999999999999999999%
^^^^^^^^^^^^^^^^^^^^^^^^ a share is at most `100%`
= write a share from `0%` to `100%`

30
^^ `30` has no `%`
= write `30%`

0.3
^^^ `0.3` has no `%`
= shares are written in percent: a half is `50%`

30 percent
   ^^^^^^^ `percent` is not a unit
= did you mean `30%`?

30k
  ^ `k` counts, but a share is expected
= write a share such as `30%`

1/3
^ `1` has no `%`
= shares are written in percent: a half is `50%`

half
^^^^ `half` stands where a share is expected
= write a share such as `30%`
",
    );
}

#[test]
fn distributions_of_counts() {
    check(
        count_distribution,
        ToString::to_string,
        r"
40 / 5k / 200k
: 40 / 5k / 200k

40/5k/200k
: 40 / 5k / 200k

500
: at most 500

1 / 1 / 1
: 1 / 1 / 1

200 / 5k / 100k per month
: 200 / 5k / 100k per month

200 / 5k / 100k per 2 weeks
: 200 / 5k / 100k per 2 weeks

4M per day
: at most 4M per day

40 / 5k
^^^^^^^ a distribution has three numbers: typical / p99 / worst
= write `40 / 5k / 200k`, or one number as a hard maximum

1 / 2 / 3 / 4
            ^ a distribution has three numbers: typical / p99 / worst
= write `40 / 5k / 200k`

200 / 5k / 100k / month
                  ^^^^^ a distribution has three numbers: typical / p99 / worst
= if it grows, write `per month`

5k / 40 / 200k
     ^^ the p99 `40` is less than the typical `5k`
= a distribution ascends, typical / p99 / worst: `40 / 5k / 200k`

40 / 200k / 5k
            ^^ the worst `5k` is less than the p99 `200k`
= a distribution ascends, typical / p99 / worst: `40 / 5k / 200k`

200k / 5k / 40
       ^^ the p99 `5k` is less than the typical `200k`
= a distribution ascends, typical / p99 / worst: `40 / 5k / 200k`

40..200k
  ^^ a distribution has three numbers: typical / p99 / worst
= write `40 / 5k / 200k`

40, 5k, 200k
  ^ a distribution has three numbers: typical / p99 / worst
= write `40 / 5k / 200k`

1,000 / 5,000 / 9,000
^^^^^ a number has no separators between its thousands
= write `1000` or `1k`

at most 500
^^^^^^^ one number is a hard maximum already
= write `500`

40 / p99 5k / 200k
     ^^^ `p99` is said by its position
= write numbers alone, typical / p99 / worst: `40 / 5k / 200k`

40 / ? / 200k
     ^ an unknown number is left out
= write those you know by name: `{ worst: 200k }`

40 / / 200k
     ^ `/` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

40 / 5k /
         ^ a count is missing at the end
= write a number such as `300`, `5k` or `1.5M`

40 / 5K / 200k
      ^ `K` is not `k`
= write `40 / 5k / 200k`

200 per
    ^^^ nothing stands behind `per`
= write `per day`, `per month`, `per 2 weeks`

200 per fortnight
        ^^^^^^^^^ `fortnight` is not a unit
= times take ms, s, min, h, day, week, month or year

200 per m
        ^ `m` could be minutes or months
= write `min` or `month`

200 per 0 days
        ^^^^^^ nothing grows in no time
= write `per day`

200 / 5k / 100k per month or so
                          ^^^^^ `or so` is left over after the distribution
= remove it

viele, größtenteils 5
^^^^^ `viele` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`

lots
^^^^ `lots` stands where a count is expected
= write a number such as `300`, `5k` or `1.5M`
",
    );
}

#[test]
fn distributions_of_spans() {
    check(
        span_distribution,
        ToString::to_string,
        r"
1 day / 7 days / 31 days
: 1 day / 7 days / 31 days

2 months / 1 year / 7 years
: 2 months / 1 year / 7 years

7 days
: at most 7 days

24h / 1 day / 86400s
: 24h / 1 day / 86400s

1 day / 7 days
^^^^^^^^^^^^^^ a distribution has three numbers: typical / p99 / worst
= write `1 day / 7 days / 31 days`, or one number as a hard maximum

7 days / 1 day / 31 days
         ^^^^^ the p99 `1 day` is less than the typical `7 days`
= a distribution ascends, typical / p99 / worst: `1 day / 7 days / 31 days`

1 / 7 / 31 days
^ `1` has no unit of time
= write `1ms` or `1s`; other units are min, h, day, week, month, year

1 day / 7 days / 31 days per month
                         ^^^^^^^^^ `per month` is left over after the distribution
= remove it
",
    );
}

#[test]
fn nothing_at_all() {
    for text in ["", " ", "\n\t"] {
        let fault = count(text).unwrap_err();
        assert_eq!((fault.range, fault.message.as_str()), (0..0, "a count is missing"));
        assert_eq!(time_span(text).unwrap_err().message, "a time is missing");
        assert_eq!(rate(text).unwrap_err().message, "a rate is missing");
        assert_eq!(share(text).unwrap_err().message, "a share is missing");
        assert_eq!(count_distribution(text).unwrap_err().message, "the sizes are missing");
        assert_eq!(span_distribution(text).unwrap_err().message, "the sizes are missing");
    }
}

proptest! {
    #[test]
    fn any_text_is_answered(text in hostile()) {
        answered(count, &text);
        answered(time_span, &text);
        answered(rate, &text);
        answered(share, &text);
        answered(count_distribution, &text);
        answered(span_distribution, &text);
    }

    #[test]
    fn counts_come_back(n: u64) {
        prop_assert_eq!(count(&without_commas(&count_text(n))), Ok(n));
        prop_assert_eq!(count(&n.to_string()), Ok(n));
    }

    #[test]
    fn spans_come_back(span in any_span()) {
        prop_assert_eq!(time_span(&span.to_string()), Ok(span));
    }

    #[test]
    fn shares_come_back(millionths in 0..=1_000_000_u32) {
        let value = Share { millionths };
        prop_assert_eq!(share(&value.to_string()), Ok(value));
    }

    #[test]
    fn rates_come_back(whole in 0..1_000_000_u64, decimals in 0..10_000_u32, unit in prop::sample::select(vec!["s", "min", "h", "day"])) {
        let read = rate(&format!("{whole}.{decimals:04}/{unit}")).unwrap();
        prop_assert_eq!(rate(&without_commas(&read.to_string())), Ok(read));
        prop_assert_eq!(read.events * 10_000, (whole * 10_000 + u64::from(decimals)) * read.per.amount);
    }

    #[test]
    fn distributions_come_back(mut sizes: [u64; 3], per in prop::option::of(any_span().prop_filter("some time", |span| span.amount > 0))) {
        sizes.sort_unstable();
        let [typical, p99, worst] = sizes.map(Some);
        let value = Distribution { typical, p99, worst, per };
        prop_assert_eq!(count_distribution(&without_commas(&value.to_string())), Ok(value));
    }
}

/// People read thousands with commas; catalogs are written without.
fn without_commas(text: &str) -> String {
    text.replace(',', "")
}

fn any_span() -> impl Strategy<Value = TimeSpan> {
    (any::<u64>(), prop::sample::select(TimeUnit::ALL.to_vec())).prop_map(|(amount, unit)| TimeSpan::new(amount, unit))
}
