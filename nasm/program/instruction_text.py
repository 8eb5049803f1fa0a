"""An instruction as a program writes it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from nasm.base.source import Span
from nasm.isa.field_kinds import Bits, Encoding
from nasm.isa.instruction import Operand
from nasm.program.program import Instruction
from nasm.views.view import View


def operands(instruction: Instruction, message: str = "") -> str:
    """Its operands without those that have their defaults; after one of these all have names.

    ``message`` is how it was written: other names for the fields of its word, and names of values,
    are kept as written.
    """
    parts = []
    encoding = instruction.row.encoding if message else None
    named = False
    for operand, value in zip(instruction.row.operands, instruction.operands, strict=True):
        if operand.implicit:
            continue
        if as_default(value, operand.default):
            named = True
            continue
        fields = _fields(encoding, operand, value, message) if encoding is not None else []
        named = named or operand.named or bool(fields)
        if fields:
            parts += fields
            continue
        text = _operand(operand, value, message)
        if operand.based and parts and not named:
            parts[-1] += f"({text})"
            continue
        parts.append(f"{operand.name}={text}" if named else text)
    return ", ".join(parts)


def typed(instruction: Instruction, span: Span | None) -> str:
    """How the fields of an instruction's word were written, for ``operands``; empty of others."""
    return span.text if span is not None and instruction.row.encoding is not None else ""


def _fields(encoding: Encoding, operand: Operand, value: object, text: str) -> list[str]:
    """An operand in the fields that were written for it; none if it was not written in such."""
    whole = next((one for one in encoding.operands if one.name == operand.name), None)
    if whole is None or not isinstance(value, int):
        return []
    word, covered = whole.put(value), 0
    fields = []
    for part in encoding.parts.values():
        within = not part.mask & ~whole.mask
        if within and re.search(rf"(?<!\w){part.name}\s*=", text):
            covered |= part.mask
            fields.append(f"{part.name}={part.written(part.get(word), text)}")
    return [] if word & ~covered else fields


def _operand(operand: Operand, value: object, message: str) -> str:
    """One of them; a tensor whose name is a legal word here is sliced."""
    if message and isinstance(operand.kind, Bits) and isinstance(value, int):
        return operand.kind.field.written(value, message)
    text = operand.kind.format(value)
    return f"{text}[:]" if isinstance(value, View) and text in operand.kind.words else text


def as_default(value: object, default: object) -> bool:
    """Whether to leave a value out gives the very same: 1.0 is not 1, nor -0.0 0.0."""
    if value is default:
        return True
    if type(value) is not type(default) or isinstance(value, View):
        return False
    if isinstance(value, float) and isinstance(default, float):
        both_nan = value != value and default != default
        return both_nan or (value == default and _sign(value) == _sign(default))
    return bool(value == default)


def _sign(value: float) -> float:
    return math.copysign(1.0, value)


def fresh(wanted: str, taken: Collection[str]) -> str:
    """An unused name: the one that is wanted, or that one with a number appended."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    return name
