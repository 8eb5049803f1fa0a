"""Programs: mutated texts, assembled and run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.expanding import line_counts
from nasm.targets import TARGETS
from tests.fuzz import corpus, promises
from tests.fuzz.mutations import TOKEN, mutated

LINES = 20_000
"""Lines that a program's loops may make: millions are legal, and take their time."""


@contextmanager
def few_lines() -> Iterator[None]:
    """Let the bound on a program's loops be met by small programs."""
    before, line_counts.MOST_LINES = line_counts.MOST_LINES, LINES
    try:
        yield
    finally:
        line_counts.MOST_LINES = before


class Programs:
    """Texts of programs."""

    name, suffix, each = "programs", ".nasm", 1
    memory, seconds = 1 << 30, 5.0

    def __init__(self) -> None:
        texts = corpus.programs()
        self.texts = list(texts.values())
        self.right = [text for name, text in texts.items() if "wrong" not in name]

    def make(self, rng: Random) -> bytes:
        """A mutated text."""
        text = rng.choice(self.right if rng.random() < 0.9 else self.texts)
        return mutated(rng, text, self.right).encode("utf-8", "replace")

    def check(self, data: bytes) -> None:
        """Assemble it, run it twice, and look at all that is said."""
        # Files that it names are looked for where real programs have theirs.
        source = Source(str(corpus.PROGRAMS / "fuzzed.nasm"), data.decode("utf-8"))
        try:
            with few_lines():
                program = assemble(source, TARGETS, options=promises.options(data))
            promises.names(program)
            promises.problems(program.warnings)
            if promises.small(program):
                promises.run(program, data)
        except Failure as failure:
            promises.refused(failure)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines, then tokens: a smaller input lacks some of them."""
        yield data.splitlines(keepends=True)
        yield [token.encode() for token in TOKEN.findall(data.decode("utf-8"))]
