"""Two instructions that do one after the other what one does at once."""

from __future__ import annotations

from nasm.isa.instruction import Row

_SECOND = ("op1", "operand1", "reverse1")
_STAGES = {"op0": "op1", "operand0": "operand1", "reverse0": "reverse1"}


def halves(row: Row, operands: tuple[object, ...]) -> tuple[tuple[object, ...], ...] | None:
    """An instruction with two operators of which the second can be left out, as two with one.

    The second reads what the first has written to dst, where it is rounded once more.
    """
    given = dict(zip(row.position, operands, strict=True))
    if given.get("op1") is None or any(name not in given for name in _STAGES):
        return None
    left_out = {name: row.operand(name).default for name in _SECOND}
    if left_out["op1"] is not None:
        return None
    first = {**given, **left_out}
    moved = {name: given[other] for name, other in _STAGES.items()}
    second = {**first, **moved, "data": given["dst"]}
    return tuple(first.values()), tuple(second.values())
