"""Outputs and inputs of a run as heat maps, where it kept values."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from nasm.base.problems import Error
from nasm.base.records import dataclass
from nasm.debugger.values.expressions import Expression
from nasm.debugger.values.pictures import MISSING, NAN, Picture, picture
from nasm.runs.inspection import Inspection

ROWS, COLUMNS = 64, 96
"""Cells of a heat map at the most."""

MOST = 6
"""Tensors that have one."""

SHADES = 250
"""Steps from the least to the greatest; two more are marks."""


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """A tensor as a picture: its name and role, and what its cells are."""

    name: str
    role: str
    picture: Picture

    def data(self) -> dict[str, Any]:
        """As JSON: shades from 0 to SHADES, -1 where nothing was written, -2 of a NaN."""
        found, bounds = self.picture, (self.picture.low, self.picture.high)
        low, high = (None if bound != bound else bound for bound in bounds)
        return {
            "name": self.name,
            "role": self.role,
            "shape": list(found.shape),
            "block": list(found.block),
            "low": low,
            "high": high,
            "shades": SHADES,
            "cells": [list(map(_shade, row)) for row in found.cells],
        }


def heats(run: Inspection) -> tuple[Heat, ...]:
    """The outputs of a run, and then its inputs; none of a run without values."""
    if not run.values:
        return ()
    tensors = [t for t in run.program.tensors.values() if t.role]
    tensors.sort(key=lambda tensor: tensor.role == "input")  # stable: outputs come first
    found = []
    for tensor in tensors[:MOST]:
        with suppress(Error):  # its dtype may be one that has no picture
            value = Expression(run, tensor.name).value(run)
            found.append(Heat(tensor.name, tensor.role, picture(value, ROWS, COLUMNS)))
    return tuple(found)


def _shade(cell: float) -> int:
    if cell in (MISSING, NAN):
        return int(cell)
    return round(cell * SHADES)
