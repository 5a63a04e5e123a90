//! The kinds of findings about whole sites, which `docs/reference/findings/site.md` prints.
//!
//! These findings compare several documents, so their examples are descriptions.

crate::finding::kinds! { Site;
    ROBOTS_UNREADABLE "site-robots-unreadable" Error RobotsTxt,
    "robots.txt cannot be read, so no URL of the site may be fetched.",
    "Crawlers that follow RFC 9309 do not fetch anything from the site until robots.txt can be read.",
    "let /robots.txt answer 200 with rules, or 404 if the site has no rules",
    bad(described "a site whose /robots.txt answers 503"),
    good(described "a site whose /robots.txt answers 404");

    NO_SITEMAP "site-no-sitemap" Note Sitemap,
    "No sitemap was found, neither in robots.txt nor at the usual addresses.",
    "Search engines then find pages only by links.",
    "write a sitemap, and name it in robots.txt: `Sitemap: https://example.com/sitemap.xml`",
    bad(described "a site without /sitemap.xml whose robots.txt has no `Sitemap` line"),
    good(described "a site with a `Sitemap` line that leads to a sitemap");

    SITEMAP_UNREACHABLE "site-sitemap-unreachable" Error Sitemap,
    "A sitemap that robots.txt or another sitemap names cannot be fetched.",
    "Crawlers do not read the URLs that it lists.",
    "serve it, or delete the line that names it",
    bad(described "a `Sitemap` line that leads to an answer 404"),
    good(described "a `Sitemap` line that leads to an answer 200 with a sitemap");

    SITEMAP_DISALLOWED "site-sitemap-disallowed" Warning RobotsTxt,
    "A sitemap may not be fetched: robots.txt disallows it.",
    "Crawlers that obey robots.txt never read the URLs that it lists.",
    "allow its path, or move it to an allowed path",
    bad(described "`Sitemap: https://example.com/private/sitemap.xml` with `Disallow: /private`"),
    good(described "these two lines with `Allow: /private/sitemap.xml`");

    LISTED_DISALLOWED "site-listed-disallowed" Warning RobotsTxt,
    "A sitemap lists pages that robots.txt disallows.",
    "The sitemap invites crawlers, and robots.txt excludes them; one of the two is probably a mistake.",
    "allow the pages, or remove them from the sitemap",
    bad(described "a sitemap with https://example.com/private/a, and `Disallow: /private` in robots.txt"),
    good(described "a sitemap without that page");

    LISTED_FAILING "site-listed-failing" Warning Sitemap,
    "A sitemap lists a page that cannot be fetched.",
    "Search engines request such pages without success and report them as errors.",
    "serve the page, or remove it from the sitemap",
    bad(described "a sitemap with a page that answers 404"),
    good(described "a sitemap whose pages answer 200");

    LISTED_REDIRECTED "site-listed-redirected" Note Sitemap,
    "A sitemap lists a page that redirects to another page.",
    "A sitemap should list the addresses under which pages are shown.",
    "list the address to which the page redirects",
    bad(described "a sitemap with a page that answers 301"),
    good(described "a sitemap with the address to which the page redirects");

    LISTED_NOINDEX "site-listed-noindex" Warning Html,
    "A sitemap lists a page that has `noindex`.",
    "The sitemap requests that search engines list the page, and the page forbids it.",
    "remove the page from the sitemap, or `noindex` from the page and its header",
    bad(described "a sitemap with a page that has `<meta name=robots content=noindex>`"),
    good(described "a sitemap without the page");

    NOINDEX_UNSEEN "site-noindex-unseen" Warning Html,
    "A page has `noindex`, but robots.txt forbids crawlers to read it.",
    "A crawler that may not fetch the page never reads its `noindex`. Search engines may still list its address, since other \
    pages link to it.",
    "allow the page until search engines have read its `noindex`",
    bad(described "a page with `X-Robots-Tag: noindex`, and `Disallow: /` for a search engine's crawler"),
    good(described "a page with `X-Robots-Tag: noindex` that every crawler may fetch");

    PREFERENCES_CONTRADICT "site-preferences-contradict" Warning RobotsTxt,
    "The site allows a use in one place and disallows it in another.",
    "Crawlers may read one of the places or all of them, and no specification defines which of two signals counts.",
    "make the same statement in every place",
    bad(described "`Content-Usage: train-ai=y` in robots.txt, and `Content-Signal: ai-train=no` in the header of a page"),
    good(described "`Content-Usage: train-ai=n` in robots.txt, and `Content-Signal: ai-train=no` in the header of a page");
}
