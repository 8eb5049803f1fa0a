"""Kernels: functions that are traced when they are called, and what a call gives."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

import numpy as np

from nasm.asm.building.builder import ProgramBuilder
from nasm.nki.lowering import Lowering
from nasm.nki.names import HBM, DType, MemoryRegion
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Trace, tracing, under
from nasm.nki.wrong import refuse
from nasm.problems import Failure, Problem
from nasm.sequence.lines import Sequence as Sequential
from nasm.spec.program import Program
from nasm.spec.view import View
from nasm.targets import TARGETS

Array = np.ndarray[Any, Any]

TARGET = "NEURON_PLATFORM_TARGET_OVERRIDE"
"""The variable that says for which generation kernels are traced."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A kernel as a program: the arrays it was called with by tensor, and what it returned.

    ``returned`` has a tensor's name wherever the kernel returned a tensor.
    """

    program: Program
    inputs: Mapping[str, Array]
    returned: Any
    sequence: Sequential


class Kernel:
    """A function that nki.jit was applied to: calling it runs it, on as many cores as asked."""

    def __init__(self, function: Callable[..., Any], cores: int = 1) -> None:
        update_wrapper(self, function)
        self.function, self.cores = function, cores

    def __getitem__(self, cores: Any) -> Kernel:
        """The same on so many cores."""
        count = cores[0] if isinstance(cores, tuple) and len(cores) == 1 else cores
        if count not in (1, 2):
            refuse(f"a kernel on {cores!r} cores: wanted 1, or 2 that share HBM")
        return Kernel(self.function, int(count))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it, or be a part of the kernel that calls it."""
        if tracing() is not None:
            return self.function(*args, **kwargs)  # called by another kernel: a part of it
        from nasm.nki.running import run

        return run(self, *args, **kwargs).outputs

    def __repr__(self) -> str:
        return f"<kernel {getattr(self.function, '__name__', '?')}>"


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Have a function traced when it is called."""
    if function is None:
        return lambda inner: jit(inner, **options)
    return function if isinstance(function, Kernel) else Kernel(function)


def default_target() -> str:
    """The target where none is given."""
    return os.environ.get(TARGET) or "trn2"


def trace(
    kernel: Callable[..., Any],
    *args: Any,
    lnc: int | None = None,
    target: str | None = None,
    **kwargs: Any,
) -> Traced:
    """Make a program of a kernel and its arguments."""
    made = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
    cores = lnc or made.cores
    name = target or default_target()
    if name not in TARGETS:
        raise Failure(Problem("E0211", f"no target '{name}'", None, ""))
    loaded = TARGETS[name]()
    generation = loaded.generation(name)
    assert generation is not None
    builder = ProgramBuilder(loaded, loaded.configured(generation, {}))
    bound = inspect.signature(made.function).bind(*args, **kwargs)
    bound.apply_defaults()
    traces = [Trace(builder, core, cores) for core in range(cores)]
    given: dict[int, NkiTensor] = {}
    results = []
    for each in traces:
        if each.core:
            each.others = traces[0].shared
        with under(each):
            handed = {
                n: _argument(traces[0], n, v, cores, given) for n, v in bound.arguments.items()
            }
            call = inspect.BoundArguments(bound.signature, handed)
            results.append(made.function(*call.args, **call.kwargs))
    _roles(traces, results[0])
    sequence = Sequential([Lowering(each).lines() for each in traces])
    program = _finished(builder, sequence)
    return Traced(program, dict(traces[0].arrays), _named(results[0]), sequence)


def _argument(trace: Trace, name: str, value: Any, cores: int, given: dict[int, NkiTensor]) -> Any:
    """An argument as the kernel gets it: arrays as tensors in HBM, all else as it is."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        parts = (_argument(trace, f"{name}_{n}", v, cores, given) for n, v in enumerate(value))
        return type(value)(parts)
    array = as_array(value)
    if array is None:
        return value
    if id(value) not in given:
        buffer = MemoryRegion.shared_hbm if cores > 1 else HBM
        given[id(value)] = trace.tensor(
            array.shape, _dtype(array), buffer, name, role="input", array=array
        )
    return given[id(value)]


def as_array(value: Any) -> Array | None:
    """An array of a framework as NumPy's; None if it is none."""
    if isinstance(value, np.ndarray):
        return value
    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
        return _from_torch(value)
    return None


def _from_torch(value: Any) -> Array:
    import sys

    import ml_dtypes

    torch = sys.modules["torch"]
    plain = value.detach().cpu().contiguous()
    if plain.dtype is torch.bfloat16:
        made: Array = plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return made
    found: Array = plain.numpy()
    return found


def _dtype(array: Array) -> DType:
    return DType(array.dtype.name if array.dtype != np.bool_ else "uint8")


def _roles(traces: Sequence[Trace], result: Any) -> None:
    """Say of tensors in HBM whether they are inputs, outputs or both."""
    written = {
        view.tensor.index for each in traces for call in each.made for view in _destinations(call)
    }
    for tensor in _tensors(result):
        spec = tensor.view_.tensor
        if tensor.on_chip:
            refuse(f"the kernel returns {tensor!r}: wanted a tensor in shared_hbm")
        spec.role = "inout" if spec.role == "input" else "output"
    for name in traces[0].arrays:
        spec = traces[0].builder.program.tensors[name]
        if spec.role == "input" and spec.index in written:
            spec.role = "inout"


def _destinations(call: Any) -> list[Any]:
    row = getattr(call, "row", None)
    if row is None:
        return [v for inner in call.body for v in _destinations(inner)]
    names = ["dst"] if row.posts else [o.name for o in row.writes]
    return [v for name in names if isinstance(v := call.operands.get(name), View)]


def _tensors(result: Any) -> list[NkiTensor]:
    if isinstance(result, NkiTensor):
        return [result]
    if isinstance(result, list | tuple):
        return [t for item in result for t in _tensors(item)]
    if isinstance(result, dict):
        return [t for item in result.values() for t in _tensors(item)]
    return []


def _named(result: Any) -> Any:
    if isinstance(result, NkiTensor):
        return result.name
    if isinstance(result, list | tuple):
        return type(result)(_named(item) for item in result)
    return {k: _named(v) for k, v in result.items()} if isinstance(result, dict) else result


def _finished(builder: ProgramBuilder, sequence: Sequential) -> Program:
    from nasm.sequence.placing import place
    from nasm.sequence.sync import synchronise

    problems = place(builder.program, sequence)
    if problems:
        raise Failure(problems)
    synchronise(builder, sequence)
    return builder.finish()
