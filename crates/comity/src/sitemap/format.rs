//! The formats of sitemaps.

use crate::words::words;

words! {
    /// The format of a sitemap.
    Format as "format of sitemaps" {
        /// XML that lists pages: `<urlset>`.
        Urlset = "urlset",
        /// XML that lists sitemaps: `<sitemapindex>`.
        Sitemapindex = "sitemapindex",
        /// One URL per line.
        Text = "text",
        /// RSS 0.91 to 0.94, and 2.0.
        Rss = "rss",
        /// RSS 0.90 and 1.0: RDF.
        Rdf = "rdf",
        /// Atom 0.3 and 1.0.
        Atom = "atom",
    }
}
