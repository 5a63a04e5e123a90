//! Generated inputs. A seed gives equal inputs on every machine.

use std::fmt::Write as _;

use comity::robots::RobotsTxt;

use crate::case::Case;

/// The crawler of questions about generated files. A group for it, or the group `*`, applies.
pub(crate) const AGENT: &str = "examplebot";
/// A crawler that no file names.
pub(crate) const UNLISTED: &str = "zzunlistedbot";

/// The random number generator SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    fn word(&mut self, shortest: usize, longest: usize) -> String {
        let length = shortest + self.below(longest - shortest + 1);
        (0..length).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}

/// Returns URLs for a file: half of them derived from its patterns, half of them random.
///
/// In a derived URL, text replaces the wildcards of a pattern. The result is unchanged, longer, or one byte shorter.
pub(crate) fn urls_for(body: &[u8], count: usize, rng: &mut Rng) -> Vec<String> {
    let robots = RobotsTxt::parse(body);
    let patterns: Vec<&[u8]> =
        robots.records().filter(|r| r.kind().is_rule() && !r.value().is_empty()).map(|r| r.value()).collect();
    let patterns: Vec<String> =
        patterns.iter().map(|pattern| String::from_utf8_lossy(pattern).into_owned()).collect();
    (0..count)
        .map(|index| {
            let path = match patterns.len() {
                patterns_len if patterns_len > 0 && index % 2 == 0 => {
                    derived_path(&patterns[rng.below(patterns_len)], rng)
                }
                _ => random_path(rng),
            };
            format!("https://www.example.com{path}")
        })
        .collect()
}

fn derived_path(pattern: &str, rng: &mut Rng) -> String {
    let mut path = String::from(if pattern.starts_with('/') { "" } else { "/" });
    for character in pattern.strip_suffix('$').unwrap_or(pattern).chars() {
        match character {
            '*' if rng.one_in(3) => {}
            '*' => path.push_str(&rng.word(1, 9)),
            '#' => break,
            '!'..='~' => path.push(character),
            _ => path.push_str("%20"),
        }
    }
    match rng.below(3) {
        0 => {
            path.push_str(pick_suffix(rng));
            path.push_str(&rng.word(1, 8));
        }
        1 if path.len() > 1 => drop(path.pop()),
        _ => {}
    }
    path
}

fn pick_suffix(rng: &mut Rng) -> &'static str {
    rng.pick(&["", "/", "?q=", "-", ".html?"])
}

fn random_path(rng: &mut Rng) -> String {
    let mut path = String::new();
    for _ in 0..rng.below(5) {
        path.push('/');
        path.push_str(&rng.word(2, 11));
    }
    path.push('/');
    if rng.one_in(2) {
        path.push_str(&rng.word(3, 14));
        path.push_str(rng.pick(&["", ".html", ".php", ".jpg"]));
    }
    if rng.one_in(4) {
        let _ = write!(path, "?{}={}", rng.word(1, 5), rng.below(100_000));
    }
    path
}

/// Numbers of rules per file, from a sample of the real files.
const RULES: [usize; 16] = [0, 1, 1, 2, 3, 4, 7, 8, 10, 16, 26, 32, 45, 65, 111, 240];

/// Returns a typical file: comments, a few groups, rules with and without wildcards, a sitemap.
pub(crate) fn typical_file(rng: &mut Rng) -> Vec<u8> {
    let rules = if rng.one_in(300) { 5_000 } else { rng.pick(&RULES.each_ref()).to_owned() };
    let mut text = String::new();
    if rng.one_in(2) {
        let _ = writeln!(text, "# robots.txt of {}.example\n#", rng.word(4, 12));
    }
    let groups = if rng.one_in(3) { 1 + rng.below(5) } else { 1 };
    for group in 0..groups {
        for _ in 0..1 + rng.below(2) {
            let named = ["Googlebot", "ccbot", "GPTBot", "bingbot", "AhrefsBot", "ia_archiver", AGENT];
            let agent = if group == 0 { "*" } else { rng.pick(&named) };
            let _ = writeln!(text, "User-agent: {agent}");
        }
        if rng.one_in(6) {
            let _ = writeln!(text, "Crawl-delay: {}", 1 + rng.below(30));
        }
        for _ in 0..rules.div_ceil(groups) {
            let key = if rng.one_in(8) { "Allow" } else { "Disallow" };
            let _ = writeln!(text, "{key}: {}", typical_pattern(rng));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "Sitemap: https://{}.example/sitemap.xml", rng.word(4, 12));
    text.into_bytes()
}

fn typical_pattern(rng: &mut Rng) -> String {
    match rng.below(14) {
        0 => format!("/*.{}$", rng.pick(&["pdf", "php", "gif", "aspx"])),
        1 => format!("/*?{}=*", rng.word(3, 8)),
        2..=7 => format!("/{}/", rng.word(3, 12)),
        8..=10 => format!("/{}/{}/", rng.word(3, 10), rng.word(4, 12)),
        11 => format!("/{}/{}/{}.html", rng.word(3, 10), rng.word(4, 12), rng.word(6, 20)),
        12 => format!("/{}.php?{}=", rng.word(4, 10), rng.word(2, 6)),
        _ => format!("/{}/*", rng.word(3, 10)),
    }
}

/// Returns a file with `rules` rules for all crawlers, and 50 questions. If `with_wildcards` is true, every fifth rule
/// has wildcards.
///
/// With 20,000 rules, the file has less than 512,000 bytes, which the default dialect reads completely.
pub(crate) fn scale_case(rules: usize, with_wildcards: bool, seed: u64) -> Case {
    let mut rng = Rng::new(seed ^ rules as u64);
    let mut text = String::from("User-agent: *\n");
    for index in 0..rules {
        let key = if index % 8 == 7 { "Allow" } else { "Disallow" };
        let pattern = if with_wildcards && index % 5 == 0 {
            format!("/*sect{}/item{}*.html", index / 5 % 100, index / 500)
        } else {
            format!("/{}/{}{}", rng.word(1, 3), base36(index), rng.word(2, 6))
        };
        let _ = writeln!(text, "{key}: {pattern}");
    }
    let urls = urls_for(text.as_bytes(), 50, &mut rng);
    Case::new(text.into_bytes(), AGENT, urls)
}

fn base36(mut number: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = Vec::new();
    loop {
        digits.push(char::from(DIGITS[number % 36]));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Returns 511 KB of rules, and a URL whose path is 2 KB of the letter `a`. The rules have thirty stars each, and nearly
/// match the URL.
///
/// All rules differ: the text between two stars is `a` or `aa`. Only the final `b` does not match the URL.
pub(crate) fn adversarial_case() -> Case {
    let mut text = String::from("User-agent: *\n");
    for index in 0usize.. {
        let mut line = String::from("Disallow: /");
        for piece in 0..29 {
            line.push_str(if index >> (piece % 13) & 1 == 0 { "*a" } else { "*aa" });
        }
        line.push_str("*b\n");
        if text.len() + line.len() > 511_000 {
            break;
        }
        text.push_str(&line);
    }
    let url = format!("https://www.example.com/{}", "a".repeat(2_047));
    Case::new(text.into_bytes(), AGENT, vec![url])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_files_are_not_truncated_in_the_default_dialect() {
        for case in [scale_case(20_000, false, 1), scale_case(20_000, true, 1), adversarial_case()] {
            assert!(!RobotsTxt::parse(&case.body).is_truncated(), "{} bytes", case.body.len());
        }
    }

    #[test]
    fn generated_files_do_not_change() {
        let mut rng = Rng::new(1);
        let bytes: usize = (0..100).map(|_| typical_file(&mut rng).len()).sum();
        assert_eq!(bytes, GENERATED_BYTES);
        assert_eq!(scale_case(1_000, true, 1).urls.len(), 50);
    }

    const GENERATED_BYTES: usize = 123_636;
}
