//! Names of companies and products, which some files use in place of a product token.

use super::{KnownAgent, Purpose, Status, all, known};

/// Common names of companies and products, each with the name of the operator in the catalogue.
const OPERATORS: [(&str, &str); 12] = [
    ("chatgpt", "OpenAI"),
    ("chat-gpt", "OpenAI"),
    ("gpt", "OpenAI"),
    ("claude", "Anthropic"),
    ("gemini", "Google"),
    ("bard", "Google"),
    ("msn", "Microsoft"),
    ("bing", "Microsoft"),
    ("facebook", "Meta"),
    ("tiktok", "ByteDance"),
    ("twitter", "X"),
    ("commoncrawl", "Common Crawl"),
];

/// Returns the crawlers that the name of a company or a product may mean, most likely first, at most three. Returns an
/// empty list if `name` is a crawler's token, or if no prominent crawler matches.
///
/// A crawler whose token is the name followed by `Bot` or similar comes first, then the best-known crawlers of the
/// operator.
pub(crate) fn crawlers_of(name: &str) -> Vec<&'static KnownAgent> {
    const MOST: usize = 3;
    if name.len() > 40 || known(name).is_some() {
        return Vec::new();
    }
    let alias = OPERATORS.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    let operator = alias.map_or(name, |(_, operator)| operator);
    let is_of_operator = |agent: &KnownAgent| agent.operator.eq_ignore_ascii_case(operator);
    let mut found: Vec<_> = all()
        .iter()
        .filter(|agent| agent.is_prominent() && agent.status != Status::Retired)
        .filter(|agent| is_named_after(agent.token, name) || (is_of_operator(agent) && agent.well_known))
        .collect();
    let crawls =
        |agent: &KnownAgent| matches!(agent.purpose, Purpose::Search | Purpose::Training | Purpose::Seo);
    found.sort_by_key(|agent| (!is_named_after(agent.token, name), !crawls(agent), agent.token.len()));
    found.truncate(MOST);
    found
}

/// Returns true if a token is the name followed by a word such as `bot` or `crawler`.
fn is_named_after(token: &str, name: &str) -> bool {
    let Some((start, rest)) = token.split_at_checked(name.len()) else { return false };
    let rest = rest.strip_prefix(['-', '_']).unwrap_or(rest);
    start.eq_ignore_ascii_case(name)
        && ["bot", "spider", "crawler", "user"].iter().any(|word| word.eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn company_or_product_name_returns_its_crawlers() {
        assert!(crawlers_of("Googlebot").is_empty() && crawlers_of("examplebot").is_empty());
        let tokens = |name| crawlers_of(name).iter().map(|agent| agent.token).collect::<Vec<_>>();
        for (name, token) in [
            ("google", "Googlebot"),
            ("Baidu", "Baiduspider"),
            ("Bing", "bingbot"),
            ("msn", "bingbot"),
            ("AHREFS", "AhrefsBot"),
            ("OpenAI", "GPTBot"),
            ("Claude", "ClaudeBot"),
            ("Anthropic", "ClaudeBot"),
            ("Perplexity", "PerplexityBot"),
            ("Apple", "Applebot"),
            ("Amazon", "Amazonbot"),
            ("Bytedance", "Bytespider"),
        ] {
            assert_eq!(tokens(name).first(), Some(&token), "{name}: {:?}", tokens(name));
        }
        assert!(tokens("ChatGPT").contains(&"GPTBot") && tokens("ChatGPT").contains(&"ChatGPT-User"));
        for name in ["", "*", "examplebot", "unknown", "bot", "Yandex", "Twitterbot", "curl"] {
            assert!(tokens(name).is_empty(), "{name}: {:?}", tokens(name));
        }
    }

    #[test]
    fn every_listed_operator_is_in_the_catalogue() {
        for (name, operator) in OPERATORS {
            assert!(all().iter().any(|agent| agent.operator == operator), "{operator}");
            assert!(known(name).is_none(), "{name} is a crawler");
        }
    }
}
