"""Turns directives into the tree, while the grammar recognises them; and with them every line."""

from __future__ import annotations

from typing import NamedTuple

from lark import Token

from nasm.base.problems import quoted
from nasm.base.records import dataclass
from nasm.language.text import tree
from nasm.language.text.precedence import ARITHMETIC, COMPARISONS, chained, grouped
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.transform import LineBuilder, Parts, end_of, is_a, prefix, start_of


@dataclass(frozen=True, slots=True)
class BlockMark(tree.Statement):
    """``.elif``, ``.else`` or ``.end``: where a block continues or ends."""

    word: str
    condition: tree.ExpressionNode | None = None


class _Stepped(NamedTuple):
    """How far the values of a size are apart."""

    number: tree.ExpressionNode


class _Tiles(NamedTuple):
    """How many tiles a declaration makes."""

    number: tree.ExpressionNode


def _drained(parts: Parts) -> tuple[tree.Name | tree.Template | None, tree.Name | None, int]:
    """Label and engine in front of a ``.drain``, and how many parts they are."""
    at = next(n for n, part in enumerate(parts) if is_a(part, "DOT_DRAIN"))
    label, engine, _ = prefix(parts[:at]) if at else (None, None, 0)
    return label, engine, at


class TreeBuilder(LineBuilder):
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

    def tile(self, parts: Parts) -> tree.TileLine:
        """Read ``.tile 3, 4``, ``.tile 3, 4, 1`` or ``.grid 4, 2``."""
        word, *numbers = parts[0].value[1:], *parts[1:]
        return tree.TileLine(start_of(parts[0]), numbers[-1].end, word, *numbers)

    def ranks(self, parts: Parts) -> tree.RanksLine:
        """Read ``.ranks 4``."""
        return tree.RanksLine(start_of(parts[0]), parts[1].end, parts[1])

    def const(self, parts: Parts) -> tree.Const:
        """Read ``.const N = 512, K = N // 4``."""
        return tree.Const(start_of(parts[0]), parts[-1].end, tuple(parts[1:]))

    def param(self, parts: Parts) -> tree.Param:
        """Read ``.param N in 1..64 step 2``, in which an end and a step may be absent."""
        name, first, *rest = parts[1:]
        step = rest.pop().number if rest and isinstance(rest[-1], _Stepped) else None
        stop = rest[0] if rest else None
        item = tree.NamedArgument(name.start, first.end, name.name, first)
        end = (step or stop or first).end
        return tree.Param(start_of(parts[0]), end, (item,), stop, step)

    def stepped(self, parts: Parts) -> _Stepped:
        """Read ``step 2``."""
        return _Stepped(parts[0])

    def tensor(self, parts: Parts) -> tree.TensorLine:
        """Read ``.sbuf t bf16[128, 512] @ 0:64``."""
        tiles = parts.pop(2).number if isinstance(parts[2], _Tiles) else None
        space, name, dtype = parts[:3]
        marks = [part.type if isinstance(part, Token) else "" for part in parts]
        close = marks.index("RSQB", 4)
        rest = parts[close + 1 :]
        init = rest.pop() if len(rest) > 1 and marks[-2] == "EQUALS" else None
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
            tiles,
        )

    def tiles(self, parts: Parts) -> _Tiles:
        """Read ``[2]``, how many tiles an array has."""
        return _Tiles(parts[1])

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
        _, engine, at = prefix(parts)
        variable, first, stop, *more = parts[at + 1 :]
        copies = more.pop() if more and isinstance(more[-1], tree.NamedArgument) else None
        step = more[0] if more else None
        end = end_of(parts[-1])
        return tree.LoopStatement(
            start_of(parts[0]), end, engine, variable, first, stop, step, end, (), copies
        )

    def leaving(self, parts: Parts) -> tree.Break:
        """Read ``.break %r1 >= 3``."""
        _, engine, at = prefix(parts)
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
        _, engine, at = prefix(parts)
        name, _, value = parts[at + 1 :]
        slot = value if isinstance(value, tree.InstructionLine) else None
        value = None if slot is not None else value
        return tree.SettingLine(start_of(parts[0]), end_of(parts[-1]), engine, name, value, slot)

    def slot(self, parts: Parts) -> tree.InstructionLine:
        """Read the instruction of ``.cfg name: instruction``."""
        start, end = start_of(parts[0]), end_of(parts[-1])
        return tree.InstructionLine(start, end, None, None, parts[0], tuple(parts[1:]), ())

    def writing(self, parts: Parts) -> tree.WriteLine:
        """Read ``.write name = value, other = value option=n``, or ``.write name: instruction``."""
        label, engine, at = prefix(parts)
        if isinstance(parts[-1], tree.InstructionLine):
            slot = (parts[at + 1], parts[-1])
            return tree.WriteLine(start_of(parts[0]), parts[-1].end, label, engine, (slot,), ())
        items = tuple((p[0], p[2]) for p in parts[at + 1 :] if isinstance(p, list))
        options = tuple(parts[at + 1 + len(items) :])
        end = options[-1].end if options else items[-1][1].end
        return tree.WriteLine(start_of(parts[0]), end, label, engine, items, options)

    def foreign(self, parts: Parts) -> tree.ForeignLine:
        """Read ``.language "text" name=value, …``."""
        label, engine, at = prefix(parts)
        language, text, *options = parts[at:]
        end = options[-1].end if options else text.end
        return tree.ForeignLine(
            start_of(parts[0]), end, label, engine, language, text, tuple(options)
        )

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
