//! `comity config`: the precedence of the layers.

use std::path::Path;

use insta::assert_snapshot;

use crate::{Outcome, comity};

/// Runs `comity config --json` in a folder, with another folder as the user's folder for configuration.
fn config(args: &str, here: &Path, user: &Path, env: &[(&'static str, &str)]) -> Outcome {
    let mut run =
        comity("config --json").args(args).env("XDG_CONFIG_HOME", &user.display().to_string()).dir(here);
    for (name, value) in env {
        run = run.env(name, value);
    }
    run.run()
}

/// Returns the value and the source of a setting.
fn setting(outcome: &Outcome, key: &str) -> (String, String) {
    let report = outcome.json();
    let settings = report["settings"].as_array().expect("settings");
    let line = settings.iter().find(|line| line["key"] == key).expect("the setting");
    let source = match line["source"]["name"].as_str() {
        Some(name) => name.to_owned(),
        None => line["source"]["kind"].as_str().expect("a kind").to_owned(),
    };
    (line["value"].to_string(), source)
}

#[test]
fn setting_has_the_value_of_the_highest_layer() {
    let folder = tempfile::tempdir().unwrap();
    let (here, user) = (folder.path().join("here"), folder.path().join("user"));
    std::fs::create_dir_all(&here).unwrap();
    std::fs::create_dir_all(user.join("comity")).unwrap();
    let is = |args: &str, env: &[(&'static str, &str)], value: &str, source: &str| {
        let outcome = config(args, &here, &user, env).exits(0);
        let (found, from) = setting(&outcome, "pace.min_interval_seconds");
        assert_eq!(
            (found.as_str(), from.replace(&*user.to_string_lossy(), "~")),
            (value, source.to_owned()),
            "{args}"
        );
    };
    is("", &[], "1.0", "default");
    std::fs::write(user.join("comity/config.toml"), "[pace]\nmin_interval_seconds = 2\n").unwrap();
    is("", &[], "2", "~/comity/config.toml:2");
    is("", &[("COMITY_MIN_INTERVAL", "4s")], "4.0", "COMITY_MIN_INTERVAL");
    is("", &[("COMITY_PACE_MIN_INTERVAL_SECONDS", "3s")], "3.0", "COMITY_PACE_MIN_INTERVAL_SECONDS");
    let both = [("COMITY_PACE_MIN_INTERVAL_SECONDS", "3s"), ("COMITY_MIN_INTERVAL", "4s")];
    is("", &both, "4.0", "COMITY_MIN_INTERVAL");
    is("--min-interval 5", &[("COMITY_MIN_INTERVAL", "4s")], "5.0", "--min-interval");
    is("--no-config", &[], "1.0", "default");
    std::fs::write(here.join("other.toml"), "[pace]\nmin_interval_seconds = 6\n").unwrap();
    is("--config other.toml", &[], "6", "other.toml:2");
    is("", &[("COMITY_CONFIG", "other.toml")], "6", "other.toml:2");
}

/// In the settings file of a project, only `[lint]` applies. Network settings are ignored with a warning.
#[test]
fn settings_file_of_a_project_never_changes_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let (here, user) = (folder.path(), folder.path().join("none"));
    let text = "[lint]\nmissing-colon = \"deny\"\n\n[guard]\nallow_address = [\"127.0.0.0/8\"]\n\n[pace]\nmin_interval_seconds = 3\n";
    std::fs::write(here.join("comity.toml"), text).unwrap();
    let outcome = config("", here, &user, &[]).exits(0);
    assert_eq!(setting(&outcome, "pace.min_interval_seconds"), ("1.0".to_owned(), "default".to_owned()));
    assert_eq!(setting(&outcome, "guard.allow_address"), ("[]".to_owned(), "default".to_owned()));
    for message in [
        "./comity.toml:5: `guard.allow_address`, `pace.min_interval_seconds` are ignored",
        "--config comity.toml",
        "none/comity/config.toml",
    ] {
        assert!(outcome.stderr.contains(message), "{message}: {}", outcome.stderr);
    }
    for quiet in ["--no-config", "--config comity.toml"] {
        let outcome = config(quiet, here, &user, &[]);
        assert!(!outcome.stderr.contains("are ignored"), "{quiet}: {}", outcome.stderr);
    }
    let origin = testkit::servers::Origin::start();
    let check = comity("check --agent a --store memory").arg(&origin.url("/")).dir(here).run().exits(2);
    assert!(check.stderr.contains("`guard.allow_address`"), "{}", check.stderr);
    assert_eq!(origin.requests().len(), 0, "the file changed the guard");
    std::fs::write(here.join("comity.toml"), "[lint]\nmissing-colon = \"deny\"\n").unwrap();
    assert_eq!(config("", here, &user, &[]).exits(0).stderr, "");
}

#[test]
fn invalid_setting_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (here, user) = (folder.path(), folder.path().join("none"));
    std::fs::write(here.join("ours.toml"), "[robots]\npreset = \"gogle\"\n").unwrap();
    let outcome = config("--config ours.toml", here, &user, &[]).exits(2);
    assert!(
        outcome.stderr.starts_with("error: ours.toml:2:10: unknown preset `gogle`; must be one of: rfc9309"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
    let outcome = config("--no-config", here, &user, &[("COMITY_PRESET", "gogle")]).exits(2);
    assert!(
        outcome.stderr.starts_with("error: environment variable COMITY_PRESET: unknown preset"),
        "{}",
        outcome.stderr
    );
    let outcome = config("--config missing.toml", here, &user, &[]).exits(2);
    assert!(
        outcome.stderr.starts_with("error: cannot read `missing.toml`: no such file"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn output_is_a_valid_settings_file() {
    let args = "--contact https://example.com/bot --allow-address 127.0.0.1 --store memory";
    assert_snapshot!(comity("config --no-config").args(args).shown());
    let folder = tempfile::tempdir().unwrap();
    let text = comity("config --no-config").args(args).run().exits(0).stdout;
    std::fs::write(folder.path().join("ours.toml"), text).unwrap();
    let outcome = config("--config ours.toml", folder.path(), &folder.path().join("none"), &[]).exits(0);
    assert_eq!(setting(&outcome, "agent.contact").0, "\"https://example.com/bot\"");
    assert_eq!(setting(&outcome, "store.location").0, "\"memory\"");
}

#[test]
fn output_contains_no_secrets() {
    for form in ["", "--json"] {
        let run = comity("config --no-config --store redis://:hunter2@cache/1").args(form);
        let run = run.args("--proxy http://user:hunter2@proxy.example:3128");
        let outcome = run.arg("--header").arg("Authorization: Bearer hunter2").run().exits(0);
        assert!(!outcome.stdout.contains("hunter2"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("Authorization: ...") && outcome.stdout.contains("proxy.example"));
    }
}

/// Tests the table of settings in `docs/reference/settings.md`, which is generated from `comity config`.
#[test]
fn documentation_of_settings_matches_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/settings.md");
    let docs = std::fs::read_to_string(path).expect("docs/reference/settings.md");
    let marker = "<!-- settings: written by UPDATE_DOCS=1 cargo test -p comity-cli -->\n";
    let (text, table) = docs.split_once(marker).expect("the marker");
    let expected = settings_table();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, format!("{text}{marker}{expected}")).expect("docs/reference/settings.md");
        return;
    }
    assert_eq!(table, expected, "UPDATE_DOCS=1 cargo test -p comity-cli updates it");
}

fn settings_table() -> String {
    let report = comity("config --json --no-config").run().exits(0).json();
    let mut table = String::new();
    let mut last = "";
    for line in report["settings"].as_array().expect("settings") {
        let text = |name: &str| line[name].as_str().unwrap_or_default();
        let (section, key) = text("key").split_once('.').expect("a section");
        if section != last {
            table +=
                &format!("\n### `[{section}]`\n\n| key | default | flag, variable | |\n|---|---|---|---|\n");
            last = section;
        }
        let default = match (key, &line["value"]) {
            ("location", _) => "a file in the cache folder".to_owned(),
            (_, serde_json::Value::Null) => "not set".to_owned(),
            (_, value) => format!("`{value}`"),
        };
        let flag = line["flag"].as_str().map(|flag| format!("`{flag}`, ")).unwrap_or_default();
        table += &format!("| `{key}` | {default} | {flag}`{}` | {} |\n", text("variable"), text("about"));
    }
    table
}
