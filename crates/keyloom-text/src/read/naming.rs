//! Names: how they are written, and which one was meant.

/// How a name is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `Singular`
    Entity,
    /// `snake_case`
    Snake,
}

impl Case {
    /// How people are told to write it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Entity => "with one capitalised word, like `CaseEvent`",
            Self::Snake => "in lower snake case, like `due_at`",
        }
    }

    /// Whether a name is written so.
    pub(super) fn fits(self, name: &str) -> bool {
        let mut characters = name.chars();
        let Some(first) = characters.next() else { return false };
        match self {
            Self::Entity => first.is_ascii_uppercase() && characters.all(|c| c.is_ascii_alphanumeric()),
            Self::Snake => {
                first.is_ascii_lowercase()
                    && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            }
        }
    }

    /// The name as it would be written; nothing if it has no letter.
    pub(super) fn convert(self, name: &str) -> Option<String> {
        let words = words(name);
        if words.is_empty() {
            return None;
        }
        Some(match self {
            Self::Entity => words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect(),
            Self::Snake => words.join("_"),
        })
    }
}

/// The name of one of these things, as far as the end of the word tells.
pub(super) fn singular(name: &str) -> &str {
    let is_one = ["ss", "us", "is", "ies", "ses", "xes"].iter().any(|end| name.ends_with(end));
    name.strip_suffix('s').filter(|one| !is_one && one.len() > 2).unwrap_or(name)
}

/// The ASCII words of a name, in lower case: `dueAt`, `Due-At` and `due at` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut lower_before = false;
    for character in name.chars() {
        if !character.is_ascii_alphanumeric() {
            fresh = true;
            continue;
        }
        let starts = fresh || (character.is_ascii_uppercase() && lower_before);
        lower_before = !character.is_ascii_uppercase();
        fresh = false;
        match words.last_mut() {
            Some(word) if !starts => word.push(character.to_ascii_lowercase()),
            _ => words.push(character.to_ascii_lowercase().to_string()),
        }
    }
    words
}

/// The name that was probably meant.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // A long name is compared with nothing: it is not a typing error, and the comparison is quadratic.
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let length = candidate.len().max(name.len());
        let edits = strsim::damerau_levenshtein(&lower, &candidate);
        let shared =
            candidate.len().min(lower.len()) >= 3 && (candidate.contains(&lower) || lower.contains(&candidate));
        let same_start = candidate.len() >= 4 && lower.len() >= 4 && candidate.as_bytes()[..3] == lower.as_bytes()[..3];
        let allowed = (length / 3).max(1) + usize::from(same_start);
        (edits <= allowed || shared).then_some(edits)
    };
    known
        .filter(|candidate| candidate.len() <= 64)
        .filter_map(|candidate| distance(candidate).map(|d| (d, candidate)))
        .min()
        .map(|(_, name)| name)
}

/// The name of which this one can only be a slip of the fingers. For places where a new name is legal too.
pub(super) fn typo_of<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let slips_max = (name.len() / 5).min(2);
    known
        .filter(|candidate| candidate.len() <= 64 && name.len() <= 64)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(slips, _)| *slips <= slips_max)
        .min()
        .map(|(_, candidate)| candidate)
}
