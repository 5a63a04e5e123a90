//! Conventions of all commands: formats, examples, short flags, the exit status for each cause.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use testkit::servers::{DnsAnswer, DnsServer, Origin, Reply};

use crate::{Run, comity};

/// Returns the names of all commands and subcommands: `check`, `cache purge`.
fn commands() -> Vec<String> {
    fn below(path: &str, found: &mut Vec<String>) {
        let help = comity(path).arg("-h").run().exits(0).stdout;
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            // A continuation line is indented further.
            let Some(name) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
            let name = name.split_whitespace().next().unwrap_or_default();
            let path = format!("{path} {name}").trim().to_owned();
            if name != "help" || path == "help" {
                found.push(path.clone());
                below(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    below("", &mut found);
    found
}

/// Commands without `--format`: their output has only one form, or they have subcommands.
const WITHOUT_FORMATS: [&str; 13] = [
    "help",
    "completions",
    "man",
    "cache",
    "audit",
    "new",
    "serve",
    "mcp",
    "identity",
    "identity new",
    "identity directory",
    "identity serve-snippets",
    "identity rotate",
];

#[test]
fn every_command_has_formats_examples_and_the_exit_table() {
    let all = commands();
    assert!(all.len() > 20 && all.iter().any(|path| path == "cache purge"), "{all:?}");
    for path in &all {
        let (short, long) = (comity(path).arg("-h").run().stdout, comity(path).arg("--help").run().stdout);
        for help in [&short, &long] {
            let examples = help.find("\nExamples:\n").unwrap_or_else(|| panic!("{path} has no examples"));
            let options = help.find("\nOptions:\n").unwrap_or(help.len());
            let arguments = help.find("\nArguments:\n").unwrap_or(help.len());
            assert!(examples < options.min(arguments), "{path}: examples come first");
            assert!(help[examples..].contains(&format!("comity {path}")), "{path}");
            let has = help.contains("--format <FORMAT>") && help.contains("--json");
            assert_eq!(has, !WITHOUT_FORMATS.contains(&path.as_str()), "{path}: --format and --json");
        }
        assert!(
            long.contains(
                "Exit status:\n  0  success: every URL is allowed, no finding fails the command, no change\n"
            ),
            "{path}"
        );
    }
}

#[test]
fn short_flag_has_one_meaning() {
    let mut meanings: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for path in commands() {
        let help = comity(&path).arg("-h").run().stdout;
        for line in help.lines().map(str::trim_start).filter(|line| line.starts_with('-')) {
            let Some((short, rest)) = line.split_once(", --") else { continue };
            let long = rest.split([' ', '<']).next().unwrap_or_default().to_owned();
            meanings.entry(short.to_owned()).or_default().insert(long, path.clone());
        }
    }
    let expected = [
        ("-V", "version"),
        ("-a", "agent"),
        ("-d", "dialect"),
        ("-f", "format"),
        ("-h", "help"),
        ("-j", "jobs"),
        ("-o", "output"),
        ("-p", "preset"),
        ("-q", "quiet"),
        ("-r", "robots"),
    ];
    let found: Vec<(String, Vec<String>)> =
        meanings.into_iter().map(|(short, long)| (short, long.into_keys().collect())).collect();
    let expected: Vec<(String, Vec<String>)> =
        expected.iter().map(|(short, long)| ((*short).to_owned(), vec![(*long).to_owned()])).collect();
    assert_eq!(found, expected);
}

/// Causes of an exit status: results of the request for robots.txt, the guard, and a wrong argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Served,
    Missing,
    Unavailable,
    NoAddress,
    Silent,
    Html,
    Guard,
    BadArgument,
}

const CAUSES: [Cause; 8] = [
    Cause::Served,
    Cause::Missing,
    Cause::Unavailable,
    Cause::NoAddress,
    Cause::Silent,
    Cause::Html,
    Cause::Guard,
    Cause::BadArgument,
];

/// Commands about a site, and the exit status for each cause, in the order of [`CAUSES`]. `{}` is replaced by a page
/// of the site.
const EXITS: [(&str, [i32; 8]); 11] = [
    ("check --agent ExampleBot {}", [0, 0, 1, 1, 1, 0, 2, 2]),
    ("explain --agent ExampleBot {}", [0, 0, 1, 1, 1, 0, 2, 2]),
    ("lint {}", [0, 0, 2, 2, 2, 1, 2, 2]),
    ("inspect {}", [0, 0, 2, 2, 2, 0, 2, 2]),
    ("matrix {}", [0, 0, 2, 2, 2, 0, 2, 2]),
    ("diff empty.txt {}", [0, 0, 2, 2, 2, 0, 2, 2]),
    ("page --agent ExampleBot --profile google {}", [0, 0, 1, 2, 1, 0, 2, 2]),
    ("usage --agent ExampleBot {}", [0, 0, 0, 0, 0, 0, 2, 2]),
    ("llms {}llms.txt", [0, 0, 1, 2, 1, 0, 2, 2]),
    ("sitemap {}sitemap.xml", [0, 0, 1, 2, 1, 0, 2, 2]),
    ("fetch {}", [0, 0, 1, 2, 1, 0, 2, 2]),
];

/// Returns a run of a command under the conditions of a cause.
fn run_under(cause: Cause, command: &str, origin: &Origin, names: &DnsServer) -> Run {
    let flags = "--store memory --no-config --min-interval 0 --retries 0 --timeout 1";
    let (url, more) = match cause {
        Cause::NoAddress => {
            ("http://nowhere.example/".to_owned(), format!("--nameserver {}", names.address()))
        }
        Cause::Guard => (origin.url("/"), String::new()),
        Cause::BadArgument => (origin.url("/"), "--no-such-flag".to_owned()),
        _ => (origin.url("/"), "--allow-address 127.0.0.0/8".to_owned()),
    };
    comity(&command.replace("{}", &url)).args(flags).args(&more)
}

#[test]
fn exit_status_of_each_command_and_cause_matches_the_table() {
    let names = DnsServer::start();
    names.on("nowhere.example", DnsAnswer::nxdomain());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("empty.txt"), "").expect("a file");
    for (index, cause) in CAUSES.into_iter().enumerate() {
        let origin = Origin::start();
        origin
            .on("/", Reply::html("<title>A page</title>"))
            .on("/llms.txt", Reply::ok("# Site\n"))
            .on("/sitemap.xml", Reply::ok("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"/>"));
        let robots = match cause {
            Cause::Unavailable => Reply::status(503),
            Cause::Silent => Reply::hang(),
            Cause::Html => Reply::html_soft_404(),
            Cause::Missing => Reply::status(404),
            _ => Reply::ok(""),
        };
        origin.on("/robots.txt", robots);
        for (command, exits) in EXITS {
            let outcome = run_under(cause, command, &origin, &names).dir(folder.path()).run();
            assert_eq!(
                outcome.code,
                Some(exits[index]),
                "{cause:?}: {command}\n{}\n{}",
                outcome.stdout,
                outcome.stderr
            );
        }
    }
}

#[test]
fn each_input_has_one_row_in_order() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    let urls = [
        origin.url("/private"),
        "http://169.254.169.254/x".to_owned(),
        "/with space".to_owned(),
        "mailto:a@example.com".to_owned(),
        origin.url("/x"),
    ];
    let list = format!("# a list\n\n{}\n", urls.join("\n\n"));
    for command in ["check", "explain"] {
        let run = comity(command)
            .args("--json --agent ExampleBot --agent GPTBot --store memory --no-config --allow-address 127.0.0.0/8")
            .args("--min-interval 0 --robots-max-age 1d")
            .stdin(&list);
        let rows = run.run().exits(2).json_lines();
        let found: Vec<&str> = rows.iter().filter_map(|row| row["url"].as_str()).collect();
        let expected: Vec<&str> = urls.iter().flat_map(|url| [url.as_str(), url.as_str()]).collect();
        assert_eq!(found, expected, "{command}");
        let errors: Vec<bool> = rows.iter().map(|row| row["error"].is_string()).collect();
        assert_eq!(errors, [false, false, true, true, true, true, true, true, false, false], "{command}");
        assert!(rows.iter().all(|row| row["allowed"].is_boolean()), "{command}");
    }
}

#[test]
fn urls_are_read_from_arguments_lists_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("a file");
    std::fs::write(folder.path().join("urls.txt"), "# list\n/b\n\n  /c  \n").expect("a file");
    let urls = |args: &str| {
        let run = comity(args).dir(folder.path()).stdin("/d\n");
        let rows = run.args("--agent a --json").run().exits(0).json_lines();
        rows.iter().map(|row| row["url"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(urls("check /a --urls urls.txt"), ["/a", "/b", "/c"]);
    assert_eq!(urls("check /a - --urls urls.txt"), ["/a", "/d", "/b", "/c"]);
    assert_eq!(urls("explain --urls urls.txt --urls -"), ["/b", "/c", "/d"]);
    assert_eq!(urls("check"), ["/d"]);
}

#[test]
fn robots_txt_files_are_found_by_folder_pattern_and_list() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in ["a/robots.txt", "b/shop-robots.txt", "b/.git/robots.txt", "b/notes.txt"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, "User-agent: *\nDisallow: /x\n").expect("a file");
    }
    std::fs::write(folder.path().join("list"), "# files\nb/shop-robots.txt\n").expect("a file");
    let files = |args: &str| {
        let rows = comity(args).dir(folder.path()).run().exits(0).json_lines();
        rows.iter().map(|row| row["file"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files("inspect --json ."), ["./a/robots.txt", "./b/shop-robots.txt"]);
    assert_eq!(files("inspect --json */robots.txt"), ["a/robots.txt"]);
    assert_eq!(files("inspect --json --files-from list"), ["b/shop-robots.txt"]);
    assert_eq!(files("matrix --json --agent a -r a -r b"), ["a/robots.txt", "b/shop-robots.txt"]);
    comity("lint a b").dir(folder.path()).run().exits(0);
    comity("lint a/nothing*").dir(folder.path()).run().exits(2);
    comity("lint b/.git/../../b/.git").dir(folder.path()).run().exits(0);
}

/// User input, and the text that the error must contain.
const GUESSES: [(&str, &str); 9] = [
    ("check --agent a urls.txt", "--urls urls.txt"),
    ("check --agent a .", "--robots ./robots.txt"),
    ("check --agent a example.com/page", "`https://example.com/page` was probably meant"),
    ("check --agent a ai.txt", "--robots ai.txt"),
    ("matrix robots.txt", "--robots robots.txt"),
    ("matrix ai.txt", "--robots ai.txt"),
    ("fetch example.com", "`https://example.com` was probably meant"),
    ("fetch urls.txt", "--urls urls.txt"),
    ("status --code abc", "a status code has three digits"),
];

#[test]
fn wrong_argument_has_a_suggestion() {
    for (args, expected) in GUESSES {
        let outcome = comity(args).run().exits(2);
        assert!(outcome.stderr.contains(expected), "{args}: {}", outcome.stderr);
    }
}

#[test]
fn host_is_read_as_a_site_in_every_robots_argument() {
    // The name does not resolve. The error shows that the site was contacted, and a note names its URL.
    let names = DnsServer::start();
    names.on("nowhere.example", DnsAnswer::nxdomain());
    let flags = format!("--store memory --no-config --retries 0 --nameserver {}", names.address());
    for args in [
        "lint nowhere.example",
        "inspect nowhere.example",
        "diff nowhere.example robots.txt",
        "diff robots.txt nowhere.example",
        "matrix nowhere.example",
        "matrix --robots nowhere.example",
        "check --agent a --robots nowhere.example /x",
    ] {
        let outcome = comity(args).args(&flags).run().exits(2);
        assert!(outcome.stderr.contains("https://nowhere.example"), "{args}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("the argument names a host"), "{args}: {}", outcome.stderr);
    }
}

#[test]
fn unknown_variable_has_a_warning() {
    let outcome = comity("config --no-config").env("COMITY_TIMOUT", "3s").run().exits(0);
    assert!(outcome.stderr.contains("COMITY_TIMOUT is unknown"), "{}", outcome.stderr);
    assert_eq!(comity("config --no-config").run().exits(0).stderr, "");
}

/// Returns the names of `COMITY_` variables that are whole literals in the sources of the crates.
fn variables_in_sources(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            variables_in_sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&entry).expect("a source file");
            // `env!` reads a variable of the build.
            let literals = source.split("\"COMITY_").skip(1).zip(source.split("\"COMITY_"));
            let read = literals.filter(|(_, before)| !before.ends_with("env!("));
            let names = read.filter_map(|(after, _)| after.split_once('"').map(|(name, _)| name));
            let is_name = |name: &&str| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            };
            found.extend(names.filter(is_name).map(|name| format!("COMITY_{name}")));
        }
    }
}

#[test]
fn variable_that_the_code_reads_has_no_warning() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(crates).expect("a folder") {
        let sources = entry.expect("an entry").path().join("src");
        if sources.is_dir() {
            variables_in_sources(&sources, &mut names);
        }
    }
    assert!(["COMITY_CONFIG", "COMITY_RANGES"].iter().all(|name| names.contains(*name)), "{names:?}");
    for name in names {
        let outcome = comity("config --no-config").env(name.leak(), "x").run();
        assert!(!outcome.stderr.contains("is unknown"), "{}", outcome.stderr);
    }
}

#[test]
fn mode_that_permits_disallowed_urls_has_a_notice() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    let flags = "--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0";
    for (command, mode, expected) in [
        ("check", "report_only", "permits 2 URLs"),
        ("explain", "report_only", "permits 2 URLs"),
        ("check", "ignore", "it decided 2 URLs without one"),
    ] {
        let run = comity(command).args(flags).args("--agent a --mode").arg(mode);
        let outcome = run.arg(&origin.url("/a")).arg(&origin.url("/b")).run().exits(0);
        assert!(outcome.stderr.contains(expected), "{command} {mode}: {}", outcome.stderr);
    }
}
