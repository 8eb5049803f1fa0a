"""The table and the plot of tensix.md: how near a product on Tensix is, by phases and formats.

Each figure is of runs of programs/tensix/matmul.nasm: the Frobenius norm of what is wrong, over
that of the product in float64. That product and the sums are the same on every host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from generator import plots
from generator.markdown import table
from nasm.base.exact import multiply
from nasm.base.source_files import source_of
from nasm.debugger.session import Session

PROGRAM = Path(__file__).parents[2] / "programs" / "tensix" / "matmul.nasm"
SWEEP = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Whether sources are FP32, and whether Dst has 32 bits."""
PHASES = (1, 2, 3, 4)
DRAWS = 4
PUBLISHED = {(0, 0): ("2.6e-2", "4.4e-3", "3.9e-3", "3.9e-3"), (0, 1): ("", "", "", "3.2e-4")}
"""Figures that are published, for one to four phases."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Errors and cycles by phases, of sources and a Dst in some formats; published errors."""

    sources: str
    dst: str
    found: tuple[tuple[float, int], ...]
    published: tuple[str, ...]


def relative_error(phases: int, fp32: int, dst32: int) -> tuple[float, int]:
    """The relative error of products of normal numbers, and the cycles of one."""
    draw = np.random.default_rng(1)
    wrong = total = 0.0
    cycles = 0
    for _ in range(DRAWS):
        a, b = draw.standard_normal((2, 32, 32)).astype(np.float32 if fp32 else bfloat16)
        found, cycles = _product(a, b, {"PHASES": phases, "FP32": fp32, "DST32": dst32})
        wanted = multiply(a.astype(np.float64), b.astype(np.float64))
        wrong += math.fsum(((found - wanted) ** 2).flat)
        total += math.fsum((wanted**2).flat)
    return math.sqrt(wrong / total), cycles


def _product(a: Any, b: Any, defines: dict[str, int]) -> tuple[Any, int]:
    session = Session.load(source_of(PROGRAM), defines=defines, inputs={"A": a, "B": b})
    report = session.run(hashes=False)
    if report.problems:
        raise SystemExit(f"{PROGRAM.name} with {defines}: {report.problems[0].message}")
    return session.outputs()["C"].astype(np.float64), report.ticks


@cache
def _swept() -> tuple[Swept, ...]:
    """The whole sweep: for each pair of formats the error and the cycles of one to four phases."""
    return tuple(
        Swept(
            "FP32, as TF32" if fp32 else "BF16",
            "32 bits" if dst32 else "16 bits",
            tuple(relative_error(phases, fp32, dst32) for phases in PHASES),
            PUBLISHED.get((fp32, dst32), ("",) * len(PHASES)),
        )
        for fp32, dst32 in SWEEP
    )


def errors() -> str:
    """Relative errors and cycles, a row for each number of phases and pair of formats."""
    rows = []
    for one in _swept():
        for phases, (error, cycles), published in zip(
            PHASES, one.found, one.published, strict=True
        ):
            shown = f"{error:.1e}".replace("e-0", "e-")
            rows.append([one.sources, one.dst, str(phases), shown, published, str(cycles)])
    head = ["sources", "Dst", "phases", "relative error", "published", "cycles"]
    return table(head, rows)


def picture() -> str:
    """The same errors as an SVG, a line for each pair of formats."""
    lines = [
        plots.Line(
            f"{one.sources}; Dst {one.dst}",
            [error for error, _ in one.found],
            [float(said) if said else None for said in one.published],
        )
        for one in _swept()
    ]
    title = "Relative error of a product of tiles, by fidelity phases"
    return plots.plot(title, "phases", "relative error", lines, "published")
