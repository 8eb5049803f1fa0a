"""Array files in an object: what a program names goes with it."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from nasm.base.array_files import ArrayFile
from nasm.base.files import Allowed
from nasm.base.problems import Refused
from nasm.base.source_files import LARGEST
from nasm.language.objects.bodies import Fields
from nasm.language.objects.sections import damaged
from nasm.language.printing.files import Files


class Embedding:
    """Collects the files that a program names, by their names relative to its text.

    With ``link``, a folder, they are named from there and stay where they are.
    """

    def __init__(self, allowed: Allowed, folder: str, link: str | None) -> None:
        self.allowed, self.link = allowed, link
        self.files = Files(folder if link is None else link)
        self._found: dict[str, bytes] = {}

    def named(self, file: ArrayFile) -> str:
        """A file as the object names it; raises Refused if it cannot be read."""
        name = self.files.named(file.folder, file.name)
        if self.link is None and name not in self._found:
            self._found[name] = self._read(file)
        return name

    def _read(self, file: ArrayFile) -> bytes:
        try:
            with self.allowed.opened(file.folder, file.name) as stream:
                read = stream.read(LARGEST + 1)
        except FileNotFoundError:
            message, hint = f"no file {file.path}", "--link leaves array files where they are"
            raise Refused("E0801", message, hint) from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise Refused("E0801", f"cannot read {file.path}: {reason}") from None
        if len(read) > LARGEST:
            message = f"{file.path} has more than {LARGEST:,} bytes"
            raise Refused("E0801", message, "--link leaves array files where they are")
        return read

    def index(self) -> list[dict[str, Any]]:
        """The names with their sizes, in the order of the data."""
        return [
            {"name": name, "bytes": len(read), "crc32": crc32(read)}
            for name, read in self._found.items()
        ]

    def data(self) -> bytes:
        """The files, one after the other."""
        return b"".join(self._found.values())


def embedded(rows: object, data: memoryview) -> dict[str, bytes]:
    """The files of an object by their names; raises Refused."""
    found: dict[str, bytes] = {}
    at = 0
    for row in rows if type(rows) is list else [None]:
        text = Fields(row, "files")
        size = text.get("bytes", int)
        read = bytes(data[at : at + max(0, size)])
        if len(read) != size or crc32(read) != text.get("crc32", int):
            raise damaged("a file in it is not what it was")
        found[text.get("name", str)] = read
        at += size
    if at != len(data):
        raise damaged("there is something after its last file")
    return found
