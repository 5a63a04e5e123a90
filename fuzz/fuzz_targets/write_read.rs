//! Parsing a robots.txt from the builder returns the names and records that were given to the builder.
#![no_main]

use arbitrary::Arbitrary;
use comity::robots::{Builder, RecordKind, RobotsTxt};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step<'a> {
    Comment(&'a str),
    Group(Vec<&'a str>),
    Allow(&'a str),
    Disallow(&'a str),
    CrawlDelay(f64),
    Sitemap(&'a str),
    Extension(&'a str, &'a str),
}

fuzz_target!(|steps: Vec<Step>| {
    let mut builder = Builder::new();
    // The kind and the value of each accepted line, and the names of each group.
    let mut records: Vec<(RecordKind, Option<String>)> = Vec::new();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for step in &steps {
        let before = builder.clone();
        let next = match step {
            Step::Comment(text) => Ok(builder.comment(text)),
            Step::Group(names) => builder.group(names).inspect(|_| {
                groups.push(names.iter().map(|name| name.to_string()).collect());
            }),
            Step::Allow(pattern) => {
                builder.allow(pattern).inspect(|_| records.push((RecordKind::Allow, None)))
            }
            Step::Disallow(pattern) => {
                builder.disallow(pattern).inspect(|_| records.push((RecordKind::Disallow, None)))
            }
            Step::CrawlDelay(seconds) => builder
                .crawl_delay(*seconds)
                .inspect(|_| records.push((RecordKind::CrawlDelay, Some(seconds.to_string())))),
            Step::Sitemap(url) => {
                builder.sitemap(url).inspect(|_| records.push((RecordKind::Sitemap, Some(url.to_string()))))
            }
            Step::Extension(key, value) => builder.extension(key, value),
        };
        builder = next.unwrap_or(before);
    }
    let text = builder.to_string();
    if text.len() > 400_000 {
        return;
    }
    let robots = RobotsTxt::parse(&text);
    assert!(robots.records().all(|record| !record.is_misspelt() && !record.is_missing_colon()), "{text:?}");
    let names: Vec<Vec<String>> = robots
        .groups()
        // The displayed text has placeholders for invisible characters.
        .map(|group| group.agents().map(|agent| String::from_utf8_lossy(agent.value()).into_owned()).collect())
        .collect();
    assert_eq!(names, groups, "{text:?}");
    for (kind, value) in records {
        assert!(
            robots.records().any(|record| {
                record.kind() == kind
                    && value.as_deref().is_none_or(|value| record.value() == value.as_bytes())
            }),
            "{kind} {value:?} in {text:?}"
        );
    }
});
