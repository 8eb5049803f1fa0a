"""The vectorised matrix unit against the scalar model: ``python -m tests.tensix.matrix.compare``.

``--count`` is the number of elements for each instruction, style, width of Dst and phase.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nasm.targets.tensix.matrix import multiply
from nasm.targets.tensix.matrix.arithmetic import elwadd
from nasm.targets.tensix.matrix.formats import Style
from nasm.targets.tensix.matrix.pools import gmpool
from tests.tensix.matrix import model
from tests.tensix.matrix.operands import Rng, same, sources, stored

SPREADS = (2, 6, 14, 90)
Case = tuple[str, Any, Any]
"""What was computed: a name, the results, and what the model says."""


def widths() -> Iterator[tuple[Style, bool]]:
    for style, wide in itertools.product(Style, (False, True)):
        if wide or style is not Style.INT8:
            yield style, wide


def products(rng: Rng, count: int, style: Style, wide: bool, phase: int, spread: int) -> Case:
    blocks = -(-count // 128)
    a = sources(rng, (blocks, 16, 16), style, spread)
    b = sources(rng, (blocks, 8, 16), style, spread)
    dst = stored(rng, (blocks, 8, 16), style, wide, spread)
    found = multiply.mvmul(a, b, dst, same(style), wide, phase)
    columns, rows, old = a.swapaxes(1, 2).tolist(), b.tolist(), dst.tolist()
    wanted = [
        [
            [model.mvmul(columns[n][j], rows[n][i], old[n][i][j], style.name, wide, phase)
             for j in range(16)]
            for i in range(8)
        ]
        for n in range(blocks)
    ]  # fmt: skip
    return f"MVMUL {style.name} wide={wide} phase={phase} spread={spread}", found, wanted


def elements(rng: Rng, count: int, style: Style, wide: bool, phase: int, spread: int) -> Case:
    a, b = (sources(rng, (count,), style, spread) for _ in range(2))
    dst = stored(rng, (count,), style, wide, spread)
    found = multiply.elwmul(a, b, dst, same(style), wide, phase)
    wanted = [
        model.elwmul(x, y, z, style.name, wide, phase)
        for x, y, z in zip(a.tolist(), b.tolist(), dst.tolist(), strict=True)
    ]
    return f"ELWMUL {style.name} wide={wide} phase={phase} spread={spread}", found, wanted


def sums(rng: Rng, count: int, style: Style, wide: bool, phase: int, spread: int) -> Case:
    """``phase`` says whether to subtract and to add to Dst."""
    how = {"minus": bool(phase & 1), "add": bool(phase & 2)}
    a, b = (sources(rng, (count,), style, spread) for _ in range(2))
    dst = stored(rng, (count,), style, wide, spread)
    found = elwadd(a, b, dst, same(style), wide, 0, **how)
    wanted = [
        model.elwadd(x, y, z, style.name, wide, **how)
        for x, y, z in zip(a.tolist(), b.tolist(), dst.tolist(), strict=True)
    ]
    return f"ELWADD {style.name} wide={wide} {how} spread={spread}", found, wanted


def pools(rng: Rng, count: int, style: Style, wide: bool, phase: int, spread: int) -> Case:
    """Rows are scaled by 1, by 2 or by 0."""
    if style is Style.INT8:
        return "GMPOOL of integers has a test of its own", np.zeros(0), []
    one = 15 if style is Style.FP16 else 127
    blocks = -(-count // 16)
    a = sources(rng, (blocks, 16, 16), style, spread)
    b = rng.choice([one, one, one, one + 1, 0], (blocks, 16)).astype(np.uint32)
    dst = stored(rng, (blocks, 16), style, wide, spread)
    dst = dst if wide else dst << 16
    found = gmpool(a, b, dst, style, wide, argmax=False)
    columns, scales, old = a.swapaxes(1, 2).tolist(), b.tolist(), dst.tolist()
    wanted = [
        [model.largest(columns[n][j], scales[n], old[n][j], style.name, wide) for j in range(16)]
        for n in range(blocks)
    ]
    return f"GMPOOL {style.name} wide={wide} spread={spread}", found, wanted


CASES: tuple[Callable[[Rng, int, Style, bool, int, int], Case], ...] = (
    products,
    elements,
    sums,
    pools,
)


def differences(count: int, seed: int) -> Iterator[tuple[str, int, int]]:
    """For each case its name, the elements that differ, and all."""
    rng = np.random.default_rng(seed)
    for case, (style, wide), phase in itertools.product(CASES, widths(), range(4)):
        name, found, wanted = case(rng, count, style, wide, phase, SPREADS[phase])
        different = np.asarray(found) != np.asarray(wanted, np.uint32)
        yield name, int(different.sum()), different.size


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    wrong = total = 0
    for name, different, size in differences(asked.count, asked.seed):
        wrong, total = wrong + different, total + size
        if different:
            sys.stdout.write(f"{name}: {different} of {size} differ\n")
    sys.stdout.write(f"{wrong} of {total} differ\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
