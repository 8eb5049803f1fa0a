"""What nasm should have foreseen: short on the terminal, everything in a file of its own.

The same defect leaves the same file, in a folder that no other user may write to.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import traceback

from nasm import __version__
from nasm.base import host_files
from nasm.base.problems import Problem

MOST = 20
"""Files that are kept."""


def problem(defect: Exception, given: list[str]) -> Problem:
    """A defect as a diagnostic; its hint says where the details are."""
    text = f"{type(defect).__name__}: {defect}".partition("\n")[0]
    try:
        hint = f"The details are in {_keep(defect, given)}; please report it with them."
    except OSError:
        hint = "With NASM_DEBUG=1 in the environment it says more; please report it."
    return Problem("E0901", f"a defect in nasm, not in your program: {text}", None, hint)


def details(defect: Exception) -> str:
    """All that is known of it."""
    return "".join(traceback.format_exception(defect))


def _keep(defect: Exception, given: list[str]) -> str:
    """Write the details to a file unless it is there; returns its name."""
    folder = _folder()
    path = os.path.join(folder, f"{_digest(defect)}.txt")
    if os.path.lexists(path):
        return path
    _make_room(folder)
    text = (
        f"nasm {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {given}\n\n{details(defect)}"
    )
    number = host_files.descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with host_files.text(number, "w", errors="backslashreplace") as file:
        file.write(text)
    return path


def _digest(defect: Exception) -> str:
    """What is the same whenever the same goes wrong at the same place."""
    frames = traceback.extract_tb(defect.__traceback__)
    places = [f"{os.path.basename(f.filename)}:{f.lineno} {f.name}" for f in frames]
    where = "\n".join([__version__, type(defect).__name__, *places])
    return hashlib.sha256(where.encode()).hexdigest()[:16]


def _folder() -> str:
    """The folder for them below the XDG state folder, made if need be; raises OSError."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser(os.path.join("~", ".local", "state"))
    if not os.path.isabs(base):
        raise FileNotFoundError(base)
    folder = os.path.join(base, "neuron-nasm", "defects")
    host_files.make_folders(folder, 0o700)
    found = host_files.stat(folder, links=False)
    private = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not (stat.S_ISDIR(found.st_mode) and private):
        raise PermissionError(folder)
    return folder


def _make_room(folder: str) -> None:
    """Remove the oldest files until one more may be kept."""
    paths = [entry.path for entry in host_files.entries(folder) if entry.name.endswith(".txt")]
    paths.sort(key=lambda path: host_files.stat(path, links=False).st_mtime)
    for path in paths[: max(0, len(paths) - MOST + 1)]:
        host_files.remove(path)
