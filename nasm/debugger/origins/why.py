"""Where a value came from: what made it of what, and these in turn, back to where they began."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.analysis import summary
from nasm.base.array_files import ArrayFile
from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.debugger.origins.backward_search import Sweep
from nasm.debugger.origins.elements import TensorElements, elements
from nasm.debugger.origins.origins import (
    ADDRESS,
    ENTRIES,
    EngineElements,
    Origin,
    Place,
    RegisterOrigin,
    values,
)
from nasm.debugger.origins.records import (
    UNWRITTEN,
    LastWrite,
    Maker,
    OriginSource,
    Why,
    born,
    spoiled,
)
from nasm.debugger.origins.writes import CHANGE, TRANSFER, Replayable, Search, Write, WriteResults
from nasm.machine.records import Moment
from nasm.machine.writers import Writers
from nasm.runs.inspection import Inspection
from nasm.views.tensor import Tensor
from nasm.views.view import View

Array = np.ndarray[Any, Any]

DEPTH = 6
"""How far sources are followed by default."""

MOST = 40
"""Values that are followed in all."""

MOST_ADDED = 64
"""Additions to one place that are followed back."""

MOST_PARTS = 6
"""Writes of one box that are distinguished."""

MOST_SPOILED = 256
"""Steps that a NaN is followed back."""

_ROUND = re.compile(r"\.for (\w+) = (-?\d+)")


@dataclass(slots=True, eq=False)
class _Node:
    """A value for which a Why is being made."""

    place: Place
    values: Array
    depth: int
    search: Search | None
    additions: int = 0
    steps: int = 0
    aside: bool = False
    parts: list[tuple[WriteResults, list[tuple[Origin, _Node | None]], _Node | None]] = field(
        default_factory=list
    )


class OriginQuestion:
    """A question: where some elements came from, ``depth`` makers back."""

    def __init__(self, held: Inspection, past: Replayable, depth: int, most: int) -> None:
        self.inspected, self.machine, self.past = held, held.machine, past
        self.depth, self.most, self.count = depth, most, 0
        self.writers = Writers(held.program, held.machine.addresses.region)
        self.nodes: dict[int, _Node] = {}

    def why(self, place: TensorElements) -> Why:
        """The answer, of one element."""
        node = self._node(place, values(self.machine, place), 0, self._now)
        Sweep(self.machine, self.past, self._grow).run([node.search] if node.search else [])
        return self._sources(node)[0]

    @property
    def _now(self) -> int:
        return self.machine.scheduler.position + 1

    def _node(self, place: Place, held_: Array, depth: int, before: int, steps: int = 0) -> _Node:
        search = Search(place, before) if self._written(place) else None
        node = _Node(place, held_, depth, search, steps=steps)
        if search is not None:
            self.nodes[id(search)] = node
        self.count += 1
        return node

    def _written(self, place: Place) -> bool:
        """Whether anything in the program, or a change by hand, may have written a place."""
        if not isinstance(place, TensorElements) or self.past.changes:
            return True
        whole = self.machine.addresses.region(View.whole(place.tensor))
        return any(True for _ in self.writers.of((whole,)))

    # -- what follows from what was found

    def _grow(self, search: Search, made: WriteResults) -> Sequence[Search]:
        node = self.nodes[id(search)]
        more: list[_Node | None] = []
        bad = spoiled(node.values[made.which])
        for origin in made.origins:
            more.append(self._followed(node, made, origin, bool(bad.any())))
        added = None
        if made.adds and node.additions < MOST_ADDED and isinstance(node.place, TensorElements):
            place, position = node.place.some(made.which), made.write.position
            self.past.goto(Moment(position - 1, 0, self.past.now.changes, False))
            added = self._node(place, values(self.machine, place), node.depth, position)
            added.additions = node.additions + 1
        node.parts.append((made, list(zip(made.origins, more, strict=True)), added))
        if len(node.parts) >= MOST_PARTS:
            search.over = True
        nodes = [n for n in (*more, added) if n is not None]
        return [n.search for n in nodes if n.search is not None]

    def _followed(self, node: _Node, made: WriteResults, origin: Origin, bad: bool) -> _Node | None:
        """The node of an origin, if it has to be followed."""
        place, read = origin.place, origin.values
        if bad and isinstance(place, TensorElements | EngineElements):
            which = np.flatnonzero(spoiled(read))
            if len(which) and node.steps < MOST_SPOILED:
                if isinstance(place, TensorElements):
                    nan = np.flatnonzero(np.isnan(read.astype(np.float32)))
                    which = nan if len(nan) else which
                    place, read = place.some(which[:1]), read[which[:1]]
                return self._node(place, read, node.depth + 1, made.at, node.steps + 1)
        if node.steps:
            return None
        if origin.role in (ADDRESS, ENTRIES):
            deeper = node.depth + max(1, self.depth // 2)
        else:
            deeper = node.depth + (not isinstance(place, EngineElements) and not _copies(made))
        aside = bool(node.additions) and not made.kept
        if aside and isinstance(
            place, EngineElements
        ):  # the other side of a product: where it was read
            loaded = self._node(place, read, node.depth, made.at)
            loaded.aside = True
            return loaded
        deeper += (DEPTH + 1) * (aside or node.aside)
        if deeper > self.depth or self.count >= self.most:
            return None
        return self._node(place, read, deeper, made.at)

    # -- the answer

    def _sources(self, node: _Node) -> tuple[Why, ...]:
        found = [self._why(node, *part) for part in node.parts]
        left = node.search.left if node.search is not None else np.ones(len(node.values), np.bool_)
        if left.any() and len(node.parts) < MOST_PARTS:
            found.append(self._begun(node, left))
        return tuple(found)

    def _why(
        self,
        node: _Node,
        made: WriteResults,
        origins: list[tuple[Origin, _Node | None]],
        added: _Node | None,
    ) -> Why:
        sources = tuple(
            OriginSource(
                origin.role,
                place_text(self.inspected, origin.place),
                origin.values,
                _dtype(origin.place),
                origin.place,
                self._sources(follow) if follow is not None else (),
            )
            for origin, follow in origins
        )
        held_ = node.values[made.which]
        read = [origin.values for origin, _ in origins]
        read += [added.values] if added is not None else []
        place = _some(node.place, made.which)
        return Why(
            place_text(self.inspected, place),
            held_,
            _dtype(node.place),
            place,
            maker(self.inspected, made.write),
            "",
            sources,
            self._sources(added) if added is not None else (),
            born(held_, read),
            made.kept,
        )

    def _begun(self, node: _Node, left: Any) -> Why:
        place = _some(node.place, np.flatnonzero(left))
        held_ = node.values[np.flatnonzero(left)]
        start = beginning(self.inspected, node.place)
        return Why(place_text(self.inspected, place), held_, _dtype(node.place), place, None, start)


def _copies(made: WriteResults) -> bool:
    """Whether it made elements of as many others alone."""
    if len(made.origins) != 1 or made.adds:
        return False
    place = made.origins[0].place
    return isinstance(place, TensorElements) and len(place) == len(made.which)


def _some(place: Place, which: Any) -> Place:
    return place.some(which) if isinstance(place, TensorElements) else place


def _dtype(place: Place) -> DType | None:
    return place.dtype if isinstance(place, TensorElements) else None


def place_text(held: Inspection, place: Place) -> str:
    """A place as a program would write it, or in words."""
    if isinstance(place, TensorElements):
        return place.text
    queue = held.program.queue_name(place.queue)
    if isinstance(place, RegisterOrigin):
        return f"%r{place.number} of {queue}"
    if len(place) == int(np.prod(place.shape)):
        return f"{place.name} of {queue}"
    at = np.stack(np.unravel_index(place.numbers, place.shape), axis=1)
    axes = []
    for column in at.T:
        found = np.unique(column)
        last = f":{found[-1] + 1}" if len(found) > 1 else ""
        axes.append(f"{found[0]}{last}")
    return f"{place.name}[{', '.join(axes)}] of {queue}"


def maker(held: Inspection, write: Write) -> Maker:
    """What wrote, in words and times."""
    machine, program = held.machine, held.program
    us = machine.microseconds(write.tick)
    base = program.generation.base.cycle
    if write.kind == CHANGE:
        text = str(write.change)
        cycle = write.tick // base
        return Maker(CHANGE, "", -1, "", text, None, (), write.tick, write.tick, cycle, us)
    queue, pc = write.who
    instruction, span = program.instruction(queue, pc), program.span(queue, pc)
    rounds = []
    for frame in span.chain if span is not None else ():
        found = _ROUND.search(frame.what)
        if found:
            rounds.append((found[1], int(found[2])))
    cycle = write.tick // (base if write.kind == TRANSFER else machine.cycle(queue))
    return Maker(
        write.kind,
        program.queue_name(queue),
        pc,
        instruction.row.name,
        summary.form_text(program, queue, pc),
        span.line if span is not None and _in_text(held, span) else None,
        tuple(rounds),
        write.began,
        write.tick,
        cycle,
        us,
        span.source.label if span is not None else "",
        program.origin(pc),
    )


def _in_text(held: Inspection, span: Span) -> bool:
    """Whether a place is in the program's texts: what was typed has lines of its own."""
    text = getattr(held, "source", None)
    return text is None or span.source is text or bool(span.source.label)


def beginning(held: Inspection, place: Place) -> str:
    """What a place holds that nothing has written."""
    if isinstance(place, RegisterOrigin):
        return "never set"
    if isinstance(place, EngineElements):
        return "as the engine began"
    return initial(held, place.tensor)


def initial(held: Inspection, tensor: Tensor) -> str:
    """What a tensor holds that nothing has written."""
    given = held.inputs.get(tensor.name)
    init = tensor.init
    if isinstance(given, ArrayFile):
        return f"input from {given.path}"
    if given is not None:
        return "input, given" if tensor.role in ("input", "inout") else "given at the start"
    what = "input" if tensor.role in ("input", "inout") else "initial value"
    if isinstance(init, ArrayFile):
        return f"{what} from {init.path}"
    if isinstance(init, tuple):
        seed = f", seed {init[1]}" if init[0] in ("random", "normal") else ""
        kind = {"list": "a list"}.get(init[0], init[0])
        return f"{what}, {kind}{seed}"
    return UNWRITTEN


def why(held: Inspection, past: Replayable, text: str, depth: int = DEPTH, most: int = MOST) -> Why:
    """Where an element came from, as the language writes it; raises Failure."""
    return OriginQuestion(held, past, depth, most).why(_one(held, text))


def last_write(held: Inspection, past: Replayable, text: str) -> LastWrite | None:
    """The last write of any of some elements before now; None if there was none."""
    place = _elements(held, held.view(text))
    found: list[Write] = []

    def grow(search: Search, made: WriteResults) -> Sequence[Search]:
        if made.kept:
            search.left[made.which] = True
            return ()
        found.append(made.write)
        search.over = True
        return ()

    Sweep(held.machine, past, grow).run([Search(place, held.machine.scheduler.position + 1)])
    if not found:
        return None
    return LastWrite(text, maker(held, found[0]), found[0].position)


def _one(held: Inspection, text: str) -> TensorElements:
    view = held.view(text)
    if view.size != 1:
        first = ", ".join("0" for _ in view.shape)
        raise Failure(
            Problem(
                "E0822",
                f"'{text}' has {view.size:,} elements; why asks about one",
                None,
                f"for example: why {view.tensor.name}[{first}]",
            )
        )
    return _elements(held, view)


def _elements(held: Inspection, view: View) -> TensorElements:
    if not held.values:
        raise Failure(Problem("E0822", "a run without values has no elements", None))
    if view.dynamic or view.offsets is not None:
        raise Failure(
            Problem("E0822", "what a register or a tile addresses has no place now", None)
        )
    return elements(view, np.arange(view.size, dtype=np.int64))
