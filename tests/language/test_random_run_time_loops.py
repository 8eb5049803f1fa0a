"""Random nests of loops at run time: the same values as the same text with ``.for``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import nasm
from tests.parts import examples
from tests.printing.same import round_trip

WIDTH = 48
ENGINES = ("vector", "scalar", "gpsimd")
LOOP, FOR = "loop", "for"


@dataclass(slots=True)
class Nest:
    """Draws a body; a text of it is made twice, with either kind of loop."""

    number: Callable[[int, int], int]
    around: list[tuple[str, int, int]] = field(default_factory=list)  # a name, its least and most
    loops: int = 0
    lines: dict[str, list[str]] = field(default_factory=lambda: {LOOP: [], FOR: []})

    def say(self, loop: str, unrolled: str | None = None) -> None:
        self.lines[LOOP].append(loop)
        self.lines[FOR].append(loop if unrolled is None else unrolled)

    def body(self, depth: int, engines: tuple[str, ...]) -> None:
        for _ in range(self.number(1, 3)):
            if depth and self.number(0, 2):
                self.loop(depth - 1, engines)
            else:
                self.line(engines[self.number(0, len(engines) - 1)])

    def line(self, engine: str) -> None:
        """``t = t * 0.5 + c`` on columns that a form of the variables names."""
        length, factors = self.number(1, 4), []
        low = high = 0
        for name, least, most in self.around:
            factor = self.number(-3, 3)
            ends = sorted((factor * least, factor * most))
            if high + ends[1] - low - ends[0] <= WIDTH - length and factor:
                low, high = low + ends[0], high + ends[1]
                factors.append(f"{name}*{factor}" if self.number(0, 1) else f"{factor}*{name}")
        start = self.number(-low, WIDTH - length - high)
        form = " + ".join([*factors, str(start)])
        styles = [f"{form} : +{length}", f"{form} : {form} + {length}"]
        styles += [form] if length == 1 and factors else []
        view = f"{engine[0]}[:, {styles[self.number(0, len(styles) - 1)]}]"
        constant = self.number(1, 5)
        op = f"op=copy, scale=0.5, bias=one{constant}"
        if engine != "scalar":
            half = 3 if engine == "gpsimd" else 0.5
            op = f"op0=multiply, operand0={half}, op1=add, operand1={constant}"
        mnemonic = "Activation" if engine == "scalar" else "TensorScalar"
        self.say(f"@{engine} {mnemonic} {view}, {view}, {op}")

    def loop(self, depth: int, engines: tuple[str, ...]) -> None:
        self.loops += 1
        name, step = f"k{self.loops}", (1, 2, 3, -1, -2)[self.number(0, 4)]
        first = self.number(-2, 6)
        stop = first + step * self.number(0, 3) + self.number(0, abs(step) - 1)
        least, most = min(first, stop), max(first, stop)
        bound, alone = str(stop), engines
        head = f".loop {name} in"
        if not self.number(0, 3):
            alone = (engines[self.number(0, len(engines) - 1)],)
            head = f"@{alone[0]} {head}"
        if not self.number(0, 2):  # the bound is known at run time alone
            bound = f"%r{self.loops % 40}"  # its own: a round compares it anew
            for engine in engines:
                self.say(f"@{engine} RegisterMove {bound}, {stop}", "")
        elif self.around and self.number(0, 1) and step > 0:  # a triangle
            outer, low, high = self.around[-1]
            first, bound = low, f"{outer} + {stop - first}"
            least, most, stop = low, high + max(0, most - least), 0
            self.open(f"{head} {first}..{bound} step {step}", name, first, bound, step)
            self.within(name, least, most, depth, alone)
            return
        self.open(f"{head} {first}..{bound} step {step}", name, first, stop, step)
        if len(alone) == 1 and head.startswith("@") and step > 0 and not self.number(0, 2):
            self.lines[FOR].pop()
            last = self.number(first, first + 4)
            self.say(
                f".break {name} >= {last}",
                f".for {name} in {first}..min({stop}, {last}) step {step}",
            )
        self.within(name, least, most, depth, alone)

    def open(self, head: str, name: str, first: object, stop: object, step: int) -> None:
        self.say(head, f".for {name} in {first}..{stop} step {step}")

    def within(
        self, name: str, least: int, most: int, depth: int, engines: tuple[str, ...]
    ) -> None:
        self.around.append((name, least, most))
        self.body(depth, engines)
        self.around.pop()
        self.say(".end")


def head() -> Iterator[str]:
    yield ".target trn2"
    for engine in ENGINES:
        dtype = "i32" if engine == "gpsimd" else "f32"  # it multiplies integers alone
        yield f".sbuf {engine[0]} {dtype}[2, {WIDTH}] = iota"
    for constant in range(1, 6):
        yield f".sbuf one{constant} f32[2, 1] = [[{constant}], [{constant}]]"


def values(session: nasm.Session) -> list[np.ndarray]:
    assert session.run().ok
    return [session.read(engine[0]) for engine in ENGINES]


@settings(max_examples=examples(40, 5), deadline=None)
@given(st.integers(0, 2**32))
def test_a_nest_computes_what_it_computes_unrolled(seed: int) -> None:
    nest = Nest(Random(seed).randint)  # to draw each number is ten times as slow
    nest.body(3, ENGINES)
    start = "\n".join(head())
    texts = {kind: "\n".join([start, *lines, ""]) for kind, lines in nest.lines.items()}
    looped, unrolled = (nasm.Session(texts[kind]) for kind in (LOOP, FOR))
    for got, wanted in zip(values(looped), values(unrolled), strict=True):
        assert got.tobytes() == wanted.tobytes(), texts[LOOP]
    printed = nasm.Session(round_trip(looped.program))
    assert printed.run().trace_hash == looped.report().trace_hash
