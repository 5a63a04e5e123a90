//! The readers that report findings. `../kinds.rs` assigns a table of kinds to each.

use crate::words::words;

words! {
    /// A reader that reports findings.
    Reader as "reader" {
        /// Lint of robots.txt: [`robots::lint`](crate::robots::lint).
        RobotsTxt = "robots_txt",
        /// Directives of pages and their headers: module `page`.
        Page = "page",
        /// Usage preferences: module `usage`.
        Usage = "usage",
        /// Sitemaps: module `sitemap`.
        Sitemap = "sitemap",
        /// llms.txt: module `llms`.
        Llms = "llms",
        /// Whole sites: module `site`.
        Site = "site",
    }
}
