"""How an array file is named: a .npy file, or an array of a .npz file by its key."""

from __future__ import annotations

import os

from nasm.base.records import dataclass

SPELLING = 'write "file.npy", or "file.npz:key"'


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """An array in a file: its name is relative to a folder, its key is empty in a .npy file."""

    folder: str
    name: str
    key: str = ""

    @classmethod
    def written(cls, text: str, program: str) -> ArrayFile | None:
        """What a program of this name means by a text; None if it spells no array file."""
        folder = os.path.dirname(program)
        if text.endswith(".npy"):
            return cls(folder, text)
        name, _, key = text.rpartition(":")
        return cls(folder, name, key) if name.endswith(".npz") and key else None

    @property
    def path(self) -> str:
        """Where it is: absolute, or relative to the current folder."""
        return os.path.join(self.folder, self.name)
