"""The activation functions of the Scalar engine: one row each, and how to apply one.

The hardware evaluates them by piecewise polynomials whose coefficients are not published, so
nasm gives the mathematical value, correctly rounded to float32: NumPy's functions err by up to
4 ulp, and differently from one processor to the next.

Outside its valid range a function's result is invalid on the hardware, not clamped. Here sin
extrapolates as the vendor describes; the others keep the mathematical value, and the row's
``valid_range`` is there for a caller that wants to refuse. An infinity goes through the formula as
IEEE 754 has it, so that silu(-inf), which is -inf * 0, is NaN (assumed).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact import Formula, rounded
from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence
from nasm.targets.neuron.math_functions import Floats, reciprocal_root, relu

Function = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class ActivationFunction:
    """One activation function: what it computes, where it is valid, and its source.

    ``function`` maps float32 to float32; None where a parameter is needed, which ``parameter``
    names and nki.isa.activate2 alone supplies. ``valid_range`` bounds x, or |x| if
    ``by_magnitude``; None is everywhere. ``beyond`` says that the formula is known outside of it
    as well. ``explorer`` is the profiler's name where it is known to differ. ``table`` names the
    table of functions that it is in; empty for one of its own.
    """

    name: str
    formula: str
    function: Function | None
    source: str
    evidence: Evidence = Evidence.DOCUMENTED
    valid_range: tuple[float, float] | None = None
    by_magnitude: bool = False
    beyond: bool = False
    parameter: str = ""
    since: str = "v2"
    explorer: str = ""
    table: str = ""

    @property
    def needs(self) -> str:
        """The table that Scalar has to have loaded for it."""
        return self.table or self.name

    @property
    def range_text(self) -> str:
        """The valid input range, as the manual prints it."""
        if self.valid_range is None:
            return "all x"
        low, high = (f"{bound:.4g}" for bound in self.valid_range)
        return f"{low} to {high}" + (", either sign" if self.by_magnitude else "")

    def is_valid(self, x: Floats) -> NDArray[np.bool_]:
        """Where x lies in the range for which the hardware's result is valid."""
        if self.valid_range is None:
            return np.ones(x.shape, np.bool_)
        low, high = self.valid_range
        size = np.abs(x) if self.by_magnitude else x
        inside: NDArray[np.bool_] = (size >= low) & (size <= high)
        return inside


# Formulas, on arrays of float64 or on one Decimal: f has the functions
# (nasm/base/exact/libraries.py).


def _sigmoid(f: Any, x: Any) -> Any:
    return 1 / (1 + f.exp(-x))


def _slope(f: Any, x: Any) -> tuple[Any, Any]:
    """The derivative of x * sigmoid(x): s * (1 + x * sigmoid(-x)), and the size of its terms."""
    s, rest = _sigmoid(f, x), x * _sigmoid(f, -x)
    return s * (1 + rest), s * (1 + f.abs(rest))


def _gelu_dx(f: Any, x: Any) -> tuple[Any, Any]:
    below = f.normal_cdf(x)
    rest = x * f.exp(-(x * x) / 2) / f.sqrt(2 * f.pi)
    return below + rest, below + f.abs(rest)


def _gelu_tanh(f: Any, x: Any) -> Any:
    # (1 + tanh u) / 2 is sigmoid(2 u), and loses no digits for negative u.
    u = f.sqrt(2 / f.pi) * (x + f.number("0.044715") * x * x * x)
    return x * _sigmoid(f, 2 * u)


def _gelu_sigmoid_dx(f: Any, x: Any) -> tuple[Any, Any]:
    return _slope(f, f.number("1.702") * x)


def _softplus(f: Any, x: Any) -> Any:
    # ln(1 + e^x) without the overflow: e^-|x| is at most 1.
    return f.most(x, 0) + f.log1p(f.exp(-f.abs(x)))


def _mish(f: Any, x: Any) -> Any:
    # tanh(ln(1 + n)) = (n^2 + 2 n) / (n^2 + 2 n + 2), which is 1 in float64 beyond x = 40.
    n = f.exp(f.least(x, 40))
    n = n * (n + 2)
    return x * (n / (n + 2))


_sine = rounded(lambda f, x: f.sin(x))


def _sin(x: Floats) -> Floats:
    outside = np.abs(x.astype(np.float64)) > math.pi
    if not outside.any():
        return _sine(x)
    beyond = x[outside].astype(np.float64)
    d = beyond - np.copysign(math.pi, beyond)
    result = _sine(np.where(outside, np.float32(0), x))
    result[outside] = d * (d * d / 6 - 1)
    return result


_TABLE: Final = "NKI reference, Supported Activation Functions"
_STANDARD: Final = f"{_TABLE}; the standard definition is assumed"
_KERNELS: Final = f"{_TABLE}; formula from nki-library's reference functions"
_ASSUMED: Final = Evidence.ASSUMED
_ROOTS: Final = "roots"
"""The one table of several functions that is known, from one third-party map (assumed)."""


def _standard(name: str, formula: str, function: Function, **facts: Any) -> ActivationFunction:
    return ActivationFunction(name, formula, function, _STANDARD, _ASSUMED, **facts)


def _pinned(name: str, formula: str, function: Formula) -> ActivationFunction:
    return ActivationFunction(name, formula, rounded(function), _KERNELS)


_ROWS: Final = (
    ActivationFunction("copy", "x", lambda x: x, _TABLE, explorer="IDENTITY", table=_ROOTS),
    _standard("square", "x * x", np.square, table=_ROOTS),
    _standard("abs", "|x|", np.abs),
    ActivationFunction("sign", "-1, 0 or 1", np.sign, f"{_TABLE}; nki.language.sign"),
    _standard("relu", "max(x, 0)", relu),
    ActivationFunction(
        "prelu",
        "x if x > 0 else relu_param * x",
        None,
        _STANDARD,
        _ASSUMED,
        parameter="relu_param",
        since="v4",
    ),
    _standard("exp", "e^x", rounded(lambda f, x: f.exp(x))),
    _standard("log", "ln x", rounded(lambda f, x: f.log(x)), valid_range=(2.0**-64, 2.0**64)),
    _standard("sqrt", "x^0.5", np.sqrt, valid_range=(2.0**-116, 2.0**118), table=_ROOTS),
    _standard("rsqrt", "x^-0.5", reciprocal_root, valid_range=(2.0**-87, 2.0**97), table=_ROOTS),
    _standard(
        "reciprocal",
        "1 / x",
        lambda x: np.divide(np.float32(1), x),
        valid_range=(2.0**-42, 2.0**42),
        by_magnitude=True,
    ),
    ActivationFunction(
        "sin",
        "sin x; beyond +-pi the cubic -(x -+ pi) + (x -+ pi)^3 / 6",
        _sin,
        f"{_TABLE}: sin(9.0) is about 27.65; that the cubic is Taylor's is assumed",
        _ASSUMED,
        (-math.pi, math.pi),
        beyond=True,
    ),
    _standard(
        "arctan",
        "atan x",
        rounded(lambda f, x: f.arctan(x)),
        valid_range=(-math.pi / 2, math.pi / 2),
    ),
    _standard("tanh", "tanh x", rounded(lambda f, x: f.tanh(x))),
    _standard("sigmoid", "1 / (1 + e^-x)", rounded(_sigmoid)),
    _pinned("silu", "x * sigmoid(x)", lambda f, x: x * _sigmoid(f, x)),
    _standard("silu_dx", "s + x * s * (1 - s), s = sigmoid(x)", rounded(_slope)),
    _pinned("gelu", "0.5 * x * (1 + erf(x / sqrt 2))", lambda f, x: x * f.normal_cdf(x)),
    _standard("gelu_dx", "Phi(x) + x * phi(x), of the normal distribution", rounded(_gelu_dx)),
    _pinned(
        "gelu_apprx_tanh", "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))", _gelu_tanh
    ),
    _pinned(
        "gelu_apprx_sigmoid",
        "x * sigmoid(1.702 * x)",
        lambda f, x: x * _sigmoid(f, f.number("1.702") * x),
    ),
    _pinned(
        "gelu_apprx_sigmoid_dx",
        "sigmoid(t) * (1 + t * sigmoid(-t)), t = 1.702 * x",
        _gelu_sigmoid_dx,
    ),
    _standard("softplus", "ln(1 + e^x)", rounded(_softplus)),
    _standard("mish", "x * tanh(softplus(x))", rounded(_mish)),
    _standard("erf", "erf x", rounded(lambda f, x: f.erf(x))),
    _standard(
        "erf_dx", "2 / sqrt(pi) * e^(-x^2)", rounded(lambda f, x: 2 / f.sqrt(f.pi) * f.exp(-x * x))
    ),
)

ACTIVATIONS: Final = {a.name: a for a in _ROWS}
# What nki.isa.activation may name; the others need a parameter that only activate2 carries.
PLAIN: Final = tuple(a.name for a in _ROWS if not a.parameter)

_FUNCTIONS: Final = {a.name: a.function for a in _ROWS if a.function is not None}


def activate(op: str, x: Floats) -> Floats:
    """Apply an activation function to a float32 array; the result may be x itself (copy).

    Call it under ``np.errstate(all="ignore")``; it does not enter it. prelu has its own function.
    """
    return _FUNCTIONS[op](x)


OUTSIDE: Final = (
    "outside its valid input range a function's result is invalid, here the mathematical one "
    f"({_TABLE})"
)
_LIMITED: Final = {a.name: a for a in _ROWS if a.valid_range is not None and not a.beyond}


def doubt(op: str, x: Floats) -> str | None:
    """What to say of elements outside the valid input range of a function; None if there are none.

    NaN is not counted: a function of it is NaN, and where it came from has been said.
    """
    limited = _LIMITED.get(op)
    if limited is None:
        return None
    inside = limited.is_valid(x)
    if inside.all():
        return None
    outside = x[~inside & ~np.isnan(x)]
    if not outside.size:
        return None
    more = f" and {outside.size - 1:,} more" if outside.size > 1 else ""
    return f"takes {op} of {outside[0]:.6g}{more}, outside {limited.range_text}"


def prelu(x: Floats, relu_param: Floats | float) -> Floats:
    """The prelu of a float32 array; ``relu_param`` is a number, or a [P, 1] array of float32."""
    result: Floats = np.where(x > 0, x, x * relu_param)
    return result
