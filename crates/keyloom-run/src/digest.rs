/// Sixteen bytes that stand for these parts: other parts, other bytes. The purpose keeps digests of different uses apart.
pub(crate) fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    first_half(&blake3::hash(&joined(purpose, parts)))
}

/// The same under a secret: only who knows it can make these bytes.
pub(crate) fn seal(secret: &[u8; 32], purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    first_half(&blake3::keyed_hash(secret, &joined(purpose, parts)))
}

/// Compares without telling by its time how much was right.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

/// All parts in one piece: they are short, and a hasher that is fed piece by piece takes twice as long for them.
fn joined(purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
        // Each part behind its length, so that no two lists of parts look alike.
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn first_half(hash: &blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::{digest, seal};

    /// Rows and callers keep them: another version of Keyloom has to find the same.
    #[test]
    fn a_digest_stays_what_it_is() {
        let parts: [&[u8]; 3] = [b"one", b"", b"three"];
        let hex = |bytes: [u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(digest("token", &parts)), "867c374fb809753559fe6e623b7287dd");
        assert_eq!(hex(seal(&[7; 32], "token", &parts)), "0bbbfdb12fcd4989dc9a1a9106a9db94");
    }
}
