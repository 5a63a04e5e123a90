#!/usr/bin/env python3
"""Compares Comity's verifier with the package http-message-signatures, on conformance/identity and on generated requests.

    python3 -m venv venv && venv/bin/pip install http-message-signatures
    venv/bin/python tools/identity/peer.py [FILE]

FILE contains generated requests, which `cargo run 1000 FILE` in tools/identity/web-bot-auth writes. The comparison fails if a
difference is not in EXPECTED, or if an entry of EXPECTED does not occur. Times are not compared. The package has all keys, because
it does not fetch key directories.
"""

import json
import pathlib
import re
import sys

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from http_message_signatures import HTTPMessageVerifier, InvalidSignature, algorithms
    from http_message_signatures import HTTPMessageSignaturesException, HTTPSignatureKeyResolver
except ImportError as error:
    print(f"SKIPPED: http-message-signatures: {error}", file=sys.stderr)
    sys.exit(77)

import base64
import hashlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "identity"

# The expected differences: the start of the ids of cases, and the reason.
AGENT = "the package is a general library; only this protocol defines `Signature-Agent` and requires that it is covered"
EXPECTED = {
    "good-unknown-parameter": "the package rejects parameters that RFC 9421 does not list; new ones may be registered (§6.3)",
    "good-method-case": "the package requires upper-case methods; methods are case-sensitive tokens (RFC 9110 §9.1)",
    "good-bad-neighbour": "the package requires every signature with the tag to be valid; Comity checks each separately (draft §5.2.2)",
    "good-field-folded-bytes": "the package keeps line folds in byte sequences; RFC 9421 removes them (§2.1.3)",
    "form-no-created": "this program disables the package's check of times",
    "form-no-expires": "`expires` is optional in RFC 9421, and required by the draft (§5.2)",
    "form-created-negative": "a time before 1970 is a valid integer, and this program disables the package's check of times",
    "form-no-components": "only the draft requires components (§5.2)",
    "form-no-target": "only the draft requires components (§5.2)",
    "form-untyped-key": "the package parses any field as a dictionary if possible; Comity parses only fields of known types (§2.1.2)",
    "form-many-components": "a limit of Comity",
    "form-long-field-member": "a limit of Comity",
    "form-many-signatures": "a limit of Comity",
    "form-http": "only the draft requires TLS (§6.1)",
    "agent-": AGENT,
    "not-a-uri-": "the package rejects URLs that RFC 3986 does not allow; the URL standard of browsers allows them",
}

# The characters that RFC 3986 allows in a path and a query.
TARGET = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*")


def name(key):
    x = base64.urlsafe_b64encode(key.public_bytes_raw()).rstrip(b"=").decode()
    members = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % x
    return base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).rstrip(b"=").decode()


SEEDS = [bytes(range(32)), bytes(range(32, 64)), bytes([7] * 32)]
KEYS = [Ed25519PrivateKey.from_private_bytes(seed).public_key() for seed in SEEDS]
KEYS.append(Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs=")))
KEYS = {name(key): key for key in KEYS}


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        return KEYS.get(key_id)


class Lines:
    """Header fields in their order, with repeated names."""

    def __init__(self, pairs):
        self.pairs = [tuple(pair) for pair in pairs]

    def items(self):
        return self.pairs


class Request:
    def __init__(self, facts):
        self.method = facts["method"]
        target = facts["target"]
        self.url = target if "://" in target else f"{facts['scheme']}://{facts['authority']}{target}"
        self.headers = Lines(facts["headers"])


class Verifier(HTTPMessageVerifier):
    def validate_created_and_expires(self, sig_input, max_age=None):
        pass


def verifies(facts):
    verifier = Verifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys())
    try:
        return bool(verifier.verify(Request(facts), expect_tag="web-bot-auth", max_age=None))
    except (InvalidSignature, HTTPMessageSignaturesException):
        return False


def main():
    files = [FOLDER / f"{name}.jsonl" for name in ["verified", "changed", "malformed", "agents"]] + sys.argv[1:]
    seen, clean, count = set(), True, 0
    for file in files:
        for line in open(file, encoding="utf-8"):
            case = json.loads(line)
            count += 1
            ours, theirs = case["expect"]["outcome"] == "verified", verifies(case["request"])
            if ours == theirs:
                continue
            id = case["id"]
            if id.startswith("generated-") and ours and not TARGET.fullmatch(case["request"]["target"]):
                id = "not-a-uri-" + id
            start = next((start for start in EXPECTED if id.startswith(start)), None)
            why = EXPECTED.get(start, "NOT EXPECTED")
            clean = clean and start is not None
            seen.add(start)
            print(f"{id}: only {'Comity' if ours else 'http-message-signatures'} verifies: {why}")
    for start in EXPECTED:
        if start not in seen and not (start.startswith("not-a-uri-") and not sys.argv[1:]):
            clean = False
            print(f"{start}: this expected difference did not occur")
    print(f"{count} requests")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
