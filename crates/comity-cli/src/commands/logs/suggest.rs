//! What could be done about crawlers that asked for what robots.txt disallows: a robots.txt, or rules for a server.
//!
//! Nothing of a log is written: only names of the catalogue, and networks that were parsed. Rules for servers ask for the name
//! and for an address of the operator, so that they hit neither who borrows the name nor the operator's other crawlers.

use std::fmt::Write as _;

use clap::ValueEnum;
use comity::agents::{Compliance, KnownAgent, Prefix, Purpose, Ranges};
use comity::robots::{Builder, InvalidRecord};

use super::who::Identity;

/// For whom rules are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suggest {
    /// A robots.txt, for crawlers that honour one
    Robots,
    /// nginx
    Nginx,
    /// Apache
    Apache,
    /// Caddy
    Caddy,
    /// HAProxy
    Haproxy,
    /// Cloudflare: an expression for a custom rule
    Cloudflare,
}

/// A crawler that asked for what was disallowed.
pub(super) struct Seen {
    pub(super) agent: &'static KnownAgent,
    pub(super) identity: Identity,
    pub(super) disallowed: u64,
}

/// Writes the rules.
pub(super) fn text(suggest: Suggest, seen: &[Seen], ranges: &Ranges) -> Result<String, InvalidRecord> {
    let own = seen.iter().filter(|seen| {
        // What a user asked for is theirs, and who is outside is not the crawler.
        seen.disallowed > 0
            && seen.identity != Identity::Outside
            && seen.agent.purpose() != Purpose::UserTriggered
    });
    if suggest == Suggest::Robots {
        let mut agents: Vec<&KnownAgent> = own.map(|seen| seen.agent).collect();
        agents.sort_by_key(|agent| agent.token().to_ascii_lowercase());
        agents.dedup();
        return robots(&agents);
    }
    let verified = own.filter(|seen| seen.identity == Identity::Verified && is_plain(seen.agent.token()));
    let mut out = String::new();
    for seen in verified {
        let token = seen.agent.token();
        let prefixes: Vec<Prefix> =
            ranges.lists_of(token).flat_map(|list| list.prefixes().to_vec()).collect();
        if prefixes.is_empty() {
            let _ = writeln!(
                out,
                "# {token}: verified by the names of its addresses, and no addresses are published"
            );
            continue;
        }
        let date = ranges.lists_of(token).map(|list| list.date()).min().unwrap_or_default();
        let _ = writeln!(
            out,
            "# {token}: {}, from the addresses that it published as of {date}",
            seen.agent.operator()
        );
        let networks: Vec<String> = prefixes.iter().map(ToString::to_string).collect();
        server(suggest, token, &networks, &mut out);
    }
    if out.is_empty() {
        out.push_str(
            "# No crawler asked for what was disallowed from an address that its operator publishes.\n",
        );
    }
    Ok(out)
}

/// A robots.txt for the crawlers that honour one. The others are named, so that nobody misses them.
fn robots(agents: &[&KnownAgent]) -> Result<String, InvalidRecord> {
    let honours = |agent: &&&KnownAgent| agent.robots_txt() == Compliance::Honours;
    let (honouring, others): (Vec<&&KnownAgent>, Vec<&&KnownAgent>) = agents.iter().partition(honours);
    let mut builder = Builder::new();
    if honouring.is_empty() {
        builder = builder.comment("No crawler that honours robots.txt asked for what was disallowed.");
    }
    for agent in others {
        let about = format!(
            "Left out, since its operator does not say that it honours robots.txt: {}",
            agent.token()
        );
        builder = builder.comment(&about);
    }
    for agent in honouring {
        let about = format!("{}: {}, {}", agent.token(), agent.operator(), agent.purpose().title());
        builder = builder.comment(&about).group([agent.token()])?.disallow("/")?;
    }
    Ok(builder.to_string())
}

/// Returns true if a name means itself in every syntax here.
fn is_plain(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn server(suggest: Suggest, token: &str, networks: &[String], out: &mut String) {
    let name: String = token.to_ascii_lowercase().replace('-', "_");
    let joined = networks.join(" ");
    let _ = match suggest {
        Suggest::Robots => Ok(()),
        Suggest::Nginx => {
            let lines: String = networks.iter().map(|network| format!("    {network} 1;\n")).collect();
            write!(
                out,
                "geo $comity_{name}_address {{\n    default 0;\n{lines}}}\n\
                 map $http_user_agent $comity_{name}_agent {{\n    default 0;\n    \"~*{token}\" 1;\n}}\n\
                 # in server {{ }}:\n#   if ($comity_{name}_address$comity_{name}_agent = 11) {{ return 403; }}\n\n"
            )
        }
        Suggest::Apache => {
            let any: Vec<String> = networks.iter().map(|network| format!("-R '{network}'")).collect();
            write!(
                out,
                "<If \"%{{HTTP_USER_AGENT}} =~ /{token}/i && ({})\">\n    Require all denied\n</If>\n\n",
                any.join(" || ")
            )
        }
        Suggest::Caddy => write!(
            out,
            "@{name} {{\n    remote_ip {joined}\n    header_regexp User-Agent (?i){token}\n}}\nrespond @{name} 403\n\n"
        ),
        Suggest::Haproxy => write!(
            out,
            "acl {name}_address src {joined}\nacl {name}_agent hdr_sub(user-agent) -i {token}\n\
             http-request deny if {name}_address {name}_agent\n\n"
        ),
        Suggest::Cloudflare => {
            write!(
                out,
                "(lower(http.user_agent) contains \"{}\" and ip.src in {{{joined}}})\n\n",
                token.to_ascii_lowercase()
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use comity::agents;

    use super::*;

    fn written(suggest: Suggest, identity: Identity, token: &str) -> String {
        let ranges = Ranges::parse(
            "list a\noperator OpenAI\ntokens GPTBot\nfrom https://openai.com/gptbot.json\ndate 2026-11-20\nsourcing verified\n\
             203.0.113.0/24 2001:db8::/32\n",
        )
        .unwrap();
        let seen = [Seen { agent: agents::known(token).unwrap(), identity, disallowed: 3 }];
        text(suggest, &seen, &ranges).unwrap()
    }

    #[test]
    fn only_verified_crawlers_are_kept_out_by_a_server() {
        for suggest in Suggest::value_variants().iter().filter(|suggest| **suggest != Suggest::Robots) {
            let text = written(*suggest, Identity::Verified, "GPTBot");
            assert!(text.contains("203.0.113.0/24") && text.contains("2001:db8::/32"), "{text}");
            assert!(text.to_ascii_lowercase().contains("gptbot"), "{text}");
            for (identity, token) in [
                (Identity::Unknown, "GPTBot"),
                (Identity::Outside, "GPTBot"),
                (Identity::Verified, "ChatGPT-User"),
            ] {
                let text = written(*suggest, identity, token);
                assert!(text.starts_with("# No crawler") && !text.contains("203.0.113"), "{text}");
            }
        }
    }

    #[test]
    fn a_crawler_whose_addresses_are_not_published_gets_no_rule() {
        for suggest in Suggest::value_variants().iter().filter(|suggest| **suggest != Suggest::Robots) {
            let text = written(*suggest, Identity::Verified, "MojeekBot");
            assert!(text.lines().all(|line| line.starts_with("# MojeekBot: ")), "{text}");
        }
    }

    #[test]
    fn a_robots_txt_names_the_crawlers_and_reads_back() {
        let text = written(Suggest::Robots, Identity::Unknown, "CCBot");
        let robots = comity::robots::RobotsTxt::parse(&text);
        let allows =
            |token: &str| robots.rules_for(&comity::robots::Agent::token(token)).is_allowed("/").unwrap();
        assert!(!allows("CCBot") && allows("GPTBot"), "{text}");
        // Its operator does not say what it does.
        let silent = agents::all()
            .iter()
            .find(|agent| agent.robots_txt() == Compliance::Unknown && agent.purpose() == Purpose::Training);
        let token = silent.unwrap().token();
        let text = written(Suggest::Robots, Identity::Unknown, token);
        assert!(text.contains(&format!(": {token}")) && !text.contains("User-agent"), "{text}");
        let none = written(Suggest::Robots, Identity::Outside, "GPTBot");
        assert!(none.starts_with("# No crawler"), "{none}");
    }
}
