"""What is called of no use can be taken away: tried on programs that were changed at random."""

from __future__ import annotations

import functools
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.language.printing import text as printed
from nasm.machine.records import Status
from tests.parts import part

ROOT = Path(__file__).parents[2]
FILES = ROOT / "programs"
NAMES = ("softmax", "matmul", "countdown", "dma_trigger", "matmul_k")
END = "@sync    EventSemaphore  $stored >= 16\n"


@functools.cache
def programs() -> list[str]:
    """Those with moments also with the waits they become; some with one too many at their end."""
    texts = [(FILES / f"{name}.nasm").read_text("utf-8") for name in NAMES]
    texts += [printed(nasm.assemble(text)) for text in texts if " post " in text]
    return texts + [t.replace("\n.expect", f"\n{END}.expect") for t in texts if "$stored" in t]


WAIT = re.compile(r"\$[\w{}%+ */-]+>=[^$;]+")
TILE = re.compile(r"\.(?:sbuf|psum)\s+(\w+) ")
MNEMONIC = re.compile(r"(^\s*(?:@\w+\s+)?)(\w+)([^$;]*)")


def changed(rng: random.Random) -> list[str]:
    """A program with a few lines taken away, repeated, exchanged, or with other operands."""
    lines = rng.choice(programs()).splitlines()
    names = [found[1] for line in lines if (found := TILE.match(line))]
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[other])
        elif kind == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3 and names:
            lines[at] = re.sub(rf"\b{rng.choice(names)}\b", rng.choice(names), lines[at], count=1)
        elif kind == 4 and names:
            lines[at] = re.sub(r", \w+", f", {rng.choice(names)}", lines[at], count=1)
        else:
            lines[at] = re.sub(r">= ?\d+", lambda _: f">= {rng.choice((0, 1, 16))}", lines[at])
    return lines


def spared(rng: random.Random, lines: list[str]) -> list[str]:
    """A program in which an instruction is done once more, for a tile of its own.

    Sometimes somebody else reads that instead.
    """
    places = [(at, found[1]) for at, line in enumerate(lines) if (found := TILE.match(line))]
    at, name = rng.choice(places) if places else (0, "")
    into = re.compile(rf"^(\s*(?:@\w+\s+)?\w+\s+){name}\b([^$;]*)")
    those = [n for n, line in enumerate(lines) if name and into.match(line)]
    if not those:
        return lines
    found, doubled = list(lines), rng.choice(those)
    if rng.random() < 0.5:
        reader = rng.randrange(len(lines))
        found[reader] = re.sub(rf", {name}\b", ", spare", found[reader])
    copy = into.match(lines[doubled])
    assert copy is not None
    found.insert(doubled + 1, f"{copy[1]}spare{copy[2]}")
    found.insert(at + 1, re.sub(rf"\b{name}\b", "spare", lines[at], count=1))
    return found


def outcome(lines: list[str]) -> nasm.Result | None:
    """What a program computes; None if something is wrong with it, order included."""
    try:
        result = nasm.run("\n".join(lines) + "\n", files=FILES, max_instructions=2_000)
    except Failure:
        return None
    report = result.report
    wrong = report.hazards or report.problems or report.status is not Status.FINISHED
    return None if wrong else result


def same(one: nasm.Result, other: nasm.Result) -> bool:
    return all(np.array_equal(one.outputs[n], other.outputs[n]) for n in one.outputs)


def without(lines: list[str], code: str, numbers: set[int]) -> list[str]:
    """The lines without the waits, or with nothing in the place of the instructions, of some."""
    found = list(lines)
    for number in numbers:
        line = found[number - 1]
        if code == "E0532":
            found[number - 1] = WAIT.sub(" ", line, count=1)
        else:
            found[number - 1] = MNEMONIC.sub(r"\1Nop ", line, count=1)
    return found


def tried(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    lines = spared(rng, changed(rng))
    before = outcome(lines)
    if before is None:
        return
    problems = nasm.check("\n".join(lines) + "\n", files=FILES).problems
    for code in ("E0532", "E0533"):
        numbers = {p.span.line for p in problems if p.code == code and p.span}
        if not numbers:
            continue
        fewer = without(lines, code, numbers)
        after = outcome(fewer)
        said = f"seed {seed}: {code} in lines {sorted(numbers)}\n" + "\n".join(fewer)
        assert fewer != lines, said
        assert after is not None, said
        assert same(before, after), said
        seen[code] += 1


@pytest.mark.parametrize("batch", part(range(4), 1))
def test_what_is_of_no_use_can_be_taken_away(batch: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(batch * 30, batch * 30 + 30):
        tried(seed, seen)
    assert seen["E0532"] > 0
    assert seen["E0533"] > 0
