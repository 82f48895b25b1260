//! A line through measurements.

use crate::median;

/// The weights whose sums come nearest to what was measured, by the smallest squares of relative errors: a sample of a
/// millisecond says as much as one of a microsecond.
///
/// Each sample is how often each part occurred, and what all of it took.
///
/// # Panics
/// When the samples do not tell the parts apart.
pub fn fit<const N: usize>(samples: &[([f64; N], f64)]) -> [f64; N] {
    // The normal equations, with what was measured as a last column.
    let mut rows = [[0.0; N]; N];
    let mut sums = [0.0; N];
    for (parts, took) in samples {
        let weight = 1.0 / (took * took);
        for (row, part) in rows.iter_mut().zip(parts) {
            for (cell, other) in row.iter_mut().zip(parts) {
                *cell += weight * part * other;
            }
        }
        for (sum, part) in sums.iter_mut().zip(parts) {
            *sum += weight * part * took;
        }
    }
    for at in 0..N {
        let largest = (at..N).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap_or(at);
        rows.swap(at, largest);
        sums.swap(at, largest);
        assert!(rows[at][at].abs() > 1e-12, "the samples do not tell part {at} from the others");
        for below in at + 1..N {
            let factor = rows[below][at] / rows[at][at];
            let above = rows[at];
            for (cell, above) in rows[below].iter_mut().zip(above) {
                *cell -= factor * above;
            }
            sums[below] -= factor * sums[at];
        }
    }
    let mut weights = [0.0; N];
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|column| rows[at][column] * weights[column]).sum();
        weights[at] = (sums[at] - known) / rows[at][at];
    }
    weights
}

/// How far weights are off: the relative error in the middle of all samples, and the largest.
pub fn errors<const N: usize>(samples: &[([f64; N], f64)], weights: &[f64; N]) -> (f64, f64) {
    let error = |(parts, took): &([f64; N], f64)| {
        let said: f64 = parts.iter().zip(weights).map(|(part, weight)| part * weight).sum();
        (said / took - 1.0).abs()
    };
    let all: Vec<f64> = samples.iter().map(error).collect();
    (median(all.clone()), all.into_iter().fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_found_again() {
        let weights = [90.0, 7.5, 0.25];
        let parts = [[1.0, 1.0, 1.0], [1.0, 10.0, 2.0], [1.0, 100.0, 900.0], [1.0, 3.0, 50.0]];
        let samples = parts.map(|parts| (parts, parts.iter().zip(&weights).map(|(part, weight)| part * weight).sum()));
        for (found, weight) in fit(&samples).iter().zip(&weights) {
            assert!((found / weight - 1.0).abs() < 1e-6, "{found} is not {weight}");
        }
        assert!(errors(&samples, &fit(&samples)).1 < 1e-6);
    }

    #[test]
    #[should_panic(expected = "do not tell part 1")]
    fn parts_that_always_come_together_can_not_be_told_apart() {
        fit(&[([1.0, 2.0], 3.0), ([2.0, 4.0], 6.0)]);
    }
}
