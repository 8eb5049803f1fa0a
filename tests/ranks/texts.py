"""Random programs of ranks as texts: waits as semaphores or moments, and one rank that differs."""

from __future__ import annotations

from collections.abc import Sequence

from tests.ranks.before import Waits
from tests.ranks.operations import COLUMNS, ROWS, Op
from tests.ranks.programs import HBM, SBUF, Program

SHAPE = f"f32[{ROWS}, {COLUMNS}]"


class Text:
    """The text of a program with some waits; ``lines`` is where each operation is.

    The collective ``early`` posts when it starts. If ``theirs`` is given, one rank has another
    order of collectives, or fewer of them: where these are is in ``other``.
    """

    def __init__(
        self,
        program: Program,
        waits: Waits | None = None,
        rank: int = 0,
        theirs: Sequence[int] | None = None,
        early: int = -1,
    ) -> None:
        self.early = early
        self.program, self.waits = program, program.waits if waits is None else waits
        self.posting = {one for some in program.waits.values() for one in some}
        self.moments = program.moments and theirs is None
        self.lines: dict[int, int] = {}
        self.other: dict[int, int] = {}
        self.counts: dict[str, int] = {}
        self.marks: dict[int, tuple[str, int]] = {
            op.number: self._mark(op) for op in program.ops if op.number in self.posting
        }
        self.made: list[str] = []
        self._head()
        for op in program.ops:
            if theirs is None or op.kind != "cc":
                self._put(op, self.lines)
        if theirs is not None:
            self._branch(rank, theirs)

    def __str__(self) -> str:
        return "\n".join((*self.made, ""))

    def _mark(self, op: Op) -> tuple[str, int]:
        """What an operation posts, and the value at which it has: for a DMA 16 shares."""
        if op.kind == "dma":
            return f"d{op.number}", 16
        if op.queue not in self.program.counted:
            return f"d{op.number}", 1
        self.counts[op.queue] = self.counts.get(op.queue, 0) + 1
        return f"q_{op.queue}", self.counts[op.queue]

    def _head(self) -> None:
        self.made += [".target trn2", f".ranks {self.program.ranks}"]
        self.made += [f".hbm {name} {SHAPE} inout" for name in HBM]
        for n, name in enumerate(SBUF):
            self.made += [f".hbm x{n} {SHAPE} input", f".hbm y{n} {SHAPE} output"]
            self.made.append(f".sbuf {name} {SHAPE}")
        names = sorted({name for name, _ in self.marks.values()})
        if names and not self.moments:
            self.made.append(f".sem {', '.join(names)}")

    def _put(self, op: Op, lines: dict[int, int]) -> None:
        """The lines of an operation: a delay, its waits, and what it does."""
        self.made.append(f"@{op.queue}")
        label = f"{op.number}_{len(self.made)}"
        if op.delay:
            self._delay(op.delay, label)
        waits = self._waits_of(op)
        posts = self._posts_of(op)
        if op.kind == "last":
            for wait in waits or [""]:
                self._line(f"EventSemaphore {wait}" if wait else "Nop")
            lines[op.number] = len(self.made)
        elif op.kind == "repeat":
            for wait in waits:
                self._line(f"EventSemaphore {wait}")
            self._line("CollectiveRankId %r2")
            self.made.append(f"again{label}:")
            self._line(op.text)
            lines[op.number] = len(self.made)
            self._back("%r2", f"again{label}")
            if posts:
                self._line(f"EventSemaphore {posts}")
        else:
            for wait in waits[:-1]:
                self._line(f"EventSemaphore {wait}")
            self._line(" ".join(filter(None, (op.text, *waits[-1:], posts))))
            lines[op.number] = len(self.made)

    def _line(self, text: str) -> None:
        self.made.append(f"    {text}")

    def _back(self, register: str, label: str) -> None:
        self._line(f"RegisterAlu {register}, {register}, 1, op=subtract")
        self._line(f"CompareBranch {register}, 0, op=greater_equal, target={label}")

    def _delay(self, factor: int, label: str) -> None:
        """A loop whose rounds grow, or fall, with the number of the rank."""
        self._line("CollectiveRankId %r0")
        if factor < 0:
            self._line(f"RegisterMove %r1, {self.program.ranks}")
            self._line("RegisterAlu %r0, %r1, %r0, op=subtract")
        self._line(f"RegisterAlu %r0, %r0, {abs(factor)}, op=multiply")
        self.made.append(f"late{label}:")
        self._back("%r0", f"late{label}")

    def _waits_of(self, op: Op) -> list[str]:
        marks = [(one, *self.marks[one]) for one in self.waits.get(op.number, ())]
        if not marks:
            return []
        if self.moments:
            return [f"after {', '.join(f'm{one}' for one, _, _ in marks)}"]
        return [f"${name} >= {value}" for _, name, value in marks]

    def _posts_of(self, op: Op) -> str:
        if op.number not in self.marks:
            return ""
        if self.moments:
            return f"post m{op.number}"
        change = " += 16" if op.kind == "dma" else "++ @read" if op.number == self.early else "++"
        return f"${self.marks[op.number][0]}{change}"

    def _branch(self, rank: int, theirs: Sequence[int]) -> None:
        """The collectives of one rank, and of all others."""
        ops = self.program.ops
        self.made.append("@cc")
        self._line("CollectiveRankId %r5")
        self._line(f"CompareBranch %r5, {rank}, op=equal, target=theirs")
        for op in ops:
            if op.kind == "cc":
                self._put(op, self.lines)
        self._line("CompareBranch target=joined")
        self.made.append("theirs:")
        for number in theirs:
            self._put(ops[number], self.other)
        self.made.append("joined:")
        self._line("Nop")
