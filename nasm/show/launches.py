"""One trace of several kernels: each where its launch has got to, with a slice for it on top."""

from __future__ import annotations

from typing import IO

from nasm.runs.execution import Execution
from nasm.show.trace import TraceStream, about
from nasm.show.trace_file import TraceFile, text

KERNELS = 1
"""Where the thread of launches is in the order of those of core 0: on top."""

ADDED = "launch and exit"


class LaunchesTrace:
    """Writes the trace of launches that come one after the other, all of them to one file.

    Times are the device's: what launch and exit of a kernel take is drawn before its run.
    """

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._file: TraceFile | None = None
        self._stream: TraceStream | None = None
        self._name, self._at, self._count = "", 0, 0

    def begin(self, session: Execution, name: str, begin: float, added: float) -> None:
        """Trace a session that has not started; its launch begins then, in microseconds."""
        if self._file is None:
            self._file = TraceFile(self._out, False, about(session) | {"program": "a model"})
        start, self._at = round(begin * 1000), round((begin + added) * 1000)
        self._slice(ADDED, start, self._at)
        self._name, self._count = name, self._count + 1
        self._stream = TraceStream(session, self._file, self._at, self._count)

    def end(self, microseconds: float) -> None:
        """The session is over, after so many microseconds of its own."""
        if self._stream is not None:
            self._stream.end()
            self._slice(self._name, self._at, self._at + round(microseconds * 1000))
            self._stream = None

    def close(self) -> None:
        """Write the end of it; raises OSError."""
        if self._file is not None:
            self._file.close()

    def _slice(self, name: str, start: int, end: int) -> None:
        assert self._file is not None
        place = self._file.thread(0, "kernels", KERNELS)
        self._file.parts.append(
            f',\n{{"ph":"X",{place},"ts":{start / 1000},"dur":{(end - start) / 1000},'
            f'"name":{text(name)}}}'
        )
