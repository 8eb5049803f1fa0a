"""Array files, .npy and .npz: how a program names them, and their one reader."""

from __future__ import annotations

import zlib
from typing import IO
from zipfile import BadZipFile

import numpy as np

from nasm.dtypes import Array
from nasm.problems import Refused, did_you_mean

UNREADABLE = "E0801"
SPELLING = 'write "file.npy", or "file.npz:key"'
_NPY, _ZIP = b"\x93NUMPY", b"PK"


def file_and_key(text: str) -> tuple[str, str] | None:
    """A file and the key in it, which .npz has and .npy has not; None for any other text."""
    if text.endswith(".npy"):
        return text, ""
    file, _, key = text.rpartition(":")
    return (file, key) if file.endswith(".npz") and key else None


def read_array(path: str, key: str = "") -> Array:
    """An array of a .npy file, or of a .npz file by key; refuses what is not one."""
    try:
        with open(path, "rb") as stream:
            return _read(stream, path, key)
    except FileNotFoundError:
        raise Refused(UNREADABLE, f"no file {path}") from None
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from None
    except (ValueError, EOFError, RuntimeError, BadZipFile, zlib.error) as problem:
        # What NumPy says of pickles is how to load them all the same.
        reason = "it holds Python objects" if "pickle" in str(problem) else str(problem)
        raise _unreadable(path, reason) from None


def _read(stream: IO[bytes], path: str, key: str) -> Array:
    start = stream.read(len(_NPY))
    if not start.startswith((_NPY, _ZIP)):
        raise _unreadable(path, "it is neither .npy nor .npz")
    stream.seek(0)
    loaded = np.load(stream, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return loaded
    with loaded:
        holds = f"it holds {', '.join(loaded.files)}" if loaded.files else "it holds none"
        if not key:
            said = f"{path} is an archive of arrays; wanted one of them"
            raise Refused(UNREADABLE, said, f"write {path}:KEY; {holds}")
        if key not in loaded.files:
            hint = did_you_mean(key, loaded.files) or holds
            raise Refused(UNREADABLE, f"{path} has no array '{key}'", hint)
        found = loaded[key]
        if not isinstance(found, np.ndarray):  # the bytes of a member that is no .npy
            raise _unreadable(path, f"its member {key} is no array")
        return found


def _unreadable(path: str, reason: str) -> Refused:
    return Refused(UNREADABLE, f"{path} is not a readable array file: {reason}")
