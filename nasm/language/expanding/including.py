"""Included texts: where they are looked for, and each read once."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO

from nasm.base import host_files
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Note, Problem, Refused, quoted
from nasm.base.source import Source, Span
from nasm.base.source_files import LARGEST, decoded
from nasm.base.suppressions import Allow
from nasm.language.expanding.scope import Scope
from nasm.language.text import suppressions, tree
from nasm.language.text.parse import parse

ENDING = ".nasm"
"""How every included file is called, also through links: what errors show are lines of programs."""

Read = tuple[Source, tree.File, list[Problem], list[Allow]]
"""A text, its tree, its errors, and what its comments allow."""


def _library() -> str:
    """The folder of the library: inside an installed package, else in the checkout around it."""
    package = Path(__file__).parents[2]
    packaged = package / "lib"
    return str(packaged if packaged.is_dir() else package.parent / "programs" / "lib")


LIBRARY = _library()
"""Its files are included by their names relative to it: ``lib/softmax.nasm``."""


class Includes:
    """Reads what a program includes; ``files`` are those that it may read, and where they are."""

    def __init__(self, source: Source, files: Allowed = ANY) -> None:
        self.files = files
        self.text = source.text  # of all that were read, the program's first
        self._program = source.name

    @cached_property
    def _read(self) -> set[object]:
        """The files that were read: first that of the program, if it has one."""
        with suppress(OSError, ValueError):
            status = host_files.stat(self._program)
            return {(status.st_dev, status.st_ino)}
        return set()

    def read(self, statement: tree.Include, scope: Scope) -> Read | None:
        """The text that a line includes; None if it was before. Raises Failure."""
        name = statement.path.value
        try:
            made = self.source(name, scope.source, scope.span(statement.path))
        except Failure:
            scope.undeclared.unread = True  # what it would have declared is not known
            raise
        if made is None:
            return None
        file, problems = parse(made)
        allowed, unclear = suppressions.allows(made)
        return made, file, problems + unclear, allowed

    def binary(
        self, statement: tree.Include, scope: Scope, made: Callable[[str, bytes], str]
    ) -> Read:
        """The text that is made of a file which is none, as often as it is included."""
        name, place = statement.path.value, scope.span(statement.path)
        path, label, data = self._bytes(name, scope.source, place)
        try:
            source = Source(path, made(label, data), label)
        except Failure as failure:
            raise Failure([p.at(place) for p in failure.problems]) from None
        except Refused as refused:
            raise Failure(refused.at(place)) from None
        file, problems = parse(source)
        return source, file, problems, []

    def _bytes(self, name: str, within: Source, place: Span) -> tuple[str, str, bytes]:
        """A file that is looked for as others are: its path, what it is called, and its bytes."""
        for folder in [os.path.dirname(within.name), *self.files.include]:
            path = os.path.join(folder, name)
            try:
                with self.files.opened("", path) as stream:
                    return path, os.path.normpath(name), stream.read(LARGEST + 1)
            except Refused as refused:
                raise Failure(refused.at(place)) from None
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as problem:
                message = f"cannot read {path}: {problem.strerror or problem}"
                raise Failure(Problem("E0801", message, place)) from None
            except ValueError:  # a null character in a path
                break
        raise Failure(Problem("E0801", f"no file {quoted(name)} to include", place))

    def foreign(self, name: str, within: Source, place: Span, endings: tuple[str, ...]) -> Source:
        """A file of another language that a text names, as often as it does. Raises Failure."""
        found = self.source(name, within, place, endings)
        assert found is not None
        return found

    def source(
        self, name: str, within: Source, place: Span, endings: tuple[str, ...] = (ENDING,)
    ) -> Source | None:
        """The file that a text includes by a name; None if it was before. Raises Failure.

        A program is included once; files with other ``endings`` may be named again.
        """
        if not name.endswith(endings):
            raise Failure(_not_ours(name, place, endings))
        looked: list[Note] = []
        refusal: Refused | None = None
        beside = os.path.join(os.path.dirname(within.label), name)
        labels = [beside, *(name for _ in self.files.include)]
        folders = [os.path.dirname(within.name), *self.files.include]
        for folder, label in zip(folders, labels, strict=True):
            path = os.path.join(folder, name)
            try:
                if not os.path.realpath(path).endswith(endings):
                    raise Failure(_not_ours(name, place, endings))
                with self.files.opened("", path) as stream:
                    return self._new(path, stream, label, ENDING in endings)
            except Refused as refused:
                refusal = refusal or refused
            except (FileNotFoundError, NotADirectoryError):
                looked.append(Note(f"not found: {path}"))
            except OSError as problem:
                message = f"cannot read {path}: {problem.strerror or problem}"
                raise Failure(Problem("E0801", message, place)) from None
            except ValueError:  # a null character in a path
                raise Failure(Problem("E0801", f"no file {name}", place)) from None
            except Failure as failure:
                raise Failure([p.at(place) for p in failure.problems]) from None
        # The library is ours: it may be included even if no other file may be read.
        ours = os.path.join(os.path.dirname(LIBRARY), name)
        with suppress(Refused, OSError), Allowed.of(LIBRARY).opened("", ours) as stream:
            return self._new(ours, stream, name, ENDING in endings)
        if refusal is not None:
            raise Failure(refusal.at(place))
        hint = "the search path is the folder of the file that includes it, then the folders of -I"
        raise Failure(Problem("E0801", f"no file {name} to include", place, hint, tuple(looked)))

    def _new(self, path: str, stream: IO[bytes], label: str, once: bool) -> Source | None:
        """The text of a file; of one to be read once None if it was, by whatever name."""
        if not once:
            return Source(path, decoded(stream.read(LARGEST + 1), path), os.path.normpath(label))
        key: object = os.path.normpath(path)
        with suppress(OSError):  # of what is held in memory the path tells which it is
            status = host_files.state(stream.fileno())
            key = status.st_dev, status.st_ino
        if key in self._read:
            return None
        text = decoded(stream.read(LARGEST + 1), path)
        self._read.add(key)
        self.text += f"\n{text}"
        return Source(path, text, os.path.normpath(label))


def _not_ours(name: str, place: Span, endings: tuple[str, ...]) -> Problem:
    kinds = " or ".join(f"*{ending}" for ending in endings)
    message = f"{quoted(name)} may not be included: the file is not called {kinds}"
    hint = f"errors show lines of what is included: only files (and targets of links) {kinds} are"
    return Problem("E0801", message, place, hint)


def of_library(macro: str) -> str:
    """A hint that includes the file of the library that has a macro; or nothing."""
    begins = f"\n.macro {macro}("
    with suppress(OSError):
        for entry in host_files.entries(LIBRARY):
            if begins in f"\n{host_files.read_text(entry.path)}":
                path = f"{os.path.basename(LIBRARY)}/{entry.name}"
                return f'the library has it: .include "{path}"'
    return ""
