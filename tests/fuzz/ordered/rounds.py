"""Programs in rounds: pipelines over buffers, purses in loops at run time, lives of counters."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

COMPUTE = {
    "vector": "TensorScalar {out}, {tile}, op0=multiply, operand0=2.0",
    "scalar": "Activation {out}, {tile}, op=relu",
    "gpsimd": "TensorCopy {out}, {tile}",
}
ISSUERS = ("sync", "scalar", "gpsimd", "vector")


def pipeline(draw: Random, mark: str) -> Iterator[str]:
    """Load, compute, store, over one to three buffers of each: counts grow with the rounds.

    Each buffer has counters of its own. What was computed is one counter for all buffers.
    """
    rounds, buffers, words = draw.randint(2, 4), draw.randint(1, 3), draw.choice((2, 4, 8))
    load, compute, store = draw.choice(ISSUERS), draw.choice(list(COMPUTE)), draw.choice(ISSUERS)
    rows = draw.choice((32, 128))
    b = f"{{k % {buffers}}}"
    yield f".hbm in{mark} f32[{rows}, {rounds * words}] input = random(seed=1)"
    yield f".hbm out{mark} f32[{rows}, {rounds * words}] output"
    yield f".for k in 0..{buffers}"
    yield f".sbuf tile{mark}_{{k}} f32[{rows}, {words}]"
    yield f".sbuf made{mark}_{{k}} f32[{rows}, {words}]"
    yield f".sem loaded{mark}_{{k}}, stored{mark}_{{k}}"
    yield ".end"
    yield f".sem computed{mark}"
    tile, made = f"tile{mark}_{b}", f"made{mark}_{b}"
    loaded, stored = f"$loaded{mark}_{b}", f"$stored{mark}_{b}"
    text = COMPUTE[compute].format(out=made, tile=tile)
    earlier = f"max(0, k - {buffers - 1})"
    part = f"k*{words} : +{words}"
    parts = [
        [
            f"@{load} DmaCopy {tile}, in{mark}[:, {part}]"
            f" $computed{mark} >= {earlier} {loaded} += 16"
        ],
        [
            f"@{compute} EventSemaphore {stored} >= 16 * (k // {buffers})",
            f"@{compute} {text} {loaded} >= 16 * (k // {buffers} + 1) $computed{mark}++",
        ],
        [f"@{store} DmaCopy out{mark}[:, {part}], {made} $computed{mark} >= k + 1 {stored} += 16"],
    ]
    alone = len({load, compute, store}) == 3 and draw.random() < 0.5
    for group in parts if alone else [[line for some in parts for line in some]]:
        yield f".for k in 0..{rounds}"
        yield from group
        yield ".end"
    for k in range(buffers):
        count = len(range(k, rounds, buffers))
        if count:
            yield f"@{store} EventSemaphore $stored{mark}_{k} >= {16 * count}"


def purses(draw: Random, mark: str) -> Iterator[str]:
    """Loops at run time: what is there is taken, each buffer with purses of its own."""
    rounds, buffers, words = draw.randint(2, 4), draw.randint(1, 2), draw.choice((2, 4, 8))
    load, compute = draw.choice((("sync", "vector"), ("scalar", "gpsimd"), ("vector", "gpsimd")))
    yield f".hbm in{mark} f32[32, {words}] input = random(seed=1)"
    yield f".hbm out{mark} f32[32, {buffers * words}] output"
    for k in range(buffers):
        yield f".sbuf tile{mark}_{k} f32[32, {words}]"
        yield f".sbuf sum{mark}_{k} f32[32, {words}]"
        yield f".sem free{mark}_{k}, land{mark}_{k}"
    yield f".sem done{mark}, stored{mark}"
    first = draw.choice(("gpsimd", "vector", compute))
    for k in range(buffers):
        yield f"@{first} EventSemaphore $free{mark}_{k}++"
    yield f"@{load} RegisterMove %r1, {rounds}"
    for k in range(buffers):
        label = f"take{mark}: " if k == 0 else ""
        yield f"{label}@{load} EventSemaphore $free{mark}_{k} >= 1 $free{mark}_{k}--"
        yield f"@{load} DmaCopy tile{mark}_{k}, in{mark} $land{mark}_{k} += 16"
    yield f"@{load} RegisterAlu %r1, %r1, 1, op=subtract"
    yield f"@{load} CompareBranch %r1, 0, op=greater, target=take{mark}"
    for k in range(buffers):
        yield f"@{compute} Memset sum{mark}_{k}, 1.0"
    yield f"@{compute} RegisterMove %r1, {rounds}"
    for k in range(buffers):
        label = f"use{mark}: " if k == 0 else ""
        sums = f"sum{mark}_{k}"
        yield f"{label}@{compute} EventSemaphore $land{mark}_{k} >= 16 $land{mark}_{k} -= 16"
        yield f"@{compute} TensorTensor {sums}, {sums}, tile{mark}_{k}, op=add $free{mark}_{k}++"
    yield f"@{compute} RegisterAlu %r1, %r1, 1, op=subtract"
    yield f"@{compute} CompareBranch %r1, 0, op=greater, target=use{mark}"
    yield f"@{compute} EventSemaphore $done{mark}++"
    for k in range(buffers):
        wait = f"$done{mark} >= 1"
        yield (
            f"@sync DmaCopy out{mark}[:, {k * words} : +{words}], sum{mark}_{k}"
            f" {wait} $stored{mark} += 16"
        )
    yield f"@sync EventSemaphore $stored{mark} >= {16 * buffers}"


def lives(draw: Random, mark: str) -> Iterator[str]:
    """A counter that is cleared between rounds, or an event: in order on both sides."""
    rounds, words = draw.randint(2, 4), draw.choice((2, 4, 8))
    event = draw.random() < 0.5
    one, other = draw.choice((("vector", "scalar"), ("gpsimd", "vector"), ("gpsimd", "scalar")))
    text = COMPUTE[other].format(out=f"kept{mark}[:, {{0}} : +{words}]", tile=f"tile{mark}")
    store = draw.choice(ISSUERS)
    yield f".hbm in{mark} f32[32, {rounds * words}] input = iota"
    yield f".hbm out{mark} f32[32, {rounds * words}] output"
    yield f".sbuf tile{mark} f32[32, {words}]"
    yield f".sbuf kept{mark} f32[32, {rounds * words}]"
    number = 200 + int(mark.strip("_"))
    clear = f"EventSemaphore $full{mark} = 0"
    if not event and draw.random() < 0.5:
        clear = f"EventSemaphoreRangeClear {number}, {number}"
    yield f".event full{mark}" if event else f".sem full{mark} = {number}"
    yield f".sem gone{mark}, stored{mark}"
    for k in range(rounds):
        wait = f"$gone{mark} >= {k}" if k else ""
        if event:
            yield f"@{one} Memset tile{mark}, {k + 1}.0 {wait} $full{mark} = 1"
        else:
            part = f"in{mark}[:, {k * words} : +{words}]"
            yield f"@{one} DmaCopy tile{mark}, {part} {wait} $full{mark} += 16"
        if k:
            yield f"@{other} EventSemaphore $gone{mark} >= {k}"
        held = "== 1" if event else ">= 16"
        yield f"@{other} {text.format(k * words)} $full{mark} {held}"
        yield f"@{other} {clear}"
        yield f"@{other} EventSemaphore $gone{mark}++"
    yield f"@{store} DmaCopy out{mark}, kept{mark} $gone{mark} >= {rounds} $stored{mark} += 16"
    yield f"@{store} EventSemaphore $stored{mark} >= 16"


def sums(draw: Random, mark: str) -> Iterator[str]:
    """Transfers that add to one place in any order, and a wait for all of them (v4)."""
    parts, words = draw.randint(2, 4), draw.choice((2, 4, 8))
    yield f".hbm in{mark} f32[32, {parts * words}] input = iota"
    yield f".hbm out{mark} f32[32, {words}] output"
    yield f".sbuf sum{mark} f32[32, {words}]"
    yield f".sem begun{mark}, added{mark}, stored{mark}"
    yield f"@{draw.choice(('vector', 'gpsimd'))} Memset sum{mark}, 1.0 $begun{mark}++"
    for k in range(parts):
        part = f"in{mark}[:, {k * words} : +{words}], compute_op=add"
        waits = f"$begun{mark} >= 1 $added{mark} += 16"
        yield f"@{draw.choice(ISSUERS)} DmaCopy sum{mark}, {part} {waits}"
    store = draw.choice(ISSUERS)
    waits = f"$added{mark} >= {16 * parts} $stored{mark} += 16"
    yield f"@{store} DmaCopy out{mark}, sum{mark} {waits}"
    yield f"@{store} EventSemaphore $stored{mark} >= 16"


RISING = (pipeline,)
ADDING = (pipeline, sums)
OTHERS = (purses, lives)
