"""Pages, usage, sitemaps, llms.txt and the catalogue through Python."""

import gzip
import io

import pytest

from comity import (
    ReadError,
    Robots,
    TokenError,
    UnknownNameError,
    UrlError,
    agents,
    llms,
    usage,
)
from comity.findings import Finding
from comity.page import PageDirectives
from comity.sitemap import Sitemap, SitemapReader, Url

URLSET = (
    b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
    b" xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'><url><loc>https://example.com/</loc>"
    b"<lastmod>2026-11</lastmod><priority>0.5</priority>"
    b"<image:image><image:loc>https://example.com/i.png</image:loc></image:image></url></urlset>"
)


@pytest.mark.parametrize("form", ["text", "bytes"])
def test_declared_charset_decodes_bytes_and_not_text(form):
    html = "<meta charset=iso-8859-1><meta name=robots content='noindex, café'>"
    page = html if form == "text" else html.encode("iso-8859-1")
    directives = PageDirectives({"Content-Type": "text/html"}, html=page)
    assert [statement.text for statement in directives.statements] == ["noindex", "café"]
    # The charset may also be declared in the header.
    directives = PageDirectives({"Content-Type": "text/html; charset=iso-8859-1"}, html=page)
    assert [statement.text for statement in directives.statements] == ["noindex", "café"]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Robots-Tag": ["noindex", "heron: nofollow"]},
        [("x-robots-tag", "noindex"), (b"X-ROBOTS-TAG", b"heron: nofollow")],
        "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: heron: nofollow\r\n\r\n",
    ],
)
def test_page_directives_of_header_and_page_are_combined(headers):
    directives = PageDirectives(headers, html=b"<meta name=robots content='max-snippet:5'>")
    outcome = directives.outcome("heron")
    assert [warning.warning for warning in outcome.warnings] == [
        "do_not_index",
        "do_not_follow",
        "snippet_limit",
    ]
    assert outcome.warnings[2].value == 5 and outcome.warnings[1].causes[0].source.number == 2
    assert [w.warning for w in directives.outcome("osprey").warnings] == [
        "do_not_index",
        "snippet_limit",
    ]
    with pytest.raises(UnknownNameError, match="google"):
        directives.outcome("heron", "altavista")


def test_usage_signals_are_not_merged():
    report = usage.report(
        "https://example.com/a",
        "heron",
        robots=Robots.parse(
            "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=yes\n"
        ),
        headers={"tdm-reservation": "1"},
        tdmrep='[{"location": "/", "tdm-reservation": 0}]',
    )
    stances = report.stances("train")
    assert stances["content_usage"] == "disallow" and stances["content_signal (group)"] == "allow"
    assert report.stances("text_and_data_mining")["tdmrep"] == "disallow"
    hidden = usage.report(
        "/a", "heron", headers={"X-Robots-Tag": "noai"}, html="<meta name=robots content=noimageai>"
    )
    assert hidden.stances("train") == {"page_directives": "disallow"}
    with pytest.raises(ReadError):
        usage.report("https://example.com/", "heron", tdmrep="no JSON")
    with pytest.raises(UrlError):
        usage.report("example.com", "heron")


@pytest.mark.parametrize("form", ["bytes", "path", "str", "file", "gzip"])
def test_sitemap_is_read_from_path_bytes_and_file(form, tmp_path):
    path = tmp_path / "s.xml"
    path.write_bytes(URLSET)
    source = {
        "bytes": lambda: URLSET,
        "path": lambda: path,
        "str": lambda: str(path),
        "file": lambda: path.open("rb"),
        "gzip": lambda: io.BytesIO(gzip.compress(URLSET)),
    }[form]()
    reader = SitemapReader(source)
    [url] = list(reader)
    assert isinstance(url, Url) and (url.loc, url.lastmod, url.priority) == (
        "https://example.com/",
        "2026-11",
        0.5,
    )
    assert url.images[0].loc == "https://example.com/i.png"
    assert not reader.summary.truncated and reader.summary.format == "urlset"


def test_broken_sitemap_yields_its_valid_entries():
    index = b"<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap><sitemap>"
    kinds = [type(item) for item in SitemapReader(index)]
    assert Sitemap in kinds and Finding in kinds


def test_invalid_sitemap_argument_has_its_exception(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.xml"):
        SitemapReader(tmp_path / "missing.xml")
    with pytest.raises(TypeError, match="pass the path"):
        SitemapReader(3)
    with pytest.raises(UnknownNameError, match="must be one of: any, report, drop"):
        SitemapReader(b"", scope="x")
    with pytest.raises(UrlError):
        SitemapReader(b"", url="s.xml")


class Broken(io.RawIOBase):
    def __init__(self, answer):
        self.answer = answer

    def read(self, size=-1):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer", [OSError("gone"), KeyError("x"), "text", None, b"x" * 10_000_000]
)
def test_faulty_sitemap_source_ends_in_a_finding(answer):
    items = list(SitemapReader(Broken(answer)))
    assert [type(item) for item in items][-1:] == [Finding]


def test_every_reader_returns_findings():
    page = PageDirectives({"X-Robots-Tag": "noindx"})
    robots = Robots.parse("User-agent: *\nContent-Signal: ai-train=never\nAllow: /\nDisallow /x\n")
    found = [
        *robots.lint(),
        *page.findings,
        *usage.report("https://example.com/", "heron", robots=robots).findings,
        *(item for item in SitemapReader(b"<urlset><url/></urlset>") if isinstance(item, Finding)),
        *llms.LlmsTxt.parse("no heading").findings,
    ]
    assert {type(finding) for finding in found} == {Finding}
    channels = {finding.place.channel for finding in found}
    assert channels == {"robots_txt", "http_header", "sitemap", "llms_txt"}
    for finding in found:
        assert finding.message and finding.help and finding.code in finding.documentation
        assert str(finding).endswith(f"{finding.severity}: {finding.message} [{finding.code}]")


def test_llms_txt_links_have_line_and_url():
    body = "# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](/start.md): how\n"
    txt = llms.LlmsTxt.parse(body, url="https://example.com/llms.txt")
    assert (txt.title, txt.summary, txt.sections[0].name) == ("Reed", "Tools.", "Docs")
    [link] = txt.links
    assert (link.url, link.note, link.line) == ("https://example.com/start.md", "how", 7)
    first, *_ = txt.candidates("https://example.com/start")
    assert first.url == "https://example.com/start.md"
    assert llms.check_strict(body) is None and llms.check_strict("no heading").place.line == 1
    assert "https://example.com/a.md" in llms.markdown_variants("https://example.com/a")
    with pytest.raises(UrlError):
        txt.candidates("start")
    with pytest.raises(UnknownNameError):
        txt.candidates("https://example.com/", "perhaps")


def test_catalogue_finds_known_and_misspelt_crawlers():
    assert agents.known("gptbot").operator == "OpenAI" and agents.known("heron") is None
    assert agents.closest("GPTBto").token == "GPTBot"
    training = agents.all(purpose="training")
    assert 0 < len(training) < len(agents.all()) and all(
        agent.purpose == "training" for agent in training
    )
    robots = Robots.parse("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n")
    assert robots.rules_for(agents.known("Applebot").agent).group == "Googlebot"


def test_unknown_use_is_named_in_the_error():
    with pytest.raises(UnknownNameError, match=r"unknown use `trian`; must be one of: train, "):
        usage.report("https://example.com/", "heron").stances("trian")


def test_sitemap_in_text_mode_is_an_error(tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(URLSET)
    with path.open() as text, pytest.raises(TypeError, match=r'open\(path, "rb"\)'):
        SitemapReader(text)
    with pytest.raises(TypeError, match="text mode"):
        SitemapReader(io.StringIO(URLSET.decode()))
    with path.open("rb") as binary:
        assert any(isinstance(item, Url) for item in SitemapReader(binary))


@pytest.mark.parametrize("name", ["Mozilla/5.0 (compatible; Heron/1.0)", "", "heron/1.0"])
def test_invalid_token_for_directives_is_an_error(name):
    with pytest.raises(TokenError):
        PageDirectives({"X-Robots-Tag": "noindex"}).outcome(name)
    assert PageDirectives({"X-Robots-Tag": "noindex"}).outcome("*").warnings
