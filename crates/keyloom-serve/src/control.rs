//! How other commands reach the process that has a data folder open: its address and a secret, in a file that only the
//! owner of the folder can read.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

const FILE: &str = "control";

/// An address and a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) address: SocketAddr,
    pub(crate) secret: String,
}

/// The file, gone when the process stops.
#[derive(Debug)]
pub(crate) struct ControlFile(PathBuf);

impl Control {
    pub(crate) fn new(address: SocketAddr, random: [u8; 32]) -> Self {
        Self { address, secret: random.iter().map(|byte| format!("{byte:02x}")).collect() }
    }

    /// Whether this is the secret; how long that takes tells nothing.
    pub(crate) fn is(&self, shown: &str) -> bool {
        let pairs = self.secret.bytes().zip(shown.bytes());
        shown.len() == self.secret.len() && pairs.fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }

    /// Leaves it in a folder.
    pub(crate) fn leave(&self, folder: &Path) -> io::Result<ControlFile> {
        let path = folder.join(FILE);
        // One that a crash left behind may be readable by others; a new file has the mode it is made with.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        writeln!(file, "{}\n{}", self.address, self.secret)?;
        Ok(ControlFile(path))
    }

    /// Finds it in a folder.
    pub(crate) fn find(folder: &Path) -> Option<Self> {
        let mut text = String::new();
        fs::File::open(folder.join(FILE)).ok()?.take(1_000).read_to_string(&mut text).ok()?;
        let (address, secret) = text.trim_end().split_once('\n')?;
        Some(Self { address: address.parse().ok()?, secret: secret.to_owned() })
    }
}

impl Drop for ControlFile {
    fn drop(&mut self) {
        // One that stays says nothing wrong: the folder is not locked then, and nobody asks.
        let _ = fs::remove_file(&self.0);
    }
}
