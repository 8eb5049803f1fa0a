"""Compares two programs: have they the same results for every input?"""

from __future__ import annotations

from nasm.base.problems import listed, number_of
from nasm.base.records import replace
from nasm.machine.inputs import Inputs
from nasm.machine.records import MOST_EXAMINED
from nasm.program.program import Program
from nasm.runs.equal.followed import FollowedProgram, follow
from nasm.runs.equal.parting import Parting
from nasm.runs.equal.records import DIFFERENT, EQUAL, NOT_PROVED, Equality
from nasm.runs.equal.same_program import same
from nasm.runs.equal.shadow import TooCoarse, unit_of
from nasm.runs.equal.trying import tried
from nasm.runs.equal.value_numbers import ValueNumbers
from nasm.views.tensor import Tensor

TRIES = 2
"""Sets of random inputs that programs are run on which are not proved equal."""


def equal(
    a: Program,
    b: Program,
    *,
    inputs: Inputs | None = None,
    tries: int = TRIES,
    max_instructions: int | None = MOST_EXAMINED,
) -> Equality:
    """Whether two programs leave the same bits in their outputs for every input.

    Each is followed for at most ``max_instructions`` without a value being computed: what an
    instruction makes is a name for itself and what it reads. If all outputs have the same names on
    both sides they are equal, whatever the inputs are and whatever the durations. Otherwise both
    are run on the ``inputs`` that are given, or that ``a`` declares, and on ``tries`` sets of
    random ones: if an output differs they are different, else it is not proved.
    """
    number_of("tries", tries)
    found = _proof(a, b, max_instructions)
    if found.verdict != NOT_PROVED or _apart(a, b):
        return found
    example, ran = tried(a, b, inputs, tries, max_instructions)
    if example is None:
        return replace(found, tried=ran)
    name = example.tensor.name
    reason = f"{name} differs for {example.given}"
    return replace(found, verdict=DIFFERENT, reason=reason, example=example, tried=ran)


def _results(program: Program) -> dict[str, Tensor]:
    return {n: t for n, t in program.tensors.items() if t.role in ("output", "inout")}


def _apart(a: Program, b: Program) -> str:
    """What of two programs cannot be compared at all; empty if all can."""
    mine, others = _results(a), _results(b)
    if not mine and not others:
        return "neither has an output"
    alone = [*(f"only a has {n}" for n in mine if n not in others)]
    alone += [f"only b has {n}" for n in others if n not in mine]
    if alone:
        return f"the outputs are not the same: {listed(alone, 'and')}"
    for name, one in mine.items():
        two = others[name]
        if (one.shape, one.dtype) != (two.shape, two.dtype):
            shapes = " and ".join(f"{x.dtype.name}{list(x.shape)}" for x in (one, two))
            return f"the output {name} has another shape or dtype: {shapes}"
    return ""


def _proof(a: Program, b: Program, most: int | None) -> Equality:
    """What is known without a value."""
    outputs = tuple(_results(a))
    apart = _apart(a, b)
    if apart:
        return Equality(NOT_PROVED, apart, outputs)
    if same(a, b):
        return Equality(EQUAL, "both are the same instructions", outputs, (len(a), len(b)))
    if a.generation.name != b.generation.name or a.options != b.options:
        return Equality(NOT_PROVED, "they are for other machines, or other options of one", outputs)
    for unit in (unit_of((a, b)), 1):
        try:
            return _numbered(a, b, unit, most)
        except TooCoarse:
            continue
    raise AssertionError("a byte is a unit of everything")


def _numbered(a: Program, b: Program, unit: int, most: int | None) -> Equality:
    numbers = ValueNumbers()
    sides = [follow(program, numbers, unit, most) for program in (a, b)]
    outputs, executed = tuple(_results(a)), (sides[0].instructions, sides[1].instructions)
    for name, side in zip("ab", sides, strict=True):
        if side.reason or side.numbering is None:
            reason = f"of {name}: {side.reason}"
            return Equality(NOT_PROVED, reason, outputs, executed, problems=side.problems)
    return _compared(numbers, sides[0], sides[1], outputs, executed)


def _compared(
    numbers: ValueNumbers,
    a: FollowedProgram,
    b: FollowedProgram,
    outputs: tuple[str, ...],
    executed: tuple[int, int],
) -> Equality:
    assert a.numbering is not None
    assert b.numbering is not None
    for name in outputs:
        mine = a.numbering.output(a.program.tensors[name])
        other = b.numbering.output(b.program.tensors[name])
        if (mine != other).any():
            places = Parting(numbers, a, b).of(name, mine, other)
            reason = f"{name} is not computed in the same way"
            return Equality(NOT_PROVED, reason, outputs, executed, *places)
    verb = "follows" if len(outputs) == 1 else "follow"
    reason = f"{listed(outputs, 'and')} {verb} in the same way from the inputs"
    return Equality(EQUAL, reason, outputs, executed)
