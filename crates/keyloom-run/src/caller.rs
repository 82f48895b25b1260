use crate::digest::digest;

/// Who calls, as a credential says it: never as a request does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    /// The tenant whose rows are read and written, as text; nobody's where the catalog has no tenants.
    pub tenant: Option<String>,
    /// The subject, which a catalog calls `$caller`.
    pub subject: Option<String>,
}

impl Caller {
    /// One who shows no credential.
    pub const NOBODY: &'static Self = &Self { tenant: None, subject: None };

    /// Stands for this caller: whatever is given out to one is of no use to another.
    pub(crate) fn seal(&self) -> [u8; 16] {
        let part = |text: &Option<String>| text.as_ref().map_or(Vec::new(), |text| [b"+", text.as_bytes()].concat());
        digest("caller", &[&part(&self.tenant), &part(&self.subject)])
    }
}
