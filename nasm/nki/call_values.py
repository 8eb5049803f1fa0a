"""What a call computes and what it changes: a key that is the same for calls of the same result.

A call has a key if nothing but its operands decides what it writes, and if all that it writes is
tiles in SBUF that are its own. What an engine holds (random numbers, the stationary tile, match
values) decides too, and what is added to a tile, kept in part of it, addressed at run time or
skipped when out of bounds depends on more than that. Sums of an engine are left aside as long as
each begins in the instruction that ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.effects import COPY, SUM, Transfer
from nasm.isa.implicit_kinds import EngineValue, Here
from nasm.isa.instruction import Operand, Row
from nasm.isa.list_kinds import mentioned, views
from nasm.nki.broadcast_tiles import writes
from nasm.nki.engines import accepted
from nasm.nki.tracing import Call
from nasm.views.tensor import Tensor
from nasm.views.view import View

Key = tuple[Any, ...]

COMMAND, WHOLE_SUMS = "reduce_cmd", ("idle", "reset_reduce")
"""The operand that says what happens to an engine's sums; commands that need no earlier ones."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call computes, and the tensors that it computes it into, in the row's order."""

    key: Key
    into: tuple[Tensor, ...]


def changed(call: Call) -> set[Tensor]:
    """The tensors that a call may write."""
    return {tensor for value in _changed(call) for tensor in mentioned(value)}


def changed_views(call: Call) -> list[View]:
    """The parts of tensors that a call may write."""
    return [view for value in _changed(call) for view in views(value)]


def _changed(call: Call) -> Iterator[object]:
    """The operands that a call may write."""
    names = _may_change(call.row)
    for name, value in call.operands.items():
        if name in names:
            yield value


@cache
def _may_change(row: Row) -> frozenset[str]:
    """The names of the operands that a row may write."""
    meets = row.effect is not Transfer
    return frozenset(
        one.name
        for one in row.operands
        if (meets and one.access == "@") or writes(row, one.name) or one.adds
    )


def continues_sums(calls: Iterable[Call]) -> bool:
    """Whether a call needs the sums that earlier ones have left in the engine."""
    for call in calls:
        row = call.row
        if COMMAND in row.position:
            if _command(call) not in WHOLE_SUMS:
                return True
        elif _adds_up(row):
            return True
    return False


@cache
def _adds_up(row: Row) -> bool:
    """Whether a row reads the sums of its engine."""
    return any(_is_sums(operand) and operand.access == "r" for operand in row.operands)


def _is_sums(operand: Operand) -> bool:
    return isinstance(operand.kind, EngineValue) and operand.name == "accumulators"


def _command(call: Call) -> object:
    return call.operands.get(COMMAND, call.row.defaults[call.row.position[COMMAND]])


def computed(call: Call, version: Callable[[Tensor], object], sums: bool) -> CallResult | None:
    """What a call computes; None if it has no key.

    ``version`` identifies the contents of a tensor, None if they are not known; ``sums``
    says that some call needs sums that others have left.
    """
    results = transferred(call) if call.row.posts else _returned(call, sums)
    if not results:
        return None
    into = tuple(view.tensor for view in results.values())
    if len(set(into)) < len(into):
        return None
    key: list[Any] = [call.row.name, call.engine]
    for name, value in call.operands.items():
        if name in results:
            tensor = results[name].tensor
            part: Any = (tensor.shape, tensor.dtype.name, *_pattern(results[name]))
        elif any(tensor in into for tensor in mentioned(value)):
            return None
        else:
            part = _exact(value, version)
        if part is None:
            return None
        key.append((name, part))
    return CallResult(tuple(key), into)


def _returned(call: Call, sums: bool) -> Mapping[str, View]:
    """The operands that an instruction computes; none if more than its operands decides of it."""
    row = call.row
    if row.effect is not None or row.condition is not None or row.holds or not _pure(row, sums):
        return {}
    if COMMAND in row.position and _command(call) not in WHOLE_SUMS:
        return {}
    found: dict[str, View] = {}
    for operand in row.writes:
        value = call.operands.get(operand.name)
        if operand.implicit or value is None:
            continue
        if operand.access != "w" or not _fresh(value):
            return {}
        found[operand.name] = value
    return found


@cache
def _pure(row: Row, sums: bool) -> bool:
    """Whether its operands alone decide what a row computes."""
    if any(one.partial or one.adds or isinstance(one.kind, Here) for one in row.operands):
        return False
    return stateless(row, sums)


@cache
def stateless(row: Row, sums: bool) -> bool:
    """Whether a row neither reads nor changes what an engine holds for others.

    ``sums`` says that some call needs sums that others have left.
    """
    values = [one for one in row.operands if isinstance(one.kind, EngineValue)]
    return not row.holds and all(
        not sums and _is_sums(one) and COMMAND in row.position for one in values
    )


def transferred(call: Call) -> Mapping[str, View]:
    """Where a transfer moves data to; nothing if more than what it moves decides of it."""
    row = call.row
    try:
        values = accepted(row, call.operands)
        made = row.semantics(*(values[row.position[operand.name]] for operand in row.reads))
    except Refused:  # reported where the instruction is made
        return {}
    if not isinstance(made, Transfer) or made.op not in (COPY, SUM) or made.skips:
        return {}
    dst = call.operands.get("dst")
    if len(made.moves) != 1 or made.moves[0][0] != dst or not _fresh(dst):
        return {}
    return {"dst": dst}


def _fresh(value: object) -> bool:
    """Whether a result goes to a tile of SBUF that the placement places."""
    if not isinstance(value, View) or value.dynamic or value.offsets is not None:
        return False
    tensor = value.tensor
    return tensor.memory.name == "sbuf" and tensor.offset is None


def _pattern(view: View) -> tuple[Any, ...]:
    return view.dtype.name, view.partition, view.offset, view.shape, view.steps


def _exact(value: Any, version: Callable[[Tensor], object]) -> Any:
    """An operand, so that those that are the same in every bit are equal; None if it has no key."""
    if isinstance(value, View):
        held = version(value.tensor)
        if held is None or value.dynamic or value.offsets is not None:
            return None
        return held, *_pattern(value)
    if isinstance(value, list | tuple):
        parts = tuple(_exact(item, version) for item in value)
        return None if None in parts else parts
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__, repr(value)
    return None
