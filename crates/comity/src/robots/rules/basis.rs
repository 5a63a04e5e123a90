//! The basis of a verdict: a rule, or the reason why no rule decided.

use crate::words::words;

words! {
    /// The basis of the rules' verdict.
    Basis as "basis" {
        /// A rule matched.
        Rule = "rule",
        /// No rule of the crawler's groups matches.
        NoRule = "no_rule",
        /// No group applies to the crawler.
        NoGroup = "no_group",
        /// The URL is `/robots.txt` itself (RFC 9309 §2.2.2).
        RobotsTxt = "robots_txt",
    }
}
