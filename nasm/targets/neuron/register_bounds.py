"""What is known of the results of a sequencer's ALU where its operands are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nasm.isa import ranges
from nasm.isa.ranges import COMPARISONS, OPPOSITE, RegisterComparison, Some, Unknown
from nasm.targets.neuron.alu import apply_register
from nasm.targets.neuron.integers import wrap32

_KNOWN: Final[dict[str, Callable[[Some, Some], Some]]] = {
    "add": ranges.add,
    "subtract": ranges.subtract,
    "multiply": ranges.multiply,
    "maximum": ranges.largest,
    "minimum": ranges.least,
}


def register_bounds(src1: Some, src2: Some, op: str) -> Some:
    """The result of an operator; that of one which may wrap, or is not looked at, may be any."""
    if isinstance(src2, int):
        src2 = wrap32(src2)
    if op in _KNOWN:
        return _KNOWN[op](src1, src2)
    found = ranges.by_values(lambda a, b: apply_register(op, a, b), src1, src2)
    if ranges.bounds(found) != (ranges.LOW, ranges.HIGH):
        return found
    if op in COMPARISONS:
        return _truth(src1, op, src2)
    if op.startswith("logical_"):
        return Unknown.within(0, 1)
    if isinstance(src2, int):
        return _with_number(src1, src2, op)
    return found


def _truth(a: Some, op: str, b: Some) -> Some:
    if RegisterComparison(a, op, b).narrowed() is None:
        return 0
    return 1 if RegisterComparison(a, OPPOSITE[op], b).narrowed() is None else Unknown.within(0, 1)


def _with_number(a: Some, number: int, op: str) -> Some:
    """Of bits and shifts by a number."""
    low, high = ranges.bounds(a)
    if op == "bitwise_and" and number >= 0:
        return Unknown.within(0, min(number, high) if low >= 0 else number)
    if op in ("left_shift", "arith_shift_left") and 0 <= number < 31:
        return ranges.multiply(a, 1 << number)
    if 0 <= number < 32 and (op == "arith_shift_right" or (op == "right_shift" and low >= 0)):
        return Unknown.within(low >> number, high >> number)
    return Unknown.within()
