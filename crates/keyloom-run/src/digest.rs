/// Sixteen bytes that stand for these parts: other parts, other bytes. The purpose keeps digests of different uses apart.
pub(crate) fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    feed(&mut hasher, purpose, parts);
    first_half(&hasher.finalize())
}

/// The same under a secret: only who knows it can make these bytes.
pub(crate) fn seal(secret: &[u8; 32], purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    feed(&mut hasher, purpose, parts);
    first_half(&hasher.finalize())
}

/// Compares without telling by its time how much was right.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

fn feed(hasher: &mut blake3::Hasher, purpose: &str, parts: &[&[u8]]) {
    for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
        // Each part behind its length, so that no two lists of parts look alike.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
}

fn first_half(hash: &blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}
