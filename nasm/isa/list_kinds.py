"""Kinds of operand that are lists, written ``[a, b]``."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.base.problems import Refused, listed
from nasm.base.records import dataclass
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.kinds import WRONG_KIND, Kind, Number, Tile
from nasm.views.spelling import spell
from nasm.views.tensor import Tensor
from nasm.views.value_text import value_text
from nasm.views.view import View


@dataclass(frozen=True, slots=True)
class Tiles(Kind):
    """A list of views in one of some memories, each taken whole: no lanes walk them.

    ``indirect`` says that tiles of entries may address them, ``alone`` that a single one may be
    written without brackets.
    """

    memories: tuple[str, ...]
    most: int
    indirect: bool = False
    alone: bool = False

    def accept(self, value: object) -> object:
        if self.alone and isinstance(value, Tensor | View):
            value = (value,)
        if not isinstance(value, list | tuple):
            single = isinstance(value, Tensor | View)
            hint = "write a single one in [ ] too" if single else ""
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}", hint)
        if not 1 <= len(value) <= self.most:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found a list of {len(value)}")
        tile = Tile(self.memories, lanes=False)
        return tuple(tile.accept(item) for item in value)

    def format(self, value: object) -> str:
        assert isinstance(value, tuple)
        if self.alone and len(value) == 1:
            return spell(value[0])
        return "[" + ", ".join(spell(v) for v in value) + "]"

    @property
    def placeholder(self) -> str:
        return "tile|[tile, …]" if self.alone else "[tile, …]"

    def describe(self) -> str:
        if self.alone:
            return f"a tensor in {listed(self.memories)}, or a list of up to {self.most}"
        return f"a list of 1 to {self.most} tensors in {listed(self.memories)}"

    @property
    def names(self) -> str:
        return "tensor"


@dataclass(frozen=True, slots=True)
class Numbers(Kind):
    """A list of numbers."""

    def accept(self, value: object) -> object:
        if not isinstance(value, list | tuple):
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return tuple(Number().accept(item) for item in value)

    def format(self, value: object) -> str:
        assert isinstance(value, tuple)
        return "[" + ", ".join(map(repr, value)) + "]"

    @property
    def placeholder(self) -> str:
        return "[number, …]"

    def describe(self) -> str:
        return "a list of numbers"


@dataclass(frozen=True, slots=True)
class IntegerLists(Kind):
    """Lists of integers from 0 on, in a list: groups of ranks, pairs of a source and a target.

    ``length`` is that of each, 0 for any; ``what`` is what one of them is.
    """

    what: str
    length: int = 0

    def accept(self, value: object) -> object:
        outer = value if isinstance(value, list | tuple) else ()
        lists = [tuple(item) for item in outer if isinstance(item, list | tuple)]
        good = lists and len(lists) == len(outer) and all(map(self._accepts, lists))
        if not good:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return tuple(lists)

    def _accepts(self, items: tuple[object, ...]) -> bool:
        whole = all(type(item) is int and item >= 0 for item in items)
        return bool(items) and whole and (not self.length or len(items) == self.length)

    def format(self, value: object) -> str:
        assert isinstance(value, tuple)
        return "[" + ", ".join("[" + ", ".join(map(str, one)) + "]" for one in value) + "]"

    @property
    def placeholder(self) -> str:
        return "[[integer, …], …]"

    def describe(self) -> str:
        size = f" of {self.length}" if self.length else ""
        return f"a list of {self.what}, each a list{size} of ranks"


def views(operand: object) -> tuple[View, ...]:
    """The views that an operand holds: itself, or those of a list."""
    if type(operand) is View:
        return (operand,)
    if isinstance(operand, (list, tuple)):
        return tuple([v for v in operand if type(v) is View])
    return ()


def mentioned(operand: object) -> Sequence[Tensor]:
    """The tensors that an operand names: of its views, of its moves, and of tiles of entries."""
    if isinstance(operand, DeclaredTransfer):
        named = tuple(view for move in operand.moves for view in move)
    else:
        named = views(operand)
    found: list[Tensor] = []
    for view in named:
        found.append(view.tensor)
        if view.offsets is not None:
            found.append(view.offsets.tile.tensor)
    return found
