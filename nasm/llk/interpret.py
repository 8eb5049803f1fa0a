"""Bodies of functions, executed: calls of the vendor's macros become instructions.

The language is a part of C++ with integers alone. What is not part of it is refused by name, at its
line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from lark import Token, Tree

from nasm.base.problems import Failure, Refused, did_you_mean
from nasm.base.records import dataclass, field
from nasm.isa.field_kinds import Field
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.llk.headers import LlkFunction, LlkHeader, Parameter, problem, scanned
from nasm.llk.objects import Lambda, LoopTemplate, MaskTemplate, Modifier
from nasm.llk.output import LlkOutput
from nasm.llk.syntax import Node, expression, parsed

VENDOR: Final = "tt-llk"
_ROUNDS: Final = 1 << 16
_DEEP: Final = 60
_IGNORED: Final = (
    "static_assert",
    "LLK_ASSERT",
    "UNROLL",
    "mop_sync",
    "sync_regfile_write",
    "wait",
)
_SAME: Final = ("to_underlying", "static_cast", "reinterpret_cast", "int", "bool")
_STRIDE: Final = 2
"""Rows of Dst that ``dst_reg++`` adds (SFPI's SFP_DESTREG_STRIDE)."""

_BINARY: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift,
    ">>": operator.rshift, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "|": operator.or_,
    "&": operator.and_, "^": operator.xor,
}  # fmt: skip


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


@dataclass(slots=True, eq=False)
class LlkScope:
    """Names of a call: its variables, the file that it is in, and where its body begins there."""

    header: LlkHeader
    start: int
    names: dict[str, Any] = field(default_factory=dict)
    depth: int = 0


class LlkKernel:
    """Functions of some files, executed."""

    def __init__(
        self, target: Target, generation: Generation, sources: list[Any], given: Mapping[str, int]
    ) -> None:
        self.rows, self.given = tuple(target.rows(generation)), dict(given)
        self.headers = [scanned(source, given) for source in sources]
        self.output = LlkOutput(target, generation)
        self._known: dict[str, Any] = {}
        self._left: dict[str, Any] = {}

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

    def run(self, name: str) -> None:
        """Execute a function, with the parameters that were given; raises Failure."""
        plain, _, inner = name.partition("<")
        template = [self._plain(part) for part in _parts(inner.rpartition(">")[0])]
        function = self._function(plain, template)
        if function is None:
            known = sorted({n for header in self.headers for n in header.functions})
            hint = did_you_mean(name, known) or f"it has {', '.join(known[:8])}"
            first = self.headers[0]
            raise Failure(problem(first, 0, 0, f"no function '{name}' is declared", hint))
        self._call(function, template, [], 0)

    def _plain(self, text: str) -> Any:
        """What an argument of a template says by itself, at the call that a command makes."""
        first = self.headers[0]
        return self._value(expression(first, text), LlkScope(first, 0))

    def _function(
        self, name: str, template: Sequence[Any] = (), args: int = 0
    ) -> LlkFunction | None:
        """The function of a name that takes so many arguments: one for these of its template."""
        short = name.rpartition("::")[2]
        found = [f for header in self.headers for f in header.functions.get(short, ())]
        enough = [f for f in found if args <= len(f.parameters)] or found
        special = (f for f in enough if f.special and self._parts(f, f.special) == [*template])
        general = (f for f in enough if not f.special)
        return next(special, None) or next(general, None)

    def _parts(self, function: LlkFunction, text: str) -> list[Any]:
        scope = LlkScope(function.file, function.start)
        return [self._value(expression(scope.header, part), scope) for part in _parts(text)]

    def _call(self, function: LlkFunction, template: list[Any], args: list[Any], depth: int) -> Any:
        if depth > _DEEP:
            raise Refused("E0227", f"{function.name} calls itself too deep")
        scope = LlkScope(function.file, function.start, {}, depth)
        for parameters, values in ((function.template, template), (function.parameters, args)):
            for at, parameter in enumerate(parameters):
                given = (
                    values[at] if at < len(values) else self._default(parameter, scope, function)
                )
                scope.names[parameter.name] = given
        body = parsed(function.file, function.start, function.stop)
        try:
            self._statement(body, scope)
        except _Return as left:
            return left.value
        finally:
            self._left = {p.name: scope.names[p.name] for p in function.parameters if p.refers}
        return 0

    def _default(self, parameter: Parameter, scope: LlkScope, function: LlkFunction) -> Any:
        if parameter.name in self.given:
            return self.given[parameter.name]
        if parameter.default:
            return self._value(expression(scope.header, parameter.default), scope)
        message = f"parameter '{parameter.name}' of {function.name} has no value"
        hint = f"give it: -D {parameter.name}=0"
        raise Failure(problem(function.file, function.start, function.start + 1, message, hint))

    # -- statements

    def _statement(self, node: Node, scope: LlkScope) -> None:
        match node.data:
            case "block":
                for one in node.children:
                    self._statement(one, scope)
            case "branch":
                condition, then, *other = node.children
                if self._value(condition, scope):
                    self._statement(then, scope)
                elif other and other[0] is not None:
                    self._statement(other[0], scope)
            case "loop":
                self._at(node, scope, lambda: self._loop(node, scope))
            case "repeat":
                condition, body = node.children
                self._at(node, scope, lambda: self._repeat(condition, body, None, scope))
            case "switch":
                self._switch(node, scope)
            case "leave":
                value = node.children[0]
                raise _Return(0 if value is None else self._value(value, scope))
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
                self._at(
                    node,
                    scope,
                    lambda: self._made(str(name), fields, scope).call(
                        str(method), self._args(args, scope)
                    ),
                )
            case _:
                self._value(node, scope)

    def _loop(self, node: Node, scope: LlkScope) -> None:
        *head, body = node.children
        begin, condition, step = head
        if begin is not None:
            self._statement(begin, scope)
        self._repeat(condition, body, step, scope)

    def _repeat(self, condition: Any, body: Node, step: Any, scope: LlkScope) -> None:
        for _ in range(_ROUNDS):
            if condition is not None and not self._value(condition, scope):
                return
            try:
                self._statement(body, scope)
            except _Break:
                return
            if step is not None:
                self._statement(step, scope)
        raise Refused("E0211", f"a loop has more than {_ROUNDS:,} rounds")

    def _switch(self, node: Node, scope: LlkScope) -> None:
        chosen, *cases = node.children
        value = self._value(chosen, scope)

        def matches(label: Any) -> bool:
            return bool(label.data == "label" and self._value(label.children[0], scope) == value)

        labels = [[c for c in case.children if c.data in ("label", "other")] for case in cases]
        at = next((n for n, own in enumerate(labels) if any(map(matches, own))), None)
        if at is None:
            at = next((n for n, own in enumerate(labels) if own[-1].data == "other"), len(cases))
        try:
            for case in cases[at:]:
                for one in case.children:
                    if one.data not in ("label", "other"):
                        self._statement(one, scope)
        except _Break:
            return

    def _declare(self, node: Node, scope: LlkScope) -> None:
        kind = next(c for c in node.children if isinstance(c, Tree) and c.data == "type")
        for one in node.children:
            if not isinstance(one, Tree) or one.data == "type":
                continue
            name, *rest = [c for c in one.children if c is not None]
            if one.data == "constructed":
                make = _TEMPLATES.get(str(kind.children[0]).rpartition("::")[2])
                if make is None:
                    raise self._refused(
                        one, scope, f"'{kind.children[0]}' is no type that is read here"
                    )
                args = self._args(rest[0], scope)
                scope.names[str(name)] = make(self.output, *args)
            else:
                scope.names[str(name)] = self._value(rest[0], scope) if rest else 0

    def _assign(self, node: Node, scope: LlkScope) -> None:
        to, how, value = node.children
        if not isinstance(to, Tree) or to.data != "name":
            raise self._refused(node, scope, "only variables are assigned to here")
        name, new = str(to.children[0]), self._value(value, scope)
        if str(how) != "=":
            new = _BINARY[str(how)[:-1]](self._name(to, scope, {}), new)
        self._put(name, new, scope)

    def _put(self, name: str, new: Any, scope: LlkScope) -> None:
        if name not in scope.names and self._constant(name, scope) is not None:
            self._known[name] = new  # a variable of the file
        else:
            scope.names[name] = new

    def _made(self, name: str, fields: Any, scope: LlkScope) -> Modifier:
        if name.rpartition("::")[2] != "addr_mod_t":
            raise self._refused(fields, scope, f"'{name}' is no type that is read here")
        return Modifier(self.output, self._braces(fields, scope))

    def _braces(self, node: Any, scope: LlkScope) -> dict[str, Any]:
        found = {}
        for one in node.children:
            if one is not None and one.data == "field":
                name, value = one.children
                inner = isinstance(value, Tree) and value.data == "braces"
                found[str(name)] = (
                    self._braces(value, scope) if inner else self._value(value, scope)
                )
        return found

    # -- expressions

    def _value(self, node: Any, scope: LlkScope, offered: Mapping[str, Any] | None = None) -> Any:
        data = node.data if isinstance(node, Tree) else ""
        if data == "number":
            return int(str(node.children[0]).replace("'", "").rstrip("uUlL"), 0)
        if data == "name":
            return self._name(node, scope, offered or {})
        if data == "choose":
            condition, chosen, other = node.children
            return self._value(chosen if self._value(condition, scope) else other, scope, offered)
        if data in ("either", "both"):
            wanted = data == "either"
            return int(
                any(self._value(c, scope) for c in node.children)
                if wanted
                else all(self._value(c, scope) for c in node.children)
            )
        if data in _CHAINS:
            return self._chain(node, scope, offered)
        one = _UNARY.get(data)
        if one is not None:
            return one(self._value(node.children[-1], scope, offered), str(node.children[0]))
        special = getattr(self, f"_of_{data}", None)
        if special is None:
            raise self._refused(node, scope, "this is C++ beyond what is read here")
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
        value = self._value(operands[0], scope, offered)
        for mark, operand in zip(marks, operands[1:], strict=False):
            right = self._value(operand, scope, offered)
            if mark in ("/", "%"):
                if not right:
                    raise self._refused(node, scope, "it divides by 0")
                value = int(value / right) if mark == "/" else value - int(value / right) * right
            else:
                value = int(_BINARY[str(mark)](value, right))
        return value

    def _name(self, node: Node, scope: LlkScope, offered: Mapping[str, Any]) -> Any:
        name = str(node.children[0])
        short = name.rpartition("::")[2]
        if name in scope.names:
            return scope.names[name]
        if name in self._known and self._known[name] is not None:
            return self._known[name]
        if name in ("true", "false"):
            return int(name == "true")
        if name in self.macros:
            return self._at(node, scope, lambda: self.instruction(name, []))
        for known in (
            self.given.get(short),
            self._named(offered, short),
            self._constant(short, scope),
        ):
            if known is not None:
                return known
        numbers = self.values.get(short, set())
        if len(numbers) == 1:
            return next(iter(numbers))
        hint = f"say what it is: -D {short}=0, or -I the file that declares it"
        raise self._refused(node, scope, f"nothing says what '{name}' is", hint)

    @staticmethod
    def _named(offered: Mapping[str, Any], name: str) -> int | None:
        found = offered.get(name)
        return None if found is None else int(found.number)

    def _constant(self, name: str, scope: LlkScope) -> Any:
        if name in self._known:
            return self._known[name]
        for header in (scope.header, *self.headers):
            text = header.constants.get(name)
            if text is not None and text != name:
                self._known[name] = None  # one that is made of itself is none
                value = self._value(expression(header, text), LlkScope(header, 0))
                self._known[name] = value
                return value
        return None

    def _of_templated(self, node: Node, scope: LlkScope) -> Any:
        raise self._refused(node, scope, f"'{node.children[0]}' is C++ beyond what is read here")

    def _of_member(self, node: Node, scope: LlkScope) -> Any:
        raise self._refused(
            node, scope, f"member '{node.children[1]}' is C++ beyond what is read here"
        )

    def _of_stepped(self, node: Node, scope: LlkScope) -> Any:
        return self._step(node.children[1], str(node.children[0]), scope)

    def _of_stepped_after(self, node: Node, scope: LlkScope) -> Any:
        return self._step(node.children[0], str(node.children[1]), scope)

    def _step(self, to: Any, how: str, scope: LlkScope) -> Any:
        name = str(to.children[0]) if isinstance(to, Tree) and to.data == "name" else ""
        if name.rpartition("::")[2] == "dst_reg" and how == "++":
            self._at(to, scope, lambda: self.instruction("TTI_INCRWC", [0, _STRIDE, 0, 0]))
            return 0
        before = self._value(to, scope)
        self._put(name, before + (1 if how == "++" else -1), scope)
        return before

    def _args(self, node: Any, scope: LlkScope) -> list[Any]:
        return [self._argument(c, scope) for c in node.children if c is not None]

    def _argument(
        self, node: Any, scope: LlkScope, offered: Mapping[str, Any] | None = None
    ) -> Any:
        if isinstance(node, Tree) and node.data == "lambda":
            body = node.children[-1]
            return Lambda(lambda: self._statement(body, scope))
        return self._value(node, scope, offered)

    # -- calls

    def _of_call(self, node: Node, scope: LlkScope) -> Any:
        called, arguments = node.children
        if called.data == "member":
            held = self._value(called.children[0], scope)
            args = self._args(arguments, scope)
            return self._at(node, scope, lambda: held.call(str(called.children[1]), args))
        if called.data not in ("name", "templated"):
            raise self._refused(node, scope, "this is C++ beyond what is read here")
        whole = str(called.children[0])
        name, _, inner = whole.partition("<")
        return self._at(
            node, scope, lambda: self._called(node, name.strip(), inner, arguments, scope)
        )

    def _called(self, node: Node, name: str, inner: str, arguments: Node, scope: LlkScope) -> Any:
        short = name.rpartition("::")[2]
        if name in self.macros:
            row, _ = self.macros[name]
            operands = () if row.encoding is None else row.encoding.operands
            given = [c for c in arguments.children if c is not None]
            args = [self._argument(c, scope, _offered(operands, at)) for at, c in enumerate(given)]
            return self.instruction(name, args)
        if short in _IGNORED:
            return 0
        if short in _TEMPLATES:
            return _TEMPLATES[short](self.output, *self._args(arguments, scope))
        args = self._args(arguments, scope)
        if short in _SAME and len(args) == 1:
            return args[0]
        special = _SPECIAL.get(short)
        if special is not None:
            return special(
                self, args, "Exec" in inner.split("NoExec")[-1] and "NoExec" not in inner
            )
        if name.startswith("ckernel_template::"):
            return LoopTemplate.of(self.output, 0, 0, 0).call(short, args)
        if name.startswith("ckernel_unpack_template::"):
            return MaskTemplate(self.output, []).call(short, args)
        template = [
            self._value(expression(scope.header, part), scope)
            for part in _parts(inner.rpartition(">")[0])
        ]
        function = self._function(name, template, len(args))
        if function is None and not args and short in self.given:
            return self.given[short]
        if function is None:
            hint = "-I the file that declares it"
            raise self._refused(node, scope, f"'{name}' is not declared, and not read here", hint)
        value = self._call(function, template, args, scope.depth + 1)
        left = self._left
        for parameter, one in zip(function.parameters, arguments.children, strict=False):
            if parameter.refers and isinstance(one, Tree) and one.data == "name":
                self._put(str(one.children[0]), left[parameter.name], scope)
        return value

    def instruction(self, name: str, args: list[Any]) -> int:
        """The word that a macro makes, as its text does: sums of shifted arguments."""
        row, prefix = self.macros[name]
        assert row.encoding is not None
        operands = row.encoding.operands
        if len(args) != len(operands):
            raise Refused("E0307", f"{name} takes {len(operands)} arguments, found {len(args)}")
        word = row.encoding.opcode.put(row.encoding.code)
        word += sum(int(value) << one.low for one, value in zip(operands, args, strict=True))
        if prefix != "TT_OP_":
            self.output.word(word)
        return word & 0xFFFFFFFF

    # -- places

    def _at(self, node: Any, scope: LlkScope, do: Callable[[], Any]) -> Any:
        """Do something for a node, whose place an error gets."""
        try:
            return do()
        except Refused as refused:
            raise self._refused(node, scope, refused.message, refused.hint) from None

    def _refused(self, node: Any, scope: LlkScope, message: str, hint: str = "") -> Failure:
        meta = getattr(node, "meta", None)
        start = (
            scope.start + getattr(meta, "start_pos", 0)
            if meta is not None and not meta.empty
            else scope.start
        )
        stop = (
            scope.start + getattr(meta, "end_pos", 1)
            if meta is not None and not meta.empty
            else scope.start + 1
        )
        return Failure(problem(scope.header, start, stop, message, hint))


def _offered(operands: tuple[Field, ...], at: int) -> Mapping[str, Any]:
    values = operands[at].values if at < len(operands) else None
    return {} if values is None else values.names(True)


def _parts(text: str) -> Iterator[str]:
    return (part.strip() for part in text.split(",") if part.strip())


def _replay(kernel: LlkKernel, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], 0, 0])


def _replay_word(kernel: LlkKernel, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TT_OP_REPLAY", [args[0], args[1], 0, 0])


def _record(kernel: LlkKernel, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], int(execute), 1])


def _load(kernel: LlkKernel, args: list[Any], execute: bool) -> int:
    numbers = [a for a in args if not isinstance(a, Lambda)]
    flag = int(numbers[2]) if len(numbers) > 2 else int(execute)
    kernel.instruction("TTI_REPLAY", [*numbers[:2], flag, 1])
    for one in args:
        if isinstance(one, Lambda):
            one.run()
    return 0


def _half(high: int) -> Callable[[LlkKernel, list[Any], bool], int]:
    return lambda kernel, args, execute: 2 * int(args[0]) + high


_SPECIAL: Final[Mapping[str, Callable[[LlkKernel, list[Any], bool], int]]] = {
    "replay": _replay, "replay_insn": _replay_word, "record": _record, "load_replay_buf": _load,
    "LO_16": _half(0), "HI_16": _half(1), "min": lambda k, a, e: min(a),
    "max": lambda k, a, e: max(a),
}  # fmt: skip
_TEMPLATES: Final[Mapping[str, Callable[..., Any]]] = {
    "ckernel_template": LoopTemplate.of, "ckernel_unpack_template": MaskTemplate.of,
}  # fmt: skip
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
    "inverted": lambda v, _: ~v,
}
