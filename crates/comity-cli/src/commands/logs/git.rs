//! The history of a robots.txt in a Git repository.
//!
//! What a repository says of itself is not believed: its objects are read through an empty repository of one's own, so that
//! none of its hooks, filters, settings and attributes is looked at, and nothing is fetched.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::exit::{Failure, reason};
use crate::render;

/// The largest number of versions that are read.
const MOST: usize = 10_000;

/// The largest size of what a repository says at once. Nothing of a robots.txt counts that is further in, and a list of versions
/// is shorter.
const MOST_BYTES: u64 = 1 << 20;

/// A version: since when it was committed in seconds since 1970, its commit, its text. A commit without the file has an empty
/// one.
pub(super) struct Committed {
    pub(super) since: i64,
    pub(super) commit: String,
    pub(super) body: Vec<u8>,
}

/// Reads every version of a file that the current branch had.
pub(super) fn versions(path: &Path) -> Result<Vec<Committed>, Failure> {
    let shown = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        return Err(Failure::new(format!("`{shown}` names no file")));
    };
    let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix", "HEAD"];
    let told = run(git().arg("-C").arg(folder).args(asked))?;
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
    let listed =
        run(plain().args(["rev-list", "--first-parent", "--timestamp", &most, head, "--", &inside]))?;
    let mut versions = Vec::new();
    for line in String::from_utf8_lossy(&listed).lines() {
        let Some((time, commit)) = line.split_once(' ') else { continue };
        let Ok(since) = time.parse() else { continue };
        let object = format!("{commit}:{inside}");
        let listing = run(plain().args(["ls-tree", "-z", "--name-only", commit, "--", &inside]))
            .map_err(|failure| unreadable(&shown, commit, failure))?;
        // A commit that removed the file lists none. A listed file that cannot be read is not an empty one.
        let body = match listing.is_empty() {
            true => Vec::new(),
            false => run(plain().args(["cat-file", "blob", &object]))
                .map_err(|failure| unreadable(&shown, commit, failure))?,
        };
        versions.push(Committed { since, commit: commit.get(..12).unwrap_or(commit).to_owned(), body });
    }
    if versions.is_empty() {
        return Err(Failure::new(format!("no commit has `{shown}`"))
            .hint("name a file of the repository: git:public/robots.txt"));
    }
    Ok(versions)
}

/// Returns the failure for a version that the repository lists but cannot provide, as in a partial clone.
fn unreadable(shown: &str, commit: &str, failure: Failure) -> Failure {
    let commit = commit.get(..12).unwrap_or(commit);
    Failure::new(format!("cannot read `{shown}` of commit {commit}: {failure}"))
        .hint("fetch the missing objects (`git fetch --refetch`), or check the repository with `git fsck`")
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

fn run(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("git cannot be started: {}", reason(&error)))
            .hint("git:PATH needs the program git; a folder of versions does without")
    };
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    // Whoever has much to complain about must not wait for a reader.
    let complaints = child.stderr.take().map(|stderr| std::thread::spawn(move || first_line(stderr)));
    let mut told = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MOST_BYTES).read_to_end(&mut told).map_err(failed)?;
    }
    let is_cut = told.len() as u64 == MOST_BYTES;
    if is_cut {
        // It may have more to say, which nobody reads.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    let complaint = complaints.and_then(|complaints| complaints.join().ok()).unwrap_or_default();
    if status.success() || is_cut {
        return Ok(told);
    }
    Err(Failure::new(format!("git: {}", render::text(complaint.trim_start_matches("fatal: ").as_bytes()))))
}

fn first_line(bytes: impl Read) -> String {
    let mut line = Vec::new();
    // What cannot be read was not said.
    let _ = bytes.take(4_096).read_to_end(&mut line);
    String::from_utf8_lossy(&line).lines().next().unwrap_or_default().to_owned()
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
