"""A mnemonic is in its row, and outside of rows only where it is an example.

Who adds an instruction finds all there is to say of it in one place, and a reader of a cost or a
figure learns what it is of by what the vendor calls it. Comments and docstrings count.

A function that executes an instruction may bear its name outside of the row, and the module that
defines it may then use that name.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from nasm.targets import TARGETS
from tests.tables import each

PACKAGE = Path(__file__).parents[1] / "nasm"


def mnemonics(target: str) -> re.Pattern[str]:
    """What finds the mnemonics of a target; pages of documents are called as they are."""
    return re.compile(rf"\b({'|'.join(TARGETS[target]().isa.rows)})s?\b(?!\.md)")


HOMES = {
    mnemonics("trn1"): ("targets/neuron/isa/", "targets/tensix/"),
    mnemonics("wormhole"): ("targets/tensix/isa/", "targets/neuron/"),
}
"""Where the mnemonics of a target may be, and where other vendors have words that are some."""

EXAMPLES = {
    "language/text/syntax_errors.py": "texts that do not parse, some of which have an instruction",
    "language/text/habits.py": "the same",
    "apps/cli/verbs/help.py": "what may be typed after neuron-nasm",
    "apps/cli/verbs/isa.py": "the same",
    "language/codes/control.py": "a wrong program and a right one for each code",
    "language/codes/checking.py": "the same",
    "language/codes/data.py": "the same",
    "language/codes/names.py": "the same",
    "language/codes/operands.py": "the same",
    "language/codes/ordering.py": "the same",
    "language/codes/loops.py": "the same",
    "language/codes/profile.py": "the same",
    "language/codes/ranks.py": "the same",
    "language/codes/running.py": "the same",
    "targets/neuron/computing.py": "what operators of tiles are, for hints",
    "targets/neuron/__init__.py": "what examples of rows are filled and waited for with",
    "targets/tensix/core/findings.py": "what to write instead, in hints",
    "targets/tensix/core/stores.py": "the same",
    "targets/tensix/inspect/put_registers.py": "the same",
    "targets/tensix/inspect/cores.py": "what a FIFO is in front of",
    "targets/tensix/inspect/threads.py": "what parts of a core are, by what uses them",
    "targets/tensix/options.py": "what readings of the documents differ on, by their pages",
    "targets/tensix/matrix/ownership.py": "what would hand over a bank that is waited for",
}
"""Files whose mnemonics are in examples for users, and what those are."""

QUOTATIONS = {
    "targets/neuron/activations.py": ("Supported Activation Functions",),
    "targets/neuron/dma.py": ("'DMA Transpose'",),
    "targets/neuron/collectives/figures.py": (
        "Collective Communications",
        "Collective Communication",
    ),
    "targets/neuron/figures.py": (
        "'DMA Transpose'",
        "'Transpose'",
        "'Background Transpose'",
        "'Fast LoadStationary'",
    ),
}
"""Headings of the vendor's documents, which have the words that our mnemonics have."""


PARTS = ("MOP expander",)
"""Parts of the hardware that are called by what they execute."""


def defined(text: str) -> set[str]:
    """The names that a module gives to functions and values of its own."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {n.id for to in node.targets for n in ast.walk(to) if isinstance(n, ast.Name)}
    return names


def found(path: Path) -> list[str]:
    """The mnemonics of a file with their lines, those in quoted headings left out."""
    name = path.relative_to(PACKAGE).as_posix()
    text = path.read_text(encoding="utf-8")
    own = defined(text) if name.startswith("targets/") else set()
    said = []
    for number, line in enumerate(text.splitlines(), 1):
        for heading in (*QUOTATIONS.get(name, ()), *PARTS):
            line = line.replace(heading, "")
        for pattern, homes in HOMES.items():
            if not name.startswith(homes):
                names = [one for one in pattern.findall(line) if one not in own]
                said += [f"{name}:{number}: {mnemonic}" for mnemonic in names]
    return said


FILES = sorted(PACKAGE.rglob("*.py"))


@each("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_no_mnemonic_is_outside_of_rows_and_examples(path: Path) -> None:
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


def test_a_name_is_found_unless_its_function_is_defined_there() -> None:
    assert defined("def SFPMAD(): ...\nSFPADD = SFPMUL = SFPMAD\n") == {
        "SFPMAD",
        "SFPADD",
        "SFPMUL",
    }
    assert defined("if True:\n    def SFPMAD(): ...\n") == set()
    pattern = mnemonics("wormhole")
    assert pattern.findall("as SFPMAD and MVMULs are, MVMUL.md") == ["SFPMAD", "MVMUL"]


def test_every_example_names_a_file() -> None:
    assert [name for name in EXAMPLES if not (PACKAGE / name).exists()] == []


def test_the_mnemonics_of_every_target_are_looked_for() -> None:
    patterns = list(HOMES)
    rows = {t.name: list(t.isa.rows) for t in (load() for load in TARGETS.values())}
    assert len(patterns) == len(rows)
    for names in rows.values():
        assert sum(all(map(pattern.fullmatch, names)) for pattern in patterns) == 1
