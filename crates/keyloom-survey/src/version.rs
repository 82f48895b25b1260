//! Versions in the names of files and folders, and the order that they give.

use std::cmp::Ordering;

/// The numbers of a version, most significant first: `v1.10` is 1, 10.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    numbers: Vec<Number>,
    /// Written with leading zeros and no point, as numbered migrations are.
    pub padded: bool,
    /// Where it stands: everything behind `R__` comes after all that has a number.
    repeatable: bool,
}

/// A number of any length, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number(String);

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.repeatable, &self.numbers).cmp(&(other.repeatable, &other.numbers))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Version {
    /// The version in the name of a file or folder, if it has one: `001_init`, `V1.2__users`, `v1.10`, `20240131_users`,
    /// `schema-v3`. A digit within a word (`oauth2`, `s3_objects`) is none.
    pub(crate) fn of(name: &str) -> Option<Self> {
        if name.starts_with("R__") {
            return Some(Self { numbers: Vec::new(), padded: false, repeatable: true });
        }
        let mut boundary = true;
        for (at, char) in name.char_indices() {
            if char.is_ascii_digit() && boundary {
                return Some(Self::at(&name[at..], is_flyway(name, at)));
            }
            // `v2` is a version at the beginning of a word; `rev2` is not.
            boundary = (boundary && matches!(char, 'v' | 'V')) || matches!(char, '_' | '-' | '.' | ' ');
        }
        None
    }

    /// The version that a name begins with, as folders of one version do: `v1.10`, `002_users`.
    pub(crate) fn leading(name: &str) -> Option<Self> {
        let begins = name.trim_start_matches(['v', 'V']).starts_with(|char: char| char.is_ascii_digit());
        if begins { Self::of(name) } else { None }
    }

    fn at(text: &str, flyway: bool) -> Self {
        let mut numbers = Vec::new();
        let mut rest = text;
        let mut padded = false;
        loop {
            let length = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
            if length == 0 {
                break;
            }
            padded |= numbers.is_empty() && length > 1 && rest.starts_with('0');
            numbers.push(Number(rest[..length].trim_start_matches('0').to_owned()));
            rest = &rest[length..];
            match rest.chars().next() {
                Some('.') => rest = &rest[1..],
                Some('_') if flyway && !rest.starts_with("__") => rest = &rest[1..],
                _ => break,
            }
        }
        padded &= numbers.len() == 1;
        Self { numbers, padded, repeatable: false }
    }
}

/// `V1_2__users`: a single underscore between numbers is a point there.
fn is_flyway(name: &str, at: usize) -> bool {
    at == 1 && name.starts_with(['V', 'v']) && name.contains("__")
}

/// Compares names as people number them: `a2` before `a10`.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let digits = |text: &str| text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
        let (left_digits, right_digits) = (digits(left), digits(right));
        if left_digits > 0 && right_digits > 0 {
            let number = |text: &str| Number(text.trim_start_matches('0').to_owned());
            let order = number(&left[..left_digits]).cmp(&number(&right[..right_digits]));
            if order.is_ne() {
                return order;
            }
            (left, right) = (&left[left_digits..], &right[right_digits..]);
            continue;
        }
        let (mut left_chars, mut right_chars) = (left.chars(), right.chars());
        match (left_chars.next(), right_chars.next()) {
            (Some(one), Some(other)) if one == other => (left, right) = (left_chars.as_str(), right_chars.as_str()),
            // `007` and `7` are the same number, but not the same name.
            (None, None) => return a.cmp(b),
            (one, other) => return one.cmp(&other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order(names: &[&str]) {
        let versions: Vec<_> = names.iter().map(|name| Version::of(name).unwrap_or_else(|| panic!("{name}"))).collect();
        assert!(versions.is_sorted_by(|a, b| a < b), "{names:?} {versions:?}");
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        in_order(&["v0.9", "v1.0", "v1.2", "v1.2.1", "v1.10", "v2"]);
        in_order(&["1_a", "002_b", "10_c", "20240131120000_d", "99999999999999999999999_e"]);
        in_order(&["V1__a.cql", "V1.1__b.cql", "V1_2__c.cql", "V1_10__d.cql", "V2__e.cql", "R__views.cql"]);
        in_order(&["schema-v2.cql", "schema-v3.cql", "schema-v12.cql"]);
        in_order(&["upgrade_1.0_to_1.1.cql", "upgrade_1.1_to_1.2.cql"]);
        in_order(&["v001.cql.tmpl", "v002.cql.tmpl"]);
    }

    #[test]
    fn a_digit_within_a_word_is_no_version() {
        for name in ["oauth2.cql", "s3_objects.cql", "schema.cql", "rev2.cql", "users2by.cql", "", "é1"] {
            assert_eq!(Version::of(name), None, "{name}");
        }
    }

    #[test]
    fn leading_zeros_tell_the_numbered_from_the_semantic() {
        assert!(Version::of("001_a").is_some_and(|version| version.padded));
        for name in ["1_a", "1.0.1_b", "0.1_c", "10_d"] {
            assert!(Version::of(name).is_some_and(|version| !version.padded), "{name}");
        }
    }

    #[test]
    fn names_are_compared_as_people_number_them() {
        let mut names = ["b10", "b9", "a", "b010", "b", "é2", "é10"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a", "b", "b9", "b010", "b10", "é2", "é10"]);
    }
}
