"""Turns what the grammar recognises into the tree, while it parses: leaves, expressions, lines.

A method has the name of a rule or a terminal of ``grammar/nasm.lark`` and gets the parts in
order. Keywords and brackets are among them where a span begins or ends with one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lark import Token

from nasm.base.numbers import WORST_BITS
from nasm.base.problems import quoted
from nasm.base.records import replace
from nasm.language.text import tree
from nasm.language.text.precedence import ARITHMETIC, grouped
from nasm.language.text.syntax_errors import Mistake

Leaf = Any
"""A lark.Token, whose positions are declared optional but are always there."""

# Parts come from Lark as one untyped list; each method knows what its rule holds.
Parts = list[Any]
Move = tuple[tree.ExpressionNode, tree.ExpressionNode]
Built = tree.ExpressionNode | Move

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}


def start_of(part: Any) -> int:
    """Where a leaf or a node starts."""
    start: int = getattr(part, "start_pos" if isinstance(part, Token) else "start")
    return start


def end_of(part: Any) -> int:
    """Where a leaf or a node ends."""
    end: int = getattr(part, "end_pos" if isinstance(part, Token) else "end")
    return end


def named(token: Leaf, skip: int = 0) -> tree.Name:
    """A leaf as a name, but for so many characters in front of it."""
    return tree.Name(token.start_pos + skip, token.end_pos, token.value[skip:])


def is_a(part: Any, terminal: str) -> bool:
    """Whether a part is still the leaf that the grammar calls so."""
    return isinstance(part, Token) and part.type == terminal


class _Label(NamedTuple):
    name: tree.Name | tree.Template
    start: int
    end: int


class Leaves:
    """A method has the name of a terminal, and makes the leaf that one is."""

    def NAME(self, token: Leaf) -> tree.Name:
        return tree.Name(token.start_pos, token.end_pos, token.value)

    CALLED = DOT_WORD = PYTHON = LOGIC = NAME

    def DIRECTIVE(self, token: Leaf) -> tree.Name:
        return named(token, 1)

    SEMAPHORE = DIRECTIVE

    def REGISTER(self, token: Leaf) -> tree.RegisterName:
        return tree.RegisterName(
            token.start_pos, token.end_pos, _integer(token, token.value[2:], 10)
        )

    def NUMBER(self, token: Leaf) -> tree.NumberLiteral:
        start, end = token.start_pos, token.end_pos
        digits = token.value.replace("_", "")
        if digits[:2] in ("0x", "0X", "0b", "0B"):
            return tree.NumberLiteral(start, end, _integer(token, digits, 0))
        if "." not in digits and "e" not in digits and "E" not in digits:
            return tree.NumberLiteral(start, end, _integer(token, digits, 10))
        value = float(digits)
        if value == float("inf"):
            raise Mistake(
                "E0104",
                f"'{quoted(token)}' is beyond the largest float64",
                start,
                end,
                "write 'inf'",
            )
        return tree.NumberLiteral(start, end, value)

    def AUTO(self, token: Leaf) -> tree.Auto:
        return tree.Auto(token.start_pos, token.end_pos)

    def STRING(self, token: Leaf) -> tree.StringLiteral:
        inner = token.value[1:-1]
        if "\\" not in inner:
            return tree.StringLiteral(token.start_pos, token.end_pos, inner)
        pieces: list[str] = []
        at = 0
        while (found := inner.find("\\", at)) >= 0:
            letter = inner[found + 1]
            if letter not in _ESCAPES:
                place = token.start_pos + 1 + found
                raise Mistake(
                    "E0103",
                    f"'\\{letter}' is not an escape",
                    place,
                    place + 2,
                    'the escapes are \\" \\\\ \\n \\t',
                )
            pieces += inner[at:found], _ESCAPES[letter]
            at = found + 2
        return tree.StringLiteral(token.start_pos, token.end_pos, "".join(pieces) + inner[at:])


def _integer(token: Leaf, digits: str, base: int) -> int:
    # The first bound holds for every base, and spares Python what it would refuse to convert.
    if len(digits) <= WORST_BITS + len("0b"):
        value = int(digits, base)
        if value.bit_length() <= WORST_BITS:
            return value
    raise Mistake(
        "E0104",
        f"a number of {len(digits):,} digits is too long",
        token.start_pos,
        token.end_pos,
        f"wanted at most {WORST_BITS:,} bits",
    )


class _Expressions(Leaves):
    """Everything an operand or an expectation can hold."""

    def chain(self, parts: Parts) -> tree.ExpressionNode:
        return grouped(parts)

    def conditional(self, parts: Parts) -> tree.Conditional:
        chosen, condition, other = parts
        return tree.Conditional(chosen.start, other.end, chosen, condition, other)

    def parentheses(self, parts: Parts) -> tree.ExpressionNode:
        inner: tree.ExpressionNode = parts[1]
        return replace(inner, start=start_of(parts[0]), end=end_of(parts[2]))

    def list(self, parts: Parts) -> tree.List:
        return tree.List(start_of(parts[0]), end_of(parts[-1]), tuple(parts[1:-1]))

    def call(self, parts: Parts) -> tree.FunctionCall:
        function = parts[0]
        return tree.FunctionCall(function.start, end_of(parts[-1]), function, tuple(parts[2:-1]))

    def index(self, parts: Parts) -> tree.Subscript:
        return tree.Subscript(parts[0].start, end_of(parts[-1]), parts[0], tuple(parts[2:-1]))

    def attribute(self, parts: Parts) -> tree.Method:
        return tree.Method(parts[0].start, parts[1].end, parts[0], parts[1].name, None)

    def method(self, parts: Parts) -> tree.Method:
        end, arguments = end_of(parts[-1]), tuple(parts[3:-1])
        return tree.Method(parts[0].start, end, parts[0], parts[1].name, arguments)

    def assignment(self, parts: Parts) -> tree.NamedArgument:
        return tree.NamedArgument(parts[0].start, parts[2].end, parts[0].name, parts[2])

    def slice(self, parts: Parts) -> tree.Slice:
        places: Parts = [None, None, None]
        at, length = 0, False
        for part in parts:
            if not isinstance(part, Token):
                places[at] = part
            elif part.type == "COLON":
                at += 1
            else:
                length = True
        first, second, step = places
        stop, size = (None, second) if length else (second, None)
        return tree.Slice(start_of(parts[0]), end_of(parts[-1]), first, stop, size, step)

    def template(self, parts: Parts) -> tree.Template:
        return _template(parts, 0)

    def semaphore(self, parts: Parts) -> tree.Template:
        return _template(parts, 1)

    def exported(self, parts: Parts) -> tree.ExportedName | tree.ExportedTemplate:
        node = parts[1]
        if isinstance(node, tree.Name):
            return tree.ExportedName(node.start, node.end, node.name)
        return tree.ExportedTemplate(node.start, node.end, node.parts)

    def exported_constant(self, parts: Parts) -> tree.ExportedNamed:
        item = parts[1]
        return tree.ExportedNamed(item.start, item.end, item.name, item.value)

    def counter(self, parts: Parts) -> tree.CounterName:
        return tree.CounterName(parts[0].start - 1, parts[0].end, parts[0])

    def engine(self, parts: Parts) -> tree.EngineName:
        name = named(parts[0], 1)
        return tree.EngineName(name.start - 1, name.end, name.name)

    def handle_for(self, parts: Parts) -> tree.NamedArgument:
        return self.assignment(parts)


def _template(parts: Parts, skip: int) -> tree.Template:
    pieces: list[str | tree.ExpressionNode] = []
    for part in parts:
        if not isinstance(part, Token):
            pieces.append(part)
        elif text := part.value[skip:].strip("{}") if part is parts[0] else part.strip("{}"):
            pieces.append(text)
    return tree.Template(start_of(parts[0]) + skip, end_of(parts[-1]), tuple(pieces))


class LineBuilder(_Expressions):
    """Lines that are no directives."""

    def label(self, parts: Parts) -> _Label:
        return _Label(parts[0], parts[0].start, end_of(parts[1]))

    def instruction(self, parts: Parts) -> tree.InstructionLine:
        label, engine, at = prefix(parts)
        last = len(parts)
        while isinstance(parts[last - 1], tree.Sync):
            last -= 1
        return tree.InstructionLine(
            start_of(parts[0]),
            parts[-1].end,
            label,
            engine,
            parts[at],
            tuple(parts[at + 1 : last]),
            tuple(parts[last:]),
        )

    def place_mark(self, parts: Parts) -> tree.InstructionLine:
        label, engine, _ = prefix(parts)
        return tree.InstructionLine(
            start_of(parts[0]), end_of(parts[-1]), label, engine, None, (), ()
        )

    def section(self, parts: Parts) -> tree.InstructionLine:
        """Read ``.rv B``: the engine of the lines that follow."""
        return tree.InstructionLine(
            start_of(parts[0]), end_of(parts[-1]), None, parts[1], None, (), ()
        )

    def based(self, parts: Parts) -> tree.Based:
        """Read ``8(sp)``."""
        offset, _, base, _ = parts
        return tree.Based(start_of(offset), end_of(parts[-1]), offset, base)

    def macro_call(self, parts: Parts) -> tree.MacroCall:
        label, engine, at = prefix(parts)
        arguments = tuple(parts[at + 2 : -1])
        start, end = start_of(parts[0]), end_of(parts[-1])
        return tree.MacroCall(start, end, label, engine, parts[at], arguments)

    def wait(self, parts: Parts) -> tree.WaitClause:
        value = grouped(parts[2:], ARITHMETIC)
        return tree.WaitClause(parts[0].start - 1, value.end, parts[0], parts[1].value, value)

    def update(self, parts: Parts) -> tree.UpdateClause:
        name, operator = parts[0], parts[1].value
        end, at_read = end_of(parts[-1]), False
        if isinstance(parts[-1], Token) and parts[-1].type == "AT_PHASE":
            at_read = parts.pop() == "@read"
        for part in parts[2:]:
            if is_a(part, "BINARY") and part == "@":
                raise Mistake(
                    "E0116",
                    "neither '@read' nor '@complete' follows",
                    start_of(part),
                    end,
                    "an update happens '@read' or '@complete', which is the default",
                )
        value = grouped(parts[2:], ARITHMETIC) if len(parts) > 2 else None
        return tree.UpdateClause(name.start - 1, end, name, operator, value, at_read)

    def take(self, parts: Parts) -> tree.TakeClause:
        value, at_read = _amount(parts)
        return tree.TakeClause(start_of(parts[0]), end_of(parts[-1]), parts[1], value, at_read)

    def give(self, parts: Parts) -> tree.UpdateClause:
        value, at_read = _amount(parts)
        return tree.UpdateClause(
            start_of(parts[0]), end_of(parts[-1]), parts[1], "+=", value, at_read
        )

    def moment(self, parts: Parts) -> tree.MomentName:
        return tree.MomentName(parts[0].start, end_of(parts[-1]), parts[0], tuple(parts[2:-1]))

    posted = moment

    def indexes(self, parts: Parts) -> tree.IndexRange:
        first, stop = parts
        return tree.IndexRange(first.start, stop.end, first, stop)

    def awaited(self, parts: Parts) -> tree.MomentName:
        moment: tree.MomentName = parts[0]
        condition: tree.ExpressionNode = parts[1]
        return replace(moment, end=condition.end, condition=condition)

    def post(self, parts: Parts) -> tree.PostClause:
        at_read = isinstance(parts[-1], Token) and parts[-1] == "@read"
        return tree.PostClause(start_of(parts[0]), end_of(parts[-1]), parts[1], at_read)

    def after(self, parts: Parts) -> tree.AfterClause:
        return tree.AfterClause(start_of(parts[0]), parts[-1].end, tuple(parts[1:]))

    def move(self, parts: Parts) -> Move:
        target, less, minus, source = parts
        if less != "<" or minus != "-" or less.end_pos != minus.start_pos:
            raise Mistake(
                "E0120",
                f"found '{less}', wanted '<-'",
                start_of(less),
                end_of(less),
                "a transfer is written 'dst <- src'",
            )
        return target, source


def _amount(parts: Parts) -> tuple[tree.ExpressionNode | None, bool]:
    """How much is taken or given, if it is written, and whether when reading."""
    value = parts[2] if len(parts) > 2 and not isinstance(parts[2], Token) else None
    return value, parts[-1] == "@read"


def prefix(parts: Parts) -> tuple[tree.Name | tree.Template | None, tree.Name | None, int]:
    """Label and engine in front of a line, and how many parts they are."""
    at, label, engine = 0, None, None
    if isinstance(parts[0], _Label):
        at, label = 1, parts[0].name
    if at < len(parts) and is_a(parts[at], "ENGINE"):
        engine = named(parts[at], 1)
        at += 1
    return label, engine, at
