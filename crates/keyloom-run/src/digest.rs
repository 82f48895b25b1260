use keyloom_value::Mismatch;

/// Sixteen bytes that stand for these parts: other parts, other bytes. The purpose keeps digests of different uses apart.
pub(crate) fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    Parts::of(purpose, parts).digest()
}

/// The same under a secret: only who knows it can make these bytes.
pub(crate) fn seal(secret: &[u8; 32], purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
    first_half(&blake3::keyed_hash(secret, &Parts::of(purpose, parts).0))
}

/// What a digest is made of, all in one piece: the parts are short, and a hasher that is fed piece by piece takes twice as
/// long for them.
pub(crate) struct Parts(Vec<u8>);

impl Parts {
    /// For this purpose, with these to begin with.
    pub(crate) fn of(purpose: &str, parts: &[&[u8]]) -> Self {
        let mut all = Self(Vec::with_capacity(256));
        all.add(purpose.as_bytes());
        parts.iter().for_each(|part| all.add(part));
        all
    }

    fn add(&mut self, part: &[u8]) {
        // Each part behind its length, so that no two lists of parts look alike.
        self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
        self.0.extend_from_slice(part);
    }

    /// One more, which is written in its place.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), Mismatch>) -> Result<(), Mismatch> {
        let length_at = self.0.len();
        self.0.extend_from_slice(&[0; 8]);
        write(&mut self.0)?;
        let (head, part) = self.0.split_at_mut(length_at + 8);
        head[length_at..].copy_from_slice(&(part.len() as u64).to_le_bytes());
        Ok(())
    }

    /// Stands for all of them.
    pub(crate) fn digest(&self) -> [u8; 16] {
        first_half(&blake3::hash(&self.0))
    }
}

/// Compares without telling by its time how much was right.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

fn first_half(hash: &blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::{Parts, digest, seal};

    /// Rows and callers keep them: another version of Keyloom has to find the same.
    #[test]
    fn a_digest_stays_what_it_is() {
        let parts: [&[u8]; 3] = [b"one", b"", b"three"];
        let hex = |bytes: [u8; 16]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(digest("token", &parts)), "867c374fb809753559fe6e623b7287dd");
        let mut written = Parts::of("token", &parts[..2]);
        let three = |out: &mut Vec<u8>| {
            out.extend(b"three");
            Ok(())
        };
        assert!(written.write(three).is_ok());
        assert_eq!(written.digest(), digest("token", &parts));
        assert_eq!(hex(seal(&[7; 32], "token", &parts)), "0bbbfdb12fcd4989dc9a1a9106a9db94");
    }
}
