"""What nki.language refuses, at the kernel's line and with a way on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel_run import run
from nasm.nki.old_names import GONE
from tests.nki.kernels import refused, tensor, traced
from tests.tables import each

OLD = {
    "arange": lambda x: nl.arange(128),
    "arange in brackets": lambda x: nl.arange(128)[:, None],
    "mgrid": lambda x: nl.mgrid[0:128, 0:512],
    "par_dim": lambda x: nl.ndarray((4, nl.par_dim(128), 8), nl.float32),
    "mask of a function": lambda x: nl.load(x, mask=x),
    "mask of an operator": lambda x: nl.add(x, 1.0, mask=None),
    "mask of a tensor": lambda x: nl.zeros((4, 8), nl.float32, mask=None),
    "assignment": lambda x: x.__setitem__(Ellipsis, 1.0),
    "a module's constant": lambda x: nl.fp32.min,
}


@pytest.mark.parametrize("name", OLD)
def test_nki_0_1_is_refused_with_its_guides_name(name: str) -> None:
    with traced() as trace:
        x = tensor(trace, (4, 8), dtype="float32")
        said = refused(lambda: OLD[name](x))
        assert said.code == "E0650"
        assert "migration guide" in said.hint
        assert "0.1" in said.message + said.hint


@pytest.mark.parametrize("name", GONE)
def test_a_name_that_is_gone_says_what_is_written_now(name: str) -> None:
    with traced():
        said = refused(lambda: vars(nl)[name](1))
        assert said.message.startswith(f"nl.{name} is of NKI 0.1")
        assert said.hint.startswith(GONE[name])


CALLS: dict[str, tuple[Any, str, str]] = {
    "no tile": (lambda x, h, p: nl.add(1.0, 2.0), "wanted a tile at least on one side", ""),
    "in HBM": (lambda x, h, p: nl.add(h, 1.0), "wanted a tile on chip", "nl.load"),
    "no tensor": (lambda x, h, p: nl.exp("x"), "x is 'x'; wanted a tile", ""),
    "shapes": (lambda x, h, p: nl.add(x, x[:, 0:3]), "[4, 8] and [4, 3]", ""),
    "axes": (lambda x, h, p: nl.add(x, x.expand_dim(1)), "[4, 8] and [4, 1, 8]", ""),
    "partitions": (lambda x, h, p: nl.add(x, x[0:1]), "4 and 1 partitions", "nl.broadcast_to"),
    "divide": (lambda x, h, p: nl.divide(x, 2.0), "no instruction does it", "nl.reciprocal"),
    "invert": (lambda x, h, p: nl.invert(x), "wanted integers", ""),
    "rsqrt of PSUM": (lambda x, h, p: nl.rsqrt(p), "reaches SBUF alone", "nl.copy"),
    "axis 0": (lambda x, h, p: nl.sum(x, axis=0), "wanted its last axes", "nc_matmul"),
    "first axes": (lambda x, h, p: nl.max(x.reshape((4, 2, 4)), axis=1), "wanted its last", ""),
    "no axis": (lambda x, h, p: nl.mean(x, axis=2), "axis 2 of", ""),
    "no axes": (lambda x, h, p: nl.mean(x, axis=[]), "wanted its last axes", ""),
    "load on chip": (lambda x, h, p: nl.load(x), "wanted a tensor in HBM", ""),
    "load of one axis": (lambda x, h, p: nl.load(h[0]), "of one axis", ".reshape((n, 1))"),
    "store on chip": (lambda x, h, p: nl.store(x, x), "dst is <sbuf", ""),
    "store of PSUM": (lambda x, h, p: nl.store(h, p), "no DMA reads PSUM", "nl.copy"),
    "transpose": (lambda x, h, p: nl.transpose(x.expand_dim(1)), "found 3", ""),
    "matmul": (lambda x, h, p: nl.matmul(x, x), "8 columns and 4 rows", ""),
    "broadcast_to": (lambda x, h, p: nl.broadcast_to(x, (8, 8)), "each of 1 or of its", ""),
    "broadcast of integers": (
        lambda x, h, p: nl.broadcast_to(nl.zeros((1, 8), nl.int32), (4, 8)),
        "a matmul, of floats",
        "nl.copy",
    ),
    "gather": (lambda x, h, p: nl.gather_flattened(x, x, axis=1), "axis=1", ""),
    "one axis": (lambda x, h, p: nl.ndarray((128,), nl.float32), "two axes or more", "(128, 1)"),
    "no sizes": (lambda x, h, p: nl.ndarray((4, 0), nl.float32), "sizes of at least 1", ""),
    "half sizes": (lambda x, h, p: nl.ndarray((4, 8 / 2), nl.float32), "4.0 as a size", ""),
    "buffer": (lambda x, h, p: nl.ndarray((4, 8), nl.float32, "dram"), "buffer='dram'", ""),
    "dtype": (lambda x, h, p: nl.ndarray((4, 8), np.float64), "no dtype 'float64'", "64 bits"),
    "fill": (lambda x, h, p: nl.full((4, 8), x, nl.float32), "wanted a number", ""),
    "fraction": (lambda x, h, p: nl.full((4, 8), "a", nl.float32), "wanted a number", ""),
    "like": (lambda x, h, p: nl.zeros_like(3), "x is 3; wanted a tensor", ""),
    "rand in HBM": (lambda x, h, p: nl.rand((4, 8), nl.float32, nl.hbm), "made on chip", "store"),
    "seed": (lambda x, h, p: nl.random_seed(42), "seed is 42; wanted a tile", ""),
    "constant": (lambda x, h, p: nl.shared_constant("no.npy"), "no.npy", ""),
    "no array": (lambda x, h, p: nl.shared_constant(x), "wanted an array of numbers", ""),
    "identity": (lambda x, h, p: nl.shared_identity_matrix(129), "wanted 1 to 128 rows", ""),
    "grid": (lambda x, h, p: nl.program_id(1), "launched along one axis", ""),
    "range": (
        lambda x, h, p: nl.affine_range(nisa.register_alloc(1)),
        "bounds are in a register",
        "nl.fori_loop",
    ),
    "python's range": (lambda x, h, p: nl.static_range(1, 8, 0), "step 0", ""),
    "size in a register": (
        lambda x, h, p: nl.zeros((4, nisa.register_alloc(1)), nl.float32),
        "a size is in a register",
        "",
    ),
    "print": (lambda x, h, p: nl.device_print(1, x), "wanted a text", ""),
    "condition": (lambda x, h, p: nl.where(1.0, x, x), "condition is 1.0", ""),
}


@each("name", CALLS)
def test_a_call_without_a_meaning_is_refused(name: str) -> None:
    body, said, hint = CALLS[name]
    with traced() as trace:
        x = tensor(trace, (4, 8), dtype="float32")
        h = tensor(trace, (4, 8), nl.hbm, dtype="float32")
        p = tensor(trace, (4, 8), nl.psum, dtype="float32")
        problem = refused(lambda: body(x, h, p))
        assert said in problem.message
        assert hint in problem.hint
        assert problem.span is not None


@pytest.mark.parametrize(
    "call",
    [
        lambda x: nl.add(x),
        lambda x: nl.load(x, colour=1),
        lambda x: nl.ndarray((4, 8)),
        lambda x: nl.sum(x),
    ],
)
def test_a_wrong_call_is_pythons_type_error(call: Any) -> None:
    with traced() as trace, pytest.raises(TypeError):
        call(tensor(trace, (4, 8)))


def test_a_function_outside_of_a_kernel_says_so() -> None:
    said = refused(lambda: nl.zeros((4, 8), nl.float32))
    assert "outside of a kernel" in said.message


def test_the_new_operators_of_v4_are_refused_before_it() -> None:
    with traced() as trace:
        x = tensor(trace, (4, 8), dtype="float32")
        nl.abs_max(x, 2.0)  # recorded; what the generation lacks is said where it is lowered

    def kernel(source: Any) -> Any:
        out = nl.ndarray((4, 8), nl.float32, buffer=nl.shared_hbm)
        nl.store(out, nl.abs_max(nl.load(source), -2.0))
        return out

    x = np.array([[-3, 1, 2, 0.5]], np.float32).repeat(4, 0).repeat(2, 1)
    assert "v4" in str(refused(lambda: run(kernel, x, target="trn2")))
    made = run(kernel, x, target="trn3").outputs
    assert np.array_equal(made, np.where(np.abs(x) > 2, x, -2))
