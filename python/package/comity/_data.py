"""Builds the package's dataclasses from the values that the compiled module passes.

The type annotations of a dataclass select the conversions: nested dictionaries become dataclasses, lists become tuples, and
RFC 3339 text becomes a time.
"""

from __future__ import annotations

import dataclasses
import importlib
import types
import typing
from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from typing import Any

Convert = Callable[[Any], Any]


def build(name: str, values: dict[str, Any]) -> Any:
    """Builds the dataclass ``name`` (``module.Class`` within the package) from a dictionary of its fields."""
    return _builder(name)(values)


@cache
def _builder(name: str) -> Convert:
    module, _, cls = name.rpartition(".")
    return _dataclass_builder(getattr(importlib.import_module(f"comity.{module}"), cls))


@cache
def _dataclass_builder(cls: type) -> Convert:
    hints = typing.get_type_hints(cls)
    fields = [
        (field.metadata.get("word", field.name), field.name, _converter(hints[field.name]))
        for field in dataclasses.fields(cls)
    ]

    def make(values: dict[str, Any]) -> Any:
        # A field without a value has its default: the engine omits some empty lists.
        return cls(
            **{
                name: values[key] if convert is None else convert(values[key])
                for key, name, convert in fields
                if key in values
            }
        )

    return make


@cache
def _converter(hint: Any) -> Convert | None:
    """Returns the function that converts a value for this type; None if no conversion is necessary."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [argument for argument in arguments if argument is not type(None)]
        convert = _converter(inner[0]) if len(inner) == 1 else None
        return None if convert is None else _optional(convert)
    if origin is tuple:
        convert = _converter(arguments[0])
        return tuple if convert is None else lambda values: tuple(map(convert, values))
    if hint is datetime:
        return lambda value: datetime.fromisoformat(value.replace("Z", "+00:00"))
    if hint is date:
        return date.fromisoformat
    return (
        _dataclass_builder(hint)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type)
        else None
    )


def _optional(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)
