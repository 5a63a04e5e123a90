//! What readers of usage preferences find. `docs/reference/findings/usage.md` prints it.

crate::finding::kinds! { Usage;
    CONTENT_USAGE_SYNTAX "usage-content-usage-syntax" Error RobotsTxt,
    "A `Content-Usage` statement is not a dictionary of structured fields, so all of it says nothing.",
    "One slip makes all of it void (draft-ietf-aipref-vocab-08 \u{a7}6.5): keys are lower case, no space stands around `=`, and \
     commas separate members.",
    "write preferences as `train-ai=n, search=y`",
    bad(b"User-agent: *\nContent-Usage: Train-AI=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    OBSOLETE_CATEGORY "usage-obsolete-category" Warning RobotsTxt,
    "A category of `Content-Usage` belongs to another revision of the vocabulary, so it says nothing here.",
    "Drafts of the vocabulary renamed categories; a reader of this revision does not know the older names.",
    "write `train-ai`, `ai-use` or `search`",
    bad(b"User-agent: *\nContent-Usage: genai=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    UNKNOWN_CATEGORY "usage-unknown-category" Note RobotsTxt,
    "A category of `Content-Usage` is not in the vocabulary, so it says nothing.",
    "Readers skip what they do not know, and take the rest of the statement.",
    "write `train-ai`, `ai-use` or `search`",
    bad(b"User-agent: *\nContent-Usage: printing=n\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: search=n\nAllow: /\n");

    UNKNOWN_PREFERENCE "usage-unknown-preference" Warning RobotsTxt,
    "A preference of `Content-Usage` is neither `y` nor `n`, so it says nothing.",
    "To a reader the category is not mentioned at all.",
    "write `y` or `n`",
    bad(b"User-agent: *\nContent-Usage: train-ai=maybe\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    SIGNAL_TERM_IN_CONTENT_USAGE "usage-signal-term-in-content-usage" Warning RobotsTxt,
    "A `Content-Usage` statement is written in the words of `Content-Signal`, so it says nothing.",
    "The two look alike and differ in every word: `ai-train=no` there is `train-ai=n` here.",
    "write `train-ai=n`",
    bad(b"User-agent: *\nContent-Usage: ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    USAGE_TERM_IN_CONTENT_SIGNAL "usage-term-in-content-signal" Warning RobotsTxt,
    "A `Content-Signal` line is written in the words of `Content-Usage`, so it says nothing.",
    "The two look alike and differ in every word: `train-ai=n` there is `ai-train=no` here.",
    "write `ai-train=no`",
    bad(b"User-agent: *\nContent-Signal: train-ai=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    UNKNOWN_SIGNAL "usage-unknown-signal" Note RobotsTxt,
    "A signal of `Content-Signal` is not defined, so it says nothing.",
    "Readers skip what they do not know, and take the rest of the line.",
    "write `search`, `ai-input`, `ai-train` or `use`",
    bad(b"User-agent: *\nContent-Signal: ai-print=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n");

    UNKNOWN_SIGNAL_VALUE "usage-unknown-signal-value" Warning RobotsTxt,
    "A signal of `Content-Signal` has a value that is not defined for it, so it says nothing.",
    "To a reader the signal is not mentioned at all.",
    "write `yes` or `no`",
    bad(b"User-agent: *\nContent-Signal: ai-train=never\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    CONTENT_SIGNAL_SYNTAX "usage-content-signal-syntax" Warning RobotsTxt,
    "A part of `Content-Signal` is not a key and a value, so it says nothing.",
    "Commas separate signals; without one, two signals are one that nobody knows.",
    "write signals as `search=yes, ai-train=no`",
    bad(b"User-agent: *\nContent-Signal: search=yes ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");

    CONFLICTING_SIGNALS "usage-conflicting-signals" Warning RobotsTxt,
    "A signal is given several values for the same crawlers; which one counts is not defined, and `no` is taken.",
    "Another reader may take the first or the last.",
    "give the signal one value",
    bad(b"User-agent: *\nContent-Signal: ai-train=yes\nContent-Signal: ai-train=no\nAllow: /\n"),
    good(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n");

    OUTSIDE_ANY_GROUP "usage-outside-any-group" Warning RobotsTxt,
    "The line stands before any `User-agent`, so it is in no group.",
    "By `Content-Usage` and by the group's interpretation of `Content-Signal`, it speaks to nobody.",
    "put it below a user-agent line, such as `User-agent: *`",
    bad(b"Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    UNRECOGNISED_SIGNAL "usage-unrecognised-signal" Note RobotsTxt,
    "A line looks like a usage signal that has no specification to read it by.",
    "It says nothing that a report could pass on, and no operator is known to act on it.",
    "say it by `Content-Usage`, `Content-Signal` or a license",
    bad(b"User-agent: *\nAllow: /\nLLM-Policy: https://example.com/llms.txt\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    USAGE_SIGNAL_READ_AS_RULE "usage-signal-read-as-rule" Warning RobotsTxt,
    "A line looks like a usage signal, but programs that know keys by how they start read it as `Allow` or `Disallow`.",
    "Google's parser does. What was meant to keep a crawler from training then keeps it from the page.",
    "say it by `Content-Usage` or `Content-Signal`",
    bad(b"User-agent: *\nDisallowAITraining: /\n"),
    good(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n");

    RELATIVE_LICENSE "usage-relative-license" Error RobotsTxt,
    "A license is not at an absolute address, so the link to it is skipped.",
    "RSL 1.0 wants an absolute URI in robots.txt, in header fields and on pages.",
    "write the whole URL: scheme, host and path",
    bad(b"User-agent: *\nAllow: /\nLicense: /license.xml\n"),
    good(b"User-agent: *\nAllow: /\nLicense: https://example.com/license.xml\n");

    LINK_SYNTAX "usage-link-syntax" Warning HttpHeader,
    "A `Link` header field has a part that is not a link.",
    "A license that it leads to may be missed.",
    "write links as `<https://example.com/license.xml>; rel=license; type=application/rsl+xml`",
    bad(b"Link: https://example.com/license.xml; rel=license\n"),
    good(b"Link: <https://example.com/license.xml>; rel=license; type=\"application/rsl+xml\"\n");

    UNREADABLE_LICENSE "usage-unreadable-license" Error Html,
    "A license that stands in the page is not an RSL document that can be read.",
    "Nothing is licensed by it, and nothing is known to be forbidden.",
    "write an RSL document, in RSL's namespace, that is well-formed XML",
    bad(b"<script type=\"application/rsl+xml\"><rsl></script>\n"),
    good(b"<script type=\"application/rsl+xml\"><rsl xmlns=\"https://rslstandard.org/rsl\"></rsl></script>\n");

    UNKNOWN_RSL_ELEMENT "usage-unknown-rsl-element" Error RslDocument,
    "An RSL document has an element that RSL does not define, so it does not conform and allows nothing.",
    "A document that does not conform licenses nothing (RSL 1.0). Elements of other namespaces are passed over.",
    "take the element out, or put it into a namespace of its own",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><allows/></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits></license></content></rsl>\n");

    UNKNOWN_RSL_TOKEN "usage-unknown-rsl-token" Warning RslDocument,
    "A word in `permits`, `prohibits` or `payment` is not one that RSL defines, so it grants nothing.",
    "In `permits` and `prohibits` it also makes the document one that does not conform.",
    "write words that RSL 1.0 lists",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">printing</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits></license></content></rsl>\n");

    DUPLICATE_RSL_TERMS "usage-duplicate-rsl-terms" Warning RslDocument,
    "An element stands several times where RSL 1.0 has it once; all of `permits` and `prohibits` are read, and the last of others.",
    "Another reader may take the first or the last alone.",
    "write one element",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search</permits><permits type=\"usage\">ai-input</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search ai-input</permits></license></content></rsl>\n");

    COMMA_IN_RSL_TERMS "usage-comma-in-rsl-terms" Warning RslDocument,
    "Words are separated by commas, as in the draft of RSL 0.9; RSL 1.0 separates them by spaces.",
    "A reader of RSL 1.0 may see one word that it does not know.",
    "separate words by spaces",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search,ai-input</permits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">search ai-input</permits></license></content></rsl>\n");

    INVALID_RSL_ATTRIBUTE "usage-invalid-rsl-attribute" Warning RslDocument,
    "An attribute of an RSL document is missing, or has a value that RSL 1.0 does not allow.",
    "Readers that check it may refuse the document, and then nothing is licensed by it.",
    "give it a value that RSL 1.0 allows",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"crawl\"><amount currency=\"XBT\">1</amount></payment></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><payment type=\"crawl\"><amount currency=\"USD\">1</amount></payment></license></content></rsl>\n");

    RSL_CONTRADICTION "usage-rsl-contradiction" Warning RslDocument,
    "A license permits and prohibits the same word, so it is not licensed.",
    "What is permitted and prohibited alike is not licensed (RSL 1.0 \u{a7}3.1.1): the permission says nothing.",
    "take the word out of one of the two",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">all</permits><prohibits type=\"usage\">all</prohibits></license></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><prohibits type=\"usage\">all</prohibits></license></content></rsl>\n");

    INCOMPLETE_RSL_CONTENT "usage-incomplete-rsl-content" Warning RslDocument,
    "A `content` has no `url`, or no `license`, so it says nothing.",
    "It speaks about nothing, or says nothing of what it speaks about.",
    "write `url` and at least one `license`",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license/></content></rsl>\n");

    RSL_URL_MATCHES_NOTHING "usage-rsl-url-matches-nothing" Warning RslDocument,
    "The `url` of a `content` is neither an absolute URL nor a path, so it matches nothing.",
    "What the license says holds nowhere.",
    "write a path that starts with `/`, or a whole URL",
    bad(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"news/\"><license/></content></rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/news/\"><license/></content></rsl>\n");

    PREFIXED_RSL_ROOT "usage-prefixed-rsl-root" Note RslDocument,
    "The root element has a prefix; a document of its own should have none.",
    "Readers that look for `<rsl` in the text do not find it.",
    "write `<rsl xmlns=\"https://rslstandard.org/rsl\">`",
    bad(b"<r:rsl xmlns:r=\"https://rslstandard.org/rsl\"></r:rsl>\n"),
    good(b"<rsl xmlns=\"https://rslstandard.org/rsl\"></rsl>\n");

    TDM_RESERVATION_VALUE "usage-tdm-reservation-value" Error TdmrepJson,
    "A `tdm-reservation` is neither 0 nor 1, so it counts as not set.",
    "Rights that were meant to be reserved are not.",
    "write 0 or 1",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": \"yes\"}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");

    TDM_RESERVATION_CONFLICT "usage-tdm-reservation-conflict" Warning HttpHeader,
    "One source gives `tdm-reservation` several values, so it counts as not set.",
    "The protocol does not say which of them counts.",
    "give it one value",
    bad(b"tdm-reservation: 0\ntdm-reservation: 1\n"), good(b"tdm-reservation: 1\n");

    TDM_LOCATION "usage-tdm-location" Error TdmrepJson,
    "A rule in `tdmrep.json` has no `location` that starts with `/` or `*`, so it matches nothing.",
    "What it says holds nowhere.",
    "write the path that the rule is for, such as `/`",
    bad(b"[{\"location\": \"news/\", \"tdm-reservation\": 1}]\n"),
    good(b"[{\"location\": \"/news/\", \"tdm-reservation\": 1}]\n");

    TDM_POLICY "usage-tdm-policy" Warning TdmrepJson,
    "A `tdm-policy` is empty, no text, or has white space in it, so it is skipped.",
    "Whoever wants to license the content does not find where.",
    "write the URL of the policy",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"ask us\"}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://example.com/policy.json\"}]\n");

    TDM_NOT_AN_ARRAY "usage-tdm-not-an-array" Warning TdmrepJson,
    "The file `tdmrep.json` is one rule without the brackets around it; it is read as if they were there.",
    "Other readers find no rule in it.",
    "write `[` and `]` around it",
    bad(b"{\"location\": \"/\", \"tdm-reservation\": 1}\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");

    TDM_SHADOWED "usage-tdm-shadowed" Warning TdmrepJson,
    "A rule in `tdmrep.json` has the `location` of an earlier one, which always comes first.",
    "The first rule that matches counts, so this one never does.",
    "take one of the two out",
    bad(b"[{\"location\": \"/\", \"tdm-reservation\": 1}, {\"location\": \"/\", \"tdm-reservation\": 0}]\n"),
    good(b"[{\"location\": \"/\", \"tdm-reservation\": 1}]\n");
}
