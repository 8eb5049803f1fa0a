"""Turns what the grammar recognises into the tree, while it parses.

A method has the name of a rule or a terminal of ``grammar/nasm.lark`` and gets the parts in
order. Keywords and brackets are among them where a span begins or ends with one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lark import Token

from nasm.base.problems import quoted
from nasm.base.records import dataclass, replace
from nasm.language.text import tree
from nasm.language.text.precedence import ARITHMETIC, COMPARISONS, chained, grouped
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.terminals import Leaves, end_of, is_a, named, start_of

# Parts come from Lark as one untyped list; each method knows what its rule holds.
Parts = list[Any]


@dataclass(frozen=True, slots=True)
class BlockMark(tree.Statement):
    """``.elif``, ``.else`` or ``.end``: where a block continues or ends."""

    word: str
    condition: tree.ExpressionNode | None = None


Move = tuple[tree.ExpressionNode, tree.ExpressionNode]
Built = tree.ExpressionNode | Move


class _Label(NamedTuple):
    name: tree.Name | tree.Template
    start: int
    end: int


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


class _Instructions(_Expressions):
    """Lines that are no directives."""

    def label(self, parts: Parts) -> _Label:
        return _Label(parts[0], parts[0].start, end_of(parts[1]))

    def instruction(self, parts: Parts) -> tree.InstructionLine:
        label, engine, at = _prefix(parts)
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
        label, engine, _ = _prefix(parts)
        return tree.InstructionLine(
            start_of(parts[0]), end_of(parts[-1]), label, engine, None, (), ()
        )

    def macro_call(self, parts: Parts) -> tree.MacroCall:
        label, engine, at = _prefix(parts)
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


def _prefix(parts: Parts) -> tuple[tree.Name | tree.Template | None, tree.Name | None, int]:
    """Label and engine in front of a line, and how many parts they are."""
    at, label, engine = 0, None, None
    if isinstance(parts[0], _Label):
        at, label = 1, parts[0].name
    if at < len(parts) and is_a(parts[at], "ENGINE"):
        engine = named(parts[at], 1)
        at += 1
    return label, engine, at


def _drained(parts: Parts) -> tuple[tree.Name | tree.Template | None, tree.Name | None, int]:
    """Label and engine in front of a ``.drain``, and how many parts they are."""
    at = next(n for n, part in enumerate(parts) if is_a(part, "DOT_DRAIN"))
    label, engine, _ = _prefix(parts[:at]) if at else (None, None, 0)
    return label, engine, at


class TreeBuilder(_Instructions):
    """Directives, and with them everything. It keeps no state: threads may share it."""

    def version(self, parts: Parts) -> tree.Version:
        """Read ``.nasm 1``."""
        return tree.Version(start_of(parts[0]), parts[1].end, parts[1])

    def target(self, parts: Parts) -> tree.TargetLine:
        """Read ``.target trn1``."""
        return tree.TargetLine(start_of(parts[0]), parts[1].end, parts[1])

    def core(self, parts: Parts) -> tree.CoreLine:
        """Read ``.core 1``."""
        return tree.CoreLine(start_of(parts[0]), parts[1].end, parts[1])

    def const(self, parts: Parts) -> tree.Const:
        """Read ``.const N = 512, K = N // 4``."""
        return tree.Const(start_of(parts[0]), parts[-1].end, tuple(parts[1:]))

    def tensor(self, parts: Parts) -> tree.TensorLine:
        """Read ``.sbuf t bf16[128, 512] @ 0:64``."""
        space, name, dtype = parts[:3]
        close = next(i for i in range(4, len(parts)) if is_a(parts[i], "RSQB"))
        rest = parts[close + 1 :]
        init = rest.pop() if len(rest) > 1 and is_a(rest[-2], "EQUALS") else None
        if init is not None:
            rest.pop()
        at = next((n for n, part in enumerate(rest) if isinstance(part, _Place)), None)
        place = rest[at] if at is not None else None
        alone = len(rest) == 1 and place is None  # a role or an arrangement: the target knows
        arranged = rest[0] if rest and rest[0] is not place and not alone else None
        role = rest[-1] if rest and rest[-1] is not place and rest[-1] is not arranged else None
        return tree.TensorLine(
            space.start - 1,
            end_of(parts[-1]),
            space,
            name,
            dtype,
            tuple(parts[4:close]),
            role,
            init,
            place.value if place else None,
            arranged,
        )

    def place(self, parts: Parts) -> _Place:
        """Read ``@ P:B``, ``@ bank N`` or ``@ BYTE``."""
        if is_a(parts[1], "BANK"):
            return _Place(("bank", parts[2], None), parts[2].end)
        if len(parts) == 2:
            return _Place(("byte", parts[1], None), parts[1].end)
        return _Place(("at", parts[1], parts[3]), parts[3].end)

    def semaphores(self, parts: Parts) -> tree.SemLine:
        """Read ``.sem a, b = 7``."""
        items = tuple((item[0], item[2] if len(item) > 1 else None) for item in parts[1:])
        last = parts[-1][-1]
        return tree.SemLine(start_of(parts[0]), last.end, parts[0].value[1:], items)

    def semaphore_item(self, parts: Parts) -> Parts:
        """Read ``b = 7``, one of several."""
        return parts

    def dma(self, parts: Parts) -> tree.DmaBlock:
        """Read ``.dma name queue=0``."""
        return tree.DmaBlock(start_of(parts[0]), parts[-1].end, parts[1], tuple(parts[2:]), ())

    def loop(self, parts: Parts) -> tree.For:
        """Read ``.for k in 0..4``."""
        first, stop, step = (*parts[2:], None, None)[:3]
        return tree.For(start_of(parts[0]), parts[-1].end, parts[1], first, stop, step, ())

    def run_time_loop(self, parts: Parts) -> tree.LoopStatement:
        """Read ``@engine .loop k in 0..4``."""
        _, engine, at = _prefix(parts)
        variable, first, stop, *step = parts[at + 1 :]
        end = end_of(parts[-1])
        return tree.LoopStatement(
            start_of(parts[0]),
            end,
            engine,
            variable,
            first,
            stop,
            step[0] if step else None,
            end,
            (),
        )

    def leaving(self, parts: Parts) -> tree.Break:
        """Read ``.break %r1 >= 3``."""
        _, engine, at = _prefix(parts)
        condition = parts[at + 1] if len(parts) > at + 1 else None
        return tree.Break(start_of(parts[0]), end_of(parts[-1]), engine, condition)

    def condition(self, parts: Parts) -> tree.If:
        """Read ``.if e``."""
        return tree.If(start_of(parts[0]), parts[1].end, ((parts[1], ()),))

    def mark(self, parts: Parts) -> BlockMark:
        """Read ``.elif e``, ``.else`` or ``.end``."""
        condition = parts[1] if len(parts) > 1 else None
        return BlockMark(start_of(parts[0]), end_of(parts[-1]), parts[0].value[1:], condition)

    def assertion(self, parts: Parts) -> tree.Assert:
        """Read ``.assert e, "message"``."""
        message = parts[2] if len(parts) > 2 else None
        return tree.Assert(start_of(parts[0]), parts[-1].end, parts[1], message)

    def expect(self, parts: Parts) -> tree.Expect:
        """Read ``.expect left ~ right  rtol=1e-2``."""
        first = next(
            (i for i, p in enumerate(parts) if isinstance(p, tree.NamedArgument)), len(parts)
        )
        sides, options = parts[1:first], tuple(parts[first:])
        start, end = start_of(parts[0]), parts[-1].end
        at = [i for i, part in enumerate(sides) if _compares(part)]
        if not at:
            return tree.Expect(start, end, grouped(sides, ARITHMETIC), "", None, options)
        if len(at) > 1:
            raise chained(sides[at[1]])
        left = grouped(sides[: at[0]], ARITHMETIC)
        right = grouped(sides[at[0] + 1 :], ARITHMETIC)
        return tree.Expect(start, end, left, sides[at[0]].value, right, options)

    def scope(self, parts: Parts) -> tree.ScopeBlock:
        """Read ``.scope``."""
        return tree.ScopeBlock(start_of(parts[0]), end_of(parts[0]), ())

    def drain(self, parts: Parts) -> tree.DrainLine:
        """Read ``@sync .drain all``."""
        label, engine, at = _drained(parts)
        more = parts[at + 1] if len(parts) > at + 1 else None
        if more is not None and more.name != "all":
            text = f"'{quoted(more.name)}' follows '.drain'"
            raise Mistake(
                "E0114", text, more.start, more.end, "it is written '.drain' or '.drain all'"
            )
        start = start_of(parts[0])
        return tree.DrainLine(start, end_of(parts[-1]), label, engine, more is not None)

    def view(self, parts: Parts) -> tree.ViewLine:
        """Read ``.view sorted = xs[0:64]``."""
        return tree.ViewLine(start_of(parts[0]), parts[-1].end, parts[1], parts[3])

    def setting(self, parts: Parts) -> tree.SettingLine:
        """Read ``.cfg name = value`` or ``.cfg name: instruction``."""
        _, engine, at = _prefix(parts)
        name, _, value = parts[at + 1 :]
        slot = value if isinstance(value, tree.InstructionLine) else None
        value = None if slot is not None else value
        return tree.SettingLine(start_of(parts[0]), end_of(parts[-1]), engine, name, value, slot)

    def slot(self, parts: Parts) -> tree.InstructionLine:
        """Read the instruction of ``.cfg name: instruction``."""
        start, end = start_of(parts[0]), end_of(parts[-1])
        return tree.InstructionLine(start, end, None, None, parts[0], tuple(parts[1:]), ())

    def writing(self, parts: Parts) -> tree.WriteLine:
        """Read ``.write name = value, other = value option=n``."""
        label, engine, at = _prefix(parts)
        items = tuple((p[0], p[2]) for p in parts[at + 1 :] if isinstance(p, list))
        options = tuple(parts[at + 1 + len(items) :])
        end = options[-1].end if options else items[-1][1].end
        return tree.WriteLine(start_of(parts[0]), end, label, engine, items, options)

    def written(self, parts: Parts) -> Parts:
        """Read ``name = value``, one of several."""
        return parts

    def include(self, parts: Parts) -> tree.Include:
        """Read ``.include "file.nasm"``."""
        return tree.Include(start_of(parts[0]), parts[1].end, parts[1])

    def macro(self, parts: Parts) -> tree.MacroStatement:
        """Read ``.macro name(a, n=4)``."""
        return tree.MacroStatement(
            start_of(parts[0]), end_of(parts[-1]), parts[1], tuple(parts[3:-1]), ()
        )


class _Place(NamedTuple):
    value: tuple[str, tree.ExpressionNode, tree.ExpressionNode | None]
    end: int


def _compares(part: tree.ExpressionNode | Token) -> bool:
    return is_a(part, "BINARY") and (part in COMPARISONS or part == "~")
