"""What the history of a core decides: the power of its array, tables, quadrants, the shared bus.

Each belongs to one core, and the cost of an instruction names it (``Cost.pace``). Costs of
generations that lack the figures of a pace name it nowhere.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from nasm.isa.generation import Generation
from nasm.isa.pace import Pace, Shift


class Power(Pace):
    """The array of Tensor: at half its rate after a pause, until it has been at work for a while.

    When a matmul starts, a sliding window of the last ticks is looked at. If the array was busy for
    less than a share of it, a new slow time begins, as long as the window; what starts in a
    slow time takes ``key`` cycles longer. Tiles of the array that run side by side count once.
    ``_spans`` are the spans in which it was busy and that the window may reach, oldest first: no
    two of them touch, and only the last may go beyond now.
    """

    without = "no slow start"
    figures = ("ramp_ns", "ramp_share")

    def __init__(self, generation: Generation) -> None:
        self._cycle = generation.engine("tensor").cycle
        self._window = _ticks(generation, _number(generation, "ramp_ns"))
        self._least = self._window * _number(generation, "ramp_share")
        self._slow_until = 0
        self._spans: deque[tuple[int, int]] = deque()
        self._total = 0

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """A matmul starts: at which rate, and that the array is busy with it."""
        assert isinstance(key, int)
        if now >= self._slow_until and self._busy(now) < self._least:
            self._slow_until = now + self._window
        if now < self._slow_until:
            interval += key * self._cycle
            latency += key * self._cycle
        self._add(now, now + interval)
        return interval, latency

    def _busy(self, now: int) -> int:
        """For how many ticks of the window that ends now the array was busy."""
        spans, begin = self._spans, now - self._window
        while spans and spans[0][1] <= begin:
            first, last = spans.popleft()
            self._total -= last - first
        if not spans:
            return 0
        return self._total - max(0, begin - spans[0][0]) - max(0, spans[-1][1] - now)

    def _add(self, start: int, end: int) -> None:
        """The array is busy from one tick to another; starts come in order."""
        if self._spans and start <= self._spans[-1][1]:
            first, last = self._spans.pop()
            self._total -= last - first
            start, end = first, max(last, end)
        self._spans.append((start, end))
        self._total += end - start

    def pass_over(self, shift: Shift) -> None:
        """Show the slow time, and when the array was busy in the window that ends now."""
        begin = shift.now - self._window
        self._busy(shift.now)
        spans = [(max(begin, start), end) for start, end in self._spans]
        shift.same(len(spans))
        self._slow_until = shift.tick(self._slow_until)
        self._spans = deque((shift.moving(start), shift.moving(end)) for start, end in spans)
        self._total = sum(end - start for start, end in self._spans)

    def save(self) -> Any:
        """The slow time, and when the array was busy."""
        return self._slow_until, self._total, tuple(self._spans)

    def restore(self, saved: Any) -> None:
        """As it was."""
        self._slow_until, self._total, spans = saved
        self._spans = deque(spans)


class Tables(Pace):
    """The table of activation functions that Scalar has loaded; ``key`` is what one needs.

    What is first asked for is there already: the entry of a kernel loads it.
    """

    label = "ACT_TABLE_LOAD"
    without = "no table loads"
    figures = ("table_load_ns",)

    def __init__(self, generation: Generation) -> None:
        self._load = _cycles(generation, "scalar", _number(generation, "table_load_ns"))
        self._loaded: Hashable = None

    def ahead(self, key: Hashable) -> int:
        """The ticks of loading a table, if another is loaded."""
        before, self._loaded = self._loaded, key
        return 0 if before in (None, key) else self._load

    def pass_over(self, shift: Shift) -> None:
        """Show the table."""
        shift.same(self._loaded)

    def save(self) -> Any:
        """The table."""
        return self._loaded

    def restore(self, saved: Any) -> None:
        """As it was."""
        self._loaded = saved


class Quadrants(Pace):
    """Between which quadrants Vector transposed last; ``key`` says between which it does now.

    Another pair than the last takes more time, which overlaps the way to the results.
    """

    without = "no changes of quadrants"
    figures = ("transpose_change",)

    def __init__(self, generation: Generation) -> None:
        cycle = generation.engine("vector").cycle
        self._change = math.ceil(_number(generation, "transpose_change")) * cycle
        self._last: Hashable = None

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """A transpose starts."""
        if key != self._last:
            self._last, interval = key, interval + self._change
        return interval, max(interval, latency)

    def pass_over(self, shift: Shift) -> None:
        """Show the quadrants."""
        shift.same(self._last)

    def save(self) -> Any:
        """The quadrants."""
        return self._last

    def restore(self, saved: Any) -> None:
        """As it was."""
        self._last = saved


class Bus(Pace):
    """The bus that Vector's fast modes share with GpSimd: taken while GpSimd is at work in SBUF.

    GpSimd's instructions have no ``key``; that of Vector's is by how many cycles they are slower at
    the plain rate, at which they run if the bus is taken when they start.
    """

    without = "no shared bus"

    def __init__(self, generation: Generation) -> None:
        self._cycle = generation.engine("vector").cycle
        self._taken_until = 0

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """An instruction of either engine starts."""
        if key is None:
            self._taken_until = max(self._taken_until, now + interval)
        elif now < self._taken_until:
            assert isinstance(key, int)
            interval += key * self._cycle
            latency += key * self._cycle
        return interval, latency

    def pass_over(self, shift: Shift) -> None:
        """Show until when it is taken."""
        self._taken_until = shift.tick(self._taken_until)

    def save(self) -> Any:
        """Until when it is taken."""
        return self._taken_until

    def restore(self, saved: Any) -> None:
        """As it was."""
        self._taken_until = saved


POWER, TABLES, QUADRANTS, BUS = "power", "tables", "quadrants", "bus"
PACES: Mapping[str, Callable[[Generation], Pace]] = {
    POWER: Power,
    TABLES: Tables,
    QUADRANTS: Quadrants,
    BUS: Bus,
}
"""What paces a core, by the names that costs call it."""


def _number(generation: Generation, name: str) -> float:
    """A figure; 0 where a generation lacks it, and no cost names what it is for."""
    fact = generation.numbers.get(name)
    return 0 if fact is None else fact.value


def _ticks(generation: Generation, nanoseconds: float) -> int:
    return math.ceil(round(nanoseconds * generation.ticks / 1000, 6))


def _cycles(generation: Generation, engine: str, nanoseconds: float) -> int:
    """The ticks of whole cycles of an engine."""
    cycle = generation.engine(engine).cycle
    return -(-_ticks(generation, nanoseconds) // cycle) * cycle
