"""What the examples of Tensix change: they run, and what the coprocessor holds is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.language.assemble import assemble
from nasm.show import examples
from nasm.targets import TARGETS

_SHOWN = 3
"""So many parts are named."""

_AS_STORED = frozenset({"dst16", "dst32"})
"""Parts that show again what another does."""

_EVENTS = 100_000


def lines(row: Row, target: Target) -> Iterator[str]:
    """What the example of a row has changed, a line each; nothing where it is refused."""
    generation = next(one for one in target.generations if target.available(row, one))
    text = examples.program_text(row, target.engines(row, generation)[0], generation, target, 0)
    before = _held(text.rstrip().rpartition("\n")[0])
    after = _held(text)
    if before is None or after is None:
        return
    found = [line for name, now in after.items() if (line := _changed(name, before.get(name), now))]
    yield from found[:_SHOWN]


def _held(text: str) -> dict[str, Any] | None:
    """The arrays that a coprocessor holds at the end of a program."""
    try:
        session = Session(assemble(Source("example.nasm", text), TARGETS))
        session.goto("end")
    except (Failure, Refused):
        return None
    found: dict[str, Any] = {}
    for part in session.program.held_parts:
        if part.name in _AS_STORED:
            continue
        seen = part.read(session.machine.holds[0])
        if seen.array is not None:
            known = np.ones(seen.array.shape, bool) if seen.known is None else seen.known
            found[part.name] = np.where(known, seen.array, 0)
    for name in session.program.tensors:
        found[name] = np.asarray(session.evaluate(name).array)
    return found


def _changed(name: str, before: Any, now: Any) -> str:
    if before is None or before.shape != now.shape:
        return ""
    places = np.argwhere(before != now)
    if not len(places):
        return ""
    first = places[0].tolist()
    value = now[tuple(first)]
    more = f", and {len(places) - 1:,} more elements" if len(places) > 1 else ""
    at = ", ".join(map(str, first))
    return f"`{name}[{at}]` is `{value!s}`{more}"
