//! A certificate for a node, and the authority that signed it, made by the `keytool` that comes with Java.

use std::{
    fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Of the key store; it guards nothing that outlives a test.
pub const STORE_PASSWORD: &str = "keyloom";

/// Where a node finds its key.
pub fn key_store(folder: &Path) -> PathBuf {
    folder.join("node.p12")
}

/// Where a client finds whom to trust, as PEM.
pub fn authority(folder: &Path) -> PathBuf {
    folder.join("authority.pem")
}

/// Makes both in `folder`: an authority, and a key for `address` signed by it.
pub fn write(folder: &Path, address: IpAddr) -> io::Result<()> {
    let store = key_store(folder);
    let key = ["-keyalg", "EC", "-validity", "30"];
    let name = format!("SAN=ip:{address}");
    let of_authority = ["-alias", "authority", "-dname", "CN=Keyloom tests", "-ext", "bc:c"];
    keytool(&store, "-genkeypair", &[&key[..], &of_authority[..]].concat())?;
    let of_node = ["-alias", "node", "-signer", "authority", "-dname", "CN=a node", "-ext", &name];
    keytool(&store, "-genkeypair", &[&key[..], &of_node[..]].concat())?;
    let certificate = keytool(&store, "-exportcert", &["-rfc", "-alias", "authority"])?;
    fs::write(authority(folder), certificate)?;
    // The node must not choose the authority's key for its own.
    keytool(&store, "-delete", &["-alias", "authority"])?;
    Ok(())
}

fn keytool(store: &Path, command: &str, arguments: &[&str]) -> io::Result<Vec<u8>> {
    let output = Command::new("keytool")
        .arg(command)
        .arg("-keystore")
        .arg(store)
        .args(["-storetype", "PKCS12", "-storepass", STORE_PASSWORD])
        .args(arguments)
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Err(io::Error::other(format!("`keytool {command}` fails: {said}")))
}
