"""Constant expressions and operands: from tree to values.

A node is compiled once into a closure over a :class:`Scope`; a line in a loop is then evaluated
again by calling closures. Values are numbers, bools, strings, lists, views, registers, prepared
transfers, and :class:`Symbol` for a bare word that an operand's kind knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nasm.base import dtypes, names
from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Problem, Refused, counted, did_you_mean
from nasm.base.problems import listed as phrase
from nasm.base.records import fields, replace
from nasm.base.source import Span
from nasm.isa.synonyms import SIGNS
from nasm.language.expanding.affine import Affine, combined, refuse, unknown
from nasm.language.expanding.functions import (
    ARITHMETIC,
    COMPARE,
    FORMS,
    FUNCTIONS,
    INTEGER,
    Value,
    integer_of,
    listed,
    number_of,
    of_lists,
    tensor_of,
    truth,
)
from nasm.language.expanding.indices import index
from nasm.language.expanding.macro_arguments import MomentList, WordArgument
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.text import tree
from nasm.language.text.habits import COMMENT, UNDECLARED
from nasm.language.text.habits import FUNCTIONS as OTHERS
from nasm.language.text.habits import METHODS as OTHER_METHODS
from nasm.views.methods import SPELLINGS, accepts
from nasm.views.value_text import Symbol, value_text
from nasm.views.view import METHODS, Reg, View

Closure = Callable[[Scope], Value]

Link = Callable[[Scope, Value], Value]
"""What a link of a chain makes of the value before it."""


def compile_node(node: tree.ExpressionNode, words: Iterable[str] = ()) -> Closure:
    """A closure that evaluates a node; ``words`` are bare words that mean themselves."""
    vocabulary = frozenset(words)
    if isinstance(node, tree.Name) and node.name in vocabulary and node.name not in CONSTANTS:
        symbol = Symbol(node.name)
        return lambda scope: symbol
    if isinstance(node, tree.Postfix):
        first, links = tree.chain(node)
        begin = _compared(first) if _equates(links[0]) else _first(first, links[0])
        return _chained(begin, [(n, _LINKS[type(n)](n)) for n in links])
    maker = _MAKERS.get(type(node))
    assert maker is not None, f"no evaluation for {type(node).__name__}"
    closure = maker(node)
    return closure if isinstance(node, _SAFE) else _placed(node, closure)


def evaluate(node: tree.ExpressionNode, scope: Scope) -> Value:
    """The value of a node; raises Failure with its place."""
    return compile_node(node)(scope)


def name_of(node: tree.Name | tree.Template, scope: Scope) -> str:
    """An identifier with its substitutions made."""
    if isinstance(node, tree.Name):
        return node.name
    return str(compile_name(node)(scope))


def compile_name(node: tree.Name | tree.Template | tree.Numbered) -> Callable[[Scope], str]:
    """A closure that makes an identifier."""
    if isinstance(node, tree.Name):
        name = node.name
        return lambda scope: name
    if isinstance(node, tree.Numbered):
        return _numbered(node)
    parts = [p if isinstance(p, str) else compile_node(p) for p in node.parts]

    def join(scope: Scope) -> str:
        made = []
        for part in parts:
            value = part if isinstance(part, str) else part(scope)
            value = value.name if isinstance(value, DType) else value
            if isinstance(value, bool) or not isinstance(value, int | str):
                if type(value) is Affine:
                    raise Failure(unknown(value, "a name").at(scope.span(node)))
                raise Failure(
                    Problem(
                        "E0209",
                        f"a name cannot hold {value_text(value)}; wanted an integer or a string",
                        scope.span(node),
                    )
                )
            made.append(str(value))
        return _made("".join(made), node, scope)

    return join


def _numbered(node: tree.Numbered) -> Callable[[Scope], str]:
    pieces = "".join(p.replace("%", "%%") if isinstance(p, str) else "%d" for p in node.parts)
    indices = [p for p in node.parts if isinstance(p, int)]

    def join(scope: Scope) -> str:
        return pieces % tuple([scope.numbers[index] for index in indices])

    return join


def _made(name: str, node: tree.ExpressionNode, scope: Scope) -> str:
    """What a template makes, if it is a name; raises Failure."""
    try:
        return names.identifier(name, scope.span(node).text)
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None


def free_names(node: object) -> set[str]:
    """Every name a tree mentions: what its value may depend on."""
    found: set[str] = set()
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, tree.Name):
            found.add(item.name)
        elif isinstance(item, tuple):
            stack.extend(item)
        elif isinstance(item, tree.ExpressionNode):
            stack.extend(getattr(item, name) for name in _fields(type(item)))
    return found


def _fields(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name not in ("start", "end"))


_SAFE = (tree.NumberLiteral, tree.Hole, tree.StringLiteral, tree.RegisterName)
"""Nodes whose own evaluation refuses nothing."""


def _placed(node: tree.ExpressionNode, closure: Closure) -> Closure:
    """The closure, with whatever it refuses pointed at this node."""

    def guarded(scope: Scope) -> Value:
        try:
            return closure(scope)
        except Refused as refused:
            raise Failure(refused.at(scope.span(node))) from None

    return guarded


def _chained(first: Closure, links: list[tuple[tree.ExpressionNode, Link]]) -> Closure:
    """The closure of a chain: one after the other, for a chain may be longer than Python's stack.

    What a link refuses is pointed at the chain as far as that link.
    """

    def follow(scope: Scope) -> Value:
        value = first(scope)
        for node, link in links:
            try:
                value = link(scope, value)
            except Refused as refused:
                raise Failure(refused.at(scope.span(node))) from None
        return value

    return follow


# ---------------------------------------------------------------- nodes


def _hole(node: tree.Hole) -> Closure:
    index = node.index
    return lambda scope: scope.numbers[index]


def _number(node: tree.NumberLiteral) -> Closure:
    value = node.value
    return lambda scope: value


def _text(node: tree.StringLiteral) -> Closure:
    value = node.value
    return lambda scope: value


def _name(node: tree.Name) -> Closure:
    name = node.name
    otherwise = UNDECLARED.format(name)

    def get(scope: Scope) -> Value:
        found = scope.values.get(name)
        unknown = found is None or isinstance(found, WordArgument | MomentList)
        return scope.lookup(name, otherwise=otherwise) if unknown else found

    return get


def _first(node: tree.ExpressionNode, link: tree.ExpressionNode) -> Closure:
    """What a chain begins with: a name before brackets or a dot is that of a tensor or a list."""
    if not isinstance(node, tree.Name) or not isinstance(link, tree.Subscript | tree.Method):
        return compile_node(node)
    name = node.name
    otherwise = f"a tensor is declared '.memory {name} dtype[shape]'"
    return _placed(node, lambda scope: scope.lookup(name, otherwise=otherwise))


def _equates(node: tree.ExpressionNode) -> bool:
    return isinstance(node, tree.Binary) and node.op in ("==", "!=")


def _compared(node: tree.ExpressionNode) -> Closure:
    """A side of ``==``: there a word that a macro was passed is compared by its name."""
    closure = compile_node(node)
    if not isinstance(node, tree.Name):
        return closure
    name = node.name

    def get(scope: Scope) -> Value:
        found = scope.values.get(name)
        return found.name if type(found) is WordArgument else closure(scope)

    return get


def _spelled(node: tree.Numbered) -> Closure:
    spell = compile_name(node)

    def get(scope: Scope) -> Value:
        name = spell(scope)
        found = scope.values.get(name)
        return scope.lookup(name) if found is None else found

    return get


def _template(node: tree.Template) -> Closure:
    join = compile_name(node)
    return lambda scope: scope.lookup(join(scope))


def _register(node: tree.RegisterName) -> Closure:
    value = Reg(node.number)
    return lambda scope: value


def _list(node: tree.List) -> Closure:
    items = [compile_node(i) for i in node.items]
    return lambda scope: listed([i(scope) for i in items])


def _conditional(node: tree.Conditional) -> Closure:
    """``a if c else b``: what is not chosen is not evaluated."""
    condition = compile_node(node.condition)
    chosen, other = compile_node(node.chosen), compile_node(node.other)
    return lambda scope: chosen(scope) if truth(condition(scope), "if") else other(scope)


def _binary(node: tree.Binary) -> Link:
    op = node.op
    right = _compared(node.right) if _equates(node) else compile_node(node.right)
    if op == "//":
        right = _perhaps_comment(right)
    if op == "and":
        return lambda scope, a: truth(a, op) and truth(right(scope), op)
    if op == "or":
        return lambda scope, a: truth(a, op) or truth(right(scope), op)
    if op in ("==", "!="):
        return _equality(op, right)
    convert = integer_of if op in INTEGER else number_of
    apply = {**ARITHMETIC, **INTEGER, **COMPARE}.get(op)
    if apply is None:
        return _refuse("E0210", f"'{op}' is allowed in expectations only")

    def compute(scope: Scope, a: Value) -> Value:
        b = right(scope)
        if type(a) is int and type(b) is int:
            first, second = a, b
        elif (made := of_lists(op, a, b)) is not None:
            return made
        elif (type(a) is Affine or type(b) is Affine) and op not in COMPARE:
            return combined(op, a, b)
        elif isinstance(a, View) or isinstance(b, View):
            raise _of_tiles(scope, op, a, b)
        elif isinstance(a, Reg) or isinstance(b, Reg):
            raise _of_registers(op, a, b)
        else:
            first, second = convert(a, f"'{op}'"), convert(b, f"'{op}'")  # type: ignore[assignment]
        try:
            return apply(first, second)
        except OverflowError:
            raise Refused(
                "E0211", f"{value_text(a)} {op} {value_text(b)} is beyond float64"
            ) from None
        except (ZeroDivisionError, ValueError) as problem:
            raise Refused("E0211", f"{value_text(a)} {op} {value_text(b)}: {problem}") from None

    return compute


def _equality(op: str, right: Closure) -> Link:
    compare = COMPARE[op]

    def compute(scope: Scope, a: Value) -> Value:
        b = right(scope)
        if type(a) is Affine or type(b) is Affine:
            refuse([a, b], f"a side of '{op}'")
        if scope.expansion is None and (_is_run_time(a) or _is_run_time(b)):
            raise _not_yet(op, a if _is_run_time(a) else b)
        return compare(a, b)

    return compute


def _is_run_time(value: Value) -> bool:
    """Whether a machine holds what it is: a tile, or a register."""
    return isinstance(value, View | Reg)


def _not_yet(op: str, value: Value) -> Refused:
    """What to say of a comparison of what only a run knows."""
    hint = "'.expect' compares what tensors hold after a run"
    if isinstance(value, Reg):
        hint = f"'.break {value} {op} 0' in a '.loop', and branches, compare registers"
    message = f"'{op}' compares what is known when assembling, found {value_text(value)}"
    return Refused("E0210", message, hint)


def _perhaps_comment(right: Closure) -> Closure:
    """The operand after ``//``: a name that is unknown there may begin a comment."""

    def value(scope: Scope) -> Value:
        try:
            return right(scope)
        except Failure as failure:
            found = failure.problems
            raise Failure([_as_comment(problem) for problem in found]) from None

    return value


def _as_comment(problem: Problem) -> Problem:
    """A name that means nothing, and is like nothing, as the first word of a comment."""
    word = "" if problem.span is None else problem.span.text
    nothing = problem.code == "E0208" and problem.hint in ("", UNDECLARED.format(word))
    return replace(problem, hint=COMMENT) if nothing else problem


def _refuse(code: str, message: str, hint: str = "") -> Callable[..., Value]:
    def refuse(*given: object) -> Value:
        raise Refused(code, message, hint)

    return refuse


def _unary(node: tree.Unary) -> Closure:
    operand, op = compile_node(node.operand), node.op
    if op == "-":
        return lambda scope: _negative(operand(scope), scope)
    if op == "~":
        return lambda scope: ~integer_of(operand(scope), "'~'")
    return lambda scope: not truth(operand(scope), "not")


def _negative(value: Value, scope: Scope) -> Value:
    """The operand of a sign: a number, not a tile."""
    if type(value) is Affine:
        return combined("-", 0, value)
    if isinstance(value, View):
        raise _of_tiles(scope, "-", value)
    return -number_of(value, "'-'")


def _of_registers(op: str, a: Value, b: Value) -> Refused:
    """What to say of an operator of registers, which an instruction has."""
    sides = [str(s) if isinstance(s, Reg | int | float) else value_text(s) for s in (a, b)]
    hint = f"an instruction computes with registers: {sides[0]}, {sides[1]}, op={SIGNS[op]}"
    found = value_text(a) if isinstance(a, Reg) else value_text(b)
    return Refused("E0210", f"'{op}' wants numbers, found {found}", hint)


def _of_tiles(scope: Scope, op: str, *sides: Value) -> Refused:
    """What to say of an operator of tiles: an instruction computes on them."""
    tile = next(side for side in sides if isinstance(side, View))
    names = iter("ab")
    written = [next(names) if isinstance(side, View) else "2" for side in sides]
    example = scope.computing.get(f" {op} ".join(written) if len(sides) > 1 else op + written[0])
    hint = f"an instruction computes on tiles: {example}" if example else ""
    return Refused("E0210", f"'{op}' wants numbers, found {value_text(tile)}", hint)


def _call(node: tree.FunctionCall) -> Closure:
    name = node.function.name
    function = FUNCTIONS.get(name)
    if function is None:
        hint = OTHERS.get(name) or did_you_mean(name, FUNCTIONS)
        hint = hint or f"there are {phrase(FUNCTIONS, 'and')}"
        return _no_function(node, name, hint)
    if any(isinstance(a, tree.NamedArgument) for a in node.arguments):
        return _refuse("E0212", f"{name} takes no named arguments")
    arguments = [compile_node(a) for a in node.arguments]
    fits = accepts(function, 1 + len(arguments))

    def call(scope: Scope) -> Value:
        values = [a(scope) for a in arguments]
        if not fits:
            message = f"{name} does not take {counted(len(values), 'argument')}"
            raise Refused("E0212", message, FORMS.get(name, ""))
        return function(scope.place, *values)

    return call


def _no_function(node: tree.FunctionCall, name: str, hint: str) -> Closure:
    """A call of what is no function: of a tensor, a part is meant."""

    def refuse(scope: Scope) -> Value:
        message, found = f"no function '{name}' in a constant expression", scope.view(name)
        if found is None or not node.arguments:
            raise Refused("E0212", message, hint)
        given = Span(scope.source, node.arguments[0].start, node.arguments[-1].end).text
        text = f"'{name}' is a tensor, and no function"
        raise Refused("E0212", text, f"a part of it is written {name}[{given}]")

    return refuse


def _method(node: tree.Method) -> Link:
    name = node.name
    method = METHODS.get(name)
    if method is None:
        hint = FORMS.get(name) or OTHER_METHODS.get(name) or did_you_mean(name, METHODS, ".")
        hint = hint or f"it has {phrase((f'.{m}' for m in METHODS), 'and')}"
        return _refuse("E0306", f"a tensor has no .{name}", hint)
    arguments = node.arguments or ()
    compiled = _dtype if name == "view" else compile_node
    given = [compiled(a) for a in arguments if not isinstance(a, tree.NamedArgument)]
    named = {a.name: compile_node(a.value) for a in arguments if isinstance(a, tree.NamedArgument)}
    bare = node.arguments is None

    def call(scope: Scope, target: Value) -> Value:
        view = tensor_of(target, f".{name}")
        if bare != (name == "T"):
            raise Refused("E0306", f"this is written {SPELLINGS[name]}")
        values, by_name = [g(scope) for g in given], {k: v(scope) for k, v in named.items()}
        if scope.looping:
            found = by_name.get("scalar_offset")
            if type(found) is Affine:
                by_name["scalar_offset"] = scope.register(found)
            refuse([*values, *by_name.values()], f"an argument of .{name}")
        return method(view, *values, **by_name)

    return call


def _dtype(node: tree.ExpressionNode) -> Closure:
    """The dtype of ``.view(u8)``: what a constant holds if none is called so."""
    if not isinstance(node, tree.Name):
        return compile_node(node)
    name, word = node.name, Symbol(node.name)
    if dtypes.find(name) is not None:
        return lambda scope: word
    closure = compile_node(node)
    return lambda scope: closure(scope) if name in scope.values else word


_MAKERS: dict[type, Callable[[Any], Closure]] = {
    tree.NumberLiteral: _number,
    tree.Hole: _hole,
    tree.StringLiteral: _text,
    tree.Name: _name,
    tree.Template: _template,
    tree.Numbered: _spelled,
    tree.RegisterName: _register,
    tree.List: _list,
    tree.Unary: _unary,
    tree.FunctionCall: _call,
    tree.Conditional: _conditional,
    tree.Slice: lambda node: _refuse("E0305", "a slice is allowed inside [ ] only"),
    tree.NamedArgument: lambda node: _refuse("E0309", f"'{node.name}=' is not allowed here"),
}

_LINKS: dict[type, Callable[[Any], Link]] = {
    tree.Binary: _binary,
    tree.Method: _method,
    tree.Subscript: lambda node: index(node, compile_node),
}
