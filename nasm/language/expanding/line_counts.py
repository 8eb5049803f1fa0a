"""How many lines the loops and macros of a text make: counted before the first of them is made.

Expanding a line costs a thousand times as much as counting it, so a nest that makes too many is
refused by its first line, not after a minute. Only loops, conditions, constants and calls of macros
are looked at; within a macro a value is known if it follows from numbers that the call passes.
What cannot be counted ahead (a bound that needs a tensor's place, say) counts as nothing here: the
expander still counts every line that it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

from nasm.base.problems import Failure, Refused, listed
from nasm.base.records import replace
from nasm.language.expanding.defines import replaced
from nasm.language.expanding.evaluate import Closure, compile_node, free_names
from nasm.language.expanding.forward_names import Undeclared
from nasm.language.expanding.functions import integer_of, truth
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.walk import descendants
from nasm.views.value_text import LONG

LOOPS, MACROS = "loops", "macros"
"""What makes lines."""

MOST_LINES = 2_000_000
"""Lines that loops and macros make, all together: more would take minutes and gigabytes.

An instruction that the text repeats takes some 50 to 200 bytes, one of which every round makes
another 1.3 KB, a tensor or an expectation 0.7 KB, a prepared transfer 1 KB.
"""

MOST_IN_VAIN = 10_000
"""Rounds that are still made once there is a problem: no program will come of them."""

MOST_LOOKS = 200_000
"""Lines that are looked at one by one, in loops whose rounds differ in what they make."""

DEEPEST = 100
"""Blocks and calls within each other that are looked at; what is deeper is not counted ahead."""

Counted = dict[tuple[object, ...], int]
"""The lines of macros that were counted, by the macro and the numbers that it was passed."""


class RoundBudget:
    """The lines that the rounds of a text may still make."""

    def __init__(self) -> None:
        self._left, self._in_vain = MOST_LINES, MOST_IN_VAIN
        self._foreseen = self._refused = False
        self._counted: Counted = {}
        self._makers: set[str] = set()

    def foresee(
        self,
        first: tree.For | tree.LoopStatement | tree.MacroCall,
        after: Iterable[tree.Statement],
        scope: Scope,
        defines: Mapping[str, Any],
        macro: Callable[[str], tree.MacroStatement | None],
    ) -> None:
        """Refuse an outermost loop or call if too many lines will be made, by it and those within.

        The first that comes is counted together with all lines ``after`` it in the text.
        ``macro`` finds a macro by its name.
        """
        counting = Foreseen(scope, defines, self._left, macro, self._counted)
        count = counting.lines([first] if self._foreseen else [first, *after], 0)
        self._foreseen = True
        if count > self._left:
            more = " or more" if counting.cut else ""
            lines = f"{_figure(MOST_LINES - self._left + count)} lines{more}"
            raise _too_many(lines, self._makers | counting.makers)

    def alone(self, count: int) -> None:
        """Refuse a loop of more rounds than there may be lines."""
        if count > MOST_LINES:
            message = f"a loop of {_figure(count)} rounds; wanted at most {MOST_LINES:,}"
            raise Refused("E0218", message)

    def take(self, lines: int, maker: str) -> None:
        """Count lines that are about to be made; raises Refused once, then a silent Failure.

        ``maker`` is what makes them: LOOPS or MACROS.
        """
        if self._refused:
            raise Failure(())
        self._makers.add(maker)
        if lines > self._left:
            self._refused = True
            raise _too_many(f"more than {MOST_LINES:,} lines", self._makers)
        self._left -= lines

    def in_vain(self) -> bool:
        """Count a round of a text with a problem; whether there were enough of them."""
        self._in_vain -= 1
        return self._in_vain < 0


def _too_many(lines: str, makers: Collection[str]) -> Refused:
    message = f"the {listed(sorted(makers), 'and')} make {lines}; wanted at most {MOST_LINES:,}"
    hint = "a loop at run time, .loop k in a..b, is as long as its lines" if LOOPS in makers else ""
    return Refused("E0218", message, hint)


def _figure(count: int) -> str:
    return f"{count:,}" if count < 10**LONG else "countless"


class Foreseen:
    """Counts the lines that loops and macros, its ``makers``, make.

    Beyond ``most`` it stops counting, and sets ``cut``. Macros that were ``counted`` are not
    looked at again.
    """

    def __init__(
        self,
        scope: Scope,
        defines: Mapping[str, Any],
        most: int,
        macro: Callable[[str], tree.MacroStatement | None],
        counted: Counted,
    ) -> None:
        # Names mean what they do now, and nothing that is looked up here has an effect.
        self._scope = replace(
            scope,
            values=dict(scope.values),
            undeclared=Undeclared(),
            place=_nothing,
            later=lambda name, kind: None,
        )
        self._defines, self._most, self._macro, self._counted = defines, most, macro, counted
        self._within_macro, self._depth = False, 0
        self.makers: set[str] = set()
        self._closures: dict[int, Closure] = {}
        self._deciding: dict[int, bool] = {}
        self._looks = MOST_LOOKS
        self.cut = False

    def lines(self, statements: Iterable[tree.Statement], each: int) -> int:
        """The lines of statements: ``each`` counts for one itself, 0 outside of loops."""
        if self._depth >= DEEPEST:
            return 0
        self._depth += 1
        try:
            return self._lines(statements, each)
        finally:
            self._depth -= 1

    def _lines(self, statements: Iterable[tree.Statement], each: int) -> int:
        count = 0
        for statement in statements:
            if count > self._most:
                self.cut = True
                break
            count += each
            match statement:
                case tree.For():
                    count += self._loop(statement)
                case tree.LoopStatement(body=body):
                    count += self.lines(body, each)
                case tree.If(branches=branches):
                    count += self._chosen(branches, each)
                case tree.ScopeBlock(body=body):
                    count += self.lines(body, each)
                case tree.MacroCall():
                    count += self._call(statement)
                case tree.Const(items=items):
                    for item in items:
                        self._constant(item)
                case _:
                    pass
        return count

    def _call(self, call: tree.MacroCall) -> int:
        """The lines of a macro and of all that it calls."""
        macro = self._macro(call.name.name)
        if macro is None:
            return 0
        self.makers.add(MACROS)
        given = self._given(macro, call) if nested(macro) else {}
        key = (id(macro), *((name, repr(value)) for name, value in given.items()))
        known = self._counted.get(key)
        if known is None:
            self._counted[key] = len(macro.body)  # by a call of itself, which has to end
            outside = self._scope.values, self._within_macro
            self._scope.values, self._within_macro = given, True
            self._looks -= len(macro.body)
            cut = self._looks <= 0
            known = len(macro.body) if cut else self.lines(macro.body, 1)
            self.cut = self.cut or cut
            self._scope.values, self._within_macro = outside
            self._counted[key] = known
        return known

    def _given(self, macro: tree.MacroStatement, call: tree.MacroCall) -> dict[str, Any]:
        """The numbers that a macro is passed, as far as they are known, by its parameters."""
        names = [parameter.name for parameter in macro.parameters]
        given = {p.name: p.value for p in macro.parameters if isinstance(p, tree.NamedArgument)}
        positional = (a for a in call.arguments if not isinstance(a, tree.NamedArgument))
        given |= dict(zip(names, positional, strict=False))
        given |= {a.name: a.value for a in call.arguments if isinstance(a, tree.NamedArgument)}
        found: dict[str, Any] = {}
        for name, node in given.items():
            if any(type(self._scope.values.get(free)) is not int for free in free_names(node)):
                continue
            with suppress(Failure, Refused):
                value = self._value(node)
                if type(value) in (int, bool):
                    found[name] = value
        return found

    def _loop(self, loop: tree.For) -> int:
        self.makers.add(LOOPS)
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
        self,
        branches: tuple[tuple[tree.ExpressionNode | None, tuple[tree.Statement, ...]], ...],
        each: int,
    ) -> int:
        for condition, body in branches:
            try:
                if condition is None or truth(self._value(condition), ".if"):
                    return self.lines(body, each)
            except (Failure, Refused):
                return 0
        return 0

    def _constant(self, item: tree.NamedArgument) -> None:
        try:
            value = self._value(item.value)
            if not self._within_macro:
                value = replaced(item.name, value, self._defines)
            self._scope.values[item.name] = value
        except (Failure, Refused):
            self._scope.values.pop(item.name, None)

    def _integer(self, node: tree.ExpressionNode) -> int | None:
        try:
            return integer_of(self._value(node), ".for")
        except (Failure, Refused):
            return None

    def _value(self, node: tree.ExpressionNode) -> object:
        if self._within_macro and not free_names(node) <= self._scope.values.keys():
            raise Failure(())  # of a name from outside it is not known what it means in there
        closure = self._closures.get(id(node))
        if closure is None:
            closure = self._closures[id(node)] = compile_node(node)
        return closure(self._scope)

    def _decided(self, loop: tree.For) -> bool:
        found = self._deciding.get(id(loop))
        if found is None:
            found = self._deciding[id(loop)] = _decides(loop)
        return found


def nested(macro: tree.MacroStatement) -> bool:
    """Whether a macro makes more lines than its own, or may."""
    holding = (tree.For, tree.LoopStatement, tree.If, tree.ScopeBlock, tree.MacroCall)
    return any(isinstance(statement, holding) for statement in macro.body)


def rounds_of(values: range | list[Any]) -> int:
    """How many values a range has, even if ``len`` cannot count them."""
    if isinstance(values, list):
        return len(values)
    return max(0, -((values.start - values.stop) // values.step))


def _nothing() -> None:
    """Place no tensor."""


def _decides(loop: tree.For) -> bool:
    """Whether what a round of this loop makes may depend on its variable."""
    deciding: set[str] = set()
    constants: list[tree.NamedArgument] = []
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
