"""From HTTP answers to decisions: ``Policy``, and what its decisions rest on."""

from __future__ import annotations

from ._comity import Policy, presets
from .decisions import Evidence, Outage

__all__ = ["Evidence", "Outage", "Policy", "presets"]
