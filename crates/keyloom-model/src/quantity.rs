use std::fmt;

/// A unit of time, as it is written in a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeUnit {
    /// `ms`
    Millisecond,
    /// `s`
    Second,
    /// `min`
    Minute,
    /// `h`
    Hour,
    /// `day`
    Day,
    /// `week`, starting on Monday
    Week,
    /// `month`; 30.44 days for sizing
    Month,
    /// `year`; 365.25 days for sizing
    Year,
}

impl TimeUnit {
    /// All units, from the shortest to the longest.
    pub const ALL: [Self; 8] =
        [Self::Millisecond, Self::Second, Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// The unit's name in the singular.
    pub fn name(self) -> &'static str {
        match self {
            Self::Millisecond => "ms",
            Self::Second => "s",
            Self::Minute => "min",
            Self::Hour => "h",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// How long it is for sizing.
    pub fn milliseconds(self) -> u64 {
        const DAY: u64 = 86_400_000;
        match self {
            Self::Millisecond => 1,
            Self::Second => 1_000,
            Self::Minute => 60_000,
            Self::Hour => 3_600_000,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => DAY * 3044 / 100,
            Self::Year => DAY * 36525 / 100,
        }
    }

    fn is_word(self) -> bool {
        self >= Self::Day
    }
}

/// A span of time as it was written, so that `1 month` stays a calendar month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeSpan {
    /// How many units.
    pub amount: u64,
    /// Which unit.
    pub unit: TimeUnit,
}

impl TimeSpan {
    /// A span of that many units.
    pub const fn new(amount: u64, unit: TimeUnit) -> Self {
        Self { amount, unit }
    }

    /// How long it is for sizing.
    pub fn milliseconds(self) -> u64 {
        self.amount.saturating_mul(self.unit.milliseconds())
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (blank, plural) =
            if self.unit.is_word() { (" ", if self.amount == 1 { "" } else { "s" }) } else { ("", "") };
        write!(f, "{}{blank}{}{plural}", self.amount, self.unit.name())
    }
}

/// How often: a number of events in a span of time. Exact, so that totals do not depend on the order of adding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    /// How many.
    pub events: u64,
    /// In which span.
    pub per: TimeSpan,
}

impl Rate {
    /// Events a second, for comparing with limits.
    pub fn per_second(self) -> f64 {
        self.events as f64 * 1000.0 / self.per.milliseconds().max(1) as f64
    }

    /// Events a day, for comparing with growth.
    pub fn per_day(self) -> f64 {
        self.per_second() * 86_400.0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A decimal rate was widened when read: 0.2/s is 2 in 10 s. It is shown as it was written.
        let mut scale = self.per.amount;
        let mut digits = 0;
        while scale >= 10 && scale.is_multiple_of(10) {
            scale /= 10;
            digits += 1;
        }
        if digits == 0 || scale != 1 {
            return write!(f, "{}/{}", count_text(self.events), self.per.unit.name());
        }
        let divisor = 10_u64.pow(digits);
        let fraction = format!("{:0width$}", self.events % divisor, width = digits as usize);
        let fraction = fraction.trim_end_matches('0');
        let dot = if fraction.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{fraction}/{}", self.events / divisor, self.per.unit.name())
    }
}

/// A part of a whole, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share {
    /// 0 to 1,000,000.
    pub millionths: u32,
}

impl Share {
    /// The whole.
    pub const ALL: Self = Self { millionths: 1_000_000 };

    /// As a factor between 0 and 1.
    pub fn factor(self) -> f64 {
        f64::from(self.millionths) / 1e6
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.millionths / 10_000, self.millionths % 10_000);
        if rest == 0 {
            return write!(f, "{whole}%");
        }
        let fraction = format!("{rest:04}");
        write!(f, "{whole}.{}%", fraction.trim_end_matches('0'))
    }
}

/// `typical / p99 / worst`. What is not stated is `None`: unknown, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Distribution<T> {
    /// What most have.
    pub typical: Option<T>,
    /// What one in a hundred exceeds.
    pub p99: Option<T>,
    /// What none exceeds.
    pub worst: Option<T>,
    /// Stated for each such span: the thing grows.
    pub per: Option<TimeSpan>,
}

impl<T> Distribution<T> {
    /// A hard maximum: one number, nothing known below it.
    pub fn at_most(worst: T) -> Self {
        Self { typical: None, p99: None, worst: Some(worst), per: None }
    }
}

impl fmt::Display for Distribution<u64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f, |n| count_text(*n))
    }
}

impl fmt::Display for Distribution<TimeSpan> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(self, f, ToString::to_string)
    }
}

fn display<T>(d: &Distribution<T>, f: &mut fmt::Formatter<'_>, text: impl Fn(&T) -> String) -> fmt::Result {
    let part = |value: &Option<T>| value.as_ref().map_or_else(|| "?".to_owned(), &text);
    match (&d.typical, &d.p99, &d.worst) {
        (None, None, Some(worst)) => write!(f, "at most {}", text(worst))?,
        _ => write!(f, "{} / {} / {}", part(&d.typical), part(&d.p99), part(&d.worst))?,
    }
    match d.per {
        Some(TimeSpan { amount: 1, unit }) => write!(f, " per {}", unit.name()),
        Some(per) => write!(f, " per {per}"),
        None => Ok(()),
    }
}

/// How often a pattern is called. A bare rate is the peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frequency {
    /// Not stated, or stated as `unknown`: designed and bounded, not priced.
    #[default]
    Unknown,
    /// `rare`: less than once a minute.
    Rare,
    /// A mean, a peak, or both.
    Stated {
        /// For money.
        mean: Option<Rate>,
        /// For limits.
        peak: Option<Rate>,
    },
}

impl Frequency {
    /// The peak in calls a second: as stated, else assumed ten times the mean.
    pub fn peak_per_second(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Rare => Some(1.0 / 60.0),
            Self::Stated { peak: Some(peak), .. } => Some(peak.per_second()),
            Self::Stated { mean, peak: None } => mean.map(|mean| mean.per_second() * 10.0),
        }
    }

    /// The mean in calls a day: as stated, else assumed equal to the peak.
    pub fn mean_per_day(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Rare => Some(1440.0),
            Self::Stated { mean: Some(mean), .. } => Some(mean.per_day()),
            Self::Stated { mean: None, peak } => peak.map(Rate::per_day),
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown | Self::Stated { mean: None, peak: None } => write!(f, "unknown"),
            Self::Rare => write!(f, "rare"),
            Self::Stated { mean: Some(mean), peak: Some(peak) } => write!(f, "{mean} on average, {peak} at peak"),
            Self::Stated { mean: Some(mean), peak: None } => write!(f, "{mean} on average"),
            Self::Stated { mean: None, peak: Some(peak) } => write!(f, "{peak} at peak"),
        }
    }
}

/// A count the way people write it: `200k`, `1.5M`, `730`.
///
/// ```
/// assert_eq!(keyloom_model::count_text(200_000), "200k");
/// assert_eq!(keyloom_model::count_text(1_234), "1,234");
/// ```
pub fn count_text(n: u64) -> String {
    for (factor, suffix) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")] {
        // One decimal is exact or it is not used: a rounded count would be an invented number.
        let short = n / factor < 1000 || factor == 1_000_000_000;
        if n >= factor && short && n.is_multiple_of(factor / 10) {
            let (whole, tenth) = (n / factor, n % factor / (factor / 10));
            return if tenth == 0 { format!("{whole}{suffix}") } else { format!("{whole}.{tenth}{suffix}") };
        }
    }
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes for people, rounded to three digits: `44 MB`. 1 KB is 1024 bytes.
///
/// ```
/// assert_eq!(keyloom_model::bytes_text(409_600), "400 KB");
/// assert_eq!(keyloom_model::bytes_text(230), "230 B");
/// ```
pub fn bytes_text(bytes: u64) -> String {
    let (factor, unit) = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..1_048_576 => (1_u64 << 10, "KB"),
        1_048_576..1_073_741_824 => (1 << 20, "MB"),
        _ => (1 << 30, "GB"),
    };
    let value = bytes as f64 / factor as f64;
    let digits = if bytes.is_multiple_of(factor) || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}
