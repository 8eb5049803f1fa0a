"""Values of inputs with which a run has what some way through a program has.

A way says within which bounds the numbers are that were loaded. Some of these are tried, in runs
with values: what such a run reports is so. There is no solver: what registers hold is mostly an
input plus a number, of which the bounds of a way are exact, and each answer has to be run anyway.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from nasm.analysis.hazards.ordering import Ordering
from nasm.base.problems import Failure
from nasm.isa.ranges import Bounds
from nasm.machine.tensor_io import first_values
from nasm.program.program import Program
from nasm.runs.check.contents import Element
from nasm.runs.check.may_race import race_between, same
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings

MOST_RUNS = 48
"""Runs with values, in all."""

EACH = 16
"""Runs for one way."""

MOST_BYTES, MOST_INSTRUCTIONS = 1 << 26, 20_000
"""Of the tensors of a program, and of a way: for what is larger no values are searched."""

Values = dict[Element, int]


class InputSearch:
    """Tries values, each of them once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.runs = 0
        self._found: dict[frozenset[tuple[Element, int]], set[Hashable]] = {}
        self._inputs: dict[str, Any] | None = None
        size = sum(t.bytes * max(1, t.partitions) for t in program.tensors.values())
        self._small = size <= MOST_BYTES

    def find(self, what: Hashable, elements: Mapping[Element, Bounds], most: int) -> Values | None:
        """Values for elements of inputs with which a run has an error; None if none was found.

        A run of ``most`` instructions suffices.
        """
        if not self._small or most > MOST_INSTRUCTIONS:
            return None
        ours = {e: b for e, b in elements.items() if e.tensor.role in ("input", "inout")}
        for values in itertools.islice(_assignments(ours), EACH):
            key = frozenset(values.items())
            if key not in self._found:
                if self.runs >= MOST_RUNS:
                    return None
                self.runs += 1
                self._found[key] = self._errors(values, 4 * most + 1_000)
            if what in self._found[key]:
                return values
        return None

    def _errors(self, values: Values, most: int) -> set[Hashable]:
        """What a run with these values has."""
        inputs = dict(self._given())
        for element, value in values.items():
            name, number = element.tensor.name, element.number
            array = inputs[name] = inputs[name].copy()
            raw = array.reshape(-1)
            bits = np.array([value & 0xFFFF_FFFF], np.uint32).view(np.uint8)[: raw.itemsize]
            raw.view(np.uint8)[number * raw.itemsize :][: raw.itemsize] = bits
        try:
            session = Execution(self.program, inputs, settings=RunSettings())
            report = session.run(max_instructions=most, hashes=False)
        except Failure:
            return set()
        found = {same(problem) for problem in (*report.hazards, *report.problems)}
        return found | set(_races(self.program, session.ordering))

    def _given(self) -> dict[str, Any]:
        """Every input: as the program fills it, or zeros."""
        if self._inputs is None:
            self._inputs = {}
            for name, tensor in self.program.tensors.items():
                if tensor.role in ("input", "inout"):
                    try:
                        held = first_values(tensor, self.program.files)
                    except Failure:  # a file that is missing
                        held = None
                    self._inputs[name] = (
                        np.zeros(tensor.shape, tensor.dtype.numpy) if held is None else held
                    )
        return self._inputs


def _races(program: Program, ordering: Ordering | None) -> Iterator[Hashable]:
    if ordering is None:
        return
    check = ordering.judged()
    for race in check.races:
        sides = []
        for one in (race.first, race.second):
            pc = check.watch.pcs[one.queue][one.index]
            span = program.span(one.queue, pc)
            line = None if span is None else span.excerpt()[0]
            sides.append((program.queue_name(one.queue), line, pc, one.moves))
        yield race_between(*sides)


def _assignments(elements: Mapping[Element, Bounds]) -> Iterator[Values]:
    """Values for some elements: first the program's own, then those nearest to 0 or to a bound."""
    if not elements or all(element.tensor.init is not None for element in elements):
        yield {}
    names = list(elements)
    choices = [_some(elements[name]) for name in names]
    most = max(map(len, choices), default=0)
    for far in range(most * len(names)):
        for picked in _summing(far, [len(one) for one in choices]):
            yield {n: c[at] for n, c, at in zip(names, choices, picked, strict=True)}


def _summing(total: int, sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """All choices of one number below each size that add up to a total."""
    if not sizes:
        if not total:
            yield ()
        return
    for first in range(min(total, sizes[0] - 1) + 1):
        for rest in _summing(total - first, sizes[1:]):
            yield first, *rest


def _some(bounds: Bounds) -> list[int]:
    low, high, holes = bounds
    near = min(max(0, low), high)
    found = [near, low, high, *(near + n for n in range(1, 6)), near - 1, (low + high) // 2]
    legal = [n for n in found if low <= n <= high and n not in holes]
    plain = [n for n in legal if abs(n) < 1 << 20]
    return list(dict.fromkeys([*plain, *legal]))
