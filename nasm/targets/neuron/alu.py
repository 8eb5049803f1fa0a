"""The ALU operators: one row each, and how to apply one to arrays or fold an array with it.

Arithmetic operators work on float32 alone: reading an operand widens it, writing a result rounds
it. Bitwise and shift operators take integers as raw bits and convert nothing.

Names are ``nki.language``'s. ``arith_shift_left`` and ``arith_shift_right`` have none there (the
vendor's front end offers logical shifts only) and carry KLR's, which follows the hardware.
``logical_not`` is no operator of the hardware: the front end emits ``bitwise_xor`` with 1.

Every function here wants to run under ``np.errstate(all="ignore")``, entered once around a run:
infinities and NaN are results on this machine, and entering it costs more than a small operation.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nasm.base.problems import Refused, listed
from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence
from nasm.targets.neuron.extremes import EXTREMES, NUMBERS, Extreme
from nasm.targets.neuron.integers import Array, Kernel, bitwise, exact, shift, wrap32
from nasm.targets.neuron.math_functions import larger, power, reciprocal_root, relu, smaller, truth
from nasm.targets.neuron.nan import Ignoring
from nasm.targets.neuron.reductions import bits_of, by_magnitude, in_order, truth_of, walk


@dataclass(frozen=True, slots=True)
class AluOperator:
    """One ALU operator: what it computes, where it exists, and its source.

    ``kernel(x, y)`` is the operator on float32 (bitvec: on raw integers); None where no form of
    two operands is documented. ``integer`` is its exact 32-bit form and ``register`` the same on
    Python ints, None where there is none. ``engines`` have it from generation ``since`` on, except
    those in ``joined``, which got it later. ``reduces`` says that a reduction accepts it;
    ``identity`` is what an accumulator of it starts from. A unary operator ignores y.
    """

    name: str
    klr: str
    kernel: Kernel | None
    summary: str
    source: str
    bitvec: bool = False
    unary: bool = False
    reduces: bool = False
    engines: tuple[str, ...] = ("vector",)
    since: str = "v2"
    joined: tuple[tuple[str, str], ...] = ()
    identity: float | None = None
    integer: Kernel | None = None
    register: Callable[[int, int], int] | None = None
    evidence: Evidence = Evidence.DOCUMENTED

    def engines_on(self, generation: str) -> tuple[str, ...]:
        """The engines that have the operator on a generation, "v2", "v3" or "v4"."""
        first = dict(self.joined)
        return tuple(e for e in self.engines if first.get(e, self.since) <= generation)


def _left(a: int, b: int) -> int:
    return a << b if 0 <= b < 32 else 0


def _right(a: int, b: int) -> int:
    return (a & 0xFFFF_FFFF) >> b if 0 <= b < 32 else 0


def _right_with_sign(a: int, b: int) -> int:
    return a >> (b if 0 <= b < 32 else 31)


_SH: Final = "NKI reference, Supported Math Operators"
_KLR: Final = "KLR, Core/Operators.lean, AluOp"
_NAN: Final = f"{_SH}; NaN as in IEEE 754 is assumed"
_ZEROS: Final = f"{_SH}; NaN and zeros as in IEEE 754-2019 are assumed"
_V4: Final = "NKI release notes: op0 of tensor_scalar on NeuronCore-v4"
_EVERY: Final = ("vector", "scalar", "gpsimd")
_TWO: Final = ("vector", "scalar")
_SCALAR_V3: Final = (("scalar", "v3"),)
_ASSUMED: Final = Evidence.ASSUMED

# Facts that several rows share.
_Facts = dict[str, Any]
_SUM: Final[_Facts] = {"engines": _EVERY, "joined": _SCALAR_V3}
_NEW: Final[_Facts] = {"since": "v4"}


def _fold(ufunc: np.ufunc, identity: float, register: Any, ordered: bool = False) -> _Facts:
    integer = exact(ufunc, ordered=ordered)
    return {"reduces": True, "identity": identity, "integer": integer, "register": register}


def _compare(
    name: str, klr: str, ufunc: np.ufunc, sign: str, op: Callable[..., bool]
) -> AluOperator:
    return AluOperator(
        name,
        klr,
        truth(ufunc),
        f"1.0 where x {sign} y, else 0.0.",
        _NAN,
        integer=exact(ufunc, truth=True, ordered=name not in ("equal", "not_equal")),
        register=lambda a, b: int(op(a, b)),
    )


def _logical(
    name: str, ufunc: np.ufunc, word: str, op: Callable[[bool, bool], bool]
) -> AluOperator:
    return AluOperator(
        name,
        name,
        truth(ufunc),
        f"1.0 where (x != 0) {word} (y != 0), else 0.0.",
        f"{_SH}: arithmetic, on 0 and 1; KLR: bitwise; that it tests any float32 is assumed",
        reduces=True,
        integer=exact(ufunc, truth=True),
        register=lambda a, b: int(op(a != 0, b != 0)),
        evidence=_ASSUMED,
    )


def _unary(
    name: str, klr: str, function: Callable[[Any], Array], summary: str, source: str, **facts: Any
) -> AluOperator:
    return AluOperator(name, klr, lambda x, y: function(x), summary, source, unary=True, **facts)


def _bits(
    name: str, klr: str, kernel: Kernel, summary: str, source: str, **facts: Any
) -> AluOperator:
    return AluOperator(name, klr, kernel, summary, source, bitvec=True, integer=kernel, **facts)


def _gate(name: str, ufunc: np.ufunc, summary: str, op: Callable[[int, int], int]) -> AluOperator:
    return _bits(name, name, bitwise(ufunc), summary, _SH, reduces=True, register=op)


_ARITHMETIC: Final = (
    AluOperator(
        "add", "add", np.add, "The sum x + y.", _SH, **_SUM, **_fold(np.add, 0.0, operator.add)
    ),
    AluOperator(
        "subtract",
        "subtract",
        np.subtract,
        "The difference x - y.",
        _SH,
        **_fold(np.subtract, 0.0, operator.sub),
    ),
    AluOperator(
        "multiply",
        "mult",
        np.multiply,
        "The product x * y.",
        _SH,
        **_SUM,
        **_fold(np.multiply, 1.0, operator.mul),
    ),
    AluOperator(
        "maximum",
        "max",
        EXTREMES["maximum"],
        "The larger of x and y, +0 of two zeros; NaN if either is.",
        _ZEROS,
        **_fold(np.maximum, -math.inf, max, ordered=True),
    ),
    AluOperator(
        "minimum",
        "min",
        EXTREMES["minimum"],
        "The smaller of x and y, -0 of two zeros; NaN if either is.",
        _ZEROS,
        **_fold(np.minimum, math.inf, min, ordered=True),
    ),
    _compare("equal", "is_equal", np.equal, "==", operator.eq),
    _compare("not_equal", "not_equal", np.not_equal, "!=", operator.ne),
    _compare("greater_equal", "is_ge", np.greater_equal, ">=", operator.ge),
    _compare("greater", "is_gt", np.greater, ">", operator.gt),
    _compare("less_equal", "is_le", np.less_equal, "<=", operator.le),
    _compare("less", "is_lt", np.less, "<", operator.lt),
    _logical("logical_and", np.logical_and, "and", operator.and_),
    _logical("logical_or", np.logical_or, "or", operator.or_),
    _logical("logical_xor", np.logical_xor, "xor", operator.xor),
    _unary("abs", "abs", np.abs, "The magnitude of x.", _SH, engines=_TWO),
    _unary("square", "", np.square, "The square x * x.", _V4, **_NEW),
    _unary("relu", "", relu, "The larger of x and 0.", _V4, **_NEW),
    _unary(
        "rsqrt",
        "rsqrt",
        reciprocal_root,
        "The reciprocal of the square root of x.",
        _SH,
        engines=("gpsimd", "scalar"),
    ),
    _unary(
        "reciprocal",
        "",
        lambda x: np.divide(np.float32(1), x),
        "The reciprocal 1 / x.",
        _SH,
        engines=_TWO,
    ),
    AluOperator("power", "pow", power, "x to the power of y.", _SH, engines=("gpsimd",)),
    AluOperator(
        "abs_max",
        "",
        larger,
        "x where |x| > |y|, else y; the sign is kept.",
        "nki.language.abs_max; its identity is assumed",
        **_NEW,
        engines=_TWO,
        identity=0.0,
    ),
    AluOperator(
        "abs_min",
        "",
        smaller,
        "x where |x| < |y|, else y; the sign is kept.",
        "nki.language.abs_min; its identity is assumed",
        **_NEW,
        engines=_TWO,
        identity=math.inf,
    ),
    AluOperator(
        "average",
        "average",
        None,
        "The mean over partitions; no form of two operands is documented.",
        "nki.isa.tensor_partition_reduce",
        engines=("gpsimd",),
    ),
    AluOperator(
        "divide",
        "divide",
        np.divide,
        "The quotient x / y; NKI does not offer it.",
        f"{_KLR}; the engine is assumed",
        evidence=_ASSUMED,
    ),
    AluOperator(
        "mod",
        "mod",
        np.mod,
        "The remainder of x / y, with the sign of y; NKI does not offer it.",
        f"{_KLR}; the sign and the engine are assumed",
        evidence=_ASSUMED,
    ),
    _unary(
        "bypass",
        "bypass",
        lambda x: x,
        "x as it is, of either class.",
        f"{_KLR}; nki.isa.activate2",
        engines=_EVERY,
        integer=lambda x, y: x,
    ),
)

_BITVEC: Final = (
    _bits(
        "invert",
        "bitwise_not",
        lambda x, y: np.invert(x),
        "Every bit of x flipped.",
        _SH,
        unary=True,
    ),
    _gate("bitwise_and", np.bitwise_and, "The bits set in x and in y.", operator.and_),
    _gate("bitwise_or", np.bitwise_or, "The bits set in x or in y.", operator.or_),
    _gate("bitwise_xor", np.bitwise_xor, "The bits that differ.", operator.xor),
    _bits(
        "left_shift",
        "logical_shift_left",
        shift(np.left_shift),
        "x shifted left by y bits, zeros following.",
        _SH,
        register=_left,
    ),
    _bits(
        "right_shift",
        "logical_shift_right",
        shift(np.right_shift),
        "x shifted right by y bits, zeros following.",
        _SH,
        register=_right,
    ),
    _bits(
        "arith_shift_left",
        "arith_shift_left",
        shift(np.left_shift),
        "x shifted left by y bits: the same as left_shift.",
        _KLR,
        register=_left,
    ),
    _bits(
        "arith_shift_right",
        "arith_shift_right",
        shift(np.right_shift, signed=True),
        "x shifted right by y bits, its sign following.",
        f"{_KLR}; on unsigned dtypes assumed",
        register=_right_with_sign,
        evidence=_ASSUMED,
    ),
)

OPERATORS: Final = {o.name: o for o in (*_ARITHMETIC, *_BITVEC)}
ARITH: Final = tuple(o.name for o in _ARITHMETIC)
UNARY: Final = tuple(o.name for o in OPERATORS.values() if o.unary)
BINARY: Final = tuple(o.name for o in OPERATORS.values() if o.kernel is not None and not o.unary)
BINARY_ARITH: Final = tuple(o for o in BINARY if o in ARITH)
ORDERED: Final = ("maximum", "minimum", "greater_equal", "greater", "less_equal", "less")
REDUCING: Final = tuple(o.name for o in OPERATORS.values() if o.reduces)
# What a sequencer's ALU does is nowhere listed: all that have an exact integer form (assumed).
REGISTER_OPERATORS: Final = tuple(o.name for o in OPERATORS.values() if o.register is not None)

_KERNELS: Final = {o.name: o.kernel for o in OPERATORS.values() if o.kernel is not None}
_REGISTER: Final = {o.name: o.register for o in OPERATORS.values() if o.register is not None}


def _kernel(op: str) -> Kernel:
    return NUMBERS[op] if type(op) is Ignoring else _KERNELS[op]


def apply(op: str, x: Any, y: Any) -> Array:
    """Apply an operator to two arrays, or to an array and a number on either side.

    Arithmetic takes and gives float32, comparisons give 1.0 and 0.0, and numbers count as
    float32. Bitwise operators give the dtype of the arrays. Shapes broadcast. The result may be x
    itself (bypass). Call it under ``np.errstate(all="ignore")``; it does not enter it.
    """
    return _kernel(op)(x, y)


def apply_int32(op: str, x: Any, y: Any) -> Array:
    """Apply an operator exactly to int32 or uint32 arrays, modulo 2**32; truth is 1 and 0.

    Raises Refused (E0701) where no integer form is documented. Source: Trainium guide, GpSimd
    Engine, native 32-bit integers; that overflow wraps is assumed.
    """
    kernel = OPERATORS[op].integer
    if kernel is None:
        exact_ones = listed((o.name for o in OPERATORS.values() if o.integer), "and")
        raise Refused(
            "E0701",
            f"what {op} does to 32-bit integers is not documented",
            f"those with an integer form are {exact_ones}",
        )
    return kernel(x, y)


def combine(op: str, x: Any, y: Any) -> Array:
    """Apply an operator as the operands' dtype asks: float32, raw bits, or exact integers."""
    array = x if isinstance(x, np.ndarray) else y
    if array.dtype == np.float32 or OPERATORS[op].bitvec:
        return _kernel(op)(x, y)
    return apply_int32(op, x, y)


def apply_register(op: str, a: int, b: int) -> int:
    """Apply an operator to two int32 values of registers; the result is an int32 too."""
    return wrap32(_REGISTER[op](a, b))


_FOLDS: Final[dict[str, tuple[Callable[..., Array], Any]]] = {
    **{
        op: (in_order, u)
        for op, u in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply))
    },
    **{op: (Extreme.fold, extreme) for op, extreme in EXTREMES.items()},
    "abs_max": (by_magnitude, np.argmax),
    "abs_min": (by_magnitude, np.argmin),
    **{op: (bits_of, getattr(np, op)) for op in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    **{op: (truth_of, getattr(np, op)) for op in ("logical_and", "logical_or", "logical_xor")},
}


def reduce(op: str, x: Array, axes: int) -> Array:
    """Fold the last ``axes`` axes of x, in row-major order: ((x0 op x1) op x2) and so on.

    The order is sequential in float32 and the result equal, bit for bit, to a scalar loop's: the
    vendor does not say in which order the hardware adds, so this is assumed. The dtype is kept.
    """
    lanes = x.shape[: x.ndim - axes]
    rows = x.reshape(math.prod(lanes), -1)
    if op in _FOLDS:
        fold, by = _FOLDS[op]
        if type(op) is Ignoring:
            by = NUMBERS[op]
        return fold(by, rows).reshape(lanes)
    kernel = _kernel(op)
    result: Array = rows[:, 0]
    for column in range(1, rows.shape[1]):
        result = kernel(result, rows[:, column])
    return result.reshape(lanes)


def scan(first: tuple[str, bool], second: tuple[str, bool], x: Array, y: Array, s: Array) -> Array:
    """Every state of s = second(first(x[i], s), y[i]) from left to right, rounded each time.

    Operators come with whether their sides are swapped; s has one value per row.
    """
    return walk(_sided(*first), _sided(*second), x, y, s)


def _sided(op: str, reverse: bool) -> Kernel:
    kernel = _kernel(op)
    return (lambda x, y: kernel(y, x)) if reverse else kernel
