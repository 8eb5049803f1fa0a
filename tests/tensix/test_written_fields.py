"""What the debugger shows of an instruction has the names of fields that the program has."""

from __future__ import annotations

import pytest

import nasm
from nasm.analysis.summary import form_text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("PACR PackerMask=0xF, Last=1", "PACR PackerMask=15, Last=1"),
        ("PACR PackSel=0xF, Last=1", "PACR PackSel=15, Last=1"),
        ("PACR AddrMod=2, PackerMask=1", "PACR AddrMod=2, PackerMask=1"),
        ("PACR PackerMask=0, Last=1", "PACR Last=1"),
        (
            "UNPACR WhichUnpacker=1, Ch1YInc=1, Ch0YInc=2, Last=1",
            "UNPACR WhichUnpacker=1, Ch1YInc=1, Ch0YInc=2, Last=1",
        ),
    ],
)
def test_fields_are_shown_by_the_names_that_were_written(line: str, shown: str) -> None:
    program = nasm.assemble(f".target wormhole\n@t0 {line}\n")
    queue = next(n for n, lines in enumerate(program.queues) if len(lines))
    assert form_text(program, queue, 0) == shown
    again = nasm.assemble(f".target wormhole\n@t0 {shown}\n")
    assert again.instruction(queue, 0).operands == program.instruction(queue, 0).operands
