"""What a kernel imports from its own folder: noted, and imported again each time it is watched."""

from __future__ import annotations

import importlib
import linecache
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

from nasm.base import files
from nasm.nki.exceptions import foreign
from nasm.nki.kernel_argument import SUFFIX


@contextmanager
def noted(folder: str) -> Iterator[None]:
    """Note the files of a folder that are imported meanwhile, each read again.

    Only while imported files are watched; otherwise Python imports as it does.
    """
    if not files.is_noting():
        yield
        return
    _forget()
    importlib.invalidate_caches()  # a file may have come since
    finder = _Own(folder)
    places = sys.meta_path
    places.insert(places.index(PathFinder) if PathFinder in places else 0, finder)
    try:
        yield
    finally:
        places.remove(finder)


def loader(name: str, path: str) -> SourceFileLoader | None:
    """What is to read the file of a module; None if that is Python's affair."""
    return _UncachedLoader(name, path) if files.is_noting() else None


class _UncachedLoader(SourceFileLoader):
    """Reads a file, and no bytecode: that of an edit within one second may be another text's."""

    def get_code(self, fullname: str) -> CodeType:
        linecache.checkcache(self.path)
        made: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return made


class _Own(MetaPathFinder):
    """Finds what Python would, and notes it if it is a file of a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = PathFinder.find_spec(fullname, path, target)
        if found is None:
            for place in (self.folder,) if path is None else path:
                self._note(os.path.join(place, fullname.rpartition(".")[2] + SUFFIX))
            return None
        file = found.origin if found.has_location else None
        if file is None or not file.endswith(SUFFIX) or not self._note(file):
            return None
        found.loader = _UncachedLoader(fullname, file)
        return found

    def _note(self, file: str) -> bool:
        """Note a file if it is in the folder, and neither a library's nor ours."""
        full = os.path.abspath(file)
        if not full.startswith(self.folder) or foreign(full):
            return False
        files.note(full)
        return True


def _forget() -> None:
    """Let all modules be imported again that were read so, and the packages that they are in."""
    anew = [
        n
        for n, m in sys.modules.items()
        if isinstance(getattr(m, "__loader__", None), _UncachedLoader)
    ]
    for name in anew:
        while name:
            sys.modules.pop(name, None)
            name = name.rpartition(".")[0]
