"""Index expressions of NKI 0.1: integers that are affine in the positions of an index space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import index as integer
from typing import Any, NoReturn

import numpy as np

from nasm.base.records import dataclass
from nasm.nki.errors import refuse
from nasm.nki.neuronxcc.conjunctions import joined, keep
from nasm.nki.neuronxcc.walks import KEPT, Box, begin, reach, repeated, with_new
from nasm.views.view import ALL


@dataclass(frozen=True, slots=True)
class Index:
    """``const`` plus, along each axis of ``shape``, ``steps`` times the position."""

    const: int
    shape: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()

    __array_ufunc__ = None
    """NumPy's scalars leave arithmetic with it to this class."""

    def __getitem__(self, key: Any) -> Index:
        """With new axes of 1: ``[:, None]``, ``[None, :]``."""
        items = key if isinstance(key, tuple) else (key,)
        new = tuple([item is None for item in items])
        alike = all([item is None or (type(item) is slice and item == ALL) for item in items])
        if not alike or new.count(False) != len(self.shape):
            refuse(
                f"an index expression of {list(self.shape)} in brackets takes ':' for each of its "
                "axes, and None for a new one",
                "nl.arange(n)[:, None] runs along partitions, nl.arange(n)[None, :] along a row",
            )
        return Index(self.const, *with_new(self.shape, self.steps, new))

    def over(self, shape: tuple[int, ...]) -> Index:
        """The same on a space with more axes in front, or longer ones where it is repeated."""
        if shape == self.shape:
            return self
        return Index(self.const, shape, repeated(self.shape, self.steps, shape))

    def low(self, box: Box) -> int:
        """The smallest value in a part of its space."""
        return self.const + reach(self.steps, box)[0]

    def high(self, box: Box) -> int:
        """The largest value in a part of its space."""
        return self.const + reach(self.steps, box)[1]

    def at(self, box: Box) -> int:
        """The value where a part of its space begins."""
        return self.const + begin(self.steps, box)

    def values(self) -> np.ndarray[Any, Any]:
        """Its values, in its shape."""
        made = np.full(self.shape, self.const, np.int64)
        for axis, (size, step) in enumerate(zip(self.shape, self.steps, strict=True)):
            sizes = [1] * len(self.shape)
            sizes[axis] = size
            made += (np.arange(size) * step).reshape(sizes)
        return made

    def substituted(self, items: Sequence[Index], shape: tuple[int, ...]) -> Index:
        """As an expression in other positions: those of this space are ``items`` of them."""
        const, steps = self.const, [0] * len(shape)
        for step, item in zip(self.steps, items, strict=True):
            const += step * item.const
            for axis, inner in enumerate(item.steps):
                steps[axis] += step * inner
        return Index(const, shape, tuple(steps))

    # -- arithmetic

    def _with(self, other: Any, sign: int) -> Any:
        given = as_index(other)
        if given is None:
            return NotImplemented
        if not given.shape:
            return Index(self.const + sign * given.const, self.shape, self.steps)
        shape = broadcast(self.shape, given.shape)
        mine, theirs = self.over(shape), given.over(shape)
        steps = (a + sign * b for a, b in zip(mine.steps, theirs.steps, strict=True))
        return Index(self.const + sign * given.const, shape, tuple(steps))

    def __add__(self, other: Any) -> Any:
        return self._with(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Index:
        return Index(-self.const, self.shape, tuple(-s for s in self.steps))

    def __mul__(self, other: Any) -> Any:
        given = as_index(other)
        if given is None:
            return NotImplemented
        if any(given.steps) and any(self.steps):
            return self._fitted(other, np.multiply, "*")
        by, of = (self.const, given) if not any(self.steps) else (given.const, self)
        shape = broadcast(self.shape, given.shape)
        whole = of.over(shape)
        return Index(of.const * by, shape, tuple(s * by for s in whole.steps))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self._fitted(other, np.floor_divide, "//")

    def __mod__(self, other: Any) -> Any:
        return self._fitted(other, np.mod, "%")

    def _fitted(self, other: Any, apply: Callable[..., Any], sign: str) -> Any:
        """What is affine although the operator is not: of one block of positions, say."""
        given = as_index(other)
        if given is None:
            return NotImplemented
        shape = broadcast(self.shape, given.shape)
        if sign != "*" and (given.values() == 0).any():
            refuse(f"an index expression {sign} 0")
        values = np.broadcast_to(
            apply(self.over(shape).values(), given.over(shape).values()), shape
        )
        first = int(values[(0,) * len(shape)])
        steps = [0] * len(shape)
        for axis, size in enumerate(shape):
            if size > 1:
                place = [0] * len(shape)
                place[axis] = 1
                steps[axis] = int(values[tuple(place)]) - first
        found = Index(first, shape, tuple(steps))
        if (found.values() != values).any():
            refuse(
                f"an index expression with {sign}, which is not affine in the index vectors",
                "write a sum of vectors times numbers: an nl.arange for each part of the index, "
                "and nl.arange(n)[:, None, None] for one axis more",
            )
        return found

    # -- predicates

    def _at_least(self, other: Any, more: int = 0, sign: int = 1) -> Any:
        given = self._with(other, -1)
        if given is NotImplemented:
            return NotImplemented
        return joined(Predicate(((given if sign > 0 else -given) - more,)))

    def __ge__(self, other: Any) -> Any:
        return self._at_least(other)

    def __gt__(self, other: Any) -> Any:
        return self._at_least(other, 1)

    def __le__(self, other: Any) -> Any:
        return self._at_least(other, 0, -1)

    def __lt__(self, other: Any) -> Any:
        return self._at_least(other, 1, -1)

    def __eq__(self, other: object) -> Any:
        given = self._with(other, -1)
        return NotImplemented if given is NotImplemented else joined(Predicate((given, -given)))

    def __ne__(self, other: object) -> NoReturn:
        refuse("a mask with !=, which is no conjunction of affine inequalities", MASK)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        refuse("a branch on an index expression, which has many values", "compare numbers")

    def __index__(self) -> int:
        if any(n != 1 for n in self.shape):
            refuse("an index expression as a number: it has many values")
        return self.const

    def __str__(self) -> str:
        terms = [f"{s}*i{axis}" for axis, s in enumerate(self.steps) if s]
        return " + ".join([*terms, str(self.const)] if self.const or not terms else terms)


MASK = "masks are <, <=, >, >= and == of index expressions, joined by &"


@dataclass(frozen=True, slots=True)
class Predicate:
    """A mask: where all of some index expressions are 0 or more."""

    least: tuple[Index, ...]

    __array_ufunc__ = None

    def __and__(self, other: Any) -> Predicate:
        if isinstance(other, bool | np.bool_):
            return self if other else Predicate((*self.least, Index(-1)))
        if not isinstance(other, Predicate):
            refuse(f"a mask & {other!r}", MASK)
        return Predicate(self.least + other.least)

    __rand__ = __and__

    def __or__(self, other: Any) -> NoReturn:
        refuse("a mask with |, which is no conjunction of affine inequalities", MASK)

    __ror__ = __or__

    def __invert__(self) -> NoReturn:
        refuse("a mask with ~, which is no conjunction of affine inequalities", MASK)

    def __bool__(self) -> bool:
        if not keep(self):
            refuse(
                "a mask as a condition: 'if' asks whether it is true, which it is in places",
                "join masks by &",
            )
        return True

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether it is made of index vectors of an index space."""
        return all(
            len(one.shape) <= len(shape)
            and all(a in (1, b) for a, b in zip(one.shape[::-1], shape[::-1], strict=False))
            for one in self.least
        )

    def boxes(self, shape: tuple[int, ...]) -> list[Box]:
        """The parts of an index space in which it holds, each a box; none overlap."""
        box = [(0, n) for n in shape]
        oblique: list[Index] = []
        for given in self.least:
            least = self._fits(given, shape)
            axes = [axis for axis, s in enumerate(least.steps) if s and shape[axis] > 1]
            if len(axes) > 1:
                oblique.append(least)
            elif not axes:
                if least.const < 0:
                    return []
            else:
                box[axes[0]] = _cut(box[axes[0]], least.const, least.steps[axes[0]])
        if any(lo >= hi for lo, hi in box):
            return []
        return list(_split(tuple(box), oblique)) if oblique else [tuple(box)]

    @staticmethod
    def _fits(least: Index, shape: tuple[int, ...]) -> Index:
        extra = len(least.shape) - len(shape)
        if extra > 0 and all(n == 1 for n in least.shape[:extra]):
            least = Index(least.const, least.shape[extra:], least.steps[extra:])
        pairs = zip(least.shape[::-1], shape[::-1], strict=False)
        if len(least.shape) > len(shape) or any(a not in (1, b) for a, b in pairs):
            refuse(
                f"a mask of {list(least.shape)} for {list(shape)}",
                "make it of the index vectors that the tensor is indexed with",
            )
        return least.over(shape)


def _cut(span: tuple[int, int], const: int, step: int) -> tuple[int, int]:
    """The positions of a span where ``const + step * position`` is 0 or more."""
    lo, hi = span
    if step > 0:
        return max(lo, -(const // step)), hi
    return lo, min(hi, const // -step + 1)


def _split(box: Box, oblique: Sequence[Index]) -> Iterator[Box]:
    """What is left of a box, cut along its first axis until each piece is a box."""
    live = [least for least in oblique if least.low(box) < 0]
    if any(least.high(box) < 0 for least in live):
        return
    if not live:
        yield box
        return
    axes = {axis for least in live for axis, s in enumerate(least.steps) if s and _long(box, axis)}
    axis = min(axes, key=lambda axis: box[axis][1] - box[axis][0])
    lo, hi = box[axis]
    for cut in pairwise(range(lo, hi + 1)):
        part = (*box[:axis], cut, *box[axis + 1 :])
        left = [p for least in live if (p := _along(least, part)) is not None]
        if all(lo < hi for lo, hi in _cuts(part, left)):
            rest = [least for least in live if _along(least, part) is None]
            yield from _split(tuple(_cuts(part, left)), rest)


def _long(box: Box, axis: int) -> bool:
    return box[axis][1] - box[axis][0] > 1


def _along(least: Index, box: Box) -> tuple[int, int, int] | None:
    """The axis along which an expression still varies in a box, with its const and step there."""
    axes = [a for a, s in enumerate(least.steps) if s and _long(box, a)]
    if len(axes) > 1:
        return None
    axis = axes[0] if axes else 0
    flat = tuple((lo, lo + 1) if a != axis else (0, 1) for a, (lo, _) in enumerate(box))
    return axis, least.at(flat), least.steps[axis]


def _cuts(box: Box, left: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]]:
    made = list(box)
    for axis, const, step in left:
        if step:
            made[axis] = _cut(made[axis], const, step)
        elif const < 0:
            made[axis] = (0, 0)
    return made


def as_index(value: Any) -> Index | None:
    """A number, or an index expression, as one; None of anything else."""
    if isinstance(value, Index):
        return value
    if type(value) is int:
        return Index(value)
    if isinstance(value, bool | float | np.floating):
        return None
    try:
        return Index(integer(value)) if not hasattr(value, "storage") else None
    except TypeError:
        return None


@lru_cache(KEPT)
def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that index expressions have together, as NumPy's arrays do."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        refuse(
            f"index expressions of {' and '.join(str(list(s)) for s in shapes)} in one index",
            "their shapes broadcast as NumPy's do: equal, or 1",
        )


def arange(*args: Any) -> Index:
    """Positions in a row, from a start to before a stop, by a step."""
    return _row(*args) if all([type(n) is int for n in args]) else _positions(*args)


def _positions(*args: Any) -> Index:
    numbers = [as_index(value) for value in args]
    if not 1 <= len(args) <= 3 or any(n is None or n.shape for n in numbers):
        refuse(f"nl.arange{args!r}: wanted one to three numbers")
    whole = range(*(n.const for n in numbers if n is not None))
    if not whole:
        refuse(f"nl.arange{args!r} has no position", "a tile has at least one element")
    return Index(whole.start, (len(whole),), (whole.step,))


_row = lru_cache(KEPT)(_positions)
"""Of numbers; refuses what is none, in the same words."""


class Grid(tuple[Index, ...]):
    """What ``nl.mgrid[0:a, 0:b]`` gives: an index expression for each axis, also by name."""

    p = property(lambda self: self._axis(0, "p"))
    x = property(lambda self: self._axis(1, "x"))
    y = property(lambda self: self._axis(2, "y"))
    z = property(lambda self: self._axis(3, "z"))
    w = property(lambda self: self._axis(4, "w"))

    def _axis(self, axis: int, name: str) -> Index:
        if axis >= len(self):
            refuse(f".{name} of an nl.mgrid of {len(self)} axes, which has no axis {axis}")
        return self[axis]


class MeshGrid:
    """``nl.mgrid``: index expressions of several axes at once."""

    def __getitem__(self, key: Any) -> Grid:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, slice) and part.stop is not None for part in parts):
            refuse("nl.mgrid takes slices with an end: nl.mgrid[0:128, 0:512]")
        rows = [
            arange(part.start or 0, part.stop, 1 if part.step is None else part.step)
            for part in parts
        ]
        made = []
        for axis, row in enumerate(rows):
            shape, steps = [1] * len(rows), [0] * len(rows)
            shape[axis], steps[axis] = row.shape[0], row.steps[0]
            made.append(Index(row.const, tuple(shape), tuple(steps)))
        return Grid(made)
