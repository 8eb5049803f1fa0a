"""What computes on tiles, for those who write operators: constant expressions compute on numbers.

The keys are expressions of the tiles a and b and a number, the values instructions that leave in c
what they mean.
"""

from __future__ import annotations

from typing import Final

_WORDS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}

COMPUTING: Final = (
    {
        "2": "Memset c, 2",
        "a": "TensorCopy c, a",
        "-a": "TensorScalar c, a, op0=multiply, operand0=-1.0",
    }
    | {f"a {sign} b": f"TensorTensor c, a, b, op={word}" for sign, word in _WORDS.items()}
    | {f"a {sign} 2": f"TensorScalar c, a, op0={word}, operand0=2" for sign, word in _WORDS.items()}
    | {
        f"2 {sign} a": f"TensorScalar c, a, op0={word}, operand0=2, reverse0=true"
        for sign, word in _WORDS.items()
    }
    | {"a ** 2": "TensorScalar c, a, op0=power, operand0=2"}
)
