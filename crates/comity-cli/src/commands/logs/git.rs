//! The history of a robots.txt in a Git repository.
//!
//! What a repository says of itself is not believed: its objects are read through an empty repository of one's own, so that
//! none of its hooks, filters, settings and attributes is looked at, and nothing is fetched.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::blobs::{Blobs, first_line, said};
use crate::exit::{Failure, reason};
use crate::render;

/// The largest number of versions that are read.
const MOST: usize = 10_000;

/// Maximum size of a list of versions.
const MOST_LISTED: u64 = 16 << 20;

/// A version of the file in a commit.
pub(super) struct Committed {
    /// Commit time in seconds since 1970.
    pub(super) since: i64,
    /// The first digits of the commit's id.
    pub(super) commit: String,
    /// The text, which is empty in a commit that removes the file, or the reason why it cannot be read.
    pub(super) body: Result<Vec<u8>, String>,
}

/// The versions of a file, newest first.
pub(super) struct Versions {
    pub(super) versions: Vec<Committed>,
    /// The reason why older versions are not listed, if there is one.
    pub(super) cut: Option<String>,
}

/// Reads every version of a file that the current branch had.
pub(super) fn versions(path: &Path) -> Result<Versions, Failure> {
    let shown = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        return Err(Failure::new(format!("`{shown}` names no file")));
    };
    let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix", "HEAD"];
    let told = run(git().arg("-C").arg(folder).args(asked))?.complete()?;
    let told = String::from_utf8_lossy(&told).into_owned();
    let lines: Vec<&str> = told.lines().collect();
    let [common, prefix, head] = lines.as_slice() else {
        return Err(Failure::new(format!("`{shown}` is not in a repository with a commit")));
    };
    let empty = empty(head)?;
    let objects = Path::new(common).join("objects");
    let plain = || {
        let mut command = git();
        command.env("GIT_DIR", empty.path()).env("GIT_OBJECT_DIRECTORY", &objects);
        command
    };
    let inside = format!("{prefix}{name}");
    let most = format!("--max-count={MOST}");
    // With -m, a merge is compared with its first parent by old versions of Git too.
    let list = ["log", "--first-parent", "-m", "--root", "--format=>%ct %H", "--raw", "--no-abbrev"];
    let Told { bytes, complaint } =
        run(plain().args(list).args(["--no-renames", &most, head, "--", &inside]))?;
    let mut blobs = Blobs::new(&plain);
    let versions: Vec<Committed> = listed(&String::from_utf8_lossy(&bytes), inside.matches('/').count())
        .into_iter()
        .map(|Listed { since, commit, state }| {
            let body = match state {
                State::Absent => Ok(Vec::new()),
                State::Blob(id) => blobs.read(&id),
                State::Other => Err("it is not a plain file there".to_owned()),
            };
            Committed { since, commit: commit.get(..12).unwrap_or(&commit).to_owned(), body }
        })
        .collect();
    if versions.is_empty() {
        if let Some(complaint) = complaint {
            return Err(Failure::new(format!("git: {complaint}")).hint(REPAIR));
        }
        return Err(Failure::new(format!("no commit has `{shown}`"))
            .hint("name a file of the repository: git:public/robots.txt"));
    }
    Ok(Versions { versions, cut: complaint })
}

/// The way out where a repository cannot provide what it lists, as a partial clone.
pub(super) const REPAIR: &str =
    "fetch the missing objects (`git fetch --refetch`), or check the repository with `git fsck`";

/// A commit that changed the file.
struct Listed {
    since: i64,
    commit: String,
    state: State,
}

/// The file after a commit.
enum State {
    Absent,
    /// A plain file, and its object's id.
    Blob(String),
    /// A link, a folder or another repository.
    Other,
}

/// Reads the output of `git log --raw`. `depth` is the number of slashes in the path.
fn listed(log: &str, depth: usize) -> Vec<Listed> {
    let mut commits: Vec<Listed> = Vec::new();
    for line in log.lines() {
        if let Some((time, commit)) = line.strip_prefix('>').and_then(|line| line.split_once(' ')) {
            // A time that no calendar has sorts first, and the version remains.
            let since = time.parse().unwrap_or(i64::MIN);
            commits.push(Listed { since, commit: commit.to_owned(), state: State::Other });
        } else if let (Some(raw), Some(commit)) = (line.strip_prefix(':'), commits.last_mut()) {
            commit.state = state(raw, depth, std::mem::replace(&mut commit.state, State::Other));
        }
    }
    commits
}

/// Returns the file's state after a change: `100644 100644 OLD NEW M<tab>PATH`. A path that is longer than the file's is in a
/// folder of that name.
fn state(raw: &str, depth: usize, before: State) -> State {
    let Some((change, path)) = raw.split_once('\t') else { return before };
    if path.matches('/').count() != depth {
        return before;
    }
    match change.split(' ').collect::<Vec<_>>().as_slice() {
        [_, _, _, _, "D"] => State::Absent,
        [_, "100644" | "100755" | "100664", _, id, _] => State::Blob((*id).to_owned()),
        _ => State::Other,
    }
}

/// Git without settings of the machine and of the user, and without questions.
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

/// The output of a run of Git.
struct Told {
    bytes: Vec<u8>,
    /// The reason why it is not complete, if there is one.
    complaint: Option<String>,
}

impl Told {
    fn complete(self) -> Result<Vec<u8>, Failure> {
        match self.complaint {
            None => Ok(self.bytes),
            Some(complaint) => Err(Failure::new(format!("git: {complaint}"))),
        }
    }
}

fn run(command: &mut Command) -> Result<Told, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("git cannot be started: {}", reason(&error)))
            .hint("git:PATH needs the program git; a folder of versions does without")
    };
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let complaints = child.stderr.take().map(first_line);
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MOST_LISTED).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() as u64 == MOST_LISTED {
        // The rest is not read, so that the process cannot end by itself.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    let complaint = complaints.map(said).unwrap_or_default();
    Ok(Told { bytes, complaint: (!status.success()).then_some(complaint) })
}

/// Makes an empty repository for commits of the kind of `head`. It is removed when it is dropped.
fn empty(head: &str) -> Result<TempDir, Failure> {
    let format = match head.len() {
        64 => "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
        _ => "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    };
    let made = tempfile::Builder::new().prefix("comity-git-").tempdir().and_then(|folder| {
        std::fs::create_dir(folder.path().join("refs"))?;
        std::fs::create_dir(folder.path().join("objects"))?;
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/none\n")?;
        std::fs::write(folder.path().join("config"), format)?;
        Ok(folder)
    });
    made.map_err(|error| Failure::new(format!("cannot make a folder for a while: {}", reason(&error))))
}
