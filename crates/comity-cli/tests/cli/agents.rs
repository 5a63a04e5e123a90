//! `comity agents`: the catalogue of crawlers, the operator of an address, and newer ranges.

use insta::assert_snapshot;

use crate::comity;

#[test]
fn crawler_by_name_shows_all_facts_with_sources() {
    assert_snapshot!(comity("agents gptbot Googlebot-Image msnbot").shown());
}

#[test]
fn crawler_without_proof_has_a_remark() {
    assert_snapshot!(comity("agents Applebot-Extended").shown());
}

#[test]
fn purpose_option_selects_crawlers() {
    let outcome = comity("agents --purpose control_only").run().exits(0);
    assert!(outcome.stdout.starts_with("Control tokens  Nothing is fetched"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Google-Extended") && !outcome.stdout.contains("GPTBot"));
}

#[test]
fn unknown_name_has_suggestion() {
    assert_snapshot!(comity("agents GTPBot").shown());
}

#[test]
fn json_contains_lists_with_dates() {
    let outcome = comity("agents --json GPTBot").run().exits(0);
    let crawlers = outcome.json_lines();
    assert_eq!(crawlers[0]["token"], "GPTBot");
    assert_eq!(crawlers[0]["ranges"][0]["list"], "openai-gptbot");
    assert_eq!(crawlers[0]["ranges"][0]["date"], "2026-09-02");
    assert_eq!(crawlers[0]["ranges"][0]["sourcing"], "mirrored");
    assert_eq!(crawlers[0]["proofs"][0]["kind"], "address_ranges");
}

#[test]
fn known_address_names_list_and_date() {
    assert_snapshot!(comity("agents --address 66.249.64.1").shown());
    assert_snapshot!(comity("agents --address 66.249.64.1 GPTBot Applebot-Extended").shown());
    assert_snapshot!(comity("agents --address 192.0.2.1").shown());
    let outcome = comity("agents --json --address 66.249.64.1 Googlebot").run().exits(0);
    let hits = outcome.json_lines();
    assert_eq!((&hits[0]["list"], &hits[0]["date"]), (&"google-googlebot".into(), &"2026-09-02".into()));
}

#[test]
fn newer_ranges_are_stored_for_later_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept/ranges.txt").display().to_string();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "gptbot.json",
        r#"{"creationTime": "2026-11-20T10:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#,
    );
    write(
        "old.json",
        r#"{"creationTime": "2026-01-01T10:00:00", "prefixes": [{"ipv4Prefix": "198.51.100.0/24"}]}"#,
    );
    let run = |args: &str| comity(args).dir(folder.path()).env("COMITY_RANGES", &kept);
    run("agents --address 192.0.2.1 GPTBot").run().exits(1);
    let outcome = run("agents --update openai-gptbot=gptbot.json").run().exits(0);
    assert!(
        outcome.stdout.starts_with("openai-gptbot: 1 range of 2026-11-20 instead of 21 of 2026-09-02\n"),
        "{}",
        outcome.stdout
    );
    let outcome = run("agents --address 192.0.2.1 GPTBot").run().exits(0);
    assert!(outcome.stdout.contains("list openai-gptbot of 2026-11-20, verified"), "{}", outcome.stdout);
    // A list that is older than the saved one is ignored.
    let outcome = run("agents --update openai-gptbot=old.json").run().exits(0);
    assert!(
        outcome.stdout.contains("kept the list of 2026-11-20, because that of 2026-01-01 is older"),
        "{}",
        outcome.stdout
    );
    run("agents --address 192.0.2.1 GPTBot").run().exits(0);
    // The printed list can be read again.
    write("all.txt", &run("agents --ranges").run().exits(0).stdout);
    run("agents --update all.txt").run().exits(0);
    write("page.html", "<html>");
    for wrong in ["openai-gptbot=page.html", "page.html", "nobody=gptbot.json", "missing.txt"] {
        let outcome = run("agents --update").arg(wrong).run().exits(2);
        assert!(outcome.stderr.starts_with("error: "), "{wrong}: {}", outcome.stderr);
    }
}

#[test]
fn list_states_the_age_of_its_data() {
    let shown = comity("agents").run().exits(0).stdout;
    let words = shown.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let (_, age) = words.split_once(" Last compared with the sources: 20").expect("the age of the entries");
    assert!(age.contains("; address ranges: 20") && age.len() < 90, "{age}");
    let json = comity("agents --json").run().exits(0);
    assert!(
        !json.stdout.contains("ompared with the sources") && !json.json_lines().is_empty(),
        "{}",
        json.stdout
    );
}
