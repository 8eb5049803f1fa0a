"""A program checked for every value of a constant that counts rounds or tiles.

Size after size is looked at by itself, until what is more from one to the next is known: rounds of
its loops, and nothing else. That all larger sizes are so follows from the text, in which the size
is a bound of loops, and otherwise in sums and multiples alone (:mod:`nasm.runs.check.size_text`).
That they are in order follows from two sizes: with more rounds between those that they have every
clock remains true (:mod:`nasm.order.repeats`), no access of these races
(:mod:`nasm.order.repeat_accesses`), and they end (:mod:`nasm.runs.check.size_ends`).
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, Refused, listed
from nasm.base.records import replace
from nasm.base.source import Source, Span
from nasm.order.by_loops import clean, unproved
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.repeats import Unproved
from nasm.program.program import Program
from nasm.runs.check.check import examine
from nasm.runs.check.records import Examination
from nasm.runs.check.size_answer import SizeRange, SizesAnswer
from nasm.runs.check.size_declarations import ASSERTION, MEMORY, SizeDeclarations, numbers
from nasm.runs.check.size_ends import check_ends
from nasm.runs.check.size_forms import SIZE
from nasm.runs.check.size_growth import (
    ROUNDS,
    RunOfSize,
    followed,
    repeats,
    shapes,
    slopes,
    written_names,
)
from nasm.runs.check.size_text import SizeUse, size_use
from nasm.runs.settings import RunSettings

NO_SIZE, SEMAPHORES = "E0838", "E0335"

REFUSALS = (ASSERTION, MEMORY, SEMAPHORES)
"""What a text of a larger size may be refused for, as it would be written for no machine."""

SIZES, WORK = 64, 300_000
"""Sizes that are looked at by themselves, and instructions of all of them, until it is given up."""

ASSEMBLED = 128
"""Larger sizes that are assembled, if operands grow with them."""

FEW = 16
"""Of sizes of which nothing can follow so many are."""

SCANNED = 4_096
"""Values among which the first sizes are looked for."""


Looking = Callable[[int], None]
"""Called with each size before it is looked at."""


def for_all(
    source: Source,
    sizes: SizeRange,
    settings: RunSettings,
    max_instructions: int | None,
    looking: Looking | None = None,
) -> SizesAnswer:
    """Look at a program for all values of a constant; raises Failure if there is no such size."""
    return _Sizes(source, sizes, settings, max_instructions, looking).answer()


class _Sizes:
    """The sizes of one program."""

    def __init__(
        self,
        source: Source,
        sizes: SizeRange,
        settings: RunSettings,
        most: int | None,
        looking: Looking | None,
    ) -> None:
        self.looking = looking
        self.source, self.range, self.settings, self.most = source, sizes, settings, most
        self.declared = SizeDeclarations(source, self._assembled)
        _, problem = self.declared.status(sizes.first)
        if problem is not None and problem.code == "E0213":
            text = f"{source.shown} has no constant {sizes.name}"
            some = numbers(source)
            hint = f"it has {listed(some, 'and')}" if some else "'.const' gives one a number"
            raise Refused(NO_SIZE, text, hint)
        self.first, self.step = self._progression()
        self.large = self.declared.too_large(self.first, self.step, sizes.last)
        self.judged: list[int] = []
        self.runs: dict[int, RunOfSize] = {}
        self.reason: tuple[str, Span | None] = ("", None)

    def _assembled(self, source: Source, size: int) -> Program:
        defines = {**(self.settings.defines or {}), self.range.name: size}
        return replace(self.settings, defines=defines).assembled(source).program

    def _progression(self) -> tuple[int, int]:
        """The first size, and how far it is to the next; raises Refused if there is none."""
        first, last, step = self.range.first, self.range.last, self.range.step
        found, refused = list[int](), None
        for size in range(first, first + SCANNED * (step or 1), step or 1):
            if (last is not None and size > last) or len(found) == (1 if step else 2):
                break
            code, problem = self.declared.status(size)
            if code != ASSERTION:
                found.append(size)
            else:
                refused = problem
        if not found:
            why = "" if refused is None else f": {refused.message}"
            raise Refused(NO_SIZE, f"no value of {self.range} is a size of this program{why}")
        if step or len(found) == 1:
            return found[0], step or 1
        apart = found[1] - found[0]
        third = found[1] + apart
        if (last is None or third <= last) and self.declared.status(third)[0] == ASSERTION:
            text = f"the values of {self.range.name} that the program takes are not evenly apart"
            raise Refused(NO_SIZE, text, "give a step: --for 'N=128.. step 128'")
        return found[0], apart

    # -- all sizes

    def answer(self) -> SizesAnswer:
        """Look at sizes until one is not in order, or all others follow."""
        use: SizeUse | None = None
        shown = work = 0
        for number in range(SIZES):
            size = self.first + number * self.step
            if self._past(size):
                return self._answer(True)
            if work > WORK or (number >= FEW and use is not None and use.reason):
                break
            if self.looking is not None:
                self.looking(size)
            try:
                program = self._assembled(self.source, size)
            except Failure as failure:
                problem = next((p for p in failure.problems if p.code in REFUSALS), None)
                if problem is None or not self.judged:
                    return self._answer(False, failing=size, problems=tuple(failure.problems))
                if problem.code != ASSERTION:
                    self.large = size, problem
                    return self._answer(True)
                self.reason = f"{self.range.name} = {size:,} is refused: {problem.message}", None
                continue
            found = examine(program, max_instructions=self.most, settings=self.settings)
            work += found.instructions
            self.judged.append(size)
            if found.errors:
                return self._answer(False, failing=size, found=found, problems=found.errors)
            use = use or self._use(program)
            shown = shown + 1 if self._follows(number, use, program, found) else 0
            if shown == use.thresholds.period:
                refused = self._refused(number, use)
                if refused is not None:
                    return refused
        self.reason = (use.reason, use.at) if use is not None and use.reason else self.reason
        return self._answer(False)

    def _refused(self, number: int, use: SizeUse) -> SizesAnswer | None:
        """The answer that all larger sizes are in order, unless the machine refuses one of them.

        Where operands have larger shapes at larger sizes, each of these is assembled. None if there
        are too many for that.
        """
        before, now = (self.runs[at] for at in (number - use.thresholds.period, number))
        if shapes(before) == shapes(now):
            return self._answer(True)
        if not self._past(self.first + (number + ASSEMBLED) * self.step):
            use.reason = "the machine may refuse operands as large as they then are"
            return None
        for later in range(number + 1, number + ASSEMBLED):
            size = self.first + later * self.step
            if self._past(size):
                break
            try:
                self._assembled(self.source, size)
            except Failure as failure:
                return self._answer(False, failing=size, problems=tuple(failure.problems))
        return self._answer(True)

    def _past(self, size: int) -> bool:
        """Whether a size is beyond what is asked, or beyond memory."""
        last = self.range.last
        return (last is not None and size > last) or (
            self.large is not None and size >= self.large[0]
        )

    def _answer(
        self,
        proved: bool,
        failing: int | None = None,
        found: Examination | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> SizesAnswer:
        large, memory = self.large or (None, None)
        reason, at = ("", None) if proved or failing is not None else self.reason
        judged = tuple(self.judged)
        return SizesAnswer(
            self.range, self.step, judged, proved, reason, at, failing, found, problems, large,
            memory,
        )  # fmt: skip

    def _use(self, program: Program) -> SizeUse:
        """What the text does with its size."""
        files = Allowed.of(self.settings.files, self.settings.include)
        return size_use(self.source, files, self.range.name, program, self.first, self.step)

    # -- what follows from two sizes

    def _follows(self, number: int, use: SizeUse, program: Program, found: Examination) -> bool:
        """Whether what is larger by periods than a size is in order as it is."""
        self.runs.pop(number - use.thresholds.period - 1, None)
        if use.reason:
            self.reason = use.reason, use.at
            return False
        if not found.whole or found.ways > 1:
            self.reason = "it continues as values decide", None
            return False
        try:
            self.runs[number] = followed(program)
        except Failure as failure:  # of values, which decide what it touches
            self.reason = failure.problems[0].message, failure.problems[0].span
            return False
        except Refused as refused:
            self.reason = refused.message, None
            return False
        smaller = self.runs.get(number - use.thresholds.period)
        if smaller is None or not self._regular(number - use.thresholds.period, use):
            self.reason = "its loops have too few rounds in the sizes that were looked at", None
            return False
        try:
            self._prove(smaller, self.runs[number], use)
        except Unproved as problem:
            self.reason = str(problem), problem.at
            return False
        return True

    def _regular(self, number: int, use: SizeUse) -> bool:
        """Whether all loops of a size have rounds that are far from their first and last."""
        size, thresholds = self.first + number * self.step, use.thresholds
        for loop in thresholds.loops.values():
            reach = loop.stop.plus(loop.first, -1)
            rounds = (reach.constant + size * reach.factors.get(SIZE, 0)) / loop.step
            if rounds < 2 * thresholds.rounds + thresholds.period:
                return False
        return size > thresholds.size

    def _prove(self, smaller: RunOfSize, larger: RunOfSize, use: SizeUse) -> None:
        """Show that sizes beyond two are in order; raises Unproved."""
        check, before = (Check(Sources(run.program), run.watch, True) for run in (larger, smaller))
        check.settle()
        before.steps.take()
        if not clean(check):
            raise Unproved("its order was not decided")
        for name, span in use.indexed.items():
            if name in written_names(larger):
                raise Unproved(f"it is among the indices of {name}, which is written", span)
        check_ends(before.order.steps, check.order.steps)
        why: str | None = ""
        for most in ROUNDS:
            try:
                some = repeats(smaller, larger, most)
            except Unproved as problem:
                why = why or str(problem)
                continue
            grown = slopes(smaller, larger, some)
            whys = [unproved(check, one, grown) for one in some]
            why = next((one for one in whys if one is not None), None)
            if why is None:
                return
        raise Unproved(why or "")
