"""What operators and functions are called elsewhere: signs, and the names of other libraries."""

from __future__ import annotations

from collections.abc import Collection

from nasm.base.problems import did_you_mean

SIGNS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "**": "power",
    "%": "mod",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "~": "invert",
    "<<": "left_shift",
    ">>": "right_shift",
}
"""Operators as signs, by the words that instructions have for them."""

_OTHERS = {
    "add": ("sum", "plus", "fadd", "iadd"),
    "subtract": ("sub", "minus", "fsub"),
    "multiply": ("mul", "mult", "times", "fmul", "prod", "product"),
    "divide": ("div", "truediv", "fdiv"),
    "power": ("pow",),
    "maximum": ("max", "fmax", "amax"),
    "minimum": ("min", "fmin", "amin"),
    "equal": ("eq", "is_equal"),
    "not_equal": ("ne", "neq"),
    "less": ("lt", "is_lt"),
    "less_equal": ("le", "lte", "is_le"),
    "greater": ("gt", "is_gt"),
    "greater_equal": ("ge", "gte", "is_ge"),
    "left_shift": ("shl", "sll", "lshift", "logical_shift_left"),
    "right_shift": ("shr", "srl", "rshift", "logical_shift_right"),
    "bitwise_and": ("and", "band"),
    "bitwise_or": ("or", "bor"),
    "bitwise_xor": ("xor", "bxor"),
    "invert": ("not", "bitwise_not", "inv"),
    "reciprocal": ("rcp", "recip", "inverse"),
    "average": ("avg", "mean"),
    "log": ("ln",),
    "sigmoid": ("logistic", "sigm"),
    "silu": ("swish",),
    "arctan": ("atan",),
    "copy": ("identity", "linear"),
}
"""The names that other libraries have for what these words mean."""

OPERANDS = {
    "dtype": "the dtype is that of the tile that is written, as it is declared",
    "start": "accumulate=false, the default, begins a sum, and accumulate=true adds to it",
    "stop": "a sum ends with its last line: accumulate=true adds to it, and nothing closes it",
}
"""What operands of other libraries are here."""

_MEANT = {other: word for word, others in _OTHERS.items() for other in others}


def meant_exactly(word: str, known: Collection[str]) -> str:
    """The one of some words that a word is, here or in another library; or nothing."""
    low = word.lower().removesuffix("_")
    found = next((w for w in (word, SIGNS.get(word), _MEANT.get(low), low) if w in known), None)
    return found or ""


def meant(word: str, known: Collection[str]) -> str:
    """A hint at the one of some words that another language writes so, or that is like it."""
    other = meant_exactly(word, known)
    return f"write '{other}'" if other and other != word else did_you_mean(word, known)
