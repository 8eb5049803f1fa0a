"""Random programs of three queues that wait for each other, and may be stuck."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

QUEUES = ("vector", "scalar", "gpsimd")


@dataclass(frozen=True)
class Line:
    """An instruction: a wait and an update of semaphores by number, or a way past so many lines."""

    wait: tuple[int, int] | None = None
    update: tuple[int, int] | None = None
    skip: int = 0
    taken: bool = False


Lines = dict[str, list[Line]]


def drawn(seed: int) -> Lines:
    """A program: up to eight lines for each queue."""
    chance = random.Random(seed)
    made: Lines = {}
    for queue in QUEUES:
        lines = []
        for _ in range(chance.randint(1, 8)):
            wait = update = None
            if chance.random() < 0.45:
                wait = (chance.randrange(3), chance.randint(1, 4))
            if chance.random() < 0.7:
                update = (chance.randrange(3), chance.randint(1, 2))
            skip = chance.randint(1, 3) if chance.random() < 0.15 else 0
            lines.append(Line(wait, None if skip else update, skip, chance.random() < 0.6))
        made[queue] = lines
    return made


def free(lines: list[Line]) -> list[Line]:
    """The same without waits."""
    return [replace(line, wait=None) for line in lines]


def text(lines: Lines) -> str:
    """The program as it is written; line n of a queue has pc n + 1."""
    found = [".target trn2", ".sem s0, s1, s2"]
    for queue in QUEUES:
        found += [f"@{queue}", f"{queue}x: RegisterMove %r0, 1"]
        mine = lines[queue]
        for n, line in enumerate(mine):
            written = "Nop"
            if line.skip:
                to = min(n + 1 + line.skip, len(mine))
                op = "equal" if line.taken else "not_equal"
                written = f"CompareBranch %r0, 1, op={op}, target={queue}{to}"
            if line.wait:
                written += f" $s{line.wait[0]} >= {line.wait[1]}"
            if line.update:
                written += f" $s{line.update[0]} += {line.update[1]}"
            found.append(f"{queue}{n}: {written}")
        found.append(f"{queue}{len(mine)}: Nop")
    return "\n".join(found) + "\n"
