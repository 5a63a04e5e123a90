//! Tests with files that cause the most work. If a file is twice as long, the work must be about twice as much.
//!
//! The tests count work (`steps.rs`) instead of measuring time.

use super::lint;
use super::steps::counted;
use crate::finding::{LIMIT, Reader};

/// Returns files of about `bytes` bytes, one for each operation that a check could repeat too often.
fn files(bytes: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &str, line: &dyn Fn(usize) -> String| {
        let mut body = head.to_owned();
        for index in 0.. {
            let line = line(index);
            if body.len() + line.len() > bytes {
                break;
            }
            body.push_str(&line);
        }
        body.into_bytes()
    };
    let mut state = 1_u64;
    let garbage = (0..bytes).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    vec![
        ("garbage", garbage.collect::<Vec<u8>>()),
        ("names", fill("", &|i| format!("User-agent: googlebot{i}x\n"))),
        ("groups", fill("User-agent: *\nDisallow: /a\n", &|i| format!("User-agent: b{i}\nDisallow: /{i}\n"))),
        ("one name in many groups", fill("", &|i| format!("User-agent: googlebot\nDisallow: /{i}\n"))),
        ("rules", fill("User-agent: *\n", &|i| format!("Disallow: /{i}\n"))),
        ("nested rules", fill("User-agent: *\n", &|i| format!("Disallow: /{}\n", "a".repeat(i % 1_000)))),
        ("one rule", fill("User-agent: *\n", &|_| "Disallow: /a\n".to_owned())),
        ("wildcards", fill("User-agent: *\n", &|i| format!("Allow: /*{i}\nDisallow: /{i}*\n"))),
        ("colons", fill("User-agent: *\nDisallow: ", &|_| "allow:".to_owned())),
        ("stars", fill("User-agent: *\nDisallow: /", &|_| "*".to_owned())),
        ("sitemaps", fill("", &|i| format!("Sitemap: /{i}\n"))),
        ("hosts", fill("User-agent: *\nDisallow: /a\n", &|i| format!("Disallow: shop{i}.example/\nHost:\n"))),
        ("delays", fill("User-agent: *\n", &|i| format!("Crawl-delay: {i}\n"))),
        ("nobody", fill("", &|_| "User-agent:\n".to_owned())),
        ("everybody", fill("", &|_| "User-agent: *\n".to_owned())),
        ("all crawlers, rule by rule", fill("", &|_| "User-agent: *\n\nDisallow:\nAllow:\n".to_owned())),
        ("agents and delays", fill("", &|i| format!("User-agent: a{}\nCrawl-delay: {i}\n", i % 7))),
        (
            "one dropped rule",
            fill("User-agent: *\nDisallow: /a\n", &|i| format!("User-agent: c{i}\nAllow: /\nDisallow: /b\n")),
        ),
        ("percent signs", fill("User-agent: *\nDisallow: /", &|_| "%".to_owned())),
        ("reserved bytes", fill("User-agent: *\n", &|_| "Disallow: /*%2f*%3F*?%2f\n".to_owned())),
        ("headers", fill("", &|i| format!("User-agent: Mozilla/5.0 ({})\n", "a;".repeat(i % 200)))),
        ("line ends", vec![b'\n'; bytes]),
        ("signals", fill("User-agent: *\nContent-Signal: ", &|_| "a=b,".to_owned())),
        ("usage", fill("User-agent: *\n", &|_| "Content-Usage: train-ai=n,search=y,\n".to_owned())),
        ("letters", vec![b'a'; bytes]),
        ("misspelt", fill("", &|i| format!("Disalow{i}: /\nUsr-agent: x\n"))),
        (
            "rules for all crawlers",
            fill("User-agent: x\nDisallow: /*a*b*c$\n", &|i| {
                format!("User-agent: b{}\nDisallow: /*{i}*a\nUser-agent: *\nDisallow: /{i}*a*\n", i % 9)
            }),
        ),
        ("many groups below many rules", {
            let rules = fill("User-agent: *\n", &|i| format!("Disallow: /a/{i}\n"));
            let groups = fill("", &|i| format!("User-agent: c{i}\nDisallow: /a/1\nAllow: /*b{i}\n"));
            [&rules[..rules.len() / 2], b"\n", &groups[..groups.len() / 2]].concat()
        }),
        ("many wide rules", {
            let rules = fill("User-agent: *\n", &|i| format!("Disallow: /a/{i}\n"));
            let wide = fill("User-agent: c\n", &|i| format!("Disallow: /*/{i}*x\nAllow: /*/{i}\n"));
            [&rules[..rules.len() / 2], b"\n", &wide[..wide.len() / 2]].concat()
        }),
        (
            "rules of one length",
            fill("User-agent: *\n", &|i| format!("Allow: /*{i:05}\nDisallow: /x{i:05}*\n")),
        ),
        (
            "folders",
            fill("User-agent: *\n", &|i| {
                format!("Disallow: /A{i}/\nDisallow: {}\n", format!("/a{i}").repeat(40))
            }),
        ),
        ("many sitemaps", {
            let rules = fill("User-agent: *\n", &|i| format!("Disallow: /*{i}*x*\n"));
            let sitemaps = fill("", &|i| format!("Sitemap: https://www.shop.example/{i}\n"));
            [&rules[..rules.len() / 2], b"\n", &sitemaps[..sitemaps.len() / 2]].concat()
        }),
        ("entities", fill("User-agent: *\nDisallow: /", &|_| "&amp".to_owned())),
    ]
}

/// Maximum number of steps for checks that limit their own steps (`lints/star_rules_dropped.rs`). It is far below the
/// square of the file size.
const BOUNDED: usize = 3_000_000;

#[test]
fn work_for_a_hostile_file_is_linear() {
    let (half, whole) = (files(40_000), files(80_000));
    for ((name, half), (_, whole)) in half.iter().zip(&whole) {
        let (_, of_half) = counted(|| lint(half));
        let (found, of_whole) = counted(|| lint(whole));
        assert!(
            found.len() <= Reader::RobotsTxt.kinds().len() * (LIMIT + 1),
            "{name}: {} findings",
            found.len()
        );
        let bound = 5 * of_half / 2 + BOUNDED;
        assert!(of_whole <= bound, "{name}: {of_half} steps for half of it, {of_whole} for all");
    }
}
