"""Which elements of its arguments a pure function's result depends on: found by asking it.

Parts of an argument get other values, and where the result changes something of that part
matters. Bisecting along the axes finds the smallest box of them with few calls; then all that is
outside the boxes is replaced together, which must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.debugger.origins.argument_arrays import Path, grafted, leaf
from nasm.debugger.origins.replacements import replacements

Array = np.ndarray[Any, Any]
Axes = tuple[range, ...]
"""A box: along each axis one index, a range, or an arithmetic progression."""

Call = Callable[[list[Any]], bytes | None]
"""What the elements in question become; None if the function refuses such arguments."""

EACH = 24
"""Indices of an axis up to which each is tried; of more, samples are."""

SAMPLES = 8
JOINT_TRIALS = 12
"""How many replacements are tried in all arrays at once."""

ROUNDS = 6
"""How often what was overlooked is looked for again."""

PATIENCE = 50_000_000
"""Elements of arguments of calls, after which boxes are no longer made smaller: a second, about.

They are counted, so that what is found does not depend on how fast a machine is.
"""

A_CALL = 300
"""As many elements take as long as a call with none."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A box of elements of one array of one argument that matter."""

    argument: int
    path: Path
    axes: Axes


class Patience:
    """How many elements the arguments of further calls may have."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, elements: int) -> None:
        """A call with so many."""
        self.left -= A_CALL + elements


class Probe:
    """Asks a function which elements of some arrays in its arguments matter.

    ``places`` are those arrays: the number of an argument, and a path in it.
    """

    def __init__(
        self,
        call: Call,
        arguments: Sequence[Any],
        places: Sequence[tuple[int, Path]],
        numbers: Sequence[float] = (),
        patience: Patience | None = None,
    ) -> None:
        self.arguments, self.places = list(arguments), list(places)
        self.arrays = [leaf(self.arguments[at], path) for at, path in self.places]
        self.numbers = numbers
        self.patience = Patience(PATIENCE) if patience is None else patience
        self._call, self._size = call, sum(array.size for array in self.arrays)
        self.now = self.call(self.arguments)
        self._kinds: dict[int, list[Array]] = {}

    def needed(self) -> list[Needed]:
        """The boxes that matter."""
        boxes = [self._of_one(n) for n in range(len(self.places))]
        if not any(boxes) or self._hidden(boxes) is not None:
            boxes = self._joint_dependences(boxes)
        return [
            Needed(*self.places[n], box) for n, found in enumerate(boxes) for box in merged(found)
        ]

    def kinds(self, n: int) -> list[Array]:
        """What the elements of an array are replaced with."""
        found = self._kinds.get(n)
        if found is None:
            others = [array for m, array in enumerate(self.arrays) if m != n]
            found = self._kinds[n] = replacements(self.arrays[n], others, self.numbers)
        return found

    # -- one array

    def _of_one(self, n: int) -> list[Axes]:
        """The boxes of one array in which each element matters by itself."""
        array, kinds = self.arrays[n], self.kinds(n)
        every = tuple(range(count) for count in array.shape)
        active = [k for k in kinds if self._changes(n, [every], k)][:3]
        if not active:
            return []
        found: list[Axes] = []
        for _ in range(ROUNDS):
            more = self._boxes(n, found, active)
            if not more:
                break
            found += more
            overlooked = next((k for k in kinds if self._changes_outside(n, found, k)), None)
            if overlooked is None:
                break
            active = [overlooked]
        return found

    def _boxes(self, n: int, known: list[Axes], kinds: list[Array]) -> list[Axes]:
        """Boxes that matter in addition to those that are known."""

        def matters(box: Axes) -> bool:
            return any(self._changes(n, [box], kind, known) for kind in kinds)

        shape = self.arrays[n].shape
        box = tuple(range(count) for count in shape)
        return self._narrowed(matters, box)

    def _narrowed(self, matters: Callable[[Axes], bool], box: Axes) -> list[Axes]:
        """The boxes within one of which something matters, as small as they get."""
        axes = list(box)
        for axis in sorted(range(len(box)), key=lambda a: -len(box[a])):
            if len(axes[axis]) > 1:
                found = self._along(matters, axes, axis)
                if len(found) > 1:  # in no one progression: each part for itself
                    parts = [(*axes[:axis], part, *axes[axis + 1 :]) for part in found]
                    return [small for part in parts for small in self._narrowed(matters, part)]
                axes[axis] = found[0]
        whole = tuple(axes)
        if self._late or all(matters(one) for one in _corners(whole)):
            return [whole]
        axis = next(a for a in range(len(whole)) if len(whole[a]) > 1)
        if len(whole[axis]) > 4 * EACH:
            return [whole]
        parts = [(*whole[:axis], range(i, i + 1), *whole[axis + 1 :]) for i in whole[axis]]
        mattering = [part for part in parts if matters(part)]
        return [s for part in mattering for s in self._narrowed(matters, part)] or [whole]

    @property
    def _late(self) -> bool:
        return self.patience.left < 0

    def _along(self, matters: Callable[[Axes], bool], axes: list[range], axis: int) -> list[range]:
        """The indices of an axis at which something matters, as few progressions."""

        def at(part: range) -> bool:
            return matters((*axes[:axis], part, *axes[axis + 1 :]))

        def walk(part: range) -> list[int]:
            if len(part) == 1 or self._late:
                return list(part)
            if len(part) > EACH and all(at(range(i, i + 1)) for i in _sampled(part)):
                return list(part)
            half = len(part) // 2
            halves = [h for h in (part[:half], part[half:]) if at(h)]
            if not halves:  # neither by itself: they only matter together
                return list(part)
            return [i for h in halves for i in walk(h)]

        part = axes[axis]
        return progressions(walk(part))

    # -- several arrays

    def _hidden(self, boxes: list[list[Axes]]) -> int | None:
        """A number of replacements that changes the result outside the boxes; None if none does."""
        most = max((len(self.kinds(n)) for n in range(len(self.places))), default=0)
        for number in range(min(most, JOINT_TRIALS)):
            if self.call(self._outside(boxes, number)) not in (None, self.now):
                return number
        return None

    def _outside(self, boxes: list[list[Axes]], number: int) -> list[Any]:
        """The arguments with all replaced that is in no box."""
        arguments = list(self.arguments)
        for n, (at, path) in enumerate(self.places):
            kinds = self.kinds(n)
            replaced = _but(kinds[number % len(kinds)], self.arrays[n], boxes[n])
            arguments[at] = grafted(arguments[at], path, replaced)
        return arguments

    def _joint_dependences(self, boxes: list[list[Axes]]) -> list[list[Axes]]:
        """With what only matters where other elements have changed, too.

        Of two operands of a logical or that are both true neither changes the result by itself.
        All that is in no box is replaced; what brings the result back, or changes it again, when
        it gets its value back is what else matters.
        """
        boxes = [list(found) for found in boxes]
        for _ in range(ROUNDS):
            number = self._hidden(boxes)
            if number is None:
                break
            arguments = self._outside(boxes, number)
            probe = Probe(self._call, arguments, self.places, self.numbers, self.patience)
            before = sum(map(len, boxes))
            for n, array in enumerate(self.arrays):
                every = tuple(range(count) for count in array.shape)
                if probe._changes(n, [every], array):
                    boxes[n] += probe._boxes(n, [], [array])
            if sum(map(len, boxes)) == before:
                break
        return boxes

    # -- asking

    def call(self, arguments: list[Any]) -> bytes | None:
        """What the elements in question become."""
        self.patience.spend(self._size)
        return self._call(arguments)

    def _changes(
        self, n: int, where: Sequence[Axes], kind: Array, keep: Sequence[Axes] = ()
    ) -> bool:
        """Whether the result changes with these elements of an array, but for those to keep."""
        array = self.arrays[n].copy()
        for box in where:
            key = np.ix_(*box) if box else ()
            array[key] = kind[key]
        return self._differs(n, _put_back(array, self.arrays[n], keep))

    def _changes_outside(self, n: int, boxes: Sequence[Axes], kind: Array) -> bool:
        return self._differs(n, _but(kind, self.arrays[n], boxes))

    def _differs(self, n: int, array: Array) -> bool:
        at, path = self.places[n]
        arguments = self.arguments.copy()
        arguments[at] = grafted(arguments[at], path, array)
        found = self.call(arguments)
        return found is not None and found != self.now


def _put_back(array: Array, original: Array, keep: Sequence[Axes]) -> Array:
    for box in keep:
        key = np.ix_(*box) if box else ()
        array[key] = original[key]
    return array


def _but(kind: Array, original: Array, boxes: Sequence[Axes]) -> Array:
    """Other values everywhere but in some boxes."""
    return _put_back(kind.copy(), original, boxes)


def guarded(call: Callable[[list[Any]], bytes]) -> Call:
    """A call that answers None where the function refuses what it is given."""

    def asked(arguments: list[Any]) -> bytes | None:
        try:
            with np.errstate(all="ignore"):
                return call(arguments)
        except (Refused, ArithmeticError, IndexError, ValueError):
            return None

    return asked


# -- boxes


def progressions(indices: Sequence[int]) -> list[range]:
    """Ascending indices as few arithmetic progressions: one if they are one."""
    found: list[range] = []
    at = 0
    while at < len(indices):
        if at + 1 == len(indices):
            found.append(range(indices[at], indices[at] + 1))
            break
        step, end = indices[at + 1] - indices[at], at + 1
        while end + 1 < len(indices) and indices[end + 1] - indices[end] == step:
            end += 1
        if end == at + 1 and step > 1 and end + 1 < len(indices):
            found.append(range(indices[at], indices[at] + 1))
            at += 1
            continue
        found.append(range(indices[at], indices[end] + 1, step))
        at = end + 1
    return found


def merged(boxes: Sequence[Axes]) -> list[Axes]:
    """The same elements as fewer boxes, where those that differ along one axis are one."""
    found = list(dict.fromkeys(boxes))
    for axis in range(len(found[0]) if found else 0):
        alike: dict[Axes, set[int]] = {}
        for box in found:
            alike.setdefault((*box[:axis], *box[axis + 1 :]), set()).update(box[axis])
        found = [
            (*rest[:axis], part, *rest[axis:])
            for rest, indices in alike.items()
            for part in progressions(sorted(indices))
        ]
    return found


def _sampled(part: range) -> list[int]:
    """Both ends of a range, and some between them."""
    rng = np.random.default_rng(len(part))
    picked = rng.choice(len(part), SAMPLES - 2, replace=False)
    return list(dict.fromkeys((part[0], part[-1], *(part[int(i)] for i in picked))))


def _corners(box: Axes) -> Iterator[Axes]:
    """Single elements of a box: its corners, and some others."""
    ends = [(axis[0], axis[-1]) if len(axis) > 1 else (axis[0],) for axis in box]
    wide = [a for a, axis in enumerate(box) if len(axis) > 1]
    if len(wide) < 2:  # what is tried along one axis was tried
        return
    for corner in list(product(*ends))[:16]:
        yield tuple(range(i, i + 1) for i in corner)
    rng = np.random.default_rng(len(box))
    for _ in range(SAMPLES):
        yield tuple(range(i, i + 1) for i in (axis[int(rng.integers(len(axis)))] for axis in box))
