//! The robots.txt and the llms.txt of a site, for commands that read files: lint, inspect, matrix, llms.

use insta::assert_snapshot;
use testkit::servers::{Origin, Reply};

use super::{live, redacted, shown, site};
use crate::comity;

#[test]
fn lint_reads_the_robots_txt_of_a_site() {
    let origin = site("User-agent: *\nDisalow: /x\n");
    assert_snapshot!(shown(live("lint").arg(&origin.url("/any/page")), &origin));
    let outcome = live("lint clean.txt").arg(&origin.url("")).args("--json").run();
    assert!(outcome.json_lines().iter().all(|line| line["file"] == origin.url("/robots.txt")));
}

#[test]
fn missing_robots_txt_of_a_site_is_read_as_empty() {
    let origin = Origin::start();
    assert_snapshot!(shown(live("lint").arg(&origin.url("/")), &origin));
    assert_snapshot!(shown(live("inspect").arg(&origin.url("/")), &origin));
}

#[test]
fn inspect_shows_the_robots_txt_of_a_site() {
    let origin = site("User-agent: *\nDisallow: /x\nCrawl-delay: 2\n\nSitemap: https://example.com/s.xml\n");
    assert_snapshot!(shown(live("inspect").arg(&origin.url("/")), &origin));
}

#[test]
fn charset_of_the_answer_is_used() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::wrong_charset("iso-8859-1", &b"User-agent: *\nDisallow: /caf\xe9\n"[..]));
    let json = live("inspect --json --dialect gym2008").arg(&origin.url("/")).run().exits(0).json();
    assert_eq!(json["groups"][0]["rules"][0]["pattern"], "/caf\u{e9}");
}

#[test]
fn matrix_judges_a_site_and_its_pages() {
    let origin = site("User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n");
    let agents = "matrix --agent GPTBot --agent ExampleBot";
    assert_snapshot!(shown(live(agents).arg(&origin.url("")), &origin));
    assert_snapshot!(shown(live(agents).arg(&origin.url("/private/x")).arg("/y"), &origin));
    let other = Origin::start_on("127.0.0.2");
    live(agents).arg(&origin.url("/")).arg(&other.url("/")).run().exits(2);
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn matrix_of_a_site_without_robots_txt_allows_all_or_fails() {
    let origin = Origin::start();
    assert_snapshot!(shown(live("matrix --agent GPTBot").arg(&origin.url("")), &origin));
    origin.on("/robots.txt", Reply::status(500));
    assert_snapshot!(shown(live("matrix --agent GPTBot").arg(&origin.url("")), &origin));
}

#[test]
fn llms_reads_the_named_file_or_that_of_the_site() {
    let origin = site("User-agent: *\nDisallow: /secret\n");
    origin
        .on("/llms.txt", Reply::ok("# Site\n\n> What it is.\n\n## Docs\n\n- [Guide](/guide.md)\n"))
        .on("/docs/llms.txt", Reply::ok("# Docs\n"));
    assert_snapshot!(shown(live("llms").arg(&origin.url("")), &origin));
    let json = live("llms --json").arg(&origin.url("/docs/llms.txt")).run().exits(0).json();
    assert_eq!(json["file"], origin.url("/docs/llms.txt"));
    assert_snapshot!(shown(live("llms").arg(&origin.url("/secret/llms.txt")), &origin));
    assert_snapshot!(shown(live("llms").arg(&origin.url("/none/llms.txt")), &origin));
    let resolved = live("llms --json").arg(&origin.url("")).arg("--resolve").arg(&origin.url("/guide"));
    let candidate = &resolved.run().exits(0).json()["resolved"][0]["candidates"][0]["url"];
    assert_eq!(*candidate, origin.url("/guide.md"));
}

#[test]
fn llms_check_links_reports_each_link_that_a_program_cannot_follow() {
    let (origin, other) = (site("User-agent: *\nDisallow: /secret\n"), Origin::start_on("127.0.0.2"));
    let file = format!(
        "# Site\n\n> What it is.\n\n## Docs\n\n- [A](/a.md#top): a\n- [Again](/a.md#end): a\n- [Gone](/gone.md): b\n\
         - [Old](/old.md): c\n- [Secret](/secret/a.md): d\n- [Down](/down.md): e\n- [Other]({}): f\n\
         - [Mail](mailto:a@example.com): g\n- [Bad](http://[::1): h\n",
        other.url("/b.md")
    );
    origin
        .on("/llms.txt", Reply::ok(file.clone()))
        .on("/a.md", Reply::ok("# A\n"))
        .on("/gone.md", Reply::status(410))
        .on("/old.md", Reply::redirect(301, "/a.md"))
        .on("/down.md", Reply::status(503))
        .on("/reset.md", Reply::reset());
    other.on("/b.md", Reply::ok("# B\n"));
    let outcome = live("llms --check-links").arg(&origin.url("")).run().exits(1);
    let shown = redacted(&format!("{}{}", outcome.stderr, outcome.stdout), &origin);
    assert_snapshot!(redacted(&shown, &other));
    assert_eq!((origin.count("/a.md"), origin.count("/secret/a.md"), other.count("/b.md")), (2, 0, 1));

    origin.on("/gone.md", Reply::ok("# Back\n"));
    let file = format!("{file}- [Reset](/reset.md): i\n");
    let check = live("llms --json --check-links -").arg("--url").arg(&origin.url("/llms.txt")).stdin(&file);
    let check = check.run().exits(0).json()["link_check"].clone();
    assert_eq!((&check["documents"], check["findings"].as_array().unwrap().len()), (&7.into(), 4));
}

#[test]
fn llms_check_links_sends_header_fields_of_the_user_only_to_the_site_of_the_file() {
    let (origin, other) = (site(""), Origin::start_on("127.0.0.2"));
    let file = format!("# A\n\n- [Own](/own.md)\n- [Other]({})\n", other.url("/b.md"));
    for site in [&origin, &other] {
        site.otherwise(Reply::ok("# B\n"));
    }
    let run = live("llms --check-links - --header X-Key:secret").arg("--url").arg(&origin.url("/llms.txt"));
    let outcome = run.stdin(&file).run().exits(0);
    assert!(
        outcome.stdout.ends_with("links: 2 linked documents requested, no problem found\n"),
        "{}",
        outcome.stdout
    );
    let keys = |site: &Origin, path| site.requests_for(path)[0].header("x-key").map(str::to_owned);
    assert_eq!(keys(&origin, "/own.md").as_deref(), Some("secret"));
    assert_eq!(keys(&other, "/b.md"), None);
}

#[test]
fn invalid_store_has_no_effect_without_sites() {
    let outcome = comity("inspect robots.txt --store redis://127.0.0.1:1/").run().exits(0);
    assert_eq!(outcome.stderr, "");
}
