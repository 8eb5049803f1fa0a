"""What an argument that names a program is: a file, ``kernel.py:name``, or a Python file.

This is the one place that decides it: the command asks before it reads or imports anything.
"""

from __future__ import annotations

import os

SUFFIX = ".py"


def split(text: str) -> tuple[str, str] | None:
    """The Python file and the kernel that a text names; None if it names any other program.

    The name is empty in ``kernel.py`` alone. A file that is called ``kernel.py:name`` itself is
    taken as that file, so that no name of a file makes another one run.
    """
    if text.endswith(SUFFIX):
        return text, ""
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(SUFFIX) or "/" in name or os.path.lexists(text):
        return None
    return path, name
