"""Sources from what a Python program has: a path, or the text itself."""

from __future__ import annotations

import codecs
from contextlib import suppress
from pathlib import Path

from nasm.base import host_files
from nasm.base.files import ANY, Allowed, note
from nasm.base.problems import Failure, Problem, Refused, closest, listed
from nasm.base.records import dataclass
from nasm.base.source import Source

MAGIC = b"\x8enasm\r\n\x1a"
"""The first bytes of an object file; a copy that changes ends of lines changes them, too."""

RECORDING = b"\x8enrec\r\n\x1a"
"""Those of a recording, which holds more than a program."""


@dataclass(frozen=True, slots=True, repr=False)
class ObjectFile:
    """An assembled program as bytes, with the name of its file."""

    name: str
    data: bytes

    def __repr__(self) -> str:
        return f"<object file {self.name}>"


Given = Source | ObjectFile
"""A program as the user has it: its text, or the bytes of an object file."""

Text = str | Path | Source | ObjectFile

LARGEST = 1 << 28
"""Bytes of a program: what has more is a device that never ends, or no program."""

MARK = "\ufeff"
"""The byte-order mark, which some editors put in front of UTF-8 text."""

SOME = 1024
"""Bytes by which an encoding is recognised."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def source_of(text_or_path: Text, files: Allowed = ANY, ending: str = ".nasm") -> Source:
    """A Source of a path, or of a text (anything with a newline is a text).

    ``ending`` is what the names of such files end with.
    """
    given = program_of(text_or_path, files, ending)
    if isinstance(given, Source):
        return given
    message = f"{given.name} is an object file; wanted a text"
    raise Failure(Problem("E0801", message, None, f"its text: neuron-nasm dis {given.name}"))


def program_of(text_or_path: Text, files: Allowed = ANY, ending: str = ".nasm") -> Given:
    """The same, or an object file, which is recognised by its first bytes."""
    if isinstance(text_or_path, Source | ObjectFile):
        return text_or_path
    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return Source("<text>", text_or_path.removeprefix(MARK))
    if not isinstance(text_or_path, str | Path):  # a number would be a descriptor
        kind = type(text_or_path).__name__  # type: ignore[unreachable]
        raise TypeError(f"a program is a text (str) or a path, not {kind}")
    return given_as(bytes_of(str(text_or_path), files, ending), str(text_or_path))


def bytes_of(path: str, files: Allowed = ANY, ending: str = "") -> bytes:
    """What a file holds, or the beginning of one that is too large; raises Failure."""
    note(path)
    try:
        with host_files.opened(path) if files.folder is None else files.opened("", path) as stream:
            return stream.read(LARGEST + 1)
    except Refused as refused:
        raise Failure(refused.at(None)) from None
    except OSError as problem:
        message = f"cannot read {path}: {problem.strerror or problem}"
        hint = _meant(Path(path), ending) if files.folder is None and ending else ""
        raise Failure(Problem("E0801", message, None, hint)) from None
    except ValueError:  # a null character in a path
        raise Failure(Problem("E0801", f"no file {path}")) from None


def given_as(read: bytes, name: str) -> Given:
    """What bytes are: an object file, or a text; raises Failure."""
    if read.startswith(MAGIC) and len(read) <= LARGEST:
        return ObjectFile(name, read)
    if read.startswith(RECORDING):
        hint = f"continue from where it is: neuron-nasm repl --replay {name}"
        raise Failure(Problem("E0801", f"{name} is a recording of a run", None, hint))
    return Source(name, decoded(read, name))


def decoded(read: bytes, name: str) -> str:
    """The text that bytes are, with a newline at the end of every line; raises Failure.

    A byte-order mark at its start is no part of it.
    """
    if len(read) > LARGEST:
        message = f"{name} has more than {LARGEST:,} bytes: it is no program"
        raise Failure(Problem("E0801", message))
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    guess = _encoding(read)
    if guess:
        message = f"{name} is {guess}; wanted UTF-8 text"
        raise Failure(Problem("E0801", message, None, "save it as UTF-8"))
    if text is None:
        raise Failure(Problem("E0801", f"{name} is not UTF-8 text"))
    return text.removeprefix(MARK).replace("\r\n", "\n").replace("\r", "\n")


def _encoding(read: bytes) -> str:
    """Another encoding that bytes seem to have, or an empty string."""
    some = read[:SOME]
    for start, what in _MARKS:
        if some.startswith(start):
            return what
    # Half of the bytes of English in UTF-16 are 0; a text in UTF-8 has none.
    return "UTF-16" if some.count(0) * 4 > len(some) else ""


def _meant(path: Path, ending: str) -> str:
    """A hint for the name of a file that does not exist: similar ones in its folder."""
    with suppress(OSError):
        found = (Path(entry.name) for entry in host_files.entries(path.parent))
        beside = [file.stem for file in found if file.suffix == ending]
        if not path.exists():
            near = [path.stem] if path.stem in beside else closest(path.stem, beside)
            names = [f"'{stem}{ending}'" for stem in near]
            return f"did you mean {listed(names)}?" if names else ""
    return ""
