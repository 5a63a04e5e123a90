//! Options for signing requests: the identity, and when it signs.

use std::path::{Path, PathBuf};

use comity_identity::{Identity, ReadIdentityError};
use tracing::warn;

use crate::setting::section::section;

comity::words! {
    /// The condition for signing a request. In a file: `always`, `when_challenged`.
    ///
    /// In both cases, requests over `http:` are not signed, since the signature could be intercepted.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Sign as "time to sign" {
        /// Every request. The default.
        #[default]
        Always = "always",
        /// Requests to origins that require a signature, with `Accept-Signature` in an answer with 401, 403 or 429. The
        /// refused request is sent once more, signed and in its own slot. After that, requests to the origin are signed
        /// for an hour.
        WhenChallenged = "when_challenged",
    }
}

crate::setting::value::named!(Sign);

section! {
    /// The identity that signs requests. See [`identity`](crate::identity).
    pub struct IdentityOptions = "identity" {
        /// Sign requests with the identity in this file, which holds private keys.
        file: Option<PathBuf> = None, "file", flag "identity";
        /// When requests are signed: always, or when_challenged (401, 403, 429 with Accept-Signature).
        sign: Sign = Sign::Always, "sign";
    }
}

/// Reads an identity from a file that [`Identity::to_json`] wrote. Logs a warning if users other than the owner of the
/// file have access to it.
///
/// # Errors
///
/// [`IdentityFileError`] if the file cannot be read, or does not contain an identity. The error does not quote the
/// file, since the file contains private keys.
pub fn read_file(path: &Path) -> Result<Identity, IdentityFileError> {
    let error = |fault| IdentityFileError { path: path.to_owned(), fault };
    let file = std::fs::File::open(path).map_err(|fault| error(ReadIdentityError::Io(fault)))?;
    warn_if_shared(path, &file);
    Identity::read(file).map_err(error)
}

#[cfg(unix)]
fn warn_if_shared(path: &Path, file: &std::fs::File) {
    use std::os::unix::fs::PermissionsExt as _;

    if file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
        let path = path.display();
        warn!(%path, "other users have access to the file with private keys; run `chmod 600` on it");
    }
}

#[cfg(not(unix))]
fn warn_if_shared(_: &Path, _: &std::fs::File) {}

/// The error for an identity that cannot be read from a file. It does not quote the file.
#[derive(Debug, thiserror::Error)]
#[error("the identity in {} cannot be used: {fault}", path.display())]
pub struct IdentityFileError {
    path: PathBuf,
    #[source]
    fault: ReadIdentityError,
}
