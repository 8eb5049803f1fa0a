"""The first place at which each of two programs computes what the other one does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from nasm.runs.equal.followed import FollowedProgram
from nasm.runs.equal.numbering import Numbering
from nasm.runs.equal.records import PartingPlace
from nasm.runs.equal.value_numbers import Definition, Tokens, ValueNumbers


class Parting:
    """Walks back from an output that differs: which of its definitions has one program alone?

    The first of these, in the order of the run, reads only what both have.
    """

    def __init__(self, numbers: ValueNumbers, a: FollowedProgram, b: FollowedProgram) -> None:
        self.numbers, self.a, self.b = numbers, a, b

    def of(self, name: str, mine: Tokens, other: Tokens) -> tuple[PartingPlace, PartingPlace]:
        """The two places, from an output some units of which differ."""
        differs = mine != other
        at = int(differs.reshape(-1).argmax()) // mine.shape[-1]
        index = [int(n) for n in np.unravel_index(at, mine.shape[:-1])]
        where = f"{name}{index}"
        return (
            self._place(self.a, self.b, where, mine[differs]),
            self._place(self.b, self.a, where, other[differs]),
        )

    def _place(
        self, side: FollowedProgram, other: FollowedProgram, where: str, tokens: Tokens
    ) -> PartingPlace:
        assert side.numbering is not None
        assert other.numbering is not None
        alone = min(self._alone(tokens, side.numbering, other.numbering), default=None)
        if alone is not None:
            queue, pc = alone[1]
            name, span = side.program.instruction_name(queue, pc), side.program.span(queue, pc)
            line = "" if span is None else f", line {span.line}"
            return PartingPlace(f"{name}{line}, computes what the other does not", span)
        number = int(tokens[0])
        made = self.numbers.defined(number)
        if made is None:
            return PartingPlace(f"nothing writes {where}", None)
        by = side.numbering.values.makers.get(made.first)
        if by is None:
            return PartingPlace(f"{where} is {_begun(made, number)}", None)
        name, span = side.program.instruction_name(*by), side.program.span(*by)
        line = "" if span is None else f", line {span.line}"
        text = f"{where} is element {number - made.first:,} of what {name}{line}, writes"
        return PartingPlace(text, span)

    def _alone(
        self, tokens: Tokens, mine: Numbering, other: Numbering
    ) -> Iterator[tuple[int, tuple[int, int]]]:
        """What only one program makes of what some units follow from: when, and by which line."""
        left, seen = list(self._definitions(np.unique(tokens).tolist())), set[int]()
        while left:
            made = left.pop()
            by = mine.values.makers.get(made.first)
            if made.first in seen or by is None or made.first in other.values.makers:
                continue
            seen.add(made.first)
            yield mine.values.order[made.first], by
            for _, runs in made.parts:
                left += self._definitions(first for first, _ in runs)

    def _definitions(self, numbers: Iterable[int]) -> Iterator[Definition]:
        seen = set[int]()
        for number in numbers:
            made = self.numbers.defined(number)
            if made is not None and made.first not in seen:
                seen.add(made.first)
                yield made


def _begun(made: Definition, number: int) -> str:
    """What a unit is that no instruction made."""
    what = made.what
    while isinstance(what, tuple) and what and isinstance(what[0], tuple):
        what = what[0]
    at = number - made.first
    if isinstance(what, tuple) and what[0] == "input":
        return f"element {at:,} of the input {what[1]}"
    return "a constant of the program"
