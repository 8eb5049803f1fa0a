"""What a fuzzer finds, and the watch that is kept over each input."""

from __future__ import annotations

import hashlib
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

KINDS = (
    "exception",  # one that is not ours, or a defect that nasm reports itself
    "hang",
    "memory",
    "warning",  # of Python or NumPy
    "name",  # of a program, that is no identifier
    "text",  # control characters where a terminal would see them
    "json",  # a document that is none
    "trace",  # one that no viewer shows as it is
    "profile",  # one whose parts are not all there is
    "hash",  # two results of one program
    "order",  # a race in silence, or one that is said and is none
    "diagnostic",  # without a code, or with a place outside its text
    "crash",  # the process is gone
)


class Found(Exception):
    """Something that must not be. ``what`` is the same for all inputs that show the same thing."""

    def __init__(self, kind: str, what: str, details: str = "") -> None:
        assert kind in KINDS, kind
        self.kind, self.what, self.details = kind, what, details
        super().__init__(kind, what, details)


class Hang(BaseException):
    """Too slow. No ``except Exception`` takes it for something else."""


@dataclass(frozen=True)
class Finding:
    """What was found with one input. Findings with one ``digest`` have one cause, most likely."""

    kind: str
    what: str
    details: str

    @property
    def digest(self) -> str:
        """Short, and the same in every process."""
        return hashlib.sha256(f"{self.kind} {self.what}".encode()).hexdigest()[:10]

    def __str__(self) -> str:
        return f"{self.kind} {self.digest}: {self.what}"


def watched(check: Callable[[bytes], None], data: bytes, seconds: float) -> Finding | None:
    """What a check finds with an input.

    Memory is bounded by who calls: what cannot be had is a MemoryError, and that is a finding.
    """
    try:
        with _limited(seconds), warnings.catch_warnings():
            warnings.simplefilter("error")
            check(data)
    except Found as found:
        return Finding(found.kind, found.what, found.details)
    except Hang as hang:
        return Finding("hang", _place(hang.__traceback__, 4), _told(hang))
    except MemoryError as error:
        return Finding("memory", _place(error.__traceback__), _told(error))
    except Warning as warning:
        what = f"{type(warning).__name__} {_place(warning.__traceback__)}"
        return Finding("warning", what, _told(warning))
    except (Exception, SystemExit) as error:
        return Finding("exception", signature(error), _told(error))
    return None


def signature(error: BaseException) -> str:
    """The type of an error and where it arose: the same whatever the values were."""
    return f"{type(error).__name__} {_place(error.__traceback__)}"


def _place(trace: TracebackType | None, most: int | None = None) -> str:
    """The functions of nasm that were active, those called first in front."""
    frames = [f for f in traceback.extract_tb(trace) if "/nasm/" in f.filename]
    return " > ".join(f"{Path(f.filename).stem}.{f.name}" for f in frames[:most])


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise Hang when the block has used so much CPU time."""

    def strike(*_: Any) -> None:
        raise Hang

    previous = signal.signal(signal.SIGPROF, strike)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
