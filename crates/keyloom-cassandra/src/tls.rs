//! Encrypted connections: who is believed to be a node.

use std::{path::Path, sync::Arc};

use keyloom_store::Fault;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs::default_provider,
    pki_types::{CertificateDer, pem::PemObject},
};

/// Nodes whose certificate is signed by an authority of this file and names the address that was connected to. The driver
/// connects to addresses and not to names, so a certificate must hold the node's IP address (as a subject alternative name).
pub(crate) fn trusting(authority: &Path) -> Result<Arc<ClientConfig>, Fault> {
    let refuse = |what: String| Fault::refused(format!("`{}`: {what}", authority.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(authority).map_err(|error| refuse(error.to_string()))? {
        let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refuse("there is no certificate in it".to_owned()));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| refuse(error.to_string()))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
