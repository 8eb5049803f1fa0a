"""Single instructions, measured as microbenchmarks do: in a stream, and alone after an idle time.

A probe is one instruction with operands. Its tiles are those of :data:`TILES` that it names. The
rows of a section of published figures are in a module beside this one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from nasm.api import assemble
from nasm.program.program import Program
from programs.published.rows import Bound, Kernel, Row, Sizes, Use
from programs.published.runs import Run

TILES = {
    "a": ".sbuf  a  f32[128, N]  = normal(seed=1)",
    "b": ".sbuf  b  f32[128, N]  = normal(seed=2)",
    "c": ".sbuf  c  f32[128, N]",
    "ha": ".sbuf  ha  bf16[128, N]  = normal(seed=1)",
    "hb": ".sbuf  hb  bf16[128, N]  = normal(seed=2)",
    "hc": ".sbuf  hc  bf16[128, N]",
    "ec": ".sbuf  ec  e4m3[128, N]",
    "mask": ".sbuf  mask  u8[128, N]  = iota",
    "pa": ".psum  pa  f32[128, min(N, 512)]  = normal(seed=3)",
    "pc": ".psum  pc  f32[128, min(N, 512)]",
    "one": ".sbuf  one  f32[128, 1]  = normal(seed=4)",
    "two": ".sbuf  two  f32[128, 1]  = normal(seed=5)",
    "m": ".sbuf  m  f32[128, 1]",
    "eight": ".sbuf  eight  f32[128, 8]  = normal(seed=6)",
    "few": ".sbuf  few  bf16[128, 8]  = normal(seed=6)",
    "most": ".sbuf  most  bf16[128, 8]",
    "at": ".sbuf  at  u32[128, 8]",
    "stats": ".sbuf  stats  f32[128, 6]",
    "many": ".sbuf  many  f32[128, 6 * 16]  = random(seed=7)",
    "both": ".sbuf  both  f32[128, 2]",
    "word": ".sbuf  word  i32[1, 1]  = zeros",
    "steps": ".sbuf  steps  i32[128, N]",
    "k": ".sbuf  k  f32[128, 128]  = normal(seed=8)",
    "hk": ".sbuf  hk  bf16[128, 128]  = normal(seed=8)",
    "unit": ".sbuf  unit  f32[128, 128]",
    "hunit": ".sbuf  hunit  bf16[128, 128]",
    "pt": ".psum  pt  f32[128, 128]",
    "ht": ".psum  ht  bf16[128, 128]",
    "X": ".hbm   X  f32[128, N]  input = normal(seed=1)",
    "Y": ".hbm   Y  f32[128, N]  output",
    "table": ".hbm   table  f32[128, N]  input = normal(seed=2)",
    "rows": ".sbuf  rows  i32[128, 1]  = iota",
}

ALONE = "The instruction runs after an idle time."
STREAMED = (
    "Equal instructions follow each other, of which none reads what another wrote unless it is a "
    "chain; they are timed when the stream is warm."
)

STREAM_US = 14
"""How long a stream lasts, by what is published of it."""


UNIT = (
    "@gpsimd Memset {0}, 1.0",
    "@gpsimd AffineSelect {0}, {0}, [[-1, 128]], 1, 0.0, cmp_op=equal  $other++",
    "EventSemaphore  $other >= 1",
)
"""Makes an identity matrix of a tile, before what needs it."""


def unit(tile: str) -> tuple[str, ...]:
    """The lines that make one of a tile."""
    return tuple(line.format(tile) for line in UNIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is measured: instructions of one engine on N columns.

    Of ``lines``, which a stream repeats, the last is the instruction that is timed; ``before`` is
    executed once. A line may use ``{i}``, the round.
    """

    name: str
    engine: str
    lines: tuple[str, ...]
    target: str = "trn2"
    n: int = 512
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is called in the table."""
        return f"{self.engine.capitalize()}: {self.name}"

    @property
    def timed(self) -> str:
        """The mnemonic of what is timed."""
        return self.lines[-1].split()[0]

    def text(self, count: int) -> str:
        """A program that executes the lines so often."""
        used = " ".join(self.before + self.lines + self.after)
        names = [name for name in TILES if re.search(rf"\b{name}\b", used)]
        return "\n".join(
            (
                f".target {self.target}",
                f".const N = {self.n}",
                *(TILES[name] for name in names),
                ".sem  done, other",
                f"@{self.engine}",
                *self.before,
                f".for i in 0..{count}",
                *self.lines,
                ".end",
                *self.after,
                "",
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A set of published figures: where they stand, and what they are for."""

    name: str
    source: str
    use: Use = Use.SETS

    def row(
        self, probe: Probe, figure: str, published: float | tuple[float, float],
        measure: Callable[[Run], float], *, count: int = 1, unit: str = "ns", remark: str = "",
        choice: str = "", use: Use | None = None,
    ) -> Row:  # fmt: skip
        """A figure of a probe that is executed so often."""
        return Row(
            name=f"{self.name} {probe.title}", figure=figure, published=published,
            use=self.use if use is None else use, bound=Bound.MICRO,
            kernel=kernel(self, probe, count, choice), measure=measure, unit=unit,
            remark=remark,
        )  # fmt: skip

    def issue(self, probe: Probe, published: float | tuple[float, float], **rest: Any) -> Row:
        """From start to start in a stream, in ns."""
        return self.row(probe, "issue", published, spacing(probe), count=often(published), **rest)

    def cycles(self, probe: Probe, published: float, **rest: Any) -> Row:
        """From start to start in a stream, in cycles of the engine."""

        def measure(run: Run) -> float:
            generation = run.session.program.generation
            ticks = run.spacing(probe.engine, probe.timed) * generation.ticks
            return ticks / generation.engine(probe.engine).cycle

        return self.row(probe, "issue", published, measure, count=often(published),
                        unit="cycles", **rest)  # fmt: skip

    def completion(self, probe: Probe, published: float | tuple[float, float], **rest: Any) -> Row:
        """From start to results after an idle time, in ns."""
        return self.row(probe, "completion", published, duration(probe), **rest)


@cache
def kernel(section: Section, probe: Probe, count: int, choice: str) -> Kernel:
    """A probe as a program of its own; rows of one probe share its runs."""

    def make(_: Sizes, target: str) -> Program:
        return assemble(probe.text(count), target=target)

    how = "alone" if count == 1 else f"{count} times"
    return Kernel(
        name=f"{section.name} {probe.title}, {probe.target}, {how}",
        source=section.source,
        choices=(ALONE if count == 1 else STREAMED, *((choice,) if choice else ())),
        program=make,
        target=probe.target,
        values="vector_offset" in probe.lines[-1],
        # A stream moves to one place, over and over, and its end is timed by what has landed.
        allow=("E0502", "E0514"),
    )


def often(published: float | tuple[float, float]) -> int:
    """How many rounds of so many ns or cycles, which are shorter, make a warm stream."""
    each = published if isinstance(published, (int, float)) else published[0]
    return 24 + math.ceil(STREAM_US * 3000 / each)


def spacing(probe: Probe) -> Callable[[Run], float]:
    """From start to start in a stream that has run for a while."""
    return lambda run: run.spacing(probe.engine, probe.timed) * 1000


def duration(probe: Probe, which: int = 0) -> Callable[[Run], float]:
    """From start to completion, of the first or another execution."""
    return lambda run: run.duration(probe.engine, probe.timed, which) * 1000


def vector(name: str, *lines: str, target: str = "trn2", n: int = 512, **rest: Any) -> Probe:
    """A probe of Vector."""
    return Probe(name=name, engine="vector", lines=lines, target=target, n=n, **rest)


def scalar(name: str, *lines: str, target: str = "trn2", n: int = 512, **rest: Any) -> Probe:
    """A probe of Scalar."""
    return Probe(name=name, engine="scalar", lines=lines, target=target, n=n, **rest)


def gpsimd(name: str, *lines: str, target: str = "trn2", n: int = 512, **rest: Any) -> Probe:
    """A probe of GpSimd."""
    return Probe(name=name, engine="gpsimd", lines=lines, target=target, n=n, **rest)


def tensor(name: str, *lines: str, target: str = "trn2", n: int = 512, **rest: Any) -> Probe:
    """A probe of Tensor."""
    return Probe(name=name, engine="tensor", lines=lines, target=target, n=n, **rest)


def sync(name: str, *lines: str, target: str = "trn2", n: int = 512, **rest: Any) -> Probe:
    """A probe of Sync."""
    return Probe(name=name, engine="sync", lines=lines, target=target, n=n, **rest)
