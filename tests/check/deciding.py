"""Random programs whose branches and addresses an input decides, and all that its values lead to.

Every value that can make a difference is run, with the race check of runs: that is what `check`,
which has none of them, has to have reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import nasm
from nasm.base.problems import Problem
from nasm.debugger.session import Session
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.program.program import Program
from nasm.runs.check import ways
from nasm.runs.check.followed import Followed
from nasm.runs.check.ways import EveryWay, FollowedWay
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from tests.order.truth import Access, Log, Truth

Pair = frozenset[tuple[str, int]]
"""Two accesses that race: each a queue and a line."""

VALUES = range(-1, 5)
"""What each element of the input is run with: numbers in programs are from 0 to 3."""

QUEUES = ("vector", "scalar", "gpsimd", "sync")
COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
WIDTH = 8


class Drawing:
    """Draws the text of a program."""

    def __init__(self, draw: Random) -> None:
        self.draw, self.labels = draw, 0
        self.semaphores = [f"s{n}" for n in range(draw.randint(1, 3))]

    def text(self) -> str:
        """The program."""
        draw = self.draw
        lines = [
            ".target trn2",
            ".hbm N i32[1, 2] input",
            ".hbm H f32[1, 8] inout",
            f".sbuf n i32[1, 2]\n.sem {', '.join((*self.semaphores, 'copied', 'moved'))}",
            *(f".sbuf {name} f32[1, {WIDTH}] = zeros" for name in "tu"),
        ]
        self.indirect = draw.random() < 0.3
        if self.indirect:
            lines.append(".hbm R f32[4, 4] inout\n.sbuf rows f32[2, 4] = zeros\n.sem named")
            lines.append(".sbuf ids i32[2, 1]\n@sync DmaCopy ids, N.reshape(2, 1) $named += 16")
        self.copied = draw.random() < 0.4
        if self.copied:
            lines.append("@sync DmaCopy n, N $copied += 16")
        for queue in draw.sample(QUEUES, draw.choice((2, 2, 3))):
            lines += self._queue(queue)
        return "\n".join(lines) + "\n"

    def _queue(self, queue: str) -> list[str]:
        draw, body = self.draw, [f"@{queue}"]
        self.engine, tensor = queue, "N"
        if self.copied and draw.random() < 0.8:
            body.append("    Nop $copied >= 16")
            tensor = "n"
        for register in range(draw.choice((1, 1, 2))):
            body.append(f"    TensorLoad %r{register}, {tensor}[:, {draw.randint(0, 1)} : +1]")
            if draw.random() < 0.7:
                low, high = sorted((draw.randint(0, 3), draw.randint(0, 3)))
                body.append(f"    RegisterAlu %r{register}, %r{register}, {low}, op=maximum")
                body.append(f"    RegisterAlu %r{register}, %r{register}, {high}, op=minimum")
        if self.indirect and draw.random() < 0.9:
            body.append("    Nop $named >= 16")
        self.known = register + 1
        return body + self._block(draw.randint(1, 3), 2)

    def _block(self, count: int, depth: int) -> list[str]:
        found: list[str] = []
        for _ in range(count):
            kind = self.draw.random()
            if kind < 0.25 and depth:
                found += self._if(depth)
            elif kind < 0.32 and depth == 2:
                found += self._loop()
            elif kind < 0.42:
                found.append(self._computed())
            else:
                found.append(f"    {self._access()}")
        return found

    def _label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def _register(self) -> str:
        return f"%r{self.draw.randrange(self.known)}"

    def _branch(self, label: str) -> str:
        op, number = self.draw.choice(COMPARED), self.draw.randint(0, 3)
        right = self._register() if self.draw.random() < 0.1 else number
        return f"    CompareBranch {self._register()}, {right}, op={op}, target={label}"

    def _if(self, depth: int) -> list[str]:
        over, end = self._label(), self._label()
        found = [self._branch(over), *self._block(self.draw.randint(1, 2), depth - 1)]
        if self.draw.random() < 0.5:
            other = self._block(1, depth - 1)
            return [*found, f"    CompareBranch target={end}", f"{over}:", *other, f"{end}:"]
        return [*found, f"{over}:"]

    def _loop(self) -> list[str]:
        """One of at most three rounds."""
        again, end = self._label(), self._label()
        return [
            "    RegisterMove %r7, 0",
            f"{again}:",
            f"    CompareBranch %r7, {self._register()}, op=greater_equal, target={end}",
            f"    CompareBranch %r7, 3, op=greater_equal, target={end}",
            *self._block(1, 0),
            "    RegisterAlu %r7, %r7, 1, op=add",
            f"    CompareBranch target={again}",
            f"{end}:",
        ]

    def _computed(self) -> str:
        op = self.draw.choice(("add", "subtract", "multiply", "maximum", "bitwise_and", "less"))
        right = self._register() if self.draw.random() < 0.15 else self.draw.randint(0, 3)
        register = self._register()
        return f"    RegisterAlu {register}, {register}, {right}, op={op}"

    def _view(self, tensor: str, length: int) -> str:
        if self.draw.random() < 0.4:
            return f"{tensor}[:, {self._register()} : +{length}]"
        return f"{tensor}[:, {self.draw.randint(0, WIDTH - length)} : +{length}]"

    def _row(self) -> str:
        """A transfer of rows: of those that entries name, if GpSimd makes it."""
        draw = self.draw
        rows, some = "rows", "R.ap([[4, 2], [1, 4]], vector_offset=ids)"
        if self.engine != "gpsimd":
            number = draw.randrange(4)
            rows, some = f"rows[{number % 2} : +1]", f"R[{number} : +1]"
            if draw.random() < 0.3 and self.engine != "vector":
                some = f"R[{self._register()} : +1]"
        pair = (rows, some) if draw.random() < 0.5 else (some, rows)
        skip = ", oob_mode=skip" if self.engine == "gpsimd" and draw.random() < 0.7 else ""
        return f"DmaCopy {', '.join(pair)}{skip}{self._waits(post=False)} $moved += 16"

    def _access(self) -> str:
        draw = self.draw
        if self.indirect and draw.random() < 0.4:
            return self._row()
        one, other = draw.sample("tu", 2)
        length, kind = draw.choice((1, 1, 2)), draw.random()
        if kind < 0.15 or self.engine == "sync":
            if kind < 0.08 or self.engine == "vector":
                return f"Nop{self._waits()}"
            one, other = draw.sample(("t", "u", "H"), 2)
            moved = f"DmaCopy {self._view(one, length)}, {self._view(other, length)}"
            return f"{moved}{self._waits(post=False)} $moved += 16"
        if kind < 0.5 and self.engine != "scalar":
            return f"Memset {self._view(one, length)}, 1.0{self._waits()}"
        copy = f"{self._view(one, length)}, {self._view(other, length)}"
        name, op = ("Activation", ", op=copy") if self.engine == "scalar" else ("TensorCopy", "")
        return f"{name} {copy}{op}{self._waits()}"

    def _waits(self, post: bool = True) -> str:
        draw, found = self.draw, ""
        if draw.random() < 0.1:
            found += f" $moved >= {draw.choice((16, 16, 32))}"
        elif draw.random() < 0.3:
            found += f" ${draw.choice(self.semaphores)} >= {draw.choice((1, 1, 2))}"
        if post and draw.random() < 0.5:
            found += f" ${draw.choice(self.semaphores)}++"
        return found


class Shown(NamedTuple):
    """What a run with some values has: pairs of lines that race, and the codes of its errors.

    ``pairs`` are those that its check has compared, ``races`` all by the definition.
    """

    pairs: frozenset[Pair]
    races: frozenset[Pair]
    codes: frozenset[str]
    finished: bool


def _side(program: Program, queue: int, pc: int) -> tuple[str, int]:
    span = program.span(queue, pc)
    assert span is not None
    return program.queue_name(queue), span.excerpt()[0]


def pairs_of(session: Execution, vague: bool = False) -> set[Pair]:
    """The pairs of lines that race in a run; those that may, if addresses are the same, as well."""
    watch = session.machine.watch
    if watch is None:
        return set()
    check = Check(Sources(session.program), watch, held=True, every=True)
    check.settle()
    return {
        frozenset(
            _side(session.program, one.queue, check.watch.pcs[one.queue][one.index])
            for one in (race.first, race.second)
        )
        for race in (*check.races, *(check.vague_races if vague else ()))
    }


def shown(program: Program, values: tuple[int, int]) -> Shown:
    """What a run with these values has."""
    inputs: dict[str, Any] = {"N": np.array([values], np.int32)}
    for name in {"H", "R"} & program.tensors.keys():
        inputs[name] = np.zeros(program.tensors[name].shape, np.float32)
    session = Session(program, inputs)
    truth_of = Log(session)
    report = session.run(max_instructions=10_000, hashes=False)
    codes = {problem.code for problem in (*report.hazards, *report.problems)}
    finished = report.status.name == "FINISHED"
    pairs = frozenset(pairs_of(session.execution))
    return Shown(pairs, _by_definition(truth_of), frozenset(codes), finished)


def _by_definition(log: Log) -> frozenset[Pair]:
    """All pairs of lines that race in a run."""
    truth = Truth(log)

    def side(access: Access) -> tuple[str, int]:
        return _side(truth.program, access.queue, truth.executed[access.queue][access.index].pc)

    return frozenset(frozenset(map(side, pair)) for pair in truth.races)


def every(program: Program) -> Iterator[Shown]:
    """What runs have, of all values that can make a difference."""
    for values in itertools.product(VALUES, VALUES):
        yield shown(program, values)


class Judged(NamedTuple):
    """What `check` says: pairs in all that it saw, what it reports, and whether of all ways."""

    pairs: set[Pair]
    sure: list[Problem]
    maybe: list[Problem]
    whole: bool
    ways: int

    @property
    def may_race(self) -> dict[Pair, Problem]:
        """The races that it says there may be."""
        return {_lines(p): p for p in self.maybe if p.code == "E0545"}


def _lines(problem: Problem) -> Pair:
    return frozenset((a["engine"], a["line"]) for a in problem.facts["accesses"])


def judged(program: Program) -> Judged:
    """What `check` says of a program."""
    pairs: set[Pair] = set()
    of = FollowedWay.of

    def noted(one: Followed) -> FollowedWay:
        pairs.update(pairs_of(one.session, vague=True))
        return of(one)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways.FollowedWay, "of", noted)
        found = EveryWay(program, RunSettings(values=False), 100_000)
        return Judged(pairs, found.errors(), list(found.maybe()), found.whole, len(found.every))


def differences(program: Program) -> tuple[list[str], dict[str, int]]:
    """What `check` has missed or invented, and how much it said."""
    said, runs = judged(program), list(every(program))
    wrong: list[str] = []
    raced = set().union(*(run.races for run in runs))
    if said.whole:
        compared = set().union(*(run.pairs for run in runs))
        if missed := compared - said.pairs:
            wrong.append(f"missed races: {sorted(map(sorted, missed))}")
        reported = {*(p.code for p in said.sure), *(p.code for p in said.maybe)}
        if raced and not {"E0502", "E0545"} & reported:
            wrong.append("a race in silence")
        for code in set().union(*(run.codes for run in runs)) & {"E0510", "E0513", "E0540"}:
            if code not in reported:
                wrong.append(f"missed {code}")
    finished = [run for run in runs if run.finished]
    if len(finished) == len(runs):
        for problem in said.sure:
            if problem.code == "E0502" and not all(_lines(problem) in r.races for r in runs):
                wrong.append(f"not for every input: {problem.message}")
    maybe = said.may_race
    confirmed = {pair for pair, problem in maybe.items() if "inputs" in problem.facts}
    counts = {
        "programs": 1,
        "not whole": not said.whole,
        "with races": bool(raced),
        "ways": said.ways,
        "may race": len(maybe),
        "of these real": len(maybe.keys() & (raced | confirmed)),
        "with values": len(confirmed),
        "sure": sum(p.code == "E0502" for p in said.sure),
    }
    for pair, problem in maybe.items():
        given = problem.facts.get("inputs")
        if given is not None and pair not in shown(program, _values(given)).races:
            wrong.append(f"values that show no race: {problem.message}")
    return wrong, counts


def _values(given: dict[str, int]) -> tuple[int, int]:
    """The values that a problem gives."""
    return given.get("N[0, 0]", 0), given.get("N[0, 1]", 0)


def drawn(seed: int) -> Any:
    """A program that assembles."""
    return nasm.assemble(Drawing(Random(seed)).text())


class Quiet(Drawing):
    """Draws programs in whose branches little waits, posts or moves."""

    inside = 0

    def _if(self, depth: int) -> list[str]:
        self.inside += 1
        found = super()._if(depth)
        self.inside -= 1
        return found

    def _waits(self, post: bool = True) -> str:
        return "" if self._rare() else super()._waits(post)

    def _access(self) -> str:
        rare = self._rare()
        while True:
            found = super()._access()
            if not rare or "$moved" not in found:
                return found

    def _rare(self) -> bool:
        return self.inside > 0 and self.draw.random() < 0.95


OUTSIDE = {"E0506", "E0508"}
"""Addresses that are out of bounds with some values: no way is said to have that."""

APART = {"E0502", "E0531", "E0532", "E0533"}
"""Races, which are judged as pairs, and what nothing waits for."""


def joined_differences(program: Program) -> list[str]:
    """What some values lead to of a program of which nothing is found on its joined ways."""
    ways = EveryWay(program, RunSettings(values=False), 100_000, tried=False)
    if ways.joined() is None:
        return []
    wrong = [f"found on a way: {one.errors}" for one in ways.every if not one.clean]
    for run in every(program):
        codes = run.codes - APART
        if not OUTSIDE & codes and (run.races or run.pairs or codes or not run.finished):
            wrong.append(f"races or errors: {run}")
    return wrong
