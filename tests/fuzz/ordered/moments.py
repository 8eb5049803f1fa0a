"""Programs in rounds whose waits are moments: written out, in loops at run time, and in macros."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.fuzz.ordered.rounds import COMPUTE, ISSUERS


def _engines(draw: Random) -> tuple[str, str, str]:
    """Which load, compute and store."""
    return draw.choice(ISSUERS), draw.choice(list(COMPUTE)), draw.choice(ISSUERS)


def _three(draw: Random) -> tuple[str, str, str]:
    """The same, all of them different, and none that needs descriptors of its own."""
    compute = draw.choice(list(COMPUTE))
    load, store = draw.sample([e for e in ("sync", "scalar", "gpsimd") if e != compute], 2)
    return load, compute, store


def _order(draw: Random, groups: list[str], rounds: int, apart: bool) -> Iterator[str]:
    """The lines of a round in one loop, or each in one of its own."""
    if not apart or draw.random() < 0.5:
        yield f".for k in 0..{rounds}"
        yield from groups
        yield ".end"
        return
    for line in groups:
        yield f".for k in 0..{rounds}"
        yield line
        yield ".end"


def _last(draw: Random, engine: str, stored: str, rounds: int) -> str:
    """A wait for all rounds, by one engine or another."""
    engine = draw.choice((engine, "sync"))
    return f"@{engine} EventSemaphore after {', '.join(f'{stored}[{k}]' for k in range(rounds))}"


def named(draw: Random, mark: str) -> Iterator[str]:
    """Load, compute, store over buffers, written out; some of it by descriptors made before."""
    rounds, buffers, words = draw.randint(2, 4), draw.randint(1, 3), draw.choice((2, 4, 8))
    load, compute, store = _engines(draw)
    rows = draw.choice((32, 128))
    yield f".hbm in{mark} f32[{rows}, {rounds * words}] input = random(seed=1)"
    yield f".hbm out{mark} f32[{rows}, {rounds * words}] output"
    yield f".sbuf tile{mark}[{buffers}] f32[{rows}, {words}]"
    yield f".sbuf made{mark}[{buffers}] f32[{rows}, {words}]"
    tile, made, part = (
        f"tile{mark}[k % {buffers}]",
        f"made{mark}[k % {buffers}]",
        f"k*{words} : +{words}",
    )
    loading = f"DmaCopy {tile}, in{mark}[:, {part}]{draw.choice(('', ', queue=2'))}"
    storing = f"DmaCopy out{mark}[:, {part}], {made}{draw.choice(('', ', queue=5'))}"
    if draw.random() < 0.4:  # each round has a descriptor queue of its own
        ring = draw.choice(("", " queue=3"))
        for k in range(rounds):
            yield f".dma fetch{mark}_{k}{ring}"
            yield f"    tile{mark}[{k % buffers}] <- in{mark}[:, {k * words} : +{words}]"
            yield ".end"
        loading = f"DmaTrigger fetch{mark}_{{k}}"
    text = COMPUTE[compute].format(out=made, tile=tile)
    loaded, used, stored = f"loaded{mark}", f"used{mark}", f"stored{mark}"
    lines = [
        f"    @{load} {loading}  after {used}[k - {buffers}]  post {loaded}[k]",
        f"    @{compute} {text}  after {loaded}[k], {stored}[k - {buffers}]  post {used}[k]",
        f"    @{store} {storing}  after {used}[k]  post {stored}[k]",
    ]
    yield from _order(draw, lines, rounds, apart=len({load, compute, store}) == 3)
    yield _last(draw, store, stored, rounds)


def looped(draw: Random, mark: str) -> Iterator[str]:
    """The same in a loop at run time, or in a nest of two."""
    buffers, words = draw.randint(1, 2), draw.choice((2, 4, 8))
    rounds, outer = buffers * draw.randint(1, 3), draw.choice((1, 1, 2, 3))
    load, compute, store = _three(draw)
    rows = 32 * rounds * outer
    yield f".hbm in{mark} f32[{rows}, {words}] input = random(seed=1)"
    yield f".hbm out{mark} f32[{rows}, {words}] output"
    yield f".sbuf tile{mark}[{buffers}] f32[32, {words}]"
    yield f".sbuf made{mark}[{buffers}] f32[32, {words}]"
    at = f"(i*{rounds} + k)*32" if outer > 1 else "k*32"
    tile, made = f"tile{mark}[k % {buffers}]", f"made{mark}[k % {buffers}]"
    text = COMPUTE[compute].format(out=made, tile=tile)
    loaded, used, stored = f"loaded{mark}", f"used{mark}", f"stored{mark}"
    if outer > 1:
        yield f".loop i in 0..{outer}"
    yield f".loop k in 0..{rounds} buffers={buffers}"
    free = f"after {used}[k - {buffers}]"
    yield f"    @{load} DmaCopy {tile}, in{mark}[{at} : +32, :]  {free}  post {loaded}[k]"
    yield f"    @{compute} {text}  after {loaded}[k], {stored}[k - {buffers}]  post {used}[k]"
    storing = f"DmaCopy out{mark}[{at} : +32, :], {made}"
    yield f"    @{store} {storing}  after {used}[k]  post {stored}[k]"
    yield ".end"
    if outer > 1:
        yield ".end"
    yield f"@{store} EventSemaphore after {stored}"


def included(draw: Random, mark: str) -> Iterator[str]:
    """Macros of the library, with a macro of its own in between."""
    tiles, buffers, words = draw.randint(1, 4), draw.randint(1, 3), draw.choice((4, 8))
    load, compute, store = _three(draw)
    yield '.include "lib/tiles.nasm"'
    yield f".hbm in{mark} f32[{tiles}, 32, {words}] input = random(seed=1)"
    yield f".hbm out{mark} f32[{tiles}, 32, {words}] output"
    yield f".sbuf ring{mark} f32[32, {buffers}, {words}]"
    yield f".sbuf made{mark} f32[32, {buffers}, {words}]"
    text = COMPUTE[compute].format(out=f"made[:, t % {buffers}]", tile=f"ring[:, t % {buffers}]")
    yield f".macro compute{mark}(made, ring, loaded, used, stored)"
    yield f"    .for t in 0..{tiles}"
    yield f"        @{compute} {text}  after loaded[t], stored[t - {buffers}]  post used[t]"
    yield "    .end"
    yield ".end"
    moments = f"loaded{mark}", f"used{mark}", f"stored{mark}"
    queue = draw.choice(("", ", queue=4"))
    calls = [
        f"load_tiles(ring{mark}, in{mark}, {moments[0]}, {moments[1]}, eng={load}{queue})",
        f"compute{mark}(made{mark}, ring{mark}, {', '.join(moments)})",
        f"store_tiles(out{mark}, made{mark}, {moments[1]}, {moments[2]}, eng={store})",
    ]
    draw.shuffle(calls)
    yield from calls
    yield _last(draw, store, moments[2], tiles)


MOMENTS = (named, included)
LOOPED = (*MOMENTS, looped)
"""With addresses in registers: on v2 only GpSimd's transfers may have them."""
