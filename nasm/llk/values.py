"""Expressions of integers: names, operators, and calls, which may make instructions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final

from lark import Token, Tree

from nasm.base.problems import Refused
from nasm.base.source import Source
from nasm.isa.field_kinds import Field
from nasm.isa.instruction import Row
from nasm.llk.built_in import IGNORED, SAME, SPECIAL, TEMPLATES
from nasm.llk.headers import LlkFunction, LlkHeader, scanned
from nasm.llk.numbers import bits_as, combined, converted, literal, numbers
from nasm.llk.objects import Lambda, LlkObject, LoopTemplate, MaskTemplate
from nasm.llk.output import VENDOR, LlkOutput
from nasm.llk.scopes import LlkScope
from nasm.llk.syntax import Node, expression

_DECLARES: Final = 'name the file that declares it: -I FILE, or files="FILE" in a line'
_RMW: Final = re.compile(r"\b(\w+)_RMW\b")
"""What the header of the configuration has instead of the three constants of a field."""
_STRIDE: Final = 2
"""Rows of Dst that ``dst_reg++`` adds (SFPI's SFP_DESTREG_STRIDE)."""


class LlkValues(ABC):
    """What expressions are, in some files; functions and statements are executed elsewhere."""

    def __init__(
        self,
        rows: Iterable[Row],
        sources: Sequence[Source],
        given: Mapping[str, int | str],
        names: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Take the rows, files, what is given by name, and names that are known otherwise."""
        self.rows, self.given, self._names = tuple(rows), dict(given), names
        self.headers = [scanned(source, given) for source in sources]
        self.output = LlkOutput()
        self._known: dict[str, Any] = {}
        self.left: dict[str, Any] = {}

    @abstractmethod
    def execute(self, node: Node, scope: LlkScope) -> None:
        """Execute a statement."""

    @abstractmethod
    def function(self, name: str, template: Sequence[Any], args: int) -> LlkFunction | None:
        """The function of a name that takes so many arguments: one for these of its template."""

    @abstractmethod
    def call(
        self,
        function: LlkFunction,
        template: list[Any],
        args: list[Any],
        depth: int,
        fields: Mapping[str, Any] = MappingProxyType({}),
    ) -> Any:
        """What a function returns, of an object with fields; ``left`` is what references hold."""

    @abstractmethod
    def closed(self, body: Node, given: dict[str, Any], scope: LlkScope) -> Any:
        """What a lambda returns that was made in a scope."""

    @cached_property
    def macros(self) -> dict[str, tuple[Row, str]]:
        """The macros of all instructions, each with its row and its prefix."""
        found = {}
        for row in self.rows:
            for name in row.vendor.get(VENDOR, ()):
                found[name] = (row, name[: -len(row.name)])
        return found

    @cached_property
    def values(self) -> dict[str, set[int]]:
        """What the macros of all fields call their values."""
        found: dict[str, set[int]] = {}
        for row in self.rows:
            for one in row.encoding.fields() if row.encoding is not None else ():
                for name, value in one.values.names(True).items() if one.values else ():
                    found.setdefault(name, set()).add(value.number)
        return found

    # -- names

    def put(self, name: str, new: Any, scope: LlkScope) -> None:
        """Assign to a variable, of the call or of the file."""
        short = name.rpartition("::")[2]
        if name not in scope.names and self.constant(short, scope) is not None:
            self._known[short] = new  # a variable of the file
            return
        held: MutableMapping[str, Any] = scope.names
        while isinstance(held, ChainMap):  # what a lambda was made with, unless it is its own
            first, *others = held.maps
            held = first if name in first or not others else others[0]
        held[name] = new

    # -- expressions

    def value(self, node: Any, scope: LlkScope, offered: Mapping[str, Any] | None = None) -> Any:
        """What an expression is; ``offered`` are names of the values that a field has."""
        data = node.data if isinstance(node, Tree) else ""
        if data == "number":
            return literal(str(node.children[0]))
        if data == "name":
            return self.named(node, scope, offered or {})
        if data == "choose":
            condition, chosen, other = node.children
            return self.value(chosen if self.value(condition, scope) else other, scope, offered)
        if data in ("either", "both"):
            wanted = data == "either"
            return int(
                any(self.value(c, scope) for c in node.children)
                if wanted
                else all(self.value(c, scope) for c in node.children)
            )
        if data in _CHAINS:
            return self._chain(node, scope, offered)
        one = _UNARY.get(data)
        if one is not None:
            of = self.value(node.children[-1], scope, offered)
            scope.at(node, partial(numbers, of))
            return one(of, str(node.children[0]))
        special = getattr(self, f"_of_{data}", None)
        if special is None:
            raise scope.refused(node, "this is C++ beyond what is read here")
        return special(node, scope)

    def _chain(self, node: Node, scope: LlkScope, offered: Mapping[str, Any] | None) -> Any:
        signs = {"bits_or": "|", "bits_xor": "^", "bits_and": "&"}
        fixed = signs.get(node.data)
        operands = [c for c in node.children if fixed or not isinstance(c, Token)]
        marks = (
            [fixed] * len(operands)
            if fixed
            else [str(c) for c in node.children if isinstance(c, Token)]
        )
        value = self.value(operands[0], scope, offered)
        for mark, operand in zip(marks, operands[1:], strict=False):
            right = self.value(operand, scope, offered)
            value = scope.at(node, partial(combined, str(mark), value, right))
        return value

    def named(self, node: Node, scope: LlkScope, offered: Mapping[str, Any]) -> Any:
        """What a name is: a variable, a constant, a value of a field; raises Failure."""
        name = str(node.children[0])
        short = name.rpartition("::")[2]
        if name in scope.names:
            return scope.names[name]
        pair = "::".join(name.split("::")[-2:])
        for one in (pair, short):
            if self._known.get(one) is not None:
                return self._known[one]
        if name in ("true", "false"):
            return int(name == "true")
        if name in self.macros:
            return scope.at(node, lambda: self.instruction(name, []))
        for known in (
            self.asked(short),
            self._offered(offered, short),
            self.constant(pair, scope),
            self.constant(short, scope),
            self._names.get(short),
        ):
            if known is not None:
                return known
        numbers = self.values.get(short, set())
        if len(numbers) == 1:
            return next(iter(numbers))
        hint = f"say what it is: -D {short}=0, or {short}=0 in a line; or {_DECLARES}"
        raise scope.refused(node, f"nothing says what '{name}' is", hint)

    def asked(self, name: str) -> Any:
        """What is given for a name: a number, or the text of an expression in the first file."""
        found = self.given.get(name)
        if isinstance(found, str):
            first = self.headers[0]
            return self.value(expression(first, found), LlkScope(first, 0))
        return found

    @staticmethod
    def _offered(offered: Mapping[str, Any], name: str) -> int | None:
        found = offered.get(name)
        return None if found is None else int(found.number)

    def constant(self, name: str, scope: LlkScope) -> Any:
        """What files say a name is; None if they do not."""
        if name in self._known:
            return self._known[name]
        for header in (scope.header, *self.headers):
            text = header.constants.get(name)
            if text is not None and text != name:
                self._known[name] = None  # one that is made of itself is none
                value = self.value(expression(header, text), LlkScope(header, 0))
                value = self.typed(value, header.types.get(name, ""), header)
                self._known[name] = value
                return value
        return None

    def typed(self, value: Any, kind: str, header: LlkHeader) -> Any:
        """A value as one of a type: values in braces become fields where these are declared."""
        short = kind.rpartition("::")[2]
        for one in (header, *self.headers):
            fields = one.structs.get(short)
            if fields is not None and isinstance(value, list):
                return LlkObject(dict(zip(fields, value, strict=False)))
        return converted(value, short)

    def _of_templated(self, node: Node, scope: LlkScope) -> Any:
        raise scope.refused(node, f"'{node.children[0]}' is C++ beyond what is read here")

    def _of_member(self, node: Node, scope: LlkScope) -> Any:
        held, name = self.value(node.children[0], scope), str(node.children[1])
        if isinstance(held, LlkObject) and name in held.values:
            return held.values[name]
        raise scope.refused(node, f"member '{name}' is C++ beyond what is read here")

    def _of_item(self, node: Node, scope: LlkScope) -> Any:
        held, at = (self.value(child, scope) for child in node.children)
        if isinstance(held, list) and isinstance(at, int) and 0 <= at < len(held):
            return held[at]
        raise scope.refused(node, "only arrays of numbers have items here, each by its number")

    def _of_braces(self, node: Node, scope: LlkScope) -> Any:
        """Values in braces: an array, or fields of a type whose fields are declared."""
        return [self.value(c.children[-1], scope) for c in node.children if c is not None]

    def _of_lambda(self, node: Node, scope: LlkScope) -> Lambda:
        *_, body = node.children
        listed = next((c for c in node.children if _is(c, "parameter_list")), None)
        names = [] if listed is None else [str(c.children[-1]) for c in listed.children]
        return Lambda(lambda args: self.closed(body, dict(zip(names, args, strict=False)), scope))

    def _of_stepped(self, node: Node, scope: LlkScope) -> Any:
        return self._step(node.children[1], str(node.children[0]), scope)

    def _of_stepped_after(self, node: Node, scope: LlkScope) -> Any:
        return self._step(node.children[0], str(node.children[1]), scope)

    def _step(self, to: Any, how: str, scope: LlkScope) -> Any:
        name = str(to.children[0]) if isinstance(to, Tree) and to.data == "name" else ""
        if name.rpartition("::")[2] == "dst_reg" and how == "++":
            scope.at(to, lambda: self.instruction("TTI_INCRWC", [0, _STRIDE, 0, 0]))
            return 0
        before = self.value(to, scope)
        scope.at(to, partial(numbers, before))
        self.put(name, before + (1 if how == "++" else -1), scope)
        return before

    def args(self, node: Any, scope: LlkScope) -> list[Any]:
        """What the arguments of a call are."""
        return [self.argument(c, scope) for c in node.children if c is not None]

    def argument(self, node: Any, scope: LlkScope, offered: Mapping[str, Any] | None = None) -> Any:
        """What an argument is: a number, or a lambda."""
        return self.value(node, scope, offered)

    def _of_call(self, node: Node, scope: LlkScope) -> Any:
        called, arguments = node.children
        if called.data == "member":
            held = self.value(called.children[0], scope)
            name, args = str(called.children[1]), self.args(arguments, scope)
            return scope.at(node, lambda: self._method(node, held, name, args, scope))
        if called.data not in ("name", "templated"):
            raise scope.refused(node, "this is C++ beyond what is read here")
        whole = str(called.children[0])
        name, _, inner = whole.partition("<")
        return scope.at(node, lambda: self._called(node, name.strip(), inner, arguments, scope))

    def _method(self, node: Node, held: Any, name: str, args: list[Any], scope: LlkScope) -> Any:
        if not isinstance(held, LlkObject):
            if not hasattr(held, "call"):
                raise scope.refused(node, f"'{name}' is a method of nothing that is read here")
            return held.call(name, args)
        function = self.function(name, [], len(args))
        if function is None:
            raise scope.refused(node, f"'{name}' is not declared, and not read here", _DECLARES)
        return self.call(function, [], args, scope.depth + 1, held.values)

    def _called(self, node: Node, name: str, inner: str, arguments: Node, scope: LlkScope) -> Any:
        short = name.rpartition("::")[2]
        if name in self.macros:
            row, _ = self.macros[name]
            operands = () if row.encoding is None else row.encoding.operands
            given = [c for c in arguments.children if c is not None]
            args = [self.argument(c, scope, offered_to(operands, at)) for at, c in enumerate(given)]
            return self.instruction(name, args)
        if short in IGNORED:
            return 0
        if short in ("__builtin_bit_cast", "bit_cast"):
            *_, of = [c for c in arguments.children if c is not None] or [None]
            kind = inner.rpartition(">")[0] or str(arguments.children[0].children[0])
            return bits_as(self.value(of, scope), kind.rpartition("::")[2])
        if short in TEMPLATES:
            return TEMPLATES[short](self.output, *self.args(arguments, scope))
        args = self.args(arguments, scope)
        if short in SAME and len(args) == 1:
            return converted(args[0], inner.rpartition(">")[0] or short)
        held = scope.names.get(name)
        if isinstance(held, Lambda):
            return held.run(args)
        special = SPECIAL.get(short)
        if special is not None:
            return special(
                self, args, "Exec" in inner.split("NoExec")[-1] and "NoExec" not in inner
            )
        if name.startswith("ckernel_template::"):
            return LoopTemplate.of(self.output, 0, 0, 0).call(short, args)
        if name.startswith("ckernel_unpack_template::"):
            return MaskTemplate(self.output, []).call(short, args)
        macro = self._macro(short, scope)
        if macro is not None:
            header, (names, text) = macro
            inside = LlkScope(header, 0, dict(zip(names, args, strict=False)))
            return self.value(expression(header, text), inside)
        template = [
            self.value(expression(scope.header, part), scope)
            for part in parts(_RMW.sub(r"\1_ADDR32, \1_SHAMT, \1_MASK", inner.rpartition(">")[0]))
        ]
        function = self.function(name, template, len(args))
        if function is None and not args and short in self.given:
            return self.asked(short)
        if function is None:
            hint = _DECLARES
            raise scope.refused(node, f"'{name}' is not declared, and not read here", hint)
        value = self.call(function, template, args, scope.depth + 1)
        left = self.left
        for parameter, one in zip(function.parameters, arguments.children, strict=False):
            if parameter.refers and isinstance(one, Tree) and one.data == "name":
                self.put(str(one.children[0]), left[parameter.name], scope)
        return value

    def _macro(self, name: str, scope: LlkScope) -> tuple[LlkHeader, tuple[list[str], str]] | None:
        """A macro with parameters, of which a file says what it means."""
        held = (one for one in (scope.header, *self.headers) if name in one.macros)
        found = next(held, None)
        return None if found is None else (found, found.macros[name])

    def instruction(self, name: str, args: list[Any]) -> int:
        """The word that a macro makes, as its text does: sums of shifted arguments."""
        row, prefix = self.macros[name]
        assert row.encoding is not None
        operands = row.encoding.operands
        if len(args) != len(operands):
            raise Refused("E0307", f"{name} takes {len(operands)} arguments, found {len(args)}")
        if not all(isinstance(value, int) for value in args):
            raise Refused("E0601", f"{name} takes integers")
        word = row.encoding.opcode.put(row.encoding.code)
        word += sum(int(value) << one.low for one, value in zip(operands, args, strict=True))
        if prefix != "TT_OP_":
            self.output.word(word)
        return word & 0xFFFFFFFF


def _is(node: Any, data: str) -> bool:
    return isinstance(node, Tree) and node.data == data


def offered_to(operands: tuple[Field, ...], at: int) -> Mapping[str, Any]:
    """The names of values that an argument of a macro may be."""
    values = operands[at].values if at < len(operands) else None
    return {} if values is None else values.names(True)


def parts(text: str) -> Iterator[str]:
    """Arguments of a template, as texts."""
    return (part.strip() for part in text.split(",") if part.strip())


_CHAINS: Final = (
    "bits_or",
    "bits_xor",
    "bits_and",
    "equal",
    "ordered",
    "shifted",
    "sum",
    "product",
)
_UNARY: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "signed": lambda v, sign: -v if sign == "-" else v,
    "negated": lambda v, _: int(not v),
    "inverted": lambda v, _: ~int(v),
}
