"""Coverage-guided: programs whose mutations are kept when they reach something new.

It needs the package atheris, which is not among those that the tests install::

    python -m tests.fuzz.guided FOLDER tests/fuzz/kept -max_total_time=600
    python -m tests.fuzz.guided -merge=1 tests/fuzz/kept FOLDER -max_len=1500

The first collects in a folder, the second takes over what adds coverage. What it keeps is tried by
the suite as every input is. Options are those of libFuzzer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

KEPT = Path(__file__).parent / "kept"
LONGEST = 1500
"""Bytes of an input: the corpus is a part of the repository."""


def main() -> None:
    """Fuzz until libFuzzer has had enough; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["nasm.asm", "nasm.building", "nasm.order"]):
        from tests.fuzz.mutations import mutated
        from tests.fuzz.programs import Programs
    fuzzer = Programs()
    texts = [text for text in fuzzer.right if len(text) <= LONGEST]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = Random(seed)
        text = data.decode("utf-8", "replace") if data.strip() else rng.choice(texts)
        return mutated(rng, text, texts).encode("utf-8", "replace")[: min(most, LONGEST)]

    def tried(data: bytes) -> None:
        fuzzer.check(data.decode("utf-8", "replace").encode())

    atheris.Setup(sys.argv, tried, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
