//! Lists the public API of the library crates, one item per line, and compares the list with the committed list.
//!
//! ```text
//! cargo run -p public-surface                compare; fails if an item was added, removed or changed
//! cargo run -p public-surface -- --update    write docs/reference/api/*.txt
//! ```
//!
//! The items come from rustdoc's JSON, which the stable compiler writes with RUSTC_BOOTSTRAP. The version of the JSON
//! format depends on the compiler. If the crate `public-api` does not support the version, the tool compares nothing,
//! and reports that it is skipped.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The library crates, on which other projects can depend.
const CRATES: [&str; 9] = [
    "comity",
    "comity-answers",
    "comity-formats",
    "comity-arrow",
    "comity-client",
    "comity-identity",
    "comity-audit",
    "comity-logs",
    "comity-serve",
];

/// Environment variable that is set if Cargo runs this program instead of rustdoc.
const AS_RUSTDOC: &str = "PUBLIC_SURFACE_AS_RUSTDOC";

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let done = if env::var_os(AS_RUSTDOC).is_some() { rustdoc(&arguments) } else { run(&arguments) };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs rustdoc with the arguments of a documentation test, but writes the documentation as JSON instead of running the
/// tests. Unstable features are enabled only here: if they were also enabled for rustc, Cargo would compile all
/// dependencies again.
fn rustdoc(arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = Command::new("rustdoc");
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--test" | "--no-capture") => {}
            Some("--test-run-directory" | "--test-args") => drop(arguments.next()),
            _ => drop(command.arg(argument)),
        }
    }
    let status = command.env("RUSTC_BOOTSTRAP", "1").env_remove(AS_RUSTDOC).status();
    let status = status.map_err(|error| format!("rustdoc: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let updates = match arguments {
        [] => false,
        [flag] if flag == "--update" => true,
        _ => return Err("unknown argument; the only argument is --update".to_owned()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = std::path::absolute(target).map_err(|error| error.to_string())?;
    if let Some(why) = document(&root, &target)? {
        return skipped(why);
    }
    let mut changed = false;
    for name in CRATES {
        let items = match surface(&target, name) {
            Ok(items) => items,
            Err(why) => return skipped(&why),
        };
        let file = root.join(format!("docs/reference/api/{name}.txt"));
        if updates {
            let text: String = items.iter().map(|item| format!("{item}\n")).collect();
            fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
            println!("{name}: {} items", items.len());
        } else {
            changed |= differs(name, &file, &items)?;
        }
    }
    if changed {
        eprintln!(
            "error: the public API has changed; to accept this, run `cargo run -p public-surface -- --update` and add a \
             line to CHANGELOG.md"
        );
    }
    Ok(if changed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints added and removed items. Returns true if there are any.
fn differs(name: &str, file: &Path, items: &[String]) -> Result<bool> {
    let committed = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let known: BTreeSet<&str> = committed.lines().collect();
    let found: BTreeSet<&str> = items.iter().map(String::as_str).collect();
    known.difference(&found).for_each(|gone| eprintln!("- {gone}"));
    found.difference(&known).for_each(|new| eprintln!("+ {new}"));
    let differs = known != found;
    println!("{name}: {} items, {}", items.len(), if differs { "changed" } else { "as committed" });
    Ok(differs)
}

/// Runs rustdoc, which writes JSON about all crates and fails at a warning. The run of Cargo is that of the documentation
/// tests, because they use the compiled dependencies of the other tests; `cargo doc` would check all of them again.
/// Returns the reason if this compiler writes no JSON.
fn document(root: &Path, target: &Path) -> Result<Option<&'static str>> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let mut cargo = Command::new("cargo");
    // `cargo run` sets environment variables about this package. If Cargo inherited them, build scripts that depend on
    // them would run again, and the crates above them would be compiled again, both in this run and in the next build.
    let names_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    let inherited = env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_str().is_some_and(names_package)) {
        cargo.env_remove(name);
    }
    let folder = format!("--out-dir={}", target.join("doc").display());
    let flags = ["-Dwarnings", "-Zunstable-options", "--output-format=json", &folder].join("\x1f");
    let status = cargo
        .args(["test", "--doc", "--quiet", "--locked", "--workspace", "--all-features", "--target-dir"])
        .arg(target)
        .env("RUSTDOC", this)
        .env("CARGO_ENCODED_RUSTDOCFLAGS", flags)
        .env(AS_RUSTDOC, "1")
        .current_dir(root)
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    match status.success() {
        true => Ok(None),
        false if writes_json(target) => Err("rustdoc failed".to_owned()),
        false => Ok(Some("rustdoc writes no JSON")),
    }
}

/// Returns the public items of a crate, without blanket, auto trait and derived implementations. Returns the reason as
/// the error if the output of rustdoc cannot be read.
fn surface(target: &Path, name: &str) -> std::result::Result<Vec<String>, String> {
    let json = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    let api = api.map_err(|error| error.to_string())?;
    Ok(api.items().map(ToString::to_string).collect())
}

/// Reports that the comparison is skipped, with the reason. Fails if COMITY_SKIPS forbids skipped checks.
fn skipped(why: &str) -> Result<ExitCode> {
    eprintln!("SKIPPED: public surface: this compiler's output cannot be used: {why}");
    let is_forbidden = std::env::var_os("COMITY_SKIPS").is_some_and(|value| value == "forbidden");
    Ok(if is_forbidden { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns true if rustdoc writes JSON for an empty crate.
fn writes_json(target: &Path) -> bool {
    let folder = target.join("public-surface");
    let source = folder.join("nothing.rs");
    let is_written = fs::create_dir_all(&folder).and_then(|()| fs::write(&source, "//! Nothing.\n")).is_ok();
    let mut command = Command::new("rustdoc");
    command.arg(&source).args(["-Zunstable-options", "--output-format=json", "--out-dir"]).arg(&folder);
    is_written && command.env("RUSTC_BOOTSTRAP", "1").output().is_ok_and(|output| output.status.success())
}
