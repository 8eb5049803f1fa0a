"""Bodies of functions, executed: calls of the vendor's macros become instructions.

The language is a part of C++ with integers alone. What is not part of it is refused by name, at its
line.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from lark import Tree

from nasm.base.problems import Failure, Refused, did_you_mean, listed
from nasm.llk.built_in import TEMPLATES
from nasm.llk.headers import LlkFunction, Parameter, problem
from nasm.llk.numbers import combined
from nasm.llk.objects import MODIFIERS, Modifier
from nasm.llk.scopes import LlkScope
from nasm.llk.syntax import Node, expression, parsed
from nasm.llk.values import LlkValues, parts

_ROUNDS: Final = 1 << 16
_DEEP: Final = 60
_VECTOR: Final = re.compile(r"(?:\w+::)*_*v[A-Z]\w*|sfpi::\w+")
"""Types of SFPI: vectors of numbers."""


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class LlkKernel(LlkValues):
    """Functions of some files, executed."""

    def run(self, name: str) -> None:
        """Execute a function, with the parameters that were given; raises Failure."""
        plain, _, inner = name.partition("<")
        template = [self._plain(part) for part in parts(inner.rpartition(">")[0])]
        function = self.function(plain, template)
        if function is None:
            known = sorted({n for header in self.headers for n in header.functions})
            hint = did_you_mean(name, known) or f"it has {', '.join(known[:8])}"
            first = self.headers[0]
            raise Failure(problem(first, 0, 0, f"no function '{name}' is declared", hint))
        self.call(function, template, [], 0)

    def _plain(self, text: str) -> Any:
        """What an argument of a template says by itself, at the call that a command makes."""
        first = self.headers[0]
        return self.value(expression(first, text), LlkScope(first, 0))

    def function(
        self, name: str, template: Sequence[Any] = (), args: int = 0
    ) -> LlkFunction | None:
        """The function of a name that takes so many arguments: one for these of its template."""
        short = name.rpartition("::")[2]
        found = [f for header in self.headers for f in header.functions.get(short, ())]
        enough = [f for f in found if args <= len(f.parameters)] or found
        special = (f for f in enough if f.special and self._parts(f, f.special) == [*template])
        general = [f for f in enough if not f.special and len(template) <= len(f.template)]
        files = {f.file.source.name for f in general}
        if len(files) > 1:
            message = f"'{short}' is declared in {listed(sorted(files), 'and')}"
            raise Refused("E0601", message, "name one of these files only")
        return next(special, None) or next(iter(general), None)

    def _parts(self, function: LlkFunction, text: str) -> list[Any]:
        scope = LlkScope(function.file, function.start)
        return [self.value(expression(scope.header, part), scope) for part in parts(text)]

    def call(
        self,
        function: LlkFunction,
        template: list[Any],
        args: list[Any],
        depth: int,
        fields: Mapping[str, Any] = MappingProxyType({}),
    ) -> Any:
        """Execute a function's body, with arguments of its template and its own."""
        if depth > _DEEP:
            raise Refused("E0227", f"{function.name} calls itself too deep")
        scope = LlkScope(function.file, function.start, dict(fields), depth)
        for parameters, values in ((function.template, template), (function.parameters, args)):
            for at, parameter in enumerate(parameters):
                given = (
                    values[at] if at < len(values) else self._default(parameter, scope, function)
                )
                scope.names[parameter.name] = given
        body = parsed(function.file, function.start, function.stop)
        try:
            self.execute(body, scope)
        except _Return as left:
            return left.value
        finally:
            self.left = {p.name: scope.names[p.name] for p in function.parameters if p.refers}
        return 0

    def _default(self, parameter: Parameter, scope: LlkScope, function: LlkFunction) -> Any:
        if parameter.name in self.given:
            return self.asked(parameter.name)
        if parameter.default:
            return self.value(expression(scope.header, parameter.default), scope)
        message = f"parameter '{parameter.name}' of {function.name} has no value"
        hint = f"give it: -D {parameter.name}=0, or {parameter.name}=0 in a line"
        raise Failure(problem(function.file, function.start, function.start + 1, message, hint))

    def closed(self, body: Node, given: dict[str, Any], scope: LlkScope) -> Any:
        """What a lambda returns that was made in a scope, whose variables it may change."""
        if scope.depth > _DEEP:
            raise Refused("E0227", "a lambda calls itself too deep")
        names = ChainMap(given, scope.names)
        inner = LlkScope(scope.header, scope.start, names, scope.depth + 1)
        try:
            self.execute(body, inner)
        except _Return as left:
            return left.value
        return 0

    # -- statements

    def execute(self, node: Node, scope: LlkScope) -> None:
        """Execute a statement; raises Failure where it is beyond this part of C++."""
        match node.data:
            case "block":
                for one in node.children:
                    self.execute(one, scope)
            case "branch":
                condition, then, *other = node.children
                if self.value(condition, scope):
                    self.execute(then, scope)
                elif other and other[0] is not None:
                    self.execute(other[0], scope)
            case "loop":
                scope.at(node, lambda: self._loop(node, scope))
            case "repeat":
                condition, body = node.children
                scope.at(node, lambda: self._repeat(condition, body, None, scope))
            case "switch":
                self._switch(node, scope)
            case "leave":
                value = node.children[0]
                raise _Return(0 if value is None else self.value(value, scope))
            case "leave_loop":
                raise _Break
            case "nothing":
                return
            case "declaration":
                self._declare(node, scope)
            case "assign":
                self._assign(node, scope)
            case "made":
                name, fields, method, args = node.children
                scope.at(
                    node,
                    lambda: self._made(str(name), fields, scope).call(
                        str(method), self.args(args, scope)
                    ),
                )
            case _:
                self.value(node, scope)

    def _loop(self, node: Node, scope: LlkScope) -> None:
        *head, body = node.children
        begin, condition, step = head
        if begin is not None:
            self.execute(begin, scope)
        self._repeat(condition, body, step, scope)

    def _repeat(self, condition: Any, body: Node, step: Any, scope: LlkScope) -> None:
        for _ in range(_ROUNDS):
            if condition is not None and not self.value(condition, scope):
                return
            try:
                self.execute(body, scope)
            except _Break:
                return
            if step is not None:
                self.execute(step, scope)
        raise Refused("E0211", f"a loop has more than {_ROUNDS:,} rounds")

    def _switch(self, node: Node, scope: LlkScope) -> None:
        chosen, *cases = node.children
        value = self.value(chosen, scope)

        def matches(label: Any) -> bool:
            return bool(label.data == "label" and self.value(label.children[0], scope) == value)

        labels = [[c for c in case.children if c.data in ("label", "other")] for case in cases]
        at = next((n for n, own in enumerate(labels) if any(map(matches, own))), None)
        if at is None:
            at = next((n for n, own in enumerate(labels) if own[-1].data == "other"), len(cases))
        try:
            for case in cases[at:]:
                for one in case.children:
                    if one.data not in ("label", "other"):
                        self.execute(one, scope)
        except _Break:
            return

    def _declare(self, node: Node, scope: LlkScope) -> None:
        kind = next(c for c in node.children if isinstance(c, Tree) and c.data == "type")
        of = str(kind.children[0])
        if _VECTOR.fullmatch(of):
            raise scope.refused(node, f"'{of}' is SFPI, which the vendor's compiler alone reads")
        for one in node.children:
            if not isinstance(one, Tree) or one.data == "type":
                continue
            name, *rest = [c for c in one.children if c is not None]
            if one.data == "constructed":
                make = TEMPLATES.get(str(kind.children[0]).rpartition("::")[2])
                if make is None:
                    raise scope.refused(one, f"'{kind.children[0]}' is no type that is read here")
                args = self.args(rest[0], scope)
                scope.names[str(name)] = scope.at(one, partial(make, self.output, *args))
            else:
                given = self.value(rest[-1], scope) if rest else 0
                typed = partial(self.typed, given, of, scope.header)
                scope.names[str(name)] = scope.at(one, typed)

    def _assign(self, node: Node, scope: LlkScope) -> None:
        to, how, value = node.children
        if not isinstance(to, Tree) or to.data != "name":
            raise scope.refused(node, "only variables are assigned to here")
        name, new = str(to.children[0]), self.value(value, scope)
        short = name.rpartition("::")[2]
        if name not in scope.names and self.constant(short, scope) is None:
            raise scope.refused(to, f"nothing declares '{name}', to which it assigns")
        if str(how) != "=":
            new = combined(str(how)[:-1], self.named(to, scope, {}), new)
        self.put(name, new, scope)

    def _made(self, name: str, fields: Any, scope: LlkScope) -> Modifier:
        short = name.rpartition("::")[2]
        if short not in MODIFIERS:
            raise scope.refused(fields, f"'{name}' is no type that is read here")
        return Modifier(self.output, short, self._braces(fields, scope))

    def _braces(self, node: Any, scope: LlkScope) -> dict[str, Any]:
        found = {}
        for one in node.children:
            if one is not None and one.data == "field":
                name, value = one.children
                inner = isinstance(value, Tree) and value.data == "braces"
                found[str(name)] = self._braces(value, scope) if inner else self.value(value, scope)
        return found
