"""The keywords of the clients, generated from the list of settings by a test of `comity-client`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

from ._urls import UrlLike

TextLike = UrlLike | os.PathLike[str]


class Keywords(TypedDict, total=False):
    """Settings that a client takes as keywords. A keyword with the value None is ignored."""

    user_agent: TextLike | None
    """`agent.user_agent`: The whole User-Agent header, which must contain the token; unset: made of token and contact."""

    contact: TextLike | None
    """`agent.contact`: Contact address for sites: a URL or mail address, sent in the User-Agent."""

    identity: TextLike | None
    """`identity.file`: Sign requests with the identity in this file, which holds private keys."""

    allow_address: Iterable[object] | None
    """`guard.allow_address`: Allow connections to a network that is not public, such as 127.0.0.0/8."""

    allow_host: Iterable[object] | None
    """`guard.allow_host`: Allow connections to all addresses of a host except metadata services."""

    allow_port: Iterable[object] | None
    """`guard.allow_port`: Allow connections to a blocked port, such as 6000 or 8000-8100; `serve` and `mcp` block all but 80 and 443."""

    preset: Literal["rfc9309", "google", "webcanon", "ladon", "gym2008", "strict"] | None
    """`robots.preset`: Preset that decides the effect of each answer to a robots.txt request."""

    mode: Literal["respect", "report_only", "ignore"] | None
    """`robots.mode`: Effect of a decision: respect, report_only or ignore; unset: the preset decides."""

    on_unreachable: Literal["deny", "warn", "allow"] | None
    """`robots.on_unreachable`: Decision while robots.txt is unreachable: deny, warn (allow with a warning) or allow; unset: the preset decides."""

    robots_max_age: float | None
    """`robots.max_age_seconds`: Maximum age of a robots.txt before it is requested again; unset: the preset decides."""

    timeout: float | None
    """`fetch.timeout_seconds`: Timeout for the header of an answer, connecting included."""

    deadline: float | None
    """`fetch.deadline_seconds`: Maximum time of a whole fetch: waits, robots.txt, redirects, retries and the body; unset: no limit."""

    max_wait: float | None
    """`fetch.max_wait_seconds`: Longest wait for the pace before a fetch fails."""

    max_bytes: int | None
    """`fetch.max_bytes`: Maximum number of bytes read of a body; the rest is cut off."""

    content_type: Iterable[object] | None
    """`fetch.content_type`: Accept answers of this media type only, `text/*` for a family; empty: all."""

    header: Iterable[object] | None
    """`fetch.header`: Send this field with page requests: `Name: value`."""

    llms: Literal["disabled", "prefer", "force"] | None
    """`fetch.llms`: Follow the site's llms.txt to a better form of the page: disabled, prefer or force."""

    jobs: int | None
    """`crawl.jobs`: Maximum number of active fetches, over all origins; a fetch that waits for its turn is not active."""

    proxy: TextLike | None
    """`network.proxy`: Send all requests through this proxy; the usual proxy variables are not read."""

    ca: Iterable[object] | None
    """`network.ca`: Trust the certificates of this PEM file in addition to the system's."""

    insecure: bool | None
    """`network.insecure`: Do not check certificates."""

    nameserver: Iterable[object] | None
    """`network.nameserver`: Query this DNS server instead of the system's resolver."""

    min_interval: float | None
    """`pace.min_interval_seconds`: Minimum interval between two requests to an origin."""

    retries: int | None
    """`retry.retries`: Maximum number of retries of a failed request."""

    store: TextLike | None
    """`store.location`: Location of robots.txt answers and the pace: a file, `memory`, or `redis://host:port/db`."""

    store_ca: TextLike | None
    """`store.ca`: PEM file with the certificates that are trusted for TLS to a store; unset: the system's."""

    store_cert: TextLike | None
    """`store.cert`: PEM file with the client certificate for TLS to a store."""

    store_key: TextLike | None
    """`store.key`: PEM file with the private key of the client certificate."""
