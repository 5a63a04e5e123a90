//! `comity identity`: private keys in a file that only its owner can read, and the published keys.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::comity;

const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";

/// Creates a folder with a new identity, `bot.json`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    comity("identity new https://bot.example -o bot.json").dir(folder.path()).run().exits(0);
    folder
}

/// Returns the public keys in the directory of an identity file.
fn directory(folder: &Path) -> Vec<Value> {
    let directory = comity("identity directory bot.json").dir(folder).run().exits(0).json();
    directory["keys"].as_array().expect("keys").clone()
}

/// Returns the private keys in an identity file.
fn private_keys(folder: &Path) -> Vec<String> {
    let file = fs::read_to_string(folder.join("bot.json")).expect("the file");
    let identity: Value = serde_json::from_str(&file).expect("JSON");
    let keys = identity["keys"].as_array().expect("keys");
    keys.iter().map(|key| key["d"].as_str().expect("a private key").to_owned()).collect()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).expect("the file").permissions().mode() & 0o777
}

#[test]
fn new_identity_file_is_readable_by_its_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = comity("identity new https://bot.example -o bot.json").dir(folder.path()).run().exits(0);
    assert!(made.stderr.contains(&format!("https://bot.example{WELL_KNOWN}")), "{}", made.stderr);
    #[cfg(unix)]
    assert_eq!(mode(&folder.path().join("bot.json")), 0o600);
    let keys = directory(folder.path());
    assert_eq!(keys.len(), 1);
    assert!(keys[0].get("d").is_none());
}

#[test]
fn private_keys_are_never_printed() {
    let folder = folder();
    let commands = [
        "directory bot.json",
        "directory --headers bot.json",
        "serve-snippets nginx bot.json",
        "rotate bot.json",
        "new https://bot.example -o bot.json",
    ];
    for command in commands {
        let run = comity("identity").args(command).dir(folder.path()).run();
        for key in private_keys(folder.path()) {
            assert!(!run.stdout.contains(&key) && !run.stderr.contains(&key), "{command}");
        }
    }
    assert_eq!(private_keys(folder.path()).len(), 2);
}

#[test]
fn existing_file_is_not_overwritten() {
    let folder = folder();
    let before = private_keys(folder.path());
    let again = comity("identity new https://bot.example -o bot.json").dir(folder.path()).run().exits(2);
    assert!(again.stderr.contains("`bot.json` exists already"), "{}", again.stderr);
    assert_eq!(private_keys(folder.path()), before);
}

#[test]
fn each_identity_has_its_own_key() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.json", "b.json"] {
        let run = comity("identity new https://bot.example/keys.json -o").arg(name);
        let made = run.dir(folder.path()).run().exits(0);
        assert!(made.stderr.contains("https://bot.example/keys.json"), "{}", made.stderr);
    }
    let kid = |name: &str| {
        comity("identity directory").arg(name).dir(folder.path()).run().exits(0).json()["keys"][0]["kid"]
            .clone()
    };
    assert_ne!(kid("a.json"), kid("b.json"));
}

#[test]
fn rotation_publishes_both_keys_until_the_old_one_expires() {
    let folder = folder();
    let old = directory(folder.path())[0]["kid"].clone();
    let run = comity("identity rotate bot.json --start 2h --overlap 30m").dir(folder.path()).run().exits(0);
    assert!(run.stderr.contains("starts to sign in 2 h"), "{}", run.stderr);
    let keys = directory(folder.path());
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0]["kid"], old);
    let (ends, begins) =
        (keys[0]["exp"].as_u64().expect("an end"), keys[1]["nbf"].as_u64().expect("a start"));
    assert_eq!(ends - begins, 1_800);
    assert!(keys[0].get("nbf").is_none() && keys[1].get("exp").is_none());
    #[cfg(unix)]
    assert_eq!(mode(&folder.path().join("bot.json")), 0o600);
}

#[test]
fn printed_directory_matches_its_signed_headers() {
    use comity_identity::{Directory, DirectoryProof, Discovery, DiscoveryType};
    let folder = folder();
    let body = comity("identity directory bot.json").dir(folder.path()).run().exits(0).stdout;
    let head = comity("identity directory bot.json --headers").dir(folder.path()).run().exits(0).stdout;
    let headers = comity::http::Headers::parse(head.as_bytes()).expect("header fields");
    let read = Directory::read(body.as_bytes(), DiscoveryType::Directory).expect("a directory");
    let discovery = Discovery::directory("https://bot.example").expect("a place");
    let now = std::time::SystemTime::now();
    let proof = DirectoryProof::check(&discovery, &headers, body.as_bytes(), &read, now);
    assert_eq!(proof.proven(), [read.keys()[0].thumbprint()]);
}

#[cfg(unix)]
#[test]
fn identity_file_readable_by_others_has_a_warning() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let path = folder.path().join("bot.json");
    let quiet = comity("identity directory bot.json").dir(folder.path()).run().exits(0);
    assert_eq!(quiet.stderr, "");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
    let warned = comity("identity directory bot.json").dir(folder.path()).run().exits(0);
    assert!(warned.stderr.contains("other users can access it"), "{}", warned.stderr);
    // The guard refuses the address, so no request is sent.
    let fetch = "fetch --agent ExampleBot --store off --identity bot.json https://127.0.0.1:1/";
    let warned = comity(fetch).dir(folder.path()).run().exits(2);
    assert!(warned.stderr.contains("other users can access it"), "{}", warned.stderr);
}

#[test]
fn snippets_publish_the_path_with_its_media_type() {
    let folder = folder();
    for server in ["nginx", "caddy", "apache", "static"] {
        let run = comity("identity serve-snippets").arg(server).arg("bot.json");
        insta::assert_snapshot!(format!("snippet_{server}"), run.dir(folder.path()).shown());
    }
}

#[test]
fn path_with_special_characters_is_rejected_for_snippets() {
    let folder = tempfile::tempdir().expect("a folder");
    comity("identity new https://bot.example/a;b*/keys -o bot.json").dir(folder.path()).run().exits(0);
    let run = comity("identity serve-snippets nginx bot.json").dir(folder.path()).run().exits(2);
    assert!(run.stderr.contains("`/a;b*/keys`"), "{}", run.stderr);
}

#[test]
fn invalid_identity_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bot.json"), r#"{"d":"secret"}"#).expect("written");
    fs::write(folder.path().join("long.json"), " ".repeat(70_000)).expect("written");
    for command in [
        "directory bot.json",
        "rotate bot.json",
        "serve-snippets nginx bot.json",
        "directory none.json",
        "directory long.json",
    ] {
        let run = comity("identity").args(command).dir(folder.path()).run().exits(2);
        assert!(!run.stderr.contains("secret"), "{}", run.stderr);
    }
    for url in ["http://bot.example", "bot.example", "https://a:b@bot.example"] {
        let run = comity("identity new").arg(url).args("-o other.json").dir(folder.path()).run().exits(2);
        assert!(!run.stderr.contains("a:b"), "{}", run.stderr);
        assert!(!folder.path().join("other.json").exists());
    }
    for time in ["1y", "0", "-1h"] {
        comity("identity rotate bot.json --start").arg(time).dir(folder.path()).run().exits(2);
    }
}
