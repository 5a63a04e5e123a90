//! The kinds of findings about page directives, which `docs/reference/findings/page.md` prints.

crate::finding::kinds! { Page;
    UNKNOWN_DIRECTIVE "page-unknown-directive" Warning HttpHeader,
    "No crawler is known to act on this word.",
    "It is kept and changes nothing. Mostly it is a slip of a known directive, which then has no effect.",
    "write the directive as its operator spells it, or take the word out",
    bad(b"X-Robots-Tag: noindx\n"), good(b"X-Robots-Tag: noindex\n");

    BAD_VALUE "page-bad-value" Error HttpHeader,
    "The value cannot be read, so the directive does not count.",
    "A limit that cannot be read limits nothing, and a date that cannot be read never passes.",
    "write a number, a size or a date as the directive takes it",
    bad(b"X-Robots-Tag: max-snippet: short\n"), good(b"X-Robots-Tag: max-snippet: 50\n");

    UNEXPECTED_VALUE "page-unexpected-value" Note HttpHeader,
    "The directive takes no value; it counts without it.",
    "Another reader may take directive and value for one unknown word, and `noindex: false` says `noindex` all the same.",
    "take the value out; leave the directive out if it is not meant",
    bad(b"X-Robots-Tag: noindex: true\n"), good(b"X-Robots-Tag: noindex\n");

    MISSING_COMMA "page-missing-comma" Warning HttpHeader,
    "Directives are separated by commas; crawlers may see one unknown word here.",
    "Here each known directive counts; by the letter of the specifications none of them does.",
    "put a comma between them",
    bad(b"X-Robots-Tag: noindex nofollow\n"), good(b"X-Robots-Tag: noindex, nofollow\n");

    QUOTED "page-quoted" Warning HttpHeader,
    "Quotation marks are part of the word to a crawler that takes it literally.",
    "Such a crawler knows no directive of that name, and does not obey it.",
    "take the quotation marks out",
    bad(b"X-Robots-Tag: \"noindex\"\n"), good(b"X-Robots-Tag: noindex\n");

    SEVERAL_AGENTS "page-several-agents" Note HttpHeader,
    "Crawlers may read this field, which names several of them, as meant for the first alone.",
    "Google documents one crawler per field. What stands behind the second name may then count for the first.",
    "send a field for each crawler",
    bad(b"X-Robots-Tag: googlebot: nofollow, bingbot: noindex\n"),
    good(b"X-Robots-Tag: googlebot: nofollow\nX-Robots-Tag: bingbot: noindex\n");

    AGENT_IN_CONTENT "page-agent-in-content" Warning Html,
    "In a page the crawler is named in the attribute `name`; here its name makes an unknown word.",
    "That form belongs to the header. On a page the directive behind the name counts for nobody.",
    "name the crawler in the attribute `name`",
    bad(b"<meta name=robots content='googlebot: noindex'>\n"), good(b"<meta name=googlebot content=noindex>\n");

    MALFORMED_ROBOTS_TAG "page-malformed-robots-tag" Error HttpHeader,
    "A structured field that cannot be parsed is ignored as a whole (RFC 9651).",
    "One slip makes all of `Robots-Tag` void, for every crawler.",
    "write members as `*;noindex, ExampleBot;max-snippet=20`",
    bad(b"Robots-Tag: *;noindex, ExampleBot;=\n"), good(b"Robots-Tag: *;noindex, ExampleBot;nosnippet\n");

    BAD_MEMBER "page-bad-member" Error HttpHeader,
    "The members of `Robots-Tag` are product tokens; this one is ignored.",
    "Its directives are for nobody.",
    "write a crawler's product token, or `*` for all",
    bad(b"Robots-Tag: 7;noindex\n"), good(b"Robots-Tag: ExampleBot;noindex\n");

    HEADER_TOO_LONG "page-header-too-long" Warning HttpHeader,
    "What stands after the limit does not count.",
    "256 KiB of `X-Robots-Tag` and 8 KiB of `Robots-Tag` are read; no crawler is known to read more.",
    "send fewer directives",
    bad("Robots-Tag: ", "ExampleBot;noindex, ", 500, "ExampleBot;nosnippet\n"),
    good(b"Robots-Tag: ExampleBot;noindex;nosnippet\n");

    TOO_MANY_DIRECTIVES "page-too-many-directives" Warning HttpHeader,
    "Only the first 1,000 directives are kept.",
    "What stands behind them does not count.",
    "say each thing once",
    bad("X-Robots-Tag: ", "noindex,", 1_001, "nofollow\n"), good(b"X-Robots-Tag: noindex, nofollow\n");

    META_IN_BODY "page-meta-in-body" Note Html,
    "Directives stand in the body; Google reads them there, others need them in the head.",
    "HTML allows such a `meta` in the head only, and a browser or crawler may not look further.",
    "move the element into the head",
    bad(b"<head><title>Reed</title></head><body><meta name=robots content=noindex>\n"),
    good(b"<head><title>Reed</title><meta name=robots content=noindex></head><body>\n");

    BAD_NOSNIPPET_ELEMENT "page-bad-nosnippet-element" Warning Html,
    "An element of this name may not carry `data-nosnippet`; Google reads it on span, div and section only.",
    "The text may be shown in results all the same.",
    "put the text into a `span`, `div` or `section` that carries the attribute",
    bad(b"<p data-nosnippet>Reed</p>\n"), good(b"<div data-nosnippet>Reed</div>\n");

    PAGE_TOO_LONG "page-too-long" Warning Html,
    "Directives may stand in what was not read of the page.",
    "A page is read up to a number of bytes and of elements, so that none takes all time.",
    "put directives into the head, before everything else",
    bad("", "<meta name=a content=b>\n", 5_100, ""),
    good(b"<meta name=robots content=noindex>\n");
}
