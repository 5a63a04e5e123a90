//! The kinds of findings about sitemaps, which `docs/reference/findings/sitemap.md` prints.

crate::finding::kinds! { Sitemap;
    READ_ERROR "sitemap-read-error" Error Sitemap,
    "Reading stopped because the source reported an error.",
    "The entries before the error count; the others are unknown.",
    "fetch the sitemap again",
    bad(described "a connection that is lost while the sitemap is read"),
    good(described "a sitemap that is read to its end");

    EMPTY "sitemap-empty" Error Sitemap,
    "The file is empty.",
    "It lists no page, and search engines report an error.",
    "write the sitemap, or answer 404",
    bad(b""),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    HTML "sitemap-html" Error Sitemap,
    "The file is an HTML page, as servers often send for a missing file.",
    "No URL is read from the page, although the status code reports success.",
    "serve the sitemap, or answer 404",
    bad(b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNRECOGNISED "sitemap-unrecognised" Error Sitemap,
    "The file is not in a sitemap format.",
    "No URL is read from it.",
    "write XML of the sitemap protocol, RSS, Atom, or one URL per line",
    bad(b"{\"urls\": [\"https://example.com/shop/a\"]}\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NO_ENTRIES "sitemap-no-entries" Warning Sitemap,
    "No entry was read.",
    "A sitemap without entries is useless, and search engines report it.",
    "list the pages, or delete the sitemap",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TRUNCATED "sitemap-truncated" Error Sitemap,
    "The file ends before the end tag of its root element; only entries with a complete URL count.",
    "The upload, or the program that wrote the file, stopped early, so pages are missing.",
    "write the file again, and check that it is complete",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    GZIP_UNSUPPORTED "sitemap-gzip-unsupported" Error Sitemap,
    "The file is compressed with gzip, but this program was built without gzip.",
    "No entry can be read.",
    "build with the feature `gzip`",
    bad(described "a compressed sitemap, read without the feature `gzip`"),
    good(described "a compressed sitemap, read with the feature `gzip`");

    GZIP_DAMAGED "sitemap-gzip-damaged" Error Sitemap,
    "The compressed data is damaged or incomplete; only the entries before the damage count.",
    "Pages after the damage are missing.",
    "compress the file again",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_TRAILING "sitemap-gzip-trailing" Warning Sitemap,
    "Data that is not gzip follows the compressed data.",
    "Strict programs reject such a file.",
    "end the file after the compressed data",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00xyz"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_NESTED "sitemap-gzip-nested" Error Sitemap,
    "The file is compressed twice, which is not supported.",
    "The server probably compressed a file that was already compressed.",
    "compress the file once",
    bad(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x93\xef\xe6`\x00\x01\xa6\xff\xba\xbd\xbe\\\x0d\n\"-\xdf\xe7-\x9ak\xbd<\xf7\xe3'=\xa5I\x8d\xcb~\xf0\xd8\xd6I\xadm\xfb\xf9S\xa2\xca+!|\xba\xdc\xe1\xb3\xed_\xb6>\x93\xcdX\xab\xb9oU\xb7\xdaf\xaf\xa7,\xd1\xf6<\x8f\xf97\xae\xf2\xcdrd\xbe&2\xe9\xea\xe4\xc7\x8c\xbb\xf2\x92\xf8\xfcn\x8a\x1c\xb4K\x958\xf4\x86\xb3X\xcbN\xb2<jO\xa3\xd8\xed\x84\n\xa0E\x00\xd4\xf3\xceoq\x00\x00\x00"),
    good(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff-\x8dM\n\x80 \x14\x84\xf7\x9e\xa2\x9d;\xa7m\xf1\xf2.\"\x92\x81\xa6\xf8\x0c=~\x1a\xad\x86\xf9\xf9\x18zJ`W\x97\x1e\xc3\xcd\x87\xf4\xb5\xe6\x1dh\xad)\xbe\xaa\x8b&\xb3J\xe5\x04[?\x0c\xe3\x0f\xb1\xaaMjA\x03\xd6\x14\x92\xd5\x93\xe3\x01\xbanb\x0eN\xd9\x14\xc1>e\x18\xc2\xec\x09s*>\x19wZ\xbc\x81\x16\xdb`x\x00\x00\x00");

    GZIP_BOMB "sitemap-gzip-bomb" Error Sitemap,
    "The data expands more than any real sitemap, so reading stopped.",
    "Such files are used to exhaust the memory of programs that read them.",
    "serve a sitemap",
    bad(described "a gigabyte of spaces under gzip"),
    good(described "a sitemap under gzip");

    BYTE_ORDER_MARK "sitemap-byte-order-mark" Note Sitemap,
    "The file starts with a byte order mark.",
    "The mark is allowed, but some programs do not expect it.",
    "save the file as UTF-8 without a byte order mark",
    bad(b"\xef\xbb\xbf<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LEADING_WHITE_SPACE "sitemap-leading-white-space" Warning Sitemap,
    "White space precedes the XML declaration, so strict parsers reject the file.",
    "A blank line in a template can make the whole sitemap unreadable.",
    "delete it",
    bad(b"\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NOT_UTF8 "sitemap-not-utf8" Warning Sitemap,
    "The file is not in UTF-8, which the protocol requires.",
    "Programs that read only UTF-8 read wrong URLs.",
    "save the file as UTF-8",
    bad(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_ENCODING "sitemap-unknown-encoding" Warning Sitemap,
    "The declared encoding is unknown or does not match the file, which is read as UTF-8.",
    "A strict parser rejects the file.",
    "declare `UTF-8`, and save the file as UTF-8",
    bad(b"<?xml version=\"1.0\" encoding=\"klingon\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    INVALID_BYTES "sitemap-invalid-bytes" Warning Sitemap,
    "Some bytes are invalid in the file's encoding; each is read as U+FFFD.",
    "A URL with such a byte does not lead to the intended page.",
    "save the file in the encoding that it declares",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<!-- caf\xe9 -->\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<!-- caf\xc3\xa9 -->\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    DOCTYPE "sitemap-doctype" Error Sitemap,
    "Reading stopped at a document type declaration that may define entities or is not complete.",
    "Entities can expand without end or read files. No sitemap needs a declaration.",
    "delete the declaration",
    bad(b"<!DOCTYPE urlset [<!ENTITY a 'b'>]>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    EXTERNAL_DOCTYPE "sitemap-external-doctype" Note Sitemap,
    "A document type declaration is ignored.",
    "Declarations that it refers to are never fetched. Strict programs reject a file with a declaration.",
    "delete the declaration",
    bad(b"<!DOCTYPE urlset SYSTEM 'sitemap.dtd'>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_ENTITY "sitemap-unknown-entity" Warning Sitemap,
    "An entity is not defined in XML; it remains as written.",
    "`&nbsp;` and `&eacute;` are entities of HTML, not of XML; a strict parser rejects the file.",
    "write the character itself",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=&eacute;</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=%C3%A9</loc></url>\n</urlset>\n");

    BARE_AMPERSAND "sitemap-bare-ampersand" Warning Sitemap,
    "An `&` does not start an entity.",
    "A strict parser rejects the file.",
    "write `&amp;`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1& y=2</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;y=2</loc></url>\n</urlset>\n");

    DOUBLE_ESCAPED "sitemap-double-escaped" Warning Sitemap,
    "An entity is escaped twice, so it is resolved twice.",
    "Other programs resolve it once. Their URL contains `&amp;`, so it leads to another page.",
    "escape the URL once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;amp;y=2</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a?x=1&amp;y=2</loc></url>\n</urlset>\n");

    BAD_MARKUP "sitemap-bad-markup" Error Sitemap,
    "Markup is not valid XML.",
    "A strict parser rejects the file. Comity reads the markup as text, and ignores invalid attributes.",
    "write `&lt;` for the character, or correct the attributes",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n< >\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOKEN_TOO_LONG "sitemap-token-too-long" Error Sitemap,
    "A tag, comment, CDATA section or line is longer than the limit, so reading stopped.",
    "The limit is 256 KiB, which no sitemap needs.",
    "delete it",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><!-- ", "a", 300_000, " --></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_DEEP "sitemap-too-deep" Error Sitemap,
    "Elements are nested deeper than the limit, so reading stopped.",
    "A sitemap needs only a few levels. Deeper files are used to exhaust the memory of programs that read them.",
    "write the end tag of each element",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "<a>", 500, ""),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_MANY_ATTRIBUTES "sitemap-too-many-attributes" Warning Sitemap,
    "An element has more attributes than the limit.",
    "Attributes beyond the limit are ignored.",
    "delete attributes that the protocol does not define",
    bad("<urlset ", "a='b' ", 70, "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/shop/a</loc></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNCLOSED_ELEMENT "sitemap-unclosed-element" Warning Sitemap,
    "An element has no end tag; it ends at the first tag that cannot be inside it.",
    "A strict parser rejects the file.",
    "close it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    STRAY_END_TAG "sitemap-stray-end-tag" Warning Sitemap,
    "An end tag has no start tag.",
    "A strict parser rejects the file.",
    "delete it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TRAILING_CONTENT "sitemap-trailing-content" Warning Sitemap,
    "There is content after the end of the root element.",
    "A strict parser rejects the file.",
    "delete it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\nmore\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    MISSING_ROOT "sitemap-missing-root" Error Sitemap,
    "The root element is missing.",
    "A strict parser rejects the file, or reads only its first entry.",
    "put all entries into one `<urlset>`",
    bad(b"<url><loc>https://example.com/shop/a</loc></url>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NO_NAMESPACE "sitemap-no-namespace" Warning Sitemap,
    "The root element has no namespace.",
    "Programs that require the namespace read no entry.",
    "write `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`",
    bad(b"<urlset>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LENIENT_NAMESPACE "sitemap-lenient-namespace" Warning Sitemap,
    "A namespace differs slightly from the name in its specification.",
    "Programs that compare it exactly read no entry.",
    "write it as in the specification",
    bad(b"<urlset xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNKNOWN_NAMESPACE "sitemap-unknown-namespace" Warning Sitemap,
    "The namespace of the root element is unknown; it is ignored.",
    "Programs that require the namespace read no entry.",
    "write `xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"`",
    bad(b"<urlset xmlns='https://example.com/ns'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    UNDECLARED_PREFIX "sitemap-undeclared-prefix" Warning Sitemap,
    "A namespace prefix is not declared; it is read with its usual meaning.",
    "A strict parser rejects the file.",
    "declare the prefix on the root element",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    MISBOUND_PREFIX "sitemap-misbound-prefix" Warning Sitemap,
    "A usual prefix is declared with another namespace, so its elements are ignored.",
    "Only the namespace determines the meaning of an element, not the prefix. With a misspelt namespace, all languages, \
    images or videos are lost without an error.",
    "declare the prefix with the namespace of its specification",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/TR/xhtml11/xhtml11_schema.html'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    WRONG_CASE "sitemap-wrong-case" Warning Sitemap,
    "The name of an element has the wrong case.",
    "In XML, `<Loc>` and `<loc>` are different elements.",
    "write the name in lower case",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><Loc>https://example.com/shop/a</Loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    MISPLACED_ELEMENT "sitemap-misplaced-element" Warning Sitemap,
    "An entry is in the wrong kind of sitemap.",
    "A `<sitemapindex>` lists sitemaps, a `<urlset>` lists pages; other programs ignore misplaced entries.",
    "list pages and sitemaps in separate files",
    bad(b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n<sitemap><loc>https://example.com/shop/b.xml</loc></sitemap>\n</sitemapindex>\n"),
    good(b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<sitemap><loc>https://example.com/shop/b.xml</loc></sitemap>\n</sitemapindex>\n");

    UNKNOWN_ELEMENT "sitemap-unknown-element" Note Sitemap,
    "An element is not defined by the protocol.",
    "It is ignored.",
    "delete it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><color>red</color></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    SITEMAP_AS_PAGE "sitemap-sitemap-as-page" Warning Sitemap,
    "A list of pages contains the URL of a sitemap.",
    "In a `urlset`, each entry is a page. Sitemaps belong in a `sitemapindex`; here, search engines do not read them.",
    "list sitemaps in a `sitemapindex`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/sitemap-1.xml</loc></url>\n</urlset>\n"),
    good(b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<sitemap><loc>https://example.com/shop/sitemap-1.xml</loc></sitemap>\n</sitemapindex>\n");

    MISSING_LOC "sitemap-missing-loc" Error Sitemap,
    "An entry has no URL, so it is dropped.",
    "It lists no page.",
    "write its `<loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url><url><priority>1.0</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    BARE_LOC "sitemap-bare-loc" Warning Sitemap,
    "The URL is in the entry itself, not in its `loc`.",
    "Other programs do not find the URL.",
    "write it in `<loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url>https://example.com/shop/a</url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    DUPLICATE_ELEMENT "sitemap-duplicate-element" Warning Sitemap,
    "An element occurs more than once in an entry; only the first one counts.",
    "Other programs may use the last one.",
    "write it once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.5</priority><priority>1.0</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.5</priority></url>\n</urlset>\n");

    VALUE_TOO_LONG "sitemap-value-too-long" Warning Sitemap,
    "A value is longer than the limit, so its end is cut off.",
    "The limit is 16 KiB.",
    "shorten it",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>", "a", 20_000, "</news:title></news:news></url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    ENTRY_TOO_LARGE "sitemap-entry-too-large" Error Sitemap,
    "An entry is larger than the limit; its remaining extensions are dropped.",
    "The limit is 2 MiB.",
    "shorten it",
    bad(described "an entry with three megabytes of captions"),
    good(described "an entry with short captions");

    BAD_LASTMOD "sitemap-bad-lastmod" Warning Sitemap,
    "A date is not in a W3C format.",
    "It is omitted, except for the day of a time without a zone. Programs that use dates do not notice that the page has \
    changed.",
    "write it as `2026-11-21` or `2026-11-21T06:20:00Z`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><lastmod>21.11.2026</lastmod></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><lastmod>2026-11-21</lastmod></url>\n</urlset>\n");

    BAD_CHANGEFREQ "sitemap-bad-changefreq" Warning Sitemap,
    "A change frequency is unknown, or has the wrong case.",
    "The frequency is a hint that few programs use.",
    "write `always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><changefreq>often</changefreq></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><changefreq>daily</changefreq></url>\n</urlset>\n");

    BAD_PRIORITY "sitemap-bad-priority" Warning Sitemap,
    "A priority is not a number from 0 to 1, so it is omitted.",
    "The page has the default priority of 0.5.",
    "write a number such as `0.8`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>high</priority></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc><priority>0.8</priority></url>\n</urlset>\n");

    RELATIVE_LOC "sitemap-relative-loc" Error Sitemap,
    "A URL is relative, and dropped if its base URL is unknown.",
    "The protocol requires absolute URLs; search engines skip other URLs.",
    "add the scheme and the host",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    NOT_A_URL "sitemap-not-a-url" Error Sitemap,
    "The address of an entry is not a URL; it is dropped.",
    "The entry lists no page.",
    "write the page's URL",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>the shop</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    OTHER_SCHEME "sitemap-other-scheme" Warning Sitemap,
    "A URL is neither http nor https.",
    "Search engines do not fetch it. A URL with a scheme other than ftp is dropped.",
    "list only URLs with http or https",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>ftp://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    LOC_AT_LIMIT "sitemap-loc-at-limit" Warning Sitemap,
    "A URL has 2,048 characters, a length that the protocol's text forbids and its schema permits.",
    "Some programs drop such a URL.",
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
    "A URL contains white space, or has white space outside ASCII around it; line ends and tabs are removed.",
    "Other programs encode the white space, or cut the URL there.",
    "delete the white space; write `%20` for a space",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a b</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a%20b</loc></url>\n</urlset>\n");

    UNESCAPED_LOC "sitemap-unescaped-loc" Note Sitemap,
    "A URL has characters that should be percent-encoded.",
    "Programs encode such characters differently.",
    "percent-encode the characters (RFC 3986)",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/caf\xc3\xa9</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/caf%C3%A9</loc></url>\n</urlset>\n");

    DUPLICATE_LOC "sitemap-duplicate-loc" Warning Sitemap,
    "A URL is listed more than once.",
    "The entries may contradict each other.",
    "list it once",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    IMAGE_WITHOUT_LOC "sitemap-image-without-loc" Warning Sitemap,
    "An image has no URL, so it is dropped.",
    "The entry for the image has no effect.",
    "write its `<image:loc>`",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image></image:image></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    INCOMPLETE_VIDEO "sitemap-incomplete-video" Warning Sitemap,
    "A required part of a video is missing.",
    "Google does not show videos without thumbnail, title, description, and the URL of a file or player.",
    "write the missing parts",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:title>A</video:title></video:video></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc></video:video></url>\n</urlset>\n");

    INCOMPLETE_NEWS "sitemap-incomplete-news" Warning Sitemap,
    "A required part of a news article is missing.",
    "Google News does not accept articles without publication, date or title.",
    "write the missing parts",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date></news:news></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    BAD_EXTENSION_VALUE "sitemap-bad-extension-value" Warning Sitemap,
    "A value of an extension is invalid.",
    "A value that cannot be read is omitted. Programs that read the extension ignore the value, or skip the entry.",
    "write it as the extension's specification defines it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc><video:duration>long</video:duration></video:video></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'>\n<url><loc>https://example.com/shop/a</loc><video:video><video:thumbnail_loc>https://example.com/shop/a.jpg</video:thumbnail_loc><video:title>A</video:title><video:description>A</video:description><video:content_loc>https://example.com/shop/a.mp4</video:content_loc><video:duration>60</video:duration></video:video></url>\n</urlset>\n");

    BAD_HREFLANG "sitemap-bad-hreflang" Warning Sitemap,
    "A link to another language has no URL, or its language is neither valid nor `x-default`.",
    "Search engines do not find the page in that language.",
    "write a language as defined by BCP 47, such as `de-CH`, and a URL",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='german!' href='https://example.com/shop/a'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    UNKNOWN_LANGUAGE "sitemap-unknown-language" Warning Sitemap,
    "A link to another language has a code that is not assigned to a language or a region.",
    "Languages are codes of ISO 639-1, regions of ISO 3166-1. Search engines ignore a link with another code.",
    "write the assigned code: `ja` for Japanese, `en-GB` for the United Kingdom",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='en-UK' href='https://example.com/shop/a'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='en-GB' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    REPEATED_LANGUAGE "sitemap-repeated-language" Warning Sitemap,
    "A page lists a language twice, with different URLs.",
    "Only one page can be the version for a language, and search engines may ignore both links.",
    "keep one link for each language",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/b'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    HREFLANG_WITHOUT_SELF "sitemap-hreflang-without-self" Note Sitemap,
    "The list of a page's languages does not contain the page itself.",
    "Google requires each page to list all its languages, including its own.",
    "add a link with the page's own language and URL",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='de' href='https://example.com/shop/de'/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url><loc>https://example.com/shop/a</loc><xhtml:link rel='alternate' hreflang='en' href='https://example.com/shop/a'/></url>\n</urlset>\n");

    OBSOLETE_EXTENSION "sitemap-obsolete-extension" Note Sitemap,
    "No search engine reads this extension any more.",
    "It is ignored.",
    "delete it",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:mobile='http://www.google.com/schemas/sitemap-mobile/1.0'>\n<url><loc>https://example.com/shop/a</loc><mobile:mobile/></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    TOO_MANY_ENTRIES "sitemap-too-many-entries" Error Sitemap,
    "There are more entries than the limit.",
    "The protocol allows 50,000; search engines reject the file, or stop at the limit.",
    "split the sitemap, and list the parts in an index",
    bad("", "https://example.com/shop/a\n", 50_001, ""),
    good(b"https://example.com/shop/a\n");

    TOO_MANY_BYTES "sitemap-too-many-bytes" Error Sitemap,
    "The uncompressed file is larger than the limit.",
    "The protocol allows 50 MB; search engines reject the file, or stop at the limit.",
    "split the sitemap, and list the parts in an index",
    bad(described "a sitemap of 60 MB"),
    good(described "two sitemaps of 30 MB and an index");

    TOO_MANY_IMAGES "sitemap-too-many-images" Error Sitemap,
    "A page has more images than the limit.",
    "Google reads at most 1,000 images of a page.",
    "list only the most important images",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'><url><loc>https://example.com/shop/a</loc>", "<image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image>\n", 1_001, "</url></urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\n<url><loc>https://example.com/shop/a</loc><image:image><image:loc>https://example.com/shop/a.jpg</image:loc></image:image></url>\n</urlset>\n");

    TOO_MANY_NEWS "sitemap-too-many-news" Error Sitemap,
    "There are more news articles than the limit.",
    "Google News reads at most 1,000 articles of a sitemap.",
    "list only the articles of the last two days",
    bad("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>", "<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n", 1_001, "</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>\n<url><loc>https://example.com/shop/a</loc><news:news><news:publication><news:name>Reed</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-21</news:publication_date><news:title>A</news:title></news:news></url>\n</urlset>\n");

    STOPPED "sitemap-stopped" Error Sitemap,
    "Reading stopped at a limit, so the rest of the file is unknown.",
    "By default, reading stops at ten times the protocol's limits, so that a large file cannot block the reader.",
    "split the sitemap, and list the parts in an index",
    bad(described "a sitemap of 600,000 entries"),
    good(described "twelve sitemaps of 50,000 entries and an index");

    OTHER_HOST "sitemap-other-host" Error Sitemap,
    "A URL is on another host, scheme or port than the sitemap.",
    "A sitemap may only list URLs of its own host, unless the other host's robots.txt names it.",
    "list the URL in a sitemap on its own host",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://www.example.org/shop/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");

    OUTSIDE_FOLDER "sitemap-outside-folder" Error Sitemap,
    "A URL is outside the folder of the sitemap.",
    "A sitemap may only list URLs in its own folder and the folders below it.",
    "move the sitemap to a parent folder, such as the root of the site",
    bad(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/blog/a</loc></url>\n</urlset>\n"),
    good(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>https://example.com/shop/a</loc></url>\n</urlset>\n");
}
