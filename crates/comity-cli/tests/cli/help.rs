//! Help, completions and manual pages, which are generated from one definition.

use crate::comity;
use insta::assert_snapshot;

/// Returns the commands in the order of the help.
fn commands() -> Vec<String> {
    let help = comity("-h").run().exits(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn help_of_the_command() {
    assert_snapshot!(comity("--help").shown());
    assert_snapshot!(comity("-h").shown());
    assert_snapshot!(comity("").shown());
    assert_snapshot!(comity("chekc").shown());
}

#[test]
fn help_of_every_command_has_examples() {
    for command in &commands() {
        let help = comity(command).arg("--help").run().exits(0);
        assert!(help.stdout.contains("Examples:"), "{command}");
        assert!(help.stdout.contains(&format!("comity {command}")), "{command}");
        assert_snapshot!(format!("help_{command}"), help.stdout);
    }
}

#[test]
fn version_option_prints_number_and_commit() {
    let outcome = comity("--version").run().exits(0);
    let version = format!("comity {}", env!("CARGO_PKG_VERSION"));
    let rest = outcome.stdout.strip_prefix(&version).expect("the version").trim();
    let commit = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let is_commit = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(rest.is_empty() || commit.is_some_and(is_commit), "{rest}");
    comity("check --version").run().exits(0);
}

#[test]
fn completion_script_of_every_shell_lists_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = comity("completions").arg(shell).run().exits(0).stdout;
        let commands = commands();
        for word in commands.iter().map(String::as_str).chain(["robots", "rfc9309", "missing-colon"]) {
            let is_known = script.contains(word);
            // Some generators omit the values of options.
            assert!(is_known || ["rfc9309", "missing-colon"].contains(&word), "{shell}: {word}");
        }
    }
    assert_snapshot!(comity("completions bsh").shown());
}

#[test]
fn completion_script_for_bash_is_valid() {
    let script = comity("completions bash").run().exits(0).stdout;
    assert!(script.contains("rfc9309") && script.contains("missing-colon"));
    let Ok(status) = std::process::Command::new("bash").args(["-n", "-c", &script]).status() else {
        return; // no bash here
    };
    assert!(status.success());
}

#[test]
fn manual_page_of_a_command_is_printed() {
    let main = comity("man").run().exits(0).stdout;
    assert!(
        main.contains(".TH comity 1") && main.contains("EXTRA") || main.contains("Exit status"),
        "{main}"
    );
    let check = comity("man check").run().exits(0).stdout;
    assert!(check.contains(".TH comity-check 1") && check.contains("Examples:"), "{check}");
    assert_snapshot!(comity("man nothing").shown());
}

#[test]
fn dir_option_writes_a_manual_page_per_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man1");
    let outcome = comity("man --dir").arg(&pages.display().to_string()).run().exits(0);
    // One page for the main command, and one for each subcommand of `cache`, `audit` and `identity`.
    assert_eq!(outcome.stdout.lines().count(), commands().len() + 1 + 4 + 5 + 5);
    for command in &commands() {
        let page = std::fs::read_to_string(pages.join(format!("comity-{command}.1"))).expect("a page");
        assert!(page.starts_with(".ie"), "{command}");
    }
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").expect("a file");
    let outcome = comity("man --dir").arg(&blocked.display().to_string()).run().exits(2);
    assert!(outcome.stderr.starts_with("error: cannot write"), "{}", outcome.stderr);
}
