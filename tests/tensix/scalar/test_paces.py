"""How long units of a fixed pace take, as the costs of rows say it."""

from __future__ import annotations

import pytest

from nasm.isa.instruction import InstructionContext
from nasm.targets.tensix import TARGET


@pytest.mark.parametrize(
    ("mnemonic", "interval", "latency", "unit", "issue"),
    [
        ("DMANOP", 1, 1, "scalar", 1),
        ("REG2FLOP", 2, 2, "scalar", 2),
        ("LOADIND", 3, 10, "scalar", 3),
        ("ATINCGET", 3, 27, "scalar", 3),
        ("ATCAS", 15, 15, "scalar", 15),
        ("SETC16", 1, 1, "own cfg", 0),
        ("WRCFG", 1, 2, "cfg", 0),
        ("SEMPOST", 1, 1, "sync", 0),
        ("ATGETM", 1, 1, "mutex", 0),
        ("INCADCZW", 1, 1, "misc", 0),
    ],
)
def test_paces_are_those_of_the_pages(
    mnemonic: str, interval: int, latency: int, unit: str, issue: int
) -> None:
    row = TARGET.isa.rows[mnemonic]
    context = InstructionContext.of(row, (0,) * len(row.operands), "t0", TARGET.generations[0])
    cost = row.cost(context)
    assert (cost.interval, cost.latency, cost.unit, cost.issue) == (interval, latency, unit, issue)
    assert cost.source.startswith("ISA documentation, ")
