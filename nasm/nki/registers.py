"""Registers of a trace: which engines need each, and which of theirs they are.

A register of a kernel belongs to no engine: each that needs its value has one of its own, and
executes for itself what writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.list_kinds import views
from nasm.nki.tracing import Call, Made, TracedLoop
from nasm.views.view import Reg, View


def _named(call: Call) -> bool:
    """Whether a call has any register among its operands."""
    for value in call.operands.values():
        kind = type(value)
        if kind in _PLAIN:
            continue
        if kind is View:
            if value.dynamic:
                return True
        elif kind is Reg or (kind is tuple and any(v.dynamic for v in views(value))):
            return True
    return False


_PLAIN = frozenset({type(None), bool, float, int, str})
"""Operands without registers."""


ANYONE = "sync"
"""The writer of a register that nothing needs."""


def written(call: Call) -> int | None:
    """The register that a call writes; None if it writes none."""
    for operand in call.row.writes:
        value = call.operands.get(operand.name)
        if isinstance(value, Reg):
            return value.number
    return None


def mentioned(call: Call) -> Iterator[int]:
    """Every register of a call's operands, the written one too."""
    for value in call.operands.values():
        if isinstance(value, Reg):
            yield value.number
        for view in views(value):
            yield from (d.register for d in view.dynamic)


class RegisterUse:
    """Which engines need which registers of a trace; engines of all other calls are chosen.

    ``none`` says that it has no registers.
    """

    def __init__(self, made: Sequence[Made]) -> None:
        self.needs: dict[int, dict[str, None]] = {}
        self.loops: dict[int, dict[str, None]] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._used: dict[str, int] = {}
        self._grown = any(isinstance(call, TracedLoop) or _named(call) for call in made)
        self.none = not self._grown
        while self._grown:
            self._grown = False
            self._walk(made)

    def engines(self, call: Call) -> tuple[str, ...]:
        """Who executes a call."""
        register = None if self.none else written(call)
        return (call.engine,) if register is None else tuple(self.needs.get(register) or (ANYONE,))

    def loop(self, loop: TracedLoop) -> tuple[str, ...]:
        """The engines that go through a loop."""
        return tuple(self.loops.get(id(loop), ()))

    def _walk(self, made: Sequence[Made]) -> dict[str, None]:
        there: dict[str, None] = {}
        for call in made:
            if isinstance(call, TracedLoop):
                inside = self._walk(call.body)
                self._need(self.loops, id(call), inside)
                for bound in (call.counter, call.bound):
                    if bound is not None and not isinstance(bound, int):
                        self._need(self.needs, bound.number, inside)
                there |= inside
                continue
            engines = dict.fromkeys(self.engines(call))
            own = written(call)
            for register in mentioned(call):
                if register != own:
                    self._need(self.needs, register, engines)
            there |= engines
        return there

    def _need(self, table: dict[int, dict[str, None]], key: int, engines: dict[str, None]) -> None:
        before = table.setdefault(key, {})
        if not engines.keys() <= before.keys():
            before |= engines
            self._grown = True

    def number(self, engine: str, register: int, have: int) -> int:
        """The register of an engine that a register of the trace is there."""
        found = self._numbers.get((engine, register))
        if found is None:
            found = self._used.get(engine, 0)
            if found == have:
                raise Refused(
                    "E0657",
                    f"the kernel needs more than the {have} registers of {engine}",
                    "keep numbers in SBUF, and load them where they are needed",
                )
            self._numbers[engine, register], self._used[engine] = found, found + 1
        return found

    def own(self, operands: dict[str, Any], engine: str, have: int) -> dict[str, Any]:
        """Operands with an engine's registers in the place of the trace's."""
        if self.none:
            return operands

        def one(value: Any) -> Any:
            if isinstance(value, Reg):
                return Reg(self.number(engine, value.number, have))
            if isinstance(value, View) and value.dynamic:
                moved = tuple(
                    replace(d, register=self.number(engine, d.register, have))
                    for d in value.dynamic
                )
                return replace(value, dynamic=moved)
            return tuple(map(one, value)) if isinstance(value, tuple) else value

        return {name: one(value) for name, value in operands.items()}
