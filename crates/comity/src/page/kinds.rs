//! The kinds of findings about page directives, which `docs/reference/findings/page.md` prints.

crate::finding::kinds! { Page;
    UNKNOWN_DIRECTIVE "page-unknown-directive" Warning HttpHeader,
    "No crawler is known to act on this word.",
    "The word has no effect. It is usually a misspelling of a known directive.",
    "write the directive as its operator spells it, or delete the word",
    bad(b"X-Robots-Tag: noindx\n"), good(b"X-Robots-Tag: noindex\n");

    BAD_VALUE "page-bad-value" Error HttpHeader,
    "The value cannot be read, so the directive does not count.",
    "An unreadable limit sets no limit, and a directive with an unreadable date never takes effect.",
    "write a number, a size or a date, as the directive requires",
    bad(b"X-Robots-Tag: max-snippet: short\n"), good(b"X-Robots-Tag: max-snippet: 50\n");

    UNEXPECTED_VALUE "page-unexpected-value" Note HttpHeader,
    "The directive counts, but its value is ignored because the directive takes none.",
    "Other programs may read directive and value as one unknown word. `noindex: false` still means `noindex`.",
    "delete the value; delete the directive, too, if it is not intended",
    bad(b"X-Robots-Tag: noindex: true\n"), good(b"X-Robots-Tag: noindex\n");

    MISSING_COMMA "page-missing-comma" Warning HttpHeader,
    "A comma is missing between directives, so crawlers may read them as one unknown word.",
    "Comity reads each known directive; under a literal reading of the specifications, none of them counts.",
    "put a comma between the directives",
    bad(b"X-Robots-Tag: noindex nofollow\n"), good(b"X-Robots-Tag: noindex, nofollow\n");

    QUOTED "page-quoted" Warning HttpHeader,
    "A crawler that does not remove quotation marks reads them as part of the word.",
    "For such a crawler the directive is unknown, so it is not obeyed.",
    "delete the quotation marks",
    bad(b"X-Robots-Tag: \"noindex\"\n"), good(b"X-Robots-Tag: noindex\n");

    SEVERAL_AGENTS "page-several-agents" Note HttpHeader,
    "This field names several crawlers, and some programs apply the whole field to the first one.",
    "Google documents only fields with one crawler. Directives after the second name may be applied to the first crawler.",
    "send one field for each crawler",
    bad(b"X-Robots-Tag: googlebot: nofollow, bingbot: noindex\n"),
    good(b"X-Robots-Tag: googlebot: nofollow\nX-Robots-Tag: bingbot: noindex\n");

    AGENT_IN_CONTENT "page-agent-in-content" Warning Html,
    "A crawler is named in `content`, where crawlers read the name as an unknown word.",
    "This form is valid only in the header. In a page, the attribute `name` names the crawler, and the directive after a name in `content` applies to no crawler.",
    "name the crawler in the attribute `name`",
    bad(b"<meta name=robots content='googlebot: noindex'>\n"), good(b"<meta name=googlebot content=noindex>\n");

    MALFORMED_ROBOTS_TAG "page-malformed-robots-tag" Error HttpHeader,
    "A structured field that cannot be parsed is ignored as a whole (RFC 9651).",
    "One mistake makes the whole `Robots-Tag` invalid, for every crawler.",
    "write members as `*;noindex, ExampleBot;max-snippet=20`",
    bad(b"Robots-Tag: *;noindex, ExampleBot;=\n"), good(b"Robots-Tag: *;noindex, ExampleBot;nosnippet\n");

    BAD_MEMBER "page-bad-member" Error HttpHeader,
    "The members of `Robots-Tag` are product tokens; this one is ignored.",
    "Its directives apply to no crawler.",
    "write a crawler's product token, or `*` for all",
    bad(b"Robots-Tag: 7;noindex\n"), good(b"Robots-Tag: ExampleBot;noindex\n");

    HEADER_TOO_LONG "page-header-too-long" Warning HttpHeader,
    "Directives after the size limit do not count.",
    "64 KiB of `X-Robots-Tag` and 8 KiB of `Robots-Tag` are read; no crawler is known to read more.",
    "send fewer directives",
    bad("Robots-Tag: ", "ExampleBot;noindex, ", 500, "ExampleBot;nosnippet\n"),
    good(b"Robots-Tag: ExampleBot;noindex;nosnippet\n");

    TOO_MANY_DIRECTIVES "page-too-many-directives" Warning HttpHeader,
    "Only the first 1,000 directives are read.",
    "Later directives do not count.",
    "send each directive once",
    bad("X-Robots-Tag: ", "noindex,", 1_001, "nofollow\n"), good(b"X-Robots-Tag: noindex, nofollow\n");

    MISSPELT_FIELD "page-misspelt-field" Warning HttpHeader,
    "A header field has directives and a name similar to `X-Robots-Tag`, so no crawler reads it.",
    "Crawlers look for the exact name of the field, except for case.",
    "name the field `X-Robots-Tag`",
    bad(b"X-Robot-Tag: noindex\n"), good(b"X-Robots-Tag: noindex\n");

    META_WITHOUT_NAME "page-meta-without-name" Warning Html,
    "A `meta` has directives, but names the crawlers in an attribute other than `name`, so no crawler reads it.",
    "Crawlers read `meta` elements by their `name`. `property` belongs to RDFa and Open Graph, and `http-equiv` stands for a few \
    header fields, but not for `X-Robots-Tag`.",
    "write `<meta name=\"robots\" content=...>`",
    bad(b"<meta property=robots content=noindex>\n"), good(b"<meta name=robots content=noindex>\n");

    META_IN_BODY "page-meta-in-body" Note Html,
    "Directives in the body are read by Google, but not by every crawler.",
    "HTML allows such a `meta` only in the head, and crawlers may stop reading there.",
    "move the element into the head",
    bad(b"<head><title>Reed</title></head><body><meta name=robots content=noindex>\n"),
    good(b"<head><title>Reed</title><meta name=robots content=noindex></head><body>\n");

    BAD_NOSNIPPET_ELEMENT "page-bad-nosnippet-element" Warning Html,
    "The attribute `data-nosnippet` is on an element where Google ignores it.",
    "The text may still be shown in search results.",
    "put the text into a `span`, `div` or `section` with the attribute",
    bad(b"<p data-nosnippet>Reed</p>\n"), good(b"<div data-nosnippet>Reed</div>\n");

    PAGE_TOO_LONG "page-too-long" Warning Html,
    "The page was not read to its end, so later directives are missing.",
    "Comity reads a limited number of bytes and elements, so that a large page cannot block it.",
    "put directives at the start of the head",
    bad("", "<meta name=a content=b>\n", 5_100, ""),
    good(b"<meta name=robots content=noindex>\n");
}
