"""Decisions from HTTP answers: ``Policy``, and the types of evidence in its decisions."""

from __future__ import annotations

from ._comity import Policy, presets
from .decisions import Evidence, Outage

__all__ = ["Evidence", "Outage", "Policy", "presets"]
