//! Names of companies and products, which some files use in place of a product token.

use super::own::NO_OPERATOR;
use super::table::PRODUCTS;
use super::{KnownAgent, Purpose, Status, all, known};

/// Returns the crawlers that the name of a company or a product may mean, most likely first. The list is empty for a
/// product whose operator names no crawler. Returns `None` if `name` is a crawler's token, or if no crawler fits.
///
/// For other names than those of products, these are at most three prominent crawlers: first those whose token is the
/// name followed by `Bot` or similar, then the operator's well-known crawlers.
pub(crate) fn crawlers_of(name: &str) -> Option<Vec<&'static KnownAgent>> {
    const MOST: usize = 3;
    if name.len() > 40 || known(name).is_some() {
        return None;
    }
    let is_name = |other: &&str| other.eq_ignore_ascii_case(name);
    if let Some(product) = PRODUCTS.iter().find(|product| product.names.iter().any(is_name)) {
        return Some(product.crawlers.iter().filter_map(|token| known(token)).collect());
    }
    let is_of_operator =
        |agent: &KnownAgent| agent.operator != NO_OPERATOR && agent.operator.eq_ignore_ascii_case(name);
    let mut found: Vec<_> = all()
        .iter()
        .filter(|agent| agent.is_prominent() && agent.status != Status::Retired)
        .filter(|agent| is_named_after(agent.token, name) || (is_of_operator(agent) && agent.well_known))
        .collect();
    let crawls =
        |agent: &KnownAgent| matches!(agent.purpose, Purpose::Search | Purpose::Training | Purpose::Seo);
    found.sort_by_key(|agent| (!is_named_after(agent.token, name), !crawls(agent), agent.token.len()));
    found.truncate(MOST);
    (!found.is_empty()).then_some(found)
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
        assert!(crawlers_of("Googlebot").is_none() && crawlers_of("examplebot").is_none());
        let tokens =
            |name| crawlers_of(name).into_iter().flatten().map(|agent| agent.token).collect::<Vec<_>>();
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
            ("gemini", "Google-Extended"),
            ("Bard", "Google-Extended"),
            ("Copilot", "bingbot"),
            ("SIRI", "Applebot"),
            ("Kimi", "KimiBot"),
        ] {
            assert_eq!(tokens(name).first(), Some(&token), "{name}: {:?}", tokens(name));
        }
        assert!(tokens("ChatGPT").contains(&"GPTBot") && tokens("ChatGPT").contains(&"ChatGPT-User"));
        for name in ["", "*", "examplebot", "unknown", "bot", "Yandex", "Twitterbot", "curl"] {
            assert!(crawlers_of(name).is_none(), "{name}: {:?}", tokens(name));
        }
        assert_eq!(crawlers_of("Grok"), Some(Vec::new()));
    }
}
