//! Reads the history of a robots.txt in a Git repository.
//!
//! The repository is not trusted. Only `git rev-parse` runs in it. Its objects are read through an empty temporary
//! repository. So Git uses no hooks, filters or attributes of the untrusted repository, and fetches nothing.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use comity::shown;
use serde::Serialize;
use tempfile::TempDir;

use crate::blobs::{Blobs, first_line, joined};

/// Maximum number of versions that are read.
const MAX_VERSIONS: usize = 10_000;

/// Maximum size of the list of versions, in bytes.
const MAX_LISTED_BYTES: u64 = 16 << 20;

/// An error while reading the history of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The path is not in a repository with a commit.
    #[error("`{0}` is not in a repository with a commit")]
    NoRepository(String),
    /// No commit of the branch contains the file.
    #[error("no commit contains `{0}`")]
    NotCommitted(String),
    /// The program `git` cannot be started, or its output cannot be read.
    #[error("cannot run `git`: {}", shown::reason(.0))]
    Start(#[source] io::Error),
    /// Git reports an error.
    #[error("git: {0}")]
    Failed(String),
    /// Git reports that objects are missing or damaged.
    #[error("git: {0}")]
    Damaged(String),
    /// A temporary repository cannot be created.
    #[error("cannot create a temporary repository: {}", shown::reason(.0))]
    Temporary(#[source] io::Error),
}

/// A version of a robots.txt that is listed in the history, but cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnreadableVersion {
    /// The first digits of the commit ID. `None` means all versions that are older than the listed versions.
    pub commit: Option<String>,
    /// The reason why the version cannot be read.
    pub reason: String,
}

/// The file after a commit that changed it.
pub(crate) struct CommittedVersion {
    /// Time of the commit, in seconds since 1970.
    pub(crate) since: i64,
    /// The first digits of the commit ID.
    pub(crate) commit: String,
    /// The text, or the reason why it cannot be read. The text is empty in a commit that removes the file.
    pub(crate) body: Result<Vec<u8>, String>,
}

/// The versions of a file, newest first.
pub(crate) struct Versions {
    pub(crate) versions: Vec<CommittedVersion>,
    /// The reason why older versions are missing, if they are.
    pub(crate) missing: Option<String>,
}

/// Reads the newest [`MAX_VERSIONS`] versions of a file on the current branch. If the newest ones have `limit` bytes or more,
/// the older ones are not read.
pub(crate) fn versions(path: &Path, limit: usize) -> Result<Versions, GitError> {
    let shown = || shown::bytes(path.as_os_str().as_encoded_bytes()).into_owned();
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        return Err(GitError::NotCommitted(shown()));
    };
    let parse = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix", "HEAD"];
    let output = run(git().arg("-C").arg(folder).args(parse))?;
    if let Some(error) = output.error {
        return Err(GitError::Failed(error));
    }
    let output = String::from_utf8_lossy(&output.bytes).into_owned();
    let lines: Vec<&str> = output.lines().collect();
    let [common, prefix, head] = lines.as_slice() else {
        return Err(GitError::NoRepository(shown()));
    };
    let empty = empty(head)?;
    let objects = Path::new(common).join("objects");
    let plain = || {
        let mut command = git();
        command.env("GIT_DIR", empty.path()).env("GIT_OBJECT_DIRECTORY", &objects);
        command
    };
    let path_inside = format!("{prefix}{name}");
    let max_count = format!("--max-count={MAX_VERSIONS}");
    // Without -m, old versions of Git do not compare a merge with its first parent.
    let list = ["log", "--first-parent", "-m", "--root", "--format=>%ct %H", "--raw", "--no-abbrev"];
    let GitOutput { bytes, error } =
        run(plain().args(list).args(["--no-renames", &max_count, head, "--", &path_inside]))?;
    let mut blobs = Blobs::new(&plain);
    let mut total = 0;
    let versions: Vec<CommittedVersion> =
        listed(&String::from_utf8_lossy(&bytes), path_inside.matches('/').count())
            .into_iter()
            .map(|ListedCommit { since, commit, state }| {
                let body = match state {
                    FileState::Absent => Ok(Vec::new()),
                    FileState::Blob(_) if total >= limit => {
                        Err(format!("the newer versions have {} MiB, the maximum", limit >> 20))
                    }
                    FileState::Blob(id) => blobs.read(&id),
                    FileState::Other => Err("it is not a plain file in this commit".to_owned()),
                };
                total += body.as_ref().map_or(0, Vec::len);
                CommittedVersion { since, commit: commit.get(..12).unwrap_or(&commit).to_owned(), body }
            })
            .collect();
    if versions.is_empty() {
        return Err(error.map_or_else(|| GitError::NotCommitted(shown()), GitError::Damaged));
    }
    Ok(Versions { versions, missing: error })
}

/// A commit that changed the file.
struct ListedCommit {
    since: i64,
    commit: String,
    state: FileState,
}

/// The state of the file after a commit.
enum FileState {
    /// The file does not exist.
    Absent,
    /// A plain file, with the ID of its object.
    Blob(String),
    /// A symbolic link, a folder or a submodule.
    Other,
}

/// Reads the output of `git log --raw`. `depth` is the number of slashes in the path.
fn listed(log: &str, depth: usize) -> Vec<ListedCommit> {
    let mut commits: Vec<ListedCommit> = Vec::new();
    for line in log.lines() {
        if let Some((time, commit)) = line.strip_prefix('>').and_then(|line| line.split_once(' ')) {
            // A version with an invalid time counts as the oldest.
            let since = time.parse().unwrap_or(i64::MIN);
            commits.push(ListedCommit { since, commit: commit.to_owned(), state: FileState::Other });
        } else if let (Some(raw), Some(commit)) = (line.strip_prefix(':'), commits.last_mut()) {
            commit.state = state(raw, depth, std::mem::replace(&mut commit.state, FileState::Other));
        }
    }
    commits
}

/// Returns the state of the file after a change such as `100644 100644 OLD NEW M<tab>PATH`. If the path was a
/// folder, changes of the files in it are ignored: their paths have more slashes.
fn state(raw: &str, depth: usize, before: FileState) -> FileState {
    let Some((change, path)) = raw.split_once('\t') else { return before };
    if path.matches('/').count() != depth {
        return before;
    }
    match change.split(' ').collect::<Vec<_>>().as_slice() {
        [_, _, _, _, "D"] => FileState::Absent,
        [_, "100644" | "100755" | "100664", _, id, _] => FileState::Blob((*id).to_owned()),
        _ => FileState::Other,
    }
}

/// Returns a Git command that ignores the configuration files of the system and the user, and never prompts.
fn git() -> Command {
    let mut command = Command::new("git");
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
    ] {
        command.env_remove(name);
    }
    command
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" }),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_LITERAL_PATHSPECS", "1"),
        ])
        .args(["--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "safe.directory=*"])
        .stdin(Stdio::null());
    command
}

/// The output of a Git command.
struct GitOutput {
    bytes: Vec<u8>,
    /// The error message, if the output is incomplete.
    error: Option<String>,
}

fn run(command: &mut Command) -> Result<GitOutput, GitError> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(GitError::Start)?;
    let error = child.stderr.take().map(first_line);
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MAX_LISTED_BYTES).read_to_end(&mut bytes).map_err(GitError::Start)?;
    }
    if bytes.len() as u64 == MAX_LISTED_BYTES {
        // The process could block forever, since the rest of its output is not read.
        let _ = child.kill();
    }
    let status = child.wait().map_err(GitError::Start)?;
    let error = error.map(joined).unwrap_or_default();
    Ok(GitOutput { bytes, error: (!status.success()).then_some(error) })
}

/// Creates an empty repository with the hash algorithm of the commit ID `head`. Dropping the result removes the repository.
fn empty(head: &str) -> Result<TempDir, GitError> {
    let format = match head.len() {
        64 => "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
        _ => "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    };
    let created = tempfile::Builder::new().prefix("comity-git-").tempdir().and_then(|folder| {
        std::fs::create_dir(folder.path().join("refs"))?;
        std::fs::create_dir(folder.path().join("objects"))?;
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/none\n")?;
        std::fs::write(folder.path().join("config"), format)?;
        Ok(folder)
    });
    created.map_err(GitError::Temporary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_beyond_the_limit_are_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| {
            let mut command = git();
            command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
            command.current_dir(folder.path()).output()
        };
        if run(&["init", "-q"]).is_err() {
            return testkit::skip("`git` is not installed");
        }
        let path = folder.path().join("robots.txt");
        for body in ["# one\n", "# two\n", "# six\n"] {
            std::fs::write(&path, body).unwrap();
            for arguments in [&["add", "robots.txt"][..], &["commit", "-q", "-m", "x"]] {
                let output = run(arguments).unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
        let read = |limit: usize| -> Vec<Option<Vec<u8>>> {
            let versions = versions(&path, limit).unwrap().versions;
            versions.into_iter().map(|version| version.body.ok()).collect()
        };
        let [one, two, six] = ["# one\n", "# two\n", "# six\n"].map(|text| Some(text.as_bytes().to_vec()));
        assert_eq!(read(100), [six.clone(), two.clone(), one]);
        assert_eq!(read(12), [six.clone(), two, None]);
        assert_eq!(read(1), [six, None, None]);
    }
}
