"""Which nasm a worker has: equal results come from equal versions alone."""

from __future__ import annotations

import hashlib
import os
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nasm import __version__


class OtherVersion(Exception):
    """The worker has another nasm than the one that sent it work."""

    def __init__(self, wanted: str, found: str) -> None:
        super().__init__(wanted, found)
        self.wanted, self.found = wanted, found


@cache
def version() -> str:
    """The version of nasm, and a hash of its modules: runs of equal versions are equal."""
    made = hashlib.sha256()
    for name, content in _modules(str(Path(__file__).parents[1])):
        made.update(f"{name}\0{len(content)}\0".encode() + content)
    return f"{__version__}+{made.hexdigest()[:16]}"


def _modules(folder: str) -> Iterator[tuple[str, bytes]]:
    """Each module of a package with its text, read as Python reads it when it is imported."""
    for found in pkgutil.iter_modules([folder]):
        spec = found.module_finder.find_spec(found.name, None)
        read = getattr(spec and spec.loader, "get_data", None)
        if spec is None or spec.origin is None or read is None:
            continue
        yield found.name, read(spec.origin)
        if found.ispkg:
            yield from _modules(os.path.dirname(spec.origin))
