"""The programs that fuzzers start from: real ones, the rows' examples, what docs show."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from nasm.base.problems import Failure, Refused
from nasm.show import examples
from nasm.targets.neuron import TARGET
from tests.test_docs import blocks

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "programs"
_BIG = re.compile(r"(?<![\w.%])(?:[1-9]\d{2,4}|[6-9]\d)(?![\w.])")


@functools.cache
def programs() -> dict[str, str]:
    """Every text by a name, small ones where there is a choice."""
    files = [*sorted(PROGRAMS.glob("*.nasm")), *sorted((ROOT / "tests" / "wrong").glob("*.nasm"))]
    found = {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in files}
    for path in sorted(PROGRAMS.glob("*.nasm")):
        found[f"{path.stem}, smaller"] = smaller(path.read_text(encoding="utf-8"))
    found |= {block.where: block.text for block in blocks("neuron-nasm")}
    for row in TARGET.isa:
        for generation in TARGET.generations:
            name = f"{row.name} on {generation.name}"
            try:
                engine = TARGET.engines(row, generation)[0]
                found[name] = examples.program_text(row, engine, generation, TARGET, 8, 8)
            except (Failure, Refused, LookupError):
                continue  # a machine that has no such instruction
    return found


def smaller(text: str) -> str:
    """A program with the sizes of its tensors, and whatever goes with them, divided by 16."""
    return _BIG.sub(lambda n: str(int(n[0]) // 16 or 1), text)
