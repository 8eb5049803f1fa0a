"""What ranks exchange, as data that a target combines and says the time of.

A rank is a machine with memories of its own. Ranks meet only in collectives: each one that reaches
one describes it in a :class:`CollectiveCall`, and what it sends is a :class:`Parcel` for each of
its sources. All of these are plain records that pickle, for ranks may be in other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence
from nasm.isa.generation import Generation

Elements = np.ndarray[Any, Any]

Group = tuple[int, ...]
"""The ranks that take part together, in the order in which the program names them."""


@dataclass(frozen=True, slots=True)
class CollectiveBuffer:
    """A tensor of a collective: its dtype by name, its shape, and the memory that it is in."""

    dtype: str
    shape: tuple[int, ...]
    memory: str

    @property
    def elements(self) -> int:
        """How many elements it has."""
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass(frozen=True, slots=True)
class CollectiveCall:
    """A collective as one rank asks for it: what each rank of its ``group`` must ask for, too."""

    operation: str
    group: Group
    destinations: tuple[CollectiveBuffer, ...]
    sources: tuple[CollectiveBuffer, ...]
    options: tuple[tuple[str, object], ...]

    def option(self, name: str) -> Any:
        """An option by name; None if it was not given."""
        return dict(self.options).get(name)


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """Elements of a tensor, in its dtype and shape, that are sent or received.

    ``known`` says which of them, a bool array of the same shape; None: all.
    """

    values: Elements
    known: Elements | None = None


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """How long a collective takes from the arrival of the last rank, in ``ticks``.

    ``algorithm`` is the vendor's name of how it is done, empty if there is none; ``parts`` are the
    ticks by how well they are known.
    """

    ticks: int
    evidence: Evidence
    source: str
    algorithm: str = ""
    parts: tuple[tuple[Evidence, int], ...] = ()


Combine = Callable[[CollectiveCall, int, Sequence[Sequence[Parcel]]], tuple[Parcel | None, ...]]
"""What one rank of a group receives: for each destination a parcel, or None where it stays as it
is. It gets the rank's place in the group, and of each rank in the order of the group what it
sends."""


@dataclass(frozen=True, slots=True, eq=False)
class RankExchanges:
    """How ranks of a target exchange: a hook of :class:`~nasm.isa.target.Target`.

    ``misfit`` says in a sentence why the tensors of a call do not fit each other and the size of
    its group, empty if they do. ``size`` are the bytes by which its time is known. ``combine`` is
    what a rank receives, a pure function: every rank may compute its own part, or one all of them,
    with the same result. By the operations in ``same`` every rank receives the same. ``topology``
    says where ranks are, given its name, the path of a file or None for the usual one, the
    generation, and how many cores a rank has: a record of the target, with a ``name``. ``time``
    says how long a call takes there. Both may raise Refused.
    """

    misfit: Callable[[CollectiveCall], str]
    size: Callable[[CollectiveCall], int]
    combine: Combine
    same: frozenset[str]
    time: Callable[[CollectiveCall, Any], CollectiveTime]
    topology: Callable[[Any, Generation, int], Any]
