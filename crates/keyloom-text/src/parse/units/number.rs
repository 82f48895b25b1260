//! Numbers as digits, until their unit is known.

/// A number as its digits: nothing is rounded, nothing overflows.
#[derive(Debug, Clone, Copy)]
pub(in crate::parse) struct Number<'a> {
    whole: &'a str,
    fraction: &'a str,
}

/// Why a number can't be taken.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::parse) enum Unfit {
    /// It does not come out whole.
    Fraction,
    /// It is beyond 64 bits.
    TooLarge,
}

impl<'a> Number<'a> {
    pub fn new(text: &'a str) -> Self {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        Self { whole: whole.trim_start_matches('0'), fraction: fraction.trim_end_matches('0') }
    }

    /// The number times a factor, if that is whole.
    pub fn times(self, factor: u64) -> Result<u64, Unfit> {
        let (events, scale) = self.over_power_of_ten(factor)?;
        if scale == 1 { Ok(events) } else { Err(Unfit::Fraction) }
    }

    /// The number times a factor as a numerator over a power of ten, in lowest such terms: 0.25 is 25 / 100.
    pub(super) fn over_power_of_ten(self, factor: u64) -> Result<(u64, u64), Unfit> {
        // These many digits times any factor fit into 128 bits, and no text is so long that reading it could hurt.
        const WHOLE_DIGITS_MAX: usize = 20;
        const FRACTION_DIGITS_MAX: usize = 27;
        if self.whole.len() > WHOLE_DIGITS_MAX {
            return Err(Unfit::TooLarge);
        }
        if self.fraction.len() > FRACTION_DIGITS_MAX {
            return Err(Unfit::Fraction);
        }
        let digits = |text: &str| text.bytes().fold(0_u128, |n, digit| n * 10 + u128::from(digit - b'0'));
        let mut scale = 10_u128.pow(self.fraction.len() as u32);
        let mut fraction = digits(self.fraction) * u128::from(factor);
        while scale > 1 && fraction.is_multiple_of(10) {
            scale /= 10;
            fraction /= 10;
        }
        let whole = digits(self.whole) * u128::from(factor);
        if u64::try_from(whole).is_err() {
            return Err(Unfit::TooLarge);
        }
        let scale = u64::try_from(scale).map_err(|_| Unfit::Fraction)?;
        // Both factors fit into 64 bits. What is too long only because of the digits behind the point is no overflow.
        let numerator = u64::try_from(whole * u128::from(scale) + fraction);
        let numerator = numerator.map_err(|_| if scale == 1 { Unfit::TooLarge } else { Unfit::Fraction })?;
        Ok((numerator, scale))
    }
}
