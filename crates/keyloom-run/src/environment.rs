/// What comes from outside a request: the clock and chance. A test gives its own, so that the same seed gives the same
/// bytes.
pub trait Environment: Send + Sync + 'static {
    /// Microseconds since 1970.
    fn now_us(&self) -> i64;

    /// Microseconds since some moment, by a clock that nobody sets.
    fn steady_us(&self) -> i64 {
        self.now_us()
    }

    /// Fills a buffer with bytes that nobody can foresee.
    fn random(&self, bytes: &mut [u8]);
}
