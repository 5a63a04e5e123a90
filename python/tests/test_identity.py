"""Signed requests: the signer, the verifier, and requests to loopback sites with the libraries requests, httpx and Scrapy."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sites import PATIENCE, Answer, Site, site

from comity import AsyncClient, Client, ReadError, SettingError, SignError, UrlError
from comity.identity import FIELDS, Signer, Verifier

KEY = '{"kty":"OKP","crv":"Ed25519","x":"6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw","d":"%s"}'
SECRET = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
IDENTITY = f'{{"signature_agent":"https://bot.example","keys":[{KEY % SECRET}]}}'
WELL_KNOWN = "https://bot.example/.well-known/http-message-signatures-directory"
URL = "https://example.com/heron?a"


@pytest.fixture
def signer() -> Signer:
    return Signer.from_json(IDENTITY)


@pytest.fixture
def verifier(signer: Signer) -> Verifier:
    verifier = Verifier()
    verifier.add_directory("https://bot.example", signer.directory())
    return verifier


def test_identity_file_is_read_and_private_key_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "bot.identity.json"
    file.write_text(IDENTITY)
    signer = Signer(file)
    assert signer.identifier == WELL_KNOWN
    assert signer.keys == Signer.from_json(IDENTITY.encode()).keys
    for shown in (repr(signer), str(signer), signer.directory()):
        assert SECRET not in shown
    assert "d" not in json.loads(signer.directory())["keys"][0]


def test_identity_file_of_the_command_is_read(tmp_path: Path) -> None:
    file = tmp_path / "bot.json"
    command = [sys.executable, "-m", "comity", "identity", "new", "https://bot.example", "-o", file]
    subprocess.run(command, check=True, capture_output=True)
    assert Signer(file).identifier == WELL_KNOWN


def test_invalid_identity_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        Signer(tmp_path / "none.json")
    for text in ("", "{}", "[]", IDENTITY.replace("https:", "http:"), IDENTITY.replace("Bw", "Cw")):
        with pytest.raises(ReadError) as raised:
            Signer.from_json(text)
        assert SECRET not in str(raised.value)


def test_signed_request_is_verified(signer: Signer, verifier: Verifier) -> None:
    fields = signer.sign("GET", URL, nonce="n0")
    assert tuple(sorted(fields)) == tuple(sorted(FIELDS))
    outcome = verifier.verify("GET", URL, fields)
    assert outcome.is_verified and outcome.status == "verified"
    assert outcome.identifier == WELL_KNOWN
    assert [outcome.key] == signer.keys
    assert outcome.nonce == "n0"
    assert '"@authority"' in outcome.components
    assert outcome.created is not None and outcome.expires is not None
    assert outcome.expires - outcome.created == datetime.timedelta(minutes=5)
    assert str(outcome) == f"verified as {WELL_KNOWN}"


def test_verification_outcome_has_its_reason(signer: Signer, verifier: Verifier) -> None:
    fields = signer.sign("GET", URL)
    for method, url, more, now, status, reason in (
        ("GET", URL, {}, None, "verified", None),
        ("HEAD", URL, {}, None, "invalid", "bad_signature"),
        ("GET", URL + "b", {}, None, "invalid", "bad_signature"),
        ("GET", URL, {"Host": "other.example"}, None, "invalid", "other_host"),
        (
            "GET",
            URL.replace("example.com", "other.example"),
            {"Host": "example.com"},
            None,
            "invalid",
            "other_host",
        ),
        ("GET", URL, {"Host": "EXAMPLE.com:443"}, None, "verified", None),
        ("GET", URL.replace("https", "http"), {}, None, "invalid", "not_https"),
        ("GET", URL, {}, time.time() + 301, "invalid", "expired"),
        ("GET", URL, {"Signature": ""}, None, "invalid", "no_signature"),
        ("GET", URL, {"Signature-Input": ""}, None, "not_signed", None),
    ):
        outcome = verifier.verify(method, url, fields | more, now=now)
        assert (outcome.status, outcome.reason) == (status, reason), (method, url, more)
        assert outcome.is_verified == (status == "verified")
    unknown = Verifier().verify("GET", URL, fields)
    assert (unknown.status, unknown.reason) == ("unverified", "no_directory")
    assert unknown.directory == WELL_KNOWN


def test_verifier_settings_change_the_outcome(signer: Signer) -> None:
    fields, now = signer.sign("GET", URL), time.time()
    for keywords, reason in (
        ({"max_lifetime": 60}, "long_lifetime"),
        ({"max_lifetime": None}, None),
    ):
        verifier = Verifier(**keywords)
        verifier.add_directory("https://bot.example", signer.directory())
        assert verifier.verify("GET", URL, fields).reason == reason
    late = Verifier(clock_skew=0)
    late.add_directory("https://bot.example", signer.directory())
    assert late.verify("GET", URL, fields, now=now - 5).reason == "created_in_future"
    with pytest.raises(SettingError, match="clock_skew"):
        Verifier(clock_skew=-1)


def test_invalid_directory_is_rejected_and_keeps_known_keys(
    signer: Signer, verifier: Verifier
) -> None:
    body, fields = signer.directory(), signer.sign("GET", URL)
    right = {"Content-Type": "application/http-message-signatures-directory+json"}
    for problem, why in (
        ({"status": 404}, "404"),
        ({"url": "https://elsewhere.example/x", "headers": right}, "redirects"),
        ({"headers": {"Content-Type": "application/json"}}, "is not served as"),
        ({"body": "<html>"}, "is not JSON"),
    ):
        with pytest.raises(ReadError, match=why):
            verifier.add_directory("https://bot.example", **({"body": body} | problem))
        # A rejected directory does not remove keys.
        assert verifier.verify("GET", URL, fields).is_verified
    assert verifier.add_directory("https://bot.example", body, headers=right) == signer.keys
    with pytest.raises(UrlError):
        verifier.add_directory("http://bot.example", body)


def test_request_with_a_signature_or_without_tls_is_not_signed(signer: Signer) -> None:
    with pytest.raises(SignError, match="without TLS"):
        signer.sign("GET", "http://example.com/")
    fields = signer.sign("GET", URL)
    with pytest.raises(SignError, match="already signed"):
        signer.sign("GET", URL, fields)
    over = IDENTITY.replace('"d":', '"exp":1,"d":')
    with pytest.raises(SignError, match="no key"):
        Signer.from_json(over).sign("GET", URL)
    for url in (
        "example.com/",
        "/heron",
        "https://exämple.com/",
        "https://example.com/a b",
        "https://",
    ):
        with pytest.raises(UrlError):
            signer.sign("GET", url)


def test_challenge_is_answered_with_its_label(signer: Signer, verifier: Verifier) -> None:
    wanted = 'sig2=("@authority");created;expires;nonce="b3Blbg";tag="web-bot-auth"'
    fields = signer.answer({"Accept-Signature": wanted}, "GET", URL)
    assert fields is not None and fields["Signature"].startswith("sig2=:")
    assert verifier.verify("GET", URL, fields).nonce == "b3Blbg"
    other = 'sig2=("@authority");keyid="another";tag="web-bot-auth"'
    for answer in ({}, {"Accept-Signature": other}, {"Accept-Signature": "?"}):
        assert signer.answer(answer, "GET", URL) is None


# Signatures of requests that sites receive.


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, str]:
    """Returns a server's TLS context with a certificate for loopback, and the file with the certificate of its authority."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def name(text: str) -> Any:
        return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, text)])

    def certificate(subject: str, key: Any, signing: Any, *extensions: Any) -> Any:
        now = datetime.datetime.now(datetime.timezone.utc)
        building = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name("Comity test root"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=30))
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), False
            )
        )
        for extension, critical in extensions:
            building = building.add_extension(extension, critical)
        return building.sign(signing, hashes.SHA256())

    root, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    authority = certificate(
        "Comity test root",
        root,
        root,
        (x509.BasicConstraints(ca=True, path_length=None), True),
        (x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), True),
        (x509.SubjectKeyIdentifier.from_public_key(root.public_key()), False),
    )
    hosts = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    served = certificate("Comity test site", own, root, (x509.SubjectAlternativeName(hosts), False))
    folder = tmp_path_factory.mktemp("tls")
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(authority.public_bytes(pem))
    key = own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "site.pem").write_bytes(key + served.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "site.pem")
    return context, str(folder / "ca.pem")


#: Paths that HTTP libraries normalize in different ways.
PATHS = (
    "/a",
    "/a%2fb",
    "/a%2Fb?q='x'",
    "/a|b?c=[d]&e",
    "/a/./b/../c",
    "/%7Ea?%zz",
    "/ä?ö",
    "/a?",
    "//a",
)

ROBOTS = Answer(404)


def polite(ca: str) -> dict[str, Any]:
    return {
        "allow_address": ("127.0.0.0/8",),
        "ca": (ca,),
        "contact": "mail@example.com",
        "min_interval": 0,
        "retries": 0,
    }


def by_requests(urls: list[str], signer: Signer, ca: str) -> None:
    import requests

    from comity.requests import SigningAdapter

    with requests.Session() as session:
        session.mount("http://", SigningAdapter(signer))
        session.mount("https://", SigningAdapter(signer))
        for url in urls:
            session.get(url, timeout=PATIENCE, verify=ca)


def by_polite_requests(urls: list[str], signer: Signer, ca: str) -> None:
    import requests

    from comity.requests import PoliteAdapter

    with Client("ExampleBot", **polite(ca)) as client, requests.Session() as session:
        adapter = PoliteAdapter(client, signer=signer)
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        for url in urls:
            session.get(url, timeout=PATIENCE, verify=ca)


def by_httpx(urls: list[str], signer: Signer, ca: str) -> None:
    import httpx

    from comity.httpx import SigningTransport

    inner = httpx.HTTPTransport(verify=ssl.create_default_context(cafile=ca))
    transport = SigningTransport(signer, inner)
    with httpx.Client(transport=transport, follow_redirects=True) as session:
        for url in urls:
            session.get(url)


def by_polite_httpx(urls: list[str], signer: Signer, ca: str) -> None:
    import httpx

    from comity.httpx import PoliteTransport

    verify = ssl.create_default_context(cafile=ca)
    with Client("ExampleBot", **polite(ca)) as client:
        transport = PoliteTransport(client, signer=signer, verify=verify)
        with httpx.Client(transport=transport, follow_redirects=True) as session:
            for url in urls:
                session.get(url)


def by_async_httpx(urls: list[str], signer: Signer, ca: str) -> None:
    import httpx

    from comity.httpx import AsyncPoliteTransport, AsyncSigningTransport

    async def run() -> None:
        verify = ssl.create_default_context(cafile=ca)
        inner = httpx.AsyncHTTPTransport(verify=verify)
        async with AsyncClient("ExampleBot", **polite(ca)) as client:
            for transport in (
                AsyncSigningTransport(signer, inner),
                AsyncPoliteTransport(client, signer=signer, verify=verify),
            ):
                async with httpx.AsyncClient(transport=transport, follow_redirects=True) as session:
                    for url in urls:
                        await session.get(url)

    asyncio.run(run())


SCRAPY = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

urls, settings = json.loads(sys.stdin.read())

class Spider(scrapy.Spider):
    name = "test"
    handle_httpstatus_all = True

    async def start(self):
        for url in urls:
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response):
        pass

process = CrawlerProcess(settings)
process.crawl(Spider)
process.start()
"""


def by_scrapy(urls: list[str], signer: Signer, ca: str) -> None:
    settings = {
        "COMITY_IDENTITY": str(Path(ca).with_name("bot.json")),
        "DOWNLOADER_MIDDLEWARES": {"comity.scrapy.SigningMiddleware": 950},
        "LOG_LEVEL": "ERROR",
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    Path(settings["COMITY_IDENTITY"]).write_text(IDENTITY)
    done = subprocess.run(
        [sys.executable, "-c", SCRAPY],
        input=json.dumps([urls, settings]),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


STACKS = {
    "requests": by_requests,
    "requests, polite": by_polite_requests,
    "httpx": by_httpx,
    "httpx, polite": by_polite_httpx,
    "httpx, async": by_async_httpx,
    "scrapy": by_scrapy,
}

Fetch = Callable[..., None]


@pytest.fixture(params=STACKS)
def fetch(request: pytest.FixtureRequest, signer: Signer, tls: tuple[Any, str]) -> Fetch:
    run = STACKS[request.param]
    pytest.importorskip(request.param.partition(",")[0])
    return lambda *urls: run(list(urls), signer, tls[1])


def outcomes(here: Site, verifier: Verifier) -> list[tuple[str, str]]:
    """Returns the target and the verifier's outcome for each request except those for robots.txt."""
    made = []
    for target, fields in zip(here.targets, here.fields, strict=True):
        if target != "/robots.txt":
            outcome = verifier.verify("GET", here.url + target, fields)
            made.append((target, outcome.message))
    return made


def test_every_request_is_verified_at_the_site(
    fetch: Fetch, tls: tuple[ssl.SSLContext, str], verifier: Verifier
) -> None:
    with site(tls[0], robots=ROBOTS, otherwise=Answer()) as here:
        fetch(*(here.url + path for path in PATHS))
    made = outcomes(here, verifier)
    assert len(made) >= len(PATHS)
    for target, message in made:
        assert message == f"verified as {WELL_KNOWN}", target


def test_each_redirect_has_a_new_signature(
    fetch: Fetch, tls: tuple[ssl.SSLContext, str], verifier: Verifier
) -> None:
    with (
        site(robots=ROBOTS, otherwise=Answer()) as plain,
        site(
            tls[0], robots=ROBOTS, otherwise=Answer(302, headers={"Location": plain.at("/c")})
        ) as second,
        site(
            tls[0],
            robots=ROBOTS,
            otherwise=Answer(302, headers={"Location": second.at("/b%2fc?d")}),
        ) as first,
    ):
        fetch(first.at("/a"))
    for here in (first, second):
        made = outcomes(here, verifier)
        assert made and {message for _, message in made} == {f"verified as {WELL_KNOWN}"}, made
    # Requests without TLS have no signature fields.
    assert plain.hits["/c"] >= 1
    for fields in plain.fields:
        assert not {name.lower() for name in fields} & {name.lower() for name in FIELDS}


def test_object_with_private_keys_cannot_be_pickled(signer: Signer) -> None:
    import pickle

    with pytest.raises(TypeError):
        pickle.dumps(signer)
    pytest.importorskip("requests")
    from comity.requests import SigningAdapter

    with pytest.raises(TypeError, match="private keys"):
        pickle.dumps(SigningAdapter(signer))


def test_scrapy_without_identity_file_raises_an_error() -> None:
    pytest.importorskip("scrapy")
    from scrapy.utils.test import get_crawler

    from comity.scrapy import SigningMiddleware

    with pytest.raises(SettingError, match="COMITY_IDENTITY"):
        SigningMiddleware.from_crawler(get_crawler())
