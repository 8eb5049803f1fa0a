"""The values of one run by their numbers, and how instructions read and write them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.machine.machine import Machine
from nasm.program.footprint.reach import window
from nasm.program.shapes import Shape
from nasm.runs.equal.shadow import ShadowMemory
from nasm.runs.equal.spelled import spelled
from nasm.runs.equal.value_numbers import UNNUMBERED, Read, Tokens, ValueNumbers, digest
from nasm.views.view import View

Place = tuple[int, int]
"""A queue and a pc."""


class ActingInstruction(NamedTuple):
    """An instruction that starts: where it is, with its registers' values in its addresses."""

    queue: int
    pc: int
    shape: Shape
    operands: tuple[object, ...]


class NumberedValues:
    """What memories and registers of a run hold.

    ``makers`` says which instruction made a definition first, by its first number, and ``order``
    which definition was made first. ``registers`` are those that are not known, by queue.
    """

    def __init__(self, machine: Machine, numbers: ValueNumbers, unit: int) -> None:
        self.numbers = numbers
        self.memory = ShadowMemory(machine.program, machine.addresses.areas, unit)
        self.makers: dict[int, Place] = {}
        self.order: dict[int, int] = {}
        self.registers: dict[tuple[int, int], int] = {}

    def register(self, acting: ActingInstruction, number: int) -> Tokens:
        """The number of what a register holds that is not known."""
        found = self.registers.get((acting.queue, number))
        if found is None:
            raise Refused(UNNUMBERED, f"what %r{number} holds is not followed")
        return one_number(found)

    def append(self, reads: list[Read], name: str, tokens: Tokens) -> None:
        """Add units to what an instruction reads."""
        reads.append(Read(name, tokens, digest(tokens)))

    def read(
        self,
        acting: ActingInstruction,
        reads: list[Read],
        name: str,
        view: View,
        whole: bool = True,
    ) -> None:
        """Read a view: of one that values address all that it may reach, and these values."""
        if view.offsets is not None or view.dynamic:
            self._addressed(acting, reads, name, view)
            view = reached(view)
        tokens = self.memory.window(view)
        if whole and not tokens.all():
            raise Refused(UNNUMBERED, f"{view.tensor.name} is read where nothing has written it")
        self.append(reads, name, tokens)

    def _addressed(
        self, acting: ActingInstruction, reads: list[Read], name: str, view: View
    ) -> None:
        """Read what addresses a view, and how."""
        offsets = view.offsets
        if offsets is not None:
            self.read(acting, reads, f"the entries of {name}", offsets.tile, whole=False)
        for dynamic in view.dynamic:
            number = self.register(acting, dynamic.register)
            self.append(reads, f"the start of {name}", number)
        how = None if offsets is None else spelled(replace(offsets, tile=None))  # type: ignore[arg-type]
        moved = tuple((one.axis, one.stride, one.limit) for one in view.dynamic)
        place = (view.partition, view.offset) if view.dynamic else ()
        made = self.numbers.define(("addressed", how, moved, place, view.shape, view.steps), 1)
        self.append(reads, f"places of {name}", one_number(made))

    def define(
        self, acting: ActingInstruction, what: Hashable, count: int, reads: tuple[Read, ...]
    ) -> int:
        """The first number of what an instruction makes."""
        made = self.numbers.define(what, count, reads)
        if made not in self.makers:
            self.makers[made] = acting.queue, acting.pc
            self.order[made] = len(self.order)
        return made

    def write(
        self, acting: ActingInstruction, what: Hashable, view: View, reads: tuple[Read, ...]
    ) -> None:
        """Let a view have what an instruction makes; where values address it, all it may reach."""
        view = reached(view)
        place = self.memory.window(view)
        made = self.define(acting, (what, view.shape, view.dtype.name), place.size, reads)
        self.put(view, numbers_from(made, place))

    def put(self, view: View, tokens: Tokens) -> None:
        """Let units have value numbers; of what steps of 0 put in one place the last stays."""
        last, first = view.last, int(view.partitioned)
        if last is not view:
            free = tuple(slice(-1, None) if s == 0 else slice(None) for s in view.steps[first:])
            tokens = tokens[(slice(None),) * first + free]
        self.memory.window(last)[...] = tokens


def reached(view: View) -> View:
    """All that a view may be, where values address it."""
    if view.dynamic:
        return View.whole(view.tensor)
    return view if view.offsets is None else window(view, view.offsets)


def numbers_from(first: int, place: Tokens) -> Tokens:
    """Numbers that follow each other, in the shape of a place."""
    return np.arange(first, first + place.size, dtype=np.int64).reshape(place.shape)


def one_number(number: int) -> Tokens:
    """A single number."""
    return np.array([number], np.int64)
