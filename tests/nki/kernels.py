"""Kernels of the tests: tensors without a kernel, and kernels run with arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure, Problem
from nasm.nki import language as nl
from nasm.nki.kernel_run import run
from nasm.nki.names import MemoryRegion
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import CoreTrace, under
from nasm.program.builder import ProgramBuilder
from nasm.targets import TARGETS

Array = np.ndarray[Any, Any]


@contextmanager
def traced(target: str = "trn2") -> Iterator[CoreTrace]:
    """A trace that is under way, of no kernel."""
    loaded = TARGETS[target]()
    generation = loaded.generation(target)
    assert generation is not None
    with under(CoreTrace(ProgramBuilder(loaded, loaded.configured(generation, {})))) as trace:
        yield trace


def tensor(
    trace: CoreTrace, shape: Sequence[int], buffer: MemoryRegion = nl.sbuf, dtype: Any = "int32"
) -> NkiTensor:
    """A new tensor."""
    return trace.tensor(shape, dtype, buffer)


def places(view: NkiTensor) -> Array:
    """The elements of its storage that a tensor walks, in its shape, as its pattern has them."""
    counts = [np.arange(count) * step for step, count in view.get_pattern()]
    found = np.array(view.offset)
    for axis in counts:
        found = found[..., None] + axis
    return found


def computed(body: Callable[..., Any], *arrays: Any, target: str = "trn2", **options: Any) -> Any:
    """What a kernel gives that loads arrays, makes a tile of them, and stores that."""

    def kernel(*inputs: Any) -> Any:
        tiles = [nl.load(each) for each in inputs]
        made = body(*tiles)
        if made.buffer == nl.psum:
            made = nl.copy(made)
        out = nl.ndarray(made.shape, made.dtype, buffer=nl.shared_hbm, name="out")
        nl.store(out, made)
        return out

    result = run(kernel, *arrays, target=target, **options)
    assert result.report.ok, str(result.report)
    return result.outputs


def refused(body: Callable[[], Any]) -> Problem:
    """What is said of a call that is refused."""
    with pytest.raises(Failure) as caught:
        body()
    return caught.value.problems[0]


def names_of(module: ModuleType) -> dict[str, Any]:
    """What a module has, by name."""
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}
