//! The kinds of findings about sitemaps, which `docs/reference/findings.md` prints.

crate::finding::kinds! { Sitemap;
    READ_ERROR "sitemap-read-error" Error Sitemap,
    "Reading stopped because the source reported an error.",
    "What was read before is kept; what would have followed is not known.",
    "ask for the sitemap again",
    bad(described "a connection that breaks off"),
    good(described "the same, read to its end");

    EMPTY "sitemap-empty" Error Sitemap,
    "There is nothing in the file.",
    "It lists no page, and a search engine reports an error.",
    "write the sitemap, or answer 404 if there is none",
    bad(b""),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    HTML "sitemap-html" Error Sitemap,
    "The file is an HTML page, as servers send in place of a missing file.",
    "No URL is read from it, though the answer looks like a success.",
    "serve the sitemap, or answer 404 if there is none",
    bad(b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNRECOGNISED "sitemap-unrecognised" Error Sitemap,
    "The file is none of the formats that sitemaps come in.",
    "No URL is read from it.",
    "write XML of the sitemap protocol, RSS, Atom, or a URL a line",
    bad(b"{\"urls\": [\"https://example.com/shop/a\"]}\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NO_ENTRIES "sitemap-no-entries" Warning Sitemap,
    "Not one entry was read.",
    "A sitemap without entries helps nobody, and search engines report it.",
    "list the pages, or take the sitemap down",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TRUNCATED "sitemap-truncated" Error Sitemap,
    "The file ends before its root element does; what was complete is kept.",
    "The upload or the program that wrote it broke off; pages are missing.",
    "write the file again, to its end",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    GZIP_UNSUPPORTED "sitemap-gzip-unsupported" Error Sitemap,
    "The file is compressed with gzip, and the program was built without it.",
    "Nothing of it can be read.",
    "build with the feature `gzip`",
    bad(described "a compressed sitemap, read without the feature `gzip`"),
    good(described "the same, read with it");

    GZIP_DAMAGED "sitemap-gzip-damaged" Error Sitemap,
    "The compressed data is damaged or cut off; what came before is kept.",
    "Pages behind the damage are missing.",
    "compress the file again",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_TRAILING "sitemap-gzip-trailing" Warning Sitemap,
    "Something that is not gzip follows the compressed data.",
    "Strict programs refuse such a file.",
    "cut the file where the compressed data ends",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00xyz"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_NESTED "sitemap-gzip-nested" Error Sitemap,
    "What was compressed is itself compressed, which is refused.",
    "The server compressed a file that was compressed already, without saying so.",
    "compress once",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x93\xef\xe6`\x00\x01\xa6\xff\xba\xbd\xbe\\\x0d\n\"-\xdf\xe7-\x9ak\xbd<\xf7\xe3'=\xa5I\x8d\xcb~\xf0\xd8\xd6I\xadm\xfb\xf9S\xa2\xca+!|\xba\xdc\xe1\xb3\xed_\xb6>\x93\xcdX\xab\xb9oU\xb7\xdaf\xaf\xa7,\xd1\xf6<\x8f\xf97\xae\xf2\xcdrd\xbe&2\xe9\xea\xe4\xc7\x8c\xbb\xf2\x92\xf8\xfcn\x8a\x1c\xb4K\x958\xf4\x86\xb3X\xcbN\xb2<jO\xa3\xd8\xed\x84\n\xa0E\x00\xd4\xf3\xceoq\x00\x00\x00"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_BOMB "sitemap-gzip-bomb" Error Sitemap,
    "The data expands more than any sitemap does; reading stopped.",
    "Such data is made to fill the memory of whoever reads it.",
    "serve a sitemap",
    bad(described "a gigabyte of spaces under gzip"),
    good(described "a sitemap under gzip");

    BYTE_ORDER_MARK "sitemap-byte-order-mark" Note Sitemap,
    "The file starts with a byte order mark.",
    "It is allowed; a few programs stumble over it.",
    "save the file as UTF-8 without a byte order mark",
    bad(b"\xef\xbb\xbf<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LEADING_WHITE_SPACE "sitemap-leading-white-space" Warning Sitemap,
    "White space stands before the XML declaration, which strict parsers refuse.",
    "A blank line in a template is enough to lose the whole sitemap.",
    "take it out",
    bad(b"\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NOT_UTF8 "sitemap-not-utf8" Warning Sitemap,
    "The file is not in UTF-8, as the protocol demands.",
    "Programs that read UTF-8 alone see other URLs.",
    "save the file as UTF-8",
    bad(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_ENCODING "sitemap-unknown-encoding" Warning Sitemap,
    "The declared encoding is unknown, or not that of the file; read as UTF-8.",
    "A strict parser refuses the file.",
    "declare `UTF-8`, and save the file so",
    bad(b"<?xml version=\"1.0\" encoding=\"klingon\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    INVALID_BYTES "sitemap-invalid-bytes" Warning Sitemap,
    "Some bytes mean nothing in the file's encoding; each is read as U+FFFD.",
    "A URL with such a byte leads nowhere.",
    "save the file in the encoding that it declares",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<!-- caf\xe9 -->\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<!-- caf\xc3\xa9 -->\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    DOCTYPE "sitemap-doctype" Error Sitemap,
    "A document type declaration, which no sitemap needs and attacks do; reading stopped.",
    "It may define entities that grow without end or read files.",
    "take the declaration out",
    bad(b"<!DOCTYPE urlset [<!ENTITY a 'b'>]>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_ENTITY "sitemap-unknown-entity" Warning Sitemap,
    "An entity that XML does not define; kept as written.",
    "HTML has `&nbsp;` and `&eacute;`, XML has not; a strict parser refuses the file.",
    "write the character itself",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=&eacute;</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=%C3%A9</loc></url>\n</urlset>\n");

    BARE_AMPERSAND "sitemap-bare-ampersand" Warning Sitemap,
    "An `&` starts no entity.",
    "A strict parser refuses the file.",
    "write `&amp;`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1& y=2</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;y=2</loc></url>\n</urlset>\n");

    DOUBLE_ESCAPED "sitemap-double-escaped" Warning Sitemap,
    "An entity was escaped twice; resolved once more.",
    "By the letter the URL has `&amp;` in it, and is another page.",
    "escape once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;amp;y=2</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;y=2</loc></url>\n</urlset>\n");

    BAD_MARKUP "sitemap-bad-markup" Error Sitemap,
    "Markup that is not XML; read as text.",
    "A strict parser refuses the file.",
    "write `&lt;` if the character is meant",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n< >\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOKEN_TOO_LONG "sitemap-token-too-long" Error Sitemap,
    "A tag, comment or CDATA section is longer than is read; reading stopped.",
    "No sitemap needs one of 256 KiB.",
    "take it out",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><!-- ", "a", 300_000, " --></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_DEEP "sitemap-too-deep" Error Sitemap,
    "Elements are nested deeper than is read; reading stopped.",
    "No sitemap needs more than a few levels; such a file is made to fill the memory of whoever reads it.",
    "close elements where they end",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "<a>", 500, ""),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_MANY_ATTRIBUTES "sitemap-too-many-attributes" Warning Sitemap,
    "An element has more attributes than are read.",
    "What stands in the others does not count.",
    "take out what the protocol does not know",
    bad("<urlset ", "a='b' ", 70, "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/shop/a</loc></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNCLOSED_ELEMENT "sitemap-unclosed-element" Warning Sitemap,
    "An element is not closed where it should be.",
    "A strict parser refuses the file.",
    "close it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    STRAY_END_TAG "sitemap-stray-end-tag" Warning Sitemap,
    "An end tag closes nothing that is open.",
    "A strict parser refuses the file.",
    "take it out",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TRAILING_CONTENT "sitemap-trailing-content" Warning Sitemap,
    "Something follows the end of the root element.",
    "A strict parser refuses the file.",
    "take it out",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\nmore\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    MISSING_ROOT "sitemap-missing-root" Error Sitemap,
    "The root element is missing.",
    "A strict parser sees several documents in one, or none.",
    "put all entries into one `<urlset>`",
    bad(b"<url><loc>https://example.com/shop/a</loc></url>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NO_NAMESPACE "sitemap-no-namespace" Warning Sitemap,
    "The root element has no namespace.",
    "Programs that go by the namespace read nothing.",
    "write `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`",
    bad(b"<urlset>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LENIENT_NAMESPACE "sitemap-lenient-namespace" Warning Sitemap,
    "A namespace is not spelt as its specification says.",
    "Programs that compare it letter by letter read nothing.",
    "write it as the specification does",
    bad(b"<urlset xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_NAMESPACE "sitemap-unknown-namespace" Warning Sitemap,
    "The root element has a namespace that is none of sitemaps; read all the same.",
    "Programs that go by the namespace read nothing.",
    "write `xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"`",
    bad(b"<urlset xmlns='https://example.com/ns'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNDECLARED_PREFIX "sitemap-undeclared-prefix" Warning Sitemap,
    "A namespace prefix is not declared; taken for what it is called.",
    "A strict parser refuses the file.",
    "declare the prefix on the root element",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    WRONG_CASE "sitemap-wrong-case" Warning Sitemap,
    "An element is spelt in the wrong case.",
    "In XML `<Loc>` is another element than `<loc>`.",
    "write it in lower case",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><Loc>https://example.com/shop/a</Loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    MISPLACED_ELEMENT "sitemap-misplaced-element" Warning Sitemap,
    "An entry stands in the other kind of sitemap.",
    "A `<sitemapindex>` lists sitemaps, a `<urlset>` pages; other programs pass over what does not belong there.",
    "put pages and sitemaps into files of their own",
    bad(b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n<sitemap><loc>https://example.com/shop/b.xml</loc></sitemap>\n</sitemapindex>\n"),
    good(b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<sitemap><loc>https://example.com/shop/b.xml</loc></sitemap>\n</sitemapindex>\n");

    UNKNOWN_ELEMENT "sitemap-unknown-element" Note Sitemap,
    "An element that the protocol does not know.",
    "It is passed over.",
    "take it out",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><color>red</color></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    MISSING_LOC "sitemap-missing-loc" Error Sitemap,
    "An entry has no URL; dropped.",
    "It lists nothing.",
    "write its `<loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url><url><priority>1.0</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    BARE_LOC "sitemap-bare-loc" Warning Sitemap,
    "The URL stands in the entry itself, not in its `loc`.",
    "Other programs find no URL there.",
    "put it into `<loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url>https://example.com/shop/a</url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    DUPLICATE_ELEMENT "sitemap-duplicate-element" Warning Sitemap,
    "An element occurs more than once in an entry; the first counts.",
    "Other programs may take the last.",
    "write it once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.5</priority><priority>1.0</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.5</priority></url>\n</urlset>\n");

    VALUE_TOO_LONG "sitemap-value-too-long" Warning Sitemap,
    "A value is longer than is kept; cut.",
    "16 KiB are kept of a value.",
    "shorten it",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>", "a", 20_000, "</news:title></news:news></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    ENTRY_TOO_LARGE "sitemap-entry-too-large" Error Sitemap,
    "An entry holds more than is kept; the rest of it is dropped.",
    "2 MiB are kept of an entry.",
    "shorten it",
    bad(described "an entry with three megabytes of captions"),
    good(described "the same without them");

    BAD_LASTMOD "sitemap-bad-lastmod" Warning Sitemap,
    "A date is none of the W3C's forms; left out.",
    "Whoever goes by dates does not know that the page changed.",
    "write it as `2026-11-21` or `2026-11-21T06:20:00Z`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><lastmod>21.11.2026</lastmod></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><lastmod>2026-11-21</lastmod></url>\n</urlset>\n");

    BAD_CHANGEFREQ "sitemap-bad-changefreq" Warning Sitemap,
    "A change frequency is unknown, or spelt in the wrong case.",
    "It is a hint that few programs use.",
    "write `always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><changefreq>often</changefreq></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><changefreq>daily</changefreq></url>\n</urlset>\n");

    BAD_PRIORITY "sitemap-bad-priority" Warning Sitemap,
    "A priority is not a number from 0 to 1; left out.",
    "The page counts as 0.5.",
    "write a number such as `0.8`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>high</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.8</priority></url>\n</urlset>\n");

    RELATIVE_LOC "sitemap-relative-loc" Error Sitemap,
    "A URL is relative; resolved if the sitemap's own URL is known, dropped otherwise.",
    "The protocol wants the whole URL; search engines skip anything else.",
    "write scheme and host, too",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NOT_A_URL "sitemap-not-a-url" Error Sitemap,
    "Text where a URL should be; dropped.",
    "It leads nowhere.",
    "write the page's URL",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>the shop</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    OTHER_SCHEME "sitemap-other-scheme" Warning Sitemap,
    "A URL is neither http nor https.",
    "Search engines do not fetch it.",
    "list what can be fetched over http or https",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>ftp://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LOC_AT_LIMIT "sitemap-loc-at-limit" Warning Sitemap,
    "A URL has 2,048 characters: the prose of the protocol forbids it, the schema does not.",
    "Some programs drop it.",
    "shorten it by one character",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/shop/", "a", 2_023, "</loc></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LOC_TOO_LONG "sitemap-loc-too-long" Error Sitemap,
    "A URL is longer than the limit.",
    "The protocol allows fewer than 2,048 characters.",
    "shorten it",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/shop/", "a", 3_000, "</loc></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    WHITE_SPACE_IN_LOC "sitemap-white-space-in-loc" Warning Sitemap,
    "A URL has white space inside, or around it other than XML's; line ends and tabs are removed.",
    "Other programs encode it, or cut the URL there.",
    "write `%20` if a space is meant",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a b</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a%20b</loc></url>\n</urlset>\n");

    UNESCAPED_LOC "sitemap-unescaped-loc" Note Sitemap,
    "A URL has characters that should be percent-encoded.",
    "Programs encode them in ways that differ.",
    "percent-encode them (RFC 3986)",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/caf\xc3\xa9</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/caf%C3%A9</loc></url>\n</urlset>\n");

    DUPLICATE_LOC "sitemap-duplicate-loc" Warning Sitemap,
    "A URL is listed more than once.",
    "Once will do; the entries may contradict each other.",
    "list it once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    IMAGE_WITHOUT_LOC "sitemap-image-without-loc" Warning Sitemap,
    "An image has no URL; dropped.",
    "It lists nothing.",
    "write its `<image:loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image></image:image></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    INCOMPLETE_VIDEO "sitemap-incomplete-video" Warning Sitemap,
    "A video lacks something that is required.",
    "Google shows no video that lacks thumbnail, title, description or a place to play it.",
    "write what is missing",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:title>A</video:title></video:video></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc></video:video></url>\n</urlset>\n");

    INCOMPLETE_NEWS "sitemap-incomplete-news" Warning Sitemap,
    "A news article lacks something that is required.",
    "Google News takes no article that lacks publication, date or title.",
    "write what is missing",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date></news:news></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    BAD_EXTENSION_VALUE "sitemap-bad-extension-value" Warning Sitemap,
    "A value of an extension is not what it should be; left out.",
    "Whoever reads the extension does without it, or skips the entry.",
    "write it as the extension's specification says",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc><video:duration>long</video:duration></video:video></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc><video:duration>60</video:duration></video:video></url>\n</urlset>\n");

    BAD_HREFLANG "sitemap-bad-hreflang" Warning Sitemap,
    "A language is neither `x-default` nor shaped like one, or has no URL.",
    "The other language of the page is not found.",
    "write a language as BCP 47 has it, such as `de-CH`, and a URL",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='german!' href='https://example.com/shop/a'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    HREFLANG_WITHOUT_SELF "sitemap-hreflang-without-self" Note Sitemap,
    "The languages of a page do not list the page itself.",
    "Google wants each page to list all languages, its own included.",
    "list the page's own language, too",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/de'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='en' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    OBSOLETE_EXTENSION "sitemap-obsolete-extension" Note Sitemap,
    "An extension that no search engine reads any more.",
    "It is passed over.",
    "take it out",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:mobile='http://www.google.com/schemas/sitemap-mobile/1.0'>\n<url><loc>https://example.com/shop/a</loc><mobile:mobile/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_MANY_ENTRIES "sitemap-too-many-entries" Error Sitemap,
    "There are more entries than the limit.",
    "The protocol allows 50,000; search engines refuse the file or stop there.",
    "split the sitemap, and list the parts in an index",
    bad("", "https://example.com/shop/a\n", 50_001, ""),
    good(b"https://example.com/shop/a\n");

    TOO_MANY_BYTES "sitemap-too-many-bytes" Error Sitemap,
    "The file, uncompressed, is larger than the limit.",
    "The protocol allows 50 MB; search engines refuse the file or stop there.",
    "split the sitemap, and list the parts in an index",
    bad(described "a sitemap of 60 MB"),
    good(described "the same as two sitemaps and an index");

    TOO_MANY_IMAGES "sitemap-too-many-images" Error Sitemap,
    "A page has more images than the limit.",
    "Google reads 1,000 images of a page.",
    "list the most important ones",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'><url><loc>https://example.com/shop/a</loc>", "<image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image>\n", 1_001, "</url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    TOO_MANY_NEWS "sitemap-too-many-news" Error Sitemap,
    "There are more news articles than the limit.",
    "Google News reads 1,000 articles of a sitemap.",
    "list the articles of the last two days alone",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>", "<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n", 1_001, "</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    STOPPED "sitemap-stopped" Error Sitemap,
    "Reading stopped at a limit; the rest was not looked at.",
    "Ten times the protocol's limits are read, so that no file takes all time.",
    "split the sitemap, and list the parts in an index",
    bad(described "a sitemap of 600,000 entries"),
    good(described "the same as twelve sitemaps and an index");

    OTHER_HOST "sitemap-other-host" Error Sitemap,
    "A URL is on another host, scheme or port than the sitemap.",
    "A sitemap speaks for its own host, unless the other host's robots.txt names it.",
    "list it in a sitemap of its own host",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://www.example.org/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    OUTSIDE_FOLDER "sitemap-outside-folder" Error Sitemap,
    "A URL is outside the folder of the sitemap.",
    "A sitemap speaks for its own folder and what is below it.",
    "move the sitemap up, to the root of the site if need be",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/blog/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");
}
