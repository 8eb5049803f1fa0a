"""A mnemonic stands in its row, and outside of rows only where it is an example.

Whoever adds an instruction finds what there is to say of it in one place, and a reader of a cost
or a figure is told what it is of by what the vendor calls it. Comments and docstrings count.
"""

from __future__ import annotations

import re
from pathlib import Path

from nasm.targets import TARGETS
from tests.tables import each

PACKAGE = Path(__file__).parents[1] / "nasm"


def mnemonics(target: str) -> re.Pattern[str]:
    """What finds the mnemonics of a target."""
    return re.compile(rf"\b({'|'.join(TARGETS[target]().isa.rows)})s?\b")


HOMES = {
    mnemonics("trn1"): ("targets/neuron/isa/", "targets/tensix/"),
    mnemonics("wormhole"): ("targets/tensix/", "targets/neuron/isa/"),
}
"""Where the mnemonics of a target may stand, and where other vendors have words that are some."""

EXAMPLES = {
    "asm/text/syntax_errors.py": "texts that do not parse, some of which have an instruction",
    "apps/cli/verbs/help.py": "what may be typed after neuron-nasm",
    "apps/cli/verbs/isa.py": "the same",
    "codes/control.py": "a wrong program and a right one for each code",
    "codes/data.py": "the same",
    "codes/examining.py": "the same",
    "codes/names.py": "the same",
    "codes/operands.py": "the same",
    "codes/ordering.py": "the same",
    "codes/loops.py": "the same",
    "codes/running.py": "the same",
    "codes/slow.py": "the same",
    "targets/neuron/computing.py": "what operators of tiles are, for hints",
    "targets/neuron/__init__.py": "what examples of rows are filled and waited for with",
}
"""Files whose mnemonics are in examples for users, and what those are."""

QUOTATIONS = {
    "targets/neuron/activations.py": ("Supported Activation Functions",),
    "targets/neuron/dma.py": ("'DMA Transpose'",),
    "targets/neuron/figures.py": (
        "'DMA Transpose'",
        "'Transpose'",
        "'Background Transpose'",
        "'Fast LoadStationary'",
    ),
}
"""Headings of the vendor's documents, which have the words that our mnemonics have."""


def found(path: Path) -> list[str]:
    """The mnemonics of a file with their lines, those in quoted headings left out."""
    name = path.relative_to(PACKAGE).as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    said = []
    for number, line in enumerate(lines, 1):
        for heading in QUOTATIONS.get(name, ()):
            line = line.replace(heading, "")
        for pattern, homes in HOMES.items():
            if not name.startswith(homes):
                said += [f"{name}:{number}: {mnemonic}" for mnemonic in pattern.findall(line)]
    return said


FILES = sorted(PACKAGE.rglob("*.py"))


@each("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_no_mnemonic_stands_outside_of_rows_and_examples(path: Path) -> None:
    name = path.relative_to(PACKAGE).as_posix()
    if name in EXAMPLES:
        assert found(path), f"{name} has none any more: take it off the list"
    else:
        assert found(path) == []


def test_the_headings_that_are_left_out_are_there() -> None:
    for name, headings in QUOTATIONS.items():
        text = (PACKAGE / name).read_text(encoding="utf-8")
        for heading in headings:
            assert heading in text, (name, heading)


def test_the_mnemonics_of_every_target_are_looked_for() -> None:
    patterns = list(HOMES)
    rows = {t.name: list(t.isa.rows) for t in (load() for load in TARGETS.values())}
    assert len(patterns) == len(rows)
    for names in rows.values():
        assert sum(all(map(pattern.fullmatch, names)) for pattern in patterns) == 1
