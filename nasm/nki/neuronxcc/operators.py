"""Operators as kernels of NKI 0.1 name them: by nl's functions, NumPy's or Python's."""

from __future__ import annotations

from typing import Any

from nasm.nki.errors import refuse


def op_word(op: Any) -> Any:
    """An operator, however it is named: nl.add, np.add, np.max."""
    if op is None or isinstance(op, str) or hasattr(op, "operator_name"):
        return op
    name = getattr(op, "__name__", None)
    if not isinstance(name, str):
        refuse(f"{op!r} as an operator: wanted one of nl's or of NumPy's, such as nl.add")
    return WORDS.get(name, name)


WORDS = {
    "amax": "maximum",
    "max": "maximum",
    "amin": "minimum",
    "min": "minimum",
    "sum": "add",
    "prod": "multiply",
    "true_divide": "divide",
    "absolute": "abs",
    "bitwise_not": "invert",
    "all": "logical_and",
    "any": "logical_or",
}
"""What NumPy and Python call operators."""
