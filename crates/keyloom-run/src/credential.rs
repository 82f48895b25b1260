//! What a caller shows: 32 bytes of chance behind `kl_`. Nothing but their hash is ever kept.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{digest::same, environment::Environment};

const PREFIX: &str = "kl_";
/// How many bytes of a hash name a key to people.
const ID: usize = 6;

/// The secret of a key. Whoever has it is its subject.
#[derive(Clone)]
pub struct Credential([u8; 32]);

/// The hash of a credential: it tells who shows the right one, and nobody can show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash([u8; 32]);

impl Credential {
    /// A new one.
    pub fn new(environment: &dyn Environment) -> Self {
        let mut secret = [0; 32];
        environment.random(&mut secret);
        Self(secret)
    }

    /// Reads one that is shown; nothing where it has not the form of any.
    pub fn read(text: &str) -> Option<Self> {
        let secret = URL_SAFE_NO_PAD.decode(text.strip_prefix(PREFIX)?).ok()?;
        secret.try_into().ok().map(Self)
    }

    /// The text that is shown. It belongs into no log.
    pub fn show(&self) -> String {
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(self.0))
    }

    /// What is kept of it.
    pub fn hash(&self) -> Hash {
        Hash(*blake3::hash(&self.0).as_bytes())
    }
}

/// Without the secret.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({})", self.hash().id())
    }
}

impl Hash {
    /// The hash with these bytes, if they are as many as one has.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// How people call the key.
    pub fn id(&self) -> String {
        self.0[..ID].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether they are the same; how long that takes tells nothing.
    pub fn is(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::Credential;

    #[test]
    fn a_credential_has_one_text_and_shows_it_only_when_asked() {
        let one = Credential([7; 32]);
        let text = one.show();
        assert_eq!((text.len(), &text[..3]), (46, "kl_"));
        assert!(Credential::read(&text).is_some_and(|read| read.hash().is(&one.hash())));
        assert!(!format!("{one:?} {:?}", one.hash()).contains(&text[3..]));
        // The last of 43 characters has two bits that mean nothing: another text would be another key to a log's reader.
        let last = text.len() - 1;
        for wrong in
            ["", "kl_", "kl_AAAA", &text[3..], &text[..last], &format!("{text}A"), &format!("{}d", &text[..last])]
        {
            assert!(Credential::read(wrong).is_none(), "{wrong}");
        }
        assert!(!Credential([8; 32]).hash().is(&one.hash()));
    }
}
