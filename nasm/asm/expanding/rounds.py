"""How many rounds the loops of a text have: counted before the first of them is made.

Expanding a round costs a thousand times as much as counting it, so a nest that is too long is
refused by its first line, not after a minute. Only loops, conditions and constants are looked at.
What cannot be counted ahead (a bound that needs a tensor's place, say) counts as nothing here: the
expander still counts every loop that it comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from nasm.asm.expanding.evaluate import Closure, Scope, compile_node, free_names
from nasm.asm.expanding.functions import integer_of, truth
from nasm.asm.expanding.undeclared import Undeclared
from nasm.asm.text import tree
from nasm.asm.text.walk import descendants
from nasm.problems import Failure, Refused
from nasm.spec.kinds import LONG

MOST_ROUNDS = 20_000_000
"""Loops of more than these, all together, are a mistake: they would take minutes and gigabytes."""

MOST_IN_VAIN = 10_000
"""Rounds that are still made once there is a problem: no program will come of them."""

MOST_LOOKS = 200_000
"""Rounds that are looked at one by one, in loops whose inner bounds change from round to round."""


class Rounds:
    """The rounds that a text may still make."""

    def __init__(self) -> None:
        self._left, self._in_vain = MOST_ROUNDS, MOST_IN_VAIN
        self._foreseen = False

    def foresee(
        self,
        loop: tree.For,
        own: int,
        after: Iterable[tree.Statement],
        scope: Scope,
        defines: Mapping[str, int | float],
    ) -> None:
        """Refuse an outermost loop of so many rounds if there will be too many, with those within.

        The first that comes is counted together with all that stands ``after`` it in the text.
        """
        _alone(own)
        counting = Foreseen(scope, defines, self._left)
        count = counting.rounds([loop] if self._foreseen else [loop, *after])
        self._foreseen = True
        if count > self._left:
            raise _too_many(MOST_ROUNDS - self._left + count, counting.cut)

    def take(self, count: int) -> None:
        """Refuse a loop of so many rounds if they are too many with those made before."""
        _alone(count)
        if count > self._left:
            raise _too_many(MOST_ROUNDS - self._left + count)
        self._left -= count

    def in_vain(self) -> bool:
        """Count a round of a text with a problem; whether there were enough of them."""
        self._in_vain -= 1
        return self._in_vain < 0


def _alone(count: int) -> None:
    if count > MOST_ROUNDS:
        raise Refused("E0218", f"a loop of {_figure(count)} rounds; wanted at most {MOST_ROUNDS:,}")


def _too_many(count: int, cut: bool = False) -> Refused:
    more = " or more" if cut else ""
    said = f"loops of {_figure(count)} rounds{more} together"
    return Refused("E0218", f"{said}; wanted at most {MOST_ROUNDS:,}")


def _figure(count: int) -> str:
    return f"{count:,}" if count < 10**LONG else "countless"


class Foreseen:
    """Counts the rounds of nests of loops; beyond ``most`` it stops counting, and says so."""

    def __init__(self, scope: Scope, defines: Mapping[str, int | float], most: int) -> None:
        # Names mean what they do now, and nothing that is looked up here has an effect.
        self._scope = replace(
            scope,
            values=dict(scope.values),
            undeclared=Undeclared(),
            place=_nothing,
            later=lambda name, kind: None,
        )
        self._defines, self._most = defines, most
        self._closures: dict[int, Closure] = {}
        self._inner: dict[int, bool] = {}
        self._deciding: dict[int, bool] = {}
        self._looks = MOST_LOOKS
        self.cut = False

    def rounds(self, statements: Iterable[tree.Statement]) -> int:
        """The rounds of all loops among statements, those within loops included."""
        count = 0
        for statement in statements:
            if count > self._most:
                self.cut = True
                break
            match statement:
                case tree.For():
                    count += self._loop(statement)
                case tree.If(branches=branches):
                    count += self._chosen(branches)
                case tree.Const(items=items):
                    for item in items:
                        self._constant(item)
                case _:
                    pass
        return count

    def _loop(self, loop: tree.For) -> int:
        bounds = [self._integer(n) for n in (loop.first, loop.stop, loop.step) if n is not None]
        if None in bounds or 0 in bounds[2:]:
            return 0
        values = range(*(b for b in bounds if b is not None))
        count = rounds_of(values)
        if not count or not self._known(self._inner, loop, _has_loops):
            return count
        before, name = self._scope.values, loop.variable.name
        alike = not self._known(self._deciding, loop, _decides)
        for value in values:
            if count > self._most or self._looks <= 0:
                self.cut = True
                break
            self._looks -= 1
            self._scope.values = {**before, name: value}
            inner = self.rounds(loop.body)
            if alike:
                count += rounds_of(values) * inner
                break
            count += inner
        self._scope.values = before
        return count

    def _chosen(
        self, branches: tuple[tuple[tree.Node | None, tuple[tree.Statement, ...]], ...]
    ) -> int:
        for condition, body in branches:
            try:
                if condition is None or truth(self._value(condition), ".if"):
                    return self.rounds(body)
            except (Failure, Refused):
                return 0
        return 0

    def _constant(self, item: tree.Named) -> None:
        try:
            self._scope.values[item.name] = self._defines.get(item.name, self._value(item.value))
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

    @staticmethod
    def _known(known: dict[int, bool], loop: tree.For, find: Callable[[tree.For], bool]) -> bool:
        found = known.get(id(loop))
        if found is None:
            found = known[id(loop)] = find(loop)
        return found


def rounds_of(values: range) -> int:
    """How many values a range has, also where ``len`` could not count them."""
    return max(0, -((values.start - values.stop) // values.step))


def _nothing() -> None:
    """Place no tensor."""


def _has_loops(loop: tree.For) -> bool:
    return any(isinstance(n, tree.For) for s in loop.body for _, n in descendants(s))


def _decides(loop: tree.For) -> bool:
    """Whether the rounds of loops within this one may depend on its variable."""
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
