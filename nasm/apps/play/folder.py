"""The folder that the page reads programs from and writes them to, and nothing outside of it."""

from __future__ import annotations

import os
from typing import Any

from nasm.apps.play.answers import LARGEST, Asked, refused, text_of
from nasm.base import files, host_files
from nasm.base.problems import in_line

ENDING = ".nasm"
LARGEST_FILE = 4 * LARGEST
"""Bytes of a program that are read: what the page can take."""

MOST_FILES, DEEPEST = 500, 4
"""Files that are listed, and how many folders deep."""


class Folder:
    """Programs of a folder; they can be written unless it is ``read_only``."""

    def __init__(self, path: str, read_only: bool) -> None:
        self.path, self.read_only = os.path.realpath(path), read_only

    def names(self) -> list[str]:
        """Its programs, by their paths within it; neither links nor hidden files are followed."""
        found: list[str] = []
        self._list("", found, DEEPEST)
        return sorted(found)

    def _list(self, within: str, found: list[str], deep: int) -> None:
        for entry in host_files.entries(os.path.join(self.path, within)):
            name = f"{within}/{entry.name}" if within else entry.name
            if entry.name.startswith(".") or entry.is_symlink() or len(found) >= MOST_FILES:
                continue
            if entry.is_dir() and deep:
                self._list(name, found, deep - 1)
            elif entry.name.endswith(ENDING) and entry.is_file():
                found.append(name)

    def read(self, asked: Asked) -> dict[str, Any]:
        """The text of a program; raises Refused."""
        path = self._path(asked)
        try:
            with files.regular(path) as stream:
                return {"text": stream.read(LARGEST_FILE).decode()}
        except (OSError, ValueError) as error:
            raise refused(f"it cannot be read: {in_line(str(error))}") from None

    def write(self, asked: Asked) -> dict[str, Any]:
        """Write the text of a program, whole or not at all; raises Refused."""
        if self.read_only:
            raise refused("nothing is written: the server is read-only")
        path, text = self._path(asked), text_of(asked)
        try:
            with host_files.whole(path) as out:
                out.write(text.encode())
        except (OSError, ValueError) as error:
            raise refused(f"it cannot be written: {in_line(str(error))}") from None
        return {"names": self.names()}

    def _path(self, asked: Asked) -> str:
        """Where a program is, or will be: in a folder that there is, and no link."""
        name = asked.get("name")
        if not isinstance(name, str) or not name.endswith(ENDING) or "\0" in name:
            raise refused(f"a program is called NAME{ENDING}")
        parts = name.split("/")
        if any(part.startswith(".") or not part or os.sep in part for part in parts):
            raise refused("a name has no empty or hidden part")
        path = os.path.join(self.path, *parts)
        parent = os.path.dirname(path)
        inside = os.path.commonpath([self.path, os.path.realpath(parent)]) == self.path
        there = os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path))
        if not inside or not os.path.isdir(parent) or there:
            raise refused("there is no such place in the folder")
        return path
