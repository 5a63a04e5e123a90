//! The enumerations of the catalogue: a crawler's purpose, its behaviour according to its operator, and the quality of
//! the source.

use crate::words::words;

words! {
    /// The purpose for which a crawler fetches pages.
    ///
    /// ```
    /// use comity::agents::Purpose;
    /// assert_eq!(Purpose::AiSearch.as_str(), "ai_search");
    /// assert_eq!(Purpose::AiSearch.title(), "AI search");
    /// ```
    Purpose as "purpose" with title {
        /// A search engine's index.
        Search = "search" => "Search engines",
        /// The index of an answer engine or an assistant.
        AiSearch = "ai_search" => "AI search",
        /// One page that a person or their assistant requested.
        UserTriggered = "user_triggered" => "Fetched for a user",
        /// Training data for models, or a data set that is used for training.
        Training = "training" => "AI training",
        /// Nothing is fetched under this token. The token controls the use of content that another crawler of the
        /// operator fetched.
        ControlOnly = "control_only" => "Control tokens",
        /// Link graphs, rankings and audits for site owners.
        Seo = "seo" => "SEO tools",
        /// Preservation of the web.
        Archive = "archive" => "Archives",
        /// Previews of shared links.
        Social = "social" => "Link previews",
        /// Checking whether a site is up, valid, fast or safe.
        Monitoring = "monitoring" => "Monitoring",
        /// Advertising, research, downloads and everything else.
        Other = "other" => "Other",
    }
}

impl Purpose {
    /// Returns a description of the purpose, as a phrase with a full stop.
    pub const fn summary(self) -> &'static str {
        match self {
            Purpose::Search => "The index of a search engine.",
            Purpose::AiSearch => "The index of an answer engine or an assistant.",
            Purpose::UserTriggered => "One page at the request of a user or of the user's agent.",
            Purpose::Training => "Training data for models, or data sets that are used for training.",
            Purpose::ControlOnly => {
                "Nothing is fetched: the token controls the use of content that another crawler fetched."
            }
            Purpose::Seo => "Link graphs, rankings, and audits of sites for their owners.",
            Purpose::Archive => "Preservation of the web.",
            Purpose::Social => "Previews of shared links.",
            Purpose::Monitoring => "Checks whether a site is up, valid, fast or safe.",
            Purpose::Other => "Advertising, research, downloads and everything else.",
        }
    }
}

words! {
    /// The way in which a crawler treats a directive of robots.txt, according to its operator.
    Compliance as "compliance" {
        /// The crawler obeys the directive.
        Honours = "honours",
        /// The crawler may ignore the directive, in cases that the operator names or does not specify.
        MayIgnore = "may_ignore",
        /// The crawler does not read the directive, or ignores it.
        Ignores = "ignores",
        /// The operator does not document the treatment, or its documentation has not been checked.
        Unknown = "unknown",
    }
}

words! {
    /// The status of a crawler: whether it is still active.
    Status as "status" {
        /// Its operator currently names the crawler.
        Active = "active",
        /// The crawler no longer exists, or its name has changed. Many files still contain the name.
        Retired = "retired",
        /// The status has not been checked.
        Unknown = "unknown",
    }
}

words! {
    /// The quality of the source of an entry.
    Sourcing as "sourcing" {
        /// The source is the operator's own text: its page, a stored copy of the page, or a document that quotes the
        /// page.
        Verified = "verified",
        /// The source is a third party's copy of the operator's publication. The copy states the location of the
        /// original.
        Mirrored = "mirrored",
        /// The source is a public list, or the robots.txt files of real sites. The operator does not confirm the entry.
        Listed = "listed",
    }
}

words! {
    /// A way by which a site can distinguish a crawler from a client that uses its name.
    ProofKind as "proof" {
        /// The operator publishes the addresses from which the crawler sends requests.
        AddressRanges = "address_ranges",
        /// The host names of the crawler's addresses have a published suffix, and resolve back to the addresses.
        ReverseDns = "reverse_dns",
        /// The crawler signs its requests with keys from a published directory (Web Bot Auth).
        SignatureDirectory = "signature_directory",
    }
}
