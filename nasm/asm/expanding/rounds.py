"""How many lines the loops of a text make: counted before the first of them is made.

Expanding a line costs a thousand times as much as counting it, so a nest that makes too many is
refused by its first line, not after a minute. Only loops, conditions and constants are looked at.
What cannot be counted ahead (a bound that needs a tensor's place, say) counts as nothing here: the
expander still counts every line that it makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from nasm.asm.expanding.defines import replaced
from nasm.asm.expanding.evaluate import Closure, compile_node, free_names
from nasm.asm.expanding.functions import integer_of, truth
from nasm.asm.expanding.scope import Scope
from nasm.asm.expanding.undeclared import Undeclared
from nasm.asm.text import tree
from nasm.asm.text.walk import descendants
from nasm.problems import Failure, Refused
from nasm.spec.shown import LONG

MOST_LINES = 2_000_000
"""Lines that the loops of a text make, all together: more would take minutes and gigabytes.

An instruction that the text repeats takes some 50 to 200 bytes, one of which every round makes
another 1.3 KB, a tensor or an expectation 0.7 KB, a prepared transfer 1 KB.
"""

MOST_IN_VAIN = 10_000
"""Rounds that are still made once there is a problem: no program will come of them."""

MOST_LOOKS = 200_000
"""Lines that are looked at one by one, in loops whose rounds differ in what they make."""


class Rounds:
    """The lines that the rounds of a text may still make."""

    def __init__(self) -> None:
        self._left, self._in_vain = MOST_LINES, MOST_IN_VAIN
        self._foreseen = self._refused = False

    def foresee(
        self,
        loop: tree.For | tree.Loop,
        after: Iterable[tree.Statement],
        scope: Scope,
        defines: Mapping[str, Any],
        macros: Mapping[str, int],
    ) -> None:
        """Refuse an outermost loop if too many lines will be made, by it and those within.

        The first that comes is counted together with all that stands ``after`` it in the text. Of
        ``macros`` at least so many lines are counted, by their names.
        """
        counting = Foreseen(scope, defines, self._left, macros)
        count = counting.lines([loop] if self._foreseen else [loop, *after], 0)
        self._foreseen = True
        if count > self._left:
            more = " or more" if counting.cut else ""
            raise _too_many(f"{_figure(MOST_LINES - self._left + count)} lines{more}")

    def alone(self, count: int) -> None:
        """Refuse a loop of more rounds than there may be lines."""
        if count > MOST_LINES:
            said = f"a loop of {_figure(count)} rounds; wanted at most {MOST_LINES:,}"
            raise Refused("E0218", said)

    def take(self, lines: int) -> None:
        """Count lines that are about to be made; raises Refused once, then a silent Failure."""
        if self._refused:
            raise Failure(())
        if lines > self._left:
            self._refused = True
            raise _too_many(f"more than {MOST_LINES:,} lines")
        self._left -= lines

    def in_vain(self) -> bool:
        """Count a round of a text with a problem; whether there were enough of them."""
        self._in_vain -= 1
        return self._in_vain < 0


def _too_many(lines: str) -> Refused:
    said = f"the loops make {lines}; wanted at most {MOST_LINES:,}"
    return Refused("E0218", said, "a loop at run time, .loop k in a..b, is as long as its lines")


def _figure(count: int) -> str:
    return f"{count:,}" if count < 10**LONG else "countless"


class Foreseen:
    """Counts the lines that loops make; beyond ``most`` it stops counting, and says so."""

    def __init__(
        self, scope: Scope, defines: Mapping[str, Any], most: int, macros: Mapping[str, int]
    ) -> None:
        # Names mean what they do now, and nothing that is looked up here has an effect.
        self._scope = replace(
            scope,
            values=dict(scope.values),
            undeclared=Undeclared(),
            place=_nothing,
            later=lambda name, kind: None,
        )
        self._defines, self._most, self._macros = defines, most, macros
        self._closures: dict[int, Closure] = {}
        self._deciding: dict[int, bool] = {}
        self._looks = MOST_LOOKS
        self.cut = False

    def lines(self, statements: Iterable[tree.Statement], each: int) -> int:
        """The lines of statements: ``each`` counts for one itself, 0 outside of loops."""
        count = 0
        for statement in statements:
            if count > self._most:
                self.cut = True
                break
            count += each
            match statement:
                case tree.For():
                    count += self._loop(statement)
                case tree.Loop(body=body):
                    count += self.lines(body, each)
                case tree.If(branches=branches):
                    count += self._chosen(branches, each)
                case tree.ScopeBlock(body=body):
                    count += self.lines(body, each)
                case tree.MacroCall(name=name):
                    count += self._macros.get(name.name, 0)
                case tree.Const(items=items):
                    for item in items:
                        self._constant(item)
                case _:
                    pass
        return count

    def _loop(self, loop: tree.For) -> int:
        values = self._values(loop)
        if values is None or not loop.body:
            return 0
        left, count, own = rounds_of(values), 0, len(loop.body)
        before, name = self._scope.values, loop.variable.name
        alike = not self._decided(loop)
        for value in values:
            if not alike and (count + left * own > self._most or self._looks <= 0):
                self.cut = True
                count += left * own  # what is not looked at makes these lines at least
                break
            self._looks -= own
            self._scope.values = {**before, name: value}
            made = self.lines(loop.body, 1)
            if alike:
                count += left * made
                break
            count += made
            left -= 1
        self._scope.values = before
        return count

    def _values(self, loop: tree.For) -> range | list[Any] | None:
        if loop.stop is None:
            try:
                found = self._value(loop.first)
            except (Failure, Refused):
                return None
            return found if isinstance(found, list) else None
        bounds = [self._integer(n) for n in (loop.first, loop.stop, loop.step) if n is not None]
        if None in bounds or 0 in bounds[2:]:
            return None
        return range(*(b for b in bounds if b is not None))

    def _chosen(
        self, branches: tuple[tuple[tree.Node | None, tuple[tree.Statement, ...]], ...], each: int
    ) -> int:
        for condition, body in branches:
            try:
                if condition is None or truth(self._value(condition), ".if"):
                    return self.lines(body, each)
            except (Failure, Refused):
                return 0
        return 0

    def _constant(self, item: tree.Named) -> None:
        try:
            value = self._value(item.value)
            self._scope.values[item.name] = replaced(item.name, value, self._defines)
        except (Failure, Refused):
            self._scope.values.pop(item.name, None)

    def _integer(self, node: tree.Node) -> int | None:
        try:
            return integer_of(self._value(node), ".for")
        except (Failure, Refused):
            return None

    def _value(self, node: tree.Node) -> object:
        closure = self._closures.get(id(node))
        if closure is None:
            closure = self._closures[id(node)] = compile_node(node)
        return closure(self._scope)

    def _decided(self, loop: tree.For) -> bool:
        found = self._deciding.get(id(loop))
        if found is None:
            found = self._deciding[id(loop)] = _decides(loop)
        return found


def rounds_of(values: range | list[Any]) -> int:
    """How many values a range has, also where ``len`` could not count them."""
    if isinstance(values, list):
        return len(values)
    return max(0, -((values.start - values.stop) // values.step))


def _nothing() -> None:
    """Place no tensor."""


def _decides(loop: tree.For) -> bool:
    """Whether what a round of this loop makes may depend on its variable."""
    deciding: set[str] = set()
    constants: list[tree.Named] = []
    for statement in loop.body:
        for _, node in descendants(statement):
            match node:
                case tree.For(first=first, stop=stop, step=step):
                    deciding |= free_names((first, stop, step))
                case tree.If(branches=branches):
                    deciding |= free_names(tuple(condition for condition, _ in branches))
                case tree.Const(items=items):
                    constants += items
                case _:
                    pass
    for item in reversed(constants):
        if item.name in deciding:
            deciding |= free_names(item.value)
    return loop.variable.name in deciding
