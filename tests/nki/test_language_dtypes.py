"""Dtypes: strings that are also taken for what they name."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.nki import language as nl
from nasm.nki.names import DType
from tests.nki.kernels import computed, refused, tensor, traced


def test_a_dtype_is_a_string() -> None:
    assert nl.float8_e4m3 == "float8_e4m3"
    assert str(nl.float8_e4m3) == "float8_e4m3"
    assert type(str(nl.float8_e4m3)) is str
    assert f"{nl.bfloat16}" == "bfloat16"
    assert {nl.float32: 1}["float32"] == 1
    assert nl.float32 in ["float32"]
    assert repr(nl.int8) == "nl.int8"
    assert nl.int8.name == "int8"


def test_a_dtype_can_be_copied_and_pickled() -> None:
    for made in (copy.deepcopy(nl.bfloat16), pickle.loads(pickle.dumps(nl.bfloat16))):
        assert made == nl.bfloat16
        assert isinstance(made, DType)


def test_a_dtype_has_a_size() -> None:
    sizes = {nl.bool_: 1, nl.int16: 2, nl.bfloat16: 2, nl.float32: 4, nl.float4_e2m1fn_x4: 2}
    assert {name: name.itemsize for name in sizes} == sizes


def test_numpy_takes_it_for_what_it_names() -> None:
    assert np.zeros(2, dtype=nl.float32).dtype == np.float32
    assert np.zeros(2).astype(nl.bfloat16).dtype == ml_dtypes.bfloat16
    assert np.dtype(nl.float8_e4m3fn) == ml_dtypes.float8_e4m3fn


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.float32, "float32"),
        (np.dtype(np.int16), "int16"),
        (np.bool_, "bool_"),
        (bool, "bool_"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.float8_e5m2), "float8_e5m2"),
        ("f32", "float32"),
        ("torch.float16", "float16"),
        (SimpleNamespace(dtype=np.dtype(np.uint8)), "uint8"),
        (nl.tfloat32, "tfloat32"),
    ],
)
def test_a_dtype_is_made_of_what_others_call_it(given: Any, name: str) -> None:
    assert DType(given) == name


def test_what_is_no_dtype_is_refused() -> None:
    assert refused(lambda: DType("float23")).message == "no dtype 'float23'"
    assert "64 bits" in refused(lambda: DType(np.float64)).hint


def test_a_tensor_keeps_the_name_of_its_dtype() -> None:
    with traced() as trace:
        made = tensor(trace, (4, 8), dtype=nl.bool_)
        assert made.dtype == nl.bool_
        assert made[:, 0:2].permute((0, 1)).dtype == nl.bool_
        assert made.view(nl.int8).dtype == nl.int8
        assert made.ap([[8, 4], [1, 8]], dtype=nl.uint8).dtype == nl.uint8


@pytest.mark.parametrize(("target", "stored"), [("trn2", "float8_e4m3"), ("trn3", "float8_e4m3fn")])
def test_e4m3fn_is_e4m3_where_the_generation_has_no_other(target: str, stored: str) -> None:
    with traced(target) as trace:
        made = tensor(trace, (4, 8), dtype=nl.float8_e4m3fn)
        assert made.dtype == nl.float8_e4m3fn
        assert made.view_.tensor.dtype.name == stored
        bits = tensor(trace, (4, 8), dtype=nl.uint8)
        assert bits.view(nl.float8_e4m3fn).view_.dtype.name == stored


def test_an_argument_in_e4m3fn_is_read_by_its_bits() -> None:
    # 0x38 is 1.0 in both; 0x77 is 240, the largest of e4m3; 0x7c is 384 in e4m3fn, in e4m3 a NaN.
    bits = np.array([[0x38, 0x77, 0x7C]], np.uint8)
    fine = computed(lambda x: nl.copy(x, dtype=nl.float32), bits.view(ml_dtypes.float8_e4m3fn))
    assert fine[0, :2].tolist() == [1.0, 240.0]
    assert np.isnan(fine[0, 2])
    later = computed(
        lambda x: nl.copy(x, dtype=nl.float32), bits.view(ml_dtypes.float8_e4m3fn), target="trn3"
    )
    assert later.tolist() == [[1.0, 240.0, 384.0]]
