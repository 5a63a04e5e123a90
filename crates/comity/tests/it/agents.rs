//! The catalogue of crawlers: `data/crawlers.toml`, the table generated from it, and `docs/reference/agents.md`,
//! generated from the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use comity::agents::{self, Compliance, KnownAgent, ProofKind, Purpose, Sourcing, Status};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    crawler: Vec<Crawler>,
    product: Vec<Product>,
}

/// The name of a product that site owners write in place of a token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Product {
    names: Vec<String>,
    crawlers: Vec<String>,
    sourcing: String,
    source: String,
    checked: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Crawler {
    token: String,
    operator: String,
    purpose: String,
    robots_txt: Option<String>,
    crawl_delay: Option<String>,
    #[serde(default)]
    fallback: Vec<String>,
    #[serde(default)]
    ignores_star: bool,
    status: Option<String>,
    retired_since: Option<String>,
    #[serde(default)]
    successors: Vec<String>,
    #[serde(default)]
    well_known: bool,
    note: Option<String>,
    #[serde(default)]
    proof: Vec<CrawlerProof>,
    sourcing: String,
    source: Option<String>,
    checked: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrawlerProof {
    kind: String,
    value: String,
    sourcing: String,
    source: String,
    checked: String,
}

/// Returns true if a text is a day of this century.
fn is_day(text: &str) -> bool {
    let parts: Vec<Option<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    let is_long_enough = text.len() == 10 && text.is_ascii();
    is_long_enough && matches!(parts[..], [Some(2000..=2099), Some(1..=12), Some(1..=31)])
}

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn read(relative: &str) -> String {
    let path = path(relative);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn catalogue() -> Catalogue {
    let text = read("data/crawlers.toml");
    toml::from_str(&text).unwrap_or_else(|error| panic!("data/crawlers.toml: {error}"))
}

#[test]
fn catalogue_is_sorted_and_complete() {
    let crawlers = catalogue().crawler;
    assert!(crawlers.len() > 300, "only {} crawlers", crawlers.len());
    for pair in crawlers.windows(2) {
        let [first, second] = pair else { continue };
        let (a, b) = (first.token.to_ascii_lowercase(), second.token.to_ascii_lowercase());
        assert!(
            a < b,
            "`{}` is before `{}`: sort the entries, and list each once",
            first.token,
            second.token
        );
    }
    for crawler in &crawlers {
        let token = &crawler.token;
        let is_name =
            |text: &str| !text.is_empty() && text.trim() == text && !text.contains(['"', '\\', '\n']);
        assert!(token.is_ascii() && is_name(token), "{token:?}");
        assert!(!token.contains(['/', '*', '#', ':']), "`{token}` is not possible in a user-agent line");
        assert!(is_name(&crawler.operator), "{token}: {:?}", crawler.operator);
        for fallback in &crawler.fallback {
            assert!(
                crawlers.iter().any(|other| other.token == *fallback),
                "{token} falls back to `{fallback}`"
            );
        }
        let is_verified = crawler.sourcing == "verified";
        assert!(!is_verified || crawler.source.is_some(), "{token} is verified, but has no source");
        assert!(
            crawler.sourcing != "listed" || crawler.robots_txt.is_none(),
            "{token}: a public list is not a source for an operator's statements about robots.txt"
        );
        if let Some(source) = &crawler.source {
            assert!(source.starts_with("https://") || source.starts_with("http://"), "{token}: {source}");
            assert!(
                source.chars().all(|c| c.is_ascii_graphic() && !"\"\\<>".contains(c)),
                "{token}: {source}"
            );
        }
        if let Some(note) = &crawler.note {
            assert!(note.ends_with('.') && !note.contains(['\n', '\\', '"', '|']), "{token}: {note}");
        }
        assert!(is_day(&crawler.checked), "{token}: {}", crawler.checked);
        let is_retired = crawler.status.as_deref() == Some("retired");
        assert!(is_retired || crawler.retired_since.is_none(), "{token} is not retired");
        assert!(is_retired || crawler.successors.is_empty(), "{token} is not retired");
        if let Some(since) = &crawler.retired_since {
            let day = format!("{since}{}", &"-01-01"[(since.len() - 4).min(6)..]);
            assert!(is_day(&day), "{token} is retired since `{since}`");
        }
        for successor in &crawler.successors {
            let is_known = crawlers.iter().any(|other| other.token == *successor);
            assert!(is_known && successor != token, "{token} is followed by `{successor}`");
        }
        for proof in &crawler.proof {
            assert!(is_day(&proof.checked), "{token}: {}", proof.checked);
            assert!(proof.source.starts_with("https://"), "{token}: {}", proof.source);
            let is_address = proof.value.starts_with("https://");
            let is_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
            match proof.kind.as_str() {
                "reverse_dns" => assert!(
                    proof.value.contains('.') && proof.value.chars().all(is_host),
                    "{token}: {}",
                    proof.value
                ),
                _ => assert!(is_address, "{token}: {}", proof.value),
            }
        }
    }
}

#[test]
fn names_of_products_are_sorted_and_lead_to_crawlers() {
    let Catalogue { crawler: crawlers, product: products } = catalogue();
    let first = |product: &Product| product.names[0].to_ascii_lowercase();
    assert!(products.is_sorted_by_key(first), "sort the products by their first names");
    let mut names: Vec<String> =
        products.iter().flat_map(|product| &product.names).map(|name| name.to_ascii_lowercase()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "a name occurs twice");
    for Product { names, crawlers: tokens, sourcing, source, checked } in &products {
        for name in names {
            assert!(agents::known(name).is_none(), "{name} is a crawler");
        }
        for token in tokens {
            let is_active =
                |agent: &&Crawler| agent.token == *token && agent.status.as_deref() != Some("retired");
            assert!(crawlers.iter().any(|agent| is_active(&agent)), "{names:?}: {token}");
        }
        assert!(["verified", "mirrored", "listed"].contains(&sourcing.as_str()), "{names:?}: {sourcing}");
        assert!(source.starts_with("https://") && is_day(checked), "{names:?}: {source}, {checked}");
        assert!(tokens.len() <= 3, "{names:?}: lint names at most three crawlers");
    }
}

/// `src/agents/table.rs` is generated from `data/crawlers.toml`; `UPDATE_CRAWLERS=1` rewrites it.
#[test]
fn table_of_agents_equals_the_catalogue() {
    let expected = table(&catalogue());
    if std::env::var_os("UPDATE_CRAWLERS").is_some() {
        fs::write(path("src/agents/table.rs"), &expected).expect("table.rs can be written");
    }
    assert!(
        read("src/agents/table.rs") == expected,
        "src/agents/table.rs is out of date; UPDATE_CRAWLERS=1 cargo test -p comity --test it agents updates it"
    );
}

/// Returns a map from the word of each variant to its name in Rust.
fn names<'w>(words: impl Iterator<Item = (&'w str, String)>) -> BTreeMap<&'w str, String> {
    words.collect()
}

fn table(Catalogue { crawler: crawlers, product: products }: &Catalogue) -> String {
    let mut out = String::from(
        "//! Generated from `data/crawlers.toml`: edit that file, then run `UPDATE_CRAWLERS=1 cargo test -p comity --test it agents`.\n\
         \n\
         use super::Compliance::{Honours, Ignores, MayIgnore, Unknown};\n\
         use super::{KnownAgent, Product, Proof, ProofKind, Purpose, Sourcing, Status};\n\
         \n\
         /// Sorted by token in lower case.\n\
         #[rustfmt::skip]\n\
         pub(super) static KNOWN: &[KnownAgent] = &[\n",
    );
    let purposes = names(Purpose::ALL.iter().map(|word| (word.as_str(), format!("{word:?}"))));
    let compliance = names(Compliance::ALL.iter().map(|word| (word.as_str(), format!("{word:?}"))));
    let statuses = names(Status::ALL.iter().map(|word| (word.as_str(), format!("{word:?}"))));
    let sourcing = names(Sourcing::ALL.iter().map(|word| (word.as_str(), format!("{word:?}"))));
    let kinds = names(ProofKind::ALL.iter().map(|word| (word.as_str(), format!("{word:?}"))));
    for crawler in crawlers {
        let word = |words: &BTreeMap<&str, String>, word: &str| {
            let found = words.get(word).cloned();
            found.unwrap_or_else(|| panic!("{}: `{word}` is not one of {:?}", crawler.token, words.keys()))
        };
        let or_unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let proofs: Vec<String> = crawler
            .proof
            .iter()
            .map(|proof| {
                format!(
                    "Proof {{ kind: ProofKind::{}, value: {:?}, sourcing: Sourcing::{}, source: {:?}, checked: {:?} }}",
                    word(&kinds, &proof.kind),
                    proof.value,
                    word(&sourcing, &proof.sourcing),
                    proof.source,
                    proof.checked
                )
            })
            .collect();
        writeln!(
            out,
            "    KnownAgent {{ token: {:?}, operator: {:?}, purpose: Purpose::{}, robots_txt: {}, crawl_delay: {},\n        \
             fallbacks: &{:?}, ignores_star: {}, status: Status::{}, retired_since: {:?}, successors: &{:?}, well_known: {},\n        \
             note: {:?}, proofs: &[{}],\n        \
             sourcing: Sourcing::{}, source: {:?}, checked: {:?} }},",
            crawler.token,
            crawler.operator,
            word(&purposes, &crawler.purpose),
            word(&compliance, &or_unknown(&crawler.robots_txt)),
            word(&compliance, &or_unknown(&crawler.crawl_delay)),
            crawler.fallback,
            crawler.ignores_star,
            word(&statuses, &or_unknown(&crawler.status)),
            crawler.retired_since,
            crawler.successors,
            crawler.well_known,
            crawler.note,
            proofs.join(", "),
            word(&sourcing, &crawler.sourcing),
            crawler.source,
            crawler.checked,
        )
        .expect("a string can be written to");
    }
    out.push_str(
        "];\n\
         \n\
         /// Names of products, sorted by their first names.\n\
         #[rustfmt::skip]\n\
         pub(super) static PRODUCTS: &[Product] = &[\n",
    );
    for Product { names, crawlers, .. } in products {
        writeln!(out, "    Product {{ names: &{names:?}, crawlers: &{crawlers:?} }},")
            .expect("a string can be written to");
    }
    out.push_str("];\n");
    out
}

/// `docs/reference/agents.md` is generated from the catalogue; `UPDATE_DOCS=1` rewrites it.
#[test]
fn page_of_agents_equals_the_catalogue() {
    let expected = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path("../../docs/reference/agents.md"), &expected)
            .expect("docs/reference/agents.md can be written");
    }
    assert!(
        read("../../docs/reference/agents.md") == expected,
        "docs/reference/agents.md is out of date; UPDATE_DOCS=1 cargo test -p comity --test it agents updates it"
    );
}

const INTRODUCTION: &str = "\
<!-- Generated from the catalogue: edit `crates/comity/data/crawlers.toml`, or the text in \
`crates/comity/tests/it/agents.rs`. -->

# Known crawlers

`comity::agents`, `comity matrix` and some findings of `comity lint` use this catalogue. It lists the operator and the
purpose of each crawler, and its treatment of robots.txt according to the operator. The behaviour of crawlers was not
measured, and the list is not complete.

- **Known**: the source of an entry and the date on which the source was read. *verified*: the operator's page, a stored
  copy of the page, or a capture of another page that quotes it; a copy can be older than the date. *mirrored*: a third
  party's copy of data that the operator publishes. *listed*: a public list, or robots.txt files of real sites (no
  link); all statements of such entries, including the status, are unverified.
- **robots.txt**, **Crawl-delay**: the statement of the operator. *honours*: the crawler follows it. *ignores*: the
  crawler never follows it. *may ignore*: the crawler does not follow it in some cases, which the operator names or
  leaves open. Empty: no statement was found.
- **Groups**: if no group names the crawler, the groups of these tokens take precedence over the group of `*`.
  *not `*`*: the group of `*` never applies to the crawler.
- **Proof**: how to verify the crawler: the addresses that its operator publishes, the ending of the host names of its
  addresses, or its directory of keys. `*` marks facts from other sources than the operator's own page.
- **Status**: a retired token is followed by the date and its successors, if they are known.
- **Bold**: `comity matrix` shows the crawler by default.
";

const PRODUCTS: &str = "
## Names of products

No crawler has these names, but some files use them in place of a token. `comity lint` reports them, and names the
crawlers that read pages for the product.

| name | crawlers | known |
|---|---|---|
";

const UPDATING: &str = "\
## Update the catalogue

1. Edit `crates/comity/data/crawlers.toml`; the comment at its start describes each key. An entry is *verified* only if
   somebody read the operator's words on the day in `checked`. Copy facts, not sentences. An entry from a list is
   *listed*, and has no statement about robots.txt.
2. `UPDATE_CRAWLERS=1 cargo test -p comity --test it agents` checks the file and writes
   `crates/comity/src/agents/table.rs`. Entries have to be sorted, with each token once; fallbacks have to be in the
   catalogue, and verified entries need a source.
3. `UPDATE_DOCS=1 cargo test -p comity --test it agents` writes this page.
4. Run `cargo test --workspace --all-features`: findings of lint and tables of `comity matrix` can change.

Lists for comparison: [ai.robots.txt](https://github.com/ai-robots-txt/ai.robots.txt) (MIT),
[crawler-user-agents](https://github.com/monperrus/crawler-user-agents) (MIT),
[device-detector](https://github.com/matomo-org/device-detector) (facts only: its license is the LGPL).
";

fn page() -> String {
    let mut out = INTRODUCTION.to_owned();
    let count = |sourcing| agents::all().iter().filter(|agent| agent.sourcing() == sourcing).count();
    let [verified, mirrored, listed] = [Sourcing::Verified, Sourcing::Mirrored, Sourcing::Listed].map(count);
    let proven = agents::all().iter().filter(|agent| !agent.proofs().is_empty()).count();
    let total = agents::all().len();
    writeln!(
        out,
        "\n{total} crawlers: {verified} verified, {mirrored} mirrored, {listed} listed. For {proven} of them, the \
         catalogue has a proof."
    )
    .expect("a string can be written to");
    for purpose in Purpose::ALL {
        let title = purpose.title();
        write!(
            out,
            "\n## {title}\n\n`{purpose}`: {}\n\n\
             | token | operator | robots.txt | Crawl-delay | groups | status | proof | known | note |\n\
             |---|---|---|---|---|---|---|---|---|\n",
            purpose.summary()
        )
        .expect("a string can be written to");
        for agent in agents::with_purpose(purpose) {
            out.push_str(&row(agent));
        }
    }
    out.push_str(PRODUCTS);
    for Product { names, crawlers, sourcing, source, checked } in catalogue().product {
        let tokens: Vec<String> = crawlers.iter().map(|token| format!("`{token}`")).collect();
        let tokens = if tokens.is_empty() { "none is named".to_owned() } else { tokens.join(", ") };
        writeln!(out, "| {} | {tokens} | [{sourcing}]({source}) {checked} |", names.join(", "))
            .expect("a string can be written to");
    }
    out.push('\n');
    out.push_str(UPDATING);
    out
}

fn row(agent: &KnownAgent) -> String {
    let unless_unknown = |word: &'static str| if word == "unknown" { "" } else { word };
    let bold = if agent.is_well_known() { "**" } else { "" };
    let mut groups: Vec<String> = agent.fallbacks().iter().map(|token| format!("`{token}`")).collect();
    groups.extend(agent.ignores_star().then(|| "not `*`".to_owned()));
    let known = match agent.source() {
        Some(source) => format!("[{}]({source}) {}", agent.sourcing(), agent.checked()),
        None => agent.sourcing().to_string(),
    };
    let proofs: Vec<String> = agent
        .proofs()
        .iter()
        .map(|proof| {
            let mark = if proof.sourcing() == Sourcing::Verified { "" } else { "\\*" };
            match proof.kind() {
                ProofKind::ReverseDns => format!("`.{}`{mark}", proof.value()),
                ProofKind::AddressRanges => format!("[addresses]({}){mark}", proof.value()),
                _ => format!("[signatures]({}){mark}", proof.value()),
            }
        })
        .collect();
    let mut status = unless_unknown(agent.status().as_str()).to_owned();
    status.extend(agent.retired_since().map(|since| format!(" since {since}")));
    let successors: Vec<String> = agent.successors().iter().map(|token| format!("`{token}`")).collect();
    if !successors.is_empty() {
        status.push_str(&format!("; then {}", successors.join(", ")));
    }
    format!(
        "| {bold}`{}`{bold} | {} | {} | {} | {} | {status} | {} | {known} | {} |\n",
        agent.token(),
        agent.operator(),
        unless_unknown(agent.robots_txt().as_str()).replace('_', " "),
        unless_unknown(agent.crawl_delay().as_str()).replace('_', " "),
        groups.join(", "),
        proofs.join(", "),
        agent.note().unwrap_or_default()
    )
}
