"""What holds functions is copied and pickled by its name."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def named(module: str, name: str) -> Any:
    """What a module calls so."""
    return getattr(import_module(module), name)


def variant_named(module: str, generation: str, name: str) -> Any:
    """A row as it is on a generation of the TARGET of a module."""
    return named(module, "TARGET").model(generation).rows[name]
