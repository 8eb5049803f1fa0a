"""Operands of which parts are given under names of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from nasm.base.problems import Problem, Refused, listed, quoted
from nasm.base.source import Span
from nasm.isa.field_kinds import Bits, Encoding, Field, bits_of
from nasm.isa.instruction import Row

Spans = Callable[[str], Span | None] | None


def join(
    row: Row,
    values: list[object],
    written: Collection[str],
    parts: Mapping[str, object],
    spans: Spans,
) -> list[Problem]:
    """Put the parts of operands into the values of a row, which are in its order.

    ``written`` are the operands that are given themselves. Returns the errors: a part beyond its
    width, and bits that are given twice.
    """
    assert row.encoding is not None
    problems: list[Problem] = []
    taken = [row.parts[name] for name in parts]
    whole = [(at, o.kind) for at, o in row.places if isinstance(o.kind, Bits)]
    given = [kind.field for _, kind in whole if kind.field.name in written]
    for number, (name, value) in enumerate(parts.items()):
        part = taken[number]
        try:
            _alone(row, part, [*given, *taken[:number]])
            accepted = part.accept(value)
        except Refused as refused:
            message = refused.message
            if refused.code != "E0309":
                message = f"{name} of {row.name}: {message}"
            problems.append(
                Problem(refused.code, message, spans(name) if spans else None, refused.hint)
            )
            continue
        for at, kind in whole:
            if kind.field.mask & part.mask:
                word = kind.field.put(_number(values[at])) & ~part.mask
                values[at] = kind.field.get(word | part.put(accepted))
    if parts and not problems:
        try:
            _set_form_bits(row, row.encoding, values, written, parts)
        except Refused as refused:
            problems.append(refused.at(spans(next(iter(parts))) if spans else None))
    if not problems:
        problems += _spilt(row, values, given, spans)
    return problems


def _alone(row: Row, part: Field, others: list[Field]) -> None:
    for other in others:
        shared = other.mask & part.mask
        if shared:
            raise Refused(
                "E0309",
                f"'{quoted(other.name)}' and '{quoted(part.name)}' of {row.name} are both given, "
                f"and both have {bits_of(shared)}",
                f"{other.name} is {other.where}, {part.name} {part.where}: give one of them",
            )


def _set_form_bits(
    row: Row,
    encoding: Encoding,
    values: list[object],
    written: Collection[str],
    parts: Mapping[str, object],
) -> None:
    """Set the bits that tell the form that the parts are of, if it is one."""
    possible = [f for f in encoding.forms if all(map(f.has, parts))]
    if not possible:
        message = f"{listed(parts, 'and')} of {row.name} are fields of different forms"
        raise Refused("E0309", message, _forms(encoding))
    if len(possible) > 1:
        return
    form = possible[0]
    for at, operand in row.places:
        assert isinstance(operand.kind, Bits)
        field, value = operand.kind.field, _number(values[at])
        word = field.put(value)
        changed = word & ~form.mask | form.value & field.mask
        if changed != word and operand.name in written:
            named = listed([n for n in parts if not all(f.has(n) for f in encoding.forms)], "and")
            is_of = "are fields" if " and " in named else "is a field"
            message = f"{named} of {row.name} {is_of} of its form '{form.name}', in which "
            message += f"{form.recognized_by()}; found {operand.name}={value}"
            raise Refused("E0309", message, f"leave {operand.name} out; {_forms(encoding)}")
        values[at] = field.get(changed)


def _forms(encoding: Encoding) -> str:
    text = (f"{form.name} has {', '.join(f.name for f in form.fields)}" for form in encoding.forms)
    return f"its forms: {'; '.join(text)}"


def _spilt(row: Row, values: list[object], given: list[Field], spans: Spans) -> Iterator[Problem]:
    """Move bits that are too many for an operand into those above it."""
    for at, operand in row.places:
        kind = operand.kind
        if not isinstance(kind, Bits) or not kind.upto:
            continue
        value, own = _number(values[at]), kind.field
        if value < 1 << own.width:
            continue
        over = Field(own.name, own.high + 1, kind.upto - own.width)
        above = [f for f in given if f.mask & over.mask and _at(row, values, f)]
        if above:
            message = f"{own.name} of {row.name} is {value:#x}, which reaches into {above[0].name}"
            hint = f"it has {own.where}; let {above[0].name} be 0, or give {own.name} fewer bits"
            yield Problem("E0309", message, spans(own.name) if spans else None, hint)
            continue
        word = over.put(value >> own.width)
        values[at] = own.get(own.put(value))
        for other, each in row.places:
            if isinstance(each.kind, Bits) and each.kind.field.mask & over.mask:
                values[other] = each.kind.field.get(word)


def _at(row: Row, values: list[object], part: Field) -> int:
    return _number(values[row.position[part.name]])


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
