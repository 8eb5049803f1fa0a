"""Calls of the command in this process, in a folder of their own, with one fault in each.

Everything nasm asks of the file system goes through the seam of :mod:`nasm.base.host_files`; the
standard streams are files opened there, too. A clean call counts the calls of the system; a faulty
one is the same with something else at one of them.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from nasm.apps.cli import main
from nasm.base import host_files, signals
from tests.faults.calls import Call

T = TypeVar("T")

ENDS = (0, 1, 2)
"""Exit codes of a call that nothing interrupts: no defect among them."""

ERRORS = {
    "open": (errno.EACCES, errno.EMFILE, errno.ENOENT),
    "write": (errno.ENOSPC, errno.EIO),
    "fsync": (errno.EIO, errno.ENOSPC),
    "close": (errno.ENOSPC,),
    "stat": (errno.EACCES, errno.ENOENT),
    "rename": (errno.EACCES, errno.ENOSPC),
}
"""What each call may fail with; EIO where nothing is said. Python itself repeats after EINTR."""

TELLING = (".sarif", "t.json")
"""Files that are written of what failed as well."""

HARMLESS = ("out", "err")
"""Names of the files of the standard streams."""


class Counting:
    """A seam that keeps what was asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def __call__(self, what: str, path: object, do: Callable[[], T]) -> T:
        self.calls.append((what, str(path)))
        self.at(len(self.calls) - 1, path)
        return do()

    def at(self, number: int, path: object) -> None:
        """What happens at a call, before it is done."""


class Failing(Counting):
    """A seam that lets one call fail."""

    def __init__(self, number: int, error: int) -> None:
        super().__init__()
        self.number, self.error = number, error

    def at(self, number: int, path: object) -> None:
        if number == self.number:
            raise OSError(self.error, os.strerror(self.error), path)


class Signalling(Counting):
    """A seam that delivers a signal at one call."""

    def __init__(self, number: int, signal_number: int) -> None:
        super().__init__()
        self.number, self.signal_number = number, signal_number

    def at(self, number: int, path: object) -> None:
        if number == self.number:
            signal.raise_signal(self.signal_number)


@dataclass(frozen=True)
class Ended:
    """How a call ended: its exit code, what it said, and the files of its folder."""

    code: int
    out: str
    err: str
    files: Mapping[str, bytes]
    calls: tuple[tuple[str, str], ...]


@dataclass
class Bench:
    """Where a call is made again and again; what it begins with is laid out each time.

    That is on another ``disk`` than all else if there is one.
    """

    call: Call
    folder: Path
    disk: Path | None = None
    before: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.folder / "home"
        self.place = (self.disk or self.folder) / "place"
        self.call.lay_out(self.fresh())
        self.before = self.contents()

    def fresh(self) -> Path:
        """An empty folder for the call."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        return self.place

    def contents(self) -> dict[str, bytes]:
        """Every file in the folder of the call."""
        return {
            str(path.relative_to(self.place)): path.read_bytes()
            for path in sorted(self.place.rglob("*"))
            if path.is_file()
        }

    def made(self, seam: host_files.Seam, around: contextlib.AbstractContextManager[object]) -> int:
        """The exit code of the call."""
        place = self.fresh()
        for name, data in self.before.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        shutil.rmtree(self.home, ignore_errors=True)
        with _streams(self.folder), _within(place, self.home), host_files.through(seam), around:
            try:
                return main(self.call.words)
            except SystemExit as leaving:
                return leaving.code if isinstance(leaving.code, int) else 1

    def ended(
        self,
        seam: Counting | None = None,
        around: contextlib.AbstractContextManager[object] | None = None,
    ) -> Ended:
        """The call with a seam."""
        seam = seam or Counting()
        code = self.made(seam, around or contextlib.nullcontext())
        out, err = (
            (self.folder / name).read_text(encoding="utf-8", errors="replace") for name in HARMLESS
        )
        return Ended(code, out, err, self.contents(), tuple(seam.calls))

    @functools.cached_property
    def clean(self) -> Ended:
        """The call without a fault, the second time: caches are warm."""
        self.ended()
        return self.ended()

    # -- what must hold

    def whole(self, ended: Ended, may_stay: bool = False) -> None:
        """Every file is as it was, or as a clean call leaves it, and there is no other."""
        known = self.before.keys() | self.clean.files.keys()
        strays = ended.files.keys() - known
        assert may_stay or not strays, f"stray files: {sorted(strays)}"
        for name in known:
            data = ended.files.get(name)
            allowed = (self.before.get(name), self.clean.files.get(name))
            if name in self.call.growing or data in allowed:
                continue
            assert name.endswith(TELLING), f"{name} is neither old nor new"
            json.loads(data or b"")  # of a run that failed it says other things, and is whole

    def answered(self, ended: Ended, codes: tuple[int, ...] = ENDS, spoken: bool = True) -> None:
        """It ended with a code of ours, without a traceback, and with its document."""
        assert ended.code in codes, f"exit code {ended.code}\n{ended.out}\n{ended.err}"
        assert "Traceback" not in ended.out + ended.err, ended.err
        if not spoken:
            return
        if "--json" in self.call.words:
            assert json.loads(ended.out)["exit_code"] == ended.code
        if ended.code == 0:
            for name, data in self.clean.files.items():
                same = ended.files.get(name) == data or name.endswith(TELLING)
                assert same, f"it says that all is well, and {name} is another"
        elif ended.code != self.clean.code:
            assert ended.out + ended.err, "it says nothing"


@contextlib.contextmanager
def _streams(folder: Path) -> Iterator[None]:
    """Standard output and errors in files that are opened as all others are."""
    kept = sys.stdin, sys.stdout, sys.stderr
    numbers = [os.dup(number) for number in (1, 2)]
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    sys.stdout, sys.stderr = made = [host_files.text(folder / name, "w") for name in HARMLESS]  # type: ignore[assignment]
    for number, stream in enumerate(made, 1):
        os.dup2(stream.fileno(), number)  # /dev/stdout is the same file
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        for stream, number, before in zip(made, (1, 2), numbers, strict=True):
            os.dup2(before, number)
            os.close(before)
            with contextlib.suppress(OSError):
                stream.close()


@contextlib.contextmanager
def _within(place: Path, home: Path) -> Iterator[None]:
    """In a folder, with another for what is kept between calls."""
    names = ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    kept, before = {name: os.environ.get(name) for name in names}, os.getcwd()
    os.environ.update(dict.fromkeys(names, str(home)))
    os.chdir(place)
    echo, signals.ECHO = signals.ECHO, 0.0
    try:
        yield
    finally:
        signals.ECHO = echo
        os.chdir(before)
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
