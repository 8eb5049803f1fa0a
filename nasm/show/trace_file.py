"""The file of a trace: JSON of the Trace Event Format in pieces, gzipped if that is asked for.

Events are texts that are joined by the thousand. Every thread is named when it is first used; the
position of an event in the file means nothing to its readers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import IO, Any

LEVEL = 1
"""Of compression: the higher ones take longer than the run itself, for a few per cent."""

GZIP = zlib.MAX_WBITS + 16
"""What makes zlib write a gzip file, without a name or a time: the same trace is the same bytes."""

END = "\n]"

NEVER = 1 << 62
"""A tick that no run reaches."""

WAITS = 999
"""Where stalls are in the order of a queue's threads: after its instructions."""


class TraceFile:
    """A trace that is being written: ``parts`` are events that have yet to be.

    ``broken`` is why no more of it can be written: from then on nothing is.
    """

    def __init__(self, out: IO[bytes], zipped: bool, about: Mapping[str, Any]) -> None:
        self._zip = zlib.compressobj(LEVEL, wbits=GZIP) if zipped else None
        self._out = out
        self._places: dict[tuple[int, str, int], str] = {}
        self.broken: OSError | None = None
        head = f'{{"displayTimeUnit":"ns","otherData":{text(about)},"traceEvents":[\n'
        self.parts = [head + _named("process_name", 0, 0, "core 0")]
        self._processes = {0}

    def process(self, core: int) -> str:
        """A core, as its events name it."""
        if core not in self._processes:
            self._processes.add(core)
            self.parts.append(",\n" + _named("process_name", core, 0, f"core {core}"))
        return f'"pid":{core + 1}'

    def thread(self, core: int, name: str, order: int) -> str:
        """A thread of a core, as its events name it; the least ``order`` comes first."""
        known = self._places.get((core, name, order))
        if known is not None:
            return known
        number = len(self._places) + 1  # of its own: viewers take those of all processes together
        place = self._places[core, name, order] = f'{self.process(core)},"tid":{number}'
        self.parts.append(
            f",\n{_named('thread_name', core, number, name)},\n"
            f'{{"ph":"M",{place},"name":"thread_sort_index","args":{{"sort_index":{order}}}}}'
        )
        return place

    def flush(self) -> None:
        """Write what is kept."""
        data = "".join(self.parts).encode("ascii")
        self.parts.clear()
        self._write(data if self._zip is None else self._zip.compress(data))

    def _write(self, data: bytes) -> None:
        if self.broken is None:
            try:
                self._out.write(data)
            except OSError as problem:
                self.broken = problem

    def close(self, more: Mapping[str, Any] = {}) -> None:
        """Write the end of it, with ``more`` of the run as a whole.

        Raises OSError if it could not be written as a whole.
        """
        self.parts += [END, *(f",\n{text(name)}:{text(value)}" for name, value in more.items())]
        self.parts.append("}\n")
        self.flush()
        if self._zip is not None:
            self._write(self._zip.flush())
        if self.broken is not None:
            raise self.broken


def text(value: object) -> str:
    """A value in JSON, without blanks."""
    return json.dumps(value, separators=(",", ":"))


def _named(kind: str, core: int, thread: int, name: str) -> str:
    place = f'"pid":{core + 1},"tid":{thread}'
    return f'{{"ph":"M",{place},"name":"{kind}","args":{{"name":{text(name)}}}}}'


class SliceLanes:
    """The threads of an engine, a ring or a channel: a slice takes the first that is free.

    ``heads`` are the beginnings of their slices, ``ends`` when their last ones end.
    """

    __slots__ = ("_file", "core", "ends", "heads", "name", "order", "places")

    def __init__(self, file: TraceFile, core: int, name: str, order: int) -> None:
        self._file, self.core, self.name, self.order = file, core, name, order
        self.places: list[str] = []
        self.heads: list[str] = []
        self.ends: list[int] = []

    def take(self, start: int, end: int = NEVER) -> int:
        """The thread of a slice that begins at a tick; until it ends, no other slice gets it."""
        ends = self.ends
        for lane, before in enumerate(ends):
            if before <= start:
                ends[lane] = end
                return lane
        ends.append(end)
        lane = len(ends) - 1
        name = f"{self.name} ({lane + 1})" if lane else self.name
        place = self._file.thread(self.core, name, self.order + min(lane, WAITS - 1))
        self.places.append(place)
        self.heads.append(f',\n{{"ph":"X",{place},"ts":')
        return lane
