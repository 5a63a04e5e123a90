//! The kinds of findings about usage preferences, which `docs/reference/findings/usage.md` prints.

crate::finding::kinds! { Usage;
    CONTENT_USAGE_SYNTAX "usage-content-usage-syntax" Error RobotsTxt,
    "A `Content-Usage` statement is empty or not a dictionary of structured fields, so all of it is ignored.",
    "One mistake makes the whole statement invalid (draft-ietf-aipref-vocab-08 \u{a7}6.5). Keys are in lower case, there are no \
    spaces around `=`, and commas separate members.",
    "write preferences as `train-ai=n, search=y`",
    bad(b"User-agent: *\nContent-Usage: Train-AI=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    OBSOLETE_CATEGORY "usage-obsolete-category" Warning RobotsTxt,
    "A category of `Content-Usage` belongs to another revision of the vocabulary, so it is ignored.",
    "Drafts of the vocabulary renamed categories. Programs that implement one revision ignore the names of other revisions.",
    "write `train-ai`, `ai-use` or `search`",
    bad(b"User-agent: *\nContent-Usage: genai=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    UNKNOWN_CATEGORY "usage-unknown-category" Note RobotsTxt,
    "A category of `Content-Usage` is not in the vocabulary, so it is ignored.",
    "Programs skip unknown categories, and use the rest of the statement.",
    "write `train-ai`, `ai-use` or `search`",
    bad(b"User-agent: *\nContent-Usage: printing=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: search=n\nAllow: /\n");

    UNKNOWN_PREFERENCE "usage-unknown-preference" Warning RobotsTxt,
    "A preference of `Content-Usage` is neither `y` nor `n`, so it is ignored.",
    "The statement therefore has no preference for the category.",
    "write `y` or `n`",
    bad(b"User-agent: *\nContent-Usage: train-ai=maybe\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    CATEGORY_AS_PARAMETER "usage-category-as-parameter" Warning RobotsTxt,
    "A category of `Content-Usage` is written after a `;`, so it is a parameter and ignored.",
    "Commas separate the members of a dictionary. A `;` starts a parameter of the member before it (RFC 9651 \u{a7}3.2), and \
    the vocabulary defines no parameters.",
    "separate preferences with a comma",
    bad(b"User-agent: *\nContent-Usage: train-ai=n;search=y\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n, search=y\nAllow: /\n");

    SIGNAL_TERM_IN_CONTENT_USAGE "usage-signal-term-in-content-usage" Warning RobotsTxt,
    "A member of `Content-Usage` uses a term of `Content-Signal`, so the member is ignored.",
    "The two are similar, but most of their terms differ: `ai-train=no` in `Content-Signal` is `train-ai=n` in `Content-Usage`.",
    "write `train-ai=n`",
    bad(b"User-agent: *\nContent-Usage: ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    USAGE_TERM_IN_CONTENT_SIGNAL "usage-term-in-content-signal" Warning RobotsTxt,
    "A part of `Content-Signal` uses a term of `Content-Usage`, so the part is ignored.",
    "The two are similar, but most of their terms differ: `train-ai=n` in `Content-Usage` is `ai-train=no` in `Content-Signal`.",
    "write `ai-train=no`",
    bad(b"User-agent: *\nContent-Signal: train-ai=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    UNKNOWN_SIGNAL "usage-unknown-signal" Note RobotsTxt,
    "A signal of `Content-Signal` is not defined, so it is ignored.",
    "Programs skip unknown signals, and use the rest of the line.",
    "write `search`, `ai-input`, `ai-train` or `use`",
    bad(b"User-agent: *\nContent-Signal: ai-print=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n");

    UNKNOWN_SIGNAL_VALUE "usage-unknown-signal-value" Warning RobotsTxt,
    "A signal of `Content-Signal` has an undefined value, so it is ignored.",
    "The line therefore does not state the signal.",
    "write `yes` or `no`",
    bad(b"User-agent: *\nContent-Signal: ai-train=never\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    CONTENT_SIGNAL_SYNTAX "usage-content-signal-syntax" Warning RobotsTxt,
    "A part of `Content-Signal` is not a key and a value, so it is ignored.",
    "Commas separate signals; without a comma, two signals are read as one unknown signal.",
    "write signals as `search=yes, ai-train=no`",
    bad(b"User-agent: *\nContent-Signal: search=yes ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");

    CONFLICTING_SIGNALS "usage-conflicting-signals" Warning RobotsTxt,
    "A signal has several values for the same crawlers; Comity uses `no`.",
    "The precedence is not defined. Other programs may use the first or the last value.",
    "give the signal one value",
    bad(b"User-agent: *\nContent-Signal: ai-train=yes\nContent-Signal: ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    OUTSIDE_ANY_GROUP "usage-outside-any-group" Warning RobotsTxt,
    "The line is before the first `User-agent`, so it does not belong to a group.",
    "A `Content-Usage` line before all groups applies to no crawler. A `Content-Signal` line there applies to no crawler either, unless a program applies all lines to the whole site.",
    "move the line below a user-agent line, such as `User-agent: *`",
    bad(b"Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    UNRECOGNISED_SIGNAL "usage-unrecognised-signal" Note RobotsTxt,
    "A line resembles a usage signal, but no specification defines it.",
    "The line has no defined meaning, and no operator is known to act on it.",
    "use `Content-Usage`, `Content-Signal` or a license",
    bad(b"User-agent: *\nAllow: /\nLLM-Policy: https://example.com/llms.txt\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    USAGE_SIGNAL_READ_AS_RULE "usage-signal-read-as-rule" Warning RobotsTxt,
    "A line resembles a usage signal, but some programs read it as `Allow` or `Disallow`.",
    "Google's parser recognizes keys by their first letters. A line that should restrict training then restricts fetching.",
    "use `Content-Usage` or `Content-Signal`",
    bad(b"User-agent: *\nDisallowAITraining: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    RELATIVE_LICENSE "usage-relative-license" Error RobotsTxt,
    "The address of a license is not absolute, so the link is skipped.",
    "RSL 1.0 requires an absolute URI in robots.txt, in header fields and on pages.",
    "write the whole URL: scheme, host and path",
    bad(b"User-agent: *\nAllow: /\nLicense: /license.xml\n"),
    good(b"User-agent: *\nAllow: /\nLicense: https://example.com/license.xml\n");

    LINK_SYNTAX "usage-link-syntax" Warning HttpHeader,
    "A `Link` header field has a part that is not a link.",
    "Programs may miss a license to which the field links.",
    "write links as `<https://example.com/license.xml>; rel=license; type=application/rsl+xml`",
    bad(b"Link: https://example.com/license.xml; rel=license\n"),
    good(b"Link: <https://example.com/license.xml>; rel=license; type=\"application/rsl+xml\"\n");

    UNREADABLE_LICENSE "usage-unreadable-license" Error Html,
    "A license is not a readable RSL document.",
    "The license permits nothing, and its prohibitions are unknown.",
    "write an RSL document in RSL's namespace as well-formed XML",
    bad(b"<script type=\"application/rsl+xml\"><rsl></script>\n"),
    good(b"<script type=\"application/rsl+xml\"><rsl xmlns=\"https://rslstandard.org/rsl\"></rsl></script>\n");

    UNKNOWN_RSL_ELEMENT "usage-unknown-rsl-element" Error RslDocument,
    "An RSL document contains an element that RSL does not permit at that place, so the document allows nothing.",
    "A document that does not conform licenses nothing (RSL 1.0). Elements of other namespaces are ignored.",
    "delete the element, or put it into another namespace",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><allows/></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits></license></content></rsl>\n");

    UNKNOWN_RSL_TOKEN "usage-unknown-rsl-token" Error RslDocument,
    "A word in `permits` or `prohibits`, or their type, is not defined by RSL, so the whole document allows nothing.",
    "A document that does not conform licenses nothing (RSL 1.0): one such word voids all permissions, also those of other \
    licenses in the document. Its prohibitions still count. A word with a prefix, such as `x:printing`, is an extension.",
    "write words that RSL 1.0 defines, or delete the word",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">printing</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits></license></content></rsl>\n");

    UNKNOWN_RSL_PAYMENT "usage-unknown-rsl-payment" Warning RslDocument,
    "The type of a payment is not defined by RSL 1.0.",
    "A permission with a payment allows nothing before the payment, and the type of this one is unknown.",
    "write a type that RSL 1.0 defines, such as `purchase`, `use` or `free`",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"inference\"/></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"use\"/></license></content></rsl>\n");

    DUPLICATE_RSL_TERMS "usage-duplicate-rsl-terms" Warning RslDocument,
    "An element that RSL 1.0 permits only once is repeated.",
    "Comity combines the repetitions, except for payments: it uses one that has to be made, or else the last one. Other programs may use only the first or the last element.",
    "merge the elements into one",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits><permits type=\"usage\">ai-input</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search ai-input</permits></license></content></rsl>\n");

    COMMA_IN_RSL_TERMS "usage-comma-in-rsl-terms" Warning RslDocument,
    "Words are separated by commas, as in the draft of RSL 0.9; RSL 1.0 separates them by spaces.",
    "Programs for RSL 1.0 may read the list as one unknown word.",
    "separate words by spaces",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search,ai-input</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search ai-input</permits></license></content></rsl>\n");

    INVALID_RSL_ATTRIBUTE "usage-invalid-rsl-attribute" Warning RslDocument,
    "An attribute of an RSL document is missing, or has a value that RSL 1.0 does not allow.",
    "Programs that check the attribute may reject the document, which then licenses nothing.",
    "give the attribute a value that RSL 1.0 allows",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"crawl\"><amount currency=\"XBT\">1</amount></payment></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"crawl\"><amount currency=\"USD\">1</amount></payment></license></content></rsl>\n");

    RSL_CONTRADICTION "usage-rsl-contradiction" Warning RslDocument,
    "A license permits and prohibits the same word, so the use is not licensed.",
    "A use that is both permitted and prohibited is not licensed (RSL 1.0 \u{a7}3.1.1), so the permission has no effect.",
    "delete the word from `permits` or from `prohibits`",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">all</permits><prohibits type=\"usage\">all</prohibits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><prohibits type=\"usage\">all</prohibits></license></content></rsl>\n");

    INCOMPLETE_RSL_CONTENT "usage-incomplete-rsl-content" Warning RslDocument,
    "A `content` has no `url`, or no `license`, so it has no effect.",
    "The element applies to no URL, or states no terms.",
    "write `url` and at least one `license`",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license/></content></rsl>\n");

    RSL_URL_MATCHES_NOTHING "usage-rsl-url-matches-nothing" Warning RslDocument,
    "The `url` of a `content` matches nothing.",
    "The license applies to no page. The `url` is neither an absolute URL nor a path or, in a feed, it is empty or of another \
    origin than the feed.",
    "write a path that starts with `/`, or an absolute URL",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"news/\"><license/></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/news/\"><license/></content></rsl>\n");

    PREFIXED_RSL_ROOT "usage-prefixed-rsl-root" Note RslDocument,
    "The root element has a namespace prefix, which should not occur in a separate document.",
    "Programs that search the text for `<rsl` do not find the element.",
    "write `<rsl xmlns=\"https://rslstandard.org/rsl\">`",
    bad(b"<r:rsl xmlns:r=\"https://rslstandard.org/rsl\"></r:rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"></rsl>\n");

    TDM_RESERVATION_VALUE "usage-tdm-reservation-value" Error TdmrepJson,
    "A `tdm-reservation` is neither 0 nor 1, so it counts as absent.",
    "No rights are reserved, even if the author intended to reserve them.",
    "write 0 or 1",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": \"yes\"}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");

    TDM_RESERVATION_CONFLICT "usage-tdm-reservation-conflict" Warning HttpHeader,
    "One source gives `tdm-reservation` several values, so it counts as absent.",
    "The protocol does not define their precedence.",
    "give `tdm-reservation` one value",
    bad(b"tdm-reservation: 0\ntdm-reservation: 1\n"), good(b"tdm-reservation: 1\n");

    TDM_LOCATION "usage-tdm-location" Error TdmrepJson,
    "A rule in `tdmrep.json` has no `location` that starts with `/` or `*`, so it matches nothing.",
    "The rule applies to no page.",
    "write the path to which the rule applies, such as `/`",
    bad(b"[{\"location\": \"news/\", \"tdm-reservation\": 1}]\n"),
    good(b"[{\"location\": \"/news/\", \"tdm-reservation\": 1}]\n");

    TDM_POLICY "usage-tdm-policy" Warning TdmrepJson,
    "A `tdm-policy` is empty, is not text, or contains white space, so it is skipped.",
    "Programs do not find the terms of a license.",
    "write the URL of the policy",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"ask us\"}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://example.com/policy.json\"}]\n");

    TDM_NOT_AN_ARRAY "usage-tdm-not-an-array" Warning TdmrepJson,
    "The file `tdmrep.json` is a rule instead of an array of rules; it is read as an array of one rule.",
    "Other programs do not find the rule.",
    "write `[` and `]` around the rule",
    bad(b"{\"location\": \"/\", \"tdm-reservation\": 1}\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");

    TDM_NOT_A_RULE "usage-tdm-not-a-rule" Error TdmrepJson,
    "An item of `tdmrep.json` is not a JSON object, so it cannot be a rule.",
    "The item applies to no page. A list of paths, or a list within a list, is often meant as rules.",
    "write an object with `location` and `tdm-reservation`",
    bad(b"[\"/news/\"]\n"),
    good(b"[{\"location\": \"/news/\", \"tdm-reservation\": 1}]\n");

    TDM_SHADOWED "usage-tdm-shadowed" Warning TdmrepJson,
    "A rule in `tdmrep.json` has the `location` of an earlier rule, which takes precedence.",
    "The first matching rule counts, so this rule never applies.",
    "delete one of the two rules",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": 1}, {\"location\": \"/\", \"tdm-reservation\": 0}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");
}
