//! Finds the commit that is built, for `comity --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A package from a registry contains a file with the commit from which it was made.
    let info = Path::new(".cargo_vcs_info.json");
    let log = root.join(".git/logs/HEAD");
    // If Cargo is told to watch a file that does not exist, it runs this script, and compiles the crate, in each build.
    for watched in [Path::new("build.rs"), info, &log].into_iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let packed = std::fs::read_to_string(info).ok().and_then(|text| {
        let (_, after) = text.split_once("\"sha1\": \"")?;
        after.get(..12).map(str::to_owned)
    });
    let of_git = || {
        // The crate can be in a folder of another repository, whose commit must not be used.
        root.join("crates/comity-cli/build.rs").exists().then_some(())?;
        let output =
            Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).current_dir(&root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let version = env!("CARGO_PKG_VERSION");
    let shown = match packed.or_else(of_git) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=COMITY_VERSION={shown}");
}
