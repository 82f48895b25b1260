//! A cell of the earth as text: letters that each halve longitude and latitude in turn.

const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
/// More letters say less than the last bit of a coordinate.
const LENGTH_MAX: usize = 12;

/// The cell that holds a place; nothing for one that is not on the earth.
pub(super) fn geohash(latitude: f64, longitude: f64, length: usize) -> Option<String> {
    if !(-90.0..=90.0).contains(&latitude) || !(-180.0..=180.0).contains(&longitude) {
        return None;
    }
    let (mut across, mut along) = ((-180.0, 180.0), (-90.0, 90.0));
    let mut bit = |at: usize| {
        let (range, value) = if at.is_multiple_of(2) { (&mut across, longitude) } else { (&mut along, latitude) };
        let middle = f64::midpoint(range.0, range.1);
        let upper = value >= middle;
        if upper {
            range.0 = middle;
        } else {
            range.1 = middle;
        }
        usize::from(upper)
    };
    let mut letter = |at: usize| (0..5).fold(0, |letter, step| letter << 1 | bit(at * 5 + step));
    Some((0..length.min(LENGTH_MAX)).map(|at| char::from(LETTERS[letter(at)])).collect())
}

#[cfg(test)]
mod tests {
    use super::geohash;

    #[test]
    fn known_places() {
        assert_eq!(geohash(57.64911, 10.40744, 11).as_deref(), Some("u4pruydqqvj"));
        assert_eq!(geohash(0.0, 0.0, 4).as_deref(), Some("s000"));
        assert_eq!(geohash(-90.0, -180.0, 3).as_deref(), Some("000"));
        assert_eq!(geohash(90.0, 180.0, 3).as_deref(), Some("zzz"));
        assert_eq!(geohash(91.0, 0.0, 3), None);
        assert_eq!(geohash(f64::NAN, 0.0, 3), None);
    }
}
