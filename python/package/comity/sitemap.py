"""Sitemaps: lists of pages that a site publishes for crawlers. They never grant permission to fetch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ._comity import SitemapReader

__all__ = [
    "Alternate",
    "Image",
    "News",
    "Price",
    "Restriction",
    "Sitemap",
    "SitemapReader",
    "Summary",
    "Url",
    "Video",
]


@dataclass(frozen=True)
class Image:
    """An image on a page."""

    # <!-- Image -->
    loc: str
    """The URL of the image, on any host."""
    caption: str | None = None
    """The caption of the image."""
    geo_location: str | None = None
    """The place where the image was taken."""
    license: str | None = None
    """The URL of the image's license."""
    title: str | None = None
    """The title of the image."""
    # <!-- end of Image -->


@dataclass(frozen=True)
class Restriction:
    """The countries or platforms for which a video is shown (``allow``), or not shown."""

    # <!-- Restriction -->
    allow: bool
    """True if the video is shown only in the countries or platforms in ``names``; false if it is shown everywhere else."""
    names: tuple[str, ...]
    """The countries or platforms."""
    # <!-- end of Restriction -->


@dataclass(frozen=True)
class Price:
    """The price of a video."""

    # <!-- Price -->
    amount: str
    """The amount as written; in real files it may be empty or have a decimal comma."""
    currency: str
    """The currency: an ISO 4217 code."""
    resolution: str | None = None
    """``hd`` or ``sd``."""
    kind: str | None = field(default=None, metadata={"word": "type"})
    """``rent`` or ``own`` (attribute ``type``)."""
    # <!-- end of Price -->


@dataclass(frozen=True)
class Video:
    """A video on a page. Dates are as written, with their original precision."""

    # <!-- Video -->
    thumbnail_loc: str
    """The URL of a thumbnail image."""
    title: str
    """The title of the video."""
    description: str
    """The description of the video; Google permits at most 2,048 characters."""
    category: str | None = None
    """The category of the video."""
    content_loc: str | None = None
    """The URL of the video file."""
    duration: int | None = None
    """The duration in seconds: 1 to 28,800."""
    expiration_date: str | None = None
    """The time after which the video is no longer available."""
    family_friendly: bool | None = None
    """True if the video is suitable for everyone."""
    gallery_loc: str | None = None
    """The URL of a collection that contains the video."""
    live: bool | None = None
    """True if the video is a live stream."""
    platform: Restriction | None = None
    """Platforms on which the video may, or may not, be shown: ``web``, ``mobile``, ``tv``."""
    player_loc: str | None = None
    """The URL of a player for the video."""
    prices: tuple[Price, ...] = ()
    """The prices of the video."""
    publication_date: str | None = None
    """The time when the video was first published."""
    rating: float | None = None
    """The rating: 0 to 5."""
    requires_subscription: bool | None = None
    """True if the video requires a paid subscription."""
    restriction: Restriction | None = None
    """Countries in which the video may, or may not, be shown: ISO 3166 codes."""
    tags: tuple[str, ...] = ()
    """The tags of the video; Google permits at most 32."""
    uploader: str | None = None
    """The name of the uploader."""
    uploader_info: str | None = None
    """The URL of a page about the uploader."""
    view_count: int | None = None
    """The number of views of the video."""
    # <!-- end of Video -->


@dataclass(frozen=True)
class News:
    """The properties of a page that is a news article."""

    # <!-- News -->
    publication: str
    """The name of the publication."""
    language: str
    """The language of the publication: ISO 639, or ``zh-cn``, ``zh-tw``."""
    publication_date: str | None
    """The time when the article was first published."""
    title: str
    """The title of the article."""
    access: str | None = None
    """The restriction of access: ``Subscription`` or ``Registration``. Google no longer reads it."""
    genres: str | None = None
    """The genres of the article. Google no longer reads the field."""
    keywords: str | None = None
    """The keywords of the article. Google no longer reads the field."""
    stock_tickers: str | None = None
    """The stock symbols that the article is about. Google no longer reads the field."""
    # <!-- end of News -->


@dataclass(frozen=True)
class Alternate:
    """A page in another language."""

    # <!-- Alternate -->
    hreflang: str
    """A language, optionally with a script or region, or ``x-default``."""
    href: str
    """The URL of the page in that language."""
    # <!-- end of Alternate -->


@dataclass(frozen=True)
class Url:
    """A page. ``lastmod`` is a W3C date with the precision of the file: ``2026``, ``2026-11-21``, ..."""

    # <!-- Url -->
    loc: str
    """The absolute URL, with entities resolved and surrounding white space removed."""
    lastmod: str | None = None
    """The time when the page last changed."""
    changefreq: str | None = None
    """The stated frequency of changes. Google ignores it."""
    priority: float | None = None
    """The priority among the pages of the site, from 0 to 1; the protocol's default is 0.5. Google ignores it."""
    alternates: tuple[Alternate, ...] = ()
    """The page in other languages (hreflang)."""
    images: tuple[Image, ...] = ()
    """Images on the page."""
    news: News | None = None
    """The page as a news article."""
    videos: tuple[Video, ...] = ()
    """Videos on the page."""
    # <!-- end of Url -->


@dataclass(frozen=True)
class Sitemap:
    """A sitemap that a sitemap index lists."""

    # <!-- Sitemap -->
    loc: str
    """The absolute URL."""
    lastmod: str | None = None
    """The time when the sitemap (not its pages) last changed."""
    # <!-- end of Sitemap -->


@dataclass(frozen=True)
class Summary:
    """The properties of the part of a file that was read."""

    # <!-- Summary -->
    format: Literal["urlset", "sitemapindex", "text", "rss", "rdf", "atom"] | None
    """The format, if it was detected."""
    encoding: str
    """The name of the encoding, as defined by the Encoding Standard."""
    entries: int
    """The number of entries read, without dropped entries."""
    bytes: int
    """The number of bytes read, after decompression."""
    compressed_bytes: int | None
    """The number of bytes read before decompression, if the file was compressed."""
    truncated: bool
    """True if the file was not read to its end, or ends too early."""
    # <!-- end of Summary -->
