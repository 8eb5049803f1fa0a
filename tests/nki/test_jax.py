"""Kernels that JAX's tracing calls: with a substitute of what is used of JAX, and with JAX."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl


@nki.jit
def scaled(x: Any, more: Any = None, by: float = 2.0) -> Any:
    tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x if more is None else more["x"])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=by)
    short = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=short, src=tile)
    return {"short": short, "by": by}


@nki.jit
def cleared(x: Any) -> None:
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=x, src=tile)


class Shape(NamedTuple):
    shape: tuple[int, ...]
    dtype: Any


class Tracer:
    """An array whose values are not there yet."""

    def __init__(self, value: Any) -> None:
        self.later = value
        self.shape, self.dtype = value.shape, value.dtype

    def __array__(self, *_: Any) -> Any:
        raise AssertionError("it has no values yet")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A substitute of JAX; the callbacks that it was given."""
    made: list[Any] = []

    def pure_callback(
        run: Callable[..., Any], wanted: Sequence[Shape], *args: Tracer, vmap_method: str
    ) -> list[Tracer]:
        made.append(run)
        found = run(*(arg.later for arg in args))
        assert [Shape(one.shape, one.dtype) for one in found] == list(wanted)
        return [Tracer(one) for one in found]

    jax = ModuleType("jax")
    vars(jax).update(Tracer=Tracer, ShapeDtypeStruct=Shape, pure_callback=pure_callback)
    jax.Array = type("Array", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jax", jax)
    monkeypatch.delitem(sys.modules, "jax.core", raising=False)
    return made


def test_a_call_that_is_traced_runs_when_the_values_are_there(calls: list[Any]) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = scaled(Tracer(x), by=3.0)
    assert found["by"] == 3.0
    assert found["short"].dtype == ml_dtypes.bfloat16
    assert (found["short"].later == 3 * x).all()
    assert (calls[0](10 * x)[0] == 30 * x).all()  # JAX may call it again


def test_traced_arrays_are_found_in_containers_next_to_others(calls: list[Any]) -> None:
    x = np.ones((2, 3), np.float32)
    assert (scaled(x, more={"x": Tracer(4 * x)})["short"].later == 8 * x).all()
    assert len(calls) == 1


def test_a_call_with_values_is_none_of_jax(calls: list[Any]) -> None:
    x = np.ones((2, 3), np.float32)
    assert (scaled(x)["short"] == 2 * x).all()
    assert calls == []


@pytest.mark.usefixtures("calls")
def test_a_kernel_that_writes_its_arguments_is_refused() -> None:
    with pytest.raises(Failure) as failure:
        cleared(Tracer(np.ones((2, 3), np.float32)))
    (problem,) = failure.value.problems
    assert problem.message == "the kernel writes its argument x, and arrays of JAX never change"


def test_jax_itself_traces_calls() -> None:
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(6, dtype="float32").reshape(2, 3)
    jitted = jax.jit(lambda x: scaled(x)["short"].astype("float32") + 1)
    assert (np.asarray(jitted(x)) == 2 * np.asarray(x) + 1).all()
    both = jax.vmap(lambda x: scaled(x)["short"])(jax.numpy.stack([x, 2 * x]))
    assert (np.asarray(both[1], np.float32) == 4 * np.asarray(x)).all()
