"""Coverage-guided: programs whose mutations are kept when they reach lines that none has reached.

``python -m tests.fuzz.guided --seconds 600`` mutates what is kept in ``tests/fuzz/kept``, and adds
what reaches more of the assembler. The suite tries all of it as it tries any input. Coverage is
counted by a trace function of Python, so that no package is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tests.fuzz import driver
from tests.fuzz.mutations import mutated
from tests.fuzz.programs import Programs

KEPT = Path(__file__).parent / "kept"
LONGEST, MOST = 700, 40_000
"""Bytes of an input, and of all that are kept: they are a part of the repository."""

WATCHED = tuple(f"/nasm/{part}/" for part in ("language", "program", "sync", "order"))

Line = tuple[str, int]


@contextmanager
def covering(found: set[Line]) -> Iterator[None]:
    """Collect the lines of the assembler that are executed within it."""

    def called(frame: FrameType, event: str, _: Any) -> Any:
        return line if any(part in frame.f_code.co_filename for part in WATCHED) else None

    def line(frame: FrameType, event: str, _: Any) -> Any:
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def kept() -> list[bytes]:
    """The corpus."""
    return [path.read_bytes() for path in sorted(KEPT.glob("*.nasm"))]


def main() -> int:
    """Look for inputs that reach more; 1 if one shows what must not be."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    fuzzer, rng, reached, pool = Programs(), Random(given.seed), set[Line](), kept()
    texts = [text for text in fuzzer.right if len(text) <= LONGEST]
    for data in pool:
        with covering(reached):
            driver.tried(fuzzer, data)
    until, tries, began = time.monotonic() + given.seconds, 0, len(reached)
    while time.monotonic() < until:
        text = rng.choice(pool).decode() if pool and rng.random() < 0.7 else rng.choice(texts)
        data = mutated(rng, text, texts).encode("utf-8", "replace")
        lines, tries = set[Line](), tries + 1
        with covering(lines):
            found = driver.tried(fuzzer, data)
        if found is not None and found.kind != "hang":  # it is slow while it is traced
            sys.stdout.write(f"{found}\n{data!r}\n{found.details}\n")
            return 1
        if lines - reached and len(data) <= LONGEST and sum(map(len, pool)) + len(data) <= MOST:
            KEPT.mkdir(exist_ok=True)
            (KEPT / f"{hashlib.sha256(data).hexdigest()[:12]}.nasm").write_bytes(data)
            pool.append(data)
            reached |= lines
    sys.stdout.write(f"{tries:,} tried, {len(pool)} kept, {began:,} to {len(reached):,} lines\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
