"""The front end of a pushed thread against a model that goes cycle by cycle, and by hand."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

import pytest

from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.front.feeding import FrontEnd, Ingested
from tests.parts import part

Line = tuple[bool, tuple[int, ...]]
"""Whether it is a template, and for each word that leaves the MOP expander how many are played."""


class Lines:
    """Lines that are given."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def is_template(self, pc: int) -> bool:
        return self.lines[pc][0]

    def ingest(self, number: int, pc: int) -> Ingested:
        return Ingested(number, pc, None, self.lines[pc][1], self.lines[pc][0])


class Model:
    """Three FIFOs and two expanders, each of which does at most one thing a cycle."""

    def __init__(self, lines: list[Line], depth: int) -> None:
        self.lines, self.depth = lines, depth
        self.pushed: deque[tuple[int, int]] = deque()
        self.count = 0
        self.left: deque[int] = deque()
        self.was_template = False
        self.ended = -2
        self.between: deque[int] = deque()
        self.playing = 0
        self.gate: deque[int] = deque()
        self.acted: set[str] = set()

    def begin(self) -> None:
        self.acted.clear()

    def stages(self, cycle: int) -> None:
        """Whatever can still happen in a cycle."""
        while self._replay(cycle) or self._expander(cycle):
            pass

    def _replay(self, cycle: int) -> bool:
        if "replay" in self.acted:
            return False
        if not self.playing:
            if not self.between:
                return False
            if self.between[0] and len(self.gate) == 2:
                return False
            self.playing = self.between.popleft()
            if not self.playing:
                self.acted.add("replay")
                return True
        if len(self.gate) == 2:
            return False
        self.playing -= 1
        self.gate.append(cycle)
        self.acted.add("replay")
        return True

    def _expander(self, cycle: int) -> bool:
        if "expander" in self.acted or len(self.between) == 8:
            return False
        if not self.left:
            if not self.pushed or self.pushed[0][0] >= cycle:
                return False
            template, counts = self.lines[self.pushed[0][1]]
            if self.was_template and not template and cycle < self.ended + 2:
                return False
            self.pushed.popleft()
            self.was_template, self.left = template, deque(counts)
            self.ended = cycle
            if not counts:
                self.acted.add("expander")
                return True
        self.ended = cycle
        self.between.append(self.left.popleft())
        self.acted.add("expander")
        return True


def drawn(draw: random.Random) -> Line:
    kind = draw.random()
    if kind < 0.2:
        return True, tuple(draw.choice((0, 1, 1, 1, 5)) for _ in range(draw.randrange(30)))
    if kind < 0.3:
        return False, ()
    return False, (draw.choice((0, 1, 1, 1, 1, 9)),)


@pytest.mark.parametrize("seed", part(range(60), 12))
def test_every_word_reaches_the_gate_when_a_model_of_fifos_says(seed: int) -> None:
    draw = random.Random(seed)
    lines = [drawn(draw) for _ in range(80)]
    thread, takes = draw.randrange(3), draw.choice((0.1, 0.5, 0.9, 1.0))
    front, model, source = FrontEnd(), Model(lines, (32, 16, 16)[thread]), Lines(lines)
    next_line, seen = 0, 0
    for cycle in range(1_500):
        model.begin()
        model.stages(cycle)
        front.advance(cycle, source)
        assert front.at_gate(cycle) == bool(model.gate), (seed, cycle)
        if model.gate and draw.random() < takes:
            model.gate.popleft()
            front.passed(cycle)
            seen += 1
            model.stages(cycle)
            front.advance(cycle, source)
        assert (front.waiting(False) >= model.depth) == (len(model.pushed) >= model.depth), (
            seed,
            cycle,
        )
        if next_line < len(lines) and front.waiting(False) < model.depth and draw.random() < 0.9:
            model.pushed.append((cycle, next_line))
            front.push(cycle, next_line)
            next_line += 1
    assert takes < 0.5 or front.empty
    assert not front.empty or seen == sum(sum(counts) for _, counts in lines)


def pushed(lines: list[Line], cycles: int, takes: Callable[[int], bool]) -> list[int]:
    """When each word passes the gate, of lines of which one is pushed each cycle."""
    front, source, found = FrontEnd(), Lines(lines), []
    for cycle in range(cycles):
        front.advance(cycle, source)
        if front.at_gate(cycle) and takes(cycle):
            front.passed(cycle)
            found.append(cycle)
            front.advance(cycle, source)
        if cycle < len(lines):
            front.push(cycle, cycle)
    return found


def test_a_word_passes_the_gate_in_the_cycle_after_its_push() -> None:
    assert pushed([(False, (1,))] * 3, 9, lambda cycle: True) == [1, 2, 3]


def test_the_expander_loses_a_cycle_after_a_template() -> None:
    # 4 words of a template, a cycle without one, the next: by the page of the MOP expander.
    lines = [(True, (1, 1, 1, 1)), (False, (1,)), (False, (1,))]
    assert pushed(lines, 20, lambda cycle: True) == [1, 2, 3, 4, 6, 7]


def test_no_cycle_is_lost_where_the_expander_is_ahead_of_the_gate() -> None:
    lines = [(True, (1, 1, 1, 1)), (False, (1,))]
    assert pushed(lines, 30, lambda cycle: cycle >= 10) == [10, 11, 12, 13, 14]


def test_a_replay_in_a_template_hides_the_lost_cycle() -> None:
    # By the same page: if what is expanded has a replay of two or more, the backend loses nothing.
    lines = [(True, (1, 2)), (False, (1,)), (False, (1,))]
    assert pushed(lines, 20, lambda cycle: True) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("thread", "most"), [(0, 42), (1, 26), (2, 26)])
def test_fifos_hold_32_or_16_and_8_and_2_words(thread: int, most: int) -> None:
    lines: list[Line] = [(False, (1,))] * 60
    front, source, count = FrontEnd(), Lines(lines), 0
    for cycle in range(200):
        front.advance(cycle, source)
        if front.waiting(False) < WORMHOLE.cores.depths[thread]:
            front.push(cycle, count)
            count += 1
    assert count == most
    assert (len(front.words), len(front.arrived)) == (8, 2)
