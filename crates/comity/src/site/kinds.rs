//! The kinds of findings about whole sites, which `docs/reference/findings/site.md` prints.
//!
//! Such a finding requires several documents, so the examples are descriptions.

crate::finding::kinds! { Site;
    ROBOTS_UNREADABLE "site-robots-unreadable" Error RobotsTxt,
    "No rule of robots.txt decides, and nothing of the site may be fetched.",
    "Crawlers that follow RFC 9309 stay away from the whole site for as long as robots.txt cannot be read.",
    "let /robots.txt answer 200 with rules, or 404 if the site has no rules",
    bad(told "a site whose /robots.txt answers 503"),
    good(told "the same site, whose /robots.txt answers 404");

    NO_SITEMAP "site-no-sitemap" Note Sitemap,
    "No sitemap is found: robots.txt names none, and there is none at the usual places.",
    "Search engines find pages by links alone.",
    "write a sitemap, and name it in robots.txt: `Sitemap: https://example.com/sitemap.xml`",
    bad(told "a site without /sitemap.xml whose robots.txt has no `Sitemap` line"),
    good(told "the same site with a `Sitemap` line that leads to a sitemap");

    SITEMAP_UNREACHABLE "site-sitemap-unreachable" Error Sitemap,
    "A sitemap that robots.txt or another sitemap names does not come.",
    "What it lists is not known to anybody who asks.",
    "serve it, or take away the line that names it",
    bad(told "a `Sitemap` line that leads to an answer 404"),
    good(told "the same line, and an answer 200 with a sitemap");

    SITEMAP_DISALLOWED "site-sitemap-disallowed" Warning RobotsTxt,
    "A sitemap may not be fetched: robots.txt disallows it.",
    "Crawlers that obey never see what it lists.",
    "allow its path, or move it to a path that is allowed",
    bad(told "`Sitemap: https://example.com/private/sitemap.xml` beside `Disallow: /private`"),
    good(told "the same with `Allow: /private/sitemap.xml`");

    LISTED_DISALLOWED "site-listed-disallowed" Warning RobotsTxt,
    "A sitemap lists pages that robots.txt disallows.",
    "The sitemap asks crawlers to come, and robots.txt sends them away: one of the two is not what was meant.",
    "allow the pages, or take them out of the sitemap",
    bad(told "a sitemap with https://example.com/private/a beside `Disallow: /private`"),
    good(told "the same sitemap without that page");

    LISTED_FAILING "site-listed-failing" Warning Sitemap,
    "A sitemap lists a page that does not come.",
    "Search engines report such pages, and ask for them in vain.",
    "serve the page, or take it out of the sitemap",
    bad(told "a sitemap with a page that answers 404"),
    good(told "the same sitemap, whose pages answer 200");

    LISTED_REDIRECTED "site-listed-redirected" Note Sitemap,
    "A sitemap lists a page that leads to another.",
    "A sitemap is to list pages by the addresses that they are shown under.",
    "list the address that it leads to",
    bad(told "a sitemap with a page that answers 301"),
    good(told "a sitemap with the page that it leads to");

    LISTED_NOINDEX "site-listed-noindex" Warning Html,
    "A sitemap lists a page that asks not to be listed in search.",
    "The sitemap asks search engines to list it, and the page asks them not to.",
    "take the page out of the sitemap, or `noindex` out of the page and its header",
    bad(told "a sitemap with a page that has `<meta name=robots content=noindex>`"),
    good(told "the same sitemap without that page");

    NOINDEX_UNSEEN "site-noindex-unseen" Warning Html,
    "A page asks not to be listed in search, and robots.txt keeps crawlers from reading that.",
    "A crawler that may not fetch the page never sees its `noindex`; search engines may list its address all the same, as others link \
     to it.",
    "allow the page until search engines have read its `noindex`",
    bad(told "a page with `X-Robots-Tag: noindex` beside `Disallow: /` for a search engine's crawler"),
    good(told "the same page, which every crawler may fetch");

    PREFERENCES_CONTRADICT "site-preferences-contradict" Warning RobotsTxt,
    "What the site says of a use allows it in one place and disallows it in another.",
    "Crawlers read one of the places or all of them, and no rule says which of two signals counts.",
    "say the same in every place",
    bad(told "`Content-Usage: train-ai=y` in robots.txt, and `Content-Signal: ai-train=no` in the header of a page"),
    good(told "`Content-Usage: train-ai=n` in robots.txt beside the same header");
}
