"""What waits cost: the run again without those that nothing needs, and with second buffers.

Each is a replay in which some instructions do not wait for semaphores, but only for the bytes that
others read and write: see :mod:`nasm.sim.buffers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from nasm.analysis.profile.path import PathStep
from nasm.analysis.profile.what_if import WhatIf
from nasm.base.problems import Refused, listed
from nasm.base.records import replace
from nasm.machine.machine import Machine
from nasm.sim.buffers import Reused, SecondBuffer
from nasm.sim.conflicts import Tie
from nasm.sim.history import History
from nasm.sim.recording import Recording
from nasm.sim.replay import Replay, WaitsLeftOut

NEEDED = "no waits that nothing needs"

TILES = 3
"""So many tiles at most are given a second buffer, one after the other."""

LINES = 6
"""The waits of so many lines at most are looked at one by one."""

WORTH = 100
"""What saves at least this part of the run is listed."""


class FewerWaits:
    """A run that has ended, and what it would be with fewer waits."""

    def __init__(
        self, machine: Machine, history: History, recording: Recording, path: Iterable[PathStep]
    ) -> None:
        self.machine, self.history, self.recording = machine, history, recording
        self.path = tuple(path)
        self.tiles = reusable(machine)
        self.delay = machine.scheduler.delay
        self.reused = Reused(history, recording, self.delay, frozenset(self.tiles))

    def outcomes(self) -> Iterator[WhatIf]:
        """All that save something that is worth a line."""
        try:
            ties = tuple(self.reused.ties())
            waits = frozenset(self.recording.tasks) - last_waits(self.history, self.recording)
            needed = self._without(NEEDED, waits, ties)
            if self._worth(needed.saved):
                lines = list(self._costly(needed, waits, ties))
                yield replace(needed, name=f"{NEEDED}{_of(lines)}")
            yield from (buffer for buffer in self._buffers() if self._worth(buffer.saved))
        except Refused as refused:
            yield WhatIf(NEEDED, None, reason=refused.message)

    def _worth(self, saved: int) -> bool:
        return saved * WORTH >= self.machine.scheduler.now

    def _costly(
        self, needed: WhatIf, waits: frozenset[int], ties: tuple[Tie, ...]
    ) -> Iterator[int]:
        """The lines whose waits alone make the run longer than it need be, longest waits first."""
        program, column = self.machine.program, self.history.column
        names = ("queue", "pc", "nth", "head", "start")
        queues, pcs, nth, heads, starts = (column(name).tolist() for name in names)
        lines: dict[int, list[int]] = {}
        for record in waits:
            _, line = program.line(queues[record], pcs[record])
            if nth[record] >= 0 and line > 0:
                lines.setdefault(line, []).append(record)
        waited = {line: sum(starts[n] - heads[n] for n in its) for line, its in lines.items()}
        for line in sorted(lines, key=lambda line: -waited[line])[:LINES]:
            kept = self._without(NEEDED, waits - frozenset(lines[line]), ties)
            span = program.spans[line]
            if span is not None and self._worth(needed.saved - kept.saved):
                yield span.line

    def _buffers(self) -> Iterator[WhatIf]:
        """With a second buffer for a tile, those that the path has most waits for first."""
        on_path = {step.record for step in self.path}
        often = {area: len(on_path & waits.keys()) for area, waits in self.reused.waits.items()}
        most = sorted((area for area in often if often[area]), key=lambda area: -often[area])
        for area in most[:TILES]:
            second = SecondBuffer(self.history, self.recording, self.delay, area)
            waits = frozenset(self.reused.waits[area])
            yield self._without(f"a second buffer for {self.tiles[area]}", waits, second.ties())

    def _without(self, name: str, waits: frozenset[int], ties: Iterable[Tie]) -> WhatIf:
        """The outcome if some records do not wait, but for their ties."""
        machine = self.machine
        program = machine.program
        paces = {
            pace: program.target.paces[kind](program.generation)
            for of_core in machine.paces.values()
            for kind, pace in of_core.items()
        }
        left_out = WaitsLeftOut(waits, tuple(ties), paces)
        ticks = Replay(self.history, self.recording, machine.scheduler, without=left_out).run()
        return WhatIf(name, ticks, machine.scheduler.now - ticks)


def _of(lines: list[int]) -> str:
    """Where some waits are."""
    if not lines:
        return ""
    where = sorted(set(lines))
    return f": {'lines' if len(where) > 1 else 'line'} {listed(map(str, where), 'and')}"


def last_waits(history: History, recording: Recording) -> frozenset[int]:
    """Records after which their queue touches nothing: what they wait for ends the run."""
    found: set[int] = set()
    busy: set[int] = set()
    for record in reversed(recording.tasks):
        queue, work = history[record].queue, recording.tasks[record].work
        if work.reads or work.writes or (record, queue) in recording.flights:
            busy.add(queue)
        elif queue not in busy:
            found.add(record)
    return frozenset(found)


def reusable(machine: Machine) -> dict[int, str]:
    """The tensors of partitioned memories that share bytes with no other, by area."""
    areas = machine.addresses.areas
    alone = Counter(areas.values())
    return {
        areas[tensor.index]: tensor.name
        for tensor in machine.program.tensors.values()
        if tensor.memory.partitions and alone[areas[tensor.index]] == 1
    }
