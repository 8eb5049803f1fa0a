"""What earlier versions of NKI write: taken where it means something today, else refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure, Problem
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel import trace
from tests.nki.minikernel import loaded, result, sbuf, seeded, stored

A = seeded(1, 64, 32)


def problem_of(call: Callable[[Any], Any]) -> Problem:
    """What is wrong with a call that gets a tile."""

    def kernel(source: Any) -> Any:
        call(loaded(source))

    with pytest.raises(Failure) as failure:
        trace(kernel, A)
    return failure.value.problems[0]


OLD: list[Callable[[Any], Any]] = [
    lambda x: nisa.tensor_copy(x),
    lambda x: nisa.tensor_tensor(x, x, op=nl.add),
    lambda x: nisa.activation(op=nl.exp, data=x),
    lambda x: nisa.activation(op=nl.exp, data=x, dtype=nl.bfloat16),
    lambda x: nisa.tensor_reduce(op=nl.add, data=x, axis=1),
    lambda x: nisa.nc_matmul(x, x),
    lambda x: nisa.nc_transpose(x),
    lambda x: nisa.tensor_scalar(x, nl.add, 1.0, mask=x),
    lambda x: nisa.tensor_copy(x, x, mask=x),
    lambda x: nisa.tensor_copy_dynamic_src(x, x),  # type: ignore[attr-defined]
    lambda x: nisa.dma_copy(x, x, dst_rmw_op=nl.add),
]


@pytest.mark.parametrize("call", OLD)
def test_calls_of_earlier_versions_are_refused_at_their_line(call: Callable[[Any], Any]) -> None:
    problem = problem_of(call)
    assert problem.code == "E0650"
    assert problem.span is not None
    assert "nisa." in problem.span.text


def test_a_call_of_the_first_version_is_reported_of_the_migration_guide() -> None:
    problem = problem_of(OLD[0])
    assert "NKI 0.1" in problem.message
    assert "migration guide" in problem.hint


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: nisa.tensor_copy(x, source=x), "unexpected keyword argument 'source'"),
        (lambda x: nisa.tensor_copy(dst=x), "missing 1 required positional argument: 'src'"),
        (lambda x: nisa.reciprocal(x, x, "name", x), "takes from 2 to 3 positional arguments"),
        (lambda x: nisa.tensor_tensor(x, op=nl.add), "missing 2 required positional arguments"),
    ],
)
def test_what_python_says_of_wrong_arguments(call: Callable[[Any], Any], said: str) -> None:
    def kernel(source: Any) -> Any:
        call(loaded(source))

    with pytest.raises(TypeError, match=said):
        trace(kernel, A)


def test_dtype_of_a_copy_repeats_what_dst_says() -> None:
    def kernel(source: Any) -> Any:
        tile = sbuf((64, 32))
        nisa.tensor_copy(tile, loaded(source), dtype=nl.float32)  # type: ignore[call-arg]
        return stored(tile)

    assert np.array_equal(result(kernel, A), A)


def test_another_dtype_of_a_copy_is_refused() -> None:
    problem = problem_of(lambda x: nisa.tensor_copy(x, x, dtype=nl.bfloat16))
    assert (problem.code, problem.message) == ("E0651", "dtype=bfloat16, and dst is float32")


def test_keywords_that_have_other_names_today() -> None:
    def kernel(source: Any) -> Any:
        register = nisa.register_alloc()
        nisa.register_move(register, imm=9)  # type: ignore[call-arg]
        out = nl.ndarray((64, 32), nl.float32, nl.shared_hbm)
        nisa.dma_copy(out, source, dst_rmw_op=None, unique_indices=True)  # type: ignore[call-arg]
        tile = sbuf((1, 1), nl.int32)
        nisa.register_store(tile, register)
        return out, stored(tile)

    out, number = result(kernel, A)
    assert np.array_equal(out, A)
    assert number.tolist() == [[9]]
