"""The names of dialects and presets as types; a test of the engine prints them."""

from __future__ import annotations

from typing import Literal, TypeAlias

# <!-- names -->
Dialect: TypeAlias = Literal[
    "rfc9309",
    "google",
    "gym2008",
    "mk1996",
    "robotstxt-gem",
    "webcanon",
    "urllib",
    "urllib-2026",
    "protego",
    "robots-parser",
    "yandex",
]
Preset: TypeAlias = Literal[
    "rfc9309",
    "google",
    "webcanon",
    "ladon",
    "gym2008",
    "strict",
]
# <!-- end of names -->
