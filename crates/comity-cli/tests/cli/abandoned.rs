//! Temporary files of killed runs: a later run of the same output removes them, and no other files.

use std::fs::{self, File};
use std::path::Path;

use testkit::servers::{Origin, Reply};

use crate::comity;

/// Names that are similar to those of temporary files of `OUT`, but belong to other files.
const KEPT: [&str; 7] = [
    ".OUT.comity-abc12.part",
    ".OUT.comity-abc1234.part",
    ".OUT.comity-abc.12.part",
    ".OUT.comity-abc123.part.txt",
    "OUT.comity-abc123.part",
    ".other-OUT.comity-abc123.part",
    ".OUT.1.part",
];

/// Creates files in a folder, and returns the one that a running process has locked.
fn leave(folder: &Path, output: &str) -> File {
    for name in KEPT {
        fs::write(folder.join(name.replace("OUT", output)), "kept").expect("a file");
    }
    fs::write(folder.join(format!(".{output}.comity-abc123.part")), "abandoned").expect("a file");
    std::os::unix::fs::symlink(folder.join("precious"), folder.join(format!(".{output}.comity-linked.part")))
        .expect("a link");
    fs::write(folder.join("precious"), "kept").expect("a file");
    fs::create_dir(folder.join(format!(".{output}.comity-folder.part"))).expect("a folder");
    let held = File::create(folder.join(format!(".{output}.comity-held00.part"))).expect("a file");
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).expect("a lock");
    held
}

#[track_caller]
fn assert_only_the_abandoned_file_is_removed(folder: &Path, output: &str) {
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name.replace("OUT", output))).is_ok();
    assert!(!is_there(".OUT.comity-abc123.part"), "{output}: the file of the killed run still exists");
    for name in KEPT {
        assert!(is_there(name), "{output}: {name} was removed");
    }
    for name in [".OUT.comity-linked.part", ".OUT.comity-folder.part", ".OUT.comity-held00.part", "precious"]
    {
        assert!(is_there(name), "{output}: {name} was removed");
    }
    let parts = fs::read_dir(folder).expect("a folder").flatten();
    let parts = parts.filter(|entry| entry.file_name().to_string_lossy().contains(".comity-"));
    assert_eq!(parts.count(), 9, "{output}: the run left a temporary file");
}

#[test]
fn temporary_file_of_a_killed_run_is_removed_by_the_next_run_of_its_output() {
    let page = "url,timestamp\nhttps://a.example/x,20240201000000\n";
    let answers =
        "url,timestamp,status,body\nhttps://a.example/robots.txt,20240101000000,200,User-agent: *\n";
    let log = "203.0.113.9 - - [21/Nov/2026:06:20:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"CCBot/2.0\"\n";
    let runs = [
        ("r.txt", "lint --fix r.txt"),
        ("report.txt", "logs --no-config --robots good.txt access.log -o report.txt"),
        ("out.csv", "audit run pages.csv -r robots.csv -a GPTBot -o out.csv"),
        ("index.parquet", "audit index robots.csv -o index.parquet"),
    ];
    for (output, args) in runs {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("r.txt"), "User-agent *\nDisallow: /\n").expect("a file");
        fs::write(at("good.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
        fs::write(at("access.log"), log).expect("a file");
        fs::write(at("pages.csv"), page).expect("a file");
        fs::write(at("robots.csv"), answers).expect("a file");
        let held = leave(folder.path(), output);
        let run = comity(args).dir(folder.path()).run();
        assert!(matches!(run.code, Some(0 | 1)), "{args}: {}{}", run.stdout, run.stderr);
        assert_only_the_abandoned_file_is_removed(folder.path(), output);
        drop(held);
    }
}

#[test]
fn temporary_file_of_a_killed_fetch_is_removed_by_the_next_one() {
    let origin = Origin::start();
    origin.on("/plain", Reply::ok("plain\n"));
    for output in ["page", "report.jsonl"] {
        let folder = tempfile::tempdir().expect("a folder");
        let held = leave(folder.path(), output);
        let flag = if output == "page" { "--output" } else { "--report" };
        comity("fetch --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0 --store memory")
            .args(&format!("{} {flag} {output}", origin.url("/plain")))
            .dir(folder.path())
            .run()
            .exits(0);
        assert_only_the_abandoned_file_is_removed(folder.path(), output);
        drop(held);
    }
}

#[test]
fn scratch_folder_of_a_killed_audit_is_removed_by_the_next_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("pages.csv"), "url,timestamp\nhttps://a.example/x,20240201000000\n").expect("a file");
    let answers =
        "url,timestamp,status,body\nhttps://a.example/robots.txt,20240101000000,200,User-agent: *\n";
    fs::write(at("robots.csv"), answers).expect("a file");
    for name in [".comity-scratch-abc123", ".comity-scratch-held00", ".comity-scratch-mine", ".comity-abc123"]
    {
        fs::create_dir(at(name)).expect("a folder");
        fs::write(at(name).join("rows-1"), "x").expect("a file");
    }
    let held = File::open(at(".comity-scratch-held00")).expect("a folder");
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).expect("a lock");
    comity("audit run pages.csv -r robots.csv -a GPTBot --memory 16M -o out.csv")
        .dir(folder.path())
        .run()
        .exits(0);
    assert!(!at(".comity-scratch-abc123").exists(), "the folder of the killed job still exists");
    for name in [".comity-scratch-held00", ".comity-scratch-mine", ".comity-abc123"] {
        assert!(at(name).join("rows-1").exists(), "{name}");
    }
}
