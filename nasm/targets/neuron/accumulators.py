"""Accumulators: one float32 per lane in Scalar and one in Vector, and the commands on them.

A command acts on the lanes of the instruction's main input. The instruction's elements are folded
from the first to the last, and what they give joins the accumulator (assumed; the vendor does
not say in which order the hardware adds). They are folded before they are rounded to dst's dtype,
unless ``--option accumulate=after_cast`` says otherwise: the vendor's pseudo-code adds ``dst[i]``,
its text says that the engine holds float32.

Everything here is pure: what an instruction leaves in the engine is a new :class:`Accumulators`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.implicit_kinds import (
    JOINED,
    KEPT,
    READ,
    REPLACED,
    EngineValue,
    LanesOf,
    OptionOf,
    Part,
    RoundingOf,
)
from nasm.isa.instruction import InstructionContext, Operand, of_operands
from nasm.isa.kinds import Choice
from nasm.targets.neuron import alu
from nasm.targets.neuron.math_functions import Floats

LANE_COUNT: Final = 128


@dataclass(frozen=True, slots=True, eq=False)
class Accumulators:
    """A value per lane, [128, 1]; which lanes were ever set; whether ``idle`` undid that."""

    values: Floats
    known: NDArray[np.bool_]
    lost: bool = False


def _unknown(lost: bool) -> Accumulators:
    values = np.zeros((LANE_COUNT, 1), np.float32)
    return Accumulators(values, np.zeros(LANE_COUNT, np.bool_), lost)


LOST: Final = _unknown(lost=True)
"""What an instruction of Vector with ``idle`` leaves, in every lane (that it is all is assumed)."""


def _parts(held: Accumulators) -> Iterator[Part]:
    """One number per lane."""
    yield "one in each lane", held.values[:, 0], held.known


ACCUMULATORS: Final = EngineValue(
    "accumulators",
    "reduce_cmd=reset_reduce starts them",
    initial=_unknown(lost=False),
    parts=_parts,
)
"""The implicit operand of every instruction that uses them; each engine has its own."""


@of_operands
def kept_when_idle(
    context: InstructionContext, reduce_cmd: str, reduce_res: object, reduce_op: object = "add"
) -> str:
    """What Scalar does with its accumulators."""
    if reduce_cmd == "idle" or reduce_op is None:
        return KEPT if reduce_res is None else READ
    return READ if reduce_cmd == "reduce" else JOINED


@of_operands
def lost_when_idle(context: InstructionContext, reduce_cmd: str) -> str:
    """What Vector does with its accumulators."""
    if reduce_cmd == "idle":
        return REPLACED
    return READ if reduce_cmd == "reduce" else JOINED


def commands(*names: str) -> Choice:
    """What ``reduce_cmd`` may be."""
    return Choice(names, "reduce_cmd")


def started(held: Accumulators, command: str, lanes: slice, op: str, init: Any = 0.0) -> Any:
    """What a command other than ``idle`` starts from: a number, or one value per lane.

    ``init`` is what ``load_reduce`` loads.
    """
    if command in ("reset", "reset_reduce"):
        return alu.OPERATORS[op].identity
    return init if command == "load_reduce" else read(held, lanes)


def run(
    held: Accumulators, command: str, lanes: slice, op: str, y: Floats, init: Any = 0.0
) -> Accumulators:
    """Do a command other than ``idle``: start from somewhere, then fold the elements y in."""
    value = started(held, command, lanes, op, init)
    if command != "reset":
        value = alu.apply(op, value, alu.reduce(op, y, 1)[:, np.newaxis])
    return put(held, lanes, value)


def reduced(
    held: Accumulators,
    command: str,
    op: str,
    y: Floats,
    lanes: slice,
    out: slice | None,
    init: Any = 0.0,
) -> tuple[Floats | None, Accumulators]:
    """Do a command on Vector: what reduce_res receives, if there is one, and what is left."""
    if command == "idle":
        return None, LOST
    held = run(held, command, lanes, op, y, init)
    return None if out is None else read(held, lanes), held


def put(held: Accumulators, lanes: slice, value: Any) -> Accumulators:
    """The accumulators with new values in some lanes."""
    values, known = held.values.copy(), held.known.copy()
    values[lanes], known[lanes] = value, True
    return Accumulators(values, known)


def read(held: Accumulators, lanes: slice) -> Floats:
    """The values of some lanes, [P, 1]; refuses those that nothing has set."""
    if held.known[lanes].all():
        return held.values[lanes]
    if held.lost:
        raise Refused(
            "E0503",
            "an earlier instruction with reduce_cmd=idle has left the accumulators unknown",
            "reduce_cmd=reset_reduce after it starts them again (nki.isa.exponential)",
        )
    raise Refused("E0503", f"the engine holds no {ACCUMULATORS.name} yet", ACCUMULATORS.how)


def folded(y: Floats, accumulate: str, rounded: Callable[[Floats], Floats]) -> Floats:
    """What is reduced: the results in float32, or as dst's dtype rounds them.

    The rounded ones are then also what is stored: rounding them again changes nothing.
    """
    return y if accumulate == "before_cast" else rounded(y)


def folding(tile: str) -> tuple[Operand, ...]:
    """What a row takes to fold its results: lanes of a tile and of ``reduce_res``, and how."""
    return (
        Operand("lanes", LanesOf(tile)),
        Operand("out", LanesOf("reduce_res")),
        Operand("accumulate", OptionOf("accumulate")),
        Operand("rounded", RoundingOf("dst")),
    )
