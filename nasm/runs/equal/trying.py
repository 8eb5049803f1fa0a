"""Running two programs on the same inputs, to find some for which their results differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import ElementKind
from nasm.base.problems import Failure, Refused
from nasm.machine.inputs import Inputs
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.runs.diff.tensors import outputs
from nasm.runs.equal.records import Counterexample
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.views.tensor import Tensor

Arrays = dict[str, np.ndarray[Any, Any]]

LACKING = "E0802"
"""The code of an input that has no values."""

LARGEST = 8
"""Random integers are below this: they may be positions."""


def tried(
    a: Program, b: Program, given: Inputs | None, seeds: int, most: int | None
) -> tuple[Counterexample | None, int]:
    """Inputs for which two programs differ, if any, and how many sets of inputs both ran on.

    The first are those that ``given`` and the declarations of ``a`` provide, the others random.
    """
    ran = 0
    for seed, inputs in _inputs(a, given, seeds):
        found = _runs(a, b, inputs, most)
        if found is None:
            continue
        ran += 1
        for tensor in outputs(*found):
            if not tensor.equal:
                text = "the inputs that a has" if seed is None else f"random inputs of seed {seed}"
                return Counterexample(text, seed, tensor), ran
    return None, ran


def _inputs(
    program: Program, given: Inputs | None, seeds: int
) -> Iterator[tuple[int | None, Arrays]]:
    """Sets of inputs, each with the seed of those that are random."""
    declared: Arrays = {}
    try:
        run = Execution(program, given, settings=RunSettings(checked=False))
        declared = {t.name: run.read(t.name) for t in _given(program)}
        if all(run.known(name).all() for name in declared):
            yield None, declared
    except Failure as failure:
        if any(problem.code != LACKING for problem in failure.problems):
            raise
    for seed in range(1, seeds + 1):
        generator = np.random.default_rng(seed)
        try:
            yield seed, {t.name: _random(t, generator, declared) for t in _given(program)}
        except (Refused, dtypes.DTypeError):
            return


def _given(program: Program) -> list[Tensor]:
    return [t for t in program.tensors.values() if t.role in ("input", "inout")]


def _random(tensor: Tensor, generator: np.random.Generator, declared: Arrays) -> Any:
    """Random elements; of dtypes that no number can be converted to those that are declared."""
    dtype = tensor.dtype
    if dtype.kind in (ElementKind.SCALE, ElementKind.PACKED):
        if tensor.name not in declared:
            raise Refused(LACKING, f"{tensor.name} has no values")
        return declared[tensor.name]
    if dtype.is_int:
        values = generator.integers(0, LARGEST, tensor.shape).astype(np.float64)
    else:
        values = generator.standard_normal(tensor.shape)
    return dtypes.convert_float64(values, dtype)


def _runs(
    a: Program, b: Program, inputs: Arrays, most: int | None
) -> tuple[Execution, Execution] | None:
    """Both programs, run to their ends without a hazard; None if one does not get there."""
    found = []
    for program in (a, b):
        try:
            run = Execution(program, inputs, settings=RunSettings())
            report = run.run(max_instructions=most, hashes=False)
        except Failure:
            return None
        if run.status is not Status.FINISHED or report.hazards:
            return None
        found.append(run)
    return found[0], found[1]
