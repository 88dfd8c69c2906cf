//! The median of some rounds with the least and the greatest.

use serde::Serialize;

/// What several rounds of one measurement gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    /// The spread of these values; the median of an even number of them is the mean of the middle
    /// two. All 0 if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (values.first(), values.last()) else {
            return Self::default();
        };
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[middle]
        } else {
            (values[middle - 1] + values[middle]) / 2.0
        };
        Self { median, min, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        assert_eq!(Spread::of([]), Spread::default());
        assert_eq!(Spread::of([3.0, 1.0, 9.0]), Spread { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 8.0]), Spread { median: 3.0, min: 1.0, max: 8.0 });
    }
}
