#!/usr/bin/env python3
"""Comity's verifier beside the package http-message-signatures, on the cases of conformance/identity and on a file of others.

    python3 -m venv venv && venv/bin/pip install http-message-signatures
    venv/bin/python tools/identity/peer.py [FILE]

FILE has generated requests, as `cargo run 1000 FILE` in tools/identity/web-bot-auth writes them. Each difference has to be one of
EXPECTED, and each of those has to be seen. The package is told that times are in order and which key has which name; places of
keys are not its matter.
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

# The expected differences, by the start of a case's id, with the reason.
PLACES = "the package knows signatures of any kind; what `Signature-Agent` says, and that it is covered, is this protocol's"
EXPECTED = {
    "good-unknown-parameter": "the package refuses parameters that RFC 9421 does not list; new ones may be registered (§6.3)",
    "good-method-case": "the package wants methods in upper case; they are case-sensitive tokens (RFC 9110 §9.1)",
    "good-bad-neighbour": "the package wants each signature with the tag to be good; here each counts by itself (draft §5.2.2)",
    "good-field-folded-bytes": "the package leaves folds in byte sequences; they go there, too (§2.1.3)",
    "form-no-created": "the package was told that times are in order",
    "form-no-expires": "the end is optional in RFC 9421, and required by the draft (§5.2)",
    "form-created-negative": "a time before 1970 is an integer, too; the package was told that times are in order",
    "form-no-components": "what has to be covered is this protocol's (§5.2)",
    "form-no-target": "what has to be covered is this protocol's (§5.2)",
    "form-untyped-key": "the package takes any field for a dictionary that can be read as one; here its type has to be known (§2.1.2)",
    "form-many-components": "a limit of this verifier",
    "form-long-field-member": "a limit of this verifier",
    "form-many-signatures": "a limit of this verifier",
    "form-http": "whether there was TLS is this protocol's (§6.1)",
    "agent-": PLACES,
    "not-a-uri-": "the package refuses a URL that is none by RFC 3986; browsers' rules leave such characters as they are, and they are sent",
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
    """Header fields in their order, a name as often as it stands there."""

    def __init__(self, pairs):
        self.pairs = [tuple(pair) for pair in pairs]

    def items(self):
        return self.pairs


class Request:
    def __init__(self, asked):
        self.method = asked["method"]
        target = asked["target"]
        self.url = target if "://" in target else f"{asked['scheme']}://{asked['authority']}{target}"
        self.headers = Lines(asked["headers"])


class Verifier(HTTPMessageVerifier):
    def validate_created_and_expires(self, sig_input, max_age=None):
        pass


def verifies(asked):
    verifier = Verifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys())
    try:
        return bool(verifier.verify(Request(asked), expect_tag="web-bot-auth", max_age=None))
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
            print(f"{id}: {'Comity' if ours else 'http-message-signatures'} alone verifies: {why}")
    for start in EXPECTED:
        if start not in seen and not (start.startswith("not-a-uri-") and not sys.argv[1:]):
            clean = False
            print(f"{start}: expected, and not seen")
    print(f"{count} requests")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
