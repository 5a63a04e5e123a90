"""The keywords of the clients, made from the list of settings by a test of `comity-client`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

from ._urls import UrlLike

TextLike = UrlLike | os.PathLike[str]


class Keywords(TypedDict, total=False):
    """Settings that a client takes as keywords. None says nothing."""

    user_agent: TextLike | None
    """`agent.user_agent`: The whole User-Agent header; it names the token; unset: made of token and contact."""

    contact: TextLike | None
    """`agent.contact`: How sites reach you: a URL or mail address, sent in the User-Agent."""

    identity: TextLike | None
    """`identity.file`: Sign requests with the identity in this file, which holds private keys."""

    allow_address: Iterable[object] | None
    """`guard.allow_address`: Let a network be dialled that is not public, such as 127.0.0.0/8."""

    allow_host: Iterable[object] | None
    """`guard.allow_host`: Let a host be dialled whatever its addresses."""

    allow_port: Iterable[object] | None
    """`guard.allow_port`: Let a blocked port be dialled, such as 6000 or 8000-8100; `serve` and `mcp` block all but 80 and 443."""

    preset: Literal["rfc9309", "google", "webcanon", "ladon", "gym2008", "strict"] | None
    """`robots.preset`: What answers to the request for robots.txt lead to."""

    mode: Literal["respect", "report_only", "ignore"] | None
    """`robots.mode`: What a decision does: respect, report_only or ignore; unset: the preset's."""

    on_unreachable: Literal["deny", "warn", "allow"] | None
    """`robots.on_unreachable`: What is done while robots.txt is unreachable: deny, warn (allow with a warning) or allow; unset: as the preset says."""

    robots_max_age: float | None
    """`robots.max_age_seconds`: How long a robots.txt counts at most without asking again; unset: as the preset says."""

    timeout: float | None
    """`fetch.timeout_seconds`: How long an answer may take to begin, connecting included."""

    max_wait: float | None
    """`fetch.max_wait_seconds`: Give a URL up if politeness asks to wait longer than this; unset: wait."""

    max_bytes: int | None
    """`fetch.max_bytes`: Bytes of a body that are read; the rest is cut off."""

    content_type: Iterable[object] | None
    """`fetch.content_type`: Take answers of this media type only, `text/*` for a family; empty: all."""

    header: Iterable[object] | None
    """`fetch.header`: Send this field with page requests: `Name: value`."""

    llms: Literal["disabled", "prefer", "force"] | None
    """`fetch.llms`: Follow the site's llms.txt to a better form of the page: disabled, prefer or force."""

    jobs: int | None
    """`crawl.jobs`: How many fetches are at work at once, over all origins; one that waits for its turn is not."""

    proxy: TextLike | None
    """`network.proxy`: Send everything through this proxy; the usual proxy variables are not read."""

    ca: Iterable[object] | None
    """`network.ca`: Trust the certificates of this PEM file beside the system's."""

    insecure: bool | None
    """`network.insecure`: Do not check certificates."""

    nameserver: Iterable[object] | None
    """`network.nameserver`: Ask this DNS server instead of the system's resolver."""

    min_interval: float | None
    """`pace.min_interval_seconds`: The least time between two requests to an origin."""

    retries: int | None
    """`retry.retries`: How often a failed request is sent again."""

    store: TextLike | None
    """`store.location`: Where robots.txt answers and the pace are kept: a file, `memory`, or `redis://host:port/db`."""
