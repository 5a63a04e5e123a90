"""Sitemaps: what a site wants to be found. Discovery, never permission."""

from __future__ import annotations

from dataclasses import dataclass, field

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

    loc: str
    caption: str | None = None
    geo_location: str | None = None
    title: str | None = None
    license: str | None = None


@dataclass(frozen=True)
class Restriction:
    """Countries or platforms for which a video is shown (``allow``), or is not."""

    allow: bool
    names: tuple[str, ...]


@dataclass(frozen=True)
class Price:
    """What a video costs."""

    amount: str = ""
    currency: str = ""
    kind: str | None = field(default=None, metadata={"word": "type"})
    resolution: str | None = None


@dataclass(frozen=True)
class Video:
    """A video on a page. Dates are as written, to the precision that they have."""

    thumbnail_loc: str = ""
    title: str = ""
    description: str = ""
    content_loc: str | None = None
    player_loc: str | None = None
    duration: int | None = None
    expiration_date: str | None = None
    rating: float | None = None
    view_count: int | None = None
    publication_date: str | None = None
    family_friendly: bool | None = None
    restriction: Restriction | None = None
    platform: Restriction | None = None
    requires_subscription: bool | None = None
    uploader: str | None = None
    uploader_info: str | None = None
    live: bool | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None
    gallery_loc: str | None = None
    prices: tuple[Price, ...] = ()


@dataclass(frozen=True)
class News:
    """A page as a news article."""

    publication: str = ""
    language: str = ""
    publication_date: str | None = None
    title: str = ""
    access: str | None = None
    genres: str | None = None
    keywords: str | None = None
    stock_tickers: str | None = None


@dataclass(frozen=True)
class Alternate:
    """A page in another language."""

    hreflang: str
    href: str


@dataclass(frozen=True)
class Url:
    """A page. ``lastmod`` is a W3C date, to the precision that it was written with: ``2026``, ``2026-11-21``, ..."""

    loc: str
    lastmod: str | None = None
    changefreq: str | None = None
    priority: float | None = None
    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    news: News | None = None
    alternates: tuple[Alternate, ...] = ()


@dataclass(frozen=True)
class Sitemap:
    """Another sitemap, out of an index."""

    loc: str
    lastmod: str | None = None


@dataclass(frozen=True)
class Summary:
    """What is known about a file."""

    format: str | None
    encoding: str
    entries: int
    bytes: int
    compressed_bytes: int | None
    truncated: bool
