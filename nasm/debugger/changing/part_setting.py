"""What ``set`` means of a part of what a core holds: which of its elements, and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Refused, listed, quoted
from nasm.debugger.changing.changes import WRONG, SetPart
from nasm.debugger.changing.values import Wanted, stored
from nasm.debugger.values.core_parts import PartPlace
from nasm.debugger.values.expressions import Expression
from nasm.isa.core_state import Seen
from nasm.runs.execution import Execution

VIEWED = re.compile(r"(.+?)\.view\(\s*(\w+)\s*\)\s*", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")


def setting(running: Execution, place: str, text: str, value: object) -> SetPart | None:
    """A change that gives elements of a part values; None if the place is no part of a core.

    ``.view(u32)`` may follow: then the values are bits. Raises Failure or Refused.
    """
    viewed = VIEWED.fullmatch(place)
    spelled = viewed[1] if viewed is not None else place
    try:
        asked = Expression(running, spelled)
    except Failure:
        if _of_core(running, spelled):
            raise
        return None  # the search for a tensor reports errors of the name
    found = asked.picked(running)
    if found is None and asked.held:
        raise Refused(WRONG, f"'{quoted(spelled)}' is nothing to be set", "a part, or some of it")
    if found is None:
        return None
    at, numbers = found
    if at.part.put is None:
        raise Refused(WRONG, f"{at.part.name} can be looked at, and not be set")
    seen = at.seen(running)
    dtype, viewed_as = _dtypes(seen, viewed[2] if viewed is not None else "")
    wanted = Wanted(place, viewed_as or dtype, numbers.shape, exact=True)
    try:
        values = stored(running, wanted, _number(at, value))
    except Failure as failure:
        if not (words := _words(at)):
            raise
        problem = failure.problems[0]
        hint = f"words for it are {listed(words, 'and')}"
        raise Refused(problem.code, problem.message, hint) from None
    if np.asarray(seen.array).dtype == np.bool_ and (values.astype(np.int64) > 1).any():
        raise Refused("E0210", f"{place} holds 0 or 1")
    if viewed_as is not None:
        values = values.view(dtype.numpy)
    return SetPart(text, place, at.core, at.part, numbers.reshape(-1), values.reshape(-1))


def _dtypes(seen: Seen, word: str) -> tuple[DType, DType | None]:
    """The dtype in which a part stores its elements, and that of a word, to which its bits go."""
    shown = dtypes.find(seen.dtype or _name(seen))
    dtype = dtypes.find(seen.stored) if seen.stored else shown
    assert shown is not None
    assert dtype is not None
    if not word:
        return dtype, None
    bits = dtypes.find(word)
    if bits is None:
        raise Refused("E0306", f".view takes a dtype, found '{word}'", "as in .view(i32)")
    if bits.itemsize != shown.itemsize:
        message = f"these elements are no {bits.name}"
        hint = "they must be stored as they are, in a dtype of as many bytes"
        raise Refused("E0306", message, hint)
    if dtype is not shown:
        message = f"these elements are stored as {dtype.name}, and shown as {shown.name}"
        raise Refused("E0306", message, "give them numbers, or set the part that has their bits")
    return dtype, bits


def _name(seen: Seen) -> str:
    """The dtype of an array that is seen; truth is set as 0 or 1."""
    name = np.asarray(seen.array).dtype.name
    return "uint8" if name == "bool" else name


def _number(place: PartPlace, value: object) -> object:
    """A value, or the number that a word for an item means."""
    if not isinstance(value, str) or WORD.fullmatch(value.strip()) is None:
        return value
    words = _words(place)
    return words.get(value.strip(), value)


def _words(place: PartPlace) -> Mapping[str, int]:
    """The words for numbers in an item of a part."""
    part = place.part
    return {} if place.number is None else part.words.get(part.items[place.number], {})


def _of_core(running: Execution, text: str) -> bool:
    """Whether a text begins with the name of a part."""
    found = re.match(r"(?:@\d+\.)?([A-Za-z_]\w*)", text)
    if found is None or found[1] in running.program.tensors:
        return False
    return any(found[1] in part.names for part in running.program.held_parts)
