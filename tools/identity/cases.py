#!/usr/bin/env python3
"""Writes the cases of conformance/identity, and signs them.

    python3 -m venv venv && venv/bin/pip install cryptography
    venv/bin/python tools/identity/cases.py            compare; fails if a file would change
    venv/bin/python tools/identity/cases.py --update   write the files

This script builds the signed text itself, one line per component, so that the cases do not depend on the tested crate. A case with
the outcome `invalid` or `unverified` has exactly one fault. Everything else in it is valid, including the signature.
"""

import base64
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "identity"
NOW = 1_790_000_000
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
WELL_KNOWN = "/.well-known/http-message-signatures-directory"
RFC9421 = "RFC 9421"
DRAFT = "draft-ietf-webbotauth-httpsig-protocol-00"


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    def __init__(self, seed):
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.x = b64url(self.private.public_key().public_bytes_raw())
        members = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % self.x
        self.name = b64url(hashlib.sha256(members.encode()).digest())

    def jwk(self, **members):
        jwk = {"kty": "OKP", "crv": "Ed25519", "kid": self.name, "x": self.x, "use": "sig"}
        jwk.update(members)
        return {name: value for name, value in jwk.items() if value is not None}


# The seeds are public, so that anyone can sign more cases.
HERON = Key(bytes(range(32)))
OSPREY = Key(bytes(range(32, 64)))
RFC = Key(base64.urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU="))

AUTHORITY = ('"@authority"', "example.com")
METHOD = ('"@method"', "GET")
PATH = ('"@path"', "/heron")
QUERY = ('"@query"', "?nest=1")
AGENT = ('"signature-agent";key="sig1"', '"https://bot.example"')
USUAL = [METHOD, AUTHORITY, PATH, QUERY, AGENT]
MINIMAL = [AUTHORITY, AGENT]


def directory(*keys):
    return json.dumps({"keys": [key.jwk() if isinstance(key, Key) else key for key in keys]}, separators=(",", ":"))


def fetch(body=None, at=NOW - 60, origin="https://bot.example", jwks_uri=None, status=200, headers=None, **more):
    """Returns an answered fetch of a directory."""
    place = {"jwks_uri": jwks_uri} if jwks_uri else {"origin": origin}
    if headers is None:
        headers = [["Content-Type", DIRECTORY_TYPE]]
    body = directory(HERON) if body is None else body
    return {**place, "at": at, "status": status, "headers": headers, "body": body, **more}


def failure(at, origin="https://bot.example"):
    """Returns a failed fetch of a directory."""
    return {"origin": origin, "at": at, "failed": True}


def signed(
    components=USUAL, label="sig1", key=HERON, keyid=None, created=NOW, expires=NOW + 300, alg="ed25519", nonce=None,
    tag="web-bot-auth", more="", value=None,
):
    """Returns a signature: its label, its member of Signature-Input, its bytes, and the signed text."""
    if value is None:
        value = "(" + " ".join(name for name, _ in components) + ")"
        for name, parameter in [("created", created), ("expires", expires)]:
            value += "" if parameter is None else f";{name}={parameter}"
        keyid = key.name if keyid is None else keyid
        for name, parameter in [("keyid", keyid), ("alg", alg), ("nonce", nonce), ("tag", tag)]:
            value += "" if not parameter else f';{name}="{parameter}"'
        value += more
    base = "".join(f"{name}: {text}\n" for name, text in components) + f'"@signature-params": {value}'
    return label, value, key.private.sign(base.encode()), base


CASES = {}


def case(
    group, id, why, outcome, reason=None, *, source=DRAFT, signatures=None, agent='sig1="https://bot.example"',
    directories=None, method="GET", scheme="https", authority="example.com", target="/heron?nest=1", headers=(),
    now=NOW, input=None, signature=None, body=None, settings=None, revision=None, challenge_tag=None,
    identifier="https://bot.example" + WELL_KNOWN, key=HERON, **made,
):
    if signatures is None:
        signatures = [signed(**made)]
    elif made:
        raise TypeError(f"{id}: {made}")
    fields = [list(field) for field in headers]
    if agent is not None:
        fields += [["Signature-Agent", line] for line in ([agent] if isinstance(agent, str) else agent)]
    if input is None:
        input = ", ".join(f"{label}={value}" for label, value, _, _ in signatures)
    if signature is None:
        signature = ", ".join(f"{label}=:{base64.b64encode(made).decode()}:" for label, _, made, _ in signatures)
    fields += [["Signature-Input", input]] if input else []
    fields += [["Signature", signature]] if signature else []
    expect = {"outcome": outcome}
    if outcome == "verified":
        expect.update(identifier=identifier, key=key.name)
    elif reason:
        expect["reason"] = reason
    row = {
        "id": id, "why": why, "source": source, "now": now,
        "request": {"method": method, "scheme": scheme, "authority": authority, "target": target, "headers": fields},
        "directories": [fetch()] if directories is None else directories,
        "expect": expect,
    }
    if signatures:
        row["base"] = signatures[0][3]
    if settings:
        row["settings"] = settings
    if revision:
        row["revision"] = revision
    rows = CASES.setdefault(group, [])
    if any(known["id"] == id for known in sum(CASES.values(), [])):
        raise ValueError(f"two cases have the id {id}")
    rows.append(row)


def verified():
    def good(id, why, **made):
        case("verified", "good-" + id, why, "verified", **made)

    good("usual", "The components that Comity signs.")
    good("minimal", "Only the components that the draft requires.", components=MINIMAL, source=DRAFT + " §5.2")
    good("target-uri", "`@target-uri` in place of `@authority`.", source=DRAFT + " §5.2",
         components=[('"@target-uri"', "https://example.com/heron?nest=1"), AGENT])
    good("scheme", "`@scheme`.", source=RFC9421 + " §2.2.4", components=MINIMAL + [('"@scheme"', "https")])
    good("request-target", "`@request-target` in origin form.", source=RFC9421 + " §2.2.5",
         components=MINIMAL + [('"@request-target"', "/heron?nest=1")])
    good("no-query", "Without a query, the value of `@query` is a question mark.", source=RFC9421 + " §2.2.7",
         target="/heron", components=[METHOD, AUTHORITY, PATH, ('"@query"', "?"), AGENT])
    good("empty-path", "An empty path is a slash.", source=RFC9421 + " §2.2.6", target="https://example.com",
         components=MINIMAL + [('"@path"', "/")])
    good("escaped-path", "Escapes in the path are not changed.", source=RFC9421 + " §2.2.6", target="/he%72on%2fa",
         components=MINIMAL + [('"@path"', "/he%72on%2fa")])
    good("query-param", "One parameter of the query.", source=RFC9421 + " §2.2.8",
         components=MINIMAL + [('"@query-param";name="nest"', "1")])
    good("query-param-encoded", "Names and values of parameters are decoded and encoded again, with `%20` for a space.",
         source=RFC9421 + " §2.2.8", target="/?fa%C3%A7ade=a+b%2bc",
         components=MINIMAL + [('"@query-param";name="fa%C3%A7ade"', "a%20b%2Bc")])
    good("query-param-empty", "A parameter without a value.", source=RFC9421 + " §2.2.8", target="/?nest",
         components=MINIMAL + [('"@query-param";name="nest"', "")])
    good("field", "A header field.", headers=[["User-Agent", "HeronBot/1.0"]], source=RFC9421 + " §2.1",
         components=MINIMAL + [('"user-agent"', "HeronBot/1.0")])
    good("field-lines", "Lines of one field are trimmed and joined.", source=RFC9421 + " §2.1",
         headers=[["X-Nest", "  a, b "], ["x-nest", "c"]], components=MINIMAL + [('"x-nest"', "a, b, c")])
    good("field-empty", "An empty field.", source=RFC9421 + " §2.1", headers=[["X-Nest", ""]],
         components=MINIMAL + [('"x-nest"', "")])
    good("field-folded", "A folded line, which HTTP/1.1 once allowed, is one line.", source=RFC9421 + " §2.1",
         headers=[["X-Nest", "a,\r\n  \tb"]], components=MINIMAL + [('"x-nest"', "a, b")])
    good("field-folded-bytes", "A folded line as a byte sequence.", source=RFC9421 + " §2.1.3",
         headers=[["X-Nest", "a,\n b"]], components=MINIMAL + [('"x-nest";bs', ":YSwgYg==:")])
    good("field-bytes", "Lines of a field as byte sequences.", source=RFC9421 + " §2.1.3",
         headers=[["X-Nest", "a, b"], ["X-Nest", "c"]],
         components=MINIMAL + [('"x-nest";bs', ":YSwgYg==:, :Yw==:")])
    good("field-strict", "A structured field in its strict form.", source=RFC9421 + " §2.1.1",
         headers=[["Priority", "u=1,  i"]], components=MINIMAL + [('"priority";sf', "u=1, i")])
    good("field-member", "One member of a dictionary, in its strict form.", source=RFC9421 + " §2.1.2",
         headers=[["Priority", "u=1,i"]], components=MINIMAL + [('"priority";key="i"', "?1")])
    good("digest", "`content-digest` is signed as written; the body is not compared.",
         headers=[["Content-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"]], source="RFC 9530",
         components=MINIMAL + [('"content-digest"', "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")])
    good("no-alg", "`alg` is optional; the key determines the algorithm.", alg=None, source=RFC9421 + " §3.2")
    good("nonce", "A nonce.", nonce="b3BlbiB0aGU", source=RFC9421 + " §7.2.2")
    strict = signed(more=";heron;n=1.5")
    good("unknown-parameter", "An unknown parameter is signed in its strict form.", source=RFC9421 + " §2.3",
         signatures=[strict], input="sig1=" + strict[1].replace(";heron;n=1.5", ";heron=?1;n=1.50"))
    good("order-of-parameters", "The signer chooses the order of the parameters.", source=RFC9421 + " §2.3",
         signatures=[signed(value='("@authority" "signature-agent";key="sig1");tag="web-bot-auth";keyid="%s"'
                            ";expires=%d;created=%d" % (HERON.name, NOW + 300, NOW), components=MINIMAL)])
    spaced = signed()
    good("white-space", "White space in `Signature-Input` is not signed.", source=RFC9421 + " §2.5",
         signatures=[spaced], input="sig1=" + spaced[1].replace("(", "(  ").replace('" "', '"   "').replace(";created", "; created"))
    good("upper-case-host", "Hosts are compared in lower case.", authority="EXAMPLE.com", source=RFC9421 + " §2.2.3")
    good("default-port", "The default port is omitted.", authority="example.com:443", source=RFC9421 + " §2.2.3")
    good("other-port", "Another port is part of the authority.", authority="example.com:8443", source=RFC9421 + " §2.2.3",
         components=[('"@authority"', "example.com:8443"), AGENT])
    good("absolute-form", "The authority of a target in absolute form replaces the `Host`.", source="RFC 9112 §3.2.2",
         authority="proxy.example", target="https://example.com/heron?nest=1")
    good("clock-ahead", "The signer's clock may be a minute ahead.", created=NOW + 60, expires=NOW + 360)
    good("last-second", "The last second before `expires`.", created=NOW - 299, expires=NOW + 1)
    good("whole-day", "A signature may be valid for a day.", created=NOW - 60, expires=NOW - 60 + 86_400, source=DRAFT + " §5.2")
    good("method-case", "Methods are case-sensitive, and any method is valid.", method="Propfind", source=RFC9421 + " §2.2.1",
         components=MINIMAL + [('"@method"', "Propfind")])
    good("type-directory", "The type may be explicit.", agent='sig1="https://bot.example";type=directory', source=DRAFT + " §5.5",
         components=[AUTHORITY, (AGENT[0], '"https://bot.example";type=directory')])
    good("origin-with-slash", "An origin may end with a slash.", agent='sig1="https://bot.example/"', source=DRAFT + " §5.5",
         components=[AUTHORITY, (AGENT[0], '"https://bot.example/"')])
    good("origin-spelling", "An origin in another spelling.", agent='sig1="HTTPS://Bot.Example:443"', source=DRAFT + " §5.5",
         components=[AUTHORITY, (AGENT[0], '"HTTPS://Bot.Example:443"')])
    keys = "https://bot.example/keys.json"
    at_keys = [AUTHORITY, (AGENT[0], f'"{keys}";type=jwks_uri')]
    good("jwks-uri", "A key set at any URL.", agent=f'sig1="{keys}";type=jwks_uri', components=at_keys, identifier=keys,
         directories=[fetch(jwks_uri=keys, headers=[["Content-Type", "application/json"]])], source=DRAFT + " §5.5")
    good("jwks-uri-kid", "Outside of the well-known URL, `kid` may have any value.", identifier=keys,
         agent=f'sig1="{keys}";type=jwks_uri', components=at_keys, source=DRAFT + " §5.5",
         directories=[fetch(directory(HERON.jwk(kid="key of 2026")), jwks_uri=keys, headers=[])])
    good("jwks-uri-query", "The query is requested, but is not part of the identifier.", identifier=keys,
         agent=f'sig1="{keys}?v=2";type=jwks_uri', components=[AUTHORITY, (AGENT[0], f'"{keys}?v=2";type=jwks_uri')],
         directories=[fetch(jwks_uri=keys + "?v=2", headers=[])], source=DRAFT + " §5.5")
    good("jwks-uri-normal", "URLs are compared after normalization.", identifier=keys, source=DRAFT + " §5.5, RFC 3986 §6.2.2",
         agent='sig1="https://BOT.example/./k%65ys.json";type=jwks_uri', directories=[fetch(jwks_uri=keys, headers=[])],
         components=[AUTHORITY, (AGENT[0], '"https://BOT.example/./k%65ys.json";type=jwks_uri')])
    tenants = [AUTHORITY, (AGENT[0], f'"{keys}?tenant=a";type=jwks_uri')]
    good("jwks-uri-queries", "An answer for another query does not remove keys, because the sender of a request chooses the query.",
         identifier=keys, agent=f'sig1="{keys}?tenant=a";type=jwks_uri', components=tenants, source=DRAFT + " §5.4, §5.5",
         directories=[fetch(jwks_uri=keys + "?tenant=a", headers=[]),
                      fetch(directory(OSPREY), jwks_uri=keys + "?tenant=b", headers=[], at=NOW - 30)])
    good("draft-01", "In the editor's copy, every value is the URL of the keys.", identifier=keys, revision="draft_01",
         agent=f'sig1="{keys}"', components=[AUTHORITY, (AGENT[0], f'"{keys}"')],
         directories=[fetch(jwks_uri=keys, headers=[])], source="editor's copy of 2026-10-09, §5.5")
    good("draft-01-well-known", "In the editor's copy, the URL of the keys may be the well-known URL.", revision="draft_01",
         agent=f'sig1="https://bot.example{WELL_KNOWN}"', source="editor's copy of 2026-10-09, §4.5",
         components=[AUTHORITY, (AGENT[0], f'"https://bot.example{WELL_KNOWN}"')])
    good("bare", "A string instead of a dictionary, accepted by a setting.", agent='"https://bot.example"',
         components=[AUTHORITY, ('"signature-agent"', '"https://bot.example"')], settings={"accept_bare_agent": True},
         source=DRAFT + " §5.2.1")
    good("agent-lines", "A dictionary on several lines.", agent=['sig2="https://a.example"', 'sig1="https://bot.example"'],
         source="RFC 9651 §4.2")
    good("relabelled", "An intermediary may change the label, but not the covered member.",
         signatures=[signed(label="other")], source=DRAFT + " §6.6.1")
    inner = signed(components=MINIMAL)
    text = base64.b64encode(inner[2]).decode()
    outer_agent = '"https://browser.example"'
    outer = signed(label="outer", key=OSPREY, components=[
        AUTHORITY, ('"signature-agent";key="outer"', outer_agent), AGENT,
        ('"signature-input";key="sig1"', inner[1]), ('"signature";key="sig1"', f":{text}:"),
    ])
    both = 'sig1="https://bot.example", outer=' + outer_agent
    good("chain", "A signature over another signature is verified separately.", signatures=[outer, inner], agent=both, key=OSPREY,
         directories=[fetch(directory(OSPREY), origin="https://browser.example")], source=DRAFT + " §5.2.2",
         identifier="https://browser.example" + WELL_KNOWN)
    bad = signed(label="bad", key=OSPREY, components=[AUTHORITY, ('"signature-agent";key="bad"', outer_agent)])
    good("bad-neighbour", "An invalid signature does not affect a valid one.", source=DRAFT + " §5.2.2",
         signatures=[(bad[0], bad[1], bytes(64), bad[3]), signed()], agent='sig1="https://bot.example", bad=' + outer_agent,
         directories=[fetch(), fetch(directory(OSPREY), origin="https://browser.example")])
    good("other-tag-beside", "Signatures with other tags are ignored.",
         signatures=[signed(label="app", tag="app"), signed()], source=DRAFT + " §5.4")
    good("two-keys", "During a rotation a directory has two keys.", directories=[fetch(directory(OSPREY, HERON))],
         source=DRAFT + " §5.5.2")
    good("foreign-keys", "Keys of other algorithms and invalid entries are ignored.",
         directories=[fetch(directory({"kty": "RSA", "n": "AQAB", "e": "AQAB"}, "heron", {}, OSPREY.jwk(x="AA"), HERON))],
         source=DRAFT + " §5.5.1")
    good("key-in-time", "A key within `nbf` and `exp`.", directories=[fetch(directory(HERON.jwk(nbf=NOW, exp=NOW + 1)))],
         source=DRAFT + " §5.5.1")
    good("no-kid", "`kid` is optional.", directories=[fetch(directory(HERON.jwk(kid=None)))], source=DRAFT + " §5.5")
    good("media-type-parameter", "Parameters of the media type are ignored.",
         directories=[fetch(headers=[["content-type", DIRECTORY_TYPE.upper() + "; charset=utf-8"]])])
    good("failure-keeps-keys", "A failed fetch does not remove keys.", source=DRAFT + " §6.10",
         directories=[fetch(at=NOW - 90_000), failure(NOW - 10)])
    good("status-keeps-keys", "An answer with an error status does not remove keys.", source=DRAFT + " §6.10",
         directories=[fetch(at=NOW - 90_000), fetch("", status=503, at=NOW - 10)])
    good("garbage-keeps-keys", "An invalid directory does not remove keys.", source=DRAFT + " §6.10",
         directories=[fetch(at=NOW - 90_000), fetch("<html>", at=NOW - 10)])
    good("late-answer", "An answer to an older request does not replace a newer one.", source=DRAFT + " §4.4",
         directories=[fetch(at=NOW - 60), fetch(directory(OSPREY), at=NOW - 120)])
    good("e-2-1", "The draft's vector.", source="editor's copy of 2026-10-09, appendix E.2.1; with key `agent2` in -00",
         key=RFC, now=1735689660, target="/", identifier="https://signature-agent.test" + WELL_KNOWN,
         settings={"accept_test_keys": True, "max_lifetime": None}, agent='sig2="https://signature-agent.test"',
         directories=[fetch(directory(RFC), origin="https://signature-agent.test", at=1735689600)],
         signatures=[vector(
             "sig2", [AUTHORITY, ('"signature-agent";key="sig2"', '"https://signature-agent.test"')], 4889289600,
             "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==",
             "CGokAoY/FrPpyuzTe1Fb2kLTAH9Idw6qSFd1+D77r1firsMRCxeuLu5e6O+ek3zQgDMAzjiXtLVfqE00xnABCQ==")])
    good("e-2-2", "The draft's vector in the old form.", source=DRAFT + " appendix E.2.2",
         key=RFC, now=1735689660, target="/", identifier="https://signature-agent.test" + WELL_KNOWN,
         settings={"accept_test_keys": True, "accept_bare_agent": True}, agent='"https://signature-agent.test"',
         directories=[fetch(directory(RFC), origin="https://signature-agent.test", at=1735689600)],
         signatures=[vector(
             "sig2", [AUTHORITY, ('"signature-agent"', '"https://signature-agent.test"')], 1735693200,
             "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==",
             "jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==")])


def vector(label, components, expires, nonce, printed):
    """Returns a signature. Raises if it differs from the signature in a standard; Ed25519 signatures are deterministic."""
    value = "(%s);created=1735689600;keyid=\"%s\";alg=\"ed25519\";expires=%d;nonce=\"%s\";tag=\"web-bot-auth\"" % (
        " ".join(name for name, _ in components), RFC.name, expires, nonce)
    made = signed(label=label, key=RFC, components=components, value=value)
    if base64.b64encode(made[2]).decode() != printed:
        raise ValueError(f"{label}: the signature is {base64.b64encode(made[2])}, not the printed one")
    return made


def changed():
    """Adds cases in which the signature does not match the request."""
    def bad(id, why, reason="bad_signature", **made):
        case("changed", "changed-" + id, why, "invalid", reason, source=made.pop("source", RFC9421 + " §3.2"), **made)

    bad("method", "Another method.", method="POST")
    bad("authority", "Another site.", authority="example.org")
    bad("port", "Another port.", authority="example.com:8443")
    bad("path", "Another path.", target="/osprey?nest=1")
    bad("path-case", "Paths are case-sensitive.", target="/Heron?nest=1")
    bad("path-escape", "An escaped character makes another path.", target="/h%65ron?nest=1")
    bad("query", "Another query.", target="/heron?nest=2")
    bad("query-dropped", "A query that was dropped.", target="/heron")
    bad("query-order", "Parameters in another order.", target="/heron?b=2&a=1", components=[
        METHOD, AUTHORITY, PATH, ('"@query"', "?a=1&b=2"), AGENT])
    bad("target-uri", "Another target.", target="/heron?nest=2",
        components=[('"@target-uri"', "https://example.com/heron?nest=1"), AGENT])
    bad("query-param", "Another value of the parameter.", target="/heron?nest=2",
        components=MINIMAL + [('"@query-param";name="nest"', "1")])
    bad("field", "Another value of a field.", headers=[["User-Agent", "HeronBot/2.0"]],
        components=MINIMAL + [('"user-agent"', "HeronBot/1.0")])
    bad("field-line", "A line was added.", headers=[["X-Nest", "a"], ["X-Nest", "b"]],
        components=MINIMAL + [('"x-nest"', "a")])
    bad("field-order", "Lines in another order.", headers=[["X-Nest", "b"], ["X-Nest", "a"]],
        components=MINIMAL + [('"x-nest"', "a, b")])
    bad("field-merged", "Byte sequences distinguish two lines from one.", headers=[["X-Nest", "a, b"]],
        components=MINIMAL + [('"x-nest";bs', ":YQ==:, :Yg==:")], source=RFC9421 + " §2.1.3")
    bad("agent", "Another signer is named, which also publishes the key.", agent='sig1="https://other.example"',
        directories=[fetch(origin="https://other.example")], source=DRAFT + " §5.2.1")
    bad("agent-type", "Another type.", agent='sig1="https://bot.example";type=directory', source=DRAFT + " §5.2.1")
    bad("agent-spelling", "An equal origin with another spelling.", agent='sig1="https://BOT.example"', source=DRAFT + " §5.2.1")
    usual = signed()
    bad("created", "Another time of signing.", signatures=[usual], input="sig1=" + usual[1].replace(f"={NOW}", f"={NOW - 1}"))
    bad("expires", "Another time of expiry.", signatures=[usual], input="sig1=" + usual[1].replace(str(NOW + 300), str(NOW + 301)))
    bad("keyid", "Another key of the directory.", signatures=[usual], directories=[fetch(directory(HERON, OSPREY))],
        input="sig1=" + usual[1].replace(HERON.name, OSPREY.name))
    bad("alg", "`alg` was dropped.", signatures=[usual], input="sig1=" + usual[1].replace(';alg="ed25519"', ""))
    fresh = signed(nonce="bmVzdA")
    bad("nonce", "Another nonce.", signatures=[fresh], input="sig1=" + fresh[1].replace("bmVzdA", "bmVzdB"))
    bad("parameter", "A parameter was added.", signatures=[usual], input="sig1=" + usual[1] + ";heron")
    bad("components", "A component was dropped.", signatures=[usual], input="sig1=" + usual[1].replace('"@method" ', ""))
    bad("component-order", "Components in another order.", signatures=[usual],
        input="sig1=" + usual[1].replace('"@method" "@authority"', '"@authority" "@method"'))
    bad("component-added", "A component was added.", signatures=[usual],
        input="sig1=" + usual[1].replace('"@method"', '"@method" "@scheme"'))
    flipped = bytearray(usual[2])
    flipped[7] ^= 1
    bad("signature-bit", "One bit of the signature.", signatures=[(*usual[:2], bytes(flipped), usual[3])])
    bad("signature-short", "63 bytes.", signatures=[(*usual[:2], usual[2][:63], usual[3])])
    bad("signature-long", "65 bytes.", signatures=[(*usual[:2], usual[2] + b"\0", usual[3])])
    bad("signature-empty", "No bytes.", signatures=[(*usual[:2], b"", usual[3])])
    order = 2**252 + 27742317777372353535851937790883648493
    half = (int.from_bytes(usual[2][32:], "little") + order).to_bytes(32, "little")
    bad("signature-malleable", "The order of the group is added to the second half of the signature.", source="RFC 8032 §5.1.7",
        signatures=[(*usual[:2], usual[2][:32] + half, usual[3])])
    bad("other-key", "A signature by another key.", signatures=[(*usual[:2], signed(key=OSPREY)[2], usual[3])])
    trailing = signed()
    other = HERON.private.sign(trailing[3].encode() + b"\n")
    bad("base-line-end", "The signed text had an additional line end.", signatures=[(*trailing[:2], other, trailing[3])],
        source=RFC9421 + " §2.5")
    whole = signed(components=[AUTHORITY, (AGENT[0], 'sig1="https://bot.example"')])
    bad("base-whole-field", "The whole field was signed instead of the named member.", signatures=[whole], source=RFC9421 + " §2.1.2")
    unquoted = signed(components=[AUTHORITY, (AGENT[0], "https://bot.example")])
    bad("base-unquoted", "The member was signed without its quotes.", signatures=[unquoted], source=RFC9421 + " §2.1.2")


def malformed():
    """Adds cases in which the signature or its components have an invalid form."""
    def bad(id, why, reason, outcome="invalid", **made):
        case("malformed", "form-" + id, why, outcome, reason, source=made.pop("source", RFC9421), **made)

    usual = signed()
    bad("not-signed", "No signature.", None, "not_signed", signatures=[], agent=None, input="", signature="", source=DRAFT + " §6.11")
    bad("agent-alone", "`Signature-Agent` without a signature.", None, "not_signed", signatures=[], input="", signature="",
        source=DRAFT + " §4.1")
    bad("other-tag", "A signature of another protocol.", None, "not_signed", tag="app", source=DRAFT + " §5.4")
    bad("no-tag", "A signature without a tag.", None, "not_signed", tag=None, source=DRAFT + " §5.4")
    bad("signature-alone", "A signature of an older standard, which has one field.", None, "not_signed", signatures=[usual],
        input="", signature='keyId="heron",algorithm="rsa-sha256",signature="YQ=="')
    bad("input-unreadable", "`Signature-Input` is not a dictionary.", "unreadable_field", signatures=[usual],
        input="sig1=" + usual[1].replace(")", ""))
    bad("input-upper-case", "Labels are in lower case.", "unreadable_field", signatures=[usual], input="Sig1=" + usual[1],
        source="RFC 9651 §3.1.2")
    bad("input-too-long", "More than 16 KiB.", "unreadable_field", more=f';n="{"a" * 16_384}"')
    bad("signature-unreadable", "`Signature` is not a dictionary.", "unreadable_field", signatures=[usual], signature="sig1=:YQ")
    bad("signature-missing", "There is no `Signature`.", "no_signature", signatures=[usual], signature="")
    bad("signature-label", "`Signature` has another label.", "no_signature", signatures=[usual], signature="sig2=:YQ==:")
    bad("signature-string", "The signature is a string.", "no_signature", signatures=[usual], signature='sig1="YQ=="')
    bad("input-item", "The member is not a list.", "not_a_list", signatures=[usual], input='sig1="@authority";tag="web-bot-auth"')
    for name in ["created", "expires"]:
        bad(f"no-{name}", f"`{name}` is missing.", "missing_parameter", source=DRAFT + " §5.2", **{name: None})
    bad("no-keyid", "`keyid` is missing.", "missing_parameter", keyid=False, source=DRAFT + " §5.2")
    bad("created-string", "`created` is a string.", "malformed_parameter", created=f'"{NOW}"')
    bad("created-decimal", "`created` is a decimal.", "malformed_parameter", created=f"{NOW}.5")
    bad("created-negative", "`created` is before 1970.", "malformed_parameter", created="-1")
    bad("expires-date", "`expires` is a date of structured fields.", "malformed_parameter", expires=f"@{NOW + 300}")
    bad("keyid-token", "`keyid` is a token.", "malformed_parameter", keyid=False, more=";keyid=heron")
    bad("nonce-bytes", "`nonce` is a byte sequence.", "malformed_parameter", more=";nonce=:YQ==:")
    bad("alg-token", "`alg` is a token.", "malformed_parameter", alg=None, more=";alg=ed25519")
    bad("keyid-name", "`keyid` is not a thumbprint.", "not_a_thumbprint", keyid="heron", source=DRAFT + " §5.2")
    bad("keyid-padded", "The thumbprint is padded.", "not_a_thumbprint", keyid=HERON.name + "=", source=DRAFT + " §5.2")
    bad("keyid-short", "31 bytes.", "not_a_thumbprint", keyid=b64url(bytes(31)), source=DRAFT + " §5.2")
    bad("hmac", "A shared secret.", "shared_secret", alg="hmac-sha256", source=DRAFT + " §6.4")
    bad("rsa", "An unsupported algorithm.", "unsupported_algorithm", "unverified", alg="rsa-pss-sha512")
    bad("no-components", "No component is covered.", "target_not_covered", components=[], source=DRAFT + " §5.2")
    bad("no-target", "No site is covered, so the signature would be valid for any site.", "target_not_covered",
        components=[METHOD, PATH, AGENT], source=DRAFT + " §5.2")
    bad("repeated", "A component is covered twice.", "repeated_component", components=[AUTHORITY, AUTHORITY, AGENT], source=RFC9421 + " §2.5")
    bad("repeated-reordered", "The order of parameters does not distinguish components.", "repeated_component", source=RFC9421 + " §2",
        components=MINIMAL + [('"priority";sf;key="u"', "1"), ('"priority";key="u";sf', "1")], headers=[["Priority", "u=1"]])
    bad("upper-case-field", "Names of fields are in lower case.", "malformed_component", source=RFC9421 + " §2.1",
        components=MINIMAL + [('"User-Agent"', "a")], headers=[["User-Agent", "a"]])
    bad("token-component", "Names are strings.", "malformed_component", components=MINIMAL + [("priority", "u=1")],
        headers=[["Priority", "u=1"]])
    bad("params-component", "`@signature-params` is never listed.", "malformed_component", source=RFC9421 + " §2.5",
        components=MINIMAL + [('"@signature-params"', "")])
    bad("status-component", "A request has no status.", "malformed_component", components=MINIMAL + [('"@status"', "200")],
        source=RFC9421 + " §2.2.9")
    bad("req-component", "`req` is for responses only.", "malformed_component", components=MINIMAL + [('"@method";req', "GET")],
        source=RFC9421 + " §2.4")
    bad("name-of-method", "`name` belongs to `@query-param` alone.", "malformed_component", source=RFC9421 + " §2.2.8",
        components=MINIMAL + [('"@method";name="a"', "GET")])
    bad("query-param-nameless", "`@query-param` without a name.", "malformed_component", source=RFC9421 + " §2.2.8",
        components=MINIMAL + [('"@query-param"', "1")])
    bad("bs-and-key", "`bs` and `key` exclude each other.", "malformed_component", headers=[["Priority", "u=1"]],
        components=MINIMAL + [('"priority";bs;key="u"', "1")], source=RFC9421 + " §2.1")
    bad("key-token", "`key` is a string.", "malformed_component", components=MINIMAL + [('"priority";key=u', "1")],
        headers=[["Priority", "u=1"]], source=RFC9421 + " §2.1.2")
    bad("unknown-derived", "An unknown derived component.", "unsupported_components", "unverified",
        components=MINIMAL + [('"@heron"', "1")])
    bad("unknown-component-parameter", "An unknown parameter of a component.", "unsupported_components", "unverified",
        components=MINIMAL + [('"@method";heron', "GET")])
    bad("trailer", "Trailers are not supported.", "unsupported_components", "unverified", source=RFC9421 + " §2.1.4",
        components=MINIMAL + [('"x-nest";tr', "1")], headers=[["X-Nest", "1"]])
    bad("untyped-key", "The type of the field is unknown.", "unsupported_components", "unverified",
        components=MINIMAL + [('"x-nest";key="a"', "1")], headers=[["X-Nest", "a=1"]], source=RFC9421 + " §2.1.2")
    bad("many-components", "More than 64 components.", "unsupported_components", "unverified",
        components=MINIMAL + [(f'"x-{n}"', "1") for n in range(63)], headers=[[f"X-{n}", "1"] for n in range(63)])
    bad("line-end-field", "A line end without a fold could add a line to the signed text.", "not_ascii_component",
        headers=[["X-Nest", 'a\n"x-egg": b']], components=MINIMAL + [('"x-nest"', 'a\n"x-egg": b')], source=RFC9421 + " §2.5")
    bad("long-field-member", "A member of a field of more than 16 KiB.", "unsupported_components", "unverified",
        headers=[["Priority", 'u=1, n="%s"' % ("a" * 16_384)]], components=MINIMAL + [('"priority";key="u"', "1")])
    bad("missing-field", "A covered field is missing.", "missing_component", components=MINIMAL + [('"x-nest"', "1")],
        source=RFC9421 + " §2.5")
    bad("missing-member", "A covered member is missing.", "missing_component", headers=[["Priority", "u=1"]],
        components=MINIMAL + [('"priority";key="i"', "?1")], source=RFC9421 + " §2.1.2")
    bad("missing-query-param", "A covered parameter is missing.", "missing_component",
        components=MINIMAL + [('"@query-param";name="egg"', "1")], source=RFC9421 + " §2.2.8")
    bad("repeated-query-param", "The query has the parameter twice.", "ambiguous_component", target="/?nest=1&nest=1",
        components=MINIMAL + [('"@query-param";name="nest"', "1")], source=RFC9421 + " §2.2.8")
    bad("not-ascii-field", "The value of a field is not ASCII.", "not_ascii_component", headers=[["X-Nest", "caf\u00e9"]],
        components=MINIMAL + [('"x-nest"', "caf\u00e9")], source=RFC9421 + " §2.5")
    many = [signed(label=f"sig{n}") for n in range(1, 10)]
    bad("many-signatures", "More than the maximum number of signatures.", "too_many_signatures", signatures=many)
    bad("http", "Without TLS.", "not_https", scheme="http", source=DRAFT + " §6.1")
    bad("http-absolute", "A request without TLS for an `https` target.", "not_https", scheme="http",
        target="https://example.com/heron?nest=1", source=DRAFT + " §6.1")
    bad("https-absolute", "A request over TLS for an `http` target.", "not_https",
        target="http://example.com/heron?nest=1", source=DRAFT + " §6.1")


def times():
    def bad(id, why, reason, **made):
        case("times", "time-" + id, why, "invalid", reason, source=made.pop("source", RFC9421 + " §3.2.1"), **made)

    bad("future", "`created` is more than a minute in the future.", "created_in_future", created=NOW + 61, expires=NOW + 300)
    bad("expired", "`expires` is now.", "expired", created=NOW - 300, expires=NOW)
    bad("long-expired", "`expires` is a day ago.", "expired", created=NOW - 90_000, expires=NOW - 86_700)
    bad("empty", "`expires` equals `created`.", "empty_lifetime", created=NOW, expires=NOW)
    bad("backwards", "`expires` is before `created`.", "empty_lifetime", created=NOW, expires=NOW - 1)
    bad("long", "The signature is valid for more than a day.", "long_lifetime", expires=NOW + 86_401, source=DRAFT + " §5.2, appendix C.6")
    bad("forever", "`expires` is the largest integer of structured fields.", "long_lifetime", expires=999_999_999_999_999, source=DRAFT + " appendix C.6")


def agents():
    def bad(id, why, reason, outcome="invalid", **made):
        case("agents", "agent-" + id, why, outcome, reason, source=made.pop("source", DRAFT + " §5.2.1"), **made)

    def named(text, **made):
        return {"agent": "sig1=" + text, "components": [AUTHORITY, (AGENT[0], text)], **made}

    bad("absent", "There is no `Signature-Agent`.", "no_agent", "unverified", agent=None, components=MINIMAL, source=DRAFT + " §4.3")
    bad("unreadable", "The field is not a dictionary.", "unreadable_field", agent='sig1="https://bot.example', components=MINIMAL)
    bad("not-covered", "The member is not covered.", "agent_not_covered", components=[METHOD, AUTHORITY])
    bad("whole-field", "The whole field is covered instead of its member.", "agent_not_covered",
        components=[AUTHORITY, ('"signature-agent"', 'sig1="https://bot.example"')])
    bad("bare", "A string instead of a dictionary, as in earlier drafts.", "older_draft", "unverified", agent='"https://bot.example"',
        components=[AUTHORITY, ('"signature-agent"', '"https://bot.example"')])
    bad("member-missing", "The covered member is missing.", "missing_component", agent='sig2="https://bot.example"', components=MINIMAL)
    bad("ambiguous", "Two members are covered, and neither has the label of the signature.", "ambiguous_agent", label="other",
        agent='sig1="https://bot.example", sig2="https://b.example"', source=DRAFT + " §5.2.2",
        components=[AUTHORITY, AGENT, ('"signature-agent";key="sig2"', '"https://b.example"')])
    bad("http", "An `http` URL.", "agent_unusable", **named('"http://bot.example"'))
    bad("data", "A `data` URL.", "agent_unusable", **named('"data:application/json,{}"'))
    bad("relative", "A relative URL.", "agent_unusable", **named('"bot.example"'))
    bad("empty", "An empty string.", "agent_unusable", **named('""'))
    bad("no-host", "A URL without a host.", "agent_unusable", **named('"https://"'))
    bad("credentials", "A URL with a password.", "agent_unusable", **named('"https://a:b@bot.example"'))
    bad("space", "A URL with a space in it.", "agent_unusable", **named('"https://bot.example/ "'))
    bad("backslash", "A backslash, which browsers take for a slash.", "agent_unusable", **named('"https://bot.example\\\\a"'))
    bad("token", "A token in place of a string.", "agent_unusable", **named("bot"))
    bad("list", "A list in place of a string.", "agent_unusable", **named('("https://bot.example")'))
    bad("true", "A key without a value.", "agent_unusable", agent="sig1", components=[AUTHORITY, (AGENT[0], "?1")])
    bad("long", "A URL of more than 2,048 bytes.", "agent_unusable", **named('"https://bot.example/%s";type=jwks_uri' % ("a" * 2048)))
    bad("path", "A directory with a path.", "agent_ignored", "unverified", **named('"https://bot.example/keys"'), source=DRAFT + " §5.5")
    bad("query", "An origin has no query.", "agent_ignored", "unverified", **named('"https://bot.example?a"'), source=DRAFT + " §5.5")
    bad("fragment", "An origin has no fragment.", "agent_ignored", "unverified", **named('"https://bot.example#a"'), source=DRAFT + " §5.5")
    bad("cimd", "An unknown type.", "agent_ignored", "unverified", **named('"https://bot.example";type=cimd'), source=DRAFT + " §5.5")
    bad("type-string", "The type is a string instead of a token.", "agent_ignored", "unverified", **named('"https://bot.example";type="directory"'), source=DRAFT + " §5.5")
    bad("draft-01-parameter", "In the editor's copy, members with parameters are ignored.", "agent_ignored", "unverified", revision="draft_01",
        **named('"https://bot.example";type=directory'), source="editor's copy of 2026-10-09, §5.2.1")
    bad("draft-01-origin", "In the editor's copy, an origin is the URL of its front page.", "no_directory", "unverified",
        revision="draft_01", source="editor's copy of 2026-10-09, §5.5")


def directories():
    def bad(id, why, reason, outcome="unverified", **made):
        case("directories", "directory-" + id, why, outcome, reason, source=made.pop("source", DRAFT + " §5.5"), **made)

    def after(*events, **made):
        return {"directories": list(events), **made}

    bad("unknown", "The keys have not been fetched.", "no_directory", **after())
    bad("failed", "The directory could not be fetched.", "no_directory", **after(failure(NOW - 10)), source=DRAFT + " §6.10")
    bad("elsewhere", "Only another signer publishes the key.", "no_directory",
        **after(fetch(origin="https://other.example")), source=DRAFT + " §5.4")
    bad("misbound", "The named signer publishes other keys, and another signer publishes this key.", "unknown_key", source=DRAFT + " §5.4",
        **after(fetch(directory(OSPREY)), fetch(origin="https://other.example")))
    for status in [201, 203, 204, 206, 301, 302, 304, 307, 401, 403, 404, 429, 500, 503]:
        bad(f"status-{status}", f"An answer with status {status} is rejected.", "no_directory", **after(fetch(status=status)))
    bad("redirected", "An answer from another URL is rejected.", "no_directory",
        **after(fetch(answered_by="https://www.bot.example" + WELL_KNOWN)))
    bad("media-type", "The well-known URL requires its media type.", "no_directory", source=DRAFT + " §5.5.1",
        **after(fetch(headers=[["Content-Type", "application/json"]])))
    bad("no-media-type", "No media type.", "no_directory", **after(fetch(headers=[])), source=DRAFT + " §5.5.1")
    for name, body in {
        "empty": "", "html": "<!doctype html>", "list": "[]", "object": "{}", "keys-object": '{"keys":{}}', "null": "null",
        "cut-off": directory(HERON)[:-1], "trailing": directory(HERON) + "x",
    }.items():
        bad(f"body-{name}", "The body is not a JWK Set.", "no_directory", **after(fetch(body)), source="RFC 7517 §5")
    bad("deep", "The body has deep nesting.", "no_directory", **after(fetch("[" * 10_000)))
    bad("large", "More than 64 KiB.", "no_directory", **after(fetch(padded_to=65_537)), source=DRAFT + " §6.7")
    many = [Key(hashlib.sha256(bytes([n])).digest()) for n in range(64)]
    bad("many", "More than 64 keys.", "no_directory", **after(fetch(directory(HERON, *many))), source=DRAFT + " §6.7")
    bad("no-keys", "A directory without keys.", "unknown_key", **after(fetch(directory())))
    bad("removed", "A newer directory lacks the key.", "unknown_key", source=DRAFT + " §5.5.2",
        **after(fetch(at=NOW - 600), fetch(directory(OSPREY), at=NOW - 10)))
    bad("stale", "The keys were fetched too long ago.", "stale_directory", **after(fetch(at=NOW - 90_000)), source=DRAFT + " appendix C.4")
    bad("stale-by-header", "The lifetime of the keys comes from `Cache-Control`.", "stale_directory", source=DRAFT + " appendix C.4",
        **after(fetch(at=NOW - 601, headers=[["Content-Type", DIRECTORY_TYPE], ["Cache-Control", "max-age=600"]])))
    bad("stale-for-long", "Keys expire even if all later fetches fail.", "stale_directory", source=DRAFT + " §6.3",
        **after(fetch(at=NOW - 8 * 86_400), failure(NOW - 10)))
    private = b64url(bytes(range(32)))
    for name, jwk in {
        "kid": HERON.jwk(kid="heron"), "kid-number": HERON.jwk(kid=1), "kid-other": HERON.jwk(kid=OSPREY.name),
        "private": HERON.jwk(d=private), "encryption": HERON.jwk(use="enc"), "operations": HERON.jwk(key_ops=["sign"]),
        "algorithm": HERON.jwk(alg="HS256"), "x25519": HERON.jwk(crv="X25519"), "ec": HERON.jwk(kty="EC"),
        "padded": HERON.jwk(x=HERON.x + "="), "short": HERON.jwk(x=HERON.x[:-4]), "no-x": HERON.jwk(x=None),
        "nbf-string": HERON.jwk(nbf=str(NOW)), "exp-negative": HERON.jwk(exp=-1), "upper-case": HERON.jwk(crv="ED25519"),
    }.items():
        bad(f"entry-{name}", "The entry is invalid.", "unknown_key", **after(fetch(directory(jwk))), source=DRAFT + " §5.5.1, RFC 8037")
    weak = (1).to_bytes(32, "little")
    x = b64url(weak)
    name = b64url(hashlib.sha256(('{"crv":"Ed25519","kty":"OKP","x":"%s"}' % x).encode()).digest())
    plain = signed(keyid=name)
    bad("weak-key", "A key of small order, for which one signature is valid for every message.", "unknown_key", source="RFC 8032 §5.1.7",
        signatures=[(*plain[:2], weak + bytes(32), plain[3])],
        **after(fetch(directory({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": name}))))
    bad("key-early", "The key is not valid yet.", "key_not_yet_valid", "invalid",
        **after(fetch(directory(HERON.jwk(nbf=NOW + 1)))), source=DRAFT + " §5.5.2")
    bad("key-late", "The key is no longer valid.", "key_expired", "invalid",
        **after(fetch(directory(HERON.jwk(exp=NOW)))), source=DRAFT + " §5.5.2")
    bad("test-key", "The private half of this key is public.", "test_key", "invalid", key=RFC, signatures=[signed(key=RFC)],
        **after(fetch(directory(RFC))), source=DRAFT + " §6.8")
    bad("nothing-fetched-in-vain", "An invalid request is rejected before its directory is fetched.", "missing_component", "invalid",
        components=MINIMAL + [('"x-nest"', "1")], **after())


def bases():
    """Adds signed texts from RFC 9421. If the RFC has the signature, it must equal the computed one."""
    def base(id, why, source, request, components, parameters, printed=None):
        value = "(" + " ".join(name for name, _ in components) + ")" + parameters
        text = "".join(f"{name}: {value}\n" for name, value in components) + f'"@signature-params": {value}'
        made = base64.b64encode(RFC.private.sign(text.encode())).decode()
        if printed and made != printed:
            raise ValueError(f"{id}: the signature is {made}, not the printed one")
        CASES.setdefault("bases", []).append({
            "id": "base-" + id, "why": why, "source": source, "request": request, "input": value, "base": text,
            "x": RFC.x, "signature": made,
        })

    test_request = {
        "method": "POST", "scheme": "https", "authority": "example.com", "target": "/foo?param=Value&Pet=dog",
        "headers": [
            ["Host", "example.com"], ["Date", "Tue, 20 Apr 2021 02:07:55 GMT"], ["Content-Type", "application/json"],
            ["Content-Digest", "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXJ"
             "wJew==:"], ["Content-Length", "18"],
        ],
    }
    base("b-2-6", "A request signed with Ed25519.", RFC9421 + " appendix B.2.6", test_request, [
        ('"date"', "Tue, 20 Apr 2021 02:07:55 GMT"), ('"@method"', "POST"), ('"@path"', "/foo"),
        ('"@authority"', "example.com"), ('"content-type"', "application/json"), ('"content-length"', "18"),
    ], ';created=1618884473;keyid="test-key-ed25519"',
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==")
    demo = {
        "method": "GET", "scheme": "https", "authority": "example.org", "target": "/demo?name1=Value1&Name2=value2",
        "headers": [["Host", "example.org"], ["Date", "Fri, 15 Jul 2022 14:24:55 GMT"], ["Accept", "application/json"],
                    ["Accept", "*/*"]],
    }
    covered = [('"@method"', "GET"), ('"@path"', "/demo"), ('"@authority"', "example.org"), ('"accept"', "application/json, */*")]
    parameters = ';created=1618884473;keyid="test-key-ed25519"'
    printed = "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA=="
    base("b-4", "A forwarded request.", RFC9421 + " appendix B.4", demo, covered, parameters, printed)
    more = {**demo, "target": "/demo?name1=Value1&Name2=value2&param=added",
            "headers": [*demo["headers"], ["Accept-Language", "en-US,en;q=0.5"]]}
    base("b-4-added", "Parts that are not covered may be added.", RFC9421 + " appendix B.4", more, covered, parameters, printed)
    moved = {**demo, "headers": [["Host", "example.org"], ["Referer", "https://developer.example.org/demo"],
                                 ["Accept", "application/json, */*"]]}
    base("b-4-joined", "Lines may be joined, and moved among others.", RFC9421 + " appendix B.4", moved, covered, parameters, printed)
    lines = {
        "method": "GET", "scheme": "https", "authority": "www.example.com", "target": "/",
        "headers": [["Host", "www.example.com"], ["X-OWS-Header", "   Leading and trailing whitespace.    "],
                    ["Cache-Control", "max-age=60"], ["Cache-Control", "   must-revalidate"],
                    ["Example-Dict", "  a=1,    b=2;x=1;y=2,   c=(a   b   c)"], ["X-Empty-Header", ""],
                    ["X-Obs-Fold-Header", "Obsolete\n    line folding."]],
    }
    base("fields", "White space, a folded line, several lines, an empty value.", RFC9421 + " §2.1", lines, [
        ('"host"', "www.example.com"), ('"x-ows-header"', "Leading and trailing whitespace."),
        ('"x-obs-fold-header"', "Obsolete line folding."),
        ('"cache-control"', "max-age=60, must-revalidate"), ('"x-empty-header"', ""),
        ('"example-dict"', "a=1,    b=2;x=1;y=2,   c=(a   b   c)"),
    ], ";created=1618884473")
    bytes_twice = {**lines, "headers": [["Example-Header", "value, with, lots"], ["Example-Header", "of, commas"]]}
    base("bytes", "Two lines as byte sequences.", RFC9421 + " §2.1.3", bytes_twice, [
        ('"example-header";bs', ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:")], ";created=1618884473")
    bytes_once = {**lines, "headers": [["Example-Header", "value, with, lots, of, commas"]]}
    base("bytes-joined", "Two lines that were joined to one, as a byte sequence.", RFC9421 + " §2.1.3", bytes_once, [
        ('"example-header";bs', ":dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:")], ";created=1618884473")
    target = {"method": "POST", "scheme": "https", "authority": "www.example.com", "target": "/path?param=value", "headers": []}
    base("derived", "The derived components of a request.", RFC9421 + " §2.2", target, [
        ('"@method"', "POST"), ('"@target-uri"', "https://www.example.com/path?param=value"), ('"@authority"', "www.example.com"),
        ('"@scheme"', "https"), ('"@request-target"', "/path?param=value"), ('"@path"', "/path"), ('"@query"', "?param=value"),
    ], ";created=1618884473")
    query = {**target, "target": "/path?param=value&foo=bar&baz=bat%2Dman&qux="}
    base("query", "The query unchanged, and its parameters.", RFC9421 + " §2.2.7, §2.2.8", query, [
        ('"@query"', "?param=value&foo=bar&baz=bat%2Dman&qux="), ('"@query-param";name="baz"', "bat-man"),
        ('"@query-param";name="qux"', ""), ('"@query-param";name="param"', "value"),
    ], ";created=1618884473")
    encoded = {**target, "target": "/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace"
                                   "&fa%C3%A7ade%22%3A%20=something"}
    base("query-encoded", "Parameters are decoded and encoded again.", RFC9421 + " §2.2.8", encoded, [
        ('"@query-param";name="var"', "this%20is%20a%20big%0Amultiline%20value"),
        ('"@query-param";name="bar"', "with%20plus%20whitespace"), ('"@query-param";name="fa%C3%A7ade%22%3A%20"', "something"),
    ], ";created=1618884473")


def proofs():
    """Adds directories with signatures by their keys."""
    content = directory(HERON)

    def digest(body, name="sha-256", made=hashlib.sha256):
        return f"{name}=:{base64.b64encode(made(body.encode()).digest()).decode()}:"

    def covering(body=content, authority="bot.example", digested=None):
        return [('"@authority";req', authority), ('"content-digest"', digested or digest(body))]

    def proof(id, why, signatures, proven=(), refused=(), body=content, headers=None, now=NOW, source=DRAFT + " appendix B.1",
              origin="https://bot.example"):
        fields = [["Content-Digest", digest(body)]] if headers is None else headers
        fields = [*fields, ["Signature-Input", ", ".join(f"{label}={value}" for label, value, _, _ in signatures)],
                  ["Signature", ", ".join(f"{label}=:{base64.b64encode(made).decode()}:" for label, _, made, _ in signatures)]]
        CASES.setdefault("proofs", []).append({
            "id": "proof-" + id, "why": why, "source": source, "now": now, "origin": origin, "headers": fields, "body": body,
            "expect": {"proven": [key.name for key in proven], "refused": list(refused)},
        })

    def one(**made):
        made = {"components": covering(), "label": "binding", "alg": None, "expires": NOW + 90 * 86_400,
                "tag": "http-message-signatures-directory", **made}
        return signed(**made)

    proof("usual", "The holder of the key signed.", [one()], [HERON])
    both = directory(HERON, OSPREY)
    pair = [one(components=covering(both)), one(components=covering(both), key=OSPREY, label="second")]
    proof("two-keys", "Each key signs.", pair, [HERON, OSPREY], body=both)
    proof("one-of-two", "A key that did not sign is not proven.", pair[:1], [HERON], body=both)
    long = digest(content, "sha-512", hashlib.sha512)
    proof("sha-512", "A digest with SHA-512.", [one(components=covering(digested=long))], [HERON], headers=[["Content-Digest", long]],
          source="RFC 9530")
    proof("unsigned", "A signature with another tag is ignored.", [one(tag="web-bot-auth")])
    proof("other-site", "The directory of another site.", [one(components=covering(authority="other.example"))],
          refused=["bad_signature"])
    proof("no-site", "No site is covered.", [one(components=covering()[1:])], refused=["target_not_covered"])
    proof("response-site", "`@authority` without `req` does not apply to a response.",
          [one(components=[('"@authority"', "bot.example"), covering()[1]])], refused=["target_not_covered"])
    proof("no-digest", "The body is not covered.", [one(components=covering()[:1])], refused=["digest_mismatch"])
    proof("other-body", "The digest belongs to another body.", [one()], refused=["digest_mismatch"],
          headers=[["Content-Digest", digest(content)]], body=content + " ")
    proof("digest-missing", "The answer has no `Content-Digest`.", [one()], refused=["digest_mismatch"], headers=[])
    proof("weak-digest", "An unsupported digest algorithm.", [one(components=covering(digested="md5=:YQ==:"))],
          refused=["digest_mismatch"], headers=[["Content-Digest", "md5=:YQ==:"]], source="RFC 9530")
    proof("future", "`created` is a second in the future.", [one(created=NOW + 1)], refused=["created_in_future"])
    proof("expired", "`expires` is now.", [one(created=NOW - 10, expires=NOW)], refused=["expired"])
    proof("no-end", "`expires` is missing.", [one(expires=None)], refused=["missing_parameter"])
    proof("other-key", "The key is not in the directory.", [one(key=OSPREY)], refused=["unknown_key"])
    bent = one()
    proof("bent", "One bit of the signature.", [(*bent[:2], bytes([bent[2][0] ^ 1]) + bent[2][1:], bent[3])],
          refused=["bad_signature"])
    draft = '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"%s","x":"%s","use":"sig"}]}' % (RFC.name, RFC.x)
    if digest(draft) != "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:":
        raise ValueError("E.2.3: the digest differs from the printed one")
    printed = one(key=RFC, created=1735689600, expires=4889289600, components=covering(draft, "signature-agent.test"))
    if base64.b64encode(printed[2]).decode() != (
        "l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg=="
    ):
        raise ValueError("E.2.3: the signature differs from the printed one")
    proof("e-2-3", "The draft's vector.", [printed], [RFC], body=draft, origin="https://signature-agent.test",
          source="editor's copy of 2026-10-09, appendix E.2.3")


def main():
    for group in [verified, changed, malformed, times, agents, directories, bases, proofs]:
        group()
    stale = False
    for name, rows in CASES.items():
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        path = FOLDER / f"{name}.jsonl"
        if "--update" in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"error: {path} is out of date; run tools/identity/cases.py --update", file=sys.stderr)
            stale = True
        print(f"{name}: {len(rows)} cases")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
