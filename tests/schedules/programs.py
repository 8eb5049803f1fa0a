"""Programs whose accesses are in order, drawn at random, and five that look right by luck."""

from __future__ import annotations

import random

HEAD = """
.target trn2
.hbm   X f32[128, 64] input = iota
.hbm   B f32[128, 64] input = iota
.hbm   Y f32[128, 64] output
.sbuf  t f32[128, 64]
.sbuf  u f32[128, 64]
.sbuf  b f32[128, 64]
.sbuf  big f32[128, 4096]
.sem first, second, read, done, loaded, stored, ready
"""

STORED = """
@sync DmaCopy Y, u $done >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
"""

FIVE = {
    "stale": (
        """
@vector Memset t, 1.0                              $first++
@gpsimd EventSemaphore             $read >= 1
@gpsimd DmaCopy t, X                               $second += 16
@scalar Activation u, t, op=copy   $first >= 1     $read++
@scalar Activation u, t, op=copy                   $done++
@tensor EventSemaphore             $second >= 16
"""
        + STORED
    ),
    "right by luck of time": (
        """
@gpsimd Memset t, 1.0
@vector Memset big, 1.0
@vector TensorCopy u, t            $done++
"""
        + STORED
    ),
    "right by luck of count": (
        """
@sync   DmaCopy t, X               $loaded += 16
@scalar DmaCopy b, B               $loaded += 16
@vector TensorCopy u, t            $loaded >= 16  $done++
@tensor EventSemaphore             $loaded >= 32
"""
        + STORED
    ),
    "two writers": """
@vector Memset t, 1.0
@vector Memset u, 2.0                             $ready++
@sync   DmaCopy Y, t               $ready >= 1    $stored += 16
@scalar DmaCopy Y, u               $ready >= 1    $stored += 16
@tensor EventSemaphore             $stored >= 32
""",
    "a store beside its queue": """
@gpsimd Memset  t, 1.0
@gpsimd DmaCopy Y, t                              $stored += 16
@tensor EventSemaphore             $stored >= 16
""",
}

ENDS = {
    "stale": (("lands", "gpsimd", 1), ("starts", "scalar", 1)),
    "right by luck of time": (("completes", "gpsimd", 0), ("starts", "vector", 1)),
    "right by luck of count": (("lands", "sync", 0), ("starts", "vector", 0)),
    "two writers": (("lands", "sync", 0), ("lands", "scalar", 0)),
    "a store beside its queue": (("completes", "gpsimd", 0), ("lands", "gpsimd", 1)),
}
"""The ends of the two accesses that race in each."""

ENGINES = ("vector", "gpsimd", "scalar")
TILES = 4


class InOrder:
    """A text whose every access waits for all that it conflicts with.

    Each engine counts its instructions up, each transfer has a semaphore of its own. Whatever is
    written is stored, so that no value is lost.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.counts = dict.fromkeys(ENGINES, 0)
        self.transfers = self.inputs = 0
        self.accesses: list[tuple[str, str, str, set[str], set[str]]] = []
        for tile in range(TILES):
            self.transfer(f"t{tile}", self.loaded(), self.rng.choice(ENGINES))
        for number in range(self.rng.randint(3, 8)):
            dst = self.drawn()
            self.transfer(f"Y{number}", dst, self.rng.choice(ENGINES))
            self.outputs = number + 1
        self.wait_for_all()

    def drawn(self) -> str:
        """Something that writes a tile; returns which."""
        rng = self.rng
        dst, src, other = (f"t{rng.randrange(TILES)}" for _ in range(3))
        kind = rng.random()
        engine = rng.choice(ENGINES)
        if kind < 0.3:
            self.transfer(
                dst, rng.choice((self.loaded(), src if src != dst else self.loaded())), engine
            )
        elif kind < 0.5 and engine != "scalar":
            self.instruct(engine, f"Memset {dst}, {len(self.lines)}.5", set(), {dst})
        elif engine == "scalar":
            self.instruct(engine, f"Activation {dst}, {src}, op=square", {src}, {dst})
        else:
            both = f"TensorTensor {dst}, {src}, {other}, op=add"
            self.instruct(engine, both, {src, other}, {dst})
        return dst

    def loaded(self) -> str:
        """An input that was not read yet: no two have the same values."""
        self.inputs += 1
        return f"X{self.inputs - 1}"

    def instruct(self, engine: str, text: str, reads: set[str], writes: set[str]) -> None:
        self.order(engine, reads, writes)
        self.counts[engine] += 1
        self.lines.append(f"@{engine} {text} ${engine}++")
        wait = f"${engine} >= {self.counts[engine]}"
        self.accesses.append((engine, "instruction", wait, reads, writes))

    def transfer(self, dst: str, src: str, engine: str) -> None:
        self.order("", {src}, {dst}, engine)
        name = f"d{self.transfers}"
        self.transfers += 1
        self.lines.append(f"@{engine} DmaCopy {dst}, {src} ${name} += 16")
        self.accesses.append((engine, "transfer", f"${name} >= 16", {src}, {dst}))

    def order(self, mine: str, reads: set[str], writes: set[str], queue: str = "") -> None:
        """Wait for all that conflicts but is not of the same queue's instructions."""
        for engine, kind, wait, theirs, written in self.accesses:
            if kind == "instruction" and engine == mine:
                continue
            if written & (reads | writes) or theirs & writes:
                self.lines.append(f"@{mine or queue} EventSemaphore {wait}")

    def wait_for_all(self) -> None:
        for _, kind, wait, _, _ in self.accesses:
            if kind == "transfer":
                self.lines.append(f"@sync EventSemaphore {wait}")

    @property
    def text(self) -> str:
        sems = [*ENGINES, *(f"d{n}" for n in range(self.transfers))]
        head = [".target trn2"]
        seeded = range(self.inputs)
        head += [f".hbm X{n} f32[128, 32] input = random(seed={n})" for n in seeded]
        head += [f".hbm Y{n} f32[128, 32] output" for n in range(self.outputs)]
        head += [f".sbuf t{n} f32[128, 32]" for n in range(TILES)]
        return "\n".join([*head, f".sem {', '.join(sems)}", *self.lines]) + "\n"
