//! A socket in the file system. A service removes its own socket file, and replaces a stale one.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tokio::net::{UnixListener, UnixStream};

use crate::exit::{Failure, reason};
use crate::render;

/// The file of a socket. Dropping it removes the file, unless another file has replaced it.
///
/// Drop it before the listener: as long as a socket is open, no other file can have its inode.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: Identity,
}

/// The facts that distinguish a socket from another file at the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// Time of creation, which differs even if the file system reuses an inode. `None` if the file system does not
    /// record it.
    created: Option<SystemTime>,
}

impl Identity {
    /// Returns the identity of the socket at a path. Links are not followed.
    fn of(path: &Path) -> Option<Identity> {
        let data = fs::symlink_metadata(path).ok().filter(|data| data.file_type().is_socket())?;
        Some(Identity { device: data.dev(), inode: data.ino(), created: data.created().ok() })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if Identity::of(&self.path) == Some(self.identity) {
            // If this fails, the next service replaces the stale socket.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Listens on a socket that the owner and the group of the process may open. A stale socket is replaced: such a socket
/// refuses connections, because its service was killed.
pub(super) async fn listen(path: &Path) -> Result<(UnixListener, SocketFile), Failure> {
    let name = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::AddrInUse => {
            Failure::new(format!("cannot listen on `{name}`: a file with this name exists"))
                .hint("remove the file, or name another socket")
        }
        _ => Failure::new(format!("cannot listen on `{name}`: {}", reason(&error))),
    };
    if let Some(identity) = Identity::of(path) {
        let refused = UnixStream::connect(path).await.err().map(|error| error.kind());
        if refused != Some(ErrorKind::ConnectionRefused) {
            return Err(Failure::new(format!("another program listens on `{name}`"))
                .hint("name another socket, or end that program"));
        }
        drop(SocketFile { path: path.to_owned(), identity });
    }
    let listener = UnixListener::bind(path).map_err(cannot)?;
    let identity = Identity::of(path).ok_or_else(|| Failure::new(format!("`{name}` was removed")))?;
    let file = SocketFile { path: path.to_owned(), identity };
    fs::set_permissions(path, fs::Permissions::from_mode(0o660)).map_err(cannot)?;
    Ok((listener, file))
}
