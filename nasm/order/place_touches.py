"""What a run has done to each place, found for the places that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.order.accesses import Accesses, Touched
from nasm.order.observer import Watch


class PlaceTouch(NamedTuple):
    """That an instruction of a queue, or what it ``moves``, touches a place, which has a rank.

    ``at`` is its number in the run, ``number`` that in its queue; ``side`` 0 reads, and 1 writes.
    """

    at: int
    moves: bool
    side: int
    rank: int
    queue: int
    number: int


class TouchingGroup(NamedTuple):
    """Instructions of a queue that touch a place in the same way, by their ``numbers`` in it."""

    moves: bool
    side: int
    rank: int
    queue: int
    numbers: NDArray[np.int64]


class PlaceTouches:
    """What a run has done to each place, by its number."""

    def __init__(self, watch: Watch, accesses: Accesses) -> None:
        self._groups: dict[int, list[TouchingGroup]] = {}
        self._known: dict[int, Sequence[PlaceTouch]] = {}
        order = np.frombuffer(watch.queues, np.uint16)
        self._at = [np.flatnonzero(order == queue) for queue in range(len(watch.works))]
        for queue, (works, moved) in enumerate(zip(watch.works, watch.moved, strict=True)):
            kinds = np.fromiter((work.number for work in works), np.int64, len(works))
            for numbers in _alike(kinds, np.arange(len(works))):
                work = works[numbers[0]]
                touched = accesses.touched(work.number, work.reads, work.writes)
                self._add(False, queue, touched, numbers)
            patterns = np.fromiter((one.pattern for one in moved.values()), np.int64, len(moved))
            issued = np.fromiter(moved, np.int64, len(moved))
            for numbers in _alike(patterns, issued):
                one = moved[int(numbers[0])]
                touched = accesses.touched(one.pattern, one.reads, one.writes)
                self._add(True, queue, touched, numbers)

    def _add(self, moves: bool, queue: int, touched: Touched, numbers: NDArray[np.int64]) -> None:
        for side, places in enumerate(touched):
            for rank, place in enumerate(places):
                one = TouchingGroup(moves, side, rank, queue, numbers)
                self._groups.setdefault(place.number, []).append(one)

    def of(self, place: int) -> Sequence[PlaceTouch]:
        """What was done to a place."""
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = [
                PlaceTouch(at, one.moves, one.side, one.rank, one.queue, number)
                for one in self._groups.get(place, ())
                for at, number in zip(
                    self._at[one.queue][one.numbers].tolist(), one.numbers.tolist(), strict=True
                )
            ]
        return found


def _alike(kinds: NDArray[np.int64], numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The numbers of what is of one kind, kind by kind; of kind -1 each is another."""
    order = np.argsort(kinds, kind="stable")
    kinds, numbers = kinds[order], numbers[order]
    new = (kinds[1:] != kinds[:-1]) | (kinds[1:] == -1)
    firsts = [0, *(np.flatnonzero(new) + 1).tolist(), len(kinds)]
    for first, end in pairwise(firsts):
        if first < end:
            yield numbers[first:end]
