"""The report of a tensor for which there is no place: which tensors are live with it, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from nasm.base.problems import Note, Problem, listed
from nasm.base.records import replace
from nasm.base.source import Span
from nasm.program.placement import chart, free_runs, in_use, meets, place
from nasm.sync.fixed_places import FixedPlaces, Living
from nasm.sync.live_ranges import Life
from nasm.views.tensor import Tensor

LARGEST = 4
"""Tensors alive that are named as the largest."""


def refusal(
    first: Living,
    tiles: Sequence[Living],
    given: Sequence[Living],
    places: Mapping[int, int],
    spans: Sequence[Span | None],
) -> Problem:
    """No place for a tensor at the instruction that mentions it first.

    ``tiles`` are those that find their places here, in the order in which they begin to live, of
    which those before the ``first`` without one have ``places``. Said is where more bytes are alive
    than there are, if that is anywhere. ``spans`` are those of the instructions.
    """
    refused = _crowded(tiles, given) or first
    around, beside = _alive(refused, tiles, given)
    used = in_use(o.tensor for o in around) + sum(o.tensor.bytes for o in beside)
    if refused.tensor is first.tensor:
        beside = [_at(one, places[one.tensor.index]) for one in beside]
    else:
        beside = _side_by_side(beside, around)
    alive, tensor = [*around, *beside], refused.tensor
    memory, missing = tensor.memory, used + tensor.bytes - tensor.memory.size
    head = (
        f"{tensor.name} needs {tensor.bytes:,} bytes per partition here, and {memory.name} has no "
        f"free run of that size: what is alive with it takes {used:,} of {memory.size:,}, "
    )
    if missing > 0:
        head += f"{missing:,} too many"
    else:
        longest = max(free_runs(memory, [one.tensor for one in alive]), default=0)
        head += f"and leaves no more than {longest:,} side by side"
    notes = (Note(f"{tensor.name} is declared here", tensor.span),) if tensor.span else ()
    return Problem("E0311", head, spans[refused.life.first], _hint(refused, alive, spans), notes)


def _alive(
    one: Living, tiles: Sequence[Living], given: Sequence[Living]
) -> tuple[list[Living], list[Living]]:
    """Whom a tensor has to keep clear of: those that the program placed, and those before it."""
    around = [o for o in given if o.life.meets(one.life) and meets(o.tensor, one.tensor.partitions)]
    before = tiles[: tiles.index(one)]
    return around, [o for o in before if o.life.end >= one.life.begin]


def _crowded(tiles: Sequence[Living], given: Sequence[Living]) -> Living | None:
    """The first tensor that takes, with all it has to keep clear of, more bytes than there are."""
    standing = FixedPlaces(given, len(given))
    leaving: list[tuple[int, int]] = []
    used = 0
    for tensor, life in tiles:
        while leaving and leaving[0][0] < life.begin:
            used -= heappop(leaving)[1]
        heappush(leaving, (life.end, tensor.bytes))
        used += tensor.bytes
        starts, ends = standing.taken(life, tensor.partitions)
        if used + sum(ends) - sum(starts) > tensor.memory.size:
            return Living(tensor, life)
    return None


def _at(one: Living, offset: int) -> Living:
    placed: Tensor = replace(one.tensor, partition=0, offset=offset)
    return one._replace(tensor=placed)


def _side_by_side(beside: Sequence[Living], around: Sequence[Living]) -> list[Living]:
    """Those of some tensors that fit a memory together, placed."""
    copies = [one._replace(tensor=replace(one.tensor)) for one in beside]
    place([one.tensor for one in (*around, *copies)])
    return [one for one in copies if one.tensor.offset is not None]


def _hint(refused: Living, alive: Sequence[Living], spans: Sequence[Span | None]) -> str:
    """The largest that are alive, and the map."""
    memory = refused.tensor.memory
    largest = sorted(alive, key=lambda one: -one.tensor.bytes)[:LARGEST]
    named = [f"{one.tensor.name} ({one.tensor.bytes:,} bytes)" for one in largest]
    head = "work in smaller tiles, or be done with some before this"
    if named:
        head += f"; the largest alive {'is' if len(named) == 1 else 'are'} {listed(named, 'and')}"
    about = {one.tensor.name: _when(one.life, spans) for one in alive}
    rows = chart(memory, [one.tensor for one in alive], about)
    return "\n".join([head, f"{memory.name} at instruction {refused.life.begin}:", *rows])


def _when(life: Life, spans: Sequence[Span | None]) -> str:
    """From where to where something lives, as instructions and as lines of the text."""
    begin, end = max(0, life.begin), min(len(spans) - 1, life.end)
    numbers = f"instruction {begin}" if begin == end else f"instructions {begin} to {end}"
    written = [spans[life.first], spans[life.last]]
    lines = [(span.source.shown, span.line) for span in written if span is not None]
    if len(lines) < len(written):
        return numbers
    (file, line), (other, last) = lines
    if file != other:
        return f"{numbers} ({file}:{line} to {other}:{last})"
    return f"{numbers} (line {line})" if line == last else f"{numbers} (lines {line} to {last})"
