"""The tensors of a random program, and views of them that may be read or written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from tests.fuzz.ordered.tiles import Area, Tensor, View, drawn

TRIES = 6


class Memories:
    """All tensors; if there are ``matmuls`` some suit them."""

    def __init__(self, draw: Random, matmuls: bool) -> None:
        self.draw, self.matmuls = draw, matmuls
        self.areas: list[Area] = []

    def chip(self, core: int) -> None:
        """Tensors of a core: some share bytes."""
        draw = self.draw
        for _ in range(draw.randint(2, 4)):
            width = draw.choice((8, 32, 32) if self.matmuls else (2, 4, 8, 16, 32))
            area = Area("sbuf", core, width)
            self.tensor(area, 0, draw.choice((1, 2, 4, 4)), 0, width)
        if draw.random() < 0.4:
            words = draw.choice((8, 16))
            area = Area("sbuf", core, words)
            for _ in range(draw.randint(2, 3)):
                width = draw.randint(2, words)
                group = draw.choice((0, 0, 2))
                word = draw.randint(0, words - width)
                many = draw.choice([n for g, n in ((0, 4), (0, 2), (2, 2)) if g == group])
                self.tensor(area, group, many, word, width, 16384)
        if self.matmuls or draw.random() < 0.3:
            for _ in range(draw.randint(1, 2)):
                width = draw.choice((4, 8, 16))
                self.tensor(Area("psum", core, width), 0, draw.choice((1, 4)), 0, width)

    def hbm(self) -> None:
        """Inputs, outputs, and what is neither."""
        draw = self.draw
        for role in ("input", "input", "", "output", "output")[draw.randint(0, 3) :]:
            width = draw.choice((4, 8, 16, 32))
            area = Area("hbm", 0, width)
            tensor = self.tensor(area, 0, draw.choice((1, 2, 4)), 0, width, role=role)
            if role == "input":
                area.filled = tensor.whole.mask

    def tensor(
        self,
        area: Area,
        group: int,
        groups: int,
        word: int,
        width: int,
        base: int = 0,
        role: str | None = None,
    ) -> Tensor:
        """Declare one: in HBM with a role, maybe an empty one, on chip maybe at an address."""
        if not area.tensors:
            self.areas.append(area)
        count = sum(len(known.tensors) for known in self.areas)
        name = f"{'X' if role is not None else area.memory[0]}{count}"
        text = f".{area.memory} {name} f32[{32 * groups}, {width}]"
        if role is not None:
            text += f" {role}" + (
                f" = {self.draw.choice(('random(seed=1)', 'iota'))}" if role == "input" else ""
            )
        elif base:
            text += f" @ {32 * group}:{base + 4 * word}"
        tensor = Tensor(name, area, group, groups, word, width, text)
        area.tensors.append(tensor)
        return tensor

    def declarations(self) -> Iterator[str]:
        """All tensors."""
        at = 0
        for area in self.areas:
            if area.core != at:
                at = area.core
                yield f".core {at}"
            for tensor in area.tensors:
                yield tensor.declared

    def tensors(self, core: int, *memories: str) -> list[Tensor]:
        """The tensors in some memories that a core reaches."""
        return [
            tensor
            for area in self.areas
            if area.memory in memories and (area.memory == "hbm" or area.core == core)
            for tensor in area.tensors
        ]

    # -- views

    def free(self, core: int, *memories: str, reads: Sequence[View] = ()) -> View | None:
        """What may be written: no result is lost by it."""
        some = self.tensors(core, *memories)
        for _ in range(TRIES if some else 0):
            view = drawn(self.draw, self.draw.choice(some))
            if view is not None and self.writable(view, reads):
                return view
        return None

    def writable(self, view: View, reads: Sequence[View]) -> bool:
        """Whether a write loses no result of which some is read by now."""
        if view.tensor.declared.endswith(("input = iota", "input = random(seed=1)")):
            return False
        area, mask = view.area, view.mask
        unread = list(area.unread)
        for read in reads:
            if read.area is area:
                unread = [left for left in unread if not left & read.mask]
        return all(left & ~mask for left in unread)

    def filled(self, core: int, *memories: str, groups: int = 0, count: int = 0) -> View | None:
        """What may be read: all of it has a value."""
        some = self.tensors(core, *memories)
        for _ in range(2 * TRIES if some else 0):
            view = drawn(self.draw, self.draw.choice(some), groups, count)
            if view is not None and not view.mask & ~view.area.filled:
                return view
        return None

    def like(
        self, core: int, memories: Sequence[str], groups: int, count: int, reads: Sequence[View]
    ) -> View | None:
        """A place for a result of some groups and words; now and then an operand's own."""
        if self.draw.random() < 0.15 and reads[0].count == count and self.writable(reads[0], reads):
            return reads[0]
        some = self.tensors(core, *memories)
        for _ in range(2 * TRIES):
            view = drawn(self.draw, self.draw.choice(some), groups, count)
            if view is not None and self.writable(view, reads):
                return view
        return None
