//! How quantities are shown, and how sizes and rates are computed.

use keyloom_model::{
    Distribution, Frequency, Rate, RowSize, Share, Size, TimeSpan, TimeUnit, Type, bytes_text, count_text,
};

#[test]
fn counts_are_shown_exactly() {
    for (count, text) in [
        (0, "0"),
        (999, "999"),
        (1_000, "1k"),
        (1_500, "1.5k"),
        (1_234, "1,234"),
        (200_000, "200k"),
        (4_000_000, "4M"),
        (1_234_567, "1,234,567"),
        (2_500_000_000, "2.5G"),
        (u64::MAX, "18,446,744,073,709,551,615"),
    ] {
        assert_eq!(count_text(count), text);
    }
}

#[test]
fn bytes_are_rounded_to_three_digits() {
    for (bytes, text) in [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_024, "1 KB"),
        (46_000_000, "43.9 MB"),
        (409_600, "400 KB"),
        (1_610_612_736, "1.5 GB"),
        (10_737_418_240, "10 GB"),
    ] {
        assert_eq!(bytes_text(bytes), text);
    }
}

#[test]
fn rates_are_shown_as_they_were_written() {
    let second = |amount| TimeSpan::new(amount, TimeUnit::Second);
    assert_eq!(Rate { events: 2_000, per: second(1) }.to_string(), "2k/s");
    assert_eq!(Rate { events: 2, per: second(10) }.to_string(), "0.2/s");
    assert_eq!(Rate { events: 125, per: second(100) }.to_string(), "1.25/s");
    assert_eq!(Rate { events: 120_000, per: TimeSpan::new(1, TimeUnit::Day) }.to_string(), "120k/day");
}

#[test]
fn a_missing_peak_is_ten_times_the_mean_and_a_missing_mean_is_the_peak() {
    let daily = Rate { events: 86_400, per: TimeSpan::new(1, TimeUnit::Day) };
    let mean_only = Frequency::Stated { mean: Some(daily), peak: None };
    assert_eq!(mean_only.peak_per_second(), Some(10.0));
    let peak_only =
        Frequency::Stated { mean: None, peak: Some(Rate { events: 1, per: TimeSpan::new(1, TimeUnit::Second) }) };
    assert_eq!(peak_only.mean_per_day(), Some(86_400.0));
    assert_eq!(Frequency::Unknown.peak_per_second(), None);
}

#[test]
fn shares_and_distributions_are_shown_with_what_is_unknown() {
    assert_eq!(Share { millionths: 300_000 }.to_string(), "30%");
    assert_eq!(Share { millionths: 100 }.to_string(), "0.01%");
    assert_eq!(Distribution::at_most(500_u64).to_string(), "at most 500");
    let partial =
        Distribution { typical: Some(40_u64), p99: None, worst: None, per: Some(TimeSpan::new(1, TimeUnit::Month)) };
    assert_eq!(partial.to_string(), "40 / ? / ? per month");
}

#[test]
fn a_collection_counts_with_its_worst() {
    let catalog = keyloom_model::Catalog::default();
    let text = Type::Text(Size { typical: 10, max: 30 });
    let count = Distribution { typical: Some(2), p99: Some(10), worst: Some(40), per: None };
    let size = RowSize::of_type(&catalog, &Type::Set(Box::new(text.clone()), count));
    assert_eq!(size, RowSize { typical: 20, worst: 1_200 });
    let endless = Distribution { worst: Some(u64::MAX), ..count };
    assert_eq!(RowSize::of_type(&catalog, &Type::List(Box::new(text), endless)).worst, u64::MAX);
}
