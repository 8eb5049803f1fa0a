"""The activation functions against the math module, one scalar at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from nasm.isa.evidence import Evidence
from nasm.targets.neuron import activations
from nasm.targets.neuron.activations import ACTIVATIONS, activate
from tests.tables import each

NAN, INF = math.nan, math.inf
F32 = np.float32
SQRT2 = math.sqrt(2)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """The contract of activations: whoever runs them has silenced NumPy once."""
    with np.errstate(all="ignore"):
        yield


def floats(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, F32)


def signed(low: float, high: float) -> np.ndarray[Any, Any]:
    """Values of both signs, evenly spread in magnitude and in its logarithm, and zero."""
    sizes = np.concatenate([np.geomspace(low, high, 400), np.linspace(low, high, 400)])
    return np.concatenate([-sizes, [0.0], sizes]).astype(F32)


def sigmoid(x: float) -> float:
    # Either form alone overflows on one side.
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def normal_cdf(x: float) -> float:
    # Equal to (1 + erf(x / sqrt 2)) / 2, which has no digits left for x below -6.
    return math.erfc(-x / SQRT2) / 2


def normal_density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def tanh_gelu(x: float) -> float:
    # (1 + tanh u) / 2 = sigmoid(2 u), for the same reason.
    return x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


ALL = signed(1e-30, 60.0)
REFERENCE: dict[str, tuple[np.ndarray[Any, Any], Callable[[float], float]]] = {
    "copy": (ALL, lambda x: x),
    "square": (ALL, lambda x: x * x),
    "abs": (ALL, abs),
    "sign": (ALL, lambda x: float((x > 0) - (x < 0))),
    "relu": (ALL, lambda x: max(x, 0.0)),
    "exp": (ALL, math.exp),
    "log": (np.geomspace(2.0**-64, 2.0**64, 999).astype(F32), math.log),
    "sqrt": (np.geomspace(2.0**-116, 2.0**118, 999).astype(F32), math.sqrt),
    "rsqrt": (np.geomspace(2.0**-87, 2.0**97, 999).astype(F32), lambda x: 1 / math.sqrt(x)),
    "reciprocal": (ALL[ALL != 0], lambda x: 1 / x),
    "sin": (signed(1e-30, 3.14), math.sin),
    "arctan": (signed(1e-30, 1.57), math.atan),
    "tanh": (ALL, math.tanh),
    "sigmoid": (ALL, sigmoid),
    "silu": (ALL, lambda x: x * sigmoid(x)),
    "silu_dx": (ALL, lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x)),
    "gelu": (ALL, lambda x: x * normal_cdf(x)),
    "gelu_dx": (ALL, lambda x: normal_cdf(x) + x * normal_density(x)),
    "gelu_apprx_tanh": (ALL, tanh_gelu),
    "gelu_apprx_sigmoid": (ALL, lambda x: x * sigmoid(1.702 * x)),
    "gelu_apprx_sigmoid_dx": (
        ALL,
        lambda x: sigmoid(1.702 * x) * (1 + 1.702 * x * sigmoid(-1.702 * x)),
    ),
    "softplus": (ALL, softplus),
    "mish": (ALL, lambda x: x * math.tanh(softplus(x))),
    "erf": (ALL, math.erf),
    "erf_dx": (ALL, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x)),
}


def test_the_reference_covers_every_plain_function() -> None:
    assert tuple(REFERENCE) == activations.PLAIN


def test_there_are_the_26_documented_functions() -> None:
    assert len(ACTIVATIONS) == 26


@each("op", REFERENCE)
def test_functions_are_the_math_modules_rounded(op: str) -> None:
    """Nearly everywhere: of a sum that cancels, or near a tie, the math module errs itself."""
    x, function = REFERENCE[op]
    got = activate(op, x)
    assert got.dtype == F32
    exact = np.array([function(float(v)) for v in x])
    error = np.abs(got - exact)
    ulp = np.spacing(np.abs(exact.astype(F32))).astype(np.float64)
    # Where a derivative crosses zero the terms of the reference cancel.
    slack = 1e-15 if op.endswith("_dx") else 0.0
    worst = int(np.argmax(error - ulp))
    assert np.all(error <= np.maximum(ulp, slack)), (x[worst], got[worst], exact[worst])
    # And nearly everywhere it is the nearest float32 itself.
    assert np.mean(got == exact.astype(F32)) > 0.999


@pytest.mark.parametrize("op", ["exp", "erf", "gelu", "sin"])
def test_a_large_tile_equals_its_pieces(op: str) -> None:
    """Large arrays are worked on in parts; shape, order and views must survive it."""
    x = np.random.default_rng(4).standard_normal((300, 128), dtype=F32).T[:, ::2]
    got = activate(op, x)
    assert got.shape == x.shape
    for row in (0, 1, 77, 127):
        assert got[row].tolist() == activate(op, x[row]).tolist()


@pytest.mark.parametrize(
    ("op", "x", "value"),
    [
        # sin(9.0) is 27.6526 in the vendor's reference; by hand d = 9 - pi, d^3 / 6 - d.
        ("sin", 9.0, 27.6526),
        ("sin", -9.0, -27.6526),
        ("gelu", 1.0, 0.841345),
        ("gelu_apprx_tanh", 1.0, 0.841192),
        ("gelu_apprx_sigmoid", 1.0, 0.845796),
        ("silu", 1.0, 0.731059),
        ("mish", 1.0, 0.865098),
        ("erf", 0.5, 0.520500),
        ("softplus", 0.0, 0.693147),
    ],
)
def test_published_values(op: str, x: float, value: float) -> None:
    """To the six digits with which they are printed."""
    assert float(activate(op, floats(x))[0]) == pytest.approx(value, rel=3e-6)


def test_sin_is_continuous_where_the_cubic_takes_over() -> None:
    # The two neighbours of pi in float32, one on either side of it.
    below, above = floats(3.1415925), floats(3.1415927)
    assert float(activate("sin", below)[0]) == pytest.approx(math.pi - float(below[0]), rel=1e-6)
    assert float(activate("sin", above)[0]) == pytest.approx(math.pi - float(above[0]), rel=1e-6)


def test_large_arguments_neither_overflow_nor_turn_into_nan() -> None:
    x = floats(-3e38, -1000, 1000, 3e38)
    want = {
        "sigmoid": [0, 0, 1, 1],
        "tanh": [-1, -1, 1, 1],
        "erf": [-1, -1, 1, 1],
        "silu_dx": [0, 0, 1, 1],
        "gelu_dx": [0, 0, 1, 1],
        "gelu_apprx_sigmoid_dx": [0, 0, 1, 1],
        "erf_dx": [0, 0, 0, 0],
    }
    for op in ("softplus", "silu", "mish", "gelu", "gelu_apprx_tanh", "gelu_apprx_sigmoid"):
        want[op] = [0, 0, 1000, float(F32(3e38))]
    for op, values in want.items():
        assert activate(op, x).tolist() == values, op


@each("op", activations.PLAIN)
def test_nan_goes_through_every_function(op: str) -> None:
    assert np.isnan(activate(op, floats(NAN, 1.0))).tolist() == [True, False]


def test_infinities_where_a_limit_exists() -> None:
    both = floats(-INF, INF)
    assert activate("exp", both).tolist() == [0, INF]
    assert activate("tanh", both).tolist() == [-1, 1]
    assert activate("sigmoid", both).tolist() == [0, 1]
    assert activate("softplus", both).tolist() == [0, INF]
    assert activate("erf", both).tolist() == [-1, 1]
    assert activate("relu", both).tolist() == [0, INF]


def test_subnormal_results_are_kept() -> None:
    # e^-100 = 3.72e-44 is 26.5 times the smallest float32.
    assert activate("exp", floats(-100)).tolist() == [float(F32(math.exp(-100)))]
    assert activate("exp", floats(-100))[0] > 0


@pytest.mark.parametrize(
    ("op", "inside", "outside"),
    [
        ("log", [2.0**-64, 1, 2.0**64], [0, -1, 2.0**65]),
        ("sqrt", [2.0**-116, 2.0**118], [2.0**-117, 2.0**119]),
        ("rsqrt", [2.0**-87, 2.0**97], [2.0**-88, 2.0**98]),
        ("reciprocal", [-(2.0**-42), 2.0**42], [0, 2.0**-43, -(2.0**43)]),
        ("sin", [-3.14, 3.14], [-3.15, 3.15]),
        ("arctan", [-1.57, 1.57], [-1.58, 1.58]),
        ("exp", [-1e38, 1e38], []),
    ],
)
def test_valid_ranges(op: str, inside: list[float], outside: list[float]) -> None:
    assert ACTIVATIONS[op].is_valid(floats(*inside)).all()
    assert not ACTIVATIONS[op].is_valid(floats(*outside)).any()


@each("row", ACTIVATIONS.values(), ids=lambda row: row.name)
def test_every_row_says_what_it_is(row: activations.ActivationFunction) -> None:
    assert row.formula
    assert row.source
    assert (row.evidence is Evidence.ASSUMED) == ("assumed" in row.source)
    assert (row.function is None) == bool(row.parameter)


def test_formulas_pinned_by_reference_code_are_documented() -> None:
    pinned = {"silu", "gelu", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx"}
    for op in pinned:
        assert ACTIVATIONS[op].evidence is Evidence.DOCUMENTED


def test_prelu_needs_its_parameter_and_comes_with_v4() -> None:
    row = ACTIVATIONS["prelu"]
    assert (row.parameter, row.since) == ("relu_param", "v4")
    assert "prelu" not in activations.PLAIN
    x = floats(-2, 0, 3)
    assert activations.prelu(x, 0.25).tolist() == [-0.5, 0, 3]
    per_lane = activations.prelu(np.stack([x, x]), floats(0.5, -1).reshape(2, 1))
    assert per_lane.dtype == F32
    assert per_lane.tolist() == [[-1, 0, 3], [2, 0, 3]]
