"""Forms: the bytes that an instruction reads and writes, and the events between which it does.

What it reads is touched at its start. What it writes, adds to or may write in part is touched from
its start to its completion. What its transfer or its meeting moves is touched apart from the queue:
by a transfer from the start to the landing, by a meeting at the moment at which all have come.
"""

from __future__ import annotations

from typing import NamedTuple

from nasm.isa.generation import Generation
from nasm.program.footprint.touched_views import TouchedViews
from nasm.program.program import Instruction
from nasm.views.regions import Region
from nasm.views.view import View

_NONE: frozenset[Region] = frozenset()


class DetachedTouches(NamedTuple):
    """What is touched apart from the queue: by a transfer, or while cores meet.

    A transfer that ``adds`` does so to what it writes.
    """

    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    meets: bool = False
    adds: bool = False


class Form(NamedTuple):
    """What an instruction touches.

    ``taken`` and ``left`` are the registers that it reads and writes. Regions that are ``loose``
    are all that a register may move an address to: less of it is touched each time.
    """

    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    moved: DetachedTouches | None = None
    taken: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    loose: frozenset[Region] = frozenset()


_new = tuple.__new__
"""Makes a form of all its fields: twice as fast as by their names."""


class Forms:
    """The forms of a program's instructions, from their rows; all their tensors have places."""

    def __init__(self, generation: Generation, touched: TouchedViews | None = None) -> None:
        self.views = touched or TouchedViews(generation)
        self.regions = self.views.regions

    def of(self, instruction: Instruction, engine: str, core: int) -> Form:
        """What an instruction of an engine touches."""
        views = self.views.of(instruction, engine, core)
        if views.plain:
            of = self.regions.of
            reads = tuple([of(view) for view in views.reads])
            writes = tuple([of(view) for view in views.writes])
            return _new(Form, (_once(reads), _once(writes), None, (), (), _NONE))
        moved, apart = views.moved, None
        loose: list[Region] = []
        if moved is not None:
            into = self._regions(moved.writes, loose)
            out = into if moved.reads is moved.writes else self._regions(moved.reads, loose)
            apart = DetachedTouches(tuple(out), tuple(into), moved.meets, moved.adds)
        return Form(
            _once(tuple(self._regions(views.reads, loose))),
            _once(tuple(self._regions(views.writes, loose))),
            apart,
            views.taken,
            views.left,
            frozenset(loose) if loose else _NONE,
        )

    def _regions(self, found: tuple[View, ...], loose: list[Region]) -> list[Region]:
        of, regions = self.regions.of, []
        for view in found:
            if view.dynamic or view.offsets is not None:
                region = self.views.region(view)
                if view.dynamic:
                    loose.append(region)
            else:
                region = of(view)
            regions.append(region)
        return regions


def _once(regions: tuple[Region, ...]) -> tuple[Region, ...]:
    if len(regions) == 2:
        return regions[:1] if regions[0] == regions[1] else regions
    return tuple(dict.fromkeys(regions)) if len(regions) > 1 else regions
